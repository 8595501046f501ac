/*
 * cache.h -- an upstream request and its cache: looked up before a server is
 * chosen, stored beside its body, used where servers fail.
 *
 * It is in the hooks of core/http/upstream/upreq_hooks.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CACHE_H
#define LUN_HTTP_CACHE_H

#include "http/upstream/upreq.h"

/* Of upstream requests whose conf has a NAME_cache. */
extern const lun_upreq_hooks  lun_cache_hooks;

/* A worker hears of other workers' updates: before it accepts. */
void lun_cache_listen(void);

/* $upstream_cache_... */
extern lun_http_module  lun_http_caches;

#endif
