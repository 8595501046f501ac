/*
 * dns_update.c -- any bytes as what a server says of an update.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/dns_update.h"

#include <stdlib.h>

#include "base/check.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t  head[] = { 1, 2, 0xa8, 0 };

    size_t          i;
    uint8_t         mac[LUN_DNS_MAC] = { 0 }, *copy = malloc(size + 1);
    lun_dns_update  u = {
        .zone = "a.test", .name = "_acme-challenge.a.test",
        .text = LUN_STR("value"), .now = 1700000000, .key = "key.test",
        .secret = LUN_STR("0123456789abcdef")
    };

    /* In memory of its own, so that ASan sees its end. */
    memcpy(copy, data, size);

    /* Nobody makes an answer without the key, ... */
    for (i = 0; i < 2; i++) {
        LUN_CHECK(lun_dns_update_fault(copy, size, 0x0102, &u, mac) != NULL);
        memcpy(copy, head, lun_min(size, sizeof(head)));
    }

    /* ... and without one anything that says so is good. */
    u.key = NULL;
    (void) lun_dns_update_fault(copy, size, 0x0102, &u, mac);
    free(copy);
    return 0;
}
