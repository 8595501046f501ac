/*
 * check_files.h -- rows of `lunette check` that ask no server: what files do
 * under our hands, how soon a change or a timer is told, who knows names.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_CHECK_FILES_H
#define LUN_RUN_CHECK_FILES_H

#include "os/file.h"
#include "os/machine.h"

enum { LUN_CHECK_PATH = 1024 };

extern const lun_machine_row  lun_check_file_rows[];

/* "FOLDER/NAME"; the last two texts that were returned stay. */
const char *lun_check_in(const char *folder, const char *name);

/* A file of that text, in place of one that is there. */
lun_err lun_check_put(const char *path, const char *text);

/* "what: 13: Permission denied" */
void lun_check_err(lun_machine_finding *f, lun_machine_verdict verdict,
    const char *advice, const char *what, lun_err err);

#endif
