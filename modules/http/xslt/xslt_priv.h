/*
 * xslt_priv.h -- stylesheets and documents, as the module sees the libraries
 * that know what they are.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_XSLT_PRIV_H
#define LUN_XSLT_PRIV_H

#include "base/log.h"
#include "base/pool.h"
#include "base/str.h"

typedef struct lun_xslt_sheet  lun_xslt_sheet;

/* A parameter of a stylesheet, with zero bytes at their ends. */
typedef struct {
    const char  *name, *value;
    bool         is_text;          /* else an expression of XPath */
} lun_xslt_param;

typedef struct {
    lun_xslt_sheet        *sheet;
    const lun_xslt_param  *params;
    size_t                 param_count;
} lun_xslt_step;

typedef struct {
    lun_str  text;
    lun_str  type, charset;        /* of it; empty: not said */
} lun_xslt_result;

/* ERROR: *why says which library is missing. */
lun_rc lun_xslt_load(const char **why);

/* Lives as long as the pool.  NULL: what is wrong with it has been logged. */
lun_xslt_sheet *lun_xslt_sheet_read(lun_pool *pool, const char *path,
    const lun_log *log);

/* Whether this is a DTD; if not, it has been logged why. */
bool lun_xslt_is_dtd(lun_str dtd, const lun_log *log);

/*
 * What the steps make of a document, in the pool.  The DTD takes the place of
 * the one that the document names; files are read for it only if it may.
 * ERROR: logged.
 */
lun_rc lun_xslt_run(lun_pool *pool, lun_str document, lun_str dtd,
    bool may_read, const lun_xslt_step *steps, size_t count,
    lun_xslt_result *result, const lun_log *log);

#endif
