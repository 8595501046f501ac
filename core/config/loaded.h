/*
 * loaded.h -- the files and patterns of a configuration: each is read once,
 * however often it is included.  What was read is the snapshot, and reading
 * from a snapshot takes both from there and never asks the disk.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOADED_H
#define LUN_LOADED_H

#include "config/conf.h"

/* The text lives as long as cf->pool.  An asset is no configuration. */
lun_err lun_conf_load_file(lun_conf *cf, lun_str path, bool asset,
    lun_str *text);

/* What matches a pattern, in the order of names; ERROR: reported. */
lun_rc lun_conf_load_glob(lun_conf *cf, lun_str pattern, lun_conf_glob *glob);

#endif
