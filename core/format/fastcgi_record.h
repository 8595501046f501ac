/*
 * fastcgi_record.h -- records of FastCGI: the ones that are sent, and a parser
 * for those that come.  Pure and without allocation.
 *
 * A request is BEGIN, PARAMS (one stream of pairs, ended by an empty record),
 * STDIN (ended the same way); an answer STDOUT and STDERR in any order and
 * pieces, then END.  All are of request 1: connections are not multiplexed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_FASTCGI_RECORD_H
#define LUN_FORMAT_FASTCGI_RECORD_H

#include "base/check.h"
#include "base/fmt.h"

enum {
    LUN_FASTCGI_BEGIN  = 1,
    LUN_FASTCGI_END    = 3,
    LUN_FASTCGI_PARAMS = 4,
    LUN_FASTCGI_STDIN  = 5,
    LUN_FASTCGI_STDOUT = 6,
    LUN_FASTCGI_STDERR = 7
};

enum {
    LUN_FASTCGI_HEAD = 8,          /* bytes of a record before its content */
    LUN_FASTCGI_MOST = 65528,      /* of content that we put into one, which
                                      then needs no padding */
    LUN_FASTCGI_BEGIN_SIZE = 16,   /* the whole of that record */
    LUN_FASTCGI_MAX_LENGTH = 0x7fffffff,   /* of a name or a value */
    LUN_FASTCGI_ONE_BYTE = 127     /* a length that one byte says */
};

/* --- sent --- */

/* Bytes that bring content of that length to a multiple of eight. */
static inline size_t
lun_fastcgi_padding(size_t length)
{
    return (8 - length % 8) % 8;
}

/*
 * Each writes at p, where there is room, and returns the end.  `length` is at
 * most LUN_FASTCGI_MOST; `padding` zeroes follow the content.
 */
char *lun_fastcgi_put_head(char *p, unsigned type, size_t length,
    size_t padding);
char *lun_fastcgi_put_begin(char *p, bool keep);

/* One byte, or four whose first has its highest bit set. */
static inline char *
lun_fastcgi_put_length(char *p, size_t n)
{
    LUN_CHECK(n <= LUN_FASTCGI_MAX_LENGTH);

    if (LUN_UNLIKELY(n > LUN_FASTCGI_ONE_BYTE)) {
        *p++ = (char) (n >> 24 | 0x80);
        *p++ = (char) (n >> 16);
        *p++ = (char) (n >> 8);
    }

    *p++ = (char) n;
    return p;
}

/* Neither is longer than LUN_FASTCGI_MAX_LENGTH. */
static inline size_t
lun_fastcgi_pair_size(lun_str name, lun_str value)
{
    return name.len + value.len + (name.len > LUN_FASTCGI_ONE_BYTE ? 4 : 1)
           + (value.len > LUN_FASTCGI_ONE_BYTE ? 4 : 1);
}

static inline char *
lun_fastcgi_put_pair(char *p, lun_str name, lun_str value)
{
    p = lun_fastcgi_put_length(p, name.len);
    p = lun_fastcgi_put_length(p, value.len);
    p = lun_copy_str(p, name);

    return lun_copy_str(p, value);
}

/*
 * Room for a stream of n bytes in records, the empty one at its end included;
 * the n bytes are to be written `before` bytes behind its beginning.
 */
size_t lun_fastcgi_stream_size(size_t n, size_t *before);

/* Makes records of them, in place; returns the end. */
char *lun_fastcgi_put_stream(char *room, unsigned type, size_t n);

/* --- received --- */

typedef enum {
    LUN_FASTCGI_MORE,              /* all bytes are used up */
    LUN_FASTCGI_DATA,              /* *piece is content of the record */
    LUN_FASTCGI_RECORD,            /* it is over, its padding included */
    LUN_FASTCGI_BAD                /* see what */
} lun_fastcgi_verdict;

typedef struct {
    uint8_t      head[LUN_FASTCGI_HEAD];
    size_t       have;             /* bytes of it */
    unsigned     type;
    size_t       length;           /* of its content */
    size_t       left;             /* of that, still to come */
    size_t       padding;          /* the same */
    const char  *what;             /* BAD: "protocol version", and `value` */
    unsigned     value;
} lun_fastcgi_parser;

static inline void
lun_fastcgi_reset(lun_fastcgi_parser *p)
{
    *p = (lun_fastcgi_parser) { 0 };
}

/* Moves *pos over what was used. */
lun_fastcgi_verdict lun_fastcgi_next(lun_fastcgi_parser *p, const char **pos,
    const char *end, lun_str *piece);

/*
 * The caller leaves the last n bytes of the piece that it was given just now:
 * they come again.  Its own *pos has to go back by as many.
 */
void lun_fastcgi_unread(lun_fastcgi_parser *p, size_t n);

#endif
