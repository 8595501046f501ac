/*
 * autoindex.c -- a list of a folder that has no index file.
 *
 *     autoindex on;
 *     autoindex_format json;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include <stdlib.h>

#include "base/escape.h"
#include "format/uri.h"
#include "http/conf/core_conf.h"
#include "http/file/file_serve.h"


enum {
    NAME_ROOM     = 50,            /* characters of a name that are shown */
    EXACT         = 19,            /* of a size */
    ROUGH         = 7,
    CALLBACK_MOST = 128            /* bytes of the function that jsonp calls */
};

typedef enum {
    FORMAT_HTML,
    FORMAT_XML,
    FORMAT_JSON,
    FORMAT_JSONP
} list_format;

typedef struct {
    bool       on;
    int        format;             /* list_format */
    bool       local_time;
    bool       exact_size;
} autoindex_conf;

typedef struct {
    lun_str        name;
    lun_file_info  info;
} item;

typedef struct {
    lun_pool             *pool;
    const lun_safe_path  *folder;  /* its path ends with a slash */
    lun_array             items;
} listing;

extern lun_http_module  lun_http_autoindex;


static bool
on_name(void *data, const char *name, bool is_dir)
{
    item     *one;
    lun_str   path;
    listing  *l = data;

    if (name[0] == '.') {
        return true;
    }

    one = lun_array_push(&l->items);
    one->name = lun_str_z(name);
    one->name = lun_str_of(lun_pool_strz(l->pool, one->name), one->name.len);
    path = lun_pool_fmt(l->pool, "%.*s%s", LUN_S(l->folder->path), name);

    /* It may be gone, or a link that leads nowhere. */
    if (lun_file_stat_under(l->folder->native, path.data, &one->info) != 0) {
        one->info = (lun_file_info) { 0 };
        one->info.is_dir = is_dir;
    }

    return true;
}


/* Folders first, then by name. */
static int
by_name(const void *a, const void *b)
{
    const item  *x = a, *y = b;

    if (x->info.is_dir != y->info.is_dir) {
        return x->info.is_dir ? -1 : 1;
    }

    return lun_str_cmp(x->name, y->name);
}


static lun_str
link_to(lun_request *r, lun_str name)
{
    char  *text;

    text = lun_pool_text(r->pool,
                         lun_uri_escaped_len(name, LUN_ESCAPE_COMPONENT));

    return lun_str_of(text, (size_t) (lun_uri_escape(text, name,
                                                     LUN_ESCAPE_COMPONENT)
                                      - text));
}


/* Bytes, or whole kilo-, mega- and gigabytes where few digits are wanted. */
static lun_str
size_of(lun_request *r, const autoindex_conf *conf, const item *one)
{
    size_t   i;
    int64_t  size = one->info.size;

    static const struct {
        int64_t  most;             /* of the unit below */
        int64_t  bytes;
        char     letter;
    } units[] = {
        { (1 << 30) - 1, 1 << 30, 'G' },
        { (1 << 20) - 1, 1 << 20, 'M' },
        { 9999, 1 << 10, 'K' }
    };

    if (one->info.is_dir) {
        return LUN_STR("-");
    }

    for (i = 0; !conf->exact_size && i < LUN_ARRAY_LEN(units); i++) {
        if (size > units[i].most) {
            size = size / units[i].bytes
                   + (size % units[i].bytes >= units[i].bytes / 2);
            return lun_pool_fmt(r->pool, "%" PRId64 "%c", size,
                                units[i].letter);
        }
    }

    /* The place of a letter stays free. */
    return lun_pool_fmt(r->pool, conf->exact_size ? "%" PRId64
                                                  : " %6" PRId64, size);
}


/* --- a page --------------------------------------------------------------- */

/*
 * A name of so many characters, or its beginning and "..>", and what makes it
 * as wide as all others.
 */
static lun_str
name_column(lun_request *r, const item *one)
{
    size_t       i, count = 0, cut = one->name.len;
    const char  *slash = "";

    for (i = 0; i < one->name.len; i++) {
        if (((unsigned char) one->name.data[i] & 0xc0) == 0x80) {
            continue;              /* inside a character */
        }

        if (count++ == NAME_ROOM - 3) {
            cut = i;
        }
    }

    if (count > NAME_ROOM) {
        return lun_pool_fmt(r->pool, "%.*s..&gt;</a>",
            LUN_S(lun_escape_html_new(r->pool, lun_str_of(one->name.data,
                                                          cut))));
    }

    if (one->info.is_dir && count < NAME_ROOM) {
        slash = "/";
        count++;
    }

    return lun_pool_fmt(r->pool, "%.*s%s</a>%*s",
                        LUN_S(lun_escape_html_new(r->pool, one->name)),
                        slash, (int) (NAME_ROOM - count), "");
}


