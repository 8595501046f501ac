/*
 * srv.c -- services, by a resolver that the test is.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/dns/srv.c"

#include "loop_help.h"
#include "tap.h"


/* --- in place of the resolver --- */

typedef struct {
    lun_resolve_fn  *done;
    void            *data;
    char             name[LUN_DNS_NAME];
    uint16_t         port;
} asked;

static lun_dns_services_fn  *answer;
static void                 *answer_data;
static asked                 asks[LUN_DNS_SERVICES];
static size_t                ask_count, cancelled, idle;
static lun_msec              good_for;
static bool                  known;        /* answers come at once */


lun_dns_asker *
lun_resolver_asker(lun_resolver *r, size_t *turn)
{
    *turn = 0;
    return NULL;
}


lun_loop *
lun_resolver_loop(const lun_resolver *r)
{
    return lp;
}


lun_msec
lun_resolver_timeout(const lun_resolver *r)
{
    return 5000;
}


lun_msec
lun_resolver_valid_for(const lun_resolver *r, uint32_t ttl)
{
    return (lun_msec) ttl * 1000;
}


void
lun_resolve_be_idle(lun_resolve_request *q)
{
    idle++;
}


lun_msec
lun_resolve_good_for(const lun_resolver *r)
{
    return good_for;
}


lun_dns_question *
lun_dns_ask_services(lun_dns_asker *asker, const char *name, size_t turn,
    lun_dns_services_fn *done, void *data)
{
    answer = done;
    answer_data = data;
    return (lun_dns_question *) &answer;
}


void
lun_dns_ask_cancel(lun_dns_question *q)
{
    answer = NULL;
    cancelled++;
}


static void
tell_host(lun_resolve_fn *done, void *data, uint16_t port, uint8_t last)
{
    lun_addr  addr = { .family = LUN_AF_INET, .port = port,
                       .ip = { 10, 0, 0, last } };

    done(data, LUN_RESOLVED, &addr, 1);
}


lun_resolve_request *
lun_resolve(lun_resolver *r, lun_str name, uint16_t port,
    lun_resolve_fn *done, void *data)
{
    asked  *a = &asks[ask_count++];

    a->done = done;
    a->data = data;
    a->port = port;
    memcpy(a->name, name.data, name.len);
    a->name[name.len] = '\0';

    if (known) {
        tell_host(done, data, port, 9);
        return NULL;
    }

    return (lun_resolve_request *) a;
}


void
lun_resolve_cancel(lun_resolve_request *q)
{
    cancelled++;
}


/* --- what the caller is told --- */

static struct {
    int                  calls;
    lun_resolve_verdict  verdict;
    size_t               count;
    lun_msec             good_for;
    lun_srv_addr         addrs[LUN_SRV_ADDRS];
} told;


static void
on_done(void *data, lun_resolve_verdict verdict, const lun_srv_addr *addrs,
    size_t count, lun_msec valid)
{
    told.calls++;
    told.verdict = verdict;
    told.count = count;
    told.good_for = valid;
    if (count != 0) {
        memcpy(told.addrs, addrs, count * sizeof(lun_srv_addr));
    }
}


static lun_srv_request *
ask(void)
{
    memset(&told, 0, sizeof(told));
    ask_count = cancelled = idle = 0;
    good_for = 60000;
    known = false;

    return lun_srv_resolve(NULL, LUN_STR("_http._tcp.test"), on_done, NULL);
}


/* Records of hosts "a", "b" ..., of port 81, 82 ... */
static void
reply(size_t n)
{
    size_t                   i;
    static lun_dns_services  found;

    found.count = n;
    found.ttl = 30;

    for (i = 0; i < n; i++) {
        found.services[i] = (lun_dns_service) {
            .name = { (char) ('a' + i % 26) }, .port = (uint16_t) (81 + i),
            .priority = 1, .weight = (uint16_t) (5 + i)
        };
    }

    answer(answer_data, 0, &found);
}


/* --- tests --- */

static void
two_hosts(void)
{
    ok(ask() != NULL, "asks");
    reply(2);
    is_int((int64_t) ask_count, 2, "for each host");
    is_int((int64_t) idle, 2, "which keeps no worker from its end");
    is_str(asks[1].name, "b", "by its name");
    tell_host(asks[1].done, asks[1].data, asks[1].port, 2);
    is_int(told.calls, 0, "all of them are waited for");
    tell_host(asks[0].done, asks[0].data, asks[0].port, 1);
    is_int(told.calls, 1, "once");
    is_int(told.verdict, LUN_RESOLVED, "found");
    is_int((int64_t) told.count, 2, "two addresses");
    is_int(told.addrs[0].addr.port, 82, "with the records' ports");
    is_int(told.addrs[0].weight, 6, "and weights");
    is_int((int64_t) told.good_for, 30000, "for the least time");
    is_int((int64_t) cancelled, 0, "nothing is left");
}


static void
known_hosts(void)
{
    (void) ask();
    known = true;
    good_for = 10;
    reply(3);
    is_int((int64_t) told.count, 3, "hosts that are known");
    is_int((int64_t) told.good_for, 10, "for as long as these");
}


static void
failures(void)
{
    ok(lun_srv_resolve(NULL, LUN_STR("a..b"), on_done, NULL) == NULL
       && told.verdict == LUN_RESOLVE_NXDOMAIN, "no name at all");

    (void) ask();
    answer(answer_data, 2, NULL);
    is_int(told.verdict, LUN_RESOLVE_SERVFAIL, "the server's failure");

    (void) ask();
    reply(0);
    is_int(told.verdict, LUN_RESOLVE_NXDOMAIN, "no record");

    (void) ask();
    reply(2);
    asks[0].done(asks[0].data, LUN_RESOLVE_NXDOMAIN, NULL, 0);
    tell_host(asks[1].done, asks[1].data, 82, 1);
    is_int(told.verdict, LUN_RESOLVED, "a host that is none");
    is_int((int64_t) told.count, 1, "has no address, the other one has");

    (void) ask();
    reply(2);
    asks[0].done(asks[0].data, LUN_RESOLVE_REFUSED, NULL, 0);
    tell_host(asks[1].done, asks[1].data, 82, 1);
    is_int(told.verdict, LUN_RESOLVE_REFUSED, "one that nobody tells");
    is_int((int64_t) told.count, 0, "makes all of it unknown");
}


static void
ends(void)
{
    lun_srv_request  *q = ask();

    reply(2);
    tell_host(asks[0].done, asks[0].data, 81, 1);
    lun_srv_cancel(q);
    is_int(told.calls, 0, "who cancels is not told");
    is_int((int64_t) cancelled, 1, "what is open is not asked any more");

    (void) ask();
    lun_clock.mono += 5001;
    lun_timer_fire_due(lp);
    is_int(told.verdict, LUN_RESOLVE_TIMEDOUT, "it has a limit");
    is_int((int64_t) cancelled, 1, "and its question an end");
    is_int((int64_t) lun_timer_count(lp), 0, "no timer is left");
}


static void
many(void)
{
    size_t    i, k;
    lun_addr  addrs[64];

    (void) ask();
    reply(LUN_DNS_SERVICES);

    for (i = 0; i < 64; i++) {
        addrs[i] = (lun_addr) { .family = LUN_AF_INET };
    }

    for (k = 0; k < ask_count; k++) {
        asks[k].done(asks[k].data, LUN_RESOLVED, addrs, 64);
    }

    is_int((int64_t) told.count, LUN_SRV_ADDRS, "as many as there is room for");
}


int
main(void)
{
    two_hosts();
    known_hosts();
    failures();
    ends();
    many();

    return done_testing();
}
