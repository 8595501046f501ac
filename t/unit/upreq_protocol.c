/*
 * upreq_protocol.c -- what a protocol may ask of an upstream request: frames
 * around a body, windows, replies between frames, a header in pieces of
 * records, connections that are kept.
 *
 * The protocol here is made up: a record is a letter, a digit (its length) and
 * its bytes.  H: a piece of the header; D: of the body; E: its end; P: asks
 * for an R; W: so many more bytes of a body may come.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/upstream_keepalive.c"

#include "http/upstream/upreq_address.h"
#include "http/upstream/upreq_answer.h"
#include "http/upstream/upreq_hooks.h"
#include "http/upstream/upreq_rows.h"

static lun_http_module  rec_module;

#define LUN_TEST_MODULES  &rec_module.head, &lun_http_upstream_keepalive.head,
#include "memory_http.h"

enum { MOST = 5 };

typedef struct {
    lun_upreq_conf      up;
    bool                windows;
    bool                keep;
    lun_upreq_address  *pass;
} rec_conf;

typedef struct {
    lun_upreq_url   url;
    lun_upreq_room  lines;
    int64_t         window;        /* -1: without */
    bool            in_body;
    bool            has_header;
} rec_state;

static const lun_upreq_scheme  schemes[] = {
    { LUN_STR_INIT("rec://"), 70, false },
    { LUN_STR_INIT(""), 0, false },
    { LUN_STR_NULL, 0, false }
};


/* --- the protocol -------------------------------------------------------- */

static const lun_upreq  *made;     /* the last one */
static unsigned          refused;  /* replies */


static lun_rc
make(lun_upreq *x, lun_buf **head)
{
    made = x;
    *head = lun_buf_new_str(x->r->pool,
                            lun_pool_fmt(x->r->pool, "H%u%.*s",
                                         (unsigned) x->r->uri.len,
                                         LUN_S(x->r->uri)));
    return LUN_OK;
}


static int64_t
frame(lun_upreq *x, int64_t size, bool last, lun_upreq_frame *f)
{
    rec_state  *s = x->protocol_data;
    int64_t     n = lun_min(size, (int64_t) MOST);

    if (s->window >= 0) {
        n = lun_min(n, s->window);
        s->window -= n;
    }

    if (n != 0) {
        f->room[0] = 'D';
        f->room[1] = (char) ('0' + n);
        f->before = lun_str_of(f->room, 2);
    }

    if (last && n == size) {
        f->after = LUN_STR("E0");
    }

    return n;
}


static void
reset(lun_upreq *x)
{
    rec_state        *s = x->protocol_data;
    const rec_conf   *conf = lun_http_conf(x->r, &rec_module);

    s->lines = (lun_upreq_room) { 0 };
    s->window = conf->windows ? 0 : -1;
    s->has_header = false;
    x->answer.framed = true;
    x->answer.keep = true;
    x->answer.status = 200;
}


/* The record at *pos, if it is here; what it may be at any time is done. */
static bool
next_record(lun_upreq *x, const char **pos, const char *end, char *type,
    lun_str *bytes)
{
    rec_state  *s = x->protocol_data;

    while (end - *pos >= 2 && end - *pos >= 2 + ((*pos)[1] - '0')) {
        *type = (*pos)[0];
        *bytes = lun_str_of(*pos + 2, (size_t) ((*pos)[1] - '0'));
        *pos += 2 + bytes->len;

        if (*type == 'P') {
            refused += lun_upreq_reply(x, LUN_STR("R0")) != LUN_OK;

        } else if (*type == 'W') {
            s->window += bytes->data[0] - '0';
            lun_upreq_send_more(x);

        } else {
            return true;
        }
    }

    return false;
}


