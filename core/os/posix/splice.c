/*
 * splice.c -- bytes from one socket to another, by the system alone.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/splice.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "os/posix/port_priv.h"


static struct {
    bool  refused;                     /* the system can't */
    bool  open;
    int   out, in;
} ours;


bool
lun_port_splices(void)
{
    return !ours.refused;
}


/* Of the usual size: with four times as many places 1 MB cost 1.6 x as much. */
static bool
open_pipe(void)
{
    int  ends[2];

    if (!ours.open && pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0) {
        ours.out = ends[0];
        ours.in = ends[1];
        ours.open = true;
    }

    return ours.open;
}


void
lun_port_splice_end(void)
{
    if (ours.open) {
        (void) close(ours.out);
        (void) close(ours.in);
        ours.open = false;
    }
}


static ssize_t
move(lun_stream *s, int from, int to, size_t size)
{
    ssize_t  n;

    do {
        s->port->count.others++;
        n = splice(from, NULL, to, NULL, size, SPLICE_F_NONBLOCK);
    } while (n == -1 && errno == EINTR);

    return n;
}


/* *taken are in the pipe. */
static lun_err
fill(lun_stream *from, size_t most, size_t *taken)
{
    int      err;
    ssize_t  n = move(from, (int) from->fd, ours.in, most);

    if (n >= 0) {
        from->hung_up |= n == 0;
        *taken = (size_t) n;
        return 0;
    }

    err = errno;

    if (err == EAGAIN) {
        from->readable = 0;            /* an edge will come */

    } else if (err == EINVAL || err == ENOSYS) {
        ours.refused = true;
        err = lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
    }

    return err;
}


/* *rest of what is in the pipe stays there. */
static lun_err
drain(lun_stream *to, size_t *rest)
{
    ssize_t  n;

    while (*rest != 0) {
        n = move(to, ours.out, (int) to->fd, *rest);

        if (n > 0) {
            *rest -= (size_t) n;
            continue;
        }

        if (n == -1 && errno == EINVAL) {
            ours.refused = true;       /* these go by memory, and all others */
            return 0;
        }

        if (n == -1 && errno != EAGAIN) {
            return errno;
        }

        to->writable = 0;
        return 0;
    }

    return 0;
}


lun_err
lun_port_splice(lun_stream *from, lun_stream *to, size_t most, size_t *taken,
    size_t *rest, lun_err *lost)
{
    lun_err  err;

    LUN_CHECK(most != 0 && from->attached && to->attached && !to->out.busy);

    *taken = 0;
    *rest = 0;
    *lost = 0;

    if (!open_pipe()) {
        return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
    }

    err = fill(from, most, taken);

    if (err != 0) {
        return err;
    }

    *rest = *taken;
    *lost = drain(to, rest);

    if (*lost != 0) {
        *rest = 0;
        lun_port_splice_end();
    }

    return 0;
}


void
lun_port_splice_rest(char *to, size_t size)
{
    ssize_t  n;
    size_t   done = 0;

    while (done < size) {
        n = read(ours.out, to + done, size - done);

        if (n == -1 && errno == EINTR) {
            continue;
        }

        LUN_CHECK(n > 0);
        done += (size_t) n;
    }
}


bool
lun_port_has_more(lun_stream *from)
{
    char     byte;
    ssize_t  n;

    do {
        from->port->count.reads++;
        n = recv((int) from->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    } while (n == -1 && errno == EINTR);

    if (n == -1 && errno == EAGAIN) {
        from->readable = 0;
        return false;
    }

    return true;
}
