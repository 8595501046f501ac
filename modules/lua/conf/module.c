/*
 * module.c -- the directives of nginx's Lua, and where the bridge hangs on the
 * protocols' floors and on the lives of a generation and its workers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/api/balancer.h"
#include "modules/lua/api/errlog.h"
#include "modules/lua/api/timer.h"
#include "modules/lua/conf/directives.h"
#include "modules/lua/conf/lua_metrics.h"
#include "modules/lua/look/coverage.h"
#include "modules/lua/look/debugger.h"
#include "modules/lua/look/watchdog.h"
#include "modules/lua/run/phases.h"
#include "modules/lua/run/side.h"
#include "modules/lua/run/vm.h"
#include "modules/lua/run/watch.h"
#include "modules/lua/ssl/handshake.h"
#include "modules/lua/ssl/proxy_handshake.h"
#include "net/conn_pool.h"
#include "net/tls/tls_ctx.h"
#include "os/path.h"
#include "session/tls_conf.h"

enum {
    LEVELS = LUN_HTTP | LUN_SERVER | LUN_LOCATION | LUN_LOCATION_IF,
    BOTH   = LEVELS | LUN_STREAM_LEVELS,
    SERVERS = LUN_ANY_PROTOCOL | LUN_ANY_SERVER,
    PROXIES = LUN_LOCATION | LUN_STREAM_SERVER
};


/* --- per generation --- */

static lun_lua_main *
new_main(lun_engine *e)
{
    lun_generation  *gen = e->gen;
    lun_lua_main    *main = lun_pool_new(gen->pool, lun_lua_main);

    main->gen = gen;
    main->engine = e;
    main->side = e->protocol == &lun_http ? &lun_lua_http_side
                                          : &lun_lua_stream_side;
    lun_list_init(&main->thread_spares);
    lun_list_init(&main->vms);
    lun_array_init(&main->dicts, gen->pool, sizeof(lun_zone *), 4);
    return main;
}


lun_lua_main *
lun_lua_main_of(lun_engine *e)
{
    lun_lua_main  *main = lun_module_data(e, &lun_common_lua);

    if (main == NULL) {
        main = new_main(e);
        lun_module_set_data(e, &lun_common_lua, main);
    }

    return main;
}


/* --- setters --- */

static bool
is_file(const lun_directive *d)
{
    return lun_str_ends(lun_str_z(d->name), LUN_STR("_file"));
}


/*
 * "nginx.conf", "sites/a.conf" below the configuration's folder, or a whole
 * path; its end if LuaJIT would not show the name of the chunk otherwise.
 */
static lun_str
place_of(lun_conf *cf, size_t taken)
{
    lun_str  path = cf->file, name = lun_path_name(path);
    size_t   most = LUA_IDSIZE - 1 - sizeof("(:)") + 1 - taken;

    if (lun_str_eq(name, LUN_STR("nginx.conf"))) {
        return name;
    }

    if (lun_str_starts(path, cf->conf_prefix)) {
        path.data += cf->conf_prefix.len;
        path.len -= cf->conf_prefix.len;
    }

    if (path.len <= most) {
        return path;
    }

    most -= sizeof("...") - 1;
    return lun_pool_fmt(cf->pool, "...%.*s", (int) most,
                        path.data + path.len - most);
}


/* In stream only code of these is known by its line, as in nginx's Lua. */
static bool
has_place(const lun_conf *cf, const lun_directive *d)
{
    static const char *const  placed[] = {
        "content_by_lua", "preread_by_lua", "log_by_lua"
    };

    size_t  i;
    bool    found = cf->engine->protocol == &lun_http;

    for (i = 0; i < LUN_ARRAY_LEN(placed) && !found; i++) {
        found = strcmp(d->data, placed[i]) == 0;
    }

    return found;
}


lun_chunk *
lun_lua_chunk_of(lun_conf *cf, const lun_directive *d, size_t at)
{
    char      digits[16];
    size_t    taken;
    lun_str   name, code;
    unsigned  line;

    if (!d->raw && cf->args[at].len == 0) {
        lun_conf_fail(cf, "invalid location config: no runnable Lua code");
        return NULL;
    }

    if (is_file(d)) {
        return lun_chunk_file(cf, cf->args[at], lun_str_z(d->data));
    }

    if (!has_place(cf, d)) {
        return lun_chunk_inline(cf, d->raw ? cf->raw : cf->args[at],
                                lun_str_z(d->data));
    }

    /* A block is known by its first line, quoted code by its last. */
    code = d->raw ? cf->raw : cf->args[at];
    line = d->raw ? cf->line : cf->end_line;
    taken = strlen(d->data)
            + (size_t) (lun_fmt(digits, digits + sizeof(digits), "%u", line)
                        - digits);
    name = lun_pool_fmt(cf->pool, "%s(%.*s:%u)", (const char *) d->data,
                        LUN_S(place_of(cf, taken)), line);

    return lun_chunk_inline(cf, code, name);
}


