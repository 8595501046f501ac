/*
 * trusted_proxy.c -- back through the proxies that we trust.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/trusted_proxy.h"

#include "os/cidr.h"


/* Takes the last word of a list off; data NULL: there is none. */
static lun_str
last_word(lun_str *list)
{
    lun_str      word;
    const char  *p = list->data, *end = p + list->len, *start;

    while (end > p && (end[-1] == ' ' || end[-1] == ',')) {
        end--;
    }

    for (start = end; start > p; start--) {
        if (start[-1] == ' ' || start[-1] == ',') {
            break;
        }
    }

    word = lun_str_of(end > start ? start : NULL, (size_t) (end - start));
    list->len = (size_t) (start - p);

    return word;
}


/* Back from the one who is connected, step by step. */
typedef struct {
    const lun_array  *from;
    bool              recursive;
    lun_addr         *addr;        /* as far as we have come */
    bool              moved;
} walk;


/* True: who was found may be asked for the one before, in another list. */
static bool
go_back(walk *w, lun_str list)
{
    lun_str   word;
    lun_addr  next;

    do {
        word = last_word(&list);

        if (!lun_cidr_any_has(w->from, w->addr)
            || lun_addr_parse(word, &next) != LUN_OK
            || next.family == LUN_AF_UNIX)
        {
            return false;
        }

        *w->addr = next;
        w->moved = true;

    } while (w->recursive && list.len != 0);

    return w->recursive;
}


/* Headers of one name are one list: the last of them comes first. */
static bool
go_back_headers(walk *w, const lun_header *h)
{
    if (h->same != NULL && !go_back_headers(w, h->same)) {
        return false;
    }

    return go_back(w, h->value);
}


static bool
go_back_from(lun_addr *addr, const lun_header *h, bool all,
    const lun_array *from, bool recursive)
{
    walk  w = { .from = from, .recursive = recursive, .addr = addr };

    if (all) {
        (void) go_back_headers(&w, h);

    } else {
        (void) go_back(&w, h->value);
    }

    return w.moved;
}


bool
lun_trusted_proxy_client(const lun_session *s, lun_str header, lun_addr *addr,
    const lun_array *from, bool recursive)
{
    bool                all = lun_str_eq(header, LUN_STR("X-Forwarded-For"));
    const lun_header   *h;
    const lun_request  *r = lun_request_of(s);

    h = all ? r->in.known[LUN_HIN_X_FORWARDED_FOR]
            : lun_header_find(&r->in.list, header);

    return h != NULL && go_back_from(addr, h, all, from, recursive);
}
