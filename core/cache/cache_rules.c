/*
 * cache_rules.c -- whether an answer may be kept, and for how long.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "cache/cache_rules.h"

#include "base/fmt.h"
#include "os/clock.h"


/* So much is for ever; sums of it and a date do not overflow. */
#define LONGEST  ((int64_t) 1 << 40)


/* --- Cache-Control ------------------------------------------------------- */

bool
lun_cache_control_names(lun_str text, lun_str word)
{
    for ( /* void */ ; text.len >= word.len; text.data++, text.len--) {
        if (lun_str_casestarts(text, word)) {
            return true;
        }
    }

    return false;
}


/* Behind the quoted text that begins at i; one without an end is none. */
static size_t
skip_quoted(lun_str text, size_t i)
{
    size_t  at;

    for (at = i + 1; at < text.len; at++) {
        if (text.data[at] == '"') {
            return at + 1;
        }

        at += text.data[at] == '\\';
    }

    return i + 1;
}


/*
 * "name", "name=value", "name="a, b"", with a comma between them, or the ';'
 * that some write; false: there is no other.
 */
static bool
next_directive(lun_str *rest, lun_str *name, lun_str *value)
{
    size_t       i = 0;
    lun_str      one;
    const char  *mark;

    if (rest->len == 0) {
        return false;
    }

    while (i < rest->len && rest->data[i] != ',' && rest->data[i] != ';') {
        i = rest->data[i] == '"' ? skip_quoted(*rest, i) : i + 1;
    }

    one = lun_str_of(rest->data, i);
    i += i < rest->len;
    *rest = lun_str_of(rest->data + i, rest->len - i);

    mark = lun_str_chr(one, '=');
    *value = LUN_STR_NULL;
    *name = lun_str_trim(one);

    if (mark != NULL) {
        *name = lun_str_trim(lun_str_of(one.data,
                                        (size_t) (mark - one.data)));
        *value = lun_str_trim(lun_str_of(mark + 1, one.len - 1
                                         - (size_t) (mark - one.data)));
    }

    return true;
}


/* Seconds, which may stand in quotes. */
static bool
read_seconds(lun_str text, int64_t *sec)
{
    int64_t  n;

    if (text.len >= 2 && text.data[0] == '"'
        && text.data[text.len - 1] == '"')
    {
        text = lun_str_of(text.data + 1, text.len - 2);
    }

    text = lun_str_trim(text);

    if (text.len == 0 || !lun_is_digit(text.data[0])) {
        return false;
    }

    if (lun_str_to_i64(text, &n) != LUN_OK) {

        /* Digits, but too many: for ever. */
        for ( ; text.len != 0; text.data++, text.len--) {
            if (!lun_is_digit(text.data[0])) {
                return false;
            }
        }

        n = LONGEST;
    }

    *sec = lun_min(n, LONGEST);
    return true;
}


/* They, too, are a part of what the server says of keeping it. */
static bool
read_stale(lun_cache_fields *f, lun_str value, int64_t *sec)
{
    bool  read = read_seconds(value, sec);

    f->bad_stale |= !read;
    return read;
}


static void
read_age(lun_cache_fields *f, lun_str value, bool *has, int64_t *age)
{
    int64_t  n;

    if (!read_seconds(value, &n)) {
        f->bad_age = true;

    } else if (!*has || n < *age) {
        *has = true;
        *age = n;
    }
}


