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

typedef struct {
    uint32_t   methods;
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
