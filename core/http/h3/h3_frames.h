/*
 * h3_frames.h -- what stands in streams of HTTP/3 (RFC 9114, 7): numbers of
 * variable length, frames that come, and the heads of those that go.  Pure:
 * which stream they are of, and what follows, is the caller's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H3_FRAMES_H
#define LUN_HTTP_H3_FRAMES_H

#include "base/str.h"

/* Types of frames. */
enum {
    LUN_H3_DATA            = 0x00,
    LUN_H3_HEADERS         = 0x01,
    LUN_H3_CANCEL_PUSH     = 0x03,
    LUN_H3_SETTINGS        = 0x04,
    LUN_H3_PUSH_PROMISE    = 0x05,
    LUN_H3_GOAWAY          = 0x07,
    LUN_H3_MAX_PUSH_ID     = 0x0d,
    LUN_H3_PRIORITY_UPDATE = 0x0f0700,     /* of a request (RFC 9218) */
    LUN_H3_PRIORITY_PUSH   = 0x0f0701
};

/* The first number of a stream that goes one way. */
enum {
    LUN_H3_TYPE_CONTROL    = 0x00,
    LUN_H3_TYPE_PUSH       = 0x01,
    LUN_H3_TYPE_ENCODER    = 0x02,         /* QPACK's (RFC 9204) */
    LUN_H3_TYPE_DECODER    = 0x03
};

/* Settings. */
enum {
    LUN_H3_SET_TABLE       = 0x01,         /* most bytes of QPACK's table */
    LUN_H3_SET_FIELDS      = 0x06,         /* most bytes of a header */
    LUN_H3_SET_BLOCKED     = 0x07,         /* streams that wait for QPACK */
    LUN_H3_SET_CONNECT     = 0x08          /* RFC 9220 */
};

/* Errors (RFC 9114, 8.1; RFC 9204, 6). */
enum {
    LUN_H3_NO_ERROR              = 0x100,
    LUN_H3_GENERAL_ERROR         = 0x101,
    LUN_H3_INTERNAL_ERROR        = 0x102,
    LUN_H3_STREAM_CREATION_ERROR = 0x103,
    LUN_H3_CLOSED_CRITICAL       = 0x104,
    LUN_H3_FRAME_UNEXPECTED      = 0x105,
    LUN_H3_FRAME_ERROR           = 0x106,
    LUN_H3_EXCESSIVE_LOAD        = 0x107,
    LUN_H3_ID_ERROR              = 0x108,
    LUN_H3_SETTINGS_ERROR        = 0x109,
    LUN_H3_MISSING_SETTINGS      = 0x10a,
    LUN_H3_REQUEST_REJECTED      = 0x10b,
    LUN_H3_REQUEST_CANCELLED     = 0x10c,
    LUN_H3_REQUEST_INCOMPLETE    = 0x10d,
    LUN_H3_MESSAGE_ERROR         = 0x10e,
    LUN_QPACK_FAILED             = 0x200,
    LUN_QPACK_ENCODER_ERROR      = 0x201,
    LUN_QPACK_DECODER_ERROR      = 0x202
};

/* --- numbers ------------------------------------------------------------- */

enum { LUN_VARINT_MOST = 8 };
#define LUN_VARINT_MAX  ((UINT64_C(1) << 62) - 1)

/* One that comes in pieces (RFC 9000, 16).  All zero: nothing of it has. */
typedef struct {
    uint64_t  value;
    uint8_t   left;                /* bytes that are missing */
} lun_varint;

/*
 * Moves *pos; true: it is whole, p->value, and the next call begins another
 * one.
 */
bool lun_varint_take(lun_varint *p, const char **pos, const char *end);

/* Bytes that it takes; written at p, the end. */
size_t lun_varint_size(uint64_t n);
char *lun_varint_put(char *p, uint64_t n);

/* The same in `size` bytes, which it fits into: 2 or 4. */
char *lun_varint_put_wide(char *p, uint64_t n, size_t size);

/* --- frames -------------------------------------------------------------- */

typedef enum {
    LUN_H3_MORE,                   /* all bytes are used up */
    LUN_H3_BEGIN,                  /* p->type and p->length have come */
    LUN_H3_PIECE,                  /* *piece: of the content */
    LUN_H3_END                     /* the frame is over */
} lun_h3_verdict;

/* All zero: before the first frame. */
typedef struct {
    lun_varint  number;
    uint64_t    type;
    uint64_t    length;
    uint64_t    left;              /* of the content */
    uint8_t     stage;
} lun_h3_frames;

/* Moves *pos over what was used. */
lun_h3_verdict lun_h3_frames_next(lun_h3_frames *p, const char **pos,
    const char *end, lun_str *piece);

/* Nothing has come of a frame that is not whole. */
static inline bool
lun_h3_frames_between(const lun_h3_frames *p)
{
    return p->stage == 0 && p->number.left == 0;
}

/* Of a type that HTTP/2 has, and HTTP/3 must not have (RFC 9114, 7.2.8). */
bool lun_h3_is_of_h2(uint64_t type);

/* The head of a frame of at most LUN_H3_HEAD bytes; the end. */
enum { LUN_H3_HEAD = 2 * LUN_VARINT_MOST };
char *lun_h3_put_head(char *p, uint64_t type, uint64_t length);

#endif
