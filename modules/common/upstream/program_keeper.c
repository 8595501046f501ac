/*
 * program_keeper.c -- the processes of an upstream's programs: watched,
 * started anew, ended.
 *
 * The keeper is one worker of each generation (net/duty.h).  Its programs are
 * bound to it: whatever becomes of a keeper, none of them outlives it, and the
 * table in the zone is mended by the master before another begins.
 *
 * A reload starts a second keeper beside the first.  For each program of its
 * own that listens it ends one of the first's, when that has no request in
 * hand.  The first stays until the other workers of its generation have gone,
 * which may need its programs for the requests that they still have.
 *
 * A program that ends at once, or does not listen in time, is started again
 * after a pause that grows; the log has its last words.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/program_priv.h"

#include "base/fmt.h"
#include "net/conn.h"
#include "net/loop.h"
#include "os/file.h"
#include "os/lock.h"
#include "os/proc.h"
#include "shm/workers.h"


enum {
    YOUNG = 1000,                  /* ms: to end before that is suspicious */
    FIRST_PAUSE = 100,             /* ms, doubled with each further time */
    MAX_PAUSE = 5000,
    PROBE_AGAIN = 20,              /* ms: whether it listens by now */
    MOST_SILENT = 30000,           /* ms that it may take for that */
    LAST_WORDS = 100,              /* ms for them, behind its end */
    LOOK_AROUND = 50,              /* ms: whether a keeper may go */
    WORDS = 400,
    PIECE = 1024
};

typedef struct child  child;
typedef struct keeper  keeper;

/* What a program writes; it may outlive the child that it is of. */
typedef struct {
    lun_stream  stream;
    child      *child;             /* NULL: nobody listens */
    char        piece[PIECE];
} output;

struct child {
    keeper     *k;
    lun_proc    proc;              /* pid 0: it does not run */
    uint32_t    slot;              /* of the table; NO_SLOT */
    uint16_t    port;
    lun_addr    addr;              /* it listens there */
    char        path[LUN_PROGRAM_PATH];    /* addr's */
    lun_msec    started;
    unsigned    young;             /* times that it ended too early */
    lun_fd      lock;              /* to its socket, until it listens there */
    bool        ready;
    bool        ended;             /* only its last words are waited for */
    int         code;
    char        why[64];           /* "exited with code 1" */
    lun_timer   timer;
    lun_conn   *probe;
    output     *out;
    char        words[WORDS];
    size_t      words_len;
};

struct keeper {
    lun_list        link;
    lun_programs   *conf;
    lun_generation *gen;
    bool            quitting;
    lun_timer       look;
    size_t          count;
    child           children[];
};

enum { NO_SLOT = UINT32_MAX };

static lun_list  keepers = { &keepers, &keepers };


static void  start(child *c);
static void  on_again(lun_timer *timer);


static lun_program_table *
table_of(const child *c)
{
    return lun_program_table_of(c->k->conf);
}


static lun_str
name_of(const child *c)
{
    return *(lun_str *) lun_array_at(&c->k->conf->argv, 0);
}


void
lun_program_end(int64_t pid, bool at_once)
{
    enum { TERM = 15, KILL = 9 };

    (void) lun_proc_send_to(pid, at_once ? KILL : TERM);
}


/* --- its end ------------------------------------------------------------- */

static void
close_output(child *c)
{
    output  *o = c->out;

    if (o == NULL) {
        return;
    }

    c->out = NULL;
    o->child = NULL;
    lun_port_close(&o->stream);

    if (!lun_port_busy(&o->stream)) {
        lun_free(o);
    }
}


static void
close_probe(child *c)
{
    if (c->probe != NULL) {
        lun_conn_close(c->probe);
        c->probe = NULL;
    }
}


static void
pause_child(child *c, lun_msec pause)
{
    c->timer.idle = true;
    lun_timer_start(c->k->gen->loop, &c->timer, pause, on_again);
}


