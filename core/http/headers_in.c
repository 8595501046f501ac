/*
 * headers_in.c -- changing the header that came.
 *
 * It is a list, with pointers to the known ones and some values taken from
 * them: a change keeps all three in step.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/body.h"

#include "base/check.h"
#include "http/request_header.h"


static void
set_host(lun_request *r, lun_str value)
{
    char        *text;
    const char  *colon;

    colon = lun_str_starts(value, LUN_STR("["))
            ? memchr(value.data, ']', value.len) : value.data;
    colon = colon == NULL ? NULL
            : memchr(colon, ':', (size_t) (value.data + value.len - colon));

    if (colon != NULL) {
        value.len = (size_t) (colon - value.data);
    }

    text = lun_pool_text(r->pool, value.len + 1);
    lun_mem_lower(text, value.data, value.len);
    r->in.host = lun_str_of(text, value.len);
    lun_var_forget(&r->session, LUN_STR("host"));
}


/* What the core has taken from the header that changed; NULL: it has gone. */
static void
take_value(lun_request *r, int known, const lun_header *h)
{
    int64_t  n = -1;

    switch (known) {

    case LUN_HIN_HOST:
        set_host(r, h != NULL ? h->value : LUN_STR(""));
        return;

    case LUN_HIN_CONTENT_LENGTH:
        /* Where an unread body ends is the client's to say. */
        if (!lun_body_untouched(r)) {
            (void) (h != NULL && lun_str_to_i64(h->value, &n) == LUN_OK);
            r->in.content_length = n;
        }

        return;

    default:
        return;
    }
}


/* The chain of a known name, from what the list has. */
static void
link_known(lun_request *r, int known)
{
    lun_header  **at = &r->in.known[known];

    lun_header_each(&r->in.list, h) {
        if (h->known == known) {
            *at = h;
            at = &h->same;
        }
    }

    *at = NULL;
    take_value(r, known, r->in.known[known]);
}


void
lun_http_set_in(lun_request *r, lun_str name, lun_str value, bool replace)
{
    uint32_t     hash = lun_header_hash(name);
    int          known = lun_header_known_in(name, hash);
    lun_header  *h, *first = NULL;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    /* The first of them keeps its place, and how it was spelled. */
    if (replace || (known >= 0 && !lun_header_in_repeats(known))) {
        lun_header_each(&r->in.list, old) {
            if (old->hash != hash || !lun_str_caseeq(old->name, name)) {
                continue;
            }

            if (first == NULL && value.data != NULL) {
                first = old;
                first->value = value;

            } else {
                old->hash = 0;
            }
        }
    }

    if (value.data != NULL && first == NULL) {
        h = lun_header_list_push(&r->in.list);
        h->name = name;
        h->value = value;
        h->hash = hash;
        h->known = (int16_t) known;
    }

    if (known >= 0) {
        link_known(r, known);
    }
}


void
lun_http_copy_in(lun_request *r, const lun_request *from, bool texts)
{
    lun_header      *copy, *last[LUN_HIN_COUNT] = { NULL };
    lun_headers_in  *in = &r->in;

    *in = from->in;
    in->chunked = false;           /* its body has come, or is none */
    in->expect_continue = false;
    memset(in->known, 0, sizeof(in->known));
    lun_header_list_init(&in->list, r->pool, from->in.list.count + 2);

    if (texts && in->host.data != NULL) {
        in->host = lun_pool_str(r->pool, in->host);
    }

    lun_header_each(&from->in.list, h) {
        copy = lun_header_list_push(&in->list);
        *copy = *h;
        copy->same = NULL;

        if (texts) {
            copy->name = lun_pool_str(r->pool, h->name);
            copy->value = lun_pool_str(r->pool, h->value);
        }

        if (h->known < 0) {
            continue;
        }

        if (last[h->known] == NULL) {
            in->known[h->known] = copy;

        } else {
            last[h->known]->same = copy;
        }

        last[h->known] = copy;
    }
}
