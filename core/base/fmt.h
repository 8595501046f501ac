/*
 * fmt.h -- the one formatter: bounded, appending, checked by the compiler.
 *
 *     p = lun_fmt(p, end, "%s: %" PRIu64, name, n);
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FMT_H
#define LUN_FMT_H

#include <inttypes.h>
#include <stdarg.h>

#include "base/str.h"

/*
 * Appends printf-formatted text at p, never past `end`, without a zero byte.
 * Returns the new p; text that does not fit is cut at end.
 */
char *lun_fmt(char *p, const char *end, const char *fmt, ...) LUN_PRINTF(3, 4);
char *lun_vfmt(char *p, const char *end, const char *fmt, va_list args);

/* Fast paths for hot code; the caller guarantees room (20, 16, 15 bytes). */
char *lun_fmt_u64(char *p, uint64_t n);
char *lun_fmt_hex(char *p, uint64_t n);
enum { LUN_FMT_IPV4 = 15 };
char *lun_fmt_ipv4(char *p, const uint8_t *ip);

/* Decimal, left-padded with zeros to `width` digits. */
char *lun_fmt_pad(char *p, uint64_t n, int width);

/* memcpy that returns the end. */
static inline char *
lun_copy(char *p, const void *src, size_t n)
{
    memcpy(p, src, n);
    return p + n;
}

static inline char *
lun_copy_str(char *p, lun_str s)
{
    if (s.len != 0) {
        memcpy(p, s.data, s.len);
    }
    return p + s.len;
}

#endif
