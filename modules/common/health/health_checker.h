/*
 * health_checker.h -- one worker asks the servers of an upstream, from time to
 * time, how they are; all workers know what it has found.
 *
 * A protocol's module reads `health_check` into a lun_health_check, and brings
 * a lun_health_probe: how a server is asked once.  When that is, what a few
 * answers in a row come to, servers that come and go, and what is logged, are
 * this room's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HEALTH_CHECKER_H
#define LUN_HEALTH_CHECKER_H

#include "net/duty.h"
#include "session/engine.h"
#include "session/upstream/upstream_health.h"

typedef struct lun_health_check    lun_health_check;
typedef struct lun_health_checker  lun_health_checker;
typedef struct lun_health_peer     lun_health_peer;

typedef struct {
    /* Its worker begins: c->work may be made.  NULL: nothing to do. */
    void  (*begin)(lun_health_checker *c);
    /* Asks the server at p->addr; ends in lun_health_answer(), maybe before it
       returns. */
    void  (*ask)(lun_health_peer *p);
    /* Nobody wants to know any more. */
    void  (*cancel)(lun_health_peer *p);
    /* Behind all of that; may be NULL. */
    void  (*end)(lun_health_checker *c);
} lun_health_probe;

/* A `health_check`: what is said of it. */
struct lun_health_check {
    lun_upstream            *upstream;
    const lun_health_probe  *probe;
    void                    *data;         /* the probe's */
    lun_str                  name; /* of `match`; "": the usual */
    lun_msec                 interval;
    lun_msec                 jitter;
    int64_t                  fails;
    int64_t                  passes;
    int64_t                  port; /* 0: the server's own */
    bool                     mandatory;
    bool                     persistent;
    bool                     strict;       /* who waits to be let in has to
                                              pass as often as others */
    lun_str                  file; /* where it stands */
    unsigned                 line;

    uint32_t                 bit;  /* the room's own */
    lun_engine              *engine;
};

/* In the worker that has the duty. */
struct lun_health_checker {
    const lun_health_check    *check;
    lun_loop                  *loop;
    const lun_log             *log;
    lun_pool                  *pool;       /* as long as it */
    void                      *work;       /* the probe's */

    lun_timer                  timer;      /* the room's own: */
    lun_pool                  *held;       /* for `groups`, */
    lun_upstream_group        *groups;     /* that `peers` are of */
    lun_list                   peers;
};

/* A server that is asked. */
struct lun_health_peer {
    lun_health_checker         *checker;
    lun_addr                    addr;      /* its path is the group's */
    void                       *asking;    /* the probe's; NULL after cancel */
    lun_log                     log;       /* ", health check "x" of peer" */
    lun_msec                    kept_since;        /* the probe's: see there */
    int64_t                     kept_count;        /* the same */

    const lun_upstream_group   *group;     /* the room's own: */
    const lun_upstream_server  *server;
    lun_list                    link;
    lun_timer                   timer;     /* the next question */
    lun_msec                    asked;
    int64_t                     fails, passes;     /* in a row */
    bool                        open;      /* it is asked now */
    bool                        held;      /* who is at work with it frees it */
    bool                        gone;      /* ... as it has to */
    bool                        failing;   /* counted so */
};

/*
 * Reads a word that all protocols have: interval= jitter= fails= passes= port=
 * mandatory persistent match=.  AGAIN: it is another; ERROR: reported.  `check`
 * had lun_health_check_init().
 */
void lun_health_check_init(lun_conf *cf, lun_health_check *check);
lun_rc lun_health_check_read(lun_conf *cf, lun_health_check *check,
    lun_str word);

/*
 * All of it is read, and check->upstream is known: it becomes a duty.  ERROR:
 * reported.
 */
lun_rc lun_health_check_finish(lun_conf *cf, lun_health_check *check);

/*
 * The server has answered as it should (`doing` NULL), or not: then that is
 * what was being done ("connecting to upstream").
 */
void lun_health_answer(lun_health_peer *p, const char *doing);

#endif
