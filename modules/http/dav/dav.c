/*
 * dav.c -- PUT, DELETE, MKCOL, COPY and MOVE: a folder that clients write to.
 *
 *     dav_methods PUT DELETE MKCOL COPY MOVE;
 *     create_full_put_path on;
 *     dav_access user:rw group:r;
 *
 * A file is written beside the one that it replaces, and takes its name when
 * it is complete.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "format/uri.h"
#include "http/conf/core_conf.h"
#include "modules/http/dav/dav_priv.h"
#include "os/clock.h"
#include "os/dir.h"


/* Of a PUT; none: 0. */
typedef enum { READING = 1, READ } progress;

enum { PIECE = 65536 };


lun_verdict
lun_dav_refuse(const lun_request *r, unsigned status, const char *why)
{
    lun_log(LUN_LOG_ERR, r->log, 0, "%s", why);
    return LUN_STATUS + (lun_verdict) status;
}


/* What a failure of the system means to the client; logs it. */
lun_verdict
lun_dav_failure(const lun_request *r, lun_err err, unsigned not_found,
    const char *what, lun_str path)
{
    unsigned       status = 500;
    lun_log_level  level = LUN_LOG_CRIT;

    switch (lun_err_kind_of(err)) {

    case LUN_ERR_NOT_FOUND:
    case LUN_ERR_NOT_DIR:
    case LUN_ERR_BAD_NAME:
        level = LUN_LOG_ERR;
        status = not_found;
        break;

    case LUN_ERR_ACCESS:
        level = LUN_LOG_ERR;
        status = 403;
        break;

    case LUN_ERR_NO_SPACE:
        status = 507;
        break;

    default:
        break;
    }

    lun_log(level, r->log, err, "%s \"%.*s\" failed", what, LUN_S(path));
    return LUN_STATUS + (lun_verdict) status;
}


lun_dav_depth_word
lun_dav_depth(const lun_request *r, lun_dav_depth_word otherwise)
{
    const lun_header  *h = r->in.known[LUN_HIN_DEPTH];

    if (h == NULL) {
        return otherwise;
    }

    if (lun_str_eq(h->value, LUN_STR("0"))) {
        return LUN_DAV_DEPTH_ZERO;
    }

    if (lun_str_eq(h->value, LUN_STR("1"))) {
        return LUN_DAV_DEPTH_ONE;
    }

    if (lun_str_eq(h->value, LUN_STR("infinity"))) {
        return LUN_DAV_DEPTH_INFINITY;
    }

    lun_log(LUN_LOG_ERR, r->log, 0, "client sent invalid \"Depth\" header: "
            "\"%.*s\"", LUN_S(h->value));
    return LUN_DAV_DEPTH_BAD;
}


/* Without the slash at its end, which no system call wants. */
void
lun_dav_cut_slash(lun_request *r, lun_safe_path *c)
{
    if (c->path.len > 1 && c->path.data[c->path.len - 1] == '/') {
        c->path.len--;
        c->path.data = lun_pool_strz(r->pool, c->path);
    }
}


/* Where what was made can be found. */
static void
say_location(lun_request *r)
{
    char    *text;
    size_t   len = lun_uri_escaped_len(r->uri, LUN_ESCAPE_URI);

    text = lun_pool_text(r->pool, len);
    (void) lun_uri_escape(text, r->uri, LUN_ESCAPE_URI);
    lun_http_set_out(r, LUN_STR("Location"), lun_str_of(text, len));
}


/* --- PUT ----------------------------------------------------------------- */

static lun_err
write_body(lun_request *r, lun_fd fd)
{
    char           *room = NULL;
    size_t          n;
    int64_t         at = 0, pos;
    lun_err         err = 0;
    const lun_buf  *b;

    b = r->body != NULL ? r->body->bufs.head : NULL;

    for ( /* void */ ; err == 0 && b != NULL; b = b->next) {
        if (!b->in_file) {
            n = (size_t) lun_buf_size(b);
            err = n != 0 ? lun_file_write(fd, b->pos, n, at) : 0;
            at += (int64_t) n;
            continue;
        }

        room = room != NULL ? room : lun_malloc(PIECE);

        for (pos = b->file_pos; err == 0 && pos < b->file_last;
             pos += (int64_t) n)
        {
            n = (size_t) lun_min(b->file_last - pos, (int64_t) PIECE);
            err = lun_file_read(b->file, room, n, pos, &n);

            if (err == 0 && n == 0) {
                err = lun_err_of_kind(LUN_ERR_NOT_FOUND);
            }

            err = err != 0 ? err : lun_file_write(fd, room, n, at);
            at += (int64_t) n;
        }
    }

    lun_free(room);
    return err;
}


