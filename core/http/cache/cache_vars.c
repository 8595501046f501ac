/*
 * cache_vars.c -- what is said of a cache: $upstream_cache_..., Cache-Status.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cache.h"

#include "http/cache/cache_priv.h"


static const struct {
    lun_str      name;
    const char  *token;            /* of Cache-Status, RFC 9211 */
} statuses[] = {
    [LUN_CACHE_MISS]        = { LUN_STR_INIT("MISS"), "fwd=uri-miss" },
    [LUN_CACHE_BYPASS]      = { LUN_STR_INIT("BYPASS"), "fwd=bypass" },
    [LUN_CACHE_EXPIRED]     = { LUN_STR_INIT("EXPIRED"), "fwd=stale" },
    [LUN_CACHE_STALE]       = { LUN_STR_INIT("STALE"), "hit" },
    [LUN_CACHE_UPDATING]    = { LUN_STR_INIT("UPDATING"), "hit" },
    [LUN_CACHE_REVALIDATED] = { LUN_STR_INIT("REVALIDATED"),
                                "hit; fwd=stale; fwd-status=304" },
    [LUN_CACHE_HIT]         = { LUN_STR_INIT("HIT"), "hit" }
};


static const lun_caching *
caching_of(const lun_session *s)
{
    const lun_request  *r = lun_request_of(s);

    return r->upreq != NULL ? lun_caching_of(r->upreq) : NULL;
}


void
lun_cache_get_status(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_caching  *c = caching_of(s);

    v->not_found = c == NULL;

    if (c != NULL) {
        v->text = statuses[c->status].name;
    }
}


/* What is known of an answer that is over, for asking whether it is. */
static const lun_cache_head *
old_head(const lun_session *s)
{
    const lun_caching  *c = caching_of(s);

    return c != NULL && c->status == LUN_CACHE_EXPIRED && c->conf->revalidate
           && c->found != NULL ? &c->found->head : NULL;
}


static const char *const  counted[] = {
    [LUN_CACHE_MISS] = "miss",
    [LUN_CACHE_BYPASS] = "bypass",
    [LUN_CACHE_EXPIRED] = "expired",
    [LUN_CACHE_STALE] = "stale",
    [LUN_CACHE_UPDATING] = "updating",
    [LUN_CACHE_REVALIDATED] = "revalidated",
    [LUN_CACHE_HIT] = "hit",
    NULL
};

const lun_metric  lun_cache_metrics[] = {
    { .name = "cache_answers", .kind = LUN_COUNTER, .labels = "cache",
      .choice = "status", .values = counted,
      .help = "Answers by cache, and how it came by them" },
    { 0 }
};


void
lun_cache_count(const lun_caching *c)
{
    if (c->cache != NULL) {
        lun_metric_add(c->cache->answers_at + c->status, 1);
    }
}


void
lun_cache_get_last_modified(lun_session *s, lun_value *v, uintptr_t data)
{
    char                  *text;
    const lun_cache_head  *h = old_head(s);

    v->not_found = h == NULL || h->last_modified < 0;

    if (!v->not_found) {
        text = lun_pool_text(s->pool, LUN_HTTP_DATE);
        (void) lun_clock_http_date(text, h->last_modified);
        v->text = lun_str_of(text, LUN_HTTP_DATE);
    }
}


void
lun_cache_get_etag(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_cache_head  *h = old_head(s);

    v->not_found = h == NULL || h->etag.len == 0;

    if (!v->not_found) {
        v->text = h->etag;
    }
}


void
lun_cache_get_key(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_caching  *c = caching_of(s);

    v->not_found = c == NULL;

    if (c != NULL) {
        v->text = c->text;
    }
}


void
lun_cache_add_status(lun_upreq *x)
{
    int64_t             valid;
    lun_str             more = LUN_STR("");
    lun_request        *r = x->r;
    const lun_caching  *c = lun_caching_of(x);

    if (c == NULL || !c->conf->header) {
        return;
    }

    if (x->served || x->fetch.keep) {
        valid = x->served ? c->found->head.valid : c->valid;

        if (c->status == LUN_CACHE_REVALIDATED && c->valid != 0) {
            valid = c->valid;
        }

        more = lun_pool_fmt(r->pool, "%s; ttl=%" PRId64,
                            x->fetch.keep ? "; stored" : "",
                            valid - lun_clock.sec);
    }

    (void) lun_http_add_out(r, LUN_STR("Cache-Status"),
                            lun_pool_fmt(r->pool, LUN_PRODUCT "; %s%.*s",
                                         statuses[c->status].token,
                                         LUN_S(more)));
}
