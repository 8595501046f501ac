/*
 * ffi_lib.c -- what libraries need of C: signals (resty/signal.lua), the
 * points of a consistent hash (resty/chash.lua), sets of bytes
 * (lunette/gsub.lua), frames (resty/websocket/protocol.lua), folders and a
 * certificate (lunette/site.lua).
 *
 * Nothing here yields; every phase may call it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/lib/ffi_lib.h"

#include <stdlib.h>

#include "base/digest.h"
#include "net/tls/cert_maker.h"
#include "net/tls/key_pair.h"
#include "os/dir.h"
#include "os/file_replace.h"
#include "os/path.h"
#include "os/proc.h"
#include "os/time.h"

typedef struct {
    uint32_t  hash;
    uint32_t  node;                /* chash.lua's number of it */
} lun_chash_point;

LUN_EXPORT int lun_ffi_signal(double pid, int number);
LUN_EXPORT void lun_ffi_chash_add(lun_chash_point *points, const char *id,
    size_t len, uint32_t node, uint32_t count);
LUN_EXPORT void lun_ffi_chash_sort(lun_chash_point *points, uint32_t count);
LUN_EXPORT uint32_t lun_ffi_chash_find(const lun_chash_point *points,
    uint32_t count, const char *key, size_t len);
LUN_EXPORT int lun_ffi_find_set(const unsigned char *set, const char *s,
    size_t len);
LUN_EXPORT void lun_ffi_mask(unsigned char *out, const char *data, size_t len,
    const char *key);
LUN_EXPORT int lun_ffi_make_dir(const char *path);
LUN_EXPORT const char *lun_ffi_path_fault(const char *name, size_t len);
LUN_EXPORT int lun_ffi_replace_file(const char *path, const char *text,
    size_t len, int is_secret);
LUN_EXPORT int lun_ffi_program(char *room, size_t size);
LUN_EXPORT int lun_ffi_make_cert(const char *cert_path, const char *key_path);


/* A lun_proc_sent. */
int
lun_ffi_signal(double pid, int number)
{
    if (!(pid >= INT32_MIN && pid <= UINT32_MAX)) {
        return LUN_PROC_MISSING;
    }

    return (int) lun_proc_send_to((int64_t) pid, number);
}


/*
 * As nginx makes the points of a server whose name and port, with a zero byte
 * between them, are `id`: each hash goes into the next one.
 */
void
lun_ffi_chash_add(lun_chash_point *points, const char *id, size_t len,
    uint32_t node, uint32_t count)
{
    char      *text = lun_malloc(len + sizeof(uint32_t));
    uint32_t   i, hash = 0;

    memcpy(text, id, len);

    for (i = 0; i < count; i++) {
        memcpy(text + len, &hash, sizeof(hash));
        hash = lun_crc32(lun_str_of(text, len + sizeof(hash)));
        points[i] = (lun_chash_point) { hash, node };
    }

    lun_free(text);
}


static int
compare(const void *one, const void *two)
{
    const lun_chash_point  *a = one, *b = two;

    if (a->hash != b->hash) {
        return a->hash < b->hash ? -1 : 1;
    }

    return a->node < b->node ? -1 : a->node > b->node;
}


void
lun_ffi_chash_sort(lun_chash_point *points, uint32_t count)
{
    qsort(points, count, sizeof(lun_chash_point), compare);
}


/* The first point at or behind the key's hash; behind the last is the first. */
uint32_t
lun_ffi_chash_find(const lun_chash_point *points, uint32_t count,
    const char *key, size_t len)
{
    uint32_t  low = 0, high = count, mid;
    uint32_t  hash = lun_crc32(lun_str_of(key, len));

    while (low < high) {
        mid = low + (high - low) / 2;

        if (points[mid].hash < hash) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }

    return low == count ? 0 : low;
}


/* Whether one of the bytes has a mark in `set`, which is 256 of them. */
int
lun_ffi_find_set(const unsigned char *set, const char *s, size_t len)
{
    size_t                i;
    const unsigned char  *p = (const unsigned char *) s;

    for (i = 0; i < len; i++) {
        if (set[p[i]]) {
            return 1;
        }
    }

    return 0;
}


