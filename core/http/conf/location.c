/*
 * location.c -- which location a uri belongs to.
 *
 * Exact and prefix locations of one level are one compressed trie, so that
 * finding is one walk along the uri, however many there are.  Regexes are
 * tried in the order of the text, and then predicates.  Where the file system
 * ignores case, so do all of them, in any alphabet.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/location.h"

#include <stdlib.h>

#include "http/module.h"
#include "os/fold.h"
#include "os/path.h"


/* An edge with its text, and what ends behind it. */
typedef struct node  node;
struct node {
    lun_str        edge;           /* folded, lower case if caseless */
    lun_location  *exact;
    lun_location  *prefix;
    node          *children;       /* sorted by the first byte of the edge */
    size_t         child_count;
};

/* While reading, a name has at most one location of each kind. */
typedef struct {
    lun_str        name;
    lun_location  *exact;
    lun_location  *prefix;
} name_entry;

struct lun_location_map {
    lun_hash       names;          /* of name_entry, until it is finished */
    node           root;
    lun_array      regexes;        /* of lun_location * */
    lun_array      predicates;     /* the same */
    bool           caseless;
};


static lun_location_map *
new_map(lun_conf *cf)
{
    lun_location_map  *m = lun_pool_new(cf->pool, lun_location_map);

    m->caseless = lun_path_native == LUN_PATH_WINDOWS;
    lun_hash_init(&m->names, cf->pool, 0, m->caseless);
    lun_array_init(&m->regexes, cf->pool, sizeof(lun_location *), 0);
    lun_array_init(&m->predicates, cf->pool, sizeof(lun_location *), 0);

    return m;
}


lun_rc
lun_location_add(lun_conf *cf, lun_location_map **map, lun_location *loc)
{
    char               *lower;
    name_entry         *e;
    lun_str             name;
    lun_location      **slot;
    lun_location_map   *m;

    if (*map == NULL) {
        *map = new_map(cf);
    }

    m = *map;
    name = m->caseless ? lun_fold(cf->pool, loc->name) : loc->name;

    if (loc->match == LUN_MATCH_REGEX) {
        *(lun_location **) lun_array_push(&m->regexes) = loc;
        return LUN_OK;
    }

    if (loc->match == LUN_MATCH_PREDICATE) {
        *(lun_location **) lun_array_push(&m->predicates) = loc;
        return LUN_OK;
    }

    /* "= /x" and "/x" may both be there: one name, two places. */
    e = lun_hash_get(&m->names, name);

    if (e == NULL) {
        e = lun_pool_new(cf->pool, name_entry);
        e->name = name;

        if (m->caseless) {
            lower = lun_pool_text(cf->pool, name.len);
            lun_mem_lower(lower, name.data, name.len);
            e->name.data = lower;
        }

        lun_hash_add(&m->names, e->name, e);
    }

    slot = loc->match == LUN_MATCH_EXACT ? &e->exact : &e->prefix;

    if (*slot != NULL) {
        return lun_conf_fail(cf, "duplicate location \"%.*s\"",
                             LUN_S(loc->name));
    }

    *slot = loc;
    return LUN_OK;
}


/* --- building the trie --- */

static int
by_name(const void *a, const void *b)
{
    const name_entry *const  *x = a, *const *y = b;

    return lun_str_cmp((*x)->name, (*y)->name);
}


/* How far the first and the last of a sorted run agree, from `from`. */
static size_t
common(name_entry *const *entries, size_t n, size_t from)
{
    size_t   i, len;
    lun_str  a, b;

    a = entries[0]->name;
    b = entries[n - 1]->name;
    len = lun_min(a.len, b.len);

    for (i = from; i < len && a.data[i] == b.data[i]; i++) { /* void */ }

    return i;
}


static size_t
run_length(name_entry *const *entries, size_t n, size_t at)
{
    size_t  i;

    for (i = 1; i < n; i++) {
        if (entries[i]->name.data[at] != entries[0]->name.data[at]) {
            break;
        }
    }

    return i;
}


