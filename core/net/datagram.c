/*
 * datagram.c -- sessions of datagrams.
 *
 *     door > is it one of ours?   > its queue > lun_conn_want() > on_read
 *            another worker's?    > that worker (datagram_owner.c)
 *            nobody's?            > a new session, l->begin()
 *
 * A door is a socket that datagrams come to (datagram_socket.c).  A session is
 * found by a hash over (local, remote).  It has no socket of its own, so its
 * connection is of a type (lun_conn_io) that this room makes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/datagram.h"

#include "base/check.h"
#include "net/conn_io.h"
#include "net/conn_metrics.h"
#include "net/conn_priv.h"
#include "net/datagram_priv.h"
#include "net/listen_priv.h"
#include "net/quic/quic_route.h"


enum {
    FIRST_SIZE = 256,              /* bytes of input to begin with */
    GRAIN      = 1024,             /* more is taken in pieces of it */
    QUEUE_MOST = 64,               /* datagrams of a session that wait */
    BYTES_MOST = 128 * 1024,       /* their bytes */
    TOTAL_MOST = 64 * 1024 * 1024, /* bytes of all sessions */
    FIRST_ROOM = 64,               /* of the index */
    RETRY      = 2                 /* ms, when the system takes no more */
};

typedef struct waiting  waiting;
struct waiting {
    waiting  *next;
    size_t    len;
    char      data[];
};

typedef struct datagram_session  session;
struct datagram_session {
    lun_datagrams     *all;
    session           *next;       /* in the index */
    uint64_t           hash;
    lun_datagram_key   key;
    lun_conn          *conn;
    lun_datagram_door *door;
    waiting           *first;
    waiting          **last;
    size_t             count;      /* datagrams that wait */
    size_t             bytes;
    lun_task           task;       /* what is due is done soon */
    lun_timer          retry;
    char              *out;        /* what is being written, joined */
    size_t             out_len;
    bool               known;      /* in the index */
    bool               detached;   /* it was; now it only sends */
    bool               closed;
};


const lun_datagram_counters *
lun_datagram_count(const lun_loop *loop)
{
    static const lun_datagram_counters  none;

    return loop->datagrams != NULL ? &loop->datagrams->counters : &none;
}


/* Its sessions have been closed before. */
static void
end_datagrams(lun_loop *loop, lun_loop_part *part)
{
    lun_datagrams  *all = loop->datagrams;

    lun_datagram_end_doors(all);
    lun_datagram_end_sharing(all);
    lun_free(all->index);
    lun_free(all);
    loop->datagrams = NULL;
}


lun_datagrams *
lun_datagrams_of(lun_loop *loop)
{
    lun_datagrams  *all = loop->datagrams;

    if (all == NULL) {
        all = loop->datagrams = lun_calloc(sizeof(lun_datagrams));
        all->loop = loop;
        lun_list_init(&all->doors);
        all->part.end = end_datagrams;
        lun_loop_add_part(loop, &all->part);
    }

    return all;
}


/* --- the index ----------------------------------------------------------- */

static uint64_t
hash_of(const lun_datagram_key *key)
{
    char  text[LUN_DATAGRAM_KEY_TEXT];

    return lun_str_hash(lun_str_of(text, lun_datagram_key_text(key, text)));
}


static session *
find_session(const lun_datagrams *all, const lun_datagram_key *key,
    uint64_t hash)
{
    session  *s;

    if (all->index == NULL) {
        return NULL;
    }

    for (s = all->index[hash & all->index_mask]; s != NULL; s = s->next) {
        if (s->hash == hash && lun_addr_eq(&s->key.remote, &key->remote)
            && lun_addr_eq(&s->key.local, &key->local))
        {
            return s;
        }
    }

    return NULL;
}


