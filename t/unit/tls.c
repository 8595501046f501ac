/*
 * tls.c -- TLS connections to ourselves over 127.0.0.1.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/tls/tls.c"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "net/conn_sock.h"

#include "loop_help.h"
#include "tap.h"


enum {
    BIG    = 8 * 1024 * 1024,
    BUFFER = 256 * 1024            /* bytes of a socket's: left to itself a
                                      system may take BIG at once */
};

typedef struct {
    lun_msec  limit;
} test_conf;

static lun_fd        listener = LUN_FD_NONE;
static lun_addr      where;
static lun_acceptor  acceptor;
static lun_conn     *client, *server;
static char          events[256];
static test_conf     conf = { 60000 };
static SSL_CTX      *server_ctx, *client_ctx;


static void  note(const char *what)   { strcat(events, what); }

static void  on_read(lun_conn *c)     { note("r"); }
static void  on_written(lun_conn *c)  { note("w"); }
static void  on_gone(lun_conn *c)     { note("g"); }
static void  on_free(lun_conn *c)     { note("f"); }

static const lun_conn_state  quiet = {
    .doing      = "SSL handshaking",
    .on_read    = on_read,
    .on_written = on_written,
    .on_timeout = on_gone,
    .on_gone    = on_gone,
    .timeout    = LUN_TIMEOUT(test_conf, limit),
};


static void
on_taken(lun_acceptor *a, lun_fd fd, const lun_addr *peer, lun_err err)
{
    if (err == 0) {
        server = lun_conn_new(lp, fd, 1024, NULL);
        server->remote = *peer;
        server->timeouts = &conf;
        server->on_free = on_free;
        lun_conn_enter(server, &quiet);
    }
}


static void
turns_until(const char *want)
{
    int  turns;

    for (turns = 0; turns < 100 && strcmp(events, want) != 0; turns++) {
        lun_loop_turn(lp, 50);
    }
}


static void
expect(const char *want, const char *name)
{
    turns_until(want);
    is_str(events, want, "%s", name);
    events[0] = '\0';
}


static void
listen_here(void)
{
    const char         *failed;
    lun_listen_options  options = { .backlog = -1, .fastopen = -1 };

    lun_addr_parse(LUN_STR("127.0.0.1"), &where);
    is_int(lun_sock_listen(&where, &options, &listener, &failed), 0,
           "listens");
    lun_sock_local(listener, &where);

    acceptor = (lun_acceptor) { .fd = listener, .family = LUN_AF_INET,
                                .take = on_taken };
    is_int(lun_port_accept(lp->port, &acceptor), 0, "accepts");
}


