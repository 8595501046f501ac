/*
 * h3_link.c -- a connection to a server of HTTP/3: the life of a link and of
 * its streams, and who may have one more.
 *
 * As with HTTP/2 nobody waits for a stream: a request that finds no link with
 * room for it has a connection of its own.  No table of QPACK is kept, so a
 * block of fields means the same on each connection, and no stream waits for
 * another.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h3/h3_link.h"

#include "http/upstream/h3/h3_link_priv.h"

#include "base/check.h"
#include "net/conn_io.h"


enum { MOST_LEFT = 100 };          /* streams that the server does not end */


/* --- what is sent -------------------------------------------------------- */

void
lun_h3_link_wire_init(lun_h3_link_wire *w, lun_h3_link *l, uint8_t kind,
    int64_t id)
{
    w->link = l;
    w->kind = kind;
    w->id = id;
    w->in_quic = id >= 0;
    lun_list_init(&w->sender);
    lun_list_push_back(&l->wires, &w->of_link);
}


void
lun_h3_link_may_send(lun_h3_link_wire *w)
{
    lun_h3_link  *l = w->link;

    if (w->in_quic && lun_list_empty(&w->sender)
        && (w->queue.unsent != 0 || (w->ends && !w->ended)))
    {
        lun_list_push_back(&l->senders, &w->sender);
        lun_quic_wake(l->q);
    }
}


static void
free_wire(lun_h3_link_wire *w)
{
    lun_list_remove(&w->of_link);
    lun_list_remove(&w->sender);
    lun_h3_queue_fini(&w->queue);

    switch (w->kind) {

    case LUN_H3_LINK_PEER:
        lun_h3_link_peer_free(w);
        return;

    case LUN_H3_LINK_REQUEST:
        w->link->left--;
    }

    lun_free(w);
}


/* --- who may have one more stream ---------------------------------------- */

static bool
is_usable(const lun_h3_link *l)
{
    return !l->goes_away && !l->over && l->left <= l->most + MOST_LEFT;
}


void
lun_h3_link_count_room(lun_h3_link *l)
{
    l->share.full = !is_usable(l) || l->count >= l->most
                    || lun_quic_bidi_left(l->q) == 0;
}


void
lun_h3_link_retire(lun_h3_link *l)
{
    l->goes_away = true;
    lun_h3_link_count_room(l);
}


void
lun_h3_link_refuse(lun_h3_link *l, uint64_t code, const char *what)
{
    lun_log(LUN_LOG_ERR, &l->c->log, 0, "upstream %s", what);
    lun_h3_link_retire(l);
    lun_quic_end(l->q, code, false);
}


/* --- what QUIC tells ------------------------------------------------------ */

/* Our control stream, with settings that say nothing but what is the rule. */
static void
on_begin(lun_quic *q)
{
    char              *p, *room;
    int64_t            id;
    lun_h3_link       *l = q->data;
    lun_h3_link_wire  *w = lun_calloc(sizeof(lun_h3_link_wire));

    if (lun_quic_open_uni(q, w, &id) != LUN_OK) {
        lun_free(w);
        lun_h3_link_refuse(l, LUN_H3_STREAM_CREATION_ERROR,
                           "allows no control stream");
        return;
    }

    lun_h3_link_wire_init(w, l, LUN_H3_LINK_OWN, id);
    room = p = lun_h3_queue_room(&w->queue, LUN_VARINT_MOST + LUN_H3_HEAD);
    p = lun_varint_put(p, LUN_H3_TYPE_CONTROL);
    p = lun_h3_put_head(p, LUN_H3_SETTINGS, 0);
    lun_h3_queue_add(&w->queue, (size_t) (p - room));
    lun_h3_link_may_send(w);
}


static void
on_complete(lun_quic *q)
{
    /* whoever has shaken hands is told by its state */
}


static lun_rc
on_received(lun_quic *q, int64_t id, void **stream, const char *bytes,
    size_t n, bool fin)
{
    lun_h3_link       *l = q->data;
    lun_h3_link_wire  *w = *stream;

    l->heard = lun_clock.mono;

    if (w == NULL) {
        w = *stream = lun_h3_link_peer_new(l, id);
    }

    if (w == NULL) {
        return LUN_ERROR;
    }

    if (w->kind == LUN_H3_LINK_REQUEST) {
        lun_h3_link_take(lun_h3_link_stream_of(w), bytes, n, fin);

    } else {
        lun_h3_link_peer_take(w, bytes, n, fin);
    }

    return LUN_OK;
}


static void
on_acked(lun_quic *q, int64_t id, void *stream, size_t n)
{
    lun_h3_link_wire  *w = stream;

    if (w == NULL) {
        return;
    }

    lun_h3_queue_acked(&w->queue, n);

    if (w->kind == LUN_H3_LINK_REQUEST && lun_h3_link_stream_of(w)->waits) {
        lun_h3_link_due(lun_h3_link_stream_of(w));
    }
}