static lun_rc
set_chunk(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_chunk  **chunk = (lun_chunk **) ((char *) conf + d->field);

    *chunk = lun_lua_chunk_of(cf, d, 1);
    return *chunk != NULL ? LUN_OK : LUN_ERROR;
}


/* A phase of sessions: what comes before an answer may ask for others. */
static lun_rc
set_phase_chunk(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (d->field >= offsetof(lun_lua_conf, server_rewrite)
        && d->field <= offsetof(lun_lua_conf, content))
    {
        lun_lua_main_of(cf->engine)->captures = true;
    }

    return set_chunk(cf, d, conf);
}


static lun_rc
set_content_chunk(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (cf->engine->protocol == &lun_http) {
        lun_http_set_content(cf, &lun_http_lua);

    } else {
        lun_lua_set_stream_content(cf);
    }

    return set_phase_chunk(cf, d, conf);
}


/* There is no request in a handshake whose variables a path could have. */
static lun_rc
set_ssl_chunk(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (is_file(d) && lun_script_has_variables(cf->args[1])) {
        return lun_conf_fail(cf, "variables in \"%.*s\" are not supported",
                             LUN_S(cf->args[0]));
    }

    return set_chunk(cf, d, conf);
}


static lun_rc
set_load_stock(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_lua_conf  *c = conf;

    if (lun_set_flag(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    c->block.own_core = !c->block.own_core;
    lun_conf_warn(cf, "%s is deprecated (the lua-resty-core library is "
                  "required since %s)", d->name,
                  cf->engine->protocol == &lun_http ? "ngx_lua v0.10.16"
                                                    : "ngx_stream_lua v0.0.8");
    return LUN_OK;
}


static lun_rc
set_trim(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t  n;

    if (lun_str_to_i64(cf->args[1], &n) != LUN_OK || n < 0) {
        return lun_conf_fail(cf, "invalid number \"%.*s\" in the \"%s\" "
                             "directive", LUN_S(cf->args[1]), d->name);
    }

    if (!cf->is_fallback) {
        lun_lua_main_of(cf->engine)->trims = n != 0;
    }

    return lun_set_num(cf, d, conf);
}


static lun_rc
set_block_warning(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_lua_conf  *c = conf;

    if (lun_str_eq(cf->args[1], LUN_STR("off"))) {
        c->block.block_warning = 0;
        return LUN_OK;
    }

    return lun_set_msec(cf, d, conf);
}


static lun_rc
set_code_cache(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_lua_main  *main;
    lun_lua_conf  *c = conf;

    /* The default is set without an http block as well: no main then. */
    if (lun_str_eq(cf->args[1], LUN_STR("watch"))) {
        main = lun_lua_main_of(cf->engine);
        c->code_cache = true;

        if (main->watch == NULL) {
            main->watch = lun_lua_watch_new(main);
        }

        return LUN_OK;
    }

    if (lun_set_flag(cf, d, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (!c->code_cache && lun_str_eq(cf->args[0], LUN_STR("lua_code_cache"))) {
        lun_log(LUN_LOG_ALERT, cf->log, 0, "lua_code_cache is off; this will "
                "hurt performance in %.*s:%u", LUN_S(cf->file), cf->line);
    }

    return LUN_OK;
}


/* --- hooks --- */

static void
end_errlog(void *data)
{
    lun_lua_errlog_end(((lun_lua_main *) data)->errlog);
}


/*
 * A process that was stopped has requests and timers left, which will not run
 * again: they do not keep the machines.
 */
static void
close_main(void *data)
{
    lun_lua_main  *main = data;

    lun_lua_worker_thread_close(main);
    lun_lua_timers_drop(main);
    lun_lua_handshakes_drop(main);
    lun_lua_upstream_handshakes_drop(main);
    lun_vm_put(main->vm);
    lun_vm_close_all(main);
    lun_pool_free(main->pool);
}


lun_rc
lun_lua_main_open(lun_lua_main *main, const lun_log *log)
{
    lun_block  *b = main->engine->block;

    lun_tls_use_provider();
    main->top = b->confs[lun_common_lua.part.index];
    main->vm = lun_vm_new(main, log);

    if (main->vm == NULL) {
        return LUN_ERROR;
    }

    main->pool = lun_pool_new_sized(256);
    lun_pool_on_end(main->gen->pool, close_main, main);
    return LUN_OK;
}


/*
 * The master (and a Windows worker): the machine, and init_by_lua, which a mere
 * look at the configuration does not run.
 */
static lun_rc
on_init(lun_generation *gen, void *data)
{
    lun_lua_main  *main = data;

    lun_lua_errlog_begin(main->errlog);
    lun_pool_on_end(gen->pool, end_errlog, main);

    /* No log: the present one, which says it on the terminal as well. */
    if (lun_lua_main_open(main, NULL) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_regex_set_match_limit((uint32_t) main->top->block.regex_match_limit);
    return gen->testing ? LUN_OK : lun_vm_run_init(main->vm);
}


/* A phase of the worker's own: no request, nothing that waits. */
static void
run_worker_chunk(lun_lua_main *main, uint32_t phase, lun_chunk *chunk,
    const char *name)
{
    lun_lua_ctx  *home = main->vm->home;

    if (chunk == NULL) {
        return;
    }

    home->log = lun_lua_worker_log(main, main->vm->pool, phase);
    (void) lun_chunk_run_life(chunk, home, phase, name);
}


void
lun_lua_run_init_worker(lun_lua_main *main)
{
    run_worker_chunk(main, LUN_LUA_INIT_WORKER, main->top->block.init_worker,
                     "init_worker_by_lua");
}


static lun_rc
on_start(lun_generation *gen, void *data)
{
    lun_lua_main  *main = data;

    lun_lua_watch_start(main->watch);
    lun_lua_watchdog_start(main);
    lun_lua_debug_start(gen);
    lun_lua_run_init_worker(main);
    return LUN_OK;
}


static lun_rc
on_exit_worker(lun_generation *gen, void *data)
{
    lun_lua_main  *main = data;

    lun_lua_watch_stop(main->watch);
    run_worker_chunk(main, LUN_LUA_EXIT_WORKER, main->top->block.exit_worker,
                     "exit_worker_by_lua");
    lun_lua_debug_end();
    lun_lua_worker_thread_drain(main);
    return LUN_OK;
}


static lun_rc
on_quit(lun_generation *gen, void *data)
{
    lun_lua_main  *main = data;

    lun_lua_watch_stop(main->watch);
    lun_lua_timers_quit(main);
    lun_conn_pool_close_idle(gen->loop);
    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    lun_generation  *gen = cf->gen;
    lun_lua_main    *main = lun_lua_main_of(cf->engine);

    main->core = main->side->top(cf);
    lun_lua_want_metrics(gen);
    cf->engine->handshaking = &lun_lua_handshake;
    cf->engine->upstream_handshaking = &lun_lua_upstream_handshake;

    lun_gen_add_hook(gen, &gen->on_init, on_init, main);
    lun_gen_add_hook(gen, &gen->on_start, on_start, main);
    lun_gen_add_hook(gen, &gen->on_quit, on_quit, main);
    lun_gen_add_hook(gen, &gen->on_exit, on_exit_worker, main);
    return LUN_OK;
}


/* --- directives --- */

/* name "code", name_block { code }, name_file path */
#define CODE(name_, where_, set_, ...)                                        \
    { .name = #name_, .where = (where_), .args = 1, .set = set_,              \
      .data = #name_, .values = "code", __VA_ARGS__ },                        \
    { .name = #name_ "_block", .where = (where_), .block = true, .raw = true, \
      .set = set_, .data = #name_, __VA_ARGS__ },                             \
    { .name = #name_ "_file", .where = (where_), .args = 1, .set = set_,      \
      .data = #name_, .values = "file", __VA_ARGS__ }

/* The same without the first, for newer ones. */
#define SSL_PHASE(name_, where_, field_, ...)                                 \
    { .name = #name_ "_block", .where = where_, .block = true,                \
      .raw = true, .set = set_ssl_chunk, .data = #name_,                      \
      LUN_FIELD(lun_lua_conf, field_), __VA_ARGS__ },                         \
    { .name = #name_ "_file", .where = where_, .args = 1,                     \
      .set = set_ssl_chunk, .data = #name_, .values = "file",                 \
      LUN_FIELD(lun_lua_conf, field_), __VA_ARGS__ }

#define PHASE(name_, where_, field_, ...)                                     \
    CODE(name_, where_, set_phase_chunk, LUN_FIELD(lun_lua_conf, field_),     \
         __VA_ARGS__)

#define MAIN_PHASE(name_, field_, ...)                                        \
    CODE(name_, LUN_ANY_PROTOCOL, set_chunk,                                  \
         LUN_FIELD(lun_lua_conf, block.field_), __VA_ARGS__)

#define MAIN(name_, set_, field_, fallback_, ...)                             \
    { .name = name_, .where = LUN_ANY_PROTOCOL, .args = 1, .set = set_,       \
      LUN_FIELD(lun_lua_conf, block.field_), .fallback = fallback_,           \
      __VA_ARGS__ }

#define FLAG(name_, field_, fallback_, ...)                                   \
    { .name = name_, .where = LEVELS, .args = 1, .set = lun_set_flag,         \
      LUN_FIELD(lun_lua_conf, field_), .fallback = fallback_, __VA_ARGS__ }

#define SOCKET(name_, set_, field_, fallback_, ...)                           \
    { .name = name_, .where = LUN_ANY_LEVELS, .args = 1, .set = set_,         \
      LUN_FIELD(lun_lua_conf, field_), .fallback = fallback_, __VA_ARGS__ }

#define SSL_LIST(name_, args_, set_, field_, ...)                             \
    { .name = name_, .where = LUN_ANY_LEVELS, .args = args_,                  \
      .repeats = true, .set = set_, LUN_FIELD(lun_lua_conf, ssl.field_),      \
      __VA_ARGS__ }

#define IGNORED(name_)                                                        \
    { .name = name_, .where = BOTH, .args = 1, .args_max = LUN_ARGS_ANY,      \
      .repeats = true, .set = lun_set_ignored, .help = "without effect here" }

#define SET_WHERE  (LUN_SERVER | LUN_SERVER_IF | LUN_LOCATION | LUN_LOCATION_IF)

static const lun_directive  directives[] = {
    MAIN_PHASE(init_by_lua, init,
               .help = "Lua that runs when the configuration is read"),
    MAIN_PHASE(init_worker_by_lua, init_worker,
               .help = "Lua that runs when a worker begins"),
    MAIN_PHASE(exit_worker_by_lua, exit_worker,
               .help = "Lua that runs when a worker ends"),

    { .name = "set_by_lua", .where = SET_WHERE, .args = 2,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_lua_set_set,
      .data = "set_by_lua",
      .values = "$variable code [argument ...]",
      .help = "a variable that Lua computes" },
    { .name = "set_by_lua_block", .where = SET_WHERE, .args = 1, .block = true,
      .raw = true, .repeats = true, .set = lun_lua_set_set,
      .data = "set_by_lua",
      .values = "$variable",
      .help = "a variable that Lua computes" },
    { .name = "set_by_lua_file", .where = SET_WHERE, .args = 2,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_lua_set_set,
      .data = "set_by_lua",
      .values = "$variable file [argument ...]",
      .help = "a variable that Lua computes" },

    PHASE(server_rewrite_by_lua, LUN_HTTP | LUN_SERVER, server_rewrite,
          .help = "Lua that runs before a location is chosen"),
    PHASE(rewrite_by_lua, LEVELS, rewrite,
          .help = "Lua that runs after rewrite"),
    PHASE(access_by_lua, LEVELS, access,
          .help = "Lua that decides who may go on"),
    PHASE(precontent_by_lua, LEVELS, precontent,
          .help = "Lua that runs before the content is made"),
    CODE(content_by_lua, LUN_LOCATION | LUN_LOCATION_IF | LUN_STREAM_SERVER,
         set_content_chunk, LUN_FIELD(lun_lua_conf, content),
         .help = "Lua that answers"),
    PHASE(header_filter_by_lua, LEVELS, header_filter,
          .help = "Lua that sees the header of the answer"),
    PHASE(body_filter_by_lua, LEVELS, body_filter,
          .help = "Lua that sees the body of the answer, piece by piece"),
    PHASE(log_by_lua, BOTH, log,
          .help = "Lua that runs when a request has ended"),
    PHASE(preread_by_lua, LUN_STREAM_LEVELS, preread,
          .help = "Lua that looks at what the client sends first"),
    { .name = "lua_add_variable", .where = LUN_STREAM, .args = 1,
      .repeats = true, .set = lun_lua_set_add_variable,
      .values = "$variable",
      .help = "a variable that Lua may set; it has no value at first" },

    SSL_PHASE(ssl_client_hello_by_lua, SERVERS, ssl_hello,
              .help = "Lua that sees the client's first message"),
    SSL_PHASE(ssl_certificate_by_lua, SERVERS, ssl_cert,
              .help = "Lua that chooses a certificate"),
    SSL_PHASE(ssl_session_fetch_by_lua, LUN_HTTP, ssl_fetch,
              .help = "Lua that finds a session"),
    SSL_PHASE(ssl_session_store_by_lua, LUN_HTTP, ssl_store,
              .help = "Lua that keeps a session"),
    SSL_PHASE(proxy_ssl_certificate_by_lua, PROXIES, proxy_ssl_cert,
              .help = "Lua that chooses the certificate for a server"),
    SSL_PHASE(proxy_ssl_verify_by_lua, PROXIES, proxy_ssl_verify,
              .help = "Lua that checks a server's certificate"),
    SOCKET("lua_upstream_skip_openssl_default_verify", lun_set_flag,
           skip_default_verify, "off",
           .help = "without OpenSSL's own check"),

    { .name = "balancer_by_lua_block", .where = LUN_ANY_UPSTREAM, .block = true,
      .raw = true, .set = lun_lua_set_balancer, .data = "balancer_by_lua",
      .help = "Lua that chooses the server" },
    { .name = "balancer_by_lua_file", .where = LUN_ANY_UPSTREAM, .args = 1,
      .set = lun_lua_set_balancer, .data = "balancer_by_lua",
      .values = "file",
      .help = "Lua that chooses the server" },
    { .name = "balancer_keepalive", .where = LUN_UPSTREAM, .args = 1,
      .set = lun_set_num, LUN_FIELD(lun_lua_conf, balancer_keepalive),
      .fallback = "32",
      .help = "how many idle connections chosen by Lua are kept" },

    { .name = "lua_shared_dict", .where = LUN_ANY_PROTOCOL, .args = 2,
      .args_max = 3, .repeats = true, .set = lun_lua_set_shared_dict,
      .values = "name size [sync=store]",
      .help = "a dictionary that all workers see, its size, and the store "
              "by which other machines see it" },
    MAIN("lua_package_path", lun_set_str, package_path, NULL,
         .values = "path",
         .help = "where modules are looked for"),
    MAIN("lua_package_cpath", lun_set_str, package_cpath, NULL,
         .values = "path",
         .help = "where modules in C are looked for"),
    MAIN("lua_max_pending_timers", lun_set_num, max_pending_timers, "1024",
         .help = "timers that may wait"),
    MAIN("lua_max_running_timers", lun_set_num, max_running_timers, "256",
         .help = "timers that may run"),
    MAIN("lua_thread_cache_max_entries", lun_set_num,
         thread_cache_max_entries, "1024",
         .help = "coroutines that are kept for use again"),
    MAIN("lua_worker_thread_vm_pool_size", lun_set_num, thread_max, "10",
         .help = "Lua machines for ngx.run_worker_thread"),
    MAIN("lua_regex_cache_max_entries", lun_set_num, regex_cache_max_entries,
         "1024",
         .help = "compiled patterns that are kept"),
    MAIN("lua_regex_match_limit", lun_set_num, regex_match_limit, "0",
         .help = "how hard a pattern may try"),
    MAIN("lua_block_warning", set_block_warning, block_warning, "off",
         .values = "time | off",
         .help = "how long Lua may hold a worker up before the log has its "
                 "stack; off: ever"),
    MAIN("lua_coverage", lun_lua_set_coverage, coverage, NULL,
         .values = "file",
         .help = "a file for the lines of Lua that were run"),
    MAIN("lua_malloc_trim", set_trim, trim_after, "1000",
         .values = "number",
         .help = "gives memory back after so many requests"),
    { .name = "lua_capture_error_log", .where = LUN_ANY_PROTOCOL, .args = 1,
      .set = lun_lua_set_capture_log,
      .values = "size",
      .help = "room for lines that ngx.errlog reads" },
    MAIN("lua_sa_restart", lun_set_flag, sa_restart, "on",
         .help = "without effect here"),

    { .name = "lua_code_cache", .where = BOTH, .args = 1,
      .set = set_code_cache, LUN_FIELD(lun_lua_conf, code_cache),
      .fallback = "on",
      .values = "on | off | watch",
      .help = "keeps compiled Lua: on, off, or watch for changes" },
    FLAG("lua_need_request_body", need_request_body, "off",
         .help = "reads the body before Lua runs"),
    FLAG("lua_http10_buffering", http10_buffering, "on",
         .help = "waits with the answer to HTTP/1.0 for its length"),
    FLAG("lua_transform_underscores_in_response_headers",
         transform_underscores, "on",
         .help = "ngx.header.a_b is A-B"),
    { .name = "lua_check_client_abort", .where = BOTH, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_lua_conf, check_client_abort),
      .fallback = "off",
      .help = "looks whether the client is still there" },
    FLAG("lua_use_default_type", use_default_type, "on",
         .help = "answers of Lua have default_type"),

    SOCKET("lua_socket_log_errors", lun_set_flag, socket_log_errors, "on",
           .help = "logs the errors of sockets"),
    SOCKET("lua_socket_connect_timeout", lun_set_msec, socket_connect_timeout,
           "60s",
           .help = "how long a connection may take"),
    SOCKET("lua_socket_send_timeout", lun_set_msec, socket_send_timeout, "60s",
           .help = "how long the other side may take nothing"),
    SOCKET("lua_socket_read_timeout", lun_set_msec, socket_read_timeout, "60s",
           .help = "how long the other side may be silent"),
    SOCKET("lua_socket_keepalive_timeout", lun_set_msec,
           socket_keepalive_timeout, "60s",
           .help = "how long an idle one is kept"),
    SOCKET("lua_socket_buffer_size", lun_set_size, socket_buffer_size, "4k",
           .help = "room for what a socket reads"),
    SOCKET("lua_socket_pool_size", lun_set_num, socket_pool_size, "30",
           .help = "idle connections that are kept of an address"),

    /* Nothing here that they could change. */
    IGNORED("lua_socket_send_lowat"),
    { .name = "lua_load_resty_core", .where = LUN_ANY_PROTOCOL, .args = 1,
      .set = set_load_stock, LUN_FIELD(lun_lua_conf, block.own_core),
      .values = "on | off",
      .help = "off: always ours, whatever lua_package_path has" },

    SOCKET("lua_ssl_ciphers", lun_set_str, ssl.ciphers, "DEFAULT",
           .values = "ciphers",
           .help = "ciphers of sockets"),
    SOCKET("lua_ssl_crl", lun_set_str, ssl.crl, "\"\"",
           .values = "file",
           .help = "certificates that were revoked"),
    { .name = "lua_ssl_protocols", .where = LUN_ANY_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_bits,
      .data = lun_tls_protocols, LUN_FIELD(lun_lua_conf, ssl.protocols),
      .fallback = "TLSv1 TLSv1.1 TLSv1.2 TLSv1.3",
      .help = "versions of TLS that sockets speak" },
    SSL_LIST("lua_ssl_certificate", 1, lun_set_str_list, certificates,
             .values = "file", .help = "the certificate that sockets show"),
    SSL_LIST("lua_ssl_certificate_key", 1, lun_set_str_list, keys,
             .values = "file", .help = "its key"),
    SOCKET("lua_ssl_trusted_certificate", lun_set_str, ssl.trusted, "\"\"",
           .values = "file | system",
           .help = "authorities that sockets check by"),
    SOCKET("lua_ssl_verify_depth", lun_set_num, ssl.verify_depth, "1",
           .help = "how long the chain may be"),
    SSL_LIST("lua_ssl_conf_command", 2, lun_set_pairs, commands,
             .values = "name value",
             .help = "a command of OpenSSL's for sockets"),
    SOCKET("lua_ssl_key_log", lun_set_path, ssl.key_log, NULL,
           .help = "a file for the secrets of connections"),
    { 0 }
};

lun_module  lun_common_lua = {
    .name = "lua",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(lun_lua_conf),
    .inherited = lun_lua_ssl_inherited,
    .init = init,
    .metrics = lun_lua_dict_metrics,
    .on[LUN_LOG] = lun_lua_on_log,
};
