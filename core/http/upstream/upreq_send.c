/*
 * upreq_send.c -- the request on its way to the server.
 *
 * Its head goes first, then its body, a few frames at a time: a body that is
 * here (memory, files) or one that comes while it is sent (upreq_stream.c).
 * What is queued is only looked at: `at` says how far it is, so that the next
 * server gets it from the beginning.  The server may answer at any moment,
 * before it has all of it as well.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "base/check.h"


enum {
    FILE_STEP = 2 * 1024 * 1024,
    SLOTS     = 4,                 /* frames that one send may take along */
    REPLIES   = 1000               /* that a server may leave unread */
};

/* A piece of the body with what its frame says around it. */
typedef struct {
    lun_upreq_frame  frame;
    lun_buf          before;
    lun_buf          data;
    lun_buf          after;
} slot;

typedef struct reply  reply;
struct reply {
    lun_buf  buf;
    reply   *next;
    char     text[LUN_UPREQ_REPLY];
};

struct lun_upreq_sending {
    lun_buf        *at;            /* what is queued: to be sent next, and */
    int64_t         at_done;       /* bytes of it that are sent */
    lun_buf       **tail;          /* where more is queued; NULL: at = NULL */
    const lun_buf  *body;          /* what is to be framed next, and */
    int64_t         framed;        /* bytes of it that are */
    lun_buf         piece;         /* of a body that comes */
    slot           *slots;
    lun_chain       replies;       /* the protocol's own, to be queued */
    reply          *used;          /* they, and those that are queued */
    reply          *spare;         /* those that are out */
    size_t          reply_count;   /* of `used` */
    bool            source_ended;  /* no more of the body will come */
    bool            ended;         /* the body's end has been queued */
    bool            begun;         /* some of the request is out */
    bool            done;          /* all of it */
    bool            failed;        /* the server takes no more of it */
    bool            for_client;    /* waits for more of the body */
    bool            for_server;    /* waits for lun_upreq_send_more() */
};

typedef struct lun_upreq_sending  sending;


static void  read_answer(lun_upreq *x);


static void
on_gone(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    if (lun_upreq_stop_sending(x)) {
        read_answer(x);
        lun_conn_want(c);

    } else {
        lun_upreq_lost(x);
    }
}


static void
on_timeout(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    if (!x->sending->for_client) {
        lun_upreq_timed_out(x);
        return;
    }

    lun_log(LUN_LOG_INFO, x->r->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "client timed out");
    lun_upreq_end(x, LUN_STATUS + 408);
}


static const lun_conn_state  sending_request = {
    .name       = "upstream sending",
    .doing      = "sending request to upstream",
    .on_read    = lun_upreq_on_header,
    .on_written = lun_upreq_on_written,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
    .timeout    = LUN_TIMEOUT(lun_upreq_conf, send_timeout),
};


bool
lun_upreq_is_begun(const lun_upreq *x)
{
    return x->sending != NULL && x->sending->begun;
}


/* A read that fails leaves what is being written on its way. */
bool
lun_upreq_stop_sending(lun_upreq *x)
{
    lun_conn  *c = x->conn;
    sending   *s = x->sending;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (s == NULL || s->failed || s->at == NULL || lun_conn_writing(c)
        || !lun_conn_is_plain(c) || (x->balance.cached && !s->begun))
    {
        return false;
    }

    s->failed = true;
    c->gone = false;                   /* but its error stays */
    return true;
}


bool
lun_upreq_is_sent(const lun_upreq *x)
{
    const sending  *s = x->sending;

    return s != NULL && s->done && s->at == NULL && s->replies.head == NULL;
}


/* --- the queue ----------------------------------------------------------- */

static void
push(sending *s, lun_buf *b)
{
    LUN_CHECK(b != NULL);

    b->next = NULL;

    if (s->at == NULL) {
        s->at = b;
        s->at_done = 0;

    } else {
        *s->tail = b;
    }

    s->tail = &b->next;
}


/* From b up to `last`, which may be linked to what followed it before. */
static void
push_list(sending *s, lun_buf *b, const lun_buf *last)
{
    bool      more = b != NULL;
    lun_buf  *next;

    for ( ; more; b = next) {
        more = b != last;
        next = b->next;
        push(s, b);
    }
}


static const lun_buf *
last_of(const lun_buf *b)
{
    while (b != NULL && b->next != NULL) {
        b = b->next;
    }

    return b;
}


static void
push_text(sending *s, lun_buf *b, lun_str text)
{
    if (text.len != 0) {
        *b = (lun_buf) { .pos = (char *) (uintptr_t) text.data };
        b->last = b->pos + text.len;
        push(s, b);
    }
}


