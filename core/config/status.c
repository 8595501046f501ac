/*
 * status.c -- the tree of what a server says of itself: nodes, and walks.
 *
 * Nodes are a list, in which those with a common beginning of their paths
 * stand together; so a walk opens and closes what is between one and the next,
 * and can stop after any.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/status.h"

#include "base/check.h"
#include "base/fmt.h"


enum {
    WORKERS = 8,                   /* writers of them, at most */
    LEVELS = 16,                   /* of a path that somebody asks for */
    FULL   = 3000                  /* members of a part */
};

typedef struct node  node;
struct node {
    node           *next;
    lun_str         path;
    lun_status_fn  *write;         /* may be NULL */
    void           *data;
};

/* lun_generation.status. */
struct lun_status_tree {
    node                  *first;
    lun_status_worker_fn  *workers[WORKERS];
    size_t                 worker_count;
};

struct lun_status_walk {
    lun_pool                  *pool;
    lun_generation            *gen;
    lun_status_ask             ask;
    const lun_status_printer  *printer;
    void                      *to;

    lun_str                    wanted[LEVELS];
    unsigned                   want;       /* of them */
    unsigned                   depth;      /* levels that are open */
    uint32_t                   lists;      /* bit of a level: it is a list */
    unsigned                   index[32];  /* of its next element */
    bool                       found;
    bool                       begun;
    bool                       ended;

    const node                *at;
    const node                *before;     /* whose levels are open */
    unsigned                   refused;    /* so many of them were too many */
    uint32_t                   cursor;
    unsigned                   count;      /* members of this part */
};


/* --- nodes --------------------------------------------------------------- */

/* The segment at *p of a path, which moves behind it; "": there is none. */
static lun_str
next_segment(const char **p, const char *end)
{
    const char  *from;

    while (*p < end && **p == '/') {
        ++*p;
    }

    from = *p;

    while (*p < end && **p != '/') {
        ++*p;
    }

    return lun_str_of(from, (size_t) (*p - from));
}


/* How many segments two paths have in common. */
static unsigned
common(lun_str a, lun_str b)
{
    unsigned     n = 0;
    lun_str      s, t;
    const char  *p = a.data, *q = b.data;

    for ( ;; ) {
        s = next_segment(&p, a.data + a.len);
        t = next_segment(&q, b.data + b.len);

        if (s.len == 0 || !lun_str_eq(s, t)) {
            return n;
        }

        n++;
    }
}


static struct lun_status_tree *
tree_of(lun_generation *gen)
{
    if (gen->status == NULL) {
        gen->status = lun_pool_new(gen->pool, struct lun_status_tree);
    }

    return gen->status;
}


void
lun_status_add_worker(lun_generation *gen, lun_status_worker_fn *write)
{
    size_t                   i;
    struct lun_status_tree  *tree = tree_of(gen);

    for (i = 0; i < tree->worker_count; i++) {
        if (tree->workers[i] == write) {
            return;
        }
    }

    LUN_CHECK(tree->worker_count < WORKERS);
    tree->workers[tree->worker_count++] = write;
}


void
lun_status_write_worker(lun_status_walk *w, const lun_metric_process *p)
{
    size_t  i;

    for (i = 0; i < w->gen->status->worker_count; i++) {
        w->gen->status->workers[i](w, p);
    }
}


void
lun_status_add(lun_generation *gen, const char *path, lun_status_fn *write,
    void *data)
{
    node      *n, **at, **best;
    lun_str    whole = lun_str_z(path);
    unsigned   same, most = 0;

    best = &tree_of(gen)->first;

    /* Behind the last of those that it has the most in common with. */
    for (at = best; *at != NULL; at = &(*at)->next) {
        same = common((*at)->path, whole);

        if ((*at)->write == write && (*at)->data == data
            && lun_str_eq((*at)->path, whole))
        {
            return;
        }

        if (same >= most) {
            most = same;
            best = &(*at)->next;
        }
    }

    n = lun_pool_new(gen->pool, node);
    *n = (node) { *best, whole, write, data };
    *best = n;
}


