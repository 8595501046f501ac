/*
 * upstream_time.c -- averages of times, and what they say of a server.
 *
 * A new time counts a quarter.  An average that is older than fail_timeout
 * becomes smaller with each moment, until the server is tried once more: a
 * slow one may have become fast, and nobody would know.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/upstream_time.h"

#include "os/clock.h"
#include "session/engine.h"
#include "session/upstream/tries.h"


enum {
    PARTS = 16,                    /* of a ms: what an average counts */
    SHARE = 4,
    UNIT = 4,                      /* ms; what is closer together is chance */
    MOST = 1000 * 1000 * 1000      /* ms */
};


bool
lun_time_read(const lun_conf *cf, lun_str word, lun_time_kind *kind)
{
    size_t  i;
    bool    http = cf->engine->protocol->level == LUN_HTTP;

    static const struct {
        lun_str        word;
        lun_time_kind  kind;
        bool           http, stream;
    } words[] = {
        { LUN_STR_INIT("header"), LUN_TIME_HEADER, true, false },
        { LUN_STR_INIT("last_byte"), LUN_TIME_LAST_BYTE, true, true },
        { LUN_STR_INIT("connect"), LUN_TIME_CONNECT, false, true },
        { LUN_STR_INIT("first_byte"), LUN_TIME_HEADER, false, true },
    };

    for (i = 0; i < LUN_ARRAY_LEN(words); i++) {
        if ((http ? words[i].http : words[i].stream)
            && lun_str_eq(word, words[i].word))
        {
            *kind = words[i].kind;
            return true;
        }
    }

    return false;
}


/*
 * -1: it did not come so far.  A try that its client has left, or that was not
 * begun, has an end as well, but no last byte.
 */
static int64_t
time_of(const lun_upstream_try *t, lun_time_kind kind)
{
    switch (kind) {

    case LUN_TIME_CONNECT:
        return t->connect_time;
    case LUN_TIME_HEADER:
        return t->header_time;
    case LUN_TIME_LAST_BYTE:
        return t->header_time < 0 ? -1 : t->response_time;
    }

    return -1;
}


void
lun_time_put(lun_session *s, lun_balance *b, const lun_time_conf *conf,
    unsigned outcome)
{
    int64_t                  ms = -1;
    const lun_rr            *rr = b->data;
    lun_upstream_state      *state = rr->peer->state;
    const lun_upstream_try  *t = lun_upstream_last_try(s);

    if (t != NULL && !(outcome & LUN_BALANCE_FAILED)) {
        ms = lun_min(time_of(t, conf->kind), (int64_t) MOST);
    }

    /* One that fails at once is not fast. */
    if (ms >= 0) {
        state->average = state->measured == 0 ? ms * PARTS
            : state->average + (ms * PARTS - state->average) / SHARE;
        state->measured = (int64_t) lun_max(lun_clock.mono, 1U);
    }

    lun_rr_put(s, b, outcome);
}


static int64_t
average_now(const lun_upstream_server *p, bool inflight)
{
    int64_t                    ms, old, now = (int64_t) lun_clock.mono;
    const lun_upstream_state  *state = p->state;

    ms = state->average / PARTS;
    old = now - state->measured - p->fail_timeout * 1000;

    if (old > 0) {
        ms = lun_max(ms - old, 0);
    }

    if (inflight && state->conns > 0) {
        ms = lun_max(ms, now - state->begun / state->conns);
    }

    return ms;
}


/* Its time, in units, for each of those that it would have in hand. */
static double
score_of(const lun_upstream_server *p, const lun_time_conf *conf)
{
    return (double) (average_now(p, conf->inflight) / UNIT + 1)
           * (double) (p->state->conns + 1) / (double) p->weight;
}


int
lun_time_compare(const lun_upstream_server *a, const lun_upstream_server *b,
    const void *data)
{
    double  x = score_of(a, data), y = score_of(b, data);

    return (x > y) - (x < y);
}
