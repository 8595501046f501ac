/*
 * datagram_socket.c -- the sockets that datagrams come to, and by which
 * sessions send theirs.
 *
 * A door is this worker's end of a listener for datagrams: the socket, a
 * receiver, and how many sessions send by it.  It outlives the listener: a
 * worker that leaves keeps the sessions that it has.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/datagram_priv.h"

#include "base/check.h"
#include "net/conn_metrics.h"
#include "net/quic/quic_route.h"


enum {
    REST  = 500,                   /* ms, after an error of the receiver */
    WATCH = 1000                   /* ms: does anybody receive for us? */
};


static bool
is_at(const lun_datagram_door *d, const lun_addr *local)
{
    return d->addr.port == local->port && d->addr.family == local->family
           && (d->wildcard || lun_addr_eq(&d->addr, local));
}


lun_datagram_door *
lun_datagram_door_at(lun_datagrams *all, const lun_addr *local)
{
    lun_datagram_door  *d, *any = NULL;

    lun_list_each (&all->doors, it) {
        d = lun_container_of(it, lun_datagram_door, link);

        if (!is_at(d, local) || d->listener == NULL) {
            continue;
        }

        if (!d->wildcard) {
            return d;
        }

        any = d;
    }

    return any;
}


static void on_timer(lun_timer *timer);


static void
set_timer(lun_datagram_door *d, lun_msec delay)
{
    d->timer.idle = true;
    lun_timer_start(d->all->loop, &d->timer, delay, on_timer);
}


/* Of QUIC: maybe several that were received as one. */
static void
read_packets(lun_datagram_door *d, const lun_datagram_key *key,
    const lun_datagram *in)
{
    size_t   at = 0;
    lun_str  one;

    while (lun_datagram_next(in, &at, &one)) {
        d->all->counters.received++;
        lun_metric_add(lun_datagrams_at + LUN_DATAGRAMS_RECEIVED, 1);
        lun_quic_received(d, key, one.data, one.len, in->ecn);
    }
}


/*
 * On a wildcard address each datagram says which of ours it was sent to:
 * answers leave from there.
 */
static void
on_datagram(lun_receiver *r, const lun_datagram *in, lun_err err)
{
    lun_datagram_door  *d = lun_container_of(r, lun_datagram_door, receiver);
    lun_datagram_key    key;

    if (in == NULL) {
        lun_log(LUN_LOG_ALERT, d->log, err, "receiving datagrams failed");
        set_timer(d, REST);
        return;
    }

    key.remote = in->from;
    key.local = d->addr;

    if (d->wildcard && in->to.family == d->addr.family) {
        key.local = in->to;
        key.local.port = d->addr.port;
    }

    if (d->quic) {
        read_packets(d, &key, in);

    } else {
        lun_datagram_received(d, &key, in->data, in->len);
    }
}


static lun_err
open_receiver(lun_datagram_door *d)
{
    if (d->receiver.open) {
        return 0;
    }

    d->receiver.fd = d->fd;
    d->receiver.take = on_datagram;
    return lun_datagram_receive(d->all->loop->port, &d->receiver);
}


/*
 * It rested, or sessions are left that nobody may receive for any more: then
 * this worker does, and has to see whether that stays so.
 */
static void
on_timer(lun_timer *timer)
{
    lun_datagram_door  *d = lun_container_of(timer, lun_datagram_door, timer);

    if (d->listener != NULL) {
        if (open_receiver(d) != 0) {
            set_timer(d, REST);
        }

        return;
    }

    if (lun_datagram_has_reader(d->all, &d->addr)) {
        lun_datagram_stop(&d->receiver);

    } else {
        (void) open_receiver(d);
    }

    set_timer(d, WATCH);
}


static lun_datagram_door *
find_door(lun_datagrams *all, lun_fd first)
{
    lun_list_each (&all->doors, it) {
        if (lun_container_of(it, lun_datagram_door, link)->first == first) {
            return lun_container_of(it, lun_datagram_door, link);
        }
    }

    return NULL;
}


