/*
 * quic_keys.c -- host keys, in a zone: the random one that all workers of all
 * generations have, and those that listeners have by quic_host_key.  Those of
 * earlier generations stay known, so that packets of their connections still
 * find the workers that have them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/quic/quic_priv.h"

#include <openssl/evp.h>
#include <stdatomic.h>

#include "base/check.h"
#include "net/quic/quic_route.h"
#include "os/random.h"
#include "shm/workers.h"


/*
 * In the zone.  A slot is written before it is `ready`; who has read one half
 * written, because there are more keys than slots, sees that count change.
 */
typedef struct {
    uint8_t           random[LUN_QUIC_KEY];
    _Atomic uint32_t  taken;       /* slots, in turn */
    struct {
        _Atomic uint32_t  ready;   /* counts how often it was */
        uint8_t           key[LUN_QUIC_KEY];
    } slots[LUN_QUIC_KEYS];
} shared_keys;

static const lun_str  zone_name = LUN_STR_INIT("quic host key");


static lun_rc
init_keys(lun_zone *zone, const lun_log *log)
{
    shared_keys  *keys = zone->shm.addr;

    lun_random_bytes(keys->random, LUN_QUIC_KEY);
    return LUN_OK;
}


static const lun_zone_kind  key_kind = {
    .name = "quic_host_key",
    .min_size = 4096,
    .init = init_keys
};


lun_rc
lun_quic_want_zone(lun_zone_set *zones, const char **why)
{
    return lun_zone_want(zones, zone_name, 4096, &key_kind, why) != NULL
           ? LUN_OK : LUN_ERROR;
}


/* --- ours ---------------------------------------------------------------- */

/* A key that a listener here has. */
typedef struct {
    lun_list       link;
    lun_quic_ids  *ids;
    uint8_t        key[LUN_QUIC_KEY];
} own_key;


static lun_quic_ids *
find_own(const lun_quics *all, const uint8_t *key)
{
    own_key  *own;

    lun_list_each (&all->own, it) {
        own = lun_container_of(it, own_key, link);

        if (memcmp(own->key, key, LUN_QUIC_KEY) == 0) {
            return own->ids;
        }
    }

    return NULL;
}


/* It stays as long as the loop: connections and doors have it. */
static lun_quic_ids *
add_own(lun_quics *all, const uint8_t *key)
{
    own_key       *own;
    lun_quic_ids  *ids = find_own(all, key);

    if (ids == NULL) {
        own = lun_calloc(sizeof(own_key));
        own->ids = ids = lun_quic_ids_new(key);
        LUN_CHECK(ids != NULL);
        memcpy(own->key, key, LUN_QUIC_KEY);
        lun_list_push_back(&all->own, &own->link);
    }

    return ids;
}


/* A process alone: a random key. */
void
lun_quic_keys_init(lun_quics *all)
{
    uint8_t  key[LUN_QUIC_KEY];

    lun_list_init(&all->own);
    lun_random_bytes(key, LUN_QUIC_KEY);
    all->ids = add_own(all, key);
}


lun_quic_ids *
lun_quic_keys_at(const lun_quics *all, const lun_datagram_door *d)
{
    return d->quic_ids != NULL ? d->quic_ids : all->ids;
}


/* --- of all -------------------------------------------------------------- */

void
lun_quic_share(lun_loop *loop, const lun_zone_set *zones)
{
    lun_quics       *all;
    const lun_zone  *zone = lun_zone_find(zones, zone_name);

    if (zone == NULL) {
        return;
    }

    all = lun_quics_of(loop);
    all->keys = zone->shm.addr;
    all->ids = add_own(all, ((const shared_keys *) all->keys)->random);

    if (lun_workers_self() >= 0) {
        all->self.row = (uint16_t) lun_workers_self();
    }
}


static bool
is_known(const shared_keys *keys, const uint8_t *key)
{
    size_t  i;

    for (i = 0; i < LUN_QUIC_KEYS; i++) {
        if (atomic_load(&keys->slots[i].ready) != 0
            && memcmp(keys->slots[i].key, key, LUN_QUIC_KEY) == 0)
        {
            return true;
        }
    }

    return false;
}


/* Two workers that do so at once take two slots, with the same in them. */
static void
publish(shared_keys *keys, const uint8_t *key)
{
    uint32_t  i;

    if (!is_known(keys, key)) {
        i = atomic_fetch_add(&keys->taken, 1) % LUN_QUIC_KEYS;
        memcpy(keys->slots[i].key, key, LUN_QUIC_KEY);
        atomic_fetch_add(&keys->slots[i].ready, 1);
    }
}


void
lun_quic_keys_use(lun_quics *all, lun_datagram_door *d, lun_str secret)
{
    uint8_t  key[LUN_QUIC_KEY];

    if (secret.len == 0) {
        d->quic_ids = NULL;
        return;
    }

    LUN_CHECK(EVP_Digest(secret.data, secret.len, key, NULL, EVP_sha256(),
                         NULL) == 1);
    d->quic_ids = add_own(all, key);

    if (all->keys != NULL) {
        publish(all->keys, key);
    }
}


/* What has changed since it was looked at. */
static void
refresh(lun_quics *all, const shared_keys *keys)
{
    size_t    i;
    uint32_t  ready;

    for (i = 0; i < LUN_QUIC_KEYS; i++) {
        ready = atomic_load(&keys->slots[i].ready);

        if (ready != all->others_ready[i]) {
            all->others_ready[i] = ready;
            lun_quic_ids_free(all->others[i]);
            all->others[i] = lun_quic_ids_new(keys->slots[i].key);
        }
    }

    if (all->others[LUN_QUIC_KEYS] == NULL) {
        all->others[LUN_QUIC_KEYS] = lun_quic_ids_new(keys->random);
    }
}


/*
 * Connections live longer than configurations: an id may be by a key that was
 * in use before a reload.
 */
bool
lun_quic_keys_owner(lun_quics *all, const lun_datagram_door *d,
    const uint8_t *id, unsigned which, lun_quic_owner *owner)
{
    if (which == 0) {
        lun_quic_cid_read(lun_quic_keys_at(all, d), id, owner);
        return true;
    }

    if (all->keys == NULL || which > LUN_QUIC_KEYS + 1) {
        return false;
    }

    if (which == 1) {
        refresh(all, all->keys);
    }

    if (all->others[which - 1] == NULL) {
        *owner = (lun_quic_owner) { .row = LUN_QUIC_NO_ROW };
        return true;
    }

    lun_quic_cid_read(all->others[which - 1], id, owner);
    return true;
}


void
lun_quic_keys_end(lun_quics *all)
{
    size_t    i;
    own_key  *own;

    while (!lun_list_empty(&all->own)) {
        own = lun_container_of(all->own.next, own_key, link);
        lun_list_remove(&own->link);
        lun_quic_ids_free(own->ids);
        lun_free(own);
    }

    for (i = 0; i <= LUN_QUIC_KEYS; i++) {
        lun_quic_ids_free(all->others[i]);
    }
}
