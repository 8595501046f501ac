/*
 * stream_session.c -- the course of a session: its phases, what handlers say,
 * who holds it, and what is said when it has gone.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/stream/phases.c"

static lun_module  probe;

#define LUN_TEST_MODULES  &probe,
#include "memory_stream.h"

static char                 steps[256];
static lun_verdict          verdicts[LUN_STREAM_CONTENT + 1];
static lun_stream_session  *latest;


static lun_verdict
note(lun_session *s, const char *name)
{
    size_t               have = strlen(steps);
    lun_stream_session  *stream = lun_stream_session_of(s);

    latest = stream;
    snprintf(steps + have, sizeof(steps) - have, "%s ", name);
    return verdicts[stream->phase];
}


static lun_verdict
on_post_accept(lun_session *s)
{
    return note(s, "accepted");
}


static lun_verdict
on_access(lun_session *s)
{
    return note(s, "access");
}


static lun_verdict
on_log(lun_session *s)
{
    size_t  have = strlen(steps);

    snprintf(steps + have, sizeof(steps) - have, "log %u",
             lun_stream_session_of(s)->status);
    return LUN_NEXT;
}


/* Runs when the session has gone: the connection's memory goes last. */
static void
on_end(void *data)
{
    const lun_conn  *c = data;

    lun_log(LUN_LOG_ERR, &c->log, 0, "last words");
}


static char *
put_context(void *owner, char *p, const char *end)
{
    return lun_fmt(p, end, ", upstream: %s", (const char *) owner);
}


static lun_verdict
content(lun_session *s)
{
    static char  name[] = "of a session";

    (void) note(s, "content");
    latest->context = put_context;
    latest->context_owner = name;
    lun_pool_on_end(lun_conn_memory(s->conn), on_end, s->conn);
    return verdicts[LUN_STREAM_CONTENT];
}


static lun_rc
set_probe(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_stream_set_content(cf, content);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "probe", .where = LUN_STREAM_SERVER, .args = 0,
      .set = set_probe },
    { 0 }
};

static lun_module  probe = {
    .name = "probe",
    .always = true,
    .directives = directives,
    .on = { [LUN_ACCEPTED] = on_post_accept, [LUN_ACCESS] = on_access,
            [LUN_LOG] = on_log }
};


/* One that ends while it is accepted was never seen. */
static bool
has_gone(const wire *w)
{
    return w == NULL || wire_gone(w);
}


static void
goes_through_its_phases(void)
{
    wire  *w;

    steps[0] = '\0';
    verdicts[LUN_STREAM_CONTENT] = LUN_FINISHED;
    w = stream_client(0);
    ok(has_gone(w), "content that has finished ends it");
    is_str(steps, "accepted access content log 200", "all phases, in order");

    steps[0] = '\0';
    verdicts[LUN_ACCESS] = LUN_STATUS + 403;
    w = stream_client(0);
    ok(has_gone(w), "a refusal ends it");
    is_str(steps, "accepted access log 403", "without its content");

    steps[0] = '\0';
    verdicts[LUN_ACCESS] = LUN_NEXT;
    verdicts[LUN_STREAM_CONTENT] = LUN_FAILED;
    w = stream_client(0);
    ok(has_gone(w), "a failure ends it");
    is_str(steps, "accepted access content log 500", "as an error of ours");
}


/* A handler that waits is asked again. */
static void
waits(void)
{
    wire  *w;

    steps[0] = '\0';
    verdicts[LUN_ACCESS] = LUN_WAIT;
    verdicts[LUN_STREAM_CONTENT] = LUN_FINISHED;
    w = stream_client(0);
    is_str(steps, "accepted access ", "it waits");
    ok(!has_gone(w), "and so does the client");

    verdicts[LUN_ACCESS] = LUN_NEXT;
    lun_stream_resume(latest);
    wire_run();
    is_str(steps, "accepted access access content log 200",
           "the phase is asked again, and then goes on");
    ok(has_gone(w), "to the end");
    verdicts[LUN_ACCESS] = LUN_NEXT;
}


static void
is_held(void)
{
    wire  *w;

    steps[0] = '\0';
    verdicts[LUN_STREAM_CONTENT] = LUN_WAIT;
    w = stream_client(0);
    lun_stream_get(latest);
    lun_stream_finish(latest, LUN_FINISHED);
    wire_run();
    ok(!has_gone(w), "whoever holds an ended session keeps its connection");
    is_str(steps, "accepted access content ", "and it is not logged yet");
    wire_end(w);
    wire_run();
    ok(!has_gone(w), "what the client does then concerns nobody");
    lun_stream_put(latest);
    wire_run();
    ok(has_gone(w), "until it is given back");
    is_str(steps, "accepted access content log 200", "then it is");
}


static void
has_last_words(void)
{
    wire        *w;
    const char  *said;

    verdicts[LUN_STREAM_CONTENT] = LUN_FINISHED;
    stream_log[0] = '\0';
    w = stream_client(0);
    ok(has_gone(w), "it has gone");
    said = strstr(stream_log, "last words");
    ok(said != NULL && strstr(said, ", client: ") != NULL,
       "what ends with the connection's pool knows whose it was");
    ok(strstr(stream_log, "of a session") == NULL,
       "but nothing of a session that is another one's by now");
}


int
main(void)
{
    stream_begin("server { listen 127.0.0.1:1; probe; }");

    goes_through_its_phases();
    waits();
    is_held();
    has_last_words();

    stream_end();
    return done_testing();
}
