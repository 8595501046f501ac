/*
 * ssi_values.c -- the words of a command, variables, and what an if asks.
 *
 *     <!--#if expr="$name = /^(a+)/" -->
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/ssi/ssi_priv.h"

#include "os/clock.h"


enum {
    LEAST_ROOM = 256,
    VALUE_MOST = 1024 * 1024       /* bytes that a text with names becomes */
};


void
lun_ssi_append(lun_ssi *s, lun_ssi_text *t, lun_str text)
{
    char  *data;

    if (t->room - t->len < text.len) {
        t->room = lun_max(lun_max(2 * t->room, t->len + text.len),
                          (size_t) LEAST_ROOM);
        data = lun_pool_text(s->r->pool, t->room);

        if (t->len != 0) {
            memcpy(data, t->data, t->len);
        }

        t->data = data;
    }

    if (text.len != 0) {
        memcpy(t->data + t->len, text.data, text.len);
        t->len += text.len;
    }
}


/* --- words --------------------------------------------------------------- */

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}


static bool
is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || lun_is_digit(c) || c == '_';
}


static lun_rc
invalid(lun_ssi *s, const char *what, lun_str text)
{
    lun_log(LUN_LOG_ERR, s->r->log, 0, "%s in SSI command: \"%.*s\"", what,
            (int) lun_min(text.len, (size_t) 100), text.data);
    return LUN_ERROR;
}


/* A quoted value; a backslash makes a quote a byte of it, and stays else. */
static const char *
take_value(lun_ssi *s, const lun_ssi_command *c, const char *p,
    const char *end, lun_ssi_pair *param)
{
    char   quote = *p++, *text, *to;
    size_t  most = s->conf->value_length;

    to = text = lun_pool_text(s->r->pool, (size_t) (end - p));

    while (p < end && *p != quote) {
        if (*p == '\\' && p + 1 < end) {
            if (p[1] != '"' && p[1] != '\'') {
                *to++ = '\\';
            }

            p++;
        }

        *to++ = *p++;
    }

    param->value = lun_str_of(text, (size_t) (to - text));

    if (param->value.len > most) {
        lun_log(LUN_LOG_ERR, s->r->log, 0, "too long \"%.*s...\" value of "
                "\"%.*s\" parameter in \"%.*s\" SSI command",
                (int) lun_min(most + 1, (size_t) 100), text,
                LUN_S(param->name), LUN_S(c->name));
        return NULL;
    }

    return p < end ? p + 1 : NULL;
}


lun_rc
lun_ssi_parse(lun_ssi *s, lun_str text, lun_ssi_command *c)
{
    const char    *p = text.data, *end = p + text.len, *from;
    lun_ssi_pair  *pair;

    while (p < end && is_space(*p)) {
        p++;
    }

    for (from = p; p < end && is_name(*p); p++) { /* the name */ }

    c->name = lun_str_of(from, (size_t) (p - from));
    c->count = 0;

    for ( ;; ) {
        while (p < end && is_space(*p)) {
            p++;
        }

        if (p == end) {
            return c->name.len != 0 ? LUN_OK
                                    : invalid(s, "no name", text);
        }

        for (from = p; p < end && is_name(*p); p++) { /* the name */ }

        if (p == from || c->count == LUN_SSI_PARAMS) {
            return invalid(s, p == from ? "unexpected symbol"
                                        : "too many parameters", text);
        }

        pair = &c->params[c->count++];
        pair->name = lun_str_of(from, (size_t) (p - from));

        while (p < end && is_space(*p)) {
            p++;
        }

        if (p == end || *p++ != '=') {
            return invalid(s, "no value", text);
        }

        while (p < end && is_space(*p)) {
            p++;
        }

        if (p == end || (*p != '"' && *p != '\'')) {
            return invalid(s, "no quoted value", text);
        }

        p = take_value(s, c, p, end, pair);

        if (p == NULL) {
            return LUN_ERROR;
        }
    }
}


/* --- variables ----------------------------------------------------------- */

static lun_ssi_pair *
find_var(const lun_ssi *s, lun_str name)
{
    size_t         i;
    lun_ssi_pair  *pair;

    for (i = 0; i < s->shared->vars.count; i++) {
        pair = lun_array_at(&s->shared->vars, i);

        if (lun_str_caseeq(pair->name, name)) {
            return pair;
        }
    }

    return NULL;
}


void
lun_ssi_set(lun_ssi *s, lun_str name, lun_str value)
{
    lun_ssi_pair  *pair = find_var(s, name);

    if (pair == NULL) {
        pair = lun_array_push(&s->shared->vars);
        pair->name = name;
    }

    pair->value = value;
}


static bool
get_capture(const lun_ssi *s, lun_str name, lun_str *value)
{
    int  n = name.data[0] - '0';

    if (n >= s->shared->capture_count) {
        return false;
    }

    *value = s->shared->captures[n];
    return true;
}


/*
 * Captures of the last match, then what the page has set, then the two dates,
 * then variables of the server.
 */
bool
lun_ssi_get(lun_ssi *s, lun_str name, lun_str *value)
{
    char                *low;
    const lun_value     *v;
    const lun_ssi_pair  *pair;

    if (name.len == 1 && lun_is_digit(name.data[0])) {
        return get_capture(s, name, value);
    }

    pair = find_var(s, name);

    if (pair != NULL) {
        *value = pair->value;
        return true;
    }

    low = lun_pool_text(s->r->pool, name.len);
    lun_mem_lower(low, name.data, name.len);
    name.data = low;

    if (lun_str_eq(name, LUN_STR("date_local"))) {
        *value = lun_clock_format_local(s->r->pool, s->timefmt);
        return true;
    }

    if (lun_str_eq(name, LUN_STR("date_gmt"))) {
        *value = lun_date_format(s->r->pool, s->timefmt, lun_clock.sec, 0,
                                 LUN_STR("GMT"));
        return true;
    }

    v = lun_var_get_named(&s->r->session, name);

    if (v == NULL || v->not_found) {
        return false;
    }

    *value = v->text;
    return true;
}


