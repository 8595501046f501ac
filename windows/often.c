/*
 * often.c -- NTFS finds a path by its whole name: nothing to keep.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/often.h"


lun_err
lun_often_stat(const char *path, lun_file_info *info)
{
    return lun_file_stat(path, info);
}


size_t
lun_often_count(void)
{
    return 0;
}


void
lun_often_forget(void)
{
}
