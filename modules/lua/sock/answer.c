/*
 * answer.c -- replies of Redis and frames of WebSocket, as they come.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/answer.h"

enum {
    FIN        = 0x80,
    TEXT       = 1,
    BINARY     = 2,
    MASKED     = 0x80,
    LENGTH     = 0x7f,
    LENGTH_16  = 126,              /* what follows is the length */
    KEY_LEN    = 4
};


/* Of "$12\r"; false: a text that is not there, too long, or none at all. */
static bool
read_length(const char *p, size_t n, size_t *len)
{
    size_t  i;

    if (n < 3 || p[0] != '$' || p[n - 1] != '\r') {
        return false;
    }

    *len = 0;

    for (i = 1; i < n - 1; i++) {
        if (p[i] < '0' || p[i] > '9') {
            return false;
        }

        *len = *len * 10 + (size_t) (p[i] - '0');

        if (*len > LUN_ANSWER_MOST) {
            return false;
        }
    }

    return true;
}


/*
 * `wanted` and `seen` remember how far it was looked: a value of a megabyte
 * that comes in pieces is not searched again and again.
 */
lun_answer_verdict
lun_answer_redis(lun_answer_run *run, lun_str in, lun_answer *a)
{
    size_t       line;
    const char  *lf = NULL;

    if (in.len < run->wanted) {
        return LUN_ANSWER_MORE;
    }

    if (in.len > run->seen) {
        lf = memchr(in.data + run->seen, '\n', in.len - run->seen);
    }

    if (lf == NULL) {
        run->seen = in.len;
        return LUN_ANSWER_MORE;
    }

    line = (size_t) (lf - in.data);
    a->head = line + 1;

    if (read_length(in.data, line, &a->len)) {
        a->all = a->head + a->len + 2;

        if (in.len < a->all) {
            run->wanted = a->all;
            return LUN_ANSWER_MORE;
        }

        if (memcmp(in.data + a->all - 2, "\r\n", 2) == 0) {
            return LUN_ANSWER_WHOLE;
        }
    }

    *a = (lun_answer) { .head = 0, .len = line, .all = line + 1 };
    return LUN_ANSWER_OTHER;
}


/*
 * The common frame (one, whole, short) in one call; all others are left to the
 * library's Lua.
 */
lun_answer_verdict
lun_answer_frame(lun_str in, size_t most, bool only_masked, bool *masked,
    lun_answer *a)
{
    const unsigned char  *p = (const unsigned char *) in.data;

    if (in.len < 2) {
        return LUN_ANSWER_MORE;
    }

    *masked = p[1] & MASKED;
    a->head = 2;
    a->len = p[1] & LENGTH;

    if ((p[0] != (FIN | TEXT) && p[0] != (FIN | BINARY))
        || a->len > LENGTH_16 || (only_masked && !*masked))
    {
        return LUN_ANSWER_OTHER;
    }

    if (a->len == LENGTH_16) {
        a->head += 2;

        if (in.len < a->head) {
            return LUN_ANSWER_MORE;
        }

        a->len = (size_t) p[2] << 8 | p[3];
    }

    if (a->len > lun_min(most, (size_t) LUN_ANSWER_MOST)) {
        return LUN_ANSWER_OTHER;
    }

    a->head += *masked ? KEY_LEN : 0;
    a->all = a->head + a->len;
    return in.len < a->all ? LUN_ANSWER_MORE : LUN_ANSWER_WHOLE;
}
