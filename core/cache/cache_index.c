/*
 * cache_index.c -- the index of a cache: what requests and the duties do with
 * it, a shard at a time.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "cache/cache_index.h"

#include "base/check.h"
#include "cache/cache_index_priv.h"


/* --- the zone ------------------------------------------------------------ */

lun_cache_index *
lun_cache_index_of(const lun_zone *zone)
{
    lun_cache_index  *x = zone->shm.addr;

    LUN_CHECK(x != NULL && x->magic == LUN_CACHE_INDEX_MAGIC);
    return x;
}


const char *
lun_cache_index_bind(lun_cache_index *x, lun_str what)
{
    size_t  n = lun_min(what.len, (size_t) WHAT - 1);

    if (x->what[0] == '\0') {
        memcpy(x->what, what.data, n);
        x->what[n] = '\0';
        return NULL;
    }

    return strlen(x->what) == n && memcmp(x->what, what.data, n) == 0
           ? NULL : x->what;
}


/* --- entries, with the shard locked -------------------------------------- */

static void
copy_out(lun_cache_entry *to, const entry *e)
{
    memcpy(to->key.bytes, e->key, LUN_CACHE_KEY);
    to->version = e->version;
    to->size = e->version != 0 ? e->size : 0;
    to->uses = e->uses;
    to->used = e->used;
    to->good_until = e->version != 0 && e->error == 0 ? e->good_until : 0;
    to->error = e->error;
    to->checked = e->checked;
}


