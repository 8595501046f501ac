/*
 * upreq_ring.c -- where the body of an answer is on its way through.
 *
 *     server -> ring -> waiting -> busy (handed out) -> used up: ring again
 *                         |  ^
 *                  temporary file
 *
 * The ring has the size of NAME_buffers together, and is made when an answer
 * does not fit into the buffer of its header.  The order of pieces is that of
 * the body.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_priv.h"

#include "base/check.h"


/* --- whose memory the connection reads into ------------------------------ */

void
lun_upreq_set_input(lun_upreq *x, char *room, size_t size)
{
    lun_conn  *c = x->conn;

    LUN_CHECK(!lun_conn_reading(c) && !x->own.is_set);
    lun_conn_set_input(c, room, size, &x->own);
}


void
lun_upreq_restore_input(lun_upreq *x)
{
    lun_conn  *c = x->conn;

    if (x->own.is_set) {
        lun_conn_restore_input(c, &x->own);
        c->in.pos = c->in.last = c->in.start;
    }
}


/* --- the ring ------------------------------------------------------------ */

static void
make_ring(lun_upreq *x)
{
    const lun_upreq_conf  *conf = x->conf;

    x->ring_size = x->buffered ? (size_t) conf->buffers.num * conf->buffers.size
                               : conf->buffer_size;
    x->ring = lun_pool_alloc(x->r->pool, x->ring_size);
}


bool
lun_upreq_room_next(lun_upreq *x)
{
    size_t  at, room;

    if (x->ring == NULL) {
        make_ring(x);
    }

    if (x->busy == NULL && x->waiting == NULL) {
        x->ring_head = 0;
        x->ring_tail = 0;
    }

    at = (size_t) (x->ring_tail % x->ring_size);
    room = lun_min(x->ring_size - at,
                   x->ring_size - (size_t) (x->ring_tail - x->ring_head));

    if (room == 0) {
        return false;
    }

    lun_upreq_restore_input(x);
    lun_upreq_set_input(x, x->ring + at, room);
    return true;
}


/* --- pieces -------------------------------------------------------------- */

static lun_upreq_piece *
new_piece(lun_upreq *x)
{
    lun_upreq_piece  *p = x->spares;

    if (p != NULL) {
        x->spares = p->link;

    } else {
        p = lun_pool_alloc(x->r->pool, sizeof(lun_upreq_piece));
    }

    memset(p, 0, sizeof(lun_upreq_piece));
    *x->waiting_last = p;
    x->waiting_last = &p->link;

    return p;
}


static lun_upreq_piece *
last_waiting(lun_upreq *x)
{
    return x->waiting == NULL ? NULL
           : lun_container_of(x->waiting_last, lun_upreq_piece, link);
}


/* A piece is no longer than a buffer, so that some of them can wait. */
static size_t
room_in(const lun_upreq *x, const lun_upreq_piece *p, const char *at)
{
    if (p == NULL || p->buf.in_file || p->buf.last != at
        || p->size >= x->conf->buffers.size)
    {
        return 0;
    }

    return x->conf->buffers.size - p->size;
}


void
lun_upreq_add(lun_upreq *x, lun_str bytes)
{
    size_t            n;
    char             *at = (char *) (uintptr_t) bytes.data;
    const char       *end = at + bytes.len;
    lun_upreq_piece  *p = last_waiting(x);

    x->try->response_length += (int64_t) bytes.len;

    while (at != end) {
        n = room_in(x, p, at);

        if (n == 0) {
            p = new_piece(x);
            p->buf.start = p->buf.pos = p->buf.last = at;
            p->buf.temporary = 1;
            n = x->conf->buffers.size;
        }

        n = lun_min(n, (size_t) (end - at));
        at += n;
        p->buf.last = p->buf.end = at;
        p->size += n;
        p->mark = x->read_at == NULL ? 0
                  : x->read_mark + (uint64_t) (at - x->read_at);
    }
}


static bool
is_used_up(const lun_upreq_piece *p)
{
    return lun_buf_size(&p->buf) == 0;
}


/*
 * A buf that is used up may still be linked among those that follow it: it is
 * used again when nothing waits for the client.
 */
static void
recycle(lun_upreq *x)
{
    lun_upreq_piece  *p;

    if (x->r->parent != NULL || lun_http_pending(x->r)) {
        return;
    }

    while ((p = x->used) != NULL) {
        x->used = p->link;
        p->link = x->spares;
        x->spares = p;
    }
}


