/*
 * http_conf.h -- what the rooms of the http block share while it is read:
 * http.c, location_conf.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CONF_H
#define LUN_HTTP_CONF_H

#include "http/engine.h"

lun_set_fn  lun_set_location;

/* For lun_protocol.finish: servers and locations learn where their conf is. */
lun_rc lun_http_finish_conf(lun_engine *e);

/* $name of the core, and families such as $http_*. */
extern const lun_variable  lun_core_variables[];
extern const lun_variable  lun_family_variables[];

#endif
