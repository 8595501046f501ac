/*
 * program_child.c -- a process of an upstream's: it begins, listens, speaks,
 * is told to end, and ends.
 *
 * What it says is in the error log, line by line: what it writes at info, what
 * it complains of at error; no more than so many lines in a second, and the
 * last of its words once more when it ends without having been told.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/program/program_priv.h"

#include "net/conn.h"
#include "net/loop.h"
#include "os/file.h"


enum {
    YOUNG = 1000,                  /* ms: to end before that is suspicious */
    PROBE_AGAIN = 20,              /* ms: whether it listens by now */
    DRAIN_AGAIN = 50,              /* ms: whether it has something in hand */
    LAST_WORDS = 100,              /* ms for them, behind its end */
    LINE = 2000,                   /* longer ones are several */
    LINES = 100,                   /* in a second; others are counted */
    PIECE = 2048
};

/* One of its pipes; it may outlive the child that it is of. */
typedef struct lun_program_output {
    lun_stream          stream;
    lun_program_child  *child;     /* NULL: nobody listens */
    lun_log_level       level;
    char                piece[PIECE];
    char                line[LINE];
    size_t              len;
} output;

static uint32_t  last_serial;


static lun_str
name_of(const lun_program_child *c)
{
    return *(lun_str *) lun_array_at(&c->spec->argv, 0);
}


/* --- what it says -------------------------------------------------------- */

/* The last line or two: what does not fit is forgotten from the beginning. */
static void
keep_words(lun_program_child *c, const char *text, size_t n)
{
    enum { ROOM = sizeof(((lun_program_child *) 0)->words) };

    size_t  i, over = ROOM / 4;
    char    ch;

    for (i = 0; i < n; i++) {
        if (c->words_len == ROOM) {
            memmove(c->words, c->words + over, ROOM - over);
            c->words_len -= over;
        }

        ch = (unsigned char) text[i] < ' ' ? ' ' : text[i];

        if (ch != ' ' || (c->words_len != 0
                          && c->words[c->words_len - 1] != ' '))
        {
            c->words[c->words_len++] = ch;
        }
    }
}


static void
say_left_out(lun_program_child *c)
{
    if (c->left_out != 0) {
        lun_log(LUN_LOG_WARN, NULL, 0, "program \"%.*s\" %" PRId64 ": %u "
                "lines were left out", LUN_S(name_of(c)), c->proc.pid,
                c->left_out);
        c->left_out = 0;
    }
}


static void
log_line(lun_program_child *c, lun_log_level level, lun_str line)
{
    if (lun_clock.mono - c->second >= 1000) {
        c->second = lun_clock.mono;
        c->lines = 0;
        say_left_out(c);
    }

    if (line.len == 0 || !lun_log_wants(NULL, level)) {
        return;
    }

    if (c->lines++ >= LINES) {
        c->left_out++;
        return;
    }

    lun_log(level, NULL, 0, "program \"%.*s\" %" PRId64 ": %.*s",
            LUN_S(name_of(c)), c->proc.pid, LUN_S(line));
}


static void
end_line(output *o)
{
    log_line(o->child, o->level,
             lun_str_trim(lun_str_of(o->line, o->len)));
    o->len = 0;
}


/* Control characters would write other lines, or to a terminal. */
static void
take_piece(output *o, const char *text, size_t n)
{
    size_t  i;

    keep_words(o->child, text, n);

    for (i = 0; i < n; i++) {
        if (text[i] == '\n') {
            end_line(o);
            continue;
        }

        o->line[o->len++] = (unsigned char) text[i] < ' ' || text[i] == 0x7f
                            ? ' ' : text[i];

        if (o->len == LINE) {
            end_line(o);
        }
    }
}


static void
close_output(lun_program_child *c, size_t i)
{
    output  *o = c->out[i];

    if (o == NULL) {
        return;
    }

    end_line(o);
    c->out[i] = NULL;
    o->child = NULL;
    lun_port_close(&o->stream);

    if (!lun_port_busy(&o->stream)) {
        lun_free(o);
    }
}


static void  finish(lun_program_child *c);


static void
on_output(lun_op *op)
{
    output             *o = op->data;
    lun_program_child  *c = o->child;

    if (c == NULL) {
        if (!lun_port_busy(&o->stream)) {
            lun_free(o);
        }

        return;
    }

    if (op->err == 0 && op->result > 0) {
        take_piece(o, o->piece, (size_t) op->result);
        lun_port_read(&o->stream, o->piece, PIECE, on_output);
        return;
    }

    close_output(c, c->out[1] == o);

    if (c->gone && c->out[0] == NULL && c->out[1] == NULL) {
        finish(c);
    }
}


/* Takes the pipe. */
static void
read_output(lun_program_child *c, size_t i, lun_fd fd)
{
    output  *o = lun_calloc(sizeof(output));

    if (lun_port_attach_pipe(c->loop->port, &o->stream, fd) != 0) {
        lun_file_close(fd);
        lun_free(o);
        return;
    }

    o->child = c;
    o->level = i == 0 ? LUN_LOG_INFO : LUN_LOG_ERR;
    o->stream.in.data = o->stream.out.data = o;
    c->out[i] = o;
    lun_port_read(&o->stream, o->piece, PIECE, on_output);
}


