/*
 * h2_wire.c -- frames as they come: whole at the edge of a page, and byte
 * by byte.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/h2_wire.c"

#include "tap.h"


typedef struct {
    char                text[256];
    size_t              len;
    lun_frames_verdict  rc;
    lun_frames          p;
} outcome;


static void
add(outcome *o, const void *data, size_t n)
{
    memcpy(o->text + o->len, data, n);
    o->len += n;
    o->text[o->len] = '\0';
}


static void
feed(outcome *o, const char *data, size_t size)
{
    lun_str      piece;
    const char  *pos = data;

    while ((o->rc = lun_frames_next(&o->p, &pos, data + size, &piece))
           != LUN_FRAMES_MORE && o->rc != LUN_FRAMES_BAD)
    {
        switch (o->rc) {

        case LUN_FRAMES_PIECE:
            add(o, piece.data, piece.len);
            break;

        case LUN_FRAMES_UNIT:
            add(o, "[", 1);
            add(o, o->p.unit, o->p.unit_len);
            add(o, "]", 1);
            break;

        case LUN_FRAMES_END:
            add(o, "|", 1);
            add(o, &"0123456789abcdef"[o->p.type & 15], 1);
            break;

        default:
            break;
        }
    }
}


#define S1  "\0\0\0\1"

static const struct {
    const char           *name;
    lun_str               bytes;
    lun_frames_verdict    rc;
    const char           *text;           /* of the contents, or what */
} cases[] = {
    { "data", LUN_STR_INIT("\0\0\2\0\1" S1 "ab"), LUN_FRAMES_MORE, "ab|0" },
    { "an empty one", LUN_STR_INIT("\0\0\0\0\1" S1), LUN_FRAMES_MORE, "|0" },
    { "with padding", LUN_STR_INIT("\0\0\5\0\x8" S1 "\2ab.."),
      LUN_FRAMES_MORE, "ab|0" },
    { "nothing but padding", LUN_STR_INIT("\0\0\3\0\x8" S1 "\2.."),
      LUN_FRAMES_MORE, "|0" },
    { "a block with priority and padding",
      LUN_STR_INIT("\0\0\x9\1\x2c" S1 "\1PPPPPab."), LUN_FRAMES_MORE, "ab|1" },
    { "a block in two", LUN_STR_INIT("\0\0\1\1\0" S1 "a\0\0\1\x9\4" S1 "b"),
      LUN_FRAMES_MORE, "a|1b|9" },
    { "settings", LUN_STR_INIT("\0\0\xc\4\0\0\0\0\0abcdefghijkl"),
      LUN_FRAMES_MORE, "[abcdef][ghijkl]|4" },
    { "their answer", LUN_STR_INIT("\0\0\0\4\1\0\0\0\0"), LUN_FRAMES_MORE,
      "|4" },
    { "a ping", LUN_STR_INIT("\0\0\x8\6\0\0\0\0\0abcdefgh"), LUN_FRAMES_MORE,
      "[abcdefgh]|6" },
    { "a goaway with a text",
      LUN_STR_INIT("\0\0\xa\7\0\0\0\0\0abcdefghij"), LUN_FRAMES_MORE,
      "[abcdefgh]|7" },
    { "one that nobody knows", LUN_STR_INIT("\0\0\2\xf\0\0\0\0\0ab"),
      LUN_FRAMES_MORE, "|f" },
    { "a priority update, which has no padding",
      LUN_STR_INIT("\0\0\7\x10\x8\0\0\0\0\1\2\3\4u=1"),
      LUN_FRAMES_MORE, "u=1|0" },
    { "an empty one of these",
      LUN_STR_INIT("\0\0\4\x10\0\0\0\0\0\1\2\3\4"),
      LUN_FRAMES_MORE, "|0" },

    { "too large", LUN_STR_INIT("\0\x40\1\0\0" S1), LUN_FRAMES_BAD,
      "too large http2 frame" },
    { "too much padding", LUN_STR_INIT("\0\0\2\0\x8" S1 "\2."),
      LUN_FRAMES_BAD, "http2 frame with too long padding" },
    { "no room for padding", LUN_STR_INIT("\0\0\0\0\x8" S1), LUN_FRAMES_BAD,
      "http2 frame with invalid length" },
    { "a ping of seven", LUN_STR_INIT("\0\0\7\6\0\0\0\0\0"), LUN_FRAMES_BAD,
      "http2 frame with invalid length" },
    { "a priority update of nothing",
      LUN_STR_INIT("\0\0\3\x10\0\0\0\0\0\1\2\3"), LUN_FRAMES_BAD,
      "http2 frame with invalid length" },
    { "half a setting", LUN_STR_INIT("\0\0\3\4\0\0\0\0\0"), LUN_FRAMES_BAD,
      "settings frame with invalid length" },
    { "a short goaway", LUN_STR_INIT("\0\0\3\7\0\0\0\0\0"), LUN_FRAMES_BAD,
      "goaway frame with invalid length" },
    { "a frame within a block", LUN_STR_INIT("\0\0\0\1\0" S1 "\0\0\0\0\0" S1),
      LUN_FRAMES_BAD, "http2 frame inside of a header block" },
    { "a continuation of nothing", LUN_STR_INIT("\0\0\0\x9\4" S1),
      LUN_FRAMES_BAD, "unexpected continuation frame" }
};


static void
parse(size_t i)
{
    size_t   n;
    outcome  whole = { .p.updates = true }, slow = whole;

    feed(&whole, tap_edge(cases[i].bytes.data, cases[i].bytes.len),
         cases[i].bytes.len);

    for (n = 0; n < cases[i].bytes.len && slow.rc != LUN_FRAMES_BAD; n++) {
        feed(&slow, tap_edge(cases[i].bytes.data + n, 1), 1);
    }

    ok(whole.rc == cases[i].rc
       && strcmp(whole.rc == LUN_FRAMES_BAD ? whole.p.what : whole.text,
                 cases[i].text) == 0, "%s", cases[i].name);
    ok(slow.rc == whole.rc && strcmp(slow.text, whole.text) == 0,
       "%s, byte by byte", cases[i].name);
}


int
main(void)
{
    char    room[LUN_FRAME_HEAD];
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        parse(i);
    }

    ok(lun_frame_put_head(room, 0x1234, 9, 5, 0x01020304) == room + 9
       && memcmp(room, "\0\x12\x34\x9\5\1\2\3\4", 9) == 0, "a head");

    return done_testing();
}