static void
set_date(lun_request *r, lun_fd fd)
{
    int64_t            sec;
    const lun_header  *h = r->in.known[LUN_HIN_DATE];

    if (h != NULL && lun_http_date_parse(h->value, &sec) == LUN_OK) {
        (void) lun_file_set_mtime(fd, sec);
    }
}


/*
 * Written aside and renamed: nobody sees half of a file, and one that could not
 * be written whole leaves the old one as it was.
 */
static lun_verdict
put_file(lun_request *r, lun_str path)
{
    lun_fd           fd;
    lun_str          temp;
    lun_err          err;
    const lun_dav_conf  *conf = lun_dav_conf_of(r);
    unsigned         access = (unsigned) conf->access;

    err = conf->full_path
          ? lun_file_aside_below(r->pool, path, access, &fd, &temp)
          : lun_file_aside(r->pool, path, access, &fd, &temp);

    if (err != 0) {
        return lun_dav_failure(r, err, 409, "open()", path);
    }

    err = write_body(r, fd);

    if (err == 0) {
        set_date(r, fd);
    }

    lun_file_close(fd);
    err = err != 0 ? err : lun_file_rename(temp.data, path.data);

    if (err == 0) {
        return LUN_NEXT;
    }

    (void) lun_file_delete(temp.data);
    return lun_dav_failure(r, err, 500, "rename() to", path);
}


/*
 * Locks are asked about after the path is known and before anything is written;
 * a new file changes its folder as well, which may be locked.
 */
static lun_verdict
put(lun_request *r)
{
    bool           is_new;
    lun_err        err;
    lun_verdict    v;
    lun_safe_path  c;
    lun_file_info  info;

    v = lun_http_file_path(r, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    err = lun_safe_stat(&c, &info);
    is_new = err != 0;

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_NOT_FOUND) {
        return lun_dav_failure(r, err, 409, "lstat()", c.path);
    }

    if (!is_new && info.is_dir) {
        lun_log(LUN_LOG_ERR, r->log, 0, "\"%s\" could not be created",
                c.path.data);
        return LUN_STATUS + 409;
    }

    v = lun_dav_may_change(r, c.path, is_new ? LUN_DAV_MEMBER : 0);
    v = v == LUN_NEXT ? put_file(r, c.path) : v;

    if (v != LUN_NEXT) {
        return v;
    }

    if (is_new) {
        say_location(r);
    }

    return LUN_STATUS + (is_new ? 201 : 204);
}


static void
set_progress(lun_request *r, progress at)
{
    lun_http_set_state(r, &lun_http_dav, (void *) (uintptr_t) at);
}


static void
on_body(lun_request *r)
{
    set_progress(r, READ);
    lun_http_resume(r);
}


/* NEXT: it is there. */
static lun_verdict
read_body(lun_request *r)
{
    lun_verdict  v;
    progress     at = (progress) (uintptr_t) lun_http_state(r, &lun_http_dav);

    if (at != 0) {
        return at == READ ? LUN_NEXT : LUN_WAIT;
    }

    set_progress(r, READING);
    v = lun_body_read(r, on_body);
    return v == LUN_LEAVE ? LUN_WAIT : v;
}


static lun_verdict
begin_put(lun_request *r)
{
    lun_verdict  v;

    if (lun_uri_is_folder(r->uri)) {
        return lun_dav_refuse(r, 409, "cannot PUT to a collection");
    }

    if (r->in.known[LUN_HIN_CONTENT_RANGE] != NULL) {
        return lun_dav_refuse(r, 501, "PUT with range is unsupported");
    }

    v = read_body(r);
    return v == LUN_NEXT ? put(r) : v;
}


/* --- DELETE -------------------------------------------------------------- */

