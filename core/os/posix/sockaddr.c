/*
 * sockaddr.c -- lun_addr to sockaddr and back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <arpa/inet.h>
#include <string.h>

#include "os/posix/sockaddr.h"


static socklen_t
from_unix(const char *path, struct sockaddr_un *un)
{
    size_t  len = strlen(path);

    if (len >= sizeof(un->sun_path)) {
        return 0;
    }

    memset(un, 0, sizeof(*un));
    un->sun_family = AF_UNIX;
    memcpy(un->sun_path, path, len);

    return (socklen_t) (offsetof(struct sockaddr_un, sun_path) + len + 1);
}


socklen_t
lun_sockaddr_from(const lun_addr *addr, lun_sockaddr *sa)
{
    switch (addr->family) {

    case LUN_AF_INET:
        memset(&sa->in, 0, sizeof(sa->in));
        sa->in.sin_family = AF_INET;
        sa->in.sin_port = htons(addr->port);
        memcpy(&sa->in.sin_addr, addr->ip, 4);
        return sizeof(sa->in);

    case LUN_AF_INET6:
        memset(&sa->in6, 0, sizeof(sa->in6));
        sa->in6.sin6_family = AF_INET6;
        sa->in6.sin6_port = htons(addr->port);
        sa->in6.sin6_scope_id = addr->scope;
        memcpy(&sa->in6.sin6_addr, addr->ip, 16);
        return sizeof(sa->in6);

    case LUN_AF_UNIX:
        return from_unix(addr->path, &sa->un);

    case LUN_AF_NONE:
        break;
    }

    return 0;
}


static const char *
to_path(const struct sockaddr_un *un, socklen_t len, char *path)
{
    size_t  n;

    n = len > offsetof(struct sockaddr_un, sun_path)
        ? len - offsetof(struct sockaddr_un, sun_path) : 0;

    if (path == NULL || n == 0 || un->sun_path[0] == '\0') {
        return "";
    }

    n = strnlen(un->sun_path, n);
    memcpy(path, un->sun_path, n);
    path[n] = '\0';

    return path;
}


void
lun_sockaddr_to(const lun_sockaddr *sa, socklen_t len, lun_addr *addr,
    char *path)
{
    memset(addr, 0, sizeof(*addr));

    switch (sa->any.sa_family) {

    case AF_INET:
        addr->family = LUN_AF_INET;
        addr->port = ntohs(sa->in.sin_port);
        memcpy(addr->ip, &sa->in.sin_addr, 4);
        break;

    case AF_INET6:
        addr->family = LUN_AF_INET6;
        addr->port = ntohs(sa->in6.sin6_port);
        addr->scope = sa->in6.sin6_scope_id;
        memcpy(addr->ip, &sa->in6.sin6_addr, 16);
        break;

    case AF_UNIX:
        addr->family = LUN_AF_UNIX;
        addr->path = to_path(&sa->un, len, path);
        break;
    }
}
