/*
 * datagram_owner.c -- which worker has a session of datagrams, and handing
 * them on.
 *
 * A zone with a table from (local, remote) to the worker and its row, which
 * letters go to (shm/mailbox.h).  A worker that died is found out when it is
 * in that row no more: the session is then that of whoever has got a datagram
 * of it.  In the table stands, too, who has begun to receive at an address
 * last: a worker that leaves receives for its sessions itself where that one
 * has left.
 *
 * Where the table is full, what was begun longest ago is forgotten: datagrams
 * of that session may begin another one elsewhere.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/datagram.h"

#include "base/check.h"
#include "net/datagram_priv.h"
#include "os/datagram.h"
#include "os/lock.h"
#include "shm/mailbox.h"
#include "shm/workers.h"


enum {
    TABLE_SIZE = 8 * 1024 * 1024,
    TRIES      = 100               /* of the oldest that may have to go */
};

/* The stamp of an address, whose worker receives there. */
#define RECEIVES  UINT64_MAX

/* What stands before the datagram in a letter. */
typedef struct {
    uint8_t   family;
    uint8_t   kind;
    uint16_t  ports[2];            /* local, remote */
    uint32_t  scopes[2];
    uint8_t   ips[2][16];
} letter_head;


/* --- the zones ----------------------------------------------------------- */

static void
mend_table(lun_zone *zone, int64_t pid, const lun_log *log)
{
    lun_shm_table_seize(lun_shm_table_of(zone), pid);
}


static const lun_zone_kind  table_kind = {
    .name = "datagram_sessions",
    .min_size = TABLE_SIZE,
    .init = lun_shm_table_init,
    .mend = mend_table
};

static const lun_str  table_name = LUN_STR_INIT("datagram sessions");


lun_rc
lun_datagram_want_zone(lun_zone_set *zones, const char **why)
{
    return lun_zone_want(zones, table_name, TABLE_SIZE, &table_kind, why)
           != NULL ? LUN_OK : LUN_ERROR;
}


static void on_letter(void *data, lun_str text);


void
lun_datagram_share(lun_loop *loop, const lun_zone_set *zones)
{
    lun_datagrams   *all = lun_datagrams_of(loop);
    const lun_zone  *table = lun_zone_find(zones, table_name);

    all->table = table != NULL && lun_workers_self() >= 0
                 ? lun_shm_table_of(table) : NULL;
    lun_mailbox_on(LUN_LETTER_DATAGRAM, on_letter, all);
    lun_mailbox_on(LUN_LETTER_QUIC, on_letter, all);
}


void
lun_datagram_end_sharing(lun_datagrams *all)
{
    if (all->table != NULL) {
        lun_mailbox_on(LUN_LETTER_DATAGRAM, NULL, NULL);
        lun_mailbox_on(LUN_LETTER_QUIC, NULL, NULL);
        all->table = NULL;
    }
}


void
lun_datagram_on_arrived(lun_datagrams *all, lun_datagram_arrived_fn *arrived)
{
    all->arrived = arrived;
}


/* --- names --------------------------------------------------------------- */

static size_t
ip_size(const lun_addr *a)
{
    return a->family == LUN_AF_INET ? 4 : 16;
}


size_t
lun_datagram_key_text(const lun_datagram_key *key,
    char text[LUN_DATAGRAM_KEY_TEXT])
{
    char  *p = text;

    *p++ = (char) key->local.family;
    p = lun_copy(p, &key->local.port, sizeof(key->local.port));
    p = lun_copy(p, &key->remote.port, sizeof(key->remote.port));
    p = lun_copy(p, key->local.ip, ip_size(&key->local));
    p = lun_copy(p, key->remote.ip, ip_size(&key->remote));

    if (key->local.family == LUN_AF_INET6) {
        p = lun_copy(p, &key->remote.scope, sizeof(key->remote.scope));
    }

    return (size_t) (p - text);
}


/* An address of ours alone; no session has a name of that length. */
static size_t
address_text(const lun_addr *at, char text[LUN_DATAGRAM_KEY_TEXT])
{
    char  *p = text;

    *p++ = (char) at->family;
    p = lun_copy(p, &at->port, sizeof(at->port));
    p = lun_copy(p, at->ip, ip_size(at));

    return (size_t) (p - text);
}


