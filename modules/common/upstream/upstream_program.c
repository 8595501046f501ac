/*
 * upstream_program.c -- programs that an upstream owns, in place of servers
 * that somebody else has to start:
 *
 *     upstream php {
 *         program "C:/php/php-cgi.exe" count=4 max_requests=500
 *                 env=PHPRC=C:/php;
 *     }
 *
 * Each listens on a free port of 127.0.0.1, or a unix socket, and has one
 * request at a time; the others wait here until one is free.  Who starts,
 * watches and ends them is program_keeper.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/program_priv.h"

#include "config/status.h"
#include "modules/common/upstream/upstream_names.h"
#include "os/clock.h"
#include "os/path.h"
#include "shm/mailbox.h"


enum {
    LOOK_AGAIN = 500,              /* ms: who was to ring us may be killed */
    USUAL_COUNT = 4,
    USUAL_REQUESTS = 500,
    USUAL_PATIENCE = 60000         /* ms */
};

/* A request's interest in a program. */
typedef struct {
    lun_list            link;      /* in p->waiting, while it waits */
    lun_programs       *p;
    lun_balance        *b;
    lun_program_slot    got;
    uint32_t            index;
    lun_addr            addr;
    char                path[LUN_PROGRAM_PATH];    /* addr's */
    lun_msec            since;
    bool                taken;     /* `got` was found while it waited */
    bool                late;      /* it has waited too long */
    bool                broken;    /* there is none to wait for */
} choice;

extern lun_module  lun_common_upstream_program;


/* Of this process: those for which requests wait. */
static lun_list  waited_for = { &waited_for, &waited_for };


/* --- who waits ----------------------------------------------------------- */

static void  on_look(lun_timer *timer);
static void  on_now(lun_timer *timer);


static choice *
first_of(const lun_programs *p)
{
    return lun_list_empty(&p->waiting)
           ? NULL : lun_container_of(p->waiting.next, choice, link);
}


static void
say_since(lun_programs *p)
{
    const choice  *first = first_of(p);

    lun_program_wait_since(lun_program_table_of(p),
                           first != NULL ? first->since : 0);
}


/* The first that waits may have to give up before anybody rings. */
static void
look_later(lun_programs *p)
{
    lun_msec  over = first_of(p)->since + p->patience;
    lun_msec  left = over > lun_clock.mono ? over - lun_clock.mono : 0;

    lun_timer_start(p->loop, &p->look, lun_min(left, (lun_msec) LOOK_AGAIN),
                    on_look);
}


static void
queue(lun_programs *p, choice *ch)
{
    bool  first = lun_list_empty(&p->waiting);

    ch->since = lun_clock.mono;
    lun_list_push_back(&p->waiting, &ch->link);

    if (first) {
        lun_list_push_back(&waited_for, &p->link);
        say_since(p);
        look_later(p);
        lun_timer_start(p->loop, &p->now, 0, on_now);
    }
}


static void
leave_queue(lun_programs *p, choice *ch)
{
    bool  first = first_of(p) == ch;

    lun_list_remove(&ch->link);
    lun_list_init(&ch->link);

    if (first) {
        say_since(p);
    }

    if (lun_list_empty(&p->waiting)) {
        lun_timer_stop(&p->look);
        lun_list_remove(&p->link);
    }
}


/* Programs for those who wait, in their order. */
static void
serve_queue(lun_programs *p)
{
    choice              *ch;
    lun_program_table   *t = lun_program_table_of(p);
    lun_program_verdict  v;

    while ((ch = first_of(p)) != NULL) {
        v = lun_program_take(t, ch->since, &ch->got, &ch->index);
        ch->taken = v == LUN_PROGRAM_TAKEN;
        ch->broken = v == LUN_PROGRAM_BROKEN;
        ch->late = !ch->taken && lun_clock.mono - ch->since >= p->patience;

        if (!ch->taken && !ch->broken && !ch->late) {
            return;
        }

        leave_queue(p, ch);
        ch->b->ready(ch->b);
    }
}


