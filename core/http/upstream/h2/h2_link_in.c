/*
 * h2_link_in.c -- what a server of HTTP/2 says: each frame is its stream's, or
 * about the connection and done here.
 *
 * Nothing calls a handler here: what has come is put where a stream reads, or
 * waits until it does.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h2/h2_link.h"

#include "base/check.h"
#include "base/fmt.h"


enum {
    GIVE_BACK       = 0x3fffffff,  /* bytes of the connection's window */
    MOST_UNREAD     = 2 * LUN_H2_STREAM_WINDOW,
    MOST_UNSENT     = 1048576,     /* bytes: then it asks, and does not read */

    MAX_STREAMS     = 3,           /* settings */
    INITIAL_WINDOW  = 4,

    LEAST_LATE      = 256          /* bytes that a frame counts for */
};


/* --- for a stream -------------------------------------------------------- */

static void
deliver(lun_link_stream *s, const char *data, size_t len)
{
    size_t     n = 0;
    lun_conn  *c = s->conn;

    if (lun_conn_reading(c) && s->in.pos == s->in.len) {
        n = lun_min(len, (size_t) (c->in.end - c->in.last) - s->filled);
        memcpy(c->in.last + s->filled, data, n);
        s->filled += n;

        if (s->filled != 0) {
            lun_link_stream_due(s);
        }
    }

    lun_bytes_add(&s->in, data + n, len - n);
}


/* A byte more, of no meaning: its reader finds that it is the last. */
void
lun_link_stream_refuse(lun_link_stream *s, const char *what)
{
    if (s->what == NULL) {
        s->what = what;
        deliver(s, "", 1);
    }
}


void
lun_h2_link_refuse(lun_h2_link *l, const char *what)
{
    lun_link_stream  *s;

    l->what = what;

    lun_list_each(&l->streams, it) {
        s = lun_container_of(it, lun_link_stream, of_link);

        if (!s->got_all || s == l->to) {
            lun_link_stream_refuse(s, what);
        }
    }
}


static lun_link_stream *
find_stream(const lun_h2_link *l, uint32_t id)
{
    lun_link_stream  *s;

    lun_list_each(&l->streams, it) {
        s = lun_container_of(it, lun_link_stream, of_link);

        if (s->id == id) {
            return s;
        }
    }

    return NULL;
}


/* --- about the connection ------------------------------------------------ */

void
lun_h2_link_open_windows(lun_h2_link *l)
{
    lun_link_stream  *s;

    lun_list_each(&l->streams, it) {
        s = lun_container_of(it, lun_link_stream, of_link);
        s->opened = true;
        lun_link_stream_due(s);
    }
}


/* Once a frame, however often it says a window: each walks all streams. */
static const char *
set_window(lun_h2_link *l)
{
    int64_t         more = l->asked - l->initial;
    lun_link_stream  *s;

    if (more == 0) {
        return NULL;
    }

    lun_list_each(&l->streams, it) {
        s = lun_container_of(it, lun_link_stream, of_link);

        if (s->id != 0 && s->window + more > LUN_H2_MAX_WINDOW) {
            return "settings frame with too large initial window size";
        }

        s->window += s->id != 0 ? more : 0;
    }

    l->initial = l->asked;
    lun_h2_link_open_windows(l);

    return NULL;
}


static const char *
take_setting(lun_h2_link *l)
{
    const uint8_t  *u = l->frames.unit;
    unsigned        id = (unsigned) u[0] << 8 | u[1];
    uint32_t        value = lun_frame_u32(u + 2);

    if (id == MAX_STREAMS) {
        l->most = value;

    } else if (id == INITIAL_WINDOW) {
        l->asked = value;

        if (value > LUN_H2_MAX_WINDOW) {
            return "settings frame with too large initial window size";
        }
    }

    return NULL;
}


static const char *
take_window(lun_h2_link *l)
{
    uint32_t         id = l->frames.stream;
    int64_t          n = lun_frame_u32(l->frames.unit) & LUN_H2_MAX_WINDOW;
    int64_t         *window = &l->window;
    lun_link_stream   *s = NULL;

    if (id != 0) {
        s = find_stream(l, id);

        if (s == NULL) {
            return NULL;               /* of one that has ended */
        }

        window = &s->window;
    }

    if (n > LUN_H2_MAX_WINDOW - *window) {
        if (s != NULL) {
            lun_link_stream_refuse(s, "too large window update");
            return NULL;
        }

        return "too large window update";
    }

    *window += n;

    if (s != NULL) {
        s->opened = true;
        lun_link_stream_due(s);

    } else {
        lun_h2_link_open_windows(l);
    }

    return NULL;
}


