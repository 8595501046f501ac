/*
 * h2.c -- the conversation on an HTTP/2 connection: what comes in pieces and
 * is taken in pieces, several streams at once, windows, resets, time-outs,
 * clients that break off anywhere, quitting.
 *
 * The client is nghttp2's, in memory.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/h2/h2_stream.c"

#include <nghttp2/nghttp2.h>

static lun_http_module  probe;

#define LUN_TEST_MODULES  &probe.head,
#include "memory_http.h"

enum { STREAMS = 8, BIG = 3000, FILE_SIZE = 40000 };

static lun_request  *waits;
static unsigned      aborts, logged, last_status;
static char          big[BIG + 1], text[FILE_SIZE];
static lun_fd        file;


/* --- handlers, by path --------------------------------------------------- */

static void
echo(lun_request *r)
{
    lun_http_finish(r, lun_http_respond(r, 200, LUN_STR("a/b"),
                                        lun_body_text(r)));
}


static void
on_abort(lun_request *r, void *data)
{
    aborts++;
    lun_http_finish(r, LUN_STATUS + 499);
}


/* A sink that takes what it is told to. */
static struct {
    lun_request  *r;
    bool          pulls;
    bool          ended, failed, gone;
    size_t        len;
    lun_str       piece;           /* of the last pull */
} drain;


static void
pull_all(lun_request *r)
{
    lun_rc  rc = LUN_OK;

    while (drain.pulls && rc == LUN_OK && !drain.ended) {
        rc = lun_body_pull(r, &drain.piece);
        drain.len += rc == LUN_OK ? drain.piece.len : 0;
        drain.ended = rc == LUN_OK && drain.piece.len == 0;
        drain.failed = rc == LUN_ERROR;
    }

    if (drain.ended || drain.failed) {
        lun_http_finish(r, drain.ended ? lun_http_respond(r, 200,
                            LUN_STR("a/b"), LUN_STR("all"))
                        : (lun_verdict) (LUN_STATUS + r->body->status));
    }
}


static bool
on_gone(lun_request *r)
{
    drain.gone = true;
    lun_http_finish(r, LUN_STATUS + r->body->status);
    return true;
}


static const lun_body_sink  sink = { pull_all, on_gone };


static lun_verdict
send_file(lun_request *r)
{
    lun_buf  *b = lun_buf_new_file(r->pool, file, 0, FILE_SIZE);

    b->eof = 1;
    r->out.status = 200;
    r->out.content_length = FILE_SIZE;
    LUN_CHECK(lun_http_send_header(r) == LUN_OK);
    return lun_http_output(r, b) != LUN_ERROR ? LUN_FINISHED : LUN_FAILED;
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request  *r = lun_request_of(s);

    if (lun_str_eq(r->uri, LUN_STR("/file"))) {
        return send_file(r);
    }

    if (lun_str_eq(r->uri, LUN_STR("/big"))) {
        return lun_http_respond(r, 200, LUN_STR("a/b"), lun_str_of(big, BIG));
    }

    if (lun_str_eq(r->uri, LUN_STR("/echo"))) {
        return lun_body_read(r, echo);
    }

    if (lun_str_eq(r->uri, LUN_STR("/404"))) {
        return LUN_STATUS + 404;
    }

    if (lun_str_eq(r->uri, LUN_STR("/444"))) {
        return LUN_STATUS + 444;
    }

    if (lun_str_eq(r->uri, LUN_STR("/wait"))) {
        waits = r;
        lun_http_on_abort(r, on_abort, NULL);
        return LUN_WAIT;
    }

    if (lun_str_eq(r->uri, LUN_STR("/sink"))) {
        drain.r = r;
        LUN_CHECK(lun_body_open(r, &sink) == LUN_OK);
        return LUN_WAIT;
    }

    return lun_http_respond(r, 200, LUN_STR("a/b"), r->uri);
}


static lun_verdict
on_log(lun_session *s)
{
    logged++;
    last_status = lun_request_of(s)->out.status;
    return LUN_NEXT;
}


static lun_http_module  probe = {
    .name = "probe", .always = true,
    .on = { [LUN_CONTENT] = on_content, [LUN_LOG] = on_log }
};


/* --- the client ---------------------------------------------------------- */