lun_rc
lun_ssi_eval(lun_ssi *s, lun_str text, lun_str *value)
{
    bool          bracket;
    lun_str       name, got;
    const char   *p = text.data, *end = p + text.len, *from;
    lun_ssi_text  all = { NULL, 0, 0 };

    if (lun_str_chr(text, '$') == NULL) {
        *value = text;
        return LUN_OK;
    }

    while (p < end) {
        for (from = p; p < end && *p != '$'; p++) { /* plain */ }

        if (p < end && p > from && p[-1] == '\\') {
            lun_ssi_append(s, &all, lun_str_of(from, (size_t) (p - from) - 1));
            lun_ssi_append(s, &all, LUN_STR("$"));
            p++;
            continue;
        }

        lun_ssi_append(s, &all, lun_str_of(from, (size_t) (p - from)));

        if (p == end) {
            break;
        }

        p++;
        bracket = p < end && *p == '{';
        p += bracket;

        for (from = p; p < end && is_name(*p); p++) { /* the name */ }

        name = lun_str_of(from, (size_t) (p - from));

        if (name.len == 0 || (bracket && (p == end || *p != '}'))) {
            lun_log(LUN_LOG_ERR, s->r->log, 0, "invalid variable name in "
                    "\"%.*s\"", LUN_S(text));
            return LUN_ERROR;
        }

        p += bracket;

        if (lun_ssi_get(s, name, &got)) {
            lun_ssi_append(s, &all, got);
        }

        /* A few lines that say "$a$a" would take all the memory there is. */
        if (all.len > VALUE_MOST) {
            return invalid(s, "too long value", text);
        }
    }

    *value = lun_str_of(all.data != NULL ? all.data : "", all.len);
    return LUN_OK;
}


/* --- what an if asks ----------------------------------------------------- */

static void
keep_captures(lun_ssi *s, const lun_regex *re, lun_str subject,
    const int32_t *pairs, int n)
{
    int      i, group;
    lun_str  name;

    s->shared->capture_count = lun_min(n, (int) LUN_SSI_CAPTURES);

    for (i = 0; i < s->shared->capture_count; i++) {
        s->shared->captures[i] = pairs[2 * i] < 0 ? LUN_STR("")
            : lun_str_of(subject.data + pairs[2 * i],
                         (size_t) (pairs[2 * i + 1] - pairs[2 * i]));
    }

    for (i = 0; i < lun_regex_names(re); i++) {
        name = lun_regex_name(re, i, &group);

        if (group < s->shared->capture_count) {
            lun_ssi_set(s, lun_pool_str(s->r->pool, name),
                        s->shared->captures[group]);
        }
    }
}


/*
 * The pattern may hold variables and is compiled each time; captures stay for
 * the page until the next match.
 */
static lun_rc
match(lun_ssi *s, lun_str subject, lun_str pattern, bool *yes)
{
    int         n;
    char        error[256];
    size_t      at;
    int32_t     pairs[2 * LUN_SSI_CAPTURES];
    lun_regex  *re;

    re = lun_regex_new(s->r->pool, pattern, 0, error, sizeof(error), &at);

    if (re == NULL) {
        lun_log(LUN_LOG_ERR, s->r->log, 0, "pcre2_compile() failed: %s in "
                "\"%.*s\"", error, LUN_S(pattern));
        return LUN_ERROR;
    }

    n = lun_regex_match(re, subject, 0, pairs, LUN_SSI_CAPTURES);
    *yes = n > 0;

    if (n > 0) {
        keep_captures(s, re, subject, pairs, n);

    } else if (n != LUN_REGEX_NO_MATCH) {
        lun_log(LUN_LOG_ALERT, s->r->log, 0, "pcre2_match() failed: %d on "
                "\"%.*s\" using \"%.*s\"", n, LUN_S(subject), LUN_S(pattern));
        return LUN_ERROR;
    }

    return LUN_OK;
}


/*
 * Three shapes: a text that is not empty, a = b, a = /pattern/; "!=" turns the
 * last two round.
 */
lun_rc
lun_ssi_test(lun_ssi *s, lun_str expr, bool *yes)
{
    bool         negative;
    lun_str      left, right, a, b;
    const char  *sign = lun_str_chr(expr, '='), *end = expr.data + expr.len;

    if (sign == NULL) {
        if (lun_ssi_eval(s, expr, &a) != LUN_OK) {
            return LUN_ERROR;
        }

        *yes = a.len != 0;
        return LUN_OK;
    }

    negative = sign > expr.data && sign[-1] == '!';
    left = lun_str_trim(lun_str_of(expr.data, (size_t) (sign - expr.data)
                                              - negative));
    right = lun_str_trim(lun_str_of(sign + 1, (size_t) (end - sign - 1)));

    if (lun_ssi_eval(s, left, &a) != LUN_OK) {
        return LUN_ERROR;
    }

    if (right.len != 0 && right.data[0] == '/') {
        if (right.len < 2 || right.data[right.len - 1] != '/') {
            return invalid(s, "invalid expression", expr);
        }

        right = lun_str_of(right.data + 1, right.len - 2);

        if (match(s, a, right, yes) != LUN_OK) {
            return LUN_ERROR;
        }

    } else {
        if (lun_ssi_eval(s, right, &b) != LUN_OK) {
            return LUN_ERROR;
        }

        *yes = lun_str_eq(a, b);
    }

    *yes ^= negative;
    return LUN_OK;
}
