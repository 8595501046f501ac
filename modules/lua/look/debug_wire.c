/*
 * debug_wire.c -- see debug_wire.h.
 *
 * The thread puts what it has read into a queue and wakes the loop; where the
 * loop stands still, in a handler that cannot yield, the queue is waited for.
 * One client at a time: the thread accepts the next when the loop has closed
 * the one before.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/look/debug_wire.h"

#include <stdio.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/pool.h"
#include "modules/lua/look/dap_frame.h"
#include "os/thread.h"
#include "os/time.h"

enum {
    QUEUE       = 64,              /* messages; then the client has to wait */
    LOOK        = 200,             /* ms: how soon a word of ours is noticed */
    FOR_EVER    = 3600 * 1000,
    STRANGER    = 10 * 1000,       /* ms, without lun_debug_wire_trust() */
    SENDING     = 5 * 1000
};

typedef struct item  item;
struct item {
    item            *next;
    lun_debug_news   what;
    char            *text;
    size_t           len;
};

static struct {
    lun_monitor  *monitor;         /* of everything below */
    item         *head, **tail;
    unsigned      count;
    lun_port     *port;
    lun_op        op;
    bool          posted;
    void        (*come)(void);
    bool          stdio;
    lun_fd        listener;
    lun_fd        client;          /* the loop closes it */
    bool          open;            /* ..., or standard output is */
    bool          trusted, hang_up, ended;
} wire = { .listener = LUN_FD_NONE, .client = LUN_FD_NONE };


/* --- the queue ----------------------------------------------------------- */

static void
on_come(lun_op *op)
{
    lun_monitor_enter(wire.monitor);
    wire.posted = false;
    lun_monitor_leave(wire.monitor);
    wire.come();
}


/* Inside the monitor. */
static void
tell(void)
{
    if (wire.port != NULL && !wire.posted && wire.head != NULL) {
        wire.posted = true;
        wire.op.done = on_come;
        lun_port_post_remote(wire.port, &wire.op);
    }
}


static void
put(lun_debug_news what, char *text, size_t len)
{
    item  *new = lun_malloc(sizeof(item));

    *new = (item) { .what = what, .text = text, .len = len };
    lun_monitor_enter(wire.monitor);

    while (wire.count >= QUEUE && !wire.ended) {
        lun_monitor_wait(wire.monitor);
    }

    *wire.tail = new;
    wire.tail = &new->next;
    wire.count++;
    tell();
    lun_monitor_send(wire.monitor);
    lun_monitor_leave(wire.monitor);
}


/* --- the thread ---------------------------------------------------------- */

/* False: they are no messages of the protocol. */
static bool
take_bytes(lun_dap_frame *f, const char *p, size_t n)
{
    char            *text;
    size_t           len;
    const char      *end = p + n;
    lun_dap_verdict  verdict;

    while ((verdict = lun_dap_take(f, &p, end)) == LUN_DAP_WHOLE) {
        text = lun_dap_body(f, &len);
        put(LUN_DEBUG_TEXT, text, len);
    }

    return verdict == LUN_DAP_MORE;
}


static void
read_stdio(void *data)
{
    int            c;
    char           byte;
    lun_dap_frame  f = { .line_len = 0 };

    put(LUN_DEBUG_OPENED, NULL, 0);

    while ((c = getc(stdin)) != EOF) {
        byte = (char) c;

        if (!take_bytes(&f, &byte, 1)) {
            break;
        }
    }

    lun_free(f.body);
    put(LUN_DEBUG_CLOSED, NULL, 0);
}


static bool
may_stay(lun_msec since)
{
    bool  good;

    lun_monitor_enter(wire.monitor);
    good = !wire.hang_up && !wire.ended
           && (wire.trusted || lun_time_monotonic() - since < STRANGER);
    lun_monitor_leave(wire.monitor);
    return good;
}


static void
read_client(lun_fd fd)
{
    char           room[4096];
    size_t         n;
    lun_err        err;
    lun_msec       since = lun_time_monotonic();
    lun_dap_frame  f = { .line_len = 0 };

    while (may_stay(since)) {
        err = lun_sock_recv_wait(fd, room, sizeof(room), LOOK, &n);

        if (err != 0 && lun_err_kind_of(err) == LUN_ERR_TIMEOUT) {
            continue;
        }

        if (err != 0 || n == 0 || !take_bytes(&f, room, n)) {
            break;
        }
    }

    lun_free(f.body);
}


