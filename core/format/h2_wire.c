/*
 * h2_wire.c -- see h2_wire.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/h2_wire.h"

#include "base/check.h"


/* --- sent ---------------------------------------------------------------- */

char *
lun_frame_put_u32(char *p, uint32_t n)
{
    *p++ = (char) (n >> 24);
    *p++ = (char) (n >> 16);
    *p++ = (char) (n >> 8);
    *p++ = (char) n;

    return p;
}


char *
lun_frame_put_head(char *p, size_t length, unsigned type, unsigned flags,
    uint32_t stream)
{
    LUN_CHECK(length <= LUN_FRAME_LONGEST);

    *p++ = (char) (length >> 16);
    *p++ = (char) (length >> 8);
    *p++ = (char) length;
    *p++ = (char) type;
    *p++ = (char) flags;

    return lun_frame_put_u32(p, stream);
}


/* --- received ------------------------------------------------------------ */

/* Bytes that a content has, or a multiple of that; 0: any number. */
static const struct {
    uint8_t  size;
    bool     exactly;
} contents[] = {
    [LUN_FRAME_PRIORITY]      = { 5, true },
    [LUN_FRAME_RST_STREAM]    = { 4, true },
    [LUN_FRAME_SETTINGS]      = { 6, false },
    [LUN_FRAME_PING]          = { 8, true },
    [LUN_FRAME_GOAWAY]        = { 8, false },
    [LUN_FRAME_WINDOW_UPDATE] = { 4, true },
    [LUN_FRAME_CONTINUATION]  = { 0, false }
};


static lun_frames_verdict
refuse(lun_frames *p, unsigned code, const char *what)
{
    p->what = what;
    p->code = code;
    return LUN_FRAMES_BAD;
}


static bool
is_piecewise(const lun_frames *p)
{
    return p->type == LUN_FRAME_DATA || p->type == LUN_FRAME_HEADERS
           || p->type == LUN_FRAME_CONTINUATION
           || (p->type == LUN_FRAME_PRIORITY_UPDATE && p->updates);
}


static size_t
unit_size(const lun_frames *p)
{
    return p->type < LUN_ARRAY_LEN(contents) ? contents[p->type].size : 0;
}


static const char *
check_length(const lun_frames *p)
{
    size_t  size = unit_size(p);

    /* Contents that nobody gathers may be as long as this side has said. */
    if (p->length > LUN_FRAME_MOST
        && (p->length > p->most || !(is_piecewise(p)
                                     || p->type > LUN_FRAME_CONTINUATION)))
    {
        return "too large http2 frame";
    }

    if (p->type == LUN_FRAME_GOAWAY) {
        return p->length < size ? "goaway frame with invalid length" : NULL;
    }

    if (p->type == LUN_FRAME_SETTINGS) {
        return p->length % size != 0
               || (p->length != 0 && (p->flags & LUN_FRAME_ACK))
               ? "settings frame with invalid length" : NULL;
    }

    return size != 0 && p->length != size ? "http2 frame with invalid length"
                                          : NULL;
}


/*
 * Between HEADERS and the end of its block nothing else may come (RFC 9113,
 * 4.3): that is checked here, so no caller can forget it.
 */
static lun_frames_verdict
take_head(lun_frames *p)
{
    const char     *wrong;
    const uint8_t  *h = p->head;

    p->length = (size_t) h[0] << 16 | (size_t) h[1] << 8 | h[2];
    p->type = h[3];
    p->flags = h[4];
    p->stream = lun_frame_u32(h + 5) & 0x7fffffff;
    p->left = p->length;
    p->pad = 0;
    p->prefix = 0;
    p->unit_len = 0;
    p->unit_told = false;
    wrong = check_length(p);

    if (wrong != NULL) {
        return refuse(p, LUN_H2_FRAME_SIZE_ERROR, wrong);
    }

    if (p->in_block != (p->type == LUN_FRAME_CONTINUATION)) {
        return refuse(p, LUN_H2_PROTOCOL_ERROR,
                      p->in_block ? "http2 frame inside of a header block"
                                  : "unexpected continuation frame");
    }

    if (p->type == LUN_FRAME_HEADERS || p->type == LUN_FRAME_CONTINUATION) {
        p->in_block = (p->flags & LUN_FRAME_END_HEADERS) == 0;
    }

    if (p->type == LUN_FRAME_DATA || p->type == LUN_FRAME_HEADERS) {
        p->prefix += p->flags & LUN_FRAME_PADDED ? 1 : 0;
    }

    if (p->type == LUN_FRAME_HEADERS) {
        p->prefix += p->flags & LUN_FRAME_HAS_PRIORITY ? 5 : 0;
    }

    if (p->type == LUN_FRAME_PRIORITY_UPDATE && p->updates) {
        p->prefix = 4;
    }

    return p->prefix > p->length
           ? refuse(p, LUN_H2_FRAME_SIZE_ERROR,
                    "http2 frame with invalid length") : LUN_FRAMES_BEGIN;
}