/* e's fields are about to change, and have. */
static inline void
begin_change(const lun_cache_index *x, shard *s, const entry *e)
{
    atomic_store_explicit(&s->intent, number_of(x, s, e),
                          memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}


static inline void
end_change(shard *s)
{
    atomic_store_explicit(&s->intent, 0, memory_order_release);
}


static bool
is_busy(const entry *e, lun_msec now)
{
    return e->owner != 0 && (e->until == 0 || now < e->until)
           && (e->owner == lun_lock_self() || lun_lock_owner_lives(e->owner));
}


/* The oldest that nobody is updating, or just the oldest. */
static entry *
choose_victim(const lun_cache_index *x, const shard *s)
{
    int        tries;
    uint32_t   n;

    for (n = s->oldest, tries = 0; n != 0 && tries < 20; tries++) {
        if (at(x, s, n)->owner == 0) {
            return at(x, s, n);
        }

        n = at(x, s, n)->newer;
    }

    return at(x, s, s->oldest);
}


/* --- looking for a key --------------------------------------------------- */

static void
forget_error(const lun_cache_index *x, shard *s, entry *e, int64_t now)
{
    if (e->error != 0 && e->good_until < now) {
        begin_change(x, s, e);
        e->error = 0;
        e->good_until = 0;
        end_change(s);
    }
}


/*
 * All under one lock of the shard: should the zone be full, the entry that
 * gives way is gone before another worker can find it, and its file is the
 * caller's to remove.
 */
lun_rc
lun_cache_index_use(lun_cache_index *x, const lun_cache_key *key, int64_t now,
    bool count, lun_cache_entry *e, lun_cache_entry *gone)
{
    entry   *victim, *found;
    lun_rc   rc = LUN_OK;
    shard   *s = shard_of(x, key);

    memset(gone, 0, sizeof(*gone));
    lun_cache_shard_lock(x, s);
    found = lun_cache_shard_find(x, s, key);

    if (found == NULL) {
        rc = LUN_AGAIN;
        found = lun_cache_shard_make(x, s, key);
    }

    if (found == NULL) {
        victim = choose_victim(x, s);
        copy_out(gone, victim);
        lun_cache_shard_unlink(x, s, victim);
        found = lun_cache_shard_make(x, s, key);
    }

    forget_error(x, s, found, now);
    found->uses += count && found->uses != UINT32_MAX;
    found->used = (uint32_t) now;
    lun_cache_shard_touch(x, s, found);
    copy_out(e, found);
    lun_cache_shard_unlock(s);

    return rc;
}


bool
lun_cache_index_get(lun_cache_index *x, const lun_cache_key *key,
    lun_cache_entry *e)
{
    entry  *found;
    shard  *s = shard_of(x, key);

    lun_cache_shard_lock(x, s);
    found = lun_cache_shard_find(x, s, key);

    if (found != NULL) {
        copy_out(e, found);
    }

    lun_cache_shard_unlock(s);
    return found != NULL;
}


/* --- updating ------------------------------------------------------------ */

/* With a bit of who waits for it; true: somebody is at it. */
static bool
wait_for(const lun_cache_index *x, shard *s, entry *e, lun_msec now,
    uint64_t waiter)
{
    if (!is_busy(e, now)) {
        return false;
    }

    if (waiter != 0) {
        begin_change(x, s, e);
        e->waiters |= waiter;
        end_change(s);
    }

    return true;
}


/* Tickets are never 0, which means that somebody else has the turn. */
uint32_t
lun_cache_index_begin(lun_cache_index *x, const lun_cache_key *key,
    lun_msec now, lun_msec until, uint64_t waiter)
{
    entry     *e;
    shard     *s = shard_of(x, key);
    uint32_t   ticket;

    do {
        ticket = atomic_fetch_add(&x->tickets, 1) + 1;
    } while (ticket == 0);

    lun_cache_shard_lock(x, s);
    e = lun_cache_shard_find(x, s, key);

    if (e != NULL && wait_for(x, s, e, now, waiter)) {
        ticket = 0;

    } else if (e != NULL) {
        begin_change(x, s, e);
        e->owner = lun_lock_self();
        e->until = until;
        e->ticket = ticket;
        end_change(s);
    }

    lun_cache_shard_unlock(s);
    return ticket;
}


bool
lun_cache_index_busy(lun_cache_index *x, const lun_cache_key *key,
    lun_msec now, uint64_t waiter)
{
    bool    busy;
    entry  *e;
    shard  *s = shard_of(x, key);

    lun_cache_shard_lock(x, s);
    e = lun_cache_shard_find(x, s, key);
    busy = e != NULL && wait_for(x, s, e, now, waiter);
    lun_cache_shard_unlock(s);

    return busy;
}


/* Within a change: nobody is at it any more, and these waited. */
static uint64_t
end_update(entry *e, uint32_t ticket)
{
    uint64_t  waiters = e->waiters;

    if (e->owner != 0 && e->ticket != ticket) {
        return 0;
    }

    e->owner = 0;
    e->until = 0;
    e->ticket = 0;
    e->waiters = 0;
    return waiters;
}


uint64_t
lun_cache_index_stored(lun_cache_index *x, const lun_cache_key *key,
    uint32_t ticket, int64_t now, int64_t size, int64_t good_until)
{
    entry     *e;
    shard     *s = shard_of(x, key);
    uint64_t   waiters = 0;

    lun_cache_shard_lock(x, s);
    e = lun_cache_shard_find(x, s, key);

    /* It may have had to go while its file was made. */
    if (e == NULL) {
        e = lun_cache_shard_make(x, s, key);
    }

    if (e != NULL) {
        begin_change(x, s, e);
        lun_cache_shard_add_bytes(s, size - (e->version != 0 ? e->size : 0));
        e->version = atomic_fetch_add(&x->versions, 1) + 1;
        e->size = size;
        e->checked = 1;
        e->error = 0;
        e->good_until = good_until;
        e->used = (uint32_t) now;
        waiters = end_update(e, ticket);
        end_change(s);
        lun_cache_shard_touch(x, s, e);
    }

    lun_cache_shard_unlock(s);
    return waiters;
}


/*
 * Whether it failed or was not worth keeping, the caller wakes those who wait:
 * one of them takes the next turn.
 */
uint64_t
lun_cache_index_failed(lun_cache_index *x, const lun_cache_key *key,
    uint32_t ticket, uint16_t error, int64_t until)
{
    entry     *e;
    shard     *s = shard_of(x, key);
    uint64_t   waiters = 0;

    lun_cache_shard_lock(x, s);
    e = lun_cache_shard_find(x, s, key);

    if (e != NULL) {
        begin_change(x, s, e);

        if (error != 0) {
            e->error = error;
            e->good_until = until;
        }

        waiters = end_update(e, ticket);
        end_change(s);
    }

    lun_cache_shard_unlock(s);
    return waiters;
}


/* --- files that come and go ---------------------------------------------- */

bool
lun_cache_index_add(lun_cache_index *x, const lun_cache_entry *from)
{
    bool    made = false;
    entry  *e;
    shard  *s = shard_of(x, &from->key);

    lun_cache_shard_lock(x, s);
    e = lun_cache_shard_find(x, s, &from->key);

    if (e == NULL && (e = lun_cache_shard_make(x, s, &from->key)) != NULL) {
        e->used = from->used;
        e->uses = from->uses;

        if (at(x, s, s->oldest)->used > from->used) {
            lun_cache_shard_age(x, s, e);
        }
    }

    /* One that requests have asked for meanwhile has no file as yet. */
    if (e != NULL && e->version == 0) {
        begin_change(x, s, e);
        e->size = from->size;
        e->checked = 0;
        e->version = atomic_fetch_add(&x->versions, 1) + 1;
        lun_cache_shard_add_bytes(s, e->size);
        end_change(s);
        made = true;
    }

    lun_cache_shard_unlock(s);
    return made;
}


/* With its shard locked: the entry, if that file is still its; or NULL. */
static entry *
lock_file(lun_cache_index *x, shard *s, const lun_cache_key *key,
    uint64_t version)
{
    entry  *e;

    lun_cache_shard_lock(x, s);
    e = lun_cache_shard_find(x, s, key);

    return e != NULL && e->version != 0 && e->version == version ? e : NULL;
}


void
lun_cache_index_no_file(lun_cache_index *x, const lun_cache_key *key,
    uint64_t version)
{
    shard  *s = shard_of(x, key);
    entry  *e = lock_file(x, s, key, version);

    if (e != NULL) {
        begin_change(x, s, e);
        e->version = 0;
        lun_cache_shard_add_bytes(s, -e->size);
        end_change(s);
    }

    lun_cache_shard_unlock(s);
}


void
lun_cache_index_set_checked(lun_cache_index *x, const lun_cache_key *key,
    uint64_t version)
{
    shard  *s = shard_of(x, key);
    entry  *e = lock_file(x, s, key, version);

    if (e != NULL) {
        e->checked = 1;
    }

    lun_cache_shard_unlock(s);
}


bool
lun_cache_index_remove(lun_cache_index *x, const lun_cache_key *key,
    uint64_t version)
{
    bool    gone;
    entry  *e;
    shard  *s = shard_of(x, key);

    lun_cache_shard_lock(x, s);
    e = lun_cache_shard_find(x, s, key);
    gone = e != NULL
           && (version == LUN_CACHE_ANY
               || (e->version == version
                   && (e->owner == 0 || !lun_lock_owner_lives(e->owner))));

    if (gone) {
        lun_cache_shard_unlink(x, s, e);
    }

    lun_cache_shard_unlock(s);
    return gone;
}


/*
 * The oldest of each shard, one lock at a time: exact would mean to hold all,
 * and to be off by a little does no harm.
 */
bool
lun_cache_index_oldest(lun_cache_index *x, lun_cache_entry *e)
{
    bool              found = false;
    shard            *s;
    uint32_t          i;
    lun_cache_entry   one;

    for (i = 0; i < x->shards; i++) {
        s = shard_at(x, i);
        lun_cache_shard_lock(x, s);

        if (s->oldest != 0) {
            copy_out(&one, at(x, s, s->oldest));

            if (!found || one.used < e->used) {
                *e = one;
                found = true;
            }
        }

        lun_cache_shard_unlock(s);
    }

    return found;
}


void
lun_cache_index_each(lun_cache_index *x, lun_cache_each_fn *each, void *data)
{
    shard            *s;
    uint32_t          i, n;
    lun_cache_entry   one;

    for (i = 0; i < x->shards; i++) {
        s = shard_at(x, i);
        lun_cache_shard_lock(x, s);

        for (n = s->oldest; n != 0; n = at(x, s, n)->newer) {
            if (at(x, s, n)->version != 0) {
                copy_out(&one, at(x, s, n));
                each(data, &one);
            }
        }

        lun_cache_shard_unlock(s);
    }
}


/* --- sums ---------------------------------------------------------------- */

uint64_t
lun_cache_index_bytes(const lun_cache_index *x)
{
    uint32_t  i;
    uint64_t  n = 0;

    for (i = 0; i < x->shards; i++) {
        n += atomic_load_explicit(&shard_at(x, i)->bytes,
                                  memory_order_relaxed);
    }

    return n;
}


uint64_t
lun_cache_index_count(const lun_cache_index *x)
{
    uint32_t  i;
    uint64_t  n = 0;

    for (i = 0; i < x->shards; i++) {
        n += atomic_load_explicit(&shard_at(x, i)->count,
                                  memory_order_relaxed);
    }

    return n;
}


uint64_t
lun_cache_index_room(const lun_cache_index *x)
{
    return (uint64_t) x->shards * x->entries;
}


/* --- what is known ------------------------------------------------------- */

bool
lun_cache_index_cold(const lun_cache_index *x)
{
    return !atomic_load(&x->warm);
}


void
lun_cache_index_warm(lun_cache_index *x)
{
    atomic_store(&x->warm, 1);
}


/* --- purging ------------------------------------------------------------- */

uint64_t
lun_cache_index_moment(const lun_cache_index *x)
{
    return atomic_load((_Atomic uint64_t *) (uintptr_t) &x->versions);
}


void
lun_cache_index_purge(lun_cache_index *x)
{
    atomic_store(&x->purged, atomic_fetch_add(&x->versions, 1) + 1);
}


bool
lun_cache_index_purged_since(const lun_cache_index *x, uint64_t moment)
{
    return atomic_load((_Atomic uint64_t *) (uintptr_t) &x->purged) > moment;
}


/* --- purged by the beginning of their keys ------------------------------- */

/*
 * Its time is stored last, and is the mark: who is killed before that has made
 * none.
 */
void
lun_cache_index_mark(lun_cache_index *x, lun_str text, int64_t before)
{
    uint32_t         i;
    lun_cache_mark  *m;

    (void) lun_lock_take(&x->mark_lock);

    for (i = 0; i < LUN_CACHE_MARKS; i++) {
        if (atomic_load(&x->marks[i].before) == 0) {
            break;
        }
    }

    if (i == LUN_CACHE_MARKS) {
        i = 0;
        text.len = 0;
    }

    m = &x->marks[i];
    m->len = (uint32_t) lun_min(text.len, (size_t) LUN_CACHE_MARK_TEXT);

    if (m->len != 0) {
        memcpy(m->text, text.data, m->len);
    }

    atomic_store(&m->before, before);
    lun_lock_free(&x->mark_lock);
}


bool
lun_cache_index_is_purged(const lun_cache_index *x, lun_str key, int64_t date)
{
    uint32_t               i;
    int64_t                before;
    const lun_cache_mark  *m;

    for (i = 0; i < LUN_CACHE_MARKS; i++) {
        m = &x->marks[i];
        before = atomic_load_explicit((_Atomic int64_t *)
                                      (uintptr_t) &m->before,
                                      memory_order_acquire);

        if (before != 0 && date <= before
            && lun_str_starts(key, lun_str_of(m->text,
                                              lun_min(m->len, (uint32_t)
                                                      LUN_CACHE_MARK_TEXT))))
        {
            return true;
        }
    }

    return false;
}


const lun_cache_mark *
lun_cache_index_marks(const lun_cache_index *x)
{
    return x->marks;
}


void
lun_cache_index_unmark(lun_cache_index *x, int64_t before)
{
    uint32_t  i;
    int64_t   at;

    (void) lun_lock_take(&x->mark_lock);

    for (i = 0; i < LUN_CACHE_MARKS; i++) {
        at = atomic_load(&x->marks[i].before);

        if (at != 0 && at <= before) {
            atomic_store(&x->marks[i].before, 0);
        }
    }

    lun_lock_free(&x->mark_lock);
}