static void
fill_head(letter_head *h, const lun_datagram_key *key, unsigned kind)
{
    memset(h, 0, sizeof(*h));
    h->family = (uint8_t) key->local.family;
    h->kind = (uint8_t) kind;
    h->ports[0] = key->local.port;
    h->ports[1] = key->remote.port;
    h->scopes[0] = key->local.scope;
    h->scopes[1] = key->remote.scope;
    memcpy(h->ips[0], key->local.ip, 16);
    memcpy(h->ips[1], key->remote.ip, 16);
}


/*
 * Letters come out of shared memory: length and family, which say what is
 * copied, are looked at as if a stranger had written them.
 */
bool
lun_datagram_read_letter(lun_str letter, lun_datagram_key *key, unsigned *kind,
    lun_str *data)
{
    letter_head  h;

    if (letter.len < sizeof(h)
        || letter.len > sizeof(h) + LUN_DATAGRAM_MOST)
    {
        return false;
    }

    memcpy(&h, letter.data, sizeof(h));

    if (h.family != LUN_AF_INET && h.family != LUN_AF_INET6) {
        return false;
    }

    memset(key, 0, sizeof(*key));
    key->local.family = key->remote.family = (lun_family) h.family;
    key->local.port = h.ports[0];
    key->remote.port = h.ports[1];
    key->local.scope = h.scopes[0];
    key->remote.scope = h.scopes[1];
    memcpy(key->local.ip, h.ips[0], ip_size(&key->local));
    memcpy(key->remote.ip, h.ips[1], ip_size(&key->remote));

    *kind = h.kind;
    *data = lun_str_of(letter.data + sizeof(h), letter.len - sizeof(h));
    return true;
}


static void
on_letter(void *data, lun_str text)
{
    lun_str           rest;
    unsigned          kind;
    lun_datagrams    *all = data;
    lun_datagram_key  key;

    if (all->arrived != NULL
        && lun_datagram_read_letter(text, &key, &kind, &rest))
    {
        all->arrived(all, &key, kind, rest.data, rest.len);
    }
}


/* --- the table ----------------------------------------------------------- */

/* Makes room, but not of those who receive: they are few. */
static bool
forget_oldest(lun_shm_table *t)
{
    lun_shm_record  *e = lun_shm_table_oldest(t);

    if (e == NULL) {
        return false;
    }

    if (e->stamp == RECEIVES) {
        lun_shm_table_touch(t, e);

    } else {
        lun_shm_table_remove(t, e);
    }

    return true;
}


/*
 * Makes the name, which was `was`'s (0: nobody's), this worker's: `stamp` is
 * its row, or RECEIVES.
 */
static void
take_name(lun_shm_table *t, lun_str name, uint64_t was, uint64_t stamp)
{
    int              tries = TRIES;
    lun_shm_record  *e = lun_shm_table_find(t, name, NULL);

    if (e != NULL && e->value == was) {
        e->stamp = stamp;
        e->value = lun_lock_self();
    }

    while (e == NULL && tries-- > 0) {
        e = lun_shm_table_add(t, name, stamp, lun_lock_self());

        if (e == NULL && !forget_oldest(t)) {
            return;
        }
    }
}


/* The name is `was`'s no more. */
static void
drop_name(lun_shm_table *t, lun_str name, uint64_t was)
{
    lun_shm_record  *e = lun_shm_table_find(t, name, NULL);

    if (e != NULL && e->value == was) {
        lun_shm_table_remove(t, e);
    }
}


/*
 * A worker that is gone has left its clients to whoever gets their next
 * datagram; one whose box is full loses this one, since two owners would be
 * worse.
 */
