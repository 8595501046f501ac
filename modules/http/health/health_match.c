/*
 * health_match.c -- what an answer to a health check has to be like.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/health/health_match.h"

#include "session/regex.h"


/* --- reading ------------------------------------------------------------- */

static lun_rc
bad_word(lun_conf *cf, lun_str word)
{
    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


/* "200", "200-399" */
static lun_rc
read_statuses(lun_conf *cf, lun_str word, lun_health_statuses *s)
{
    lun_str      from = word, to = word;
    uint64_t     first, last;
    const char  *dash = lun_str_chr(word, '-');

    if (dash != NULL) {
        from.len = (size_t) (dash - word.data);
        to = lun_str_of(dash + 1, word.len - from.len - 1);
    }

    if (lun_str_to_u64(from, &first) != LUN_OK
        || lun_str_to_u64(to, &last) != LUN_OK
        || first < 100 || last > 999 || first > last)
    {
        return bad_word(cf, word);
    }

    *s = (lun_health_statuses) { (uint16_t) first, (uint16_t) last };
    return LUN_OK;
}


static lun_rc
read_status(lun_conf *cf, lun_health_match *m)
{
    size_t  i = 1;

    if (m->has_status) {
        return lun_conf_fail(cf, "\"status\" directive is duplicate");
    }

    m->has_status = true;
    m->not_status = cf->argc > 1 && lun_str_eq(cf->args[1], LUN_STR("!"));
    i += m->not_status;

    if (i == cf->argc) {
        return lun_conf_fail(cf, "invalid number of arguments in \"status\"");
    }

    for ( ; i < cf->argc; i++) {
        if (read_statuses(cf, cf->args[i], lun_array_push(&m->statuses))
            != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* "~ text" and kin, from argument `at` on. */
static lun_rc
read_test(lun_conf *cf, size_t at, bool may_equal, lun_health_test *t)
{
    lun_str   op = cf->args[at];
    unsigned  flags = 0;

    t->not = lun_str_starts(op, LUN_STR("!"));

    if (t->not) {
        op = lun_str_of(op.data + 1, op.len - 1);
    }

    if (may_equal && lun_str_eq(op, LUN_STR("="))) {
        t->how = LUN_HEALTH_EQUALS;
        t->value = cf->args[at + 1];
        return LUN_OK;
    }

    if (lun_str_eq(op, LUN_STR("~*"))) {
        flags = LUN_REGEX_CASELESS;

    } else if (!lun_str_eq(op, LUN_STR("~"))) {
        return bad_word(cf, cf->args[at]);
    }

    t->how = LUN_HEALTH_FITS;
    t->pattern = lun_pattern_new(cf, cf->args[at + 1], flags);
    return t->pattern != NULL ? LUN_OK : LUN_ERROR;
}


static lun_rc
read_header(lun_conf *cf, lun_health_match *m)
{
    lun_health_test  *t = lun_array_push(&m->headers);

    if (cf->argc == 4) {
        t->name = cf->args[1];
        return read_test(cf, 2, true, t);
    }

    t->not = cf->argc == 3 && lun_str_eq(cf->args[1], LUN_STR("!"));

    if (cf->argc != (t->not ? 3 : 2)) {
        return lun_conf_fail(cf, "invalid number of arguments in \"header\"");
    }

    t->name = cf->args[cf->argc - 1];
    return LUN_OK;
}


/*
 * "require $upstream_http_x_ok": a header that is there, and neither empty nor
 * "0".  There is no request, so nothing else has a value.
 */
static lun_rc
read_require(lun_conf *cf, lun_health_match *m)
{
    size_t            i;
    lun_str           name, header;
    lun_health_test  *t;

    if (cf->argc == 1) {
        return lun_conf_fail(cf, "invalid number of arguments in \"require\"");
    }

    for (i = 1; i < cf->argc; i++) {
        if (lun_var_name(cf, cf->args[i], &name) != LUN_OK) {
            return LUN_ERROR;
        }

        if (lun_str_eq(name, LUN_STR("status"))
            || lun_str_eq(name, LUN_STR("upstream_status")))
        {
            continue;              /* whatever it is, it is there */
        }

        if (!lun_str_after(name, LUN_STR("upstream_http_"), &header)
            || header.len == 0)
        {
            return lun_conf_fail(cf, "the variable \"%.*s\" has no value in a "
                                 "health check: only \"$upstream_http_...\" "
                                 "and \"$upstream_status\" have",
                                 LUN_S(cf->args[i]));
        }

        t = lun_array_push(&m->headers);
        t->name = header;
        t->how = LUN_HEALTH_REQUIRED;
    }

    return LUN_OK;
}


static lun_rc
read_line(lun_conf *cf, void *data)
{
    lun_str            word = cf->args[0];
    lun_health_match  *m = data;

    if (lun_str_eq(word, LUN_STR("status"))) {
        return read_status(cf, m);
    }

    if (lun_str_eq(word, LUN_STR("header"))) {
        return read_header(cf, m);
    }

    if (lun_str_eq(word, LUN_STR("require"))) {
        return read_require(cf, m);
    }

    if (lun_str_eq(word, LUN_STR("body")) && cf->argc == 3) {
        return read_test(cf, 1, false, lun_array_push(&m->bodies));
    }

    if (lun_str_eq(word, LUN_STR("body"))) {
        return lun_conf_fail(cf, "invalid number of arguments in \"body\"");
    }

    return lun_conf_fail(cf, "unknown directive \"%.*s\"", LUN_S(word));
}


lun_health_match *
lun_health_match_read(lun_conf *cf, lun_str name)
{
    lun_health_match  *m = lun_pool_new(cf->pool, lun_health_match);

    m->name = name;
    lun_array_init(&m->statuses, cf->pool, sizeof(lun_health_statuses), 4);
    lun_array_init(&m->headers, cf->pool, sizeof(lun_health_test), 2);
    lun_array_init(&m->bodies, cf->pool, sizeof(lun_health_test), 1);

    return lun_conf_read_lines(cf, read_line, m, true) == LUN_OK ? m : NULL;
}


/* --- testing ------------------------------------------------------------- */

static bool
has_status(const lun_health_match *m, unsigned status)
{
    size_t                      i;
    const lun_health_statuses  *s = m->statuses.items;

    for (i = 0; i < m->statuses.count; i++) {
        if (status >= s[i].first && status <= s[i].last) {
            return true;
        }
    }

    return false;
}


/* But for `not`. */
static bool
fits(const lun_health_test *t, lun_str text)
{
    switch (t->how) {

    case LUN_HEALTH_EQUALS:
        return lun_str_eq(t->value, text);

    case LUN_HEALTH_FITS:
        return lun_pattern_fits(t->pattern, text);

    case LUN_HEALTH_REQUIRED:
        return text.len != 0 && !lun_str_eq(text, LUN_STR("0"));

    default:
        return true;
    }
}


/* A variable's name has "_" where a header's has "-". */
static bool
is_name(const lun_health_test *t, lun_str name)
{
    char    c;
    size_t  i;

    if (t->how != LUN_HEALTH_REQUIRED) {
        return lun_str_caseeq(name, t->name);
    }

    for (i = 0; i < name.len && name.len == t->name.len; i++) {
        c = name.data[i] == '-' ? '_' : lun_lower(name.data[i]);

        if (c != lun_lower(t->name.data[i])) {
            return false;
        }
    }

    return name.len == t->name.len;
}


/* A test of a value wants the header, whatever it wants of its value. */
static bool
passes_header(const lun_health_test *t, const lun_array *fields)
{
    bool                   found = false, fitting = false;
    size_t                 i;
    const lun_http_field  *f = fields->items;

    for (i = 0; i < fields->count; i++) {
        if (is_name(t, f[i].name)) {
            found = true;
            fitting |= fits(t, f[i].value);
        }
    }

    return t->how == LUN_HEALTH_IS_THERE ? found != t->not
                                         : found && fitting != t->not;
}


const char *
lun_health_match_head(const lun_health_match *m, unsigned status,
    const lun_array *fields)
{
    size_t                  i;
    const lun_health_test  *t;

    if (m == NULL) {
        return status >= 200 && status < 400 ? NULL : "checking status code";
    }

    if (m->has_status && has_status(m, status) == m->not_status) {
        return "checking status code";
    }

    t = m->headers.items;

    for (i = 0; i < m->headers.count; i++) {
        if (!passes_header(&t[i], fields)) {
            return "checking header";
        }
    }

    return NULL;
}


const char *
lun_health_match_body(const lun_health_match *m, lun_str body)
{
    size_t                  i;
    const lun_health_test  *t;

    if (m == NULL) {
        return NULL;
    }

    t = m->bodies.items;

    for (i = 0; i < m->bodies.count; i++) {
        if (fits(&t[i], body) == t[i].not) {
            return "checking body";
        }
    }

    return NULL;
}
