/*
 * url.h -- where something is, as people and certificates write it.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_URL_H
#define LUN_FORMAT_URL_H

#include "base/str.h"

/* "scheme://host:port/path?arguments"; views into the text. */
typedef struct {
    lun_str   scheme;              /* as it was written, without "://" */
    lun_str   authority;           /* "host:80", as a Host field has it */
    lun_str   host;                /* "[::1]" keeps its brackets */
    uint16_t  port;                /* 0: none was given */
    lun_str   uri;                 /* from the first of "/?" on; or "" */
} lun_url;

/*
 * NULL, or what is wrong with the text, in nginx's words.  Bytes that would
 * end a line of a request, or a word of it, are wrong, and so is a user in
 * front of the host (RFC 9110, 4.2.4).
 */
const char *lun_url_parse(lun_str text, lun_url *url);

/*
 * The same of an authority alone: "host", "host:port", "[::1]:port".  *port is
 * 0 where none was given.
 */
const char *lun_url_authority(lun_str text, lun_str *host, uint16_t *port);

#endif
