/*
 * cgi_params.c -- see cgi_params.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/cgi/cgi_params.h"

#include "base/fmt.h"
#include "base/hash.h"
#include "http/upstream/upreq.h"


enum { CONDITIONS = 2 };           /* that a cache may add */

static const lun_str  prefix = LUN_STR_INIT("HTTP_");

typedef struct {
    lun_str      name;
    lun_script  *value;
    bool         if_not_empty;
} param;


/* --- the configuration --------------------------------------------------- */

lun_rc
lun_set_cgi_param(lun_conf *cf, const lun_directive *d, void *conf)
{
    param       *p;
    lun_array  **list = (lun_array **) (void *) ((char *) conf + d->field);

    if (*list == NULL) {
        *list = lun_array_new(cf->pool, sizeof(param), 32);
    }

    p = lun_array_push(*list);
    p->name = cf->args[1];
    p->value = lun_script_new(cf, cf->args[2]);

    if (cf->argc == 4) {
        if (!lun_str_eq(cf->args[3], LUN_STR("if_not_empty"))) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[3]));
        }

        p->if_not_empty = true;
    }

    return p->value != NULL ? LUN_OK : LUN_ERROR;
}


/*
 * The host that the request was taken for, which need not be what a line of it
 * says (RFC 9112, 3.2.2), unless the configuration has another.
 */
static lun_rc
add_host(lun_conf *cf, lun_cgi_params *params)
{
    size_t        i;
    param        *p;
    lun_str       name = LUN_STR("HTTP_HOST");
    const param  *own = params->list != NULL ? params->list->items : NULL;

    for (i = 0; own != NULL && i < params->list->count; i++) {
        if (lun_str_caseeq(own[i].name, name)) {
            return LUN_OK;
        }
    }

    p = lun_array_push(&params->all);
    p->name = name;
    p->value = lun_script_new(cf, LUN_STR("$host$is_request_port"
                                          "$request_port"));
    p->if_not_empty = true;
    *(lun_str *) lun_array_push(&params->headers) = LUN_STR("HOST");

    return p->value != NULL ? LUN_OK : LUN_ERROR;
}


lun_rc
lun_cgi_finish_params(lun_conf *cf, lun_cgi_params *params)
{
    size_t        i;
    const param  *p;

    lun_array_init(&params->all, cf->pool, sizeof(param), 0);
    lun_array_init(&params->headers, cf->pool, sizeof(lun_str), 4);

    for (i = 0; params->list != NULL && i < params->list->count; i++) {
        p = lun_array_at(params->list, i);

        if (lun_str_starts(p->name, prefix)) {
            *(lun_str *) lun_array_push(&params->headers)
                = lun_str_of(p->name.data + prefix.len,
                             p->name.len - prefix.len);

            if (lun_script_text(p->value).len == 0) {
                continue;              /* the client's is kept back */
            }
        }

        *(param *) lun_array_push(&params->all) = *p;
    }

    return add_host(cf, params);
}


/* --- a request ----------------------------------------------------------- */

/* As it stands in HTTP_...: "user-agent" is "USER_AGENT". */
static char
folded(char c)
{
    return c == '-' ? '_' : lun_upper(c);
}


/* Whether a name of the configuration stands for the client's header. */
static bool
is_replaced(const lun_array *headers, lun_str name)
{
    size_t          i, k;
    const lun_str  *h = headers->items;

    for (i = 0; i < headers->count; i++, h++) {
        if (h->len != name.len) {
            continue;
        }

        for (k = 0; k < name.len && folded(name.data[k]) == h->data[k]; k++) {
        }

        if (k == name.len) {
            return true;
        }
    }

    return false;
}


static lun_str
header_name(lun_pool *pool, lun_str name)
{
    char    *text = lun_pool_text(pool, prefix.len + name.len);
    char    *p = lun_copy_str(text, prefix);
    size_t   i;

    for (i = 0; i < name.len; i++) {
        *p++ = folded(name.data[i]);
    }

    return lun_str_of(text, prefix.len + name.len);
}


/*
 * Lines of one name.  All are counted before their text is made: a client may
 * send thousands of them.
 */
typedef struct {
    size_t       pair;             /* its place among the pairs */
    const char  *first;            /* the first line's value */
    size_t       more;             /* bytes that the others add */
} group;


static void
join_lines(lun_request *r, const lun_hash *by_name, lun_array *pairs)
{
    char          *text;
    group         *g;
    lun_cgi_pair  *pair;

    lun_header_each(&r->in.list, h) {
        g = lun_hash_get(by_name, h->name);

        if (g == NULL || (g->more == 0 && h->value.data == g->first)) {
            continue;
        }

        pair = lun_array_at(pairs, g->pair);

        if (h->value.data == g->first) {
            text = lun_pool_text(r->pool, pair->value.len + g->more);
            (void) lun_copy_str(text, pair->value);
            pair->value.data = text;
            continue;
        }

        text = (char *) (uintptr_t) pair->value.data + pair->value.len;
        text = lun_copy(text, h->known == LUN_HIN_COOKIE ? "; " : ", ", 2);
        text = lun_copy_str(text, h->value);
        pair->value.len = (size_t) (text - pair->value.data);
    }
}


