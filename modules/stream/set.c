/*
 * set.c -- set $variable text: for each session of the server, in the order of
 * the text, before anything else looks at it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "base/check.h"
#include "session/script.h"


typedef struct {
    unsigned     index;            /* of the variable */
    lun_script  *text;
} assignment;

typedef struct {
    lun_array  *all;               /* of assignment; NULL: none */
} set_conf;

extern lun_module  lun_stream_set;


static lun_verdict
on_accepted(lun_session *s)
{
    size_t             i;
    const set_conf    *conf = lun_session_conf(s, &lun_stream_set);
    const assignment  *a;

    LUN_CHECK_MARK(s, LUN_MARK_SESSION);

    for (i = 0; conf->all != NULL && i < conf->all->count; i++) {
        a = lun_array_at(conf->all, i);
        lun_var_set(s, a->index, lun_script_run(s, a->text));
    }

    return LUN_NEXT;
}


static lun_rc
set_set(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str      name;
    set_conf    *conf = data;
    assignment  *a;

    if (lun_var_name(cf, cf->args[1], &name) != LUN_OK
        || lun_var_define(cf, name, LUN_VAR_CHANGEABLE) == NULL)
    {
        return LUN_ERROR;
    }

    if (conf->all == NULL) {
        conf->all = lun_array_new(cf->pool, sizeof(assignment), 4);
    }

    a = lun_array_push(conf->all);
    a->index = lun_var_index(cf, name);
    a->text = lun_script_new(cf, cf->args[2]);

    return a->index != 0 && a->text != NULL ? LUN_OK : LUN_ERROR;
}


static const lun_directive  directives[] = {
    { .name = "set", .where = LUN_STREAM_SERVER, .args = 2, .repeats = true,
      .set = set_set,
      .values = "$variable value",
      .help = "a variable, and its value" },
    { 0 }
};

lun_module  lun_stream_set = {
    .name = "stream_set",
    .directives = directives,
    .conf_size = sizeof(set_conf),
    .on[LUN_ACCEPTED] = on_accepted,
};
