/*
 * fastcgi_record.c -- records as they are sent, and as they come: whole at the
 * edge of a page, and byte by byte.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/fastcgi_record.c"

#include <stdlib.h>

#include "tap.h"


/* What a parser made of a text: contents by type, and where it stopped. */
typedef struct {
    char                 text[512];
    size_t               len;
    lun_fastcgi_verdict  rc;
    lun_fastcgi_parser   p;
} outcome;


static void
add(outcome *o, const char *data, size_t n)
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

    while ((o->rc = lun_fastcgi_next(&o->p, &pos, data + size, &piece))
           != LUN_FASTCGI_MORE && o->rc != LUN_FASTCGI_BAD)
    {
        if (o->rc == LUN_FASTCGI_DATA) {
            add(o, piece.data, piece.len);

        } else {
            add(o, "|", 1);
            add(o, &"0123456789"[o->p.type], 1);
        }
    }
}


static const struct {
    const char           *name;
    lun_str               bytes;
    lun_fastcgi_verdict   rc;
    const char           *text;
    unsigned              value;
} cases[] = {
    { "a record with padding",
      LUN_STR_INIT("\1\6\0\1\0\3\5\0abc\0\0\0\0\0"), LUN_FASTCGI_MORE,
      "abc|6", 0 },
    { "an empty one", LUN_STR_INIT("\1\6\0\1\0\0\0\0"), LUN_FASTCGI_MORE,
      "|6", 0 },
    { "nothing but padding", LUN_STR_INIT("\1\7\0\1\0\0\2\0xx"),
      LUN_FASTCGI_MORE, "|7", 0 },
    { "several", LUN_STR_INIT("\1\7\0\1\0\1\0\0e\1\6\0\1\0\1\0\0o"
                              "\1\3\0\1\0\x8\0\0........"),
      LUN_FASTCGI_MORE, "e|7o|6........|3", 0 },
    { "half a head", LUN_STR_INIT("\1\6\0\1"), LUN_FASTCGI_MORE, "", 0 },
    { "half a content", LUN_STR_INIT("\1\6\0\1\0\3\0\0ab"), LUN_FASTCGI_MORE,
      "ab", 0 },
    { "another version", LUN_STR_INIT("\2\6\0\1\0\0\0\0"), LUN_FASTCGI_BAD,
      "", 2 },
    { "HTTP", LUN_STR_INIT("HTTP/1.1 200 OK\r\n"), LUN_FASTCGI_BAD, "", 'H' },
    { "a type that we send", LUN_STR_INIT("\1\5\0\1\0\0\0\0"),
      LUN_FASTCGI_BAD, "", 5 },
    { "request 256", LUN_STR_INIT("\1\6\1\0\0\0\0\0"), LUN_FASTCGI_BAD, "",
      1 },
    { "request 2", LUN_STR_INIT("\1\6\0\2\0\0\0\0"), LUN_FASTCGI_BAD, "", 2 }
};


static void
parse(size_t i)
{
    size_t   n;
    outcome  whole = { .len = 0 }, slow = { .len = 0 };

    feed(&whole, tap_edge(cases[i].bytes.data, cases[i].bytes.len),
         cases[i].bytes.len);

    for (n = 0; n < cases[i].bytes.len && slow.rc != LUN_FASTCGI_BAD; n++) {
        feed(&slow, tap_edge(cases[i].bytes.data + n, 1), 1);
    }

    ok(whole.rc == cases[i].rc && whole.p.value == cases[i].value
       && strcmp(whole.text, cases[i].text) == 0, "%s", cases[i].name);
    ok(slow.rc == whole.rc && strcmp(slow.text, whole.text) == 0,
       "%s, byte by byte", cases[i].name);
}


static void
unread(void)
{
    lun_str              piece;
    const char          *text = "\1\6\0\1\0\3\0\0abc", *pos = text;
    lun_fastcgi_parser   p;

    lun_fastcgi_reset(&p);
    (void) lun_fastcgi_next(&p, &pos, text + 11, &piece);
    lun_fastcgi_unread(&p, 2);
    pos -= 2;

    ok(lun_fastcgi_next(&p, &pos, text + 11, &piece) == LUN_FASTCGI_DATA
       && lun_str_eq(piece, LUN_STR("bc")), "what was left comes again");
}


