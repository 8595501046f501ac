/*
 * quic.c -- QUIC over 127.0.0.1: a protocol that echoes, and ngtcp2's client.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/quic/quic_conn.c"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "loop_help.h"
#include "quic_client.h"
#include "tap.h"


enum { LIMIT = 20000, BIG = 1024 * 1024 };

static lun_pool        *pool;
static lun_listen_set  *set;
static lun_listener    *listener;
static lun_addr         here;
static SSL_CTX         *server_ctx, *client_ctx;
static quic_client      client;

/* A stream: what has come goes back. */
typedef struct echo  echo;
struct echo {
    echo     *next;
    int64_t   id;
    char     *data;
    size_t    len, at, acked;
    bool      fin, said_fin, blocked;
};

static struct {
    int        accepted, begun, completed, lost, closed_streams;
    int        asked;              /* handshake callbacks that waited */
    lun_quic  *q;
    echo      *streams;
    lun_addr   from;               /* the client, at the latest stream */
    lun_err    err;
    bool       eof;
    uint64_t   stopped, reset;
    bool       closes;             /* when an answer is out */
    bool       pauses;             /* at the client's hello */
} seen;

static lun_quic_conf  conf = {
    .streams_bidi = 16,
    .streams_uni = 3,
    .stream_window = 64 * 1024,
    .idle_timeout = 5000,
    .handshake_timeout = 5000,
    .cid_limit = 2,
    .gso = true,
    .close_code = 0x100
};


/* --- the protocol -------------------------------------------------------- */

static void
on_begin(lun_quic *q)
{
    seen.begun++;
}


static void
on_complete(lun_quic *q)
{
    seen.completed++;
}


static lun_rc
on_received(lun_quic *q, int64_t id, void **stream, const char *bytes,
    size_t n, bool fin)
{
    echo  *e = *stream;

    if (e == NULL) {
        e = *stream = lun_calloc(sizeof(echo));
        e->id = id;
        e->next = seen.streams;
        seen.streams = e;
        seen.from = q->c->remote;
    }

    e->data = lun_realloc(e->data, e->len + n + 1);

    if (n != 0) {
        memcpy(e->data + e->len, bytes, n);
    }

    e->len += n;
    e->fin = fin;
    lun_quic_consumed(q, id, n);
    return LUN_OK;
}


static void
on_acked_(lun_quic *q, int64_t id, void *stream, size_t n)
{
    ((echo *) stream)->acked += n;
}


static void
on_was_reset(lun_quic *q, int64_t id, void *stream, uint64_t code)
{
    seen.reset = code;
}


static void
on_was_stopped(lun_quic *q, int64_t id, void *stream, uint64_t code)
{
    seen.stopped = code;
}


static void
forget(echo *e)
{
    echo  **at;

    for (at = &seen.streams; *at != e; at = &(*at)->next) {
        /* find it */
    }

    *at = e->next;
    lun_free(e->data);
    lun_free(e);
}


static void
on_stream_closed(lun_quic *q, int64_t id, void *stream)
{
    seen.closed_streams++;

    if (stream != NULL) {
        forget(stream);
        lun_quic_allow_bidi(q, 1);
    }
}


static void
on_may_send(lun_quic *q, int64_t id, void *stream)
{
    if (stream != NULL) {
        ((echo *) stream)->blocked = false;
    }
}


static void
on_turn(lun_quic *q)
{
    echo  *e;

    for (e = seen.streams; e != NULL && seen.closes; e = e->next) {
        if (e->fin) {
            lun_quic_end(q, 0x123, true);
        }
    }
}


/* All is echoed when it is whole. */
static bool
on_next(lun_quic *q, lun_quic_piece *piece)
{
    echo  *e;

    for (e = seen.streams; e != NULL; e = e->next) {
        if (e->fin && !e->said_fin && !e->blocked) {
            piece->id = e->id;
            piece->data = e;
            piece->slices[0] = (lun_slice) { e->data + e->at,
                                             e->len - e->at };
            piece->n = 1;
            piece->fin = true;
            return true;
        }
    }

    return false;
}


static void
on_took(lun_quic *q, int64_t id, void *stream, size_t n, bool fin)
{
    echo  *e = stream;

    e->at += n;
    e->said_fin = fin;
}


