/*
 * glob.c -- patterns: the matcher, and the walk over folders.
 *
 * The walk keeps the list of paths found so far, and replaces it by one level
 * more for each component of the pattern; components without wildcards cost
 * no listing.  One file for both systems: on Windows names match without
 * case, and '\' is a slash instead of an escape.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/glob.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/fmt.h"
#include "os/dir.h"
#include "os/path.h"


/* One byte of a set, at p behind its '['; NULL if the set has no end. */
static const char *
match_set(const char *p, const char *end, char c, bool caseless, bool *hit)
{
    bool          negate, found = false;
    char          from, to;
    const char   *first;

    negate = p < end && (*p == '!' || *p == '^');
    p += negate;

    for (first = p; p < end && (*p != ']' || p == first); p++) {
        from = to = *p;

        if (end - p > 2 && p[1] == '-' && p[2] != ']') {
            to = p[2];
            p += 2;
        }

        if (((unsigned char) c >= (unsigned char) from
             && (unsigned char) c <= (unsigned char) to)
            || (caseless
                && ((lun_lower(c) >= from && lun_lower(c) <= to)
                    || (lun_upper(c) >= from && lun_upper(c) <= to))))
        {
            found = true;
        }
    }

    *hit = found != negate;
    return p < end ? p + 1 : NULL;
}


static inline bool
same(char a, char b, bool caseless)
{
    return a == b || (caseless && lun_lower(a) == lun_lower(b));
}


/* The length of the UTF-8 character at p: a '?' takes all of it. */
static size_t
char_len(const char *p, const char *end)
{
    const char  *start = p++;

    if ((unsigned char) *start >= 0xc0) {
        while (p < end && ((unsigned char) *p & 0xc0) == 0x80) {
            p++;
        }
    }

    return (size_t) (p - start);
}


/*
 * Matches the one element at *p against the name at *n and moves both; false
 * if it does not fit.  *p is not at a star, *n not at the end.
 */
static bool
match_one(const char **p, const char *p_end, const char **n,
    const char *n_end, bool caseless)
{
    bool         hit;
    const char  *next;

    switch (**p) {

    case '?':
        (*p)++;
        *n += char_len(*n, n_end);
        return true;

    case '[':
        next = match_set(*p + 1, p_end, **n, caseless, &hit);

        if (next == NULL) {
            break;                     /* never closed: a plain '[' */
        }

        *p = next;
        (*n)++;
        return hit;

    case '\\':
        *p += *p + 1 < p_end;
        break;
    }

    return same(*(*p)++, *(*n)++, caseless);
}


/*
 * A star first takes nothing; when the rest fails, the last star takes one
 * byte more.  Earlier stars need no second chance.
 */
bool
lun_glob_match(lun_str pattern, lun_str name, bool caseless)
{
    const char  *p = pattern.data, *p_end = p + pattern.len;
    const char  *n = name.data, *n_end = n + name.len;
    const char  *star = NULL, *taken = NULL;

    if (name.len && *n == '.' && (pattern.len == 0 || (*p != '.'
                                                       && *p != '\\')))
    {
        return false;
    }

    while (n < n_end) {
        if (p < p_end && *p == '*') {
            star = ++p;
            taken = n;

        } else if (p == p_end || !match_one(&p, p_end, &n, n_end, caseless)) {
            if (star == NULL) {
                return false;
            }

            p = star;
            n = ++taken;
        }
    }

    while (p < p_end && *p == '*') {
        p++;
    }

    return p == p_end;
}


bool
lun_glob_is_pattern(lun_str text)
{
    size_t  i;

    for (i = 0; i < text.len; i++) {
        if (text.data[i] == '*' || text.data[i] == '?'
            || text.data[i] == '[')
        {
            return true;
        }
    }

    return false;
}


/* --- the walk --- */

typedef struct {
    const char  *path;
    bool         is_dir;
} found;

typedef struct {
    lun_pool   *pool;
    lun_array   next;              /* of found: one level further */
    lun_str     base;              /* the folder that is listed, with '/' */
    lun_str     pattern;           /* the component */
    bool        last;              /* of the pattern: files count as well */
    bool        windows;
} walk;


static bool
is_slash(char c, bool windows)
{
    return c == '/' || (c == '\\' && windows);
}


static void
add_found(walk *w, lun_str name, bool is_dir)
{
    found  *f = lun_array_push(&w->next);

    f->is_dir = is_dir;
    f->path = lun_pool_fmt(w->pool, "%.*s%.*s", LUN_S(w->base),
                           LUN_S(name)).data;
}


