/*
 * geoip.c -- any bytes as a database of addresses, of today or of before: no
 * step beyond them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/pool.h"
#include "base/check.h"
#include "modules/common/geoip/geoip_priv.h"


int  LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
ask_mmdb(lun_str bytes, const lun_addr *addr)
{
    size_t           i;
    lun_str          text, names[] = { LUN_STR("country"), LUN_STR("1"),
                                       LUN_STR("names"), LUN_STR("-1") };
    lun_mmdb         db;
    lun_pool        *pool;
    const char      *why = NULL;
    lun_mmdb_value   v;

    if (lun_mmdb_init(&db, bytes, &why) != LUN_OK) {
        LUN_CHECK(why != NULL);
        return;
    }

    pool = lun_pool_new_sized(1024);

    for (i = 0; i < 4; i++) {
        if (lun_mmdb_find(&db, addr, &v)) {
            (void) lun_mmdb_text(pool, v, names + i, 4 - i, &text);
            (void) lun_mmdb_text(pool, v, names + i, 1, &text);
            (void) lun_mmdb_text(pool, v, names, 0, &text);
        }
    }

    lun_pool_free(pool);
}


static void
ask_dat(lun_str bytes, const lun_addr *addr)
{
    lun_str          name;
    lun_geodat       d;
    const char      *why = NULL;
    lun_geodat_city  city;

    if (lun_geodat_init(&d, bytes, &why) != LUN_OK) {
        LUN_CHECK(why != NULL);
        return;
    }

    (void) lun_geodat_country(&d, addr);

    if (lun_geodat_find_city(&d, addr, &city)) {
        LUN_CHECK(city.city.data >= bytes.data
                  && city.city.data + city.city.len < bytes.data + bytes.len);
    }

    if (lun_geodat_name(&d, addr, &name)) {
        LUN_CHECK(name.data + name.len < bytes.data + bytes.len);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char      *own = lun_malloc(size + !size);
    lun_str    bytes = lun_str_of(own, size);
    lun_addr   four = { .family = LUN_AF_INET, .ip = { 10, 0, 0, 1 } };
    lun_addr   six = { .family = LUN_AF_INET6, .ip = { 0x20, 1, 0x0d, 0xb8 } };

    /* Of its own length: a step beyond is seen. */
    memcpy(own, data, size);
    ask_mmdb(bytes, &four);
    ask_mmdb(bytes, &six);
    ask_dat(bytes, &four);
    ask_dat(bytes, &six);
    lun_free(own);
    return 0;
}
