/*
 * lua_args.c -- any bytes as calls of the Lua API: whatever a script hands to
 * C, a worker stays alive and ends the request.
 *
 * A whole server runs in this process, and gets one request per input, whose
 * handlers (lua_args.lua) read the bytes as functions of the API and arguments
 * of every kind.  The first byte says in which phase that is, the second what
 * the request looks like.  At the end nothing of the request may be left.
 *
 * Sees only what AddressSanitizer sees: LuaJIT of this build takes its memory,
 * that of FFI's arrays too, from malloc().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "http/conf/http.h"
#include "modules/lua/run/vm.h"
#include "modules/modules.h"
#include "net/listen.h"
#include "net/loop.h"
#include "os/shm.h"
#include "os/time.h"
#include "run/generation.h"
#include "run/startlog.h"
#include "run/worker.h"
#include "session/engine.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
const char *__asan_default_options(void);

enum {
    ANSWER_LIMIT = 1000,           /* ms; then the client goes */
    END_LIMIT    = 10000,          /* ms for what is left behind */
    COLLECT      = 64,             /* inputs between two collections */
    CONNECTIONS  = 512,
    LEAST        = 250,            /* functions; else the list is broken */
    REQUEST_ROOM = 32768
};

#define FOLDER  "build/fuzz-lua_args/"

static const char  conf_text[] =
    "error_log /dev/null debug;\n"
    "events { }\n"
    "http {\n"
    "    access_log off;\n"
    "    lua_package_path 't/fuzz/?.lua;;';\n"
    "    lua_shared_dict dogs 1m;\n"
    "    lua_capture_error_log 64k;\n"
    "    lua_regex_match_limit 5000;\n"
    "    lua_max_pending_timers 64;\n"
    "    lua_max_running_timers 64;\n"
    "    lua_check_client_abort on;\n"
    "    lua_socket_log_errors off;\n"
    "    lua_socket_connect_timeout 100ms;\n"
    "    lua_socket_send_timeout 100ms;\n"
    "    lua_socket_read_timeout 100ms;\n"
    "    lua_socket_keepalive_timeout 100ms;\n"
    "    client_body_buffer_size 4k;\n"
    "    client_header_timeout 500ms;\n"
    "    client_body_timeout 500ms;\n"
    "    send_timeout 500ms;\n"
    "    keepalive_timeout 500ms;\n"
    "    lingering_close off;\n"
    "    proxy_connect_timeout 200ms;\n"
    "    proxy_read_timeout 200ms;\n"
    "    large_client_header_buffers 4 32k;\n"
    "    init_by_lua_block { fuzz = require 'lua_args' }\n"
    "    upstream chosen {\n"
    "        server 127.0.0.1:%1$d;\n"
    "        balancer_by_lua_block { fuzz.run('balancer') }\n"
    "    }\n"
    "    server {\n"
    "        listen 127.0.0.1:%1$d;\n"
    "        set $set '';\n"
    "        server_rewrite_by_lua_block { fuzz.run('server_rewrite') }\n"
    "        location = /echo { return 200 hello; }\n"
    "        location = /list {\n"
    "            content_by_lua_block { ngx.say(fuzz.list()) }\n"
    "        }\n"
    "        location ~ ^/(set) {\n"
    "            set_by_lua_block $set { return fuzz.run('set') }\n"
    "            return 200 hello;\n"
    "        }\n"
    "        location = /server_rewrite { return 200 hello; }\n"
    "        location ~ ^/(rewrite|access|precontent|content|filters|log)$ {\n"
    "            rewrite_by_lua_block { fuzz.run('rewrite') }\n"
    "            access_by_lua_block { fuzz.run('access') }\n"
    "            precontent_by_lua_block { fuzz.run('precontent') }\n"
    "            content_by_lua_block {\n"
    "                fuzz.run('content')\n"
    "                ngx.say('one')\n"
    "                ngx.flush(true)\n"
    "                ngx.say('two')\n"
    "            }\n"
    "            header_filter_by_lua_block { fuzz.run('header_filter') }\n"
    "            body_filter_by_lua_block { fuzz.run('body_filter') }\n"
    "            log_by_lua_block { fuzz.run('log') }\n"
    "        }\n"
    "        location = /timer {\n"
    "            content_by_lua_block { fuzz.set_timer() }\n"
    "        }\n"
    "        location = /balancer { proxy_pass http://chosen/echo; }\n"
    "        location = /tls { proxy_pass https://127.0.0.1:%2$d/tls; }\n"
    "    }\n"
    "    server {\n"
    "        listen 127.0.0.1:%2$d ssl;\n"
    "        ssl_certificate ../../t/cert/server.crt;\n"
    "        ssl_certificate_key ../../t/cert/server.key;\n"
    "        ssl_client_hello_by_lua_block { fuzz.run('ssl_client_hello') }\n"
    "        ssl_certificate_by_lua_block { fuzz.run('ssl_cert') }\n"
    "        location / { content_by_lua_block { fuzz.run('tls') } }\n"
    "    }\n"
    "}\n";