/* Requests need not wait where nothing runs, and the last have failed. */
static void
update_broken(keeper *k)
{
    size_t              i;
    lun_program_table  *t = lun_program_table_of(k->conf);

    for (i = 0; i < k->count; i++) {
        if (k->children[i].proc.pid != 0 || k->children[i].young == 0) {
            return;
        }
    }

    lun_program_set_broken(t, k->gen->number);
}


static void
log_end(const child *c, bool told)
{
    bool           enough = c->ready && c->code == 0;
    lun_str        name = name_of(c);
    lun_str        words = lun_str_trim(lun_str_of(c->words, c->words_len));
    lun_log_level  level = told || enough ? LUN_LOG_NOTICE : LUN_LOG_ALERT;

    if (words.len != 0) {
        lun_log(level, &c->k->gen->log, 0, "program \"%.*s\" %" PRId64
                " %s: \"%.*s\"", LUN_S(name), c->proc.pid, c->why,
                LUN_S(words));

    } else {
        lun_log(level, &c->k->gen->log, 0, "program \"%.*s\" %" PRId64 " %s",
                LUN_S(name), c->proc.pid, c->why);
    }
}


/* What it has left, while the slot, and so the name, is nobody else's. */
static void
drop_socket(child *c)
{
    if (c->addr.family == LUN_AF_UNIX) {
        (void) lun_file_delete(c->path);
    }

    lun_program_unlock(c->path, &c->lock);
}


/* It has ended, and said all that it had to say. */
static void
finish(child *c)
{
    bool      told, served;
    lun_msec  pause = 0;

    drop_socket(c);
    told = lun_program_gone(table_of(c), c->slot, &served);

    lun_timer_stop(&c->timer);
    close_output(c);
    close_probe(c);
    log_end(c, told);

    lun_proc_forget(&c->proc);
    c->slot = NO_SLOT;
    c->ended = false;

    if (c->k->quitting) {
        return;
    }

    if (!told && !served
        && (!c->ready || lun_clock.mono - c->started < YOUNG))
    {
        pause = lun_min((lun_msec) FIRST_PAUSE << lun_min(c->young, 8u),
                        (lun_msec) MAX_PAUSE);
        c->young++;
        update_broken(c->k);

    } else {
        c->young = 0;
    }

    pause_child(c, pause);
}


static void
on_last_words(lun_timer *timer)
{
    finish(lun_container_of(timer, child, timer));
}


static child *
find_child(int64_t pid)
{
    size_t   i;
    keeper  *k;

    lun_list_each (&keepers, it) {
        k = lun_container_of(it, keeper, link);

        for (i = 0; i < k->count; i++) {
            if (k->children[i].proc.pid == pid) {
                return &k->children[i];
            }
        }
    }

    return NULL;
}


static void
on_ended(int64_t pid, int code, const char *text)
{
    child  *c = find_child(pid);

    if (c == NULL || c->ended) {
        return;
    }

    c->code = code;

    (void) lun_fmt(c->why, c->why + sizeof(c->why) - 1, "%s", text);
    c->ended = true;
    close_probe(c);

    if (c->out == NULL) {
        finish(c);
        return;
    }

    lun_timer_start(c->k->gen->loop, &c->timer, LAST_WORDS, on_last_words);
}


/* --- what it says -------------------------------------------------------- */

/* The last line or two: what does not fit is forgotten from the beginning. */
static void
keep_words(child *c, const char *text, size_t n)
{
    size_t  i, over;
    char    ch;

    for (i = 0; i < n; i++) {
        if (c->words_len == WORDS) {
            over = WORDS / 4;
            memmove(c->words, c->words + over, WORDS - over);
            c->words_len -= over;
        }

        ch = text[i];

        if ((unsigned char) ch < ' ') {
            ch = ' ';
        }

        if (ch != ' ' || (c->words_len != 0
                          && c->words[c->words_len - 1] != ' '))
        {
            c->words[c->words_len++] = ch;
        }
    }
}


