/*
 * memory_http.h -- HTTP in memory: a generation made of a text, clients on the
 * wires of memory_port.h, and what the log says.
 *
 * Of modules there are the core's own and the test's.  Before this is included
 * LUN_TEST_MODULES may be the heads of some, with a comma behind each, and
 * LUN_TEST_FILTERS those modules of them that filter headers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MEMORY_HTTP_H
#define LUN_MEMORY_HTTP_H

#include "memory_port.h"

#include "http/accept/accept.h"
#include "http/subrequest.h"
#include "http/upstream/upreq.h"
#include "os/dir.h"
#include "t/fuzz/http_help.h"

#ifndef LUN_TEST_MODULES
#define LUN_TEST_MODULES
#endif

#ifndef LUN_TEST_BODY_FILTERS
#define LUN_TEST_BODY_FILTERS
#endif

#ifndef LUN_TEST_FILTERS
#define LUN_TEST_FILTERS
#endif

extern lun_http_module  lun_http_core, lun_http_h2, lun_http_h3,
    lun_http_blocks,
    lun_http_instructions, lun_http_postpone;

extern lun_module  lun_common_upstreams;

static char             http_log[65536];       /* since it was last cleared */
static lun_generation  *http_gen;


static void
http_hear(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    size_t  have = strlen(http_log);

    if (have + len < sizeof(http_log)) {
        memcpy(http_log + have, line, len);
        http_log[have + len] = '\0';
    }
}


static lun_log_target  http_ear = { .level = LUN_LOG_INFO,
                                    .write = http_hear };


static lun_module *const  http_modules[] = {
    &lun_http_core.head, &lun_http_h2.head, &lun_http_h3.head,
    &lun_http_blocks.head,
    &lun_common_upstreams, &lun_http_instructions.head,
    &lun_http_upreq.head, &lun_http_postpone.head,
    LUN_TEST_MODULES
    NULL
};

static lun_http_module *const  http_filters[] = {
    LUN_TEST_FILTERS
    NULL
};

static lun_http_module *const  http_body_filters[] = {
    LUN_TEST_BODY_FILTERS
    &lun_http_postpone,
    NULL
};

static const lun_http_module_lists  http_lists = {
    http_modules, http_filters, http_body_filters
};


/*
 * Begins to serve `conf`, the text of an http block; files go below `folder`
 * ("/none/" if there are none).
 */
static TAP_UNUSED void
http_begin(const char *folder, const char *conf)
{
    size_t               i;
    lun_str              text;
    lun_pool            *pool;
    const lun_gen_hook  *hook;

    lun_sock_init();
    LUN_CHECK(lun_loop_init(lp) == 0);

    http_gen = generation(&http_lists);
    pool = http_gen->pool;
    http_gen->prefix = lun_str_z(folder);
    lun_native_path_init(&http_gen->native_prefix, pool, http_gen->prefix,
                         NULL);
    lun_native_path_keep(&http_gen->native_prefix);
    http_gen->workers = 1;
    http_gen->log = (lun_log) { .level = LUN_LOG_INFO, .targets = &http_ear };
    http_log[0] = '\0';

    text = lun_pool_fmt(pool, "http {\n%s\n}\n", conf);

    if (read_conf(http_gen, text, &http_gen->log) != LUN_OK) {
        ok(0, "the configuration is read");
        diag("%s", http_log);
        exit(1);
    }

    for (i = 0; i < http_gen->folders.count; i++) {
        LUN_CHECK(lun_dir_make_all(*(const char **)
                      lun_array_at(&http_gen->folders, i), 0700) == 0);
    }

    for (i = 0; i < http_gen->on_start.count; i++) {
        hook = lun_array_at(&http_gen->on_start, i);
        LUN_CHECK(hook->run(http_gen, hook->data) == LUN_OK);
    }
}


/* As a worker does that is told to. */
static TAP_UNUSED void
http_quit(void)
{
    http_gen->exiting = true;
    lun_conn_quit(lp);
}


/* All of it is over: nothing is left of the conversations that were held. */
static TAP_UNUSED void
http_end(void)
{
    size_t               i;
    const lun_gen_hook  *hook;

    is_int((int64_t) lun_conn_count(lp), 0, "no connection is left");
    is_int((int64_t) lun_http_active(), 0, "no request is left");
    is_int((int64_t) lun_timer_pending(lp), 0, "no timer is left");

    http_gen->exiting = true;

    for (i = 0; i < http_gen->on_exit.count; i++) {
        hook = lun_array_at(&http_gen->on_exit, i);
        (void) hook->run(http_gen, hook->data);
    }

    end_generation(http_gen);
    lun_loop_fini(lp);
}


/* A client of the listener of that number. */
static TAP_UNUSED wire *
http_client(unsigned listener)
{
    lun_fd         fd;
    lun_listener  *l = lun_listen_at(http_gen->listeners, listener);
    wire          *w;

    LUN_CHECK(lun_sock_stream(LUN_AF_INET, &fd) == 0);
    lun_http_accept(l, fd, &l->addr);
    w = wire_latest(false);
    wire_run();

    return w;
}


/* What a new client hears that says so much, and is then quiet. */
static TAP_UNUSED const char *
http_ask(const char *text)
{
    wire        *w = http_client(0);
    const char  *heard;

    wire_say(w, text);
    heard = wire_heard(w);

    if (!wire_gone(w)) {
        wire_end(w);
        wire_wait(10000);
    }

    return heard;
}


/* The bodies of an answer that is not chunked: "" if there is none. */
static TAP_UNUSED const char *
http_body(const char *answer)
{
    const char  *end = strstr(answer, "\r\n\r\n");

    return end != NULL ? end + 4 : "";
}


static TAP_UNUSED bool
http_says(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        return true;
    }

    tap_bytes("heard", text, strlen(text));
    return false;
}


/* Whether the log has it, and is empty from now on. */
static TAP_UNUSED bool
http_logged(const char *part)
{
    bool  has = strstr(http_log, part) != NULL;

    if (!has) {
        tap_bytes("log", http_log, strlen(http_log));
    }

    http_log[0] = '\0';
    return has;
}

#endif
