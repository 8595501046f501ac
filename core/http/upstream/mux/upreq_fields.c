/*
 * upreq_fields.c -- see upreq_fields.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/mux/upreq_fields.h"

#include "base/check.h"
#include "format/h1_parse.h"
#include "http/upstream/upreq_answer.h"


/* What belongs to a connection of HTTP/1. */
static const lun_str  barred[] = {
    LUN_STR_INIT("connection"), LUN_STR_INIT("proxy-connection"),
    LUN_STR_INIT("te"), LUN_STR_INIT("transfer-encoding"),
    LUN_STR_INIT("keep-alive"), LUN_STR_INIT("upgrade")
};


/* --- of a request -------------------------------------------------------- */

bool
lun_upreq_fields_is_barred(lun_str name)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(barred); i++) {
        if (lun_str_caseeq(name, barred[i])) {
            return true;
        }
    }

    return false;
}


static bool
is_small(lun_str name)
{
    size_t  i;

    for (i = 0; i < name.len; i++) {
        if (name.data[i] >= 'A' && name.data[i] <= 'Z') {
            return false;
        }
    }

    return true;
}


void
lun_upreq_fields_add(lun_pool *pool, lun_array *fields, lun_str name,
    lun_str value)
{
    char  *text;

    if (value.len == 0 && name.data[0] == ':') {
        return;
    }

    if (!is_small(name)) {
        text = lun_pool_text(pool, name.len);
        lun_mem_lower(text, name.data, name.len);
        name.data = text;
    }

    *(lun_pair *) lun_array_push(fields) = (lun_pair) { name, value };
}


/* Of all that it may say, this alone has a meaning here. */
bool
lun_upreq_fields_take_trailers(const lun_request *r)
{
    const lun_header  *te = r->in.known[LUN_HIN_TE];

    return te != NULL
           && lun_str_casefind(te->value, LUN_STR("trailers")) != NULL;
}


/* --- of an answer -------------------------------------------------------- */

void
lun_upreq_fields_begin(lun_upreq *x, lun_upreq_fields *f, bool trailers)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    f->size = 0;
    f->in_trailers = trailers;

    if (trailers && f->keep_trailers) {
        lun_header_list_init(&x->answer.trailers, x->r->pool, 4);
    }
}


static lun_rc
refuse(const lun_upreq *x, const char *what)
{
    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent %s", what);
    return LUN_ERROR;
}


static lun_rc
take_status(lun_upreq *x, lun_str value)
{
    uint64_t  n;

    if (x->answer.status != 0) {
        return refuse(x, "duplicate :status header");
    }

    if (value.len != 3 || lun_str_to_u64(value, &n) != LUN_OK || n < 100) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent invalid :status "
                "\"%.*s\"", LUN_S(value));
        return LUN_ERROR;
    }

    /* There is nothing to switch to. */
    if (n == 101) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent unexpected :status "
                "\"%.*s\"", LUN_S(value));
        return LUN_ERROR;
    }

    x->answer.status = (unsigned) n;
    return LUN_OK;
}


static bool
is_field(lun_str name, lun_str value)
{
    size_t  i;
    char    c;

    for (i = 0; i < name.len; i++) {
        c = name.data[i];

        if (c <= ' ' || c >= 127 || c == ':' || (c >= 'A' && c <= 'Z')) {
            return false;
        }
    }

    return name.len != 0 && lun_h1_is_text(value);
}


/*
 * The size is of the fields as they are: a server whose block is small and
 * names one large entry again and again is held by NAME_buffer_size as any.
 */
lun_rc
lun_upreq_fields_take(lun_upreq *x, lun_upreq_fields *f, lun_str name,
    lun_str value)
{
    lun_header  h;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    f->size += name.len + value.len;

    if (f->size > x->conf->buffer_size) {
        return refuse(x, "too big header");
    }

    if (!f->in_trailers && lun_str_eq(name, LUN_STR(":status"))) {
        return take_status(x, value);
    }

    if (!is_field(name, value)) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent invalid %s: "
                "\"%.*s: %.*s\"", f->in_trailers ? "trailer" : "header",
                LUN_S(name), LUN_S(value));
        return LUN_ERROR;
    }

    h = lun_upreq_field(name, value);

    if (f->in_trailers) {
        if (f->keep_trailers) {
            lun_header_list_add(&x->answer.trailers, &h);
        }

        return LUN_OK;
    }

    if (h.known == LUN_HOUT_CONTENT_LENGTH
        && lun_upreq_take_length(x, &h) != LUN_OK)
    {
        return LUN_ERROR;
    }

    lun_header_list_add(&x->answer.list, &h);
    return LUN_OK;
}