static bool
is_deep_enough(const lun_request *r)
{
    size_t   i;
    int64_t  depth = 0, slashes = 0;
    int64_t  least = lun_dav_conf_of(r)->min_delete_depth;

    for (i = 0; i < r->uri.len; i++) {
        slashes += r->uri.data[i] == '/';
        depth += r->uri.data[i] == '/' && i + 1 < r->uri.len
                 && r->uri.data[i + 1] != '/';
    }

    if (depth >= least) {
        return true;
    }

    lun_log(LUN_LOG_ERR, r->log, 0, "insufficient URI depth:%d to DELETE",
            (int) slashes);
    return false;
}


/*
 * A link to a folder, or to nothing, is a file to whoever removes it; the
 * system tells it from a folder.
 */
static bool
delete_link(const lun_request *r, const lun_safe_path *c, lun_err err,
    const lun_file_info *info)
{
    return (err == 0 ? info->is_dir && !lun_uri_is_folder(r->uri)
                     : lun_err_kind_of(err) == LUN_ERR_NOT_FOUND)
           && lun_safe_path_is_plain(c) && lun_file_delete(c->path.data) == 0;
}


/*
 * A link is removed and never followed; a folder needs "Depth: infinity", said
 * or unsaid (RFC 4918, 9.6.1).
 */
static lun_verdict
delete(lun_request *r)
{
    lun_err        err;
    lun_dav_depth_word     depth;
    lun_verdict    v;
    lun_safe_path  c;
    lun_file_info  info;

    if (lun_dav_has_body(r)) {
        return lun_dav_refuse(r, 415, "DELETE with body is unsupported");
    }

    if (!is_deep_enough(r)) {
        return LUN_STATUS + 409;
    }

    v = lun_http_file_path(r, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    lun_dav_cut_slash(r, &c);
    v = lun_dav_may_change(r, c.path, LUN_DAV_BELOW | LUN_DAV_MEMBER);

    if (v != LUN_NEXT) {
        return v;
    }

    err = lun_safe_stat(&c, &info);

    if (delete_link(r, &c, err, &info)) {
        lun_dav_has_gone(r, c.path);
        return LUN_STATUS + 204;
    }

    if (err != 0) {
        return lun_dav_failure(r, err, lun_err_kind_of(err) == LUN_ERR_NOT_DIR
                       ? 409 : 404, "lstat()", c.path);
    }

    depth = lun_dav_depth(r, LUN_DAV_DEPTH_INFINITY);

    if (depth != LUN_DAV_DEPTH_INFINITY
        && (info.is_dir || depth != LUN_DAV_DEPTH_ZERO))
    {
        return lun_dav_refuse(r, 400, "\"Depth\" header must be infinity");
    }

    if (info.is_dir != lun_uri_is_folder(r->uri)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "DELETE \"%s\" failed: it is %s "
                "collection", c.path.data, info.is_dir ? "a" : "no");
        return LUN_STATUS + 409;
    }

    if (!info.is_dir) {
        err = lun_file_delete(c.path.data);

        if (err != 0) {
            return lun_dav_failure(r, err, 404, "unlink()", c.path);
        }

    } else if (lun_dav_delete_tree(r->log, c.path) != 0) {
        return LUN_STATUS + 500;
    }

    lun_dav_has_gone(r, c.path);
    return LUN_STATUS + 204;
}


/* --- MKCOL --------------------------------------------------------------- */

