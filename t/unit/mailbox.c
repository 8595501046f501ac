/*
 * mailbox.c -- letters through a zone, and workers that are killed with a
 * letter in their hands.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/shm/mailbox.c"

#include "os/proc.h"
#include "os/time.h"
#include "tap_step.h"


enum { LIMIT = 10000, MANY = 1000, NOBODY = 0x7ffffff0 };

static lun_port  *port;
static lun_zone   zone, copy;

static struct {
    int      count;
    int      bad;
    size_t   len;
    bool     closes;
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

    if (got.closes) {
        lun_mailbox_close(self.box);
    }
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
send_letter(unsigned number, int value, size_t len)
{
    static char  text[LUN_MAILBOX_MOST + 1];

    const lun_slice  parts[] = { { text, len / 2 }, { text, len - len / 2 } };

    memset(text, value, len);
    return lun_mailbox_send(&zone, number, lun_lock_self(), parts, 2);
}


static lun_mailbox *
open_box(void)
{
    lun_err       err;
    lun_mailbox  *box;

    memset(&got, 0, sizeof(got));
    box = lun_mailbox_open(&zone, port, on_letter, NULL, &err);
    ok(box != NULL && err == 0, "a box is opened");
    return box;
}


static void
carries_letters(void)
{
    lun_mailbox  *box = open_box();
    unsigned      n = lun_mailbox_number(box);

    is_int(send_letter(n, 0, 10), LUN_MAILBOX_SENT, "a letter");
    is_int(send_letter(n, 1, 0), LUN_MAILBOX_SENT, "an empty one");
    ok(turn(2) && got.bad == 0 && got.len == 0, "both come");

    is_int(send_letter(n, 2, LUN_MAILBOX_MOST), LUN_MAILBOX_SENT, "a long one");
    ok(turn(3) && got.bad == 0 && got.len == LUN_MAILBOX_MOST, "it comes");
    is_int(send_letter(n, 3, LUN_MAILBOX_MOST + 1), LUN_MAILBOX_FULL,
           "not a longer one");

    is_int(send_letter(count_boxes(&zone), 3, 1), LUN_MAILBOX_GONE,
           "there is no such box");
    is_int(send_letter((n + 1) % count_boxes(&zone), 3, 1), LUN_MAILBOX_GONE,
           "and nobody in another");

    lun_mailbox_close(box);
    is_int(send_letter(n, 3, 1), LUN_MAILBOX_GONE, "nor in one that is closed");
    is_int(got.count, 3, "nothing else has come");
}


/* Lengths that meet the end of the ring in all ways; more than a batch. */
static void
goes_round(void)
{
    int           i, sent, full = 0;
    unsigned      n;
    lun_mailbox  *box = open_box();

    n = lun_mailbox_number(box);

    for (i = sent = 0; i < MANY; i++) {
        if (send_letter(n, sent, (size_t) (i * 37 % 5000)) == LUN_MAILBOX_SENT)
        {
            sent++;
            continue;
        }

        full++;
        ok(sent > 0 && turn(sent), "full: %d letters were there", sent);
    }

    ok(turn(sent) && got.bad == 0 && full > 5, "%d letters, %d times full",
       sent, full);
    lun_mailbox_close(box);
}


static void
closes_while_reading(void)
{
    lun_mailbox  *box = open_box();
    unsigned      n = lun_mailbox_number(box);

    got.closes = true;
    (void) send_letter(n, 0, 1);
    (void) send_letter(n, 0, 1);
    ok(turn(1), "the first letter closes the box");
    lun_port_wait(port, 0, NULL);
    is_int(got.count, 1, "the second is lost");

    box = open_box();
    is_int((int64_t) lun_mailbox_number(box), n, "the box serves again");
    lun_port_wait(port, 0, NULL);
    is_int(got.count, 0, "and is empty");
    lun_mailbox_close(box);
}


/* Boxes of processes that are there no more are free. */
static void
inherits_boxes(void)
{
    unsigned      i;
    lun_err       err;
    lun_mailbox  *box;

    for (i = 0; i < count_boxes(&zone); i++) {
        atomic_store(&box_at(&zone, i)->wake.owner, lun_lock_self());
    }

    is_int(i, 192, "140 processes have room");
    ok(lun_mailbox_open(&zone, port, on_letter, NULL, &err) == NULL
       && err == 0, "all are taken");

    box = box_at(&zone, 150);
    atomic_store(&box->wake.owner, (uint64_t) NOBODY << 32);
    is_int((int64_t) lun_mailbox_number(open_box()), 150,
           "that of a dead process is taken");
    lun_mailbox_close(box);

    atomic_store(&box->wake.owner, lun_lock_self());
    lun_lock_take(&box->lock);
    lun_mailbox_mend(&zone, lun_proc_pid(), NULL);
    ok(atomic_load(&box->wake.owner) == 0 && lun_lock_try(&box->lock),
       "the master frees the boxes and locks of one that died");
    lun_lock_free(&box->lock);
}


/* --- killed -------------------------------------------------------------- */

static struct {
    unsigned  number, steps, inside, before, after, bad;
} seen;


static void
send_one(void *data)
{
    (void) send_letter(seen.number, 7, 100);
}


/* It dies here: the letter is there, all of it, or is not. */
static void
look(void *data)
{
    size_t        i;
    lun_str       text;
    lun_mailbox  *box = box_at(&copy, 0);

    memcpy(box, box_at(&zone, seen.number), sizeof(lun_mailbox));
    seen.steps++;
    seen.inside += lun_lock_seize(&box->lock, lun_proc_pid());
    seen.bad += !lun_lock_try(&box->lock);

    if (read_head(box, &text) == 0) {
        seen.before++;
        return;
    }

    seen.after++;
    seen.bad += text.len != 100;

    for (i = 0; i < text.len; i++) {
        seen.bad += text.data[i] != 7;
    }
}


static void
killed(void)
{
    lun_mailbox  *box = open_box();

    seen.number = lun_mailbox_number(box);
    atomic_store(&box->armed, 0);

    /* So that the letter does not fit before the end of the ring. */
    atomic_store(&box->head, LUN_MAILBOX_ROOM - 16);
    atomic_store(&box->tail, LUN_MAILBOX_ROOM - 16);

    if (!tap_step(send_one, look, NULL)) {
        skip("no trap flag here");

    } else {
        ok(seen.bad == 0 && seen.inside > 0 && seen.before > 0
           && seen.after > 0, "killed at %u instructions, %u of them inside: "
           "%u before the letter, %u after, %u bad", seen.steps, seen.inside,
           seen.before, seen.after, seen.bad);
    }

    lun_mailbox_close(box);
}


static void
give_memory(lun_zone *z)
{
    z->shm.size = lun_mailbox_zone_size(148);
    z->shm.addr = lun_calloc(z->shm.size);
}


int
main(void)
{
    lun_err  err;

    lun_sock_init();
    lun_lock_init_process();
    give_memory(&zone);
    give_memory(&copy);
    (void) lun_mailbox_init(&zone, NULL);

    port = lun_port_new(&err);
    (void) lun_proc_listen(port, NULL, NULL, NULL);

    carries_letters();
    goes_round();
    closes_while_reading();
    inherits_boxes();
    killed();

    lun_port_free(port);
    lun_free(zone.shm.addr);
    lun_free(copy.shm.addr);
    return done_testing();
}
