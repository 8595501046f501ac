/*
 * cgi_answer.h -- the header of a program's answer: lines as HTTP has them,
 * with the status in one of them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_CGI_ANSWER_H
#define LUN_MODULES_CGI_ANSWER_H

#include "format/h1_response.h"
#include "http/module.h"
#include "http/upstream/upreq.h"

typedef struct {
    lun_h1_parser  parser;
    bool           may_have_status;        /* "HTTP/1.0 200 OK" may come */
} lun_cgi_head;

/* `status_line`: an answer may begin with one, as HTTP's do. */
void lun_cgi_head_reset(lun_cgi_head *head, bool status_line);

/*
 * Fills x->answer from *pos on, which moves over whole lines; they stay where
 * they are.  DONE, MORE or BAD.
 */
lun_upstream_verdict lun_cgi_read_head(lun_upreq *x, lun_cgi_head *head,
    const char **pos, const char *end);

/* What a client is not told unless NAME_pass_header says so. */
extern const lun_str  lun_cgi_hidden[];

#endif