/* The phase of an input, and the location whose requests have it. */
static const struct {
    const char  *name, *path;
} phases[] = {
    { "content", "/content" }, { "rewrite", "/rewrite" },
    { "access", "/access" }, { "precontent", "/precontent" },
    { "header_filter", "/filters" }, { "body_filter", "/filters" },
    { "log", "/log" }, { "set", "/set" }, { "timer", "/timer" },
    { "server_rewrite", "/server_rewrite" }, { "balancer", "/balancer" },
    { "ssl_client_hello", "/tls" }, { "ssl_cert", "/tls" }, { "tls", "/tls" }
};

static lun_generation  *gen;
static int              port;


/* What Lua forgets is only collected some time, and its pointers hide. */
const char *
__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1";
}


static void
add_parts(lun_schema *schema)
{
    lun_http_register(schema, &lun_http_lists);
}


static const lun_protocol *const  protocols[] = { &lun_http, NULL };

static const lun_floors  floors = {
    .add_parts = add_parts,
    .protocols = protocols,
};


/* --- the server --- */

static void
on_child(void *data, int64_t pid, int code, const char *line)
{
    lun_proc_tell_child(pid, code, line);
}


static void
on_signal(void *data, lun_signal what)
{
}


/* A handler has asked for the worker's end: it is told that it will come. */
static void
quit(void)
{
}



/* One that nobody listens to just now. */
static int
free_port(void)
{
    int                 fd = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t           len = sizeof(struct sockaddr_in);
    struct sockaddr_in  sa = { .sin_family = AF_INET };

    sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    LUN_CHECK(bind(fd, (struct sockaddr *) &sa, len) == 0);
    LUN_CHECK(getsockname(fd, (struct sockaddr *) &sa, &len) == 0);
    close(fd);
    return ntohs(sa.sin_port);
}


static void
write_conf(void)
{
    FILE  *f;

    (void) mkdir("build", 0777);
    (void) mkdir(FOLDER, 0777);
    (void) mkdir(FOLDER "logs", 0777);

    f = fopen(FOLDER "nginx.conf", "w");
    LUN_CHECK(f != NULL);
    port = free_port();
    fprintf(f, conf_text, port, free_port());
    fclose(f);
}


/* libFuzzer's own: it leaves alone what has a handler. */
static void
give_back_signals(void)
{
    size_t            i;
    static const int  its_own[] = { SIGALRM, SIGINT, SIGTERM, SIGUSR1,
                                    SIGUSR2, SIGXFSZ };

    for (i = 0; i < LUN_ARRAY_LEN(its_own); i++) {
        (void) signal(its_own[i], SIG_DFL);
    }
}


static lun_generation *
start_server(void)
{
    char            *argv[] = { (char *) (uintptr_t) "lunette",
                                (char *) (uintptr_t) "-p" FOLDER,
                                (char *) (uintptr_t) "-cnginx.conf", NULL };
    lun_options     *o = calloc(1, sizeof(lun_options));
    lun_generation  *g;

    lun_sock_init();
    lun_startlog_services();
    lun_generation_use(&floors);
    lun_startlog_open(LUN_STR("stderr"));

    LUN_CHECK(lun_options_parse(o, 3, argv, lun_pool_new_sized(1024))
              == LUN_OK);
    LUN_CHECK(lun_shm_init() == 0 && lun_loop_init(&lun_worker.loop) == 0);
    g = lun_generation_new(o, 1, NULL, NULL);
    LUN_CHECK(g != NULL);
    lun_self.number = 0;
    lun_self.count = 1;
    lun_worker.gen = g;
    lun_self.quit = quit;
    LUN_CHECK(lun_proc_listen(lun_worker.loop.port, on_child, on_signal, NULL)
              == 0);
    lun_self.hears_children = true;
    give_back_signals();

    LUN_CHECK(lun_log_files_open(&g->logs) == LUN_OK);
    LUN_CHECK(lun_generation_open(g, NULL) == LUN_OK);
    lun_startlog_close(g);
    LUN_CHECK(lun_generation_run_hooks(g, &g->on_start) == LUN_OK);
    LUN_CHECK(lun_listen_start(g->listeners, g->loop, 0, &g->log) == LUN_OK);
    lun_listen_limit(g->listeners, CONNECTIONS);
    return g;
}


