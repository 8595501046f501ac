/*
 * health_talk.h -- a health check by bytes: a server is connected to; if that
 * is said, it is sent something, and what it answers is looked at.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HEALTH_TALK_H
#define LUN_HEALTH_TALK_H

#include "modules/common/health/health_checker.h"

struct lun_upstream_tls;

typedef enum {
    LUN_HEALTH_MORE,               /* it has to say more */
    LUN_HEALTH_PASSES,
    LUN_HEALTH_FAILS
} lun_health_heard;

typedef struct lun_health_talk  lun_health_talk;

/* head.probe is lun_health_talk_probe. */
struct lun_health_talk {
    lun_health_check                head;
    bool                            udp;
    lun_str                         text;  /* that is sent */
    lun_str                         name;  /* who is meant by TLS, unless its
                                              settings say so */
    /* Settings of others, which may be known when all is read. */
    const struct lun_upstream_tls  *tls;
    const bool                     *secure;
    const size_t                   *in_size;       /* of what is heard */
    const lun_msec                 *timeout;
    /* All that was heard so far.  NULL: it is enough to connect; a datagram
       has to be met with silence, or any answer. */
    lun_health_heard              (*hear)(const lun_health_talk *t,
                                          lun_str heard);
};

extern const lun_health_probe  lun_health_talk_probe;

#endif
