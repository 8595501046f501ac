/*
 * syslog.h -- lines to a syslog server: RFC 3164, by UDP or by a unix socket.
 *
 *     error_log syslog:server=127.0.0.1,tag=edge warn;
 *     access_log syslog:server=unix:/dev/log,facility=local1,severity=info;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SYSLOG_H
#define LUN_SYSLOG_H

#include "config/conf.h"

typedef struct lun_syslog  lun_syslog;

/*
 * From "syslog:server=...": it lives as long as the generation.  NULL: it was
 * said what is wrong.
 */
lun_syslog *lun_syslog_new(lun_conf *cf, lun_str text);

/*
 * One datagram, of the directive's severity or of that level; the line is
 * without its end.  What can't be sent is lost, and the error log says so once
 * in a minute.
 */
void lun_syslog_send(lun_syslog *s, const char *line, size_t len);
void lun_syslog_send_error(lun_syslog *s, lun_log_level level,
    const char *line, size_t len);

#endif