/* --- members ------------------------------------------------------------- */

static lun_str
name_of(lun_status_walk *w, lun_str name, char *room, size_t size)
{
    unsigned  level = w->depth;

    if (level == 0 || (w->lists & UINT32_C(1) << (level - 1)) == 0) {
        return name;
    }

    return lun_str_of(room, (size_t) (lun_fmt(room, room + size, "%u",
                                              w->index[level - 1]++) - room));
}


static lun_str
shown_name(const lun_status_walk *w, lun_str name)
{
    return w->depth > 0 && (w->lists & UINT32_C(1) << (w->depth - 1)) != 0
           ? LUN_STR_NULL : name;
}


/*
 * The walk goes into what the path names and no further than `depth` below
 * that; what lies beside the path is not written, and costs no more than a
 * comparison.
 */
static bool
open_level(lun_status_walk *w, lun_str name, bool list)
{
    char     room[16];
    lun_str  own = name_of(w, name, room, sizeof(room));

    LUN_CHECK(w->depth < 32);

    if (w->ended) {
        return false;
    }

    if (w->depth < w->want && !lun_str_eq(own, w->wanted[w->depth])) {
        return false;
    }

    w->count++;

    if (w->depth + 1 >= w->want) {
        w->printer->open(w->to, w->depth + 1 == w->want ? LUN_STR_NULL
                                : shown_name(w, name), list);

        if (w->ask.depth > 0
            && w->depth + 1 >= w->want + (unsigned) w->ask.depth)
        {
            w->printer->close(w->to);
            return false;
        }
    }

    w->lists = (w->lists & ~(UINT32_C(1) << w->depth))
               | (uint32_t) list << w->depth;
    w->index[w->depth] = 0;
    w->depth++;

    return true;
}


bool
lun_status_open(lun_status_walk *w, lun_str name)
{
    return open_level(w, name, false);
}


bool
lun_status_open_list(lun_status_walk *w, lun_str name)
{
    return open_level(w, name, true);
}


void
lun_status_close(lun_status_walk *w)
{
    LUN_CHECK(w->depth > 0);

    if (w->depth >= w->want) {
        w->printer->close(w->to);

        if (w->depth == w->want) {
            w->found = w->ended = true;
        }
    }

    w->depth--;
}


static void
put_value(lun_status_walk *w, lun_str name, const lun_status_value *v)
{
    char     room[16];
    lun_str  own = name_of(w, name, room, sizeof(room));

    w->count++;

    if (w->ended) {
        return;
    }

    if (w->depth >= w->want) {
        w->printer->value(w->to, shown_name(w, name), v);

    } else if (w->depth + 1 == w->want
               && lun_str_eq(own, w->wanted[w->depth]))
    {
        w->printer->value(w->to, LUN_STR_NULL, v);
        w->found = w->ended = true;
    }
}


void
lun_status_number(lun_status_walk *w, const char *name, int64_t n)
{
    lun_status_value  v = { LUN_STATUS_NUMBER, n, 1, LUN_STR_NULL };

    put_value(w, lun_str_z(name), &v);
}


void
lun_status_numbers(lun_status_walk *w, const char *name,
    const char *const *names, const uint64_t *cells)
{
    size_t  i;

    if (!lun_status_open(w, lun_str_z(name))) {
        return;
    }

    for (i = 0; names[i] != NULL; i++) {
        lun_status_number(w, names[i], (int64_t) cells[i]);
    }

    lun_status_close(w);
}


void
lun_status_decimal(lun_status_walk *w, const char *name, int64_t n,
    uint32_t scale)
{
    lun_status_value  v = { LUN_STATUS_DECIMAL, n, scale, LUN_STR_NULL };

    put_value(w, lun_str_z(name), &v);
}


