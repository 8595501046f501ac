/*
 * access.c -- allow and deny, by the client's address.
 *
 *     allow 192.168.1.0/24; allow 2001:db8::/32; deny all;
 *
 * The first rule that fits decides.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/engine.h"

#include "os/cidr.h"

typedef struct {
    bool         deny;
    lun_cidr     net;              /* of no family: "all" */
} rule;

typedef struct {
    lun_array   *rules;            /* of rule */
} access_conf;

extern lun_module  lun_common_access;


static lun_verdict
on_access(lun_session *s)
{
    size_t              i;
    const rule         *one;
    const access_conf  *conf = lun_session_conf(s, &lun_common_access);

    for (i = 0; conf->rules != NULL && i < conf->rules->count; i++) {
        one = lun_array_at(conf->rules, i);

        if (one->net.family != LUN_AF_NONE
            && !lun_cidr_has(&one->net, s->remote))
        {
            continue;
        }

        if (one->deny) {
            if (lun_session_refuses(s)) {
                lun_log(LUN_LOG_ERR, s->log, 0, "access forbidden by rule");
            }

            return LUN_STATUS + 403;
        }

        return LUN_LEAVE;
    }

    return LUN_NEXT;
}


static lun_rc
set_rule(lun_conf *cf, const lun_directive *d, void *data)
{
    rule         *one;
    lun_str       text = cf->args[1];
    access_conf  *conf = data;

    if (conf->rules == NULL) {
        conf->rules = lun_array_new(cf->pool, sizeof(rule), 4);
    }

    one = lun_array_push(conf->rules);
    one->deny = lun_str_eq(cf->args[0], LUN_STR("deny"));

    if (lun_str_eq(text, LUN_STR("all"))) {
        return LUN_OK;
    }

    if (lun_cidr_parse(text, &one->net) != LUN_OK) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(text));
    }

    if (lun_cidr_trim(&one->net)) {
        lun_conf_warn(cf, "low address bits of %.*s are meaningless",
                      LUN_S(text));
    }

    return LUN_OK;
}


enum { PLACES = LUN_ANY_LEVELS | LUN_LIMIT_EXCEPT };

static const lun_directive  directives[] = {
    { .name = "allow", .where = PLACES, .args = 1, .repeats = true,
      .set = set_rule, LUN_FIELD(access_conf, rules),
      .values = "address | CIDR | unix: | all",
      .help = "addresses that may go on" },
    { .name = "deny", .where = PLACES, .args = 1, .repeats = true,
      .set = set_rule, LUN_FIELD(access_conf, rules),
      .values = "address | CIDR | unix: | all",
      .help = "addresses that are refused" },
    { 0 }
};

lun_module  lun_common_access = {
    .name = "access",
    .directives = directives,
    .conf_size = sizeof(access_conf),
    .on[LUN_ACCESS] = on_access,
};
