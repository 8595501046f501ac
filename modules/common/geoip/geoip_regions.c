/*
 * geoip_regions.c -- the names of regions, which databases of before have as
 * numbers: the library that was made for these knows them, if it is there.
 * Neither build nor start need it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/geoip/geoip_priv.h"

#include "base/check.h"
#include "os/library.h"


typedef const char *name_fn(const char *country, const char *region);

static name_fn  *name_of;


void
lun_geoip_regions_load(void)
{
    static const char *const  files[] = { "libGeoIP.so.1", "libGeoIP-1.dll" };
    static bool               looked;

    void         *symbol;
    size_t        i;
    lun_err       err;
    lun_library  *library = NULL;

    if (looked) {
        return;
    }

    looked = true;

    for (i = 0; i < LUN_ARRAY_LEN(files) && library == NULL; i++) {
        library = lun_library_open(files[i], &err);
    }

    if (library != NULL) {
        symbol = lun_library_symbol(library, "GeoIP_region_name_by_code");
        memcpy(&name_of, &symbol, sizeof(symbol));
    }
}


bool
lun_geoip_region_name(const lun_geoip_country *country, lun_str region,
    lun_str *name)
{
    char         code[3];
    const char  *p;

    LUN_CHECK(country != NULL);

    /* The library takes exactly two bytes for a region. */
    if (name_of == NULL || region.len != 2) {
        return false;
    }

    memcpy(code, region.data, 2);
    code[2] = '\0';
    p = name_of(country->code, code);

    if (p == NULL) {
        return false;
    }

    *name = lun_str_of(p, strlen(p));
    return true;
}
