/*
 * upstream_connect.c -- where a connection to a server comes from, and what is
 * said when it is refused.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_connect.h"

#include "base/check.h"
#include "config/generation.h"
#include "net/conn.h"
#include "net/conn_sock.h"
#include "os/sock.h"


lun_rc
lun_set_upstream_bind(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_addr            addr;
    lun_str             text = cf->args[1];
    lun_upstream_bind  *b = lun_pool_new(cf->pool, lun_upstream_bind);

    *(lun_upstream_bind **) (void *) ((char *) conf + d->field) = b;

    if (!lun_script_has_variables(text)
        && (cf->argc == 3 || !lun_str_eq(text, LUN_STR("off")))
        && (lun_addr_parse(text, &addr) != LUN_OK
            || addr.family == LUN_AF_UNIX))
    {
        return lun_conf_fail(cf, "invalid address \"%.*s\"", LUN_S(text));
    }

    if (cf->argc == 3) {
        if (!lun_str_eq(cf->args[2], LUN_STR("transparent"))) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[2]));
        }

        b->transparent = !lun_sock_is_opaque();
        cf->gen->transparent |= b->transparent;

        if (!b->transparent) {
            lun_conf_warn(cf, "transparent proxying is not supported on this "
                          "platform, ignored");
        }
    }

    if (lun_str_eq(text, LUN_STR("off"))) {
        return LUN_OK;
    }

    b->address = lun_script_new(cf, text);
    return b->address != NULL ? LUN_OK : LUN_ERROR;
}


lun_str
lun_upstream_bind_text(lun_session *s, lun_balance *b,
    const lun_upstream_bind *bind, bool each)
{
    lun_session_check(s);

    if (bind == NULL || bind->address == NULL) {
        return LUN_STR("");
    }

    if (each || b->bind.data == NULL) {
        b->bind = lun_pool_str(s->pool, lun_script_run(s, bind->address));
    }

    return b->bind;
}


/* *text is what it says.  False: the system is to choose. */
static bool
find_local(lun_session *s, lun_balance *b, const lun_upstream_bind *bind,
    bool each, lun_addr *addr, lun_str *text)
{
    char  room[LUN_ADDR_TEXT];

    if (b->local != NULL) {
        *addr = *b->local;
        *text = lun_pool_str(s->pool, lun_addr_format(addr, true, room,
                                                      sizeof(room)));
        return true;
    }

    *text = lun_upstream_bind_text(s, b, bind, each);

    if (text->len == 0) {
        return false;
    }

    if (lun_addr_parse(*text, addr) != LUN_OK || addr->family == LUN_AF_UNIX) {
        lun_log(LUN_LOG_ERR, s->log, 0, "invalid local address \"%.*s\"",
                LUN_S(*text));
        return false;
    }

    return true;
}


bool
lun_upstream_bind_addr(lun_session *s, lun_balance *b,
    const lun_upstream_bind *bind, bool each, lun_addr *addr)
{
    lun_str  text;

    LUN_CHECK(b->addr != NULL);
    lun_session_check(s);

    return find_local(s, b, bind, each, addr, &text)
           && addr->family == b->addr->family;
}


/*
 * An address of the other family is passed over: one directive serves servers
 * of both.
 */
lun_rc
lun_upstream_bind_local(lun_session *s, lun_balance *b,
    const lun_upstream_bind *bind, bool each, const lun_conn *c)
{
    lun_err   err;
    lun_str   text;
    lun_addr  addr;

    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    LUN_CHECK(b->addr != NULL);

    lun_session_check(s);

    if (!find_local(s, b, bind, each, &addr, &text)
        || addr.family != b->addr->family)
    {
        return LUN_OK;
    }

    if (bind != NULL && bind->transparent) {
        err = lun_conn_transparent(c, addr.family);

        if (err != 0) {
            lun_log(LUN_LOG_ALERT, s->log, err, "setsockopt(IP_TRANSPARENT) "
                    "failed");
            return LUN_ERROR;
        }
    }

    err = lun_conn_bind(c, &addr);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, s->log, err, "bind(%.*s) failed", LUN_S(text));
        return LUN_ERROR;
    }

    return LUN_OK;
}


void
lun_upstream_say_refused(const lun_session *s, const lun_balance *b,
    lun_err err)
{
    lun_log_level  level = LUN_LOG_CRIT;
    bool           is_named = b->addr->family == LUN_AF_UNIX;

    lun_session_check(s);

    switch (lun_err_kind_of(err)) {

    case LUN_ERR_REFUSED:
    case LUN_ERR_RESET:
    case LUN_ERR_TIMEOUT:
    case LUN_ERR_UNREACHABLE:
        level = LUN_LOG_ERR;
        break;

    default:
        is_named = true;           /* the system would not even try */
        break;
    }

    lun_log(level, s->log, err, "connect() %s%.*s%sfailed",
            is_named ? "to " : "", is_named ? (int) b->name.len : 0,
            b->name.data, is_named ? " " : "");
}
