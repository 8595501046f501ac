/*
 * upstream_names.c -- names that are looked up while serving.
 *
 * One worker of a generation asks for the names of an upstream (net/duty.h),
 * whenever an answer's time is over, and writes the addresses into the zone.  A
 * session that begins compares versions; if another worker's are newer, its
 * process makes its groups anew, and sessions that have begun keep the old
 * ones.
 *
 * Names that cannot be asked for keep what they had; those that do not exist,
 * or have no address, have none.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/upstream_names.h"

#include "net/dns/srv.h"
#include "net/duty.h"
#include "os/clock.h"
#include "os/lock.h"
#include "session/engine.h"
#include "session/resolver_conf.h"
#include "session/upstream/upstream_metrics.h"


enum {
    LEAST_WAIT = 1000,             /* ms until it is asked again */
    NONE_WAIT = 10000,             /* ... if there was no address */
    TRIES = 3                      /* while the lists are changing */
};

typedef struct names  names;

/* What is asked for; of several servers, if they differ in other things. */
typedef struct {
    names                *names;
    uint64_t              key;
    lun_str               host;
    lun_str               service; /* all of the record's name; empty: none */
    lun_upstream_name    *found;   /* in the zone */
    lun_timer             timer;
    lun_resolve_request  *query;
    lun_srv_request      *srv;
} question;

/* The groups as they were at some time. */
typedef struct {
    lun_pool             *pool;
    unsigned              refs;    /* sessions, and `names` */
    uint64_t              seen;    /* the versions that it was made of */
    lun_upstream_group   *groups;
} server_set;

struct names {
    lun_upstream        *upstream;
    lun_engine          *engine;
    lun_name_servers    *servers;
    lun_msec             timeout;
    lun_upstream_table  *table;    /* NULL: not opened */
    uint64_t             generation;
    question            *questions;
    size_t               count;
    size_t              *of_server;    /* by line: its question */
    bool                 is_seen;  /* somebody has looked: */
    uint64_t             seen;     /* those of `set`, or that made none */
    server_set          *set;
    bool                 asks;     /* some are this worker's to ask for */
};


lun_str
lun_upstream_owner(lun_pool *pool, const lun_engine *e, const lun_upstream *u)
{
    return lun_pool_fmt(pool, "%s %.*s", e->protocol->name, LUN_S(u->name));
}


/* --- the groups ---------------------------------------------------------- */

static void
put_set(void *data)
{
    server_set  *set = data;

    if (--set->refs == 0) {
        lun_pool_free(set->pool);
    }
}


static uint64_t
version_of(const names *n)
{
    size_t    i;
    uint64_t  sum = 0;

    for (i = 0; i < n->count; i++) {
        sum += atomic_load_explicit(&n->questions[i].found->version,
                                    memory_order_acquire);
    }

    return sum;
}


/* Behind two reloads others may have what nobody else claims. */
static bool
are_ours(const names *n)
{
    size_t  i;

    for (i = 0; i < n->count; i++) {
        if (n->questions[i].found->key != n->questions[i].key) {
            return false;
        }
    }

    return true;
}


static lun_addr
addr_of(const lun_upstream_found *f, uint16_t port)
{
    lun_addr  addr = { .family = (lun_family) f->family, .port = port };

    memcpy(addr.ip, f->ip, sizeof(addr.ip));
    return addr;
}


/* Each address of a service is a server of its own: a port, a weight. */
static void
add_service(lun_pool *pool, lun_array *to, const lun_upstream *u,
    const lun_upstream_server_conf *line, const lun_upstream_name *name)
{
    size_t                     i;
    lun_addr                   addr;
    const lun_upstream_found  *f;
    lun_upstream_server_conf  *s;

    for (i = 0; i < name->count; i++) {
        f = &name->addrs[i];

        /* Behind the backups there is nothing. */
        if (f->backup && (line->backup
                          || !(u->method->takes & LUN_SERVER_BACKUP)))
        {
            continue;
        }

        addr = addr_of(f, f->port);
        s = lun_array_push(to);
        *s = *line;
        s->backup |= f->backup != 0;
        s->weight = line->weight != 1 ? line->weight : lun_max(f->weight, 1);
        lun_upstream_server_addrs(pool, s, &addr, 1);
        s->name = s->addr_names[0];
    }
}


