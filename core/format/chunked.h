/*
 * chunked.h -- the chunked coding, RFC 9112, 7.1.  Pure and resumable.
 * Strict: every line ends with CR LF, and holds no other control but tab.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_CHUNKED_H
#define LUN_FORMAT_CHUNKED_H

#include "base/str.h"

typedef struct {
    int       state;
    uint64_t  left;                /* of the present chunk */
    size_t    line;                /* of this size line, or of all trailers */
    bool      keep;                /* trailers are somebody else's to read */
} lun_chunked;

enum { LUN_CHUNKED_LINE = 4096, LUN_CHUNKED_TRAILERS = 16384 };

typedef enum {
    LUN_CHUNKED_DATA,              /* a piece: in *data */
    LUN_CHUNKED_MORE,              /* all consumed, give more */
    LUN_CHUNKED_TAIL,              /* keep: trailers follow, up to an empty
                                      line; not to be called again */
    LUN_CHUNKED_DONE,              /* last chunk and trailers are through */
    LUN_CHUNKED_BAD                /* 400: size, overflow, missing CR LF */
} lun_chunked_verdict;

static inline void
lun_chunked_init(lun_chunked *c)
{
    *c = (lun_chunked) { 0 };
}

/*
 * Consumes from *pos (moved forward) up to `end`.  Call again after DATA;
 * after DONE *pos stands behind the body, and DONE and BAD stay.  Extensions
 * and trailers are read and dropped, up to the limits above.
 */
lun_chunked_verdict lun_chunked_next(lun_chunked *c, const char **pos,
    const char *end, lun_str *data);

#endif
