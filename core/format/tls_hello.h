/*
 * tls_hello.h -- what a TLS client says first, read and left where it is: for
 * those who only choose by it where the connection goes.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_TLS_HELLO_H
#define LUN_FORMAT_TLS_HELLO_H

#include "base/str.h"

typedef struct {
    uint16_t  version;             /* the highest: 0x0304; 0: none is known */
    lun_str   server_name;         /* as it was sent; "": none */
    lun_str   alpn;                /* names, each behind a byte of its length */
} lun_tls_hello;

typedef enum {
    LUN_TLS_HELLO_DONE,
    LUN_TLS_HELLO_MORE,            /* so far it may become one */
    LUN_TLS_HELLO_NONE             /* it is none, or a broken one */
} lun_tls_hello_verdict;

/*
 * The first `len` bytes of a connection; what came is looked at as a whole
 * each time.  Views into `data`, or into `room` (of at least `len` bytes) when
 * a hello comes in several records.  Of a broken one *hello has what stands
 * before the damage.
 */
lun_tls_hello_verdict lun_tls_hello_parse(const char *data, size_t len,
    char *room, lun_tls_hello *hello);

#endif
