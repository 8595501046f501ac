/*
 * return.c -- return text: says it to the client, and that is all.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "base/check.h"
#include "session/script.h"
#include "stream/stream_session.h"


enum { PATIENCE = 60000 };         /* ms, for a client that does not listen */

typedef struct {
    lun_script  *text;
} return_conf;

extern lun_module  lun_stream_return;


static void
on_gone(lun_conn *c)
{
    lun_log(LUN_LOG_INFO, &c->log, c->err, "client closed connection");
    lun_stream_finish(lun_stream_session_at(c), LUN_FAILED);
}


static void
on_timeout(lun_conn *c)
{
    lun_log(LUN_LOG_INFO, &c->log, lun_err_of_kind(LUN_ERR_TIMEOUT),
            "connection timed out");
    lun_stream_finish(lun_stream_session_at(c), LUN_FAILED);
}


static void  on_written(lun_conn *c);

static const lun_conn_state  returning = {
    .name       = "stream returning",
    .doing      = "returning text",
    .on_written = on_written,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
};


/* What is left of the text is the session's state. */
static void
on_written(lun_conn *c)
{
    lun_slice           *rest;
    lun_stream_session  *s = lun_stream_session_at(c);

    rest = lun_session_state(&s->session, &lun_stream_return);
    rest->data += lun_conn_written(c);
    rest->len -= (size_t) lun_conn_written(c);

    if (rest->len == 0) {
        lun_stream_finish(s, LUN_FINISHED);
        return;
    }

    lun_conn_limit(c, PATIENCE);
    lun_conn_write(c, rest, 1);
}


/*
 * What the socket does not take at once has a time limit: a client that does
 * not read must not hold the session.
 */
static lun_verdict
on_content(lun_session *s)
{
    size_t              sent = 0;
    lun_err             err;
    lun_str             text;
    lun_conn           *c = s->conn;
    lun_slice          *rest;
    const return_conf  *conf = lun_session_conf(s, &lun_stream_return);

    LUN_CHECK_MARK(s, LUN_MARK_SESSION);

    lun_conn_enter(c, &returning);
    text = lun_script_run(s, conf->text);

    if (text.len == 0) {
        return LUN_FINISHED;
    }

    rest = lun_pool_new(s->pool, lun_slice);
    *rest = (lun_slice) { text.data, text.len };
    err = lun_conn_send(c, rest, 1, false, &sent);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_AGAIN) {
        lun_log(LUN_LOG_INFO, &c->log, err, "writev() failed");
        return LUN_FAILED;
    }

    rest->data += sent;
    rest->len -= sent;

    if (rest->len == 0) {
        return LUN_FINISHED;
    }

    lun_session_set_state(s, &lun_stream_return, rest);
    lun_conn_limit(c, PATIENCE);
    lun_conn_write(c, rest, 1);

    return LUN_WAIT;
}


static lun_rc
set_return(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_stream_set_content(cf, on_content);
    return lun_set_script(cf, d, conf);
}


static const lun_directive  directives[] = {
    { .name = "return", .where = LUN_STREAM_SERVER, .args = 1,
      .set = set_return, LUN_FIELD(return_conf, text),
      .values = "value",
      .help = "answers with a status, a text or a redirect" },
    { 0 }
};

lun_module  lun_stream_return = {
    .name = "stream_return",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(return_conf),
};
