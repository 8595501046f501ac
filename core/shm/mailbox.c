/*
 * mailbox.c -- letters from worker to worker.
 *
 * A box is a ring of bytes.  `head` and `tail` count all that was ever taken
 * out and put in; who writes holds the lock, and `tail` moves when the letter
 * is complete.  Only the owner reads, without the lock.
 *
 *     | len | text ... | len | text ... | SKIP   |        one that does not
 *       ^head                             ^to the end     fit here begins at
 *                                                         the start again
 *
 * An owner that sleeps is `armed`: the first letter after that wakes it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/mailbox.h"

#include "base/check.h"
#include "os/lock.h"
#include "os/wake.h"


enum {
    GRAIN = 8,                     /* letters begin at multiples of it */
    BATCH = 64                     /* letters per wake-up */
};

#define SKIP  UINT32_MAX

struct lun_mailbox {
    lun_wake           wake;       /* its owner is the box's */
    lun_lock           lock;
    _Atomic uint32_t   armed;
    uint32_t           number;
    _Atomic uint64_t   head;
    _Atomic uint64_t   tail;
    char               ring[LUN_MAILBOX_ROOM];
};

_Static_assert(sizeof(lun_mailbox) <= LUN_MAILBOX_ROOM + 256,
               "a zone has room for its boxes");
_Static_assert((LUN_MAILBOX_ROOM & (LUN_MAILBOX_ROOM - 1)) == 0,
               "the counters go round with the ring");

/* This process's. */
static struct {
    lun_mailbox     *box;
    lun_port        *port;
    lun_mailbox_fn  *arrived;
    void            *data;
    lun_op           again;        /* more letters than a batch were there */
} self;


static lun_mailbox *
box_at(const lun_zone *zone, unsigned number)
{
    return (lun_mailbox *) zone->shm.addr + number;
}


/* All processes map the whole zone, so all have the same. */
static unsigned
count_boxes(const lun_zone *zone)
{
    return (unsigned) (zone->shm.size / (LUN_MAILBOX_ROOM + 256));
}


size_t
lun_mailbox_zone_size(unsigned processes)
{
    size_t  n = lun_align((size_t) processes, LUN_MAILBOX_LEAST);

    return lun_max(n, (size_t) LUN_MAILBOX_LEAST) * (LUN_MAILBOX_ROOM + 256);
}


lun_rc
lun_mailbox_init(lun_zone *zone, const lun_log *log)
{
    uint32_t  i;

    LUN_CHECK(zone->shm.size >= LUN_MAILBOX_ZONE);

    for (i = 0; i < count_boxes(zone); i++) {
        box_at(zone, i)->number = i;
    }

    return LUN_OK;
}


void
lun_mailbox_mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    uint32_t      i;
    uint64_t      owner;
    lun_mailbox  *box;

    for (i = 0; i < count_boxes(zone); i++) {
        box = box_at(zone, i);
        (void) lun_lock_seize(&box->lock, pid);
        owner = atomic_load(&box->wake.owner);

        if (owner != 0 && lun_lock_pid_of(owner) == pid) {
            (void) atomic_compare_exchange_strong(&box->wake.owner, &owner, 0);
        }
    }
}


/* --- reading ------------------------------------------------------------- */

/* The letter at the head; what it takes of the ring.  0: there is none. */
static uint64_t
read_head(lun_mailbox *box, lun_str *text)
{
    uint32_t  len;
    uint64_t  head = atomic_load(&box->head), tail = atomic_load(&box->tail);
    uint64_t  at;

    for ( ;; ) {
        if (head == tail) {
            return 0;
        }

        at = head & (LUN_MAILBOX_ROOM - 1);
        memcpy(&len, box->ring + at, sizeof(len));

        if (len != SKIP) {
            break;
        }

        head += LUN_MAILBOX_ROOM - at;
        atomic_store(&box->head, head);
    }

    LUN_CHECK(len <= LUN_MAILBOX_MOST && tail - head >= sizeof(len) + len);

    *text = lun_str_of(box->ring + at + sizeof(len), len);
    return lun_align(sizeof(len) + len, GRAIN);
}


/* False: the box is closed, or more is there than a batch. */
static bool
deliver_batch(lun_mailbox *box)
{
    int       left;
    lun_str   text;
    uint64_t  size;

    for (left = BATCH; left > 0; left--) {
        size = read_head(box, &text);

        if (size == 0) {
            return true;
        }

        self.arrived(self.data, text);

        if (self.box != box) {
            return false;
        }

        atomic_fetch_add(&box->head, size);
    }

    if (!self.again.busy) {
        lun_port_post(self.port, &self.again);
    }

    return false;
}


