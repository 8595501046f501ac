/*
 * protocol.h -- between requests and the wire: what HTTP/1 and HTTP/2 do for
 * connections and requests that do not know which it is.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_PROTOCOL_H
#define LUN_HTTP_PROTOCOL_H

#include "http/request.h"
#include "session/listen_conf.h"

/* What the first bytes of a connection say of a protocol. */
typedef enum {
    LUN_HTTP_NO,
    LUN_HTTP_MAYBE,                /* not enough */
    LUN_HTTP_YES
} lun_http_guess;

/*
 * A protocol of the http block: what it does with a connection that is to
 * speak it (accept/protocols.c has the list), and for a request, behind the
 * filters (see h1_serve.c).
 */
struct lun_http_protocol {
    /* ALPN's, the best first; ends with an empty one. */
    const lun_str  *names;
    /* Whether connections to that address may speak it with that server of
       the address; NULL: all may. */
    bool       (*enabled)(const lun_listen_addr *listen,
                    const lun_server *server);
    /* NULL: of the one for all who say nothing else. */
    lun_http_guess  (*guess)(const char *data, size_t size);
    /* The connection speaks it from here on; what has come is in c->in. */
    lun_conn_fn  *begin;

    size_t       stream_size;      /* of r->stream: made with it, zeroed */
    bool         frames_body;      /* trailers need no chunks before them */
    bool         is_raw;           /* a body is on r->conn as it is, unless it
                                      goes out chunked */
    /* Makes the header from r->out and queues it. */
    lun_rc     (*send_header)(lun_request *r);
    /* Takes the list of bufs; OK: all is sent, AGAIN: some waits. */
    lun_rc     (*send_body)(lun_request *r, lun_buf *in);
    /*
     * The next bytes of the body, without any coding, no more than body->left:
     * they stay until the next call, the last ones as long as the request.
     * OK with none: its end, of one with body->left < 0.  AGAIN: they are read
     * now, lun_body_came() follows; ERROR: body->status says why, logged.
     */
    lun_rc     (*pull_body)(lun_request *r, lun_str *bytes);
    /* "100 Continue", at once. */
    lun_rc     (*send_continue)(lun_request *r);
    /* "103 Early Hints", of which nothing stays: a client lost shows later. */
    void       (*send_hints)(lun_request *r, const lun_header_list *hints);
    /*
     * r->takeover has begun (NULL: none may): the connection that has the
     * client's bytes.  It wants `size` bytes of room there.
     */
    lun_conn  *(*hand_over)(lun_request *r);
    void       (*make_room)(lun_request *r, size_t size);
    /* Somebody wants to know when the client leaves (r->abort). */
    void       (*watch)(lun_request *r);
    /* The request is over, its answer is queued; ends or reuses the stream. */
    void       (*finish)(lun_request *r);
    /* Nothing can be saved: drop the stream (reset: without a farewell). */
    void       (*drop)(lun_request *r);
};

#endif
