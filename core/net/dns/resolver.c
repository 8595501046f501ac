/*
 * resolver.c -- names to addresses.
 *
 * A host is a name that somebody asked for: known for a while, or being asked
 * about by its one or two questions (A and AAAA, side by side), which all who
 * want to know wait for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/dns/resolver.h"

#include "base/check.h"
#include "base/list.h"
#include "net/dns/dns_ask.h"
#include "net/dns/dns_local.h"
#include "net/dns/dns_metrics.h"
#include "os/dns.h"


enum {
    BUCKETS      = 256,
    HOSTS_MAX    = 4096,           /* known; the least recently used go */
    SERVERS_MAX  = 16,             /* of the system's */
    ASK_LIMIT    = 30000,          /* ms of asking without anybody waiting */
    PATIENCE     = 3000,           /* ms for the other family's addresses */
    FILE_VALID   = 5000,           /* ms that the hosts file is believed */
    TTL_LIMIT    = 86400
};

/* Both kinds of question, in the order that answers are given in. */
static const struct {
    uint16_t    type;
    lun_family  family;
} kinds[] = {
    { LUN_DNS_A,    LUN_AF_INET },
    { LUN_DNS_AAAA, LUN_AF_INET6 }
};

enum { KINDS = LUN_ARRAY_LEN(kinds) };

/* Of one kind: the question, and what it found. */
typedef struct {
    lun_dns_question     *question;    /* NULL: answered, or not asked */
    lun_resolve_verdict   verdict;
    uint32_t              ttl;
    lun_addr             *addrs;       /* malloc'ed */
    size_t                count;
} half;

typedef struct {
    lun_list       by_name;
    lun_list       by_age;         /* the most recently used first */
    lun_list       waiters;
    lun_resolver  *resolver;
    uint64_t       hash;
    half          *halves;         /* KINDS of them while asking, else NULL */
    lun_timer      limit;          /* of asking */

    lun_msec       valid_until;    /* lun_clock.mono; addresses are good */
    lun_addr      *addrs;          /* malloc'ed; IPv4 first */
    size_t         count, count4;
    unsigned       turn;
    size_t         len;
    char           name[];
} host;

struct lun_resolve_request {
    uint32_t         mark;         /* LUN_MARK_RESOLVE */
    host            *host;
    lun_list         link;
    lun_timer        limit;
    uint16_t         port;
    lun_resolve_fn  *done;
    void            *data;
};

struct lun_resolver {
    lun_loop        *loop;
    const lun_log   *log;
    int64_t          valid;
    lun_msec         timeout;
    bool             wants[KINDS], no_hosts;
    uint32_t         counts_at;    /* dns_metrics.h */
    lun_addr        *servers;
    size_t           server_count;
    size_t           turn;         /* which server the next one asks first */
    lun_msec         good_for;     /* of the answer that is being given */
    lun_dns_asker   *asker;
    lun_list         by_age;
    size_t           host_count;
    lun_list         by_name[BUCKETS];
};


const char *
lun_resolve_text(lun_resolve_verdict verdict)
{
    switch (verdict) {
    case LUN_RESOLVED:           return "Success";
    case LUN_RESOLVE_FORMERR:    return "Format error";
    case LUN_RESOLVE_SERVFAIL:   return "Server failure";
    case LUN_RESOLVE_NXDOMAIN:   return "Host not found";
    case LUN_RESOLVE_NOTIMP:     return "Unimplemented";
    case LUN_RESOLVE_REFUSED:    return "Operation refused";
    case LUN_RESOLVE_TIMEDOUT:   return "Operation timed out";
    }

    return "Unknown error";
}


/* --- hosts --------------------------------------------------------------- */

static host *
find_host(lun_resolver *r, lun_str name, uint64_t hash)
{
    host      *h;
    lun_list  *bucket = &r->by_name[hash % BUCKETS];

    lun_list_each(bucket, it) {
        h = lun_container_of(it, host, by_name);

        if (h->hash == hash && h->len == name.len
            && memcmp(h->name, name.data, name.len) == 0)
        {
            return h;
        }
    }

    return NULL;
}


static void
free_halves(host *h)
{
    size_t  i;

    for (i = 0; h->halves != NULL && i < KINDS; i++) {
        if (h->halves[i].question != NULL) {
            lun_dns_ask_cancel(h->halves[i].question);
        }

        lun_free(h->halves[i].addrs);
    }

    lun_free(h->halves);
    h->halves = NULL;
}