/* It will not answer those above that number: others may be asked. */
static void
take_goaway(lun_h2_link *l)
{
    char            head[LUN_FRAME_HEAD];
    uint32_t        last = lun_frame_u32(l->frames.unit) & LUN_H2_MAX_WINDOW;
    lun_link_stream  *s;

    l->goes_away = true;
    (void) lun_frame_put_head(head, sizeof(l->frames.unit), LUN_FRAME_GOAWAY,
                              0, 0);

    lun_list_each(&l->streams, it) {
        s = lun_container_of(it, lun_link_stream, of_link);

        if (s->id > last && !s->got_all) {
            deliver(s, head, sizeof(head));
            deliver(s, (const char *) l->frames.unit, sizeof(l->frames.unit));
            s->was_reset = true;
        }
    }
}


static const char *
take_unit(lun_h2_link *l)
{
    const lun_frames  *f = &l->frames;

    switch (f->type) {

    case LUN_FRAME_SETTINGS:
        return take_setting(l);

    case LUN_FRAME_WINDOW_UPDATE:
        return take_window(l);

    case LUN_FRAME_GOAWAY:
        take_goaway(l);
        return NULL;

    case LUN_FRAME_PING:
        if (!(f->flags & LUN_FRAME_ACK)) {
            lun_h2_link_say(l, LUN_FRAME_PING, LUN_FRAME_ACK, 0, f->unit,
                            sizeof(f->unit));
        }

        return NULL;

    default:
        return NULL;
    }
}


/* --- frames -------------------------------------------------------------- */

static bool
is_of_stream(unsigned type)
{
    return type == LUN_FRAME_DATA || type == LUN_FRAME_HEADERS
           || type == LUN_FRAME_CONTINUATION || type == LUN_FRAME_RST_STREAM;
}


static bool
is_of_connection(unsigned type)
{
    return type == LUN_FRAME_SETTINGS || type == LUN_FRAME_PING
           || type == LUN_FRAME_GOAWAY;
}


static bool
brings_nothing(const lun_frames *f)
{
    return !is_of_stream(f->type) || f->type == LUN_FRAME_RST_STREAM
           || f->length == 0;
}


/*
 * A stream that was given up: what its window lets through may have been on
 * its way.  Clients that leave can't make a server look like one that keeps us
 * busy.
 */
static bool
is_late(lun_h2_link *l)
{
    int64_t  cost = lun_max((int64_t) l->frames.length, (int64_t) LEAST_LATE);

    if (cost > l->late) {
        return false;
    }

    l->late -= cost;
    return true;
}


/* What is for nothing: said to nobody as well. */
static bool
costs_credit(lun_h2_link *l)
{
    return is_of_stream(l->frames.type) && l->to == NULL
           ? !is_late(l) : brings_nothing(&l->frames);
}


/* A stream that nobody has begun. */
static const char *
name_unknown(lun_h2_link *l)
{
    char  *p = lun_fmt(l->text, l->text + sizeof(l->text) - 1,
                       "frame for unknown stream %u", l->frames.stream);

    *p = '\0';
    return l->text;
}


/*
 * What would be nonsense on any connection is found here, so streams see only
 * frames that can be theirs.
 */
static const char *
check_frame(lun_h2_link *l)
{
    const lun_frames  *f = &l->frames;

    if (f->stream != 0 && (f->stream >= l->next_id || f->stream % 2 == 0)) {
        return name_unknown(l);
    }

    if (f->type == LUN_FRAME_PUSH_PROMISE) {
        return "unexpected push promise frame";
    }

    if (f->stream == 0 && is_of_stream(f->type)) {
        return f->type == LUN_FRAME_HEADERS ? "headers frame without a stream"
               : f->type == LUN_FRAME_DATA ? "unexpected data frame"
               : "stream's frame without a stream";
    }

    if (f->stream != 0 && is_of_connection(f->type)) {
        return "connection's frame for a stream";
    }

    if (f->type == LUN_FRAME_CONTINUATION && f->stream != l->block) {
        return "http2 frame inside of a header block";
    }

    return NULL;
}


