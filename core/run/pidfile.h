/*
 * pidfile.h -- the number of the master, for those who want to tell it a
 * word.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_PIDFILE_H
#define LUN_PIDFILE_H

#include "config/generation.h"

typedef struct {
    char  *path;                   /* malloc'ed; NULL: there is none */
    char  *aside;                  /* path.oldbin, if it is there meanwhile */
} lun_pidfile;

/* Writes this process's number; logs what is wrong. */
lun_rc lun_pidfile_write(lun_pidfile *p, const lun_generation *gen);

/* After a reload: another name, another file. */
void lun_pidfile_move(lun_pidfile *p, const lun_generation *gen);

/* Makes room for the next program's, as path.oldbin; and takes it back. */
lun_rc lun_pidfile_put_aside(lun_pidfile *p);
void lun_pidfile_put_back(lun_pidfile *p);

void lun_pidfile_remove(lun_pidfile *p);

#endif
