/*
 * mailbox.c -- rows of workers, letters and bells through their zone, and
 * workers that are killed with a letter in their hands.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/mailbox.c"

#include "os/proc.h"
#include "os/sock.h"
#include "os/time.h"
#include "tap_step.h"


enum { LIMIT = 10000, MANY = 3000, NOBODY = 0x7ffffff0, GENERATION = 7 };

static lun_port      *port;
static lun_zone_set  *zones;

static struct {
    int      count;
    int      bad;
    int      bells;
    size_t   len;
    bool     leaves;
} got;


/* A letter's bytes are all the low byte of its number, as is its length. */
static void
on_letter(void *data, lun_str text)
{
    size_t  i;

    for (i = 0; i < text.len; i++) {
        got.bad += (uint8_t) text.data[i] != (uint8_t) got.count;
    }

    got.len = text.len;
    got.count++;

    if (got.leaves) {
        lun_workers_leave();
    }
}


static void
on_bell(void *data, lun_str text)
{
    got.bells++;
    got.bad += text.len != 0;
}


static bool
turn(int n)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (got.count < n && lun_time_monotonic() < end) {
        lun_port_wait(port, 20, NULL);
    }

    return got.count == n;
}


static lun_mailbox_verdict
send_kind(lun_letter_kind kind, unsigned row, int value, size_t len)
{
    static char  text[LUN_MAILBOX_MOST + 1];

    const lun_slice  parts[] = { { text, len / 2 }, { text, len - len / 2 } };

    memset(text, value, len);
    return lun_mailbox_send(row, lun_lock_self(), kind, parts, 2);
}


static lun_mailbox_verdict
send_letter(unsigned row, int value, size_t len)
{
    return send_kind(LUN_LETTER_DATAGRAM, row, value, len);
}


static unsigned
enter(void)
{
    memset(&got, 0, sizeof(got));
    ok(lun_workers_enter(port, GENERATION, 3) == 0 && lun_workers_self() >= 0,
       "a row is taken");
    return (unsigned) lun_workers_self();
}


static void
rows_are_seen(void)
{
    unsigned        n;
    lun_worker_row  w;

    ok(!lun_workers_at(0, &w) && !lun_workers_find(GENERATION, 3, &w),
       "nobody is there");
    n = enter();
    ok(lun_workers_at(n, &w) && w.owner == lun_lock_self()
       && w.generation == GENERATION && w.number == 3, "then this process");
    ok(lun_workers_find(GENERATION, 3, &w) && w.row == n
       && !lun_workers_find(GENERATION, 2, &w), "by its number");

    is_int(lun_workers_enter(port, GENERATION + 1, 0), 0, "it serves another");
    ok(lun_workers_self() == (int) n
       && lun_workers_find(GENERATION + 1, 0, &w), "in the same row");
    ok(lun_mailbox_bit() == UINT64_C(1) << n % 64, "its bit");

    lun_workers_leave();
    ok(!lun_workers_at(n, &w) && lun_workers_self() < 0
       && lun_mailbox_bit() == 0, "and leaves");
}


static void
carries_letters(void)
{
    unsigned  n = enter();

    is_int(send_letter(n, 0, 10), LUN_MAILBOX_SENT, "a letter");
    is_int(send_letter(n, 1, 0), LUN_MAILBOX_SENT, "an empty one");
    ok(turn(2) && got.bad == 0 && got.len == 0, "both come");

    is_int(send_letter(n, 2, LUN_MAILBOX_MOST), LUN_MAILBOX_SENT, "a long one");
    ok(turn(3) && got.bad == 0 && got.len == LUN_MAILBOX_MOST, "it comes");
    is_int(send_letter(n, 3, LUN_MAILBOX_MOST + 1), LUN_MAILBOX_FULL,
           "not a longer one");

    is_int(send_letter(lun_workers_room(), 3, 1), LUN_MAILBOX_GONE,
           "there is no such row");
    is_int(send_letter(n + 1, 3, 1), LUN_MAILBOX_GONE, "nobody in another");

    lun_workers_leave();
    is_int(send_letter(n, 3, 1), LUN_MAILBOX_GONE, "nor in one that was left");
    is_int(got.count, 3, "nothing else has come");
}


