/*
 * dump.c -- every connection's state, age, and what it waits for.
 *
 * The words are those of the tables of states, and the lines' contexts: who
 * the client is, what it asked for, and which server is asked for it.  What
 * else a connection works for its state's on_dump tells.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/dump.h"

#include "net/conn.h"
#include "net/datagram.h"
#include "net/errand.h"
#include "os/proc.h"
#include "run/generation.h"
#include "session/engine.h"
#include "session/store_conf.h"


enum { ROOM = 512 };

/* "1.234" */
#define SECONDS  "%" PRIu64 ".%03u"
#define S(ms)  (uint64_t) (ms) / 1000, (unsigned) ((uint64_t) (ms) % 1000)


static void
dump_all(const lun_loop *loop, const lun_log *log)
{
    char                          text[ROOM], *p = text;
    const lun_protocol *const    *protocol;
    const lun_datagram_counters  *d = lun_datagram_count(loop);

    p = lun_fmt(p, text + ROOM, "%zu connections, %zu idle, %zu busy",
                lun_conn_open_count(loop), lun_conn_idle_count(loop),
                lun_conn_busy_count(loop));

    for (protocol = lun_generation_floors()->protocols;
         protocol != NULL && *protocol != NULL; protocol++)
    {
        p = lun_fmt(p, text + ROOM, ", %s: %zu", (*protocol)->session_name,
                    (*protocol)->active());
    }

    lun_log(LUN_LOG_NOTICE, log, 0, "dump: %.*s, %zu timers, datagrams: "
            "%zu sessions, %zu bytes wait, %" PRIu64 " dropped",
            (int) (p - text), text, lun_timer_count(loop), d->sessions,
            d->waiting, d->dropped);
}


static const char *
what_for(const lun_conn *c)
{
    bool  reading = lun_conn_reading(c), writing = lun_conn_writing(c);

    return reading && writing ? "input and output"
           : reading ? "input" : writing ? "output" : "nothing of its peer";
}


static void
dump_conn(lun_conn *c, void *data)
{
    char     text[64], *p = text;
    lun_log  log = c->log;

    log.forced = true;
    log.level = LUN_LOG_NOTICE;

    if (lun_timer_runs(&c->timer)) {
        p = lun_fmt(p, text + sizeof(text), ", for another " SECONDS " s",
                    S(c->timer.deadline > lun_clock.mono
                      ? c->timer.deadline - lun_clock.mono : 0));
    }

    lun_log(LUN_LOG_NOTICE, &log, 0, "dump: \"%s\" waits for %s%.*s; "
            "age " SECONDS " s, requests %" PRIu64 ", received %" PRId64
            ", sent %" PRId64 "%s%s",
            c->state != NULL && c->state->name != NULL ? c->state->name : "",
            what_for(c), (int) (p - text), text,
            S(lun_clock.mono - c->start_time), c->requests, c->received,
            c->sent, c->idle ? ", idle" : "", c->pooled ? ", pooled" : "");

    if (c->state != NULL && c->state->on_dump != NULL) {
        c->state->on_dump(c);
    }
}


/* Each worker says what it does for all, and the first what nobody does. */
static void
dump_duty(const lun_duty *d, uint64_t owner, void *data)
{
    const lun_log  *log = data;

    if (d->mine) {
        lun_log(LUN_LOG_NOTICE, log, 0, "dump: duty \"%s %.*s\" is this "
                "worker's", d->kind->name, LUN_S(d->object));

    } else if (owner == 0 && lun_self.number == 0) {
        lun_log(LUN_LOG_NOTICE, log, 0, "dump: duty \"%s %.*s\" is nobody's",
                d->kind->name, LUN_S(d->object));
    }
}


void
lun_dump(const lun_generation *gen)
{
    size_t            i;
    lun_log           log = gen->log;
    const lun_store  *store;

    log.forced = true;
    log.level = LUN_LOG_NOTICE;

    dump_all(gen->loop, &log);
    lun_duty_each(gen->duties, dump_duty, &log);
    lun_conn_each(gen->loop, dump_conn, NULL);
    lun_errand_dump(gen->loop);

    for (i = 0; (store = lun_store_at(gen, i)) != NULL; i++) {
        lun_store_dump(store, &log);
    }

    if (lun_generation_floors()->dump != NULL) {
        lun_generation_floors()->dump(gen);
    }
}