static void
on_blocked(lun_quic *q, int64_t id, void *stream)
{
    ((echo *) stream)->blocked = true;
}


static void
on_lost(lun_quic *q)
{
    seen.lost++;
    seen.err = q->c->err;
    seen.eof = q->c->eof;
    seen.q = NULL;

    while (seen.streams != NULL) {
        forget(seen.streams);
    }

    lun_conn_close(q->c);
}


static const lun_quic_protocol  echoing = {
    .begin = on_begin,
    .complete = on_complete,
    .received = on_received,
    .acked = on_acked_,
    .was_reset = on_was_reset,
    .was_stopped = on_was_stopped,
    .stream_closed = on_stream_closed,
    .may_send = on_may_send,
    .turn = on_turn,
    .next = on_next,
    .took = on_took,
    .blocked = on_blocked,
    .lost = on_lost
};

static const lun_conn_state  serving = { .name = "test", .doing = "testing" };


static const lun_quic_conf *
conf_of_test(const lun_listener *l)
{
    return &conf;
}


static lun_rc
on_accept(lun_listener *l, lun_quic *q)
{
    seen.accepted++;
    seen.q = q;
    q->protocol = &echoing;
    lun_conn_enter(q->c, &serving);
    return lun_tls_start(q->c, server_ctx, true);
}


static const lun_quic_service  service = {
    .conf = conf_of_test,
    .accept = on_accept
};


/* --- both sides ---------------------------------------------------------- */

static void
ask_later(lun_conn *c)
{
    seen.asked++;
}


static int
on_hello(SSL *ssl, int *alert, void *data)
{
    if (seen.pauses && seen.asked == 0) {
        lun_tls_pause(lun_tls_conn(ssl), ask_later);
        return SSL_CLIENT_HELLO_RETRY;
    }

    return SSL_CLIENT_HELLO_SUCCESS;
}


static int
on_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
    const unsigned char *in, unsigned in_len, void *data)
{
    if (in_len < 5 || memcmp(in, "\4echo", 5) != 0) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }

    *out = in + 1;
    *out_len = 4;
    return SSL_TLSEXT_ERR_OK;
}


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
    SSL_CTX_set_alpn_select_cb(server_ctx, on_alpn, NULL);
    SSL_CTX_set_client_hello_cb(server_ctx, on_hello, NULL);
    (void) SSL_CTX_use_certificate(server_ctx, x);
    (void) SSL_CTX_use_PrivateKey(server_ctx, key);
    X509_free(x);
    EVP_PKEY_free(key);
}


static void
open_listener(void)
{
    bool      fresh;
    lun_addr  addr;

    memset(&seen, 0, sizeof(seen));
    pool = lun_pool_new_sized(4096);
    set = lun_listen_set_new(pool);
    lun_addr_parse(LUN_STR("127.0.0.1"), &addr);
    listener = lun_listen_want_datagrams(set, &addr, &fresh);
    listener->options.datagram = 1;
    listener->options.quic = 1;
    listener->quic = &service;

    if (lun_listen_open(set, NULL, 1, NULL) != LUN_OK
        || lun_sock_local(listener->fd, &here) != 0)
    {
        ok(0, "cannot listen");
        exit(1);
    }

    listener->addr.port = here.port;

    if (lun_listen_start(set, lp, 0, NULL) != LUN_OK) {
        ok(0, "cannot receive");
        exit(1);
    }
}


/* What is left of connections goes at the loop's end. */
static void
close_listener(void)
{
    lun_listen_stop(set);

    if (seen.q != NULL) {
        lun_conn_close(seen.q->c);
    }

    while (seen.streams != NULL) {
        forget(seen.streams);
    }

    ok(lun_conn_count(lp) == 0 && lun_quics_of(lp)->handshakes == 0,
       "no connection is left");
    lun_quic_closing_end(lun_quics_of(lp));
    ok(lun_quics_of(lp)->entries == 0, "nor an id");
    lun_listen_close_rest(set, NULL);
    lun_pool_free(pool);
}


static bool
turn_until(const bool *flag, const int *count, int n)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (lun_time_monotonic() < end) {
        if (flag != NULL ? *flag : *count >= n) {
            return true;
        }

        qc_turn(&client);
        lun_loop_turn(lp, 1);
    }

    return false;
}


