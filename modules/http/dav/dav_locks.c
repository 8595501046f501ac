/*
 * dav_locks.c -- who has locked which files, in shared memory: slots of one
 * size, looked through one after the other.
 *
 * A slot is there while its time is ahead: that is written last and cleared
 * first, so that nothing is half there when a worker is killed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/dav/dav_locks.h"

#include "base/fmt.h"
#include "os/lock.h"
#include "os/random.h"


typedef struct {
    int64_t   expires;             /* 0: it is free */
    char      token[LUN_DAV_TOKEN];
    bool      infinite;
    bool      shared;
    uint16_t  path_len, href_len, owner_len;
    char      text[LUN_DAV_LOCK_TEXT];
} slot;

typedef struct {
    lun_lock  lock;
    uint32_t  count;               /* of slots */
    uint32_t  used;                /* those behind it never were */
    slot      slots[];
} table;


static lun_rc
init(lun_zone *zone, const lun_log *log)
{
    table  *t = zone->shm.addr;

    t->count = (uint32_t) lun_min((zone->size - sizeof(table)) / sizeof(slot),
                                  (size_t) UINT32_MAX);
    return LUN_OK;
}


static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    (void) lun_lock_seize(&((table *) zone->shm.addr)->lock, pid);
}


const lun_zone_kind  lun_dav_locks_kind = {
    .name = "dav_ext_lock_zone",
    .min_size = 32768,
    .init = init,
    .mend = mend,
};


static table *
enter(const lun_zone *zone)
{
    table  *t = zone->shm.addr;

    (void) lun_lock_take(&t->lock);
    return t;
}


static void
leave(table *t)
{
    lun_lock_free(&t->lock);
}


static lun_str
path_of(const slot *s)
{
    return lun_str_of(s->text, s->path_len);
}


static bool
is_below(lun_str path, lun_str folder)
{
    return path.len > folder.len && lun_str_starts(path, folder)
           && (path.data[folder.len] == '/'
               || (folder.len != 0 && folder.data[folder.len - 1] == '/'));
}


static bool
covers(const slot *s, lun_str path)
{
    return lun_str_eq(path_of(s), path)
           || (s->infinite && is_below(path, path_of(s)));
}


/* The next that is there, from *i on, which moves behind it; NULL: none. */
static slot *
next_slot(table *t, uint32_t *i, int64_t now)
{
    slot  *s;

    while (*i < t->used) {
        s = &t->slots[(*i)++];

        if (s->expires > now) {
            return s;
        }
    }

    return NULL;
}


static slot *
find(table *t, lun_str path, lun_str token, int64_t now)
{
    slot      *s;
    uint32_t   i = 0;

    while ((s = next_slot(t, &i, now)) != NULL) {
        if (lun_str_eq(lun_str_of(s->token, LUN_DAV_TOKEN), token)
            && covers(s, path))
        {
            return s;
        }
    }

    return NULL;
}


/* --- making one ---------------------------------------------------------- */

static void
make_token(char *token)
{
    int      i;
    char    *p = token;
    uint8_t  bytes[16];

    lun_random_bytes(bytes, sizeof(bytes));
    bytes[6] = (uint8_t) ((bytes[6] & 0x0f) | 0x40);   /* RFC 9562, version 4 */
    bytes[8] = (uint8_t) ((bytes[8] & 0x3f) | 0x80);
    p = lun_copy_str(p, LUN_STR("urn:uuid:"));

    for (i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *p++ = '-';
        }

        *p++ = "0123456789abcdef"[bytes[i] >> 4];
        *p++ = "0123456789abcdef"[bytes[i] & 15];
    }
}


static bool
conflicts(table *t, const lun_dav_lock *lock, int64_t now)
{
    slot      *s;
    uint32_t   i = 0;

    while ((s = next_slot(t, &i, now)) != NULL) {
        if ((!s->shared || !lock->shared)
            && (covers(s, lock->path)
                || (lock->infinite && is_below(path_of(s), lock->path))))
        {
            return true;
        }
    }

    return false;
}


static slot *
free_slot(table *t, int64_t now)
{
    uint32_t  i;

    for (i = 0; i < t->used; i++) {
        if (t->slots[i].expires <= now) {
            return &t->slots[i];
        }
    }

    return t->used < t->count ? &t->slots[t->used++] : NULL;
}


static void
write_slot(slot *s, const lun_dav_lock *lock)
{
    char  *p = s->text;

    s->expires = 0;
    atomic_thread_fence(memory_order_release);
    memcpy(s->token, lock->token, LUN_DAV_TOKEN);
    s->infinite = lock->infinite;
    s->shared = lock->shared;
    s->path_len = (uint16_t) lock->path.len;
    s->href_len = (uint16_t) lock->href.len;
    s->owner_len = (uint16_t) lock->owner.len;
    p = lun_copy_str(p, lock->path);
    p = lun_copy_str(p, lock->href);
    (void) lun_copy_str(p, lock->owner);
    atomic_thread_fence(memory_order_release);
    s->expires = lock->expires;
}


/*
 * Texts have one room together: a slot is of a fixed size, since it lies in a
 * zone.
 */
