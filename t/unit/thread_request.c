/*
 * thread_request.c -- coroutines that serve requests: who waits keeps its
 * client waiting, and no other; who is left by it is told.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/lua/run/thread.c"

static lun_http_module  probe;

#define LUN_TEST_MODULES  &probe.head,
#include "memory_http.h"
#include "thread_help.h"

enum { WAITING = 8 };

/* A request's state. */
typedef struct {
    lun_lua_ctx  *ctx;
    char          said[128];
} run;

static lun_lua_conf  lua_conf = { .block.thread_cache_max_entries = 4 };
static lun_lua_main  lua_main = { .top = &lua_conf,
                                  .vms = { &lua_main.vms, &lua_main.vms } };
static lun_vm       *vm;
static lun_co       *waiting[WAITING];     /* in the order of their waits */
static size_t        waits, cancels;

static const struct {
    const char  *uri, *code;
} scripts[] = {
    { "/now", "say('now')" },
    { "/wait", "say('a') wait() say('b')" },
    { "/sleep", "say('a') sleep(5000) say('b')" },
    { "/leave", "say('a') leave() say('b')" },
    { "/fail", "ngx.thread.spawn(function () wait() end) error('x')" },
    { "/two", "local function f(n) wait() say(n) return n end\n"
              "local a = ngx.thread.spawn(f, 'one')\n"
              "local b = ngx.thread.spawn(f, 'two')\n"
              "local _, x = ngx.thread.wait(a)\n"
              "local _, y = ngx.thread.wait(b)\n"
              "say(x .. '+' .. y)" },
    { "/any", "local function f(n) wait() return n end\n"
              "local a = ngx.thread.spawn(f, 'one')\n"
              "local b = ngx.thread.spawn(f, 'two')\n"
              "local _, x = ngx.thread.wait(a, b)\n"
              "say(x) leave()" },
    { "/wrap", "local f = coroutine.wrap(function () wait() say('in') end)\n"
               "f() say('out')" }
};


/* --- what scripts can do ------------------------------------------------- */

static void
on_cancel(void *data)
{
    cancels++;
}


static int
wait_(lua_State *L)
{
    lun_co  *co = lun_co_enter(L, LUN_LUA_YIELDABLE);

    LUN_CHECK(waits < WAITING);
    waiting[waits++] = co;
    return lun_co_wait(co, "a test", on_cancel, NULL);
}


static void
on_time(lun_timer *timer)
{
    lun_co_wake(lun_container_of(timer, lun_co, timer), 0);
}


static int
sleep_(lua_State *L)
{
    lun_co  *co = lun_co_enter(L, LUN_LUA_YIELDABLE);

    lun_timer_start(lp, &co->timer, (lun_msec) lua_tointeger(L, 1), on_time);
    return lun_co_wait(co, "the time", on_cancel, NULL);
}


static int
say(lua_State *L)
{
    run     *x = lun_session_state(lun_lua_now.session, &probe.head);
    size_t   have = strlen(x->said);

    snprintf(x->said + have, sizeof(x->said) - have, "%s ",
             lua_tostring(L, 1));
    return 0;
}


static int
leave(lua_State *L)
{
    return lun_co_leave(L);
}


/* --- the handler --------------------------------------------------------- */

static lun_verdict
answer(lun_request *r, const run *x)
{
    lun_http_on_abort(r, NULL, NULL);

    return lun_http_respond(r, x->ctx->failed ? 500 : 200,
                            LUN_STR("text/plain"), lun_str_z(x->said));
}


static void
on_ended(lun_lua_ctx *ctx)
{
    lun_http_resume(ctx->request);
}


static void
on_abort(lun_request *r, void *data)
{
    lun_co_quit(data);
}


static run *
new_run(lun_request *r)
{
    run  *x = lun_pool_new(r->pool, run);

    x->ctx = lun_lua_ctx_new(r->pool, vm, r->log);
    x->ctx->session = &r->session;
    x->ctx->request = r;
    x->ctx->phase = LUN_LUA_CONTENT;
    x->ctx->ended = on_ended;
    lun_session_set_state(&r->session, &probe.head, x);
    return x;
}


static const char *
script_of(const lun_request *r)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(scripts); i++) {
        if (lun_str_eq(r->uri, lun_str_z(scripts[i].uri))) {
            return scripts[i].code;
        }
    }

    return "error('no script')";
}


static lun_verdict
on_content(lun_session *s)
{
    run          *x = lun_session_state(s, &probe.head);
    lun_co       *co;
    lun_request  *r = lun_request_of(s);

    if (x != NULL) {
        return x->ctx->entry == NULL ? answer(r, x) : LUN_WAIT;
    }

    x = new_run(r);
    co = lun_co_new(x->ctx);
    LUN_CHECK(luaL_loadstring(co->L, script_of(r)) == 0);

    if (lun_co_run_entry(x->ctx, co, 0) == LUN_OK) {
        return answer(r, x);
    }

    lun_http_on_abort(r, on_abort, x->ctx);
    return LUN_WAIT;
}


static lun_http_module  probe = {
    .name = "probe",
    .always = true,
    .keeps_state = true,
    .on = { [LUN_CONTENT] = on_content }
};


