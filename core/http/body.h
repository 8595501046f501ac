/*
 * body.h -- a request's body: read to memory or a temporary file, or
 * discarded.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_BODY_H
#define LUN_HTTP_BODY_H

#include "http/chunked.h"
#include "http/request.h"

typedef void lun_body_fn(lun_request *r);

struct lun_body {
    lun_chain     bufs;            /* the body, in memory and/or in the file */
    lun_fd        file;            /* LUN_FD_NONE: all in memory */
    lun_str       file_path;
    int64_t       file_size;
    int64_t       size;            /* bytes so far */
    int64_t       left;            /* still to come; -1: chunked */
    lun_chunked   chunked;
    lun_body_fn  *done;
    bool          complete;
    bool          in_file_only;    /* client_body_in_file_only */
    bool          single_buffer;   /* client_body_in_single_buffer */
    char         *room;            /* client_body_buffer_size bytes */
    size_t        room_size;
    size_t        room_used;
};

/*
 * Reads the whole body, then calls done(r), maybe before it returns (check
 * the verdict): LUN_LEAVE when it is complete and done has been called;
 * LUN_WAIT when done will be called later; LUN_STATUS + 413 and the like.
 * Asked twice, it is complete at once.  Sends "100 Continue" when asked for.
 * If reading fails later the request is finished with 400, 408 or 413.
 */
lun_verdict lun_body_read(lun_request *r, lun_body_fn *done);

/* Reads and drops it, in the background; keep-alive stays possible. */
lun_verdict lun_body_discard(lun_request *r);

/* The body's bytes in one piece (r->pool); from the file if need be. */
lun_str lun_body_text(lun_request *r);

/* For ngx.req.set_body_data / set_body_file / init_body: replaces it. */
void lun_body_set(lun_request *r, lun_str data);

/* Called by the protocol: bytes have come (len 0 and eof: client left). */
void lun_body_on_bytes(lun_request *r, const char **pos, const char *end);

#endif