/* A certificate that signs itself. */
static void
make_contexts(void)
{
    X509      *x = X509_new();
    EVP_PKEY  *key = EVP_EC_gen("P-256");

    X509_set_version(x, 2);
    X509_gmtime_adj(X509_getm_notBefore(x), 0);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key);
    X509_sign(x, key, EVP_sha256());

    server_ctx = SSL_CTX_new(TLS_server_method());
    client_ctx = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_mode(server_ctx, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(server_ctx, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_options(client_ctx, SSL_OP_IGNORE_UNEXPECTED_EOF);
    ok(SSL_CTX_use_certificate(server_ctx, x) == 1
       && SSL_CTX_use_PrivateKey(server_ctx, key) == 1, "a certificate");

    X509_free(x);
    EVP_PKEY_free(key);
}


static void
make_pair(void)
{
    int      turns;
    lun_err  err;

    server = NULL;
    client = lun_conn_new_out(lp, LUN_AF_INET, 32768, NULL, &err);
    client->timeouts = &conf;
    client->on_free = on_free;
    lun_conn_enter(client, &quiet);
    lun_conn_connect(client, &where);

    for (turns = 0; turns < 100
                    && (server == NULL || lun_conn_writing(client)); turns++)
    {
        lun_loop_turn(lp, 50);
    }

    is_int(lun_sock_buffer(client->stream.fd, false, BUFFER), 0, "a buffer");
    is_int(lun_sock_buffer(server->stream.fd, true, BUFFER), 0, "and its like");
    events[0] = '\0';
}


/* Of the next pair: TLS inside of TLS inside ... of the socket. */
static int   layers = 1;
static bool  bare;                 /* the first inside of a plain one */

static lun_conn *
go_inside(lun_conn *under, SSL_CTX *ctx, bool is_server)
{
    lun_conn  *c = lun_tls_start_inside(under, is_server ? 1024 : 32768, ctx,
                                  is_server);

    ok(c != NULL, "a connection inside of another");
    ok(lun_conn_is_secure(c) && !lun_conn_has_socket(c)
       && lun_conn_fd(c) == LUN_FD_NONE, "is secure, and has no socket");
    c->timeouts = &conf;
    c->on_free = on_free;
    lun_conn_enter(c, &quiet);
    return c;
}


static void
handshake_both(void)
{
    int  n;

    make_pair();
    ok(!lun_conn_is_secure(client) && lun_conn_is_plain(client)
       && lun_conn_has_socket(client), "a plain connection has a socket");

    for (n = 0; n < layers; n++) {
        if (n != 0 || bare) {
            client = go_inside(client, client_ctx, false);
            server = go_inside(server, server_ctx, true);

        } else {
            is_int(lun_tls_start(client, client_ctx, false), LUN_OK,
                   "a client");
            is_int(lun_tls_start(server, server_ctx, true), LUN_OK,
                   "a server");
            ok(lun_conn_is_secure(client) && lun_conn_has_socket(client),
               "is secure, and has a socket");
        }

        lun_tls_handshake(client);
        lun_tls_handshake(server);
        expect("ww", "both have ended the handshake");
    }
}


static void
close_both(void)
{
    lun_conn_close(client);
    lun_conn_close(server);
    expect("ff", "both freed");
    is_int((int64_t) lun_conn_count(lp), 0, "none is left");
}


static lun_err
say(lun_conn *c, const char *words, size_t *sent)
{
    lun_slice  slices[2] = { { words, 1 }, { words + 1, strlen(words) - 1 } };

    return lun_conn_send(c, slices, 2, false, sent);
}


static void
talks(void)
{
    size_t                    sent;
    lun_port_counters         before;
    const lun_port_counters  *now = lun_port_count(lp->port);

    handshake_both();
    ok(lun_tls_of(client) != NULL && lun_tls_conn(lun_tls_of(client))
       == client, "the connection of an SSL");

    /* The tickets that the server has sent go first. */
    lun_conn_want(client);
    lun_loop_turn(lp, 10);
    lun_loop_turn(lp, 10);

    lun_conn_want(server);
    is_int(say(client, "hello", &sent), 0, "sends");
    is_int((int64_t) sent, 5, "all of it");
    expect("r", "it has come");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "hello", 5, "in plain text");
    is_int(client->sent, 5, "plain bytes are counted");

    server->in.pos = server->in.last = server->in.start;
    before = *now;
    lun_conn_want(server);
    say(client, "again", &sent);
    expect("r", "more has come");
    is_int((int64_t) (now->reads - before.reads), 1, "one receive");
    is_int((int64_t) (now->sends - before.sends), 1, "one send");

    say(server, "bye", &sent);
    expect("r", "an answer");
    lun_conn_close(server);
    lun_conn_want(client);
    expect("fg", "close_notify");
    ok(client->eof && !client->gone, "is an end, no error");
    lun_conn_close(client);
    expect("f", "freed");
}


/* An answer that is the last, and the end behind it. */
static void
says_last(void)
{
    size_t                    sent;
    lun_port_counters         before;
    const lun_port_counters  *now = lun_port_count(lp->port);

    handshake_both();
    lun_conn_want(client);
    lun_loop_turn(lp, 10);
    lun_loop_turn(lp, 10);

    before = *now;
    lun_tls_set_last(server);
    is_int(say(server, "bye", &sent), 0, "the last words");
    is_int((int64_t) sent, 3, "all of them");
    lun_conn_close(server);
    is_int((int64_t) (now->sends - before.sends), 1,
           "one send, of close_notify as well");

    expect("fr", "the words have come");
    is_mem(client->in.pos, (size_t) (client->in.last - client->in.pos),
           "bye", 3, "as they were");
    lun_conn_want(client);
    expect("g", "then the end");
    ok(client->eof && !client->gone, "which is no error");
    lun_conn_close(client);
    expect("f", "freed");
}


/* All that the client has got since, in pieces. */
static size_t
drain(size_t want, const char *text)
{
    int     turns;
    bool    same = true;
    size_t  n, got = 0;

    for (turns = 0; turns < 10000 && got < want; turns++) {
        lun_conn_want(client);
        lun_loop_turn(lp, 50);
        n = (size_t) (client->in.last - client->in.pos);
        same = same && (n == 0
                        || memcmp(client->in.pos, text + got, n) == 0);
        got += n;

        if (!lun_conn_reading(client)) {
            client->in.pos = client->in.last = client->in.start;
        }

        client->in.pos = client->in.last;
        events[0] = '\0';
    }

    ok(same, "the right bytes");
    return got;
}


static char       *text;
static size_t      text_done;

