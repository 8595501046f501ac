/*
 * limit_req.c -- how many requests a second, by a key.
 *
 *     limit_req_zone $binary_remote_addr zone=one:10m rate=5r/s;
 *     limit_req zone=one burst=20 delay=8;
 *
 * A leaky bucket: each request adds 1000 to a key's excess, which falls by
 * the zone's rate every second.  What is over the burst is refused; what is
 * over `delay` waits until the excess would have fallen there.
 *
 * All zones of a request are asked before any of them counts it; nothing is
 * held meanwhile, so a worker that dies leaves nothing behind.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/delay.h"
#include "os/clock.h"
#include "session/limit_zone.h"


enum { ZONE_LEAST = 32 * 1024, FORGET_AFTER = 60000 };

typedef struct {
    lun_zone    *zone;
    uint64_t     burst;            /* thousandths, as all below */
    uint64_t     delay;
} limit;

typedef struct {
    lun_array   *limits;           /* of limit */
    int64_t      status;
    int          level;
    bool         dry_run;
} limit_conf;

extern lun_http_module  lun_http_limit_req;

static const lun_metric  metrics[] = {
    { .name = "limit_requests", LUN_LIMIT_CHOICE,
      .help = "Decisions of limit_req, by zone" },
    { 0 }
};


static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    lun_shm_table_seize(lun_shm_table_of(zone), pid);
}


static const lun_zone_kind  kind = {
    .name = "limit_req",
    .min_size = ZONE_LEAST,
    .init = lun_shm_table_init,
    .room = lun_shm_table_room,
    .mend = mend_zone,
};


/* --- the bucket ---------------------------------------------------------- */

/* Workers' clocks may be a moment apart, or an old one is long behind. */
static int64_t
since(const lun_shm_record *e)
{
    int64_t  ms = (int64_t) (lun_clock.mono - e->stamp);

    return ms < -FORGET_AFTER ? 1 : lun_max(ms, 0);
}


static uint64_t
left_of(const lun_shm_record *e, int64_t rate, int64_t ms, uint64_t more)
{
    uint64_t  gone;

    if (ms >= INT64_MAX / rate) {
        return 0;
    }

    gone = (uint64_t) (rate * ms / 1000);
    return e->value + more > gone ? e->value + more - gone : 0;
}


/*
 * Removes one or two records that nothing is left of; the oldest one even if
 * there is (`force`).
 */
static void
expire(lun_shm_table *l, int64_t rate, bool force)
{
    int              n;
    int64_t          ms;
    lun_shm_record  *e;

    for (n = force ? 0 : 1; n < 3; n++) {
        e = lun_shm_table_oldest(l);

        if (e == NULL) {
            return;
        }

        if (n != 0) {
            ms = since(e);

            if (ms < FORGET_AFTER || left_of(e, rate, ms, 0) > 0) {
                return;
            }
        }

        lun_shm_table_remove(l, e);
    }
}


static lun_shm_record *
make(lun_shm_table *l, const lun_limit_zone *z, lun_str key, lun_msec stamp)
{
    lun_shm_record  *e;

    expire(l, z->rate, false);
    e = lun_shm_table_add(l, key, stamp, 0);

    if (e == NULL) {
        expire(l, z->rate, true);
        e = lun_shm_table_add(l, key, stamp, 0);
    }

    return e;
}


typedef enum { NO_KEY, FITS, BUSY, NO_ROOM } answer;

/* One that is only asked about has not begun to count. */
static answer
ask_locked(lun_shm_table *l, const limit *one, lun_str key, bool note,
    uint64_t *excess)
{
    int64_t                ms;
    lun_shm_record        *e = lun_shm_table_find(l, key, NULL);
    const lun_limit_zone  *z = lun_limit_zone_of(one->zone);

    *excess = 0;

    if (e == NULL) {
        e = make(l, z, key, note ? lun_clock.mono : 0);
        return e != NULL ? FITS : NO_ROOM;
    }

    lun_shm_table_touch(l, e);
    ms = since(e);
    *excess = left_of(e, z->rate, ms, 1000);

    if (*excess > one->burst) {
        return BUSY;
    }

    if (note) {
        e->value = *excess;
        e->stamp = ms != 0 ? lun_clock.mono : e->stamp;
    }

    return FITS;
}


/*
 * What the excess is with this request, which is noted only if it fits: who
 * is refused does not count.
 */
static answer
ask(lun_request *r, const limit *one, bool note, uint64_t *excess)
{
    answer          a;
    lun_str         key;
    lun_shm_table  *l = lun_shm_table_of(one->zone);

    if (!lun_limit_key(&r->session, lun_limit_zone_of(one->zone), &key)) {
        return NO_KEY;
    }

    lun_shm_table_lock(l);
    a = ask_locked(l, one, key, note, excess);
    lun_shm_table_unlock(l);

    if (a == NO_ROOM) {
        lun_log(LUN_LOG_ALERT, r->log, 0, "could not allocate node in "
                "limit_req zone \"%.*s\"", LUN_S(one->zone->name));
    }

    return a;
}