static void
add_host(lun_pool *pool, lun_array *to, const lun_upstream_server_conf *line,
    const lun_upstream_name *name)
{
    size_t                     i;
    lun_addr                   addrs[LUN_UPSTREAM_ADDRS];
    lun_upstream_server_conf  *s = lun_array_push(to);

    for (i = 0; i < name->count; i++) {
        addrs[i] = addr_of(&name->addrs[i], line->port);
    }

    *s = *line;
    lun_upstream_server_addrs(pool, s, addrs, name->count);
}


/* The lines of the block, with the addresses of now. */
static lun_array *
servers_now(lun_pool *pool, const names *n)
{
    size_t                           i;
    lun_array                       *to;
    const lun_upstream              *u = n->upstream;
    const lun_upstream_name         *name;
    const lun_upstream_server_conf  *line = u->servers.items;

    to = lun_array_new(pool, sizeof(lun_upstream_server_conf),
                       u->servers.count);

    for (i = 0; i < u->servers.count; i++, line++) {
        name = line->resolve ? n->questions[n->of_server[i]].found : NULL;

        if (name == NULL) {
            *(lun_upstream_server_conf *) lun_array_push(to) = *line;

        } else if (line->service.len != 0) {
            add_service(pool, to, u, line, name);

        } else {
            add_host(pool, to, line, name);
        }
    }

    return to;
}


/* What a script has said of a server holds as long as it is there. */
static void
keep_down(const lun_upstream_group *before, lun_upstream_group *now)
{
    size_t                      i, k;
    const lun_upstream_server  *old;
    lun_upstream_server        *p;

    for (i = 0; i < before->count; i++) {
        old = &before->peers[i];

        for (k = 0; old->down != old->server->down && k < now->count; k++) {
            p = &now->peers[k];

            if (p->down != old->down && lun_str_eq(p->name, old->name)
                && lun_str_eq(p->server->name, old->server->name))
            {
                p->down = old->down;
                now->tries += p->drain ? 0 : old->down ? -1U : 1U;
            }
        }
    }
}


static void
take_over(names *n, lun_upstream_group *now)
{
    const lun_upstream_group  *before;

    if (n->set == NULL) {
        return;
    }

    for (before = n->set->groups; before != NULL && now != NULL;
         before = before->next, now = now->next)
    {
        keep_down(before, now);
    }
}


/* What the lists say; ERROR: they are others' by now. */
static lun_rc
read_lists(names *n, server_set *set)
{
    lun_rc         rc = LUN_ERROR;
    lun_array     *servers;
    lun_upstream  *u = n->upstream;

    (void) lun_lock_take(&n->table->lock);
    set->seen = version_of(n);

    if (are_ours(n)) {
        servers = servers_now(set->pool, n);
        set->groups = lun_upstream_groups_of(set->pool, u, servers->items,
                                             servers->count);
        lun_upstream_find_server_metrics(u, set->groups);
        rc = LUN_OK;
    }

    lun_lock_free(&n->table->lock);
    return rc;
}


/* AGAIN: the lists have changed meanwhile. */
static lun_rc
claim_states(names *n, server_set *set)
{
    bool           ok = true;
    lun_rc         rc = LUN_AGAIN;
    lun_str        owner;
    lun_upstream  *u = n->upstream;

    owner = lun_upstream_owner(set->pool, n->engine, u);

    (void) lun_lock_take(&n->table->lock);

    if (are_ours(n) && version_of(n) == set->seen) {
        rc = LUN_OK;
        ok = lun_upstream_table_claim(n->table, owner, set->groups,
                                      n->generation);

        /* Only who writes lists knows that this one is the latest. */
        if (n->asks && n->set != NULL) {
            lun_upstream_table_release(n->set->groups, set->groups);
        }
    }

    lun_lock_free(&n->table->lock);

    if (!ok) {
        lun_log(LUN_LOG_ERR, &n->engine->gen->log, 0, "no room for all "
                "servers of upstream \"%.*s\" in zone \"%.*s\"",
                LUN_S(u->name), LUN_S(u->zone->name));
    }

    return rc;
}


