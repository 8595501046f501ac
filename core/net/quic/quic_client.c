/*
 * quic_client.c -- a connection to a server: born with a socket of its own, so
 * that nobody has to find out whose its packets are.
 *
 * All the rest is what a client's connection has as well.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_priv.h"

#include "net/conn_priv.h"
#include "os/random.h"
#include "os/sock.h"


enum {
    IN_SIZE   = 256,               /* of an input buffer that nobody uses */
    OWN_ID    = 8,                 /* bytes of our connection ids */
    FIRST_ID  = 18,                /* ... and of the one that we make up for the
                                      server: nobody can guess it */
    KEEP_LIVE = 20                 /* s without a packet: one is sent */
};


/* --- what comes ---------------------------------------------------------- */

static void
on_datagram(lun_receiver *r, const lun_datagram *in, lun_err err)
{
    size_t            at = 0;
    lun_str           one;
    lun_quic_conn    *conn = r->data;
    lun_datagram_key  key = conn->first;

    /* Its socket closes, maybe in another connection's turn, and gives what
       had come. */
    if (conn->stage == LUN_QUIC_OVER) {
        return;
    }

    /* Nobody listens there, or there is no way to it. */
    if (in == NULL) {
        lun_quic_conn_give_up(conn, err);
        return;
    }

    while (lun_datagram_next(in, &at, &one)) {
        lun_quic_conn_read(conn, &key, &(lun_quic_packet) {
                               one.data, one.len, in->ecn });
    }

    LUN_CHECK(conn->all->current == NULL);
}


/* --- birth --------------------------------------------------------------- */

/* Of our own making: by its socket alone a packet is this connection's. */
static int
on_new_id(ngtcp2_conn *ng, ngtcp2_cid *id,
    ngtcp2_stateless_reset_token *token, size_t len, void *data)
{
    lun_random_bytes(id->data, len);
    lun_random_bytes(token->data, sizeof(token->data));
    id->datalen = len;
    return 0;
}


static lun_err
open_socket(lun_quic_conn *conn, const lun_addr *to, const lun_addr *from)
{
    lun_fd   fd;
    lun_err  err = lun_sock_datagram(to->family, &fd);

    if (err != 0) {
        return err;
    }

    lun_datagram_tune(fd, to->family);
    err = from != NULL ? lun_sock_bind(fd, from) : 0;

    if (err == 0) {
        err = lun_sock_connect_datagram(fd, to);
    }

    if (err != 0) {
        lun_sock_close(fd);
        return err;
    }

    return lun_datagram_door_to(conn->all->datagrams, fd, on_datagram, conn,
                                &conn->door);
}


static bool
make_ng(lun_quic_conn *conn)
{
    ngtcp2_cid               server = { .datalen = FIRST_ID };
    ngtcp2_cid               own = { .datalen = OWN_ID };
    ngtcp2_settings          settings;
    ngtcp2_callbacks         callbacks;
    ngtcp2_path_storage      path;
    ngtcp2_transport_params  params;

    lun_random_bytes(server.data, server.datalen);
    lun_random_bytes(own.data, own.datalen);
    lun_quic_settings(conn->conf, &settings);
    lun_quic_params(conn->conf, &params);
    lun_quic_callbacks(&callbacks);
    callbacks.get_new_connection_id2 = on_new_id;
    lun_quic_path_set(&path, &conn->first.local, &conn->first.remote);

    if (ngtcp2_conn_client_new(&conn->ng, &server, &own, &path.path,
                               NGTCP2_PROTO_VER_V1, &callbacks, &settings,
                               &params, NULL, conn) != 0)
    {
        conn->ng = NULL;
        return false;
    }

    ngtcp2_conn_set_keep_alive_timeout(conn->ng, KEEP_LIVE * NGTCP2_SECONDS);
    return true;
}


lun_quic *
lun_quic_connect(lun_loop *loop, const lun_quic_conf *conf,
    const lun_addr *to, const lun_addr *from, const lun_log *log,
    lun_err *err)
{
    lun_conn       *c = lun_conn_new_bare(loop, IN_SIZE, log);
    lun_quics      *all = lun_quics_of(loop);
    lun_quic_conn  *conn = lun_pool_new(lun_conn_memory(c), lun_quic_conn);

    conn->q.mark = LUN_MARK_QUIC;
    conn->q.c = c;
    conn->all = all;
    conn->conf = conf;
    conn->ours = 1;
    ngtcp2_ccerr_default(&conn->error);
    lun_list_init(&conn->ids);
    lun_list_push_back(&all->conns, &conn->link);
    c->io = &lun_quic_io;
    c->io_data = conn;
    c->remote = *to;

    *err = open_socket(conn, to, from);

    if (*err == 0) {
        conn->first.local = conn->door->addr;
        conn->first.remote = *to;
        c->local = conn->first.local;
        c->local_known = true;
        *err = make_ng(conn) ? 0 : lun_err_of_kind(LUN_ERR_NO_MEMORY);
    }

    if (*err != 0) {
        lun_conn_close(c);
        return NULL;
    }

    return &conn->q;
}
