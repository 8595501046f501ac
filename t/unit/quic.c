/*
 * quic.c -- QUIC over 127.0.0.1: a protocol that echoes, and ngtcp2's client.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/quic/quic_conn.c"

#include "quic_server.h"


/* --- tests --------------------------------------------------------------- */

/* As another machine does it, or this one after its next start. */
static int
read_token(int64_t after)
{
    const lun_quics      *all = lun_quics_of(lp);
    ngtcp2_path_storage   path;
    const ngtcp2_addr    *a = &path.path.remote;

    lun_quic_path_set(&path, &here, &client.own);
    return ngtcp2_crypto_verify_regular_token(
               client.token, client.token_len,
               lun_quic_token_secret(all->ids), LUN_QUIC_SECRET, a->addr,
               a->addrlen, 3600 * NGTCP2_SECONDS,
               (ngtcp2_tstamp) (lun_time_wall() + after)
               * NGTCP2_MILLISECONDS);
}


static void
a_token_has_a_date(void)
{
    is_int(read_token(1000), 0, "of a time that all machines know");
    ok(read_token(3601 * 1000) != 0, "and it is no good for ever");
}


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
    a_token_has_a_date();

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
    echoes(big, BIG, "and again");
    ok(client.largest > 8000, "packets are as large as the path takes: %u",
       (unsigned) client.largest);
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
    strangers();

    SSL_CTX_free(server_ctx);
    SSL_CTX_free(client_ctx);
    lun_loop_fini(lp);
    return done_testing();
}