static void
free_host(host *h)
{
    LUN_CHECK(lun_list_empty(&h->waiters));

    free_halves(h);
    lun_timer_stop(&h->limit);
    lun_list_remove(&h->by_name);
    lun_list_remove(&h->by_age);
    h->resolver->host_count--;
    lun_free(h->addrs);
    lun_free(h);
}


/*
 * Makes room for one more, at the cost of the one unused for longest.  ERROR:
 * somebody waits for each.
 */
static lun_rc
evict(lun_resolver *r)
{
    host      *h;
    lun_list  *it;

    if (r->host_count < HOSTS_MAX) {
        return LUN_OK;
    }

    for (it = r->by_age.prev; it != &r->by_age; it = it->prev) {
        h = lun_container_of(it, host, by_age);

        if (lun_list_empty(&h->waiters)) {
            free_host(h);
            return LUN_OK;
        }
    }

    return LUN_ERROR;
}


/* NULL: so many are being asked for; logged. */
static host *
new_host(lun_resolver *r, lun_str name, uint64_t hash)
{
    host  *h;

    if (evict(r) != LUN_OK) {
        lun_log(LUN_LOG_ALERT, r->log, 0, "%d names are being resolved, "
                "\"%.*s\" is refused", HOSTS_MAX, LUN_S(name));
        return NULL;
    }

    h = lun_calloc(sizeof(host) + name.len + 1);
    h->resolver = r;
    h->hash = hash;
    h->len = name.len;
    memcpy(h->name, name.data, name.len);

    lun_list_init(&h->waiters);
    lun_list_push_front(&r->by_name[hash % BUCKETS], &h->by_name);
    lun_list_push_front(&r->by_age, &h->by_age);
    r->host_count++;

    return h;
}


/* Takes over the addresses (malloc'ed), of which the first n4 are IPv4. */
static void
set_addrs(host *h, lun_addr *addrs, size_t count, size_t n4, lun_msec valid)
{
    LUN_CHECK(n4 <= count && (count == 0 || addrs != NULL));

    lun_free(h->addrs);
    h->addrs = addrs;
    h->count = count;
    h->count4 = n4;
    h->valid_until = lun_clock.mono + valid;
}


/* --- answering ----------------------------------------------------------- */

/* The part of one family, beginning at another one each time. */
static lun_addr *
rotate(lun_addr *out, const lun_addr *in, size_t n, unsigned turn,
    uint16_t port)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        *out = in[(i + turn) % n];
        out++->port = port;
    }

    return out;
}


/* A copy with the port; the host may go while the caller uses it. */
static lun_addr *
export(host *h, uint16_t port)
{
    lun_addr  *out, *addrs = lun_malloc(h->count * sizeof(lun_addr));

    LUN_CHECK(h->count4 <= h->count);

    out = rotate(addrs, h->addrs, h->count4, h->turn, port);
    rotate(out, h->addrs + h->count4, h->count - h->count4, h->turn, port);
    h->turn++;
    h->resolver->good_for = h->valid_until - lun_min(h->valid_until,
                                                     lun_clock.mono);

    return addrs;
}


/* `state` is nginx's, for the log: the verdict, or -2 before there is one. */
static void
forget(lun_resolve_request *q, int state)
{
    lun_debug(NULL, "resolve name done: %d", state);
    lun_list_remove(&q->link);
    lun_timer_stop(&q->limit);
    q->mark = LUN_MARK_DEAD;
    lun_free(q);
}


static void
answer(lun_resolve_request *q, lun_resolve_verdict verdict,
    const lun_addr *addrs, size_t count)
{
    void            *data = q->data;
    lun_resolve_fn  *done = q->done;

    LUN_CHECK_MARK(q, LUN_MARK_RESOLVE);

    forget(q, (int) verdict);
    done(data, verdict, addrs, count);
}


/*
 * All who wait; they may ask, or cancel others who wait, while they are told.
 * The host may be gone then.
 */
