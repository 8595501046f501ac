/*
 * srcache_store.c -- whether an answer may be stored, and how: its header and
 * its body are copied as they pass, before any other filter changes them, and
 * sent to the location that stores them when the last byte has passed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/srcache/srcache_priv.h"

#include "cache/cache_rules.h"
#include "http/subrequest.h"
#include "os/clock.h"
#include "os/file.h"


enum {
    ROOM = 4096,                   /* beside the header, at first */
    MEMORY_MOST = 64 * 1024 * 1024 /* of an answer, where nothing is said */
};


/* --- may it be stored? --------------------------------------------------- */

/* An answer without an end must not be kept in memory until it ends. */
static size_t
most_of(const lun_srcache_conf *conf)
{
    return conf->max_size != 0 ? conf->max_size : MEMORY_MOST;
}


static bool
is_wanted_status(const lun_srcache_conf *conf, unsigned status)
{
    size_t  i;

    for (i = 0; i < conf->statuses->count; i++) {
        if (*(unsigned *) lun_array_at(conf->statuses, i) == status) {
            return true;
        }
    }

    return status == 206 && conf->ranges;
}


/* max-age, in whatever of several fields it is; other ages are not asked. */
static lun_cache_fields
read_control(const lun_header *h)
{
    lun_cache_fields  f = { .no_store = false };

    for ( /* void */ ; h != NULL; h = h->same) {
        lun_cache_read_control(&f, h->value);
    }

    return f;
}


/* Cache-Control and Expires of the answer. */
static bool
may_keep(const lun_request *r, const lun_srcache_conf *conf)
{
    int64_t            sec;
    lun_cache_fields   f;
    const lun_header  *control = r->out.known[LUN_HOUT_CACHE_CONTROL];
    const lun_header  *expires = r->out.known[LUN_HOUT_EXPIRES];

    if (!conf->response_control) {
        return true;
    }

    if ((!conf->private_
         && lun_srcache_says(control, LUN_STR("private")))
        || (!conf->no_store
            && lun_srcache_says(control, LUN_STR("no-store")))
        || (!conf->no_cache
            && lun_srcache_says(control, LUN_STR("no-cache"))))
    {
        return false;
    }

    f = read_control(control);

    if (f.has_age || f.bad_age) {
        return f.age > 0 && !f.bad_age;
    }

    return expires == NULL
           || (lun_http_date_parse(expires->value, &sec) == LUN_OK
               && sec > lun_clock.sec);
}


static int64_t
expire_of(const lun_request *r, const lun_srcache_conf *conf)
{
    int64_t            n = conf->default_expire, sec;
    lun_cache_fields   f;
    const lun_header  *expires = r->out.known[LUN_HOUT_EXPIRES];

    if (conf->response_control) {
        f = read_control(r->out.known[LUN_HOUT_CACHE_CONTROL]);

        if (f.has_age) {
            n = f.age;

        } else if (expires != NULL
                   && lun_http_date_parse(expires->value, &sec) == LUN_OK)
        {
            n = sec - lun_clock.sec;
        }
    }

    return conf->max_expire != 0 ? lun_min(n, conf->max_expire) : n;
}


static bool
is_encoded(const lun_request *r, const lun_srcache_conf *conf)
{
    const lun_header  *h = r->out.known[LUN_HOUT_CONTENT_ENCODING];

    if (h == NULL || h->value.len == 0 || conf->ignore_encoding) {
        return false;
    }

    lun_log(LUN_LOG_WARN, r->log, 0, "srcache_store skipped due to response "
            "header \"Content-Encoding: %.*s\" (maybe you forgot to disable "
            "compression on the backend?)", LUN_S(h->value));
    return true;
}


static bool
says_skip(lun_request *r, const lun_srcache_conf *conf)
{
    return conf->store_skip != NULL
           && lun_script_true(lun_script_run(&r->session, conf->store_skip));
}


static bool
may_store(lun_request *r, const lun_srcache_conf *conf)
{
    const lun_header  *control;

    if (r->parent != NULL || conf->store == NULL || r->method == LUN_HEAD
        || (conf->methods & r->method) == 0 || r->header_only
        || !is_wanted_status(conf, r->out.status))
    {
        return false;
    }

    control = lun_header_find(&r->in.list, LUN_STR("Cache-Control"));

    if (conf->request_control && control != NULL
        && lun_srcache_says(control, LUN_STR("no-store")))
    {
        return false;
    }

    if (r->out.content_length > (int64_t) most_of(conf)) {
        return false;
    }

    return !says_skip(r, conf) && may_keep(r, conf) && !is_encoded(r, conf);
}


