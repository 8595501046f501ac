/*
 * health_check.c -- health_check, in a server of stream: the servers that it
 * passes sessions to are connected to from time to time; if that is said, they
 * are sent something, and have to answer.
 *
 * A datagram that nothing is expected to answer has to be met with silence: the
 * system says so when there is nobody.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/health_checker.h"
#include "modules/stream/health/health_match.h"
#include "net/dial/dial.h"
#include "net/dial/dial_tls.h"
#include "session/engine.h"
#include "session/upstream/upstream_tls.h"
#include "stream/conf/core_conf.h"
#include "stream/stream_session.h"


extern lun_module  lun_stream_health_check;

typedef struct {
    lun_health_check         head;
    bool                     udp;
    const lun_stream_match  *match;        /* NULL: it is enough to connect */
    lun_stream_passes        to;
    lun_str                  text;         /* that is sent */
    const lun_msec          *timeout;
} check;

typedef struct {
    check     *check;              /* NULL: none */
    lun_msec   timeout;            /* health_check_timeout */
} health_conf;

/* Of an engine. */
typedef struct {
    lun_hash  matches;             /* of lun_stream_match, by name */
} matches;

/* A check of a server that is under way; a connection may hold it longer. */
typedef struct {
    const check      *check;
    lun_health_peer  *peer;        /* NULL: nobody wants to know */
    lun_log           log;
    lun_dial          dial;
    lun_timer         late;
    size_t            sent;
    unsigned          holds;
} inquiry;


/* --- the end ------------------------------------------------------------- */

static void
put(inquiry *q)
{
    if (--q->holds == 0) {
        lun_free(q);
    }
}


static void
on_free(lun_conn *c)
{
    put(c->data);
}


static void
close_inquiry(inquiry *q)
{
    q->peer = NULL;
    q->log.context = NULL;
    lun_timer_stop(&q->late);
    lun_dial_drop(&q->dial);
    put(q);
}


static void
finish(inquiry *q, const char *doing)
{
    lun_health_peer  *p = q->peer;

    close_inquiry(q);
    lun_health_answer(p, doing);
}


/* --- the exchange -------------------------------------------------------- */

static const char  sending[] = "sending data to upstream";
static const char  waiting[] = "checking data from upstream";


static bool
expects(const check *k)
{
    return k->match != NULL && k->match->expects;
}


static void
send_rest(inquiry *q)
{
    lun_slice  rest = { q->check->text.data + q->sent,
                        q->check->text.len - q->sent };

    if (rest.len != 0) {
        lun_conn_write(q->dial.conn, &rest, 1);

    } else if (!expects(q->check) && !q->check->udp) {
        finish(q, NULL);
    }
}


static void
on_sent(lun_conn *c)
{
    inquiry  *q = c->data;

    q->sent += (size_t) lun_conn_written(c);
    send_rest(q);
}


/* Enough has come, or not yet, or too much that is something else. */
static void
on_read(lun_conn *c)
{
    inquiry      *q = c->data;
    lun_str       text = lun_str_of(c->in.pos, (size_t) (c->in.last
                                                         - c->in.pos));
    const check  *k = q->check;

    if (!expects(k)) {
        if (k->udp) {
            finish(q, NULL);
            return;
        }

        c->in.pos = c->in.last = c->in.start;
        lun_conn_want(c);

    } else if (lun_stream_match_fits(k->match, text)) {
        finish(q, NULL);

    } else if (c->in.last == c->in.end) {
        finish(q, waiting);

    } else {
        lun_conn_want(c);
    }
}


static void
on_gone(lun_conn *c)
{
    inquiry  *q = c->data;

    if (c->err != 0) {
        lun_log(LUN_LOG_ERR, &q->log, c->err, "%s failed",
                q->check->udp ? "recv()" : "connection");
    }

    finish(q, q->sent < q->check->text.len ? sending : waiting);
}


static const lun_conn_state  exchanging = {
    .name       = "health check exchanging",
    .doing      = "checking data from upstream",
    .on_written = on_sent,
    .on_read    = on_read,
    .on_gone    = on_gone,
};