/* The next n bytes of the body. */
static void
push_data(sending *s, lun_buf *b, int64_t n)
{
    LUN_CHECK(n == 0 || s->body != NULL);

    if (n == 0) {
        return;
    }

    *b = *s->body;

    if (b->in_file) {
        b->file_pos += s->framed;
        b->file_last = b->file_pos + n;

    } else {
        b->pos += s->framed;
        b->last = b->pos + n;
    }

    s->framed += n;
    push(s, b);
}


/* --- frames -------------------------------------------------------------- */

static const lun_buf *
with_bytes(const lun_buf *b)
{
    while (b != NULL && lun_buf_size(b) == 0) {
        b = b->next;
    }

    return b;
}


/*
 * Bytes of the body to be framed.  OK: there are, or it has ended; AGAIN: more
 * has to come; ERROR: x is over.
 */
static lun_rc
find_body(lun_upreq *x, sending *s, bool may_pull)
{
    lun_rc   rc;
    lun_str  bytes;

    if (s->body != NULL && lun_buf_size(s->body) == s->framed) {
        s->body = with_bytes(s->body->next);
        s->framed = 0;
    }

    if (s->body != NULL || s->source_ended) {
        return LUN_OK;
    }

    if (!may_pull) {
        return LUN_AGAIN;              /* the piece before has to go first */
    }

    s->for_client = false;
    rc = lun_upreq_pull(x, &bytes);

    if (rc == LUN_OK && bytes.len == 0) {
        s->source_ended = true;

    } else if (rc == LUN_OK) {
        s->piece = (lun_buf) { .pos = (char *) (uintptr_t) bytes.data };
        s->piece.last = s->piece.pos + bytes.len;
        s->body = &s->piece;
        s->framed = 0;
        /* A frame that is the last one can say so. */
        s->source_ended = lun_upreq_has_pulled_all(x);

    } else if (rc == LUN_AGAIN) {
        s->for_client = true;
    }

    return rc;
}


/* Whether nothing but what is left of this buf is to come. */
static bool
is_last(const sending *s)
{
    return s->source_ended
           && (s->body == NULL || with_bytes(s->body->next) == NULL);
}


/* AGAIN: the protocol has to wait for the server. */
static lun_rc
queue_frame(lun_upreq *x, sending *s, slot *f)
{
    bool     last = is_last(s);
    int64_t  n, size;

    size = s->body == NULL ? 0 : lun_buf_size(s->body) - s->framed;
    f->frame.before = LUN_STR_NULL;
    f->frame.after = LUN_STR_NULL;
    n = size;

    if (x->protocol->frame != NULL && !x->body_is_plain) {
        n = x->protocol->frame(x, size, last, &f->frame);
    }

    LUN_CHECK(n >= 0 && n <= size);

    if (n == 0 && size != 0) {
        s->for_server = true;
        return LUN_AGAIN;
    }

    push_text(s, &f->before, f->frame.before);
    push_data(s, &f->data, n);
    push_text(s, &f->after, f->frame.after);
    s->ended = last && n == size;

    return LUN_OK;
}


/*
 * Queues what may go behind what is queued, if that does not lie in the slots.
 * OK: there is something, or the end; AGAIN: nothing yet; ERROR: x is over.
 */
static lun_rc
queue_more(lun_upreq *x)
{
    int       n;
    lun_rc    rc = LUN_OK;
    sending  *s = x->sending;

    push_list(s, s->replies.head, last_of(s->replies.head));
    lun_chain_init(&s->replies);
    s->for_server = false;

    if (s->slots == NULL && !s->ended) {
        s->slots = lun_pool_alloc(x->r->pool, SLOTS * sizeof(slot));
    }

    /* After an error there is no s any more. */
    for (n = 0; rc == LUN_OK && n < SLOTS && !s->ended; n++) {
        rc = find_body(x, s, n == 0);

        if (rc == LUN_OK) {
            rc = queue_frame(x, s, &s->slots[n]);
        }
    }

    return rc == LUN_AGAIN && s->at != NULL ? LUN_OK : rc;
}


/* What was pulled from a client and has gone nowhere is sent to the next. */
void
lun_upreq_reset_sending(lun_upreq *x)
{
    sending  *s = x->sending;

    if (s == NULL) {
        return;
    }

    *s = (sending) { .slots = s->slots, .piece = s->piece,
                     .source_ended = x->streamed && s->source_ended };
    lun_chain_init(&s->replies);
}