/* Once is enough: no request tries it again until the lists are others. */
static void
refuse_set(names *n, const server_set *set)
{
    n->is_seen = true;
    n->seen = set->seen;
}


/*
 * What the zone has.  A method may not want such servers, or take its time
 * over them: so nothing is claimed or given up before that, and there is no
 * lock while it thinks.
 */
static lun_rc
make_set(names *n, server_set *set)
{
    const char    *why = NULL;
    lun_upstream  *u = n->upstream;

    if (read_lists(n, set) != LUN_OK) {
        refuse_set(n, set);
        return LUN_ERROR;
    }

    if (u->method->prepare != NULL) {
        why = u->method->prepare(set->pool, u, set->groups);
    }

    if (why != NULL) {
        refuse_set(n, set);
        lun_log(LUN_LOG_ERR, &n->engine->gen->log, 0, "servers of upstream "
                "\"%.*s\" %s", LUN_S(u->name), why);
        return LUN_ERROR;
    }

    return claim_states(n, set);
}


static lun_rc
remake(names *n)
{
    lun_rc       rc;
    lun_pool    *pool = lun_pool_new_sized(2048);
    server_set  *set = lun_pool_new(pool, server_set);

    set->pool = pool;
    set->refs = 1;
    rc = make_set(n, set);

    if (rc != LUN_OK) {
        lun_pool_free(pool);
        return rc;
    }

    take_over(n, set->groups);

    if (n->set != NULL) {
        put_set(n->set);
    }

    n->is_seen = true;
    n->seen = set->seen;
    n->set = set;
    return LUN_OK;
}


static void
refresh(lun_upstream *u, lun_pool *user)
{
    int     tries;
    names  *n = u->names;

    if (n->table == NULL) {
        return;
    }

    for (tries = 0; tries < TRIES && (!n->is_seen
                                      || version_of(n) != n->seen); tries++)
    {
        if (remake(n) != LUN_AGAIN) {
            break;
        }
    }

    if (n->set == NULL) {
        return;
    }

    u->peers = n->set->groups;

    if (user != NULL) {
        n->set->refs++;
        lun_pool_on_end(user, put_set, n->set);
    }
}


/* --- asking -------------------------------------------------------------- */

static void  on_due(lun_timer *timer);


static void
ask_again(question *q, lun_msec wait)
{
    q->timer.idle = true;
    lun_timer_start(q->names->engine->gen->loop, &q->timer,
                    lun_max(wait, LEAST_WAIT), on_due);
}


static void
log_failure(const question *q, lun_resolve_verdict verdict)
{
    lun_log(LUN_LOG_ERR, &q->names->engine->gen->log, 0, "%.*s could not be "
            "resolved (%d: %s), upstream: \"%.*s\"",
            LUN_S(q->service.len != 0 ? q->service : q->host), (int) verdict,
            lun_resolve_text(verdict), LUN_S(q->names->upstream->name));
}


static void
take_answer(question *q, lun_resolve_verdict verdict,
    const lun_upstream_found *list, size_t count, lun_msec good_for)
{
    bool      changed;
    names    *n = q->names;
    int64_t   valid = n->servers->options.valid;

    if (verdict != LUN_RESOLVED) {
        log_failure(q, verdict);
        good_for = valid > 0 ? (lun_msec) valid * 1000 : NONE_WAIT;
    }

    if (verdict != LUN_RESOLVED && verdict != LUN_RESOLVE_NXDOMAIN
        && verdict != LUN_RESOLVE_FORMERR)
    {
        ask_again(q, n->timeout);  /* it may still be where it was */
        return;
    }

    (void) lun_lock_take(&n->table->lock);
    changed = q->found->key == q->key
              && lun_upstream_table_write(q->found, list, count);
    lun_lock_free(&n->table->lock);

    if (changed) {
        refresh(n->upstream, NULL);
    }

    ask_again(q, good_for);
}


