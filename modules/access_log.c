/*
 * access_log.c -- a line per request.
 *
 *     log_format main escape=json '{"uri":"$uri","status":$status}';
 *     access_log logs/access.log main buffer=32k flush=5s if=$loggable;
 *     access_log off;
 *
 * A format is a list of pieces, run into one line; a file is written at once,
 * or through a buffer that is full or `flush` old.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "net/timer.h"
#include "os/file.h"
#include "os/path.h"


typedef enum {
    ESCAPE_DEFAULT,
    ESCAPE_JSON,
    ESCAPE_NONE
} escape_kind;

typedef struct {
    unsigned      index;           /* of a variable; 0: text */
    lun_str       text;
} piece;

typedef struct {
    lun_str       name;
    lun_array     pieces;
    escape_kind   escape;
} log_format;

/* A file that is written through a buffer. */
typedef struct {
    lun_timer     timer;
    lun_msec      limit;
    lun_log_file *file;
} flusher;

typedef struct {
    lun_log_file     *file;        /* NULL: the path has variables */
    lun_script       *path;
    const log_format *format;
    lun_script       *filter;      /* if= */
    flusher          *flusher;
} access_log;

/* What one level says: nothing at all is `off`. */
typedef struct {
    lun_array     logs;            /* of access_log */
    bool          off;
} log_list;

typedef struct {
    log_list     *list;
} log_conf;

/* Per generation. */
typedef struct {
    lun_array     formats;         /* of log_format * */
    lun_hash      flushers;        /* by the file's path */
} log_main;

extern lun_http_module  lun_http_access_log;

static const lun_str  combined = LUN_STR_INIT(
    "$remote_addr - $remote_user [$time_local] \"$request\" "
    "$status $body_bytes_sent \"$http_referer\" \"$http_user_agent\"");

static const lun_str  default_path = LUN_STR_INIT("logs/access.log");


/* --- escaping ------------------------------------------------------------ */

static const char  hex_upper[] = "0123456789ABCDEF";
static const char  hex_lower[] = "0123456789abcdef";


static size_t
default_len(lun_str s)
{
    size_t         i, n = s.len;
    unsigned char  c;

    for (i = 0; i < s.len; i++) {
        c = (unsigned char) s.data[i];

        if (c < ' ' || c > 0x7e || c == '"' || c == '\\') {
            n += 3;
        }
    }

    return n;
}


static char *
put_default(char *p, lun_str s)
{
    size_t         i;
    unsigned char  c;

    for (i = 0; i < s.len; i++) {
        c = (unsigned char) s.data[i];

        if (c < ' ' || c > 0x7e || c == '"' || c == '\\') {
            *p++ = '\\';
            *p++ = 'x';
            *p++ = hex_upper[c >> 4];
            *p++ = hex_upper[c & 15];

        } else {
            *p++ = (char) c;
        }
    }

    return p;
}


static char
json_letter(char c)
{
    switch (c) {

    case '\n':
        return 'n';

    case '\r':
        return 'r';

    case '\t':
        return 't';

    case '\b':
        return 'b';

    case '\f':
        return 'f';

    case '"':
    case '\\':
        return c;

    default:
        return '\0';
    }
}


static size_t
json_len(lun_str s)
{
    size_t  i, n = s.len;

    for (i = 0; i < s.len; i++) {
        if (json_letter(s.data[i]) != '\0') {
            n++;

        } else if ((unsigned char) s.data[i] < ' ') {
            n += 5;
        }
    }

    return n;
}


static char *
put_json(char *p, lun_str s)
{
    char    letter;
    size_t  i;

    for (i = 0; i < s.len; i++) {
        letter = json_letter(s.data[i]);

        if (letter != '\0') {
            *p++ = '\\';
            *p++ = letter;

        } else if ((unsigned char) s.data[i] < ' ') {
            p = lun_copy_str(p, LUN_STR("\\u00"));
            *p++ = hex_lower[(unsigned char) s.data[i] >> 4];
            *p++ = hex_lower[s.data[i] & 15];

        } else {
            *p++ = s.data[i];
        }
    }

    return p;
}


static size_t
escaped_len(lun_str s, escape_kind kind)
{
    switch (kind) {

    case ESCAPE_DEFAULT:
        return default_len(s);

    case ESCAPE_JSON:
        return json_len(s);

    default:
        return s.len;
    }
}


static char *
put_escaped(char *p, lun_str s, size_t len, escape_kind kind)
{
    if (len == s.len) {
        return lun_copy_str(p, s);
    }

    return kind == ESCAPE_JSON ? put_json(p, s) : put_default(p, s);
}


/* --- a line -------------------------------------------------------------- */

typedef struct {
    lun_str  text;
    size_t   len;
} part;


