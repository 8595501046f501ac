/*
 * dial.c -- a connection whose other side does not want it, at each stage: it
 * refuses, goes, says nothing, takes a byte at a time; and owners that let it
 * drop when they are called.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/dial/dial.c"

#include "memory_port.h"


enum { LIMIT = 700, HEAD = 40 };

typedef struct { lun_msec  limit; } limits;

/* What an owner does in a hook, beside writing it down. */
typedef enum { GO_ON, DROP, FAIL, DIAL_AGAIN } deed;

static struct {
    char       told[512];          /* the hooks, in their order */
    unsigned   freed;
    deed       prepare, secure, trusts, up, failed;
    bool       has_header, is_secure;
} o;

static lun_dial  dial;
static lun_addr  addr;
static char      head[HEAD + 1];


static void
write_down(const char *what)
{
    size_t  n = strlen(o.told);

    snprintf(o.told + n, sizeof(o.told) - n, "%s ", what);
}


/* --- the owner ------------------------------------------------------------ */

static const limits  patience = { LIMIT };

static const lun_conn_state  connecting = {
    .name = "test connecting", LUN_DIAL_CONNECTING,
    .timeout = LUN_TIMEOUT(limits, limit)
};

static const lun_conn_state  sending_header = {
    .name = "test header", LUN_DIAL_SENDING_HEADER,
    .timeout = LUN_TIMEOUT(limits, limit)
};

/* In TLS' place: who says "hi" has shaken hands. */
static void
look_for_hi(lun_conn *c)
{
    if (c->in.last - c->in.pos < 2) {
        lun_conn_want(c);

    } else if (memcmp(c->in.pos, "hi", 2) == 0) {
        lun_dial_on_secure(c);

    } else {
        lun_dial_on_lost(c);
    }
}


static const lun_conn_state  handshaking = {
    .name = "test handshaking", .on_read = look_for_hi, LUN_DIAL_HANDSHAKING,
    .timeout = LUN_TIMEOUT(limits, limit)
};

static void
on_gone(lun_conn *c)
{
    write_down("gone");
    lun_dial_drop(&dial);
}


static const lun_conn_state  in_use = {
    .name = "test in use", .on_gone = on_gone, .on_read = on_gone
};


static lun_rc
act(const char *what, deed d)
{
    write_down(what);

    if (d == DROP) {
        lun_dial_drop(&dial);
    }

    return d == FAIL ? LUN_ERROR : LUN_OK;
}


static void
found(lun_dial *d, const lun_addr *addrs, size_t count)
{
}


static lun_rc
prepare(lun_dial *d, lun_conn *c, const lun_addr *where)
{
    return act("prepare", o.prepare);
}


static lun_rc
secure(lun_dial *d, lun_conn *c)
{
    lun_rc  rc = act("secure", o.secure);

    if (d->conn != NULL && rc == LUN_OK) {
        lun_conn_want(c);
    }

    return rc;
}


static bool
trusts(lun_dial *d, lun_conn *c)
{
    return act("trusts", o.trusts) == LUN_OK;
}


static void
up(lun_dial *d)
{
    ok(d->stage == LUN_DIAL_UP && d->conn->data == &o, "it is its owner's");

    if (act("up", o.up) == LUN_OK && d->conn != NULL) {
        lun_conn_enter(d->conn, &in_use);
        lun_conn_want(d->conn);
    }
}


static void
failed(lun_dial *d, lun_dial_why why)
{
    static const char *const  words[] = {
        [LUN_DIAL_UNRESOLVED]    = "unresolved",
        [LUN_DIAL_NO_SOCKET]     = "no-socket",
        [LUN_DIAL_UNPREPARED]    = "unprepared",
        [LUN_DIAL_LOST]          = "lost",
        [LUN_DIAL_TIMED_OUT]     = "timed-out",
        [LUN_DIAL_NO_HANDSHAKE]  = "no-handshake",
        [LUN_DIAL_BAD_HANDSHAKE] = "bad-handshake",
        [LUN_DIAL_UNTRUSTED]     = "untrusted",
    };

    write_down(words[why]);
    lun_dial_drop(d);

    if (o.failed == DIAL_AGAIN) {
        o.failed = GO_ON;
        lun_dial_connect(d, &addr);
    }
}


static void
on_free(lun_conn *c)
{
    o.freed++;
    ok(c->data == &o, "its data is the owner again");
}


static const lun_dial_user  user = {
    .connecting = &connecting, .sending_header = &sending_header,
    .handshaking = &handshaking, .found = found, .prepare = prepare,
    .secure = secure, .trusts = trusts, .up = up, .failed = failed,
    .on_free = on_free
};


/* A connection begins, as `o` wants it: its wire, as far as it has come. */
static wire *
begin(void)
{
    memset(&dial, 0, sizeof(dial));
    memset(head, 'h', HEAD);
    lun_dial_init(&dial, lp, NULL, &user, &o);
    dial.timeouts = &patience;
    dial.in_size = 256;
    dial.secure = o.is_secure;
    dial.header = (lun_slice) { head, o.has_header ? HEAD : 0 };
    lun_addr_parse(LUN_STR("127.0.0.1"), &addr);
    addr.port = 81;
    lun_dial_connect(&dial, &addr);
    wire_run();
    return dial.conn != NULL ? wire_latest(true) : NULL;
}


static void
expect(const char *told, const char *name)
{
    wire_run();
    is_str(o.told, told, "%s", name);
    lun_dial_drop(&dial);
    wire_run();
    is_int(lun_conn_open_count(lp), 0, "nothing is open");
    is_int((int64_t) lun_timer_pending(lp), 0, "nor waited for");
    memset(&o, 0, sizeof(o));
}


