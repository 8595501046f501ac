/*
 * health_match.c -- what is sent to a server, and what has to come back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/stream/health/health_match.h"

#include "session/regex.h"


static int
digit(char c)
{
    c = lun_lower(c);
    return lun_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                            : -1;
}


lun_str
lun_stream_match_unhex(lun_pool *pool, lun_str text)
{
    char    *out = lun_pool_text(pool, text.len), *p = out;
    size_t   i = 0;
    const char  *s = text.data;

    while (i < text.len) {
        if (text.len - i >= 4 && s[i] == '\\' && s[i + 1] == 'x'
            && digit(s[i + 2]) >= 0 && digit(s[i + 3]) >= 0)
        {
            *p++ = (char) (digit(s[i + 2]) * 16 + digit(s[i + 3]));
            i += 4;

        } else {
            *p++ = s[i++];
        }
    }

    return lun_str_of(out, (size_t) (p - out));
}


static lun_rc
read_send(lun_conf *cf, lun_stream_match *m)
{
    if (m->sends) {
        return lun_conf_fail(cf, "\"send\" directive is duplicate");
    }

    m->sends = true;
    m->send = lun_stream_match_unhex(cf->pool, cf->args[1]);
    return LUN_OK;
}


static lun_rc
read_expect(lun_conf *cf, lun_stream_match *m)
{
    lun_str  op = cf->args[1];

    if (m->expects) {
        return lun_conf_fail(cf, "\"expect\" directive is duplicate");
    }

    m->expects = true;

    if (cf->argc == 2) {
        m->text = lun_stream_match_unhex(cf->pool, op);
        return LUN_OK;
    }

    if (!lun_str_eq(op, LUN_STR("~")) && !lun_str_eq(op, LUN_STR("~*"))) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(op));
    }

    m->pattern = lun_pattern_new(cf, cf->args[2],
                                 op.len == 2 ? LUN_REGEX_CASELESS : 0);
    return m->pattern != NULL ? LUN_OK : LUN_ERROR;
}


static lun_rc
read_line(lun_conf *cf, void *data)
{
    lun_str  word = cf->args[0];

    if (lun_str_eq(word, LUN_STR("send")) && cf->argc == 2) {
        return read_send(cf, data);
    }

    if (lun_str_eq(word, LUN_STR("expect"))
        && (cf->argc == 2 || cf->argc == 3))
    {
        return read_expect(cf, data);
    }

    if (lun_str_eq(word, LUN_STR("send"))
        || lun_str_eq(word, LUN_STR("expect")))
    {
        return lun_conf_fail(cf, "invalid number of arguments in \"%.*s\"",
                             LUN_S(word));
    }

    return lun_conf_fail(cf, "unknown directive \"%.*s\"", LUN_S(word));
}


lun_stream_match *
lun_stream_match_read(lun_conf *cf, lun_str name)
{
    lun_stream_match  *m = lun_pool_new(cf->pool, lun_stream_match);

    m->name = name;
    return lun_conf_read_lines(cf, read_line, m, true) == LUN_OK ? m : NULL;
}


bool
lun_stream_match_fits(const lun_stream_match *m, lun_str text)
{
    size_t  i;

    if (m->pattern != NULL) {
        return lun_pattern_fits(m->pattern, text);
    }

    for (i = 0; i + m->text.len <= text.len; i++) {
        if (memcmp(text.data + i, m->text.data, m->text.len) == 0) {
            return true;
        }
    }

    return false;
}
