/*
 * geoip_legacy.c -- .dat files: a tree of bits that ends in the number of a
 * country, or in the place of a record.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/geoip/geoip_priv.h"


enum {
    COUNTRIES_FROM = 0xffff00,     /* what is above is a country */
    TAIL = 20                      /* bytes in which the structure is said */
};

/* What the structure's number means. */
static const struct {
    uint8_t  number;
    uint8_t  kind;
    uint8_t  record;
    bool     ipv6;
} kinds[] = {
    { 1, LUN_GEODAT_COUNTRY, 3, false }, { 12, LUN_GEODAT_COUNTRY, 3, true },
    { 2, LUN_GEODAT_CITY, 3, false }, { 6, LUN_GEODAT_CITY, 3, false },
    { 30, LUN_GEODAT_CITY, 3, true }, { 31, LUN_GEODAT_CITY, 3, true },
    { 4, LUN_GEODAT_NAMES, 4, false }, { 5, LUN_GEODAT_NAMES, 4, false },
    { 11, LUN_GEODAT_NAMES, 4, false }, { 9, LUN_GEODAT_NAMES, 3, false },
    { 21, LUN_GEODAT_NAMES, 3, true }, { 22, LUN_GEODAT_NAMES, 4, true },
    { 23, LUN_GEODAT_NAMES, 4, true }, { 24, LUN_GEODAT_NAMES, 4, true },
};


static uint32_t
little_endian(const uint8_t *p, unsigned n)
{
    uint32_t  number = 0;

    while (n-- > 0) {
        number = number << 8 | p[n];
    }

    return number;
}


static lun_rc
set_kind(lun_geodat *d, unsigned number, const char **why)
{
    size_t  i;

    /* Old files count from 105 on. */
    number -= number > 105 ? 105 : 0;

    for (i = 0; i < LUN_ARRAY_LEN(kinds); i++) {
        if (kinds[i].number == number) {
            d->kind = kinds[i].kind;
            d->record = kinds[i].record;
            d->ipv6 = kinds[i].ipv6;
            d->us_codes = number == 2 || number == 30;
            return LUN_OK;
        }
    }

    *why = "its type is not known";
    return LUN_ERROR;
}


/* Three bytes of 0xff, the type, and where records begin, near the end. */
lun_rc
lun_geodat_init(lun_geodat *d, lun_str bytes, const char **why)
{
    unsigned        i;
    const uint8_t  *p;

    d->bytes.p = (const uint8_t *) bytes.data;
    d->bytes.end = d->bytes.p + bytes.len;
    d->kind = LUN_GEODAT_COUNTRY;
    d->record = 3;
    d->segments = COUNTRIES_FROM;

    for (i = 0; i < TAIL && bytes.len >= 4 + i; i++) {
        p = d->bytes.end - 4 - i;

        if (memcmp(p, "\xff\xff\xff", 3) != 0) {
            continue;
        }

        if (set_kind(d, p[3], why) != LUN_OK) {
            return LUN_ERROR;
        }

        if (d->kind != LUN_GEODAT_COUNTRY) {
            if (i < 3) {
                *why = "it is cut off";
                return LUN_ERROR;
            }

            d->segments = little_endian(p + 4, 3);
        }

        return LUN_OK;
    }

    *why = "it is no GeoIP database";
    return LUN_ERROR;
}


/* Where the tree ends for an address; 0: it is broken. */
static uint32_t
seek(const lun_geodat *d, const lun_addr *addr)
{
    size_t    node = 2 * d->record;
    uint8_t   ip[16] = { 0 };
    uint32_t  at = 0;
    unsigned  i, bits = d->ipv6 ? 128 : 32;

    if (d->ipv6 && addr->family == LUN_AF_INET) {
        ip[10] = ip[11] = 0xff;
        memcpy(ip + 12, addr->ip, 4);

    } else if (addr->family == (d->ipv6 ? LUN_AF_INET6 : LUN_AF_INET)) {
        memcpy(ip, addr->ip, bits / 8);

    } else {
        memset(ip, 0xff, sizeof(ip));
    }

    for (i = 0; i < bits; i++) {
        if (lun_mmdb_section_len(&d->bytes) / node <= at) {
            return 0;
        }

        at = little_endian(d->bytes.p + at * node
                           + (ip[i / 8] >> (7 - i % 8) & 1) * d->record,
                           d->record);

        if (at >= d->segments) {
            return at;
        }
    }

    return 0;
}


unsigned
lun_geodat_country(const lun_geodat *d, const lun_addr *addr)
{
    uint32_t         at;
    lun_geodat_city  city;

    switch (d->kind) {

    case LUN_GEODAT_COUNTRY:
        at = seek(d, addr);
        return at > COUNTRIES_FROM ? at - COUNTRIES_FROM : 0;

    case LUN_GEODAT_CITY:
        return lun_geodat_find_city(d, addr, &city) ? city.country : 0;

    default:
        return 0;
    }
}


/* The record of an address; false: there is none. */
static bool
find_record(const lun_geodat *d, const lun_addr *addr, lun_mmdb_section *s)
{
    size_t    at;
    uint32_t  end = seek(d, addr);

    if (end <= d->segments) {
        return false;
    }

    at = end + (size_t) (2 * d->record - 1) * d->segments;

    if (at >= lun_mmdb_section_len(&d->bytes)) {
        return false;
    }

    *s = (lun_mmdb_section) { d->bytes.p + at, d->bytes.end };
    return true;
}


/* What ends with a zero byte. */
static bool
take_text(lun_mmdb_section *s, lun_str *text)
{
    const uint8_t  *end = memchr(s->p, 0, lun_mmdb_section_len(s));

    if (end == NULL) {
        return false;
    }

    *text = lun_str_of((const char *) s->p, (size_t) (end - s->p));
    s->p = end + 1;
    return true;
}


static bool
take_number(lun_mmdb_section *s, uint32_t *n)
{
    if (lun_mmdb_section_len(s) < 3) {
        return false;
    }

    *n = little_endian(s->p, 3);
    s->p += 3;
    return true;
}


/*
 * Coordinates are ten-thousandths above -180.  American records have two codes
 * more, and only in some editions.
 */
bool
lun_geodat_find_city(const lun_geodat *d, const lun_addr *addr,
    lun_geodat_city *city)
{
    uint32_t                  n;
    lun_mmdb_section          s;
    const lun_geoip_country  *country;

    *city = (lun_geodat_city) { 0 };

    if (d->kind != LUN_GEODAT_CITY || !find_record(d, addr, &s)) {
        return false;
    }

    city->country = *s.p++;

    if (!take_text(&s, &city->region) || !take_text(&s, &city->city)
        || !take_text(&s, &city->postal_code) || !take_number(&s, &n))
    {
        return false;
    }

    city->latitude = n / 10000.0 - 180;

    if (!take_number(&s, &n)) {
        return false;
    }

    city->longitude = n / 10000.0 - 180;
    country = lun_geoip_country_of(city->country);

    if (d->us_codes && country != NULL && strcmp(country->code, "US") == 0
        && take_number(&s, &n))
    {
        city->dma_code = n / 1000;
        city->area_code = n % 1000;
    }

    return true;
}


bool
lun_geodat_name(const lun_geodat *d, const lun_addr *addr, lun_str *name)
{
    lun_mmdb_section  s;

    return d->kind == LUN_GEODAT_NAMES && find_record(d, addr, &s)
           && take_text(&s, name);
}
