/*
 * upreq_store.c -- NAME_store: an answer on its way to the client becomes a
 * file of the site, as hooks of an upstream request.
 *
 * It is written beside its place, and takes that when all of it has come.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_store.h"

#include "http/upstream/upreq_priv.h"


enum { ROOM = 64 * 1024 };         /* what is gathered before it is written */

typedef struct {
    lun_upreq  *x;
    lun_str     path;
    lun_str     temp;
    lun_fd      fd;                /* LUN_FD_NONE: it is not kept (any more) */
    char       *buf;               /* malloc'ed */
    size_t      len;
    int64_t     written;
} storing;


/* --- the directive ------------------------------------------------------- */

lun_rc
lun_set_upreq_store(lun_conf *cf, const lun_directive *d, void *data)
{
    void             *field = (char *) data + d->field;
    lun_str           value = cf->args[1];
    lun_upreq_conf   *conf = lun_container_of(field, lun_upreq_conf, store);
    lun_upreq_store  *store = lun_pool_new(cf->pool, lun_upreq_store);

    store->on = !lun_str_eq(value, LUN_STR("off"));
    conf->store = store;

    if (value.len == 0) {
        return lun_conf_fail(cf, "empty path");
    }

    if (store->on && lun_upreq_keep(cf, conf, LUN_UPREQ_KEEPS_FILES) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (!store->on || lun_str_eq(value, LUN_STR("on"))) {
        return LUN_OK;
    }

    store->path = lun_script_new(cf, value);
    return store->path != NULL ? LUN_OK : LUN_ERROR;
}


/* --- the file ------------------------------------------------------------ */

static void
drop_file(storing *s)
{
    if (s->fd == LUN_FD_NONE) {
        return;
    }

    lun_file_close(s->fd);
    s->fd = LUN_FD_NONE;
    (void) lun_file_delete(s->temp.data);
    lun_free(s->buf);
    s->buf = NULL;
}


/* It is passed on all the same. */
static void
give_up(storing *s, lun_err err, const char *call, lun_str path)
{
    lun_log(LUN_LOG_CRIT, s->x->r->log, err, "%s \"%.*s\" failed", call,
            LUN_S(path));
    drop_file(s);
    s->x->fetch.keep = false;
}


static void
on_end_of_request(void *data)
{
    drop_file(data);
}


/* How often a path leads one folder up. */
static size_t
count_ups(lun_str path)
{
    size_t       n = 0;
    const char  *p = path.data, *end = path.data + path.len, *from;

    while (p != end) {
        for (from = p; p != end && *p != '/'; p++) { /* void */ }

        n += lun_str_eq(lun_str_of(from, (size_t) (p - from)), LUN_STR(".."));
        p += p != end;
    }

    return n;
}


/* What of a script's text stands behind its configured folders, as c->from. */
static lun_str
open_part(const lun_script *script)
{
    lun_str      text = lun_script_text(script);
    const char  *dollar = lun_str_chr(text, '$');
    size_t       from = dollar != NULL ? (size_t) (dollar - text.data)
                                       : text.len;

    while (from > 0 && text.data[from - 1] != '/') {
        from--;
    }

    return lun_str_of(text.data + from, text.len - from);
}


/*
 * A client may say which file it is that is written, by what variables have
 * of it, but not one beside the folder that was configured.
 */
static lun_rc
find_path(lun_upreq *x, lun_safe_path *c)
{
    lun_str            text = LUN_STR("");
    lun_verdict        v;
    const lun_script  *script = x->conf->store->path;

    if (script == NULL) {
        v = lun_http_file_path(x->r, c);

    } else {
        v = lun_http_script_path(x->r, script, c);
        text = open_part(script);
    }

    if (v != LUN_NEXT) {
        return LUN_ERROR;
    }

    if (count_ups(lun_str_of(c->path.data + c->from, c->path.len - c->from))
        > count_ups(text))
    {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "\"%.*s\" is not stored: \"..\" is "
                "not from the configuration", LUN_S(c->path));
        return LUN_ERROR;
    }

    return LUN_OK;
}


