/*
 * upreq_h2_priv.h -- what the files of upreq_h2 share: upreq_h2.c (a
 * connection: its settings and windows, and what it costs), upreq_h2_request.c,
 * upreq_h2_answer.c, upreq_h2_idle.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_H2_PRIV_H
#define LUN_HTTP_UPREQ_H2_PRIV_H

#include "http/upstream/h2/h2_wire.h"
#include "http/upstream/h2/upreq_h2.h"

enum {
    LUN_H2_USUAL_WINDOW = 65535,
    LUN_H2_MAX_WINDOW = 0x7fffffff,
    LUN_H2_PING_SIZE = 8
};

struct lun_h2_server {
    lun_frames  frames;
    int64_t     window;            /* for what is sent */
    int64_t     initial;           /* of streams, as SETTINGS say */
    int64_t     received;          /* of ours, not given back */
    uint32_t    next_stream;
    int64_t     credit;            /* frames that it may send for nothing */
    lun_msec    credited;          /* when that was counted */
    bool        goes_away;         /* no stream may follow */
};

/* Each of them has one in front. */
static inline lun_upreq_h2 *
lun_upreq_h2_of(const lun_upreq *x)
{
    return x->protocol_data;
}

/* --- upreq_h2.c --- */

lun_h2_server *lun_h2_server_new(lun_conn *c);

/*
 * What a frame costs that brings nothing, and what one that does is worth.
 * ERROR: the server has sent too many.
 */
lun_rc lun_h2_spend(lun_h2_server *s, int64_t n);
void lun_h2_earn(lun_h2_server *s);

/*
 * An entry of SETTINGS, or a WINDOW_UPDATE of the connection.  Returns what is
 * wrong with it, or NULL.  *window is that of the stream; NULL: there is none.
 */
const char *lun_h2_take_setting(lun_h2_server *s, int64_t *window);
const char *lun_h2_take_window(lun_h2_server *s, int64_t *window);

/* An answer to the frame that has come, at p, which has room. */
char *lun_h2_put_ack(char *p, const lun_h2_server *s);
enum { LUN_H2_ACK_SIZE = LUN_FRAME_HEAD + LUN_H2_PING_SIZE };

/* Whether a stream may follow, when one has ended. */
bool lun_h2_may_follow(const lun_h2_server *s);

/* --- upreq_h2_idle.c --- */

lun_conn_pooled_fn  lun_h2_on_idle;

#endif
