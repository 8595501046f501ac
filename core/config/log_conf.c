/*
 * log_conf.c -- what access_log and error_log say of where lines go:
 *
 *     error_log  logs/error.log warn rotate=1d keep=7;
 *     error_log  logs/error.json info json;
 *     error_log  syslog:server=127.0.0.1,tag=edge warn;
 *     access_log syslog:server=unix:/dev/log,facility=local1,severity=info;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/log_conf.h"

#include "config/hosts.h"
#include "log/log_rotate.h"


enum {
    KEEP_MOST    = 999,
    DEFAULT_PORT = 514,
    TAG_MOST     = 32,
    INFO         = 6               /* the severity, if none is said */
};

static const lun_str  zone_name = LUN_STR_INIT("log rotation");
static const lun_str  stderr_name = LUN_STR_INIT("stderr");

/* By their numbers; levels of the error log are one more than severities. */
static const char *const  facilities[] = {
    "kern", "user", "mail", "daemon", "auth", "intern", "lpr", "news", "uucp",
    "clock", "authpriv", "ftp", "ntp", "audit", "alert", "cron", "local0",
    "local1", "local2", "local3", "local4", "local5", "local6", "local7"
};

static const char *const  severities[] = {
    "emerg", "alert", "crit", "error", "warn", "notice", "info", "debug"
};


/* --- rotate= keep= --- */

static lun_rc
bad(lun_conf *cf, lun_str word)
{
    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


static lun_rc
conflict(lun_conf *cf)
{
    return lun_conf_fail(cf, "%.*s \"%.*s\" already defined with conflicting "
                         "parameters", LUN_S(cf->args[0]), LUN_S(cf->args[1]));
}


/* Hours, days and weeks are a time; everything else is a size. */
static lun_rc
set_rotate(lun_conf *cf, lun_log_rotation *r, lun_str value, lun_str word)
{
    char       last = value.len != 0 ? value.data[value.len - 1] : '\0';
    bool       time = last == 'h' || last == 'd' || last == 'w';
    int64_t   *field = time ? &r->period : &r->size;
    uint64_t   n;

    if (time) {
        if (lun_str_to_msec(value, &n) != LUN_OK) {
            return bad(cf, word);
        }

        n /= 1000;

    } else if (lun_str_to_size(value, &n) != LUN_OK) {
        return bad(cf, word);
    }

    if (n == 0 || n > INT64_MAX) {
        return bad(cf, word);
    }

    if (*field != 0 && *field != (int64_t) n) {
        return conflict(cf);
    }

    *field = (int64_t) n;
    return LUN_OK;
}


static lun_rc
set_keep(lun_conf *cf, lun_log_rotation *r, lun_str value, lun_str word)
{
    int64_t  n;

    if (lun_str_to_i64(value, &n) != LUN_OK || n < 0 || n > KEEP_MOST) {
        return bad(cf, word);
    }

    if (r->keep >= 0 && r->keep != n) {
        return conflict(cf);
    }

    r->keep = n;
    return LUN_OK;
}


static lun_log_rotation *
rotation_of(lun_conf *cf, lun_log_file *f)
{
    const char        *why;
    lun_log_rotation  *r = f->rotation;

    if (r == NULL) {
        r = lun_pool_new(cf->pool, lun_log_rotation);
        r->keep = -1;
        r->zone = lun_zone_want(cf->gen->zones, zone_name,
                                LUN_LOG_ROTATION_ZONE,
                                &lun_log_rotation_kind, &why);
        if (r->zone == NULL) {
            (void) lun_conf_fail(cf, "%s", why);
            return NULL;
        }

        f->rotation = r;
    }

    return r;
}


static lun_str
behind(lun_str word, size_t n)
{
    return lun_str_of(word.data + n, word.len - n);
}


lun_rc
lun_conf_log_rotation(lun_conf *cf, lun_log_file *f, lun_str word)
{
    bool               keep = lun_str_starts(word, LUN_STR("keep="));
    lun_log_rotation  *r;

    if (!keep && !lun_str_starts(word, LUN_STR("rotate="))) {
        return LUN_AGAIN;
    }

    if (f == NULL || lun_str_eq(f->path, LUN_STR("stderr"))) {
        return lun_conf_fail(cf, "\"%.*s\" needs a file with a constant name",
                             LUN_S(word));
    }

    r = rotation_of(cf, f);

    if (r == NULL) {
        return LUN_ERROR;
    }

    return keep ? set_keep(cf, r, behind(word, 5), word)
                : set_rotate(cf, r, behind(word, 7), word);
}


/* --- syslog:server=...,facility=... --- */

static lun_rc
find_word(lun_conf *cf, const char *const *words, size_t n, const char *what,
    lun_str value, unsigned *number)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (lun_str_eq(value, lun_str_z(words[i]))) {
            *number = (unsigned) i;
            return LUN_OK;
        }
    }

    return lun_conf_fail(cf, "unknown syslog %s \"%.*s\"", what,
                         LUN_S(value));
}


static lun_rc
set_tag(lun_conf *cf, lun_syslog *s, lun_str value)
{
    size_t  i;

    if (value.len > TAG_MOST) {
        return lun_conf_fail(cf, "syslog tag length exceeds %d", TAG_MOST);
    }

    for (i = 0; i < value.len; i++) {
        if (!lun_is_digit(value.data[i]) && value.data[i] != '_'
            && (lun_lower(value.data[i]) < 'a'
                || lun_lower(value.data[i]) > 'z'))
        {
            return lun_conf_fail(cf, "syslog \"tag\" only allows "
                                 "alphanumeric characters and underscore");
        }
    }

    s->tag = value;
    return LUN_OK;
}


