/*
 * program_spec.h -- reading a `program` line.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_PROGRAM_SPEC_H
#define LUN_MODULES_PROGRAM_SPEC_H

#include "modules/common/program/program_priv.h"

/* cf->args into p, of which `upstream` is set. */
lun_rc lun_program_spec_read(lun_conf *cf, lun_programs *p);

#endif
