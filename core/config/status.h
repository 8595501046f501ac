/*
 * status.h -- the tree of what a server says of itself.
 *
 * A room that knows something adds a node when the configuration is read:
 *
 *     lun_status_add(gen, "status/http/caches", write_caches, e);
 *
 * and writes its members when somebody asks: who counts, keeps the counts.
 * Nobody builds a document; a walk goes along the nodes that a path names, and
 * calls a printer (JSON, Prometheus' lines) for each member that it meets.
 * What nobody asked for is not computed: lun_status_open() says so.
 *
 * Every path is a resource: "status/http/caches/one/hit/bytes" is a number.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STATUS_H
#define LUN_STATUS_H

#include "config/generation.h"
#include "net/conn.h"

typedef struct lun_status_walk  lun_status_walk;

/* --- nodes --------------------------------------------------------------- */

/*
 * Writes members of a node.  One with thousands of them goes on from *cursor
 * (0 at first, the writer's own) until lun_status_is_full(w), and then returns
 * true: it is called again, after other requests had their turn, with the
 * same members open.  False: that was all, and everything is closed that it
 * has opened.
 */
typedef bool lun_status_fn(lun_status_walk *w, void *data, uint32_t *cursor);

/*
 * The node of that path, which lives as long as the generation; `data` is the
 * caller's.  Several may write into one node; the same again changes nothing.
 * Nodes without a writer of their
 * own (write is NULL) are there even if empty.
 */
void lun_status_add(lun_generation *gen, const char *path,
    lun_status_fn *write, void *data);

/*
 * The same of each worker: members of "status/workers/PID", which whoever asks
 * gets of all of them, from their cells.
 */
typedef void lun_status_worker_fn(lun_status_walk *w,
    const lun_metric_process *p);
void lun_status_add_worker(lun_generation *gen, lun_status_worker_fn *write);

/* What has been added, of that one. */
void lun_status_write_worker(lun_status_walk *w, const lun_metric_process *p);

/* --- for writers --------------------------------------------------------- */

/*
 * A member that has members, or (_list) elements, whose names are ignored.
 * False: nobody wants it, and it is not to be closed.
 */
bool lun_status_open(lun_status_walk *w, lun_str name);
bool lun_status_open_list(lun_status_walk *w, lun_str name);
void lun_status_close(lun_status_walk *w);

/* Members that are values. */
void lun_status_number(lun_status_walk *w, const char *name, int64_t n);
/* A member with these, of cells; `names` ends with NULL. */
void lun_status_numbers(lun_status_walk *w, const char *name,
    const char *const *names, const uint64_t *cells);
void lun_status_flag(lun_status_walk *w, const char *name, bool flag);
void lun_status_text(lun_status_walk *w, lun_str name, lun_str text);
/* n parts of a unit: 1500 of scale 1000 is 1.5. */
void lun_status_decimal(lun_status_walk *w, const char *name, int64_t n,
    uint32_t scale);
/* A moment: milliseconds since the epoch. */
void lun_status_time(lun_status_walk *w, const char *name, int64_t ms);

bool lun_status_is_full(const lun_status_walk *w);

/* --- for who walks ------------------------------------------------------- */

/* Who asks: what is in it lives as long as the walk. */
typedef struct {
    lun_str   path;                /* slashes at its ends do not matter */
    int       depth;               /* levels below that are shown; 0: all */
    bool      config_files;        /* their texts are shown */
    lun_conn *conn;                /* it came on that one; or NULL */
} lun_status_ask;

lun_generation *lun_status_generation(const lun_status_walk *w);
const lun_status_ask *lun_status_asked(const lun_status_walk *w);
/* Of the walk: for texts that a printer sees. */
lun_pool *lun_status_pool(const lun_status_walk *w);

typedef enum {
    LUN_STATUS_NUMBER,
    LUN_STATUS_DECIMAL,
    LUN_STATUS_FLAG,
    LUN_STATUS_TEXT,
    LUN_STATUS_TIME
} lun_status_kind;

typedef struct {
    lun_status_kind  kind;
    int64_t          number;       /* of all kinds but TEXT */
    uint32_t         scale;        /* DECIMAL */
    lun_str          text;
} lun_status_value;

/*
 * What is found, in order.  The first call is for what the path names; its
 * name, and those of a list's elements, have data NULL.
 */
typedef struct {
    void  (*open)(void *to, lun_str name, bool list);
    void  (*close)(void *to);
    void  (*value)(void *to, lun_str name, const lun_status_value *v);
} lun_status_printer;

lun_status_walk *lun_status_walk_new(lun_pool *pool, lun_generation *gen,
    const lun_status_ask *ask, const lun_status_printer *printer, void *to);

/* A part of it; true: there is more. */
bool lun_status_walk_on(lun_status_walk *w);

/* After the last part: there is such a path. */
bool lun_status_was_found(const lun_status_walk *w);

#endif
