/*
 * geoip_mmdb.c -- MaxMind's databases: a tree of bits that ends in values.
 *
 * A value is a byte of type and size, and what follows; a type of 1 is a
 * pointer to another one.  Every step is checked against the section's end: a
 * file may be cut off or made up.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/geoip/geoip_priv.h"

#include <inttypes.h>


enum {
    IS_EXTENDED, IS_POINTER, IS_TEXT, IS_DOUBLE, IS_BYTES, IS_UINT16,
    IS_UINT32, IS_MAP, IS_INT32, IS_UINT64, IS_UINT128, IS_ARRAY,
    IS_BOOLEAN = 14, IS_FLOAT,

    SEPARATOR = 16,                /* zero bytes behind the tree */
    METADATA_MOST = 128 * 1024,
    DEPTH = 32                     /* of values in values */
};

typedef struct {
    unsigned  type;
    size_t    size;                /* of a pointer: where it leads */
} head;

static const char  marker[] = "\xab\xcd\xefMaxMind.com";


/* --- values -------------------------------------------------------------- */

static bool
take_bytes(const lun_mmdb_section *in, size_t *at, unsigned n, uint64_t *out)
{
    *out = 0;

    if (lun_mmdb_section_len(in) < *at + n) {
        return false;
    }

    while (n-- > 0) {
        *out = *out << 8 | in->p[(*at)++];
    }

    return true;
}


static bool
take_pointer(const lun_mmdb_section *in, size_t *at, unsigned control,
    size_t *to)
{
    static const uint32_t  more[] = { 0, 2048, 526336, 0 };

    uint64_t  n;
    unsigned  bytes = control >> 3 & 3;

    if (!take_bytes(in, at, bytes + 1, &n)) {
        return false;
    }

    if (bytes < 3) {
        n |= (uint64_t) (control & 7) << (8 * (bytes + 1));
    }

    *to = (size_t) n + more[bytes];
    return true;
}


/* What stands at *at, which is behind it then. */
static bool
take_head(const lun_mmdb_section *in, size_t *at, head *h)
{
    static const uint32_t  more[] = { 29, 285, 65821 };

    uint64_t  control, n;

    if (!take_bytes(in, at, 1, &control)) {
        return false;
    }

    h->type = (unsigned) control >> 5;

    if (h->type == IS_POINTER) {
        return take_pointer(in, at, (unsigned) control, &h->size);
    }

    if (h->type == IS_EXTENDED) {
        if (!take_bytes(in, at, 1, &n)) {
            return false;
        }

        h->type = (unsigned) n + 7;
    }

    h->size = control & 31;

    if (h->size >= 29) {
        if (!take_bytes(in, at, (unsigned) h->size - 28, &n)) {
            return false;
        }

        h->size = more[h->size - 29] + (size_t) n;
    }

    return true;
}


/* The same; what a pointer leads to is no pointer.  *behind is behind it. */
static bool
resolve(const lun_mmdb_section *in, size_t *at, head *h, size_t *behind)
{
    if (!take_head(in, at, h)) {
        return false;
    }

    *behind = *at;

    if (h->type == IS_POINTER) {
        *at = h->size;
        return *at < lun_mmdb_section_len(in) && take_head(in, at, h)
               && h->type != IS_POINTER;
    }

    return true;
}


/*
 * Depth is bounded and every head checked against the section's end: the file
 * is somebody else's.  A pointer is not followed here, so none can go round in
 * circles.
 */
static bool
skip_value(const lun_mmdb_section *in, size_t *at, unsigned depth)
{
    head    h;
    size_t  i, n;

    if (!take_head(in, at, &h) || depth == DEPTH) {
        return false;
    }

    switch (h.type) {

    case IS_POINTER:
    case IS_BOOLEAN:
        return true;

    case IS_MAP:
    case IS_ARRAY:
        n = h.size * (h.type == IS_MAP ? 2 : 1);

        for (i = 0; i < n; i++) {
            if (!skip_value(in, at, depth + 1)) {
                return false;
            }
        }

        return true;

    default:
        *at += h.size;
        return *at <= lun_mmdb_section_len(in);
    }
}


/* The text at *at, which is behind it then. */
static bool
take_text(const lun_mmdb_section *in, size_t *at, lun_str *text)
{
    head    h;
    size_t  from = *at, behind;

    if (!resolve(in, &from, &h, &behind) || h.type != IS_TEXT
        || lun_mmdb_section_len(in) - from < h.size)
    {
        return false;
    }

    /* Without a pointer it stands right there. */
    *at = behind == from ? from + h.size : behind;
    *text = lun_str_of((const char *) in->p + from, h.size);
    return true;
}