typedef struct {
    int32_t   id;
    unsigned  status;
    size_t    len;
    char      body[FILE_SIZE + 1000];
    size_t    longest;             /* frame of it */
    bool      closed;
    uint32_t  error;
    lun_str   upload;              /* what is left of it */
} exchange;

static nghttp2_session  *session;
static exchange          streams[STREAMS];
static size_t            stream_count;
static bool              goodbye;  /* a GOAWAY has come */
static wire             *w;


static exchange *
stream_of(int32_t id)
{
    size_t  i;

    for (i = 0; i < stream_count; i++) {
        if (streams[i].id == id) {
            return &streams[i];
        }
    }

    return NULL;
}


static int
on_header(nghttp2_session *h2, const nghttp2_frame *frame,
    const uint8_t *name, size_t name_len, const uint8_t *value,
    size_t value_len, uint8_t flags, void *data)
{
    exchange  *x = stream_of(frame->hd.stream_id);

    if (x != NULL && name_len == 7 && memcmp(name, ":status", 7) == 0) {
        x->status = (unsigned) strtoul((const char *) value, NULL, 10);
    }

    return value_len > 10000;
}


static int
on_data(nghttp2_session *h2, uint8_t flags, int32_t id, const uint8_t *bytes,
    size_t len, void *data)
{
    exchange  *x = stream_of(id);

    LUN_CHECK(x != NULL && len < sizeof(x->body) - x->len);
    memcpy(x->body + x->len, bytes, len);
    x->len += len;
    x->body[x->len] = '\0';
    return 0;
}


static int
on_close(nghttp2_session *h2, int32_t id, uint32_t error, void *data)
{
    exchange  *x = stream_of(id);

    if (x != NULL) {
        x->closed = true;
        x->error = error;
    }

    return 0;
}


static int
on_frame(nghttp2_session *h2, const nghttp2_frame *frame, void *data)
{
    exchange  *x = stream_of(frame->hd.stream_id);

    goodbye |= frame->hd.type == NGHTTP2_GOAWAY;

    if (x != NULL && frame->hd.type == NGHTTP2_DATA) {
        x->longest = lun_max(x->longest, frame->hd.length);
    }

    return 0;
}


static ssize_t
read_upload(nghttp2_session *h2, int32_t id, uint8_t *buf, size_t size,
    uint32_t *flags, nghttp2_data_source *source, void *data)
{
    exchange  *x = source->ptr;
    size_t     n = lun_min(size, x->upload.len);

    memcpy(buf, x->upload.data, n);
    x->upload.data += n;
    x->upload.len -= n;

    if (x->upload.len == 0) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    }

    return (ssize_t) n;
}


static void
begin_client(unsigned listener, uint32_t window)
{
    nghttp2_session_callbacks  *calls;
    nghttp2_settings_entry      entry = {
        NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window
    };

    LUN_CHECK(nghttp2_session_callbacks_new(&calls) == 0);
    nghttp2_session_callbacks_set_on_header_callback(calls, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, on_close);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, on_frame);
    LUN_CHECK(nghttp2_session_client_new(&session, calls, NULL) == 0);
    nghttp2_session_callbacks_del(calls);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &entry, 1);

    stream_count = 0;
    goodbye = false;
    w = http_client(listener);
}


static void
end_client(void)
{
    if (!wire_gone(w)) {
        wire_end(w);
    }

    wire_wait(60000);
    ok(wire_gone(w), "the connection is gone");
    nghttp2_session_del(session);
}


static exchange *
ask(const char *path, const char *upload)
{
    exchange  *x = &streams[stream_count++];

    nghttp2_data_provider  from = { .read_callback = read_upload };
    nghttp2_nv              headers[] = {
        { (uint8_t *) (uintptr_t) ":method",
          (uint8_t *) (uintptr_t) (upload != NULL ? "POST" : "GET"), 7,
          upload != NULL ? 4 : 3, 0 },
        { (uint8_t *) (uintptr_t) ":scheme", (uint8_t *) (uintptr_t) "http",
          7, 4, 0 },
        { (uint8_t *) (uintptr_t) ":authority", (uint8_t *) (uintptr_t) "a",
          10, 1, 0 },
        { (uint8_t *) (uintptr_t) ":path", (uint8_t *) (uintptr_t) path, 5,
          strlen(path), 0 }
    };

    LUN_CHECK(stream_count <= STREAMS);
    memset(x, 0, sizeof(*x));
    x->upload = lun_str_of(upload, upload != NULL ? strlen(upload) : 0);
    from.source.ptr = x;
    x->id = nghttp2_submit_request(session, NULL, headers,
                                    LUN_ARRAY_LEN(headers),
                                    upload != NULL ? &from : NULL, NULL);
    return x;
}


