/*
 * log_conf.h -- what access_log and error_log say of where lines go.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOG_CONF_H
#define LUN_LOG_CONF_H

#include "config/generation.h"
#include "log/syslog.h"

/*
 * A word of access_log or error_log: "rotate=100m", "rotate=1d", "keep=7".
 * LUN_AGAIN: it is none of these.  `f` NULL: a file that can't have it.
 */
lun_rc lun_conf_log_rotation(lun_conf *cf, lun_log_file *f, lun_str word);

/*
 * From "syslog:server=...": it lives as long as the generation.  NULL: it was
 * reported what is wrong.
 */
lun_syslog *lun_conf_syslog(lun_conf *cf, lun_str text);

/* The directive error_log, of any level: what `log` writes to as well. */
lun_rc lun_conf_error_log(lun_conf *cf, lun_log *log);

#endif
