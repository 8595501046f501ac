/*
 * ffi_worker.c -- ngx.worker.* and ngx.config.*, for
 * lua/resty/core/worker.lua, and ngx.process.  Any phase.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi_worker.h"

#include "modules/lua/ffi/ffi.h"
#include "modules/lua/run/ctx.h"
#include "net/conn.h"
#include "net/loop.h"
#include "os/lock.h"
#include "os/proc.h"
#include "shm/workers.h"

/* nginx counts its own among them: channel, timer, what it has inherited. */
enum { AGENT_OWN = 5 };

static int  agent_room;            /* connections that an agent may have */


/* -1 in a master and in an agent. */
int
lun_ffi_worker_id(void)
{
    return lun_self.agent ? -1 : lun_self.number;
}


int
lun_ffi_worker_count(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    return (int) (ctx != NULL ? ctx->main->gen->asked_workers
                              : lun_self.count);
}


int
lun_ffi_worker_exiting(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    return lun_self.exiting || (ctx != NULL && ctx->main->gen->exiting);
}


int64_t
lun_ffi_worker_pid(void)
{
    return lun_proc_pid();
}


/* Fills in up to `room` of them; returns how many.  Needs to be a worker. */
int
lun_ffi_worker_pids(int64_t *pids, int room)
{
    int                    n = 0;
    unsigned               i;
    lun_worker_row         w;
    const lun_generation  *gen = lun_lua_now.ctx->main->gen;

    if (gen->alone) {
        pids[0] = lun_proc_pid();
        return 1;
    }

    for (i = 0; i < lun_self.count && n < room; i++) {
        if (lun_workers_find(gen->number, i, &w)) {
            pids[n++] = lun_lock_pid_of(w.owner);
        }
    }

    return n;
}


/* One of process.lua's. */
int
lun_ffi_process_type(void)
{
    enum { SINGLE, MASTER, WORKER = 3, AGENT = 99 };

    if (lun_self.agent) {
        return AGENT;
    }

    if (lun_lua_now.ctx == NULL || lun_lua_now.ctx->main->gen->alone) {
        return SINGLE;
    }

    return lun_self.number < 0 ? MASTER : WORKER;
}


/* init_by_lua: there will be one when the workers start, if it has any. */
void
lun_ffi_process_want_agent(int connections)
{
    lun_generation  *gen = lun_lua_now.ctx->main->gen;

    if (connections == 0) {
        lun_log(LUN_LOG_ALERT, lun_lua_now.ctx->log, 0, "0 worker_connection "
                "is not enough, privileged agent process cannot be spawned");
        return;
    }

    gen->agent = !gen->alone;
    agent_room = connections;
}


bool
lun_lua_agent_is_full(const lun_lua_ctx *ctx)
{
    if (!lun_self.agent
        || lun_conn_open_count(lun_lua_loop(ctx)) + AGENT_OWN
           < (size_t) agent_room)
    {
        return false;
    }

    lun_log(LUN_LOG_ALERT, ctx->log, 0, "%d worker_connections are not enough",
            agent_room);
    return true;
}


/* The one process's own, if there is but one. */
int64_t
lun_ffi_process_master(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (lun_self.number < 0 || ctx == NULL || ctx->main->gen->alone) {
        return lun_proc_pid();
    }

    return lun_proc_parent_pid();
}


void
lun_ffi_process_quit(void)
{
    if (lun_self.quit != NULL) {
        lun_self.quit();
    }
}


void
lun_ffi_prefix(lun_str *text)
{
    *text = lun_lua_now.ctx->main->gen->prefix;
}


void
lun_ffi_configure_arguments(lun_str *text)
{
    *text = lun_build_arguments;
}


/*
 * For tests and measurements; no Lua file of ours declares it.  The system
 * calls of this worker's port since it began: waits, reads, sends, accepts,
 * others (five numbers).
 */
void
lun_ffi_port_counts(uint64_t *counts)
{
    const lun_port_counters  *c = lun_port_count(
        lun_lua_now.ctx->main->gen->loop->port);

    counts[0] = c->waits;
    counts[1] = c->reads;
    counts[2] = c->sends;
    counts[3] = c->accepts;
    counts[4] = c->others;
}
