/*
 * phases.c -- a session goes through the phases, and ends.
 *
 * The engine has lined up the handlers of all phases before the content; a
 * session stands at one of them (s->step).  Handlers may finish or resume the
 * session while they run: that only leaves a mark, which is looked at when
 * they return, so nothing is entered twice.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "stream/engine.h"

#include "base/check.h"
#include "net/conn_sock.h"
#include "stream/conf/core_conf.h"
#include "stream/server_sessions.h"
#include "stream/stream.h"


enum { POOL_SIZE = 2048 };

#define HEAD  lun_align(sizeof(lun_stream_session), 16)

static size_t  active;


/* --- the steps ----------------------------------------------------------- */

/*
 * Handlers become one array of steps, each with the place of the next phase's
 * first: to go on is an addition, and not a search.
 */
void
lun_stream_line_up(lun_stream_engine *e, lun_pool *pool)
{
    size_t         i, at, n = 0;
    lun_phase_fn  *handlers[64];

    static const lun_phase  order[] = {
        LUN_ACCEPTED, LUN_PREACCESS, LUN_ACCESS, LUN_STREAM_SSL,
        LUN_STREAM_PREREAD
    };

    for (i = 0; i < LUN_ARRAY_LEN(order); i++) {
        n += lun_engine_handlers(&e->head, order[i], NULL);
    }

    LUN_CHECK(n <= LUN_ARRAY_LEN(handlers));
    e->steps = lun_pool_new_n(pool, lun_stream_step, n);

    for (i = 0; i < LUN_ARRAY_LEN(order); i++) {
        n = lun_engine_handlers(&e->head, order[i], handlers);
        e->prereads |= order[i] == LUN_STREAM_PREREAD && n != 0;

        for (at = 0; at < n; at++) {
            e->steps[e->step_count + at] = (lun_stream_step) {
                .run = handlers[at],
                .phase = order[i],
                .next = (uint8_t) (e->step_count + n),
            };
        }

        e->step_count += (unsigned) n;
    }
}


/* --- life ---------------------------------------------------------------- */

size_t
lun_stream_active(void)
{
    return active;
}


static lun_pool *
take_pool(lun_stream_engine *e)
{
    if (e->spare_count > 0) {
        return e->spares[--e->spare_count];
    }

    return lun_pool_new_sized(POOL_SIZE);
}


static void
free_session(lun_stream_session *s)
{
    lun_pool            *pool = s->pool;
    lun_stream_engine   *e = s->engine;

    LUN_CHECK_MARK(s, LUN_MARK_SESSION);
    LUN_CHECK(s->references == 0);

    active--;

#ifdef LUN_POOL_DEBUG
    (void) e;                      /* so that ASan sees a use after the end */
#else
    if (e->spare_count < LUN_STREAM_SPARES) {
        lun_pool_reset(pool);
        s->mark = LUN_MARK_DEAD;
        e->spares[e->spare_count++] = pool;
        return;
    }
#endif

    lun_pool_free(pool);
}


/*
 * Nothing of the connection is in flight any more.  What ends with its pool
 * comes after this, and may have a word to say.
 */
static void
on_free(lun_conn *c)
{
    free_session(c->data);
    c->data = NULL;
}


/* A generation's count of variables is known only once it is all read. */
static unsigned
value_count(lun_stream_engine *e)
{
    if (LUN_UNLIKELY(e->values == 0)) {
        e->values = lun_var_count(&e->head);
    }

    return e->values;
}


/*
 * Modules' states and variables follow the session in one allocation, out of a
 * pool that an earlier session has left.
 */
lun_stream_session *
lun_stream_session_new(lun_conn *c, const lun_listen_addr *listen)
{
    char                *room;
    lun_pool            *pool;
    unsigned             values;
    lun_stream_engine   *e = lun_stream_engine_of(listen->engine);
    lun_stream_session  *s;

    values = value_count(e);
    pool = take_pool(e);
    room = lun_pool_zalloc(pool, HEAD + e->states * sizeof(void *)
                                 + values * sizeof(lun_value));

    s = (lun_stream_session *) (void *) room;
    s->mark = LUN_MARK_SESSION;
    s->pool = pool;
    s->log = &c->log;
    s->conn = c;
    s->main = s;
    s->remote = &c->remote;
    s->engine = e;
    s->listen = listen;
    s->server = lun_server_map_default(listen->servers);
    s->conf = s->server->conf;
    s->states = (void **) (void *) (room + HEAD);
    s->values = (lun_value *) (void *) (s->states + e->states);
    s->references = 1;
    s->start_sec = lun_clock.sec;
    s->start_msec = lun_clock.msec;

    c->data = s;
    c->on_free = on_free;
    active++;
    lun_stream_count_begin(s);

    return s;
}


void
lun_stream_get(lun_stream_session *s)
{
    LUN_CHECK_MARK(s, LUN_MARK_SESSION);
    s->references++;
}


/* The connection goes on, without this session. */
static void
hand_over(lun_stream_session *s)
{
    lun_conn      *c = s->conn;
    lun_listener  *to = s->pass;

    c->on_free = NULL;
    c->data = NULL;
    c->received = c->in.last - c->in.pos;
    c->sent = 0;
    free_session(s);

    lun_timer_stop(&c->timer);
    to->adopt(to, c);
}


