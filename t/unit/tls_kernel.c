/*
 * tls_kernel.c -- what goes to a kernel that encrypts, and how: one that only
 * says it would.  (tls.c has conversations by way of the real one, if there
 * is any.)
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/tls/tls_kernel.c"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "loop_help.h"
#include "net/tls/tls.h"
#include "tap.h"


static void
decides(void)
{
    ok(lun_tls_wants_kernel(SSL_OP_ENABLE_KTLS, false), "who says so");
    ok(!lun_tls_wants_kernel(SSL_OP_NO_TICKET, false), "nobody else");
    ok(!lun_tls_wants_kernel(SSL_OP_ENABLE_KTLS, true), "nor early data");
}


#ifndef OPENSSL_NO_KTLS

enum { TICKET = 22, ALERT = 21 };

typedef struct {
    int64_t  limit;
} test_conf;

static lun_conn   *client, *server;
static char        events[64];
static test_conf   conf = { 60000 };
static SSL_CTX    *server_ctx, *client_ctx;

/* The kernel's side. */
static bool        has_keys, is_closed;
static BIO_METHOD *fake;
static int         kind;           /* of what comes next */
static int         kinds[8];
static size_t      kind_count;


static void  on_read(lun_conn *c)     { strcat(events, "r"); }
static void  on_written(lun_conn *c)  { strcat(events, "w"); }
static void  on_gone(lun_conn *c)     { strcat(events, "g"); }

static const lun_conn_state  quiet = {
    .doing      = "SSL handshaking",
    .on_read    = on_read,
    .on_written = on_written,
    .on_timeout = on_gone,
    .on_gone    = on_gone,
    .timeout    = LUN_TIMEOUT(test_conf, limit),
};


static void
turns_until(const char *want)
{
    int  turns;

    for (turns = 0; turns < 200 && strcmp(events, want) != 0; turns++) {
        lun_loop_turn(lp, 50);
    }
}


static int
fake_write(BIO *bio, const char *data, int size)
{
    if (kind_count < LUN_ARRAY_LEN(kinds)) {
        kinds[kind_count++] = kind;
    }

    kind = 0;
    return size;
}


/* style: long type, OpenSSL's own. */
static long
fake_ctrl(BIO *bio, int what, long n, void *p)
{
    if (what == BIO_CTRL_GET_KTLS_SEND) {
        return has_keys;
    }

    if (p != NULL) {
        has_keys = true;               /* n: they are for output */
        return n == 1;
    }

    kind = (int) n;
    return 0;
}


static int
fake_end(BIO *bio)
{
    is_closed = true;
    return 1;
}


static BIO *
fake_socket(int fd, int close)
{
    BIO  *bio;

    fake = BIO_meth_new(BIO_get_new_index(), "fake");
    BIO_meth_set_write(fake, fake_write);
    BIO_meth_set_ctrl(fake, fake_ctrl);
    BIO_meth_set_destroy(fake, fake_end);
    bio = BIO_new(fake);
    BIO_set_init(bio, 1);
    has_keys = is_closed = false;
    kind_count = 0;
    return bio;
}


static void
make_contexts(void)
{
    X509      *x = X509_new();
    EVP_PKEY  *key = EVP_EC_gen("P-256");

    X509_gmtime_adj(X509_getm_notBefore(x), 0);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key);
    X509_sign(x, key, EVP_sha256());

    server_ctx = SSL_CTX_new(TLS_server_method());
    client_ctx = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_options(server_ctx, SSL_OP_ENABLE_KTLS);
    SSL_CTX_use_certificate(server_ctx, x);
    SSL_CTX_use_PrivateKey(server_ctx, key);
    X509_free(x);
    EVP_PKEY_free(key);
}


static void
on_taken(lun_acceptor *a, lun_fd fd, const lun_addr *peer, lun_err err)
{
    if (err == 0) {
        server = lun_conn_new(lp, fd, 1024, NULL);
        server->timeouts = &conf;
        lun_conn_enter(server, &quiet);
    }
}


