/*
 * ffi_time.c -- the clock and its texts, for lua/resty/core/time.lua.
 *
 * Nothing here yields; every phase may call it.  Lua reads lun_clock itself,
 * through its address.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"

#include "os/clock.h"

LUN_EXPORT const lun_clock_time *lun_ffi_clock(void);

enum { TEXT_ROOM = 32 };


const lun_clock_time *
lun_ffi_clock(void)
{
    return &lun_clock;
}


void
lun_ffi_clock_update(void)
{
    lun_clock_update();
}


/* "2026-11-21" or "2026-11-21 03:27:00"; dst has TEXT_ROOM bytes. */
size_t
lun_ffi_time_text(int local, int what, char *dst)
{
    int       zone;
    char     *p = dst;
    lun_date  d;

    if (local) {
        lun_clock_local_date(&d, &zone);

    } else {
        lun_date_of(lun_clock.sec, &d);
    }

    p = lun_fmt(p, dst + TEXT_ROOM, "%04d-%02d-%02d", d.year, d.month, d.day);

    if (what == LUN_FFI_DAY_AND_TIME) {
        p = lun_fmt(p, dst + TEXT_ROOM, " %02d:%02d:%02d", d.hour, d.minute,
                    d.second);
    }

    return (size_t) (p - dst);
}


size_t
lun_ffi_http_time(int64_t sec, char *dst)
{
    return (size_t) (lun_clock_http_date(dst, sec) - dst);
}


size_t
lun_ffi_cookie_time(int64_t sec, char *dst)
{
    return (size_t) (lun_clock_cookie_date(dst, sec) - dst);
}


int
lun_ffi_parse_http_time(const char *s, size_t len, int64_t *sec)
{
    return lun_clock_parse_http(lun_str_of(s, len), sec);
}