static lun_str
line_of(lun_request *r, const autoindex_conf *conf, const item *one)
{
    int64_t                   sec = one->info.mtime;
    lun_str                   size = size_of(r, conf, one);
    lun_date                  d;
    static const char *const  months[] = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct",
        "Nov", "Dec"
    };

    if (conf->local_time) {
        sec += lun_time_zone(sec) * 60;
    }

    lun_date_of(sec, &d);

    return lun_pool_fmt(r->pool, "<a href=\"%.*s%s\">%.*s "
                        "%02d-%s-%04d %02d:%02d %*.*s\r\n",
                        LUN_S(link_to(r, one->name)),
                        one->info.is_dir ? "/" : "",
                        LUN_S(name_column(r, one)),
                        d.day, months[d.month - 1], d.year, d.hour, d.minute,
                        conf->exact_size ? EXACT : ROUGH, LUN_S(size));
}


static lun_str
page_head(lun_request *r)
{
    lun_str  uri = lun_escape_html_new(r->pool, r->uri);

    return lun_pool_fmt(r->pool, "<html>\r\n<head><title>Index of %.*s"
                        "</title></head>\r\n<body>\r\n<h1>Index of %.*s</h1>"
                        "<hr><pre><a href=\"../\">../</a>\r\n",
                        LUN_S(uri), LUN_S(uri));
}


/* --- for programs --------------------------------------------------------- */

static const char *
type_of(const item *one)
{
    return one->info.is_dir ? "directory" : one->info.is_file ? "file"
                                                              : "other";
}


static lun_str
json_of(lun_request *r, const item *one, bool last)
{
    char     date[LUN_HTTP_DATE];
    lun_str  size = LUN_STR("");

    (void) lun_clock_http_date(date, one->info.mtime);

    if (one->info.is_file) {
        size = lun_pool_fmt(r->pool, ", \"size\":%" PRId64, one->info.size);
    }

    return lun_pool_fmt(r->pool, "{ \"name\":\"%.*s\", \"type\":\"%s\", "
                        "\"mtime\":\"%.*s\"%.*s }%s\r\n",
                        LUN_S(lun_escape_json_new(r->pool, one->name)),
                        type_of(one), (int) sizeof(date), date, LUN_S(size),
                        last ? "" : ",");
}


static lun_str
xml_of(lun_request *r, const item *one)
{
    lun_str   size = LUN_STR("");
    lun_date  d;

    lun_date_of(one->info.mtime, &d);

    if (one->info.is_file) {
        size = lun_pool_fmt(r->pool, " size=\"%" PRId64 "\"", one->info.size);
    }

    return lun_pool_fmt(r->pool, "<%s mtime=\"%04d-%02d-%02dT%02d:%02d:%02dZ\""
                        "%.*s>%.*s</%s>\r\n", type_of(one), d.year, d.month,
                        d.day, d.hour, d.minute, d.second, LUN_S(size),
                        LUN_S(lun_escape_html_new(r->pool, one->name)),
                        type_of(one));
}


/* The function that a page wants to be called; empty: none. */
static lun_str
callback_of(lun_request *r)
{
    const lun_value  *v = lun_var_get_named(&r->session,
                                            LUN_STR("arg_callback"));

    return v != NULL && !v->not_found ? v->text : LUN_STR("");
}


/* Whatever else it has would run in the page of another site. */
static bool
is_callback(const lun_request *r, lun_str name)
{
    char    c;
    size_t  i;

    if (name.len > CALLBACK_MOST) {
        lun_log(LUN_LOG_INFO, r->log, 0, "client sent too long callback name: "
                "\"%.*s\"", LUN_S(name));
        return false;
    }

    for (i = 0; i < name.len; i++) {
        c = lun_lower(name.data[i]);

        if (!(c >= 'a' && c <= 'z') && !lun_is_digit(c) && c != '_'
            && c != '.')
        {
            lun_log(LUN_LOG_INFO, r->log, 0, "client sent invalid callback "
                    "name: \"%.*s\"", LUN_S(name));
            return false;
        }
    }

    return true;
}


/* --- the list ------------------------------------------------------------- */

typedef struct {
    lun_str  type;
    lun_str  head;
    lun_str  tail;
} frame;


