/*
 * log_rotate.h -- log files that are put aside when they are large or old.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOG_ROTATE_H
#define LUN_LOG_ROTATE_H

#include "log/log_file.h"
#include "shm/zone.h"

enum { LUN_LOG_ROTATION_ZONE = 4096 }; /* bytes: the size of its zone */

struct lun_log_rotation {
    int64_t    size;               /* bytes; 0: any */
    int64_t    period;             /* s; 0: for ever */
    int64_t    keep;               /* old files; -1: not said, then 7 */
    lun_zone  *zone;               /* one for all files of all generations */

    /* The room's own. */
    uint32_t   turn;               /* the file that is open */
    int64_t    seen;               /* its size, when it was asked for */
    int64_t    since;              /* bytes written by us since then */
    int64_t    epoch;              /* its period */
    lun_msec   not_before;         /* lun_clock.mono: after a failure */
};

extern const lun_zone_kind  lun_log_rotation_kind;

/* The file has been opened: it starts to count. */
void lun_log_rotation_opened(lun_log_file *f);

/* Before `len` bytes are written: puts the file aside if that is due. */
void lun_log_rotate(lun_log_file *f, size_t len);

/*
 * Master, now and then: puts aside what workers want and may not.  False: no
 * file of the set is ever rotated.
 */
bool lun_log_files_rotate(lun_log_set *set);

#endif