/* RFC 6455, section 5.3; `key` has 4 bytes.  Masks and unmasks. */
void
lun_ffi_mask(unsigned char *out, const char *data, size_t len,
    const char *key)
{
    size_t    i;
    uint64_t  word, mask;

    memcpy(&mask, key, 4);
    memcpy((char *) &mask + 4, key, 4);

    for (i = 0; i + sizeof(word) <= len; i += sizeof(word)) {
        memcpy(&word, data + i, sizeof(word));
        word ^= mask;
        memcpy(out + i, &word, sizeof(word));
    }

    for ( ; i < len; i++) {
        out[i] = (unsigned char) (data[i] ^ key[i & 3]);
    }
}


void
lun_ffi_unmask(unsigned char *out, const char *data, size_t len)
{
    lun_ffi_mask(out, data + 4, len, data);
}


size_t
lun_ffi_frame(unsigned char *out, int first, const char *data, size_t len)
{
    int             i;
    unsigned char  *p = out;

    *p++ = (unsigned char) first;

    if (len < 126) {
        *p++ = (unsigned char) len;

    } else if (len <= 0xffff) {
        *p++ = 126;
        *p++ = (unsigned char) (len >> 8);
        *p++ = (unsigned char) len;

    } else {
        *p++ = 127;

        for (i = 56; i >= 0; i -= 8) {
            *p++ = (unsigned char) ((uint64_t) len >> i);
        }
    }

    memcpy(p, data, len);
    return (size_t) (p - out) + len;
}


/* With every folder above it; 0, also when it is there. */
int
lun_ffi_make_dir(const char *path)
{
    return lun_dir_make_all(path, 0755) == 0 ? 0 : -1;
}


/* NULL: a file below a folder can have that name, on each system. */
const char *
lun_ffi_path_fault(const char *name, size_t len)
{
    lun_path_verdict  v = lun_path_check(lun_str_of(name, len),
                                         LUN_PATH_WINDOWS);

    return v == LUN_PATH_FINE || v == LUN_PATH_TILDE
           ? NULL : lun_path_verdict_text(v);
}


/* Written aside, and renamed; 0. */
int
lun_ffi_replace_file(const char *path, const char *text, size_t len,
    int is_secret)
{
    lun_err    err;
    lun_pool  *pool = lun_pool_new_sized(1024);

    err = lun_file_replace(path, lun_pool_fmt(pool, "%s.new", path).data,
                           lun_str_of(text, len),
                           is_secret ? LUN_FILE_SECRET : 0,
                           is_secret ? 0600 : 0644);
    lun_pool_free(pool);
    return err == 0 ? 0 : -1;
}


/* The file of this program; 0. */
int
lun_ffi_program(char *room, size_t size)
{
    return lun_proc_program(room, size) == 0 ? 0 : -1;
}


static lun_err
write_new(const char *path, lun_str text, unsigned flags)
{
    lun_fd   fd;
    lun_err  err = lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE
                                 | LUN_FILE_EXCL | flags, 0644, &fd);

    if (err == 0) {
        err = lun_file_write(fd, text.data, text.len, 0);
        lun_file_close(fd);
    }

    return err;
}


/* For this machine, of a year, signed by itself; 0: both files are new. */
int
lun_ffi_make_cert(const char *cert_path, const char *key_path)
{
    enum { DAY = 86400, DAYS = 397 };

    int             rc = -1;
    X509           *cert;
    int64_t         now = lun_time_wall() / 1000;
    lun_pool       *pool = lun_pool_new_sized(4096);
    EVP_PKEY       *key = lun_key_make((lun_key_kind) { .bits = 256 });
    const lun_str   names[] = { LUN_STR("localhost"), LUN_STR("127.0.0.1"),
                                LUN_STR("::1") };
    lun_cert_wish   wish = { .names = names, .count = LUN_ARRAY_LEN(names),
                             .from = now - DAY, .until = now + DAYS * DAY };

    cert = key != NULL ? lun_cert_make(&wish, key, NULL, NULL) : NULL;

    if (cert != NULL
        && write_new(key_path, lun_key_pem(pool, key), LUN_FILE_SECRET) == 0
        && write_new(cert_path, lun_cert_pem(pool, cert), 0) == 0)
    {
        rc = 0;
    }

    X509_free(cert);
    EVP_PKEY_free(key);
    lun_pool_free(pool);
    return rc;
}