/* "name=value\n", and an empty line. */
static lun_upstream_verdict
read_lines(lun_upreq *x, lun_upreq_room *lines)
{
    char        *end;
    lun_str      line;
    lun_header   h;
    const char  *mark;

    for ( ;; ) {
        line = lun_str_of(lines->pos, (size_t) (lines->last - lines->pos));
        end = memchr(lines->pos, '\n', line.len);

        if (end == NULL) {
            return lines->last != lines->end ? LUN_UPSTREAM_MORE
                                             : LUN_UPSTREAM_BAD;
        }

        line.len = (size_t) (end - lines->pos);
        lines->pos = end + 1;

        if (line.len == 0) {
            (void) lun_upreq_set_length(x, x->r->method == LUN_HEAD);
            return LUN_UPSTREAM_DONE;
        }

        mark = lun_str_chr(line, '=');

        if (mark == NULL) {
            lun_upreq_log_invalid(x, "line", line.data, line.data + line.len);
            return LUN_UPSTREAM_BAD;
        }

        h = lun_upreq_field(lun_str_of(line.data, (size_t) (mark - line.data)),
                            lun_str_of(mark + 1, (size_t) (end - mark - 1)));

        if (h.known == LUN_HOUT_CONTENT_LENGTH
            && lun_upreq_take_length(x, &h) != LUN_OK)
        {
            return LUN_UPSTREAM_BAD;
        }

        lun_header_list_add(&x->answer.list, &h);
    }
}


static lun_upstream_verdict
read_header(lun_upreq *x, const char **pos, const char *end)
{
    char                   type;
    rec_state             *s = x->protocol_data;
    lun_str                bytes;
    const char            *p;
    lun_upstream_verdict   v = LUN_UPSTREAM_MORE;

    while (v == LUN_UPSTREAM_MORE && next_record(x, pos, end, &type, &bytes)) {
        if (type != 'H') {
            return LUN_UPSTREAM_BAD;
        }

        p = bytes.data;
        lun_upreq_gather(x, &s->lines, &p, p + bytes.len);
        v = read_lines(x, &s->lines);
    }

    return v;
}


/* The head of a record may be cut: what is behind it is none of the body. */
static lun_upstream_verdict
read_body(lun_upreq *x, const char **pos, const char *end, lun_str *piece)
{
    char     type;
    lun_str  bytes;

    while (next_record(x, pos, end, &type, &bytes)) {
        if (type == 'D' && bytes.len != 0) {
            *piece = bytes;
            return LUN_UPSTREAM_DATA;
        }

        if (type == 'E') {
            return LUN_UPSTREAM_DONE;
        }
    }

    return *pos == end ? LUN_UPSTREAM_MORE : LUN_UPSTREAM_BAD;
}


static const lun_upstream_protocol  protocol = {
    .schema      = LUN_STR_INIT("rec://"),
    .reassembles = true,
    .make        = make,
    .frame       = frame,
    .reset       = reset,
    .read_header = read_header,
    .read_body   = read_body,
};


/* --- one who keeps answers ----------------------------------------------- */

static struct {
    lun_upreq_hook_verdict   look_up;
    lun_upreq_hook_verdict   judge;
    lun_upreq_hook_verdict   fail;
    bool                     keep;
    bool                     get;
    lun_upreq               *x;    /* of the last look-up */
    unsigned                 begun, ended, completed, why;
    char                     body[256];
} kept;


static lun_upreq_hook_verdict
on_look_up(lun_upreq *x)
{
    kept.x = x;
    kept.begun++;
    x->fetch.keep = kept.keep;
    x->fetch.get = kept.get;

    return kept.look_up;
}


static lun_upreq_hook_verdict
on_judge(lun_upreq *x)
{
    x->fetch.keep = kept.keep;
    kept.body[0] = '\0';

    return kept.judge;
}


static void
on_body(lun_upreq *x, lun_str bytes)
{
    size_t  n = strlen(kept.body);

    LUN_CHECK(x->fetch.keep && n + bytes.len < sizeof(kept.body));
    memcpy(kept.body + n, bytes.data, bytes.len);
    kept.body[n + bytes.len] = '\0';
}


static lun_upreq_hook_verdict
on_fail(lun_upreq *x, unsigned why, unsigned status)
{
    LUN_CHECK(status == 502 && x->conn == NULL);
    kept.why = why;

    return kept.fail;
}


static void
on_end(lun_upreq *x, bool complete)
{
    LUN_CHECK(kept.x == x);
    kept.ended++;
    kept.completed += complete;
}


static void
serve_kept(lun_upreq *x)
{
    lun_request  *r = x->r;
    lun_buf      *b = lun_buf_new_str(r->pool, LUN_STR("kept"));

    r->out.status = 200;
    r->out.content_length = 4;
    lun_http_mark_last(r, b);
    (void) lun_http_send_header(r);
    (void) lun_http_output(r, b);
    lun_http_finish(r, LUN_FINISHED);
}


