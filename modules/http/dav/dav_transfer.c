/*
 * dav_transfer.c -- COPY and MOVE: from where the request is to where its
 * header says.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/dav/dav_priv.h"

#include "http/conf/core_conf.h"
#include "os/dir.h"
#include "os/fold.h"
#include "os/path.h"
#include "os/random.h"


/* Where something is to be copied or moved. */
typedef struct {
    lun_safe_path   from;
    lun_safe_path   to;
    lun_file_info   info;          /* of what is there to begin with */
    bool            is_dir;
    bool            is_there;      /* something has that name */
    bool            replaces;      /* a folder that is there, or a file that a
                                      folder follows */
    lun_dav_depth_word      depth;
} transfer;


/* "http://", or "https://" where the client speaks TLS. */
static bool
skip_scheme(const lun_request *r, lun_str *text)
{
    size_t  n = r->scheme.len;

    if (!lun_str_casestarts(*text, r->scheme)) {
        return false;
    }

    *text = lun_str_of(text->data + n, text->len - n);
    n = LUN_STR("://").len;

    if (!lun_str_starts(*text, LUN_STR("://"))) {
        return false;
    }

    *text = lun_str_of(text->data + n, text->len - n);
    return true;
}


/*
 * "http://host/uri" of this host, or "/uri".  data NULL: neither, and *here
 * says whether it is no other host's at least.
 */
static lun_str
part_here(const lun_request *r, lun_str text, bool *here)
{
    lun_str  rest = text, host = r->in.host;

    if (text.len != 0 && text.data[0] == '/') {
        return text;
    }

    *here = true;

    if (host.len == 0 || !skip_scheme(r, &rest)) {
        return LUN_STR_NULL;
    }

    if (!lun_str_casestarts(rest, host)) {
        *here = false;
        return LUN_STR_NULL;
    }

    rest.data += host.len;
    rest.len -= host.len;

    if (rest.len != 0 && rest.data[0] == ':') {
        do {
            rest.data++;
            rest.len--;
        } while (rest.len != 0 && lun_is_digit(rest.data[0]));
    }

    return rest.len != 0 && rest.data[0] == '/' ? rest : LUN_STR_NULL;
}


lun_str
lun_dav_local_part(const lun_request *r, lun_str text)
{
    bool  here;

    return part_here(r, text, &here);
}


bool
lun_dav_has_place(lun_request *r, lun_str uri)
{
    lun_str          name;
    const lun_root  *root = lun_core_conf_of(r)->root;

    if (!root->alias || root->regex) {
        return true;
    }

    name = root->name;

    if (lun_path_native == LUN_PATH_WINDOWS) {
        return lun_str_casestarts(lun_fold(r->pool, uri),
                                  lun_fold(r->pool, name));
    }

    return lun_str_starts(uri, name);
}


/*
 * Where its extensions are on RFC 4918 is kept to: a file takes the place of a
 * folder, or a folder of a file, and what is new is a 201.  nginx's own module
 * refuses the former, and tells of files with 204.
 */
static bool
is_webdav(const lun_request *r)
{
    return lun_dav_conf_of(r)->ext_methods != 0;
}


/*
 * The header is a client's own URL: it has to be this server's, well formed,
 * and (with `alias`) below this location, or the target could be anywhere.
 */
static lun_verdict
read_destination(lun_request *r, lun_str *uri)
{
    bool               here;
    lun_str            args;
    const lun_header  *h = r->in.known[LUN_HIN_DESTINATION];

    if (h == NULL) {
        return lun_dav_refuse(r, 400, "client sent no \"Destination\" header");
    }

    *uri = part_here(r, h->value, &here);

    if (uri->data == NULL && !here) {
        lun_log(LUN_LOG_ERR, r->log, 0, "\"Destination\" URI \"%.*s\" is "
                "handled by different repository than the source URI",
                LUN_S(h->value));
        return LUN_STATUS + 400;
    }

    if (uri->data != NULL
        && lun_http_read_uri(r->pool, uri, &args) != LUN_OK)
    {
        lun_log(LUN_LOG_ERR, r->log, 0, "unsafe URI \"%.*s\" was detected",
                LUN_S(*uri));
        *uri = LUN_STR_NULL;
    }

    if (uri->data != NULL && !lun_dav_has_place(r, *uri)) {
        *uri = LUN_STR_NULL;
    }

    if (uri->data == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "client sent invalid \"Destination\" "
                "header: \"%.*s\"", LUN_S(h->value));
        return LUN_STATUS + 400;
    }

    if (lun_uri_is_folder(*uri) != lun_uri_is_folder(r->uri)
        && !is_webdav(r))
    {
        lun_log(LUN_LOG_ERR, r->log, 0, "both URI \"%.*s\" and "
                "\"Destination\" URI \"%.*s\" should be either collections or "
                "non-collections", LUN_S(r->uri), LUN_S(h->value));
        return LUN_STATUS + 409;
    }

    return LUN_NEXT;
}