/* What the client has to say goes onto the wire. */
static void
say_all(void)
{
    const uint8_t  *bytes;
    ssize_t   n;

    while ((n = nghttp2_session_mem_send(session, &bytes)) > 0) {
        wire_say_bytes(w, bytes, (size_t) n);
    }
}


/* ... and what it hears from it. */
static void
hear_all(void)
{
    size_t  n = w->heard_end;

    LUN_CHECK(nghttp2_session_mem_recv(session, (uint8_t *) w->out, n)
              == (ssize_t) n);
    w->heard_end = 0;
}


/* Until nobody has anything to say. */
static void
talk(void)
{
    do {
        say_all();
        wire_run();

        if (w->heard_end == 0) {
            return;
        }

        hear_all();
    } while (true);
}


/* --- in pieces ----------------------------------------------------------- */

static void
ask_three(exchange *x[3])
{
    x[0] = ask("/echo", "hello, world");
    x[1] = ask("/big", NULL);
    x[2] = ask("/404", NULL);
}


static void
check_three(exchange *x[3], const char *how, size_t n)
{
    ok(x[0]->status == 200 && strcmp(x[0]->body, "hello, world") == 0
       && x[0]->closed && x[0]->error == 0, "%s %u: a body", how,
       (unsigned) n);
    ok(x[1]->status == 200 && strcmp(x[1]->body, big) == 0 && x[1]->closed
       && x[1]->error == 0, "a large answer");
    ok(x[2]->status == 404 && x[2]->closed && x[2]->error == 0, "a page");
}


static void
in_pieces(void)
{
    size_t     i;
    exchange  *x[3];

    static const size_t  pieces[] = { 1, 2, 3, 9, 10, 24, 25, 100, 1000 };

    for (i = 0; i < LUN_ARRAY_LEN(pieces); i++) {
        begin_client(0, 65535);
        w->piece = pieces[i];
        ask_three(x);
        talk();
        check_three(x, "said in pieces of", pieces[i]);
        end_client();

        begin_client(0, 65535);
        w->room = 0;
        ask_three(x);
        say_all();

        while (!x[0]->closed || !x[1]->closed || !x[2]->closed) {
            w->room += pieces[i];
            wire_run();
            hear_all();
            say_all();
        }

        check_three(x, "taken in pieces of", pieces[i]);
        end_client();

        /* A window of so many bytes, for each stream. */
        begin_client(0, (uint32_t) pieces[i]);
        ask_three(x);
        talk();
        check_three(x, "through a window of", pieces[i]);
        end_client();
    }
}


/* --- files --------------------------------------------------------------- */

static void
make_file(const char *name)
{
    LUN_CHECK(lun_file_open(name, LUN_FILE_READ | LUN_FILE_WRITE
                                  | LUN_FILE_CREATE, 0600, &file) == 0
              && lun_file_write(file, text, FILE_SIZE, 0) == 0);
}


static bool
is_file(const exchange *x)
{
    return x->len == FILE_SIZE && memcmp(x->body, text, FILE_SIZE) == 0
           && x->status == 200 && x->closed && x->error == 0;
}


/* The listener says whether the system may send the file itself. */
static void
file_in_pieces(unsigned listener, size_t piece)
{
    exchange  *x, *y;

    begin_client(listener, 1 << 20);
    w->room = 0;
    x = ask("/file", NULL);
    y = ask("/file", NULL);
    say_all();

    while (!x->closed || !y->closed) {
        w->room += piece;
        wire_run();
        hear_all();
        say_all();
    }

    ok(is_file(x) && is_file(y), "two files, %u bytes at a time",
       (unsigned) piece);
    end_client();

    begin_client(listener, (uint32_t) piece);
    x = ask("/file", NULL);
    talk();
    ok(is_file(x), "one, through a window of so many");
    end_client();

    begin_client(listener, 1 << 20);
    w->room = piece;
    x = ask("/file", NULL);
    talk();
    end_client();
    ok(!x->closed, "one whose client leaves in the middle");
}


