/*
 * utf8.h -- texts of anybody as UTF-8, and as strings in JSON.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UTF8_H
#define LUN_UTF8_H

#include "base/str.h"

enum { LUN_UTF8_JSON = 6 };        /* bytes of a JSON string for one of text,
                                      at most */

/* Bytes of the character that begins at p; 0: none does.  left > 0. */
size_t lun_utf8_size(const char *p, size_t left);

/* Bytes that are no character become U+FFFD, each: how long, and the text. */
size_t lun_utf8_clean_len(lun_str s);
char *lun_utf8_clean(char *p, lun_str s);

/*
 * What stands between the quotes of a string of JSON; bytes that are no
 * character become \ufffd.  Never past `end`: a text that does not fit is cut
 * before a character.
 */
char *lun_utf8_json(char *p, const char *end, lun_str s);

#endif