static part
part_of(lun_request *r, const piece *p, escape_kind kind)
{
    part              out;
    const lun_value  *v;

    if (p->index == 0) {
        return (part) { p->text, p->text.len };
    }

    v = lun_var_get_fresh(r, p->index);

    if (v->not_found) {
        out.text = kind == ESCAPE_DEFAULT ? LUN_STR("-") : LUN_STR("");
        out.len = out.text.len;

    } else {
        out.text = v->text;
        out.len = escaped_len(v->text, kind);
    }

    return out;
}


static lun_str
make_line(lun_request *r, const log_format *f)
{
    char          *start, *p;
    part          *parts;
    size_t         i, len = 1;
    const piece   *pieces = f->pieces.items;

    parts = lun_pool_alloc(r->pool, f->pieces.count * sizeof(part));

    for (i = 0; i < f->pieces.count; i++) {
        parts[i] = part_of(r, &pieces[i], f->escape);
        len += parts[i].len;
    }

    p = start = lun_pool_text(r->pool, len);

    for (i = 0; i < f->pieces.count; i++) {
        p = pieces[i].index == 0
            ? lun_copy_str(p, parts[i].text)
            : put_escaped(p, parts[i].text, parts[i].len, f->escape);
    }

    *p++ = '\n';
    return lun_str_of(start, (size_t) (p - start));
}


/* --- writing ------------------------------------------------------------- */

static void
on_flush(lun_timer *timer)
{
    flusher  *f = lun_container_of(timer, flusher, timer);

    lun_log_file_flush(f->file);
}


static bool
is_bad_path(lun_str path)
{
    if (lun_path_native == LUN_PATH_WINDOWS && path.len > 1
        && path.data[1] == ':')
    {
        path.data += 2;
        path.len -= 2;
    }

    switch (lun_path_judge(path, lun_path_native)) {

    case LUN_PATH_FINE:
    case LUN_PATH_TILDE:
        return false;

    default:
        return true;
    }
}


/* A path that is another for each request: opened for one line. */
static void
write_to_path(lun_request *r, const access_log *log, lun_str line)
{
    lun_fd   fd;
    lun_err  err;
    lun_str  path;

    path = lun_path_full(r->pool, lun_http_generation(r)->prefix,
                         lun_script_run(r, log->path));

    if (path.len == 0 || is_bad_path(path)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "access log path \"%.*s\" is not "
                "a possible one", LUN_S(path));
        return;
    }

    err = lun_file_open(path.data, LUN_FILE_WRITE | LUN_FILE_APPEND
                        | LUN_FILE_CREATE, 0644, &fd);
    if (err != 0) {
        lun_log(LUN_LOG_CRIT, r->log, err, "open() \"%s\" failed",
                path.data);
        return;
    }

    (void) lun_file_write(fd, line.data, line.len, 0);
    lun_file_close(fd);
}


static void
write_line(lun_request *r, const access_log *log, lun_str line)
{
    flusher  *f = log->flusher;

    if (log->file == NULL) {
        write_to_path(r, log, line);
        return;
    }

    lun_log_file_write(log->file, line.data, line.len);

    if (f != NULL && log->file->buf_used != 0 && !lun_timer_runs(&f->timer)) {
        f->timer.idle = true;
        lun_timer_start(&f->timer, f->limit, on_flush);
    }
}


static lun_verdict
on_log(lun_request *r)
{
    size_t             i;
    const log_conf    *conf = lun_http_conf(r, &lun_http_access_log);
    const access_log  *log;

    if (conf->list->off) {
        return LUN_NEXT;
    }

    for (i = 0; i < conf->list->logs.count; i++) {
        log = lun_array_at(&conf->list->logs, i);

        if (log->filter == NULL
            || lun_http_true(lun_script_run(r, log->filter)))
        {
            write_line(r, log, make_line(r, log->format));
        }
    }

    return LUN_NEXT;
}


/* --- log_format ---------------------------------------------------------- */

static bool
is_name_char(char c)
{
    return (lun_lower(c) >= 'a' && lun_lower(c) <= 'z') || lun_is_digit(c)
           || c == '_';
}


/* "text $name ${name}": as scripts have it, but without $1. */
static lun_rc
add_pieces(lun_conf *cf, log_format *f, lun_str text)
{
    bool         braces;
    piece       *next;
    const char  *p, *end, *start;

    end = text.data + text.len;

    for (p = text.data; p != end; ) {
        next = lun_array_push(&f->pieces);
        start = p;

        if (*p != '$') {
            while (p != end && *p != '$') {
                p++;
            }

            next->text = lun_str_of(start, (size_t) (p - start));
            continue;
        }

        braces = ++p != end && *p == '{';
        start = p += braces;

        while (p != end && is_name_char(*p)) {
            p++;
        }

        if (p == start || (braces && (p == end || *p != '}'))) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(text));
        }

        next->index = lun_var_index(cf, lun_str_of(start,
                                                   (size_t) (p - start)));
        if (next->index == 0) {
            return LUN_ERROR;
        }

        p += braces;
    }

    return LUN_OK;
}