static const lun_upreq_hooks  hooks = {
    .look_up = on_look_up,
    .judge   = on_judge,
    .body    = on_body,
    .fail    = on_fail,
    .end     = on_end,
    .serve   = serve_kept,
};


/* --- those who only look on ---------------------------------------------- */

static struct {
    unsigned  before, after;       /* it was asked ahead of, and behind */
    unsigned  ended, bytes;
} seen;


static lun_upreq_hook_verdict
see_before(lun_upreq *x)
{
    seen.before++;
    return LUN_UPREQ_GO_ON;
}


static lun_upreq_hook_verdict
see_after(lun_upreq *x)
{
    seen.after++;
    return LUN_UPREQ_GO_ON;
}


static void
see_bytes(lun_upreq *x, lun_str bytes)
{
    seen.bytes += (unsigned) bytes.len;
}


static void
see_end(lun_upreq *x, bool complete)
{
    seen.ended++;
}


static const lun_upreq_hooks  first_hooks = {
    .look_up = see_before, .end = see_end,
};

static const lun_upreq_hooks  last_hooks = {
    .look_up = see_after, .body = see_bytes, .end = see_end,
};


/* --- its module ---------------------------------------------------------- */

static lun_verdict
on_content(lun_session *s)
{
    lun_request     *r = lun_request_of(s);
    lun_upreq       *x;
    rec_state       *state;
    lun_verdict      v;
    const rec_conf  *conf = lun_http_conf(r, &rec_module);

    if (conf->pass == NULL) {
        return LUN_NEXT;
    }

    x = lun_upreq_new(r, &conf->up, &protocol);
    state = lun_pool_new(r->pool, rec_state);
    x->protocol_data = state;
    v = lun_upreq_find_target(x, conf->pass, &state->url);

    if (v != LUN_NEXT) {
        return v;
    }

    lun_upreq_stream(x, false);
    return lun_upreq_start(x);
}


static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    rec_conf  *conf = data;

    conf->pass = lun_pool_new(cf->pool, lun_upreq_address);
    return lun_upreq_read_address(cf, cf->args[1], schemes, false,
                                  conf->pass);
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    static const lun_str  nothing[] = { LUN_STR_NULL };
    rec_conf             *conf = data;

    if (lun_upreq_finish_conf(cf, "rec", &conf->up, nothing) != LUN_OK) {
        return LUN_ERROR;
    }

    if (conf->keep) {
        lun_upreq_hook_in(&conf->up, &first_hooks, NULL);
        lun_upreq_hook_in(&conf->up, &hooks, conf);
        lun_upreq_hook_in(&conf->up, &last_hooks, NULL);
    }

    return LUN_OK;
}


static const lun_directive  rec_rows[] = {
    { .name = "rec_pass", .where = LUN_LOCATION, .args = 1, .set = set_pass,
      LUN_FIELD(rec_conf, pass) },
    { .name = "rec_windows", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(rec_conf, windows), .fallback = "off" },
    { .name = "rec_keep", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(rec_conf, keep), .fallback = "off" },
    LUN_UPSTREAM_ROWS("rec_", rec_conf, up),
    { 0 }
};

static lun_http_module  rec_module = {
    .name = "rec", .directives = rec_rows, .conf_size = sizeof(rec_conf),
    .inherited = inherited, .on[LUN_CONTENT] = on_content,
};


/* --- the tests ----------------------------------------------------------- */

#define GET(uri)    "GET " uri " HTTP/1.1\r\nHost: a\r\n\r\n"
#define POST(uri)   "POST " uri " HTTP/1.1\r\nHost: a\r\n"                    \
                    "Content-Length: 12\r\n\r\nhello, world"
#define BODY        "D5helloD5, worD2ldE0"
#define OK_HEADER   "H4X=y\nH1\n"


static void
end_all(wire *client)
{
    if (!wire_gone(client)) {
        wire_end(client);
    }

    wire_wait(600000);
    is_int((int64_t) lun_conn_count(lp), 0, "all connections are gone");
}