static void
begin_and_pairs(void)
{
    char     room[512], long_value[200];
    char    *end;
    lun_str  big = lun_str_of(long_value, sizeof(long_value));

    memset(long_value, 'v', sizeof(long_value));

    end = lun_fastcgi_put_begin(room, true);
    ok(end - room == LUN_FASTCGI_BEGIN_SIZE
       && memcmp(room, "\1\1\0\1\0\x8\0\0\0\1\1\0\0\0\0\0", 16) == 0,
       "the first record");

    end = lun_fastcgi_put_pair(room, LUN_STR("AB"), LUN_STR("xyz"));
    ok(end - room == 7 && memcmp(room, "\2\3ABxyz", 7) == 0, "a pair");
    ok(lun_fastcgi_pair_size(LUN_STR("AB"), LUN_STR("xyz")) == 7,
       "the size of a pair");

    end = lun_fastcgi_put_pair(room, LUN_STR("A"), big);
    ok((size_t) (end - room) == lun_fastcgi_pair_size(LUN_STR("A"), big)
       && memcmp(room, "\1\x80\0\0\xc8" "Avv", 8) == 0,
       "a pair with a long value");

    big.len = 127;
    end = lun_fastcgi_put_pair(room, LUN_STR("A"), big);
    ok(end - room == 130 && memcmp(room, "\1\x7f" "Avv", 5) == 0,
       "the longest whose length is one byte");
    ok(lun_fastcgi_pair_size(LUN_STR("A"), big) == 130
       && lun_fastcgi_pair_size(big, LUN_STR("A")) == 130, "and its size");

    big.len = 128;
    end = lun_fastcgi_put_pair(room, big, LUN_STR("A"));
    ok(end - room == 134 && memcmp(room, "\x80\0\0\x80\1vv", 7) == 0,
       "the shortest whose length is four");
    ok(lun_fastcgi_pair_size(LUN_STR("A"), big) == 134
       && lun_fastcgi_pair_size(big, LUN_STR("A")) == 134, "and its size");
}


/* n bytes as a stream: what a parser (of another type) has of it again. */
static void
stream(size_t n)
{
    char                *room, *p, *end;
    size_t               i, before, size, sum = 0, records = 0;
    lun_str              piece;
    const char          *pos;
    lun_fastcgi_parser   parser;
    lun_fastcgi_verdict  rc;
    bool                 same = true;

    size = lun_fastcgi_stream_size(n, &before);
    room = malloc(size);
    p = room + before;

    for (i = 0; i < n; i++) {
        p[i] = (char) (i * 7 / 3);
    }

    end = lun_fastcgi_put_stream(room, LUN_FASTCGI_STDOUT, n);
    pos = room;
    lun_fastcgi_reset(&parser);

    while ((rc = lun_fastcgi_next(&parser, &pos, end, &piece))
           != LUN_FASTCGI_MORE && rc != LUN_FASTCGI_BAD)
    {
        records += rc == LUN_FASTCGI_RECORD;

        for (i = 0; rc == LUN_FASTCGI_DATA && i < piece.len; i++, sum++) {
            same = same && piece.data[i] == (char) (sum * 7 / 3);
        }
    }

    ok(rc == LUN_FASTCGI_MORE && same && sum == n
       && (size_t) (end - room) == size && parser.length == 0
       && records == (n + LUN_FASTCGI_MOST - 1) / LUN_FASTCGI_MOST + 1,
       "a stream of %u bytes", (unsigned) n);
    free(room);
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        parse(i);
    }

    unread();
    begin_and_pairs();
    stream(0);
    stream(1);
    stream(8);
    stream(LUN_FASTCGI_MOST);
    stream(LUN_FASTCGI_MOST + 1);
    stream(3 * LUN_FASTCGI_MOST + 5);

    return done_testing();
}
