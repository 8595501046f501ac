/*
 * redis_reply.h -- where the replies of a Redis server end.  Pure.
 *
 *     +OK    -ERR no    :12    $5 hello    *2 $1 a $-1       (each with CR LF)
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_REDIS_REPLY_H
#define LUN_FORMAT_REDIS_REPLY_H

#include "base/str.h"

typedef enum {
    LUN_REDIS_MORE,                /* all bytes are used */
    LUN_REDIS_DONE,                /* that was the last reply */
    LUN_REDIS_BAD                  /* *pos is at the byte that is none */
} lun_redis_verdict;

typedef struct {
    int64_t  pending;              /* replies, and parts of them, to come */
    int64_t  number;               /* of a bulk's bytes, an array's parts */
    int64_t  left;                 /* bytes of a bulk, and its CR LF */
    uint8_t  state;                /* redis_reply.c's */
    char     kind;                 /* '$' or '*' */
    bool     negative;             /* "-1": there is none */
    bool     digits;               /* there has been one */
} lun_redis_reply;

/* So many replies are to come. */
void lun_redis_reply_init(lun_redis_reply *p, int64_t count);

/* Moves *pos over the bytes of replies, up to the end of the last. */
lun_redis_verdict lun_redis_reply_next(lun_redis_reply *p, const char **pos,
    const char *end);

/*
 * How many commands a request is, which are lines, or arrays in the form of
 * replies.  -1: it is cut short, or not of commands that are over when each has
 * had its one reply, as AUTH, SELECT and MULTI are not.
 */
int64_t lun_redis_count_commands(lun_str text);

#endif
