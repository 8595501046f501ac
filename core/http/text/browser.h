/*
 * browser.h -- the few old browsers that need to be told apart.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_BROWSER_H
#define LUN_HTTP_BROWSER_H

#include "base/str.h"

typedef enum {
    LUN_BROWSER_OTHER  = 0x00,
    LUN_BROWSER_MSIE6  = 0x01,     /* or older, and not of Windows XP SP2 */
    LUN_BROWSER_SAFARI = 0x02      /* of macOS; not Chrome, which says so */
} lun_browser;

/* The browser that sends this User-Agent.  Pure, as all of these. */
lun_browser lun_browser_of(lun_str agent);
bool lun_browser_is_msie(lun_str agent);
/* It shows a page of its own in place of a short error page. */
bool lun_browser_is_friendly(lun_str agent);

#endif
