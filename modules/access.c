/*
 * access.c -- allow and deny, by the client's address.
 *
 *     allow 192.168.1.0/24; allow 2001:db8::/32; deny all;
 *
 * The first rule that fits decides.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"

typedef enum {
    ANYBODY,
    INET,
    INET6,
    UNIX
} rule_kind;

typedef struct {
    rule_kind    kind;
    bool         deny;
    uint8_t      ip[16];
    unsigned     bits;             /* of ip that count */
} rule;

typedef struct {
    lun_array   *rules;            /* of rule */
} access_conf;

extern lun_http_module  lun_http_access;


static bool
same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    unsigned  bytes = bits / 8;
    uint8_t   mask = (uint8_t) (0xff << (8 - bits % 8));

    return memcmp(a, b, bytes) == 0
           && (bits % 8 == 0 || ((a[bytes] ^ b[bytes]) & mask) == 0);
}


/* ::ffff:1.2.3.4 is 1.2.3.4. */
static const uint8_t *
mapped(const lun_addr *addr)
{
    static const uint8_t  prefix[12] = { [10] = 0xff, [11] = 0xff };

    if (addr->family == LUN_AF_INET6 && memcmp(addr->ip, prefix, 12) == 0) {
        return addr->ip + 12;
    }

    return addr->family == LUN_AF_INET ? addr->ip : NULL;
}


static bool
fits(const rule *one, const lun_addr *addr)
{
    const uint8_t  *inet = mapped(addr);

    switch (one->kind) {

    case ANYBODY:
        return true;

    case INET:
        return inet != NULL && same_bits(one->ip, inet, one->bits);

    case INET6:
        return inet == NULL && addr->family == LUN_AF_INET6
               && same_bits(one->ip, addr->ip, one->bits);

    default:
        return addr->family == LUN_AF_UNIX;
    }
}


static lun_verdict
on_access(lun_request *r)
{
    size_t              i;
    const rule         *one;
    const access_conf  *conf = lun_http_conf(r, &lun_http_access);

    for (i = 0; conf->rules != NULL && i < conf->rules->count; i++) {
        one = lun_array_at(conf->rules, i);

        if (!fits(one, &r->conn->peer)) {
            continue;
        }

        if (one->deny) {
            if (lun_core_conf_of(r)->satisfy == LUN_SATISFY_ALL) {
                lun_log(LUN_LOG_ERR, r->log, 0, "access forbidden by rule");
            }

            return LUN_STATUS + 403;
        }

        return LUN_LEAVE;
    }

    return LUN_NEXT;
}


static lun_rc
read_network(lun_conf *cf, lun_str text, rule *one)
{
    uint64_t     bits, most;
    lun_addr     addr;
    const char  *slash = lun_str_chr(text, '/');
    lun_str      ip = text, len = LUN_STR_NULL;

    if (slash != NULL) {
        ip.len = (size_t) (slash - text.data);
        len = lun_str_of(slash + 1, text.len - ip.len - 1);
    }

    if (lun_addr_parse(ip, &addr) != LUN_OK || addr.port != 0
        || addr.family == LUN_AF_UNIX)
    {
        goto invalid;
    }

    most = bits = addr.family == LUN_AF_INET ? 32 : 128;

    if (slash != NULL
        && (lun_str_to_u64(len, &bits) != LUN_OK || bits > most))
    {
        goto invalid;
    }

    one->kind = addr.family == LUN_AF_INET ? INET : INET6;
    one->bits = (unsigned) bits;
    memcpy(one->ip, addr.ip, sizeof(one->ip));

    return LUN_OK;

invalid:

    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(text));
}


static lun_rc
set_rule(lun_conf *cf, const lun_directive *d, void *data)
{
    rule         *one;
    lun_str       text = cf->args[1];
    access_conf  *conf = data;

    (void) d;

    if (conf->rules == NULL) {
        conf->rules = lun_array_new(cf->pool, sizeof(rule), 4);
    }

    one = lun_array_push(conf->rules);
    one->deny = lun_str_eq(cf->args[0], LUN_STR("deny"));

    if (lun_str_eq(text, LUN_STR("all"))) {
        return LUN_OK;
    }

    if (lun_str_eq(text, LUN_STR("unix:"))) {
        one->kind = UNIX;
        return LUN_OK;
    }

    return read_network(cf, text, one);
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LIMIT_EXCEPT };

static const lun_directive  directives[] = {
    { .name = "allow", .where = PLACES, .args = 1, .repeats = true,
      .set = set_rule, LUN_FIELD(access_conf, rules) },
    { .name = "deny", .where = PLACES, .args = 1, .repeats = true,
      .set = set_rule, LUN_FIELD(access_conf, rules) },
    { 0 }
};

lun_http_module  lun_http_access = {
    .name = "access",
    .directives = directives,
    .conf_size = sizeof(access_conf),
    .on[LUN_ACCESS] = on_access,
};
