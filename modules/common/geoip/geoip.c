/*
 * geoip.c -- what a database knows of the client's address, by nginx's names.
 *
 *     geoip_country  GeoIP.dat;               or GeoLite2-Country.mmdb
 *     geoip_city     GeoLiteCity.dat;         or GeoLite2-City.mmdb
 *     geoip_org      GeoIPASNum.dat;          or GeoLite2-ASN.mmdb
 *     geoip_proxy    10.0.0.0/8;
 *
 * A database is MaxMind's of today or of before, and is in memory.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/geoip/geoip_priv.h"

#include <stdlib.h>

#include "config/hosts.h"
#include "os/cidr.h"
#include "os/file.h"
#include "session/engine.h"
#include "session/module.h"


typedef struct {
    bool        is_mmdb;
    bool        utf8;              /* what .dat files have is made that */
    lun_mmdb    mmdb;
    lun_geodat  dat;
} database;

typedef struct {
    database   *country, *city, *org;
    lun_array  *proxies;           /* of lun_cidr */
    bool        recursive;
} geoip_conf;

typedef enum {
    CODE, CODE3, NAME, CONTINENT, REGION, REGION_NAME, CITY, POSTAL_CODE,
    LATITUDE, LONGITUDE, DMA_CODE, AREA_CODE, ORG
} part;

/* Where an mmdb has what a part is; the first that there is. */
typedef struct {
    lun_str  names[4];
    size_t   count;
} place;

#define PLACE(...)                                                            \
    { { __VA_ARGS__ }, sizeof((lun_str[]) { __VA_ARGS__ }) / sizeof(lun_str) }

#define S  LUN_STR_INIT

static const place  places[] = {
    [CODE] = PLACE(S("country"), S("iso_code")),
    [CODE3] = PLACE(S("country"), S("iso_code")),
    [NAME] = PLACE(S("country"), S("names"), S("en")),
    [CONTINENT] = PLACE(S("continent"), S("code")),
    [REGION] = PLACE(S("subdivisions"), S("0"), S("iso_code")),
    [REGION_NAME] = PLACE(S("subdivisions"), S("0"), S("names"), S("en")),
    [CITY] = PLACE(S("city"), S("names"), S("en")),
    [POSTAL_CODE] = PLACE(S("postal"), S("code")),
    [LATITUDE] = PLACE(S("location"), S("latitude")),
    [LONGITUDE] = PLACE(S("location"), S("longitude")),
    [DMA_CODE] = PLACE(S("location"), S("metro_code")),
    [AREA_CODE] = { .count = 0 },
    [ORG] = PLACE(S("organization")),
};

static const lun_str  other_orgs[] = {
    S("autonomous_system_organization"), S("isp")
};

/* A variable's data: the database and the part of what it says. */
#define DATA(which, part)  (offsetof(geoip_conf, which) << 8 | (part))

extern lun_module  lun_common_geoip;


/* --- looking up ---------------------------------------------------------- */

static lun_addr
address_of(lun_session *s, const geoip_conf *conf)
{
    lun_addr             addr = *s->remote;
    const lun_protocol  *p = s->engine->protocol;

    if (conf->proxies != NULL && p->forwarded != NULL) {
        (void) p->forwarded(s, LUN_STR("X-Forwarded-For"), &addr,
                            conf->proxies, conf->recursive);
    }

    return lun_addr_unmap(&addr);
}


/* Of a number with five digits behind the point: four. */
static lun_str
four_digits(lun_session *s, double number)
{
    return lun_pool_fmt(s->pool, "%.4f", number);
}


/*
 * The legacy variables out of a new database: what the old format had as codes
 * is looked up by what the new one has.
 */
static bool
from_mmdb(lun_session *s, const database *db, const lun_addr *addr, part what,
    lun_str *text)
{
    size_t                    i;
    const place              *at = &places[what];
    lun_mmdb_value            v;
    const lun_geoip_country  *country;

    if (at->count == 0 || !lun_mmdb_find(&db->mmdb, addr, &v)) {
        return false;
    }

    if (!lun_mmdb_text(s->pool, v, at->names, at->count, text)) {
        for (i = 0; i < LUN_ARRAY_LEN(other_orgs) && what == ORG; i++) {
            if (lun_mmdb_text(s->pool, v, &other_orgs[i], 1, text)) {
                return true;
            }
        }

        return false;
    }

    switch (what) {

    case CODE3:
        country = lun_geoip_country_by_code(*text);

        if (country == NULL) {
            return false;
        }

        *text = lun_str_of(country->code3, strlen(country->code3));
        return true;

    case LATITUDE:
    case LONGITUDE:
        *text = four_digits(s, strtod(lun_pool_fmt(s->pool, "%.*s",
                                                   LUN_S(*text)).data, NULL));
        return true;

    default:
        return true;
    }
}


