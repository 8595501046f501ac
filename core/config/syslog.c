/*
 * syslog.c -- lines to a syslog server.
 *
 * A process opens its socket with its first line, and anew after a failure:
 * a server that was away is found again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/syslog.h"

#include "config/hosts.h"
#include "net/clock.h"
#include "os/sock.h"


enum {
    DEFAULT_PORT = 514,
    TAG_MOST     = 32,
    HOST_MOST    = 256,
    HEAD_MOST    = 512,
    LINE_MOST    = 8192,
    COMPLAIN     = 60,             /* s, between two lines about a server */
    INFO         = 6               /* the severity of who does not say */
};

struct lun_syslog {
    lun_str    text;               /* as it was asked for */
    lun_addr   server;
    unsigned   facility;
    unsigned   severity;
    lun_str    tag;
    bool       no_host;
    lun_fd     fd;
    bool       busy;               /* complaining, perhaps to itself */
    int64_t    complained;
};

/* By their numbers; levels of the error log are one more than severities. */
static const char *const  facilities[] = {
    "kern", "user", "mail", "daemon", "auth", "intern", "lpr", "news", "uucp",
    "clock", "authpriv", "ftp", "ntp", "audit", "alert", "cron", "local0",
    "local1", "local2", "local3", "local4", "local5", "local6", "local7"
};

static const char *const  severities[] = {
    "emerg", "alert", "crit", "error", "warn", "notice", "info", "debug"
};

static char  host[HOST_MOST];


/* --- the parameters ------------------------------------------------------ */

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


static lun_rc
read_parameters(lun_conf *cf, lun_syslog *s, lun_str rest)
{
    lun_str      word;
    const char  *comma;

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


static void
hang_up(void *data)
{
    lun_syslog  *s = data;

    if (s->fd != LUN_FD_NONE) {
        lun_sock_close(s->fd);
        s->fd = LUN_FD_NONE;
    }
}


lun_syslog *
lun_syslog_new(lun_conf *cf, lun_str text)
{
    lun_syslog  *s = lun_pool_new(cf->pool, lun_syslog);
    size_t       scheme = sizeof("syslog:") - 1;

    s->text = text;
    s->facility = LUN_ARRAY_LEN(facilities) - 1;
    s->severity = INFO;
    s->tag = LUN_STR(LUN_PRODUCT);
    s->fd = LUN_FD_NONE;

    if (read_parameters(cf, s, lun_str_of(text.data + scheme,
                                          text.len - scheme)) != LUN_OK)
    {
        return NULL;
    }

    if (host[0] == '\0') {
        lun_sock_host_name(host, sizeof(host));
    }

    lun_pool_on_end(cf->pool, hang_up, s);
    return s;
}


/* --- sending ------------------------------------------------------------- */

static lun_err
transmit(lun_syslog *s, const char *data, size_t len)
{
    lun_err  err = 0;

    if (s->fd == LUN_FD_NONE) {
        err = lun_sock_datagram(s->server.family, &s->fd);
    }

    if (err == 0) {
        err = lun_sock_send_to(s->fd, data, len, &s->server);
    }

    return err;
}


/* "<190>Nov  1 03:27:00 host tag: ", the time from "01/Nov/2026:03:27:00". */
static char *
put_head(const lun_syslog *s, unsigned severity, char *p, const char *end)
{
    const char  *time = lun_clock_local().data;

    return lun_fmt(p, end, "<%u>%.3s %c%c %.8s %s%s%.*s: ",
                   s->facility * 8 + severity, time + 3,
                   time[0] == '0' ? ' ' : time[0], time[1], time + 12,
                   s->no_host ? "" : host, s->no_host ? "" : " ",
                   LUN_S(s->tag));
}


static void
send_line(lun_syslog *s, unsigned severity, const char *line, size_t len)
{
    char     data[HEAD_MOST + LINE_MOST], *p;
    lun_err  err;

    if (s->busy) {
        return;
    }

    p = put_head(s, severity, data, data + HEAD_MOST);
    len = lun_min(len, (size_t) LINE_MOST);
    memcpy(p, line, len);

    err = transmit(s, data, (size_t) (p - data) + len);

    if (err == 0) {
        return;
    }

    hang_up(s);

    if (lun_clock.sec - s->complained >= COMPLAIN) {
        s->complained = lun_clock.sec;
        s->busy = true;
        lun_log(LUN_LOG_ALERT, NULL, err, "send() to \"%.*s\" failed",
                LUN_S(s->text));
        s->busy = false;
    }
}


void
lun_syslog_send(lun_syslog *s, const char *line, size_t len)
{
    send_line(s, s->severity, line, len);
}


void
lun_syslog_send_error(lun_syslog *s, lun_log_level level, const char *line,
    size_t len)
{
    send_line(s, level == LUN_LOG_STDERR ? 0 : (unsigned) level - 1, line,
              len);
}