static lun_rc
set_server(lun_conf *cf, lun_syslog *s, lun_str value)
{
    size_t  n;

    if (s->server.family != LUN_AF_NONE) {
        return lun_conf_fail(cf, "duplicate syslog \"server\"");
    }

    return lun_conf_hosts(cf, value, DEFAULT_PORT, "syslog server",
                          &s->server, 1, &n);
}


/* The value, if the word is "NAME=value". */
static bool
value_of(lun_str word, lun_str name, lun_str *value)
{
    *value = lun_str_of(word.data + name.len, word.len - name.len);
    return lun_str_starts(word, name);
}


static lun_rc
read_parameter(lun_conf *cf, lun_syslog *s, lun_str word)
{
    lun_str  value;

    if (value_of(word, LUN_STR("server="), &value)) {
        return set_server(cf, s, value);
    }

    if (value_of(word, LUN_STR("facility="), &value)) {
        return find_word(cf, facilities, LUN_ARRAY_LEN(facilities), "facility",
                         value, &s->facility);
    }

    if (value_of(word, LUN_STR("severity="), &value)) {
        return find_word(cf, severities, LUN_ARRAY_LEN(severities), "severity",
                         value, &s->severity);
    }

    if (value_of(word, LUN_STR("tag="), &value)) {
        return set_tag(cf, s, value);
    }

    if (lun_str_eq(word, LUN_STR("nohostname"))) {
        s->no_host = true;
        return LUN_OK;
    }

    return lun_conf_fail(cf, "unknown syslog parameter \"%.*s\"",
                         LUN_S(word));
}


/*
 * An empty text is a parameter that is not known, as nginx says of "syslog:".
 */
static lun_rc
read_parameters(lun_conf *cf, lun_syslog *s, lun_str rest)
{
    lun_str      word;
    const char  *comma;

    if (rest.len == 0) {
        return read_parameter(cf, s, rest);
    }

    while (rest.len != 0) {
        comma = lun_str_chr(rest, ',');
        word = lun_str_of(rest.data, comma != NULL
                          ? (size_t) (comma - rest.data) : rest.len);
        rest.data += word.len + (comma != NULL);
        rest.len -= word.len + (comma != NULL);

        if (read_parameter(cf, s, word) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return s->server.family != LUN_AF_NONE
           ? LUN_OK : lun_conf_fail(cf, "no syslog server specified");
}


lun_syslog *
lun_conf_syslog(lun_conf *cf, lun_str text)
{
    lun_syslog  *s = lun_pool_new(cf->pool, lun_syslog);
    size_t       scheme = sizeof("syslog:") - 1;

    s->text = text;
    s->facility = LUN_ARRAY_LEN(facilities) - 1;
    s->severity = INFO;
    s->tag = LUN_STR(LUN_PRODUCT);

    if (read_parameters(cf, s, lun_str_of(text.data + scheme,
                                          text.len - scheme)) != LUN_OK)
    {
        return NULL;
    }

    lun_syslog_begin(s, cf->pool);
    return s;
}


/* --- error_log --- */

typedef struct {
    lun_log_level  level;
    bool           leveled;        /* somebody has said so */
    bool           json;
} error_words;


/* A level; a second one, and what is none, are reported. */
static lun_rc
read_level(lun_conf *cf, error_words *w, lun_str word)
{
    lun_log_level  level;
    bool           known = lun_log_level_parse(word, &level) == LUN_OK;

    if (!known || w->leveled) {
        return lun_conf_fail(cf, "%s log level \"%.*s\"",
                             known ? "duplicate" : "invalid", LUN_S(word));
    }

    w->level = level;
    w->leveled = true;
    return LUN_OK;
}


/* The level, and what else is said of the file (NULL: it is none). */
static lun_rc
read_words(lun_conf *cf, lun_log_file *f, error_words *w)
{
    size_t  i;
    lun_rc  rc;

    for (i = 2; i < cf->argc; i++) {
        if (lun_str_eq(cf->args[i], LUN_STR("json"))) {
            w->json = true;
            continue;
        }

        rc = lun_conf_log_rotation(cf, f, cf->args[i]);

        if (rc == LUN_AGAIN) {
            rc = read_level(cf, w, cf->args[i]);
        }

        if (rc != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/*
 * "memory:" is for a debugger that attaches to nginx: there is nothing here
 * that would read it.
 */
lun_rc
lun_conf_error_log(lun_conf *cf, lun_log *log)
{
    bool           syslog;
    lun_str        path = cf->args[1];
    lun_syslog    *server;
    lun_log_file  *f = NULL;
    error_words    words = { .level = LUN_LOG_ERR };

    if (lun_str_starts(path, LUN_STR("memory:"))) {
        lun_conf_warn(cf, "error_log to \"%.*s\" is not supported, ignored",
                      LUN_S(path));
        return LUN_OK;
    }

    syslog = lun_str_starts(path, LUN_STR("syslog:"));

    if (!syslog && !lun_str_eq(path, stderr_name)) {
        path = lun_conf_path(cf, path, false);
        f = lun_log_file_want(&cf->gen->logs, path);
    }

    if (read_words(cf, f, &words) != LUN_OK) {
        return LUN_ERROR;
    }

    if (!syslog) {
        lun_error_log_add_file(&cf->gen->logs, log, path, words.level,
                               words.json);
        return LUN_OK;
    }

    server = lun_conf_syslog(cf, cf->args[1]);

    if (server == NULL) {
        return LUN_ERROR;
    }

    lun_error_log_add_syslog(cf->pool, log, server, words.level, words.json);
    return LUN_OK;
}
