/*
 * program_files.c -- files whose change replaces programs, and the one that
 * stands for them while it is there.
 *
 * They are looked at once in a second, whatever the system can tell: it works
 * on any file system, and a change that is still going on is waited for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/program/program_priv.h"

#include "os/file.h"


/* What was seen of one. */
typedef struct {
    const char  *path;
    int64_t      mtime, size;      /* ns; -1: it is not there */
    bool         changed;          /* since the last look */
} watched;


static void
look_at_file(watched *f)
{
    lun_file_info  info;
    bool           there = lun_file_stat(f->path, &info) == 0;
    int64_t        mtime = there ? info.mtime * 1000000000 + info.mtime_ns
                                 : -1;
    int64_t        size = there ? info.size : -1;

    f->changed = f->mtime != mtime || f->size != size;
    f->mtime = mtime;
    f->size = size;
}


void
lun_program_watch(lun_pool *pool, const lun_program_spec *spec,
    lun_array *files)
{
    size_t    i;
    watched  *f;

    lun_array_init(files, pool, sizeof(watched), 4);

    for (i = 0; i < spec->watch.count; i++) {
        f = lun_array_push(files);
        f->path = ((lun_str *) lun_array_at(&spec->watch, i))->data;
        look_at_file(f);
        f->changed = false;
    }
}


bool
lun_program_files_changed(const lun_array *files)
{
    size_t    i;
    bool      before = false, now = false;
    watched  *f;

    for (i = 0; i < files->count; i++) {
        f = lun_array_at(files, i);
        before = before || f->changed;
        look_at_file(f);
        now = now || f->changed;
    }

    return before && !now;
}


bool
lun_program_is_offline(const lun_program_spec *spec)
{
    lun_file_info  info;

    return spec->offline.len != 0
           && lun_file_stat(spec->offline.data, &info) == 0;
}
