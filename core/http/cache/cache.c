/*
 * cache.c -- looking up what a request asks for, waiting for others who fetch
 * it, and sending it.
 *
 *     key -> index -> memory or file -> is it this request's variant?
 *         valid: it is sent (HIT)
 *         over: it may be sent all the same (UPDATING, STALE), or a server is
 *               asked, with what is known of it (EXPIRED)
 *         none: who comes first asks a server, others may wait (MISS)
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cache.h"

#include "base/digest.h"
#include "http/accept/detached.h"
#include "http/cache/cache_priv.h"
#include "http/engine.h"
#include "http/upstream/upreq_priv.h"


enum {
    UPDATE_AGE = 60000,            /* ms: then another request may try */
    UPDATES    = 1024              /* of a worker at a time */
};

/* In the background: what it has to look up itself, or give back. */
typedef struct {
    lun_cache_index  *index;
    lun_cache_key     key;
    uint32_t          ticket;      /* 0: it has looked */
} update;

/* --- sending what was found ---------------------------------------------- */

/*
 * From here on it is an answer like a server's: fields that a Lua filter, or
 * add_header, looks up are found in the same way.
 */
static void
fill_answer(lun_upreq *x, const lun_cached *a)
{
    lun_str           name, value, lines = a->head.lines;
    lun_header       *h;
    lun_upreq_answer *to = &x->answer;

    lun_upreq_forget_answer(x);
    to->status = a->head.status;
    to->status_line = a->head.status_line.len != 0 ? a->head.status_line
                                                   : LUN_STR_NULL;
    to->length = a->head.bodiless ? -1 : a->head.length;

    while (lun_cache_next_line(&lines, &name, &value)) {
        h = lun_header_list_push(&to->list);
        memset(h, 0, sizeof(*h));
        h->name = name;
        h->value = value;
        h->hash = lun_header_hash(name);
        h->known = (int16_t) lun_header_known_out(name, h->hash);

        if (h->known == LUN_HOUT_CONTENT_LENGTH) {
            (void) lun_str_to_i64(value, &to->head_length);
        }
    }

    if (to->head_length < 0) {
        to->head_length = to->length;
    }
}


static lun_buf *
body_of(const lun_upreq *x, const lun_cached *a)
{
    if (a->fd == LUN_FD_NONE) {
        return lun_buf_new_str(x->r->pool, a->body);
    }

    return lun_buf_new_file(x->r->pool, a->fd, (int64_t) a->head_size,
                            a->size);
}


/* It may have ended without ever coming to look. */
static void
end_update(lun_request *r, void *data)
{
    update  *u = data;

    lun_cache_give_ticket(u->index, &u->key, &u->ticket);
}


static const lun_detached_kind  updates = {
    .errand = { .name = "cache update", .most = UPDATES,
                .open_at = &lun_cache_updates_at },
    .size   = sizeof(update),
    .end    = end_update
};


/*
 * In the same location again, but for no client: the answer of this request
 * does not wait for it, nor does whatever its connection brings next.  False:
 * there are too many, or a body keeps it from it.
 */
static bool
start_update(lun_caching *c)
{
    update       *u;
    lun_request  *d, *r = c->x->r;

    d = lun_detached_new(r, &updates, c->text);

    if (d == NULL) {
        return false;
    }

    u = lun_detached_data(d, &updates);
    u->index = c->index;
    u->key = c->key;
    u->ticket = c->ticket;
    c->ticket = 0;

    if (d->method == LUN_HEAD) {
        d->method = LUN_GET;
        d->method_name = LUN_STR("GET");
    }

    lun_detached_start(d);
    return true;
}


static lun_upreq_hook_verdict
send_found(lun_caching *c, lun_cache_status status)
{
    c->status = status;
    c->cacheable = false;
    c->x->fetch.whole = false;
    return LUN_UPREQ_SERVE;
}