static void
answer_all(host *h, lun_resolve_verdict verdict)
{
    size_t                i, count = verdict == LUN_RESOLVED ? h->count : 0;
    lun_list              waiters;
    lun_addr             *addrs = NULL;
    lun_resolve_request  *q;

    if (lun_list_empty(&h->waiters)) {
        return;
    }

    lun_list_insert_after(&h->waiters, &waiters);
    lun_list_remove(&h->waiters);

    if (count != 0) {
        addrs = export(h, 0);
    }

    while (!lun_list_empty(&waiters)) {
        q = lun_container_of(waiters.next, lun_resolve_request, link);

        for (i = 0; i < count; i++) {
            addrs[i].port = q->port;
        }

        answer(q, verdict, addrs, count);
    }

    lun_free(addrs);
}


/* --- asking -------------------------------------------------------------- */

lun_msec
lun_resolver_valid_for(const lun_resolver *r, uint32_t ttl)
{
    int64_t  sec = lun_min((int64_t) ttl, (int64_t) TTL_LIMIT);

    return (lun_msec) (r->valid > 0 ? r->valid : sec) * 1000;
}


/* Joins what the halves have found. */
static lun_resolve_verdict
join(host *h)
{
    size_t                i, count = 0;
    uint32_t              ttl = UINT32_MAX;
    lun_addr             *addrs, *p;
    const half           *part;
    lun_resolve_verdict   verdict = LUN_RESOLVED;

    LUN_CHECK(h->halves != NULL);

    for (i = 0; i < KINDS; i++) {
        part = &h->halves[i];

        if (part->count != 0) {
            count += part->count;
            ttl = lun_min(ttl, part->ttl);

        } else if (verdict == LUN_RESOLVED) {
            verdict = part->verdict;
        }
    }

    if (count == 0) {
        return verdict != LUN_RESOLVED ? verdict : LUN_RESOLVE_NXDOMAIN;
    }

    addrs = p = lun_malloc(count * sizeof(lun_addr));

    for (i = 0; i < KINDS; i++) {
        part = &h->halves[i];

        if (part->count != 0) {
            memcpy(p, part->addrs, part->count * sizeof(lun_addr));
            p += part->count;
        }
    }

    set_addrs(h, addrs, count, h->halves[0].count,
              lun_resolver_valid_for(h->resolver, ttl));
    return LUN_RESOLVED;
}


/* Ends the asking, whatever is still open; tells everybody. */
static void
answer_waiters(host *h)
{
    lun_resolve_verdict  verdict = join(h);

    free_halves(h);
    lun_timer_stop(&h->limit);
    answer_all(h, verdict);
}


static bool
is_open(const host *h)
{
    return h->halves[0].question != NULL || h->halves[1].question != NULL;
}


static bool
has_some(const host *h)
{
    return h->halves[0].count != 0 || h->halves[1].count != 0;
}


/*
 * One who answers for one family and never for the other is not waited for;
 * nor is asked for ever what nobody wants to know.
 */
static void
on_limit(lun_timer *timer)
{
    size_t  i;
    host   *h = lun_container_of(timer, host, limit);

    LUN_CHECK(h->halves != NULL);

    if (!has_some(h) && !lun_list_empty(&h->waiters)) {
        lun_timer_start(h->resolver->loop, &h->limit, ASK_LIMIT, on_limit);
        return;
    }

    for (i = 0; i < KINDS; i++) {
        if (h->halves[i].question != NULL) {
            h->halves[i].verdict = LUN_RESOLVE_TIMEDOUT;
        }
    }

    answer_waiters(h);
}


/*
 * Addresses of one family are enough after a moment: a name server that never
 * answers AAAA would delay everybody.
 */
static void
take_half(host *h, size_t kind, unsigned rcode, const lun_dns_addrs *found)
{
    size_t   size;
    half    *part = &h->halves[kind];

    LUN_CHECK(kind < KINDS && h->halves != NULL);

    part->question = NULL;
    part->verdict = (lun_resolve_verdict) rcode;

    if (rcode == 0 && found->count != 0) {
        size = found->count * sizeof(lun_addr);
        part->addrs = lun_malloc(size);
        memcpy(part->addrs, found->addrs, size);
        part->count = found->count;
        part->ttl = found->ttl;
    }

    if (!is_open(h)) {
        answer_waiters(h);

    } else if (has_some(h)) {
        lun_timer_start(h->resolver->loop, &h->limit, PATIENCE, on_limit);
    }
}


static void
on_ipv4(void *data, unsigned rcode, const lun_dns_addrs *found)
{
    take_half(data, 0, rcode, found);
}


