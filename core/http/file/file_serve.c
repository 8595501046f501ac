/*
 * file_serve.c -- what handlers of files and folders do alike.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/file/file_serve.h"

#include "base/check.h"
#include "http/conf/core_conf.h"
#include "http/file/open_file_cache.h"


lun_verdict
lun_file_verdict(lun_err err, lun_log_level *level)
{
    *level = LUN_LOG_ERR;

    switch (lun_err_kind_of(err)) {

    case LUN_ERR_NOT_FOUND:
    case LUN_ERR_NOT_DIR:
    case LUN_ERR_BAD_NAME:
        return LUN_STATUS + 404;

    case LUN_ERR_ACCESS:
    case LUN_ERR_LINK:
        return LUN_STATUS + 403;

    default:
        *level = LUN_LOG_CRIT;
        return LUN_STATUS + 500;
    }
}


lun_verdict
lun_file_refuse(lun_request *r, lun_err err, const char *failed,
    lun_str path)
{
    lun_log_level  level;
    lun_verdict    v = lun_file_verdict(err, &level);

    if (v != LUN_STATUS + 404 || lun_core_conf_of(r)->log_not_found) {
        lun_log(level, r->log, err, "%s \"%s\" failed", failed, path.data);
    }

    return v;
}


bool
lun_file_open_request(lun_request *r, lun_safe_path *c, lun_static_file *f,
    lun_verdict *v)
{
    lun_err      err;
    const char  *failed;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    *v = lun_http_file_path(r, c);

    if (*v != LUN_NEXT) {
        return false;
    }

    err = lun_open_file(r, c, f, &failed);

    if (err != 0) {
        *v = lun_file_refuse(r, err, failed, c->path);
    }

    return err == 0;
}


/*
 * For modules that make something else of a file (flv, mp4): what a folder, a
 * POST, or a missing file answers is the same as of a plain one.
 */
bool
lun_file_open_media(lun_request *r, lun_safe_path *c, lun_static_file *f,
    lun_verdict *v)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if ((r->method & (LUN_GET | LUN_HEAD)) == 0) {
        *v = LUN_STATUS + 405;
        return false;
    }

    if (lun_uri_is_folder(r->uri)) {
        *v = LUN_NEXT;
        return false;
    }

    *v = lun_body_discard(r);

    if (*v >= LUN_STATUS || !lun_file_open_request(r, c, f, v)) {
        return false;
    }

    if (!f->info.is_file) {
        *v = LUN_NEXT;
        return false;
    }

    r->out.status = 200;
    r->out.content_length = f->info.size;
    r->out.last_modified = f->info.mtime;
    lun_http_set_etag(r, f->info.mtime, f->info.size);
    lun_http_set_type(r);

    return true;
}


static lun_err
list(const lun_safe_path *c, lun_dir_fn *each, void *data)
{
    lun_err        err;
    lun_file_info  info;

    if (!lun_safe_path_is_plain(c)) {
        err = lun_safe_stat(c, &info);

        if (err != 0) {
            return err;
        }
    }

    return lun_dir_list_under(c->native, c->path.data, each, data);
}


lun_verdict
lun_file_list(lun_request *r, const lun_safe_path *c, lun_dir_fn *each,
    void *data)
{
    lun_str        path = c->path;
    lun_err        err = list(c, each, data);
    lun_verdict    v;
    lun_log_level  level;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (err == 0) {
        return LUN_NEXT;
    }

    v = lun_file_verdict(err, &level);
    path.len -= lun_str_ends(path, LUN_STR("/"));
    lun_log(level, r->log, err, "opendir() \"%.*s\" failed", LUN_S(path));

    return v;
}


/* Bytes [from, to) of the file: what is in memory, or where it is on disk. */
static lun_buf *
part_of(lun_request *r, const lun_static_file *f, int64_t from, int64_t to)
{
    r->main->direct |= f->direct;

    return f->fd == LUN_FD_NONE
           ? lun_buf_new_str(r->pool, lun_str_of(f->data.data + from,
                                                 (size_t) (to - from)))
           : lun_buf_new_file(r->pool, f->fd, from, to);
}


lun_verdict
lun_file_send_part(lun_request *r, const lun_static_file *f, lun_str head,
    int64_t from, int64_t to)
{
    lun_buf  *first, *rest;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    LUN_CHECK(from >= 0 && from <= to && to <= f->info.size);

    r->out.content_length = (int64_t) head.len + to - from;

    if (lun_http_send_header(r) == LUN_ERROR) {
        return LUN_FAILED;
    }

    if (r->header_only) {
        return LUN_FINISHED;
    }

    first = lun_buf_new_str(r->pool, head);
    rest = part_of(r, f, from, to);
    first->next = rest;
    lun_http_mark_last(r, rest);

    return lun_http_output(r, first) == LUN_ERROR ? LUN_FAILED : LUN_FINISHED;
}


lun_verdict
lun_file_send(lun_request *r, const lun_static_file *f)
{
    lun_buf  *b;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (lun_http_send_header(r) == LUN_ERROR) {
        return LUN_FAILED;
    }

    if (r->header_only) {
        return LUN_FINISHED;
    }

    b = part_of(r, f, 0, f->info.size);
    lun_http_mark_last(r, b);

    return lun_http_output(r, b) == LUN_ERROR ? LUN_FAILED : LUN_FINISHED;
}
