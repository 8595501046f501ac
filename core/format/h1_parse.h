/*
 * h1_parse.h -- the pure HTTP/1 parser: request line and header lines.
 *
 * No allocation, no callback; results are views into the caller's bytes.  It
 * is resumable: a parser holds how far it has looked, so that bytes which
 * trickle in are looked at once.  The buffer may be moved between calls as
 * long as the parser is given its new beginning.  RFC 9112; strict where
 * leniency smuggles: bare CR, NUL, obs-fold, space before the colon, control
 * characters are errors.  A bare LF ends a line, as nginx has it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_H1_PARSE_H
#define LUN_FORMAT_H1_PARSE_H

#include "base/str.h"

typedef enum {
    LUN_H1_DONE,                   /* a whole line: the result is filled in */
    LUN_H1_MORE,                   /* not enough bytes yet */
    LUN_H1_END,                    /* headers only: the empty line */
    LUN_H1_BAD,                    /* 400 */
    LUN_H1_BAD_METHOD,             /* 400, its own log line */
    LUN_H1_BAD_OLD_METHOD,         /* 400, of HTTP/0.9, which has GET */
    LUN_H1_BAD_VERSION             /* 505 */
} lun_h1_verdict;

typedef struct {
    size_t       at;               /* bytes that hold no line end */
    size_t       start;            /* of the line: behind empty ones */
    size_t       method;           /* bytes that are a method so far */
} lun_h1_parser;

typedef struct {
    lun_str      line;             /* without CR LF */
    lun_str      method;           /* "GET" */
    lun_str      target;           /* as it came: "/a%20b?x=1"; of the
                                      absolute-form what follows the host */
    lun_str      path;             /* before '?' and '#', never empty */
    lun_str      query;            /* after '?', data NULL: there is none */
    lun_str      scheme;           /* absolute-form only */
    lun_str      host;             /* absolute-form, CONNECT: "h", "h:80" */
    unsigned     version;          /* 9, 1000, 1001 */
    bool         has_escape;       /* path has % */
    bool         has_special;      /* path has "//", "/.", or '\' */
    size_t       size;             /* bytes that the line took, end included */
} lun_h1_line;

/*
 * Leading empty lines are skipped; they are part of size, not of line.  A
 * wrong method is told at once, without waiting for the line's end: a TLS
 * handshake has none.  Any verdict but MORE leaves the parser reset.
 */
lun_h1_verdict lun_h1_parse_line(lun_h1_parser *p, const char *data,
    size_t size, lun_h1_line *line);

typedef struct {
    lun_str      name;             /* as it came */
    lun_str      value;            /* without white space around it */
    bool         odd;              /* name has a byte outside a-z0-9-_ */
    bool         underscore;       /* name has '_' */
    size_t       size;
} lun_h1_header;

/*
 * For DONE and END `size` says how many bytes the line took.  A line without
 * a colon is BAD.  Any verdict but MORE leaves the parser reset.
 */
lun_h1_verdict lun_h1_parse_header(lun_h1_parser *p, const char *data,
    size_t size, lun_h1_header *header);

/* A field's value, in any version of HTTP: no control but TAB, no DEL. */
bool lun_h1_is_text(lun_str s);

static inline void
lun_h1_parser_reset(lun_h1_parser *p)
{
    *p = (lun_h1_parser) { 0 };
}

#endif
