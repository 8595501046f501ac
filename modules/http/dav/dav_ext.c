/*
 * dav_ext.c -- WebDAV of class 2: OPTIONS, LOCK, UNLOCK, and what locks and
 * the If field mean to the other methods.
 *
 *     dav_ext_lock_zone zone=locks:10m timeout=10m;
 *     dav_ext_methods PROPFIND OPTIONS LOCK UNLOCK;
 *     dav_ext_lock zone=locks;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/dav/dav_priv.h"

#include "http/conf/core_conf.h"
#include "modules/http/dav/dav_if.h"
#include "modules/http/dav/dav_xml.h"
#include "os/clock.h"
#include "os/fold.h"
#include "os/path.h"


enum { BODY_MOST = 65536, OWNER_MOST = 1024, TIMEOUT = 60 };


const lun_dav_lock_zone *
lun_dav_locks_of(const lun_request *r)
{
    const lun_array  *lock = lun_dav_conf_of(r)->lock;

    return lock != NULL ? (*(lun_zone **) lun_array_at(lock, 0))->data : NULL;
}


lun_str
lun_dav_lock_path(lun_request *r, lun_str path)
{
    char    *p;
    size_t   i;

    while (path.len > 1 && path.data[path.len - 1] == '/') {
        path.len--;
    }

    if (lun_path_native != LUN_PATH_WINDOWS) {
        return path;
    }

    path = lun_fold(r->pool, path);
    p = lun_pool_text(r->pool, path.len);

    for (i = 0; i < path.len; i++) {
        p[i] = lun_lower(path.data[i]);
    }

    return lun_str_of(p, path.len);
}


/*
 * The limit is asked before anything is copied: XML of this size is no question
 * that a client has.
 */
bool
lun_dav_body(lun_request *r, lun_str *text)
{
    char           *p;
    size_t          done, size;
    const lun_buf  *b;

    *text = LUN_STR("");

    if (r->body == NULL || r->body->bufs.head == NULL) {
        return true;
    }

    for (size = 0, b = r->body->bufs.head; b != NULL; b = b->next) {
        size += (size_t) lun_min(lun_buf_size(b), (int64_t) BODY_MOST);

        if (size >= BODY_MOST) {
            lun_log(LUN_LOG_ERR, r->log, 0, "client sent too large XML");
            return false;
        }
    }

    text->data = p = lun_pool_text(r->pool, size);
    text->len = size;

    for (b = r->body->bufs.head; b != NULL; b = b->next) {
        size = (size_t) lun_buf_size(b);

        if (!b->in_file) {
            memcpy(p, b->pos, size);

        } else if (lun_file_read(b->file, p, size, b->file_pos, &done) != 0
                   || done != size)
        {
            return false;
        }

        p += size;
    }

    return true;
}


/* --- OPTIONS ------------------------------------------------------------- */

/*
 * MS-Author-Via is what Windows' own client looks for before it speaks WebDAV
 * at all.
 */
lun_verdict
lun_dav_options(lun_request *r)
{
    char                 allow[128], *p = allow;
    size_t               i;
    lun_verdict          v;
    const lun_dav_conf  *conf = lun_dav_conf_of(r);
    bool                 locks = conf->lock != NULL
                                 && (conf->ext_methods & LUN_LOCK);

    static const struct {
        uint32_t  method;
        lun_str   name;
    } names[] = {
        { LUN_PUT, LUN_STR_INIT(",PUT") },
        { LUN_DELETE, LUN_STR_INIT(",DELETE") },
        { LUN_MKCOL, LUN_STR_INIT(",MKCOL") },
        { LUN_COPY, LUN_STR_INIT(",COPY") },
        { LUN_MOVE, LUN_STR_INIT(",MOVE") },
        { LUN_PROPFIND, LUN_STR_INIT(",PROPFIND") },
        { LUN_PROPPATCH, LUN_STR_INIT(",PROPPATCH") },
        { LUN_OPTIONS, LUN_STR_INIT(",OPTIONS") },
        { LUN_LOCK, LUN_STR_INIT(",LOCK") },
        { LUN_UNLOCK, LUN_STR_INIT(",UNLOCK") }
    };

    v = lun_body_discard(r);

    if (v != LUN_LEAVE) {
        return v;
    }

    p = lun_copy_str(p, LUN_STR("GET,HEAD"));

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if ((conf->methods | conf->ext_methods) & names[i].method) {
            p = lun_copy_str(p, names[i].name);
        }
    }

    lun_http_set_out(r, LUN_STR("DAV"), locks ? LUN_STR("1,2") : LUN_STR("1"));
    lun_http_set_out(r, LUN_STR("MS-Author-Via"), LUN_STR("DAV"));
    lun_http_set_out(r, LUN_STR("Allow"), lun_pool_str(r->pool,
                     lun_str_of(allow, (size_t) (p - allow))));

    return lun_http_respond(r, 200, LUN_STR(""), LUN_STR(""));
}


