/*
 * sockaddr.h -- between lun_addr and the kernel's addresses.  For the files
 * of this folder only.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_POSIX_SOCKADDR_H
#define LUN_POSIX_SOCKADDR_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "os/sock.h"

typedef union {
    struct sockaddr      any;
    struct sockaddr_in   in;
    struct sockaddr_in6  in6;
    struct sockaddr_un   un;
} lun_sockaddr;

/* The length, or 0: a path that is too long, or no family. */
socklen_t lun_sockaddr_from(const lun_addr *addr, lun_sockaddr *sa);

/*
 * A unix path is "" unless `path` is given, with room for
 * sizeof(sa->un.sun_path) + 1 bytes.
 */
void lun_sockaddr_to(const lun_sockaddr *sa, socklen_t len, lun_addr *addr,
    char *path);

#endif
