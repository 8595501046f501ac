/*
 * upstream_save.c -- the file of an upstream's `state` is written.
 *
 * Two workers may do so at once, and the one that was too late writes last: so
 * each looks again whether what it has written is still so.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/upstream_save.h"

#include "modules/common/upstream/upstream_names.h"
#include "os/file_replace.h"
#include "os/lock.h"
#include "session/upstream/upstream_lines.h"


/*
 * Whoever changes the list writes the file; should another worker have changed
 * it meanwhile, what was written may be old, so it is written again.
 */
void
lun_upstream_save(const lun_upstream *u, const lun_log *log)
{
    lun_err           err;
    lun_str           text;
    lun_pool         *pool;
    uint64_t          version;
    const char       *path, *aside;
    const lun_array  *lines;

    if (u->state.len == 0) {
        return;
    }

    pool = lun_pool_new_sized(4096);
    path = lun_pool_strz(pool, u->state);
    aside = lun_pool_fmt(pool, "%s.%" PRIu64, path, lun_lock_self()).data;

    do {
        version = lun_upstream_lines_version(u);
        lines = lun_upstream_lines_now(u, pool, NULL);
        text = lun_upstream_lines_write(pool, lines->items, lines->count);
        err = lun_file_replace(path, aside, text, 0, 0644);
    } while (err == 0 && lun_upstream_lines_version(u) != version);

    if (err != 0) {
        lun_log(LUN_LOG_ERR, log, err, "state file \"%s\" cannot be written",
                path);
    }

    lun_pool_free(pool);
}
