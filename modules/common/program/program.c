/*
 * program.c -- programs that an upstream owns, in place of servers that
 * somebody else has to start:
 *
 *     upstream app { program node app.js count=2 env=NODE_ENV=production; }
 *     upstream php { program "C:/php/php-cgi.exe" count=4 env=PHPRC=C:/php; }
 *
 * Each listens on a free port of 127.0.0.1, or a unix socket, that it is told.
 * A request goes to the one that has least in hand; where a program may have
 * no more, and while none is up yet, it waits here.  Who starts, watches and
 * ends them is program_keeper.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/program/program_spec.h"

#include "config/status.h"
#include "modules/common/upstream/upstream_names.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/knock.h"
#include "shm/mailbox.h"


enum {
    LOOK_AGAIN = 20,               /* ms: the keeper rings nobody */
    MOST_PAGE = 64 * 1024          /* bytes of an `offline` file */
};

/* A request's interest in a program. */
typedef struct {
    lun_list            link;      /* in p->waiting, while it waits */
    lun_programs       *p;
    lun_balance        *b;
    lun_program_grip    got;
    lun_addr            addr;
    char                path[LUN_PROGRAM_PATH];    /* addr's */
    lun_msec            since;
    bool                taken;     /* `got` was found while it waited */
    bool                late;      /* it has waited too long */
    bool                broken;    /* there is none to wait for */
    bool                offline;   /* nor will there be */
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


/* The keeper starts none before somebody wants one. */
static void
want(lun_program_table *t)
{
    if (!atomic_exchange(&t->wanted, true)) {
        lun_knock();
    }
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
        want(lun_program_table_of(p));
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
        v = lun_program_take(t, ch->since, p->max_conns, &ch->got);
        ch->taken = v == LUN_PROGRAM_TAKEN;
        ch->broken = v == LUN_PROGRAM_BROKEN;
        ch->offline = v == LUN_PROGRAM_OFFLINE;
        ch->late = v == LUN_PROGRAM_WAIT
                   && lun_clock.mono - ch->since >= p->patience;

        if (v == LUN_PROGRAM_WAIT && !ch->late) {
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

    ch->addr = lun_program_addr(ch->p->spec.socket, ch->got.index,
                                ch->got.port, ch->path);
    b->addr = &ch->addr;
    b->name = lun_pool_str(s->pool, lun_addr_format(&ch->addr, true, room,
                                                    sizeof(room)));
    return LUN_BALANCE_OK;
}


/* One request, one program: who finds none waits in line, up to `patience`. */
static lun_balance_verdict
fail(lun_balance *b, unsigned status)
{
    b->status = status;
    return LUN_BALANCE_ERROR;
}


/* What that file says: it stands for the program. */
static lun_balance_verdict
show_offline(lun_session *s, lun_balance *b, const lun_programs *p)
{
    char      *text = lun_pool_alloc(s->pool, MOST_PAGE);
    size_t     n = 0;
    lun_fd     fd;
    lun_err    err;

    err = lun_file_open(p->spec.offline.data, LUN_FILE_READ, 0, &fd);

    if (err == 0) {
        err = lun_file_read(fd, text, MOST_PAGE, 0, &n);
        lun_file_close(fd);
    }

    if (err != 0) {
        lun_log(LUN_LOG_ERR, s->log, err, "open() \"%.*s\" failed",
                LUN_S(p->spec.offline));
        n = 0;
    }

    b->page = lun_str_of(text, n);
    return fail(b, 503);
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
        return fail(b, 504);
    }

    if (!ch->taken && !ch->broken && !ch->offline
        && lun_list_empty(&p->waiting))
    {
        v = lun_program_take(lun_program_table_of(p), 0, p->max_conns,
                             &ch->got);
        ch->taken = v == LUN_PROGRAM_TAKEN;
        ch->broken = v == LUN_PROGRAM_BROKEN;
        ch->offline = v == LUN_PROGRAM_OFFLINE;
    }

    if (ch->offline) {
        return show_offline(s, b, p);
    }

    if (ch->broken) {
        ch->broken = false;
        want(lun_program_table_of(p));
        return LUN_BALANCE_NONE;
    }

    if (ch->taken) {
        ch->taken = false;
        return use_taken(s, b, ch);
    }

    queue(p, ch);
    return LUN_BALANCE_WAIT;
}


static void
put(lun_session *s, lun_balance *b, unsigned outcome)
{
    bool           failed = (outcome & LUN_BALANCE_FAILED) != 0;
    choice        *ch = b->data;
    lun_programs  *p = ch->p;

    lun_program_give(lun_program_table_of(p), &ch->got, failed,
                     p->max_requests);
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
    b->tries = (unsigned) ch->p->spec.count + 1;

    return LUN_OK;
}


/* --- the configuration --------------------------------------------------- */

static lun_str
token(const lun_upstream *u)
{
    const lun_programs  *p = u->data;

    return lun_str_of(lun_program_table_of(p)->token, LUN_PROGRAM_TOKEN);
}


static const lun_balancer  programs = {
    .name = "program",
    .token = token,
    .takes = LUN_SERVER_NONE | LUN_SERVER_FOREIGN,
    .begin = begin,
};


/* After upstream_keepalive, which is there for every upstream. */
static lun_rc
init(lun_conf *cf)
{
    size_t               i;
    lun_upstream        *u;
    const lun_programs  *p;
    const lun_array     *all = lun_upstream_all(cf->engine);

    for (i = 0; i < all->count; i++) {
        u = *(lun_upstream **) lun_array_at(all, i);

        if (u->method != &programs) {
            continue;
        }

        p = u->data;

        /* One that is kept would hold its program for one worker alone. */
        if (p->max_conns == 1) {
            u->keepalive = NULL;
        }

        if (u->servers.count != 0) {
            return lun_conf_fail_bare(cf, "\"server\" cannot be used with "
                                      "\"program\" in upstream \"%.*s\"",
                                      LUN_S(u->name));
        }
    }

    return LUN_OK;
}


static lun_rc
on_start(lun_generation *gen, void *data)
{
    lun_mailbox_on(LUN_LETTER_PROGRAM, on_rung, NULL);

    if (!gen->alone) {
        lun_program_no_keeper();
    }

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

    for (i = 0; p->spec.socket.len != 0 && i < hooks->count; i++) {
        hook = lun_array_at(hooks, i);
        other = hook->data;

        if (hook->run == on_exit
            && lun_str_eq(other->spec.socket, p->spec.socket))
        {
            return lun_conf_fail(cf, "programs of upstream \"%.*s\" listen at "
                                 "\"unix:%.*s\"",
                                 LUN_S(other->upstream->name),
                                 LUN_S(p->spec.socket));
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
    lun_status_number(w, "wanted", p->spec.count);
    lun_status_number(w, "starting", c.starting);
    lun_status_number(w, "free", c.free);
    lun_status_number(w, "busy", c.busy);
    lun_status_number(w, "ending", c.ending);
    lun_status_number(w, "active", c.active);
    lun_status_number(w, "requests", c.served);
    lun_status_number(w, "waiting", c.waiting);
    lun_status_flag(w, "broken", c.broken);
    lun_status_flag(w, "offline", c.offline);
    lun_status_close(w);
    return false;
}


static lun_rc
set_program(lun_conf *cf, const lun_directive *d, void *conf)
{
    const char      *why;
    lun_programs    *p = lun_pool_new(cf->pool, lun_programs);
    lun_generation  *gen = cf->gen;

    p->loop = gen->loop;
    p->upstream = lun_upstream_current(cf);
    lun_list_init(&p->waiting);

    if (lun_program_spec_read(cf, p) != LUN_OK
        || refuse_same_socket(cf, p) != LUN_OK)
    {
        return LUN_ERROR;
    }

    p->zone = lun_zone_want(gen->zones,
                            lun_pool_fmt(cf->pool, "programs of %.*s",
                                         LUN_S(p->upstream->name)),
                            lun_program_table_size((size_t) p->spec.count),
                            &lun_program_zone, &why);

    if (p->zone == NULL) {
        return lun_conf_fail(cf, "%s", why);
    }

    p->upstream->data = p;
    lun_upstream_set_method(cf, &programs);
    lun_status_add(gen, "status/programs", write_programs, p);
    lun_gen_add_hook(gen, &gen->on_lead, lun_program_lead, p);
    lun_gen_add_hook(gen, &gen->on_start, on_start, p);
    lun_gen_add_hook(gen, &gen->on_exit, on_exit, p);

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "program", .where = LUN_UPSTREAM, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = set_program,
      .values = "command ... [parameter=value] ...",
      .help = "a program of the upstream's own, and how many of it" },
    { 0 }
};

lun_module  lun_common_upstream_program = {
    .name = "upstream_program",
    .directives = directives,
    .init = init,
};