static void
on_look(lun_timer *timer)
{
    lun_programs  *p = lun_container_of(timer, lun_programs, look);

    serve_queue(p);

    if (!lun_list_empty(&p->waiting)) {
        look_later(p);
    }
}


static void
on_now(lun_timer *timer)
{
    serve_queue(lun_container_of(timer, lun_programs, now));
}


/* Soon: requests that go on may change the list. */
static void
on_rung(void *none, lun_str text)
{
    lun_programs  *p;

    lun_list_each (&waited_for, it) {
        p = lun_container_of(it, lun_programs, link);
        lun_timer_start(p->loop, &p->now, 0, on_now);
    }
}


/* --- the choice ---------------------------------------------------------- */

static lun_balance_verdict
use_taken(lun_session *s, lun_balance *b, choice *ch)
{
    char  room[LUN_ADDR_TEXT];

    ch->addr = lun_program_addr(ch->p, ch->index, ch->got.port, ch->path);
    b->addr = &ch->addr;
    b->name = lun_pool_str(s->pool, lun_addr_format(&ch->addr, true, room,
                                                    sizeof(room)));
    return LUN_BALANCE_OK;
}


static lun_balance_verdict
get(lun_session *s, lun_balance *b)
{
    choice              *ch = b->data;
    lun_programs        *p = ch->p;
    lun_program_verdict  v = LUN_PROGRAM_WAIT;

    b->name = p->upstream->name;

    if (ch->late) {
        lun_log(LUN_LOG_ERR, s->log, 0, "no program of upstream \"%.*s\" was "
                "free within %" PRIu64 " ms", LUN_S(p->upstream->name),
                p->patience);
        b->status = 504;
        return LUN_BALANCE_ERROR;
    }

    if (ch->broken) {
        return LUN_BALANCE_NONE;
    }

    if (!ch->taken && lun_list_empty(&p->waiting)) {
        v = lun_program_take(lun_program_table_of(p), 0, &ch->got,
                             &ch->index);
        ch->taken = v == LUN_PROGRAM_TAKEN;
    }

    if (ch->taken) {
        ch->taken = false;
        return use_taken(s, b, ch);
    }

    if (v == LUN_PROGRAM_BROKEN) {
        return LUN_BALANCE_NONE;
    }

    queue(p, ch);
    return LUN_BALANCE_WAIT;
}


/* A program whose answer has failed is replaced: it may hang. */
static void
put(lun_session *s, lun_balance *b, unsigned outcome)
{
    bool           failed = (outcome & LUN_BALANCE_FAILED) != 0;
    choice        *ch = b->data;
    int64_t        pid;
    lun_programs  *p = ch->p;

    pid = lun_program_give(lun_program_table_of(p), ch->index, ch->got.pid,
                           failed, p->max_requests);

    if (pid != 0 && failed) {
        lun_log(LUN_LOG_ERR, s->log, 0, "program %" PRId64 " is replaced",
                pid);
    }

    if (pid != 0) {
        lun_program_end(pid, failed);
    }

    b->tries -= b->tries > 0;

    if (!lun_list_empty(&p->waiting)) {
        lun_timer_start(p->loop, &p->now, 0, on_now);
    }
}


static void
cancel(lun_session *s, lun_balance *b)
{
    choice  *ch = b->data;

    leave_queue(ch->p, ch);
}


static lun_rc
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    choice  *ch = lun_pool_new(s->pool, choice);

    ch->p = u->data;
    ch->b = b;
    lun_list_init(&ch->link);
    b->data = ch;
    b->get = get;
    b->put = put;
    b->cancel = cancel;
    /* One that has ended and was not missed yet costs a try, no request. */
    b->tries = (unsigned) ch->p->count + 1;

    return LUN_OK;
}


/* --- the configuration --------------------------------------------------- */