static void
on_up(lun_dial *d)
{
    inquiry  *q = d->owner;

    lun_conn_enter(d->conn, &exchanging);

    if (q->check->text.len == 0 && !expects(q->check)) {
        finish(q, NULL);
        return;
    }

    lun_conn_want(d->conn);
    send_rest(q);
}


/* --- connecting ---------------------------------------------------------- */

static const lun_conn_state  connecting = {
    .name  = "health check connecting",
    .doing = "connecting to upstream",
    LUN_DIAL_CONNECTING,
};

static const lun_conn_state  handshaking = {
    .name  = "health check handshaking",
    .doing = "SSL handshaking to upstream",
    LUN_DIAL_HANDSHAKING,
};


static void
on_failed(lun_dial *d, lun_dial_why why)
{
    inquiry  *q = d->owner;

    q->log.doing = connecting.doing;

    if (why == LUN_DIAL_NO_SOCKET) {
        lun_log(LUN_LOG_ERR, &q->log, d->err, "socket() failed");

    } else if (why == LUN_DIAL_LOST) {
        lun_log(LUN_LOG_ERR, &q->log, d->conn->err, "connect() failed");
    }

    finish(q, d->stage == LUN_DIAL_HANDSHAKE ? handshaking.doing
                                             : connecting.doing);
}


static lun_rc
prepare(lun_dial *d, lun_conn *c, const lun_addr *addr)
{
    inquiry  *q = d->owner;

    q->holds++;                    /* until the connection is free */
    return LUN_OK;
}


static lun_str
name_of(const check *k)
{
    lun_str                  name;
    const lun_upstream_tls  *tls = k->to.tls;

    name = tls->name != NULL ? lun_script_text(tls->name) : LUN_STR_NULL;
    return name.len != 0 && !lun_script_has_variables(name)
           ? name : k->head.upstream->name;
}


static lun_rc
secure(lun_dial *d, lun_conn *c)
{
    inquiry                 *q = d->owner;
    lun_str                  name = name_of(q->check);
    const lun_upstream_tls  *tls = q->check->to.tls;

    if (lun_tls_start(c, tls->ctx, false) != LUN_OK
        || (tls->server_name && lun_dial_tls_is_name(name)
            && lun_dial_tls_tell_name(lun_tls_of(c), &q->log, "upstream ",
                                      name) != LUN_OK))
    {
        return LUN_ERROR;
    }

    lun_tls_handshake(c);
    return LUN_OK;
}


static bool
trusts(lun_dial *d, lun_conn *c)
{
    inquiry  *q = d->owner;

    return !q->check->to.tls->verify
           || lun_dial_tls_is_trusted(lun_tls_of(c), &q->log, "upstream ",
                                      name_of(q->check), false);
}


static const lun_dial_user  user = {
    .connecting  = &connecting,
    .handshaking = &handshaking,
    .prepare     = prepare,
    .secure      = secure,
    .trusts      = trusts,
    .up          = on_up,
    .failed      = on_failed,
    .on_free     = on_free,
};


/* --- a check ------------------------------------------------------------- */

/* Nothing was to come but an error. */
static void
on_late(lun_timer *timer)
{
    inquiry     *q = lun_container_of(timer, inquiry, late);
    const char  *doing = q->dial.stage == LUN_DIAL_UP ? waiting
                         : q->dial.stage == LUN_DIAL_HANDSHAKE
                         ? handshaking.doing : connecting.doing;

    if (q->check->udp && !expects(q->check) && q->dial.stage == LUN_DIAL_UP) {
        finish(q, NULL);
        return;
    }

    q->log.doing = doing;
    lun_log(LUN_LOG_ERR, &q->log, 0, "upstream timed out");
    finish(q, doing);
}


static void
ask(lun_health_peer *p)
{
    inquiry      *q = lun_calloc(sizeof(inquiry));
    const check  *k = lun_container_of(p->checker->check, check, head);

    p->asking = q;
    q->check = k;
    q->peer = p;
    q->log = p->log;
    q->holds = 1;
    lun_dial_init(&q->dial, p->checker->loop, &q->log, &user, q);
    q->dial.in_size = *k->to.buffer_size;
    q->dial.datagram = k->udp;
    q->dial.secure = *k->to.speaks_tls && !k->udp;
    q->late.idle = true;
    lun_timer_start(p->checker->loop, &q->late, *k->timeout, on_late);
    lun_dial_connect(&q->dial, &p->addr);
}