static log_main *
main_of(lun_conf *cf)
{
    log_main  *m = lun_http_gen_data(cf->gen, &lun_http_access_log);

    if (m == NULL) {
        m = lun_pool_new(cf->pool, log_main);
        lun_array_init(&m->formats, cf->pool, sizeof(log_format *), 2);
        lun_hash_init(&m->flushers, cf->pool, 0, false);
        lun_http_set_gen_data(cf->gen, &lun_http_access_log, m);
    }

    return m;
}


static log_format *
find_format(const log_main *m, lun_str name)
{
    size_t       i;
    log_format  *f;

    for (i = 0; i < m->formats.count; i++) {
        f = *(log_format **) lun_array_at(&m->formats, i);

        if (lun_str_eq(f->name, name)) {
            return f;
        }
    }

    return NULL;
}


static log_format *
new_format(lun_conf *cf, log_main *m, lun_str name)
{
    log_format  *f = lun_pool_new(cf->pool, log_format);

    f->name = name;
    lun_array_init(&f->pieces, cf->pool, sizeof(piece), 8);
    *(log_format **) lun_array_push(&m->formats) = f;

    return f;
}


static lun_rc
read_escape(lun_conf *cf, log_format *f, lun_str word)
{
    if (lun_str_eq(word, LUN_STR("json"))) {
        f->escape = ESCAPE_JSON;

    } else if (lun_str_eq(word, LUN_STR("none"))) {
        f->escape = ESCAPE_NONE;

    } else if (!lun_str_eq(word, LUN_STR("default"))) {
        return lun_conf_fail(cf, "unknown log format escaping \"%.*s\"",
                             LUN_S(word));
    }

    return LUN_OK;
}