/* --- a request ----------------------------------------------------------- */

/* What all zones say, and which of them decides. */
typedef struct {
    answer        answer;
    const limit  *at;
    uint64_t      excess;
    lun_msec      delay;
    uint64_t      fits;            /* which of the limits had a key: bits */
} outcome;


static void
account(outcome *o, const limit *one, uint64_t excess)
{
    lun_msec  delay;

    if (excess <= one->delay) {
        return;
    }

    delay = (excess - one->delay) * 1000
            / (uint64_t) lun_limit_zone_of(one->zone)->rate;

    if (delay > o->delay) {
        o->at = one;
        o->excess = excess;
        o->delay = delay;
    }
}


/* All are asked; when the last one agrees, the others count it as well. */
static outcome
check_limits(lun_request *r, const lun_array *limits)
{
    size_t        i, last = limits->count - 1;
    answer        a;
    outcome       o = { .answer = NO_KEY };
    uint64_t      excess;
    const limit  *one;

    for (i = 0; i <= last; i++) {
        one = lun_array_at(limits, i);
        a = ask(r, one, i == last, &excess);

        if (a == BUSY || a == NO_ROOM) {
            return (outcome) { .answer = a, .at = one, .excess = excess };
        }

        if (a == FITS) {
            o.answer = FITS;
            o.fits |= (uint64_t) 1 << i % 64;

            if (i == last) {
                account(&o, one, excess);
            }
        }
    }

    for (i = 0; i < last; i++) {
        one = lun_array_at(limits, i);

        if (ask(r, one, true, &excess) == FITS) {
            account(&o, one, excess);
        }
    }

    return o;
}


/* All zones have let it pass, but for the one that delays it. */
static void
count_pass(const limit_conf *conf, const outcome *o)
{
    size_t            i;
    const limit      *one;
    lun_limit_status  status;

    for (i = 0; i < conf->limits->count; i++) {
        one = lun_array_at(conf->limits, i);
        status = o->fits >> i % 64 & 1 ? LUN_LIMIT_PASSED : LUN_LIMIT_SKIPPED;

        if (one == o->at) {
            status = conf->dry_run ? LUN_LIMIT_DELAYED_DRY_RUN
                                   : LUN_LIMIT_DELAYED;
        }

        lun_limit_count(one->zone, status);
    }
}


static lun_verdict
refuse(lun_request *r, const limit_conf *conf, const outcome *o)
{
    lun_limit_count(o->at->zone,
                    o->answer == NO_ROOM ? LUN_LIMIT_EXHAUSTED
                    : conf->dry_run ? LUN_LIMIT_REJECTED_DRY_RUN
                                    : LUN_LIMIT_REJECTED);

    if (o->answer == BUSY) {
        lun_log((lun_log_level) conf->level, r->log, 0, "limiting requests"
                "%s, excess: %" PRIu64 ".%03u by zone \"%.*s\"",
                conf->dry_run ? ", dry run" : "", o->excess / 1000,
                (unsigned) (o->excess % 1000), LUN_S(o->at->zone->name));
    }

    if (conf->dry_run) {
        r->main->limit_req = LUN_LIMIT_REJECTED_DRY_RUN;
        return LUN_NEXT;
    }

    r->main->limit_req = LUN_LIMIT_REJECTED;
    return LUN_STATUS + (unsigned) conf->status;
}


static lun_verdict
delay_it(lun_request *r, const limit_conf *conf, const outcome *o)
{
    int  level = conf->level == LUN_LOG_INFO ? conf->level : conf->level + 1;

    lun_log((lun_log_level) level, r->log, 0, "delaying request%s, excess: %"
            PRIu64 ".%03u, by zone \"%.*s\"",
            conf->dry_run ? ", dry run" : "", o->excess / 1000,
            (unsigned) (o->excess % 1000), LUN_S(o->at->zone->name));

    if (conf->dry_run) {
        r->main->limit_req = LUN_LIMIT_DELAYED_DRY_RUN;
        return LUN_NEXT;
    }

    r->main->limit_req = LUN_LIMIT_DELAYED;
    return lun_http_delay(r, o->delay, lun_http_resume);
}


/* Once per request, wherever it goes then. */
static lun_verdict
on_preaccess(lun_session *s)
{
    lun_request       *r = lun_request_of(s);
    outcome            o;
    const limit_conf  *conf = lun_http_conf(r, &lun_http_limit_req);

    if (conf->limits == NULL || r->main->limit_req != 0) {
        return LUN_NEXT;
    }

    o = check_limits(r, conf->limits);

    if (o.answer == BUSY || o.answer == NO_ROOM) {
        return refuse(r, conf, &o);
    }

    count_pass(conf, &o);

    if (o.delay > 0) {
        return delay_it(r, conf, &o);
    }

    r->main->limit_req = o.answer == FITS ? LUN_LIMIT_PASSED : 0;
    return LUN_NEXT;
}