static void
grow_index(lun_datagrams *all)
{
    size_t     i, room;
    session  **old = all->index, **fresh, *s, *next;

    room = old != NULL ? (all->index_mask + 1) * 2 : FIRST_ROOM;
    fresh = lun_calloc(room * sizeof(session *));

    for (i = 0; old != NULL && i <= all->index_mask; i++) {
        for (s = old[i]; s != NULL; s = next) {
            next = s->next;
            s->next = fresh[s->hash & (room - 1)];
            fresh[s->hash & (room - 1)] = s;
        }
    }

    all->index = fresh;
    all->index_mask = room - 1;
    lun_free(old);
}


static void
add_to_index(session *s)
{
    LUN_CHECK(!s->known && !s->closed);

    session        **link;
    lun_datagrams   *all = s->all;

    if (all->index == NULL || all->counters.sessions > all->index_mask) {
        grow_index(all);
    }

    link = &all->index[s->hash & all->index_mask];
    s->next = *link;
    *link = s;
    s->known = true;
    all->counters.sessions++;
}


static void
forget_session(session *s)
{
    session        **link;
    lun_datagrams   *all = s->all;

    if (!s->known) {
        return;
    }

    for (link = &all->index[s->hash & all->index_mask]; *link != s;
         link = &(*link)->next)
    {
        /* find it */
    }

    *link = s->next;
    s->known = false;
    all->counters.sessions--;
    lun_datagram_release(all, &s->key);
}


/* --- input --------------------------------------------------------------- */

static void on_task(lun_task *task);


/*
 * Room for it behind what is there.  Where the buffer is somebody's, or large
 * already, what does not fit is cut off.
 */
static size_t
make_room(lun_conn *c, size_t len)
{
    size_t  have = (size_t) (c->in.last - c->in.pos);

    if ((size_t) (c->in.end - c->in.last) >= len) {
        return len;
    }

    lun_conn_compact(c);

    if ((size_t) (c->in.end - c->in.last) < len && !c->in_owned
        && have <= LUN_DATAGRAM_MOST)
    {
        lun_conn_grow(c, lun_align(have + len, GRAIN));
    }

    return lun_min((size_t) (c->in.end - c->in.last), len);
}


/* It is being read: the handler gets the datagram.  Its session may be gone. */
static void
deliver(session *s, const char *data, size_t len)
{
    lun_conn  *c = s->conn;

    LUN_CHECK(c != NULL && c->reading);

    c->reading = false;            /* so that the buffer may move */
    len = make_room(c, len);

    if (len != 0) {
        memcpy(c->in.last, data, len);
    }

    lun_conn_read_done(c, 0, len);
}


static waiting *
shift_waiting(session *s)
{
    waiting  *w = s->first;

    LUN_CHECK(w != NULL && s->count > 0 && s->bytes >= w->len);

    s->first = w->next;
    s->count--;
    s->bytes -= w->len;
    s->all->counters.waiting -= w->len;

    if (s->first == NULL) {
        s->last = &s->first;
    }

    return w;
}


static void
drop_waiting(session *s)
{
    while (s->first != NULL) {
        lun_free(shift_waiting(s));
    }
}


/*
 * Three limits: of one client's queue, of its bytes, and of all that waits in
 * this worker.  What is too much is lost, as datagrams may be.
 */
static void
enqueue(session *s, const char *data, size_t len)
{
    waiting                *w;
    lun_datagram_counters  *counters = &s->all->counters;

    LUN_CHECK(!s->closed && s->conn != NULL);

    if (s->count == QUEUE_MOST || s->bytes + len > BYTES_MOST
        || counters->waiting + len > TOTAL_MOST)
    {
        counters->dropped++;
        lun_metric_add(lun_datagrams_at + LUN_DATAGRAMS_DROPPED, 1);
        lun_debug(&s->conn->log, "%zu datagrams wait, one is dropped",
                  s->count);
        return;
    }

    w = lun_malloc(sizeof(waiting) + len);
    w->next = NULL;
    w->len = len;

    if (len != 0) {
        memcpy(w->data, data, len);
    }

    *s->last = w;
    s->last = &w->next;
    s->conn->received += (int64_t) len;
    s->count++;
    s->bytes += len;
    counters->waiting += len;
}


static void
give(session *s, const char *data, size_t len)
{
    if (s->conn->reading && s->first == NULL) {
        deliver(s, data, len);

    } else {
        enqueue(s, data, len);
    }
}