lun_datagram_verdict
lun_datagram_forward_to(lun_datagrams *all, const lun_datagram_key *key,
    unsigned kind, lun_str data, unsigned row, uint64_t process)
{
    letter_head  head;
    lun_slice    parts[2] = { { (const char *) &head, sizeof(head) },
                              { data.data, data.len } };

    LUN_CHECK(data.len <= LUN_DATAGRAM_MOST);

    if (all->table == NULL) {
        return LUN_DATAGRAM_OURS;
    }

    fill_head(&head, key, kind);

    switch (lun_mailbox_send(row, process,
                             kind & LUN_DATAGRAM_QUIC ? LUN_LETTER_QUIC
                                                      : LUN_LETTER_DATAGRAM,
                             parts, 2))
    {
    case LUN_MAILBOX_SENT:
        return LUN_DATAGRAM_FORWARDED;

    case LUN_MAILBOX_FULL:
        return LUN_DATAGRAM_DROPPED;

    case LUN_MAILBOX_GONE:
        break;
    }

    return LUN_DATAGRAM_OURS;
}


lun_datagram_verdict
lun_datagram_forward(lun_datagrams *all, const lun_datagram_key *key,
    unsigned kind, lun_str data, bool claim)
{
    char                   text[LUN_DATAGRAM_KEY_TEXT];
    lun_str                name;
    uint64_t               owner, row;
    lun_shm_table         *t = all->table;
    lun_shm_record        *e;
    lun_datagram_verdict   verdict;

    if (t == NULL) {
        return LUN_DATAGRAM_OURS;
    }

    name = lun_str_of(text, lun_datagram_key_text(key, text));
    lun_shm_table_lock(t);
    e = lun_shm_table_find(t, name, NULL);
    owner = e != NULL ? e->value : 0;
    row = e != NULL ? e->stamp : 0;

    if (owner == 0 && claim) {
        take_name(t, name, 0, (uint64_t) lun_workers_self());
    }

    lun_shm_table_unlock(t);

    if (owner == 0 || owner == lun_lock_self()) {
        return LUN_DATAGRAM_OURS;
    }

    verdict = lun_datagram_forward_to(all, key, kind, data, (unsigned) row,
                                      owner);
    if (verdict != LUN_DATAGRAM_OURS) {
        return verdict;
    }

    /* Its worker is gone; another may have taken it by now. */
    lun_shm_table_lock(t);

    if (claim) {
        take_name(t, name, owner, (uint64_t) lun_workers_self());

    } else {
        drop_name(t, name, owner);
    }

    lun_shm_table_unlock(t);

    return LUN_DATAGRAM_OURS;
}


static void
give_up(lun_shm_table *t, lun_str name)
{
    lun_shm_table_lock(t);
    drop_name(t, name, lun_lock_self());
    lun_shm_table_unlock(t);
}


void
lun_datagram_release(lun_datagrams *all, const lun_datagram_key *key)
{
    char  text[LUN_DATAGRAM_KEY_TEXT];

    if (all->table != NULL) {
        give_up(all->table, lun_str_of(text, lun_datagram_key_text(key, text)));
    }
}


void
lun_datagram_reader_is_me(lun_datagrams *all, const lun_addr *at)
{
    char             text[LUN_DATAGRAM_KEY_TEXT];
    lun_str          name;
    lun_shm_record  *e;

    if (all->table == NULL) {
        return;
    }

    name = lun_str_of(text, address_text(at, text));
    lun_shm_table_lock(all->table);
    e = lun_shm_table_find(all->table, name, NULL);
    take_name(all->table, name, e != NULL ? e->value : 0, RECEIVES);
    lun_shm_table_unlock(all->table);
}


void
lun_datagram_reader_was_me(lun_datagrams *all, const lun_addr *at)
{
    char  text[LUN_DATAGRAM_KEY_TEXT];

    if (all->table != NULL) {
        give_up(all->table, lun_str_of(text, address_text(at, text)));
    }
}


bool
lun_datagram_has_reader(lun_datagrams *all, const lun_addr *at)
{
    char                   text[LUN_DATAGRAM_KEY_TEXT];
    lun_str                name;
    uint64_t               owner;
    const lun_shm_record  *e;

    if (all->table == NULL) {
        return false;
    }

    name = lun_str_of(text, address_text(at, text));
    lun_shm_table_lock(all->table);
    e = lun_shm_table_find(all->table, name, NULL);
    owner = e != NULL ? e->value : 0;
    lun_shm_table_unlock(all->table);

    return owner != 0 && owner != lun_lock_self()
           && lun_lock_owner_lives(owner);
}