static void
files(void)
{
    size_t     i;
    exchange  *x;

    static const size_t  pieces[] = { 7, 100, 5000, 8201, 16393, 20000 };

    for (i = 0; i < 2 * LUN_ARRAY_LEN(pieces); i++) {
        file_in_pieces(i % 2 ? 2 : 0, pieces[i / 2]);
    }

    begin_client(0, 1 << 20);
    x = ask("/file", NULL);
    talk();
    ok(is_file(x) && x->longest == 16384, "alone, frames of the usual length");
    x = ask("/file", NULL);
    (void) ask("/wait", NULL);
    talk();
    ok(is_file(x) && x->longest == 16384, "and when another waits");
    end_client();
}


static void
cut_off_anywhere(void)
{
    size_t     at, len;
    exchange  *x[3];
    char       said[4096];

    begin_client(0, 65535);
    ask_three(x);
    say_all();
    len = w->said_end;
    LUN_CHECK(len < sizeof(said));
    memcpy(said, w->in, len);
    talk();
    end_client();

    for (at = 0; at < len; at++) {
        w = http_client(0);
        wire_say_bytes(w, said, at);
        wire_run();

        if (at & 1) {
            wire_break(w);
        } else {
            wire_end(w);
        }

        wire_wait(100);
        ok(wire_gone(w), "a client that leaves after %u bytes",
           (unsigned) at);
    }

    for (at = 0; at < BIG + 1000; at += 13) {
        begin_client(0, 65535);
        ask_three(x);
        say_all();
        w->room = at;
        wire_run();
        wire_break(w);
        wire_wait(100);

        if (!wire_gone(w)) {
            ok(0, "a client that breaks it off after %u bytes",
               (unsigned) at);
        }

        nghttp2_session_del(session);
    }

    is_int((int64_t) lun_http_active(), 0, "nothing is left of them");
}


/* --- streams ------------------------------------------------------------- */

static void
streams_that_end_early(void)
{
    exchange  *x, *y;

    begin_client(0, 65535);
    aborts = 0;
    x = ask("/wait", NULL);
    talk();
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, x->id,
                              NGHTTP2_CANCEL);
    talk();
    is_int(aborts, 1, "one that the client takes back is told of");
    is_int(last_status, 499, "and logged");

    x = ask("/444", NULL);
    y = ask("/hello", NULL);
    talk();
    ok(x->closed && x->status == 0 && x->error != 0, "444 is a reset");
    ok(y->status == 200 && strcmp(y->body, "/hello") == 0,
       "of one stream, not of all");

    x = ask("/wait", NULL);
    talk();
    lun_http_finish(waits, LUN_STATUS + 503);
    talk();
    is_int(x->status, 503, "one that has waited is answered");
    end_client();
}


static void
more_than_allowed(void)
{
    size_t     i;
    exchange  *x[4];

    begin_client(1, 65535);
    talk();

    for (i = 0; i < 4; i++) {
        x[i] = ask("/hello", NULL);
        talk();
        is_int(x[i]->status, i < 3 ? 200 : 0, "keepalive_requests 3: %u",
               (unsigned) i + 1);
    }

    ok(goodbye, "the client is told that there will be no more");
    end_client();
}


/* --- time ---------------------------------------------------------------- */