static lun_upstream_found
found_of(const lun_addr *addr)
{
    lun_upstream_found  f = { .family = (uint8_t) addr->family };

    memcpy(f.ip, addr->ip, addr->family == LUN_AF_INET ? 4 : 16);
    return f;
}


static void
on_addrs(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    size_t              i;
    question           *q = data;
    lun_resolver       *r;
    lun_upstream_found  list[LUN_UPSTREAM_ADDRS];

    q->query = NULL;
    count = lun_min(count, (size_t) LUN_UPSTREAM_ADDRS);

    for (i = 0; i < count; i++) {
        list[i] = found_of(&addrs[i]);
    }

    r = lun_name_servers_resolver(q->names->engine, q->names->servers);
    take_answer(q, verdict, list, count, lun_resolve_good_for(r));
}


static void
on_services(void *data, lun_resolve_verdict verdict,
    const lun_srv_addr *addrs, size_t count, lun_msec good_for)
{
    size_t              i;
    uint16_t            first = UINT16_MAX;
    question           *q = data;
    lun_upstream_found  list[LUN_UPSTREAM_ADDRS];

    q->srv = NULL;
    count = lun_min(count, (size_t) LUN_UPSTREAM_ADDRS);

    for (i = 0; i < count; i++) {
        first = lun_min(first, addrs[i].priority);
    }

    for (i = 0; i < count; i++) {
        list[i] = found_of(&addrs[i].addr);
        list[i].port = addrs[i].addr.port;
        list[i].weight = addrs[i].weight;
        list[i].backup = addrs[i].priority != first;
    }

    take_answer(q, verdict, list, count, good_for);
}


static void
on_due(lun_timer *timer)
{
    names         *n;
    question      *q = lun_container_of(timer, question, timer);
    lun_resolver  *r;

    n = q->names;
    r = lun_name_servers_resolver(n->engine, n->servers);

    /* What is known is answered before these return, and NULL. */
    if (q->service.len != 0) {
        q->srv = lun_srv_resolve(r, q->service, on_services, q);

        if (q->srv != NULL) {
            lun_srv_limit(q->srv, n->timeout);
        }

    } else {
        q->query = lun_resolve(r, q->host, 0, on_addrs, q);

        if (q->query != NULL) {
            lun_resolve_limit(q->query, n->timeout);
            lun_resolve_be_idle(q->query);
        }
    }
}


static void
stop(question *q)
{
    lun_timer_stop(&q->timer);

    if (q->query != NULL) {
        lun_resolve_cancel(q->query);
        q->query = NULL;
    }

    if (q->srv != NULL) {
        lun_srv_cancel(q->srv);
        q->srv = NULL;
    }
}


static void
begin_asking(lun_duty *d)
{
    size_t   i;
    names   *n = d->data;

    n->asks = n->table != NULL;

    for (i = 0; n->asks && i < n->count; i++) {
        n->questions[i].timer.idle = true;
        lun_timer_start(d->loop, &n->questions[i].timer, 0, on_due);
    }
}


static void
end_asking(lun_duty *d)
{
    size_t   i;
    names   *n = d->data;

    n->asks = false;               /* another one's list may be newer */

    for (i = 0; i < n->count; i++) {
        stop(&n->questions[i]);
    }
}


static const lun_duty_kind  asking = {
    .name = "names of upstream",
    .of_generation = true,
    .begin = begin_asking,
    .end = end_asking,
};


/* --- the configuration --------------------------------------------------- */

