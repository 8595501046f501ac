/*
 * ffi_lib.h -- what ffi_lib.c has for C as well: frames of WebSocket.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_FFI_LIB_H
#define LUN_LUA_FFI_LIB_H

#include "modules/lua/lua.h"

/* A frame without a mask: its head, then the payload.  Returns its length. */
LUN_EXPORT size_t lun_ffi_frame(unsigned char *out, int first,
    const char *data, size_t len);

/* The payload of `len` bytes that stands behind its key. */
LUN_EXPORT void lun_ffi_unmask(unsigned char *out, const char *data,
    size_t len);

#endif
