/*
 * http_client.c -- questions to servers that are held byte by byte, in time
 * that stands still: where they go, how they end, which connections stay.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/client/http_client.c"

#include "memory_port.h"

#include "net/conn_pool.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>


#define OK_  "HTTP/1.1 200 OK\r\n"

/* What the latest question has come to. */
static struct {
    unsigned                 count;
    lun_http_client_verdict  verdict;
    unsigned                 status;
    char                     body[256];
    bool                     ends_client;
} got;

static char              said[4096];
static lun_pool         *pool;
static lun_http_client  *client;


static void
on_line(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    size_t  n = strlen(said);

    n = (size_t) (lun_fmt(said + n, said + sizeof(said) - 1, "%.*s",
                          (int) len, line) - said);
    said[n] = '\0';
}


static lun_log_target  target = { .level = LUN_LOG_INFO, .write = on_line };
static lun_log         own_log = { .level = LUN_LOG_INFO, .targets = &target };


static void
begin_client(lun_http_client_options o)
{
    pool = lun_pool_new_sized(4096);
    client = lun_http_client_new(pool, lp, &o, &own_log);
    said[0] = '\0';
}


static void
end_client_(void)
{
    lun_pool_free(pool);
    wire_run();
    is_int(lun_conn_open_count(lp), 0, "nothing is open");
}


static void
on_answer(void *data, const lun_http_client_answer *a)
{
    got.count++;
    got.verdict = a->verdict;
    got.status = a->status;
    *lun_copy_str(got.body, a->body) = '\0';
    ok((a->http != NULL) == (a->status != 0), "a status and a header");

    if (got.ends_client) {
        got.ends_client = false;
        lun_pool_free(pool);
    }
}


static lun_http_ask *
ask_with(lun_http_client_question q, const char *url)
{
    unsigned       count = got.count;
    lun_http_ask  *a;

    q.url = lun_str_z(url);
    q.done = on_answer;
    a = lun_http_client_ask(client, &q);
    is_int(got.count, (int) count, "no answer comes before it was asked");
    got.count = 0;
    wire_run();
    return a;
}


static void
ask(const char *url)
{
    (void) ask_with((lun_http_client_question) { .idle = false }, url);
}


static void
expect(lun_http_client_verdict verdict, const char *name)
{
    is_int(got.count, 1, "%s: it ends once", name);
    is_int(got.verdict, verdict, "... in that way");
    is_int(lun_http_client_open_count(client), 0, "... and is over");
}


static void
expect_said(const char *words)
{
    ok(strstr(said, words) != NULL, "%s", words);
    said[0] = '\0';
}


/* --- the way ------------------------------------------------------------- */

static void
gets_an_answer(void)
{
    wire  *w;

    begin_client((lun_http_client_options) { .user_agent = "me" });
    ask("http://127.0.0.1:81/a?b#c");
    w = wire_latest(true);
    is_int(w->to.port, 81, "it is asked");
    is_str(wire_heard(w), "GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:81\r\n"
           "User-Agent: me\r\nConnection: close\r\n\r\n", "for the page");
    wire_say(w, OK_ "Content-Length: 5\r\n\r\nhel");
    is_int(got.count, 0, "half of it is nothing yet");
    wire_say(w, "lo");
    expect(LUN_HTTP_ANSWERED, "an answer");
    is_int(got.status, 200, "its status");
    is_str(got.body, "hello", "its body");
    ok(wire_gone(w), "the connection is closed");
    is_str(said, "", "nothing is logged");
    end_client_();
}


static void
sends_a_body(void)
{
    wire                     *w;
    lun_http_field            type = { LUN_STR("Content-Type"),
                                       LUN_STR("a/b") };
    lun_http_client_question  q = { .fields = &type, .field_count = 1,
                                    .body = LUN_STR("0123456789") };

    begin_client((lun_http_client_options) { .keep = 1 });
    wire_room = 60;
    (void) ask_with(q, "http://127.0.0.1/");
    wire_room = SIZE_MAX;
    w = wire_latest(true);
    is_int(w->heard_end, 60, "as much as there is room for");
    w->room = SIZE_MAX;
    wire_run();
    is_str(wire_heard(w), "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
           "Content-Type: a/b\r\nContent-Length: 10\r\n\r\n0123456789",
           "and then the rest");
    wire_say(w, "HTTP/1.1 204 No\r\n\r\n");
    expect(LUN_HTTP_ANSWERED, "a body");
    lun_conn_pool_close_idle(lp);
    end_client_();
}