static void
on_mail(void *data)
{
    lun_str       text;
    lun_mailbox  *box = self.box;

    while (box != NULL && deliver_batch(box)) {
        atomic_store(&box->armed, 1);

        /* One that came before this has not woken anybody. */
        if (read_head(box, &text) == 0
            || atomic_exchange(&box->armed, 0) == 0)
        {
            return;
        }
    }
}


static void
on_again(lun_op *op)
{
    on_mail(NULL);
}


/* --- opening ------------------------------------------------------------- */

static bool
is_free(const lun_mailbox *box)
{
    uint64_t  owner = atomic_load(&box->wake.owner);

    return owner == 0 || !lun_lock_owner_lives(owner);
}


static lun_err
claim_box(lun_mailbox *box)
{
    atomic_store(&box->head, atomic_load(&box->tail));
    atomic_store(&box->armed, 1);

    return lun_wake_open(&box->wake, self.port, on_mail, NULL);
}


lun_mailbox *
lun_mailbox_open(const lun_zone *zone, lun_port *port, lun_mailbox_fn *arrived,
    void *data, lun_err *err)
{
    bool          mine;
    unsigned      i;
    lun_mailbox  *box;

    LUN_CHECK(self.box == NULL);

    *err = 0;
    self.port = port;
    self.arrived = arrived;
    self.data = data;
    self.again.done = on_again;

    for (i = 0; i < count_boxes(zone) && *err == 0; i++) {
        box = box_at(zone, i);

        if (!is_free(box)) {
            continue;
        }

        (void) lun_lock_take(&box->lock);
        mine = is_free(box);
        *err = mine ? claim_box(box) : 0;
        lun_lock_free(&box->lock);

        if (mine && *err == 0) {
            self.box = box;
            return box;
        }
    }

    return NULL;
}


void
lun_mailbox_close(lun_mailbox *box)
{
    LUN_CHECK(box == self.box);

    self.box = NULL;
    lun_wake_close(&box->wake);
}


unsigned
lun_mailbox_number(const lun_mailbox *box)
{
    return box->number;
}


/* --- writing ------------------------------------------------------------- */

/* The caller holds the lock. */
static bool
put_letter(lun_mailbox *box, const lun_slice *parts, size_t n, size_t len)
{
    char      *p;
    size_t     i, skip, need = lun_align(sizeof(uint32_t) + len, GRAIN);
    uint32_t   word;
    uint64_t   tail = atomic_load(&box->tail);
    uint64_t   at = tail & (LUN_MAILBOX_ROOM - 1);

    skip = need > LUN_MAILBOX_ROOM - at ? LUN_MAILBOX_ROOM - at : 0;

    if (tail - atomic_load(&box->head) + skip + need > LUN_MAILBOX_ROOM) {
        return false;
    }

    if (skip != 0) {
        word = SKIP;
        memcpy(box->ring + at, &word, sizeof(word));
        at = 0;
    }

    word = (uint32_t) len;
    p = lun_copy(box->ring + at, &word, sizeof(word));

    for (i = 0; i < n; i++) {
        p = lun_copy(p, parts[i].data, parts[i].len);
    }

    atomic_store(&box->tail, tail + skip + need);
    return true;
}


lun_mailbox_verdict
lun_mailbox_send(const lun_zone *zone, unsigned number, uint64_t owner,
    const lun_slice *parts, size_t n)
{
    bool          sent;
    size_t        i, len;
    lun_mailbox  *box;

    for (len = 0, i = 0; i < n; i++) {
        len += parts[i].len;
    }

    if (number >= count_boxes(zone)) {
        return LUN_MAILBOX_GONE;
    }

    box = box_at(zone, number);

    if (len > LUN_MAILBOX_MOST) {
        return LUN_MAILBOX_FULL;
    }

    (void) lun_lock_take(&box->lock);

    if (atomic_load(&box->wake.owner) != owner) {
        lun_lock_free(&box->lock);
        return LUN_MAILBOX_GONE;
    }

    sent = put_letter(box, parts, n, len);
    lun_lock_free(&box->lock);

    if (sent && atomic_exchange(&box->armed, 0) != 0) {
        lun_wake_send(&box->wake);
    }

    return sent ? LUN_MAILBOX_SENT : LUN_MAILBOX_FULL;
}
