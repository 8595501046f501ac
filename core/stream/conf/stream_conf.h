/*
 * stream_conf.h -- what the rooms of the stream block share while it is read.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STREAM_CONF_H
#define LUN_STREAM_CONF_H

#include "stream/engine.h"

/* For lun_protocol.finish: servers learn where their conf is. */
lun_rc lun_stream_finish_conf(lun_engine *e);

/* $name of the core. */
extern const lun_variable  lun_stream_variables[];

#endif
