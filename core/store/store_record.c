/*
 * store_record.c -- changes as texts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "store/store_record.h"

#include <math.h>

#include "base/check.h"
#include "base/fmt.h"


enum { KEY_MOST = 65535 };

static const char  ops[] = "?SDAF";        /* by lun_change_op */


static char *
put_big(char *to, uint64_t n, unsigned bytes)
{
    unsigned  i;

    for (i = bytes; i != 0; i--) {
        to[i - 1] = (char) (n & 0xff);
        n >>= 8;
    }

    return to + bytes;
}


static uint64_t
read_big(const char *from, unsigned bytes)
{
    uint64_t  n = 0;
    unsigned  i;

    for (i = 0; i < bytes; i++) {
        n = n << 8 | (uint8_t) from[i];
    }

    return n;
}


static char *
put_double(char *to, double value)
{
    uint64_t  bits;

    memcpy(&bits, &value, sizeof(bits));
    return put_big(to, bits, LUN_STORE_NUMBER);
}


static double
read_double(const char *from)
{
    double    value;
    uint64_t  bits = read_big(from, LUN_STORE_NUMBER);

    memcpy(&value, &bits, sizeof(value));
    return value;
}


size_t
lun_store_record_size(const lun_shdict_change *c)
{
    return LUN_STORE_RECORD
           + (c->op == LUN_CHANGE_ADD ? 2 * LUN_STORE_NUMBER
              : c->op == LUN_CHANGE_SET ? c->value.len : 0);
}


char *
lun_store_record_put(char *to, const lun_shdict_change *c)
{
    double  number;

    *to++ = ops[c->op];
    *to++ = (char) c->type;
    *to++ = (char) c->traits;
    to = put_big(to, c->flags, sizeof(uint32_t));
    to = put_big(to, c->stamp, sizeof(uint64_t));
    to = put_big(to, (uint64_t) c->expires, sizeof(uint64_t));

    if (c->op == LUN_CHANGE_ADD) {
        to = put_double(to, c->delta);
        return put_double(to, c->init);
    }

    if (c->op != LUN_CHANGE_SET) {
        return to;
    }

    if (c->type == LUN_SHDICT_NUMBER) {
        LUN_CHECK(c->value.len == sizeof(number));
        memcpy(&number, c->value.data, sizeof(number));
        return put_double(to, number);
    }

    return lun_copy_str(to, c->value);
}


/* What a SET has behind its head. */
static bool
read_value(lun_str text, lun_shdict_change *c, char number[LUN_STORE_NUMBER])
{
    double  n;

    switch (c->type) {

    case LUN_SHDICT_NUMBER:
        if (text.len != LUN_STORE_NUMBER) {
            return false;
        }

        n = read_double(text.data);
        memcpy(number, &n, sizeof(n));
        c->value = lun_str_of(number, sizeof(n));
        return true;

    case LUN_SHDICT_BOOLEAN:
        c->value = text;
        return text.len == 1 && (uint8_t) text.data[0] <= 1;

    case LUN_SHDICT_STRING:
        c->value = text;
        return text.len <= INT32_MAX;

    default:
        return false;
    }
}


bool
lun_store_record_read(lun_str key, lun_str record, lun_shdict_change *c,
    char number[LUN_STORE_NUMBER])
{
    lun_str      rest;
    const char  *p = record.data, *op;

    if (record.len < LUN_STORE_RECORD || key.len > KEY_MOST || *p == '?') {
        return false;
    }

    op = memchr(ops, *p, sizeof(ops) - 1);

    if (op == NULL) {
        return false;
    }

    *c = (lun_shdict_change) {
        .op = (uint8_t) (op - ops), .type = (uint8_t) p[1],
        .traits = (uint8_t) p[2], .key = key,
        .flags = (uint32_t) read_big(p + 3, sizeof(uint32_t)),
        .stamp = read_big(p + 7, sizeof(uint64_t)),
        .expires = (int64_t) read_big(p + 15, sizeof(uint64_t)),
        .value = LUN_STR("")
    };

    rest = lun_str_of(p + LUN_STORE_RECORD, record.len - LUN_STORE_RECORD);

    if (c->expires < 0 || (key.len == 0) != (c->op == LUN_CHANGE_FLUSH)) {
        return false;
    }

    switch (c->op) {

    case LUN_CHANGE_SET:
        return read_value(rest, c, number);

    case LUN_CHANGE_ADD:
        if (rest.len != 2 * LUN_STORE_NUMBER) {
            return false;
        }

        c->delta = read_double(rest.data);
        c->init = read_double(rest.data + LUN_STORE_NUMBER);
        return isfinite(c->delta) && isfinite(c->init);

    default:
        return rest.len == 0;
    }
}
