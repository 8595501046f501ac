/*
 * uri.h -- percent-encoding and path normalisation.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_URI_H
#define LUN_FORMAT_URI_H

#include "base/str.h"

/* Which bytes escape: named for the place the text goes to. */
typedef enum {
    LUN_ESCAPE_URI,                /* a path: # % ?, and all of REDIRECT */
    LUN_ESCAPE_ARGS,               /* a query: & + ; as well (not =) */
    LUN_ESCAPE_COMPONENT,          /* ngx.escape_uri(s), type 2 */
    LUN_ESCAPE_LUA_URI,            /* ngx.escape_uri(s, 0) */
    LUN_ESCAPE_REDIRECT            /* only what no URI may hold: controls,
                                      space " < > \ ^ ` { | } non-ASCII */
} lun_escape;

/* Bytes that `s` will have when escaped. */
size_t lun_uri_escaped_len(lun_str s, lun_escape kind);

/* Writes it (room as said above); returns the end. */
char *lun_uri_escape(char *dst, lun_str s, lun_escape kind);

/*
 * Decodes %XX into dst (at least s.len bytes; may be s.data itself when it is
 * writable); a malformed escape stays as it is.  plus: '+' becomes a space.
 * Returns the end.
 */
char *lun_uri_unescape(char *dst, lun_str s, bool plus);

typedef struct {
    bool  merge_slashes;           /* "//" is "/" (nginx: on) */
    bool  backslash;               /* '\' is '/' (Windows rules); at the
                                      end it is none, so that a folder's name
                                      gets a redirect to the one with '/' */
} lun_uri_rules;

/*
 * Normalises the path part of a request target (before '?'; a plain '#' ends
 * it): decodes %XX once, resolves "." and "..", merges slashes; an escaped
 * slash counts as one.  LUN_ERROR for a path that does not begin with '/', a
 * malformed escape, an escaped or plain NUL, or ".." above the root.  dst has
 * room for s.len bytes and may be s.data itself; *len is what was written.
 * RFC 3986, 5.2.4 and 6.2.2.
 */
lun_rc lun_uri_normalise(lun_str s, const lun_uri_rules *rules, char *dst,
    size_t *len);

/*
 * True when normalising would change nothing: a plain path is used as it is.
 * False is no verdict (a path that is almost plain may say false as well).
 */
bool lun_uri_is_plain(lun_str s, const lun_uri_rules *rules);

#endif