/* Into p->unit, up to `size` bytes; true: they are there. */
static bool
fill_unit(lun_frames *p, const char **pos, const char *end, size_t size)
{
    size_t  n = lun_min((size_t) (end - *pos), size - p->unit_len);

    n = lun_min(n, p->left);
    memcpy(p->unit + p->unit_len, *pos, n);
    p->unit_len += n;
    p->left -= n;
    *pos += n;

    return p->unit_len == size;
}


static void
skip_content(lun_frames *p, const char **pos, const char *end)
{
    size_t  n = lun_min((size_t) (end - *pos), p->left);

    *pos += n;
    p->left -= n;
}


static lun_frames_verdict
end_frame(lun_frames *p)
{
    p->have = 0;
    return LUN_FRAMES_END;
}


/* Padding is passed over as it comes and never gathered; `left` counts it. */
static lun_frames_verdict
next_piece(lun_frames *p, const char **pos, const char *end, lun_str *piece)
{
    size_t  n;

    if (p->prefix != 0) {
        if (!fill_unit(p, pos, end, p->prefix)) {
            return LUN_FRAMES_MORE;
        }

        p->pad = p->type != LUN_FRAME_PRIORITY_UPDATE
                 && (p->flags & LUN_FRAME_PADDED) ? p->unit[0] : 0;
        p->prefix = 0;

        if (p->pad > p->left) {
            return refuse(p, LUN_H2_PROTOCOL_ERROR,
                          "http2 frame with too long padding");
        }
    }

    n = lun_min((size_t) (end - *pos), p->left - p->pad);

    if (n != 0) {
        *piece = lun_str_of(*pos, n);
        *pos += n;
        p->left -= n;
        return LUN_FRAMES_PIECE;
    }

    if (p->left == p->pad) {
        p->left -= lun_min((size_t) (end - *pos), p->left);
        *pos += p->pad - p->left;
        p->pad = p->left;
    }

    return p->left == 0 ? end_frame(p) : LUN_FRAMES_MORE;
}


static lun_frames_verdict
next_unit(lun_frames *p, const char **pos, const char *end)
{
    size_t  size = unit_size(p);

    if (p->unit_told && p->type == LUN_FRAME_SETTINGS) {
        p->unit_told = false;
        p->unit_len = 0;
    }

    if (size != 0 && !p->unit_told && p->left != 0
        && fill_unit(p, pos, end, size))
    {
        p->unit_told = true;
        return LUN_FRAMES_UNIT;
    }

    /* What nobody knows, and a goaway's text. */
    if (size == 0 || p->unit_told) {
        skip_content(p, pos, end);
    }

    return p->left == 0 ? end_frame(p) : LUN_FRAMES_MORE;
}


lun_frames_verdict
lun_frames_next(lun_frames *p, const char **pos, const char *end,
    lun_str *piece)
{
    size_t  n;

    if (p->have < LUN_FRAME_HEAD) {
        n = lun_min((size_t) (end - *pos), LUN_FRAME_HEAD - p->have);
        memcpy(p->head + p->have, *pos, n);
        p->have += n;
        *pos += n;

        return p->have == LUN_FRAME_HEAD ? take_head(p) : LUN_FRAMES_MORE;
    }

    return is_piecewise(p) ? next_piece(p, pos, end, piece)
                           : next_unit(p, pos, end);
}


lun_str
lun_frames_content(lun_frames *p, const char **pos, const char *end)
{
    lun_str  piece;

    LUN_CHECK(p->have == LUN_FRAME_HEAD);

    piece = lun_str_of(*pos, lun_min((size_t) (end - *pos), p->left));
    *pos += piece.len;
    p->left -= piece.len;
    p->prefix = 0;                     /* that was among it */

    return piece;
}
