/*
 * quic_closing.c -- what is left of a connection that was closed: its ids, and
 * the packet that says so, for three times the time that an answer takes
 * (RFC 9000, 10.2), or, if the client has closed it, just the ids.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_route.h"

#include "net/quic/quic_priv.h"


struct lun_quic_closing {
    lun_list            link;
    lun_quics          *all;
    lun_datagram_door  *door;
    lun_list            ids;
    lun_timer           timer;
    unsigned            packets;   /* that have come since */
    size_t              len;
    uint8_t             farewell[];
};


static void
free_closing(lun_quic_closing *closing)
{
    lun_timer_stop(&closing->timer);
    lun_quic_remove_ids(closing->all, &closing->ids);
    lun_list_remove(&closing->link);
    lun_datagram_leave_door(closing->door);
    lun_free(closing);
}


static void
on_over(lun_timer *timer)
{
    free_closing(lun_container_of(timer, lun_quic_closing, timer));
}


void
lun_quic_closing_new(lun_quic_conn *conn, const uint8_t *farewell, size_t len,
    ngtcp2_duration period)
{
    lun_quic_entry    *e;
    lun_quic_closing  *closing;

    if (conn->door->listener == NULL) {
        lun_quic_remove_ids(conn->all, &conn->ids);
        return;                    /* this worker is about to leave */
    }

    closing = lun_calloc(sizeof(lun_quic_closing) + len);
    closing->all = conn->all;
    closing->door = conn->door;
    closing->door->sessions++;
    closing->len = len;

    if (len != 0) {
        memcpy(closing->farewell, farewell, len);
    }

    lun_list_init(&closing->ids);
    lun_list_push_back(&closing->all->closing, &closing->link);

    while (!lun_list_empty(&conn->ids)) {
        e = lun_container_of(conn->ids.next, lun_quic_entry, link);
        e->conn = NULL;
        e->closing = closing;
        lun_list_remove(&e->link);
        lun_list_push_back(&closing->ids, &e->link);
    }

    closing->timer.idle = true;
    lun_timer_start(closing->all->loop, &closing->timer,
                    (lun_msec) (period / NGTCP2_MILLISECONDS) + 1, on_over);
}


/* The first is answered, the second, the fourth, the eighth ... */
void
lun_quic_closing_read(lun_quic_closing *closing, const lun_datagram_key *key,
    size_t len)
{
    unsigned  n = ++closing->packets;

    if (closing->len != 0 && (n & (n - 1)) == 0 && closing->len <= 3 * len) {
        lun_quic_send(closing->door, key, closing->farewell, closing->len);
    }
}


void
lun_quic_leave(lun_datagram_door *d)
{
    lun_quics         *all = lun_quics_of(d->all->loop);
    lun_quic_closing  *closing;

    lun_list_each_safe (&all->closing, it) {
        closing = lun_container_of(it, lun_quic_closing, link);

        if (closing->door == d) {
            free_closing(closing);
        }
    }
}


void
lun_quic_closing_end(lun_quics *all)
{
    while (!lun_list_empty(&all->closing)) {
        free_closing(lun_container_of(all->closing.next, lun_quic_closing,
                                      link));
    }
}
