/*
 * limit_conn.c -- how many connections at a time, by a key.
 *
 *     limit_conn_zone $binary_remote_addr zone=perip:10m;
 *     limit_conn perip 10;
 *
 * A connection counts from the moment its request's header has been read
 * until the request ends; one of TCP from its begin to its end.  Each worker
 * counts in a record of its own, and the sum is what is limited: when a worker
 * dies, the master removes its records, and with them what it had counted.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/limit_zone.h"

#include "os/lock.h"


enum { ZONE_LEAST = 32 * 1024, LIMIT_MOST = 65535 };

typedef struct {
    lun_zone    *zone;
    uint64_t     most;
} limit;

typedef struct {
    lun_array   *limits;           /* of limit */
    int64_t      status;
    int          level;
    bool         dry_run;
} limit_conf;

/* What a request has counted: taken back when it ends. */
typedef struct {
    lun_shm_table   *table;
    lun_shm_record  *record;       /* NULL: it has been */
} hold;

extern lun_module  lun_common_limit_conn;

static const lun_metric  metrics[] = {
    { .name = "limit_connections", LUN_LIMIT_CHOICE,
      .help = "Decisions of limit_conn, by zone" },
    { 0 }
};


/* --- the zone ------------------------------------------------------------ */

static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    lun_shm_table   *l = lun_shm_table_of(zone);
    lun_shm_record  *e, *next;

    lun_shm_table_seize(l, pid);
    lun_shm_table_lock(l);

    for (e = lun_shm_table_oldest(l); e != NULL; e = next) {
        next = lun_shm_table_newer(l, e);

        if (lun_lock_pid_of(e->stamp) == pid) {
            lun_shm_table_remove(l, e);
        }
    }

    lun_shm_table_unlock(l);
}


static const lun_zone_kind  kind = {
    .name = "limit_conn_zone",
    .min_size = ZONE_LEAST,
    .init = lun_shm_table_init,
    .room = lun_shm_table_room,
    .mend = mend_zone,
};


/* The key's connections in all workers, and this one's record. */
static uint64_t
count(lun_shm_table *l, lun_str key, lun_shm_record **mine)
{
    uint64_t         n = 0;
    lun_shm_record  *e = NULL;

    *mine = NULL;

    while ((e = lun_shm_table_find(l, key, e)) != NULL) {
        n += e->value;

        if (e->stamp == lun_lock_self()) {
            *mine = e;
        }
    }

    return n;
}


static void
let_go(void *data)
{
    hold  *h = data;

    if (h->record == NULL) {
        return;
    }

    lun_shm_table_lock(h->table);

    if (h->record->value > 1) {
        h->record->value--;
    } else {
        lun_shm_table_remove(h->table, h->record);
    }

    lun_shm_table_unlock(h->table);
    h->record = NULL;
}


typedef enum { COUNTED, TOO_MANY, NO_ROOM } answer;

static answer
take(const limit *one, lun_str key, hold *h)
{
    answer          a = COUNTED;
    lun_shm_table  *l = lun_shm_table_of(one->zone);

    h->table = l;
    lun_shm_table_lock(l);

    if (count(l, key, &h->record) >= one->most) {
        h->record = NULL;
        a = TOO_MANY;

    } else if (h->record != NULL) {
        h->record->value++;

    } else {
        h->record = lun_shm_table_add(l, key, lun_lock_self(), 1);
        a = h->record != NULL ? COUNTED : NO_ROOM;
    }

    lun_shm_table_unlock(l);
    return a;
}


/* --- a request ----------------------------------------------------------- */

static lun_verdict
refuse(lun_session *s, const limit_conf *conf, answer a, const lun_zone *zone)
{
    lun_limit_count(zone, a == NO_ROOM ? LUN_LIMIT_EXHAUSTED
                          : conf->dry_run ? LUN_LIMIT_REJECTED_DRY_RUN
                                          : LUN_LIMIT_REJECTED);

    if (a == TOO_MANY) {
        lun_log((lun_log_level) conf->level, s->log, 0, "limiting connections"
                "%s by zone \"%.*s\"", conf->dry_run ? ", dry run," : "",
                LUN_S(zone->name));
    } else {
        lun_log(LUN_LOG_CRIT, s->log, 0, "no memory in limit_conn_zone "
                "\"%.*s\"", LUN_S(zone->name));
    }

    if (conf->dry_run) {
        s->main->limit_conn = LUN_LIMIT_REJECTED_DRY_RUN;
        return LUN_NEXT;
    }

    s->main->limit_conn = LUN_LIMIT_REJECTED;
    return LUN_STATUS + (unsigned) conf->status;
}