void
lun_stream_put(lun_stream_session *s)
{
    LUN_CHECK_MARK(s, LUN_MARK_SESSION);
    LUN_CHECK(s->references > 0);

    if (--s->references > 0) {
        return;
    }

    LUN_CHECK(s->ended);

    /* Who has the connection afterwards says what became of it. */
    if (s->pass != NULL) {
        lun_stream_count_end(s);
        hand_over(s);
        return;
    }

    s->phase = LUN_LOG;
    lun_stream_count_end(s);
    lun_engine_log(&s->session);
    lun_debug(s->log, "finalize stream session: %u", s->status);
    lun_debug(s->log, "close stream connection: %" PRIdPTR,
              lun_conn_fd(s->conn));
    lun_conn_close(s->conn);
}


void
lun_stream_pass(lun_stream_session *s, lun_listener *to)
{
    LUN_CHECK(to->adopt != NULL && !lun_conn_writing(s->conn)
              && !lun_conn_reading(s->conn));

    s->pass = to;
    lun_stream_finish(s, LUN_FINISHED);
}


/* Somebody holds the session yet; what its client does concerns nobody. */
static const lun_conn_state  ended = { .name = "stream ended", .doing = NULL };


void
lun_stream_finish(lun_stream_session *s, lun_verdict v)
{
    const char  *doing = s->conn->log.doing;

    LUN_CHECK_MARK(s, LUN_MARK_SESSION);

    if (s->ended) {
        return;
    }

    /* What is logged at its end tells what it was doing. */
    if (s->pass == NULL) {
        lun_conn_enter(s->conn, &ended);
        s->conn->log.doing = doing;
    }

    s->status = (uint16_t) (v >= LUN_STATUS ? v - LUN_STATUS
                            : v == LUN_FAILED ? 500 : 200);
    s->ended = 1;
    s->waiting = 0;

    lun_stream_put(s);
}


/* --- the run ------------------------------------------------------------- */

void
lun_stream_nodelay(lun_stream_session *s)
{
    if (!s->conn->datagram && lun_stream_core_of(s)->tcp_nodelay) {
        lun_conn_nodelay(s->conn);
    }
}


static lun_verdict
run_content(lun_stream_session *s)
{
    const lun_stream_server  *server;

    server = lun_container_of(s->server, lun_stream_server, head);
    s->phase = LUN_STREAM_CONTENT;

    /* One that refuses handshakes needs none. */
    return server->content != NULL ? server->content(&s->session)
                                   : LUN_STATUS + 500;
}


/* Whether it goes on at once. */
static bool
follow(lun_stream_session *s, const lun_stream_step *step, lun_verdict v)
{
    if (s->ended) {
        return false;
    }

    switch (v) {

    case LUN_NEXT:
        s->step++;
        return true;

    case LUN_LEAVE:
        s->step = step->next;
        return true;

    case LUN_WAIT:
        /* What it waits for may have come already: ask it again. */
        s->waiting = !s->resumed;
        s->resumed = 0;
        return !s->waiting;

    default:
        lun_stream_finish(s, v);
        return false;
    }
}


/* The content's word is final, but for its waiting. */
static bool
follow_content(lun_stream_session *s, lun_verdict v)
{
    if (s->ended) {
        return false;
    }

    if (v == LUN_WAIT) {
        s->waiting = !s->resumed;
        s->resumed = 0;
        return !s->waiting;
    }

    lun_stream_finish(s, v);
    return false;
}


/* Holds a reference, so that a handler may end the session under our feet. */
void
lun_stream_run(lun_stream_session *s)
{
    bool                    on = true;
    const lun_stream_step  *step;

    LUN_CHECK_MARK(s, LUN_MARK_SESSION);
    LUN_CHECK(!s->running);

    lun_stream_get(s);
    s->running = 1;
    s->begun = 1;
    s->waiting = 0;

    while (on && !s->ended) {
        if (s->step == s->engine->step_count) {
            on = follow_content(s, run_content(s));

        } else {
            step = &s->engine->steps[s->step];
            s->phase = step->phase;
            on = follow(s, step, step->run(&s->session));
        }
    }

    s->running = 0;
    lun_stream_put(s);
}


void
lun_stream_resume(lun_stream_session *s)
{
    LUN_CHECK_MARK(s, LUN_MARK_SESSION);

    if (s->running) {
        s->resumed = 1;
        return;
    }

    if (!s->ended) {
        lun_stream_run(s);
    }
}


/* --- which server -------------------------------------------------------- */

void
lun_stream_use_log(lun_stream_session *s)
{
    const lun_log  *from = lun_stream_core_of(s)->error_log;

    if (from == NULL) {
        from = &s->engine->gen->log;
    }

    lun_log_redirect(s->log, from);
}


void
lun_stream_choose_server(lun_stream_session *s, lun_str host)
{
    lun_server  *server = lun_server_find(&s->session, s->listen->servers,
                                          host);

    if (server != NULL && server != s->server) {
        s->server = server;
        s->conf = server->conf;
        lun_stream_count_move(s);
        lun_stream_use_log(s);
    }
}