/* The request from its beginning.  ERROR: x is over. */
static lun_rc
queue_head(lun_upreq *x)
{
    sending  *s = x->sending;

    if (s == NULL) {
        s = lun_pool_new(x->r->pool, sending);
        lun_chain_init(&s->replies);
        x->sending = s;

        if (x->streamed && x->came.len != 0) {
            s->piece = (lun_buf) { .pos = (char *) (uintptr_t) x->came.data };
            s->piece.last = s->piece.pos + x->came.len;
        }
    }

    if (x->streamed) {
        s->body = s->piece.pos != NULL ? &s->piece : NULL;

    } else {
        s->body = with_bytes(x->body);
        s->source_ended = true;
    }

    push_list(s, x->head, x->head_last);

    /* What goes out as it is needs nobody to look at each piece of it. */
    if (!x->streamed && (x->body_is_plain || x->protocol->frame == NULL)) {
        *s->tail = (lun_buf *) (uintptr_t) s->body;
        s->ended = true;
    }

    return s->ended ? LUN_OK : queue_more(x);
}


/* The memory of replies serves those that follow, however many they are. */
static void
reuse_replies(sending *s)
{
    reply  *one;

    LUN_CHECK(s->at == NULL && s->replies.head == NULL);

    while ((one = s->used) != NULL) {
        s->used = one->next;
        one->next = s->spare;
        s->spare = one;
    }

    s->reply_count = 0;
}


/* --- what is to go ------------------------------------------------------- */

static size_t
gather(const sending *s, lun_slice slices[LUN_PORT_SLICES], bool *more)
{
    size_t          n = 0;
    int64_t         done = s->at_done;
    const lun_buf  *b;

    for (b = s->at; b != NULL && !b->in_file && n < LUN_PORT_SLICES;
         b = b->next)
    {
        if (lun_buf_size(b) > done) {
            slices[n].data = b->pos + done;
            slices[n++].len = (size_t) (lun_buf_size(b) - done);
        }

        done = 0;
    }

    *more = b != NULL;
    return n;
}


static void
advance(sending *s, int64_t n)
{
    int64_t  left;

    LUN_CHECK(n >= 0);

    while (s->at != NULL) {
        left = lun_buf_size(s->at) - s->at_done;

        if (n < left) {
            s->at_done += n;
            return;
        }

        n -= left;
        s->at = s->at->next;
        s->at_done = 0;
    }
}


/* OK: go on; AGAIN: it is on its way; ERROR: lost. */
static lun_rc
send_memory(lun_upreq *x, lun_err *err)
{
    bool       more;
    size_t     n, sent;
    sending   *s = x->sending;
    lun_slice  slices[LUN_PORT_SLICES];

    n = gather(s, slices, &more);

    if (n == 0) {
        advance(s, 0);
        return LUN_OK;
    }

    *err = lun_conn_send(x->conn, slices, n, more, &sent);

    if (*err != 0 && lun_err_kind_of(*err) != LUN_ERR_AGAIN) {
        return LUN_ERROR;
    }

    s->begun = true;
    advance(s, (int64_t) sent);

    n = gather(s, slices, &more);

    if (n == 0 || (*err == 0 && n == LUN_PORT_SLICES)) {
        return LUN_OK;
    }

    lun_conn_write(x->conn, slices, n);
    return LUN_AGAIN;
}


static lun_rc
send_file(lun_upreq *x)
{
    sending  *s = x->sending;
    int64_t   left = lun_buf_size(s->at) - s->at_done;

    LUN_CHECK(left >= 0);

    if (left == 0) {
        advance(s, 0);
        return LUN_OK;
    }

    lun_conn_send_file(x->conn, s->at->file, s->at->file_pos + s->at_done,
                       (size_t) lun_min(left, (int64_t) FILE_STEP));
    return LUN_AGAIN;
}


/* --- sending ------------------------------------------------------------- */

/* What is waited for is the answer only. */
static void
read_answer(lun_upreq *x)
{
    if (x->stage < LUN_UPREQ_HEADER) {
        lun_upreq_go(x, LUN_UPREQ_HEADER);
    }

    if (x->stage == LUN_UPREQ_HEADER) {
        lun_upreq_enter(x, &lun_upreq_reading_header);
    }
}


/* All of it is out: the rest is the server's part. */
static void
all_sent(lun_upreq *x)
{
    x->sending->done = true;
    read_answer(x);
    lun_conn_want(x->conn);
}


/* What is queued.  OK: it is out. */
static lun_rc
send_queued(lun_upreq *x)
{
    lun_rc   rc = LUN_OK;
    lun_err  err = 0;

    while (rc == LUN_OK && x->sending->at != NULL) {
        rc = x->sending->at->in_file ? send_file(x) : send_memory(x, &err);
    }

    if (rc == LUN_ERROR && lun_upreq_stop_sending(x)) {
        x->conn->err = err;
        read_answer(x);
        return LUN_AGAIN;              /* until the answer is read */
    }

    if (rc == LUN_ERROR) {
        x->conn->state->on_gone(x->conn);
        return rc;
    }

    if (rc == LUN_AGAIN) {
        if (x->stage <= LUN_UPREQ_HEADER) {
            lun_upreq_enter(x, &sending_request);
        }

    } else if (x->sending->replies.head == NULL) {
        reuse_replies(x->sending);
    }

    return rc;
}