/* --- the connection's type ----------------------------------------------- */

static void
read_next(lun_conn *c)
{
    session  *s = c->io_data;

    if (s->first != NULL) {
        lun_loop_post(s->all->loop, &s->task, on_task);
    }
}


static lun_err
send_now(session *s, const lun_slice *slices, size_t n)
{
    LUN_CHECK(s->door != NULL);

    return lun_datagram_send(s->door->fd, slices, n, &s->key.remote,
                             s->door->wildcard ? &s->key.local : NULL);
}


static lun_err
send_datagram(lun_conn *c, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    size_t   i;
    lun_err  err;

    /* Whatever `more` says: each is one of its own. */
    err = send_now(c->io_data, slices, n);

    for (i = 0; err == 0 && i < n; i++) {
        *sent += slices[i].len;
    }

    return err;
}


static void on_retry(lun_timer *timer);


/* The system took none just now: once more, soon. */
static void
write_datagram(lun_conn *c, const lun_slice *slices, size_t n)
{
    char     *p;
    size_t    i;
    session  *s = c->io_data;

    LUN_CHECK(s->out == NULL);

    for (s->out_len = 0, i = 0; i < n; i++) {
        s->out_len += slices[i].len;
    }

    p = s->out = lun_malloc(s->out_len + 1);

    for (i = 0; i < n; i++) {
        p = lun_copy(p, slices[i].data, slices[i].len);
    }

    lun_timer_start(s->all->loop, &s->retry, 0, on_retry);
}


static void
on_retry(lun_timer *timer)
{
    lun_err    err;
    session   *s = lun_container_of(timer, session, retry);
    lun_slice  all = { s->out, s->out_len };

    LUN_CHECK(s->out != NULL && s->conn != NULL);

    err = send_now(s, &all, 1);

    if (lun_err_kind_of(err) == LUN_ERR_AGAIN) {
        lun_timer_start(s->all->loop, timer, RETRY, on_retry);
        return;
    }

    lun_free(s->out);
    s->out = NULL;
    lun_conn_write_done(s->conn, err, (int64_t) all.len);
}


/* The caller finds that nothing was taken. */
static void
send_no_file(lun_conn *c, lun_fd file, int64_t at, size_t size)
{
    LUN_NEVER("a file is no datagram");
}


static void
end_output(lun_conn *c)
{
    /* There is no such thing. */
}


static void
close_session(lun_conn *c)
{
    session  *s = c->io_data;

    LUN_CHECK(!s->closed);

    forget_session(s);

    if (!s->detached) {
        drop_waiting(s);
    }

    lun_timer_stop(&s->retry);
    lun_datagram_leave_door(s->door);
    lun_free(s->out);
    s->out = NULL;
    s->closed = true;

    /* What is in flight comes back, once; if nothing is, c is gone soon. */
    if (!c->reading && !c->writing) {
        s->conn = NULL;
    }

    if (s->conn != NULL || s->first != NULL) {
        lun_loop_post(s->all->loop, &s->task, on_task);

    } else {
        lun_loop_unpost(&s->task);
        lun_free(s);
    }
}


static void
end_session(session *s)
{
    lun_conn  *c = s->conn;

    LUN_CHECK(s->closed && !s->known);

    lun_free(s);

    if (c != NULL) {
        lun_conn_cancelled(c);
    }
}



static void route(lun_datagrams *all, lun_datagram_door *d,
    const lun_datagram_key *key, const char *data, size_t len);


/* What waited for a session that takes no more: it begins another. */
static void
route_waiting(session *s)
{
    waiting  *w;

    while (s->first != NULL) {
        w = shift_waiting(s);
        route(s->all, lun_datagram_door_at(s->all, &s->key.local), &s->key,
              w->data, w->len);
        lun_free(w);
    }
}


