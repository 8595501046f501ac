/*
 * lua_metrics.c -- scripts, counted.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/conf/lua_metrics.h"

#include "config/status.h"


enum { KNOWN = 32 };

uint32_t  lun_lua_timers_at;

static uint32_t  memory_at, machines_at, waits_at;
/* Of this process; a fork has its master's. */
static uint64_t  memory, machines;

static const char *const  timers[] = {
    [LUN_LUA_PENDING] = "pending",
    [LUN_LUA_RUNNING] = "running",
    NULL
};

/* What scripts call; the last is all else. */
static const char *const  waits[] = {
    "sleep", "connect", "receive", "send", "handshake", "semaphore",
    "subrequest", "thread", "body", "flush", "pipe", "worker_thread", "other",
    NULL
};

static const struct {
    const char  *what;
    uint8_t      wait;             /* number of waits[] */
} names[] = {
    { "ngx.sleep", 0 }, { "tcpsock:connect", 1 }, { "udpsock:setpeername", 1 },
    { "tcpsock:receive", 2 }, { "udpsock:receive", 2 }, { "reqsock:peek", 2 },
    { "tcpsock:send", 3 }, { "tcpsock:sslhandshake", 4 },
    { "serversslhandshake", 4 }, { "semaphore:wait", 5 },
    { "ngx.location.capture", 6 }, { "ngx.thread.wait", 7 },
    { "ngx.req.read_body", 8 }, { "ngx.flush", 9 }, { "ngx.pipe", 10 },
    { "ngx.run_worker_thread", 11 }
};

static const lun_metric  metrics[] = {
    { .name = "lua_memory", .unit = "bytes", .kind = LUN_GAUGE,
      .at = &memory_at,
      .help = "Memory of the machines of scripts, by their own count" },
    { .name = "lua_machines", .kind = LUN_GAUGE, .at = &machines_at,
      .help = "Machines of scripts: more than one of a worker serve old "
              "generations of code" },
    { .name = "lua_timers", .kind = LUN_GAUGE, .at = &lun_lua_timers_at,
      .choice = "state", .values = timers,
      .help = "Timers of scripts" },
    { .name = "lua_waiting", .kind = LUN_GAUGE, .at = &waits_at,
      .choice = "for", .values = waits,
      .help = "Coroutines of scripts that wait, by what they wait for" },
    { 0 }
};


/* Texts are constants: each is compared once, and known by its address then. */
uint32_t
lun_lua_waits_at(const char *what)
{
    size_t                     i;
    const uintptr_t            key = (uintptr_t) what / 8 % KNOWN;
    static const char         *known[KNOWN];
    static uint8_t             numbers[KNOWN];

    if (known[key] != what) {
        numbers[key] = LUN_ARRAY_LEN(waits) - 2;

        for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
            if (strcmp(names[i].what, what) == 0) {
                numbers[key] = names[i].wait;
            }
        }

        known[key] = what;
    }

    return waits_at + numbers[key];
}


void
lun_lua_measure(lun_vm *vm)
{
    uint64_t  now = (uint64_t) lua_gc(vm->L, LUA_GCCOUNT, 0) * 1024;

    machines += vm->memory == 0;
    memory += now - vm->memory;
    vm->memory = now;
    lun_metric_set_to(memory_at, memory);
    lun_metric_set_to(machines_at, machines);
}


void
lun_lua_measure_end(lun_vm *vm)
{
    machines -= vm->memory != 0;
    memory -= vm->memory;
    vm->memory = 0;
    lun_metric_set_to(memory_at, memory);
    lun_metric_set_to(machines_at, machines);
}


/* --- the tree ------------------------------------------------------------ */

static void
write_worker(lun_status_walk *w, const lun_metric_process *p)
{
    size_t    i;
    int64_t   n, all = 0;

    for (i = 0; waits[i] != NULL; i++) {
        all += (int64_t) p->cells[waits_at + i];
    }

    if (lun_status_open(w, LUN_STR("lua"))) {
        lun_status_number(w, "memory", (int64_t) p->cells[memory_at]);
        lun_status_number(w, "machines", (int64_t) p->cells[machines_at]);
        n = (int64_t) p->cells[lun_lua_timers_at + LUN_LUA_PENDING];
        lun_status_number(w, "timers", n);
        n = (int64_t) p->cells[lun_lua_timers_at + LUN_LUA_RUNNING];
        lun_status_number(w, "timers_running", n);
        lun_status_number(w, "waiting", all);
        lun_status_close(w);
    }

    if (!lun_status_open(w, LUN_STR("waits"))) {
        return;
    }

    for (i = 0; waits[i] != NULL; i++) {
        lun_status_number(w, waits[i], (int64_t) p->cells[waits_at + i]);
    }

    lun_status_close(w);
}


void
lun_lua_want_metrics(lun_generation *gen)
{
    lun_metric_declare(gen->metrics, metrics);
    lun_status_add_worker(gen, write_worker);
}
