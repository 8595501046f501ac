/*
 * cgi_answer.c -- see cgi_answer.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/cgi/cgi_answer.h"

#include "http/upstream/upreq_answer.h"


const lun_str  lun_cgi_hidden[] = {
    LUN_STR_INIT("Status"), LUN_STR_INIT("X-Accel-Expires"),
    LUN_STR_INIT("X-Accel-Redirect"), LUN_STR_INIT("X-Accel-Limit-Rate"),
    LUN_STR_INIT("X-Accel-Buffering"), LUN_STR_INIT("X-Accel-Charset"),
    { 0, NULL }
};


void
lun_cgi_head_reset(lun_cgi_head *head, bool status_line)
{
    lun_h1_parser_reset(&head->parser);
    head->may_have_status = status_line;
}


/* A program has one answer, and what is below 200 is none. */
static lun_upstream_verdict
set_status(lun_upreq *x, unsigned status, lun_str line)
{
    if (status < 200) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent invalid status "
                "\"%.*s\"", LUN_S(line));
        return LUN_UPSTREAM_BAD;
    }

    x->answer.status = status;
    x->answer.status_line = line;

    return LUN_UPSTREAM_MORE;
}


/* "404 Not Found", "404": without words it has the usual ones. */
static lun_upstream_verdict
take_status(lun_upreq *x, lun_str value)
{
    uint64_t  n;

    if (value.len < 3 || (value.len > 3 && value.data[3] != ' ')
        || lun_str_to_u64(lun_str_of(value.data, 3), &n) != LUN_OK)
    {
        n = 0;
    }

    return set_status(x, (unsigned) n,
                      n >= 200 && value.len == 3
                      ? lun_http_status_line((unsigned) n) : value);
}


static lun_upstream_verdict
take_header(lun_upreq *x, const lun_h1_header *line)
{
    lun_header  h = lun_upreq_field(line->name, line->value);

    if (h.known == LUN_HOUT_CONTENT_LENGTH
        && lun_upreq_take_length(x, &h) != LUN_OK)
    {
        return LUN_UPSTREAM_BAD;
    }

    lun_header_list_add(&x->answer.list, &h);

    if (h.known < 0 && x->answer.status == 0
        && lun_str_caseeq(h.name, LUN_STR("Status")))
    {
        return take_status(x, h.value);
    }

    return LUN_UPSTREAM_MORE;
}


/* Nobody has said what became of it: a place to go to is a redirect. */
static void
complete_status(lun_upreq *x)
{
    if (x->answer.status != 0) {
        return;
    }

    if (lun_header_find(&x->answer.list, LUN_STR("Location")) != NULL) {
        x->answer.status = 302;
        x->answer.status_line = LUN_STR("302 Moved Temporarily");
        return;
    }

    x->answer.status = 200;
    x->answer.status_line = LUN_STR("200 OK");
}


/* Without one the lines that come are the header's. */
static lun_upstream_verdict
read_status_line(lun_upreq *x, lun_cgi_head *head, const char **pos,
    const char *end)
{
    lun_h1_status  line;

    switch (lun_h1_parse_status(&head->parser, *pos, (size_t) (end - *pos),
                                &line))
    {

    case LUN_H1_MORE:
        return LUN_UPSTREAM_MORE;

    case LUN_H1_DONE:
        if (set_status(x, line.status, line.line) == LUN_UPSTREAM_BAD) {
            return LUN_UPSTREAM_BAD;
        }

        *pos += line.size;
        break;

    default:
        break;
    }

    head->may_have_status = false;
    return LUN_UPSTREAM_DONE;
}


/*
 * A status line among the headers is passed over; any other line that can't be
 * parsed makes the answer a bad one.
 */
lun_upstream_verdict
lun_cgi_read_head(lun_upreq *x, lun_cgi_head *head, const char **pos,
    const char *end)
{
    lun_h1_header         line;
    lun_upstream_verdict  v;

    if (head->may_have_status) {
        v = read_status_line(x, head, pos, end);

        if (v != LUN_UPSTREAM_DONE) {
            return v;
        }
    }

    for ( ;; ) {
        switch (lun_h1_parse_header(&head->parser, *pos,
                                    (size_t) (end - *pos), &line))
        {

        case LUN_H1_MORE:
            return LUN_UPSTREAM_MORE;

        case LUN_H1_END:
            *pos += line.size;
            complete_status(x);
            return LUN_UPSTREAM_DONE;

        case LUN_H1_DONE:
            *pos += line.size;
            v = take_header(x, &line);

            if (v != LUN_UPSTREAM_MORE) {
                return v;
            }
            break;

        default:
            if (lun_upreq_skip_line(pos, end)) {
                break;
            }

            lun_upreq_log_invalid(x, "header", *pos, end);
            return LUN_UPSTREAM_BAD;
        }
    }
}
