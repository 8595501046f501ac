/*
 * early_data.c -- requests in the first message of TLS 1.3: ssl_early_data,
 * and who knows of it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/ssl/ssl_vars.c"

#include <openssl/pem.h>

#include "http/module.h"
#include "os/shm.h"
#include "shm/zone.h"

extern lun_http_module  lun_http_rewrite, lun_http_if;

#define LUN_TEST_MODULES  &lun_common_ssl, &lun_http_rewrite.head,             \
                          &lun_http_if.head,
#include "memory_http.h"


enum { PEM = 4096, TEXT = 4 * PEM, WHOLE = 3000 };

/* A client of its own kind: OpenSSL between two memories. */
typedef struct {
    wire  *w;
    SSL   *ssl;
    BIO   *in, *out;
} tls_client;

static SSL_CTX      *client_ctx;
static SSL_SESSION  *kept;


static int
on_session(SSL *ssl, SSL_SESSION *session)
{
    SSL_SESSION_free(kept);
    kept = session;
    return 1;
}


/* A certificate that signs itself, and its key. */
static void
write_pair(char cert[PEM], char key[PEM])
{
    BIO       *bio = BIO_new(BIO_s_mem());
    X509      *x = X509_new();
    EVP_PKEY  *k = EVP_EC_gen("P-256");

    X509_set_version(x, 2);
    X509_gmtime_adj(X509_getm_notBefore(x), 0);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, k);
    X509_sign(x, k, EVP_sha256());

    PEM_write_bio_X509(bio, x);
    cert[BIO_read(bio, cert, PEM - 1)] = '\0';
    PEM_write_bio_PrivateKey(bio, k, NULL, NULL, 0, NULL, NULL);
    key[BIO_read(bio, key, PEM - 1)] = '\0';
    BIO_free(bio);
    X509_free(x);
    EVP_PKEY_free(k);
}


static void
begin_server(const char *more)
{
    char  cert[PEM], key[PEM], conf[TEXT];

    write_pair(cert, key);
    snprintf(conf, sizeof(conf),
             "ssl_certificate \"data:%s\"; ssl_certificate_key \"data:%s\";"
             "ssl_session_tickets off; ssl_session_cache builtin;"
             "server { listen 127.0.0.1:1 ssl; %s"
             "  location / { return 200 \"[$ssl_early_data] [$uri]\"; }"
             "  location = /safe { if ($ssl_early_data) { return 425; }"
             "                     return 200 safe; }"
             "  location = /told { return 200 \"[$http_early_data]\"; }"
             "  location = /long { return 200 \"%03000d\"; } }",
             cert, key, more, 0);
    http_begin("/none/", conf);
    LUN_CHECK(lun_shm_init() == 0
              && lun_zone_open(http_gen->zones, NULL, NULL) == LUN_OK);

    client_ctx = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_session_cache_mode(client_ctx, SSL_SESS_CACHE_CLIENT);
    SSL_CTX_sess_set_new_cb(client_ctx, on_session);
}


static void
end_server(void)
{
    SSL_SESSION_free(kept);
    kept = NULL;
    SSL_CTX_free(client_ctx);
    http_end();
}


/* What one side has for the other goes there. */
static void
carry(tls_client *t)
{
    int   n;
    char  room[WIRE_SIZE];

    n = BIO_read(t->out, room, sizeof(room));
    wire_say_bytes(t->w, room, n > 0 ? (size_t) n : 0);
    wire_run();
    BIO_write(t->in, t->w->out, (int) t->w->heard_end);
    t->w->heard_end = 0;
}


static tls_client
new_client(void)
{
    tls_client  t = { .ssl = SSL_new(client_ctx), .in = BIO_new(BIO_s_mem()),
                      .out = BIO_new(BIO_s_mem()) };

    SSL_set_bio(t.ssl, t.in, t.out);
    SSL_set_connect_state(t.ssl);
    t.w = http_client(0);
    return t;
}


static void
free_client(tls_client *t)
{
    SSL_set_shutdown(t->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(t->ssl);
    t->w->ended = true;

    if (t->w->s != NULL) {
        t->w->s->readable = true;
    }

    wire_run();
}


static const char *
read_answer(tls_client *t)
{
    int          n;
    static char  room[WIRE_SIZE];

    n = SSL_read(t->ssl, room, sizeof(room) - 1);
    room[n > 0 ? n : 0] = '\0';
    return room;
}


static void
shake_hands(tls_client *t)
{
    while (SSL_do_handshake(t->ssl) != 1) {
        carry(t);
    }

    carry(t);
}


static const char *
ask(tls_client *t, const char *path)
{
    char  text[256];

    snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path);
    SSL_write(t->ssl, text, (int) strlen(text));
    carry(t);
    return read_answer(t);
}


