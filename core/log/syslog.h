/*
 * syslog.h -- lines to a syslog server: RFC 3164, by UDP or by a unix socket.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SYSLOG_H
#define LUN_SYSLOG_H

#include "log/log_file.h"
#include "os/sock.h"

struct lun_syslog {
    lun_str    text;               /* as it was asked for: for the log */
    lun_addr   server;
    unsigned   facility;           /* RFC 3164, 4.1.1 */
    unsigned   severity;           /* of lun_syslog_send() */
    lun_str    tag;
    bool       no_host;

    /* The room's own. */
    lun_fd     fd;
    bool       busy;               /* complaining, perhaps to itself */
    int64_t    complained;         /* s */
};

/* Filled in: it sends as long as the pool lives, which closes its socket. */
void lun_syslog_begin(lun_syslog *s, lun_pool *pool);

/*
 * One datagram, of the directive's severity or of that level; the line is
 * without its end.  What can't be sent is lost, and the error log says so once
 * in a minute.
 */
void lun_syslog_send(lun_syslog *s, const char *line, size_t len);
void lun_syslog_send_error(lun_syslog *s, lun_log_level level,
    const char *line, size_t len);

#endif