/* What 1,000 clients say at once, while the worker is about something else. */
static void
takes_a_burst(void)
{
    int       i, sent = 0;
    unsigned  n = enter();

    for (i = 0; i < 1000; i++) {
        sent += send_letter(n, i, 1500 + 44) == LUN_MAILBOX_SENT;
    }

    is_int(sent, 1000, "a thousand datagrams of 1,500 bytes");
    ok(turn(1000) && got.bad == 0, "come");
    got.count = 0;

    for (i = 0, sent = 0; i < 2000; i++) {
        sent += send_letter(n, sent, 1500) == LUN_MAILBOX_SENT;
    }

    ok(sent > 1000 && sent < 2000, "more are lost from the %dth on", sent);
    is_int(send_kind(LUN_LETTER_CACHE, n, sent, 1000), LUN_MAILBOX_SENT,
           "there is room for others");
    lun_mailbox_on(LUN_LETTER_CACHE, on_letter, NULL);
    ok(turn(sent + 1) && got.bad == 0, "which come behind them");
    lun_workers_leave();
}


/* Few letters at a time never leave the beginning of the ring. */
static void
stays_small(void)
{
    int        i;
    unsigned   n = enter();
    uint32_t  *given = &lun_workers_map.given[n];

    *given = 0;

    for (i = 0; i < MANY; i++) {
        (void) send_letter(n, i, 1500);
        (void) turn(i + 1);
    }

    ok(got.bad == 0 && got.count == MANY, "%d letters, one by one", MANY);
    ok(*given <= 256 * 1024, "have touched %u bytes", *given);
    lun_workers_leave();
}


/* Lengths that meet the end of the ring in all ways; more than a batch. */
static void
goes_round(void)
{
    int       i, sent, full = 0;
    unsigned  n = enter();

    for (i = sent = 0; i < MANY; i++) {
        if (send_letter(n, sent, (size_t) (i * 37 % 5000)) == LUN_MAILBOX_SENT)
        {
            sent++;
            continue;
        }

        full++;
        ok(sent > 0 && turn(sent), "full: %d letters were there", sent);
    }

    ok(turn(sent) && got.bad == 0 && full > 1, "%d letters, %d times full",
       sent, full);
    lun_workers_leave();
}


static void
rings(void)
{
    unsigned  n = enter();

    lun_mailbox_on(LUN_LETTER_SERVER, on_bell, NULL);
    lun_mailbox_ring(n, LUN_LETTER_SERVER);
    lun_mailbox_ring(n, LUN_LETTER_SERVER);
    (void) send_letter(n, 0, 1);
    ok(turn(1) && got.bells == 1 && got.bad == 0, "a bell, rung twice");

    lun_mailbox_ring_bits(lun_mailbox_bit(), LUN_LETTER_SERVER);
    (void) send_letter(n, 1, 1);
    ok(turn(2) && got.bells == 2, "by its bit");
    lun_mailbox_ring_bits(~lun_mailbox_bit(), LUN_LETTER_SERVER);
    (void) send_letter(n, 2, 1);
    ok(turn(3) && got.bells == 2, "not by others'");
    lun_mailbox_ring_all(LUN_LETTER_SERVER);
    lun_port_wait(port, 100, NULL);
    is_int(got.bells, 3, "a bell alone wakes it");

    lun_workers_leave();
    lun_mailbox_ring_all(LUN_LETTER_SERVER);
    lun_port_wait(port, 0, NULL);
    is_int(got.bells, 3, "who has left hears nothing");
}


static void
leaves_while_reading(void)
{
    unsigned  n = enter();

    got.leaves = true;
    (void) send_letter(n, 0, 1);
    (void) send_letter(n, 0, 1);
    ok(turn(1), "the first letter makes it leave");
    lun_port_wait(port, 0, NULL);
    is_int(got.count, 1, "the second is lost");

    is_int(enter(), n, "the row serves again");
    lun_port_wait(port, 0, NULL);
    is_int(got.count, 0, "and its box is empty");
    lun_workers_leave();
}


