/*
 * balance.h -- the servers behind a name, and which of them a request goes to.
 *
 * An upstream is an `upstream` block, or what a module's address names without
 * one ("http://127.0.0.1:8080").  Its method is a lun_balancer: round robin,
 * unless a directive of the block says otherwise.  Around the method there may
 * be others: one knows who was where before, one lets requests wait for a
 * server, one has idle connections for the servers that are chosen.
 *
 * A request that goes to an upstream holds a lun_balance.  It asks `get` for a
 * server, tries it, and gives it back through `put` with what became of it,
 * until the answer is complete or b->tries is 0.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_BALANCE_H
#define LUN_BALANCE_H

#include "config/conf.h"
#include "session/session.h"

typedef struct lun_upstream         lun_upstream;
typedef struct lun_upstream_server_conf  lun_upstream_server_conf;
typedef struct lun_balancer         lun_balancer;
typedef struct lun_balance          lun_balance;
typedef struct lun_conn_share       lun_conn_share;

/* A `server` line. */
struct lun_upstream_server_conf {
    lun_str      name;             /* as written, with its port */
    lun_addr    *addrs;            /* what it stands for */
    lun_str     *addr_names;       /* "127.0.0.1:8080", "unix:/path" */
    size_t       count;
    int64_t      weight;
    int64_t      max_conns;        /* 0: no limit */
    int64_t      max_fails;        /* 0: never counted as down */
    int64_t      fail_timeout;     /* s */
    lun_msec     slow_start;       /* until it has all of its weight again */
    lun_str      route;            /* what a sticky session knows it by */
    bool         down;
    bool         drain;            /* only for sessions that it has */
    bool         backup;
    int64_t      id;               /* of its line, among those of its time */

    /* `resolve`: it stands for what its name means while we serve. */
    bool         resolve;
    lun_str      host;
    uint16_t     port;
    lun_str      service;          /* `service=`; empty: addresses only */
};

/* Health checks of an upstream, a bit each: upstream_health.h. */
typedef struct {
    uint32_t     all;
    uint32_t     mandatory;        /* without it a server is not asked */
    uint32_t     persistent;       /* ... but one that was well before */
} lun_upstream_checks;

struct lun_upstream {
    lun_str              name;     /* of the block, or the host */
    uint16_t             port;     /* of the address; 0: a block, or none */
    bool                 port_given;       /* the address has one */
    bool                 block;    /* has a block of its own */
    lun_upstream        *same;     /* a block of that name; NULL: none */
    lun_array            servers;  /* of lun_upstream_server_conf */
    struct lun_upstream_group  *peers; /* round_robin.h: to choose from */
    lun_upstream_checks  checks;
    struct lun_zone     *zone;     /* what all workers share; NULL: nothing */
    /*
     * For servers that are looked up while serving: u->peers becomes what
     * they are now, and these stay as long as `user` (NULL: until they are
     * others).  NULL: there are no such servers.
     */
    void               (*refresh)(lun_upstream *u, lun_pool *user);
    void                *names;    /* refresh's own */
    bool                 resolves; /* ... for names: there may be many */
    lun_str              state;    /* `state`: a file that has its servers */
    uint32_t             tries_at, times_at, idle_at;  /* upstream_metrics.h */
    lun_str              protocol; /* "http" */
    uint32_t             generation;
    const lun_balancer  *method;
    void                *data;     /* the method's, after its init */
    const lun_balancer  *sticky;   /* around the method; may be NULL */
    void                *sticky_data;
    const lun_balancer  *queue;    /* around that; may be NULL */
    void                *queue_data;
    const lun_balancer  *keepalive;   /* of idle connections; may be NULL */
    void                *keepalive_data;
    lun_block           *conf;     /* the block; NULL: it has none */
    lun_str              file;     /* where it is named first */
    unsigned             line;
};

struct lun_balancer {
    const char  *name;
    unsigned     takes;            /* LUN_SERVER_...: words of a `server` */
    /* When the protocol's block is read: u->peers is there. */
    lun_rc     (*init)(lun_conf *cf, lun_upstream *u);     /* may be NULL */
    /*
     * What it wants to know of these servers, as g->data, in g's pool.  NULL
     * (the member): nothing.  Otherwise the result is why it can't have them,
     * or NULL.
     */
    const char *(*prepare)(lun_pool *pool, const lun_upstream *u,
                    struct lun_upstream_group *g);
    /*
     * Its servers are programs of ours: what proves to them that a request
     * comes from us.  They are told who the client is, in http.  NULL (the
     * member): they are not.
     */
    lun_str    (*token)(const lun_upstream *u);
    /* For a request: sets b->get, b->put and what they need. */
    lun_rc     (*begin)(lun_session *s, lun_upstream *u, lun_balance *b);
};

enum {
    LUN_SERVER_BACKUP  = 0x01,     /* the method knows about backups */
    LUN_SERVER_NONE    = 0x02,     /* the block may do without servers */
    LUN_SERVER_FOREIGN = 0x04,     /* ... and the method chooses others */
    LUN_SERVER_SLOW_START = 0x08   /* ... about servers that come back */
};

typedef enum {
    LUN_BALANCE_OK,                /* b->addr is to be tried */
    LUN_BALANCE_NONE,              /* "no live upstreams" */
    LUN_BALANCE_WAIT,              /* b->ready will be called */
    LUN_BALANCE_ERROR              /* b->status, or 500 */
} lun_balance_verdict;

