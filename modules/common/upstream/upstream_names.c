/*
 * upstream_names.c -- servers that change while we serve.
 *
 * Addresses of names, and lines that were changed, are in zones.  A session
 * that begins compares versions; if another worker's are newer, its process
 * makes its groups anew, and sessions that have begun keep the old ones.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/upstream_names.h"

#include "modules/common/upstream/upstream_names_priv.h"
#include "os/lock.h"
#include "session/engine.h"
#include "session/upstream/upstream_lines.h"
#include "session/upstream/upstream_metrics.h"


enum { TRIES = 3 };                /* while the lists are changing */

/* The groups as they were at some time. */
typedef struct lun_upstream_set {
    lun_pool            *pool;
    unsigned             refs;     /* sessions, and its names */
    uint64_t             seen;     /* the versions that it was made of */
    lun_upstream_group  *groups;
} lun_upstream_set;


lun_str
lun_upstream_owner(lun_pool *pool, const lun_engine *e, const lun_upstream *u)
{
    return lun_pool_fmt(pool, "%s %.*s", e->protocol->name, LUN_S(u->name));
}


/* --- the groups ---------------------------------------------------------- */

static void
put_set(void *data)
{
    lun_upstream_set  *set = data;

    if (--set->refs == 0) {
        lun_pool_free(set->pool);
    }
}


/* Of the addresses. */
static uint64_t
found_version(const lun_upstream_names *n)
{
    size_t    i;
    uint64_t  sum = 0;

    for (i = 0; i < n->count; i++) {
        sum += atomic_load_explicit(&n->questions[i].found->version,
                                    memory_order_acquire);
    }

    return sum;
}


static uint64_t
version_of(const lun_upstream_names *n)
{
    return found_version(n) + lun_upstream_list_version(n->list);
}


/* Behind two reloads others may have what nobody else claims. */
static bool
are_ours(const lun_upstream_names *n)
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


static lun_str  question_service(lun_pool *pool,
    const lun_upstream_server_conf *s);
static lun_upstream_question *find_question(const lun_upstream_names *n,
    const lun_upstream_server_conf *s, lun_str service);


/* The addresses of a line that is looked up; NULL: it has its own. */
static const lun_upstream_name *
found_for(lun_pool *pool, const lun_upstream_names *n,
    const lun_upstream_server_conf *line)
{
    static const lun_upstream_name  none;
    const lun_upstream_question                 *q;

    if (!line->resolve) {
        return NULL;
    }

    q = find_question(n, line, question_service(pool, line));
    return q != NULL ? q->found : &none;
}