static void
on_task(lun_task *task)
{
    waiting  *w;
    session  *s = lun_container_of(task, session, task);

    if (s->detached) {
        route_waiting(s);
    }

    if (s->closed) {
        end_session(s);
        return;
    }

    if (s->first != NULL && s->conn->reading) {
        w = shift_waiting(s);
        s->conn->received -= (int64_t) w->len;     /* counted anew */
        deliver(s, w->data, w->len);
        lun_free(w);
    }
}


static const lun_conn_io  datagram_io = {
    .traits = LUN_IO_SHARED | LUN_IO_PACKETS,
    .read = read_next,
    .send = send_datagram,
    .write = write_datagram,
    .send_file = send_no_file,
    .end = end_output,
    .close = close_session
};


void
lun_datagram_detach(lun_conn *c)
{
    session  *s = c->io_data;

    if (c->io == &datagram_io && s->known) {
        forget_session(s);
        s->detached = true;
        lun_loop_post(s->all->loop, &s->task, on_task);
    }
}


/* --- sessions ------------------------------------------------------------ */

/*
 * From here on a client's address and port is a connection like any other, with
 * a time-out, a log context and a number.
 */
static void
begin_session(lun_datagram_door *d, const lun_datagram_key *key,
    uint64_t hash, const char *data, size_t len)
{
    session       *s = lun_calloc(sizeof(session));
    lun_conn      *c = lun_conn_new_bare(d->all->loop, FIRST_SIZE, d->log);
    lun_listener  *l = d->listener;

    LUN_CHECK(l != NULL && l->begin != NULL);

    s->all = d->all;
    s->key = *key;
    s->hash = hash;
    s->conn = c;
    s->door = d;
    s->last = &s->first;
    d->sessions++;
    add_to_index(s);

    c->datagram = true;
    c->io = &datagram_io;
    c->io_data = s;
    c->listener = l;
    c->remote = key->remote;
    lun_listen_set_debug(l, &c->remote, &c->log);
    c->local = key->local;
    c->local_known = true;
    lun_metric_add(lun_conn_accepted_at, 1);
    lun_conn_count_client(c);

    enqueue(s, data, len);
    l->begin(l, c);
    lun_listen_taken(l->set);
}


/*
 * In this order: a session of ours, one of another worker, a new one here.
 * While the worker quits it takes no new ones, and hands on what is for others
 * all the same.
 */
static void
route(lun_datagrams *all, lun_datagram_door *d, const lun_datagram_key *key,
    const char *data, size_t len)
{
    bool       open;
    session   *s;
    uint64_t   hash = hash_of(key);

    s = find_session(all, key, hash);

    if (s != NULL) {
        give(s, data, len);
        return;
    }

    open = d != NULL && d->listener != NULL
           && lun_listen_may_take(d->listener->set);

    switch (lun_datagram_forward(all, key, LUN_DATAGRAM_SESSION,
                                 lun_str_of(data, len), open)) {

    case LUN_DATAGRAM_FORWARDED:
        all->counters.forwarded++;
        lun_metric_add(lun_datagrams_at + LUN_DATAGRAMS_FORWARDED, 1);
        return;

    case LUN_DATAGRAM_DROPPED:
        break;

    case LUN_DATAGRAM_OURS:
        if (open) {
            begin_session(d, key, hash, data, len);
            return;
        }

        break;
    }

    all->counters.dropped++;
    lun_metric_add(lun_datagrams_at + LUN_DATAGRAMS_DROPPED, 1);
}


void
lun_datagram_received(lun_datagram_door *d, const lun_datagram_key *key,
    const char *data, size_t len)
{
    d->all->counters.received++;
    lun_metric_add(lun_datagrams_at + LUN_DATAGRAMS_RECEIVED, 1);
    route(d->all, d, key, data, len);
}


void
lun_datagram_arrived(lun_datagrams *all, const lun_datagram_key *key,
    unsigned kind, const char *data, size_t len)
{
    all->counters.delivered++;

    if (kind & LUN_DATAGRAM_QUIC) {
        lun_quic_arrived(all, key, data, len, kind & LUN_DATAGRAM_ECN);
        return;
    }

    route(all, lun_datagram_door_at(all, &key->local), key, data, len);
}
