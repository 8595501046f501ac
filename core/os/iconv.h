/*
 * iconv.h -- texts from one encoding to another, as the system knows them.
 *
 * Names are those of iconv ("utf-8", "GBK", "koi8-r"); each system knows some
 * that the other does not.  "//IGNORE" behind one changes nothing.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_ICONV_H
#define LUN_OS_ICONV_H

#include "base/str.h"

typedef struct lun_iconv  lun_iconv;

/* Bytes that an unfinished character may have. */
enum { LUN_ICONV_MOST = 16 };

typedef enum {
    LUN_ICONV_DONE,                /* the text was used up */
    LUN_ICONV_FULL,                /* the next character has no room */
    LUN_ICONV_SHORT,               /* what is left begins a character */
    LUN_ICONV_BAD,                 /* what is left begins with none, or with
                                      one that the other encoding has not */
} lun_iconv_verdict;

/* The caller closes it.  NULL: no way from one of these to the other. */
lun_iconv *lun_iconv_open(lun_str to, lun_str from);
void lun_iconv_close(lun_iconv *c);

/*
 * Goes on with the text: takes characters off it and writes them to *out, which
 * moves, at most to `end`.
 */
lun_iconv_verdict lun_iconv_run(lun_iconv *c, lun_str *text, char **out,
    const char *end);

/* What an encoding with states wants behind a text: DONE or FULL. */
lun_iconv_verdict lun_iconv_finish(lun_iconv *c, char **out, const char *end);

#endif