static void
on_output(lun_op *op)
{
    output  *o = op->data;
    child   *c = o->child;

    if (c == NULL) {
        if (!lun_port_busy(&o->stream)) {
            lun_free(o);
        }

        return;
    }

    if (op->err == 0 && op->result > 0) {
        keep_words(c, o->piece, (size_t) op->result);
        lun_port_read(&o->stream, o->piece, PIECE, on_output);
        return;
    }

    close_output(c);

    if (c->ended) {
        finish(c);
    }
}


/* Takes the pipe. */
static void
read_output(child *c, lun_fd fd)
{
    output  *o = lun_calloc(sizeof(output));

    if (lun_port_attach_pipe(c->k->gen->loop->port, &o->stream, fd) != 0) {
        lun_file_close(fd);
        lun_free(o);
        return;
    }

    o->child = c;
    o->stream.in.data = o->stream.out.data = o;
    c->out = o;
    lun_port_read(&o->stream, o->piece, PIECE, on_output);
}


/* --- whether it listens -------------------------------------------------- */

static void  on_probe(lun_timer *timer);


static void
on_listens(lun_conn *conn)
{
    child    *c = conn->data;
    int64_t   old;

    close_probe(c);
    lun_program_unlock(c->path, &c->lock);
    c->ready = true;
    lun_program_ready(table_of(c), c->slot);

    old = lun_program_replace(table_of(c), c->k->gen->number);

    if (old != 0) {
        lun_program_end(old, false);
    }
}


static void
on_silent(lun_conn *conn)
{
    char    at[LUN_ADDR_TEXT];
    child  *c = conn->data;

    close_probe(c);

    if (lun_clock.mono - c->started > MOST_SILENT) {
        lun_log(LUN_LOG_ALERT, &c->k->gen->log, 0, "program \"%.*s\" %" PRId64
                " does not listen at %.*s", LUN_S(name_of(c)), c->proc.pid,
                LUN_S(lun_addr_format(&c->addr, true, at, sizeof(at))));
        lun_proc_kill(&c->proc);
        return;
    }

    c->timer.idle = true;
    lun_timer_start(c->k->gen->loop, &c->timer, PROBE_AGAIN, on_probe);
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
    child     *c = lun_container_of(timer, child, timer);
    lun_err    err;

    c->probe = lun_conn_new_out(c->k->gen->loop, c->addr.family, 64,
                                &c->k->gen->log, &err);

    if (c->probe == NULL) {
        lun_timer_start(c->k->gen->loop, &c->timer, PROBE_AGAIN, on_probe);
        return;
    }

    c->probe->data = c;
    c->probe->timeouts = &probe_limit;
    lun_conn_enter(c->probe, &probing);
    lun_conn_connect(c->probe, &c->addr);
}


/* --- its beginning ------------------------------------------------------- */

static void
fail_to_start(child *c, lun_err err)
{
    lun_log(LUN_LOG_ALERT, &c->k->gen->log, err, "starting program \"%.*s\" "
            "failed", LUN_S(name_of(c)));
    (void) lun_program_gone(table_of(c), c->slot, NULL);
    c->slot = NO_SLOT;
    c->proc.pid = 0;
    c->young++;
    update_broken(c->k);
    pause_child(c, MAX_PAUSE);
}


static void
start(child *c)
{
    char                at[LUN_ADDR_TEXT];
    lun_fd              fd;
    lun_err             err;
    lun_program_table  *t = table_of(c);

    c->slot = lun_program_claim(t, c->k->gen->number);
    c->ready = false;
    c->words_len = 0;
    c->started = lun_clock.mono;

    /* Those of generations that go will make room. */
    if (c->slot == t->count) {
        c->slot = NO_SLOT;
        pause_child(c, FIRST_PAUSE);
        return;
    }

    err = lun_program_launch(c->k->conf, c->slot, &c->port, &c->proc, &fd,
                             &c->lock);

    if (err != 0) {
        fail_to_start(c, err);
        return;
    }

    c->addr = lun_program_addr(c->k->conf, c->slot, c->port, c->path);
    read_output(c, fd);

    if (!lun_program_started(t, c->slot, c->proc.pid, c->port)) {
        lun_program_end(c->proc.pid, false);
    }

    lun_log(LUN_LOG_NOTICE, &c->k->gen->log, 0, "start program \"%.*s\" %"
            PRId64 " at %.*s", LUN_S(name_of(c)), c->proc.pid,
            LUN_S(lun_addr_format(&c->addr, true, at, sizeof(at))));
    c->timer.idle = true;
    lun_timer_start(c->k->gen->loop, &c->timer, PROBE_AGAIN, on_probe);
}


