/*
 * mailbox.c -- letters from worker to worker.
 *
 * A box is a ring of bytes.  `head` and `tail` count all that was ever taken
 * out and put in; who writes holds the lock, and `tail` moves when the letter
 * is complete.  Only the owner reads, without the lock.
 *
 *     | len kind | text ... | len kind | text | SKIP |    one that does not
 *       ^head                                 ^to the     fit here begins at
 *                                              end        the start again
 *
 * An owner that has read all, and more than BEGINNING, lets the next letter
 * begin at the start: only a burst reaches, and so gives memory to, the rest.
 *
 * An owner that sleeps is `armed`: the first letter after that wakes it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/mailbox.h"

#include "base/check.h"
#include "shm/workers_priv.h"


enum {
    ALIGN     = 8,                 /* letters begin at multiples of it */
    BATCH     = 64,                /* letters per wake-up */
    PIECE     = 64 * 1024,         /* memory is given in such */
    BEGINNING = 128 * 1024,
    BITS      = 64
};

#define SKIP  UINT32_MAX

typedef struct {
    uint32_t  len;                 /* of the text; SKIP */
    uint32_t  kind;
} letter_head;

_Static_assert((LUN_MAILBOX_ROOM & (LUN_MAILBOX_ROOM - 1)) == 0,
               "the counters go round with the ring");
_Static_assert(LUN_LETTER_KINDS <= 32, "bells are bits");

/* This process's. */
static struct {
    lun_mailbox_fn  *arrived;
    void            *data;
} readers[LUN_LETTER_KINDS];

static lun_op  again;              /* more letters than a batch were there */


void
lun_mailbox_on(lun_letter_kind kind, lun_mailbox_fn *arrived, void *data)
{
    readers[kind].arrived = arrived;
    readers[kind].data = data;
}


static char *
ring_of(const worker_row *w)
{
    return lun_workers_map.boxes
           + (size_t) lun_workers_number_of(w) * LUN_MAILBOX_ROOM;
}


/* The box has memory up to there; false: the system has none. */
static bool
give_memory(const worker_row *w, uint64_t end)
{
    lun_err    err;
    uint32_t  *given = &lun_workers_map.given[lun_workers_number_of(w)];

    if (LUN_LIKELY(end <= *given)) {
        return true;
    }

    end = lun_align(end, (uint64_t) PIECE);
    err = lun_shm_commit(ring_of(w) + *given, (size_t) (end - *given));

    if (err == 0) {
        *given = (uint32_t) end;
    }

    return err == 0;
}


/* --- reading ------------------------------------------------------------- */

/* The letter at the head; what it takes of the ring.  0: there is none. */
static uint64_t
read_head(worker_row *w, lun_letter_kind *kind, lun_str *text)
{
    uint64_t     head = atomic_load(&w->head), tail = atomic_load(&w->tail);
    uint64_t     at;
    letter_head  h;

    for ( ;; ) {
        if (head == tail) {
            return 0;
        }

        at = head & (LUN_MAILBOX_ROOM - 1);
        LUN_CHECK(give_memory(w, at + sizeof(h)));
        memcpy(&h, ring_of(w) + at, sizeof(h));

        if (h.len != SKIP) {
            break;
        }

        head += LUN_MAILBOX_ROOM - at;
        atomic_store(&w->head, head);
    }

    LUN_CHECK(h.len <= LUN_MAILBOX_MOST && h.kind < LUN_LETTER_KINDS
              && tail - head >= sizeof(h) + h.len
              && give_memory(w, at + sizeof(h) + h.len));

    *kind = (lun_letter_kind) h.kind;
    *text = lun_str_of(ring_of(w) + at + sizeof(h), h.len);
    return lun_align(sizeof(h) + h.len, ALIGN);
}


static void
tell_reader(lun_letter_kind kind, lun_str text)
{
    if (readers[kind].arrived != NULL) {
        readers[kind].arrived(readers[kind].data, text);
    }
}


static void
look_again_soon(void)
{
    if (!again.busy) {
        lun_port_post(lun_workers_map.port, &again);
    }
}


/* False: this process has left its row. */
static bool
hear_bells(worker_row *w)
{
    unsigned  kind;
    uint32_t  bells = atomic_exchange(&w->bells, 0);

    for (kind = 0; bells >> kind != 0; kind++) {
        if ((bells >> kind & 1) != 0) {
            tell_reader((lun_letter_kind) kind, LUN_STR(""));
        }

        if (lun_workers_map.self != w) {
            return false;
        }
    }

    return true;
}


/* False: this process has left its row, or more is there than a batch. */
static bool
deliver_batch(worker_row *w)
{
    int              left;
    lun_str          text;
    uint64_t         size;
    lun_letter_kind  kind;

    for (left = BATCH; left > 0; left--) {
        size = read_head(w, &kind, &text);

        if (size == 0) {
            return true;
        }

        tell_reader(kind, text);

        if (lun_workers_map.self != w) {
            return false;
        }

        atomic_fetch_add(&w->head, size);
    }

    look_again_soon();
    return false;
}


static bool
is_empty(const worker_row *w)
{
    return atomic_load(&w->head) == atomic_load(&w->tail)
           && atomic_load(&w->bells) == 0;
}