/* Once per request, wherever it goes then. */
static lun_verdict
on_preaccess(lun_session *s)
{
    size_t             i;
    answer             a;
    lun_str            key;
    hold              *h;
    const limit       *one;
    const limit_conf  *conf = lun_session_conf(s, &lun_common_limit_conn);

    if (conf->limits == NULL || s->main->limit_conn != 0) {
        return LUN_NEXT;
    }

    h = lun_pool_new_n(s->pool, hold, conf->limits->count);

    for (i = 0; i < conf->limits->count; i++) {
        one = lun_array_at(conf->limits, i);

        if (!lun_limit_key(s, lun_limit_zone_of(one->zone), &key)) {
            lun_limit_count(one->zone, LUN_LIMIT_SKIPPED);
            continue;
        }

        s->main->limit_conn = LUN_LIMIT_PASSED;
        a = take(one, key, &h[i]);

        if (a != COUNTED) {
            while (i-- > 0) {
                let_go(&h[i]);
            }

            return refuse(s, conf, a, one->zone);
        }

        lun_limit_count(one->zone, LUN_LIMIT_PASSED);

        lun_pool_on_end(s->pool, let_go, &h[i]);
    }

    return LUN_NEXT;
}


static void
get_status(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_limit_put_status(v, s->main->limit_conn);
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("limit_conn_status"), .get = get_status,
      .flags = LUN_VAR_VOLATILE,
      .help = "PASSED, REJECTED, ..." },
    { .name = LUN_STR_NULL }
};


/* --- directives ---------------------------------------------------------- */

static lun_rc
set_zone(lun_conf *cf, const lun_directive *d, void *data)
{
    return lun_limit_declare(cf, &kind, NULL, metrics);
}


/*
 * A connection holds one entry per zone: the same zone twice would count it
 * twice.
 */
static lun_rc
set_limit(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t       i;
    limit       *one;
    int64_t      n;
    lun_zone    *zone = lun_limit_refer(cf, &kind, cf->args[1]);
    limit_conf  *conf = data;

    if (zone == NULL) {
        return LUN_ERROR;
    }

    if (conf->limits == NULL) {
        conf->limits = lun_array_new(cf->pool, sizeof(limit), 1);
    }

    for (i = 0; i < conf->limits->count; i++) {
        one = lun_array_at(conf->limits, i);

        if (one->zone == zone) {
            return lun_conf_fail(cf, "\"limit_conn\" directive is duplicate");
        }
    }

    if (lun_str_to_i64(cf->args[2], &n) != LUN_OK || n <= 0) {
        return lun_conf_fail(cf, "invalid number of connections \"%.*s\"",
                             LUN_S(cf->args[2]));
    }

    if (n > LIMIT_MOST) {
        return lun_conf_fail(cf, "connection limit must be less 65536");
    }

    one = lun_array_push(conf->limits);
    one->zone = zone;
    one->most = (uint64_t) n;

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "limit_conn_zone", .where = LUN_ANY_PROTOCOL, .args = 2,
      .repeats = true, .set = set_zone,
      .values = "key zone=name:size",
      .help = "the key, and the zone that counts" },
    { .name = "limit_conn", .where = LUN_ANY_LEVELS, .args = 2,
      .repeats = true, .set = set_limit, LUN_FIELD(limit_conf, limits),
      .values = "zone number",
      .help = "how many connections one key may have" },
    { .name = "limit_conn_log_level", .where = LUN_ANY_LEVELS, .args = 1,
      .set = lun_set_enum, LUN_FIELD(limit_conf, level),
      .data = lun_limit_levels, .fallback = "error",
      .help = "the level of its log lines" },
    { .name = "limit_conn_status", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_limit_set_status, LUN_FIELD(limit_conf, status),
      .fallback = "503",
      .values = "code",
      .help = "the status of who is refused" },
    { .name = "limit_conn_dry_run", .where = LUN_ANY_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(limit_conf, dry_run),
      .fallback = "off",
      .help = "counts, and refuses nobody" },
    { 0 }
};

lun_module  lun_common_limit_conn = {
    .name = "limit_conn",
    .directives = directives,
    .conf_size = sizeof(limit_conf),
    .variables = variables,
    .metrics = metrics,
    .on[LUN_PREACCESS] = on_preaccess,
};
