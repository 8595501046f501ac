/*
 * headers_out.c -- changing the header of the answer.
 *
 * Content-Type and Content-Length have fields of their own in r->out and are
 * never in the list; everything else is.  A known header that was taken away
 * stays in r->out.known with hash 0, so that the protocol does not make up
 * its own ("Server", "Date").
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/output.h"

#include "base/check.h"


static lun_header *
append(lun_request *r, lun_str name, uint32_t hash, int known, lun_str value)
{
    lun_header   *h = lun_header_list_push(&r->out.list);
    lun_header  **at;

    h->name = name;
    h->value = value;
    h->hash = hash;
    h->known = (int16_t) known;

    if (known < 0) {
        return h;
    }

    at = &r->out.known[known];

    while (*at != NULL && (*at)->hash != 0) {
        at = &(*at)->same;
    }

    h->same = NULL;
    *at = h;

    return h;
}


/* Fields that stand for a header. True: it was one. */
static bool
set_field(lun_request *r, int known, lun_str value)
{
    int64_t  n;

    switch (known) {

    case LUN_HOUT_CONTENT_TYPE:
        r->out.content_type = value;
        r->out.charset = LUN_STR_NULL;
        return true;

    case LUN_HOUT_CONTENT_LENGTH:
        n = -1;

        if (value.data != NULL && lun_str_to_i64(value, &n) != LUN_OK) {
            n = -1;
        }

        r->out.content_length = n;
        return true;

    case LUN_HOUT_LAST_MODIFIED:
        if (value.data == NULL
            || lun_http_date_parse(value, &r->out.last_modified) != LUN_OK)
        {
            r->out.last_modified = -1;
        }

        return false;

    default:
        return false;
    }
}


static void
remove_all(lun_request *r, lun_str name, uint32_t hash, int known)
{
    lun_header_each(&r->out.list, h) {
        if (h->hash == hash && lun_str_caseeq(h->name, name)) {
            h->hash = 0;
        }
    }

    if (known >= 0) {
        r->out.known[known] = NULL;
    }
}


/*
 * Server and Date are added unless somebody has them: an empty one that is not
 * sent says that nobody wants any.
 */
static void
set(lun_request *r, lun_str name, uint32_t hash, int known, lun_str value)
{
    lun_header  *h;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (set_field(r, known, value)) {
        return;
    }

    if (known < 0 || r->out.known[known] != NULL) {
        remove_all(r, name, hash, known);
    }

    if (value.data != NULL) {
        (void) append(r, name, hash, known, value);
        return;
    }

    if (known == LUN_HOUT_SERVER || known == LUN_HOUT_DATE) {
        h = append(r, name, hash, known, LUN_STR(""));
        h->hash = 0;
    }
}


void
lun_http_set_out(lun_request *r, lun_str name, lun_str value)
{
    uint32_t  hash = lun_header_hash(name);

    set(r, name, hash, lun_header_known_out(name, hash), value);
}


static lun_header *
add(lun_request *r, lun_str name, uint32_t hash, int known, lun_str value)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (known >= 0 && !lun_header_out_repeats(known)) {
        set(r, name, hash, known, value);
        return r->out.known[known];
    }

    return append(r, name, hash, known, value);
}


lun_header *
lun_http_add_out(lun_request *r, lun_str name, lun_str value)
{
    uint32_t  hash = lun_header_hash(name);

    return add(r, name, hash, lun_header_known_out(name, hash), value);
}


lun_header *
lun_http_copy_out(lun_request *r, const lun_header *h)
{
    switch (h->known) {

    /* In two lines they mean more than one of them does. */
    case LUN_HOUT_CONTENT_ENCODING:
    case LUN_HOUT_CONTENT_RANGE:
    case LUN_HOUT_ACCEPT_RANGES:
        return append(r, h->name, h->hash, h->known, h->value);

    default:
        return add(r, h->name, h->hash, h->known, h->value);
    }
}


lun_header *
lun_http_find_out(lun_request *r, lun_str name)
{
    return lun_header_find(&r->out.list, name);
}


void
lun_http_clear_length(lun_request *r)
{
    r->out.content_length = -1;
}


void
lun_http_clear_ranges(lun_request *r)
{
    r->allow_ranges = 0;

    if (r->out.known[LUN_HOUT_ACCEPT_RANGES] != NULL) {
        lun_http_set_out(r, LUN_STR("Accept-Ranges"), LUN_STR_NULL);
    }
}


void
lun_http_clear_etag(lun_request *r)
{
    if (r->out.known[LUN_HOUT_ETAG] != NULL) {
        lun_http_set_out(r, LUN_STR("ETag"), LUN_STR_NULL);
    }
}


void
lun_http_clear_last_modified(lun_request *r)
{
    r->out.last_modified = -1;

    if (r->out.known[LUN_HOUT_LAST_MODIFIED] != NULL) {
        lun_http_set_out(r, LUN_STR("Last-Modified"), LUN_STR_NULL);
    }
}


void
lun_http_weak_etag(lun_request *r)
{
    lun_header  *h = r->out.known[LUN_HOUT_ETAG];

    if (h == NULL || h->hash == 0 || lun_str_starts(h->value, LUN_STR("W/"))) {
        return;
    }

    if (h->value.len < 2 || h->value.data[0] != '"') {
        lun_http_clear_etag(r);
        return;
    }

    h->value = lun_pool_fmt(r->pool, "W/%.*s", LUN_S(h->value));
}


void
lun_http_text_changes(lun_request *r, bool keeps_last_modified)
{
    lun_http_clear_length(r);
    lun_http_clear_ranges(r);

    if (keeps_last_modified) {
        lun_http_weak_etag(r);

    } else {
        lun_http_clear_last_modified(r);
        lun_http_clear_etag(r);
    }
}
