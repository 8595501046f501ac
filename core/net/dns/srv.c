/*
 * srv.c -- SRV records first, then the addresses of each host in them.
 *
 * Records are not remembered: who asks for a service asks again when its TTL
 * is over.  Addresses of hosts come out of the resolver's cache.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/dns/srv.h"

#include "net/dns/dns_ask.h"


/* One record's host. */
typedef struct {
    lun_srv_request      *request;
    lun_resolve_request  *query;   /* NULL: answered, or not asked yet */
    uint16_t              weight, priority;
} target;

struct lun_srv_request {
    lun_resolver         *resolver;
    lun_dns_question     *question;        /* NULL: answered */
    lun_timer             limit;
    target               *targets; /* malloc'ed */
    size_t                target_count;
    size_t                open;    /* targets without an answer, and a guard */
    lun_resolve_verdict   verdict;
    lun_msec              good_for;
    lun_srv_fn           *done;
    void                 *data;
    size_t                count;
    lun_srv_addr          addrs[LUN_SRV_ADDRS];
};


void
lun_srv_cancel(lun_srv_request *q)
{
    size_t  i;

    if (q->question != NULL) {
        lun_dns_ask_cancel(q->question);
    }

    for (i = 0; i < q->target_count; i++) {
        if (q->targets[i].query != NULL) {
            lun_resolve_cancel(q->targets[i].query);
        }
    }

    lun_timer_stop(&q->limit);
    lun_free(q->targets);
    lun_free(q);
}


/* It is told last: the caller may ask again at once. */
static void
finish(lun_srv_request *q)
{
    size_t  count = q->verdict == LUN_RESOLVED ? q->count : 0;

    q->done(q->data, q->verdict, q->addrs, count, q->good_for);
    lun_srv_cancel(q);
}


/* --- the hosts ----------------------------------------------------------- */

/*
 * A host that does not exist is left out; any other failure is the verdict of
 * the whole, since addresses would be missing.
 */
static void
on_host(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    size_t            i;
    target           *t = data;
    lun_srv_request  *q = t->request;

    t->query = NULL;

    if (verdict == LUN_RESOLVED) {
        q->good_for = lun_min(q->good_for, lun_resolve_good_for(q->resolver));

    } else if (verdict != LUN_RESOLVE_NXDOMAIN) {
        q->verdict = verdict;
    }

    for (i = 0; i < count && q->count < LUN_SRV_ADDRS; i++) {
        q->addrs[q->count++] = (lun_srv_addr) {
            .addr = addrs[i], .weight = t->weight, .priority = t->priority
        };
    }

    if (--q->open == 0) {
        finish(q);
    }
}


/* Answers that are known come at once: the guard is what ends it then. */
static void
ask_hosts(lun_srv_request *q, const lun_dns_services *found)
{
    size_t                  i;
    target                 *t;
    const lun_dns_service  *s;

    q->targets = lun_calloc(found->count * sizeof(target));
    q->target_count = found->count;
    q->open = found->count + 1;

    for (i = 0; i < found->count; i++) {
        s = &found->services[i];
        t = &q->targets[i];
        t->request = q;
        t->weight = s->weight;
        t->priority = s->priority;
        t->query = lun_resolve(q->resolver, lun_str_z(s->name), s->port,
                               on_host, t);

        if (t->query != NULL) {
            lun_resolve_be_idle(t->query);
        }
    }

    if (--q->open == 0) {
        finish(q);
    }
}


/* --- the records --------------------------------------------------------- */

static void
on_services(void *data, unsigned rcode, const lun_dns_services *found)
{
    lun_srv_request  *q = data;

    q->question = NULL;

    if (rcode != 0 || found->count == 0) {
        q->verdict = rcode != 0 ? (lun_resolve_verdict) rcode
                                : LUN_RESOLVE_NXDOMAIN;
        finish(q);
        return;
    }

    q->good_for = lun_resolver_valid_for(q->resolver, found->ttl);
    ask_hosts(q, found);
}


static void
on_timeout(lun_timer *timer)
{
    lun_srv_request  *q = lun_container_of(timer, lun_srv_request, limit);

    q->verdict = LUN_RESOLVE_TIMEDOUT;
    finish(q);
}


lun_srv_request *
lun_srv_resolve(lun_resolver *r, lun_str name, lun_srv_fn *done,
    void *data)
{
    char              z[LUN_DNS_NAME];
    size_t            turn;
    lun_dns_asker    *asker;
    lun_srv_request  *q;

    if (lun_dns_name(name, z) != LUN_OK) {
        done(data, LUN_RESOLVE_NXDOMAIN, NULL, 0, 0);
        return NULL;
    }

    q = lun_calloc(sizeof(lun_srv_request));
    q->resolver = r;
    q->done = done;
    q->data = data;
    asker = lun_resolver_asker(r, &turn);
    q->question = lun_dns_ask_services(asker, z, turn, on_services, q);
    q->limit.idle = true;
    lun_timer_start(lun_resolver_loop(r), &q->limit, lun_resolver_timeout(r),
                    on_timeout);

    return q;
}


void
lun_srv_limit(lun_srv_request *q, lun_msec timeout)
{
    lun_timer_start(lun_resolver_loop(q->resolver), &q->limit, timeout,
                    on_timeout);
}
