/*
 * acme_chain.c -- any bytes as the chain that an authority gives.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/order/acme_chain.h"

#include <stdlib.h>

#include "base/check.h"


/* Nobody's: the seed is for it. */
static const char  key[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSMVEu0B0U/2F0HjO\n"
    "brOMw+5wJc20negdEuULcBkOiSihRANCAASinUjUNj9KfR1zwrU3pvwS4OCH32Df\n"
    "fRFEOgdceLRGC4boM3mpoCUxn4bTCDTsrJgE8JQ8b0jnJAnxGIKlgHtW\n"
    "-----END PRIVATE KEY-----\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char        *copy = malloc(size + 1);
    lun_str      top, pem, name = LUN_STR("a.test");
    lun_pool    *pool = lun_pool_new_sized(4096);
    const char  *fault;

    /* In memory of its own, so that ASan sees its end. */
    memcpy(copy, data, size);
    pem = lun_str_of(copy, size);

    fault = lun_acme_chain_fault(pool, pem, lun_str_z(key), &name, 1, &top);
    LUN_CHECK(fault != NULL || size > 100);
    LUN_CHECK(top.len < 256);
    (void) lun_acme_certificate_id(pool, pem);

    lun_pool_free(pool);
    free(copy);
    return 0;
}
