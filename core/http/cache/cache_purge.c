/*
 * cache_purge.c -- a key is dropped, or all that begin so.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cache_purge.h"

#include "base/digest.h"
#include "http/cache/cache_duty.h"
#include "http/cache/cache_priv.h"


lun_cache *
lun_cache_find(const lun_generation *gen, lun_str name)
{
    const lun_zone  *zone = lun_zone_find(gen->zones, name);

    return zone != NULL && zone->kind == &lun_cache_index_kind ? zone->data
                                                               : NULL;
}


/* "a*": everything whose key begins so, found by and by. */
static unsigned
purge_all(const lun_cache *cache, lun_str begins, const lun_log *log)
{
    lun_err  err;

    lun_cache_index_mark(lun_cache_index_of(cache->zone), begins,
                         lun_cache_now());
    err = lun_cache_save_marks(cache);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, log, err, "what is purged of cache \"%.*s\" "
                "could not be noted on the disk", LUN_S(cache->zone->name));
        return 500;
    }

    return 204;
}


unsigned
lun_cache_purge_key(const lun_cache *cache, lun_str key, lun_pool *temp,
    const lun_log *log)
{
    bool              there;
    lun_cache_key     main;
    lun_cache_entry   e = { .version = 0 };
    lun_cache_index  *index = lun_cache_index_of(cache->zone);

    lun_cache_index_purge(index);

    if (lun_str_ends(key, LUN_STR("*"))) {
        return purge_all(cache, lun_str_of(key.data, key.len - 1), log);
    }

    lun_md5(key, main.bytes);

    /* Its variants are out of reach without it: they share its family. */
    there = lun_cache_index_get(index, &main, &e) && e.version != 0;
    e.key = main;
    e.version = 1;                 /* there may be one that is not known */
    there |= lun_cache_delete_file(cache, &e, temp, log);
    (void) lun_cache_index_remove(index, &main, LUN_CACHE_ANY);

    return there ? 204 : 404;
}


lun_verdict
lun_cache_purge(lun_caching *c)
{
    LUN_CHECK_MARK(c, LUN_MARK_CACHING);
    return LUN_STATUS + lun_cache_purge_key(c->cache, c->text,
                                            c->x->r->pool, c->x->r->log);
}