/* A cache wants all of an answer, on conditions of its own. */
static bool
is_cache_business(const lun_request *r, const lun_header *h)
{
    if (r->upreq == NULL || !r->upreq->fetch.whole) {
        return false;
    }

    switch (h->known) {

    case LUN_HIN_IF_MODIFIED_SINCE:
    case LUN_HIN_IF_UNMODIFIED_SINCE:
    case LUN_HIN_IF_NONE_MATCH:
    case LUN_HIN_IF_MATCH:
    case LUN_HIN_RANGE:
    case LUN_HIN_IF_RANGE:
        return true;

    default:
        return false;
    }
}


static void
add_condition(const lun_cgi_params *params, lun_array *pairs, lun_str name,
    lun_str value)
{
    lun_str        plain;
    lun_cgi_pair  *pair;

    plain = lun_str_of(name.data + prefix.len, name.len - prefix.len);

    if (value.len != 0 && !is_replaced(&params->headers, plain)) {
        pair = lun_array_push(pairs);
        pair->name = name;
        pair->value = value;
    }
}


/*
 * Whether two lines may have one name.  That none have is certain, and so with
 * most clients; it costs no table of names.
 */
static bool
may_repeat(const lun_header_list *list)
{
    uint64_t  *word, bit, seen[4] = { 0 };

    lun_header_each(list, h) {
        word = &seen[h->hash >> 6 & 3];
        bit = lun_header_bit(h->hash);

        if (*word & bit) {
            return true;
        }

        *word |= bit;
    }

    return false;
}


static void
add_single(lun_request *r, const lun_cgi_params *params, lun_array *pairs)
{
    lun_cgi_pair  *pair;

    lun_header_each(&r->in.list, h) {
        if (!is_replaced(&params->headers, h->name)
            && !is_cache_business(r, h))
        {
            pair = lun_array_push(pairs);
            pair->name = header_name(r->pool, h->name);
            pair->value = h->value;
        }
    }
}


/*
 * Several lines of a name become one, joined by ", ": a program has one
 * variable for it (RFC 3875, 4.1.18).
 */
static void
add_headers(lun_request *r, const lun_cgi_params *params, lun_array *pairs)
{
    bool           several = false;
    group         *g;
    lun_hash       by_name;
    lun_cgi_pair  *pair;

    if (!may_repeat(&r->in.list)) {
        add_single(r, params, pairs);
        return;
    }

    lun_hash_init(&by_name, r->pool, r->in.list.count, true);

    lun_header_each(&r->in.list, h) {
        if (is_replaced(&params->headers, h->name)
            || is_cache_business(r, h))
        {
            continue;
        }

        g = lun_hash_get(&by_name, h->name);

        if (g != NULL) {
            g->more += 2 + h->value.len;
            several = true;
            continue;
        }

        g = lun_pool_new(r->pool, group);
        g->pair = pairs->count;
        g->first = h->value.data;
        lun_hash_set(&by_name, h->name, g);

        pair = lun_array_push(pairs);
        pair->name = header_name(r->pool, h->name);
        pair->value = h->value;
    }

    if (several) {
        join_lines(r, &by_name, pairs);
    }
}


/*
 * While an answer is fetched for a cache, conditions are the cache's and not
 * the client's.
 */
void
lun_cgi_make_pairs(lun_request *r, const lun_cgi_params *params,
    bool headers, lun_array *pairs)
{
    size_t         i, count = params->all.count;
    lun_cgi_pair  *pair;
    const param   *all = params->all.items;

    lun_array_init(pairs, r->pool, sizeof(lun_cgi_pair),
                   count + r->in.list.count + CONDITIONS);

    for (pair = pairs->items, i = 0; i < count; i++) {
        pair->value = lun_script_run(&r->session, all[i].value);

        if (pair->value.len != 0 || !all[i].if_not_empty) {
            pair->name = all[i].name;
            pair++;
        }
    }

    pairs->count = (size_t) (pair - (lun_cgi_pair *) pairs->items);

    if (headers) {
        add_headers(r, params, pairs);
    }

    if (r->upreq != NULL && r->upreq->fetch.whole) {
        add_condition(params, pairs, LUN_STR("HTTP_IF_MODIFIED_SINCE"),
                      r->upreq->fetch.last_modified);
        add_condition(params, pairs, LUN_STR("HTTP_IF_NONE_MATCH"),
                      r->upreq->fetch.etag);
    }
}