static void
on_ipv6(void *data, unsigned rcode, const lun_dns_addrs *found)
{
    take_half(data, 1, rcode, found);
}


static void
begin(host *h)
{
    static lun_dns_done_fn  *const on_answer[KINDS] = { on_ipv4, on_ipv6 };

    size_t         i;
    lun_resolver  *r = h->resolver;

    LUN_CHECK(h->halves == NULL && r->asker != NULL);

    h->halves = lun_calloc(KINDS * sizeof(half));

    for (i = 0; i < KINDS; i++) {
        if (r->wants[i]) {
            h->halves[i].question = lun_dns_ask(r->asker, h->name,
                                                kinds[i].type, r->turn,
                                                on_answer[i], h);
        }
    }

    r->turn++;
    h->limit.idle = true;
    lun_timer_start(h->resolver->loop, &h->limit, ASK_LIMIT, on_limit);
}


/* --- the resolver -------------------------------------------------------- */

static void
on_end(void *data)
{
    host                 *h;
    lun_resolve_request  *q;
    lun_resolver         *r = data;

    while (!lun_list_empty(&r->by_age)) {
        h = lun_container_of(r->by_age.next, host, by_age);

        while (!lun_list_empty(&h->waiters)) {
            q = lun_container_of(h->waiters.next, lun_resolve_request, link);
            lun_list_remove(&q->link);
            lun_timer_stop(&q->limit);         /* who asked cancels it */
        }

        free_host(h);
    }

    if (r->asker != NULL) {
        lun_dns_asker_free(r->asker);
    }

    lun_free(r->servers);
}


/*
 * Without name servers in the options those of the system are used: hence room
 * for as many as it may have.
 */
lun_resolver *
lun_resolver_new(lun_pool *pool, lun_loop *loop,
    const lun_resolver_options *options, const lun_log *log)
{
    size_t         i;
    bool           any = !options->ipv4 && !options->ipv6;
    lun_resolver  *r = lun_pool_new(pool, lun_resolver);

    lun_pool_on_end(pool, on_end, r);

    r->loop = loop;
    r->log = log;
    r->valid = options->valid;
    r->timeout = options->timeout != 0 ? options->timeout : ASK_LIMIT;
    r->wants[0] = options->ipv4 || any;
    r->wants[1] = options->ipv6 || any;
    r->no_hosts = options->no_hosts;
    r->counts_at = options->counts_at;

    r->server_count = options->count;
    r->servers = lun_malloc(lun_max(options->count, (size_t) SERVERS_MAX)
                            * sizeof(lun_addr));

    if (options->count != 0) {
        memcpy(r->servers, options->servers, options->count * sizeof(lun_addr));
    }

    lun_list_init(&r->by_age);

    for (i = 0; i < BUCKETS; i++) {
        lun_list_init(&r->by_name[i]);
    }

    return r;
}


/* As libc does when it knows of no name server: the one on this machine. */
static void
use_system_servers(lun_resolver *r)
{
    if (lun_dns_servers(r->servers, SERVERS_MAX, &r->server_count) == 0
        && r->server_count != 0)
    {
        return;
    }

    r->servers[0] = (lun_addr) { .family = LUN_AF_INET, .port = 53,
                                 .ip = { 127, 0, 0, 1 } };
    r->server_count = 1;
}


static void
start_asker(lun_resolver *r)
{
    if (r->asker != NULL) {
        return;
    }

    if (r->server_count == 0) {
        use_system_servers(r);
    }

    r->asker = lun_dns_asker_new(r->loop, r->servers, r->server_count, r->log,
                                 r->counts_at);
}


/* Only the families that are wanted, IPv4 first. */
static bool
look_into_file(host *h)
{
    size_t     i, k, all, n = 0, n4 = 0;
    lun_addr   found[LUN_DNS_ADDRS], *addrs;

    all = h->resolver->no_hosts ? 0
          : lun_dns_known_here(lun_str_of(h->name, h->len), found);

    if (all == 0) {
        return false;
    }

    addrs = lun_malloc(all * sizeof(lun_addr));

    for (k = 0; k < KINDS; k++) {
        for (i = 0; h->resolver->wants[k] && i < all; i++) {
            if (found[i].family == kinds[k].family) {
                addrs[n++] = found[i];
                n4 += k == 0;
            }
        }
    }

    if (n == 0) {
        lun_free(addrs);
        return false;
    }

    set_addrs(h, addrs, n, n4, FILE_VALID);
    return true;
}


