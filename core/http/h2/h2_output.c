/*
 * h2_output.c -- bytes that go.
 *
 * Frames are queued behind each other as they are made: control frames and
 * headers at once, bodies as far as there is room for one send.  What is made
 * while the socket takes no more waits in memory that grows; bodies never do,
 * so that is no more than a header for each stream, and answers to PING and
 * SETTINGS, which have a limit.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"


enum {
    BURST       = 4 * LUN_H2_OUT_SIZE, /* sent before it is the others' turn */
    SPARES      = 16,                  /* output buffers kept for the next */
    FIRST_LATE  = 1024,
    MAX_ACKS    = 1000                 /* that the client does not take */
};

static char      *spares[SPARES];
static unsigned   spare_count;


/* --- room ---------------------------------------------------------------- */

static void
take_out(lun_h2 *h2)
{
    if (h2->out == NULL) {
        h2->out = spare_count > 0 ? spares[--spare_count]
                                  : lun_malloc(LUN_H2_OUT_SIZE);
        h2->out_pos = 0;
        h2->out_len = 0;
    }
}


static void
give_out(lun_h2 *h2)
{
    LUN_CHECK(h2->out_pos <= h2->out_len);

    if (h2->out == NULL) {
        return;
    }

    if (spare_count < SPARES) {
        spares[spare_count++] = h2->out;

    } else {
        lun_free(h2->out);
    }

    h2->out = NULL;
}


/* What the socket has is not to be moved, and what is behind it is late. */
static bool
is_shut(const lun_h2 *h2)
{
    return h2->late_len != h2->late_pos || lun_conn_writing(h2->mux.c);
}


size_t
lun_h2_free_room(lun_h2 *h2)
{
    if (is_shut(h2) || h2->mux.broken || h2->burst >= BURST) {
        return 0;
    }

    take_out(h2);
    return LUN_H2_OUT_SIZE - h2->out_len;
}


static char *
late_room(lun_h2 *h2, size_t size)
{
    size_t  room;

    if (h2->late_pos == h2->late_len) {
        h2->late_pos = 0;
        h2->late_len = 0;
    }

    if (h2->late_room - h2->late_len < size) {
        room = lun_max(h2->late_room * 2, (size_t) FIRST_LATE);

        while (room - h2->late_len < size) {
            room *= 2;
        }

        h2->late = lun_realloc(h2->late, room);
        h2->late_room = room;
    }

    return h2->late + h2->late_len;
}


char *
lun_h2_room(lun_h2 *h2, size_t size)
{
    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);

    h2->is_late = 1;

    if (!is_shut(h2)) {
        take_out(h2);
        h2->is_late = LUN_H2_OUT_SIZE - h2->out_len < size;
    }

    return h2->is_late ? late_room(h2, size) : h2->out + h2->out_len;
}


void
lun_h2_queued(lun_h2 *h2, size_t size)
{
    if (h2->is_late) {
        h2->late_len += size;
        LUN_CHECK(h2->late_len <= h2->late_room);

    } else {
        h2->out_len += size;
        LUN_CHECK(h2->out_len <= LUN_H2_OUT_SIZE);
    }

    lun_h2_charge(h2, size);
    lun_h2_wake(h2);
}


/* --- small frames -------------------------------------------------------- */

enum { MOST_SMALL = 8 };               /* bytes of a content */

static void
put_frame(lun_h2 *h2, unsigned type, unsigned flags, uint32_t id,
    const void *content, size_t n)
{
    char  *p = lun_h2_room(h2, LUN_FRAME_HEAD + MOST_SMALL);

    LUN_CHECK(n <= MOST_SMALL);
    p = lun_frame_put_head(p, n, type, flags, id);
    memcpy(p, content, n);
    lun_h2_queued(h2, LUN_FRAME_HEAD + n);
}


void
lun_h2_put_goaway(lun_h2 *h2, uint32_t last, unsigned code)
{
    char  content[8];

    (void) lun_frame_put_u32(lun_frame_put_u32(content, last), code);
    put_frame(h2, LUN_FRAME_GOAWAY, 0, 0, content, sizeof(content));
}


void
lun_h2_put_reset(lun_h2 *h2, uint32_t id, unsigned code)
{
    char  content[4];

    (void) lun_frame_put_u32(content, code);
    put_frame(h2, LUN_FRAME_RST_STREAM, 0, id, content, sizeof(content));
}


