/*
 * syslog.c -- lines to a syslog server.
 *
 * A process opens its socket with its first line, and anew after a failure:
 * a server that was away is found again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "log/syslog.h"

#include "base/fmt.h"
#include "os/clock.h"
#include "os/err.h"


enum {
    HOST_MOST = 256,
    HEAD_MOST = 512,
    LINE_MOST = 8192,
    COMPLAIN  = 60                 /* s, between two lines about a server */
};

static char  host[HOST_MOST];


static void
hang_up(void *data)
{
    lun_syslog  *s = data;

    if (s->fd != LUN_FD_NONE) {
        lun_sock_close(s->fd);
        s->fd = LUN_FD_NONE;
    }
}


void
lun_syslog_begin(lun_syslog *s, lun_pool *pool)
{
    s->fd = LUN_FD_NONE;

    if (host[0] == '\0') {
        lun_sock_host_name(host, sizeof(host));
    }

    lun_pool_on_end(pool, hang_up, s);
}


static lun_err
transmit(lun_syslog *s, const char *data, size_t len)
{
    lun_err  err = 0;

    /* Connected, it is told that nobody listens there. */
    if (s->fd == LUN_FD_NONE) {
        err = lun_sock_datagram(s->server.family, &s->fd);

        if (err == 0) {
            err = lun_sock_connect_datagram(s->fd, &s->server);
        }
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


static char *
put_server(void *owner, char *p, const char *end)
{
    char               room[LUN_ADDR_TEXT];
    const lun_syslog  *s = owner;

    return lun_fmt(p, end, ", server: %.*s",
                   LUN_S(lun_addr_format(&s->server, true, room,
                                         sizeof(room))));
}


/* Not to itself, and not for each line. */
static void
complain(lun_syslog *s, lun_err err)
{
    lun_log  log = *lun_log_default();

    if (lun_clock.sec - s->complained < COMPLAIN) {
        return;
    }

    log.doing = "logging to syslog";
    log.context = put_server;
    log.owner = s;

    s->complained = lun_clock.sec;
    s->busy = true;
    lun_log(LUN_LOG_ERR, &log, err, "send() failed");
    s->busy = false;
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
    complain(s, err);
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
