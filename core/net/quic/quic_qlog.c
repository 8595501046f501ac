/*
 * quic_qlog.c -- what happens in a connection, packet by packet, in a file of
 * its own (qlog, as JSON-SEQ), for who looks for the reason why it is slow.
 *
 * ngtcp2 writes it, an event at a time; here it is gathered, and has an end:
 * a file by its size, files by how many connections have one at a time.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_priv.h"

#include <stdio.h>

#include "base/pool.h"
#include "os/file.h"


enum {
    ROOM  = 16 * 1024,
    FILES = 256,                   /* at a time, of a worker */
    PATH  = 1024,
    MOST  = 64 * 1024 * 1024       /* bytes of a file */
};

struct lun_quic_qlog {
    lun_fd   fd;
    size_t   len;                  /* bytes that wait */
    size_t   written;
    char     room[ROOM];
};


/* "DIR/ID.sqlog"; false: it is too long. */
static bool
name_file(lun_str dir, const ngtcp2_cid *id, char path[PATH])
{
    char     name[2 * NGTCP2_MAX_CIDLEN + 1];
    int      n;
    size_t   i;

    for (i = 0; i < id->datalen; i++) {
        (void) snprintf(name + 2 * i, 3, "%02x", id->data[i]);
    }

    n = snprintf(path, PATH, "%.*s/%.*s.sqlog", LUN_S(dir),
                 (int) (2 * id->datalen), name);
    return n > 0 && n < PATH;
}


void
lun_quic_qlog_begin(lun_quic_conn *conn, const ngtcp2_cid *id)
{
    char              path[PATH];
    lun_err           err;
    lun_fd            fd;
    const lun_conn   *c = conn->q.c;

    if (conn->conf->qlog.len == 0 || conn->all->qlogs >= FILES
        || !name_file(conn->conf->qlog, id, path))
    {
        return;
    }

    /* Whoever says an id twice does not write over the first one's. */
    err = lun_file_open(path, LUN_FILE_APPEND | LUN_FILE_CREATE
                        | LUN_FILE_EXCL, 0644, &fd);
    if (err != 0) {
        lun_log(LUN_LOG_ERR, &c->log, err, "open() \"%s\" failed", path);
        return;
    }

    conn->qlog = lun_malloc(sizeof(lun_quic_qlog));
    conn->qlog->fd = fd;
    conn->qlog->len = conn->qlog->written = 0;
    conn->all->qlogs++;
}


static void
write_out(lun_quic_qlog *log)
{
    /* A full disk is no reason to serve nobody. */
    (void) lun_file_write(log->fd, log->room, log->len, -1);
    log->len = 0;
}


void
lun_quic_qlog_write(void *data, uint32_t flags, const void *bytes, size_t len)
{
    size_t          n, at;
    lun_quic_conn  *conn = data;
    lun_quic_qlog  *log = conn->qlog;

    if (log == NULL || log->written + len > MOST) {
        return;
    }

    log->written += len;

    for (at = 0; at < len; at += n) {
        if (log->len == ROOM) {
            write_out(log);
        }

        n = lun_min(len - at, ROOM - log->len);
        memcpy(log->room + log->len, (const char *) bytes + at, n);
        log->len += n;
    }
}


void
lun_quic_qlog_end(lun_quic_conn *conn)
{
    if (conn->qlog != NULL) {
        write_out(conn->qlog);
        lun_file_close(conn->qlog->fd);
        lun_free(conn->qlog);
        conn->qlog = NULL;
        conn->all->qlogs--;
    }
}