static frame
frame_of(lun_request *r, list_format format)
{
    frame    f = { .type = LUN_STR("text/html") };
    lun_str  callback;

    switch (format) {

    case FORMAT_HTML:
        f.head = page_head(r);
        f.tail = LUN_STR("</pre><hr></body>\r\n</html>\r\n");
        break;

    case FORMAT_XML:
        f.type = LUN_STR("text/xml");
        f.head = LUN_STR("<?xml version=\"1.0\"?>\r\n<list>\r\n");
        f.tail = LUN_STR("</list>\r\n");
        r->out.charset = LUN_STR("utf-8");
        break;

    case FORMAT_JSONP:
        callback = callback_of(r);

        if (callback.len != 0) {
            f.type = LUN_STR("application/javascript");
            f.head = lun_pool_fmt(r->pool, "/* callback */\r\n%.*s([\r\n",
                                  LUN_S(callback));
            f.tail = LUN_STR("]);");
            break;
        }

        /* fall through */

    case FORMAT_JSON:
        f.type = LUN_STR("application/json");
        f.head = LUN_STR("[\r\n");
        f.tail = LUN_STR("]");
        break;
    }

    return f;
}


static lun_str
entry_of(lun_request *r, const autoindex_conf *conf, const listing *l, size_t i)
{
    const item  *one = lun_array_at(&l->items, i);

    switch ((list_format) conf->format) {

    case FORMAT_XML:
        return xml_of(r, one);

    case FORMAT_JSON:
    case FORMAT_JSONP:
        return json_of(r, one, i + 1 == l->items.count);

    default:
        return line_of(r, conf, one);
    }
}


static lun_verdict
send_list(lun_request *r, const autoindex_conf *conf, const listing *l)
{
    char     *text, *p;
    frame     f = frame_of(r, (list_format) conf->format);
    size_t    i, len = f.head.len + f.tail.len;
    lun_str  *lines;

    lines = lun_pool_alloc(r->pool, (l->items.count + 1) * sizeof(lun_str));

    for (i = 0; i < l->items.count; i++) {
        lines[i] = entry_of(r, conf, l, i);
        len += lines[i].len;
    }

    p = text = lun_pool_text(r->pool, len);
    p = lun_copy_str(p, f.head);

    for (i = 0; i < l->items.count; i++) {
        p = lun_copy_str(p, lines[i]);
    }

    (void) lun_copy_str(p, f.tail);
    return lun_http_respond(r, 200, f.type, lun_str_of(text, len));
}


/*
 * JSONP's callback is written into the answer: it has to be a name, or any
 * script could be put there.
 */
static lun_verdict
on_content(lun_session *s)
{
    lun_request           *r = lun_request_of(s);
    listing                l;
    lun_safe_path          c;
    lun_verdict            v;
    const autoindex_conf  *conf = lun_http_conf(r, &lun_http_autoindex);

    if (!conf->on || !lun_uri_is_folder(r->uri)
        || (r->method & (LUN_GET | LUN_HEAD)) == 0)
    {
        return LUN_NEXT;
    }

    if (conf->format == FORMAT_JSONP && !is_callback(r, callback_of(r))) {
        return LUN_STATUS + 400;
    }

    v = lun_http_file_path(r, &c);

    if (v != LUN_NEXT) {
        return v;
    }

    l.pool = r->pool;
    l.folder = &c;
    lun_array_init(&l.items, r->pool, sizeof(item), 32);
    v = lun_file_list(r, &c, on_name, &l);

    if (v != LUN_NEXT) {
        return v;
    }

    if (l.items.count > 1) {
        qsort(l.items.items, l.items.count, sizeof(item), by_name);
    }

    return send_list(r, conf, &l);
}


static const lun_enum  formats[] = {
    { "html", FORMAT_HTML },
    { "xml", FORMAT_XML },
    { "json", FORMAT_JSON },
    { "jsonp", FORMAT_JSONP },
    { NULL, 0 }
};

static const lun_directive  directives[] = {
    { .name = "autoindex", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(autoindex_conf, on), .fallback = "off",
      .help = "lists folders that have no index" },
    { .name = "autoindex_format", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_enum, LUN_FIELD(autoindex_conf, format), .data = formats,
      .fallback = "html",
      .help = "how a list looks: html, or xml, json, jsonp for programs" },
    { .name = "autoindex_localtime", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(autoindex_conf, local_time),
      .fallback = "off",
      .help = "shows local time" },
    { .name = "autoindex_exact_size", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(autoindex_conf, exact_size),
      .fallback = "on",
      .help = "shows sizes in bytes" },
    { 0 }
};

lun_http_module  lun_http_autoindex = {
    .name = "autoindex",
    .directives = directives,
    .conf_size = sizeof(autoindex_conf),
    .on[LUN_CONTENT] = on_content,
};