static bool
until_error(void)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (client.error == 0 && lun_time_monotonic() < end) {
        qc_turn(&client);
        lun_loop_turn(lp, 1);
    }

    return client.error != 0;
}


static void
begin(uint32_t version)
{
    qc_begin(&client, client_ctx, &here, version, "\4echo");
}


/* The answer to `text` is the same. */
static void
echoes(const char *text, size_t len, const char *what)
{
    int64_t              id = qc_ask(&client, text, len);
    quic_client_stream  *s = qc_stream(&client, id);

    ok(turn_until(&s->fin, NULL, 0) && s->len == len
       && memcmp(s->got, text, lun_min(len, (size_t) QC_TEXT)) == 0, "%s",
       what);
}


/* --- tests --------------------------------------------------------------- */

static void
a_conversation(void)
{
    open_listener();
    begin(NGTCP2_PROTO_VER_V1);
    ok(turn_until(&client.done, NULL, 0), "a handshake");
    ok(turn_until(NULL, &seen.completed, 1), "complete here as well");
    is_int(seen.begun, 1, "it has begun once");
    ok(lun_tls_of(seen.q->c) != NULL && lun_quic_of(seen.q->c) == seen.q
       && lun_addr_eq(&seen.q->c->remote, &client.own)
       && lun_addr_eq(lun_conn_local(seen.q->c), &here),
       "a connection with its SSL and its addresses");

    echoes("hello", 5, "an answer");
    echoes("", 0, "an empty one");
    ok(turn_until(NULL, &seen.closed_streams, 2), "both streams are closed");
    ok(client.token_len != 0, "there is a token for the next time");

    qc_close(&client, 7);
    ok(turn_until(NULL, &seen.lost, 1), "the client closes");
    ok(seen.eof && seen.err == 0, "without an error");
    qc_end(&client);
    close_listener();
}


static void
much_goes_both_ways(void)
{
    size_t   i;
    char    *big = lun_malloc(BIG);

    for (i = 0; i < BIG; i++) {
        big[i] = (char) (i * 7 + i / 251);
    }

    open_listener();
    begin(NGTCP2_PROTO_VER_V1);
    (void) turn_until(&client.done, NULL, 0);
    echoes(big, BIG, "a megabyte, there and back");
    lun_conn_close(seen.q->c);
    seen.q = NULL;
    ok(until_error() && client.error == NGTCP2_ERR_DRAINING,
       "closed here: the client knows");
    is_int((int64_t) ngtcp2_conn_get_ccerr2(client.ng)->error_code, 0x100,
           "by the code that the protocol gave");
    qc_end(&client);
    close_listener();
    lun_free(big);
}


static void
gentle_ends(void)
{
    open_listener();
    seen.closes = true;
    begin(NGTCP2_PROTO_VER_V2);
    (void) turn_until(&client.done, NULL, 0);
    echoes("last words", 10, "version 2: the answer is whole");
    ok(until_error() && client.error == NGTCP2_ERR_DRAINING
       && ngtcp2_conn_get_ccerr2(client.ng)->error_code == 0x123,
       "before the connection is closed");
    ok(seen.lost == 1 && seen.err == 0, "which is told");
    qc_end(&client);
    close_listener();
}


static void
failed_handshakes(void)
{
    open_listener();
    qc_begin(&client, client_ctx, &here, NGTCP2_PROTO_VER_V1, "\3abc");
    ok(until_error() && ngtcp2_conn_get_ccerr2(client.ng)->error_code == 0x178,
       "no protocol in common: an alert");
    ok(seen.begun == 0 && seen.lost == 1, "it is lost before it began");
    qc_end(&client);
    close_listener();
}


static void
pauses(void)
{
    open_listener();
    seen.pauses = true;
    begin(NGTCP2_PROTO_VER_V1);
    ok(turn_until(NULL, &seen.asked, 1), "a callback wants to wait");
    ok(lun_tls_is_paused(seen.q->c) && !client.done, "the handshake does");
    lun_tls_go_on(seen.q->c);
    ok(turn_until(&client.done, NULL, 0), "and goes on");
    echoes("hello", 5, "an answer");
    qc_end(&client);
    close_listener();
}