static const lun_balancer  programs = {
    .name = "program",
    .takes = LUN_SERVER_NONE | LUN_SERVER_FOREIGN,
    .begin = begin,
};


/* After upstream_keepalive, which is there for every upstream. */
static lun_rc
init(lun_conf *cf)
{
    size_t            i;
    lun_upstream     *u;
    const lun_array  *all = lun_upstream_all(cf->engine);

    for (i = 0; i < all->count; i++) {
        u = *(lun_upstream **) lun_array_at(all, i);

        if (u->method != &programs) {
            continue;
        }

        /* One that is kept would hold its program for one worker alone. */
        u->keepalive = NULL;

        if (u->servers.count != 0) {
            return lun_conf_fail_bare(cf, "\"server\" cannot be used with "
                                      "\"program\" in upstream \"%.*s\"",
                                      LUN_S(u->name));
        }
    }

    return LUN_OK;
}


/* "unix:/run/php": sockets are /run/php.0, /run/php.1, ... */
static bool
read_listen(lun_conf *cf, lun_str text, lun_programs *p)
{
    size_t   most = LUN_PROGRAM_PATH - sizeof(".4294967295");
    lun_str  path;

    if (lun_path_native == LUN_PATH_WINDOWS
        || !lun_str_after(text, LUN_STR("unix:"), &path) || path.len == 0)
    {
        return false;
    }

    p->socket = lun_conf_path(cf, path, false);
    return p->socket.len <= most;
}


/* False: "invalid parameter". */
static bool
read_parameter(lun_conf *cf, lun_str word, lun_programs *p)
{
    lun_str  v;

    if (lun_str_after(word, LUN_STR("count="), &v)) {
        return lun_str_to_i64(v, &p->count) == LUN_OK && p->count > 0
               && p->count <= LUN_PROGRAM_MOST;
    }

    if (lun_str_after(word, LUN_STR("max_requests="), &v)) {
        return lun_str_to_i64(v, &p->max_requests) == LUN_OK
               && p->max_requests >= 0;
    }

    if (lun_str_after(word, LUN_STR("queue_timeout="), &v)) {
        return lun_str_to_msec(v, &p->patience) == LUN_OK;
    }

    if (lun_str_after(word, LUN_STR("listen="), &v)) {
        return read_listen(cf, v, p);
    }

    if (lun_str_after(word, LUN_STR("dir="), &v)) {
        p->dir = lun_conf_path(cf, v, false);
        return v.len != 0;
    }

    if (lun_str_after(word, LUN_STR("arg="), &v)) {
        *(lun_str *) lun_array_push(&p->argv) = v;
        return true;
    }

    if (lun_str_after(word, LUN_STR("env="), &v)) {
        *(lun_str *) lun_array_push(&p->env) = v;
        return lun_str_chr(v, '=') != NULL && v.data[0] != '=';
    }

    return false;
}


/* What has a slash is a file, below the prefix or not; else PATH has it. */
static lun_str
program_path(lun_conf *cf, lun_str text)
{
    return lun_str_chr(text, '/') != NULL || lun_str_chr(text, '\\') != NULL
           ? lun_conf_path(cf, text, false) : text;
}


/* The defaults are what php-cgi wants. */
static void
complete(lun_programs *p)
{
    if (p->argv.count == 1) {
        *(lun_str *) lun_array_push(&p->argv) = LUN_STR("-b");
        *(lun_str *) lun_array_push(&p->argv) = LUN_STR("$address");
    }
}


static lun_rc
on_start(lun_generation *gen, void *data)
{
    lun_mailbox_on(LUN_LETTER_PROGRAM, on_rung, NULL);
    return LUN_OK;
}


static lun_rc
on_exit(lun_generation *gen, void *data)
{
    lun_programs  *p = data;

    lun_timer_stop(&p->look);
    lun_timer_stop(&p->now);
    return LUN_OK;
}


