/*
 * quic_migration.c -- where a client is: new addresses, those of others, and
 * how much is sent to who has proved nothing.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/quic/quic_migration.c"

#include "quic_server.h"


enum { QUIET = 600 };              /* ms: long enough for two probes */

/* What has come to a socket that nobody answers from. */
static size_t
bytes_at(lun_fd fd)
{
    char      room[65536];
    size_t    n, all = 0;
    lun_addr  from;

    while (lun_sock_receive_from(fd, room, sizeof(room), &n, &from) == 0) {
        all += n;
    }

    return all;
}


/* The server is alone. */
static void
be_quiet(void)
{
    lun_msec  end = lun_time_monotonic() + QUIET;

    while (lun_time_monotonic() < end) {
        lun_loop_turn(lp, 1);
    }
}


static bool
until_at(const lun_addr *where)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (!lun_addr_eq(&seen.q->c->remote, where)
           && lun_time_monotonic() < end)
    {
        qc_turn(&client);
        lun_loop_turn(lp, 1);
    }

    return lun_addr_eq(&seen.q->c->remote, where);
}


/* As the network sees it: the client does not know of the change. */
static lun_fd
move(lun_addr *fresh)
{
    lun_fd    old = client.fd;
    lun_addr  own = client.own;

    qc_bind(&client, &here);
    *fresh = client.own;
    client.own = own;
    return old;
}


/* The translator between has forgotten the client's port. */
static void
rebinding(void)
{
    lun_fd    old, new;
    lun_addr  fresh;

    open_listener();
    begin(NGTCP2_PROTO_VER_V1);
    (void) turn_until(NULL, &seen.completed, 1);
    echoes("before", 6, "an answer");

    old = move(&fresh);
    echoes("after", 5, "and one at another port");
    ok(lun_addr_eq(&seen.from, &client.own), "which is not yet the client's "
       "(CVE-2026-40460)");
    ok(until_at(&fresh), "until its path is proved");

    new = client.fd;
    client.fd = old;
    echoes("back", 4, "an answer where it was before");
    ok(until_at(&client.own), "which needs no proof");

    lun_sock_close(new);
    qc_end(&client);
    close_listener();
}


/* A client that answers the first challenge, which was small, has proved it. */
static void
small_challenges(void)
{
    lun_addr              there, other;
    lun_quic_conn         conn = { .unproved.family = LUN_AF_NONE };
    ngtcp2_path_storage   now, before;

    lun_addr_parse(LUN_STR("127.0.0.1:7"), &there);
    lun_addr_parse(LUN_STR("127.0.0.1:8"), &other);
    lun_quic_path_set(&now, &other, &there);
    lun_quic_path_set(&before, &other, &other);

    (void) on_begin_path(NULL, 0, &before.path, NULL, &conn);
    ok(conn.unproved.family == LUN_AF_NONE, "the former path is looked at");
    (void) on_begin_path(NULL, 0, &now.path, &before.path, &conn);
    ok(lun_addr_eq(&conn.unproved, &there), "a new one is to be proved");
    (void) on_begin_path(NULL, 0, &now.path, &before.path, &conn);
    ok(conn.unproved.family == LUN_AF_NONE,
       "once, and then with larger packets, which is no matter here");

    (void) on_begin_path(NULL, 0, &now.path, &before.path, &conn);
    (void) on_path(NULL, 0, &now.path, &before.path,
                   NGTCP2_PATH_VALIDATION_RESULT_ABORTED, &conn);
    ok(conn.unproved.family == LUN_AF_NONE, "nobody waits for it any more");
}


/* Somebody sends what the client has sent, from an address of another. */
static void
spoofing(void)
{
    lun_fd    old, victim;
    size_t    got;
    lun_addr  fresh;

    open_listener();
    begin(NGTCP2_PROTO_VER_V1);
    (void) turn_until(NULL, &seen.completed, 1);
    echoes("before", 6, "an answer");
    (void) qc_ask(&client, "asked", 5);

    old = move(&fresh);
    client.sent = 0;
    qc_send(&client);
    victim = client.fd;
    client.fd = old;

    be_quiet();

    got = bytes_at(victim);
    ok(got > 0 && got <= 3 * client.sent,
       "the other gets no more than three times as much");
    ok(lun_addr_eq(&seen.q->c->remote, &client.own), "and is not the client");
    echoes("after", 5, "who is served on");
    ok(lun_addr_eq(&seen.q->c->remote, &client.own), "where it was");

    lun_sock_close(victim);
    qc_end(&client);
    close_listener();
}


/* A chain that does not fit in what may be sent to a stranger. */
static void
amplification(void)
{
    int     i;
    size_t  got;

    for (i = 0; i < 32; i++) {
        SSL_CTX_add1_chain_cert(server_ctx,
                                SSL_CTX_get0_certificate(server_ctx));
    }

    open_listener();
    client.token_len = 0;          /* which would prove where it is */
    begin(NGTCP2_PROTO_VER_V1);
    qc_send(&client);
    ok(client.sent >= 1200, "a first packet");

    be_quiet();

    got = bytes_at(client.fd);
    ok(got > client.sent && got <= 3 * client.sent,
       "gets three times as much, and no more: %u of %u", (unsigned) got,
       (unsigned) client.sent);
    SSL_CTX_clear_chain_certs(server_ctx);
    qc_end(&client);
    close_listener();
}


int
main(void)
{
    lun_sock_init();
    is_int(lun_loop_init(lp), 0, "a loop");
    make_contexts();

    rebinding();
    small_challenges();
    spoofing();
    amplification();

    SSL_CTX_free(server_ctx);
    SSL_CTX_free(client_ctx);
    lun_loop_fini(lp);
    return done_testing();
}
