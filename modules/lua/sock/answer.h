/*
 * answer.h -- what a library waits for, in bytes that come in pieces: a reply
 * of Redis, a frame of WebSocket (RFC 6455).  The usual one is told whole; of
 * another it is told that it is one.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_ANSWER_H
#define LUN_LUA_ANSWER_H

#include "base/str.h"

enum { LUN_ANSWER_MOST = 4096 };   /* of what is told whole */

typedef enum {
    LUN_ANSWER_MORE,               /* not yet: more bytes, please */
    LUN_ANSWER_WHOLE,
    LUN_ANSWER_OTHER
} lun_answer_verdict;

/* Where it is: `head` bytes, `len` that count, all with what follows. */
typedef struct {
    size_t  head;
    size_t  len;
    size_t  all;
} lun_answer;

/* One search, over bytes that may grow between the calls; zeroed. */
typedef struct {
    size_t  seen;                  /* no line ends in these */
    size_t  wanted;                /* it takes so many */
} lun_answer_run;

/* WHOLE: a text ("$5").  OTHER: *a is its first line, whose end is a byte. */
lun_answer_verdict lun_answer_redis(lun_answer_run *run, lun_str in,
    lun_answer *a);

/*
 * WHOLE: a frame that is all of a message, of at most `most` bytes (and
 * LUN_ANSWER_MOST); the mask's key is the end of its head.  OTHER: there are
 * two bytes.
 */
lun_answer_verdict lun_answer_frame(lun_str in, size_t most, bool only_masked,
    bool *masked, lun_answer *a);

#endif
