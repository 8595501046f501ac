/*
 * cache_vars.c -- what is said of a cache: $upstream_cache_..., Cache-Status.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cache.h"

#include "config/status.h"
#include "http/cache/cache_priv.h"
#include "http/accept/trace.h"
#include "session/upstream/tries.h"


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


static void
get_status(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_caching  *c = caching_of(s);

    v->not_found = c == NULL;

    if (c != NULL) {
        v->text = statuses[c->status].name;
    }
}


/* --- for traces ---------------------------------------------------------- */

void
lun_cache_trace_begin(lun_caching *c)
{
    lun_request  *r = c->x->r;
    lun_trace    *t = lun_trace_of(r, LUN_TRACE_CACHE);

    if (t != NULL) {
        c->span = lun_trace_add(r, t, lun_trace_within(r, t),
                                LUN_STR("cache"), LUN_SPAN_INTERNAL);
    }
}


lun_upreq_hook_verdict
lun_cache_trace_decided(lun_caching *c, lun_upreq_hook_verdict v)
{
    if (c->span != NULL && c->span->end == 0 && v != LUN_UPREQ_WAIT) {
        c->span->end = lun_trace_now();
    }

    return v;
}


/* Its status may have changed since: STALE is after a server has failed. */
void
lun_cache_trace_end(lun_caching *c)
{
    if (c->span == NULL) {
        return;
    }

    (void) lun_cache_trace_decided(c, LUN_UPREQ_GO_ON);
    lun_span_text(c->x->r, c->span, LUN_STR("cache.status"),
                  statuses[c->status].name);
    lun_span_text(c->x->r, c->span, LUN_STR("cache.name"),
                  c->cache->zone->name);
    lun_span_text(c->x->r, c->span, LUN_STR("cache.key"), c->text);
    c->span = NULL;
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

enum { STATUSES = LUN_CACHE_HIT + 1 };

/* Parts of the record: a cell for each status. */
enum { BYTES = 0, WRITTEN = STATUSES, BYTES_WRITTEN = 2 * STATUSES };

uint32_t  lun_cache_updates_at;

const lun_metric  lun_cache_metrics[] = {
    { .name = "cache_answers", .kind = LUN_COUNTER, .labels = "cache",
      .choice = "status", .values = counted,
      .help = "Answers by cache, and how it came by them" },
    { .name = "cache_cells", .kind = LUN_COUNTER, .labels = "cache",
      .record = 3 * STATUSES },
    { .name = "cache_answers", .unit = "bytes", .kind = LUN_COUNTER,
      .labels = "cache", .choice = "status", .values = counted,
      .look = lun_metric_look_at_cell, .of = &lun_cache_metrics[1],
      .cell = BYTES,
      .help = "Bytes of those answers, without headers" },
    { .name = "cache_written", .kind = LUN_COUNTER,
      .labels = "cache", .choice = "status", .values = counted,
      .look = lun_metric_look_at_cell, .of = &lun_cache_metrics[1],
      .cell = WRITTEN,
      .help = "Answers that were stored" },
    { .name = "cache_written", .unit = "bytes", .kind = LUN_COUNTER,
      .labels = "cache", .choice = "status", .values = counted,
      .look = lun_metric_look_at_cell, .of = &lun_cache_metrics[1],
      .cell = BYTES_WRITTEN,
      .help = "Bytes of files of stored answers" },
    { .name = "cache_updates_open", .kind = LUN_GAUGE,
      .at = &lun_cache_updates_at,
      .help = "Entries that are brought up to date in the background" },
    { 0 }
};


void
lun_cache_count(const lun_caching *c)
{
    const lun_upstream_try  *a;
    int64_t                  bytes;

    if (c->cache == NULL) {
        return;
    }

    a = lun_upstream_last_try(&c->x->r->session);
    bytes = c->status >= LUN_CACHE_STALE && c->found != NULL
            ? c->found->size - (int64_t) c->found->head_size
            : a != NULL ? a->response_length : 0;
    lun_metric_add(c->cache->answers_at + c->status, 1);
    lun_metric_add(c->cache->bytes_at + BYTES + c->status,
                   (uint64_t) lun_max(bytes, 0));
}


void
lun_cache_count_stored(const lun_caching *c, int64_t bytes)
{
    lun_metric_add(c->cache->bytes_at + WRITTEN + c->status, 1);
    lun_metric_add(c->cache->bytes_at + BYTES_WRITTEN + c->status,
                   (uint64_t) bytes);
}


/* --- the tree ------------------------------------------------------------ */

static void
write_status(lun_status_walk *w, const lun_cache *cache,
    lun_cache_status status, const uint64_t *cells, bool asks_server)
{
    if (!lun_status_open(w, lun_str_z(counted[status]))) {
        return;
    }

    lun_status_number(w, "responses",
                      (int64_t) lun_metric_sum(cache->answers_at + status));
    lun_status_number(w, "bytes", (int64_t) cells[BYTES + status]);

    if (asks_server) {
        lun_status_number(w, "responses_written",
                          (int64_t) cells[WRITTEN + status]);
        lun_status_number(w, "bytes_written",
                          (int64_t) cells[BYTES_WRITTEN + status]);
    }

    lun_status_close(w);
}


static bool
write_cache(lun_status_walk *w, void *data, uint32_t *cursor)
{
    unsigned          i;
    uint64_t          cells[3 * STATUSES];
    const lun_cache  *cache = data;
    lun_cache_index  *index;

    if (!lun_status_open(w, cache->zone->name)) {
        return false;
    }

    index = lun_cache_index_of(cache->zone);
    lun_metric_read(cache->bytes_at, LUN_ARRAY_LEN(cells), cells);
    lun_status_number(w, "size", (int64_t) lun_cache_index_bytes(index));

    if (cache->max_size != INT64_MAX) {
        lun_status_number(w, "max_size", cache->max_size);
    }

    lun_status_flag(w, "cold", lun_cache_index_cold(index));
    lun_status_number(w, "entries", (int64_t) lun_cache_index_count(index));

    for (i = 0; i < STATUSES; i++) {
        write_status(w, cache, (lun_cache_status) i, cells,
                     i == LUN_CACHE_MISS || i == LUN_CACHE_BYPASS
                     || i == LUN_CACHE_EXPIRED);
    }

    lun_status_close(w);
    return false;
}


void
lun_cache_want_bytes(lun_conf *cf, lun_cache *cache)
{
    lun_metric_declare(cf->gen->metrics, lun_cache_metrics);
    lun_metric_want(cf->gen->metrics, &lun_cache_metrics[1],
                    &cache->zone->name, &cache->bytes_at);
    lun_status_add(cf->gen, "status/http/caches", write_cache, cache);
}


static void
get_last_modified(lun_session *s, lun_value *v, uintptr_t data)
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


static void
get_etag(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_cache_head  *h = old_head(s);

    v->not_found = h == NULL || h->etag.len == 0;

    if (!v->not_found) {
        v->text = h->etag;
    }
}


static void
get_key(lun_session *s, lun_value *v, uintptr_t data)
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


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("upstream_cache_status"),
      .get = get_status, .flags = LUN_VAR_VOLATILE,
      .help = "MISS, HIT, EXPIRED, STALE, UPDATING, BYPASS, ..." },
    { .name = LUN_STR_INIT("upstream_cache_last_modified"),
      .get = get_last_modified, .flags = LUN_VAR_VOLATILE,
      .help = "Last-Modified of what is in the cache" },
    { .name = LUN_STR_INIT("upstream_cache_etag"), .get = get_etag,
      .flags = LUN_VAR_VOLATILE,
      .help = "ETag of what is in the cache" },
    { .name = LUN_STR_INIT("upstream_cache_key"), .get = get_key,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "the key under which the cache has it" },
    { .name = LUN_STR_NULL }
};

lun_http_module  lun_http_caches = {
    .name = "caches",
    .variables = variables,
};
