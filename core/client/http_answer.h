/*
 * http_answer.h -- an answer of an HTTP/1 server, read as its bytes come: the
 * header, and then the body in pieces.  No system call.
 *
 * Strict where two readers could see two answers: a length that is given twice
 * or beside chunks, a coding that is not "chunked", and lines that format/h1
 * refuses, are no answer at all.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_ANSWER_H
#define LUN_HTTP_ANSWER_H

#include "base/array.h"
#include "format/chunked.h"
#include "format/h1_response.h"

typedef struct {
    lun_str  name;                 /* as it came */
    lun_str  value;
} lun_http_field;

typedef enum {
    LUN_HTTP_ANSWER_MORE,          /* the rest has to come yet */
    LUN_HTTP_ANSWER_HEAD,          /* status and fields are there; once */
    LUN_HTTP_ANSWER_PIECE,         /* of the body */
    LUN_HTTP_ANSWER_DONE,          /* it is whole; stays so */
    LUN_HTTP_ANSWER_CUT,           /* it has ended early */
    LUN_HTTP_ANSWER_BAD,           /* it is none */
    LUN_HTTP_ANSWER_TOO_LARGE
} lun_http_answer_verdict;

/* Zeroed, and with its first members set, before the first call. */
typedef struct {
    lun_pool       *pool;          /* texts are copied there */
    size_t          header_most;   /* bytes, with those of interim answers */
    uint64_t        body_most;
    bool            bodiless;      /* to a HEAD, whatever its fields say */

    unsigned        version;       /* 1000, 1001 */
    unsigned        status;
    lun_str         line;          /* "200 OK" */
    lun_array       fields;        /* of lun_http_field */
    lun_array       trailers;      /* of the same, from HTTP/2 */
    int64_t         length;        /* of the body; -1: not known before */
    bool            whole_header;  /* from HEAD on */
    bool            persistent;    /* when it is DONE: another may follow */

    int             state;         /* the room's own: */
    lun_h1_parser   parser;
    lun_chunked     chunked;
    size_t          header_size;
    uint64_t        body_size, left;
} lun_http_answer;

/*
 * Consumes from *pos (moved forward) up to `end`.  What is left is the
 * beginning of a line: it has to stand at *pos at the next call, with more
 * behind it.  `ended`: nothing comes behind `end`.  Call again after HEAD and
 * PIECE; *piece is a view into the bytes.
 */
lun_http_answer_verdict lun_http_answer_next(lun_http_answer *a,
    const char **pos, const char *end, bool ended, lun_str *piece);

/* The first field of that name, caseless; data NULL: there is none. */
lun_str lun_http_answer_field(const lun_http_answer *a, lun_str name);

/* The same of what stands behind the body; or else in the header, where gRPC
   says how it went if there is no body. */
lun_str lun_http_answer_trailer(const lun_http_answer *a, lun_str name);

/* The status of a call of gRPC; -1: it says none. */
int64_t lun_http_answer_grpc(const lun_http_answer *a);

#endif
