/*
 * health_checker.c -- when servers are asked, and what their answers come to.
 *
 * The first questions are spread over a moment, and each server is asked again
 * one interval after that: so they stay spread.  Those that are due within a
 * few milliseconds are asked in one turn of the loop.
 *
 * A checker holds the groups that it has its servers of; they are looked at
 * anew before each question, as a session does.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/health/health_checker.h"

#include "base/check.h"
#include "os/clock.h"
#include "os/random.h"


enum {
    TOGETHER = 10,                 /* ms: a grid of what is due */
    SPREAD   = 1,                  /* ms between first questions */
    LOOK     = 1000                /* ms: for servers that have come */
};


/* --- the configuration --------------------------------------------------- */

void
lun_health_check_init(lun_conf *cf, lun_health_check *check)
{
    *check = (lun_health_check) {
        .engine = cf->engine,
        .name = LUN_STR(""),
        .interval = 5000,
        .fails = 1,
        .passes = 1,
        .file = cf->file,
        .line = cf->line
    };
}


/* "key=value": what stands behind it; data NULL: it is another word. */
static lun_str
value_of(lun_str word, const char *key)
{
    lun_str  k = lun_str_z(key);

    return lun_str_starts(word, k)
           ? lun_str_of(word.data + k.len, word.len - k.len) : LUN_STR_NULL;
}


static lun_rc
read_number(lun_conf *cf, lun_str word, lun_str text, int64_t least,
    int64_t most, int64_t *to)
{
    uint64_t  n;

    if (lun_str_to_u64(text, &n) != LUN_OK || n > (uint64_t) most
        || (int64_t) n < least)
    {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
    }

    *to = (int64_t) n;
    return LUN_OK;
}


static lun_rc
read_time(lun_conf *cf, lun_str word, lun_str text, bool may_be_0,
    lun_msec *to)
{
    if (lun_str_to_msec(text, to) != LUN_OK || (*to == 0 && !may_be_0)) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
    }

    return LUN_OK;
}


lun_rc
lun_health_check_read(lun_conf *cf, lun_health_check *check, lun_str word)
{
    lun_str  text;

    if ((text = value_of(word, "interval=")).data != NULL) {
        return read_time(cf, word, text, false, &check->interval);
    }

    if ((text = value_of(word, "jitter=")).data != NULL) {
        return read_time(cf, word, text, true, &check->jitter);
    }

    if ((text = value_of(word, "fails=")).data != NULL) {
        return read_number(cf, word, text, 1, INT32_MAX, &check->fails);
    }

    if ((text = value_of(word, "passes=")).data != NULL) {
        return read_number(cf, word, text, 1, INT32_MAX, &check->passes);
    }

    if ((text = value_of(word, "port=")).data != NULL) {
        return read_number(cf, word, text, 1, UINT16_MAX, &check->port);
    }

    if ((text = value_of(word, "match=")).data != NULL && text.len != 0) {
        check->name = text;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("mandatory"))) {
        check->mandatory = true;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("persistent"))) {
        check->persistent = true;
        return LUN_OK;
    }

    return LUN_AGAIN;
}


static const lun_duty_kind  checking;


lun_rc
lun_health_check_finish(lun_conf *cf, lun_health_check *check)
{
    unsigned       n = 0;
    lun_upstream  *u = check->upstream;

    if (check->persistent && !check->mandatory) {
        return lun_conf_fail_at(cf, check->file, check->line,
                                "\"persistent\" requires \"mandatory\"");
    }

    if (u->zone == NULL) {
        return lun_conf_fail_at(cf, check->file, check->line, "health checks "
                                "require upstream \"%.*s\" in %.*s:%u to be in "
                                "shared memory", LUN_S(u->name),
                                LUN_S(u->file), u->line);
    }

    check->bit = lun_upstream_add_check(u, check->mandatory,
                                        check->persistent);

    if (check->bit == 0) {
        return lun_conf_fail_at(cf, check->file, check->line, "too many "
                                "health checks of upstream \"%.*s\"",
                                LUN_S(u->name));
    }

    while (check->bit >> n != 1) {
        n++;
    }

    (void) lun_duty_add(cf->gen->duties, &checking,
                        lun_pool_fmt(cf->pool, "%s %.*s %u",
                                     check->engine->protocol->name,
                                     LUN_S(u->name), n), check);
    return LUN_OK;
}