static void
begin_file(lun_upreq *x)
{
    lun_err         err;
    storing        *s;
    lun_request    *r = x->r;
    lun_safe_path   c;

    if (find_path(x, &c) != LUN_OK || c.path.len == 0
        || c.path.data[c.path.len - 1] == '/')
    {
        return;                        /* that was logged, or is a folder */
    }

    s = lun_pool_new(r->pool, storing);
    s->x = x;
    s->path = c.path;
    err = lun_file_aside_below(r->pool, c.path,
                               (unsigned) x->conf->store_access, &s->fd,
                               &s->temp);

    if (err != 0) {
        s->fd = LUN_FD_NONE;
        give_up(s, err, "open()", s->path);
        return;
    }

    lun_pool_on_end(r->pool, on_end_of_request, s);
    s->buf = lun_malloc(ROOM);
    *lun_upreq_hook_data(x, &lun_upreq_store_hooks) = s;
    x->fetch.keep = true;
    x->fetch.as_is = true;
}


static lun_rc
write_out(storing *s)
{
    lun_err  err = s->len == 0 ? 0
                   : lun_file_write(s->fd, s->buf, s->len, s->written);

    if (err != 0) {
        give_up(s, err, "write()", s->temp);
        return LUN_ERROR;
    }

    s->written += (int64_t) s->len;
    s->len = 0;
    return LUN_OK;
}


/* It has the date of the answer, so that clients can ask for what is newer. */
static void
finish_file(storing *s)
{
    int64_t            sec;
    lun_err            err;
    const lun_header  *h;

    if (write_out(s) != LUN_OK) {
        return;
    }

    h = lun_header_find(&s->x->answer.list, LUN_STR("Last-Modified"));

    if (h != NULL && lun_http_date_parse(h->value, &sec) == LUN_OK) {
        (void) lun_file_set_mtime(s->fd, sec);
    }

    lun_file_close(s->fd);
    s->fd = LUN_FD_NONE;
    lun_free(s->buf);
    s->buf = NULL;
    err = lun_file_rename(s->temp.data, s->path.data);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, s->x->r->log, err, "rename() \"%.*s\" to "
                "\"%.*s\" failed", LUN_S(s->temp), LUN_S(s->path));
        (void) lun_file_delete(s->temp.data);
    }
}


/* --- the hooks ----------------------------------------------------------- */

static storing *
storing_of(lun_upreq *x)
{
    return *lun_upreq_hook_data(x, &lun_upreq_store_hooks);
}


/* A whole answer with a body that somebody waits for. */
static lun_upreq_hook_verdict
on_judge(lun_upreq *x)
{
    if (x->answer.status == 200 && x->buffered && x->r->method != LUN_HEAD
        && !lun_upreq_has_page(x))
    {
        begin_file(x);
    }

    return LUN_UPREQ_GO_ON;
}


static void
on_body(lun_upreq *x, lun_str bytes)
{
    size_t    n;
    storing  *s = storing_of(x);

    while (s != NULL && bytes.len != 0 && s->fd != LUN_FD_NONE) {
        n = lun_min(bytes.len, ROOM - s->len);
        memcpy(s->buf + s->len, bytes.data, n);
        s->len += n;
        bytes = lun_str_of(bytes.data + n, bytes.len - n);

        if (s->len == ROOM) {
            (void) write_out(s);
        }
    }
}


static void
on_end(lun_upreq *x, bool complete)
{
    storing  *s = storing_of(x);

    if (s == NULL || s->fd == LUN_FD_NONE) {
        return;
    }

    if (complete) {
        finish_file(s);

    } else {
        drop_file(s);
    }
}


const lun_upreq_hooks  lun_upreq_store_hooks = {
    .judge = on_judge,
    .body  = on_body,
    .end   = on_end
};