static void
write_text(lun_conn *c)
{
    size_t     sent;
    lun_slice  slices[2];

    text_done += (size_t) lun_conn_written(c);

    while (text_done < BIG) {
        slices[0] = (lun_slice) { text + text_done,
                                  lun_min((size_t) 100, BIG - text_done) };
        slices[1] = (lun_slice) { slices[0].data + slices[0].len,
                                  BIG - text_done - slices[0].len };

        if (lun_conn_send(c, slices, 2, false, &sent) != 0 || sent == 0) {
            lun_conn_write(c, slices, 2);
            return;
        }

        text_done += sent;
    }
}


static const lun_conn_state  writing = {
    .doing      = "writing",
    .on_written = write_text,
    .on_gone    = on_gone,
};


static void
writes_much(void)
{
    handshake_both();
    text_done = 0;
    server->written = 0;
    lun_conn_enter(server, &writing);
    write_text(server);
    ok(text_done < BIG, "the socket does not take it at once");
    is_int((int64_t) drain(BIG, text), BIG, "all of it");
    is_int(server->sent, BIG, "and counted");
    close_both();
}


static const lun_conn_state  breaking = {
    .doing      = "writing",
    .on_written = write_text,
    .on_gone    = lun_conn_close,
};


static lun_fd  file;
static bool    truncated;

static void
send_file(lun_conn *c)
{
    text_done += (size_t) lun_conn_written(c);
    truncated = lun_conn_written(c) == 0;

    if (text_done < BIG) {
        lun_conn_send_file(c, file, (int64_t) text_done, BIG - text_done);
    }
}


static const lun_conn_state  sending_file = {
    .doing      = "sending",
    .on_written = send_file,
    .on_gone    = on_gone,
};


static void
sends_files(void)
{
    lun_err      err;

    const char  *path = "build/tls-unit.tmp";

    err = lun_file_open(path, LUN_FILE_READ | LUN_FILE_WRITE
                        | LUN_FILE_CREATE | LUN_FILE_TRUNC, 0600, &file);
    is_int(err, 0, "a file");
    is_int(lun_file_write(file, text, BIG, 0), 0, "of 8 MB");

    handshake_both();
    text_done = 0;
    lun_conn_enter(server, &sending_file);
    lun_conn_send_file(server, file, 0, BIG);
    is_int((int64_t) drain(BIG, text), BIG, "all of the file");

    lun_conn_send_file(server, file, BIG, 1);
    drain(0, text);
    lun_loop_turn(lp, 10);
    ok(truncated, "no byte behind its end");

    close_both();
    lun_file_close(file);
    (void) lun_file_delete(path);
}


static void
is_closed_any_time(void)
{
    size_t  sent;

    make_pair();
    (void) lun_tls_start(client, client_ctx, false);
    (void) lun_tls_start(server, server_ctx, true);
    lun_tls_handshake(client);
    close_both();

    make_pair();
    (void) lun_tls_start(client, client_ctx, false);
    (void) lun_tls_start(server, server_ctx, true);
    lun_tls_handshake(client);
    lun_tls_handshake(server);
    lun_loop_turn(lp, 10);
    close_both();

    handshake_both();
    lun_conn_want(client);
    lun_conn_want(server);
    close_both();

    handshake_both();
    say(client, "one", &sent);
    lun_conn_want(server);
    lun_loop_turn(lp, 50);
    events[0] = '\0';
    server->in.last = server->in.end - 1;
    server->in.pos = server->in.last;
    say(client, "two, which has no room", &sent);
    lun_conn_want(server);
    expect("r", "one byte of it");
    server->in.pos = server->in.last = server->in.start;
    lun_conn_want(server);
    close_both();

    handshake_both();
    text_done = 0;
    server->written = 0;
    lun_conn_enter(server, &breaking);
    write_text(server);
    lun_conn_want(server);
    lun_conn_abort(client);
    expect("ff", "a reset while it reads and writes");
}


static void
waits_for_room(void)
{
    size_t  sent;

    handshake_both();
    server->in.last = server->in.pos = server->in.end - 2;
    say(client, "four", &sent);
    lun_conn_want(server);
    expect("r", "two bytes");
    is_mem(server->in.pos, 2, "fo", 2, "the first of them");

    server->in.last = server->in.pos = server->in.start;
    lun_conn_want(server);
    expect("r", "what was left over needs no arrival");
    is_mem(server->in.pos, 2, "ur", 2, "it comes by itself");
    close_both();
}


