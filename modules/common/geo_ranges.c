/*
 * geo_ranges.c -- geo's other form: from this address to that.
 *
 * A range may lie within one that was given before, and divides it; one that
 * overlaps another in part is an error.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/geo_priv.h"


uint32_t
lun_geo_number(const uint8_t *ip)
{
    return (uint32_t) ip[0] << 24 | (uint32_t) ip[1] << 16
           | (uint32_t) ip[2] << 8 | ip[3];
}


static lun_rc
read_range(lun_conf *cf, lun_str text, lun_geo_range *range)
{
    size_t       len;
    lun_addr     first, last;
    const char  *dash = lun_str_chr(text, '-');

    if (dash == NULL) {
        goto invalid;
    }

    len = (size_t) (dash - text.data);

    if (lun_addr_parse(lun_str_of(text.data, len), &first) != LUN_OK
        || lun_addr_parse(lun_str_of(dash + 1, text.len - len - 1), &last)
           != LUN_OK
        || first.family != LUN_AF_INET || last.family != LUN_AF_INET
        || first.port != 0 || last.port != 0)
    {
        goto invalid;
    }

    range->first = lun_geo_number(first.ip);
    range->last = lun_geo_number(last.ip);

    if (range->first <= range->last) {
        return LUN_OK;
    }

invalid:

    return lun_conf_fail(cf, "invalid range \"%.*s\"", LUN_S(text));
}


/* The first that ends at the number or behind it; count: there is none. */
static size_t
place_of(const lun_array *ranges, uint32_t number)
{
    size_t                at, low = 0, high = ranges->count;
    const lun_geo_range  *items = ranges->items;

    while (low < high) {
        at = (low + high) / 2;

        if (items[at].last < number) {
            low = at + 1;

        } else {
            high = at;
        }
    }

    return low;
}


const lun_str *
lun_geo_find_range(const lun_array *ranges, uint32_t number)
{
    size_t                at = place_of(ranges, number);
    const lun_geo_range  *items = ranges->items;

    return at < ranges->count && items[at].first <= number ? items[at].value
                                                           : NULL;
}


static void
insert(lun_array *ranges, size_t at, lun_geo_range range)
{
    lun_geo_range  *items;

    (void) lun_array_push(ranges);
    items = ranges->items;
    memmove(&items[at + 1], &items[at],
            (ranges->count - 1 - at) * sizeof(range));
    items[at] = range;
}


/* What is left of `old` on both sides stays. */
static void
divide(lun_array *ranges, size_t at, lun_geo_range range)
{
    lun_geo_range  *items = ranges->items, old = items[at];

    items[at] = range;

    if (old.last > range.last) {
        insert(ranges, at + 1,
               (lun_geo_range) { range.last + 1, old.last, old.value });
    }

    if (old.first < range.first) {
        insert(ranges, at,
               (lun_geo_range) { old.first, range.first - 1, old.value });
    }
}


static lun_rc
overlaps(lun_conf *cf, lun_str text, const lun_geo_range *other)
{
    uint32_t  a = other->first, b = other->last;

    return lun_conf_fail(cf, "range \"%.*s\" overlaps "
                         "\"%u.%u.%u.%u-%u.%u.%u.%u\"", LUN_S(text),
                         a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255,
                         b >> 24, b >> 16 & 255, b >> 8 & 255, b & 255);
}


/*
 * A range inside of another one divides it; one that crosses its edge is an
 * error, since nobody could say which is meant.
 */
lun_rc
lun_geo_add_range(lun_conf *cf, lun_array *ranges, lun_str text,
    const lun_str *value)
{
    size_t          at;
    lun_geo_range   range = { .value = value }, *items = ranges->items;

    if (read_range(cf, text, &range) != LUN_OK) {
        return LUN_ERROR;
    }

    at = place_of(ranges, range.first);

    if (at == ranges->count || items[at].first > range.last) {
        insert(ranges, at, range);
        return LUN_OK;
    }

    if (items[at].first > range.first || items[at].last < range.last) {
        return overlaps(cf, text, &items[at]);
    }

    if (items[at].first == range.first && items[at].last == range.last) {
        lun_conf_warn(cf, "duplicate range \"%.*s\", value: \"%.*s\", old "
                      "value: \"%.*s\"", LUN_S(text), LUN_S(*value),
                      LUN_S(*items[at].value));
    }

    divide(ranges, at, range);
    return LUN_OK;
}


lun_rc
lun_geo_delete_range(lun_conf *cf, lun_array *ranges, lun_str text)
{
    size_t          at;
    lun_geo_range   range, *items = ranges->items;

    if (read_range(cf, text, &range) != LUN_OK) {
        return LUN_ERROR;
    }

    at = place_of(ranges, range.first);

    if (at == ranges->count || items[at].first != range.first
        || items[at].last != range.last)
    {
        lun_conf_warn(cf, "no address range \"%.*s\" to delete", LUN_S(text));
        return LUN_OK;
    }

    ranges->count--;
    memmove(&items[at], &items[at + 1],
            (ranges->count - at) * sizeof(range));

    return LUN_OK;
}