static void
get_status(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_limit_put_status(v, lun_request_of(s)->main->limit_req);
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("limit_req_status"), .get = get_status,
      .flags = LUN_VAR_VOLATILE,
      .help = "PASSED, DELAYED, REJECTED, ..." },
    { .name = LUN_STR_NULL }
};


/* --- directives ---------------------------------------------------------- */

/* "rate=5r/s" */
static lun_rc
read_rate(lun_conf *cf, lun_str word, lun_limit_zone *z)
{
    int64_t  n, scale;
    lun_str  text;

    if (!lun_str_after(word, LUN_STR("rate="), &text)) {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
    }

    scale = lun_str_ends(word, LUN_STR("r/m")) ? 60 : 1;

    if (scale == 60 || lun_str_ends(text, LUN_STR("r/s"))) {
        text.len -= 3;
    }

    if (lun_str_to_i64(text, &n) != LUN_OK || n <= 0 || n > INT32_MAX) {
        return lun_conf_fail(cf, "invalid rate \"%.*s\"", LUN_S(word));
    }

    z->rate = n * 1000 / scale;
    return LUN_OK;
}


static lun_rc
set_zone(lun_conf *cf, const lun_directive *d, void *data)
{
    return lun_limit_declare(cf, &kind, read_rate, metrics);
}


static lun_rc
read_number(lun_conf *cf, const char *name, lun_str text, uint64_t *out)
{
    int64_t  n;

    if (lun_str_to_i64(text, &n) != LUN_OK || n <= 0 || n > INT32_MAX) {
        return lun_conf_fail(cf, "invalid %s value \"%s=%.*s\"", name, name,
                             LUN_S(text));
    }

    *out = (uint64_t) n * 1000;
    return LUN_OK;
}


static lun_rc
read_word(lun_conf *cf, lun_str word, limit *one)
{
    lun_str  value;

    if (lun_str_after(word, LUN_STR("zone="), &value)) {
        one->zone = lun_limit_refer(cf, &kind, value);
        return one->zone != NULL ? LUN_OK : LUN_ERROR;
    }

    if (lun_str_after(word, LUN_STR("burst="), &value)) {
        return read_number(cf, "burst", value, &one->burst);
    }

    if (lun_str_after(word, LUN_STR("delay="), &value)) {
        return read_number(cf, "delay", value, &one->delay);
    }

    if (lun_str_eq(word, LUN_STR("nodelay"))) {
        one->delay = UINT64_MAX;
        return LUN_OK;
    }

    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


static lun_rc
set_limit(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t       i;
    limit        one = { 0 };
    limit_conf  *conf = data;

    for (i = 1; i < cf->argc; i++) {
        if (read_word(cf, cf->args[i], &one) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (one.zone == NULL) {
        return lun_conf_fail(cf, "\"%.*s\" must have \"zone\" parameter",
                             LUN_S(cf->args[0]));
    }

    if (conf->limits == NULL) {
        conf->limits = lun_array_new(cf->pool, sizeof(limit), 1);
    }

    for (i = 0; i < conf->limits->count; i++) {
        if (((limit *) lun_array_at(conf->limits, i))->zone == one.zone) {
            return lun_conf_fail(cf, "\"limit_req\" directive is duplicate");
        }
    }

    *(limit *) lun_array_push(conf->limits) = one;
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "limit_req_zone", .where = LUN_HTTP, .args = 3,
      .repeats = true, .set = set_zone,
      .values = "key zone=name:size rate=rate",
      .help = "the key, the zone that counts, and the rate" },
    { .name = "limit_req", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = 3, .repeats = true, .set = set_limit,
      LUN_FIELD(limit_conf, limits),
      .values = "zone=name [burst=number] [nodelay | delay=number]",
      .help = "how many requests one key may make" },
    { .name = "limit_req_log_level", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_enum, LUN_FIELD(limit_conf, level),
      .data = lun_limit_levels, .fallback = "error",
      .help = "the level of its log lines" },
    { .name = "limit_req_status", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_limit_set_status, LUN_FIELD(limit_conf, status),
      .fallback = "503",
      .values = "code",
      .help = "the status of who is refused" },
    { .name = "limit_req_dry_run", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(limit_conf, dry_run),
      .fallback = "off",
      .help = "counts, and refuses nobody" },
    { 0 }
};

lun_http_module  lun_http_limit_req = {
    .name = "limit_req",
    .directives = directives,
    .conf_size = sizeof(limit_conf),
    .variables = variables,
    .metrics = metrics,
    .on[LUN_PREACCESS] = on_preaccess,
};
