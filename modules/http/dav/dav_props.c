/*
 * dav_props.c -- PROPFIND and PROPPATCH: what WebDAV's clients are told of
 * files and folders, as a 207 of XML.
 *
 * Properties are what the file system has, and locks; none can be set.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/dav/dav_priv.h"

#include "base/escape.h"
#include "format/uri.h"
#include "http/file/file_serve.h"
#include "modules/http/dav/dav_xml.h"
#include "os/clock.h"
#include "os/path.h"


enum {
    PROPS_MOST  = 128,             /* asked for, by name */
    NAMES_MOST  = 4096,            /* bytes of them, with their namespaces */
    ANSWER_MOST = 64 * 1024 * 1024
};

typedef struct {
    lun_str  ns, name;             /* as the client wrote them */
} prop;

typedef struct {
    lun_request  *r;
    lun_chain     out;
    bool          all;             /* allprop, or nothing was said */
    bool          names;           /* propname */
    size_t        count, len;      /* of the names, and their bytes */
    size_t        said;            /* bytes of subjects */
    prop          props[PROPS_MOST];

    const lun_safe_path  *folder;  /* whose names are told */
} answer;

/* One of those that are told of. */
typedef struct {
    lun_str               uri;     /* not escaped */
    lun_str               path;
    const lun_file_info  *info;
} subject;


/* --- XML ----------------------------------------------------------------- */

void
lun_dav_say(lun_request *r, lun_chain *out, lun_str text)
{
    if (text.len != 0) {
        lun_chain_push(out, lun_buf_new_str(r->pool, text));
    }
}


lun_verdict
lun_dav_answer(lun_request *r, unsigned status, lun_chain *out)
{
    char           *text, *p;
    size_t          len = 0;
    const lun_buf  *b;

    for (b = out->head; b != NULL; b = b->next) {
        len += (size_t) lun_buf_size(b);
    }

    text = p = lun_pool_text(r->pool, len);

    for (b = out->head; b != NULL; b = b->next) {
        p = lun_copy(p, b->pos, (size_t) lun_buf_size(b));
    }

    r->out.charset = LUN_STR("utf-8");
    return lun_http_respond(r, status, LUN_STR("application/xml"),
                            lun_str_of(text, len));
}


lun_str
lun_dav_href(lun_request *r, lun_str uri, bool is_dir)
{
    char     *text;
    lun_str   href;

    text = lun_pool_text(r->pool, lun_uri_escaped_len(uri, LUN_ESCAPE_URI));
    href = lun_str_of(text, (size_t) (lun_uri_escape(text, uri, LUN_ESCAPE_URI)
                                      - text));
    href = lun_escape_html_new(r->pool, href);

    return is_dir && !lun_uri_is_folder(uri)
           ? lun_pool_fmt(r->pool, "%.*s/", LUN_S(href)) : href;
}


void
lun_dav_tell_lock(lun_request *r, lun_chain *out, const lun_dav_lock *lock)
{
    int64_t  left = lun_max(lock->expires - lun_clock.sec, (int64_t) 0);

    lun_dav_say(r, out, lun_pool_fmt(r->pool,
        "<D:activelock><D:locktype><D:write/></D:locktype>"
        "<D:lockscope><D:%s/></D:lockscope><D:depth>%s</D:depth>"
        "<D:owner>%.*s</D:owner><D:timeout>Second-%" PRId64 "</D:timeout>"
        "<D:locktoken><D:href>%.*s</D:href></D:locktoken>"
        "<D:lockroot><D:href>%.*s</D:href></D:lockroot></D:activelock>",
        lock->shared ? "shared" : "exclusive",
        lock->infinite ? "infinity" : "0", LUN_S(lock->owner), left,
        LUN_DAV_TOKEN, lock->token, LUN_S(lock->href)));
}


/* --- what there is to tell ----------------------------------------------- */

typedef bool tell_fn(answer *a, const subject *s);


static bool
tell_type(answer *a, const subject *s)
{
    lun_dav_say(a->r, &a->out, s->info->is_dir
                ? LUN_STR("<D:resourcetype><D:collection/></D:resourcetype>")
                : LUN_STR("<D:resourcetype/>"));
    return true;
}


static bool
tell_length(answer *a, const subject *s)
{
    if (s->info->is_dir) {
        return false;
    }

    lun_dav_say(a->r, &a->out, lun_pool_fmt(a->r->pool,
                "<D:getcontentlength>%" PRId64 "</D:getcontentlength>",
                s->info->size));
    return true;
}