void
lun_h2_put_window(lun_h2 *h2, uint32_t id, uint32_t by)
{
    char  content[4];

    LUN_CHECK(by > 0 && by <= LUN_H2_MAX_WINDOW);
    (void) lun_frame_put_u32(content, by);
    put_frame(h2, LUN_FRAME_WINDOW_UPDATE, 0, id, content, sizeof(content));
}


/* A client that asks for answers and does not take them is left. */
static bool
may_answer(lun_h2 *h2)
{
    if (h2->ended) {
        return false;
    }

    if (is_shut(h2) && h2->late_acks++ == MAX_ACKS) {
        lun_h2_flood(h2, "http2 flood detected");
        return false;
    }

    return true;
}


void
lun_h2_put_settings_ack(lun_h2 *h2)
{
    if (may_answer(h2)) {
        put_frame(h2, LUN_FRAME_SETTINGS, LUN_FRAME_ACK, 0, "", 0);
    }
}


void
lun_h2_put_ping_ack(lun_h2 *h2, const uint8_t *data)
{
    if (may_answer(h2)) {
        put_frame(h2, LUN_FRAME_PING, LUN_FRAME_ACK, 0, data, 8);
    }
}


/* --- the socket ---------------------------------------------------------- */

/* What was late goes first. */
static void
move_late(lun_h2 *h2)
{
    size_t  n = h2->late_len - h2->late_pos;

    if (n == 0) {
        return;
    }

    take_out(h2);
    n = lun_min(n, LUN_H2_OUT_SIZE - h2->out_len);
    memcpy(h2->out + h2->out_len, h2->late + h2->late_pos, n);
    h2->out_len += n;
    h2->late_pos += n;

    if (h2->late_pos == h2->late_len) {
        lun_free(h2->late);
        h2->late = NULL;
        h2->late_pos = h2->late_len = h2->late_room = 0;
        h2->late_acks = 0;
    }
}


lun_rc
lun_h2_send_out(lun_h2 *h2, bool more)
{
    size_t      sent;
    lun_conn   *c = h2->mux.c;
    lun_err     err;
    lun_slice   slice = { h2->out + h2->out_pos, h2->out_len - h2->out_pos };

    LUN_CHECK(!lun_conn_writing(c));

    err = lun_conn_send(c, &slice, 1, more, &sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        lun_log(LUN_LOG_INFO, &c->log, err, "writev() failed");
        lun_h2_break(h2);
        return LUN_ERROR;
    }

    h2->out_pos += sent;
    h2->burst += sent;

    if (h2->out_pos < h2->out_len) {
        return LUN_AGAIN;
    }

    h2->out_pos = 0;
    h2->out_len = 0;
    return LUN_OK;
}


/* OK: all of it is gone; AGAIN: the rest is on its way. */
static lun_rc
push_out(lun_h2 *h2)
{
    lun_rc      rc = lun_h2_send_out(h2, false);
    lun_conn   *c = h2->mux.c;
    lun_slice   slice;

    if (rc != LUN_AGAIN) {
        return rc;
    }

    slice.data = h2->out + h2->out_pos;
    slice.len = h2->out_len - h2->out_pos;
    lun_conn_write(c, &slice, 1);

    /* Still sending, but not the same: the time begins anew in either case. */
    lun_conn_enter(c, &lun_h2_sending);
    return LUN_AGAIN;
}


void
lun_h2_send_all(lun_h2 *h2)
{
    while (!h2->mux.broken && !lun_conn_writing(h2->mux.c)
           && h2->burst < BURST)
    {
        move_late(h2);

        if (!h2->ended) {
            lun_h2_gather(h2);
        }

        if (h2->out == NULL || h2->out_len == 0 || push_out(h2) != LUN_OK) {
            break;
        }
    }

    if (!lun_conn_writing(h2->mux.c) && h2->out_len == h2->out_pos) {
        give_out(h2);
    }
}


bool
lun_h2_is_tired(const lun_h2 *h2)
{
    return h2->burst >= BURST;
}


void
lun_h2_took_output(lun_h2 *h2)
{
    h2->out_pos += (size_t) lun_conn_written(h2->mux.c);

    if (h2->out_pos < h2->out_len) {
        (void) push_out(h2);

    } else {
        h2->out_pos = 0;
        h2->out_len = 0;
    }
}


void
lun_h2_output_fini(lun_h2 *h2)
{
    give_out(h2);
    lun_free(h2->late);
    lun_hpack_encoder_fini(&h2->encoder);
}