/* These lines, with the addresses of now. */
static lun_array *
servers_now(lun_pool *pool, const lun_upstream_names *n, const lun_array *lines)
{
    size_t                           i;
    lun_array                       *to;
    const lun_upstream              *u = n->upstream;
    const lun_upstream_name         *name;
    const lun_upstream_server_conf  *line = lines->items;

    to = lun_array_new(pool, sizeof(lun_upstream_server_conf), lines->count);

    for (i = 0; i < lines->count; i++, line++) {
        name = found_for(pool, n, line);

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
take_over(lun_upstream_names *n, lun_upstream_group *now)
{
    const lun_upstream_group  *before = n->upstream->peers;

    for ( ; before != NULL && now != NULL;
         before = before->next, now = now->next)
    {
        keep_down(before, now);
    }
}


/* What the lists say; ERROR: they are others' by now. */
static lun_rc
read_lists(lun_upstream_names *n, lun_upstream_set *set)
{
    lun_rc            rc = LUN_ERROR;
    uint64_t          version = lun_upstream_list_version(n->list);
    lun_array        *servers;
    lun_upstream     *u = n->upstream;
    const lun_array  *lines = lun_upstream_lines_now(u, set->pool, NULL);

    (void) lun_lock_take(&n->table->lock);
    set->seen = found_version(n) + version;

    if (are_ours(n)) {
        servers = servers_now(set->pool, n, lines);
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
claim_states(lun_upstream_names *n, lun_upstream_set *set)
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

        /* Only who asks for addresses knows that these are the latest. */
        if (n->asks || n->count == 0) {
            lun_upstream_table_release(u->peers, set->groups);
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
refuse_set(lun_upstream_names *n, const lun_upstream_set *set)
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
make_set(lun_upstream_names *n, lun_upstream_set *set)
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


/* Whose list was changed is another upstream. */
static bool
is_as_configured(lun_upstream_names *n)
{
    bool               changed;
    uint64_t           version = version_of(n);
    lun_pool          *pool;
    lun_upstream_list  list;

    if (n->count != 0 || n->set != NULL) {
        return false;
    }

    pool = lun_pool_new_sized(512);
    changed = lun_upstream_list_get(n->list, n->key, pool, &list);
    lun_pool_free(pool);

    n->is_seen = true;
    n->seen = version;
    return !changed;
}


/*
 * A set is kept while any request uses a server of it; the new one takes over
 * the states of servers that are in both.
 */
static lun_rc
remake(lun_upstream_names *n)
{
    lun_rc       rc;
    lun_pool    *pool;
    lun_upstream_set  *set;

    if (is_as_configured(n)) {
        return LUN_OK;
    }

    pool = lun_pool_new_sized(2048);
    set = lun_pool_new(pool, lun_upstream_set);
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


void
lun_upstream_names_refresh(lun_upstream *u, lun_pool *user)
{
    int     tries;
    lun_upstream_names  *n = u->names;

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


/* --- changes ------------------------------------------------------------- */

/* What a text says, or the configuration if there is none that can be read. */
static const lun_array *
lines_of(const lun_upstream *u, lun_pool *pool, bool changed,
    lun_upstream_list list, int64_t *next_id)
{
    unsigned      line;
    lun_array    *to;
    const lun_upstream_names  *n = u->names;

    to = lun_array_new(pool, sizeof(lun_upstream_server_conf), 8);

    if (changed) {
        if (lun_upstream_lines_read(pool, u, list.text, to, &line) == NULL) {
            *next_id = list.next_id;
            return to;
        }

        lun_log(LUN_LOG_ALERT, &n->engine->gen->log, 0, "changed servers of "
                "upstream \"%.*s\" cannot be read", LUN_S(u->name));
    }

    *next_id = (int64_t) u->servers.count;
    return &u->servers;
}


const lun_array *
lun_upstream_lines_now(const lun_upstream *u, lun_pool *pool,
    int64_t *next_id)
{
    bool               changed;
    int64_t            unused;
    const lun_upstream_names       *n = u->names;
    lun_upstream_list  list = { .next_id = 0 };

    changed = lun_upstream_list_get(n->list, n->key, pool, &list);
    return lines_of(u, pool, changed, list, next_id != NULL ? next_id
                                                            : &unused);
}


static const lun_upstream_names *
names_of(const lun_upstream *u)
{
    return u->names;
}


uint64_t
lun_upstream_lines_version(const lun_upstream *u)
{
    return lun_upstream_list_version(names_of(u)->list);
}


void
lun_upstream_change_begin(const lun_upstream *u)
{
    lun_upstream_list_lock(names_of(u)->list);
}


void
lun_upstream_change_end(const lun_upstream *u)
{
    lun_upstream_list_unlock(names_of(u)->list);
}


const lun_array *
lun_upstream_change_lines(const lun_upstream *u, lun_pool *pool,
    int64_t *next_id)
{
    bool               changed;
    const lun_upstream_names       *n = u->names;
    lun_upstream_list  list = { .next_id = 0 };

    changed = lun_upstream_list_look(n->list, n->key, pool, &list);
    return lines_of(u, pool, changed, list, next_id);
}


bool
lun_upstream_change_write(const lun_upstream *u, lun_pool *pool,
    const lun_array *lines, int64_t next_id)
{
    const lun_upstream_names        *n = u->names;
    lun_upstream_list   list = { .next_id = next_id };

    list.text = lun_upstream_lines_write(pool, lines->items, lines->count);
    return lun_upstream_list_put(n->list, n->key, &list);
}


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


static lun_str
question_service(lun_pool *pool, const lun_upstream_server_conf *s)
{
    return s->service.len != 0 ? service_name(pool, s) : LUN_STR("");
}


/* NULL: nobody has asked for that. */
static lun_upstream_question *
find_question(const lun_upstream_names *n, const lun_upstream_server_conf *s,
    lun_str service)
{
    size_t     i;
    lun_upstream_question  *q;

    for (i = 0; i < n->count; i++) {
        q = &n->questions[i];

        if (lun_str_caseeq(q->host, s->host)
            && lun_str_caseeq(q->service, service))
        {
            return q;
        }
    }

    return NULL;
}


static void
add_question(lun_conf *cf, lun_upstream_names *n,
    const lun_upstream_server_conf *s)
{
    lun_str    service = question_service(cf->pool, s);
    lun_upstream_question  *q = find_question(n, s, service);

    if (q != NULL) {
        return;
    }

    q = &n->questions[n->count++];
    q->names = n;
    q->host = s->host;
    q->service = service;
    q->key = lun_str_hash(lun_pool_fmt(cf->temp, "%.*s %.*s %.*s",
        LUN_S(lun_upstream_owner(cf->temp, n->engine, n->upstream)),
        LUN_S(q->host), LUN_S(q->service)));
    q->key += q->key == 0;
}


static void
on_end(void *data)
{
    lun_upstream_names  *n = data;

    if (n->set != NULL) {
        put_set(n->set);
    }
}


/* What tells these lines from those of another configuration. */
static uint64_t
hash_of_lines(lun_conf *cf, const lun_upstream *u)
{
    if (u->state.len != 0) {
        return lun_str_hash(u->state);         /* its lines are the same */
    }

    return lun_str_hash(lun_upstream_lines_write(cf->temp, u->servers.items,
                                                 u->servers.count));
}


static lun_rc
add_names(lun_conf *cf, lun_upstream *u)
{
    const char                      *why;
    size_t                           i;
    lun_upstream_names              *n;
    const lun_upstream_server_conf  *s = u->servers.items;

    n = lun_pool_new(cf->pool, lun_upstream_names);
    lun_pool_on_end(cf->pool, on_end, n);
    n->upstream = u;
    n->engine = cf->engine;
    n->questions = lun_pool_new_n(cf->pool, lun_upstream_question,
                                  u->servers.count);
    n->list = lun_upstream_list_want(cf->gen->zones, &why);

    if (n->list == NULL) {
        return lun_conf_fail_bare(cf, "%s", why);
    }

    for (i = 0; i < u->servers.count; i++) {
        if (s[i].resolve) {
            add_question(cf, n, &s[i]);
        }
    }

    n->key.owner = lun_str_hash(lun_upstream_owner(cf->temp, cf->engine, u));
    n->key.lines = hash_of_lines(cf, u);
    u->names = n;
    u->refresh = lun_upstream_names_refresh;
    u->resolves = n->count != 0;

    if (u->resolves) {
        (void) lun_duty_add(cf->gen->duties, &lun_upstream_asking,
                            lun_upstream_owner(cf->temp, cf->engine, u), n);
    }

    return LUN_OK;
}


lun_rc
lun_upstream_names_new(lun_conf *cf, lun_upstream *u)
{
    size_t                           i;
    const lun_upstream_server_conf  *s = u->servers.items;

    if (u->state.len != 0 && u->zone == NULL) {
        return lun_conf_fail_bare(cf, "\"state\" requires upstream \"%.*s\" "
                                  "in %.*s:%u to be in shared memory",
                                  LUN_S(u->name), LUN_S(u->file), u->line);
    }

    for (i = 0; u->zone == NULL && i < u->servers.count; i++) {
        if (s[i].resolve) {
            return lun_conf_fail_bare(cf, "resolving names at run time "
                                      "requires upstream \"%.*s\" in %.*s:%u "
                                      "to be in shared memory",
                                      LUN_S(u->name), LUN_S(u->file),
                                      u->line);
        }
    }

    return u->zone != NULL && u->peers != NULL ? add_names(cf, u) : LUN_OK;
}


lun_rc
lun_upstream_names_check(lun_upstream *u)
{
    lun_upstream_names  *n = u->names;

    if (n->count == 0) {
        return LUN_OK;
    }

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
    lun_upstream_names  *n = u->names;

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