static bool
map_member(lun_mmdb_value *v, size_t at, size_t count, lun_str name)
{
    lun_str  key;

    for ( ; count != 0; count--) {
        if (!take_text(&v->in, &at, &key)) {
            return false;
        }

        if (lun_str_eq(key, name)) {
            v->at = at;
            return true;
        }

        if (!skip_value(&v->in, &at, 0)) {
            return false;
        }
    }

    return false;
}


/* By its number, from 0; or from the end, where -1 is the last. */
static bool
array_member(lun_mmdb_value *v, size_t at, size_t count, lun_str name)
{
    int64_t  n;

    if (lun_str_to_i64(name, &n) != LUN_OK) {
        return false;
    }

    n += n < 0 ? (int64_t) count : 0;

    if (n < 0 || n >= (int64_t) count) {
        return false;
    }

    for ( ; n != 0; n--) {
        if (!skip_value(&v->in, &at, 0)) {
            return false;
        }
    }

    v->at = at;
    return true;
}


bool
lun_mmdb_member(lun_mmdb_value *v, lun_str name)
{
    head    h;
    size_t  at = v->at, behind;

    if (!resolve(&v->in, &at, &h, &behind)) {
        return false;
    }

    return h.type == IS_MAP ? map_member(v, at, h.size, name)
           : h.type == IS_ARRAY && array_member(v, at, h.size, name);
}


/* So many bytes of a number; what is left out in front of it is nothing. */
static bool
number_of(const lun_mmdb_value *v, size_t at, const head *h, uint64_t *n)
{
    return h->size <= 8 && take_bytes(&v->in, &at, (unsigned) h->size, n);
}


static bool
format_real(lun_pool *pool, const lun_mmdb_value *v, size_t at, const head *h,
    lun_str *text)
{
    float     single;
    double    number;
    uint32_t  low;
    uint64_t  n;

    if (h->size != (h->type == IS_DOUBLE ? 8 : 4) || !number_of(v, at, h, &n)) {
        return false;
    }

    if (h->type == IS_DOUBLE) {
        memcpy(&number, &n, sizeof(number));

    } else {
        low = (uint32_t) n;
        memcpy(&single, &low, sizeof(single));
        number = (double) single;
    }

    *text = lun_pool_fmt(pool, "%.5f", number);
    return true;
}


static bool
format_wide(lun_pool *pool, const lun_mmdb_value *v, size_t at, const head *h,
    lun_str *text)
{
    uint64_t  high, low;
    unsigned  first = h->size > 8 ? (unsigned) h->size - 8 : 0;

    if (h->size > 16 || !take_bytes(&v->in, &at, first, &high)
        || !take_bytes(&v->in, &at, (unsigned) h->size - first, &low))
    {
        return false;
    }

    *text = lun_pool_fmt(pool, "0x%016" PRIx64 "%016" PRIx64, high, low);
    return true;
}


static bool
format(lun_pool *pool, const lun_mmdb_value *v, lun_str *text)
{
    head      h;
    size_t    at = v->at, behind;
    uint64_t  n;

    if (!resolve(&v->in, &at, &h, &behind)) {
        return false;
    }

    switch (h.type) {

    case IS_TEXT:
    case IS_BYTES:
        if (lun_mmdb_section_len(&v->in) - at < h.size) {
            return false;
        }

        *text = lun_pool_str(pool, lun_str_of((const char *) v->in.p + at,
                                              h.size));
        return true;

    case IS_DOUBLE:
    case IS_FLOAT:
        return format_real(pool, v, at, &h, text);

    case IS_BOOLEAN:
        *text = h.size != 0 ? LUN_STR("1") : LUN_STR("0");
        return true;

    case IS_UINT16:
    case IS_UINT32:
    case IS_UINT64:
        if (!number_of(v, at, &h, &n)) {
            return false;
        }

        *text = lun_pool_fmt(pool, "%" PRIu64, n);
        return true;

    case IS_INT32:
        if (!number_of(v, at, &h, &n)) {
            return false;
        }

        *text = lun_pool_fmt(pool, "%" PRId32, (int32_t) (uint32_t) n);
        return true;

    case IS_UINT128:
        return format_wide(pool, v, at, &h, text);

    default:
        return false;
    }
}


bool
lun_mmdb_text(lun_pool *pool, lun_mmdb_value v, const lun_str *names,
    size_t count, lun_str *text)
{
    size_t  i;

    for (i = 0; i < count; i++) {
        if (!lun_mmdb_member(&v, names[i])) {
            return false;
        }
    }

    return format(pool, &v, text);
}


/* --- the file ------------------------------------------------------------ */

lun_mmdb_value
lun_mmdb_metadata(const lun_mmdb *db)
{
    return (lun_mmdb_value) { db->metadata, 0 };
}


