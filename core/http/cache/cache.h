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

/* An upstream request's, which has NAME_cache in its conf. */
extern const lun_upreq_hooks  lun_cache_hooks;

/* A worker hears of other workers' updates: before it accepts. */
void lun_cache_listen(void);

/* $upstream_cache_... */
void lun_cache_get_status(lun_session *s, lun_value *v, uintptr_t data);
void lun_cache_get_last_modified(lun_session *s, lun_value *v,
    uintptr_t data);
void lun_cache_get_etag(lun_session *s, lun_value *v, uintptr_t data);
void lun_cache_get_key(lun_session *s, lun_value *v, uintptr_t data);

#endif