static void
free_door(lun_datagram_door *d)
{
    LUN_CHECK(d->sessions == 0 && d->listener == NULL);

    lun_timer_stop(&d->timer);
    lun_datagram_stop(&d->receiver);

    if (d->orphan) {
        lun_sock_close(d->first);
    }

    lun_list_remove(&d->link);
    lun_free(d);
}


lun_err
lun_datagram_door_to(lun_datagrams *all, lun_fd fd, lun_receive_fn *take,
    void *data, lun_datagram_door **door)
{
    lun_err             err;
    lun_datagram_door  *d = lun_calloc(sizeof(lun_datagram_door));

    d->all = all;
    d->fd = d->first = fd;
    d->orphan = true;
    d->receiver.fd = fd;
    d->receiver.connected = true;
    d->receiver.take = take;
    d->receiver.data = data;
    lun_list_init(&d->link);       /* it is nobody else's to find */

    err = lun_sock_local(fd, &d->addr);

    if (err == 0) {
        err = lun_datagram_receive(all->loop->port, &d->receiver);
    }

    if (err != 0) {
        free_door(d);
        return err;
    }

    d->sessions = 1;
    *door = d;
    return 0;
}


void
lun_datagram_leave_door(lun_datagram_door *d)
{
    LUN_CHECK(d->sessions > 0);

    d->sessions--;

    if (d->sessions == 0 && d->listener == NULL) {
        free_door(d);
    }
}


/*
 * Sessions belong to the door and not to the listener: a reload gives the door
 * a new listener and keeps them.
 */
lun_err
lun_datagram_listen(lun_listener *l, lun_fd fd, const lun_log *log)
{
    lun_err             err;
    lun_datagrams      *all = lun_datagrams_of(lun_listen_loop(l));
    lun_datagram_door  *d = find_door(all, l->fd);

    LUN_CHECK(l->options.datagram);

    if (d == NULL) {
        d = lun_calloc(sizeof(lun_datagram_door));
        d->all = all;
        d->first = l->fd;
        lun_list_push_back(&all->doors, &d->link);
    }

    lun_datagram_stop(&d->receiver);
    lun_timer_stop(&d->timer);

    d->fd = fd;
    d->addr = l->addr;
    d->wildcard = lun_addr_is_wildcard(&l->addr);
    d->quic = l->options.quic;
    d->listener = l;
    d->log = log;

    if (d->quic) {
        lun_datagram_tune(fd, l->addr.family);
        lun_quic_listen(d);
    }

    lun_datagram_on_arrived(all, lun_datagram_arrived);

    err = open_receiver(d);

    if (err != 0) {
        lun_datagram_unlisten(l);

    } else {
        lun_datagram_reader_is_me(all, &d->addr);
    }

    return err;
}


void
lun_datagram_unlisten(lun_listener *l)
{
    lun_datagrams      *all = lun_datagrams_of(lun_listen_loop(l));
    lun_datagram_door  *d = find_door(all, l->fd);

    if (d == NULL || d->listener != l) {
        return;
    }

    lun_timer_stop(&d->timer);
    lun_datagram_stop(&d->receiver);
    lun_datagram_reader_was_me(d->all, &d->addr);

    d->listener = NULL;
    d->fd = d->first;
    d->log = NULL;
    d->sessions++;                     /* it stays for a moment */

    if (d->quic) {
        lun_quic_leave(d);
    }

    d->sessions--;

    if (d->sessions == 0) {
        free_door(d);
    }
}


void
lun_datagram_close(lun_loop *loop, lun_fd fd)
{
    lun_datagram_door  *d = NULL;

    if (loop != NULL && loop->datagrams != NULL) {
        d = find_door(loop->datagrams, fd);
    }

    if (d == NULL) {
        lun_sock_close(fd);
        return;
    }

    d->orphan = true;
    on_timer(&d->timer);
}


void
lun_datagram_end_doors(lun_datagrams *all)
{
    lun_list_each_safe (&all->doors, it) {
        free_door(lun_container_of(it, lun_datagram_door, link));
    }
}