static bool
read_number(const lun_mmdb *db, const char *name, uint64_t *n)
{
    head            h;
    size_t          at, behind;
    lun_mmdb_value  v = lun_mmdb_metadata(db);

    if (!lun_mmdb_member(&v, lun_str_of(name, strlen(name)))) {
        return false;
    }

    at = v.at;
    return resolve(&v.in, &at, &h, &behind)
           && (h.type == IS_UINT16 || h.type == IS_UINT32
               || h.type == IS_UINT64)
           && number_of(&v, at, &h, n);
}


/* Behind the last marker; NULL: there is none. */
static const uint8_t *
find_metadata(lun_str bytes)
{
    size_t       len = sizeof(marker) - 1;
    const char  *p, *least;

    if (bytes.len < len) {
        return NULL;
    }

    least = bytes.len > METADATA_MOST
            ? bytes.data + bytes.len - METADATA_MOST : bytes.data;

    for (p = bytes.data + bytes.len - len; ; p--) {
        if (memcmp(p, marker, len) == 0) {
            return (const uint8_t *) p + len;
        }

        if (p == least) {
            return NULL;
        }
    }
}


/* The n'th record of a node: a node, or what is none. */
static uint32_t
record_of(const lun_mmdb *db, uint32_t node, unsigned right)
{
    const uint8_t  *p = db->tree.p + (size_t) node * (db->bits / 4);

    switch (db->bits) {

    case 24:
        p += right * 3;
        return (uint32_t) p[0] << 16 | (uint32_t) p[1] << 8 | p[2];

    case 28:
        return right == 0
               ? (uint32_t) (p[3] >> 4) << 24 | (uint32_t) p[0] << 16
                 | (uint32_t) p[1] << 8 | p[2]
               : (uint32_t) (p[3] & 15) << 24 | (uint32_t) p[4] << 16
                 | (uint32_t) p[5] << 8 | p[6];

    default:
        p += right * 4;
        return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16
               | (uint32_t) p[2] << 8 | p[3];
    }
}


static uint32_t
walk(const lun_mmdb *db, uint32_t node, const uint8_t *ip, unsigned bits)
{
    unsigned  i;

    for (i = 0; i < bits && node < db->nodes; i++) {
        node = record_of(db, node, ip[i / 8] >> (7 - i % 8) & 1);
    }

    return node;
}


/*
 * All sizes are checked once, here: reading a record afterwards checks nothing
 * but its own pointer.  IPv4 lives under 96 zeros of the tree, which are walked
 * once.
 */
lun_rc
lun_mmdb_init(lun_mmdb *db, lun_str bytes, const char **why)
{
    static const uint8_t  zeros[12];

    size_t          tree;
    uint64_t        nodes, bits, version, major;
    const uint8_t  *start = (const uint8_t *) bytes.data;
    const uint8_t  *behind = find_metadata(bytes);

    if (behind == NULL) {
        *why = "it is no MaxMind DB";
        return LUN_ERROR;
    }

    db->metadata = (lun_mmdb_section) { behind, start + bytes.len };

    if (!read_number(db, "node_count", &nodes)
        || !read_number(db, "record_size", &bits)
        || !read_number(db, "ip_version", &version)
        || !read_number(db, "binary_format_major_version", &major))
    {
        *why = "its metadata are not complete";
        return LUN_ERROR;
    }

    if (major != 2 || (bits != 24 && bits != 28 && bits != 32)
        || (version != 4 && version != 6) || nodes > UINT32_MAX / 2)
    {
        *why = "its format is not known";
        return LUN_ERROR;
    }

    db->nodes = (uint32_t) nodes;
    db->bits = (unsigned) bits;
    db->ipv6 = version == 6;
    tree = (size_t) (nodes * bits / 4);
    behind -= sizeof(marker) - 1;

    if (nodes == 0 || tree > (size_t) (behind - start)
        || (size_t) (behind - start) - tree < SEPARATOR)
    {
        *why = "it is cut off";
        return LUN_ERROR;
    }

    db->tree = (lun_mmdb_section) { start, start + tree };
    db->data = (lun_mmdb_section) { start + tree + SEPARATOR, behind };
    db->ipv4_root = db->ipv6 ? walk(db, 0, zeros, 96) : 0;
    return LUN_OK;
}


bool
lun_mmdb_find(const lun_mmdb *db, const lun_addr *addr, lun_mmdb_value *v)
{
    uint32_t  node;

    switch (addr->family) {

    case LUN_AF_INET:
        node = walk(db, db->ipv4_root, addr->ip, 32);
        break;

    case LUN_AF_INET6:
        node = db->ipv6 ? walk(db, 0, addr->ip, 128) : db->nodes;
        break;

    default:
        return false;
    }

    /* The node of that number is the one of what is not known. */
    if (node <= db->nodes || node - db->nodes < SEPARATOR) {
        return false;
    }

    *v = (lun_mmdb_value) { db->data, node - db->nodes - SEPARATOR };
    return v->at < lun_mmdb_section_len(&v->in);
}