static void
refuses_strangers(void)
{
    size_t     sent;
    lun_slice  slice = { "GET / HTTP/1.0\r\n\r\n", 18 };

    make_pair();
    (void) lun_tls_start(server, server_ctx, true);
    lun_tls_handshake(server);
    (void) lun_conn_send(client, &slice, 1, false, &sent);
    expect("g", "no handshake");
    ok(server->gone, "is an error");
    close_both();

    make_pair();
    (void) lun_tls_start(server, server_ctx, true);
    lun_tls_handshake(server);
    lun_conn_close(client);
    expect("fg", "closed in the handshake");
    lun_conn_close(server);
    expect("f", "freed");
}


/* style: long file, the same conversations go inside of each other */

/* --- inside of another --------------------------------------------------- */

/* The hello of the inner handshake has come with the end of the outer one. */
static void
begins_behind_read(void)
{
    size_t     sent;
    lun_conn  *inner;

    handshake_both();
    inner = go_inside(client, client_ctx, false);
    lun_tls_handshake(inner);
    lun_conn_want(server);
    expect("r", "a hello came before anybody was inside");
    client = inner;
    server = go_inside(server, server_ctx, true);
    lun_tls_handshake(server);
    expect("ww", "it is taken");
    lun_conn_want(server);
    is_int(say(client, "inner", &sent), 0, "and what follows");
    expect("r", "is read");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "inner", 5, "as it was sent");
    close_both();
}


/* The tunnel ends, or breaks, without a word of the connection inside. */
static void
loses_tunnel(void)
{
    lun_conn  *outer;

    handshake_both();
    outer = client;
    server = go_inside(server, server_ctx, true);
    lun_tls_handshake(server);
    lun_conn_close(outer);
    expect("fg", "the tunnel ends in the handshake");
    ok(server->gone, "which is an error");
    lun_conn_close(server);
    expect("f", "freed");
    is_int((int64_t) lun_conn_count(lp), 0, "with what it was inside of");
}


static void
stands_inside(void)
{
    layers = 2;
    talks();
    writes_much();
    sends_files();
    waits_for_room();
    is_closed_any_time();
    layers = 3;
    talks();
    writes_much();
    layers = 1;
    begins_behind_read();
    loses_tunnel();

    bare = true;
    talks();
    writes_much();
    is_closed_any_time();
    bare = false;
}


/* --- early data ----------------------------------------------------------- */

static SSL_SESSION  *kept;


static int
on_session(SSL *ssl, SSL_SESSION *session)
{
    SSL_SESSION_free(kept);
    kept = session;
    return 1;
}


static void
learn_session(void)
{
    size_t  sent;

    SSL_CTX_set_session_cache_mode(client_ctx, SSL_SESS_CACHE_CLIENT);
    SSL_CTX_sess_set_new_cb(client_ctx, on_session);
    SSL_CTX_set_max_early_data(server_ctx, LUN_TLS_RECORD);
    SSL_CTX_set_options(server_ctx, SSL_OP_NO_ANTI_REPLAY);
    SSL_CTX_set_session_id_context(server_ctx, (const unsigned char *) "t", 1);

    handshake_both();
    ok(!lun_tls_is_early(server), "without a session nothing is early");
    (void) say(server, "end", &sent);
    lun_conn_want(client);
    expect("r", "the client reads, and learns of a session");
    ok(kept != NULL && SSL_SESSION_get_max_early_data(kept)
       == LUN_TLS_RECORD, "which takes early data");
    close_both();
}


static bool
writes_early(const char *words)
{
    size_t  n;

    return SSL_write_early_data(lun_tls_of(client), words, strlen(words), &n)
           == 1 && n == strlen(words);
}


/* The client's hello goes out, and some words with it. */
static void
send_early(const char *words, const char *more)
{
    make_pair();
    (void) lun_tls_start(client, client_ctx, false);
    (void) lun_tls_start(server, server_ctx, true);
    ok(SSL_set_session(lun_tls_of(client), kept) == 1 && writes_early(words)
       && (more == NULL || writes_early(more)), "a client sends early data");
    (void) lun_tls_flush(client->io_data, false);
}


static void
begin_early(const char *words)
{
    send_early(words, NULL);
    lun_tls_handshake(server);
    expect("w", "the server is ready before the client");
    ok(lun_tls_is_early(server), "and knows that");
}


static void
takes_early_data(void)
{
    size_t  sent;

    begin_early("early");
    lun_conn_want(server);
    expect("r", "they are read");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "early", 5, "as they were sent");
    server->in.pos = server->in.last;
    is_int(say(server, "answer", &sent), 0, "and answered");
    is_int((int64_t) sent, 6, "all of it");

    lun_conn_want(server);
    lun_tls_handshake(client);
    expect("w", "the client ends the handshake");
    lun_conn_want(client);
    expect("r", "and reads");
    is_mem(client->in.pos, (size_t) (client->in.last - client->in.pos),
           "answer", 6, "what was said before");

    is_int(say(client, "late", &sent), 0, "it says more");
    expect("r", "which is read, too");
    ok(!lun_tls_is_early(server), "and is not early");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "late", 4, "as it was sent");
    is_int(say(server, "more", &sent), 0, "the server goes on");
    close_both();
}