/* --- the client --- */

/* What it says, by the bits of `shape`. */
static size_t
write_request(char *room, unsigned shape, const char *path)
{
    int          i;
    char        *p = room;
    const char  *end = room + REQUEST_ROOM;
    static const char *const  methods[] = { "GET", "POST", "PUT", "HEAD" };
    static const int          sizes[] = { 0, 5, 700, 6000 };

    p = lun_fmt(p, end, "%s %s?a=1&b=%%20&c", methods[shape & 3], path);

    for (i = 0; (shape & 4) && i < 150; i++) {
        p = lun_fmt(p, end, "&n%d=%d", i, i);
    }

    p = lun_fmt(p, end, " HTTP/1.%u\r\nHost: localhost\r\nCookie: a=b; c=d\r\n"
                "Connection: close\r\nContent-Length: %d\r\n",
                shape & 8 ? 0u : 1u, sizes[shape >> 4 & 3]);

    for (i = 0; (shape & 64) && i < 150; i++) {
        p = lun_fmt(p, end, "X-%d: %d\r\n", i, i);
    }

    p = lun_fmt(p, end, "\r\n");

    for (i = 0; i < sizes[shape >> 4 & 3]; i++) {
        p = lun_fmt(p, end, "%c", "a=1&"[i & 3]);
    }

    return (size_t) (p - room);
}


static int
connect_to_server(void)
{
    int                 fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in  sa = { .sin_family = AF_INET };

    sa.sin_port = htons((uint16_t) port);
    sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    LUN_CHECK(connect(fd, (struct sockaddr *) &sa, sizeof(sa)) == 0);
    return fd;
}


/* Until the answer has ended, or for as long as that may take; it goes to f. */
static void
talk(unsigned shape, const char *path, FILE *f)
{
    int         fd = connect_to_server();
    char        room[REQUEST_ROOM];
    size_t      len = write_request(room, shape, path);
    ssize_t     n;
    uint64_t    start = lun_time_monotonic();

    LUN_CHECK(send(fd, room, len, MSG_NOSIGNAL) == (ssize_t) len);

    do {
        lun_loop_turn(&lun_worker.loop, 1);
        n = recv(fd, room, sizeof(room), MSG_DONTWAIT);

        if (n > 0 && f != NULL) {
            fwrite(room, 1, (size_t) n, f);
        }
    } while ((n > 0 || (n < 0 && errno == EAGAIN))
             && lun_time_monotonic() - start < ANSWER_LIMIT);

    close(fd);
}


static void
wait_for_end(void)
{
    uint64_t  start = lun_time_monotonic();

    while (lun_http_active() != 0) {
        lun_loop_turn(&lun_worker.loop, 10);

        if (lun_time_monotonic() - start > END_LIMIT) {
            fprintf(stderr, "%zu requests are left\n", lun_http_active());
            abort();
        }
    }

    lun_loop_turn(&lun_worker.loop, 0);
}


/* --- the input --- */

static lua_State *
machine(void)
{
    return lun_lua_main_of(lun_engine_find(gen, &lun_http))->vm->L;
}


/* fuzz.input, fuzz.wanted: a module's fields, so that no guard sees it. */
static void
give(const char *name, const void *data, size_t len)
{
    lua_State  *L = machine();

    lua_getglobal(L, "fuzz");
    lua_pushlstring(L, data, len);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}


/* How many functions there are to be called. */
static int
count_functions(void)
{
    int         n;
    lua_State  *L = machine();

    lua_getglobal(L, "fuzz");
    lua_getfield(L, -1, "count");
    n = (int) lua_tointeger(L, -1);
    lua_pop(L, 2);
    return n;
}


int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char  text[16];

    write_conf();
    gen = start_server();
    give("port", text, (size_t) snprintf(text, sizeof(text), "%d", port));
    talk(0, "/list", getenv("FUZZ_LIST") != NULL ? stderr : NULL);
    LUN_CHECK(count_functions() >= LEAST);
    return 0;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t           n;
    static unsigned  count;

    if (size < 3) {
        return 0;
    }

    n = data[0] % LUN_ARRAY_LEN(phases);
    give("input", data + 2, size - 2);
    give("wanted", phases[n].name, strlen(phases[n].name));
    talk(data[1], phases[n].path, NULL);
    wait_for_end();
    give("wanted", "", 0);

    if (++count % COLLECT == 0) {
        lua_gc(machine(), LUA_GCCOLLECT, 0);
    }

    return 0;
}
