/*
 * page.h -- the page of status_page, which the build makes of page.html.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STATUS_PAGE_H
#define LUN_STATUS_PAGE_H

#include <stddef.h>

extern const char    lun_status_page_text[];
extern const size_t  lun_status_page_size;

#endif
