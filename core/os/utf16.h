/*
 * utf16.h -- UTF-8 and UTF-16.  Pure; no system call.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_UTF16_H
#define LUN_OS_UTF16_H

#include "base/str.h"

/*
 * The bytes of the UTF-8 sequence at p, of which n (at least 1) may be read;
 * 0 if there is none: only the shortest form counts, no surrogates, nothing
 * beyond U+10FFFF (RFC 3629).
 */
size_t lun_utf8_len(const char *p, size_t n);

/*
 * All of `text` in UTF-16; `out` has room for text.len units.  Returns the
 * units written, -1 if anything in it is no UTF-8.
 */
ptrdiff_t lun_utf16_from(uint16_t *out, lun_str text);

/*
 * Back; `out` has room for 3 * n bytes.  A lone surrogate, which names of
 * files may hold, becomes U+FFFD.  Returns the bytes written.
 */
size_t lun_utf16_to(char *out, const uint16_t *text, size_t n);

#endif