static bool
tell_date(answer *a, const subject *s)
{
    char  date[LUN_HTTP_DATE];

    (void) lun_clock_http_date(date, s->info->mtime);
    lun_dav_say(a->r, &a->out, lun_pool_fmt(a->r->pool,
                "<D:getlastmodified>%.*s</D:getlastmodified>",
                (int) sizeof(date), date));
    return true;
}


static bool
tell_etag(answer *a, const subject *s)
{
    if (s->info->is_dir) {
        return false;
    }

    lun_dav_say(a->r, &a->out, lun_pool_fmt(a->r->pool,
                "<D:getetag>\"%" PRIx64 "-%" PRIx64 "\"</D:getetag>",
                (uint64_t) s->info->mtime, (uint64_t) s->info->size));
    return true;
}


/* A file's name may have what no XML may. */
static bool
is_text(lun_str name)
{
    size_t  i;
    bool    ascii = true;

    for (i = 0; i < name.len; i++) {
        if ((unsigned char) name.data[i] < 0x20) {
            return false;
        }

        ascii = ascii && (unsigned char) name.data[i] < 0x80;
    }

    return ascii || (lun_path_is_utf8(name)
                     && lun_str_find(name, LUN_STR("\xef\xbf\xbe")) == NULL
                     && lun_str_find(name, LUN_STR("\xef\xbf\xbf")) == NULL);
}


static bool
tell_name(answer *a, const subject *s)
{
    size_t   n = s->uri.len;
    lun_str  name;

    while (n > 0 && s->uri.data[n - 1] == '/') {
        n--;
    }

    name = lun_str_of(s->uri.data, n);

    while (n > 0 && s->uri.data[n - 1] != '/') {
        n--;
    }

    name = lun_str_of(name.data + n, name.len - n);

    if (!is_text(name)) {
        return false;
    }

    name = lun_escape_html_new(a->r->pool, name);
    lun_dav_say(a->r, &a->out, lun_pool_fmt(a->r->pool,
                "<D:displayname>%.*s</D:displayname>", LUN_S(name)));
    return true;
}


static bool
tell_locks(answer *a, const subject *s)
{
    size_t                    i;
    lun_array                 list;
    const lun_dav_lock_zone  *zone = lun_dav_locks_of(a->r);

    if (zone == NULL) {
        return false;
    }

    lun_array_init(&list, a->r->pool, sizeof(lun_dav_lock), 4);
    lun_dav_locks_list(zone->zone, lun_dav_lock_path(a->r, s->path),
                       lun_clock.sec, &list);
    lun_dav_say(a->r, &a->out, LUN_STR("<D:lockdiscovery>"));

    for (i = 0; i < list.count; i++) {
        lun_dav_tell_lock(a->r, &a->out, lun_array_at(&list, i));
    }

    lun_dav_say(a->r, &a->out, LUN_STR("</D:lockdiscovery>"));
    return true;
}


static bool
tell_supported(answer *a, const subject *s)
{
    if (lun_dav_locks_of(a->r) == NULL) {
        return false;
    }

    lun_dav_say(a->r, &a->out, LUN_STR(
        "<D:supportedlock>"
        "<D:lockentry><D:lockscope><D:exclusive/></D:lockscope>"
        "<D:locktype><D:write/></D:locktype></D:lockentry>"
        "<D:lockentry><D:lockscope><D:shared/></D:lockscope>"
        "<D:locktype><D:write/></D:locktype></D:lockentry>"
        "</D:supportedlock>"));
    return true;
}


static const struct {
    lun_str   name;
    tell_fn  *tell;
} known[] = {
    { LUN_STR_INIT("displayname"), tell_name },
    { LUN_STR_INIT("resourcetype"), tell_type },
    { LUN_STR_INIT("getcontentlength"), tell_length },
    { LUN_STR_INIT("getlastmodified"), tell_date },
    { LUN_STR_INIT("getetag"), tell_etag },
    { LUN_STR_INIT("lockdiscovery"), tell_locks },
    { LUN_STR_INIT("supportedlock"), tell_supported }
};


static bool
tell_prop(answer *a, const subject *s, const prop *p)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(known); i++) {
        if (lun_str_eq(p->ns, LUN_STR("DAV:"))
            && lun_str_eq(p->name, known[i].name))
        {
            return known[i].tell(a, s);
        }
    }

    return false;
}


/* Its name alone; what a client wrote between '"' may have one. */
static void
tell_empty(answer *a, const prop *p)
{
    lun_dav_say(a->r, &a->out, lun_pool_fmt(a->r->pool,
                lun_str_chr(p->ns, '"') != NULL ? "<%.*s xmlns='%.*s'/>"
                                                : "<%.*s xmlns=\"%.*s\"/>",
                LUN_S(p->name), LUN_S(p->ns)));
}


