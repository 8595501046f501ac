/*
 * escape.h -- text that is safe inside JSON's strings and on a page.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ESCAPE_H
#define LUN_ESCAPE_H

#include "base/pool.h"

/*
 * How long s becomes, and writes it, returning the end.  json: what may stand
 * between quotes; html: < > & " as entities.
 */
size_t lun_escape_json_len(lun_str s);
char *lun_escape_json(char *p, lun_str s);
size_t lun_escape_html_len(lun_str s);
char *lun_escape_html(char *p, lun_str s);

/* The same, in the pool; s itself if nothing is to be escaped. */
lun_str lun_escape_json_new(lun_pool *pool, lun_str s);
lun_str lun_escape_html_new(lun_pool *pool, lun_str s);

#endif