/* A server is asked; for all of it, if it may be kept. */
static lun_upreq_hook_verdict
ask_server(lun_caching *c, lun_cache_status status)
{
    char        *text;
    lun_upreq   *x = c->x;

    c->status = status;
    x->fetch.whole = c->cacheable;

    if (status != LUN_CACHE_EXPIRED || !c->conf->revalidate
        || c->found == NULL)
    {
        return LUN_UPREQ_GO_ON;
    }

    x->fetch.etag = c->found->head.etag;

    if (c->found->head.last_modified >= 0) {
        text = lun_pool_text(x->r->pool, LUN_HTTP_DATE);
        (void) lun_clock_http_date(text, c->found->head.last_modified);
        x->fetch.last_modified = lun_str_of(text, LUN_HTTP_DATE);
    }

    return LUN_UPREQ_GO_ON;
}


/* --- looking up ---------------------------------------------------------- */

bool
lun_cache_delete_file(const lun_cache *cache, const lun_cache_entry *e,
    lun_pool *temp, const lun_log *log)
{
    lun_err  err;
    lun_str  path;

    if (e->version == 0) {
        return false;
    }

    path = lun_cached_path(temp, cache, &e->key);
    err = lun_file_delete(path.data);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_NOT_FOUND) {
        lun_log(LUN_LOG_CRIT, log, err, "unlink() \"%.*s\" failed",
                LUN_S(path));
    }

    return err == 0;
}


/* One that was there before the index was: it is known from now on. */
static void
make_known(lun_caching *c, const lun_cached *a)
{
    lun_cache_entry  e = { .key = c->key, .size = a->size, .uses = 1,
                           .used = (uint32_t) lun_clock.sec };

    (void) lun_cache_index_add(c->index, &e);

    if (lun_cache_index_get(c->index, &c->key, &e)) {
        c->version = e.version;
    }
}


/* Of a key whose file it is not, or it has no body for this method. */
static bool
is_right(const lun_caching *c, const lun_cached *a)
{
    if (!lun_str_eq(a->head.key, c->text)
        || !lun_cache_key_eq(&a->head.main, &c->main))
    {
        lun_log(LUN_LOG_CRIT, c->x->r->log, 0, "cache file \"%.*s\" has md5 "
                "collision", LUN_S(lun_cached_path(c->x->r->pool, c->cache,
                                                   &c->key)));
        return false;
    }

    return (!a->head.bodiless || c->x->r->method == LUN_HEAD)
           && !lun_cache_index_is_purged(c->index, c->text, a->head.date);
}


/* Its file can't be sent, whatever happens, nor is its date asked about. */
static bool
is_over(const lun_caching *c, const lun_cache_entry *e)
{
    return e->good_until != 0 && e->good_until < lun_clock.sec
           && c->conf->use_stale == 0 && !c->conf->revalidate;
}


/* The file of c->key: c->found, or NULL.  A status: that stands for it. */
static lun_verdict
find_one(lun_caching *c, uint32_t *uses)
{
    bool              cold = lun_cache_index_cold(c->index);
    lun_request      *r = c->x->r;
    lun_cache_entry   e, gone;

    (void) lun_cache_index_use(c->index, &c->key, lun_clock.sec, !c->counted,
                               &e, &gone);
    (void) lun_cache_delete_file(c->cache, &gone, r->pool, r->log);
    c->found = NULL;
    c->version = e.version;
    c->over = is_over(c, &e);
    *uses = e.uses;

    if (e.error != 0) {
        return LUN_STATUS + e.error;
    }

    if (c->over || (e.version == 0 && !cold)) {
        return LUN_NEXT;
    }

    c->found = lun_cached_open(r->pool, c->cache, &c->key, e.version,
                               !e.checked, r->log);

    if (c->found != NULL && !is_right(c, c->found)) {
        c->found = NULL;
    }

    if (c->found == NULL) {
        lun_cache_index_no_file(c->index, &c->key, e.version);

    } else if (e.version == 0) {
        make_known(c, c->found);
    }

    if (c->found != NULL && !e.checked) {
        lun_cache_index_set_checked(c->index, &c->key, c->version);
    }

    return LUN_NEXT;
}


