/*
 * upreq_h2.c -- a connection to a server of HTTP/2: settings and windows, and
 * an account of what the server costs.
 *
 * A frame of ours that gets through, and one of its that brings bytes of a
 * body, is worth some that bring nothing; so is time.  Who sends more of these
 * (PING, SETTINGS, WINDOW_UPDATE, empty ones) keeps us busy for nothing.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h2/upreq_h2.h"

#include "http/upstream/h2/upreq_h2_priv.h"

#include "base/check.h"
#include "base/fmt.h"


enum {
    MOST_CREDIT = 1000,            /* frames */
    WORTH = 4,                     /* a frame that brings something */
    MS_PER_FRAME = 1000,           /* so long is worth one */
    SETTING_WINDOW = 4
};


lun_h2_server *
lun_h2_server_new(lun_conn *c)
{
    lun_h2_server  *s = lun_pool_new(lun_conn_memory(c), lun_h2_server);

    lun_frames_init(&s->frames);
    s->window = s->initial = LUN_H2_USUAL_WINDOW;
    s->next_stream = 1;
    s->credit = MOST_CREDIT;
    s->credited = lun_clock.mono;

    return s;
}


/* --- the account --------------------------------------------------------- */

lun_rc
lun_h2_spend(lun_h2_server *s, int64_t n)
{
    lun_msec  passed = lun_clock.mono - s->credited;

    if (passed >= MS_PER_FRAME) {
        s->credit = lun_min(s->credit + (int64_t) (passed / MS_PER_FRAME),
                            (int64_t) MOST_CREDIT);
        s->credited += passed - passed % MS_PER_FRAME;
    }

    s->credit -= n;
    return s->credit >= 0 ? LUN_OK : LUN_ERROR;
}


void
lun_h2_earn(lun_h2_server *s)
{
    s->credit = lun_min(s->credit + WORTH, (int64_t) MOST_CREDIT);
}


/* --- what it says of the connection -------------------------------------- */

const char *
lun_h2_take_setting(lun_h2_server *s, int64_t *window)
{
    int64_t         value, more;
    const uint8_t  *u = s->frames.unit;

    if (((unsigned) u[0] << 8 | u[1]) != SETTING_WINDOW) {
        return NULL;
    }

    value = lun_frame_u32(u + 2);
    more = value - s->initial;

    if (value > LUN_H2_MAX_WINDOW
        || (window != NULL && *window + more > LUN_H2_MAX_WINDOW))
    {
        return "settings frame with too large initial window size";
    }

    s->initial = value;

    if (window != NULL) {
        *window += more;
    }

    return NULL;
}


const char *
lun_h2_take_window(lun_h2_server *s, int64_t *window)
{
    int64_t  n = lun_frame_u32(s->frames.unit) & LUN_H2_MAX_WINDOW;

    if (n > LUN_H2_MAX_WINDOW - *window) {
        return "too large window update";
    }

    *window += n;
    return NULL;
}


char *
lun_h2_put_ack(char *p, const lun_h2_server *s)
{
    if (s->frames.type == LUN_FRAME_PING) {
        p = lun_frame_put_head(p, LUN_H2_PING_SIZE, LUN_FRAME_PING,
                               LUN_FRAME_ACK, 0);
        return lun_copy(p, s->frames.unit, LUN_H2_PING_SIZE);
    }

    return lun_frame_put_head(p, 0, LUN_FRAME_SETTINGS, LUN_FRAME_ACK, 0);
}


bool
lun_h2_may_follow(const lun_h2_server *s)
{
    return !s->goes_away && s->next_stream < LUN_H2_MAX_WINDOW
           && !s->frames.in_block;
}
