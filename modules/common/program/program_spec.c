/*
 * program_spec.c -- what a `program` line says: the program and its arguments,
 * and behind them parameters.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/program/program_spec.h"

#include "os/path.h"


enum {
    CGI_COUNT = 4,                 /* the defaults of php-cgi and its like */
    CGI_REQUESTS = 500,
    USUAL_PATIENCE = 60000,        /* ms */
    USUAL_START = 30000,
    USUAL_STOP = 10000,
    USUAL_DRAIN = 60000,
    USUAL_FAILS = 10
};

typedef struct parameter  parameter;
typedef bool read_fn(lun_conf *cf, lun_str v, lun_programs *p,
    const parameter *d);

struct parameter {
    lun_str   name;                /* with its '=' */
    read_fn  *read;                /* false: "invalid parameter" */
    size_t    field;               /* of lun_programs */
    int64_t   least, most;         /* of a number */
};


/* --- values -------------------------------------------------------------- */

static void *
field_of(lun_programs *p, const parameter *d)
{
    return (char *) p + d->field;
}


static bool
read_number(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    int64_t  *n = field_of(p, d);

    return lun_str_to_i64(v, n) == LUN_OK && *n >= d->least && *n <= d->most;
}


static bool
read_time(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    return lun_str_to_msec(v, field_of(p, d)) == LUN_OK;
}


static bool
read_size(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    return lun_str_to_size(v, field_of(p, d)) == LUN_OK;
}


static bool
read_path(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    *(lun_str *) field_of(p, d) = lun_conf_path(cf, v, false);
    return v.len != 0;
}


static bool
read_file(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    *(lun_str *) lun_array_push(field_of(p, d)) = lun_conf_path(cf, v, false);
    return v.len != 0;
}


static bool
read_argument(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    *(lun_str *) lun_array_push(&p->spec.argv) = v;
    return true;
}


static bool
read_env(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    *(lun_str *) lun_array_push(&p->spec.env) = v;
    return lun_str_chr(v, '=') != NULL && v.data[0] != '=';
}


/* "unix:/run/php": sockets are /run/php.0, /run/php.1, ... */
static bool
read_listen(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    size_t   most = LUN_PROGRAM_PATH - sizeof(".4294967295");
    lun_str  path;

    if (lun_path_native == LUN_PATH_WINDOWS
        || !lun_str_after(v, LUN_STR("unix:"), &path) || path.len == 0)
    {
        return false;
    }

    p->spec.socket = lun_conf_path(cf, path, false);
    return p->spec.socket.len <= most;
}


static bool
read_start(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    p->spec.boot = lun_str_eq(v, LUN_STR("boot"));
    return p->spec.boot || lun_str_eq(v, LUN_STR("request"));
}


static bool
read_reload(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    p->spec.renew = lun_str_eq(v, LUN_STR("replace"));
    return p->spec.renew || lun_str_eq(v, LUN_STR("keep"));
}


/* "name" or "name:group". */
static bool
read_user(lun_conf *cf, lun_str v, lun_programs *p, const parameter *d)
{
    lun_err      err;
    const char  *colon = lun_str_chr(v, ':');
    const char  *name, *group = NULL;

    if (colon != NULL) {
        group = lun_pool_strz(cf->pool, lun_str_of(colon + 1,
                    (size_t) (v.data + v.len - colon - 1)));
        v.len = (size_t) (colon - v.data);
    }

    name = lun_pool_strz(cf->pool, v);
    return lun_user_find(name, group, &p->spec.user, &err) == LUN_USER_FOUND;
}


#define PARAMETER(text, reader, member)                                       \
    { .name = LUN_STR_INIT(text "="), .read = reader,                         \
      .field = offsetof(lun_programs, member)
#define NUMBER(text, member, from, to)                                        \
    PARAMETER(text, read_number, member), .least = from, .most = to }

static const parameter  parameters[] = {
    NUMBER("count", spec.count, 1, LUN_PROGRAM_MOST),
    NUMBER("max_conns", max_conns, 0, 65535),
    NUMBER("max_requests", max_requests, 0, INT64_MAX),
    NUMBER("retries", spec.retries, 0, 1000),
    NUMBER("fails_per_minute", spec.fails, 0, 100),
    NUMBER("cpu", spec.cpu, 1, 100),
    PARAMETER("queue_timeout", read_time, patience) },
    PARAMETER("start_timeout", read_time, spec.start_limit) },
    PARAMETER("stop_timeout", read_time, spec.stop_limit) },
    PARAMETER("drain", read_time, spec.drain) },
    PARAMETER("idle", read_time, spec.idle) },
    PARAMETER("memory", read_size, spec.memory) },
    PARAMETER("dir", read_path, spec.dir) },
    PARAMETER("log", read_path, spec.log) },
    PARAMETER("offline", read_path, spec.offline) },
    PARAMETER("watch", read_file, spec.watch) },
    PARAMETER("start", read_start, spec.boot) },
    PARAMETER("reload", read_reload, spec.renew) },
    PARAMETER("user", read_user, spec.user) },
    PARAMETER("listen", read_listen, spec.socket) },
    PARAMETER("arg", read_argument, spec.argv) },
    PARAMETER("env", read_env, spec.env) },
};


