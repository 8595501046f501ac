/*
 * autoindex.c -- a list of a folder that has no index file.
 *
 *     autoindex on;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include <stdlib.h>

#include "base/uri.h"
#include "http/conf/core_conf.h"
#include "http/file/file_serve.h"


enum { NAME_ROOM = 50, HTML_GROWTH = 6 };

typedef struct {
    bool       on;
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


static char *
put_html(char *p, lun_str s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        switch (s.data[i]) {

        case '<':
            p = lun_copy_str(p, LUN_STR("&lt;"));
            break;

        case '>':
            p = lun_copy_str(p, LUN_STR("&gt;"));
            break;

        case '&':
            p = lun_copy_str(p, LUN_STR("&amp;"));
            break;

        case '"':
            p = lun_copy_str(p, LUN_STR("&quot;"));
            break;

        default:
            *p++ = s.data[i];
        }
    }

    return p;
}


static lun_str
html(lun_request *r, lun_str s)
{
    char  *text = lun_pool_text(r->pool, s.len * HTML_GROWTH);

    return lun_str_of(text, (size_t) (put_html(text, s) - text));
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


static lun_str
size_of(lun_request *r, const autoindex_conf *conf, const item *one)
{
    int64_t             size = one->info.size;
    size_t              unit = 0;
    static const char   units[] = " KMGT";

    if (one->info.is_dir) {
        return LUN_STR("-");
    }

    while (!conf->exact_size && size > 9999 && unit < 4) {
        size = (size + 512) / 1024;
        unit++;
    }

    return unit == 0 ? lun_pool_fmt(r->pool, "%" PRId64, size)
                     : lun_pool_fmt(r->pool, "%" PRId64 "%c", size,
                                    units[unit]);
}


static lun_str
line_of(lun_request *r, const autoindex_conf *conf, const item *one)
{
    int                       pad;
    int64_t                   sec = one->info.mtime;
    lun_date                  d;
    const char               *slash = one->info.is_dir ? "/" : "";
    static const char *const  months[] = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct",
        "Nov", "Dec"
    };

    if (conf->local_time) {
        sec += lun_time_zone(sec) * 60;
    }

    lun_date_of(sec, &d);
    pad = NAME_ROOM - (int) lun_min(one->name.len + (slash[0] != '\0'),
                                    (size_t) NAME_ROOM);

    return lun_pool_fmt(r->pool, "<a href=\"%.*s%s\">%.*s%s</a>%*s "
                        "%02d-%s-%04d %02d:%02d %19.*s\n",
                        LUN_S(link_to(r, one->name)), slash,
                        LUN_S(html(r, one->name)), slash, pad, "",
                        d.day, months[d.month - 1], d.year, d.hour, d.minute,
                        LUN_S(size_of(r, conf, one)));
}


static lun_str
page_of(lun_request *r, const autoindex_conf *conf, const listing *l)
{
    char     *text, *p;
    size_t    i, len = 0;
    lun_str   head, *lines, uri = html(r, r->uri);

    head = lun_pool_fmt(r->pool, "<html>\n<head><title>Index of %.*s</title>"
                        "</head>\n<body>\n<h1>Index of %.*s</h1><hr><pre>"
                        "<a href=\"../\">../</a>\n", LUN_S(uri), LUN_S(uri));

    lines = lun_pool_alloc(r->pool, (l->items.count + 1) * sizeof(lun_str));

    for (i = 0; i < l->items.count; i++) {
        lines[i] = line_of(r, conf, lun_array_at(&l->items, i));
        len += lines[i].len;
    }

    p = text = lun_pool_text(r->pool, head.len + len + 64);
    p = lun_copy_str(p, head);

    for (i = 0; i < l->items.count; i++) {
        p = lun_copy_str(p, lines[i]);
    }

    p = lun_copy_str(p, LUN_STR("</pre><hr></body>\n</html>\n"));
    return lun_str_of(text, (size_t) (p - text));
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request           *r = lun_request_of(s);
    listing                l;
    lun_safe_path          c;
    lun_verdict            v;
    const autoindex_conf  *conf = lun_http_conf(r, &lun_http_autoindex);

    if (!conf->on || r->uri.data[r->uri.len - 1] != '/'
        || (r->method & (LUN_GET | LUN_HEAD)) == 0)
    {
        return LUN_NEXT;
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

    return lun_http_respond(r, 200, LUN_STR("text/html"),
                            page_of(r, conf, &l));
}


static const lun_directive  directives[] = {
    { .name = "autoindex", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(autoindex_conf, on), .fallback = "off" },
    { .name = "autoindex_localtime", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(autoindex_conf, local_time),
      .fallback = "off" },
    { .name = "autoindex_exact_size", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(autoindex_conf, exact_size),
      .fallback = "on" },
    { 0 }
};

lun_http_module  lun_http_autoindex = {
    .name = "autoindex",
    .directives = directives,
    .conf_size = sizeof(autoindex_conf),
    .on[LUN_CONTENT] = on_content,
};
