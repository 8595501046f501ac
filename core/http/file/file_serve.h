/*
 * file_serve.h -- what handlers of files and folders do alike: sending one,
 * listing one, and what a failure of the system means to the client.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FILE_SERVE_H
#define LUN_FILE_SERVE_H

#include "http/file/file_cache.h"
#include "http/module.h"
#include "os/dir.h"

/* LUN_STATUS + 404, 403 or 500, and the level at which it is logged. */
lun_verdict lun_file_verdict(lun_err err, lun_log_level *level);

/* The same, logged as log_not_found says. */
lun_verdict lun_file_refuse(lun_request *r, lun_err err, const char *failed,
    lun_str path);

/*
 * Opens the file that the URI names.  False: *v is the answer, logged.  It
 * may be a folder, or neither.
 */
bool lun_file_open_request(lun_request *r, lun_safe_path *c, lun_static_file *f,
    lun_verdict *v);

/*
 * The same for a handler that a location is given to and that cuts files of
 * one format: GET and HEAD, no body, an ordinary file, whose size, times and
 * type are in r->out.  False: *v is what the handler returns.
 */
bool lun_file_open_media(lun_request *r, lun_safe_path *c, lun_static_file *f,
    lun_verdict *v);

/*
 * Calls each() for what is in the folder; one that goes by another name is not
 * there, and a link may be refused.  NEXT: done; otherwise a status, logged.
 */
lun_verdict lun_file_list(lun_request *r, const lun_safe_path *c,
    lun_dir_fn *each, void *data);

/* The header and the whole file; r->out says what it is. */
lun_verdict lun_file_send(lun_request *r, const lun_static_file *f);

/* The header, `head` (of the pool or constant) and the bytes [from, to). */
lun_verdict lun_file_send_part(lun_request *r, const lun_static_file *f,
    lun_str head, int64_t from, int64_t to);

#endif