static void
frames(void)
{
    wire  *c = http_client(0), *s;

    wire_say(c, GET("/plain"));
    s = wire_latest(true);
    is_str(wire_heard(s), "H6/plainE0", "without a body its end is told");
    wire_say(s, OK_HEADER "D3abcE0");
    ok(http_says(wire_heard(c), "X: y\r\n"), "a header came");
    wire_say(c, POST("/plain"));
    s = wire_latest(true);
    is_str(wire_heard(s), "H6/plain" BODY, "a body goes out in frames");
    wire_say(s, OK_HEADER "E0");
    ok(http_says(wire_heard(c), "HTTP/1.1 200 "), "and is answered");
    end_all(c);
}


static void
a_body_that_comes(void)
{
    wire  *c = http_client(0), *s;

    wire_say(c, "POST /streamed HTTP/1.1\r\nHost: a\r\n"
                "Content-Length: 12\r\n\r\nhel");
    s = wire_latest(true);
    is_str(wire_heard(s), "H9/streamedD3hel", "what has come is sent");
    wire_say(c, "lo, wor");
    is_str(wire_heard(s), "D5lo, wD2or", "and what comes");
    wire_say(c, "ld");
    is_str(wire_heard(s), "D2ldE0", "up to its end");
    wire_say(s, OK_HEADER "E0");
    ok(http_says(wire_heard(c), "HTTP/1.1 200 "), "and is answered");

    wire_say(c, "POST /streamed HTTP/1.1\r\nHost: a\r\n"
                "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n");
    s = wire_latest(true);
    is_str(wire_heard(s), "H9/streamedD3hel", "chunks are taken apart");
    wire_say(c, "4\r\nlo, \r\n2\r\nwo\r\n0\r\n\r\n");
    is_str(wire_heard(s), "D5lo, wD1oE0", "and framed anew, as one");
    wire_say(s, OK_HEADER "E0");
    ok(http_says(wire_heard(c), "HTTP/1.1 200 "), "and answered");
    end_all(c);
}


static void
windows(void)
{
    wire  *c = http_client(0), *s;

    wire_say(c, POST("/window"));
    s = wire_latest(true);
    is_str(wire_heard(s), "H7/window", "no window, no body");
    wire_say(s, "W13");
    is_str(wire_heard(s), "D3hel", "so much of it");
    wire_say(s, "P0");
    is_str(wire_heard(s), "R0", "a reply goes out while that waits");
    wire_say(s, "W19P0");
    is_str(wire_heard(s), "R0D5lo, wD4orld" "E0",
       "replies go before frames, which end with the body");
    wire_say(s, OK_HEADER "D1aP0");
    is_str(wire_heard(s), "R0", "one while the body is read");
    wire_say(s, "E0");
    ok(http_says(wire_heard(c), "HTTP/1.1 200 "), "and is answered");
    end_all(c);
}


static void
replies(void)
{
    int     i;
    size_t  size, heard = 0;
    wire   *c = http_client(0), *s;

    wire_say(c, GET("/plain"));
    s = wire_latest(true);
    (void) wire_heard(s);
    wire_say(s, OK_HEADER "D1aP0");
    heard += strlen(wire_heard(s));
    size = lun_pool_size(made->r->pool);

    for (i = 1; i < 2000; i++) {
        wire_say(s, "P0");
        heard += strlen(wire_heard(s));
    }

    is_int((int64_t) heard, 2 * 2000, "each is answered");
    is_int((int64_t) lun_pool_size(made->r->pool), (int64_t) size,
       "and costs no memory that stays");

    s->room = 0;

    for (i = 0; i < 1100; i++) {
        wire_say(s, "P0");
    }

    is_int(refused, 100, "a server that reads none is given no more");
    wire_say(s, "E0");
    ok(http_says(wire_heard(c), "HTTP/1.1 200 "), "to the end");
    end_all(c);
}