static const char *
begin_frame(lun_h2_link *l)
{
    const char        *wrong = check_frame(l);
    const lun_frames  *f = &l->frames;

    l->to = wrong == NULL && is_of_stream(f->type)
            ? find_stream(l, f->stream) : NULL;

    if (wrong != NULL) {
        return wrong;
    }

    /* Behind what is wrong with it there is nothing that it reads. */
    if (l->to != NULL && l->to->what != NULL) {
        l->to = NULL;
    }

    if (costs_credit(l) && lun_h2_link_spend(l, 1) != LUN_OK) {
        return "too many frames";
    }

    if (!is_of_stream(f->type)) {
        return NULL;
    }

    if (f->type == LUN_FRAME_DATA) {
        l->received += (int64_t) f->length;

    } else if (f->type != LUN_FRAME_RST_STREAM) {
        l->block = f->in_block ? f->stream : 0;
    }

    if (l->to != NULL) {
        deliver(l->to, (const char *) f->head, LUN_FRAME_HEAD);
    }

    return NULL;
}


/* The content of a frame of a stream, which somebody may read. */
static void
take_content(lun_h2_link *l, const char **pos, const char *end)
{
    lun_link_stream  *s = l->to;
    lun_str         piece = lun_frames_content(&l->frames, pos, end);

    if (s == NULL) {
        return;
    }

    deliver(s, piece.data, piece.len);

    if (s->in.len - s->in.pos > MOST_UNREAD) {
        lun_link_stream_refuse(s, "more than its window lets through");
        l->to = NULL;
    }
}


static void
end_stream_frame(lun_h2_link *l)
{
    lun_link_stream     *s = l->to;
    const lun_frames  *f = &l->frames;

    l->to = NULL;

    if (s == NULL) {
        return;
    }

    if (f->type == LUN_FRAME_DATA || f->type == LUN_FRAME_HEADERS) {
        s->last_frame = (f->flags & LUN_FRAME_END_STREAM) != 0;
    }

    /* Whose last header is in pieces has more to come. */
    s->got_all |= s->last_frame && !f->in_block;
    s->was_reset |= f->type == LUN_FRAME_RST_STREAM;
}


static void
give_window_back(lun_h2_link *l)
{
    char  text[4];

    if (l->received >= GIVE_BACK) {
        (void) lun_frame_put_u32(text, (uint32_t) l->received);
        lun_h2_link_say(l, LUN_FRAME_WINDOW_UPDATE, 0, 0, text, sizeof(text));
        l->received = 0;
    }
}


static const char *
end_frame(lun_h2_link *l)
{
    const char        *wrong = NULL;
    const lun_frames  *f = &l->frames;

    if (is_of_stream(f->type)) {
        end_stream_frame(l);
        give_window_back(l);

    } else if (f->type == LUN_FRAME_SETTINGS && !(f->flags & LUN_FRAME_ACK)) {
        wrong = set_window(l);
        l->was_set = true;
        lun_h2_link_say(l, LUN_FRAME_SETTINGS, LUN_FRAME_ACK, 0, NULL, 0);
    }

    return wrong != NULL ? wrong
           : l->out.len - l->out.pos > MOST_UNSENT ? "too many frames" : NULL;
}


/*
 * Content of a stream's frame is handed to that stream as it lies; frames of
 * the connection are gathered, since they are a few bytes.
 */
void
lun_h2_link_take(lun_h2_link *l, const char *pos, const char *end)
{
    lun_str      piece;
    bool         more = true;
    lun_frames  *f = &l->frames;
    const char  *wrong = NULL;

    while (more && l->what == NULL) {

        if (f->have == LUN_FRAME_HEAD && is_of_stream(f->type)
            && f->left != 0)
        {
            more = pos != end;
            take_content(l, &pos, end);

        } else switch (lun_frames_next(f, &pos, end, &piece)) {

        case LUN_FRAMES_MORE:
            more = false;
            break;

        case LUN_FRAMES_BEGIN:
            wrong = begin_frame(l);
            break;

        case LUN_FRAMES_UNIT:
            wrong = take_unit(l);
            break;

        case LUN_FRAMES_END:
            wrong = end_frame(l);
            break;

        default:
            wrong = f->what;
        }

        if (wrong != NULL) {
            lun_h2_link_refuse(l, wrong);
        }
    }
}