/* --- what others' locks, and If, say of a change ------------------------- */

typedef struct {
    lun_request              *r;
    const lun_dav_lock_zone  *zone;
    lun_str                   path;    /* the request's own */
} judge;


/* The path that a condition is about; data NULL: none here. */
static lun_str
path_of_tag(lun_request *r, lun_str tag)
{
    lun_str        args;
    lun_safe_path  c;

    tag = lun_dav_local_part(r, tag);

    if (tag.data == NULL || lun_http_read_uri(r->pool, &tag, &args) != LUN_OK
        || !lun_dav_has_place(r, tag)
        || lun_http_uri_path(r, tag, &c) != LUN_NEXT)
    {
        return LUN_STR_NULL;
    }

    return lun_pool_str(r->pool, c.path);
}


static bool
has_etag(lun_request *r, lun_str path, lun_str etag)
{
    char            own[2 * 16 + 4], *p = own;
    lun_file_info   info;

    if (lun_file_stat(lun_pool_strz(r->pool, path), &info) != 0) {
        return false;
    }

    *p++ = '"';
    p = lun_fmt_hex(p, (uint64_t) info.mtime);
    *p++ = '-';
    p = lun_fmt_hex(p, (uint64_t) info.size);
    *p++ = '"';

    (void) lun_str_after(etag, LUN_STR("W/"), &etag);
    return lun_str_eq(etag, lun_str_of(own, (size_t) (p - own)));
}


static bool
holds(void *data, const lun_dav_condition *c)
{
    judge    *j = data;
    lun_str   path = j->path;

    if (c->tag.data != NULL) {
        path = path_of_tag(j->r, c->tag);

        if (path.data == NULL) {
            return false;
        }
    }

    if (c->is_etag) {
        return has_etag(j->r, path, c->value);
    }

    return lun_dav_lock_covers(j->zone->zone, lun_dav_lock_path(j->r, path),
                               c->value, lun_clock.sec);
}


