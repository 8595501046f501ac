/*
 * subrequest.c -- subrequests inside one another that end in any order: what
 * the client gets is what stands in the order of their beginnings.
 *
 * What a request does is a script, its arguments: a letter is said, (...) is
 * a subrequest that goes out, [...] one that is captured, waited for and then
 * said in capitals, . a wait until the test says so, ! an end with status 409.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/subrequest.c"

static lun_http_module  script;

#define LUN_TEST_MODULES  &script.head,
#include "memory_http.h"


typedef struct {
    size_t        at;              /* of the script */
    lun_request  *captured;        /* what it has waited for */
} course;

enum { MOST = 64 };

static lun_request  *waiting[MOST];
static size_t        waiting_count;
static unsigned      logged;       /* requests */


/* --- a course ------------------------------------------------------------ */

static bool
output(lun_request *r, lun_str text)
{
    return lun_http_output(r, lun_buf_new_str(r->pool, text)) != LUN_ERROR;
}


static void
remove_waiting(size_t i)
{
    waiting[i] = waiting[--waiting_count];
}


static void
on_abort(lun_request *r, void *data)
{
    size_t  i;

    for (i = 0; i < waiting_count && waiting[i] != r; i++) { }

    if (i < waiting_count) {
        remove_waiting(i);
    }

    lun_http_finish(r, LUN_STATUS + 499);
}


static void
on_captured(lun_request *r, void *data)
{
    lun_request  *parent = data;

    ((course *) lun_http_state(parent, &script))->captured = r;
    lun_http_resume(parent);
}


/* Past the script of a subrequest, which has begun before its `at`. */
static lun_request *
begin_inner(lun_request *r, course *c, unsigned flags)
{
    size_t  from = c->at;
    int     depth = 1;
    char    open = r->args.data[from - 1], end = open == '(' ? ')' : ']';

    while (depth > 0) {
        LUN_CHECK(c->at < r->args.len);
        depth += r->args.data[c->at] == open;
        depth -= r->args.data[c->at] == end;
        c->at++;
    }

    return lun_subrequest_ask(r, LUN_STR("/"),
                              lun_str_of(r->args.data + from,
                                         c->at - 1 - from), flags);
}


static void
say_captured(lun_request *r, course *c)
{
    size_t    i;
    lun_str   body = lun_subrequest_body(c->captured);
    char     *text = lun_pool_text(r->pool, body.len + 8);

    for (i = 0; i < body.len; i++) {
        text[i] = (char) (body.data[i] & ~0x20);
    }

    if (lun_subrequest_status(c->captured) != 200) {
        body.len = (size_t) (lun_fmt(text, text + 8, "%u",
                                     lun_subrequest_status(c->captured))
                             - text);
    }

    lun_subrequest_forget(c->captured);
    c->captured = NULL;
    (void) output(r, lun_str_of(text, body.len));
}


static lun_verdict
go(lun_request *r, course *c)
{
    lun_request  *sub;

    if (c->captured != NULL) {
        say_captured(r, c);
    }

    while (c->at < r->args.len) {
        switch (r->args.data[c->at++]) {

        case '(':
            sub = begin_inner(r, c, 0);

            if (sub == NULL) {
                (void) output(r, LUN_STR("<too many>"));
            } else {
                lun_subrequest_start(sub, NULL, NULL);
            }
            break;

        case '[':
            sub = begin_inner(r, c, LUN_SUB_CAPTURE | LUN_SUB_BARE);
            lun_subrequest_start(sub, on_captured, r);
            return LUN_WAIT;

        case '.':
            LUN_CHECK(waiting_count < MOST);
            waiting[waiting_count++] = r;
            lun_http_on_abort(r, on_abort, NULL);
            return LUN_WAIT;

        case '!':
            return LUN_STATUS + 409;

        default:
            if (!output(r, lun_str_of(r->args.data + c->at - 1, 1))) {
                return LUN_FAILED;
            }
        }
    }

    return LUN_FINISHED;
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request  *r = lun_request_of(s);
    course       *c = lun_http_state(r, &script);

    if (c == NULL) {
        c = lun_pool_new(r->pool, course);
        lun_http_set_state(r, &script, c);

        if (r->args.len == 0 || r->args.data[0] != '!') {
            r->out.status = 200;

            if (lun_http_send_header(r) != LUN_OK) {
                return LUN_FAILED;
            }
        }
    }

    return go(r, c);
}


