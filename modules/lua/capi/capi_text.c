/*
 * capi_text.c -- functions of ngx_lua that libraries declare to LuaJIT by
 * their own names: digests, base64, escapes, times, workers.
 *
 * Signatures and results are those that lua-resty-core declares; `long` is
 * C's.  Nothing here needs a turn, yields or allocates.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi.h"

#include "base/digest.h"
#include "format/uri.h"
#include "modules/lua/ffi/ffi.h"
#include "os/clock.h"


static lun_str
text_of(const unsigned char *s, size_t len)
{
    return lun_str_of((const char *) s, len);
}


/* --- digests --- */

void
ngx_http_lua_ffi_md5_bin(const unsigned char *src, size_t len,
    unsigned char *dst)
{
    lun_md5(text_of(src, len), dst);
}


void
ngx_http_lua_ffi_md5(const unsigned char *src, size_t len, unsigned char *dst)
{
    unsigned char  sum[LUN_MD5_SIZE];

    lun_md5(text_of(src, len), sum);
    (void) lun_hex((char *) dst, sum, sizeof(sum));
}


int
ngx_http_lua_ffi_sha1_bin(const unsigned char *src, size_t len,
    unsigned char *dst)
{
    lun_sha1(text_of(src, len), dst);
    return 1;
}


unsigned
ngx_http_lua_ffi_crc32_short(const unsigned char *src, size_t len)
{
    return lun_crc32(text_of(src, len));
}


unsigned
ngx_http_lua_ffi_crc32_long(const unsigned char *src, size_t len)
{
    return lun_crc32(text_of(src, len));
}


/* --- base64, escapes --- */

size_t
ngx_http_lua_ffi_encode_base64(const unsigned char *src, size_t len,
    unsigned char *dst, int no_padding)
{
    return lun_ffi_base64_encode((const char *) src, len, 0, !no_padding,
                                 (char *) dst);
}


int
ngx_http_lua_ffi_decode_base64(const unsigned char *src, size_t len,
    unsigned char *dst, size_t *dlen)
{
    return lun_ffi_base64_decode((const char *) src, len, 0, 0, (char *) dst,
                                 dlen) == LUN_OK;
}


int
ngx_http_lua_ffi_decode_base64mime(const unsigned char *src, size_t len,
    unsigned char *dst, size_t *dlen)
{
    return lun_ffi_base64_decode((const char *) src, len, 0, 1, (char *) dst,
                                 dlen) == LUN_OK;
}


size_t
ngx_http_lua_ffi_uri_escaped_length(const unsigned char *src, size_t len,
    int type)
{
    return lun_ffi_uri_escaped_len((const char *) src, len, type);
}


void
ngx_http_lua_ffi_escape_uri(const unsigned char *src, size_t len,
    unsigned char *dst, int type)
{
    lun_ffi_uri_escape((const char *) src, len, type, (char *) dst);
}


size_t
ngx_http_lua_ffi_unescape_uri(const unsigned char *src, size_t len,
    unsigned char *dst)
{
    return lun_ffi_uri_unescape((const char *) src, len, (char *) dst);
}


void
ngx_http_lua_ffi_str_replace_char(unsigned char *buf, size_t len,
    const unsigned char find, const unsigned char replace)
{
    size_t  i;

    for (i = 0; i < len; i++) {
        if (buf[i] == find) {
            buf[i] = replace;
        }
    }
}


/* --- times: the loop's --- */

double
ngx_http_lua_ffi_now(void)
{
    return (double) lun_clock.sec + lun_clock.msec / 1000.0;
}


long
ngx_http_lua_ffi_time(void)
{
    return (long) lun_clock.sec;
}


long
ngx_http_lua_ffi_monotonic_msec(void)
{
    return (long) lun_clock.mono;
}


void
ngx_http_lua_ffi_update_time(void)
{
    lun_ffi_clock_update();
}


/* 10 bytes. */
void
ngx_http_lua_ffi_today(unsigned char *buf)
{
    (void) lun_ffi_time_text(1, LUN_FFI_DAY, (char *) buf);
}


/* 19 bytes. */
void
ngx_http_lua_ffi_localtime(unsigned char *buf)
{
    (void) lun_ffi_time_text(1, LUN_FFI_DAY_AND_TIME, (char *) buf);
}


void
ngx_http_lua_ffi_utctime(unsigned char *buf)
{
    (void) lun_ffi_time_text(0, LUN_FFI_DAY_AND_TIME, (char *) buf);
}


/* Returns how many bytes. */
int
ngx_http_lua_ffi_cookie_time(unsigned char *buf, long t)
{
    return (int) lun_ffi_cookie_time(t, (char *) buf);
}


void
ngx_http_lua_ffi_http_time(unsigned char *buf, long t)
{
    (void) lun_ffi_http_time(t, (char *) buf);
}


/* -1: it is none. */
void
ngx_http_lua_ffi_parse_http_time(const unsigned char *str, size_t len,
    long *time)
{
    int64_t  sec;

    *time = lun_ffi_parse_http_time((const char *) str, len, &sec) == LUN_OK
            ? (long) sec : -1;
}


/* --- workers --- */

int
ngx_http_lua_ffi_worker_pid(void)
{
    return (int) lun_ffi_worker_pid();
}


int
ngx_http_lua_ffi_worker_id(void)
{
    return lun_ffi_worker_id();
}


int
ngx_http_lua_ffi_worker_count(void)
{
    return lun_ffi_worker_count();
}


int
ngx_http_lua_ffi_worker_exiting(void)
{
    return lun_ffi_worker_exiting();
}


int
ngx_http_lua_ffi_get_process_type(void)
{
    return lun_ffi_process_type();
}


int
ngx_http_lua_ffi_master_pid(void)
{
    return (int) lun_ffi_process_master();
}


void
ngx_http_lua_ffi_process_signal_graceful_exit(void)
{
    lun_ffi_process_quit();
}
