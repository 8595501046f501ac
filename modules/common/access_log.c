/*
 * access_log.c -- a line per request, or session.
 *
 *     log_format main escape=json '{"uri":"$uri","status":$status}';
 *     access_log logs/access.log main buffer=32k flush=5s if=$loggable;
 *     access_log logs/access.log.gz main gzip flush=5m;
 *     access_log logs/all.log main rotate=100m rotate=1d keep=7;
 *     access_log off;
 *
 * A file is written at once, or through a buffer that is full or `flush` old.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/engine.h"

#include "modules/common/access_log_files.h"
#include "config/default_paths.h"
#include "config/log_conf.h"
#include "net/timer.h"
#include "os/file.h"
#include "session/log_format.h"


/* A file that is written through a buffer. */
typedef struct {
    lun_timer     timer;
    lun_msec      limit;
    lun_log_file *file;
} flusher;

typedef struct {
    lun_log_file     *file;        /* one of these three: a file, */
    lun_script       *path;        /* a path that has variables, */
    lun_syslog       *syslog;      /* or a server */
    const lun_log_format *format;
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
    bool          escape_foreign;  /* log_escape_non_ascii */
    lun_log_cache *files;          /* open_log_file_cache; NULL: none */
} log_conf;

/* Per engine. */
typedef struct {
    lun_array     formats;         /* of lun_log_format * */
    lun_hash      flushers;        /* by the file's path */
} log_main;

extern lun_module  lun_common_access_log;

static const lun_str  default_path = LUN_STR_INIT(LUN_ACCESS_LOG_PATH);


/* --- writing ------------------------------------------------------------- */

static void
on_flush(lun_timer *timer)
{
    flusher  *f = lun_container_of(timer, flusher, timer);

    lun_log_file_flush(f->file);
}


static bool
find_path(lun_session *s, const lun_script *script, lun_safe_path *c)
{
    const lun_protocol  *p = s->engine->protocol;

    if (p->log_path != NULL) {
        return p->log_path(s, script, c) == LUN_OK;
    }

    return lun_script_path(s, script, c) == LUN_OK
           && lun_script_path_check(s, c->path, c->from) == LUN_OK;
}


/* A path that is another for each session. */
static void
write_to_path(lun_session *s, const access_log *log, lun_log_cache *files,
    lun_str line)
{
    bool           kept;
    lun_fd         fd;
    lun_err        err;
    lun_safe_path  c;

    if (!find_path(s, log->path, &c)) {
        return;
    }

    err = lun_log_cache_open(files, &c, &fd, &kept);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, s->log, err, "%s \"%s\" failed",
                lun_safe_path_call(&c, "open()"), c.path.data);
        return;
    }

    (void) lun_file_write(fd, line.data, line.len, -1);

    if (!kept) {
        lun_file_close(fd);
    }
}


static void
write_line(lun_session *s, const access_log *log, lun_log_cache *files,
    lun_str line)
{
    flusher  *f = log->flusher;

    if (log->syslog != NULL) {
        lun_syslog_send(log->syslog, line.data, line.len - 1);
        return;
    }

    if (log->file == NULL) {
        write_to_path(s, log, files, line);
        return;
    }

    lun_log_file_write(log->file, line.data, line.len);

    if (f != NULL && log->file->buf_used != 0 && !lun_timer_runs(&f->timer)) {
        f->timer.idle = true;
        lun_timer_start(s->conn->loop, &f->timer, f->limit, on_flush);
    }
}


static lun_verdict
on_log(lun_session *s)
{
    size_t             i;
    const log_conf    *conf = lun_session_conf(s, &lun_common_access_log);
    const access_log  *log;

    if (conf->list->off) {
        return LUN_NEXT;
    }

    for (i = 0; i < conf->list->logs.count; i++) {
        log = lun_array_at(&conf->list->logs, i);

        if (log->filter == NULL
            || lun_script_true(lun_script_run(s, log->filter)))
        {
            write_line(s, log, conf->files,
                       lun_log_format_line(s, log->format,
                                           conf->escape_foreign));
        }
    }

    return LUN_NEXT;
}


/* --- log_format ---------------------------------------------------------- */

