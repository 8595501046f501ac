/*
 * not_modified.c -- conditional requests: 304, or 412, instead of a 200.
 *
 * The first of the header filters, so that what it turns an answer into goes
 * through all others.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"
#include "os/clock.h"


extern lun_http_module  lun_http_not_modified;


static bool
unmodified_since(const lun_request *r, lun_str date)
{
    int64_t  sec;

    return r->out.last_modified != -1
           && lun_http_date_parse(date, &sec) == LUN_OK
           && sec >= r->out.last_modified;
}


static bool
modified_since(const lun_request *r, lun_str date)
{
    int64_t               sec;
    const lun_core_conf  *conf = lun_core_conf_of(r);

    if (r->out.last_modified == -1 || conf->if_modified_since == LUN_IMS_OFF
        || lun_http_date_parse(date, &sec) != LUN_OK)
    {
        return true;
    }

    if (sec == r->out.last_modified) {
        return false;
    }

    return conf->if_modified_since == LUN_IMS_EXACT
           || sec < r->out.last_modified;
}


static lun_str
strong(lun_str etag)
{
    if (lun_str_starts(etag, LUN_STR("W/"))) {
        etag.data += 2;
        etag.len -= 2;
    }

    return etag;
}


static const char *
skip_separators(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == ',')) {
        p++;
    }

    return p;
}


/* Behind the tag that begins at p: "x", W/"x", or (not a tag by RFC 9110) x. */
static const char *
end_of_tag(const char *p, const char *end)
{
    const char  *close;

    if (lun_str_starts(lun_str_of(p, (size_t) (end - p)), LUN_STR("W/"))) {
        p += 2;
    }

    if (p < end && *p == '"') {
        close = memchr(p + 1, '"', (size_t) (end - p - 1));
        return close != NULL ? close + 1 : end;
    }

    while (p < end && *p != ' ' && *p != '\t' && *p != ',') {
        p++;
    }

    return p;
}


/* Whether a list of tags has ours; `weak`: by the weak comparison. */
static bool
has_etag(const lun_request *r, lun_str list, bool weak)
{
    lun_str            etag, one;
    const char        *p, *end, *close;
    const lun_header  *h = r->out.known[LUN_HOUT_ETAG];

    if (lun_str_eq(list, LUN_STR("*"))) {
        return true;
    }

    if (h == NULL || h->hash == 0) {
        return false;
    }

    etag = weak ? strong(h->value) : h->value;

    p = skip_separators(list.data, list.data + list.len);
    end = list.data + list.len;

    while (p < end) {
        close = end_of_tag(p, end);
        one = lun_str_of(p, (size_t) (close - p));

        if (lun_str_eq(weak ? strong(one) : one, etag)) {
            return true;
        }

        p = skip_separators(close, end);
    }

    return false;
}


static void
not_modified(lun_request *r)
{
    r->out.status = 304;
    r->out.status_line = LUN_STR_NULL;
    r->out.content_type = LUN_STR_NULL;
    r->out.charset = LUN_STR_NULL;

    lun_http_clear_length(r);
    lun_http_clear_ranges(r);
    lun_http_set_out(r, LUN_STR("Content-Encoding"), LUN_STR_NULL);
}


/*
 * What must match comes first (412).  If both If-None-Match and
 * If-Modified-Since are sent, both have to say so for a 304, as in nginx.
 */
static lun_rc
on_header(lun_request *r)
{
    lun_header *const  *in = r->in.known;

    if (r->out.status != 200 || r->parent != NULL || r->not_ours) {
        return lun_http_next_header(r, &lun_http_not_modified);
    }

    if (in[LUN_HIN_IF_UNMODIFIED_SINCE] != NULL
        && !unmodified_since(r, in[LUN_HIN_IF_UNMODIFIED_SINCE]->value))
    {
        return lun_http_refuse(r, 412);
    }

    if (in[LUN_HIN_IF_MATCH] != NULL
        && !has_etag(r, in[LUN_HIN_IF_MATCH]->value, false))
    {
        return lun_http_refuse(r, 412);
    }

    if ((in[LUN_HIN_IF_MODIFIED_SINCE] != NULL
         || in[LUN_HIN_IF_NONE_MATCH] != NULL)
        && (in[LUN_HIN_IF_MODIFIED_SINCE] == NULL
            || !modified_since(r, in[LUN_HIN_IF_MODIFIED_SINCE]->value))
        && (in[LUN_HIN_IF_NONE_MATCH] == NULL
            || has_etag(r, in[LUN_HIN_IF_NONE_MATCH]->value, true)))
    {
        not_modified(r);
    }

    return lun_http_next_header(r, &lun_http_not_modified);
}


lun_http_module  lun_http_not_modified = {
    .name = "not_modified",
    .always = true,
    .header_filter = on_header,
};