/* 405 is what RFC 4918, 9.3.1 wants for something that is there already. */
static lun_verdict
make_collection(lun_request *r)
{
    lun_err        err;
    lun_verdict    v;
    lun_safe_path  c;

    if (lun_dav_has_body(r)) {
        return lun_dav_refuse(r, 415, "MKCOL with body is unsupported");
    }

    if (!lun_uri_is_folder(r->uri)) {
        return lun_dav_refuse(r, 409, "MKCOL can create a collection only");
    }

    v = lun_http_file_path(r, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    lun_dav_cut_slash(r, &c);
    v = lun_dav_may_change(r, c.path, LUN_DAV_MEMBER);

    if (v != LUN_NEXT) {
        return v;
    }

    err = lun_dir_make(c.path.data, lun_folder_access(
                       (unsigned) lun_dav_conf_of(r)->access));

    if (err == 0) {
        say_location(r);
        return LUN_STATUS + 201;
    }

    if (lun_err_kind_of(err) == LUN_ERR_EXISTS) {
        lun_log(LUN_LOG_ERR, r->log, err, "mkdir() \"%s\" failed",
                c.path.data);
        return LUN_STATUS + 405;
    }

    return lun_dav_failure(r, err, 409, "mkdir()", c.path);
}


/* --- the module ---------------------------------------------------------- */

static lun_verdict
extension(lun_request *r)
{
    lun_verdict  v;

    if (r->method == LUN_OPTIONS) {
        return lun_dav_options(r);
    }

    v = read_body(r);

    if (v != LUN_NEXT) {
        return v;
    }

    switch (r->method) {

    case LUN_PROPFIND:
        return lun_dav_propfind(r);

    case LUN_PROPPATCH:
        return lun_dav_proppatch(r);

    case LUN_LOCK:
        return lun_dav_lock_file(r);

    default:
        return lun_dav_unlock(r);
    }
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request         *r = lun_request_of(s);
    const lun_dav_conf  *conf = lun_dav_conf_of(r);

    if (r->method & conf->ext_methods) {
        return extension(r);
    }

    if ((r->method & conf->methods) == 0) {
        return LUN_NEXT;
    }

    switch (r->method) {

    case LUN_PUT:
        return begin_put(r);

    case LUN_DELETE:
        return delete(r);

    case LUN_MKCOL:
        return make_collection(r);

    default:
        return lun_dav_transfer(r);
    }
}


static const lun_enum  method_words[] = {
    { "off", 0 },
    { "PUT", LUN_PUT },
    { "DELETE", LUN_DELETE },
    { "MKCOL", LUN_MKCOL },
    { "COPY", LUN_COPY },
    { "MOVE", LUN_MOVE },
    { NULL, 0 }
};

static const lun_enum  ext_method_words[] = {
    { "off", 0 },
    { "PROPFIND", LUN_PROPFIND },
    { "PROPPATCH", LUN_PROPPATCH },
    { "OPTIONS", LUN_OPTIONS },
    { "LOCK", LUN_LOCK },
    { "UNLOCK", LUN_UNLOCK },
    { NULL, 0 }
};

static const lun_directive  directives[] = {
    { .name = "dav_ext_methods", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_set_bits,
      LUN_FIELD(lun_dav_conf, ext_methods), .data = ext_method_words,
      .fallback = "off",
      .help = "methods of WebDAV: PROPFIND, PROPPATCH, OPTIONS, LOCK, UNLOCK" },
    { .name = "dav_ext_lock", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_dav_set_lock, LUN_FIELD(lun_dav_conf, lock),
      .values = "zone=name",
      .help = "the zone that has the locks of files" },
    { .name = "dav_ext_lock_zone", .where = LUN_HTTP, .args = 1,
      .args_max = 2, .repeats = true, .set = lun_dav_set_lock_zone,
      .values = "zone=name:size [timeout=time]",
      .help = "a zone for locks, and how long one lasts" },
    { .name = "dav_methods", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_set_bits,
      LUN_FIELD(lun_dav_conf, methods), .data = method_words, .fallback = "off",
      .help = "methods that change files: PUT, DELETE, MKCOL, COPY, MOVE" },
    { .name = "create_full_put_path", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_dav_conf, full_path),
      .fallback = "off",
      .help = "PUT makes the folders that a file wants" },
    { .name = "min_delete_depth", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_num, LUN_FIELD(lun_dav_conf, min_delete_depth),
      .fallback = "0",
      .help = "fewest parts of a uri that DELETE removes" },
    { .name = "dav_access", .where = LUN_HTTP_LEVELS, .args = 1, .args_max = 3,
      .set = lun_set_access, LUN_FIELD(lun_dav_conf, access),
      .fallback = "user:rw",
      .values = "users:permissions ...",
      .help = "who may read and write what is made: user:rw group:r all:r" },
    { 0 }
};

lun_http_module  lun_http_dav = {
    .name = "dav",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(lun_dav_conf),
    .on[LUN_CONTENT] = on_content,
};