static void
on_reset(lun_quic *q, int64_t id, void *stream, uint64_t code)
{
    lun_h3_link         *l = q->data;
    lun_h3_link_wire    *w = stream;
    lun_h3_link_stream  *s;

    /* Streams that go one way may end so, but for those that we need. */
    if (w == NULL || w->kind != LUN_H3_LINK_REQUEST) {
        if (w != NULL && lun_h3_link_peer_is_critical(w)) {
            lun_h3_link_refuse(l, LUN_H3_CLOSED_CRITICAL,
                               "reset a critical stream");
        }

        return;
    }

    s = lun_h3_link_stream_of(w);
    s->was_reset = true;
    s->code = code;
    lun_h3_link_tell(s);
}


/* A server that has its answer ready need not read what is left. */
static void
on_stopped(lun_quic *q, int64_t id, void *stream, uint64_t code)
{
    lun_h3_link_wire    *w = stream;
    lun_h3_link_stream  *s;

    if (w != NULL && w->kind == LUN_H3_LINK_REQUEST) {
        s = lun_h3_link_stream_of(w);
        s->was_stopped = true;
        lun_list_remove(&w->sender);
        lun_h3_link_due(s);

    } else if (w != NULL && w->kind == LUN_H3_LINK_OWN) {
        lun_h3_link_refuse(w->link, LUN_H3_CLOSED_CRITICAL,
                           "stopped a critical stream");
    }
}


static void
on_stream_closed(lun_quic *q, int64_t id, void *stream)
{
    lun_h3_link_wire  *w = stream;

    if (w == NULL) {
        return;
    }

    w->in_quic = false;
    lun_list_remove(&w->sender);
    lun_h3_link_count_room(w->link);

    if (w->kind != LUN_H3_LINK_REQUEST
        || lun_h3_link_stream_of(w)->conn == NULL)
    {
        free_wire(w);
    }
}


static void
on_window(lun_quic *q, int64_t id, void *stream)
{
    if (stream != NULL) {
        lun_h3_link_may_send(stream);
    }
}


/* The server may have allowed more streams. */
static void
on_turn(lun_quic *q)
{
    lun_h3_link_count_room(q->data);
    lun_h3_link_serve(q->data);
}


static bool
on_next(lun_quic *q, lun_quic_piece *piece)
{
    size_t             i, all = 0;
    lun_h3_link       *l = q->data;
    lun_h3_link_wire  *w;

    if (lun_list_empty(&l->senders)) {
        return false;
    }

    w = lun_container_of(l->senders.next, lun_h3_link_wire, sender);
    piece->id = w->id;
    piece->data = w;
    piece->n = lun_h3_queue_slices(&w->queue, piece->slices, LUN_QUIC_SLICES);

    for (i = 0; i < piece->n; i++) {
        all += piece->slices[i].len;
    }

    piece->fin = w->ends && all == w->queue.unsent;
    return true;
}


/* Behind all others, if there is more: they have turns. */
static void
on_took(lun_quic *q, int64_t id, void *stream, size_t n, bool fin)
{
    lun_h3_link_wire  *w = stream;

    lun_h3_queue_sent(&w->queue, n);
    w->ended |= fin;
    lun_list_remove(&w->sender);
    lun_h3_link_may_send(w);

    if (w->kind == LUN_H3_LINK_REQUEST && lun_h3_link_stream_of(w)->waits) {
        lun_h3_link_due(lun_h3_link_stream_of(w));
    }
}


static void
on_blocked(lun_quic *q, int64_t id, void *stream)
{
    lun_list_remove(&((lun_h3_link_wire *) stream)->sender);
}


/* Streams find out when they have read what was there. */
static void
on_lost(lun_quic *q)
{
    lun_h3_link       *l = q->data;
    lun_h3_link_wire  *w;

    l->over = true;
    l->share.full = true;

    lun_list_each_safe (&l->wires, it) {
        w = lun_container_of(it, lun_h3_link_wire, of_link);
        w->in_quic = false;
        lun_list_remove(&w->sender);

        if (w->kind == LUN_H3_LINK_REQUEST
            && lun_h3_link_stream_of(w)->conn != NULL)
        {
            lun_h3_link_due(lun_h3_link_stream_of(w));

        } else {
            free_wire(w);
        }
    }

    lun_h3_link_serve(l);
}


static const lun_quic_protocol  protocol = {
    .begin         = on_begin,
    .complete      = on_complete,
    .received      = on_received,
    .acked         = on_acked,
    .was_reset     = on_reset,
    .was_stopped   = on_stopped,
    .stream_closed = on_stream_closed,
    .may_send      = on_window,
    .turn          = on_turn,
    .next          = on_next,
    .took          = on_took,
    .blocked       = on_blocked,
    .lost          = on_lost
};


/* --- a link --------------------------------------------------------------- */