/* Texts of .dat files are of ISO 8859-1. */
static bool
dat_text(lun_session *s, const database *db, lun_str from, lun_str *text)
{
    char    *p;
    size_t   i;
    uint8_t  byte;

    if (from.len == 0) {
        return false;
    }

    if (!db->utf8) {
        *text = from;
        return true;
    }

    text->data = p = lun_pool_text(s->pool, from.len * 2);

    for (i = 0; i < from.len; i++) {
        byte = (uint8_t) from.data[i];

        if (byte >= 0x80) {
            *p++ = (char) (0xc0 | byte >> 6);
            byte = 0x80 | (byte & 0x3f);
        }

        *p++ = (char) byte;
    }

    text->len = (size_t) (p - text->data);
    return true;
}


static bool
country_part(unsigned number, part what, lun_str *text)
{
    const char               *p;
    const lun_geoip_country  *country = lun_geoip_country_of(number);

    if (country == NULL) {
        return false;
    }

    p = what == CODE ? country->code : what == CODE3 ? country->code3
        : what == NAME ? country->name : country->continent;
    *text = lun_str_of(p, strlen(p));
    return true;
}


/*
 * Country, city and organisation files answer different questions; who is asked
 * what it does not know says nothing.
 */
static bool
from_dat(lun_session *s, const database *db, const lun_addr *addr, part what,
    lun_str *text)
{
    lun_str                   name;
    lun_geodat_city           city;
    const lun_geoip_country  *country;

    if (db->dat.kind == LUN_GEODAT_NAMES) {
        return what == ORG && lun_geodat_name(&db->dat, addr, &name)
               && dat_text(s, db, name, text);
    }

    if (what <= CONTINENT) {
        return country_part(lun_geodat_country(&db->dat, addr), what, text);
    }

    if (!lun_geodat_find_city(&db->dat, addr, &city)) {
        return false;
    }

    switch (what) {

    case REGION:
        return dat_text(s, db, city.region, text);

    case CITY:
        return dat_text(s, db, city.city, text);

    case POSTAL_CODE:
        return dat_text(s, db, city.postal_code, text);

    case LATITUDE:
        *text = four_digits(s, city.latitude);
        return true;

    case LONGITUDE:
        *text = four_digits(s, city.longitude);
        return true;

    case DMA_CODE:
        *text = lun_pool_fmt(s->pool, "%u", city.dma_code);
        return true;

    case AREA_CODE:
        *text = lun_pool_fmt(s->pool, "%u", city.area_code);
        return true;

    case REGION_NAME:
        country = lun_geoip_country_of(city.country);
        return country != NULL
               && lun_geoip_region_name(country, city.region, text);

    default:
        return false;
    }
}


static void
get_part(lun_session *s, lun_value *v, uintptr_t data)
{
    part               what = (part) (data & 0xff);
    bool               found;
    lun_addr           addr;
    const database    *db;
    const geoip_conf  *conf = lun_session_conf(s, &lun_common_geoip);

    db = conf == NULL ? NULL
         : *(database *const *) ((const char *) conf + (data >> 8));

    if (db == NULL) {
        v->not_found = 1;
        return;
    }

    addr = address_of(s, conf);
    found = db->is_mmdb ? from_mmdb(s, db, &addr, what, &v->text)
                        : from_dat(s, db, &addr, what, &v->text);
    v->not_found = !found;
}


#define VARIABLE(name_, which, part, says)                                    \
    { .name = LUN_STR_INIT("geoip_" name_), .get = get_part,                  \
      .data = DATA(which, part), .help = says }

static const lun_variable  variables[] = {
    VARIABLE("country_code", country, CODE, "the country, in two letters"),
    VARIABLE("country_code3", country, CODE3, "the country, in three letters"),
    VARIABLE("country_name", country, NAME, "the country's name"),
    VARIABLE("org", org, ORG, "who the address belongs to"),
    VARIABLE("city_continent_code", city, CONTINENT,
             "the continent, in two letters"),
    VARIABLE("city_country_code", city, CODE, "the country, in two letters"),
    VARIABLE("city_country_code3", city, CODE3,
             "the country, in three letters"),
    VARIABLE("city_country_name", city, NAME, "the country's name"),
    VARIABLE("region", city, REGION, "the region's code"),
    VARIABLE("region_name", city, REGION_NAME, "the region's name"),
    VARIABLE("city", city, CITY, "the city"),
    VARIABLE("postal_code", city, POSTAL_CODE, "the postal code"),
    VARIABLE("latitude", city, LATITUDE, "degrees north"),
    VARIABLE("longitude", city, LONGITUDE, "degrees east"),
    VARIABLE("dma_code", city, DMA_CODE,
             "the metro code, in the United States"),
    VARIABLE("area_code", city, AREA_CODE,
             "the telephone area, in the United States"),
    { .name = LUN_STR_NULL }
};