static log_main *
main_of(lun_conf *cf)
{
    log_main  *m = lun_module_data(cf->engine, &lun_common_access_log);

    if (m == NULL) {
        m = lun_pool_new(cf->pool, log_main);
        lun_array_init(&m->formats, cf->pool, sizeof(lun_log_format *), 2);
        lun_hash_init(&m->flushers, cf->pool, 0, false);
        lun_module_set_data(cf->engine, &lun_common_access_log, m);
    }

    return m;
}


static lun_log_format *
find_format(const log_main *m, lun_str name)
{
    size_t       i;
    lun_log_format  *f;

    for (i = 0; i < m->formats.count; i++) {
        f = *(lun_log_format **) lun_array_at(&m->formats, i);

        if (lun_str_eq(f->name, name)) {
            return f;
        }
    }

    return NULL;
}


static lun_log_format *
new_format(lun_conf *cf, log_main *m, lun_str name)
{
    lun_log_format  *f = lun_log_format_new(cf, name);

    *(lun_log_format **) lun_array_push(&m->formats) = f;

    return f;
}


static lun_rc
read_escape(lun_conf *cf, lun_log_format *f, lun_str word)
{
    if (lun_str_eq(word, LUN_STR("json"))) {
        f->escape = LUN_LOG_ESCAPE_JSON;

    } else if (lun_str_eq(word, LUN_STR("none"))) {
        f->escape = LUN_LOG_ESCAPE_NONE;

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
    lun_log_format  *f;

    if (find_format(m, cf->args[1]) != NULL
        || (cf->engine->protocol->combined.len != 0
            && lun_str_eq(cf->args[1], LUN_STR("combined"))))
    {
        return lun_conf_fail(cf, "duplicate \"log_format\" name \"%.*s\"",
                             LUN_S(cf->args[1]));
    }

    f = new_format(cf, m, cf->args[1]);

    if (lun_str_after(cf->args[2], LUN_STR("escape="), &word)) {
        i++;

        if (read_escape(cf, f, word) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    for ( ; i < cf->argc; i++) {
        if (lun_log_format_add(cf, f, cf->args[i]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static const lun_log_format *
format_of(lun_conf *cf, lun_str name)
{
    lun_str          combined = cf->engine->protocol->combined;
    log_main        *m = main_of(cf);
    lun_log_format  *f = find_format(m, name);

    if (f != NULL) {
        return f;
    }

    if (combined.len == 0 || !lun_str_eq(name, LUN_STR("combined"))) {
        (void) lun_conf_fail(cf, "unknown log format \"%.*s\"", LUN_S(name));
        return NULL;
    }

    f = new_format(cf, m, name);
    return lun_log_format_add(cf, f, combined) == LUN_OK ? f : NULL;
}


/* --- access_log ---------------------------------------------------------- */

/* What stands behind the format. */
typedef struct {
    size_t    buffer;
    lun_msec  flush;
    int       gzip;                /* level, 0: none */
} options;

enum { BEST_SPEED = 1 };


static lun_rc
bad(lun_conf *cf, const char *what, lun_str value)
{
    return lun_conf_fail(cf, "invalid %s \"%.*s\"", what, LUN_S(value));
}


/*
 * Rotation is no parameter of nginx's: other logs have it too, so it is read in
 * one place for all.
 */
static lun_rc
read_option(lun_conf *cf, lun_str word, access_log *log, options *o)
{
    lun_rc    rc;
    lun_str   value;
    uint64_t  n;

    if (log->syslog != NULL && !lun_str_starts(word, LUN_STR("if="))) {
        return lun_conf_fail(cf, "logs to syslog cannot be buffered");
    }

    rc = lun_conf_log_rotation(cf, log->file, word);

    if (rc != LUN_AGAIN) {
        return rc;
    }

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
        n = BEST_SPEED;

        if (value.data != NULL
            && (lun_str_to_u64(value, &n) != LUN_OK || n < 1 || n > 9))
        {
            return bad(cf, "compression level", value);
        }

        o->gzip = (int) n;
        o->buffer = o->buffer != 0 ? o->buffer : 64 * 1024;
        return LUN_OK;
    }

    return bad(cf, "parameter", word);
}


/*
 * Two logs may share a file, and then share its buffer: their parameters have
 * to be the same.
 */
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
        && (log->file->buf_size != o->buffer || log->file->gzip != o->gzip
            || (f != NULL ? f->limit : 0) != o->flush))
    {
        return lun_conf_fail(cf, "access_log \"%.*s\" already defined with "
                             "conflicting parameters", LUN_S(cf->args[1]));
    }

    if (log->file->buf == NULL) {
        log->file->buf = lun_pool_alloc(cf->pool, o->buffer);
        log->file->buf_size = o->buffer;
        log->file->gzip = o->gzip;
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
        log->syslog = lun_conf_syslog(cf, path);
        return log->syslog != NULL ? LUN_OK : LUN_ERROR;
    }

    if (lun_script_has_variables(path)) {
        log->path = lun_script_new(cf, path);
        return log->path != NULL ? LUN_OK : LUN_ERROR;
    }

    if (!lun_str_eq(path, LUN_STR("stderr"))) {
        path = lun_conf_path(cf, path, false);
    }

    log->file = lun_log_file_want(&cf->gen->logs, path);
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


/*
 * A format has to be named before any parameter, as in nginx; stream has no
 * usual one, so there it must be named in any case.
 */
static lun_rc
set_log(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t       i;
    options      o = { 0 };
    log_list    *list = list_of(cf, data);
    access_log  *log;

    if (lun_str_eq(cf->args[1], LUN_STR("off"))) {
        list->off = true;
        return cf->argc == 2 ? LUN_OK
                             : bad(cf, "parameter", cf->args[2]);
    }

    log = lun_array_push(&list->logs);

    if (use_path(cf, log, cf->args[1]) != LUN_OK) {
        return LUN_ERROR;
    }

    if (cf->argc == 2 && cf->engine->protocol->combined.len == 0) {
        return lun_conf_fail(cf, "log format is not specified");
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


/* One with a format of its own logs even if its block does not say so. */
static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    log_list            *list;
    log_conf            *conf = data;
    access_log          *log;
    const lun_protocol  *p = cf->engine->protocol;

    if (cf->block->where != p->level || conf->list != NULL) {
        return LUN_OK;
    }

    list = list_of(cf, conf);

    if (p->combined.len == 0) {
        list->off = true;
        return LUN_OK;
    }

    log = lun_array_push(&list->logs);
    log->format = format_of(cf, LUN_STR("combined"));

    return log->format != NULL ? use_path(cf, log, default_path) : LUN_ERROR;
}


/* Its conf is there to be completed, whether or not the level has one. */
static lun_rc
init(lun_conf *cf)
{
    (void) lun_module_top_conf(cf, &lun_common_access_log);
    return LUN_OK;
}


enum { PLACES = LUN_ANY_LEVELS | LUN_LOCATION_IF | LUN_LIMIT_EXCEPT };

static const lun_directive  directives[] = {
    { .name = "log_format", .where = LUN_ANY_PROTOCOL, .args = 2,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_format,
      .values = "name [escape=default|json|none] string ...",
      .help = "a format of access_log" },
    { .name = "access_log", .where = PLACES, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_log,
      LUN_FIELD(log_conf, list),
      .values = "path [format [buffer=size] [gzip[=level]] [flush=time] "
                "[if=condition] [rotate=size] [rotate=time] [keep=number]] "
                "| off",
      .help = "where requests are logged, in which format, if at all" },
    { .name = "log_escape_non_ascii", .where = LUN_ANY_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(log_conf, escape_foreign),
      .fallback = "on",
      .help = "bytes beyond ASCII are \\xXX in logs" },
    { .name = "open_log_file_cache", .where = LUN_ANY_LEVELS, .args = 1,
      .args_max = 4, .set = lun_set_log_cache, LUN_FIELD(log_conf, files),
      .values = "off | max=N [inactive=time] [min_uses=N] [valid=time]",
      .help = "log files with variables in their names that stay open" },
    { 0 }
};

lun_module  lun_common_access_log = {
    .name = "access_log",
    .directives = directives,
    .conf_size = sizeof(log_conf),
    .always = true,
    .inherited = inherited,
    .init = init,
    .on[LUN_LOG] = on_log,
};