/* NEXT: *tokens are those that the client knows, of LUN_DAV_CONDITIONS. */
static lun_verdict
read_if(lun_request *r, const lun_dav_lock_zone *zone, lun_str *tokens,
    size_t *count)
{
    size_t             i;
    judge              j = { r, zone, LUN_STR_NULL };
    lun_dav_if        *f;
    lun_verdict        v;
    lun_safe_path      c;
    const lun_header  *h = lun_header_find(&r->in.list, LUN_STR("If"));

    *count = 0;

    if (h == NULL) {
        return LUN_NEXT;
    }

    f = lun_pool_new(r->pool, lun_dav_if);

    if (lun_dav_if_read(f, h->value) != LUN_OK) {
        return lun_dav_refuse(r, 400, "client sent invalid \"If\" header");
    }

    v = lun_http_file_path(r, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    lun_dav_cut_slash(r, &c);
    j.path = c.path;

    if (!lun_dav_if_holds(f, holds, &j)) {
        return LUN_STATUS + 412;
    }

    for (i = 0; i < f->count; i++) {
        if (!f->all[i].is_etag) {
            tokens[(*count)++] = f->all[i].value;
        }
    }

    return LUN_NEXT;
}


lun_verdict
lun_dav_may_change(lun_request *r, lun_str path, unsigned what)
{
    size_t                    count;
    lun_str                   tokens[LUN_DAV_CONDITIONS];
    lun_verdict               v;
    const lun_dav_lock_zone  *zone = lun_dav_locks_of(r);

    if (zone == NULL) {
        return LUN_NEXT;
    }

    v = read_if(r, zone, tokens, &count);

    if (v != LUN_NEXT
        || lun_dav_locks_allow(zone->zone, lun_dav_lock_path(r, path), what,
                               tokens, count, lun_clock.sec))
    {
        return v;
    }

    lun_log(LUN_LOG_INFO, r->log, 0, "\"%.*s\" is locked", LUN_S(path));
    return LUN_STATUS + 423;
}


void
lun_dav_has_gone(const lun_request *r, lun_str path)
{
    const lun_dav_lock_zone  *zone = lun_dav_locks_of(r);

    if (zone != NULL) {
        lun_dav_locks_forget(zone->zone,
                             lun_dav_lock_path((lun_request *) r, path),
                             lun_clock.sec);
    }
}


/* --- LOCK ---------------------------------------------------------------- */

typedef struct {
    bool     scope, write;         /* they were said */
    bool     shared;
    bool     href;                 /* the owner is a link */
    lun_str  owner;                /* as written, with its elements */
} lockinfo;


static void
read_open(lockinfo *info, const lun_dav_xml *x)
{
    if (x->depth != 3) {
        return;
    }

    info->shared |= lun_dav_xml_is(x, "shared");
    info->scope |= lun_dav_xml_is(x, "shared")
                   || lun_dav_xml_is(x, "exclusive");
    info->write |= lun_dav_xml_is(x, "write");
    info->href |= lun_dav_xml_is(x, "href");
}


/* False: it is no lockinfo. */
static bool
read_lockinfo(lun_str text, lockinfo *info)
{
    bool               owner = false;
    lun_dav_xml        x;
    lun_dav_xml_event  e;

    lun_dav_xml_init(&x, text);

    while ((e = lun_dav_xml_next(&x)) != LUN_DAV_XML_END) {
        if (e == LUN_DAV_XML_BAD
            || (e == LUN_DAV_XML_OPEN && x.depth == 1
                && !lun_dav_xml_is(&x, "lockinfo")))
        {
            return false;
        }

        if (e == LUN_DAV_XML_OPEN) {
            owner = x.depth == 2 ? lun_dav_xml_is(&x, "owner") : owner;
            read_open(info, &x);

        } else if (x.depth == 2 && owner) {
            info->owner = x.content;
        }
    }

    return info->scope && info->write;
}


/*
 * Its text without elements, whose prefixes mean nothing elsewhere; a link
 * stays one.  What the reader has passed over may be no XML in another place:
 * others are told of it, so then there is no owner.
 */
static lun_str
owner_of(lun_request *r, const lockinfo *info)
{
    bool     inside = false;
    char    *text, *p;
    size_t   i;

    if (info->owner.len > OWNER_MOST
        || lun_str_find(info->owner, LUN_STR("<!")) != NULL
        || lun_str_find(info->owner, LUN_STR("<?")) != NULL)
    {
        return LUN_STR("");
    }

    text = p = lun_pool_text(r->pool, info->owner.len);

    for (i = 0; i < info->owner.len; i++) {
        if (info->owner.data[i] == '<' || info->owner.data[i] == '>') {
            inside = info->owner.data[i] == '<';

        } else if (!inside) {
            *p++ = info->owner.data[i];
        }
    }

    return lun_pool_fmt(r->pool, info->href ? "<D:href>%.*s</D:href>" : "%.*s",
                        (int) (p - text), text);
}


static lun_verdict
tell(lun_request *r, const lun_dav_lock *lock, unsigned status)
{
    lun_chain  out;

    lun_chain_init(&out);
    lun_dav_say(r, &out, LUN_STR("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                                 "<D:prop xmlns:D=\"DAV:\"><D:lockdiscovery>"));
    lun_dav_tell_lock(r, &out, lock);
    lun_dav_say(r, &out, LUN_STR("</D:lockdiscovery></D:prop>\n"));

    return lun_dav_answer(r, status, &out);
}


/* Without a body: the lock that If names lasts longer. */
static lun_verdict
refresh(lun_request *r, const lun_dav_lock_zone *zone, lun_str path,
    int64_t expires)
{
    size_t        i, count;
    lun_str       tokens[LUN_DAV_CONDITIONS];
    lun_verdict   v = read_if(r, zone, tokens, &count);
    lun_dav_lock  lock;

    for (i = 0; v == LUN_NEXT && i < count; i++) {
        if (lun_dav_lock_refresh(zone->zone, path, tokens[i], lun_clock.sec,
                                 expires, r->pool, &lock))
        {
            return tell(r, &lock, 200);
        }
    }

    return v != LUN_NEXT ? v
           : lun_dav_refuse(r, count != 0 ? 412 : 400,
                            "LOCK without a body names no lock");
}


/* What is not there becomes an empty file (RFC 4918, 7.3). */
static lun_verdict
make_file(lun_request *r, const lun_safe_path *c, bool *made)
{
    lun_fd         fd;
    lun_err        err;
    lun_file_info  info;

    err = lun_safe_stat(c, &info);

    if (err == 0) {
        return LUN_NEXT;
    }

    if (lun_err_kind_of(err) != LUN_ERR_NOT_FOUND
        || lun_uri_is_folder(r->uri))
    {
        return lun_dav_failure(r, err, 409, "lstat()", c->path);
    }

    err = lun_safe_open(c, LUN_FILE_WRITE | LUN_FILE_CREATE | LUN_FILE_EXCL,
                        (unsigned) lun_dav_conf_of(r)->access, &fd);

    if (err != 0) {
        return lun_dav_failure(r, err, 409, "open()", c->path);
    }

    lun_file_close(fd);
    *made = true;
    return LUN_NEXT;
}


/*
 * Locking what is not there makes an empty file (RFC 4918, 9.10.4); the lock
 * comes first, so that nobody takes the name in between.
 */
static lun_verdict
make_lock(lun_request *r, const lun_dav_lock_zone *zone, lun_dav_lock *lock,
    const lun_safe_path *c)
{
    bool           made = false;
    lun_verdict    v;
    lun_file_info  info;

    if (lun_safe_stat(c, &info) != 0) {
        v = lun_dav_may_change(r, c->path, LUN_DAV_MEMBER);

        if (v != LUN_NEXT) {
            return v;
        }
    }

    switch (lun_dav_lock_add(zone->zone, lock, lun_clock.sec)) {

    case LUN_DAV_LOCK_CONFLICTS:
        return LUN_STATUS + 423;

    case LUN_DAV_LOCK_NO_ROOM:
        return lun_dav_refuse(r, 507, "no room for a lock");

    default:
        break;
    }

    v = make_file(r, c, &made);

    if (v != LUN_NEXT) {
        (void) lun_dav_lock_remove(zone->zone, lock->path,
                                   lun_str_of(lock->token, LUN_DAV_TOKEN),
                                   lun_clock.sec);
        return v;
    }

    lun_http_set_out(r, LUN_STR("Lock-Token"),
                     lun_pool_fmt(r->pool, "<%.*s>", LUN_DAV_TOKEN,
                                  lock->token));

    return tell(r, lock, made ? 201 : 200);
}


/*
 * Without a body it renews a lock, which the If header names (RFC 4918,
 * 9.10.2).
 */
lun_verdict
lun_dav_lock_file(lun_request *r)
{
    int64_t                   sec;
    lun_str                   text;
    lockinfo                  info = { .owner = LUN_STR_INIT("") };
    lun_verdict               v;
    lun_dav_lock              lock = { .infinite = true };
    lun_safe_path             c;
    lun_dav_depth_word        depth;
    const lun_header         *h;
    const lun_dav_lock_zone  *zone = lun_dav_locks_of(r);

    if (zone == NULL) {
        return LUN_STATUS + 405;
    }

    v = lun_http_file_path(r, &c);

    if (v != LUN_NEXT || !lun_dav_body(r, &text)) {
        return v != LUN_NEXT ? v : LUN_STATUS + 413;
    }

    lun_dav_cut_slash(r, &c);
    h = lun_header_find(&r->in.list, LUN_STR("Timeout"));
    sec = lun_dav_timeout(h != NULL ? h->value : LUN_STR(""), zone->timeout);
    lock.expires = lun_clock.sec + sec;
    lock.path = lun_dav_lock_path(r, c.path);

    if (text.len == 0) {
        return refresh(r, zone, lock.path, lock.expires);
    }

    depth = lun_dav_depth(r, LUN_DAV_DEPTH_INFINITY);

    if (depth != LUN_DAV_DEPTH_INFINITY && depth != LUN_DAV_DEPTH_ZERO) {
        return LUN_STATUS + 400;
    }

    if (!read_lockinfo(text, &info)) {
        return lun_dav_refuse(r, 400, "client sent invalid XML to LOCK");
    }

    lock.infinite = depth == LUN_DAV_DEPTH_INFINITY;
    lock.shared = info.shared;
    lock.owner = owner_of(r, &info);
    lock.href = lun_dav_href(r, r->uri, lun_uri_is_folder(r->uri));

    return make_lock(r, zone, &lock, &c);
}


lun_verdict
lun_dav_unlock(lun_request *r)
{
    lun_str                   token;
    lun_verdict               v;
    lun_safe_path             c;
    const lun_header         *h = lun_header_find(&r->in.list,
                                                  LUN_STR("Lock-Token"));
    const lun_dav_lock_zone  *zone = lun_dav_locks_of(r);

    if (zone == NULL) {
        return LUN_STATUS + 405;
    }

    if (h == NULL || h->value.len < 2 || h->value.data[0] != '<'
        || h->value.data[h->value.len - 1] != '>')
    {
        return lun_dav_refuse(r, 400, "client sent no, or an invalid, "
                              "\"Lock-Token\" header");
    }

    v = lun_http_file_path(r, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    token = lun_str_of(h->value.data + 1, h->value.len - 2);

    return lun_dav_lock_remove(zone->zone, lun_dav_lock_path(r, c.path), token,
                               lun_clock.sec)
           ? LUN_STATUS + 204
           : lun_dav_refuse(r, 409, "UNLOCK of what has no such lock");
}


/* --- directives ---------------------------------------------------------- */

/* "zone=NAME:SIZE", or "zone=NAME" with size 0. */
static lun_rc
want_zone(lun_conf *cf, bool sized, lun_zone **zone)
{
    lun_str      text, name, why_not = cf->args[1];
    uint64_t     size = 0;
    const char  *why, *colon;

    if (!lun_str_after(cf->args[1], LUN_STR("zone="), &text)) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(why_not));
    }

    colon = lun_str_chr(text, ':');
    name = colon != NULL ? lun_str_of(text.data, (size_t) (colon - text.data))
                         : text;

    if (name.len == 0 || sized != (colon != NULL)) {
        return lun_conf_fail(cf, "invalid zone \"%.*s\"", LUN_S(why_not));
    }

    if (sized && (lun_str_to_size(lun_str_of(colon + 1, text.len - name.len
                                                        - 1), &size) != LUN_OK
                  || size > INT64_MAX))
    {
        return lun_conf_fail(cf, "invalid zone size \"%.*s\"",
                             LUN_S(why_not));
    }

    *zone = lun_zone_want(cf->gen->zones, name, (size_t) size,
                          &lun_dav_locks_kind, &why);

    return *zone != NULL ? LUN_OK : lun_conf_fail(cf, "%s", why);
}


lun_rc
lun_dav_set_lock(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_zone      *zone;
    lun_dav_conf  *c = conf;

    if (want_zone(cf, false, &zone) != LUN_OK) {
        return LUN_ERROR;
    }

    c->lock = lun_array_new(cf->pool, sizeof(lun_zone *), 1);
    *(lun_zone **) lun_array_push(c->lock) = zone;

    return LUN_OK;
}


lun_rc
lun_dav_set_lock_zone(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str             text;
    lun_zone           *zone;
    lun_dav_lock_zone  *z = lun_pool_new(cf->pool, lun_dav_lock_zone);

    z->timeout = TIMEOUT;

    if (cf->argc == 3
        && (!lun_str_after(cf->args[2], LUN_STR("timeout="), &text)
            || lun_str_to_sec(text, &z->timeout) != LUN_OK
            || z->timeout <= 0 || z->timeout > INT32_MAX))
    {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                             LUN_S(cf->args[2]));
    }

    if (want_zone(cf, true, &zone) != LUN_OK) {
        return LUN_ERROR;
    }

    z->zone = zone;
    zone->data = z;
    return LUN_OK;
}