static void
on_dump(lun_conn *c)
{
    lun_log             log = c->log;
    const lun_h3_link  *l = lun_quic_of(c)->data;

    log.forced = true;
    log.level = LUN_LOG_NOTICE;
    lun_log(LUN_LOG_NOTICE, &log, 0, "dump: %zu streams", l->count);
}


/* The worker ends; that QUIC has, is told by on_lost(). */
static void
on_gone(lun_conn *c)
{
    lun_quic_end(lun_quic_of(c), LUN_H3_NO_ERROR, false);
}


static const lun_conn_state  sharing = {
    .name    = "upstream sharing",
    .doing   = "serving streams of a connection to upstream",
    .on_gone = on_gone,
    .on_dump = on_dump,
};


/* The connection's memory ends, maybe within a handler that we have called. */
static void
free_link(void *data)
{
    lun_h3_link  *l = data;

    LUN_CHECK(l->count == 0);

    while (!lun_list_empty(&l->wires)) {
        free_wire(lun_container_of(l->wires.next, lun_h3_link_wire, of_link));
    }

    lun_loop_unpost(&l->task);
    lun_conn_pool_withdraw(&l->share);
    l->c = NULL;

    if (l->serving == 0) {
        lun_free(l);
    }
}


lun_conn *
lun_h3_link_connect(lun_loop *loop, const lun_quic_conf *conf, size_t most,
    const lun_addr *to, const lun_addr *from, const lun_log *log,
    lun_err *err)
{
    lun_quic     *q = lun_quic_connect(loop, conf, to, from, log, err);
    lun_h3_link  *l;

    if (q == NULL) {
        return NULL;
    }

    l = lun_calloc(sizeof(lun_h3_link));
    lun_pool_on_end(lun_conn_memory(q->c), free_link, l);
    lun_list_init(&l->wires);
    lun_list_init(&l->senders);
    lun_list_init(&l->due);
    l->q = q;
    l->c = q->c;
    l->most = most;
    l->share.conn = q->c;
    q->protocol = &protocol;
    q->data = l;

    return q->c;
}


lun_h3_link *
lun_h3_link_of(lun_conn *c)
{
    lun_h3_link  *l = lun_quic_of(c)->data;

    LUN_CHECK(l->c == c);

    if (l->count == 0) {
        c->data = l;
        c->timeouts = NULL;
        c->log = *lun_log_default();
        c->log.conn = c->number;
        lun_conn_enter(c, &sharing);
    }

    return l;
}


/* --- its streams ---------------------------------------------------------- */

/* A server that allows none just now has it fail at once, and so the next one
   is tried: count_room() lets nobody else come here for that. */
lun_h3_link_stream *
lun_h3_link_open(lun_h3_link *l, size_t size, const lun_log *log)
{
    int64_t              id = -1;
    lun_h3_link_stream  *s = lun_calloc(sizeof(lun_h3_link_stream));

    if (lun_quic_open_bidi(l->q, &s->w, &id) != LUN_OK) {
        id = -1;
    }

    lun_h3_link_wire_init(&s->w, l, LUN_H3_LINK_REQUEST, id);
    lun_list_init(&s->due);
    s->began = lun_clock.mono;
    s->conn = lun_conn_new_bare(l->c->loop, size, log);
    s->conn->io = &lun_h3_link_io;
    s->conn->io_data = s;
    s->conn->remote = l->c->remote;
    l->count++;
    l->c->requests++;
    lun_h3_link_count_room(l);

    return s;
}


/*
 * A server that was too slow, and of which nothing was heard since this stream
 * began, may be gone: no other follows it there.  Nor where a stream ended
 * within a frame, or could not be opened: the same try would be made again.
 */
static void
leave_link(lun_h3_link_stream *s, bool too_slow)
{
    lun_h3_link  *l = s->w.link;

    if (s->w.in_quic
        && !(s->w.ends && s->w.queue.unsent == 0 && s->got_all))
    {
        lun_quic_reset(l->q, s->w.id, LUN_H3_REQUEST_CANCELLED);
        lun_quic_stop(l->q, s->w.id, LUN_H3_REQUEST_CANCELLED);
        lun_list_remove(&s->w.sender);
        l->goes_away |= too_slow && l->heard <= s->began;
    }

    l->goes_away |= s->broken || s->w.id < 0;
    lun_list_remove(&s->due);
    l->count--;
    lun_h3_link_count_room(l);
}


lun_conn *
lun_h3_link_part(lun_h3_link_stream *s, bool too_slow)
{
    lun_h3_link  *l = s->w.link;
    lun_conn     *c = l->c;

    leave_link(s, too_slow);
    lun_conn_close(s->conn);       /* and s, unless QUIC has it */

    if (l->count != 0) {
        lun_h3_link_post(l);
        return NULL;
    }

    lun_conn_pool_withdraw(&l->share);

    /* Without room for one more stream it would only fail the next request. */
    if (is_usable(l) && lun_quic_bidi_left(l->q) != 0) {
        return c;
    }

    lun_conn_close(c);
    return NULL;
}
