/*
 * h2_wire.h -- frames of HTTP/2: a parser for those that come, and the ones
 * that are sent.  Pure: whatever has to be answered or accounted is the
 * caller's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_H2_WIRE_H
#define LUN_FORMAT_H2_WIRE_H

#include "base/str.h"

enum {
    LUN_FRAME_DATA          = 0,
    LUN_FRAME_HEADERS       = 1,
    LUN_FRAME_PRIORITY      = 2,
    LUN_FRAME_RST_STREAM    = 3,
    LUN_FRAME_SETTINGS      = 4,
    LUN_FRAME_PUSH_PROMISE  = 5,
    LUN_FRAME_PING          = 6,
    LUN_FRAME_GOAWAY        = 7,
    LUN_FRAME_WINDOW_UPDATE = 8,
    LUN_FRAME_CONTINUATION  = 9,
    LUN_FRAME_PRIORITY_UPDATE = 16     /* RFC 9218 */
};

enum {
    LUN_FRAME_ACK         = 0x01,
    LUN_FRAME_END_STREAM  = 0x01,
    LUN_FRAME_END_HEADERS = 0x04,
    LUN_FRAME_PADDED      = 0x08,
    LUN_FRAME_HAS_PRIORITY = 0x20
};

/* MOST: of a content, before the other side has said more. */
enum { LUN_FRAME_HEAD = 9, LUN_FRAME_MOST = 16384,
       LUN_FRAME_LONGEST = (1 << 24) - 1 };

/* Settings (RFC 9113, 6.5.2; RFC 8441; RFC 9218). */
enum {
    LUN_H2_HEADER_TABLE_SIZE      = 1,
    LUN_H2_ENABLE_PUSH            = 2,
    LUN_H2_MAX_CONCURRENT_STREAMS = 3,
    LUN_H2_INITIAL_WINDOW_SIZE    = 4,
    LUN_H2_MAX_FRAME_SIZE         = 5,
    LUN_H2_ENABLE_CONNECT_PROTOCOL = 8,
    LUN_H2_NO_RFC7540_PRIORITIES  = 9
};

/* Error codes (RFC 9113, 7). */
enum {
    LUN_H2_NO_ERROR            = 0,
    LUN_H2_PROTOCOL_ERROR      = 1,
    LUN_H2_INTERNAL_ERROR      = 2,
    LUN_H2_FLOW_CONTROL_ERROR  = 3,
    LUN_H2_STREAM_CLOSED       = 5,
    LUN_H2_FRAME_SIZE_ERROR    = 6,
    LUN_H2_REFUSED_STREAM      = 7,
    LUN_H2_CANCEL              = 8,
    LUN_H2_COMPRESSION_ERROR   = 9,
    LUN_H2_ENHANCE_YOUR_CALM   = 11
};

enum { LUN_H2_FIRST_WINDOW = 65535, LUN_H2_MAX_WINDOW = 0x7fffffff };

typedef enum {
    LUN_FRAMES_MORE,               /* all bytes are used up */
    LUN_FRAMES_BEGIN,              /* a frame's head has come */
    LUN_FRAMES_PIECE,              /* *piece: content of DATA, or of a header
                                      block, without padding and priority; or
                                      the value of PRIORITY_UPDATE, whose
                                      stream is in p->unit by the END */
    LUN_FRAMES_UNIT,               /* p->unit: a whole content of another type;
                                      of SETTINGS an entry, of GOAWAY the
                                      beginning */
    LUN_FRAMES_END,                /* the frame is over */
    LUN_FRAMES_BAD                 /* p->what and p->code say why */
} lun_frames_verdict;

typedef struct {
    uint8_t      head[LUN_FRAME_HEAD];
    size_t       have;             /* bytes of it */
    unsigned     type;
    unsigned     flags;
    uint32_t     stream;
    size_t       length;
    size_t       left;             /* of the content, padding included */
    size_t       pad;
    size_t       prefix;           /* bytes before the content proper */
    uint8_t      unit[8];
    size_t       unit_len;
    bool         unit_told;
    bool         in_block;         /* CONTINUATION has to come */
    bool         updates;          /* PRIORITY_UPDATE is read; without that it
                                      is a type that nobody knows */
    size_t       most;             /* of DATA, headers, unknown types, if that
                                      is more than LUN_FRAME_MOST */
    const char  *what;
    unsigned     code;             /* LUN_H2_..._ERROR */
} lun_frames;

static inline void
lun_frames_init(lun_frames *p)
{
    *p = (lun_frames) { .have = 0 };
}

/* Moves *pos over what was used. */
lun_frames_verdict lun_frames_next(lun_frames *p, const char **pos,
    const char *end, lun_str *piece);

/*
 * In place of that, after BEGIN: more of a content as it came, padding and all.
 * LUN_FRAMES_END follows the last of it.
 */
lun_str lun_frames_content(lun_frames *p, const char **pos, const char *end);

static inline uint32_t
lun_frame_u32(const uint8_t *p)
{
    return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16
           | (uint32_t) p[2] << 8 | p[3];
}

/* Each writes at p and returns the end. */
char *lun_frame_put_head(char *p, size_t length, unsigned type,
    unsigned flags, uint32_t stream);
char *lun_frame_put_u32(char *p, uint32_t n);

#endif