void
lun_status_flag(lun_status_walk *w, const char *name, bool flag)
{
    lun_status_value  v = { LUN_STATUS_FLAG, flag, 1, LUN_STR_NULL };

    put_value(w, lun_str_z(name), &v);
}


void
lun_status_text(lun_status_walk *w, lun_str name, lun_str text)
{
    lun_status_value  v = { LUN_STATUS_TEXT, 0, 1, text };

    put_value(w, name, &v);
}


void
lun_status_time(lun_status_walk *w, const char *name, int64_t ms)
{
    lun_status_value  v = { LUN_STATUS_TIME, ms, 1000, LUN_STR_NULL };

    put_value(w, lun_str_z(name), &v);
}


bool
lun_status_is_full(const lun_status_walk *w)
{
    return w->count >= FULL;
}


lun_generation *
lun_status_generation(const lun_status_walk *w)
{
    return w->gen;
}


const lun_status_ask *
lun_status_asked(const lun_status_walk *w)
{
    return &w->ask;
}


lun_pool *
lun_status_pool(const lun_status_walk *w)
{
    return w->pool;
}


/* --- a walk -------------------------------------------------------------- */

lun_status_walk *
lun_status_walk_new(lun_pool *pool, lun_generation *gen,
    const lun_status_ask *ask, const lun_status_printer *printer, void *to)
{
    lun_str           s;
    const char       *p = ask->path.data;
    lun_status_walk  *w = lun_pool_new(pool, lun_status_walk);

    w->pool = pool;
    w->gen = gen;
    w->ask = *ask;
    w->printer = printer;
    w->to = to;
    w->at = gen->status != NULL ? gen->status->first : NULL;

    while ((s = next_segment(&p, ask->path.data + ask->path.len)).len != 0) {
        if (w->want == LEVELS) {
            w->ended = true;       /* nothing is as deep */
            break;
        }

        w->wanted[w->want++] = s;
    }

    return w;
}


/* Closes what the last node had open, down to what it shares with this one. */
static void
leave(lun_status_walk *w, unsigned shared)
{
    while (w->depth > shared) {
        lun_status_close(w);
    }
}


/* Opens the levels of w->at; false: it is not wanted, or has been shown. */
static bool
enter(lun_status_walk *w, unsigned shared)
{
    unsigned     level = 0;
    lun_str      s;
    const char  *p = w->at->path.data, *end = p + w->at->path.len;

    if (w->refused != 0 && shared >= w->refused) {
        return false;
    }

    w->refused = 0;

    while ((s = next_segment(&p, end)).len != 0) {
        if (level++ < w->depth) {
            continue;
        }

        if (!lun_status_open(w, s)) {
            w->refused = level;
            return false;
        }
    }

    return true;
}


/* w->at, or a part of it; true: there is more of it. */
static bool
write_node(lun_status_walk *w)
{
    unsigned  shared = w->before == NULL ? 0
                       : common(w->before->path, w->at->path);

    if (w->before != w->at) {
        leave(w, lun_min(shared, w->depth));
        w->before = w->at;
        w->cursor = 0;

        if (!enter(w, shared)) {
            return false;
        }
    }

    return w->at->write != NULL && w->at->write(w, w->at->data, &w->cursor);
}


/*
 * True: the room is full, and the walk goes on from here when it is called
 * again, so that a large tree is written in slices between requests.
 */
bool
lun_status_walk_on(lun_status_walk *w)
{
    w->count = 0;

    if (!w->begun) {
        w->begun = true;

        if (w->want == 0) {
            w->printer->open(w->to, LUN_STR_NULL, false);
        }
    }

    while (w->at != NULL && !w->ended) {
        if (lun_status_is_full(w)) {
            return true;
        }

        if (!write_node(w)) {
            w->at = w->at->next;
        }
    }

    leave(w, 0);

    if (w->want == 0 && !w->ended) {
        w->printer->close(w->to);
        w->found = w->ended = true;
    }

    return false;
}


bool
lun_status_was_found(const lun_status_walk *w)
{
    return w->found;
}