/* What one family's servers have said by now has to do. */
static void
on_timeout(lun_timer *timer)
{
    lun_resolve_request  *q = lun_container_of(timer, lun_resolve_request,
                                               limit);

    if (has_some(q->host)) {
        on_limit(&q->host->limit);

    } else {
        lun_metric_add(q->host->resolver->counts_at + LUN_DNS_TIMEDOUT, 1);
        answer(q, LUN_RESOLVE_TIMEDOUT, NULL, 0);
    }
}


static lun_resolve_request *
wait_for(host *h, uint16_t port, lun_resolve_fn *done, void *data)
{
    lun_resolve_request  *q = lun_calloc(sizeof(lun_resolve_request));

    LUN_CHECK(done != NULL && h->halves != NULL);

    q->mark = LUN_MARK_RESOLVE;
    q->host = h;
    q->port = port;
    q->done = done;
    q->data = data;
    lun_list_push_back(&h->waiters, &q->link);
    lun_timer_start(h->resolver->loop, &q->limit, h->resolver->timeout,
                    on_timeout);

    return q;
}


static void
answer_now(host *h, uint16_t port, lun_resolve_fn *done, void *data)
{
    size_t     count = h->count;
    lun_addr  *addrs = export(h, port);

    LUN_CHECK(h->count != 0);

    done(data, LUN_RESOLVED, addrs, count);
    lun_free(addrs);
}


lun_resolve_request *
lun_resolve(lun_resolver *r, lun_str text, uint16_t port,
    lun_resolve_fn *done, void *data)
{
    host      *h;
    char       z[LUN_DNS_NAME];
    lun_str    name;
    uint64_t   hash;
    lun_addr   addr;

    if (lun_dns_number(text, port, &addr)) {
        r->good_for = (lun_msec) TTL_LIMIT * 1000;
        done(data, LUN_RESOLVED, &addr, 1);
        return NULL;
    }

    if (lun_dns_name(text, z) != LUN_OK) {
        done(data, LUN_RESOLVE_NXDOMAIN, NULL, 0);
        return NULL;
    }

    lun_metric_add(r->counts_at + LUN_DNS_QUERIES_NAME, 1);
    name = lun_str_z(z);
    hash = lun_str_hash(name);
    h = find_host(r, name, hash);

    if (h == NULL) {
        h = new_host(r, name, hash);

        if (h == NULL) {
            done(data, LUN_RESOLVE_SERVFAIL, NULL, 0);
            return NULL;
        }

    } else {
        lun_list_remove(&h->by_age);
        lun_list_push_front(&r->by_age, &h->by_age);
    }

    /* It is being asked for: all who want it get that answer. */
    if (h->halves != NULL) {
        return wait_for(h, port, done, data);
    }

    if (h->valid_until > lun_clock.mono || look_into_file(h)) {
        answer_now(h, port, done, data);
        return NULL;
    }

    start_asker(r);
    begin(h);
    return wait_for(h, port, done, data);
}


void
lun_resolve_cancel(lun_resolve_request *q)
{
    LUN_CHECK_MARK(q, LUN_MARK_RESOLVE);
    forget(q, -2);
}


void
lun_resolve_be_idle(lun_resolve_request *q)
{
    LUN_CHECK_MARK(q, LUN_MARK_RESOLVE);
    lun_timer_set_idle(&q->limit, true);
}


void
lun_resolve_limit(lun_resolve_request *q, lun_msec timeout)
{
    LUN_CHECK_MARK(q, LUN_MARK_RESOLVE);
    lun_timer_start(q->host->resolver->loop, &q->limit, timeout, on_timeout);
}


lun_msec
lun_resolve_good_for(const lun_resolver *r)
{
    return r->good_for;
}


lun_dns_asker *
lun_resolver_asker(lun_resolver *r, size_t *turn)
{
    start_asker(r);
    *turn = r->turn++;
    return r->asker;
}


lun_loop *
lun_resolver_loop(const lun_resolver *r)
{
    return r->loop;
}


lun_msec
lun_resolver_timeout(const lun_resolver *r)
{
    return r->timeout;
}
