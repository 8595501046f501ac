/*
 * quic_path.c -- addresses as ngtcp2 has them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_path.h"


static ngtcp2_socklen
put(ngtcp2_sockaddr_union *to, const lun_addr *from)
{
    memset(to, 0, sizeof(*to));

    if (from->family == LUN_AF_INET) {
        to->in.sin_family = NGTCP2_AF_INET;
        to->in.sin_port = from->port;
        memcpy(&to->in.sin_addr, from->ip, 4);
        return sizeof(to->in);
    }

    to->in6.sin6_family = NGTCP2_AF_INET6;
    to->in6.sin6_port = from->port;
    to->in6.sin6_scope_id = from->scope;
    memcpy(&to->in6.sin6_addr, from->ip, 16);
    return sizeof(to->in6);
}


void
lun_quic_path_set(ngtcp2_path_storage *to, const lun_addr *local,
    const lun_addr *remote)
{
    to->path.local.addr = &to->local_addrbuf.sa;
    to->path.local.addrlen = put(&to->local_addrbuf, local);
    to->path.remote.addr = &to->remote_addrbuf.sa;
    to->path.remote.addrlen = put(&to->remote_addrbuf, remote);
    to->path.user_data = NULL;
}


void
lun_quic_path_addr(const ngtcp2_addr *from, lun_addr *to)
{
    const ngtcp2_sockaddr_union  *sa = (const ngtcp2_sockaddr_union *)
                                       (const void *) from->addr;

    *to = (lun_addr) { .family = LUN_AF_NONE };

    if (sa->sa.sa_family == NGTCP2_AF_INET) {
        to->family = LUN_AF_INET;
        to->port = sa->in.sin_port;
        memcpy(to->ip, &sa->in.sin_addr, 4);

    } else if (sa->sa.sa_family == NGTCP2_AF_INET6) {
        to->family = LUN_AF_INET6;
        to->port = sa->in6.sin6_port;
        to->scope = sa->in6.sin6_scope_id;
        memcpy(to->ip, &sa->in6.sin6_addr, 16);
    }
}