/* The client is slower than the server, or the server lets nothing through. */
static void
wait_for_more(lun_upreq *x)
{
    if (x->stage > LUN_UPREQ_HEADER) {
        return;
    }

    lun_upreq_enter(x, &sending_request);

    if (x->sending->for_client) {
        lun_conn_limit(x->conn, lun_core_conf_of(x->r)->client_body_timeout);
    }

    lun_conn_want(x->conn);
}


/* Goes on where it had to wait. */
static void
send_on(lun_upreq *x)
{
    lun_rc  rc;

    while ((rc = send_queued(x)) == LUN_OK) {

        if (x->sending->ended && x->sending->replies.head == NULL) {
            all_sent(x);
            return;
        }

        rc = queue_more(x);

        if (rc == LUN_AGAIN) {
            wait_for_more(x);
            return;
        }

        if (rc == LUN_ERROR) {
            return;
        }
    }

    if (rc == LUN_AGAIN) {
        lun_conn_want(x->conn);        /* it may answer before that */
    }
}


void
lun_upreq_resume_sending(lun_upreq *x)
{
    sending  *s = x->sending;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (s != NULL && s->for_server && s->at == NULL) {
        send_on(x);
    }
}


/* With something on its way to the server, on_written looks for it. */
void
lun_upreq_body_came(lun_upreq *x)
{
    sending  *s = x->sending;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (s != NULL && s->for_client && s->at == NULL) {
        send_on(x);
    }
}


/* No server can have a body whose file has become shorter. */
static void
file_ended(lun_upreq *x)
{
    lun_log(LUN_LOG_ALERT, x->r->log, 0, "sendfile() reported that a file was "
            "truncated while it was being sent");

    if (x->stage > LUN_UPREQ_HEADER) {
        x->conn->state->on_gone(x->conn);

    } else {
        lun_upreq_end(x, LUN_STATUS + 500);
    }
}


void
lun_upreq_on_written(lun_conn *c)
{
    lun_upreq  *x = lun_upreq_of(c);

    LUN_CHECK(x->sending != NULL);

    x->r->log->doing = c->state->doing;

    if (lun_conn_written(c) == 0) {
        file_ended(x);
        return;
    }

    x->sending->begun = true;
    advance(x->sending, lun_conn_written(c));
    send_on(x);
}


void
lun_upreq_send(lun_upreq *x)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->conn != NULL);

    lun_upreq_enter_untimed(x, &sending_request);      /* till it waits */

    if (x->protocol->begin != NULL) {
        x->protocol->begin(x);
    }

    if (queue_head(x) != LUN_ERROR) {
        send_on(x);
    }
}


/* --- what a protocol wants while it reads -------------------------------- */

void
lun_upreq_send_more(lun_upreq *x)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->sending != NULL);

    x->sending->for_server = false;
}


/*
 * Replies are used again when they are out; a server that asks for more of them
 * than REPLIES at a time does not read what we say.
 */
lun_rc
lun_upreq_reply(lun_upreq *x, lun_str bytes)
{
    reply    *one;
    sending  *s = x->sending;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(s != NULL && bytes.len <= LUN_UPREQ_REPLY);

    if (s->reply_count == REPLIES) {
        return LUN_ERROR;
    }

    one = s->spare;

    if (one != NULL) {
        s->spare = one->next;

    } else {
        one = lun_pool_new(x->r->pool, reply);
    }

    one->next = s->used;
    s->used = one;
    s->reply_count++;

    one->buf = (lun_buf) { .pos = one->text };
    one->buf.last = lun_copy_str(one->text, bytes);
    lun_chain_push(&s->replies, &one->buf);

    return LUN_OK;
}


lun_rc
lun_upreq_flush(lun_upreq *x)
{
    lun_rc    rc;
    sending  *s = x->sending;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(s != NULL);

    if (s->at != NULL || (s->replies.head == NULL
                          && (s->ended || s->for_client || s->for_server)))
    {
        return LUN_OK;                 /* on_written looks again */
    }

    /* What is out at once has no on_written that would go on. */
    do {
        rc = queue_more(x);

        if (rc == LUN_OK) {
            rc = send_queued(x);
        }
    } while (rc == LUN_OK && !s->ended);

    if (rc == LUN_OK) {
        s->done = true;
        read_answer(x);
    }

    return rc == LUN_ERROR ? rc : LUN_OK;
}