/* Entries of one sorted run that share their first `from` bytes. */
static void
build(lun_pool *pool, node *nd, name_entry *const *entries, size_t n,
    size_t from)
{
    size_t  i, at, len;

    at = common(entries, n, from);
    nd->edge = lun_str_of(entries[0]->name.data + from, at - from);

    if (entries[0]->name.len == at) {
        nd->exact = entries[0]->exact;
        nd->prefix = entries[0]->prefix;
        entries++;
        n--;
    }

    for (i = 0; i < n; i += run_length(entries + i, n - i, at)) {
        nd->child_count++;
    }

    nd->children = lun_pool_new_n(pool, node, nd->child_count);
    nd->child_count = 0;

    for (i = 0; i < n; i += len) {
        len = run_length(entries + i, n - i, at);
        build(pool, &nd->children[nd->child_count++], entries + i, len, at);
    }
}


void
lun_location_map_finish(lun_conf *cf, lun_location_map *map)
{
    size_t          n = 0;
    name_entry    **entries;
    lun_hash_slot  *slot;

    if (map->names.count == 0) {
        return;
    }

    entries = lun_pool_new_n(cf->temp, name_entry *, map->names.count);

    for (slot = NULL; (slot = lun_hash_next(&map->names, slot)) != NULL; ) {
        entries[n++] = slot->value;
    }

    qsort(entries, n, sizeof(name_entry *), by_name);
    build(cf->pool, &map->root, entries, n, 0);
}


/* --- finding --- */

static const node *
child_of(const node *nd, char c)
{
    size_t  low, high, at;

    for (low = 0, high = nd->child_count; low < high; ) {
        at = (low + high) / 2;

        if (nd->children[at].edge.data[0] == c) {
            return &nd->children[at];
        }

        if ((unsigned char) nd->children[at].edge.data[0]
            < (unsigned char) c)
        {
            low = at + 1;

        } else {
            high = at;
        }
    }

    return NULL;
}


static bool
edge_fits(const node *nd, lun_str rest, bool caseless)
{
    if (nd->edge.len > rest.len) {
        return false;
    }

    if (nd->edge.len == 0) {
        return true;               /* the root */
    }

    return caseless
           ? lun_mem_casecmp(nd->edge.data, rest.data, nd->edge.len) == 0
           : nd->edge.len == 0
             || memcmp(nd->edge.data, rest.data, nd->edge.len) == 0;
}


/* "/x" was asked for, and there is a proxied "/x/". */
static lun_location *
slash_location(const node *nd, lun_str rest, bool caseless)
{
    const node  *next = NULL;

    if (rest.len == 0) {
        next = child_of(nd, '/');

        if (next == NULL || next->edge.len != 1) {
            return NULL;
        }

    } else if (nd->edge.len == rest.len + 1
               && nd->edge.data[rest.len] == '/'
               && (caseless
                   ? lun_mem_casecmp(nd->edge.data, rest.data, rest.len) == 0
                   : memcmp(nd->edge.data, rest.data, rest.len) == 0))
    {
        next = nd;
    }

    if (next == NULL) {
        return NULL;
    }

    if (next->exact != NULL && next->exact->has_slash_redirect) {
        return next->exact;
    }

    return next->prefix != NULL && next->prefix->has_slash_redirect
           ? next->prefix : NULL;
}


/*
 * *final: the search ends with this one.  Else it is the longest prefix, or
 * NULL.
 */
static lun_location *
find_text(const lun_location_map *m, lun_str uri, bool *final)
{
    lun_str        rest = uri;
    const node    *nd, *next;
    lun_location  *slash, *best = NULL;

    *final = false;

    for (nd = &m->root; nd != NULL; nd = next) {

        if (!edge_fits(nd, rest, m->caseless)) {
            slash = slash_location(nd, rest, m->caseless);
            *final = slash != NULL;
            return slash != NULL ? slash : best;
        }

        rest.data += nd->edge.len;
        rest.len -= nd->edge.len;

        if (rest.len == 0 && nd->exact != NULL) {
            *final = true;
            return nd->exact;
        }

        if (nd->prefix != NULL) {
            best = nd->prefix;
        }

        if (rest.len == 0) {
            slash = slash_location(nd, rest, m->caseless);
            *final = slash != NULL;
            return slash != NULL ? slash : best;
        }

        next = child_of(nd, m->caseless ? lun_lower(*rest.data)
                                        : *rest.data);
    }

    return best;
}