lun_dav_lock_verdict
lun_dav_lock_add(const lun_zone *zone, lun_dav_lock *lock, int64_t now)
{
    slot                  *s;
    table                 *t;
    lun_dav_lock_verdict   v = LUN_DAV_LOCK_CONFLICTS;

    if (lock->path.len > LUN_DAV_LOCK_TEXT || lock->href.len > LUN_DAV_LOCK_TEXT
        || lock->owner.len > LUN_DAV_LOCK_TEXT
        || lock->path.len + lock->href.len + lock->owner.len
           > LUN_DAV_LOCK_TEXT)
    {
        return LUN_DAV_LOCK_NO_ROOM;
    }

    make_token(lock->token);
    t = enter(zone);

    if (!conflicts(t, lock, now)) {
        s = free_slot(t, now);
        v = s != NULL ? LUN_DAV_LOCK_MADE : LUN_DAV_LOCK_NO_ROOM;

        if (s != NULL) {
            write_slot(s, lock);
        }
    }

    leave(t);
    return v;
}


/* --- one of them --------------------------------------------------------- */

static void
copy_slot(const slot *s, lun_pool *pool, lun_dav_lock *lock)
{
    lun_str  text = lun_str_of(s->text, (size_t) s->path_len + s->href_len
                                        + s->owner_len);

    text = lun_pool_str(pool, text);
    memcpy(lock->token, s->token, LUN_DAV_TOKEN);
    lock->infinite = s->infinite;
    lock->shared = s->shared;
    lock->expires = s->expires;
    lock->path = lun_str_of(text.data, s->path_len);
    lock->href = lun_str_of(text.data + s->path_len, s->href_len);
    lock->owner = lun_str_of(text.data + s->path_len + s->href_len,
                             s->owner_len);
}


bool
lun_dav_lock_refresh(const lun_zone *zone, lun_str path, lun_str token,
    int64_t now, int64_t expires, lun_pool *pool, lun_dav_lock *lock)
{
    table  *t = enter(zone);
    slot   *s = find(t, path, token, now);

    if (s != NULL) {
        s->expires = expires;
        copy_slot(s, pool, lock);
    }

    leave(t);
    return s != NULL;
}


bool
lun_dav_lock_remove(const lun_zone *zone, lun_str path, lun_str token,
    int64_t now)
{
    table  *t = enter(zone);
    slot   *s = find(t, path, token, now);

    if (s != NULL) {
        s->expires = 0;
    }

    leave(t);
    return s != NULL;
}


bool
lun_dav_lock_covers(const lun_zone *zone, lun_str path, lun_str token,
    int64_t now)
{
    table  *t = enter(zone);
    slot   *s = find(t, path, token, now);

    leave(t);
    return s != NULL;
}


/* --- all of them --------------------------------------------------------- */

static bool
is_known(const slot *s, const lun_str *tokens, size_t count)
{
    size_t  i;

    for (i = 0; i < count; i++) {
        if (lun_str_eq(tokens[i], lun_str_of(s->token, LUN_DAV_TOKEN))) {
            return true;
        }
    }

    return false;
}


static bool
is_in_the_way(const slot *s, lun_str path, unsigned what)
{
    size_t  n = path.len;

    if (covers(s, path)
        || ((what & LUN_DAV_BELOW) && is_below(path_of(s), path)))
    {
        return true;
    }

    while (n > 0 && path.data[n - 1] != '/') {
        n--;
    }

    return (what & LUN_DAV_MEMBER) && n > 0
           && lun_str_eq(path_of(s), lun_str_of(path.data, n - 1));
}


/* Another lock of the same path, whose token is known: they share it. */
static bool
is_shared_with(table *t, const slot *s, const lun_str *tokens, size_t count,
    int64_t now)
{
    slot      *other;
    uint32_t   i = 0;

    while (s->shared && (other = next_slot(t, &i, now)) != NULL) {
        if (is_known(other, tokens, count)
            && lun_str_eq(path_of(other), path_of(s)))
        {
            return true;
        }
    }

    return false;
}


bool
lun_dav_locks_allow(const lun_zone *zone, lun_str path, unsigned what,
    const lun_str *tokens, size_t count, int64_t now)
{
    bool       allowed = true;
    slot      *s;
    table     *t = enter(zone);
    uint32_t   i = 0;

    while (allowed && (s = next_slot(t, &i, now)) != NULL) {
        allowed = !is_in_the_way(s, path, what) || is_known(s, tokens, count)
                  || is_shared_with(t, s, tokens, count, now);
    }

    leave(t);
    return allowed;
}


void
lun_dav_locks_forget(const lun_zone *zone, lun_str path, int64_t now)
{
    slot      *s;
    table     *t = enter(zone);
    uint32_t   i = 0;

    while ((s = next_slot(t, &i, now)) != NULL) {
        if (lun_str_eq(path_of(s), path) || is_below(path_of(s), path)) {
            s->expires = 0;
        }
    }

    leave(t);
}


void
lun_dav_locks_list(const lun_zone *zone, lun_str path, int64_t now,
    lun_array *list)
{
    slot      *s;
    table     *t = enter(zone);
    uint32_t   i = 0;

    while ((s = next_slot(t, &i, now)) != NULL) {
        if (covers(s, path)) {
            copy_slot(s, list->pool, lun_array_push(list));
        }
    }

    leave(t);
}
