/*
 * cidr.c -- networks.  Pure: no system call, no names.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/cidr.h"


/*
 * Bits behind the mask are kept as they were given: the caller warns of them,
 * as nginx does ("low address bits ... are meaningless").
 */
lun_rc
lun_cidr_parse(lun_str text, lun_cidr *c)
{
    uint64_t     bits, most;
    lun_addr     addr;
    const char  *slash = lun_str_chr(text, '/');
    lun_str      ip = text, len = LUN_STR_NULL;

    memset(c, 0, sizeof(*c));

    if (lun_str_eq(text, LUN_STR("unix:"))) {
        c->family = LUN_AF_UNIX;
        return LUN_OK;
    }

    if (slash != NULL) {
        ip.len = (size_t) (slash - text.data);
        len = lun_str_of(slash + 1, text.len - ip.len - 1);
    }

    if (lun_addr_parse(ip, &addr) != LUN_OK || addr.port != 0
        || addr.family == LUN_AF_UNIX)
    {
        return LUN_ERROR;
    }

    most = bits = addr.family == LUN_AF_INET ? 32 : 128;

    if (slash != NULL
        && (lun_str_to_u64(len, &bits) != LUN_OK || bits > most))
    {
        return LUN_ERROR;
    }

    c->family = addr.family;
    c->bits = (unsigned) bits;
    memcpy(c->ip, addr.ip, sizeof(c->ip));

    return LUN_OK;
}


bool
lun_cidr_trim(lun_cidr *c)
{
    bool      had = false;
    uint8_t   keep;
    unsigned  i, left;

    for (i = 0; i < sizeof(c->ip); i++) {
        left = c->bits > 8 * i ? c->bits - 8 * i : 0;
        keep = left >= 8 ? 0xff : (uint8_t) (0xff << (8 - left));
        had |= (c->ip[i] & ~keep) != 0;
        c->ip[i] &= keep;
    }

    return had;
}


lun_addr
lun_addr_unmap(const lun_addr *addr)
{
    lun_addr              plain = *addr;
    static const uint8_t  prefix[12] = { [10] = 0xff, [11] = 0xff };

    if (addr->family == LUN_AF_INET6
        && memcmp(addr->ip, prefix, sizeof(prefix)) == 0)
    {
        plain.family = LUN_AF_INET;
        plain.scope = 0;
        memset(plain.ip, 0, sizeof(plain.ip));
        memcpy(plain.ip, addr->ip + sizeof(prefix), 4);
    }

    return plain;
}


static bool
same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    unsigned  bytes = bits / 8;
    uint8_t   mask = (uint8_t) (0xff << (8 - bits % 8));

    return memcmp(a, b, bytes) == 0
           && (bits % 8 == 0 || ((a[bytes] ^ b[bytes]) & mask) == 0);
}


bool
lun_cidr_has(const lun_cidr *c, const lun_addr *addr)
{
    lun_addr  plain = lun_addr_unmap(addr);

    if (plain.family != c->family) {
        return false;
    }

    return c->family == LUN_AF_UNIX || same_bits(c->ip, plain.ip, c->bits);
}


bool
lun_cidr_any_has(const lun_array *list, const lun_addr *addr)
{
    size_t  i;

    for (i = 0; i < list->count; i++) {
        if (lun_cidr_has(lun_array_at(list, i), addr)) {
            return true;
        }
    }

    return false;
}