/* Programs that begin together would take each other's sockets. */
static lun_rc
refuse_same_socket(lun_conf *cf, const lun_programs *p)
{
    size_t               i;
    const lun_array     *hooks = &cf->gen->on_exit;
    const lun_gen_hook  *hook;
    const lun_programs  *other;

    for (i = 0; p->socket.len != 0 && i < hooks->count; i++) {
        hook = lun_array_at(hooks, i);
        other = hook->data;

        if (hook->run == on_exit
            && lun_str_eq(other->socket, p->socket))
        {
            return lun_conf_fail(cf, "programs of upstream \"%.*s\" listen at "
                                 "\"unix:%.*s\"",
                                 LUN_S(other->upstream->name),
                                 LUN_S(p->socket));
        }
    }

    return LUN_OK;
}


/* --- the tree ------------------------------------------------------------ */

static bool
write_programs(lun_status_walk *w, void *data, uint32_t *cursor)
{
    lun_programs        *p = data;
    lun_program_counts   c;

    if (p->zone->shm.addr == NULL || !lun_status_open(w, p->upstream->name)) {
        return false;
    }

    lun_program_tally(lun_program_table_of(p), &c);
    lun_status_number(w, "wanted", p->count);
    lun_status_number(w, "starting", c.states[LUN_PROGRAM_STARTING]);
    lun_status_number(w, "free", c.states[LUN_PROGRAM_FREE]);
    lun_status_number(w, "busy", c.states[LUN_PROGRAM_BUSY]);
    lun_status_number(w, "ending", c.states[LUN_PROGRAM_ENDING]);
    lun_status_number(w, "requests", c.served);
    lun_status_number(w, "waiting", c.waiting);
    lun_status_flag(w, "broken", c.broken);
    lun_status_close(w);
    return false;
}


static lun_rc
set_program(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t           i;
    const char      *why;
    lun_programs    *p = lun_pool_new(cf->pool, lun_programs);
    lun_generation  *gen = cf->gen;

    p->gen = gen;
    p->loop = gen->loop;
    p->upstream = lun_upstream_current(cf);
    p->count = USUAL_COUNT;
    p->max_requests = USUAL_REQUESTS;
    p->patience = USUAL_PATIENCE;
    lun_list_init(&p->waiting);
    lun_array_init(&p->argv, cf->pool, sizeof(lun_str), 4);
    lun_array_init(&p->env, cf->pool, sizeof(lun_str), 4);
    *(lun_str *) lun_array_push(&p->argv) = program_path(cf, cf->args[1]);

    for (i = 2; i < cf->argc; i++) {
        if (!read_parameter(cf, cf->args[i], p)) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }
    }

    if (refuse_same_socket(cf, p) != LUN_OK) {
        return LUN_ERROR;
    }

    complete(p);
    p->zone = lun_zone_want(gen->zones,
                            lun_pool_fmt(cf->pool, "programs of %.*s",
                                         LUN_S(p->upstream->name)),
                            lun_program_table_size((size_t) p->count),
                            &lun_program_zone, &why);

    if (p->zone == NULL) {
        return lun_conf_fail(cf, "%s", why);
    }

    p->upstream->data = p;
    lun_upstream_set_method(cf, &programs);
    lun_status_add(gen, "status/programs", write_programs, p);
    lun_gen_add_hook(gen, &gen->on_start, on_start, p);
    lun_gen_add_hook(gen, &gen->on_exit, on_exit, p);
    (void) lun_duty_add(gen->duties, &lun_program_keeping,
                        lun_upstream_owner(cf->temp, cf->engine, p->upstream),
                        p);

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "program", .where = LUN_UPSTREAM, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = set_program,
      .values = "command ... [count=number]",
      .help = "a program of the upstream's own, and how many of it" },
    { 0 }
};

lun_module  lun_common_upstream_program = {
    .name = "upstream_program",
    .directives = directives,
    .init = init,
};