static void
time_outs(void)
{
    exchange  *x;

    http_log[0] = '\0';
    w = http_client(0);
    wire_wait(6999);
    ok(!wire_gone(w), "client_header_timeout is not over");
    wire_wait(1);
    ok(wire_gone(w), "nothing was said in that time");

    begin_client(0, 65535);
    x = ask("/hello", NULL);
    talk();
    is_int(x->status, 200, "answered");
    wire_wait(10999);
    ok(!wire_gone(w) && !goodbye, "keepalive_timeout is not over");
    wire_wait(1);
    talk();
    ok(goodbye, "it is over, and the client is told");
    end_client();

    begin_client(0, 0);
    x = ask("/big", NULL);
    talk();
    is_int(x->status, 200, "a header needs no window");
    wire_wait(4999);
    talk();
    ok(!x->closed, "send_timeout of a stream is not over");
    wire_wait(1);
    talk();
    ok(x->closed && x->error != 0, "it is over, and the stream is reset");
    end_client();

    begin_client(0, 65535);
    talk();
    x = ask("/echo", "hello");
    x->upload.len = 3;
    say_all();
    wire_run();
    end_client();

    begin_client(0, 65535);
    talk();
    w->room = 0;
    x = ask("/big", NULL);
    say_all();
    wire_wait(4999);
    ok(!wire_gone(w), "send_timeout of the connection is not over");
    wire_wait(10000);
    ok(wire_gone(w), "it is over");
    nghttp2_session_del(session);
}


/* --- told to quit -------------------------------------------------------- */

static void
told_to_quit(void)
{
    exchange         *x;
    wire             *idle;
    nghttp2_session  *other;

    begin_client(0, 65535);
    talk();
    idle = w;
    other = session;
    begin_client(0, 65535);
    x = ask("/wait", NULL);
    talk();

    http_quit();
    talk();
    ok(!goodbye, "what a busy client sends meanwhile is served");
    wire_wait(600);
    talk();
    ok(goodbye, "and then it is told");
    lun_http_finish(waits, LUN_FINISHED);
    talk();
    ok(x->status == 200 && x->closed && x->error == 0,
       "what it has asked for is answered");
    end_client();
    wire_wait(60000);
    ok(wire_gone(idle), "an idle one is closed");
    nghttp2_session_del(other);
}


/* A body of 300,000 bytes, that a sink takes when it likes. */
static void
a_body_for_a_sink(void)
{
    static char  body[300001];
    exchange    *x;
    size_t       sent;

    memset(body, 'x', sizeof(body) - 1);
    memset(&drain, 0, sizeof(drain));
    begin_client(0, 65535);
    x = ask("/sink", body);
    talk();
    sent = sizeof(body) - 1 - x->upload.len;
    ok(sent > 0 && sent <= 65536, "nobody pulls: it stays within the window");

    is_int(lun_body_pull(drain.r, &drain.piece), LUN_OK, "it is pulled");
    is_int((int64_t) drain.piece.len, (int64_t) sent, "all that there is");
    talk();
    ok(memcmp(drain.piece.data, body, drain.piece.len) == 0, "which stays");
    drain.len = drain.piece.len;
    ok(sizeof(body) - 1 - x->upload.len <= sent + 65536,
       "the client may send as much again");

    drain.pulls = true;
    pull_all(drain.r);
    talk();
    ok(drain.ended, "the end comes");
    is_int((int64_t) drain.len, sizeof(body) - 1, "behind all of it");
    is_str(x->body, "all", "and is answered");

    /* A client that resets its stream in the middle. */
    memset(&drain, 0, sizeof(drain));
    x = ask("/sink", body);
    talk();
    nghttp2_submit_rst_stream(session, 0, x->id, NGHTTP2_CANCEL);
    talk();
    ok(drain.gone, "a sink is told that there will be no more");

    memset(&drain, 0, sizeof(drain));
    x = ask("/sink", body);
    talk();
    end_client();
    ok(drain.gone, "or that the client has left");
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < FILE_SIZE; i++) {
        text[i] = (char) ('A' + i % 59);
    }

    memcpy(big, text, BIG);

    http_begin("/none/",
               "http2 on;\n"
               "client_header_timeout 7s; keepalive_timeout 11s;\n"
               "client_body_timeout 7s; send_timeout 5s;\n"
               "server { listen 127.0.0.1:1; sendfile on; }\n"
               "server { listen 127.0.0.1:2; keepalive_requests 3; }\n"
               "server { listen 127.0.0.1:3; }\n");
    make_file("h2-file.test");

    in_pieces();
    files();
    cut_off_anywhere();
    streams_that_end_early();
    more_than_allowed();
    time_outs();
    a_body_for_a_sink();
    told_to_quit();

    http_end();
    lun_file_close(file);
    (void) lun_file_delete("h2-file.test");
    return done_testing();
}
