/*
 * path.h -- what a path may be.  Pure text; no system call.  Both systems
 * compile both sets of rules, so that one table of cases tests them anywhere.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_PATH_H
#define LUN_OS_PATH_H

#include "base/pool.h"

typedef enum {
    LUN_PATH_POSIX,
    LUN_PATH_WINDOWS
} lun_path_rules;

/* The rules of the system this runs on. */
extern const lun_path_rules  lun_path_native;

typedef enum {
    LUN_PATH_FINE,
    LUN_PATH_NUL,                  /* a zero byte, or a control character */
    LUN_PATH_CHAR,                 /* < > " | ? * */
    LUN_PATH_COLON,                /* a stream or a drive */
    LUN_PATH_DOT_SPACE,            /* a component ends with one, or is dots */
    LUN_PATH_DEVICE,               /* CON, nul.txt, COM1, ... */
    LUN_PATH_UTF8,                 /* not the canonical encoding of a text */
    LUN_PATH_UNC,                  /* leads to another machine or namespace */
    LUN_PATH_TILDE                 /* fine, but to be looked up: design, 6 */
} lun_path_verdict;

/*
 * Checks the part of a path that came from outside (a request, a variable),
 * which will be appended to a configured root.
 */
lun_path_verdict lun_path_check(lun_str part, lun_path_rules rules);

const char *lun_path_verdict_text(lun_path_verdict verdict);

/*
 * Where in a path, from byte `from` on, the first component begins that may be
 * another name (8.3) of a file: one with a '~', or if `strict` any that fits
 * 8.3.  path.len: none, as always by posix rules.  What was found fine or
 * TILDE can only be an alias from there on; see safe_open.h.
 */
size_t lun_path_check_from(lun_str path, size_t from, bool strict,
    lun_path_rules rules);

/*
 * The same verdict on a whole path that was built from variables: behind
 * `from`, which came from the configuration (its prefix, a literal
 * beginning).  With from 0 the value may begin with a drive.
 */
lun_path_verdict lun_path_check_part(lun_str path, size_t from,
    lun_path_rules rules);

/*
 * Whether a path leads, by "..", out of the folder in which byte `from` of it
 * stands, if only on its way.
 */
bool lun_path_climbs(lun_str path, size_t from, lun_path_rules rules);

/*
 * A request's path that format/uri.h has normalised gets the one spelling that
 * locations, $uri and the file shall see: by Windows rules the dot at the end
 * of a component goes ("/a./b"; not where there are several), and so do dots
 * and spaces at the end of all.  LUN_ERROR: it asks for a stream by its type
 * (":$").  nginx for Windows does the same; whatever else is no name is left
 * for lun_path_check() to refuse.
 */
lun_rc lun_path_of_uri(lun_pool *pool, lun_str *uri, lun_path_rules rules);

/* A path from elsewhere, with '/' for each slash of the system's. */
lun_str lun_path_slashed(lun_pool *pool, lun_str path, lun_path_rules rules);

/* Canonical UTF-8, and not ASCII alone. */
bool lun_path_is_utf8(lun_str text);

/* "/x", and on Windows "C:/x", "\x", "\\server\x". */
bool lun_path_is_absolute(lun_str path, lun_path_rules rules);

/* `path` if absolute, else base + '/' + path.  Zero-terminated. */
lun_str lun_path_full(lun_pool *pool, lun_str base, lun_str path);

/* Up to and without the last slash; after it. */
lun_str lun_path_dir(lun_str path);
lun_str lun_path_name(lun_str path);

#endif