static void
tell_all(answer *a, const subject *s)
{
    size_t  i;

    lun_dav_say(a->r, &a->out, LUN_STR("<D:propstat><D:prop>"));

    for (i = 0; i < LUN_ARRAY_LEN(known); i++) {
        if (!a->names) {
            (void) known[i].tell(a, s);

        } else {
            tell_empty(a, &(prop) { LUN_STR("DAV:"), known[i].name });
        }
    }

    lun_dav_say(a->r, &a->out, LUN_STR("</D:prop><D:status>HTTP/1.1 200 OK"
                                       "</D:status></D:propstat>"));
}


/*
 * One list for what is there and one for what is not: a status is said for each
 * list, not for each property (RFC 4918, 9.1).
 */
static void
tell_asked(answer *a, const subject *s)
{
    bool    missing[PROPS_MOST];
    size_t  i, have = 0;

    lun_dav_say(a->r, &a->out, LUN_STR("<D:propstat><D:prop>"));

    for (i = 0; i < a->count; i++) {
        missing[i] = !tell_prop(a, s, &a->props[i]);
        have += !missing[i];
    }

    lun_dav_say(a->r, &a->out, LUN_STR("</D:prop><D:status>HTTP/1.1 200 OK"
                                       "</D:status></D:propstat>"));

    if (have == a->count) {
        return;
    }

    lun_dav_say(a->r, &a->out, LUN_STR("<D:propstat><D:prop>"));

    for (i = 0; i < a->count; i++) {
        if (missing[i]) {
            tell_empty(a, &a->props[i]);
        }
    }

    lun_dav_say(a->r, &a->out, LUN_STR("</D:prop><D:status>HTTP/1.1 404 Not "
                                       "Found</D:status></D:propstat>"));
}


static void
tell_subject(answer *a, const subject *s)
{
    lun_buf  *b, **from = a->out.tail;

    lun_dav_say(a->r, &a->out, lun_pool_fmt(a->r->pool, "<D:response><D:href>"
                "%.*s</D:href>",
                LUN_S(lun_dav_href(a->r, s->uri, s->info->is_dir))));

    if (a->all || a->names) {
        tell_all(a, s);

    } else {
        tell_asked(a, s);
    }

    lun_dav_say(a->r, &a->out, LUN_STR("</D:response>\n"));

    for (b = *from; b != NULL; b = b->next) {
        a->said += (size_t) lun_buf_size(b);
    }
}


/* --- what is asked ------------------------------------------------------- */

static bool
add_prop(answer *a, const lun_dav_xml *x)
{
    a->len += x->ns.len + x->name.len;

    if (a->count == PROPS_MOST || a->len > NAMES_MOST) {
        return false;
    }

    a->props[a->count++] = (prop) { x->ns, x->name };
    return true;
}


/* Of <prop> in a document whose root is that, at that depth; false: bad. */
static bool
read_props(answer *a, lun_str text, const char *root, unsigned depth)
{
    bool               inside = false;
    lun_dav_xml        x;
    lun_dav_xml_event  e;

    lun_dav_xml_init(&x, text);

    while ((e = lun_dav_xml_next(&x)) != LUN_DAV_XML_END) {
        if (e == LUN_DAV_XML_BAD
            || (e == LUN_DAV_XML_OPEN && x.depth == 1
                && !lun_dav_xml_is(&x, root)))
        {
            return false;
        }

        if (e != LUN_DAV_XML_OPEN) {
            continue;
        }

        if (x.depth == depth) {
            inside = lun_dav_xml_is(&x, "prop");
            a->all |= lun_dav_xml_is(&x, "allprop");
            a->names |= lun_dav_xml_is(&x, "propname");

        } else if (x.depth == depth + 1 && inside && !add_prop(a, &x)) {
            return false;
        }
    }

    return true;
}


static void
begin_answer(answer *a)
{
    lun_chain_init(&a->out);
    lun_dav_say(a->r, &a->out, LUN_STR(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<D:multistatus xmlns:D=\"DAV:\">\n"));
}


static lun_verdict
end_answer(answer *a)
{
    lun_dav_say(a->r, &a->out, LUN_STR("</D:multistatus>\n"));
    return lun_dav_answer(a->r, 207, &a->out);
}


/* --- PROPFIND ------------------------------------------------------------ */