static lun_verdict
on_log(lun_session *s)
{
    logged++;
    return LUN_NEXT;
}


static lun_rc
in_order(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_subrequest_in_order(cf);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "in_order", .where = LUN_SERVER, .set = in_order },
    { 0 }
};

static lun_http_module  script = {
    .name = "script",
    .keeps_state = true,
    .always = true,
    .directives = directives,
    .on = { [LUN_CONTENT] = on_content, [LUN_LOG] = on_log }
};


/* --- what comes of it ---------------------------------------------------- */

/* Letters in the order of the script: those of captured ones in capitals. */
static void
expect(const char *text, char *out)
{
    int  captured = 0;

    for ( ; *text != '\0'; text++) {
        captured += *text == '[';
        captured -= *text == ']';

        if (lun_lower(*text) >= 'a' && lun_lower(*text) <= 'z') {
            *out++ = (char) (captured ? *text & ~0x20 : *text);
        }
    }

    *out = '\0';
}


/* Chunks, without their coding; false: they have no end. */
static bool
unchunk(const char *p, char *out)
{
    unsigned long  n;
    char          *end;

    while ((n = strtoul(p, &end, 16)) != 0 && end != p) {
        memcpy(out, end + 2, n);
        out += n;
        p = end + 2 + n + 2;
    }

    *out = '\0';
    return end != p && strcmp(end, "\r\n\r\n") == 0;
}


static uint32_t  dice = 1;

/* 0 ... n - 1, the same ones each time. */
static size_t
roll(size_t n)
{
    dice = dice * 1103515245 + 12345;
    return (dice >> 16) % n;
}


static void
resume_one(void)
{
    size_t        i = roll(waiting_count);
    lun_request  *r = waiting[i];

    remove_waiting(i);
    lun_http_on_abort(r, NULL, NULL);
    lun_http_resume(r);
    wire_run();
}


static wire *
ask(const char *text)
{
    char   request[1024];
    wire  *w = http_client(0);

    waiting_count = 0;
    snprintf(request, sizeof(request), "GET /?%s HTTP/1.1\r\nHost: a\r\n\r\n",
             text);
    wire_say(w, request);
    return w;
}


static const char *const  scripts[] = {
    "a", "a(b)c", "(a)", "(a)(b)(c)", "a(b(c(d)e)f)g", "a.b", ".a", "a(.b)c",
    "a(.b)(.c)(.d)e", "a(.b(.c).d)e(.f)g", "(.a(.b(.c(.d).e).f).g).h",
    "(.a)(b)(.c)(d).e", "a[b]c", "a[.b]c", "a[.b(.c).d]e", "(.a[.b].c)d",
    "a(.b)[.c](.d)e", "[[.a].b].c", "(a.)(b.)(c.)d", "(.)(.)a(.)",
    "a[(.b)(.c)]d", "(.a[(.b)c(.d)]e)(.f)", "[a][b][c]", "(.[.a](.b))c"
};


static void
in_any_order(void)
{
    char         want[64], have[WIRE_SIZE / 256];
    size_t       i, turn, steps;
    wire        *w;

    for (i = 0; i < LUN_ARRAY_LEN(scripts); i++) {
        expect(scripts[i], want);

        for (turn = 0; turn < 24; turn++) {
            w = ask(scripts[i]);

            for (steps = 0; waiting_count > 0 && steps < 100; steps++) {
                resume_one();
            }

            if (!ok(unchunk(http_body(wire_heard(w)), have)
                    && strcmp(have, want) == 0, "%s", scripts[i]))
            {
                diag("have %s", have);
            }

            ok(!wire_gone(w), "the connection goes on");
            wire_end(w);
        }
    }
}


