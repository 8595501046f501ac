/*
 * h2_exchange.c -- one question over HTTP/2: answers in one piece and byte by
 * byte, what servers may not do, windows.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/client/h2_exchange.c"

#include "tap.h"


enum { HEADER = 200, BODY = 40 };

#define D  LUN_HTTP_ANSWER_DONE
#define C  LUN_HTTP_ANSWER_CUT
#define B  LUN_HTTP_ANSWER_BAD
#define L  LUN_HTTP_ANSWER_TOO_LARGE
#define M  LUN_HTTP_ANSWER_MORE

static char    wire[4096], *last;


/* --- what a server says -------------------------------------------------- */

static void
say(unsigned type, unsigned flags, uint32_t stream, const char *content,
    size_t len)
{
    last = lun_frame_put_head(last, len, type, flags, stream);
    last = lun_copy(last, content, len);
}


/* Fields "name: value" of a block, each a text without an index. */
static void
say_fields(unsigned flags, const char *const *fields)
{
    char     block[600], *p = block;

    for ( ; fields[0] != NULL; fields += 2) {
        p = lun_hpack_put(p, lun_str_z(fields[0]), lun_str_z(fields[1]));
    }

    say(LUN_FRAME_HEADERS, flags | LUN_FRAME_END_HEADERS, 1, block,
        (size_t) (p - block));
}

#define FIELDS(flags, ...)                                                    \
    say_fields(flags, (const char *const[]) { __VA_ARGS__, NULL })
#define END  LUN_FRAME_END_STREAM


static void  nothing(void) { }
static void  settings(void) { say(LUN_FRAME_SETTINGS, 0, 0, "", 0); }
static void  header(void) { FIELDS(0, ":status", "200", "a", "b"); }
static void  data(void) { say(LUN_FRAME_DATA, 0, 1, "hello", 5); }
static void  data_end(void) { say(LUN_FRAME_DATA, END, 1, "you", 3); }
static void  padded(void) { say(LUN_FRAME_DATA, LUN_FRAME_PADDED, 1,
                                "\2hi\0\0", 5); }
static void  trailers(void) { FIELDS(END, "grpc-status", "0"); }
static void  interim(void) { FIELDS(0, ":status", "103", "x", "y"); }
static void  only(void) { FIELDS(END, ":status", "200", "grpc-status", "5"); }
static void  reset(void) { say(LUN_FRAME_RST_STREAM, 0, 1, "\0\0\0\7", 4); }
static void  away(void) { say(LUN_FRAME_GOAWAY, 0, 0, "\0\0\0\0\0\0\0\0", 8); }
static void  bye(void) { say(LUN_FRAME_GOAWAY, 0, 0, "\0\0\0\1\0\0\0\0", 8); }
static void  push(void) { say(LUN_FRAME_PUSH_PROMISE, 4, 1, "\0\0\0\2", 4); }
static void  other(void) { say(LUN_FRAME_DATA, END, 3, "x", 1); }
static void  opened(void) { say(LUN_FRAME_WINDOW_UPDATE, 0, 1, "\0\0\0\1",
                                4); }
static void  nowhere(void) { say(LUN_FRAME_WINDOW_UPDATE, 0, 1, "\0\0\0\0",
                                 4); }
static void  too_open(void) { say(LUN_FRAME_WINDOW_UPDATE, 0, 0,
                                  "\x7f\xff\xff\xff", 4); }
static void  too_set(void) { say(LUN_FRAME_SETTINGS, 0, 0,
                                 "\0\4\x80\0\0\0", 6); }
static void  much(void) { say(LUN_FRAME_DATA, 0, 1,
    "01234567890123456789012345678901234567890123456789", 50); }
static void  long_field(void) { FIELDS(0, ":status", "200", "a",
    "01234567890123456789012345678901234567890123456789012345678901234567890"
    "01234567890123456789012345678901234567890123456789012345678901234567890"
    "01234567890123456789012345678901234567890123456789012345678901234567890"
    "01234567890123456789012345678901234567890123456789012345678901234567890"
    ); }
static void  no_status(void) { FIELDS(0, "a", "b"); }
static void  two(void) { FIELDS(0, ":status", "200", ":status", "200"); }
static void  late(void) { FIELDS(0, ":status", "200", "a", "b", ":x", "y"); }
static void  odd(void) { FIELDS(0, ":status", "20"); }
static void  junk(void) { say(LUN_FRAME_HEADERS, 4, 1, "\xff\xff\xff\xff\xff"
                              "\xff", 6); }
static void  in_parts(void) { say(LUN_FRAME_HEADERS, 0, 1, "\x88", 1);
    say(LUN_FRAME_PING, 0, 0, "12345678", 8); }
