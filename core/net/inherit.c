/*
 * inherit.c -- listeners that one program leaves to the next.
 *
 * The kernel keeps no more of a listener than its address; what else was
 * wanted of it is set anew from the configuration when it is taken over.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/listen.h"

#include "base/check.h"


enum { UNKNOWN_BACKLOG = -2 };     /* differs from every wanted one */


/* Several on one address: one per worker (reuseport). */
static void
add_socket(lun_listener *l, lun_fd fd, lun_pool *pool)
{
    lun_fd  *fds = lun_pool_new_n(pool, lun_fd, l->fd_count + 2);

    LUN_CHECK(fd != LUN_FD_NONE);

    if (l->fds == NULL) {
        fds[0] = l->fd;
        l->fd_count = 1;

    } else {
        memcpy(fds, l->fds, l->fd_count * sizeof(lun_fd));
    }

    fds[l->fd_count++] = fd;
    l->fds = fds;
}


static void
add(lun_listen_set *set, lun_fd fd, const lun_addr *addr, bool datagram,
    lun_pool *pool)
{
    bool           fresh;
    lun_file_info  info;
    lun_listener  *l = datagram ? lun_listen_want_datagrams(set, addr, &fresh)
                                : lun_listen_want(set, addr, &fresh);

    if (!fresh) {
        add_socket(l, fd, pool);
        return;
    }

    l->fd = fd;
    l->options.backlog = UNKNOWN_BACKLOG;

    if (addr->family == LUN_AF_UNIX
        && lun_file_stat(l->addr.path, &info) == 0)
    {
        l->file_id[0] = info.device;
        l->file_id[1] = info.id;
    }
}


static void
add_number(lun_listen_set *set, lun_str number, lun_pool *pool,
    const lun_log *log)
{
    bool      datagram;
    int64_t   n;
    lun_err   err;
    lun_addr  addr;

    if (lun_str_to_i64(number, &n) != LUN_OK || n < 0) {
        lun_log(LUN_LOG_EMERG, log, 0, "invalid socket number \"%.*s\" "
                "in NGINX environment variable, ignoring", LUN_S(number));
        return;
    }

    err = lun_sock_inherit((lun_fd) n, &addr, &datagram);

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, log, err, "inherited socket #%" PRId64
                " is no listener", n);
        return;
    }

    add(set, (lun_fd) n, &addr, datagram, pool);
}


lun_listen_set *
lun_listen_inherit(lun_pool *pool, lun_str numbers, const lun_log *log)
{
    size_t           from, i;
    lun_listen_set  *set = lun_listen_set_new(pool);

    for (from = i = 0; i < numbers.len; i++) {
        if (numbers.data[i] == ';') {
            add_number(set, lun_str_of(numbers.data + from, i - from), pool,
                       log);
            from = i + 1;
        }
    }

    return set;
}


void
lun_listen_leave_files(lun_listen_set *set)
{
    size_t         i;
    lun_listener  *l;

    for (i = 0; i < lun_listen_count(set); i++) {
        l = lun_listen_at(set, i);
        l->file_id[0] = l->file_id[1] = 0;
    }
}