/* NULL: it is none. */
static const parameter *
find_parameter(lun_str word, lun_str *value)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(parameters); i++) {
        if (lun_str_after(word, parameters[i].name, value)) {
            return &parameters[i];
        }
    }

    return NULL;
}


/* --- a line -------------------------------------------------------------- */

/* What has a slash is a file, below the prefix or not; else PATH has it. */
static lun_str
program_path(lun_conf *cf, lun_str text)
{
    return lun_str_chr(text, '/') != NULL || lun_str_chr(text, '\\') != NULL
           ? lun_conf_path(cf, text, false) : text;
}


/* php-cgi and its like: one request at a time, told by an argument where. */
static bool
is_cgi(lun_str program)
{
    size_t   i;
    lun_str  name = lun_path_name(program);

    for (i = 0; i + 3 <= name.len; i++) {
        if (lun_str_caseeq(lun_str_of(name.data + i, 3), LUN_STR("cgi"))) {
            return true;
        }
    }

    return false;
}


static void
set_defaults(lun_conf *cf, lun_programs *p, bool cgi)
{
    lun_program_spec  *s = &p->spec;

    s->name = p->upstream->name;
    s->user.uid = -1;
    s->count = cgi ? CGI_COUNT : 1;
    s->boot = s->renew = cgi;
    s->fails = cgi ? 0 : USUAL_FAILS;
    s->start_limit = USUAL_START;
    s->stop_limit = USUAL_STOP;
    s->drain = cgi ? 0 : USUAL_DRAIN;
    p->max_conns = cgi ? 1 : 0;
    p->max_requests = cgi ? CGI_REQUESTS : 0;
    p->patience = USUAL_PATIENCE;
    lun_array_init(&s->argv, cf->pool, sizeof(lun_str), 4);
    lun_array_init(&s->env, cf->pool, sizeof(lun_str), 4);
    lun_array_init(&s->watch, cf->pool, sizeof(lun_str), 4);
}


static bool
is_argument(lun_str word, lun_str *value)
{
    return find_parameter(word, value) == NULL
           && (lun_str_chr(word, '=') == NULL || word.data[0] == '-');
}


lun_rc
lun_program_spec_read(lun_conf *cf, lun_programs *p)
{
    bool              cgi = is_cgi(cf->args[1]);
    size_t            i;
    lun_str           value;
    lun_array        *argv = &p->spec.argv;
    const parameter  *d;

    set_defaults(cf, p, cgi);
    *(lun_str *) lun_array_push(argv) = program_path(cf, cf->args[1]);

    for (i = 2; i < cf->argc && is_argument(cf->args[i], &value); i++) {
        *(lun_str *) lun_array_push(argv) = cf->args[i];
    }

    for ( /* void */ ; i < cf->argc; i++) {
        d = find_parameter(cf->args[i], &value);

        if (d == NULL || !d->read(cf, value, p, d)) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }
    }

    if (p->spec.cpu != 0 && !lun_proc_limits_cpu()) {
        lun_conf_warn(cf, "\"cpu\" of \"program\" has no effect on this "
                      "system");
    }

    p->spec.single = p->max_conns == 1;

    if (cgi && argv->count == 1) {
        *(lun_str *) lun_array_push(argv) = LUN_STR("-b");
        *(lun_str *) lun_array_push(argv) = LUN_STR("$address");
    }

    return LUN_OK;
}


/* --- for who outlives a configuration ------------------------------------ */

/* Ends with a zero byte. */
static lun_str
copy(lun_pool *pool, lun_str s)
{
    return lun_str_of(lun_pool_strz(pool, s), s.len);
}


static void
copy_list(lun_pool *pool, lun_array *to, const lun_array *from)
{
    size_t  i;

    lun_array_init(to, pool, sizeof(lun_str), from->count + 1);

    for (i = 0; i < from->count; i++) {
        *(lun_str *) lun_array_push(to)
            = copy(pool, *(lun_str *) lun_array_at(from, i));
    }
}


void
lun_program_spec_copy(lun_pool *pool, lun_program_spec *to,
    const lun_program_spec *from)
{
    *to = *from;
    to->name = copy(pool, from->name);
    to->dir = copy(pool, from->dir);
    to->socket = copy(pool, from->socket);
    to->log = copy(pool, from->log);
    to->offline = copy(pool, from->offline);
    copy_list(pool, &to->argv, &from->argv);
    copy_list(pool, &to->env, &from->env);
    copy_list(pool, &to->watch, &from->watch);

    if (from->user.name != NULL) {
        to->user.name = lun_pool_strz(pool, lun_str_z(from->user.name));
    }
}


static bool
same_list(const lun_array *a, const lun_array *b)
{
    size_t  i;

    for (i = 0; i < a->count && i < b->count; i++) {
        if (!lun_str_eq(*(lun_str *) lun_array_at(a, i),
                        *(lun_str *) lun_array_at(b, i)))
        {
            return false;
        }
    }

    return a->count == b->count;
}


bool
lun_program_spec_same(const lun_program_spec *a, const lun_program_spec *b)
{
    return !b->renew && same_list(&a->argv, &b->argv)
           && same_list(&a->env, &b->env) && lun_str_eq(a->dir, b->dir)
           && lun_str_eq(a->socket, b->socket) && lun_str_eq(a->log, b->log)
           && a->user.uid == b->user.uid && a->user.gid == b->user.gid
           && a->memory == b->memory && a->cpu == b->cpu;
}
