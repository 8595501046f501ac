/*
 * acme_document.c -- any bytes as what an authority says.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/order/acme_document.h"
#include "modules/http/acme/order/acme_time.h"

#include <stdlib.h>

#include "base/check.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
look_at_order(lun_pool *pool, lun_str text, lun_str uri)
{
    size_t           i;
    lun_acme_order   o;

    if (!lun_acme_read_order(pool, text, uri, &o)) {
        return;
    }

    LUN_CHECK(o.count <= LUN_ACME_NAMES);

    for (i = 0; i < o.count; i++) {
        LUN_CHECK(lun_acme_may_follow(uri, o.authorizations[i]));
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char                    *copy = malloc(size + (size == 0));
    int64_t                  sec;
    lun_str                  text, uri = LUN_STR("https://ca.test/dir");
    lun_pool                *pool = lun_pool_new_sized(4096);
    lun_acme_window          w;
    lun_acme_problem         p;
    lun_acme_directory       d;
    lun_acme_authorization   a;

    /* In memory of its own, so that ASan sees its end. */
    memcpy(copy, data, size);
    text = lun_str_of(copy, size);

    if (lun_acme_read_directory(pool, text, uri, lun_str_of(copy, size / 8),
                                &d))
    {
        LUN_CHECK(lun_acme_may_follow(uri, d.new_order));
    }

    look_at_order(pool, text, uri);

    if (lun_acme_read_authorization(pool, text, uri, LUN_STR("http-01"), &a)) {
        LUN_CHECK(a.token.len == 0 || lun_acme_is_token(a.token));
    }

    if (lun_acme_read_window(pool, text, &w)) {
        LUN_CHECK(w.start <= w.end);
    }

    if (lun_acme_read_problem(pool, text, &p)) {
        (void) lun_acme_problem_text(pool, &p);
    }

    if (lun_acme_time_parse(text, &sec)) {
        LUN_CHECK(sec >= -86400);
    }

    (void) lun_acme_retry_after(text, 1700000000, 1, 60);
    free(copy);
    lun_pool_free(pool);
    return 0;
}