static void  unknown(void) { say(0x42, 0, 5, "what?", 5); }

typedef void words(void);

static const struct {
    words                    *says[6];
    bool                      ended;
    lun_http_answer_verdict   verdict;
    unsigned                  status;
    const char               *body;
    const char               *name;
} cases[] = {
    { { settings, header, data, padded, data_end }, false, D, 200, "hellohiyou",
      "an answer" },
    { { header, data, trailers }, false, D, 200, "hello",
      "with something behind it" },
    { { only }, false, D, 200, "", "a header alone" },
    { { interim, header, data_end }, false, D, 200, "you",
      "something before it" },
    { { unknown, settings, opened, bye, only }, false, D, 200, "",
      "and what does not matter" },

    { { nothing }, true, C, 0, "", "nothing" },
    { { header, data }, true, C, 200, "hello", "less than a body" },
    { { header, data, reset }, false, C, 200, "hello", "no more" },
    { { settings, away }, false, C, 0, "", "not this one" },
    { { settings, header, data }, false, M, 200, "hello", "not yet all" },

    { { push }, false, B, 0, "", "what nobody wants" },
    { { data }, false, B, 0, "", "a body before its header" },
    { { header, other }, false, B, 200, "", "another stream" },
    { { header, header }, false, B, 200, "", "two headers" },
    { { nowhere }, false, B, 0, "", "a window by nothing" },
    { { too_open }, false, B, 0, "", "a window too large" },
    { { too_set }, false, B, 0, "", "and set so" },
    { { no_status }, false, B, 0, "", "no status" },
    { { two }, false, B, 200, "", "two" },
    { { late }, false, B, 200, "", "a pseudo-header behind fields" },
    { { odd }, false, B, 0, "", "a status that is none" },
    { { junk }, false, B, 0, "", "no block" },
    { { in_parts }, false, B, 0, "", "a frame inside of a block" },

    { { header, much }, false, L, 200, "", "too much of a body" },
    { { long_field }, false, L, 0, "", "too much of a header" }
};


/* --- the cases ----------------------------------------------------------- */

/* In pieces of `step` bytes; each ends at a page that can't be read. */
static void
read_case(size_t i, size_t step)
{
    char                      body[80], *to = body;
    size_t                    k, n, size, at = 0;
    lun_str                   piece;
    lun_pool                 *pool = lun_pool_new_sized(1024);
    const char               *from, *pos;
    lun_h2_exchange           h;
    lun_http_answer           a = { .pool = pool, .header_most = HEADER,
                                    .body_most = BODY };
    lun_http_answer_verdict   v = M;

    last = wire;

    for (k = 0; k < 6 && cases[i].says[k] != NULL; k++) {
        cases[i].says[k]();
    }

    size = (size_t) (last - wire);
    lun_h2_exchange_init(&h, LUN_STR("\x82"), LUN_STR(""), &a);

    for (n = lun_min(step, size); ; n = lun_min(n + step, size)) {
        do {
            from = pos = tap_edge(wire + at, n - at);
            piece = LUN_STR_NULL;
            v = lun_h2_exchange_next(&h, &pos, from + (n - at),
                                     cases[i].ended && n == size, &piece);
            at += (size_t) (pos - from);

            if (v == LUN_HTTP_ANSWER_PIECE) {
                to = lun_copy_str(to, piece);
            }
        } while (v == LUN_HTTP_ANSWER_PIECE || v == LUN_HTTP_ANSWER_HEAD);

        if (v != M || n == size) {
            break;
        }
    }

    is_int(v, cases[i].verdict, "%s, %d at a time", cases[i].name, (int) step);
    is_int(a.status, cases[i].status, "its status");
    ok(v == L || lun_str_eq(lun_str_of(body, (size_t) (to - body)),
                            lun_str_z(cases[i].body)), "its body");
    lun_h2_exchange_fini(&h);
    lun_pool_free(pool);
}


static void
keeps_what_is_behind_the_body(void)
{
    lun_str                piece;
    lun_pool              *pool = lun_pool_new_sized(1024);
    const char            *pos = wire;
    lun_h2_exchange        h;
    lun_http_answer        a = { .pool = pool, .header_most = HEADER,
                                 .body_most = BODY };
    const lun_http_field  *f;

    last = wire;
    header();
    trailers();
    lun_h2_exchange_init(&h, LUN_STR("\x82"), LUN_STR(""), &a);
    is_int(lun_h2_exchange_next(&h, &pos, last, false, &piece),
           LUN_HTTP_ANSWER_HEAD, "a header");
    is_int(lun_h2_exchange_next(&h, &pos, last, false, &piece), D,
           "and an end");
    is_int(lun_h2_exchange_next(&h, &pos, last, false, &piece), D,
           "which stays");
    f = a.trailers.items;
    ok(a.fields.count == 1 && a.trailers.count == 1
       && lun_str_eq(f->name, LUN_STR("grpc-status"))
       && lun_str_eq(f->value, LUN_STR("0")), "fields of each");
    lun_h2_exchange_fini(&h);
    lun_pool_free(pool);
}


