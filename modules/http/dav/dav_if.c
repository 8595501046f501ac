/*
 * dav_if.c -- the If field of WebDAV.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/dav/dav_if.h"


static lun_str
skip_spaces(lun_str text)
{
    while (text.len != 0 && (*text.data == ' ' || *text.data == '\t')) {
        text.data++;
        text.len--;
    }

    return text;
}


/* "<...>", "[...]". */
static bool
read_bracketed(lun_str *text, char end, lun_str *inner)
{
    const char  *at = lun_str_chr(*text, end);

    if (at == NULL || at == text->data + 1) {
        return false;
    }

    *inner = lun_str_of(text->data + 1, (size_t) (at - text->data - 1));
    text->len -= inner->len + 2;
    text->data = at + 1;

    return true;
}


static bool
read_condition(lun_str *text, lun_dav_condition *c)
{
    if (lun_str_caseafter(*text, LUN_STR("Not"), text)) {
        c->negated = true;
        *text = skip_spaces(*text);
    }

    c->is_etag = text->len != 0 && *text->data == '[';

    return text->len != 0 && (c->is_etag || *text->data == '<')
           && read_bracketed(text, c->is_etag ? ']' : '>', &c->value);
}


/* Behind "(", up to and with ")". */
static bool
read_list(lun_dav_if *f, lun_str *text, lun_str tag, unsigned list)
{
    size_t              first = f->count;
    lun_dav_condition  *c;

    for ( ;; ) {
        *text = skip_spaces(*text);

        if (text->len != 0 && *text->data == ')') {
            text->data++;
            text->len--;
            return f->count > first;
        }

        if (f->count == LUN_DAV_CONDITIONS) {
            return false;
        }

        c = &f->all[f->count++];
        *c = (lun_dav_condition) { .tag = tag, .list = list };

        if (!read_condition(text, c)) {
            return false;
        }
    }
}


/*
 * RFC 4918, 10.4.2: either all lists have a tag in front, or none; a tag
 * without a list is wrong.
 */
lun_rc
lun_dav_if_read(lun_dav_if *f, lun_str text)
{
    bool      tagged = false;
    lun_str   tag = LUN_STR_NULL;
    unsigned  lists = 0, behind_tag = 1;

    f->count = 0;

    for (text = skip_spaces(text); text.len != 0; text = skip_spaces(text)) {
        if (*text.data == '<' && behind_tag != 0 && (tagged || lists == 0)) {
            if (!read_bracketed(&text, '>', &tag)) {
                return LUN_ERROR;
            }

            tagged = true;
            behind_tag = 0;

        } else if (*text.data == '(') {
            text.data++;
            text.len--;
            behind_tag++;

            if (!read_list(f, &text, tag, lists++)) {
                return LUN_ERROR;
            }

        } else {
            return LUN_ERROR;
        }
    }

    return f->count != 0 && behind_tag != 0 ? LUN_OK : LUN_ERROR;
}


bool
lun_dav_if_holds(const lun_dav_if *f, lun_dav_holds_fn *holds, void *data)
{
    bool    all = true;
    size_t  i;

    for (i = 0; i < f->count; i++) {
        all = all && holds(data, &f->all[i]) != f->all[i].negated;

        if (i + 1 == f->count || f->all[i + 1].list != f->all[i].list) {
            if (all) {
                return true;
            }

            all = true;
        }
    }

    return false;
}


int64_t
lun_dav_timeout(lun_str text, int64_t most)
{
    int64_t  sec;
    lun_str  one, rest = text;

    while (rest.len != 0) {
        const char  *comma = lun_str_chr(rest, ',');
        size_t       n = comma != NULL ? (size_t) (comma - rest.data)
                                       : rest.len;

        one = lun_str_trim(lun_str_of(rest.data, n));
        n += n < rest.len;
        rest = lun_str_of(rest.data + n, rest.len - n);

        if (lun_str_caseeq(one, LUN_STR("Infinite"))) {
            return most;
        }

        if (lun_str_caseafter(one, LUN_STR("Second-"), &one) && one.len != 0
            && lun_is_digit(*one.data))
        {
            return lun_str_to_i64(one, &sec) == LUN_OK
                   ? lun_max(lun_min(sec, most), (int64_t) 1) : most;
        }
    }

    return most;
}