/* --- the conversations --------------------------------------------------- */

#define GET(uri)  "GET " uri " HTTP/1.1\r\nHost: a\r\n\r\n"


static wire *
client(const char *text)
{
    wire  *w = http_client(0);

    waits = cancels = 0;
    wire_say(w, text);
    return w;
}


static void
wake(size_t i)
{
    LUN_CHECK(i < waits);
    lun_co_wake(waiting[i], 0);
    wire_run();
}


static void
a_client_waits_with_its_coroutine(void)
{
    lua_State  *L;
    wire       *w = client(GET("/wait") GET("/now"));

    is_str(wire_heard(w), "", "nothing is said while it waits");
    is_int((int64_t) waits, 1, "nor does the next request begin");
    L = waiting[0]->L;
    wake(0);
    ok(http_says(wire_heard(w), "\r\n\r\na b HTTP/1.1 200 OK\r\n"),
       "both are answered, in order");
    is_int(vm->spare_count, 1, "one coroutine has served both");

    waits = 0;
    wire_say(w, GET("/wait"));
    ok(waits == 1 && waiting[0]->L == L, "and serves the next");
    wake(0);
    is_str(http_body(wire_heard(w)), "a b ", "to its end");
    wire_end(w);
    wire_wait(10000);
}


static void
others_do_not(void)
{
    wire  *a = client(GET("/wait")), *b = http_client(0), *c = http_client(0);

    wire_say(b, GET("/wait"));
    wire_say(c, GET("/now"));
    is_str(http_body(wire_heard(c)), "now ", "a third client is served");
    is_int((int64_t) waits, 2, "while two wait");
    wake(1);
    is_str(wire_heard(a), "", "the first is not woken with the second");
    is_str(http_body(wire_heard(b)), "a b ", "who is");
    wake(0);
    is_str(http_body(wire_heard(a)), "a b ", "its time comes");

    wire_end(a);
    wire_end(b);
    wire_end(c);
    wire_wait(10000);
}


static void
time_wakes(void)
{
    wire  *w = client(GET("/sleep"));

    wire_wait(4900);
    is_str(wire_heard(w), "", "not too early");
    wire_wait(200);
    is_str(http_body(wire_heard(w)), "a b ", "and then it goes on");
    wire_end(w);
    wire_wait(10000);
}


static void
who_is_left_is_told(void)
{
    size_t              i;
    static const char  *texts[] = { GET("/wait"), GET("/sleep"), GET("/two"),
                                    GET("/wrap") };

    for (i = 0; i < LUN_ARRAY_LEN(texts); i++) {
        wire  *w = client(texts[i]);

        wire_break(w);
        wire_run();
        ok(wire_gone(w), "a client that leaves ends its request");
        is_int((int64_t) cancels, i == 2 ? 2 : 1, "each wait is cancelled");
        is_int((int64_t) lun_http_active(), 0, "nothing is left");
        is_int((int64_t) lun_timer_pending(lp), 0, "no timer either");
    }
}


static void
threads_of_a_request(void)
{
    wire  *w = client(GET("/two"));

    is_int((int64_t) waits, 2, "both threads wait");
    wake(1);
    is_str(wire_heard(w), "", "one is not enough");
    wake(0);
    is_str(http_body(wire_heard(w)), "two one one+two ",
           "each goes on when it is woken");

    waits = cancels = 0;
    wire_say(w, GET("/any"));
    wake(1);
    is_str(http_body(wire_heard(w)), "two ", "one of several is waited for");
    is_int((int64_t) cancels, 1, "the other ends with the request");

    waits = cancels = 0;
    wire_say(w, GET("/fail"));
    ok(http_says(wire_heard(w), "HTTP/1.1 500 "), "an error is an answer");
    is_int((int64_t) cancels, 1, "that no thread holds up");

    wire_say(w, GET("/leave"));
    is_str(http_body(wire_heard(w)), "a ", "a script may end before its end");

    waits = 0;
    wire_say(w, GET("/wrap"));
    wake(0);
    is_str(http_body(wire_heard(w)), "in out ",
           "a coroutine in a coroutine waits for both");
    wire_end(w);
    wire_wait(10000);
}


static void
a_worker_that_quits_waits(void)
{
    wire  *w = client(GET("/wait"));

    http_quit();
    wire_run();
    ok(!wire_gone(w), "a request is served to its end");
    wake(0);
    is_str(http_body(wire_heard(w)), "a b ", "as if nothing were");
    wire_wait(10000);
    ok(wire_gone(w), "then its connection goes");
}


int
main(void)
{
    http_begin("/none/", "lingering_close off;\n"
                         "server { listen 127.0.0.1:1; }\n");
    lua_main.gen = http_gen;
    vm = make_vm(&lua_main);
    lua_register(vm->L, "wait", wait_);
    lua_register(vm->L, "sleep", sleep_);
    lua_register(vm->L, "say", say);
    lua_register(vm->L, "leave", leave);

    a_client_waits_with_its_coroutine();
    others_do_not();
    time_wakes();
    who_is_left_is_told();
    threads_of_a_request();
    a_worker_that_quits_waits();

    lun_vm_put(vm);
    http_end();
    return done_testing();
}
