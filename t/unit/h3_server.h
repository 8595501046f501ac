/*
 * h3_server.h -- a server in memory with answers of all kinds, by path.
 *
 * Include it behind memory_http.h, whose LUN_TEST_MODULES has `probe`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_H3_SERVER_H
#define LUN_H3_SERVER_H

enum { BIG = 3000, HUGE_SIZE = 200000 };

static lun_request  *waits;
static unsigned      aborts;
static unsigned      last_status TAP_UNUSED;
static char          huge_text[HUGE_SIZE + 1];


/* --- handlers, by path --------------------------------------------------- */

static void
echo(lun_request *r)
{
    lun_http_finish(r, lun_http_respond(r, 200, LUN_STR("a/b"),
                                        lun_body_text(r)));
}


static void
on_abort(lun_request *r, void *data)
{
    aborts++;
    lun_http_finish(r, LUN_STATUS + 499);
}


static lun_verdict
with_trailer(lun_request *r)
{
    lun_buf     *b = lun_buf_new_str(r->pool, LUN_STR("body"));
    lun_header  *h;

    lun_header_list_init(&r->out.trailers, r->pool, 1);
    h = lun_header_list_push(&r->out.trailers);
    h->name = LUN_STR("X-Sum");
    h->value = LUN_STR("42");
    h->hash = lun_header_hash(h->name);
    h->known = -1;
    b->eof = 1;
    r->expect_trailers = 1;
    r->out.status = 200;
    LUN_CHECK(lun_http_send_header(r) == LUN_OK);
    return lun_http_output(r, b) != LUN_ERROR ? LUN_FINISHED : LUN_FAILED;
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request  *r = lun_request_of(s);

    if (lun_str_eq(r->uri, LUN_STR("/big"))) {
        return lun_http_respond(r, 200, LUN_STR("a/b"),
                                lun_str_of(huge_text, BIG));
    }

    if (lun_str_eq(r->uri, LUN_STR("/huge"))) {
        return lun_http_respond(r, 200, LUN_STR("a/b"),
                                lun_str_of(huge_text, HUGE_SIZE));
    }

    if (lun_str_eq(r->uri, LUN_STR("/echo"))) {
        return lun_body_read(r, echo);
    }

    if (lun_str_eq(r->uri, LUN_STR("/404"))) {
        return LUN_STATUS + 404;
    }

    if (lun_str_eq(r->uri, LUN_STR("/444"))) {
        return LUN_STATUS + 444;
    }

    if (lun_str_eq(r->uri, LUN_STR("/trailer"))) {
        return with_trailer(r);
    }

    if (lun_str_eq(r->uri, LUN_STR("/wait"))) {
        waits = r;
        lun_http_on_abort(r, on_abort, NULL);
        return LUN_WAIT;
    }

    return lun_http_respond(r, 200, LUN_STR("a/b"), r->uri);
}


static lun_verdict
on_log(lun_session *s)
{
    last_status = lun_request_of(s)->out.status;
    return LUN_NEXT;
}


static lun_http_module  probe = {
    .name = "probe", .always = true,
    .on = { [LUN_CONTENT] = on_content, [LUN_LOG] = on_log }
};


/* Begins to serve. */
static TAP_UNUSED void
begin_server(const char *conf)
{
    size_t  i;

    for (i = 0; i < HUGE_SIZE; i++) {
        huge_text[i] = (char) ('A' + i % 59);
    }

    http_begin("/none/", conf);
}

#endif