/* "http" is "_http._tcp"; what has a dot stands for itself. */
static lun_str
service_name(lun_pool *pool, const lun_upstream_server_conf *s)
{
    return lun_str_chr(s->service, '.') != NULL
           ? lun_pool_fmt(pool, "%.*s.%.*s", LUN_S(s->service),
                          LUN_S(s->host))
           : lun_pool_fmt(pool, "_%.*s._tcp.%.*s", LUN_S(s->service),
                          LUN_S(s->host));
}


/* The question of that line, maybe one that another has. */
static size_t
question_of(lun_conf *cf, names *n, const lun_upstream_server_conf *s)
{
    size_t     i;
    lun_str    service = s->service.len != 0 ? service_name(cf->pool, s)
                                             : LUN_STR("");
    question  *q;

    for (i = 0; i < n->count; i++) {
        q = &n->questions[i];

        if (lun_str_caseeq(q->host, s->host)
            && lun_str_caseeq(q->service, service))
        {
            return i;
        }
    }

    q = &n->questions[n->count++];
    q->names = n;
    q->host = s->host;
    q->service = service;
    q->key = lun_str_hash(lun_pool_fmt(cf->temp, "%.*s %.*s %.*s",
        LUN_S(lun_upstream_owner(cf->temp, n->engine, n->upstream)),
        LUN_S(q->host), LUN_S(q->service)));
    q->key += q->key == 0;

    return i;
}


static void
on_end(void *data)
{
    names  *n = data;

    if (n->set != NULL) {
        put_set(n->set);
    }
}


static void
add_names(lun_conf *cf, lun_upstream *u)
{
    size_t                           i;
    names                           *n = lun_pool_new(cf->pool, names);
    const lun_upstream_server_conf  *s = u->servers.items;

    lun_pool_on_end(cf->pool, on_end, n);
    n->upstream = u;
    n->engine = cf->engine;
    n->questions = lun_pool_new_n(cf->pool, question, u->servers.count);
    n->of_server = lun_pool_new_n(cf->pool, size_t, u->servers.count);

    for (i = 0; i < u->servers.count; i++) {
        if (s[i].resolve) {
            n->of_server[i] = question_of(cf, n, &s[i]);
        }
    }

    u->names = n;
    u->refresh = refresh;
    (void) lun_duty_add(cf->gen->duties, &asking,
                        lun_upstream_owner(cf->temp, cf->engine, u), n);
}


lun_rc
lun_upstream_names_new(lun_conf *cf, lun_upstream *u)
{
    size_t                           i;
    const lun_upstream_server_conf  *s = u->servers.items;

    for (i = 0; i < u->servers.count; i++) {

        if (!s[i].resolve) {
            continue;
        }

        if (u->zone == NULL) {
            return lun_conf_fail_bare(cf, "resolving names at run time "
                                      "requires upstream \"%.*s\" in %.*s:%u "
                                      "to be in shared memory",
                                      LUN_S(u->name), LUN_S(u->file),
                                      u->line);
        }

        add_names(cf, u);
        return LUN_OK;
    }

    return LUN_OK;
}


lun_rc
lun_upstream_names_check(lun_upstream *u)
{
    names  *n = u->names;

    n->servers = n->engine->protocol->resolver(u->conf, &n->timeout);

    if (n->servers == NULL) {
        lun_log(LUN_LOG_EMERG, lun_log_default(), 0, "no resolver defined to "
                "resolve names at run time in upstream \"%.*s\" in %.*s:%u",
                LUN_S(u->name), LUN_S(u->file), u->line);
        return LUN_ERROR;
    }

    return LUN_OK;
}


bool
lun_upstream_names_open(lun_upstream *u, lun_upstream_table *t,
    uint64_t generation)
{
    size_t  i;
    names  *n = u->names;

    for (i = 0; i < n->count; i++) {
        n->questions[i].found = lun_upstream_table_name(t,
            n->questions[i].key, generation);

        if (n->questions[i].found == NULL) {
            return false;
        }
    }

    n->generation = generation;
    n->table = t;

    return true;
}