/* --- servers ------------------------------------------------------------- */

static char *
put_context(void *owner, char *p, const char *end)
{
    const lun_health_peer   *peer = owner;
    const lun_health_check  *check = peer->checker->check;

    return lun_fmt(p, end, ", health check \"%.*s\" of peer %.*s in upstream "
                   "\"%.*s\"", LUN_S(check->name), LUN_S(peer->server->name),
                   LUN_S(check->upstream->name));
}


static uint32_t
random_below(lun_msec limit)
{
    uint32_t  r;

    lun_random_bytes(&r, sizeof(r));
    return r % ((uint32_t) lun_min(limit, (lun_msec) UINT32_MAX - 1) + 1);
}


static lun_msec
jitter_of(const lun_health_check *check)
{
    return check->jitter != 0 ? random_below(check->jitter) : 0;
}


static void
point_at(lun_health_peer *p, const lun_upstream_group *g,
    const lun_upstream_server *server)
{
    int64_t  port = p->checker->check->port;

    p->group = g;
    p->server = server;
    p->addr = *server->addr;

    if (port != 0 && p->addr.family != LUN_AF_UNIX) {
        p->addr.port = (uint16_t) port;
    }
}


static lun_health_peer *
new_peer(lun_health_checker *c)
{
    lun_health_peer  *p = lun_calloc(sizeof(lun_health_peer));

    p->checker = c;
    p->log = *c->log;
    p->log.context = put_context;
    p->log.owner = p;
    return p;
}


static void
drop_peer(lun_health_peer *p)
{
    lun_upstream_leave_check(p->server, &p->failing);
    lun_timer_stop(&p->timer);
    lun_list_remove(&p->link);

    if (p->open) {
        p->open = false;
        p->checker->check->probe->cancel(p);
    }

    if (p->held) {
        p->gone = true;

    } else {
        lun_free(p);
    }
}


/* What a server is known by as long as it is there: its state. */
static lun_str
key_of(const lun_upstream_server *server)
{
    return lun_str_of((const char *) &server->state, sizeof(server->state));
}


static void  ask_at(lun_health_peer *p, lun_msec due);


/* Those that stay go on as they were; the others are gone. */
static void
take_over(lun_health_checker *c, lun_upstream_group *groups, lun_pool *temp)
{
    size_t               i, n = 0;
    lun_hash             before;
    lun_list             old;
    lun_health_peer     *p;
    lun_upstream_group  *g;

    lun_hash_init(&before, temp, 0, false);
    lun_list_init(&old);

    while (!lun_list_empty(&c->peers)) {
        p = lun_container_of(c->peers.next, lun_health_peer, link);
        lun_hash_set(&before, key_of(p->server), p);
        lun_list_remove(&p->link);
        lun_list_push_back(&old, &p->link);
    }

    for (g = groups; g != NULL; g = g->next) {
        for (i = 0; i < g->count; i++) {
            p = lun_hash_get(&before, key_of(&g->peers[i]));

            if (p == NULL
                || !lun_str_eq(p->server->name, g->peers[i].name))
            {
                p = new_peer(c);
                ask_at(p, lun_clock.mono + SPREAD * n++);

            } else {
                lun_list_remove(&p->link);
            }

            lun_list_push_back(&c->peers, &p->link);
            point_at(p, g, &g->peers[i]);
        }
    }

    while (!lun_list_empty(&old)) {
        drop_peer(lun_container_of(old.next, lun_health_peer, link));
    }
}


/* The servers as they are now. */
static void
look_at_servers(lun_health_checker *c)
{
    lun_pool      *held, *temp;
    lun_upstream  *u = c->check->upstream;

    if (lun_upstream_peers(u) == c->groups) {
        return;
    }

    held = lun_pool_new_sized(256);
    temp = lun_pool_new_sized(4096);

    if (u->refresh != NULL) {
        u->refresh(u, held);
    }

    take_over(c, u->peers, temp);
    lun_pool_free(temp);

    if (c->held != NULL) {
        lun_pool_free(c->held);
    }

    c->held = held;
    c->groups = u->peers;
}


/* --- asking -------------------------------------------------------------- */

/* False: the server is not there any more, and p is freed. */
static bool
is_still_there(lun_health_peer *p)
{
    p->held = true;
    look_at_servers(p->checker);
    p->held = false;

    if (p->gone) {
        lun_free(p);
        return false;
    }

    return true;
}