void
lun_upreq_collect(lun_upreq *x)
{
    lun_upreq_piece  *p;

    while ((p = x->busy) != NULL && is_used_up(p)) {
        x->busy = p->link;
        x->busy_bytes -= p->size;
        x->ring_head = lun_max(x->ring_head, p->mark);

        p->link = x->used;
        x->used = p;
    }

    if (x->busy == NULL) {
        x->busy_last = &x->busy;
    }

    recycle(x);
}


/* A read that is in flight may still end in it. */
void
lun_upreq_forget_ring(lun_upreq *x)
{
    x->ring = NULL;
    x->ring_head = 0;
    x->ring_tail = 0;
    x->busy = NULL;
    x->busy_last = &x->busy;
    x->busy_bytes = 0;
    x->waiting = NULL;
    x->waiting_last = &x->waiting;
    x->used = NULL;
    x->spares = NULL;
}


/* --- the temporary file -------------------------------------------------- */

bool
lun_upreq_may_spool(const lun_upreq *x)
{
    return x->buffered && x->waiting != NULL
           && (uint64_t) x->file_size < x->conf->max_temp_size;
}


static void
close_file(void *data)
{
    lun_upreq  *x = data;

    lun_file_close(x->file);
    (void) lun_file_delete(x->file_path.data);
}


static lun_rc
open_file(lun_upreq *x)
{
    char                  path[1024];
    lun_err               err;
    lun_request          *r = x->r;
    const lun_temp_path  *temp = x->conf->temp_path;

    err = lun_temp_path_open(temp, path, sizeof(path), &x->file);

    if (err != 0) {
        x->file = LUN_FD_NONE;
        lun_log(LUN_LOG_CRIT, r->log, err, "could not make a temporary file "
                "in \"%.*s\"", LUN_S(temp->path));
        return LUN_ERROR;
    }

    lun_pool_on_end(r->pool, close_file, x);
    x->file_path = lun_str_z(lun_pool_strz(r->pool, lun_str_z(path)));
    lun_log(LUN_LOG_WARN, r->log, 0, "an upstream response is buffered to a "
            "temporary file %.*s", LUN_S(x->file_path));

    return LUN_OK;
}


static lun_rc
write_file(lun_upreq *x, const char *data, size_t size)
{
    size_t   n;
    lun_err  err;

    while (size != 0) {
        n = lun_min(size, x->conf->temp_write_size);
        err = lun_file_write(x->file, data, n, x->file_size);

        if (err != 0) {
            lun_log(LUN_LOG_CRIT, x->r->log, err, "write() \"%.*s\" failed",
                    LUN_S(x->file_path));
            return LUN_ERROR;
        }

        x->file_size += (int64_t) n;
        data += n;
        size -= n;
    }

    return LUN_OK;
}


/* A piece of memory becomes one of the file. */
static lun_rc
move_out(lun_upreq *x, lun_upreq_piece *p)
{
    int64_t  from = x->file_size;

    if (write_file(x, p->buf.pos, (size_t) (p->buf.last - p->buf.pos))
        != LUN_OK)
    {
        return LUN_ERROR;
    }

    p->buf = (lun_buf) { .file = x->file, .in_file = 1, .file_pos = from,
                         .file_last = x->file_size };
    p->size = 0;
    p->mark = 0;

    return LUN_OK;
}


/* Neighbours in the file are one piece. */
static void
join(lun_upreq *x)
{
    lun_upreq_piece  *p, *next;

    for (p = x->waiting; p != NULL && (next = p->link) != NULL; ) {
        if (!p->buf.in_file || !next->buf.in_file
            || p->buf.file_last != next->buf.file_pos)
        {
            p = next;
            continue;
        }

        p->buf.file_last = next->buf.file_last;
        p->link = next->link;

        if (p->link == NULL) {
            x->waiting_last = &p->link;
        }

        next->link = x->spares;
        x->spares = next;
    }
}


lun_rc
lun_upreq_spool(lun_upreq *x)
{
    uint64_t          mark = x->ring_head;
    lun_upreq_piece  *p;

    if (x->file == LUN_FD_NONE && open_file(x) != LUN_OK) {
        return LUN_ERROR;
    }

    for (p = x->waiting; p != NULL; p = p->link) {
        if (!p->buf.in_file && move_out(x, p) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    join(x);

    /* All of the ring behind what is handed out is free. */
    for (p = x->busy; p != NULL; p = p->link) {
        mark = lun_max(mark, p->mark);
    }

    x->ring_tail = mark;
    return LUN_OK;
}