/* What became of a server that was tried. */
enum {
    LUN_BALANCE_DONE  = 0,         /* it answered */
    LUN_BALANCE_NEXT  = 1,         /* another is to be tried */
    LUN_BALANCE_FAILED = 2         /* ... and this counts as a failure of it */
};

/* What a method may change of the way in which its servers are asked. */
typedef struct {
    /* proxy_next_upstream_tries; 0: no limit. */
    int64_t  (*most_tries)(const lun_balance *b);
    /* For this session: 0 leaves what the configuration says. */
    void     (*set_timeouts)(lun_balance *b, lun_msec connect, lun_msec send,
                 lun_msec read);
} lun_balance_user;

/* Zeroed, then begun; as long as the request's interest in the upstream. */
struct lun_balance {
    /*
     * OK: b->addr and b->name are the server's, b->conn is an idle connection
     * to it or NULL; the caller connects.  NONE: b->name is the upstream's.
     */
    lun_balance_verdict  (*get)(lun_session *s, lun_balance *b);
    /* After each OK of `get`, once; may take b->conn for later (sets NULL). */
    void           (*put)(lun_session *s, lun_balance *b, unsigned outcome);

    /*
     * WAIT, of methods that set `cancel`, in http only: the method calls
     * ready(b), the caller's, when `get` is to be asked again; or the caller
     * says cancel, and is not called.
     */
    void           (*cancel)(lun_session *s, lun_balance *b);
    void           (*ready)(lun_balance *b);

    /* The method's, of servers that all workers share. */
    lun_balance_verdict  (*get_shared)(lun_session *s, lun_balance *b);
    void           (*put_shared)(lun_session *s, lun_balance *b,
                       unsigned outcome);
    const struct lun_upstream_group  *shared;

    /*
     * In http: the header of the server's answer is the session's, and about
     * to be sent.  NULL: nobody wants to know.
     */
    void           (*answered)(lun_session *s, lun_balance *b);

    /*
     * In stream, of TCP: the server has taken the connection, so it works,
     * which is known before the session's end.  NULL: nobody wants to know.
     */
    void           (*connected)(lun_session *s, lun_balance *b);

    /*
     * After OK of `get`: who keeps idle connections to that server knows of
     * this one while it is used, too.  NULL: nobody does.
     */
    void           (*offer)(lun_session *s, lun_balance *b,
                       lun_conn_share *share);

    const lun_upstream  *upstream; /* NULL: addresses that were looked up */
    uint32_t         counts_at;    /* of the server: upstream_metrics.h */
    void            *data;         /* the method's own */
    void            *sticky_state;     /* the sticky's */
    void            *queue_state;      /* the queue's */
    void            *keepalive_state;  /* the keepalive's */
    const lun_addr  *addr;
    lun_str          name;         /* $upstream_addr */
    const lun_addr  *local;        /* where from; NULL: as the module says */
    lun_str          bind;         /* what that says; data NULL: not asked */
    lun_conn        *conn;         /* from, or for, a pool of idle ones */
    unsigned         tries;        /* servers still to try, this one as well */
    bool             cached;       /* b->conn came from a pool */
    bool             counts_all;   /* a try on such a one is one, whatever */
    bool             others;       /* ... and is in use by others */
    bool             keep;         /* before put: b->conn may serve others */
    bool             pooled;       /* the method keeps idle ones itself */

    /*
     * Set before it is begun: what is spoken with these servers, for who
     * shares connections; and where they are not shared with other places of
     * the configuration.
     */
    lun_str        (*conn_key)(lun_session *s);    /* NULL: always the same */
    bool             joins;        /* b->conn may be one that others use */
    const lun_balance_user  *user;
    const void      *place;
    unsigned         status;       /* ERROR: what to answer; 0: 500 */
    lun_str          page;         /* ... and its text, of HTML; "": the usual
                                      one; in http */
};

/* In a setter: the block's method; "load balancing method redefined". */
void lun_upstream_set_method(lun_conf *cf, const lun_balancer *method);
/* The upstream whose block is being read. */
lun_upstream *lun_upstream_current(lun_conf *cf);

/*
 * The upstream of "host[:port]" or "unix:/path"; a block of that name, when
 * one is there by the end of the protocol's, or else one made here, whose host
 * is looked up when all of that has been read.  `port` when none is given.
 * NULL: reported.
 */
lun_upstream *lun_upstream_get(lun_conf *cf, lun_str address, uint16_t port);

/* "host:port", "[::1]", "unix:/path" taken apart. */
typedef struct {
    lun_str    text;
    lun_str    host;
    uint16_t   port;
    bool       port_given;
    bool       numeric;            /* addr is it */
    lun_addr   addr;
} lun_upstream_place;

/*
 * Returns what is wrong with it ("invalid port"), or NULL.  `port` when none
 * is given; views into `text`, but for the path of addr.
 */
const char *lun_upstream_parse(lun_pool *pool, lun_str text, uint16_t port,
    lun_upstream_place *p);

/*
 * While serving: the block of that name, or what the configuration has for
 * that "host:port"; NULL: neither (addresses with variables).
 */
lun_upstream *lun_upstream_find(lun_session *s, lun_str name);

/* All of an engine: pointers to them, in the order of the text. */
const lun_array *lun_upstream_all(const lun_engine *e);

/*
 * For a request: the method of u, or these addresses one after the other
 * (`name`: what they belong to).
 */
lun_rc lun_balance_begin(lun_session *s, lun_upstream *u, lun_balance *b);
lun_rc lun_balance_addrs(lun_session *s, lun_str name, const lun_addr *addrs,
    size_t n, lun_balance *b);

extern const lun_balancer  lun_round_robin;

#endif
