/*
 * pattern.c -- regular expressions of the configuration, matched for a
 * request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/pattern.h"

#include "session/regex.h"


typedef struct {
    unsigned  index;               /* of the variable */
    int       group;
} named_group;

struct lun_pattern {
    lun_regex    *regex;
    lun_str       text;
    int           pairs;
    named_group  *names;
    int           name_count;
};


static lun_rc
name_groups(lun_conf *cf, lun_pattern *p)
{
    int            i;
    lun_str        name;
    lun_variable  *v;

    p->name_count = lun_regex_names(p->regex);
    p->names = lun_pool_new_n(cf->pool, named_group, (size_t) p->name_count);

    for (i = 0; i < p->name_count; i++) {
        name = lun_regex_name(p->regex, i, &p->names[i].group);
        v = lun_var_define(cf, name, LUN_VAR_CHANGEABLE);

        if (v == NULL) {
            return LUN_ERROR;
        }

        p->names[i].index = lun_var_index(cf, name);
    }

    return LUN_OK;
}


lun_pattern *
lun_pattern_new(lun_conf *cf, lun_str text, unsigned flags)
{
    char          error[128];
    size_t        at;
    lun_pattern  *p = lun_pool_new(cf->pool, lun_pattern);

    p->text = text;
    p->regex = lun_regex_new(cf->pool, text, flags | LUN_REGEX_JIT, error,
                             sizeof(error), &at);

    if (p->regex == NULL && at < text.len) {
        (void) lun_conf_fail(cf, "pcre2_compile() failed: %s in \"%.*s\" "
                             "at \"%.*s\"", error, LUN_S(text),
                             (int) (text.len - at), text.data + at);
        return NULL;
    }

    if (p->regex == NULL) {
        (void) lun_conf_fail(cf, "pcre2_compile() failed: %s in \"%.*s\"",
                             error, LUN_S(text));
        return NULL;
    }

    p->pairs = lun_regex_groups(p->regex) + 1;

    return name_groups(cf, p) == LUN_OK ? p : NULL;
}


static void
set_named(lun_session *s, const lun_pattern *p, const int32_t *ovector)
{
    int         i;
    int32_t     from, to;
    lun_value  *v;

    for (i = 0; i < p->name_count; i++) {
        from = ovector[p->names[i].group * 2];
        to = ovector[p->names[i].group * 2 + 1];

        v = &s->values[p->names[i].index];
        *v = (lun_value) { .known = 1, .text = LUN_STR_INIT("") };

        if (from >= 0) {
            v->text = lun_str_of(s->capture_subject.data + from,
                                 (size_t) (to - from));
        }
    }
}


bool
lun_pattern_fits(const lun_pattern *p, lun_str subject)
{
    int32_t  pair[2];

    return lun_regex_match(p->regex, subject, 0, pair, 1) >= 0;
}


lun_pattern_verdict
lun_pattern_match(lun_session *s, const lun_pattern *p, lun_str subject)
{
    int       n;
    int32_t  *pairs;
    int32_t   few[20];

    lun_session_check(s);
    pairs = few;

    if ((size_t) p->pairs * 2 > LUN_ARRAY_LEN(few)) {
        pairs = lun_pool_alloc(s->pool, (size_t) p->pairs * 2
                                        * sizeof(int32_t));
    }

    n = lun_regex_match(p->regex, subject, 0, pairs, p->pairs);

    if (n == LUN_REGEX_NO_MATCH) {
        return LUN_PATTERN_NO;
    }

    if (n < 0) {
        lun_log(LUN_LOG_ALERT, s->log, 0, "pcre2_match() failed: %d on "
                "\"%.*s\" using \"%.*s\"", lun_regex_last_error(),
                LUN_S(subject), LUN_S(p->text));
        return LUN_PATTERN_FAILED;
    }

    /* A pattern without groups still resets $1 of the one before it. */
    if (pairs == few) {
        pairs = lun_pool_alloc(s->pool, (size_t) p->pairs * 2
                                        * sizeof(int32_t));
        memcpy(pairs, few, (size_t) p->pairs * 2 * sizeof(int32_t));
    }

    s->captures = pairs;
    s->capture_count = (unsigned) p->pairs;
    s->capture_subject = subject;

    set_named(s, p, pairs);
    return LUN_PATTERN_YES;
}


lun_str
lun_pattern_text(const lun_pattern *p)
{
    return p->text;
}


lun_str
lun_capture(const lun_session *s, unsigned n)
{
    const int32_t  *pair;

    lun_session_check(s);

    if (n >= s->capture_count || s->captures[n * 2] < 0) {
        return LUN_STR("");
    }

    pair = &s->captures[n * 2];

    return lun_str_of(s->capture_subject.data + pair[0],
                      (size_t) (pair[1] - pair[0]));
}
