/*
 * h2_link.c -- a connection to a server of HTTP/2: the life of a link and of
 * its streams, and who may have one more.
 *
 * Nobody waits for a stream: a request that finds no link with room for it has
 * a connection of its own.  A link has room once the server has said how many
 * streams it takes, up to MOST_STREAMS.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h2/h2_link.h"

#include "base/check.h"
#include "net/conn_io.h"


enum {
    MOST_STREAMS = 100,
    MOST_INPUT   = 32768,          /* bytes that one read takes */
    MOST_CREDIT  = 1000,           /* frames */
    WORTH        = 4,              /* a frame that brings something */
    MS_PER_FRAME = 1000,           /* so long is worth one */
    CANCEL       = 8               /* in RST_STREAM */
};


/* --- the account --------------------------------------------------------- */

/*
 * A frame of ours that gets through, and one of its that brings bytes of a
 * body, is worth some that bring nothing; so is time.  Who sends more of these
 * (PING, SETTINGS, WINDOW_UPDATE, empty ones) keeps us busy for nothing.
 */
lun_rc
lun_h2_link_spend(lun_h2_link *l, int64_t n)
{
    lun_msec  passed = lun_clock.mono - l->credited;

    if (passed >= MS_PER_FRAME) {
        l->credit = lun_min(l->credit + (int64_t) (passed / MS_PER_FRAME),
                            (int64_t) MOST_CREDIT);
        l->credited += passed - passed % MS_PER_FRAME;
    }

    l->credit -= n;
    return l->credit >= 0 ? LUN_OK : LUN_ERROR;
}


void
lun_h2_link_earn(lun_h2_link *l)
{
    l->credit = lun_min(l->credit + WORTH, (int64_t) MOST_CREDIT);
}


/* --- who may have one more stream ---------------------------------------- */

static bool
is_usable(const lun_h2_link *l)
{
    return !l->goes_away && !l->over && l->what == NULL
           && l->next_id < LUN_H2_MAX_WINDOW;
}


static void
count_room(lun_h2_link *l)
{
    l->share.full = !is_usable(l) || !l->was_set
                    || l->count >= lun_min(l->most, (size_t) MOST_STREAMS)
                    || l->out.len - l->out.pos >= 2 * LUN_H2_MOST_WAITING;
}


/* --- the connection's handlers ------------------------------------------- */

/*
 * Input is taken even if some stream's reader does not want it: a wait for one
 * would stall all.
 */
static void
on_bytes(lun_conn *c)
{
    size_t        size = (size_t) (c->in.end - c->in.start);
    bool          full = c->in.last == c->in.end;
    lun_h2_link  *l = c->protocol_state;

    l->heard = lun_clock.mono;
    lun_h2_link_take(l, c->in.pos, c->in.last);
    c->in.pos = c->in.last;

    if (full && size < MOST_INPUT) {
        lun_conn_grow(c, lun_min(4 * size, (size_t) MOST_INPUT));

    } else {
        lun_conn_compact(c);
    }

    count_room(l);

    if (l->what == NULL) {
        lun_conn_want(c);
    }

    lun_h2_link_serve(l);
}


static void
on_written(lun_conn *c)
{
    lun_h2_link   *l = c->protocol_state;
    lun_bytes  *b = &l->going;

    LUN_CHECK((size_t) lun_conn_written(c) <= b->len - b->pos);

    b->pos += (size_t) lun_conn_written(c);
    lun_h2_link_serve(l);
}


/* Each stream finds out when it has read what was there. */
static void
on_gone(lun_conn *c)
{
    lun_h2_link  *l = c->protocol_state;

    l->over = true;
    count_room(l);

    lun_list_each(&l->streams, it) {
        lun_link_stream_due(lun_container_of(it, lun_link_stream, of_link));
    }

    lun_h2_link_serve(l);
}


static void
on_dump(lun_conn *c)
{
    lun_log             log = c->log;
    const lun_h2_link  *l = c->protocol_state;

    log.forced = true;
    log.level = LUN_LOG_NOTICE;
    lun_log(LUN_LOG_NOTICE, &log, 0, "dump: %zu streams", l->count);
}


static const lun_conn_state  sharing = {
    .name       = "upstream sharing",
    .doing      = "serving streams of a connection to upstream",
    .on_read    = on_bytes,
    .on_written = on_written,
    .on_gone    = on_gone,
    .on_dump    = on_dump,
};


/* Nobody uses it.  False: it is of no use any more. */
static bool
on_idle(lun_conn *c)
{
    lun_h2_link  *l = c->protocol_state;

    lun_h2_link_take(l, c->in.pos, c->in.last);
    c->in.pos = c->in.last;

    /* What can't go out at once is more than a server asks for that means
       well. */
    return is_usable(l) && lun_h2_link_flush(l, false);
}


/* --- a link -------------------------------------------------------------- */

static void
free_link(void *data)
{
    lun_h2_link  *l = data;

    LUN_CHECK(l->count == 0);

    lun_loop_unpost(&l->task);
    lun_conn_pool_withdraw(&l->share);
    lun_bytes_drop(&l->out);
    lun_bytes_drop(&l->going);

    l->c = NULL;

    if (l->serving == 0) {
        lun_free(l);
    }
}


static lun_h2_link *
new_link(lun_conn *c)
{
    lun_pool     *pool = lun_conn_memory(c);
    lun_h2_link  *l = lun_calloc(sizeof(lun_h2_link));

    lun_pool_on_end(pool, free_link, l);

    l->c = c;
    lun_list_init(&l->streams);
    lun_list_init(&l->due);
    lun_list_init(&l->turn);
    lun_frames_init(&l->frames);
    l->most = MOST_STREAMS;
    l->window = l->initial = l->asked = LUN_H2_FIRST_WINDOW;
    l->next_id = 1;
    l->share.conn = c;
    l->credit = MOST_CREDIT;
    l->credited = lun_clock.mono;
    c->protocol_state = l;
    c->on_pooled = on_idle;

    return l;
}