static bool
on_name(void *data, const char *name, bool is_dir)
{
    answer         *a = data;
    lun_request    *r = a->r;
    lun_safe_path   c = *a->folder;
    lun_file_info   info;

    c.path = lun_pool_fmt(r->pool, "%.*s%s%c", LUN_S(a->folder->path), name,
                          '\0');
    c.path.len--;

    /* It may be gone, or a link that may not be followed. */
    if (lun_safe_stat(&c, &info) == 0) {
        tell_subject(a, &(subject) {
            .uri = lun_pool_fmt(r->pool, "%.*s%s%s", LUN_S(r->uri),
                                lun_uri_is_folder(r->uri) ? "" : "/", name),
            .path = c.path, .info = &info
        });
    }

    return a->said < ANSWER_MOST;
}


/*
 * A listing is made in memory: how large it may become is checked while names
 * come, and said at the end.
 */
static lun_verdict
tell_tree(answer *a, lun_safe_path *c, lun_dav_depth_word depth)
{
    lun_err        err;
    lun_verdict    v;
    lun_file_info  info;

    lun_dav_cut_slash(a->r, c);
    err = lun_safe_stat(c, &info);

    if (err != 0) {
        return lun_dav_failure(a->r, err, 404, "lstat()", c->path);
    }

    begin_answer(a);
    tell_subject(a, &(subject) { a->r->uri, c->path, &info });

    if (info.is_dir && depth == LUN_DAV_DEPTH_ONE) {
        c->path = lun_pool_fmt(a->r->pool, "%.*s/%c", LUN_S(c->path), '\0');
        c->path.len--;
        a->folder = c;
        v = lun_file_list(a->r, c, on_name, a);

        if (v != LUN_NEXT) {
            return v;
        }

        if (a->said >= ANSWER_MOST) {
            return lun_dav_refuse(a->r, 507, "PROPFIND of too large a folder");
        }
    }

    return end_answer(a);
}


lun_verdict
lun_dav_propfind(lun_request *r)
{
    answer              *a = lun_pool_new(r->pool, answer);
    lun_str              text;
    lun_verdict          v;
    lun_safe_path        c;
    lun_dav_depth_word   depth = lun_dav_depth(r, LUN_DAV_DEPTH_INFINITY);

    a->r = r;

    if (depth == LUN_DAV_DEPTH_BAD) {
        return LUN_STATUS + 400;
    }

    if (depth == LUN_DAV_DEPTH_INFINITY) {
        return lun_dav_refuse(r, 403, "PROPFIND of all that is below is not "
                              "done: \"Depth\" is to be 0 or 1");
    }

    if (!lun_dav_body(r, &text)) {
        return LUN_STATUS + 413;
    }

    if (text.len == 0) {
        a->all = true;

    } else if (!read_props(a, text, "propfind", 2)) {
        return lun_dav_refuse(r, 400, "client sent invalid XML to PROPFIND");
    }

    v = lun_http_file_path(r, &c);
    return v == LUN_NEXT ? tell_tree(a, &c, depth) : v;
}


/* --- PROPPATCH ----------------------------------------------------------- */

/* Each is refused: the file system keeps none of them. */
lun_verdict
lun_dav_proppatch(lun_request *r)
{
    size_t          i;
    answer         *a = lun_pool_new(r->pool, answer);
    lun_str         text;
    lun_err         err;
    lun_verdict     v;
    lun_safe_path   c;
    lun_file_info   info;

    a->r = r;

    if (!lun_dav_body(r, &text)) {
        return LUN_STATUS + 413;
    }

    if (!read_props(a, text, "propertyupdate", 3) || a->count == 0) {
        return lun_dav_refuse(r, 400, "client sent invalid XML to PROPPATCH");
    }

    v = lun_http_file_path(r, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    lun_dav_cut_slash(r, &c);
    err = lun_safe_stat(&c, &info);

    if (err != 0) {
        return lun_dav_failure(r, err, 404, "lstat()", c.path);
    }

    v = lun_dav_may_change(r, c.path, 0);

    if (v != LUN_NEXT) {
        return v;
    }

    begin_answer(a);
    lun_dav_say(r, &a->out, lun_pool_fmt(r->pool, "<D:response><D:href>%.*s"
                "</D:href><D:propstat><D:prop>",
                LUN_S(lun_dav_href(r, r->uri, info.is_dir))));

    for (i = 0; i < a->count; i++) {
        tell_empty(a, &a->props[i]);
    }

    lun_dav_say(r, &a->out, LUN_STR("</D:prop><D:status>HTTP/1.1 403 Forbidden"
                                    "</D:status></D:propstat></D:response>\n"));
    return end_answer(a);
}
