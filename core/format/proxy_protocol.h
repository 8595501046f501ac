/*
 * proxy_protocol.h -- the PROXY protocol, versions 1 and 2: what stands before
 * anything else on a connection that a proxy has made for somebody.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_PROXY_PROTOCOL_H
#define LUN_FORMAT_PROXY_PROTOCOL_H

#include "format/addr.h"

typedef struct lun_proxied {
    bool      known;               /* it names a client: UNKNOWN does not */
    lun_addr  src, dst;
    lun_str   tlvs;                /* version 2; a view */
} lun_proxied;

typedef enum {
    LUN_PROXIED_DONE,              /* *used bytes of it */
    LUN_PROXIED_MORE,
    LUN_PROXIED_BAD                /* it is none */
} lun_proxied_verdict;

lun_proxied_verdict lun_proxy_protocol_parse(const char *data, size_t len,
    lun_proxied *p, size_t *used);

/*
 * The header of version 1 or 2 for a TCP connection from src to dst, as text
 * or bytes in `room`; its length.  Addresses that are not the internet's, and
 * in bytes those of two families, are "UNKNOWN".
 */
enum { LUN_PROXY_PROTOCOL_ROOM = 108 };

/* Of a header with the signature of bytes: the version that it claims; 0. */
unsigned lun_proxy_protocol_version(const char *data, size_t len);


size_t lun_proxy_protocol_write(char room[LUN_PROXY_PROTOCOL_ROOM],
    unsigned version, const lun_addr *src, const lun_addr *dst);

typedef enum {
    LUN_TLV_FOUND,
    LUN_TLV_NONE,
    LUN_TLV_UNKNOWN,               /* no TLV has that name */
    LUN_TLV_BROKEN
} lun_tlv_verdict;

/*
 * By a name ("alpn", "ssl_cn") or a number ("0xe4", "ssl_0x21").  A view, or,
 * for "ssl_verify", a number in `room`.
 */
enum { LUN_TLV_ROOM = 12 };

lun_tlv_verdict lun_proxy_protocol_tlv(lun_str tlvs, lun_str name,
    char room[LUN_TLV_ROOM], lun_str *value);

#endif