typedef enum {
    NONE,
    PREFIX,                        /* a regex further out may still win */
    FINAL,
    FAILED
} find_verdict;


/* The first whose variable is true for this request; NULL: none. */
static lun_location *
find_predicate(lun_request *r, const lun_location_map *m)
{
    size_t            i;
    lun_location     *loc;
    const lun_value  *v;

    for (i = 0; i < m->predicates.count; i++) {
        loc = *(lun_location **) lun_array_at(&m->predicates, i);
        v = lun_var_get_fresh(&r->session, loc->predicate);

        if (!v->not_found && lun_script_true(v->text)) {
            return loc;
        }
    }

    return NULL;
}


/* `text` is the uri as locations without a regex have to see it. */
static find_verdict
find_in(lun_request *r, const lun_location_map *m, lun_str uri, lun_str text,
    lun_location **found)
{
    bool           final, no_regex = false;
    size_t         i;
    find_verdict   verdict = NONE, inner;
    lun_location  *loc;

    if (m == NULL) {
        return NONE;
    }

    loc = find_text(m, text, &final);

    if (loc != NULL) {
        *found = loc;

        if (final) {
            return FINAL;
        }

        verdict = PREFIX;
        no_regex = loc->match == LUN_MATCH_FINAL_PREFIX;

        inner = find_in(r, loc->inner, uri, text, found);

        if (inner == FINAL || inner == FAILED) {
            return inner;
        }
    }

    for (i = 0; !no_regex && i < m->regexes.count; i++) {
        loc = *(lun_location **) lun_array_at(&m->regexes, i);

        switch (lun_pattern_match(&r->session, loc->regex, uri)) {

        case LUN_PATTERN_NO:
            continue;

        case LUN_PATTERN_FAILED:
            return FAILED;

        case LUN_PATTERN_YES:
            *found = loc;
            inner = find_in(r, loc->inner, uri, text, found);
            return inner == FAILED ? FAILED : FINAL;
        }
    }

    loc = no_regex ? NULL : find_predicate(r, m);

    if (loc != NULL) {
        *found = loc;
        inner = find_in(r, loc->inner, uri, text, found);
        return inner == FAILED ? FAILED : FINAL;
    }

    return verdict;
}


lun_location *
lun_location_find(lun_request *r, const lun_server *head, lun_str uri,
    bool *failed)
{
    lun_str                 text = uri;
    lun_location           *found = NULL;
    const lun_http_server  *server = lun_http_server_of(head);

    if (server->locations != NULL && server->locations->caseless) {
        text = lun_fold(r->pool, uri);
    }

    *failed = find_in(r, server->locations, uri, text, &found) == FAILED;

    return *failed ? NULL : found;
}


lun_location *
lun_location_find_named(const lun_server *head, lun_str name)
{
    const lun_http_server  *server = lun_http_server_of(head);

    return server->named != NULL ? lun_hash_get(server->named, name) : NULL;
}


/* --- whose content it is ------------------------------------------------- */

void
lun_http_set_content(lun_conf *cf, const lun_http_module *m)
{
    lun_location  *loc = cf->block->owner;

    loc->answers = m;
}


bool
lun_http_has_content(const lun_request *r, const lun_http_module *m)
{
    const lun_location  *loc = r->location;
    const lun_block     *b = loc->block;

    while (loc->answers == NULL
           && (b->where & (LUN_LOCATION_IF | LUN_LIMIT_EXCEPT)) != 0)
    {
        b = b->parent;
        loc = b->owner;
    }

    return loc->answers == m;
}