static bool
on_piece(void *data, const lun_http_answer *http, lun_str piece)
{
    ok(http->status == 200, "a piece of a good answer");
    got.body[strlen(got.body) + piece.len] = '\0';
    memcpy(got.body + strlen(got.body), piece.data, piece.len);
    return !lun_str_eq(piece, LUN_STR("stop"));
}


static void
gives_pieces(void)
{
    wire                     *w;
    lun_http_client_question  q = { .piece = on_piece };

    begin_client((lun_http_client_options) { .body_size = 1000 });
    memset(&got, 0, sizeof(got));
    (void) ask_with(q, "http://127.0.0.1/");
    w = wire_latest(true);
    wire_say(w, OK_ "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    is_str(got.body, "abc", "as soon as it comes");
    wire_say(w, "2\r\nde\r\n0\r\n\r\n");
    expect(LUN_HTTP_ANSWERED, "in pieces");
    is_str(got.body, "", "there is no body besides");

    (void) ask_with(q, "http://127.0.0.1/");
    w = wire_latest(true);
    got.count = 0;
    wire_say(w, OK_ "\r\nstop");
    is_int(got.count, 0, "who has enough is told nothing more");
    is_int(lun_http_client_open_count(client), 0, "and asks no longer");
    end_client_();
}


/* --- what may go wrong --------------------------------------------------- */

static const struct {
    const char               *text;
    bool                      ended;
    lun_http_client_verdict   verdict;
    const char               *log;
} faults[] = {
    { "what\r\n", false, LUN_HTTP_INVALID, "A peer sent invalid response while "
      "asking, host: 127.0.0.1" },
    { OK_ "Content-Length: 50\r\n\r\n", false, LUN_HTTP_TOO_LARGE,
      "A peer sent too large response" },
    { OK_, true, LUN_HTTP_LOST, "A peer prematurely closed connection" },
    { "", true, LUN_HTTP_LOST, "A peer prematurely closed connection" },
    { OK_ "Content-Length: 3\r\n\r\na", true, LUN_HTTP_LOST,
      "A peer prematurely closed connection" },
    { OK_ "A: 00000000000000000000000000000000000000000000000000000000000000",
      false, LUN_HTTP_TOO_LARGE, "A peer sent too large response" },
};


static void
tells_faults(void)
{
    size_t  i;
    wire   *w;

    for (i = 0; i < LUN_ARRAY_LEN(faults); i++) {
        begin_client((lun_http_client_options) {
            .peer = "A peer", .role = "host", .doing = "asking",
            .header_size = 64, .body_size = 49 });
        ask("http://127.0.0.1/");
        w = wire_latest(true);
        wire_say(w, faults[i].text);

        if (faults[i].ended) {
            wire_end(w);
        }

        expect(faults[i].verdict, lun_http_client_text(faults[i].verdict));
        expect_said(faults[i].log);
        end_client_();
    }

    begin_client((lun_http_client_options) { .keep = 0 });
    ask("http://127.0.0.1/");
    wire_break(wire_latest(true));
    expect(LUN_HTTP_LOST, "a reset");
    expect_said("recv() failed");
    end_client_();
}


static void
refuses_questions(void)
{
    size_t          i;
    lun_http_field  evil = { LUN_STR("A"), LUN_STR("b\r\nc: d") };

    static const char *const  urls[] = {
        "ftp://a/", "http://", "http://a:0/", "http://u@a/", "http://a/\n", ""
    };

    begin_client((lun_http_client_options) { .keep = 0 });

    for (i = 0; i < LUN_ARRAY_LEN(urls); i++) {
        ask(urls[i]);
        expect(LUN_HTTP_BAD_QUESTION, "a url that is none");
        expect_said("in a question to");
    }

    (void) ask_with((lun_http_client_question) { .fields = &evil,
                        .field_count = 1 }, "http://a/");
    expect(LUN_HTTP_BAD_QUESTION, "a field with a line's end");
    expect_said("invalid header value in a question to \"http://a/\"");
    end_client_();
}


static void
waits_no_longer(void)
{
    begin_client((lun_http_client_options) { .timeout = 5000,
        .connect_timeout = 1000, .answer_timeout = 2000 });
    ask("http://127.0.0.1/");
    wire_wait(1999);
    is_int(got.count, 0, "an answer has its time");
    wire_wait(2);
    expect(LUN_HTTP_TIMED_OUT, "and no more");
    expect_said("HTTP server timed out, server: 127.0.0.1");

    ask("http://127.0.0.1/");
    wire_wait(1000);
    wire_say(wire_latest(true), OK_);
    wire_wait(1001);
    expect(LUN_HTTP_TIMED_OUT, "a slow one has not more than another");
    said[0] = '\0';

    wire_deaf = true;
    ask("http://127.0.0.1/");
    wire_wait(1001);
    wire_deaf = false;
    expect(LUN_HTTP_TIMED_OUT, "nor has who does not answer at all");
    end_client_();
}


/* "localhost" has two addresses, and no server is asked for them. */
static void
tries_addresses(void)
{
    wire  *w;

    begin_client((lun_http_client_options) { .connect_timeout = 1000,
                                             .timeout = 1500 });
    wire_refusal = lun_err_of_kind(LUN_ERR_REFUSED);
    ask("http://b.localhost:82/");
    expect(LUN_HTTP_UNREACHED, "nobody is there");
    expect_said("connect() failed");

    wire_refusal = 0;
    wire_deaf = true;
    ask("http://b.localhost:82/");
    is_int(wire_latest(true)->to.family, LUN_AF_INET, "the first address");
    wire_wait(1000);
    wire_deaf = false;
    wire_wait(1);
    w = wire_latest(true);
    is_int(w->to.family, LUN_AF_INET6, "and then the next");
    wire_wait(400);
    is_int(got.count, 0, "in the time of both");
    wire_wait(200);
    expect(LUN_HTTP_TIMED_OUT, "which is limited, too");
    end_client_();
}


static void
asks_where_it_is_told(void)
{
    wire      *w;
    char       path[] = "/run/x";
    lun_fd     fd;
    lun_addr   address = { .family = LUN_AF_UNIX, .path = path };

    if (lun_sock_stream(LUN_AF_UNIX, &fd) != 0) {
        skip("no unix sockets here");
        return;
    }

    lun_sock_close(fd);
    begin_client((lun_http_client_options) { .keep = 0 });
    (void) ask_with((lun_http_client_question) { .address = &address },
                    "http://host.test/");
    path[1] = '\0';
    w = wire_latest(true);
    ok(w->to.family == LUN_AF_UNIX && strcmp(w->to.path, "/run/x") == 0,
       "a socket of the file system");
    ok(strstr(wire_heard(w), "Host: host.test\r\n") != NULL,
       "for the host of the url");
    wire_say(w, OK_ "\r\nx");
    wire_end(w);
    expect(LUN_HTTP_ANSWERED, "there");
    end_client_();
}


/* --- ends ---------------------------------------------------------------- */

static void
is_cancelled(void)
{
    lun_http_ask  *a;

    begin_client((lun_http_client_options) { .keep = 0 });
    a = ask_with((lun_http_client_question) { .idle = false },
                 "http://127.0.0.1/");
    lun_http_client_cancel(a);
    wire_run();
    is_int(got.count, 0, "who cancels hears nothing");

    /* Refused before anything was asked, and not told yet. */
    a = lun_http_client_ask(client, &(lun_http_client_question) {
            .url = LUN_STR("x"), .done = on_answer });
    lun_http_client_cancel(a);
    wire_run();
    is_int(got.count, 0, "nor of what was wrong at once");

    wire_deaf = true;
    ask("http://127.0.0.1/");
    wire_deaf = false;
    end_client_();
    is_int(got.count, 0, "nor if the client ends");

    begin_client((lun_http_client_options) { .keep = 0 });
    ask("http://127.0.0.1/");
    got.ends_client = true;
    wire_say(wire_latest(true), OK_ "Content-Length: 0\r\n\r\n");
    is_int(got.count, 1, "a client may end with an answer");
    wire_run();
    is_int(lun_conn_open_count(lp), 0, "and its connection does");
}


static void
quits(void)
{
    begin_client((lun_http_client_options) { .keep = 0 });
    ask("http://127.0.0.1/");
    ok(lun_timer_pending(lp) != 0, "what is waited for keeps a worker");
    lun_conn_quit(lp);
    is_int(got.count, 0, "that quits");
    end_client_();

    begin_client((lun_http_client_options) { .keep = 0 });
    (void) ask_with((lun_http_client_question) { .idle = true },
                    "http://127.0.0.1/");
    is_int(lun_timer_pending(lp), 0, "what is not, does not");
    lun_conn_quit(lp);
    expect(LUN_HTTP_STOPPED, "and is given up");
    is_str(said, "", "without a word");
    end_client_();
}


/* One that has no connection: it was refused, and is not yet told so. */
static void
is_dumped(void)
{
    lun_http_field  evil = { LUN_STR("A"), LUN_STR("\n") };

    begin_client((lun_http_client_options) { .keep = 0 });
    (void) lun_http_client_ask(client, &(lun_http_client_question) {
               .url = LUN_STR("http://slow.test:81/"), .fields = &evil,
               .field_count = 1, .done = on_answer });
    lun_errand_dump(lp);
    expect_said("dump: question \"slow.test:81\", age 0.000 s, server: "
                "slow.test");
    lun_pool_free(pool);
    lun_errand_dump(lp);
    is_str(said, "", "and of who has ended nothing");
    wire_run();
}


/* --- connections that are kept ------------------------------------------- */

static void
answer_empty(wire *w)
{
    wire_say(w, OK_ "Content-Length: 0\r\n\r\n");
}


static void
keeps_connections(void)
{
    wire  *w, *other;

    begin_client((lun_http_client_options) { .keep = 2, .keep_for = 1000 });
    ask("http://127.0.0.1/");
    w = wire_latest(true);
    (void) wire_heard(w);
    answer_empty(w);
    ok(!wire_gone(w), "it stays");

    ask("http://127.0.0.1/again");
    ok(wire_latest(true) == w && strstr(wire_heard(w), "GET /again ") != NULL,
       "for the next");
    answer_empty(w);
    expect(LUN_HTTP_ANSWERED, "the next");

    ask("http://127.0.0.1:8080/");
    other = wire_latest(true);
    ok(other != w, "but for no other server");
    wire_say(other, OK_ "Connection: close\r\nContent-Length: 0\r\n\r\n");
    ok(wire_gone(other), "and not if that says so");

    wire_wait(1001);
    ok(wire_gone(w), "nor forever");

    ask("http://127.0.0.1/");
    w = wire_latest(true);
    answer_empty(w);
    lun_conn_quit(lp);
    wire_run();
    ok(wire_gone(w), "nor in a worker that quits");
    end_client_();
}


static void
asks_anew(void)
{
    unsigned  number;

    begin_client((lun_http_client_options) { .keep = 2 });
    ask("http://127.0.0.1/");
    answer_empty(wire_latest(true));
    ask("http://127.0.0.1/");
    number = wire_latest(true)->number;
    wire_end(wire_latest(true));
    ok(wire_latest(true)->number != number && got.count == 0,
       "what was closed meanwhile does not count");
    answer_empty(wire_latest(true));
    expect(LUN_HTTP_ANSWERED, "it is asked once more");
    is_str(said, "", "and nothing is wrong");

    (void) ask_with((lun_http_client_question) { .body = LUN_STR("x") },
                    "http://127.0.0.1/");
    wire_end(wire_latest(true));
    expect(LUN_HTTP_LOST, "but not what may have been done");
    said[0] = '\0';

    ask("http://127.0.0.1/");
    answer_empty(wire_latest(true));
    ask("http://127.0.0.1/");
    wire_say(wire_latest(true), OK_);
    wire_end(wire_latest(true));
    expect(LUN_HTTP_LOST, "nor what was answered in part");
    end_client_();
}


/* --- TLS ----------------------------------------------------------------- */

/* The other side of a wire: a server whose certificate signs itself. */
static struct {
    SSL_CTX  *ctx;
    SSL      *ssl;
    BIO      *in, *out;
    char      pem[4096];
    size_t    pem_len;
} peer;


static void
make_peer(const char *names)
{
    BIO             *bio = BIO_new(BIO_s_mem());
    char            *text;
    X509            *x = X509_new();
    EVP_PKEY        *key = EVP_EC_gen("P-256");
    X509_EXTENSION  *ext;

    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    ext = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
    X509_add_ext(x, ext, -1);
    X509_EXTENSION_free(ext);
    X509_set_pubkey(x, key);
    X509_sign(x, key, EVP_sha256());

    peer.ctx = SSL_CTX_new(TLS_server_method());
    ok(SSL_CTX_use_certificate(peer.ctx, x) == 1
       && SSL_CTX_use_PrivateKey(peer.ctx, key) == 1, "a server for %s", names);
    PEM_write_bio_X509(bio, x);
    peer.pem_len = (size_t) BIO_get_mem_data(bio, &text);
    memcpy(peer.pem, text, peer.pem_len);
    BIO_free(bio);
    X509_free(x);
    EVP_PKEY_free(key);
}


static void
begin_peer(void)
{
    peer.ssl = SSL_new(peer.ctx);
    peer.in = BIO_new(BIO_s_mem());
    peer.out = BIO_new(BIO_s_mem());
    SSL_set_bio(peer.ssl, peer.in, peer.out);
    SSL_set_accept_state(peer.ssl);
}


/* What either side has to say reaches the other; what it is in the clear. */
static const char *
serve_peer(wire *w, const char *answer)
{
    static char  text[1024];

    int     i, n, len = 0;
    char    room[4096];

    for (i = 0; i < 6 && !wire_gone(w); i++) {
        BIO_write(peer.in, w->out, (int) w->heard_end);
        w->heard_end = 0;
        n = SSL_read(peer.ssl, text + len, (int) sizeof(text) - 1 - len);
        len += lun_max(n, 0);

        if (n > 0) {
            SSL_write(peer.ssl, answer, (int) strlen(answer));
        }

        while ((n = BIO_read(peer.out, room, sizeof(room))) > 0) {
            wire_say_bytes(w, room, (size_t) n);
        }

        wire_run();
    }

    text[len] = '\0';
    return text;
}


static void
end_peer(void)
{
    SSL_free(peer.ssl);
}


static void
asks_safely(const char *url, const char *name, bool given, bool insecure,
    lun_http_client_verdict verdict, const char *words)
{
    lun_tls_file  file = { LUN_STR("file"),
                           lun_str_of(peer.pem, peer.pem_len) };
    lun_addr      address = { .family = LUN_AF_INET, .port = 443,
                              .ip = { 127, 0, 0, 1 } };

    begin_client((lun_http_client_options) {
        .trusted = given ? &file : NULL, .insecure = insecure });
    begin_peer();
    (void) ask_with((lun_http_client_question) { .address = &address }, url);
    (void) serve_peer(wire_latest(true), OK_ "Content-Length: 2\r\n\r\nhi");
    wire_run();
    expect(verdict, name);

    if (words != NULL) {
        expect_said(words);

    } else {
        is_str(got.body, "hi", "and it is answered");
    }

    end_client_();
    end_peer();
}


static void
tells_the_name(void)
{
    wire      *w;
    lun_addr   address = { .family = LUN_AF_INET, .port = 443,
                           .ip = { 127, 0, 0, 1 } };

    begin_client((lun_http_client_options) { .insecure = true, .keep = 1 });
    begin_peer();
    (void) ask_with((lun_http_client_question) { .address = &address },
                    "https://a.test/x");
    w = wire_latest(true);
    ok(strstr(serve_peer(w, OK_ "Content-Length: 0\r\n\r\n"),
              "GET /x HTTP/1.1\r\nHost: a.test\r\n") != NULL,
       "it is asked in secret");
    is_str(SSL_get_servername(peer.ssl, TLSEXT_NAMETYPE_host_name), "a.test",
           "by its name");
    expect(LUN_HTTP_ANSWERED, "a name");
    ok(!wire_gone(w), "and kept");
    end_peer();
    lun_conn_pool_close_idle(lp);

    begin_peer();
    (void) ask_with((lun_http_client_question) { .address = &address },
                    "https://a.test/x");
    (void) serve_peer(wire_latest(true), OK_ "Content-Length: 0\r\n\r\n");
    expect(LUN_HTTP_ANSWERED, "another connection");
    ok(SSL_session_reused(peer.ssl), "goes on with the session of the first");
    end_peer();
    lun_conn_pool_close_idle(lp);
    end_client_();
}


static void
verifies(void)
{
    make_peer("DNS:a.test,IP:127.0.0.1,IP:::1");
    asks_safely("https://a.test/", "a name that it has", true, false,
                LUN_HTTP_ANSWERED, NULL);
    asks_safely("https://127.0.0.1/", "an address that it has", true, false,
                LUN_HTTP_ANSWERED, NULL);
    asks_safely("https://[::1]/", "in brackets", true, false,
                LUN_HTTP_ANSWERED, NULL);
    asks_safely("https://b.test/", "a name that it has not", true, false,
                LUN_HTTP_UNTRUSTED,
                "SSL certificate does not match \"b.test\"");
    asks_safely("https://127.0.0.2/", "another address", true, false,
                LUN_HTTP_UNTRUSTED,
                "SSL certificate does not match \"127.0.0.2\"");
    asks_safely("https://a.test/", "somebody unknown", false, false,
                LUN_HTTP_UNTRUSTED, "SSL certificate verify error: (18:");
    asks_safely("https://a.test/", "who does not mind", false, true,
                LUN_HTTP_ANSWERED, NULL);
    tells_the_name();
    SSL_CTX_free(peer.ctx);
}


int
main(void)
{
    lun_sock_init();
    is_int(lun_loop_init(lp), 0, "a loop");
    gets_an_answer();
    sends_a_body();
    gives_pieces();
    tells_faults();
    refuses_questions();
    waits_no_longer();
    tries_addresses();
    asks_where_it_is_told();
    is_cancelled();
    quits();
    is_dumped();
    keeps_connections();
    asks_anew();
    verifies();
    return done_testing();
}
