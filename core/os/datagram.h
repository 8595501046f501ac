/*
 * datagram.h -- datagrams from anybody, at a socket that several processes may
 * share.
 *
 * A receiver is to datagrams what an acceptor (port.h) is to connections: the
 * kernel gives each datagram to one of the processes that receive from the
 * socket.  A wake-up takes a batch.
 *
 * A socket at a wildcard address tells for each datagram which address of
 * this machine it came to, so that the answer can leave from there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_DATAGRAM_H
#define LUN_OS_DATAGRAM_H

#include "base/str.h"
#include "os/port.h"

typedef struct lun_receiver  lun_receiver;

enum { LUN_DATAGRAM_MOST = 65535 };    /* bytes; what is longer is cut off */

typedef struct {
    const char  *data;             /* the port's, while `take` runs */
    size_t       len;
    size_t       segment;          /* several that were received as one, of so
                                      many bytes each, the last of no more;
                                      0: it is one.  See lun_datagram_tune() */
    uint8_t      ecn;              /* the two bits of its IP header; same */
    lun_addr     from;
    lun_addr     to;               /* without the port; family LUN_AF_NONE: the
                                      system did not say */
} lun_datagram;

/* Of those that were received as one the next, from *at on; false: there is
   none. */
static inline bool
lun_datagram_next(const lun_datagram *d, size_t *at, lun_str *one)
{
    size_t  left = d->len - *at;

    *one = lun_str_of(d->data + *at, d->segment != 0
                                     ? lun_min(d->segment, left) : left);
    *at += one->len;
    return left != 0;
}

/*
 * Gets each datagram.  `d` is NULL for an error; the receiver has been stopped
 * then.  `take` may stop the receiver: what the batch still has is lost.
 */
typedef void lun_receive_fn(lun_receiver *r, const lun_datagram *d,
    lun_err err);

struct lun_receiver {
    lun_fd           fd;           /* the socket: not closed by the port */
    bool             connected;    /* to one peer: that it is not there is an
                                      error, too */
    lun_receive_fn  *take;
    void            *data;
    lun_port        *port;
    bool             open;
    void            *os;           /* the port's own */
};

lun_err lun_datagram_receive(lun_port *port, lun_receiver *r);

/*
 * No `take` comes after it returns.  From outside of `take`, what had already
 * been received for this process is given to it before.
 */
void lun_datagram_stop(lun_receiver *r);

/*
 * Sends one datagram, all of it or nothing; AGAIN kind: not now.  `from` is
 * the address of this machine that it shall leave from; NULL, or where the
 * system can't do that: the socket's own, or what routing chooses.
 */
lun_err lun_datagram_send(lun_fd fd, const lun_slice *slices, size_t n,
    const lun_addr *to, const lun_addr *from);

/*
 * For who sends and receives many (QUIC): asks the system to tell of ECN, to
 * fragment nothing, to receive what came together as one, and for larger
 * buffers.  What it refuses is done without.
 */
void lun_datagram_tune(lun_fd fd, lun_family family);

/*
 * Sends `len` bytes as datagrams of `segment` bytes each, the last of no more,
 * with `ecn` in their IP headers; *sent: the bytes of those that were taken,
 * also if the next was not.  In one call of the system if it can, and
 * `at_once`; that it can't is noticed, and not tried again.
 */
lun_err lun_datagram_send_many(lun_fd fd, const char *data, size_t len,
    size_t segment, uint8_t ecn, const lun_addr *to, const lun_addr *from,
    bool at_once, size_t *sent);

/* Whether the system has not yet refused that: for who reports. */
bool lun_datagram_sends_at_once(void);

/* Bytes that may wait at the socket for who reads it; 0: unknown. */
size_t lun_datagram_room(lun_fd fd);

#endif
