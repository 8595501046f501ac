/*
 * core_conf.h -- the stream core's own settings.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STREAM_CORE_CONF_H
#define LUN_STREAM_CORE_CONF_H

#include "session/module.h"
#include "session/resolver_conf.h"
#include "stream/stream_session.h"

typedef struct {
    lun_msec           preread_timeout;
    lun_msec           proxy_protocol_timeout;
    size_t             preread_buffer_size;
    bool               tcp_nodelay;
    lun_log           *error_log;          /* NULL: the generation's */
    lun_name_servers  *resolver;           /* NULL: the system's */
    lun_msec           resolver_timeout;
} lun_stream_core_conf;

extern lun_module  lun_stream_core;

static inline const lun_stream_core_conf *
lun_stream_core_of(const lun_stream_session *s)
{
    return lun_session_conf(&s->session, &lun_stream_core);
}

#endif
