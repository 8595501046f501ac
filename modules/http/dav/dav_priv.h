/*
 * dav_priv.h -- what the methods (dav.c, dav_transfer.c) share, and ask of
 * files and folders (dav_files.c).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DAV_PRIV_H
#define LUN_DAV_PRIV_H

#include "http/file/file_aside.h"
#include "http/module.h"
#include "modules/http/dav/dav_locks.h"

/* dav_ext_lock_zone. */
typedef struct {
    const lun_zone  *zone;
    int64_t          timeout;      /* seconds */
} lun_dav_lock_zone;

typedef struct {
    uint32_t   methods;
    uint32_t   ext_methods;
    lun_array *lock;               /* NULL, or one lun_zone *, whose data is
                                      its lun_dav_lock_zone */
    bool       full_path;
    int64_t    min_delete_depth;
    int64_t    access;
} lun_dav_conf;

/* Depth: */
typedef enum {
    LUN_DAV_DEPTH_BAD,
    LUN_DAV_DEPTH_NONE,
    LUN_DAV_DEPTH_ZERO,
    LUN_DAV_DEPTH_ONE,
    LUN_DAV_DEPTH_INFINITY
} lun_dav_depth_word;

extern lun_http_module  lun_http_dav;

static inline const lun_dav_conf *
lun_dav_conf_of(const lun_request *r)
{
    return lun_http_conf(r, &lun_http_dav);
}


static inline bool
lun_dav_has_body(const lun_request *r)
{
    return r->in.content_length > 0 || r->in.chunked;
}


/* LUN_STATUS + status, and why is logged. */
lun_verdict lun_dav_refuse(const lun_request *r, unsigned status,
    const char *why);

/* What a failure of the system means to the client; logged. */
lun_verdict lun_dav_failure(const lun_request *r, lun_err err,
    unsigned not_found, const char *what, lun_str path);

/* What the client says, or else that; _BAD: logged. */
lun_dav_depth_word lun_dav_depth(const lun_request *r,
    lun_dav_depth_word otherwise);

/* Without the slash at its end, which no system call wants. */
void lun_dav_cut_slash(lun_request *r, lun_safe_path *c);

/*
 * NEXT, or 412 or 423, logged: what the client's If field and others' locks
 * say of changing that path.  what: LUN_DAV_BELOW, LUN_DAV_MEMBER.
 */
lun_verdict lun_dav_may_change(lun_request *r, lun_str path, unsigned what);

/* It has gone, and its locks with it. */
void lun_dav_has_gone(const lun_request *r, lun_str path);

/* Those that dav_ext_methods names, but for OPTIONS with the body read. */
lun_verdict lun_dav_options(lun_request *r);
lun_verdict lun_dav_propfind(lun_request *r);
lun_verdict lun_dav_proppatch(lun_request *r);
lun_verdict lun_dav_lock_file(lun_request *r);
lun_verdict lun_dav_unlock(lun_request *r);

/* --- dav_ext.c, for the others --- */

/* The body, in one piece; false: it is too large for XML, logged. */
bool lun_dav_body(lun_request *r, lun_str *text);

/* NULL: there are none here. */
const lun_dav_lock_zone *lun_dav_locks_of(const lun_request *r);

/* The name that locks know a file by. */
lun_str lun_dav_lock_path(lun_request *r, lun_str path);

lun_set_fn  lun_dav_set_lock, lun_dav_set_lock_zone;

/* "<D:activelock>...": pieces go to the list. */
void lun_dav_tell_lock(lun_request *r, lun_chain *out,
    const lun_dav_lock *lock);

/* A text of its own, at the end of what goes out. */
void lun_dav_say(lun_request *r, lun_chain *out, lun_str text);

/* Answers with XML; the pieces are joined. */
lun_verdict lun_dav_answer(lun_request *r, unsigned status, lun_chain *out);

/* The uri as an href, safe inside XML; a folder's ends with a slash. */
lun_str lun_dav_href(lun_request *r, lun_str uri, bool is_dir);

/* Of "http://host/uri" of this host the uri, or "/uri"; data NULL: neither. */
lun_str lun_dav_local_part(const lun_request *r, lun_str text);

/*
 * Below an alias only what begins with the location's name has a file there:
 * so much is cut off.
 */
bool lun_dav_has_place(lun_request *r, lun_str uri);

/* COPY and MOVE. */
lun_verdict lun_dav_transfer(lun_request *r);

/*
 * A folder with all that is in it; links are removed, not followed.  The first
 * failure ends it, and was logged.
 */
lun_err lun_dav_delete_tree(const lun_log *log, lun_str path);

/*
 * A file, in place of one that is there; or a folder with all that is in it,
 * whose files are added to those of one that is there.  Failures as above.
 * Links are followed as `from` says.
 */
lun_err lun_dav_copy_file(const lun_log *log, const lun_safe_path *source,
    lun_str to, unsigned access);
lun_err lun_dav_copy_tree(const lun_log *log, const lun_safe_path *from,
    lun_str to, unsigned access);

#endif