static void
cancel(lun_health_peer *p)
{
    close_inquiry(p->asking);
    p->asking = NULL;
}


static const lun_health_probe  probe = {
    .ask = ask,
    .cancel = cancel
};


/* --- the configuration --------------------------------------------------- */

static matches *
matches_of(lun_conf *cf)
{
    matches  *m = lun_module_data(cf->engine, &lun_stream_health_check);

    if (m == NULL) {
        m = lun_pool_new(cf->pool, matches);
        lun_hash_init(&m->matches, cf->pool, 0, true);
        lun_module_set_data(cf->engine, &lun_stream_health_check, m);
    }

    return m;
}


static lun_rc
set_match(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str            name = cf->args[1];
    matches           *all = matches_of(cf);
    lun_stream_match  *m;

    if (lun_hash_get(&all->matches, name) != NULL) {
        return lun_conf_fail(cf, "duplicate match \"%.*s\"", LUN_S(name));
    }

    m = lun_stream_match_read(cf, name);

    if (m == NULL) {
        return LUN_ERROR;
    }

    lun_hash_set(&all->matches, m->name, m);
    return LUN_OK;
}


static lun_rc
set_check(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t        i;
    check        *k = lun_pool_new(cf->pool, check);
    lun_rc        rc;
    health_conf  *conf = data;

    lun_health_check_init(cf, &k->head);
    k->head.probe = &probe;
    conf->check = k;

    for (i = 1; i < cf->argc; i++) {
        if (lun_str_eq(cf->args[i], LUN_STR("udp"))) {
            k->udp = true;
            continue;
        }

        rc = lun_health_check_read(cf, &k->head, cf->args[i]);

        if (rc == LUN_AGAIN) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }

        if (rc != LUN_OK) {
            return rc;
        }
    }

    return LUN_OK;
}


static lun_rc
find_target(lun_conf *cf, check *k)
{
    lun_upstream             *u = NULL;
    const lun_stream_server  *server = cf->block->owner;

    k->to = server->passes;

    if (k->to.upstream != NULL) {
        u = *k->to.upstream;
    }

    if (u == NULL) {
        return lun_conf_fail_at(cf, k->head.file, k->head.line,
                                "\"health_check\" requires \"proxy_pass\" "
                                "without variables in its server");
    }

    k->head.upstream = u->same != NULL ? u->same : u;
    return LUN_OK;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    check        *k;
    health_conf  *conf = data;

    k = conf->check;

    if (k == NULL || cf->block->where != LUN_STREAM_SERVER) {
        return LUN_OK;
    }

    k->timeout = &conf->timeout;
    k->text = k->udp ? LUN_STR("nginx health check") : LUN_STR("");

    if (k->head.name.len != 0) {
        k->match = lun_hash_get(&matches_of(cf)->matches, k->head.name);

        if (k->match == NULL) {
            return lun_conf_fail_at(cf, k->head.file, k->head.line,
                                    "match \"%.*s\" is not defined",
                                    LUN_S(k->head.name));
        }

        if (k->match->sends) {
            k->text = k->match->send;
        }
    }

    return find_target(cf, k) == LUN_OK
           ? lun_health_check_finish(cf, &k->head) : LUN_ERROR;
}


static const lun_directive  directives[] = {
    { .name = "health_check", .where = LUN_STREAM_SERVER, .args = 0,
      .args_max = LUN_ARGS_ANY, .set = set_check,
      .values = "[parameters]",
      .help = "asks the servers of the upstream how they are" },
    { .name = "health_check_timeout",
      .where = LUN_STREAM | LUN_STREAM_SERVER, .args = 1, .set = lun_set_msec,
      LUN_FIELD(health_conf, timeout), .fallback = "5s",
      .help = "how long a health check may take" },
    { .name = "match", .where = LUN_STREAM, .args = 1, .block = true,
      .repeats = true, .set = set_match,
      .values = "name",
      .help = "what a server is sent by a health check, and has to answer" },
    { 0 }
};

lun_module  lun_stream_health_check = {
    .name = "stream_health_check",
    .directives = directives,
    .conf_size = sizeof(health_conf),
    .inherited = inherited,
};
