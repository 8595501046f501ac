/*
 * cache_purge.c -- a key is dropped, or all that begin so.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cache.h"

#include "http/cache/cache_duty.h"
#include "http/cache/cache_priv.h"


/* "a*": everything whose key begins so, found by and by. */
static lun_verdict
purge_all(lun_caching *c)
{
    lun_err  err;

    lun_cache_index_mark(c->index, lun_str_of(c->text.data, c->text.len - 1),
                         lun_cache_now());
    err = lun_cache_save_marks(c->cache);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, c->x->r->log, err, "what is purged of cache "
                "\"%.*s\" could not be noted on the disk",
                LUN_S(c->cache->zone->name));
        return LUN_STATUS + 500;
    }

    return LUN_STATUS + 204;
}


lun_verdict
lun_cache_purge(lun_caching *c)
{
    bool             there;
    lun_cache_entry  e = { .version = 0 };

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);
    lun_cache_index_purge(c->index);

    if (lun_str_ends(c->text, LUN_STR("*"))) {
        return purge_all(c);
    }

    /* Its variants are out of reach without it: they share its family. */
    there = lun_cache_index_get(c->index, &c->main, &e) && e.version != 0;
    e.key = c->main;
    e.version = 1;                 /* there may be one that is not known */
    there |= lun_cache_delete_file(c->x->r, c->cache, &e);
    (void) lun_cache_index_remove(c->index, &c->main, LUN_CACHE_ANY);

    return LUN_STATUS + (there ? 204 : 404);
}