/* What may go out goes out: nothing waits that need not. */
static void
as_soon_as_it_may(void)
{
    char   have[64];
    wire  *w = ask("a(.b)c");

    (void) unchunk(http_body(wire_heard(w)), have);
    is_str(have, "a", "what stands before a subrequest is said");
    resume_one();
    (void) unchunk(wire_heard(w), have);
    is_str(have, "bc", "and the rest when that has ended");
    wire_end(w);
}


/* --- how deep ------------------------------------------------------------ */

static void
inside_one_another(void)
{
    char    text[512], have[512];
    size_t  n = 0, i;
    wire   *w;

    for (i = 0; i < 60; i++) {
        text[n++] = 'a';
        text[n++] = '(';
    }

    for (i = 0; i < 60; i++) {
        text[n++] = ')';
    }

    text[n] = '\0';
    http_log[0] = '\0';
    w = ask(text);
    ok(unchunk(http_body(wire_heard(w)), have), "sixty inside one another");
    is_int((int64_t) strspn(have, "a"), 52, "as deep as they may be");
    is_str(have + strspn(have, "a"), "<too many>", "and no deeper");
    ok(http_logged("subrequests cycle while processing \"/\""), "is said");
    wire_end(w);
}


/* --- how they end -------------------------------------------------------- */

static void
statuses(void)
{
    char   have[1024];
    wire  *w = ask("a[!]b[c]d");

    ok(unchunk(http_body(wire_heard(w)), have), "captured");
    is_str(have, "a409bCd", "a status is known when it is done");
    wire_end(w);

    /* One that goes out has a page as any other. */
    w = ask("a(!)b");
    ok(unchunk(http_body(wire_heard(w)), have), "not captured");
    ok(have[0] == 'a' && strstr(have, "409 Conflict") != NULL
       && have[strlen(have) - 1] == 'b', "it is a page in its place");
    wire_end(w);

    logged = 0;
    w = ask("a(b)c");
    is_int(logged, 1, "subrequests are not logged");
    wire_end(w);
}


static void
clients_that_leave(void)
{
    size_t   i, turn, steps;
    wire    *w;

    for (i = 0; i < LUN_ARRAY_LEN(scripts); i++) {
        for (turn = 0; turn < 12; turn++) {
            w = ask(scripts[i]);
            steps = roll(6);

            while (waiting_count > 0 && steps-- > 0) {
                resume_one();
            }

            if (turn & 1) {
                wire_break(w);
            } else {
                wire_end(w);
            }

            for (steps = 0; waiting_count > 0 && steps < 100; steps++) {
                resume_one();
            }

            wire_wait(1000);

            if (!wire_gone(w)) {
                ok(0, "%s: the client has left", scripts[i]);
            }
        }
    }

    is_int((int64_t) lun_http_active(), 0, "nothing is left of them");
}


static void
slow_clients(void)
{
    char    want[64], have[1024];
    size_t  i, steps;
    wire   *w;

    for (i = 0; i < LUN_ARRAY_LEN(scripts); i++) {
        expect(scripts[i], want);
        w = http_client(0);
        w->room = 0;
        waiting_count = 0;
        snprintf(have, sizeof(have), "GET /?%s HTTP/1.1\r\nHost: a\r\n\r\n",
                 scripts[i]);
        wire_say(w, have);

        for (steps = 0; steps < 2000; steps++) {
            w->room++;
            wire_run();

            if (waiting_count > 0 && roll(20) == 0) {
                resume_one();
            }
        }

        ok(unchunk(http_body(wire_heard(w)), have) && strcmp(have, want) == 0,
           "%s, a byte at a time", scripts[i]);
        wire_end(w);
    }
}


int
main(void)
{
    http_begin("/none/", "postpone_output 0; send_timeout 1s;\n"
               "server { listen 127.0.0.1:1; in_order; }\n");

    in_any_order();
    as_soon_as_it_may();
    inside_one_another();
    statuses();
    slow_clients();
    clients_that_leave();

    http_end();
    return done_testing();
}
