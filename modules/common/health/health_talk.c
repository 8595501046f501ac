/*
 * health_talk.c -- a check of a server by bytes that are sent and heard.
 *
 * A datagram that nothing is expected to answer has to be met with silence: the
 * system says so when there is nobody.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/health/health_talk.h"

#include "net/dial/dial.h"
#include "net/dial/dial_tls.h"
#include "session/upstream/upstream_tls.h"


/* A check of a server that is under way; a connection may hold it longer. */
typedef struct {
    const lun_health_talk  *talk;
    lun_health_peer        *peer;  /* NULL: nobody wants to know */
    lun_log                 log;
    lun_dial                dial;
    lun_timer               late;
    size_t                  sent;
    unsigned                holds;
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


static void
send_rest(inquiry *q)
{
    lun_slice  rest = { q->talk->text.data + q->sent,
                        q->talk->text.len - q->sent };

    if (rest.len != 0) {
        lun_conn_write(q->dial.conn, &rest, 1);

    } else if (q->talk->hear == NULL && !q->talk->udp) {
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
    inquiry                *q = c->data;
    lun_str                 text = lun_str_of(c->in.pos,
                                              (size_t) (c->in.last
                                                        - c->in.pos));
    lun_health_heard        heard;
    const lun_health_talk  *k = q->talk;

    if (k->hear == NULL) {
        if (k->udp) {
            finish(q, NULL);
            return;
        }

        c->in.pos = c->in.last = c->in.start;
        lun_conn_want(c);

    } else {
        heard = k->hear(k, text);

        if (heard == LUN_HEALTH_MORE && c->in.last != c->in.end) {
            lun_conn_want(c);

        } else {
            finish(q, heard == LUN_HEALTH_PASSES ? NULL : waiting);
        }
    }
}


static void
on_gone(lun_conn *c)
{
    inquiry  *q = c->data;

    if (c->err != 0) {
        lun_log(LUN_LOG_ERR, &q->log, c->err, "%s failed",
                q->talk->udp ? "recv()" : "connection");
    }

    finish(q, q->sent < q->talk->text.len ? sending : waiting);
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

    if (q->talk->text.len == 0 && q->talk->hear == NULL) {
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
name_of(const lun_health_talk *k)
{
    lun_str                  name;
    const lun_upstream_tls  *tls = k->tls;

    name = tls->name != NULL ? lun_script_text(tls->name) : LUN_STR_NULL;
    return name.len != 0 && !lun_script_has_variables(name)
           ? name : k->name;
}


static lun_rc
secure(lun_dial *d, lun_conn *c)
{
    inquiry                 *q = d->owner;
    lun_str                  name = name_of(q->talk);
    const lun_upstream_tls  *tls = q->talk->tls;

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

    return !q->talk->tls->verify
           || lun_dial_tls_is_trusted(lun_tls_of(c), &q->log, "upstream ",
                                      name_of(q->talk), false);
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

    if (q->talk->udp && q->talk->hear == NULL && q->dial.stage == LUN_DIAL_UP) {
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
    inquiry                *q = lun_calloc(sizeof(inquiry));
    const lun_health_talk  *k = lun_container_of(p->checker->check,
                                                 lun_health_talk, head);

    p->asking = q;
    q->talk = k;
    q->peer = p;
    q->log = p->log;
    q->holds = 1;
    lun_dial_init(&q->dial, p->checker->loop, &q->log, &user, q);
    q->dial.in_size = *k->in_size;
    q->dial.datagram = k->udp;
    q->dial.secure = *k->secure && !k->udp;
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


const lun_health_probe  lun_health_talk_probe = {
    .ask = ask,
    .cancel = cancel
};