static void
retries(void)
{
    uint8_t  token[sizeof(client.token)];
    size_t   len;

    conf.retry = LUN_QUIC_RETRY_ON;
    open_listener();
    client.token_len = 0;
    begin(NGTCP2_PROTO_VER_V1);
    ok(turn_until(&client.done, NULL, 0) && client.retries == 1,
       "a client without a token is asked again");
    echoes("hello", 5, "then it is served");
    len = client.token_len;
    memcpy(token, client.token, len);
    ok(len != 0, "a token for the next time");
    qc_close(&client, 0);
    (void) turn_until(NULL, &seen.lost, 1);
    qc_end(&client);

    memcpy(client.token, token, len);
    client.token_len = len;
    begin(NGTCP2_PROTO_VER_V1);
    ok(turn_until(&client.done, NULL, 0) && client.retries == 0,
       "by which it comes in at once");
    qc_end(&client);
    close_listener();
    conf.retry = LUN_QUIC_RETRY_OFF;
    client.token_len = 0;
}


/* The translator between has forgotten the client's port. */
static void
rebinding(void)
{
    lun_fd    old;
    lun_addr  own, fresh;
    lun_msec  end = lun_time_monotonic() + LIMIT;

    open_listener();
    begin(NGTCP2_PROTO_VER_V1);
    (void) turn_until(NULL, &seen.completed, 1);
    echoes("before", 6, "an answer");

    /* As the network sees it: the client does not know of the change. */
    old = client.fd;
    own = client.own;
    qc_bind(&client, &here);
    fresh = client.own;
    client.own = own;
    echoes("after", 5, "and one at another port");
    ok(lun_addr_eq(&seen.from, &own), "which is not yet the client's "
       "(CVE-2026-40460)");

    while (!lun_addr_eq(&seen.q->c->remote, &fresh)
           && lun_time_monotonic() < end)
    {
        qc_turn(&client);              /* until the path is validated */
        lun_loop_turn(lp, 1);
    }

    ok(lun_addr_eq(&seen.q->c->remote, &fresh), "until its path is proved");
    lun_sock_close(old);
    qc_end(&client);
    close_listener();
}


static size_t
answer_to(const void *data, size_t len, char *room, size_t size)
{
    size_t    got;
    lun_fd    fd;
    lun_addr  from;
    lun_msec  end = lun_time_monotonic() + 200;

    qc_bind(&client, &here);
    fd = client.fd;
    (void) lun_sock_send_to(fd, data, len, &here);

    while (lun_time_monotonic() < end) {
        lun_loop_turn(lp, 1);

        if (lun_sock_receive_from(fd, room, size, &got, &from) == 0) {
            lun_sock_close(fd);
            return got;
        }
    }

    lun_sock_close(fd);
    return 0;
}


static void
strangers(void)
{
    char  room[2048], packet[1200];

    open_listener();
    memset(packet, 0x40, sizeof(packet));
    ok(answer_to(packet, sizeof(packet), room, sizeof(room)) == 40,
       "a packet of nobody's connection: a stateless reset");
    is_int((int64_t) answer_to(packet, 30, room, sizeof(room)), 0,
           "but not for one as short");

    memset(packet, 0, sizeof(packet));
    packet[0] = (char) 0xc0;
    packet[1] = 0x1a;
    packet[5] = 8;
    packet[14] = 8;
    ok(answer_to(packet, sizeof(packet), room, sizeof(room)) > 5
       && room[1] == 0 && room[4] == 0, "another version: those that are");
    is_int((int64_t) answer_to(packet, 100, room, sizeof(room)), 0,
           "none for less than what goes back");

    memset(packet, 0xff, sizeof(packet));
    is_int((int64_t) answer_to(packet, 3, room, sizeof(room)), 0,
           "nothing for noise");
    is_int(seen.accepted, 0, "and no connection");
    close_listener();
}


int
main(void)
{
    lun_sock_init();
    is_int(lun_loop_init(lp), 0, "a loop");
    make_contexts();

    a_conversation();
    much_goes_both_ways();
    gentle_ends();
    failed_handshakes();
    pauses();
    retries();
    rebinding();
    strangers();

    SSL_CTX_free(server_ctx);
    SSL_CTX_free(client_ctx);
    lun_loop_fini(lp);
    return done_testing();
}
