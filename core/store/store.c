/*
 * store.c -- what a store is called, and where its things are.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "store/store.h"

#include "base/fmt.h"
#include "format/url.h"


enum { REDIS = 6379, DATABASES = 1 << 20 };

const char *const  lun_store_states[] = {
    [LUN_STORE_UNASKED] = "unasked",
    [LUN_STORE_AWAY]    = "away",
    [LUN_STORE_BEHIND]  = "behind",
    [LUN_STORE_UP]      = "up"
};


static lun_rc
init_zone(lun_zone *zone, const lun_log *log)
{
    lun_store_shared  *s = zone->shm.addr;

    atomic_store(&s->node, UINT32_MAX);
    return LUN_OK;
}


const lun_zone_kind  lun_store_zone_kind = {
    .name = "store",
    .init = init_zone
};


/* "/3"; "" and "/" are the first. */
static bool
read_database(lun_str text, int64_t *n)
{
    *n = 0;

    if (text.len <= 1) {
        return text.len == 0 || text.data[0] == '/';
    }

    return text.data[0] == '/'
           && lun_str_to_i64(lun_str_of(text.data + 1, text.len - 1), n)
              == LUN_OK
           && *n >= 0 && *n < DATABASES;
}


const char *
lun_store_url_parse(lun_pool *pool, lun_str text, lun_store_url *url)
{
    lun_url      u;
    const char  *wrong;

    *url = (lun_store_url) { .text = text };

    if (lun_str_starts(text, LUN_STR("unix:"))) {
        text = lun_str_z(lun_pool_strz(pool, text));
        url->numeric = true;
        return lun_addr_parse(text, &url->addr) == LUN_OK
               && url->addr.family == LUN_AF_UNIX ? NULL : "invalid path";
    }

    wrong = lun_url_parse(text, &u);

    if (wrong != NULL) {
        return wrong;
    }

    url->secure = lun_str_caseeq(u.scheme, LUN_STR("rediss"));

    if (!url->secure && !lun_str_caseeq(u.scheme, LUN_STR("redis"))) {
        return "it has to begin with redis://, rediss:// or unix:";
    }

    if (!read_database(u.uri, &url->database)) {
        return "invalid database";
    }

    url->host = u.host;
    url->port = u.port != 0 ? u.port : REDIS;
    url->numeric = lun_addr_parse(u.host, &url->addr) == LUN_OK
                   && url->addr.family != LUN_AF_UNIX;
    url->addr.port = url->port;
    return NULL;
}


void
lun_store_sync(lun_pool *pool, lun_store *store, const char *what,
    lun_zone *zone)
{
    lun_store_zone  *z = lun_pool_new(pool, lun_store_zone);

    z->store = store;
    z->what = what;
    z->zone = zone;
    *(lun_store_zone **) lun_array_push(&store->zones) = z;
}


/* The keys of a zone are in one slot of a cluster. */
void
lun_store_settle(lun_pool *pool, lun_store *store)
{
    size_t           i;
    lun_str          tag;
    lun_store_zone  *z;

    for (i = 0; i < store->zones.count; i++) {
        z = *(lun_store_zone **) lun_array_at(&store->zones, i);
        tag = lun_pool_fmt(pool, "{%.*s%s:%.*s}", LUN_S(store->prefix),
                           z->what, LUN_S(z->zone->name));
        z->log = lun_pool_fmt(pool, "%.*s:log", LUN_S(tag));
        z->all = lun_pool_fmt(pool, "%.*s:all", LUN_S(tag));
        z->meta = lun_pool_fmt(pool, "%.*s:meta", LUN_S(tag));
    }
}


/* --- what is seen of it -------------------------------------------------- */

void
lun_store_dump(const lun_store *store, const lun_log *log)
{
    size_t                   i;
    const lun_store_zone    *z;
    const lun_store_shared  *shared = lun_store_shared_of(store);
    lun_shdict_feed_state    feed;

    lun_log(LUN_LOG_NOTICE, log, 0, "dump: store \"%.*s\" is %s, node "
            "\"%.*s\" (%d)", LUN_S(store->name),
            lun_store_states[atomic_load(&shared->state)], LUN_S(store->node),
            (int) atomic_load(&shared->node));

    for (i = 0; i < store->zones.count; i++) {
        z = *(lun_store_zone **) lun_array_at(&store->zones, i);
        lun_shdict_feed_look(lun_shdict_of(z->zone), &feed);
        lun_log(LUN_LOG_NOTICE, log, 0, "dump: store \"%.*s\", zone \"%.*s\": "
                "%" PRIu64 " bytes to tell, %" PRIu64 " changes dropped",
                LUN_S(store->name), LUN_S(z->zone->name),
                feed.end - feed.first, feed.dropped);
    }
}