/* --- directives ---------------------------------------------------------- */

static void
free_bytes(void *bytes)
{
    free(bytes);
}


static lun_rc
open_database(lun_conf *cf, database *db, lun_str path)
{
    char        *bytes;
    size_t       size;
    lun_err      err = lun_file_slurp(path.data, &bytes, &size);
    lun_str      text;
    const char  *why, *also;

    if (err != 0) {
        return lun_conf_fail_err(cf, err, "GeoIP_open(\"%.*s\") failed",
                                 LUN_S(path));
    }

    lun_pool_on_end(cf->pool, free_bytes, bytes);
    text = lun_str_of(bytes, size);
    db->is_mmdb = lun_mmdb_init(&db->mmdb, text, &why) == LUN_OK;

    if (!db->is_mmdb && lun_geodat_init(&db->dat, text, &also) != LUN_OK) {
        return lun_conf_fail(cf, "GeoIP_open(\"%.*s\") failed: %s, and %s",
                             LUN_S(path), why, also);
    }

    return LUN_OK;
}


/* The field is the database; data: the kind of .dat that it may be. */
static lun_rc
set_database(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str          path = lun_conf_path(cf, cf->args[1], true);
    database        *db = lun_pool_new(cf->pool, database);
    lun_geodat_kind  kind = *(const lun_geodat_kind *) d->data;

    if (cf->argc == 3) {
        if (!lun_str_eq(cf->args[2], LUN_STR("utf8"))) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[2]));
        }

        db->utf8 = true;
    }

    if (open_database(cf, db, path) != LUN_OK) {
        return LUN_ERROR;
    }

    if (!db->is_mmdb && db->dat.kind != kind) {
        return lun_conf_fail(cf, "invalid GeoIP database \"%.*s\" type:%d",
                             LUN_S(path), db->dat.kind);
    }

    if (!db->is_mmdb && kind == LUN_GEODAT_CITY) {
        lun_geoip_regions_load();
    }

    *(database **) ((char *) conf + d->field) = db;
    return LUN_OK;
}


static lun_rc
set_proxy(lun_conf *cf, const lun_directive *d, void *data)
{
    geoip_conf  *conf = data;

    return lun_conf_networks(cf, cf->args[1], "geoip_proxy", &conf->proxies);
}


static const lun_geodat_kind  of_country = LUN_GEODAT_COUNTRY,
                              of_city = LUN_GEODAT_CITY,
                              of_names = LUN_GEODAT_NAMES;

static const lun_directive  directives[] = {
    { .name = "geoip_country", .where = LUN_ANY_PROTOCOL, .args = 1,
      .args_max = 2, .set = set_database, LUN_FIELD(geoip_conf, country),
      .data = &of_country,
      .values = "file [utf8]",
      .help = "database of countries, by address" },
    { .name = "geoip_city", .where = LUN_ANY_PROTOCOL, .args = 1,
      .args_max = 2, .set = set_database, LUN_FIELD(geoip_conf, city),
      .data = &of_city,
      .values = "file [utf8]",
      .help = "database of cities, by address" },
    { .name = "geoip_org", .where = LUN_ANY_PROTOCOL, .args = 1,
      .args_max = 2, .set = set_database, LUN_FIELD(geoip_conf, org),
      .data = &of_names,
      .values = "file [utf8]",
      .help = "database of organizations, by address" },
    { .name = "geoip_proxy", .where = LUN_HTTP, .args = 1, .repeats = true,
      .set = set_proxy, LUN_FIELD(geoip_conf, proxies),
      .values = "address | CIDR",
      .help = "proxies whose X-Forwarded-For counts" },
    { .name = "geoip_proxy_recursive", .where = LUN_HTTP, .args = 1,
      .set = lun_set_flag, LUN_FIELD(geoip_conf, recursive),
      .fallback = "off",
      .help = "follows X-Forwarded-For past every such proxy" },
    { 0 }
};

lun_module  lun_common_geoip = {
    .name = "geoip",
    .directives = directives,
    .conf_size = sizeof(geoip_conf),
    .variables = variables,
};