void
lun_cache_read_control(lun_cache_fields *f, lun_str text)
{
    lun_str  name, value;

    /* However it is written: private answers are not for others. */
    f->no_store |= lun_cache_control_names(text, LUN_STR("no-cache"))
                   || lun_cache_control_names(text, LUN_STR("no-store"))
                   || lun_cache_control_names(text, LUN_STR("private"));

    while (next_directive(&text, &name, &value)) {
        if (lun_str_caseeq(name, LUN_STR("max-age"))) {
            read_age(f, value, &f->has_age, &f->age);

        } else if (lun_str_caseeq(name, LUN_STR("s-maxage"))) {
            read_age(f, value, &f->has_shared_age, &f->shared_age);

        } else if (lun_str_caseeq(name, LUN_STR("stale-while-revalidate"))) {
            (void) read_stale(f, value, &f->stale_updating);

            if (!f->has_error) {       /* one that is silent is being updated */
                f->stale_error = f->stale_updating;
            }

        } else if (lun_str_caseeq(name, LUN_STR("stale-if-error"))) {
            f->has_error |= read_stale(f, value, &f->stale_error);
        }
    }
}


/* --- all of them --------------------------------------------------------- */

/* "60", "0", "@1700000000"; UNSAID: it is none of these, or "@0". */
static lun_cache_verdict
judge_accel(lun_str text, int64_t now, int64_t *until)
{
    bool     absolute = lun_str_starts(text, LUN_STR("@"));
    int64_t  n;

    text = lun_str_of(text.data + absolute, text.len - absolute);

    if (text.len == 0 || !lun_is_digit(text.data[0])
        || lun_str_to_i64(text, &n) != LUN_OK)
    {
        return LUN_CACHE_UNSAID;
    }

    n = lun_min(n, LONGEST);

    if (n == 0) {
        return absolute ? LUN_CACHE_UNSAID : LUN_CACHE_NEVER;
    }

    *until = absolute ? n : now + n;
    return LUN_CACHE_UNTIL;
}


static lun_cache_verdict
judge_control(const lun_cache_fields *f, int64_t now, int64_t *until)
{
    int64_t  age = f->has_shared_age ? f->shared_age : f->age;

    if (f->no_store || f->bad_age) {
        return LUN_CACHE_NEVER;
    }

    if (!f->has_age && !f->has_shared_age) {
        return LUN_CACHE_UNSAID;
    }

    *until = now + age;
    return age == 0 ? LUN_CACHE_NEVER : LUN_CACHE_UNTIL;
}


static lun_cache_verdict
judge_expires(lun_str text, int64_t now, int64_t *until)
{
    /* What is no date is in the past. */
    return lun_http_date_parse(text, until) == LUN_OK && *until >= now
           ? LUN_CACHE_UNTIL : LUN_CACHE_NEVER;
}


lun_cache_verdict
lun_cache_judge_fields(const lun_cache_fields *f, int64_t now, int64_t *until)
{
    lun_cache_verdict  v = LUN_CACHE_UNSAID;

    if (f->cookie || f->bad_stale) {
        return LUN_CACHE_NEVER;
    }

    if (f->accel_expires.data != NULL) {
        v = judge_accel(f->accel_expires, now, until);
    }

    if (v == LUN_CACHE_UNSAID) {
        v = judge_control(f, now, until);
    }

    if (v == LUN_CACHE_UNSAID && f->expires.data != NULL) {
        v = judge_expires(f->expires, now, until);
    }

    return v;
}


int64_t
lun_cache_valid_for(const lun_cache_valid *rules, size_t n, unsigned status)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (rules[i].status == 0 || rules[i].status == status) {
            return rules[i].sec;
        }
    }

    return 0;
}


/* --- Vary ---------------------------------------------------------------- */

bool
lun_cache_next_name(lun_str *vary, lun_str *name)
{
    size_t  i;

    while (vary->len != 0) {
        for (i = 0; i < vary->len && vary->data[i] != ','; i++) { }

        *name = lun_str_trim(lun_str_of(vary->data, i));
        i += i < vary->len;
        *vary = lun_str_of(vary->data + i, vary->len - i);

        if (name->len != 0) {
            return true;
        }
    }

    return false;
}


char *
lun_cache_put_field(char *dst, lun_str value)
{
    lun_str  one;

    while (lun_cache_next_name(&value, &one)) {
        dst = lun_copy_str(dst, one);
        *dst++ = ',';
    }

    return dst;
}
