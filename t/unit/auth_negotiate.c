/*
 * auth_negotiate.c -- conversations, with a stand-in for the system's security
 * that plays all legs: whose they are, and that nobody else gets them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* First: it brings Windows's own names along, which the next ones drop. */
#include <openssl/ssl.h>

#include "net/thread_pool.h"

static lun_rc start_job(lun_thread_pool *tp, lun_loop *loop, lun_job *job,
    const lun_log *log);

#define lun_thread_pool_add  start_job
#include "../../modules/http/negotiate/auth_negotiate.c"
#undef lun_thread_pool_add

static lun_http_module  probe;

#define LUN_TEST_MODULES  &lun_http_auth_negotiate.head, &probe.head,
#include "memory_http.h"


/* --- a thread that is none ----------------------------------------------- */

typedef struct {
    lun_task   task;
    lun_job   *job;
} started;

static bool      late;             /* jobs wait for let_jobs() */
static started   jobs[8];
static unsigned  job_count;


static void
on_task(lun_task *task)
{
    started  *s = lun_container_of(task, started, task);
    lun_job  *job = s->job;

    s->job = NULL;
    job->done(job);
}


static lun_rc
start_job(lun_thread_pool *tp, lun_loop *loop, lun_job *job,
    const lun_log *log)
{
    started  *s = &jobs[job_count++ % LUN_ARRAY_LEN(jobs)];

    s->job = job;
    job->work(job);

    if (!late) {
        lun_loop_post(loop, &s->task, on_task);
    }

    return LUN_OK;
}


/* --- the system's security ----------------------------------------------- */

struct lun_sspi {
    int   legs;
    char  user[64];
};

static int              open_conversations;
static bool             ntlm = true;
static lun_sspi_server  last;


bool
lun_sspi_has_ntlm(void)
{
    return ntlm;
}


lun_sspi *
lun_sspi_begin(void)
{
    open_conversations++;
    return lun_calloc(sizeof(lun_sspi));
}


/*
 * "one:NAME": known at once; "first", then "then:NAME": in two legs; "broken";
 * all else is refused.
 */
lun_sspi_verdict
lun_sspi_step(lun_sspi *s, const lun_sspi_server *server, lun_str token,
    lun_sspi_answer *answer)
{
    lun_str  name;

    last = *server;
    *answer = (lun_sspi_answer) { .token = LUN_STR("") };
    s->legs++;

    if (lun_str_eq(token, LUN_STR("first"))) {
        answer->token = LUN_STR("challenge");
        return LUN_SSPI_MORE;
    }

    if (lun_str_eq(token, LUN_STR("broken"))) {
        answer->why = "no keys";
        return LUN_SSPI_BROKEN;
    }

    if (lun_str_caseafter(token, LUN_STR("one:"), &name)) {
        answer->package = "Kerberos";
        answer->token = LUN_STR("mutual");

    } else if (s->legs == 2
               && lun_str_caseafter(token, LUN_STR("then:"), &name))
    {
        answer->package = "NTLM";

    } else {
        answer->why = "nonsense";
        return LUN_SSPI_REFUSED;
    }

    *lun_copy_str(s->user, name) = '\0';
    answer->user = name;
    return LUN_SSPI_DONE;
}


bool
lun_sspi_is_member(lun_sspi *s, const char *group)
{
    return strcmp(group, "staff") == 0 && strstr(s->user, "alice") != NULL;
}


void
lun_sspi_end(lun_sspi *s)
{
    open_conversations--;
    lun_free(s);
}


/* --- what is served ------------------------------------------------------ */

static lun_str
value(lun_session *s, const char *name)
{
    const lun_value  *v = lun_var_get_named(s, lun_str_z(name));

    return v == NULL || v->not_found ? LUN_STR("-") : v->text;
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request  *r = lun_request_of(s);

    return lun_http_respond(r, 200, LUN_STR("text/plain"),
                            lun_pool_fmt(r->pool, "user=%.*s package=%.*s.",
                                         LUN_S(value(s, "remote_user")),
                                         LUN_S(value(s,
                                             "auth_negotiate_package"))));
}


static lun_http_module  probe = {
    .name = "probe", .always = true,
    .on[LUN_CONTENT] = on_content,
};

static char  request[1024];


/* A request with a token ("": none) and more fields. */
static const char *
make_request(const char *path, const char *scheme, const char *token,
    const char *more)
{
    char  code[256];

    *lun_base64_encode(code, lun_str_z(token), false, true) = '\0';
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: a\r\n%s%s%s%s"
             "%s\r\n", path, *token ? "Authorization: " : "",
             *token ? scheme : "", *token ? " " : "", *token ? code : "",
             *token ? "\r\n" : "");

    if (*more) {
        snprintf(request + strlen(request) - 2, 128, "%s\r\n\r\n", more);
    }

    return request;
}


static const char *
says(wire *w, const char *path, const char *token)
{
    wire_say(w, make_request(path, "Negotiate", token, ""));
    return wire_heard(w);
}


static void
leave(wire *w)
{
    if (!wire_gone(w)) {
        wire_end(w);
        wire_wait(10000);
    }
}