static lun_rc
set_format(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t       i = 2;
    lun_str      word;
    log_main    *m = main_of(cf);
    log_format  *f;

    (void) d;
    (void) conf;

    if (find_format(m, cf->args[1]) != NULL
        || lun_str_eq(cf->args[1], LUN_STR("combined")))
    {
        return lun_conf_fail(cf, "duplicate \"log_format\" name \"%.*s\"",
                             LUN_S(cf->args[1]));
    }

    f = new_format(cf, m, cf->args[1]);

    if (lun_str_starts(cf->args[2], LUN_STR("escape="))) {
        word = cf->args[i++];

        if (read_escape(cf, f, lun_str_of(word.data + 7, word.len - 7))
            != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    for ( ; i < cf->argc; i++) {
        if (add_pieces(cf, f, cf->args[i]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static const log_format *
format_of(lun_conf *cf, lun_str name)
{
    log_main    *m = main_of(cf);
    log_format  *f = find_format(m, name);

    if (f != NULL) {
        return f;
    }

    if (!lun_str_eq(name, LUN_STR("combined"))) {
        (void) lun_conf_fail(cf, "unknown log format \"%.*s\"", LUN_S(name));
        return NULL;
    }

    f = new_format(cf, m, name);
    return add_pieces(cf, f, combined) == LUN_OK ? f : NULL;
}


/* --- access_log ---------------------------------------------------------- */

/* What stands behind the format. */
typedef struct {
    size_t    buffer;
    lun_msec  flush;
} options;


static lun_rc
bad(lun_conf *cf, const char *what, lun_str value)
{
    return lun_conf_fail(cf, "invalid %s \"%.*s\"", what, LUN_S(value));
}


static lun_rc
read_option(lun_conf *cf, lun_str word, access_log *log, options *o)
{
    lun_str   value;
    uint64_t  n;

    value = lun_str_chr(word, '=') != NULL
            ? lun_str_of(lun_str_chr(word, '=') + 1, word.len - 1
                         - (size_t) (lun_str_chr(word, '=') - word.data))
            : LUN_STR_NULL;

    if (lun_str_starts(word, LUN_STR("buffer="))) {
        if (lun_str_to_size(value, &n) != LUN_OK || n == 0) {
            return bad(cf, "buffer size", value);
        }

        o->buffer = (size_t) n;
        return LUN_OK;
    }

    if (lun_str_starts(word, LUN_STR("flush="))) {
        return lun_str_to_msec(value, &o->flush) == LUN_OK && o->flush != 0
               ? LUN_OK : bad(cf, "flush time", value);
    }

    if (lun_str_starts(word, LUN_STR("if="))) {
        log->filter = lun_script_new(cf, value);
        return log->filter != NULL ? LUN_OK : LUN_ERROR;
    }

    if (lun_str_eq(word, LUN_STR("gzip"))
        || lun_str_starts(word, LUN_STR("gzip=")))
    {
        if (value.data != NULL
            && (lun_str_to_u64(value, &n) != LUN_OK || n < 1 || n > 9))
        {
            return bad(cf, "compression level", value);
        }

        o->buffer = o->buffer != 0 ? o->buffer : 64 * 1024;
        return LUN_OK;
    }

    return bad(cf, "parameter", word);
}


static lun_rc
use_buffer(lun_conf *cf, access_log *log, const options *o)
{
    flusher   *f;
    log_main  *m = main_of(cf);

    if (o->flush != 0 && o->buffer == 0) {
        return lun_conf_fail(cf, "no buffer is defined for access_log "
                             "\"%.*s\"", LUN_S(cf->args[1]));
    }

    if (o->buffer == 0) {
        return LUN_OK;
    }

    if (log->file == NULL) {
        return lun_conf_fail(cf, "buffered logs cannot have variables in "
                             "name");
    }

    f = lun_hash_get(&m->flushers, log->file->path);

    if (log->file->buf != NULL
        && (log->file->buf_size != o->buffer
            || (f != NULL ? f->limit : 0) != o->flush))
    {
        return lun_conf_fail(cf, "access_log \"%.*s\" already defined with "
                             "conflicting parameters", LUN_S(cf->args[1]));
    }

    if (log->file->buf == NULL) {
        log->file->buf = lun_pool_alloc(cf->pool, o->buffer);
        log->file->buf_size = o->buffer;
    }

    if (f == NULL && o->flush != 0) {
        f = lun_pool_new(cf->pool, flusher);
        f->file = log->file;
        f->limit = o->flush;
        lun_hash_add(&m->flushers, f->file->path, f);
    }

    log->flusher = f;
    return LUN_OK;
}


static lun_rc
use_path(lun_conf *cf, access_log *log, lun_str path)
{
    if (lun_str_starts(path, LUN_STR("syslog:"))) {
        return lun_conf_fail(cf, "syslog is not supported in \"access_log\"");
    }

    if (lun_script_has_variables(path)) {
        log->path = lun_script_new(cf, path);
        return log->path != NULL ? LUN_OK : LUN_ERROR;
    }

    if (!lun_str_eq(path, LUN_STR("stderr"))) {
        path = lun_conf_path(cf, path, false);
    }

    log->file = lun_log_file_want(cf->gen, path);
    return LUN_OK;
}


static log_list *
list_of(lun_conf *cf, log_conf *conf)
{
    if (conf->list == NULL) {
        conf->list = lun_pool_new(cf->pool, log_list);
        lun_array_init(&conf->list->logs, cf->pool, sizeof(access_log), 1);
    }

    return conf->list;
}


static lun_rc
set_log(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t       i;
    options      o = { 0 };
    log_list    *list = list_of(cf, data);
    access_log  *log;

    (void) d;

    if (lun_str_eq(cf->args[1], LUN_STR("off"))) {
        list->off = true;
        return cf->argc == 2 ? LUN_OK
                             : bad(cf, "parameter", cf->args[2]);
    }

    log = lun_array_push(&list->logs);

    if (use_path(cf, log, cf->args[1]) != LUN_OK) {
        return LUN_ERROR;
    }

    log->format = format_of(cf, cf->argc > 2 ? cf->args[2]
                                             : LUN_STR("combined"));
    if (log->format == NULL) {
        return LUN_ERROR;
    }

    for (i = 3; i < cf->argc; i++) {
        if (read_option(cf, cf->args[i], log, &o) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return use_buffer(cf, log, &o);
}


/* The http level logs even if it does not say so. */
static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    log_list    *list;
    log_conf    *conf = data;
    access_log  *log;

    (void) parent;

    if (cf->block->where != LUN_HTTP || conf->list != NULL) {
        return LUN_OK;
    }

    list = list_of(cf, conf);
    log = lun_array_push(&list->logs);
    log->format = format_of(cf, LUN_STR("combined"));

    return log->format != NULL ? use_path(cf, log, default_path) : LUN_ERROR;
}


/* Its conf is there to be completed, whether or not the level has one. */
static lun_rc
init(lun_conf *cf)
{
    (void) lun_http_top_conf(cf, &lun_http_access_log);
    return LUN_OK;
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LOCATION_IF | LUN_LIMIT_EXCEPT };

static const lun_directive  directives[] = {
    { .name = "log_format", .where = LUN_HTTP, .args = 2,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_format },
    { .name = "access_log", .where = PLACES, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_log,
      LUN_FIELD(log_conf, list) },
    { .name = "open_log_file_cache", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = 4, .set = lun_set_ignored },
    { 0 }
};

lun_http_module  lun_http_access_log = {
    .name = "access_log",
    .directives = directives,
    .conf_size = sizeof(log_conf),
    .always = true,
    .inherited = inherited,
    .init = init,
    .on[LUN_LOG] = on_log,
};