lun_rc
lun_srcache_on_header(lun_request *r)
{
    lun_str                  header;
    lun_srcache_state       *s;
    const lun_srcache_conf  *conf = lun_srcache_conf_of(r);

    s = r->parent == NULL && conf->store != NULL
        ? lun_http_state(r, &lun_http_srcache) : NULL;

    if (s != NULL && !s->hit) {
        s->expire = expire_of(r, conf);
        s->storing = may_store(r, conf);
    }

    if (s != NULL && s->storing) {
        header = lun_srcache_write(r, conf);
        s->storing = header.data != NULL;
        s->length = r->out.content_length;
        s->text = (char *) (uintptr_t) header.data;
        s->header_len = s->len = s->room = header.len;
    }

    return lun_http_next_header(r, &lun_http_srcache);
}


/* --- copying ------------------------------------------------------------- */

/* false: there is no memory for it. */
static bool
make_room(lun_srcache_state *s, size_t n)
{
    char    *more;
    size_t   room;

    if (n <= s->room - s->len) {
        return true;
    }

    room = lun_max(2 * s->room, s->len + n + ROOM);
    more = lun_pool_alloc_try(s->r->pool, room);

    if (more == NULL) {
        lun_log(LUN_LOG_ERR, s->r->log, 0, "srcache_store: no memory");
        return false;
    }

    memcpy(more, s->text, s->len);
    s->text = more;
    s->room = room;
    return true;
}


static bool
copy_file(lun_srcache_state *s, const lun_buf *b, size_t n)
{
    size_t   done;
    lun_err  err = lun_file_read(b->file, s->text + s->len, n, b->file_pos,
                                 &done);

    if (err != 0 || done != n) {
        lun_log(LUN_LOG_ALERT, s->r->log, err, "read() returned only %zu "
                "bytes instead of %zu", done, n);
        return false;
    }

    return true;
}


/* false: it is not stored after all.  The header counts, too. */
static bool
keep(lun_srcache_state *s, const lun_srcache_conf *conf, const lun_buf *b)
{
    size_t  n = (size_t) lun_buf_size(b);

    if (s->len > most_of(conf) || n > most_of(conf) - s->len) {
        lun_log(LUN_LOG_INFO, s->r->log, 0, "srcache_store skipped: the "
                "answer exceeds %s", conf->max_size != 0
                ? "srcache_store_max_size" : "64 MB");
        return false;
    }

    if (n == 0) {
        return true;
    }

    if (!make_room(s, n)) {
        return false;
    }

    if (!b->in_file) {
        memcpy(s->text + s->len, b->pos, n);

    } else if (!copy_file(s, b, n)) {
        return false;
    }

    s->len += n;
    return true;
}


static void
store(lun_srcache_state *s, const lun_srcache_conf *conf)
{
    int64_t       body = (int64_t) (s->len - s->header_len);
    lun_request  *sub;

    s->storing = false;

    if (s->length >= 0 && body != s->length) {
        lun_log(LUN_LOG_ERR, s->r->log, 0, "srcache_store: skipped because "
                "response body truncated: %" PRId64 " > %" PRId64, s->length,
                body);
        return;
    }

    if (says_skip(s->r, conf)) {
        return;
    }

    s->stored = true;
    sub = lun_srcache_ask(s->r, conf->store);

    if (sub != NULL) {
        lun_subrequest_set_body(sub, lun_str_of(s->text, s->len));
        lun_subrequest_start(sub, NULL, NULL);
    }
}


lun_rc
lun_srcache_on_body(lun_request *r, lun_buf *in)
{
    lun_rc                   rc;
    bool                     last = false;
    const lun_buf           *b;
    lun_srcache_state       *s = lun_http_state(r, &lun_http_srcache);
    const lun_srcache_conf  *conf = lun_srcache_conf_of(r);

    for (b = in; b != NULL && s != NULL && s->storing; b = b->next) {
        s->storing = keep(s, conf, b);
        last |= b->eof;
    }

    rc = lun_http_next_body(r, &lun_http_srcache, in);

    if (last && s->storing && rc != LUN_ERROR) {
        store(s, conf);
    }

    return rc;
}