lun_h2_link *
lun_h2_link_of(lun_conn *c)
{
    lun_h2_link  *l = c->protocol_state;

    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    if (l == NULL) {
        l = new_link(c);
    }

    LUN_CHECK(l->c == c);

    if (l->count == 0) {
        c->data = l;
        c->timeouts = NULL;
        c->log = *lun_log_default();
        c->log.conn = c->number;
        lun_conn_enter(c, &sharing);
        lun_conn_want(c);
    }

    return l;
}


/* --- its streams --------------------------------------------------------- */

lun_link_stream *
lun_h2_link_open(lun_h2_link *l, size_t size, const lun_log *log,
    lun_conn_fn *on_window)
{
    lun_link_stream  *s = lun_calloc(sizeof(lun_link_stream));

    LUN_CHECK(is_usable(l));

    s->link = l;
    s->conn = lun_conn_new_bare(l->c->loop, size, log);
    s->conn->io = &lun_link_stream_io;
    s->conn->io_data = s;
    s->conn->remote = l->c->remote;
    s->conn->remote.path = l->c->remote.path != NULL ? "" : NULL;
    s->on_window = on_window;
    lun_list_push_back(&l->streams, &s->of_link);
    lun_list_init(&s->due);
    lun_list_init(&s->turn);
    l->count++;
    l->c->requests++;
    count_room(l);

    return s;
}


bool
lun_link_stream_begin(lun_link_stream *s, bool bodiless)
{
    lun_h2_link  *l = s->link;

    LUN_CHECK(s->id == 0 && l->next_id < LUN_H2_MAX_WINDOW);

    s->id = l->next_id;
    s->window = l->initial;
    s->began = lun_clock.mono;
    s->sent_all = bodiless;
    l->next_id += 2;
    count_room(l);

    return s->id == 1;
}


int64_t
lun_link_stream_frame(lun_link_stream *s, int64_t size, bool last)
{
    lun_h2_link  *l = s->link;
    int64_t       n, open;

    /* A server that makes its windows smaller makes what is left of one
       negative; an end without bytes needs none. */
    open = lun_max(lun_min(s->window, l->window), (int64_t) 0);
    n = lun_min(lun_min(size, (int64_t) LUN_FRAME_MOST), open);

    if (s->sent_all || (n == 0 && size != 0)) {
        return 0;
    }

    s->window -= n;
    l->window -= n;
    s->framed += n;
    s->ends = last && n == size;

    if (n != 0) {
        lun_h2_link_earn(l);
    }

    /* Behind the header, if that is still to go. */
    if (s->ends && s->framed == 0 && s->head == 0) {
        lun_link_stream_end(s);
    }

    return n;
}


void
lun_link_stream_give_back(lun_link_stream *s, int64_t n)
{
    char  text[4];

    LUN_CHECK(n > 0 && n <= LUN_H2_MAX_WINDOW);

    (void) lun_frame_put_u32(text, (uint32_t) n);
    lun_h2_link_say(s->link, LUN_FRAME_WINDOW_UPDATE, 0, s->id, text,
                    sizeof(text));
}


const char *
lun_link_stream_wrong(const lun_link_stream *s)
{
    return s->in.pos == s->in.len && s->filled == 0 ? s->what : NULL;
}


void
lun_h2_link_retire(lun_h2_link *l)
{
    l->goes_away = true;
    count_room(l);
}


/* What it does not send of the connection's window is the others' again. */
static void
leave_window(lun_link_stream *s)
{
    if (s->framed != 0) {
        s->link->window += s->framed;
        s->framed = 0;
        lun_h2_link_open_windows(s->link);
    }
}


/*
 * A server that was too slow, and of which nothing was heard since this stream
 * began, may be gone: no other follows it there.
 */
static void
leave_link(lun_link_stream *s, bool too_slow)
{
    char          text[4];
    lun_h2_link  *l = s->link;

    if (s->id != 0 && !s->was_reset && !(s->sent_all && s->got_all)) {
        (void) lun_frame_put_u32(text, CANCEL);
        lun_h2_link_say(l, LUN_FRAME_RST_STREAM, 0, s->id, text,
                        sizeof(text));
        l->late += LUN_H2_STREAM_WINDOW;       /* may be on its way */
        l->goes_away |= too_slow && l->heard <= s->began;
    }

    lun_list_remove(&s->of_link);
    leave_window(s);
    lun_list_remove(&s->due);
    lun_list_remove(&s->turn);
    l->to = l->to == s ? NULL : l->to;
    l->count--;
    count_room(l);
}


/* All that was to be said is out. */
static bool
may_be_kept(lun_h2_link *l)
{
    return is_usable(l) && l->block == 0 && !l->c->eof && !l->c->gone
           && lun_h2_link_flush(l, false);
}


/*
 * The last stream decides: a connection that may be kept is the caller's, to be
 * put into its pool.
 */
lun_conn *
lun_h2_link_part(lun_link_stream *s, bool too_slow)
{
    lun_h2_link  *l = s->link;
    lun_conn     *c = l->c;

    leave_link(s, too_slow);
    lun_conn_close(s->conn);

    if (l->count != 0) {
        lun_h2_link_post(l);
        return NULL;
    }

    lun_conn_pool_withdraw(&l->share);

    if (may_be_kept(l)) {
        lun_loop_unpost(&l->task);
        lun_bytes_trim(&l->out);
        lun_bytes_trim(&l->going);
        return c;
    }

    lun_conn_close(c);
    return NULL;
}
