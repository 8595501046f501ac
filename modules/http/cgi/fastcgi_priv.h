/*
 * fastcgi_priv.h -- what the files of fastcgi share: fastcgi.c (directives,
 * the handler), fastcgi_request.c, fastcgi_answer.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_FASTCGI_PRIV_H
#define LUN_MODULES_FASTCGI_PRIV_H

#include "http/cache/cache_conf.h"
#include "http/upstream/upreq_address.h"
#include "http/upstream/upreq_answer.h"
#include "modules/http/cgi/cgi_answer.h"
#include "modules/http/cgi/cgi_params.h"
#include "format/fastcgi_record.h"
#include "session/regex.h"

typedef struct {
    lun_upreq_conf        up;
    lun_cache_conf        cache;
    lun_upreq_address    *address; /* NULL: no fastcgi_pass */
    lun_cgi_params        params;
    lun_str               index;
    lun_regex            *split;   /* NULL: uris have no path info */
    lun_array            *catch_stderr;    /* of lun_str; NULL: none */
    bool                  keep_conn;
} lun_fastcgi_conf;

enum { LUN_FASTCGI_STDERR_ROOM = 2048 };

/* An upstream request in FastCGI. */
typedef struct {
    lun_fastcgi_parser    records;
    lun_cgi_head          head;
    lun_upreq_room        lines;   /* of the header, out of their records */
    int64_t               left;    /* of the body; -1: until its end */
    bool                  surplus; /* there was more, which has been said */
    bool                  over;    /* all of standard output has come */
    char                 *errors;  /* a record of standard error */
    size_t                errors_len;
} lun_fastcgi_state;

extern lun_http_module          lun_http_fastcgi;
extern const lun_upstream_protocol  lun_fastcgi_protocol;

/* --- fastcgi_request.c --- */

lun_rc lun_fastcgi_make(lun_upreq *x, lun_buf **head);
int64_t lun_fastcgi_frame(lun_upreq *x, int64_t size, bool last,
    lun_upreq_frame *f);

/* --- fastcgi_answer.c --- */

void lun_fastcgi_reset_answer(lun_upreq *x);
lun_upstream_verdict lun_fastcgi_read_header(lun_upreq *x, const char **pos,
    const char *end);
lun_upstream_verdict lun_fastcgi_read_body(lun_upreq *x, const char **pos,
    const char *end, lun_str *piece);

#endif