static void
knows_by_one_leg(void)
{
    wire        *w = http_client(0);
    const char  *heard = says(w, "/on", "");

    ok(http_says(heard, "401") && strstr(heard, "Authenticate: Negotiate\r\n")
       && strstr(heard, "Authenticate: NTLM\r\n"), "a client is asked");

    heard = says(w, "/on", "one:alice@A.TEST");
    ok(http_says(heard, "user=alice@A.TEST package=Kerberos."), "is known");
    ok(http_says(heard, "Authenticate: Negotiate bXV0dWFs\r\n"),
       "and knows who has asked");

    ok(http_says(says(w, "/on", ""), "401"),
       "which is the request's, not the connection's");
    ok(http_says(says(w, "/on", "nonsense"), "401")
       && http_logged("auth_negotiate: nonsense"), "one that is refused");
    ok(http_says(says(w, "/on", "broken"), "500")
       && http_logged("auth_negotiate: no keys"), "a server without keys");
    leave(w);
    is_int(open_conversations, 0, "nothing is left");
}


static void
knows_a_connection(void)
{
    wire        *w = http_client(0), *other = http_client(0);
    const char  *heard = says(w, "/on", "first");

    ok(http_says(heard, "401")
       && http_says(heard, "Authenticate: Negotiate Y2hhbGxlbmdl\r\n"),
       "a challenge");

    ok(http_says(says(other, "/on", "then:mallory"), "401"),
       "whose answer is good on the same connection alone");
    ok(http_says(says(w, "/on", "then:A\\bob"),
                 "user=A\\bob package=NTLM."), "known by two legs");
    ok(http_says(says(w, "/on", ""), "user=A\\bob package=NTLM."),
       "and so are requests after that");
    ok(http_says(says(other, "/on", ""), "401"), "of that connection alone");
    ok(http_says(says(w, "/kerberos", ""), "401"),
       "not where Kerberos is asked for");
    ok(http_says(says(w, "/bound", ""), "401"),
       "nor where a bond is that nobody asked for then");
    ok(http_says(says(w, "/staff", ""), "403"), "his groups are looked at");

    wire_say(w, make_request("/on", "", "", "X-Forwarded-For: 1.2.3.4"));
    ok(http_says(wire_heard(w), "401"), "a proxy's requests are not his");

    ok(http_says(says(w, "/on", "one:alice@A.TEST"), "user=alice@A.TEST"),
       "another user");
    ok(http_says(says(w, "/on", ""), "401"), "ends what was known");

    leave(w);
    leave(other);
    is_int(open_conversations, 0, "all ends with its connection");
}


static void
refuses_what_is_shared(void)
{
    wire  *w = http_client(0);

    wire_say(w, make_request("/on", "Negotiate", "first", "Via: 1.1 proxy"));
    ok(http_says(wire_heard(w), "403") && http_logged("others' as well"),
       "a connection that others use");

    wire_say(w, make_request("/on", "NTLM", "first", ""));
    ok(http_says(wire_heard(w), "Authenticate: NTLM Y2hhbGxlbmdl")
       && last.bare_ntlm, "NTLM by its own name");
    ok(http_says(says(w, "/kerberos", "first"), "403")
       && last.kerberos_only, "more than one leg, where Kerberos is asked "
       "for");

    ntlm = false;
    wire_say(w, make_request("/on", "NTLM", "first", ""));
    ok(http_says(wire_heard(w), "401"), "no NTLM on a system without it");
    ntlm = true;
    leave(w);
    is_int(open_conversations, 0, "nothing is left");
}


static void
looks_at_realm_and_groups(void)
{
    wire  *w = http_client(0);

    ok(http_says(says(w, "/realm", "one:alice@A.TEST"), "user=alice package"),
       "the realm's own name goes");
    ok(http_says(says(w, "/realm", "one:alice@B.TEST"), "403")
       && http_says(says(w, "/realm", "one:aliceA.TEST"), "403")
       && http_says(says(w, "/realm", "one:@A.TEST"), "user= package")
       && http_says(says(w, "/realm", "one:A.TEST"), "403"),
       "others stay outside");
    ok(http_says(says(w, "/realm", "one:a.test\\bob"), "user=bob package")
       && http_says(says(w, "/realm", "one:B\\bob@A.TEST"), "403"),
       "as Windows writes it");
    ok(http_says(says(w, "/staff", "one:alice@A.TEST"), "user=alice@A.TEST")
       && http_says(says(w, "/staff", "one:bob@A.TEST"), "403")
       && http_logged("is in no group"), "groups");
    ok(http_says(says(w, "/off", ""), "user=- package=-."), "off");
    leave(w);
}


/* The client leaves while the system is asked. */
static void
outlives_a_request(void)
{
    wire  *w = http_client(0);

    late = true;
    job_count = 0;
    wire_say(w, make_request("/on", "Negotiate", "one:alice@A.TEST", ""));
    ok(strlen(wire_heard(w)) == 0, "nothing is said yet");
    wire_end(w);
    wire_wait(10000);
    jobs[0].job->done(jobs[0].job);
    wire_run();
    late = false;
    leave(w);
    is_int(open_conversations, 0, "an answer for nobody is dropped");
}


int
main(void)
{
    http_begin("/none/",
               "server { listen 127.0.0.1:1; auth_negotiate on;"
               "location /on { }"
               "location /off { auth_negotiate off; }"
               "location /kerberos { auth_negotiate kerberos; }"
               "location /bound { auth_negotiate_channel_binding require; }"
               "location /realm { auth_negotiate_realm A.TEST; }"
               "location /staff { require_group others staff; } }");
    knows_by_one_leg();
    knows_a_connection();
    refuses_what_is_shared();
    looks_at_realm_and_groups();
    outlives_a_request();
    http_end();
    return done_testing();
}