/* Rows of processes that are there no more are free. */
static void
inherits_rows(void)
{
    unsigned     i;
    worker_row  *row = lun_workers_map.h->row;

    for (i = 0; i < lun_workers_room(); i++) {
        atomic_store(&row[i].wake.owner, lun_lock_self());
    }

    is_int(i, 192, "140 processes have room");
    ok(lun_workers_enter(port, 1, 1) != 0 && lun_workers_self() < 0,
       "all are taken");

    atomic_store(&row[150].wake.owner, (uint64_t) NOBODY << 32);
    is_int(enter(), 150, "that of a dead process is taken");
    lun_workers_leave();

    atomic_store(&row[150].wake.owner, lun_lock_self());
    lun_lock_take(&row[150].lock);
    lun_zone_mend(zones, lun_proc_pid(), NULL);
    ok(atomic_load(&row[150].wake.owner) == 0 && lun_lock_try(&row[150].lock),
       "the master frees the rows and locks of one that died");
    lun_lock_free(&row[150].lock);
}


/* --- killed -------------------------------------------------------------- */

static struct {
    unsigned  row, steps, inside, before, after, bad;
} seen;


static void
send_one(void *data)
{
    (void) send_letter(seen.row, 7, 100);
}


/* It dies here: the letter is there, all of it, or is not. */
static void
look(void *data)
{
    size_t            i;
    lun_str           text;
    worker_row        saved, *w = &lun_workers_map.h->row[seen.row];
    lun_letter_kind   kind;

    memcpy(&saved, w, sizeof(saved));
    seen.steps++;
    seen.inside += lun_lock_seize(&w->lock, lun_proc_pid());
    seen.bad += !lun_lock_try(&w->lock);

    if (read_head(w, &kind, &text) == 0) {
        seen.before++;

    } else {
        seen.after++;
        seen.bad += text.len != 100 || kind != LUN_LETTER_DATAGRAM;

        for (i = 0; i < text.len; i++) {
            seen.bad += text.data[i] != 7;
        }
    }

    memcpy(w, &saved, sizeof(saved));
}


static void
killed(void)
{
    worker_row  *w;

    seen.row = enter();
    w = &lun_workers_map.h->row[seen.row];
    atomic_store(&w->armed, 0);

    /* So that the letter does not fit before the end of the ring. */
    atomic_store(&w->head, LUN_MAILBOX_ROOM - 16);
    atomic_store(&w->tail, LUN_MAILBOX_ROOM - 16);

    if (!tap_step(send_one, look, NULL)) {
        skip("no trap flag here");

    } else {
        ok(seen.bad == 0 && seen.inside > 0 && seen.before > 0
           && seen.after > 0, "killed at %u instructions, %u of them inside: "
           "%u before the letter, %u after, %u bad", seen.steps, seen.inside,
           seen.before, seen.after, seen.bad);
    }

    lun_workers_leave();
}


int
main(void)
{
    lun_err      err;
    lun_pool    *pool = lun_pool_new_sized(1024);
    const char  *why;

    lun_sock_init();
    lun_lock_init_process();
    (void) lun_shm_init();

    zones = lun_zone_set_new(pool);
    ok(lun_workers_want(zones, 148, &why) == LUN_OK
       && lun_zone_open(zones, NULL, NULL) == LUN_OK, "a zone");

    port = lun_port_new(&err);
    (void) lun_proc_listen(port, NULL, NULL, NULL);
    lun_workers_look_at(zones);
    lun_mailbox_on(LUN_LETTER_DATAGRAM, on_letter, NULL);

    rows_are_seen();
    carries_letters();
    stays_small();
    takes_a_burst();
    goes_round();
    rings();
    leaves_while_reading();
    inherits_rows();
    killed();

    lun_port_free(port);
    lun_pool_free(pool);
    return done_testing();
}