/* --- its end ------------------------------------------------------------- */

static void
close_probe(lun_program_child *c)
{
    if (c->probe != NULL) {
        lun_conn_close(c->probe);
        c->probe = NULL;
    }
}


static void
log_end(const lun_program_child *c)
{
    bool           enough = c->ready && c->code == 0;
    lun_str        name = name_of(c);
    lun_str        words = lun_str_trim(lun_str_of(c->words, c->words_len));
    lun_log_level  level = c->ending || enough ? LUN_LOG_NOTICE
                                               : LUN_LOG_ALERT;

    if (words.len != 0 && !c->ending) {
        lun_log(level, NULL, 0, "program \"%.*s\" %" PRId64 " %s: \"%.*s\"",
                LUN_S(name), c->proc.pid, c->why, LUN_S(words));

    } else {
        lun_log(level, NULL, 0, "program \"%.*s\" %" PRId64 " %s",
                LUN_S(name), c->proc.pid, c->why);
    }
}


/* What it has left, while the slot, and so the name, is nobody else's. */
static void
drop_socket(lun_program_child *c)
{
    if (c->addr.family == LUN_AF_UNIX) {
        (void) lun_file_delete(c->path);
    }

    lun_program_unlock(c->path, &c->lock);
}


static bool
has_served(const lun_program_child *c)
{
    return c->table != NULL
           && (atomic_load(&c->table->slots[c->slot].served) != 0
               || lun_program_active(c->table, c->slot) != 0);
}


/* It has ended, and said all that it had to say. */
static void
finish(lun_program_child *c)
{
    lun_program_end  end = {
        .told = c->ending,
        .served = has_served(c),
        .young = !c->ready || lun_clock.mono - c->started < YOUNG
    };

    drop_socket(c);

    if (c->table != NULL) {
        lun_program_set_state(c->table, c->slot, LUN_PROGRAM_NONE);
    }

    lun_timer_stop(&c->timer);
    close_output(c, 0);
    close_output(c, 1);
    close_probe(c);
    say_left_out(c);
    log_end(c);
    lun_proc_forget(&c->proc);
    lun_list_remove(&c->link);
    c->events->ended(c->keeper, c, &end);
    lun_free(c);
}


static void
on_last_words(lun_timer *timer)
{
    finish(lun_container_of(timer, lun_program_child, timer));
}


void
lun_program_child_ended(lun_program_child *c, int code, const char *text)
{
    if (c->gone) {
        return;
    }

    c->code = code;
    (void) lun_fmt(c->why, c->why + sizeof(c->why) - 1, "%s", text);
    c->gone = true;
    close_probe(c);

    if (c->out[0] == NULL && c->out[1] == NULL) {
        finish(c);
        return;
    }

    lun_timer_start(c->loop, &c->timer, LAST_WORDS, on_last_words);
}


/* --- it is told to end --------------------------------------------------- */

void
lun_program_child_kill(lun_program_child *c)
{
    c->ending = true;
    lun_proc_kill(&c->proc);
}


static void
on_stop_limit(lun_timer *timer)
{
    lun_program_child  *c = lun_container_of(timer, lun_program_child, timer);

    lun_log(LUN_LOG_WARN, NULL, 0, "program \"%.*s\" %" PRId64 " did not end "
            "within %" PRIu64 " ms and is killed", LUN_S(name_of(c)),
            c->proc.pid, c->spec->stop_limit);
    lun_proc_kill(&c->proc);
}


static void
ask(lun_program_child *c)
{
    lun_err  err = lun_proc_ask_to_end(&c->proc);

    c->asked = true;

    if (err != 0) {
        lun_log(LUN_LOG_INFO, NULL, err, "program \"%.*s\" %" PRId64 " could "
                "not be asked to end and is killed", LUN_S(name_of(c)),
                c->proc.pid);
        lun_proc_kill(&c->proc);
        return;
    }

    lun_timer_start(c->loop, &c->timer, c->spec->stop_limit, on_stop_limit);
}


static void
on_drain(lun_timer *timer)
{
    lun_program_child_look(lun_container_of(timer, lun_program_child, timer));
}


void
lun_program_child_look(lun_program_child *c)
{
    if (!c->ending || c->asked || c->gone) {
        return;
    }

    if (c->table == NULL || lun_program_active(c->table, c->slot) == 0
        || (c->spec->drain != 0
            && lun_clock.mono - c->since >= c->spec->drain))
    {
        ask(c);
        return;
    }

    lun_timer_start(c->loop, &c->timer, DRAIN_AGAIN, on_drain);
}


void
lun_program_child_end(lun_program_child *c, bool now)
{
    if (c->gone) {
        return;
    }

    if (!c->ending) {
        c->ending = true;
        c->since = lun_clock.mono;
        close_probe(c);

        if (c->table != NULL) {
            lun_program_set_state(c->table, c->slot, LUN_PROGRAM_ENDING);
        }
    }

    if (now && !c->asked) {
        ask(c);

    } else {
        lun_program_child_look(c);
    }
}


