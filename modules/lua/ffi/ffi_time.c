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


/* The last text of each kind: scripts ask far more often than it changes. */
typedef struct {
    int64_t  sec;
    size_t   len;                  /* 0: there is none yet */
    char     text[TEXT_ROOM];
} time_text;

static _Thread_local time_text  time_texts[2][2];


static void
make_time_text(time_text *t, bool local, bool with_time)
{
    int       zone;
    char     *p = t->text, *end = t->text + TEXT_ROOM;
    lun_date  d;

    if (local) {
        lun_clock_local_date(&d, &zone);

    } else {
        lun_date_of(lun_clock.sec, &d);
    }

    p = lun_fmt(p, end, "%04d-%02d-%02d", d.year, d.month, d.day);

    if (with_time) {
        p = lun_fmt(p, end, " %02d:%02d:%02d", d.hour, d.minute, d.second);
    }

    t->sec = lun_clock.sec;
    t->len = (size_t) (p - t->text);
}


/* "2026-11-21" or "2026-11-21 03:27:00"; dst has TEXT_ROOM bytes. */
size_t
lun_ffi_time_text(int local, int what, char *dst)
{
    bool        with_time = what == LUN_FFI_DAY_AND_TIME;
    time_text  *t = &time_texts[local != 0][with_time];

    if (t->len == 0 || t->sec != lun_clock.sec) {
        make_time_text(t, local != 0, with_time);
    }

    memcpy(dst, t->text, t->len);
    return t->len;
}


size_t
lun_ffi_http_time(int64_t sec, char *dst)
{
    return (size_t) (lun_clock_http_date(dst, sec) - dst);
}


size_t
lun_ffi_cookie_time(int64_t sec, char *dst)
{
    return (size_t) (lun_cookie_date_put(dst, sec) - dst);
}


int
lun_ffi_parse_http_time(const char *s, size_t len, int64_t *sec)
{
    return lun_http_date_parse(lun_str_of(s, len), sec);
}
