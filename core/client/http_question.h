/*
 * http_question.h -- the text of a request that a client sends.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_QUESTION_H
#define LUN_HTTP_QUESTION_H

#include "client/http_answer.h"
#include "format/url.h"

typedef struct {
    lun_str                method;         /* "": GET, or POST with a body */
    lun_url                url;
    const lun_http_field  *fields;
    size_t                 field_count;
    const char            *user_agent;     /* NULL: none */
    lun_str                body;
    bool                   has_body;       /* even if it is empty */
    bool                   persistent;     /* another may follow */
} lun_http_question;

/*
 * NULL, or what is wrong: a method or a field's name that is no token, a value
 * with a line's end, a field that the client itself writes.
 */
const char *lun_http_question_fault(const lun_http_question *q);

/* One of these: what says where the text ends is the client's to say. */
bool lun_http_question_is_framing(lun_str name);

/* All of it, the body behind the header, in the pool. */
lun_str lun_http_question_text(lun_pool *pool, const lun_http_question *q);

/* The method that it has. */
lun_str lun_http_question_method(const lun_http_question *q);

#endif