/* Writers have the lock while they look at either. */
static void
rewind_box(worker_row *w)
{
    uint64_t  head = atomic_load(&w->head);

    if ((head & (LUN_MAILBOX_ROOM - 1)) < BEGINNING) {
        return;
    }

    (void) lun_lock_take(&w->lock);

    if (atomic_load(&w->tail) == head) {
        head = lun_align(head, (uint64_t) LUN_MAILBOX_ROOM);
        atomic_store(&w->head, head);
        atomic_store(&w->tail, head);
    }

    lun_lock_free(&w->lock);
}


void
lun_mailbox_look(void *none)
{
    worker_row  *w = lun_workers_map.self;

    while (w != NULL && hear_bells(w) && deliver_batch(w)) {
        rewind_box(w);
        atomic_store(&w->armed, 1);

        /* What came before this has not woken anybody. */
        if (is_empty(w) || atomic_exchange(&w->armed, 0) == 0) {
            return;
        }
    }
}


static void
on_again(lun_op *op)
{
    lun_mailbox_look(NULL);
}


void
lun_mailbox_begin(worker_row *w)
{
    again.done = on_again;
    atomic_store(&w->head, atomic_load(&w->tail));
    atomic_store(&w->bells, 0);
    atomic_store(&w->armed, 1);
}


/* --- writing ------------------------------------------------------------- */

static void
wake_reader(worker_row *w)
{
    if (atomic_exchange(&w->armed, 0) == 0) {
        return;
    }

    if (w == lun_workers_map.self) {
        look_again_soon();

    } else {
        lun_wake_send(&w->wake);
    }
}


/* Bytes that are passed over in front of a letter. */
static uint64_t
count_skipped(const worker_row *w, uint64_t need)
{
    uint64_t  at = atomic_load(&w->tail) & (LUN_MAILBOX_ROOM - 1);

    return need > LUN_MAILBOX_ROOM - at ? LUN_MAILBOX_ROOM - at : 0;
}


/* The caller holds the lock. */
static bool
put_letter(worker_row *w, lun_letter_kind kind, const lun_slice *parts,
    size_t n, size_t len)
{
    char         *p;
    size_t        i;
    uint64_t      need = lun_align(sizeof(letter_head) + len, ALIGN);
    uint64_t      skip = count_skipped(w, need);
    uint64_t      tail = atomic_load(&w->tail);
    uint64_t      at = tail & (LUN_MAILBOX_ROOM - 1);
    uint64_t      room = LUN_MAILBOX_ROOM;
    letter_head   h = { .len = SKIP };

    room -= kind < LUN_LETTER_BULK ? LUN_MAILBOX_SPARE : 0;

    if (tail - atomic_load(&w->head) + skip + need > LUN_MAILBOX_ROOM
        || tail - atomic_load(&w->head) + need > room)
    {
        return false;
    }

    if (skip != 0) {
        if (!give_memory(w, at + sizeof(h))) {
            return false;
        }

        memcpy(ring_of(w) + at, &h, sizeof(h));
        at = 0;
    }

    if (!give_memory(w, at + need)) {
        return false;
    }

    h = (letter_head) { .len = (uint32_t) len, .kind = kind };
    p = lun_copy(ring_of(w) + at, &h, sizeof(h));

    for (i = 0; i < n; i++) {
        p = lun_copy(p, parts[i].data, parts[i].len);
    }

    atomic_store(&w->tail, tail + skip + need);
    return true;
}


/*
 * `owner` is the process that the sender knew: a row that has another one by
 * now belongs to somebody who knows nothing of this letter.
 */
lun_mailbox_verdict
lun_mailbox_send(unsigned row, uint64_t owner, lun_letter_kind kind,
    const lun_slice *parts, size_t n)
{
    bool         sent;
    size_t       i, len;
    worker_row  *w;

    for (len = 0, i = 0; i < n; i++) {
        len += parts[i].len;
    }

    if (row >= lun_workers_room()) {
        return LUN_MAILBOX_GONE;
    }

    if (len > LUN_MAILBOX_MOST) {
        return LUN_MAILBOX_FULL;
    }

    w = &lun_workers_map.h->row[row];
    (void) lun_lock_take(&w->lock);

    if (atomic_load(&w->wake.owner) != owner) {
        lun_lock_free(&w->lock);
        return LUN_MAILBOX_GONE;
    }

    sent = put_letter(w, kind, parts, n, len);
    lun_lock_free(&w->lock);

    if (sent) {
        wake_reader(w);
    }

    return sent ? LUN_MAILBOX_SENT : LUN_MAILBOX_FULL;
}


void
lun_mailbox_ring(unsigned row, lun_letter_kind kind)
{
    worker_row  *w;

    if (row < lun_workers_room()) {
        w = &lun_workers_map.h->row[row];

        if (atomic_load(&w->wake.owner) != 0) {
            atomic_fetch_or(&w->bells, 1U << kind);
            wake_reader(w);
        }
    }
}


void
lun_mailbox_ring_all(lun_letter_kind kind)
{
    unsigned  i;

    for (i = 0; i < lun_workers_room(); i++) {
        lun_mailbox_ring(i, kind);
    }
}


uint64_t
lun_mailbox_bit(void)
{
    int  row = lun_workers_self();

    return row >= 0 ? UINT64_C(1) << row % BITS : 0;
}


void
lun_mailbox_ring_bits(uint64_t bits, lun_letter_kind kind)
{
    unsigned  i;

    for (i = 0; bits != 0 && i < lun_workers_room(); i++) {
        if ((bits >> i % BITS & 1) != 0) {
            lun_mailbox_ring(i, kind);
        }
    }
}
