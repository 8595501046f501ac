/*
 * quic_server.h -- a server that speaks QUIC, for tests: a protocol that
 * echoes, over a socket of 127.0.0.1, and its conversation with a client
 * (quic_client.h).
 *
 * Include it behind the .c that is tested.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* style: long file, a protocol has many callbacks */

#ifndef LUN_QUIC_SERVER_H
#define LUN_QUIC_SERVER_H

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "loop_help.h"
#include "net/quic/quic_priv.h"
#include "net/quic/quic_route.h"
#include "net/tls/tls.h"
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


static TAP_UNUSED bool
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

#endif