static void
learn(void)
{
    tls_client  t = new_client();

    shake_hands(&t);
    ok(http_says(ask(&t, "/a"), "[] [/a]"), "a request after the handshake");
    free_client(&t);
    ok(kept != NULL, "a session is there");
}


/* What the server says to a request that comes with the hello. */
static tls_client
ask_early(const char *method, const char *path)
{
    char        text[256];
    size_t      n;
    tls_client  t = new_client();

    snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\nHost: a\r\n\r\n",
             method, path);
    SSL_set_session(t.ssl, kept);
    (void) SSL_write_early_data(t.ssl, text, strlen(text), &n);
    carry(&t);
    return t;
}


static void
takes_requests(void)
{
    tls_client   t;
    const char  *answer;

    begin_server("ssl_early_data on;");
    learn();

    t = ask_early("GET", "/b");
    SSL_do_handshake(t.ssl);
    answer = read_answer(&t);
    ok(SSL_get_early_data_status(t.ssl) == SSL_EARLY_DATA_ACCEPTED
       && http_says(answer, "[1] [/b]"), "one with the hello is early");
    ok(http_says(ask(&t, "/c"), "[] [/c]"), "the next one is not");
    free_client(&t);

    learn();
    t = ask_early("GET", "/safe");
    SSL_do_handshake(t.ssl);
    ok(http_says(read_answer(&t), "HTTP/1.1 425"), "it may be refused");
    ok(http_says(ask(&t, "/safe"), "safe"), "and come again");
    free_client(&t);

    end_server();
}


static void
takes_none(void)
{
    tls_client  t;

    begin_server("");
    learn();
    ok(SSL_SESSION_get_max_early_data(kept) == 0,
       "without the directive nothing may come early");

    t = ask_early("GET", "/b");
    SSL_do_handshake(t.ssl);
    ok(SSL_get_early_data_status(t.ssl) != SSL_EARLY_DATA_ACCEPTED,
       "and nothing does");
    free_client(&t);
    end_server();
}


static void
takes_what_is_safe(void)
{
    tls_client  t;

    begin_server("ssl_early_data on;");
    learn();
    t = ask_early("DELETE", "/b");
    SSL_do_handshake(t.ssl);
    ok(SSL_get_early_data_status(t.ssl) == SSL_EARLY_DATA_ACCEPTED
       && http_says(read_answer(&t), "HTTP/1.1 425"),
       "what changes something has to wait");
    ok(http_says(ask(&t, "/told"), "[]"), "for the handshake's end");
    free_client(&t);

    learn();
    t = ask_early("GET", "/told");
    SSL_do_handshake(t.ssl);
    ok(http_says(read_answer(&t), "[1]"), "others are told that it was early");
    free_client(&t);
    end_server();
}


/* What is answered to these bytes, a first flight, before any more come. */
static size_t
answer_to(const char *flight, size_t len)
{
    size_t   size;
    wire    *w = http_client(0);

    wire_say_bytes(w, flight, len);
    wire_run();
    size = w->heard_end;
    w->ended = true;

    if (w->s != NULL) {
        w->s->readable = true;
    }

    wire_run();
    return size;
}


/* Somebody on the way has kept what a client said first. */
static void
takes_a_recording_once(void)
{
    int         first;
    size_t      n;
    char        flight[WIRE_SIZE], half;
    tls_client  t;

    begin_server("ssl_early_data on;");
    learn();

    t = new_client();
    SSL_set_session(t.ssl, kept);
    (void) SSL_write_early_data(t.ssl, "GET /long HTTP/1.1\r\n"
                                "Host: a\r\n\r\n", 32, &n);
    first = BIO_read(t.out, flight, sizeof(flight));
    ok(n == 32 && first > 0, "a client says all that it has to say");

    ok(answer_to(flight, (size_t) first) > WHOLE, "its request is answered");
    ok(answer_to(flight, (size_t) first) < WHOLE,
       "whoever says the same once more is not");
    ok(answer_to(flight, (size_t) first) < WHOLE, "nor ever after");

    half = flight[first - 1];
    flight[first - 1] = (char) (half ^ 1);
    ok(answer_to(flight, (size_t) first) < WHOLE, "nor with a byte changed");
    ok(answer_to(flight, (size_t) first / 2) < WHOLE,
       "nor with the half of it");

    t.w->ended = true;
    free_client(&t);
    end_server();
}


int
main(void)
{
    takes_requests();
    takes_a_recording_once();
    takes_none();
    takes_what_is_safe();
    return done_testing();
}
