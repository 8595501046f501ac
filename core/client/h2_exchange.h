/*
 * h2_exchange.h -- one question and its answer over a connection of HTTP/2 that
 * is theirs alone: what has to be sent, and what came, as bytes.  No system
 * call.
 *
 * Answers are read into what those of HTTP/1 are (http_answer.h); the fields
 * behind a body are kept, since that is where gRPC says how it went.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_H2_EXCHANGE_H
#define LUN_H2_EXCHANGE_H

#include "client/http_question.h"
#include "format/h2_wire.h"

typedef struct {
    /* To be sent, malloc's: the caller's to take, whenever there is some. */
    char             *out;
    size_t            out_len, out_room;

    /* The room's own. */
    lun_http_answer  *answer;
    lun_str           body;        /* what of it is not in a frame yet */
    bool              sent_all;
    int64_t           window, link_window;
    int64_t           initial;     /* what a stream's is, by SETTINGS */
    lun_frames        frames;
    char             *block;       /* a header's, while it comes */
    size_t            block_len, block_room;
    bool              ends;        /* that block is the last of the answer */
    bool              done;
    unsigned          idle;        /* frames that have brought nothing */
} lun_h2_exchange;

/* The question's header; lun_http_question_fault() has nothing against it. */
lun_str lun_h2_exchange_block(lun_pool *pool, const lun_http_question *q);

/* `block` and `body` live as long; the answer had no byte yet. */
void lun_h2_exchange_init(lun_h2_exchange *h, lun_str block, lun_str body,
    lun_http_answer *answer);
void lun_h2_exchange_fini(lun_h2_exchange *h);

/* As lun_http_answer_next(), but that all bytes up to `end` are used up. */
lun_http_answer_verdict lun_h2_exchange_next(lun_h2_exchange *h,
    const char **pos, const char *end, bool ended, lun_str *piece);

#endif