/* It is known that it fails: why, need not be said each time. */
static void
hush(lun_health_peer *p)
{
    lun_log_level  level = p->checker->log->level;

    p->log.level = p->fails != 0 && level < LUN_LOG_INFO
                   ? lun_min(level, LUN_LOG_CRIT) : level;
}


static void
on_due(lun_timer *timer)
{
    lun_health_peer  *p = lun_container_of(timer, lun_health_peer, timer);

    if (is_still_there(p)) {
        p->open = true;
        p->asked = lun_clock.mono;
        p->log.doing = NULL;
        hush(p);
        p->checker->check->probe->ask(p);
    }
}


/* Those that are due at about the same time are, at the same time. */
static void
ask_at(lun_health_peer *p, lun_msec due)
{
    due = lun_max(due + jitter_of(p->checker->check), lun_clock.mono);
    due += TOGETHER - due % TOGETHER;
    p->timer.idle = true;
    lun_timer_start(p->checker->loop, &p->timer, due - lun_clock.mono, on_due);
}


/* For servers that have come. */
static void
on_look(lun_timer *timer)
{
    lun_health_checker  *c = lun_container_of(timer, lun_health_checker,
                                              timer);

    look_at_servers(c);
    c->timer.idle = true;
    lun_timer_start(c->loop, &c->timer, LOOK, on_look);
}


/* --- answers ------------------------------------------------------------- */

static lun_health_verdict
count(lun_health_peer *p, bool passed)
{
    const lun_health_check  *check = p->checker->check;

    if (passed) {
        p->fails = 0;
        p->passes++;

    } else {
        p->passes = 0;
        p->fails++;
    }

    /* Who waits to be let in is judged by the first answer. */
    if (!check->strict
        && lun_upstream_waits_for_check(p->group, p->server, check->bit))
    {
        return passed ? LUN_HEALTH_WELL : LUN_HEALTH_UNWELL;
    }

    return p->passes >= check->passes ? LUN_HEALTH_WELL
           : p->fails >= check->fails ? LUN_HEALTH_UNWELL
                                      : LUN_HEALTH_AS_BEFORE;
}


static void
judge(lun_health_peer *p, const char *doing)
{
    bool                passed = doing == NULL;
    lun_health_verdict  verdict = count(p, passed);

    verdict = lun_upstream_note_check(p->group, p->server,
                                      p->checker->check->bit, passed, verdict,
                                      &p->failing);
    p->log.level = p->checker->log->level;
    p->log.doing = doing;

    if (verdict == LUN_HEALTH_UNWELL) {
        lun_log(LUN_LOG_WARN, &p->log, 0, "peer is unhealthy");

    } else if (verdict == LUN_HEALTH_WELL) {
        lun_log(LUN_LOG_NOTICE, &p->log, 0, "peer is healthy");

    } else if (!passed) {
        lun_log(LUN_LOG_INFO, &p->log, 0, "health check failed");
    }
}


void
lun_health_answer(lun_health_peer *p, const char *doing)
{
    LUN_CHECK(p->open);
    p->open = false;
    p->asking = NULL;

    if (is_still_there(p)) {
        judge(p, doing);
        ask_at(p, p->asked + p->checker->check->interval);
    }
}


/* --- the duty ------------------------------------------------------------ */

static void
begin(lun_duty *d)
{
    lun_pool            *pool = lun_pool_new_sized(2048);
    lun_health_checker  *c = lun_pool_new(pool, lun_health_checker);

    d->work = c;
    c->pool = pool;
    c->check = d->data;
    c->loop = d->loop;
    c->log = d->log;
    lun_list_init(&c->peers);

    if (c->check->probe->begin != NULL) {
        c->check->probe->begin(c);
    }

    on_look(&c->timer);
}


static void
end(lun_duty *d)
{
    lun_health_checker  *c = d->work;

    lun_timer_stop(&c->timer);

    while (!lun_list_empty(&c->peers)) {
        drop_peer(lun_container_of(c->peers.next, lun_health_peer, link));
    }

    if (c->check->probe->end != NULL) {
        c->check->probe->end(c);
    }

    if (c->held != NULL) {
        lun_pool_free(c->held);
    }

    lun_pool_free(c->pool);
    d->work = NULL;
}


static const lun_duty_kind  checking = {
    .name = "health check of",
    .begin = begin,
    .end = end,
};
