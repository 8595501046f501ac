/*
 * ffi_headers.h -- what Lua may write into a header, in and out.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_FFI_HEADERS_H
#define LUN_LUA_FFI_HEADERS_H

#include "http/request.h"

/*
 * Sets a header of the request; value NULL: removes it.  override: in place
 * of all of that name.
 */
LUN_EXPORT int lun_ffi_req_set_header(lun_request *r, const char *name,
    size_t name_len, const char *value, size_t value_len, int override);

/* ffi_response.c, for response.lua and capi */
LUN_EXPORT int lun_ffi_resp_set_header(lun_request *r, const char *name,
    size_t name_len, const char *value, size_t value_len, int override);
LUN_EXPORT int lun_ffi_resp_get_header(lun_request *r, const char *name,
    size_t len, lun_str *values, int max);
LUN_EXPORT int lun_ffi_resp_underscores(void);

/*
 * Copies into r->pool with every byte that could end the line, or that a name
 * cannot hold, as %XX.
 */
lun_str lun_lua_header_name(lun_request *r, const char *s, size_t len);
lun_str lun_lua_header_value(lun_request *r, const char *s, size_t len);

/*
 * A path that Lua puts into Location goes out as it is: the core, which would
 * make a full address of it, does not know it as Location.
 */
void lun_lua_set_location(lun_request *r, lun_str key, lun_str text);

/*
 * Fills pairs with names and values of those that are there, at most max.
 * Returns how many there are in all.
 */
int lun_lua_header_pairs(const lun_header_list *list, lun_str *pairs, int n,
    int max);

#endif