/* Each byte of a header in a record of its own is more than the buffer. */
static void
a_header_in_pieces(void)
{
    char         text[4096], *p = text;
    wire        *c = http_client(0), *s;
    const char  *line = "X=0123456789012345678901234567890123456789\n\n";

    for ( ; *line != '\0'; line++) {
        p += sprintf(p, "P0H1%c", *line);
    }

    wire_say(c, GET("/small"));
    s = wire_latest(true);
    (void) wire_heard(s);
    s->piece = 7;
    wire_say(s, text);
    wire_say(s, "E0");
    ok(http_says(wire_heard(c), "X: 0123456789012345678901234567890123456789"),
       "what was read of the records has made room");
    end_all(c);

    c = http_client(0);
    wire_say(c, GET("/small"));
    s = wire_latest(true);
    memset(text, 'x', sizeof(text));

    for (p = text; p < text + 600; p += 6) {
        memcpy(p, "H4abcd", 6);
    }

    *p = '\0';
    wire_say(s, text);
    ok(http_says(wire_heard(c), "HTTP/1.1 502 "), "too large is too large");
    end_all(c);
}


static void
is_kept(void)
{
    unsigned  number;
    wire     *c = http_client(0), *s;

    wire_say(c, GET("/kept"));
    s = wire_latest(true);
    number = s->number;
    wire_say(s, OK_HEADER "D2okE0");
    wire_say(c, POST("/kept"));
    ok(wire_latest(true)->number == number, "a connection is kept");
    ok(http_says(wire_heard(s), BODY), "and asked again");
    wire_say(s, OK_HEADER "D2okE0x");
    wire_say(c, GET("/kept"));
    ok(wire_latest(true)->number != number, "but not with bytes behind the "
       "end");
    wire_say(wire_latest(true), OK_HEADER "E0");

    /* Where nobody reads the connection any more, a broken one shows late. */
    wire_say(c, GET("/two"));
    s = wire_latest(true);
    wire_end(s);
    s = wire_latest(true);
    is_str(wire_heard(s), "H4/twoE0", "another server gets all of it again");
    wire_say(s, OK_HEADER "E0");
    ok(http_says(wire_heard(c), "HTTP/1.1 200 "), "and answers");
    end_all(c);
}


static void
nonsense(void)
{
    wire  *c = http_client(0), *s;

    http_log[0] = '\0';
    wire_say(c, GET("/plain"));
    s = wire_latest(true);
    wire_say(s, "H9Content-LH9ength=1x\nH1\n");
    ok(http_says(wire_heard(c), "HTTP/1.1 502 "), "a length that is none");
    ok(http_logged("upstream sent invalid \"Content-Length\" header: "
                   "\"Content-Length: 1x\""), "is told in the log");
    ok(!http_logged("no such thing"), "the log is empty");

    wire_say(c, GET("/plain"));
    s = wire_latest(true);
    wire_say(s, OK_HEADER "D3abc");
    wire_end(s);
    ok(http_logged("upstream prematurely closed connection"),
       "the end of a connection is none of a body in frames");
    end_all(c);
}


static void
answers_that_are_kept(void)
{
    unsigned  n = wire_count;
    wire     *c = http_client(0), *s;

    kept.look_up = LUN_UPREQ_SERVE;
    wire_say(c, GET("/keep"));
    ok(http_says(wire_heard(c), "\r\n\r\nkept"), "what is kept answers");
    is_int(wire_count, n + 1, "no server is asked");
    ok(seen.before == 1 && seen.after == 0 && seen.ended == 1,
       "nor who would come behind it; who came before is told of the end");

    kept.look_up = LUN_UPREQ_WAIT;
    wire_say(c, GET("/keep"));
    is_int(wire_count, n + 1, "nor while it waits");
    is_str(wire_heard(c), "", "or answers");
    lun_upreq_resume(kept.x, LUN_UPREQ_SERVE);
    ok(http_says(wire_heard(c), "\r\n\r\nkept"), "another one has fetched it");

    wire_say(c, GET("/keep"));
    lun_upreq_resume(kept.x, LUN_UPREQ_GO_ON);
    wire_run();
    s = wire_latest(true);
    is_str(wire_heard(s), "H5/keepE0", "or has not");
    kept.keep = true;
    wire_say(s, OK_HEADER "D3abcD2deE0");
    ok(http_says(wire_heard(c), "abc"), "the answer passes");
    is_str(kept.body, "abcde", "and is kept");
    is_int(kept.completed, 1, "to its end");

    kept.judge = LUN_UPREQ_SERVE;
    kept.keep = false;
    kept.look_up = LUN_UPREQ_GO_ON;
    wire_say(c, GET("/keep"));
    s = wire_latest(true);
    n = s->number;
    wire_say(s, OK_HEADER "E0");
    ok(http_says(wire_heard(c), "\r\n\r\nkept"), "an answer says it is good");
    wire_say(c, GET("/keep"));
    ok(wire_latest(true)->number == n, "its connection is kept as well");
    wire_say(wire_latest(true), OK_HEADER "D1aE0");
    ok(http_says(wire_heard(c), "\r\n\r\nkept"), "a body is dropped");
    ok(wire_gone(s), "with its connection");

    kept.judge = LUN_UPREQ_GO_ON;
    kept.fail = LUN_UPREQ_SERVE;
    wire_say(c, GET("/keep"));
    wire_end(wire_latest(true));
    ok(http_says(wire_heard(c), "\r\n\r\nkept"), "better old than none");
    is_int(kept.why, LUN_TRY_ERROR, "it is told why");
    kept.fail = LUN_UPREQ_GO_ON;
    wire_say(c, GET("/keep"));
    wire_end(wire_latest(true));
    ok(http_says(wire_heard(c), "HTTP/1.1 502 "), "or it fails");
    end_all(c);
    is_int(kept.ended, kept.begun, "each look-up has one end");
    is_int(seen.ended, seen.before + seen.after, "whoever was asked");
    is_int(seen.bytes, 5, "a body is seen by who came last, too");
}