/* --- whether it listens -------------------------------------------------- */

static void  on_probe(lun_timer *timer);


static void
on_listens(lun_conn *conn)
{
    lun_program_child  *c = conn->data;

    close_probe(c);
    lun_program_unlock(c->path, &c->lock);
    c->ready = true;

    if (c->table != NULL) {
        lun_program_set_state(c->table, c->slot, LUN_PROGRAM_UP);
        atomic_store(&c->table->broken, false);
    }

    c->events->up(c->keeper);
}


static void
on_silent(lun_conn *conn)
{
    char                at[LUN_ADDR_TEXT];
    lun_program_child  *c = conn->data;

    close_probe(c);

    if (lun_clock.mono - c->silent >= c->spec->start_limit) {
        lun_log(LUN_LOG_ALERT, NULL, 0, "program \"%.*s\" %" PRId64 " does "
                "not listen at %.*s", LUN_S(name_of(c)), c->proc.pid,
                LUN_S(lun_addr_format(&c->addr, true, at, sizeof(at))));
        lun_proc_kill(&c->proc);
        return;
    }

    lun_timer_start(c->loop, &c->timer, PROBE_AGAIN, on_probe);
}


static const struct {
    lun_msec  limit;
} probe_limit = { 1000 };

static const lun_conn_state  probing = {
    .name       = "program probing",
    .doing      = "waiting for a program to listen",
    .on_written = on_listens,
    .on_timeout = on_silent,
    .on_gone    = on_silent,
    .timeout    = 1,
};


static void
on_probe(lun_timer *timer)
{
    lun_err             err;
    lun_program_child  *c = lun_container_of(timer, lun_program_child, timer);

    c->probe = lun_conn_new_out(c->loop, c->addr.family, 64, NULL, &err);

    if (c->probe == NULL) {
        lun_timer_start(c->loop, &c->timer, PROBE_AGAIN, on_probe);
        return;
    }

    c->probe->data = c;
    c->probe->timeouts = &probe_limit;
    lun_conn_enter(c->probe, &probing);
    lun_conn_connect(c->probe, &c->addr);
}


void
lun_program_child_doubt(lun_program_child *c)
{
    if (c->ready && !c->ending && !c->gone && c->probe == NULL) {
        lun_program_set_state(c->table, c->slot, LUN_PROGRAM_STARTING);
        atomic_store(&c->table->slots[c->slot].failed, false);
        c->silent = lun_clock.mono;
        lun_timer_start(c->loop, &c->timer, 0, on_probe);
    }
}


/* --- its beginning ------------------------------------------------------- */

/* The table's is what workers may have changed: it is text, cut to size. */
static void
copy_token(char token[LUN_PROGRAM_TOKEN + 1], const lun_program_table *t)
{
    memcpy(token, t->token, LUN_PROGRAM_TOKEN);
    token[LUN_PROGRAM_TOKEN] = '\0';
}


lun_program_child *
lun_program_child_new(const lun_program_spec *spec, lun_program_table *t,
    uint32_t slot, lun_loop *loop, const lun_program_events *events,
    void *keeper, lun_err *err)
{
    char                at[LUN_ADDR_TEXT], token[LUN_PROGRAM_TOKEN + 1];
    size_t              i;
    lun_fd              fds[2];
    lun_program_child  *c = lun_calloc(sizeof(lun_program_child));

    copy_token(token, t);
    *err = lun_program_launch(spec, token, slot, &c->port, &c->proc, fds,
                              &c->lock);

    if (*err != 0) {
        lun_free(c);
        return NULL;
    }

    lun_list_init(&c->link);
    c->spec = spec;
    c->table = t;
    c->slot = slot;
    c->loop = loop;
    c->events = events;
    c->keeper = keeper;
    c->started = c->silent = lun_clock.mono;
    c->timer.idle = true;
    c->addr = lun_program_addr(spec->socket, slot, c->port, c->path);

    for (i = 0; i < 2; i++) {
        if (fds[i] != LUN_FD_NONE) {
            read_output(c, i, fds[i]);
        }
    }

    lun_program_begin(t, slot, ++last_serial, c->port, c->proc.pid);
    lun_log(LUN_LOG_NOTICE, NULL, 0, "start program \"%.*s\" %" PRId64 " at "
            "%.*s", LUN_S(name_of(c)), c->proc.pid,
            LUN_S(lun_addr_format(&c->addr, true, at, sizeof(at))));
    lun_timer_start(loop, &c->timer, PROBE_AGAIN, on_probe);

    return c;
}


void
lun_program_child_let_go(lun_program_child *c)
{
    size_t  i;

    for (i = 0; i < 2; i++) {
        if (c->out[i] != NULL) {
            lun_file_close(c->out[i]->stream.fd);
        }
    }

    if (c->lock != LUN_FD_NONE) {
        lun_file_close(c->lock);
    }
}
