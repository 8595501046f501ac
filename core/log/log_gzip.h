/*
 * log_gzip.h -- what a log file gets when it is compressed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOG_GZIP_H
#define LUN_LOG_GZIP_H

#include "base/str.h"

/*
 * The data as a gzip member (RFC 1952): members one after the other are one
 * file to gunzip.  level: 1 ... 9.  To be freed with lun_free(); data NULL:
 * there was no memory.
 */
lun_str lun_log_gzip(const char *data, size_t len, int level);

#endif