static lun_verdict
may_overwrite(lun_request *r, bool *may)
{
    const lun_header  *h = r->in.known[LUN_HIN_OVERWRITE];

    *may = true;

    if (h == NULL || lun_str_caseeq(h->value, LUN_STR("T"))) {
        return LUN_NEXT;
    }

    *may = false;

    if (lun_str_caseeq(h->value, LUN_STR("F"))) {
        return LUN_NEXT;
    }

    lun_log(LUN_LOG_ERR, r->log, 0, "client sent invalid \"Overwrite\" "
            "header: \"%.*s\"", LUN_S(h->value));
    return LUN_STATUS + 400;
}


/*
 * A name that leads elsewhere, or nowhere: a MOVE takes it for a file, whatever
 * it leads to.
 */
static bool
is_link(const lun_safe_path *path)
{
    lun_file_info  info;
    lun_safe_path  last = *path;

    while (last.path.len != 0 && last.path.data[last.path.len - 1] != '/') {
        last.path.len--;
    }

    last.links = LUN_LINKS_REFUSE;
    last.links_from = last.path.len != 0 ? last.path.len - 1 : 0;
    last.path.len = path->path.len;

    return lun_err_kind_of(lun_safe_stat(&last, &info)) == LUN_ERR_LINK;
}


/* One folder inside the other: it would be removed, or copied for ever. */
static bool
is_inside(lun_request *r, lun_str outer, lun_str path)
{
    if (lun_path_native == LUN_PATH_WINDOWS) {
        outer = lun_fold(r->pool, outer);
        path = lun_fold(r->pool, path);
    }

    return lun_str_starts(path, outer)
           && (path.len == outer.len || path.data[outer.len] == '/');
}


static lun_verdict
refuse_same(const lun_request *r)
{
    lun_log(LUN_LOG_ERR, r->log, 0, "both URI \"%.*s\" and \"Destination\" URI "
            "\"%.*s\" point to the same location", LUN_S(r->uri),
            LUN_S(r->in.known[LUN_HIN_DESTINATION]->value));
    return LUN_STATUS + 403;               /* RFC 4918, 9.8.5 and 9.9.4 */
}


static lun_verdict
find_both(lun_request *r, transfer *t)
{
    bool           may, inside;
    lun_err        err;
    lun_str        uri;
    lun_verdict    v;
    lun_file_info  there;

    v = read_destination(r, &uri);
    v = v == LUN_NEXT ? may_overwrite(r, &may) : v;
    v = v == LUN_NEXT ? lun_http_file_path(r, &t->from) : v;
    v = v == LUN_NEXT ? lun_http_uri_path(r, uri, &t->to) : v;

    if (v != LUN_NEXT) {
        return v;
    }

    lun_dav_cut_slash(r, &t->from);
    lun_dav_cut_slash(r, &t->to);
    err = lun_safe_stat(&t->from, &t->info);

    if (r->method == LUN_MOVE && !lun_uri_is_folder(r->uri)
        && (err != 0 || t->info.is_dir) && is_link(&t->from))
    {
        t->info = (lun_file_info) { .is_file = true };
        err = 0;
    }

    if (err != 0) {
        return lun_dav_failure(r, err, 404, "lstat()", t->from.path);
    }

    t->is_dir = t->info.is_dir;

    if (t->is_dir != lun_uri_is_folder(r->uri)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "\"%s\" is %s collection",
                t->from.path.data, t->is_dir ? "a" : "no");
        return LUN_STATUS + 409;
    }

    inside = is_inside(r, t->from.path, t->to.path);

    if (inside && is_inside(r, t->to.path, t->from.path)) {
        return refuse_same(r);
    }

    if (inside || is_inside(r, t->to.path, t->from.path)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "\"%.*s\" could not be %.*sed to "
                "collection \"%.*s\"", LUN_S(r->uri), LUN_S(r->method_name),
                LUN_S(r->in.known[LUN_HIN_DESTINATION]->value));
        return LUN_STATUS + 403;
    }

    err = lun_safe_stat(&t->to, &there);

    if (r->method == LUN_MOVE && !t->is_dir && is_link(&t->to)) {
        there = (lun_file_info) { .is_file = true };
        err = 0;
    }

    if (err != 0) {
        return lun_err_kind_of(err) == LUN_ERR_NOT_FOUND ? LUN_NEXT
               : lun_dav_failure(r, err, 409, "lstat()", t->to.path);
    }

    if (there.device != 0 && there.id == t->info.id
        && there.device == t->info.device)
    {
        return refuse_same(r);             /* two names of one file */
    }

    if (!may) {
        lun_log(LUN_LOG_ERR, r->log, 0, "\"%s\" could not be overwritten",
                t->to.path.data);
        return LUN_STATUS + 412;
    }

    t->replaces = there.is_dir || there.is_dir != t->is_dir;
    t->is_there = true;

    if (there.is_dir != t->is_dir && !is_webdav(r)) {
        return lun_dav_refuse(r, 409, "one is a collection, and the other is "
                              "none");
    }

    return LUN_NEXT;
}


