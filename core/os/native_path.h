/*
 * native_path.h -- configured folders in the form that the system takes as it
 * is.
 *
 * A path without a drive, or a relative one, is made absolute by Windows in
 * each call that takes it, with work that grows with the depth of the path
 * (under Wine a question to the disk for every folder on the way).  So the
 * prefix, roots and aliases are brought to "\\?\Z:\site\html" once, when the
 * configuration is read; what a request adds is converted alone and put behind
 * that.  The text stays what people see, in variables, messages and keys.
 *
 * On Linux a path is native as it is: there is nothing but the text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_NATIVE_PATH_H
#define LUN_OS_NATIVE_PATH_H

#include "base/pool.h"

typedef struct {
    lun_str          text;         /* UTF-8; what paths begin with */
    const uint16_t  *wide;         /* the same, absolute, without a slash at
                                      its end; NULL: there is none, paths are
                                      taken as they are */
    size_t           len;          /* of wide, in units */
    size_t           root;         /* units that ".." does not take away */
} lun_native_path;

/*
 * The system's: fills in `native` for a folder, with memory of the pool, which
 * keeps `text` as well.  `under`, if not NULL, is one whose text `text` may
 * begin with: that saves the system a question.  Never fails: what can't be
 * made absolute stays without `wide`.
 */
void lun_native_path_init(lun_native_path *native, lun_pool *pool,
    lun_str text, const lun_native_path *under);

/*
 * The system's: the prefix, which this process keeps a copy of.  Paths that
 * file.h and dir.h get without a folder (a script's, a temporary file's) are
 * put behind it if they begin with it and every name in the rest is a plain
 * one (os/path.h): "PREFIX/nul" stays the device.
 */
void lun_native_path_keep(const lun_native_path *prefix);

/*
 * Whether a path begins with native->text, as a folder, and so can be given to
 * lun_native_path_join().  NULL: no.
 */
bool lun_native_path_leads(const lun_native_path *native, lun_str path);

/* --- pure, for either system --- */

/* Units that the two that follow may write for n units, or bytes, of path. */
#define LUN_NATIVE_PATH_ROOM(n)  ((n) + 9)

/*
 * An absolute path with a drive, or on another machine's share, as Windows
 * takes it without another look:
 *
 *     X:/a/./b./../c/   \\?\X:\a\c\
 *     //srv/share/x     \\?\UNC\srv\share\x
 *
 * *root: its beginning that ".." does not take away.  What Windows drops, the
 * dot at the end of a folder's name and dots and spaces at the end of all, is
 * dropped here; a slash at the end stays.  Returns the length, 0 when the path
 * is neither (or has a form of the system's already).
 */
size_t lun_native_path_verbatim(uint16_t *out, size_t *root,
    const uint16_t *path, size_t n);

/*
 * A path that native->text leads, likewise: only what is behind that is
 * converted.  `out` has native->len units and ROOM for the bytes of the rest.
 * -1: that is no UTF-8.
 */
ptrdiff_t lun_native_path_join(uint16_t *out, const lun_native_path *native,
    lun_str path);

#endif