static bool
on_name(void *data, const char *name, bool is_dir)
{
    walk     *w = data;
    lun_str   s = lun_str_z(name);

    if ((w->last || is_dir) && lun_glob_match(w->pattern, s, w->windows)) {
        add_found(w, s, is_dir);
    }

    return true;
}


/* A component that is no pattern, without its backslashes. */
static lun_str
plain_name(walk *w)
{
    size_t   i, n;
    char    *text;

    text = lun_pool_text(w->pool, w->pattern.len + 1);

    for (i = 0, n = 0; i < w->pattern.len; i++) {
        if (w->pattern.data[i] == '\\' && i + 1 < w->pattern.len) {
            i++;
        }

        text[n++] = w->pattern.data[i];
    }

    return lun_str_of(text, n);
}


/* As glob(3) has it, a folder that we may not list has nothing in it. */
static bool
is_nothing(lun_err err)
{
    lun_err_kind  kind = lun_err_kind_of(err);

    return kind == LUN_ERR_NOT_FOUND || kind == LUN_ERR_NOT_DIR
           || kind == LUN_ERR_ACCESS;
}


static int
by_bytes(const void *a, const void *b)
{
    return strcmp(((const found *) a)->path, ((const found *) b)->path);
}


/*
 * One component below one folder.  The names in between need not exist: the
 * last listing or stat tells.
 */
static lun_err
step(walk *w)
{
    lun_err        err;
    lun_str        name;
    const char    *base;
    lun_file_info  info;

    if (lun_glob_is_pattern(w->pattern)) {
        base = w->base.len ? lun_pool_strz(w->pool, w->base) : ".";
        err = lun_dir_list(base, on_name, w);
        return is_nothing(err) ? 0 : err;
    }

    name = plain_name(w);
    info.is_dir = true;

    if (w->last) {
        base = lun_pool_fmt(w->pool, "%.*s%.*s", LUN_S(w->base),
                            LUN_S(name)).data;
        err = lun_file_stat(base, &info);
        if (err) {
            return is_nothing(err) ? 0 : err;
        }
    }

    add_found(w, name, info.is_dir);
    return 0;
}


/* Replaces `paths` by what the component finds below them. */
static lun_err
descend(walk *w, lun_array *paths, lun_str between)
{
    size_t    i;
    found    *f;
    lun_err   err;

    lun_array_init(&w->next, w->pool, sizeof(found), 16);

    for (i = 0; i < paths->count; i++) {
        f = lun_array_at(paths, i);
        w->base = lun_pool_fmt(w->pool, "%s%.*s", f->path, LUN_S(between));

        err = step(w);
        if (err) {
            return err;
        }
    }

    *paths = w->next;
    return 0;
}


/* Splits off the slashes, then the component that follow in the pattern. */
static void
next_component(walk *w, const char **p, const char *end, lun_str *between)
{
    const char  *start = *p;

    while (*p < end && is_slash(**p, w->windows)) {
        (*p)++;
    }

    *between = lun_str_of(start, (size_t) (*p - start));
    start = *p;

    while (*p < end && !is_slash(**p, w->windows)) {
        (*p)++;
    }

    w->pattern = lun_str_of(start, (size_t) (*p - start));
    w->last = *p == end;
}


static lun_err
find_all(walk *w, const char *pattern, lun_array *paths)
{
    found       *f;
    lun_err      err;
    lun_str      between;
    const char  *p = pattern, *end = p + strlen(p);

    f = lun_array_push(paths);
    f->path = "";
    f->is_dir = true;

    while (p < end) {
        next_component(w, &p, end, &between);

        err = descend(w, paths, between);
        if (err) {
            return err;
        }
    }

    return 0;
}


/*
 * In the order of bytes, whatever order the folder gives: includes depend on
 * it, and so on both systems alike.
 */
lun_err
lun_dir_glob(const char *pattern, lun_dir_fn *each, void *data)
{
    walk       w = { .windows = lun_path_native == LUN_PATH_WINDOWS };
    size_t     i;
    found     *f;
    lun_err    err;
    lun_array  paths;

    w.pool = lun_pool_new_sized(4096);
    lun_array_init(&paths, w.pool, sizeof(found), 16);
    err = find_all(&w, pattern, &paths);

    if (err == 0 && paths.count) {
        qsort(paths.items, paths.count, sizeof(found), by_bytes);

        for (i = 0; i < paths.count; i++) {
            f = lun_array_at(&paths, i);

            if (!each(data, f->path, f->is_dir)) {
                break;
            }
        }
    }

    lun_pool_free(w.pool);
    return err;
}