static lun_err
copy(lun_request *r, const transfer *t)
{
    unsigned  access = (unsigned) lun_dav_conf_of(r)->access;

    if (!t->is_dir) {
        return lun_dav_copy_file(r->log, &t->from, t->to.path, access);
    }

    return t->depth == LUN_DAV_DEPTH_ZERO
           ? lun_dir_make(t->to.path.data, lun_folder_access(access))
           : lun_dav_copy_tree(r->log, &t->from, t->to.path, access);
}


/*
 * A file finds the folders on its way, as nginx makes them.  A name of another
 * disk is copied, and then removed.
 */
static lun_err
move(lun_request *r, const transfer *t)
{
    lun_err  err = lun_file_rename(t->from.path.data, t->to.path.data);

    if (lun_err_kind_of(err) == LUN_ERR_NOT_FOUND && !t->is_dir) {
        err = lun_folders_make(r->pool, t->to.path,
                               (unsigned) lun_dav_conf_of(r)->access);
        err = err != 0 ? err : lun_file_rename(t->from.path.data,
                                               t->to.path.data);
    }

    if (err == 0 || lun_err_kind_of(err) == LUN_ERR_NOT_FOUND) {
        return err;
    }

    err = copy(r, t);

    if (err != 0) {
        return err;
    }

    return t->is_dir ? lun_dav_delete_tree(r->log, t->from.path)
                     : lun_file_delete(t->from.path.data);
}


static lun_err
copy_or_move(lun_request *r, const transfer *t)
{
    return r->method == LUN_MOVE ? move(r, t) : copy(r, t);
}


/* What is there goes when its successor is whole; else it comes back. */
static lun_err
replace(lun_request *r, const transfer *t)
{
    lun_err   err;
    lun_str   aside;
    uint64_t  n;

    lun_random_bytes(&n, sizeof(n));
    aside = lun_pool_fmt(r->pool, "%.*s.%016" PRIx64, LUN_S(t->to.path), n);
    err = lun_file_rename(t->to.path.data, aside.data);

    if (err != 0) {
        return err;
    }

    err = copy_or_move(r, t);

    if (err == 0) {
        (void) lun_dir_remove_tree(aside.data);
        return 0;
    }

    (void) lun_dir_remove_tree(t->to.path.data);
    (void) lun_file_rename(aside.data, t->to.path.data);
    return err;
}


/*
 * A move changes two places, so locks of both are asked about before either is
 * touched.
 */
lun_verdict
lun_dav_transfer(lun_request *r)
{
    lun_err      err;
    transfer     t = { .replaces = false };
    lun_verdict  v;

    if (lun_dav_has_body(r)) {
        return lun_dav_refuse(r, 415, "COPY and MOVE with body are "
                              "unsupported");
    }

    t.depth = lun_dav_depth(r, LUN_DAV_DEPTH_INFINITY);

    if (t.depth != LUN_DAV_DEPTH_INFINITY
        && (t.depth != LUN_DAV_DEPTH_ZERO || r->method == LUN_MOVE))
    {
        return lun_dav_refuse(r, 400, r->method == LUN_MOVE
                              ? "\"Depth\" header must be infinity"
                              : "\"Depth\" header must be 0 or infinity");
    }

    v = find_both(r, &t);

    if (v != LUN_NEXT) {
        return v;
    }

    v = lun_dav_may_change(r, t.to.path, LUN_DAV_BELOW | LUN_DAV_MEMBER);

    if (v == LUN_NEXT && r->method == LUN_MOVE) {
        v = lun_dav_may_change(r, t.from.path, LUN_DAV_BELOW | LUN_DAV_MEMBER);
    }

    if (v != LUN_NEXT) {
        return v;
    }

    err = t.replaces ? replace(r, &t) : copy_or_move(r, &t);

    if (err == 0 && r->method == LUN_MOVE) {
        lun_dav_has_gone(r, t.from.path);
    }

    if (err == 0) {
        return LUN_STATUS + (is_webdav(r) ? t.is_there ? 204 : 201
                                          : t.is_dir ? 201 : 204);
    }

    return lun_dav_failure(r, err, 409, r->method == LUN_MOVE
                           ? "move of" : "copy of", t.from.path);
}
