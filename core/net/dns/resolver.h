/*
 * resolver.h -- names to addresses, without blocking: directive `resolver`.
 *
 * Asks its servers over UDP (again over the next server, then over TCP when
 * truncated), caches answers for their TTL or `valid`, and looks into the
 * hosts file first.  Without a configured server the system's are used.
 *
 * May be made in a master: sockets are opened, and the system's settings read,
 * when a name is asked for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RESOLVER_H
#define LUN_RESOLVER_H

#include "base/log.h"
#include "base/pool.h"
#include "net/loop.h"

typedef struct lun_resolver  lun_resolver;
typedef struct lun_resolve_request     lun_resolve_request;

typedef struct {
    const lun_addr  *servers;      /* none: the system's */
    size_t           count;
    int64_t          valid;        /* seconds; 0: as the TTL says */
    lun_msec         timeout;      /* of the whole question; nginx: 30 s */
    bool             ipv4, ipv6;   /* neither: both */
    bool             no_hosts;     /* nobody but the servers is asked */
    uint32_t         counts_at;    /* cells of dns_metrics.h; 0: nobody's */
} lun_resolver_options;

/*
 * Lives in the pool, and asks from that loop, which may begin later; at the
 * end sockets are closed and questions forgotten, without an answer.  `log`
 * must live as long.
 */
lun_resolver *lun_resolver_new(lun_pool *pool, lun_loop *loop,
    const lun_resolver_options *options, const lun_log *log);

typedef enum {
    LUN_RESOLVED,
    LUN_RESOLVE_FORMERR = 1,       /* DNS response codes, RFC 1035, 4.1.1 */
    LUN_RESOLVE_SERVFAIL,
    LUN_RESOLVE_NXDOMAIN,
    LUN_RESOLVE_NOTIMP,
    LUN_RESOLVE_REFUSED,
    LUN_RESOLVE_TIMEDOUT = 110
} lun_resolve_verdict;

/* "Host not found", "Operation timed out": as the log and Lua say it. */
const char *lun_resolve_text(lun_resolve_verdict verdict);

/*
 * The addresses have the port that was asked with, IPv4 before IPv6, each
 * family beginning at another one with each answer; valid during the call.
 * There is at least one if and only if the verdict is LUN_RESOLVED.
 */
typedef void lun_resolve_fn(void *data, lun_resolve_verdict verdict,
    const lun_addr *addrs, size_t count);

/*
 * Asks.  NULL: answered already (from cache, hosts file, a number, or with
 * SERVFAIL where too many names are being asked for) - `done` has been called.
 * Otherwise `done` comes later unless it is cancelled, which is due even if the
 * resolver has ended before.
 */
lun_resolve_request *lun_resolve(lun_resolver *r, lun_str name, uint16_t port,
    lun_resolve_fn *done, void *data);
void lun_resolve_cancel(lun_resolve_request *q);

/* It waits so long from now on, and not as long as the resolver's options say:
   who shares a resolver has a time of its own. */
void lun_resolve_limit(lun_resolve_request *q, lun_msec timeout);

/* A worker that quits does not wait for the answer. */
void lun_resolve_be_idle(lun_resolve_request *q);

/* In `done`, of LUN_RESOLVED: ms until it is worthwhile to ask again. */
lun_msec lun_resolve_good_for(const lun_resolver *r);

/* --- for srv.c --- */

/* Who is asked, and where the next question begins (lun_dns_ask's turn). */
struct lun_dns_asker *lun_resolver_asker(lun_resolver *r, size_t *turn);
lun_msec lun_resolver_timeout(const lun_resolver *r);
/* The one that it asks from. */
lun_loop *lun_resolver_loop(const lun_resolver *r);
/* ms that an answer with this TTL (seconds) is believed. */
lun_msec lun_resolver_valid_for(const lun_resolver *r, uint32_t ttl);

#endif
