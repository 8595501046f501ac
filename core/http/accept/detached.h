/*
 * detached.h -- a request that no client waits for.
 *
 * It asks what another request asks, and stands where that stands; but it has
 * copies of all that it was asked with, and a connection of its own, without a
 * socket, which says who the client was.  So that one's answer, connection and
 * log line are as if it were not there, and it may outlive them.  What it
 * answers goes nowhere.
 *
 * It is a net/errand: counted, limited in number, in `-s dump`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_DETACHED_H
#define LUN_HTTP_DETACHED_H

#include "http/engine.h"
#include "net/errand.h"

typedef struct {
    lun_errand_kind   errand;      /* its name is that in dumps */
    size_t            size;        /* bytes of data, zeroed */
    /* It is over; the last that may be done with its data. */
    void            (*end)(lun_request *d, void *data);
} lun_detached_kind;

/*
 * A new one, which may still be changed: nothing happens before it is started.
 * NULL: there are as many as may be, or a body of `r` is in a file, or not all
 * there.  `what` is for the dump.
 */
lun_request *lun_detached_new(lun_request *r, const lun_detached_kind *kind,
    lun_str what);

/* It runs at the end of the loop's turn. */
void lun_detached_start(lun_request *d);

/* What it is about; NULL: it is none of that kind. */
void *lun_detached_data(const lun_request *r, const lun_detached_kind *kind);

/* Whether it is one, of whatever kind. */
bool lun_is_detached(const lun_request *r);

#endif