static void
clients_of_what_is_kept(void)
{
    size_t  at;
    wire   *c, *s;

    kept.look_up = LUN_UPREQ_WAIT;
    c = http_client(0);
    wire_say(c, GET("/keep"));
    wire_break(c);
    end_all(c);
    is_int(kept.ended, kept.begun, "one that waits may leave");

    kept.look_up = LUN_UPREQ_GO_ON;
    kept.keep = true;

    for (at = 0; at < 4; at++) {
        kept.completed = 0;
        c = http_client(0);
        wire_say(c, GET("/keep"));
        s = wire_latest(true);
        wire_say(s, at > 0 ? OK_HEADER : "H1X");
        wire_say(s, at > 1 ? "D3abc" : "");

        if (at == 3) {
            wire_end(c);
        } else {
            wire_break(c);
        }

        ok(!wire_gone(s), "the server may go on");
        wire_say(s, at > 0 ? "" : "H3=y\nH1\n");
        wire_say(s, at > 1 ? "" : "D3abc");
        wire_say(s, "D2deE0");
        is_str(kept.body, "abcde", "all of it is kept");
        is_int(kept.completed, 1, "to its end");
        end_all(c);
    }

    kept.get = true;
    c = http_client(0);
    wire_say(c, "HEAD /keep HTTP/1.1\r\nHost: a\r\n\r\n");
    s = wire_latest(true);
    wire_say(s, OK_HEADER "D3abcE0");
    ok(strstr(wire_heard(c), "abc") == NULL, "a HEAD has no body");
    is_str(kept.body, "abc", "but what is kept has");
    wire_say(c, GET("/keep"));
    ok(!wire_gone(c), "and its connection goes on");
    wire_say(wire_latest(true), OK_HEADER "D1aE0");
    ok(http_says(wire_heard(c), "\r\n\r\n1\r\na"), "to the next");
    end_all(c);
    is_int(kept.ended, kept.begun, "each look-up has one end");
}


int
main(void)
{
    http_begin("/none/",
        "upstream kept { server 10.0.0.1:70; keepalive 1; }\n"
        "upstream two { server 10.0.0.1:70; server 10.0.0.2:70; }\n"
        "server { listen 127.0.0.1:80;\n"
        "location /plain { rec_pass 10.0.0.1:70; }\n"
        "location /streamed { rec_pass rec://10.0.0.1;\n"
        "                     rec_request_buffering off; }\n"
        "location /window { rec_pass 10.0.0.1:70; rec_windows on; }\n"
        "location /small { rec_pass 10.0.0.1:70; rec_buffer_size 64;\n"
        "                  rec_buffers 4 64; }\n"
        "location /kept { rec_pass kept; }\n"
        "location /two { rec_pass two; }\n"
        "location /keep { rec_pass kept; rec_keep on; }\n"
        "}");

    frames();
    a_body_that_comes();
    windows();
    replies();
    a_header_in_pieces();
    is_kept();
    nonsense();
    answers_that_are_kept();
    clients_of_what_is_kept();
    http_end();

    return done_testing();
}
