/*
 * generation.c -- who this process is: the roof fills it in.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/generation.h"


lun_worker_info  lun_worker = { .number = -1 };
lun_str          lun_build_arguments;