/* Its Finished never comes. */
static void
leaves_early(void)
{
    size_t  sent;

    begin_early("only");
    lun_conn_want(server);
    expect("r", "what came is read");
    is_int(say(server, "answer", &sent), 0, "and answered");
    server->in.pos = server->in.last;
    lun_conn_want(server);
    lun_conn_close(client);
    turns_until("fg");
    is_str(events, "fg", "the client leaves");
    events[0] = '\0';
    lun_conn_close(server);
    expect("f", "that is all");
}


static bool
wait_after(lun_conn *c)
{
    note("a");
    return true;
}


/* What comes meanwhile is read when the handshake is done. */
static void
waits_after(void)
{
    size_t  sent;

    make_pair();
    (void) lun_tls_start(client, client_ctx, false);
    (void) lun_tls_start(server, server_ctx, true);
    lun_tls_set_after(server, wait_after);
    lun_tls_handshake(client);
    lun_tls_handshake(server);
    turns_until("wa");
    is_str(events, "wa", "only the client is told of the end");
    events[0] = '\0';

    is_int(say(client, "first", &sent), 0, "the client says something");
    lun_loop_turn(lp, 50);
    lun_loop_turn(lp, 50);
    is_str(events, "", "which is not told yet");

    lun_tls_go_on(server);
    expect("w", "the server is, when that is agreed");
    lun_conn_want(server);
    expect("r", "and reads");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "first", 5, "what came meanwhile");
    close_both();
}


static void
expect_words(const char *words, const char *name)
{
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           words, strlen(words), "%s", name);
}


/*
 * A read that began while the server waited is under way when there is
 * something to be told already.
 */
static void
reads_on_after(bool at_once)
{
    int     turns;
    size_t  sent;

    send_early("early", " and more");
    lun_tls_set_after(server, wait_after);
    lun_tls_handshake(server);
    expect("a", "the server waits");
    lun_tls_go_on(server);
    expect("w", "and goes on");

    if (at_once) {
        lun_conn_want(server);
        expect("r", "it reads");
        expect_words("early and more", "what came early");
    }

    lun_tls_handshake(client);
    expect("w", "the client ends the handshake");
    is_int(say(client, ", late", &sent), 0, "and says more");

    for (turns = 0; turns < 4; turns++) {
        lun_loop_turn(lp, 50);
    }

    is_str(events, "", "which nobody has asked for");

    if (at_once) {
        expect_words("early and more", "nor has it spoiled what came early");
    }

    lun_conn_want(server);
    turns_until("r");

    for (turns = 0; turns < 20 && server->in.last - server->in.pos < 20
                    && !server->gone; turns++)
    {
        lun_conn_want(server);
        lun_loop_turn(lp, 50);
    }

    expect_words("early and more, late", "all of it is read");
    events[0] = '\0';
    close_both();
}


int
main(void)
{
    size_t  i;

    lun_sock_init();
    lun_loop_init(lp);
    listen_here();
    make_contexts();

    text = lun_malloc(BIG);

    for (i = 0; i < BIG; i++) {
        text[i] = (char) (i * 2654435761u >> 13);
    }

    talks();
    says_last();
    writes_much();
    sends_files();
    waits_for_room();
    is_closed_any_time();
    refuses_strangers();
    waits_after();
    stands_inside();
    learn_session();
    takes_early_data();
    learn_session();               /* each is good for one use */
    leaves_early();
    learn_session();
    reads_on_after(true);
    learn_session();
    reads_on_after(false);

    /* The same, whether this kernel takes the keys or not. */
    SSL_CTX_set_options(server_ctx, SSL_OP_ENABLE_KTLS);
    SSL_CTX_set_options(client_ctx, SSL_OP_ENABLE_KTLS);
    SSL_CTX_set_max_early_data(server_ctx, 0);
    talks();
    writes_much();
    sends_files();
    waits_for_room();
    is_closed_any_time();
    refuses_strangers();
    waits_after();

    SSL_SESSION_free(kept);
    SSL_CTX_free(server_ctx);
    SSL_CTX_free(client_ctx);
    lun_free(text);
    lun_port_accept_stop(&acceptor);
    lun_sock_close(listener);
    lun_loop_fini(lp);

    return done_testing();
}
