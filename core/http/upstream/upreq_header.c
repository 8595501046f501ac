/*
 * upreq_header.c -- the header of the server's answer is read.
 *
 * It is read into the request's memory, and its lines are views into that.
 * The first bytes come into the connection's own buffer, because a connection
 * that was kept has been listening with it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"


struct lun_upreq_reading {
    lun_upreq_room  room;          /* the header, and what followed */
    size_t          used;          /* bytes in rooms before this one */
    size_t          hints_size;    /* of 103s that have come */
};


static struct lun_upreq_reading *
reading_of(lun_upreq *x)
{
    if (x->reading == NULL) {
        x->reading = lun_pool_new(x->r->pool, struct lun_upreq_reading);
    }

    return x->reading;
}


void
lun_upreq_reset_reading(lun_upreq *x)
{
    if (x->reading != NULL) {
        x->reading->room = (lun_upreq_room) { 0 };
        x->reading->used = 0;
    }
}


lun_str
lun_upreq_rest(const lun_upreq *x)
{
    const lun_upreq_room  *h;

    if (x->reading == NULL) {
        return LUN_STR("");            /* nothing was asked */
    }

    h = &x->reading->room;
    return lun_str_of(h->pos, (size_t) (h->last - h->pos));
}


/* --- reading ------------------------------------------------------------- */

/* What came in the connection's buffer moves to the request's memory. */
static void
move_in(lun_upreq *x)
{
    lun_conn        *c = x->conn;
    lun_upreq_room  *h = &reading_of(x)->room;
    size_t           n = (size_t) (c->in.last - c->in.pos);
    size_t           have = (size_t) (h->last - h->pos);
    char            *room;

    LUN_CHECK(c->in.pos <= c->in.last);

    if ((size_t) (h->end - h->last) < n) {
        room = lun_pool_text(x->r->pool, have + n);
        h->start = room;
        h->last = have != 0 ? lun_copy(room, h->pos, have) : room;
        h->pos = room;
        h->end = room + have + n;
    }

    h->last = lun_copy(h->last, c->in.pos, n);
    c->in.pos = c->in.last;
}


/* A header that is not complete yet: the rest comes to where it stays. */
static bool
make_room(lun_upreq *x)
{
    lun_upreq_room  *h = &x->reading->room;
    size_t           have = (size_t) (h->last - h->pos);
    size_t           used = x->reading->used + (size_t) (h->pos - h->start);
    size_t           size = x->conf->buffer_size;
    char            *room;

    LUN_CHECK(!lun_conn_reading(x->conn));

    /* Nothing of what was used is looked at again. */
    if (x->protocol->reassembles && have < size) {
        memmove(h->start, h->pos, have);
        h->last = h->start + have;
        h->pos = h->start;
        used = 0;
    }

    if (used + have >= size) {
        return false;
    }

    /* What came first may have brought a room that fits it, and no more. */
    if (h->last == h->end
        || (x->protocol->reassembles && (size_t) (h->end - h->start) < size))
    {
        x->reading->used = used;
        room = lun_pool_text(x->r->pool, size - used);
        h->last = lun_copy(room, h->pos, have);
        h->start = room;
        h->pos = room;
        h->end = room + size - used;
    }

    lun_upreq_set_input(x, h->last, (size_t) (h->end - h->last));
    return true;
}


/* --- interim answers ----------------------------------------------------- */

static void
pass_hints(lun_upreq *x)
{
    lun_header_list  hints;

    if (x->reading->hints_size > x->conf->buffer_size) {
        lun_log(LUN_LOG_INFO, x->r->log, 0, "upstream sent too big early "
                "hints");
        return;
    }

    lun_header_list_init(&hints, x->r->pool, x->answer.list.count + 1);

    lun_header_each(&x->answer.list, h) {
        if (lun_upreq_may_pass(x, h)) {
            lun_header_list_add(&hints, h);
        }
    }

    lun_http_send_hints(x->r, &hints);
}


/* 100, 103: what follows them comes to where they were. */
static void
pass_over(lun_upreq *x)
{
    lun_upreq_room            *h = &x->reading->room;
    size_t                     have = (size_t) (h->last - h->pos);
    struct lun_upreq_reading  *s = x->reading;

    LUN_CHECK(h->pos <= h->last);

    if (x->answer.status == 103) {
        s->hints_size += s->used + (size_t) (h->pos - h->start);
        pass_hints(x);
    }

    lun_upreq_forget_answer(x);
    memmove(h->start, h->pos, have);
    h->pos = h->start;
    h->last = h->start + have;
    x->reading->used = 0;
}


/* --- the header ---------------------------------------------------------- */

static void
read_on(lun_upreq *x)
{
    lun_conn               *c = x->conn;
    const char             *pos;
    lun_upstream_verdict    v;

    for ( ;; ) {
        pos = x->reading->room.pos;
        v = x->protocol->read_header(x, &pos, x->reading->room.last);
        x->reading->room.pos += pos - x->reading->room.pos;

        if (v != LUN_UPSTREAM_INTERIM) {
            break;
        }

        pass_over(x);
    }

    /* What the protocol has to say of it goes out before x may be gone. */
    if (lun_upreq_flush(x) != LUN_OK) {
        return;
    }

    switch (v) {

    case LUN_UPSTREAM_MORE:
        if (!make_room(x)) {
            lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent too big header");
            lun_upreq_next(x, LUN_TRY_INVALID_HEADER);
            return;
        }

        lun_conn_want(c);
        return;

    case LUN_UPSTREAM_DONE:
        x->try->header_time = (int64_t) (lun_clock.mono
                                             - x->try->started);
        x->try->status = x->answer.status;
        lun_upreq_go(x, LUN_UPREQ_JUDGE);
        return;

    default:
        lun_upreq_next(x, x->answer.unheard ? LUN_TRY_ERROR
                                            : LUN_TRY_INVALID_HEADER);
        return;
    }
}


/*
 * A server may answer before it has all of the request.  While that is still
 * being sent the time limit is the sending's, and not restarted by what comes.
 */
void
lun_upreq_on_header(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    LUN_CHECK(x->try != NULL);

    if (x->stage < LUN_UPREQ_HEADER) {
        lun_upreq_go(x, LUN_UPREQ_HEADER);
    }

    x->r->log->doing = lun_upreq_reading_header.doing;
    x->try->received += c->in.last - c->in.pos;

    if (lun_upreq_input_is_set(x)) {
        x->reading->room.last = c->in.last;
        c->in.pos = c->in.last;
        lun_upreq_restore_input(x);

    } else {
        move_in(x);
        lun_conn_compact(c);
    }

    if (lun_upreq_is_sent(x)) {
        lun_conn_touch(c);
    }

    read_on(x);
}


static void
on_gone(lun_conn *c)
{
    lun_upreq_lost(lun_upreq_of(c));
}


static void
on_timeout(lun_conn *c)
{
    lun_upreq_timed_out(lun_upreq_of(c));
}


const lun_conn_state  lun_upreq_reading_header = {
    .name       = "upstream reading header",
    .doing      = "reading response header from upstream",
    .on_read    = lun_upreq_on_header,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, read_timeout),
};
