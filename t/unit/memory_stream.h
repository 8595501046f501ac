/*
 * memory_stream.h -- stream { } in memory: a generation made of a text, clients
 * on the wires of memory_port.h.
 *
 * Of modules there are the core's own and, if LUN_TEST_MODULES says so, others:
 * their addresses, with a comma behind each.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MEMORY_STREAM_H
#define LUN_MEMORY_STREAM_H

#include "memory_port.h"

#include "stream/conf/core_conf.h"
#include "stream/engine.h"
#include "stream/stream.h"
#include "t/fuzz/http_help.h"

extern lun_module  lun_stream_blocks, lun_common_upstreams;

static lun_generation  *stream_gen;

static lun_module *const  stream_modules[] = {
    &lun_stream_core, &lun_stream_blocks, &lun_common_upstreams,
    LUN_TEST_MODULES
    NULL
};


static char  stream_log[65536];    /* since it was last asked */

static void
stream_hear(lun_log_target *t, lun_log_level level, const char *line,
    size_t len)
{
    size_t  have = strlen(stream_log);

    if (have + len < sizeof(stream_log)) {
        memcpy(stream_log + have, line, len);
        stream_log[have + len] = '\0';
    }
}


static lun_log_target  stream_ear = { .level = LUN_LOG_INFO,
                                      .write = stream_hear };


/* Whether the log has it, and is empty from now on. */
static TAP_UNUSED bool
stream_logged(const char *part)
{
    bool  has = strstr(stream_log, part) != NULL;

    if (!has) {
        tap_bytes("log", stream_log, strlen(stream_log));
    }

    stream_log[0] = '\0';
    return has;
}


/* Begins to serve `conf`, the text of a stream block. */
static TAP_UNUSED void
stream_begin(const char *conf)
{
    lun_str  text;

    lun_sock_init();
    LUN_CHECK(lun_loop_init(lp) == 0);

    stream_gen = bare_generation();
    lun_stream_register(stream_gen->schema, stream_modules);
    stream_gen->workers = 1;
    stream_gen->log = (lun_log) { .level = LUN_LOG_INFO,
                                  .targets = &stream_ear };

    text = lun_pool_fmt(stream_gen->pool, "stream {\n%s\n}\n", conf);
    LUN_CHECK(read_conf(stream_gen, text, &stream_gen->log) == LUN_OK);
}


/* All of it is over: nothing is left of the sessions that were held. */
static TAP_UNUSED void
stream_end(void)
{
    is_int((int64_t) lun_conn_count(lp), 0, "no connection is left");
    is_int((int64_t) lun_stream_active(), 0, "no session is left");
    is_int((int64_t) lun_timer_pending(lp), 0, "no timer is left");

    stream_gen->exiting = true;
    end_generation(stream_gen);
    lun_loop_fini(lp);
}


/* A client of the listener of that number. */
static TAP_UNUSED wire *
stream_client(unsigned listener)
{
    lun_fd         fd;
    lun_listener  *l = lun_listen_at(stream_gen->listeners, listener);
    wire          *w;

    LUN_CHECK(lun_sock_stream(LUN_AF_INET, &fd) == 0);
    lun_stream_accept(l, fd, &l->addr);
    w = wire_latest(false);
    wire_run();

    return w;
}

#endif
