/*
 * quic_migration.c -- a client whose address changes: because a translator has
 * forgotten it, or because it is in another network now.
 *
 * ngtcp2 sends to the new address at once, and little, until the client has
 * proved that it is there; then it is the connection's.  A client that goes
 * back to where it was known proves nothing anew.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_priv.h"


static bool
is_at(const ngtcp2_path *path, const lun_addr *remote)
{
    lun_addr  addr;

    lun_quic_path_addr(&path->remote, &addr);
    return lun_addr_eq(&addr, remote);
}


void
lun_quic_migration_follow(lun_quic_conn *conn)
{
    lun_conn           *c = conn->h.c;
    const ngtcp2_path  *path = ngtcp2_conn_get_path2(conn->ng);

    if (is_at(path, &c->remote)
        || (conn->unproved.family != LUN_AF_NONE
            && is_at(path, &conn->unproved)))
    {
        return;
    }

    lun_quic_path_addr(&path->remote, &c->remote);
    lun_quic_path_addr(&path->local, &c->local);
    lun_debug(&c->log, "QUIC path validated");
}


/*
 * A path is to be proved.  With packets as small as the client's own it is
 * proved once more, whether larger ones pass: that is none of our business.
 */
static int
on_begin_path(ngtcp2_conn *ng, uint32_t flags, const ngtcp2_path *path,
    const ngtcp2_path *before, void *data)
{
    lun_quic_conn  *conn = data;

    if (before == NULL) {
        return 0;                  /* the former one, to see who is there */
    }

    if (conn->unproved.family != LUN_AF_NONE && is_at(path, &conn->unproved))
    {
        conn->unproved.family = LUN_AF_NONE;

    } else {
        lun_quic_path_addr(&path->remote, &conn->unproved);
    }

    return 0;
}


static int
on_path(ngtcp2_conn *ng, uint32_t flags, const ngtcp2_path *path,
    const ngtcp2_path *before, ngtcp2_path_validation_result result,
    void *data)
{
    lun_quic_conn  *conn = data;

    if (conn->unproved.family != LUN_AF_NONE && is_at(path, &conn->unproved))
    {
        conn->unproved.family = LUN_AF_NONE;
    }

    if (result == NGTCP2_PATH_VALIDATION_RESULT_SUCCESS
        && (flags & NGTCP2_PATH_VALIDATION_FLAG_NEW_TOKEN))
    {
        lun_quic_token_give(conn);
    }

    return 0;
}


void
lun_quic_migration_callbacks(ngtcp2_callbacks *to)
{
    to->begin_path_validation = on_begin_path;
    to->path_validation = on_path;
}