/* The one that fits this request, if the answer varies. */
static lun_verdict
find_variant(lun_caching *c, uint32_t *uses)
{
    lun_verdict       v;
    lun_str           vary;
    lun_cache_key     key;
    const lun_cached *a = c->found;

    c->family = a->head.family;

    if (a->head.vary.len == 0) {
        return LUN_NEXT;
    }

    vary = a->head.vary;
    lun_cache_variant(c->x->r, c, vary, &key);

    if (lun_cache_key_eq(&a->head.variant, &key)) {
        return LUN_NEXT;
    }

    c->key = key;
    v = find_one(c, uses);

    /* It says itself whose it is. */
    if (c->found != NULL
        && (!lun_cache_key_eq(&c->found->head.variant, &c->key)
            || c->found->head.family != c->family))
    {
        c->found = NULL;
    }

    return v;
}


/* NULL: a client waits for it. */
static update *
update_of(const lun_caching *c)
{
    return lun_detached_data(c->x->r, &updates);
}


/* The ticket is for the entry that it was begun for. */
static void
take_ticket(lun_caching *c, update *u)
{
    if (lun_cache_key_eq(&c->key, &u->key)) {
        c->ticket = u->ticket;
        u->ticket = 0;
    }
}


/* This request brings it up to date, if nobody else does. */
static void
begin_update(lun_caching *c)
{
    update  *u = update_of(c);

    if (u != NULL) {
        take_ticket(c, u);
        return;
    }

    c->ticket = lun_cache_index_begin(c->index, &c->key, lun_clock.mono,
                                      lun_clock.mono + UPDATE_AGE, 0);
}


/* It is there, and over. */
static lun_upreq_hook_verdict
use_stale(lun_caching *c)
{
    bool     may;
    int64_t  over = lun_clock.sec - c->found->head.valid;

    c->stale_updating = over <= c->found->head.stale_updating;
    c->stale_error = over <= c->found->head.stale_error;
    may = (c->conf->use_stale & LUN_TRY_UPDATING) || c->stale_updating;

    begin_update(c);

    if (update_of(c) != NULL) {
        return ask_server(c, LUN_CACHE_EXPIRED);
    }

    if (c->ticket == 0 && may) {
        return send_found(c, LUN_CACHE_UPDATING);
    }

    /* In the background there is no $slice_range: it would be the whole. */
    if (c->ticket != 0 && may && c->conf->background_update
        && !c->x->r->slice && start_update(c))
    {
        return send_found(c, LUN_CACHE_STALE);
    }

    return ask_server(c, LUN_CACHE_EXPIRED);
}


static lun_upreq_hook_verdict
answer_with(lun_caching *c, lun_verdict v)
{
    c->verdict = v;
    return LUN_UPREQ_SERVE;
}


lun_upreq_hook_verdict
lun_cache_look_up(lun_caching *c)
{
    uint32_t      uses;
    update       *u = update_of(c);
    lun_verdict   v;

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);
    LUN_CHECK(!c->waits);

    c->key = c->main;
    v = find_one(c, &uses);

    if (v == LUN_NEXT && c->found != NULL) {
        v = find_variant(c, &uses);
    }

    c->counted = true;

    if (v != LUN_NEXT) {
        c->status = LUN_CACHE_HIT;
        return answer_with(c, v);
    }

    if (c->over) {
        begin_update(c);
        return ask_server(c, LUN_CACHE_EXPIRED);
    }

    if (c->found == NULL) {
        c->cacheable &= (int64_t) uses >= c->conf->min_uses;

        /* It is gone since its update began, which is who others wait for. */
        if (u != NULL) {
            take_ticket(c, u);

        } else if (lun_cache_lock_key(c) == LUN_UPREQ_WAIT) {
            return LUN_UPREQ_WAIT;
        }

        return ask_server(c, LUN_CACHE_MISS);
    }

    if (c->found->head.valid < lun_clock.sec) {
        return use_stale(c);
    }

    return send_found(c, LUN_CACHE_HIT);
}


/* --- what a request wants ------------------------------------------------ */