static void
on_again(lun_timer *timer)
{
    child  *c = lun_container_of(timer, child, timer);

    if (!c->k->quitting) {
        start(c);
    }
}


/* --- the keeper ---------------------------------------------------------- */

static void
begin_keeping(lun_duty *d)
{
    size_t         i;
    keeper        *k;
    lun_programs  *p = d->data;

    k = lun_calloc(sizeof(keeper) + (size_t) p->count * sizeof(child));
    k->conf = p;
    k->gen = p->gen;
    k->count = (size_t) p->count;
    d->work = k;
    lun_list_push_back(&keepers, &k->link);
    lun_proc_on_child(on_ended);

    for (i = 0; i < k->count; i++) {
        k->children[i].k = k;
        k->children[i].slot = NO_SLOT;
        k->children[i].lock = LUN_FD_NONE;
        start(&k->children[i]);
    }
}


/* Of the workers of our generation. */
static bool
others_live(const lun_generation *gen)
{
    unsigned        i;
    lun_worker_row  w;

    for (i = 0; i < lun_workers_room(); i++) {
        if (lun_workers_at(i, &w) && w.generation == gen->number
            && w.number < gen->workers && w.owner != lun_lock_self()
            && lun_lock_owner_lives(w.owner))
        {
            return true;
        }
    }

    return false;
}


static size_t
running(const keeper *k)
{
    size_t  i, n = 0;

    for (i = 0; i < k->count; i++) {
        n += k->children[i].proc.pid != 0;
    }

    return n;
}


static void
retire_all(keeper *k)
{
    size_t   i;
    child   *c;
    int64_t  pid;

    for (i = 0; i < k->count; i++) {
        c = &k->children[i];
        pid = c->slot != NO_SLOT ? lun_program_retire(table_of(c), c->slot)
                                 : 0;

        if (pid != 0) {
            lun_program_end(pid, false);
        }
    }
}


static void
on_look_around(lun_timer *timer)
{
    keeper  *k = lun_container_of(timer, keeper, look);

    if (!others_live(k->gen) && lun_list_empty(&k->conf->waiting)) {
        retire_all(k);
    }

    if (running(k) != 0) {
        lun_timer_start(k->gen->loop, timer, LOOK_AROUND, on_look_around);
    }
}


static void
quit_keeping(lun_duty *d)
{
    keeper  *k = d->work;

    k->quitting = true;
    on_look_around(&k->look);
}


/* With whatever they have in hand: the process ends. */
static void
end_keeping(lun_duty *d)
{
    size_t   i;
    child   *c;
    keeper  *k = d->work;

    lun_timer_stop(&k->look);

    for (i = 0; i < k->count; i++) {
        c = &k->children[i];
        lun_timer_stop(&c->timer);
        close_probe(c);
        close_output(c);

        /* Nobody takes a program that is about to be killed. */
        if (c->slot != NO_SLOT) {
            drop_socket(c);
            (void) lun_program_gone(table_of(c), c->slot, NULL);
        }

        if (c->proc.pid != 0) {
            lun_proc_kill(&c->proc);
            lun_proc_forget(&c->proc);
        }
    }

    lun_list_remove(&k->link);
    lun_free(k);
    d->work = NULL;
}


const lun_duty_kind  lun_program_keeping = {
    .name = "programs of upstream",
    .of_generation = true,
    .begin = begin_keeping,
    .quit = quit_keeping,
    .end = end_keeping,
};