static void
connect_both(void)
{
    int                 turns;
    lun_fd              listener;
    lun_err             err;
    lun_addr            where;
    const char         *failed;
    lun_acceptor        acceptor;
    lun_listen_options  options = { .backlog = -1, .fastopen = -1 };

    lun_addr_parse(LUN_STR("127.0.0.1"), &where);
    LUN_CHECK(lun_sock_listen(&where, &options, &listener, &failed) == 0);
    lun_sock_local(listener, &where);
    acceptor = (lun_acceptor) { .fd = listener, .family = LUN_AF_INET,
                                .take = on_taken };
    LUN_CHECK(lun_port_accept(lp->port, &acceptor) == 0);

    client = lun_conn_new_out(lp, LUN_AF_INET, 32768, NULL, &err);
    client->timeouts = &conf;
    lun_conn_enter(client, &quiet);
    lun_conn_connect(client, &where);

    for (turns = 0; turns < 200
                    && (server == NULL || lun_conn_writing(client)); turns++)
    {
        lun_loop_turn(lp, 50);
    }

    LUN_CHECK(server != NULL);
    lun_port_accept_stop(&acceptor);
    lun_sock_close(listener);
    events[0] = '\0';
}


/* What has come to the client, as it is on the way. */
static void
expect_plain(const char *want, const char *name)
{
    client->in.pos = client->in.last = client->in.start;
    events[0] = '\0';
    lun_conn_want(client);
    turns_until("r");
    is_mem(client->in.pos, (size_t) (client->in.last - client->in.pos),
           want, strlen(want), "%s", name);
}


static void
writes_plain(void)
{
    size_t     sent;
    lun_fd     file;
    lun_slice  slice = { "posted", 6 };

    slice = (lun_slice) { "at once", 7 };
    is_int(lun_conn_send(server, &slice, 1, false, &sent), 0, "sends");
    is_int((int64_t) sent, 7, "all of it");
    expect_plain("at once", "as it is");

    slice = (lun_slice) { "posted", 6 };
    lun_conn_write(server, &slice, 1);
    turns_until("rw");
    is_int(lun_conn_written(server), 6, "writes");
    expect_plain("posted", "the same");

    LUN_CHECK(lun_file_open("build/tls-kernel.tmp", LUN_FILE_READ
                            | LUN_FILE_WRITE | LUN_FILE_CREATE
                            | LUN_FILE_TRUNC, 0600, &file) == 0);
    (void) lun_file_write(file, "of a file", 9, 0);
    lun_conn_send_file(server, file, 3, 6);
    turns_until("rw");
    is_int(lun_conn_written(server), 6, "sends a part");
    expect_plain("a file", "of a file");
    lun_file_close(file);
    (void) lun_file_delete("build/tls-kernel.tmp");
}


/* Only then is a record told from what is being written. */
static void
says_while_writing(void)
{
    SSL        *ssl = lun_tls_of(server);
    lun_slice   slice = { "posted", 6 };

    kind_count = 0;
    lun_conn_write(server, &slice, 1);
    LUN_CHECK(lun_conn_writing(server));
    LUN_CHECK(SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
    is_int(SSL_do_handshake(ssl), 1, "another key while something is written");
    ok(kind_count == 1 && kinds[0] == TICKET, "it is told of it");
    turns_until("rw");
    expect_plain("posted", "what was written goes on");
}


static void
gives_keys(void)
{
    new_socket = fake_socket;
    make_contexts();
    connect_both();
    LUN_CHECK(lun_tls_start(client, client_ctx, false) == LUN_OK);
    LUN_CHECK(lun_tls_start(server, server_ctx, true) == LUN_OK);
    lun_tls_handshake(client);
    lun_tls_handshake(server);
    turns_until("ww");
    is_str(events, "ww", "both have ended the handshake");
    ok(has_keys, "the kernel has the keys");
    ok(kind_count != 0 && kinds[0] == TICKET, "it is told of tickets");

    client->io = NULL;                 /* sees what is on the way */
    client->reading = 0;
    writes_plain();
    says_while_writing();

    kind_count = 0;
    lun_conn_close(server);
    ok(kind_count == 1 && kinds[0] == ALERT, "and of the end");
    lun_conn_close(client);
    lun_loop_turn(lp, 10);
    ok(is_closed, "freed");
    is_int((int64_t) lun_conn_count(lp), 0, "with all else");
    SSL_CTX_free(server_ctx);
    SSL_CTX_free(client_ctx);
    BIO_meth_free(fake);
}

#else

static void
gives_keys(void)
{
    ok(true, "no kernel takes keys here");
}

#endif


int
main(void)
{
    lun_sock_init();
    lun_loop_init(lp);
    decides();
    gives_keys();
    lun_loop_fini(lp);
    return done_testing();
}
