/*
 * script_path.c -- what of a path was configured, and what came from a client.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/script_path.h"

#include "config/generation.h"
#include "os/path.h"


/*
 * The configured beginning of what a script gives: the folders before its
 * first variable.
 */
static size_t
configured_len(lun_str path, const lun_script *script)
{
    size_t       n;
    lun_str      text = lun_script_text(script);
    const char  *dollar = lun_str_chr(text, '$');

    n = dollar != NULL ? (size_t) (dollar - text.data) : text.len;
    n = lun_min(n, path.len);

    while (n > 0 && path.data[n - 1] != '/') {
        n--;
    }

    return n > 0 && memcmp(path.data, text.data, n) == 0 ? n : 0;
}


/* What a script begins with is kept to; a variable may lead anywhere. */
static bool
leaves_its_folder(lun_str value, const lun_script *script, size_t from)
{
    lun_str  text = lun_script_text(script);

    return text.len != 0 && text.data[0] != '$'
           && lun_path_climbs(value, from, lun_path_native);
}


lun_rc
lun_script_path(lun_session *s, const lun_script *script, lun_safe_path *c)
{
    size_t                  from;
    lun_str                 value = lun_script_run(s, script);
    const lun_generation   *gen = s->engine->gen;
    const lun_native_path  *prefix = &gen->native_prefix;

    lun_session_check(s);
    from = configured_len(value, script);
    c->path = lun_path_full(s->pool, gen->prefix, value);
    c->from = c->path.len > value.len ? c->path.len - value.len + from : from;
    c->native = lun_native_path_leads(prefix, c->path) ? prefix : NULL;
    c->strict = false;
    c->links = LUN_LINKS_FOLLOW;

    if (leaves_its_folder(value, script, from)) {
        lun_log(LUN_LOG_ERR, s->log, 0, "\"%.*s\" leads out of where it is to "
                "be", LUN_S(c->path));
        return LUN_ERROR;
    }

    return LUN_OK;
}


lun_rc
lun_script_path_check(lun_session *s, lun_str path, size_t from)
{
    lun_path_verdict  v;

    lun_session_check(s);
    v = lun_path_check_part(path, from, lun_path_native);

    if (v == LUN_PATH_FINE || v == LUN_PATH_TILDE) {
        return LUN_OK;
    }

    lun_log(LUN_LOG_ERR, s->log, 0, "\"%.*s\" can be no file: %s",
            LUN_S(path), lun_path_verdict_text(v));
    return LUN_ERROR;
}
