/*
 * geoip_priv.h -- databases of addresses: MaxMind's of today (.mmdb), and what
 * it made before (.dat).  Both are bytes in memory that nobody trusts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_GEOIP_PRIV_H
#define LUN_GEOIP_PRIV_H

#include "base/array.h"
#include "base/pool.h"
#include "os/sock.h"

typedef struct {
    const uint8_t  *p, *end;
} lun_mmdb_section;

static inline size_t
lun_mmdb_section_len(const lun_mmdb_section *s)
{
    return (size_t) (s->end - s->p);
}

typedef struct {
    lun_mmdb_section  tree, data, metadata;
    uint32_t          nodes;
    unsigned          bits;        /* of a record; a node has two */
    bool              ipv6;
    uint32_t          ipv4_root;   /* node, or what is no node */
} lun_mmdb;

/* A value in a section. */
typedef struct {
    lun_mmdb_section  in;
    size_t            at;
} lun_mmdb_value;

/* ERROR: *why says what is wrong. */
lun_rc lun_mmdb_init(lun_mmdb *db, lun_str bytes, const char **why);

/* What is known of an address; false: nothing. */
bool lun_mmdb_find(const lun_mmdb *db, const lun_addr *addr,
    lun_mmdb_value *v);

/* The metadata, a map. */
lun_mmdb_value lun_mmdb_metadata(const lun_mmdb *db);

/* The member of a map or array, in its place; false: there is none. */
bool lun_mmdb_member(lun_mmdb_value *v, lun_str name);

/* The same, by several names (of lun_str), as text; false: it is no text. */
bool lun_mmdb_text(lun_pool *pool, lun_mmdb_value v, const lun_str *names,
    size_t count, lun_str *text);


typedef enum {
    LUN_GEODAT_COUNTRY, LUN_GEODAT_CITY, LUN_GEODAT_NAMES
} lun_geodat_kind;

typedef struct {
    lun_mmdb_section  bytes;
    lun_geodat_kind   kind;
    bool              ipv6, us_codes;
    uint32_t          segments;
    unsigned          record;      /* bytes */
} lun_geodat;

typedef struct {
    unsigned  country;
    lun_str   region, city, postal_code;
    double    latitude, longitude;
    unsigned  dma_code, area_code;
} lun_geodat_city;

lun_rc lun_geodat_init(lun_geodat *d, lun_str bytes, const char **why);

/* The number of a country; of 0 nothing is known. */
unsigned lun_geodat_country(const lun_geodat *d, const lun_addr *addr);

bool lun_geodat_find_city(const lun_geodat *d, const lun_addr *addr,
    lun_geodat_city *city);
bool lun_geodat_name(const lun_geodat *d, const lun_addr *addr, lun_str *name);


/* geoip_countries.c: by the numbers of .dat files, of ISO 3166. */
typedef struct {
    const char  *code, *code3, *continent, *name;
} lun_geoip_country;

const lun_geoip_country *lun_geoip_country_of(unsigned number);
const lun_geoip_country *lun_geoip_country_by_code(lun_str code);


/* geoip_regions.c: looks for the library that knows names of regions. */
void lun_geoip_regions_load(void);

/* By the region that a .dat file says; the name stays.  false: nobody knows,
   or the library is not here. */
bool lun_geoip_region_name(const lun_geoip_country *country, lun_str region,
    lun_str *name);

#endif
