/*
 * datagram_segments.c -- many datagrams by few calls: how many a call is given,
 * what becomes of them when the kernel takes only some, or cannot cut.
 *
 * The kernel's side of the calls is the test's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static ssize_t  take_one(int fd, const struct msghdr *m, int flags);
static int  take_some(int fd, struct mmsghdr *msgs, unsigned n, int flags);

#define sendmsg   take_one
#define sendmmsg  take_some

#include "../../core/os/posix/datagram.c"

#undef sendmsg
#undef sendmmsg

#include "tap.h"


enum { SIZE = 100, MOST = 64 };

static struct {
    unsigned  wholes;              /* calls to cut something */
    unsigned  calls;               /* ... with datagrams */
    size_t    bytes, first, last;  /* of the datagrams */
    unsigned  most;                /* of a call */
    unsigned  room;                /* that are taken, then no more */
    int       err;                 /* of cutting */
} k;


static ssize_t
take_one(int fd, const struct msghdr *m, int flags)
{
    k.wholes++;
    errno = k.err;
    return k.err != 0 ? -1 : (ssize_t) m->msg_iov->iov_len;
}


static int
take_some(int fd, struct mmsghdr *msgs, unsigned n, int flags)
{
    unsigned  i;

    k.calls++;
    k.most = lun_max(k.most, n);

    if (k.room == 0) {
        errno = EAGAIN;
        return -1;
    }

    n = lun_min(n, k.room);
    k.room -= n;

    for (i = 0; i < n; i++) {
        k.last = msgs[i].msg_hdr.msg_iov->iov_len;
        k.first = k.first != 0 ? k.first : k.last;
        k.bytes += k.last;
    }

    return (int) n;
}


static lun_err
send_(size_t len, bool at_once, unsigned room, size_t *sent)
{
    static char  data[(MOST + 2) * SIZE];
    lun_addr     to;

    memset(&k, 0, offsetof(__typeof__(k), err));
    k.room = room;
    lun_addr_parse(LUN_STR("127.0.0.1"), &to);
    to.port = 9;
    return lun_datagram_send_many(0, data, len, SIZE, 0, &to, NULL, at_once,
                                  sent);
}


static void
the_kernel_cuts(void)
{
    size_t  sent;

    ok(send_(MOST * SIZE, true, 0, &sent) == 0 && sent == MOST * SIZE
       && k.wholes == 1 && k.calls == 0, "as many as every kernel cuts");
    ok(send_(SIZE + 1, true, 0, &sent) == 0 && k.wholes == 1,
       "one and a bit");
    ok(send_(MOST * SIZE + 1, true, MOST + 1, &sent) == 0 && k.wholes == 0
       && k.calls == 2 && k.most == MOST, "not one byte more");
    ok(k.bytes == MOST * SIZE + 1 && k.last == 1 && sent == k.bytes,
       "that is the last datagram");
    ok(send_(SIZE, true, 1, &sent) == 0 && k.wholes == 0 && k.calls == 1
       && k.first == SIZE, "a single one need not be cut");
    ok(send_(3 * SIZE, false, 3, &sent) == 0 && k.wholes == 0
       && k.bytes == 3 * SIZE, "nor what is not to be");
}


static void
the_socket_is_full(void)
{
    size_t  sent;

    ok(send_(5 * SIZE, false, 2, &sent) == EAGAIN && sent == 2 * SIZE,
       "what was taken of them is known");
    ok(send_(5 * SIZE, false, 0, &sent) == EAGAIN && sent == 0, "or nothing");
    k.err = EAGAIN;
    ok(send_(5 * SIZE, true, 9, &sent) == EAGAIN && sent == 0 && k.calls == 0,
       "a full socket is no reason to do without cutting");
    k.err = 0;
    ok(send_(5 * SIZE, true, 0, &sent) == 0 && k.wholes == 1, "later it cuts");
}


static void
the_kernel_cannot(void)
{
    size_t  sent;

    k.err = EIO;
    ok(send_(5 * SIZE, true, 9, &sent) == 0 && sent == 5 * SIZE
       && k.wholes == 1 && k.bytes == 5 * SIZE, "then they go one by one");
    ok(send_(5 * SIZE, true, 9, &sent) == 0 && k.wholes == 0,
       "and it is not asked again");
}


int
main(void)
{
    the_kernel_cuts();
    the_socket_is_full();
    the_kernel_cannot();
    return done_testing();
}
