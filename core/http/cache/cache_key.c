/*
 * cache_key.c -- the key of a variant: what a request says in the fields that
 * an answer varies by.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cache.h"

#include "base/digest.h"
#include "http/cache/cache_priv.h"


static size_t
field_size(const lun_request *r, lun_str name)
{
    size_t  n = 0;

    lun_header_each(&r->in.list, h) {
        if (lun_str_caseeq(h->name, name)) {
            n += h->value.len + 2;
        }
    }

    return n;
}


/* "name:value,value,\n" for each name. */
void
lun_cache_variant(const lun_request *r, const lun_caching *c, lun_str vary,
    lun_cache_key *key)
{
    char     *p, *text;
    size_t    n = LUN_CACHE_KEY + sizeof(c->family);
    lun_str   name, names = vary;

    while (lun_cache_next_name(&names, &name)) {
        n += name.len + field_size(r, name) + 2;
    }

    text = lun_pool_text(r->pool, n);
    p = lun_copy(text, (const char *) c->main.bytes, LUN_CACHE_KEY);
    p = lun_copy(p, (const char *) &c->family, sizeof(c->family));

    while (lun_cache_next_name(&vary, &name)) {
        lun_mem_lower(p, name.data, name.len);
        p += name.len;
        *p++ = ':';

        lun_header_each(&r->in.list, h) {
            if (lun_str_caseeq(h->name, name)) {
                p = lun_cache_put_field(p, h->value);
            }
        }

        *p++ = '\n';
    }

    lun_md5(lun_str_of(text, (size_t) (p - text)), key->bytes);
}