/* NAME_cache_max_range_offset: what begins far behind is not worth it. */
static bool
begins_too_far(const lun_request *r, const lun_cache_conf *conf)
{
    size_t             i;
    uint64_t           from = 0;
    const lun_header  *h = r->in.known[LUN_HIN_RANGE];
    lun_str            text;

    if (h == NULL || conf->max_range == INT64_MAX
        || !lun_str_caseafter(h->value, LUN_STR("bytes="), &text))
    {
        return false;
    }

    text = lun_str_trim(text);

    if (text.len != 0 && text.data[0] == '-') {
        return true;               /* the end: who knows where */
    }

    for (i = 0; i < text.len && lun_is_digit(text.data[i]); i++) { }

    return lun_str_to_u64(lun_str_of(text.data, i), &from) != LUN_OK
           || from >= (uint64_t) conf->max_range;
}


static const lun_cache_conf *
conf_of(const lun_upreq *x)
{
    return lun_upreq_hook_conf(x->conf, &lun_cache_hooks);
}


/* ERROR: there is no such cache. */
static lun_rc
begin_caching(lun_upreq *x, const lun_cache_conf *conf, lun_caching **made)
{
    lun_cache             *cache;
    lun_caching           *c;
    lun_request           *r = x->r;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    *made = NULL;

    if (lun_cache_of(&r->session, lun_http_generation(r), conf, &cache)
        != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (cache == NULL || (conf->key == NULL && x->protocol->key == NULL)) {
        return LUN_OK;
    }

    c = lun_pool_new(r->pool, lun_caching);
    c->mark = LUN_MARK_CACHING;
    c->x = x;
    c->conf = conf;
    c->cache = cache;
    c->index = lun_cache_index_of(cache->zone);
    c->text = conf->key == NULL ? x->protocol->key(x)
              : lun_pool_str(r->pool, lun_script_run(&r->session, conf->key));
    lun_md5(c->text, c->main.bytes);
    c->key = c->main;
    c->moment = lun_cache_index_moment(c->index);
    lun_list_init(&c->link);
    lun_cache_trace_begin(c);
    *lun_upreq_hook_data(x, &lun_cache_hooks) = c;
    *made = c;

    return LUN_OK;
}


/* --- the hooks ----------------------------------------------------------- */

lun_caching *
lun_caching_of(lun_upreq *x)
{
    void  **data = lun_upreq_hook_data(x, &lun_cache_hooks);

    return data != NULL ? *data : NULL;
}


/* No cache of that name: a state of its own says so. */
static lun_upreq_hook_verdict
refuse_zone(lun_upreq *x)
{
    lun_caching  *c = lun_pool_new(x->r->pool, lun_caching);

    c->mark = LUN_MARK_CACHING;
    c->x = x;
    c->conf = conf_of(x);
    lun_list_init(&c->link);
    *lun_upreq_hook_data(x, &lun_cache_hooks) = c;
    return answer_with(c, LUN_STATUS + 500);
}


/*
 * Purging and bypassing are asked before anything is looked up; a HEAD is asked
 * of the server as GET, so that it can be kept for both.
 */
static lun_upreq_hook_verdict
on_look_up(lun_upreq *x)
{
    bool                   purged;
    lun_caching           *c;
    lun_request           *r = x->r;
    const lun_cache_conf  *conf = conf_of(x);

    purged = lun_scripts_any(&r->session, conf->purge);

    if ((r->method & conf->methods) == 0 && !purged) {
        return LUN_UPREQ_GO_ON;
    }

    if (begin_caching(x, conf, &c) != LUN_OK) {
        return refuse_zone(x);
    }

    if (c == NULL) {
        return LUN_UPREQ_GO_ON;
    }

    if (purged) {
        return answer_with(c, lun_cache_purge(c));
    }

    x->fetch.no_client = update_of(c) != NULL;
    x->fetch.get = r->method == LUN_HEAD && conf->convert_head
                   && x->protocol->converts_head;
    c->cacheable = true;

    if (lun_scripts_any(&r->session, conf->bypass)) {
        return ask_server(c, LUN_CACHE_BYPASS);
    }

    c->cacheable = !begins_too_far(r, conf);

    return lun_cache_trace_decided(c, lun_cache_look_up(c));
}


static bool
may_send_instead(const lun_caching *c, unsigned why)
{
    return c->status == LUN_CACHE_EXPIRED && c->found != NULL
           && (c->conf->use_stale & why) != 0;
}


/* A page that stands for an answer may be kept for as long as that. */
static void
keep_page(lun_caching *c)
{
    if (c->cacheable
        && !lun_scripts_any(&c->x->r->session, c->conf->no_cache)
        && lun_cache_age_of(c, &c->x->answer.list, c->x->answer.status)
           == LUN_CACHE_UNTIL)
    {
        c->error = (uint16_t) c->x->answer.status;
    }
}


/*
 * In this order: "not modified" to conditions of our own, then whether
 * something old is better than what came, and only then whether this may be
 * kept.
 */
static lun_upreq_hook_verdict
on_judge(lun_upreq *x)
{
    lun_caching  *c = lun_caching_of(x);

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (c == NULL) {
        return LUN_UPREQ_GO_ON;
    }

    if (x->answer.status == 304 && c->status == LUN_CACHE_EXPIRED
        && c->conf->revalidate && c->found != NULL)
    {
        lun_cache_refresh(c);
        return send_found(c, LUN_CACHE_REVALIDATED);
    }

    if (may_send_instead(c, lun_upreq_why(x->answer.status))) {
        return send_found(c, LUN_CACHE_STALE);
    }

    if (lun_upreq_has_page(x)) {
        keep_page(c);

    } else {
        lun_cache_begin_store(c);
    }

    return LUN_UPREQ_GO_ON;
}


/* A status without an answer may be kept for a while, too. */
static void
keep_error(lun_caching *c, unsigned status)
{
    int64_t           sec;
    const lun_array  *valid = c->conf->valid;

    if (!c->cacheable || valid == NULL) {
        return;
    }

    sec = lun_cache_valid_for(valid->items, valid->count, status);

    if (sec != 0) {
        c->error = (uint16_t) status;
        c->valid = lun_clock.sec + sec;
    }
}


static lun_upreq_hook_verdict
on_fail(lun_upreq *x, unsigned why, unsigned status)
{
    lun_caching  *c = lun_caching_of(x);

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (c == NULL) {
        return LUN_UPREQ_GO_ON;
    }

    /* "stale-if-error" is about servers that have no answer. */
    if (may_send_instead(c, why)
        || (c->status == LUN_CACHE_EXPIRED && c->found != NULL
            && c->stale_error))
    {
        return send_found(c, LUN_CACHE_STALE);
    }

    if (status == 502 || status == 504) {
        keep_error(c, status);
    }

    return LUN_UPREQ_GO_ON;
}


/*
 * In this order: who waits for us must find the entry stored before the turn
 * ends.
 */
static void
on_end(lun_upreq *x, bool complete)
{
    lun_caching  *c = lun_caching_of(x);

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (c == NULL) {
        return;
    }

    lun_cache_stop_waiting(c);
    lun_cache_trace_end(c);

    if (!x->fetch.no_client) {
        lun_cache_count(c);
    }

    if (c->store != NULL && complete) {
        lun_cache_commit(c);
    }

    lun_cache_drop_store(c);
    lun_cache_end_update(c);
}


static void
on_serve(lun_upreq *x)
{
    lun_caching  *c = lun_caching_of(x);

    if (c->verdict != LUN_NEXT) {
        lun_http_finish(x->r, c->verdict);
        return;
    }

    lun_debug(x->r->log, "http cache: sends \"%.*s\"", LUN_S(c->text));

    if (x->fetch.no_client) {
        lun_http_finish(x->r, LUN_FINISHED);
        return;
    }

    fill_answer(x, c->found);
    lun_upreq_serve(x, body_of(x, c->found));
}


const lun_upreq_hooks  lun_cache_hooks = {
    .look_up     = on_look_up,
    .judge       = on_judge,
    .body        = lun_cache_store_bytes,
    .fail        = on_fail,
    .end         = on_end,
    .serve       = on_serve,
    .add_headers = lun_cache_add_status
};