/* Until the loop has closed it. */
static void
wait_for_end(void)
{
    lun_monitor_enter(wire.monitor);

    while (wire.client != LUN_FD_NONE && !wire.ended) {
        lun_monitor_wait(wire.monitor);
    }

    lun_monitor_leave(wire.monitor);
}


static void
read_clients(void *data)
{
    lun_fd   fd;
    lun_err  err;

    while (!wire.ended) {
        err = lun_sock_accept_wait(wire.listener, FOR_EVER, &fd);

        if (err != 0) {
            lun_time_sleep(LOOK);
            continue;
        }

        lun_monitor_enter(wire.monitor);
        wire.client = fd;
        wire.open = true;
        wire.trusted = wire.hang_up = false;
        lun_monitor_leave(wire.monitor);

        put(LUN_DEBUG_OPENED, NULL, 0);
        read_client(fd);
        put(LUN_DEBUG_CLOSED, NULL, 0);
        wait_for_end();
    }
}


/* --- in the loop's thread ------------------------------------------------ */

static void
begin(void)
{
    LUN_CHECK(wire.monitor == NULL);

    wire.monitor = lun_monitor_new();
    wire.tail = &wire.head;
}


lun_err
lun_debug_wire_stdio(void)
{
    begin();
    wire.stdio = wire.open = true;
    return lun_thread_start(read_stdio, NULL);
}


lun_err
lun_debug_wire_listen(const lun_addr *addr)
{
    lun_err             err;
    const char         *failed;
    lun_listen_options  options = { .backlog = 4, .fastopen = -1 };

    begin();
    err = lun_sock_listen(addr, &options, &wire.listener, &failed);
    return err != 0 ? err : lun_thread_start(read_clients, NULL);
}


lun_err
lun_debug_wire_address(lun_addr *addr)
{
    return lun_sock_local(wire.listener, addr);
}


static void
close_client(void)
{
    wire.open = false;

    if (wire.client != LUN_FD_NONE) {
        lun_sock_close(wire.client);
        wire.client = LUN_FD_NONE;
    }
}


lun_debug_news
lun_debug_wire_take(char **text, size_t *len)
{
    item            *first;
    lun_debug_news   what = LUN_DEBUG_NOTHING;

    lun_monitor_enter(wire.monitor);
    first = wire.head;

    if (first != NULL) {
        what = first->what;
        *text = first->text;
        *len = first->len;
        wire.head = first->next;
        wire.count--;

        if (wire.head == NULL) {
            wire.tail = &wire.head;
        }

        if (what == LUN_DEBUG_CLOSED) {
            close_client();
        }

        lun_monitor_send(wire.monitor);
    }

    lun_monitor_leave(wire.monitor);
    lun_free(first);
    return what;
}


void
lun_debug_wire_wait(void)
{
    lun_monitor_enter(wire.monitor);

    while (wire.head == NULL) {
        lun_monitor_wait(wire.monitor);
    }

    lun_monitor_leave(wire.monitor);
}


void
lun_debug_wire_tell(lun_port *port, void (*come)(void))
{
    lun_monitor_enter(wire.monitor);
    wire.port = port;
    wire.come = come;
    tell();
    lun_monitor_leave(wire.monitor);
}


static bool
send_all(const char *text, size_t len)
{
    if (wire.stdio) {
        return fwrite(text, 1, len, stdout) == len && fflush(stdout) == 0;
    }

    return lun_sock_send_wait(wire.client, text, len, SENDING) == 0;
}


void
lun_debug_wire_send(const char *text, size_t len)
{
    char   head[64];
    char  *p = lun_fmt(head, head + sizeof(head), "Content-Length: %zu\r\n\r\n",
                       len);

    if (wire.open && !(send_all(head, (size_t) (p - head))
                       && send_all(text, len)))
    {
        wire.open = false;
        lun_debug_wire_hang_up();
    }
}


void
lun_debug_wire_trust(void)
{
    lun_monitor_enter(wire.monitor);
    wire.trusted = true;
    lun_monitor_leave(wire.monitor);
}


void
lun_debug_wire_hang_up(void)
{
    lun_monitor_enter(wire.monitor);
    wire.hang_up = true;
    lun_monitor_leave(wire.monitor);
}


/*
 * The thread sleeps in a call of the system; it ends with the process, and
 * finds by then that nothing is to be done.
 */
void
lun_debug_wire_close(void)
{
    lun_monitor_enter(wire.monitor);
    wire.ended = true;
    wire.port = NULL;
    close_client();

    if (wire.listener != LUN_FD_NONE) {
        lun_sock_close(wire.listener);
    }

    lun_monitor_send(wire.monitor);
    lun_monitor_leave(wire.monitor);
}