/* --- what the other side does --------------------------------------------- */

static void
it_stands(void)
{
    (void) begin();
    expect("prepare up ", "a plain one");

    o.has_header = true;
    (void) begin();
    expect("prepare up ", "what would go in front of TLS does not");

    o.is_secure = true;
    wire_say(begin(), "hi");
    expect("prepare secure trusts up ", "one with a handshake");

    o.is_secure = o.has_header = true;
    wire_say(begin(), "hi");
    expect("prepare secure trusts up ", "and something in front of it");
}


static void
it_is_refused(void)
{
    wire_refusal = lun_err_of_kind(LUN_ERR_REFUSED);
    (void) begin();
    expect("prepare lost ", "nobody listens");

    o.failed = DIAL_AGAIN;
    (void) begin();
    expect("prepare lost prepare lost ", "nor to who dials again at once");
    wire_refusal = 0;

    wire_deaf = true;
    (void) begin();
    wire_wait(LIMIT - 1);
    is_str(o.told, "prepare ", "it waits");
    wire_wait(2);
    expect("prepare timed-out ", "but not for ever");
    wire_deaf = false;
}


static void
its_header_is_not_taken(void)
{
    int    i;
    wire  *w;

    wire_room = 0;
    o.is_secure = o.has_header = true;
    w = begin();

    for (i = 0; i < HEAD; i++) {
        is_str(o.told, "prepare ", "not before all of it is there");
        w->room++;
        wire_wait(LIMIT / HEAD - 1);
    }

    is_int(w->heard_end, HEAD, "a byte at a time");
    wire_say(w, "hi");
    expect("prepare secure trusts up ", "is time enough");

    o.is_secure = o.has_header = true;
    (void) begin();
    wire_wait(LIMIT + 1);
    expect("prepare timed-out ", "none at all is not");

    o.is_secure = o.has_header = true;
    w = begin();

    for (i = 0; i < 4; i++) {
        w->room++;
        wire_wait(LIMIT / 3);
    }

    expect("prepare timed-out ", "nor is one that takes longer than all may");

    o.is_secure = o.has_header = true;
    wire_break(begin());
    expect("prepare lost ", "it goes");
    wire_room = SIZE_MAX;
}


static void
it_does_not_shake_hands(void)
{
    o.is_secure = true;
    (void) begin();
    wire_wait(LIMIT + 1);
    expect("prepare secure timed-out ", "a silent one");

    o.is_secure = true;
    wire_say(begin(), "h");
    wire_wait(LIMIT + 1);
    expect("prepare secure timed-out ", "one that stops");

    o.is_secure = true;
    wire_say(begin(), "HTTP/1.1 200 OK\r\n\r\n");
    expect("prepare secure bad-handshake ", "one that speaks plain text");

    o.is_secure = true;
    wire_end(begin());
    expect("prepare secure bad-handshake ", "one that closes");

    o.is_secure = true;
    wire_break(begin());
    expect("prepare secure bad-handshake ", "one that resets");

    o.is_secure = true;
    o.trusts = FAIL;
    wire_say(begin(), "hi");
    expect("prepare secure trusts untrusted ", "somebody else");
}


static void
it_goes_later(void)
{
    wire_end(begin());
    expect("prepare up gone ", "the owner hears of it");
    is_int(o.freed, 0, "once");
}


/* --- what its owner does -------------------------------------------------- */

static void
its_owner_fails(void)
{
    o.prepare = FAIL;
    (void) begin();
    expect("prepare unprepared ", "to make it ready");

    o.is_secure = true;
    o.secure = FAIL;
    (void) begin();
    expect("prepare secure no-handshake ", "to begin a handshake");
}


static void
its_owner_drops_it(void)
{
    size_t    i;
    wire     *w;
    unsigned  freed;

    o.up = DROP;
    (void) begin();
    expect("prepare up ", "when it stands");

    o.is_secure = true;
    o.up = DROP;
    wire_say(begin(), "hi");
    expect("prepare secure trusts up ", "and has shaken hands");

    /* At each stage, with what is in flight. */
    for (i = 0; i < 4; i++) {
        o.is_secure = i > 0;
        o.has_header = i == 1;
        wire_deaf = i == 0;
        wire_room = i == 1 ? 3 : SIZE_MAX;
        w = begin();

        if (i == 3) {
            wire_say(w, "h");
        }

        freed = o.freed;
        lun_dial_drop(&dial);
        lun_dial_drop(&dial);
        wire_run();
        ok(o.freed == freed + 1 && dial.stage == LUN_DIAL_IDLE,
           "at any stage, and twice");
        wire_deaf = false;
        wire_room = SIZE_MAX;
        expect(i < 2 ? "prepare " : "prepare secure ", "no hook is called");
    }
}


static void
its_owner_takes_it(void)
{
    lun_conn  *c;

    (void) begin();
    c = lun_dial_take(&dial);
    ok(c->data == &o && dial.conn == NULL, "it is not the dial's any more");
    lun_dial_use(&dial, c);
    ok(dial.conn == c && dial.stage == LUN_DIAL_UP, "and is once more");
    expect("prepare up ", "no hook is called");
}


int
main(void)
{
    lun_sock_init();
    lun_loop_init(lp);

    it_stands();
    it_is_refused();
    its_header_is_not_taken();
    it_does_not_shake_hands();
    it_goes_later();
    its_owner_fails();
    its_owner_drops_it();
    its_owner_takes_it();

    return done_testing();
}