/* --- what is sent -------------------------------------------------------- */

/* Frames of what is to be sent, which is taken: "type:flags:length ". */
static void
list_frames(lun_h2_exchange *h, size_t from, char *text)
{
    lun_str             piece;
    const char         *pos = h->out + from, *end = h->out + h->out_len;
    lun_frames          f;
    lun_frames_verdict  v;

    lun_frames_init(&f);
    *text = '\0';

    while ((v = lun_frames_next(&f, &pos, end, &piece)) != LUN_FRAMES_MORE) {
        LUN_CHECK(v != LUN_FRAMES_BAD);

        if (v == LUN_FRAMES_BEGIN) {
            text = lun_fmt(text, text + 40, "%u:%u:%zu ", f.type, f.flags,
                           f.length);
            *text = '\0';
        }
    }

    h->out_len = 0;
}


static void
waits_for_windows(void)
{
    char              text[600];
    lun_str           piece;
    lun_pool         *pool = lun_pool_new_sized(1024);
    const char       *pos;
    lun_h2_exchange   h;
    lun_http_answer   a = { .pool = pool, .header_most = HEADER,
                            .body_most = BODY };
    static char       body[70000];

    lun_h2_exchange_init(&h, LUN_STR("\x82"),
                         lun_str_of(body, sizeof(body)), &a);
    ok(memcmp(h.out, PREFACE, sizeof(PREFACE) - 1) == 0, "a preface");
    list_frames(&h, sizeof(PREFACE) - 1, text);
    is_str(text, "4:0:18 1:4:1 0:0:16384 0:0:16384 0:0:16384 0:0:16383 ",
           "what the windows let through");

    last = wire;
    say(LUN_FRAME_SETTINGS, 0, 0, "\0\4\0\1\x11\x70", 6);    /* 70000 */
    say(LUN_FRAME_PING, 0, 0, "12345678", 8);
    say(LUN_FRAME_WINDOW_UPDATE, 0, 0, "\0\0\0\1", 4);
    pos = wire;
    is_int(lun_h2_exchange_next(&h, &pos, last, false, &piece), M, "more");
    list_frames(&h, 0, text);
    is_str(text, "4:1:0 6:1:8 0:0:1 ", "a server is answered, a byte sent");

    last = wire;
    say(LUN_FRAME_WINDOW_UPDATE, 0, 0, "\0\1\0\0", 4);
    header();
    data();
    pos = wire;
    is_int(lun_h2_exchange_next(&h, &pos, last, false, &piece),
           LUN_HTTP_ANSWER_HEAD, "it answers");
    list_frames(&h, 0, text);
    is_str(text, "0:1:4464 ", "and the rest is sent");
    is_int(lun_h2_exchange_next(&h, &pos, last, false, &piece),
           LUN_HTTP_ANSWER_PIECE, "a piece");
    is_int(lun_h2_exchange_next(&h, &pos, last, false, &piece), M, "all of it");
    list_frames(&h, 0, text);
    is_str(text, "8:0:4 8:0:4 ", "is given back");
    lun_h2_exchange_fini(&h);
    lun_pool_free(pool);
}


static void
writes_a_question(void)
{
    lun_str            block, name, value;
    lun_pool          *pool = lun_pool_new_sized(1024);
    const char        *pos;
    lun_http_field     field = { LUN_STR("Content-Type"), LUN_STR("x/y") };
    lun_http_question  q = {
        .method = LUN_STR("POST"), .fields = &field, .field_count = 1,
        .user_agent = "me"
    };
    char               text[200], *p = text;

    ok(lun_url_parse(LUN_STR("http://host:81?a"), &q.url) == NULL, "a url");
    block = lun_h2_exchange_block(pool, &q);
    pos = block.data;

    while (lun_hpack_next(pool, &pos, block.data + block.len, &name, &value)
           == LUN_HPACK_FIELD)
    {
        p = lun_fmt(p, text + sizeof(text) - 1, "%.*s=%.*s ", LUN_S(name),
                    LUN_S(value));
    }

    *p = '\0';
    is_str(text, ":method=POST :scheme=http :path=/?a :authority=host:81 "
                 "te=trailers user-agent=me content-type=x/y ", "its header");
    lun_pool_free(pool);
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        read_case(i, 1);
        read_case(i, 7);
        read_case(i, 4000);
    }

    keeps_what_is_behind_the_body();
    waits_for_windows();
    writes_a_question();
    return done_testing();
}
