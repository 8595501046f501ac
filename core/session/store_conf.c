/*
 * store_conf.c -- store NAME URL ... { }.
 *
 *     store cluster rediss://redis-1.example redis://10.0.0.2 {
 *         user          lunette;
 *         password_file redis.password;
 *     }
 *
 * Stores are the generation's: they may stand in the main block, or in one of
 * a protocol, and be spoken of in any.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/store_conf.h"

#include "config/status.h"
#include "os/sock.h"
#include "session/levels.h"
#include "session/tls_conf.h"
#include "store/store_fetch.h"


/* What stands in the block, and who has spoken of it first. */
typedef struct {
    lun_store      store;
    bool           declared;
    lun_str        file;
    unsigned       line;
    lun_tls_file   certificate, key, trusted;
} store_entry;

typedef struct {
    lun_array  stores;             /* of store_entry * */
} stores_conf;

static lun_conf_part  part;


/* --- by name ------------------------------------------------------------- */

static stores_conf *
stores_of(const lun_generation *gen)
{
    return gen->top->confs[part.index];
}


static store_entry *
find_entry(const stores_conf *all, lun_str name)
{
    size_t        i;
    store_entry  *e;

    for (i = 0; all != NULL && i < all->stores.count; i++) {
        e = *(store_entry **) lun_array_at(&all->stores, i);

        if (lun_str_eq(e->store.name, name)) {
            return e;
        }
    }

    return NULL;
}


static void
end_store(void *data)
{
    lun_store_fetch_end(data);
}


static store_entry *
entry_of(lun_conf *cf, lun_str name)
{
    enum { SECOND = 1000, LOG = 10000, VALUE = 64 * 1024 * 1024 };

    store_entry  *e;
    stores_conf  *all = lun_block_conf(cf, cf->gen->top, &part);

    if (all->stores.pool == NULL) {
        lun_array_init(&all->stores, cf->pool, sizeof(store_entry *), 2);
    }

    e = find_entry(all, name);

    if (e != NULL) {
        return e;
    }

    e = lun_pool_new(cf->pool, store_entry);
    e->file = cf->file;
    e->line = cf->line;
    e->store = (lun_store) {
        .name = name, .prefix = LUN_STR("lunette:"), .interval = SECOND / 10,
        .connect_timeout = SECOND, .read_timeout = 5 * SECOND,
        .log_length = LOG, .value_most = VALUE, .verify = true
    };
    lun_array_init(&e->store.urls, cf->pool, sizeof(lun_store_url), 1);
    lun_array_init(&e->store.zones, cf->pool, sizeof(lun_store_zone *), 2);
    *(store_entry **) lun_array_push(&all->stores) = e;
    lun_pool_on_end(cf->pool, end_store, &e->store);
    return e;
}


lun_store *
lun_store_refer(lun_conf *cf, lun_str name)
{
    return &entry_of(cf, name)->store;
}


lun_store *
lun_store_at(const lun_generation *gen, size_t i)
{
    const stores_conf  *all = stores_of(gen);

    return all != NULL && i < all->stores.count
           ? &(*(store_entry **) lun_array_at(&all->stores, i))->store : NULL;
}


/* Everything is read. */
static lun_rc
check_all(lun_conf *cf, const void *parent, void *conf)
{
    size_t              i;
    const stores_conf  *all = conf;
    store_entry        *e;

    for (i = 0; i < all->stores.count; i++) {
        e = *(store_entry **) lun_array_at(&all->stores, i);

        if (!e->declared) {
            return lun_conf_fail_at(cf, e->file, e->line,
                                    "unknown store \"%.*s\"",
                                    LUN_S(e->store.name));
        }

        lun_store_settle(cf->pool, &e->store);
    }

    return LUN_OK;
}


/* --- the tree, and metrics ----------------------------------------------- */

static const lun_feed_number  counted[] = {
    LUN_FEED_SENT, LUN_FEED_HEARD, LUN_FEED_OLDER
};

static const char *const  counted_names[] = {
    "sent", "heard", "older", "dropped", NULL
};


static void
write_store_zone(lun_status_walk *w, const lun_store_zone *z)
{
    size_t                  i;
    const lun_shdict       *d = lun_shdict_of(z->zone);
    lun_shdict_feed_state   feed;

    if (!lun_status_open(w, z->zone->name)) {
        return;
    }

    lun_shdict_feed_look(d, &feed);

    for (i = 0; i < LUN_ARRAY_LEN(counted); i++) {
        lun_status_number(w, counted_names[i],
                          (int64_t) lun_shdict_feed_number(d, counted[i]));
    }

    lun_status_number(w, "dropped", (int64_t) feed.dropped);
    lun_status_number(w, "compared", (int64_t)
                      lun_shdict_feed_number(d, LUN_FEED_COMPARED));
    lun_status_number(w, "waiting", (int64_t) (feed.end - feed.first));
    lun_status_number(w, "lag", (int64_t)
                      lun_shdict_feed_number(d, LUN_FEED_LAG));
    lun_status_close(w);
}


static bool
write_store(lun_status_walk *w, void *data, uint32_t *cursor)
{
    size_t                   i;
    const lun_store         *s = data;
    const lun_store_shared  *shared = lun_store_shared_of(s);

    if (!lun_status_open(w, s->name)) {
        return false;
    }

    lun_status_text(w, LUN_STR("state"),
                    lun_str_z(lun_store_states[atomic_load(&shared->state)]));
    lun_status_time(w, "since", atomic_load(&shared->since) * 1000);
    lun_status_text(w, LUN_STR("node"), s->node);
    lun_status_number(w, "connects", (int64_t) atomic_load(&shared->connects));
    lun_status_number(w, "failures", (int64_t) atomic_load(&shared->failures));

    if (lun_status_open(w, LUN_STR("zones"))) {
        for (i = 0; i < s->zones.count; i++) {
            write_store_zone(w, *(lun_store_zone **)
                             lun_array_at(&s->zones, i));
        }

        lun_status_close(w);
    }

    lun_status_close(w);
    return false;
}


static bool
is_synced(const lun_zone *zone)
{
    return (zone->kind == &lun_shdict_synced_kind
            || zone->kind == &lun_shdict_synced_keyval_kind)
           && zone->shm.addr != NULL;
}


enum { CHANGES, WAITING, LAG };

static void
look_at_zone(const lun_metric_looking *l, const lun_zone *zone, unsigned what)
{
    unsigned                i;
    const lun_shdict       *d = lun_shdict_of(zone);
    lun_shdict_feed_state   feed;

    lun_shdict_feed_look(d, &feed);

    switch (what) {

    case CHANGES:
        for (i = 0; i < LUN_ARRAY_LEN(counted); i++) {
            l->found(l->to, &zone->name, i,
                     lun_shdict_feed_number(d, counted[i]));
        }

        l->found(l->to, &zone->name, i, feed.dropped);
        return;

    case WAITING:
        l->found(l->to, &zone->name, 0, feed.end - feed.first);
        return;

    default:
        l->found(l->to, &zone->name, 0,
                 lun_shdict_feed_number(d, LUN_FEED_LAG));
    }
}


static bool
look_at_zones(const lun_metric_looking *l, unsigned what)
{
    size_t               i;
    const lun_zone_set  *zones = lun_metric_zones(l->set);

    for (i = 0; i < lun_zone_count(zones); i++) {
        if (is_synced(lun_zone_at(zones, i))) {
            look_at_zone(l, lun_zone_at(zones, i), what);
        }
    }

    return false;
}


static bool
look_at_changes(const lun_metric_looking *l, uint32_t *cursor)
{
    return look_at_zones(l, CHANGES);
}


static bool
look_at_waiting(const lun_metric_looking *l, uint32_t *cursor)
{
    return look_at_zones(l, WAITING);
}


static bool
look_at_lag(const lun_metric_looking *l, uint32_t *cursor)
{
    return look_at_zones(l, LAG);
}


static bool
look_at_stores(const lun_metric_looking *l, uint32_t *cursor)
{
    lun_str                  name;
    size_t                   i;
    const lun_zone          *zone;
    const lun_zone_set      *zones = lun_metric_zones(l->set);
    const lun_store_shared  *shared;

    for (i = 0; i < lun_zone_count(zones); i++) {
        zone = lun_zone_at(zones, i);

        if (zone->kind == &lun_store_zone_kind && zone->shm.addr != NULL
            && lun_str_after(zone->name, LUN_STR("store:"), &name))
        {
            shared = zone->shm.addr;
            l->found(l->to, &name, 0,
                     atomic_load(&shared->state) == LUN_STORE_UP);
        }
    }

    return false;
}


const lun_metric  lun_store_metrics[] = {
    { .name = "store_up", .kind = LUN_GAUGE, .labels = "store",
      .look = look_at_stores,
      .help = "Whether a store is there, and we know all that it knows" },
    { .name = "store_changes", .kind = LUN_COUNTER, .labels = "zone",
      .choice = "fate", .values = counted_names, .look = look_at_changes,
      .help = "Changes of synced zones: told to the store, heard of others, "
              "of those not the last of their key, dropped here while the "
              "store was away" },
    { .name = "store_waiting", .unit = "bytes", .kind = LUN_GAUGE,
      .labels = "zone", .look = look_at_waiting,
      .help = "Changes of synced zones that the store has not been told" },
    { .name = "store_lag", .unit = "seconds", .scale = 1000,
      .kind = LUN_GAUGE, .labels = "zone", .look = look_at_lag,
      .help = "Age of the last change of another machine, when it came" },
    { 0 }
};


/* --- what stands in the block -------------------------------------------- */

static store_entry *
entry_at(lun_conf *cf)
{
    return cf->block->owner;
}


static lun_rc
set_user(lun_conf *cf, const lun_directive *d, void *conf)
{
    entry_at(cf)->store.user = cf->args[1];
    return LUN_OK;
}


static lun_rc
set_password(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_err  err;
    lun_str  path = lun_conf_path(cf, cf->args[1], true), text;

    err = lun_conf_asset(cf, path, &text);

    if (err != 0) {
        return lun_conf_fail_err(cf, err, "cannot load \"%.*s\"", LUN_S(path));
    }

    text = lun_str_trim(text);

    if (text.len == 0) {
        return lun_conf_fail(cf, "there is no password in \"%.*s\"",
                             LUN_S(path));
    }

    entry_at(cf)->store.password = text;
    return LUN_OK;
}


/* Names that become parts of keys, and words of a log. */
static bool
is_name(lun_str text, size_t most)
{
    size_t  i;

    for (i = 0; i < text.len; i++) {
        if ((unsigned char) text.data[i] <= ' ' || text.data[i] == '{'
            || text.data[i] == '}')
        {
            return false;
        }
    }

    return text.len <= most;
}


enum { NAME_MOST = 200 };

static lun_rc
set_prefix(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (!is_name(cf->args[1], NAME_MOST)) {
        return lun_conf_bad_value(cf);
    }

    entry_at(cf)->store.prefix = cf->args[1];
    return LUN_OK;
}


static lun_rc
set_node(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (cf->args[1].len == 0 || !is_name(cf->args[1], NAME_MOST)) {
        return lun_conf_bad_value(cf);
    }

    entry_at(cf)->store.node = cf->args[1];
    return LUN_OK;
}


/* .data: where in a lun_store. */
static lun_rc
set_time(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_msec  ms;

    if (lun_str_to_msec(cf->args[1], &ms) != LUN_OK || ms == 0) {
        return lun_conf_bad_value(cf);
    }

    *(lun_msec *) (void *) ((char *) &entry_at(cf)->store
                            + (size_t) (uintptr_t) d->data) = ms;
    return LUN_OK;
}


static lun_rc
set_log_length(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t  n;

    if (lun_str_to_i64(cf->args[1], &n) != LUN_OK || n < 1) {
        return lun_conf_bad_value(cf);
    }

    entry_at(cf)->store.log_length = n;
    return LUN_OK;
}


/* .data: where in a store_entry. */
static lun_rc
set_file(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_tls_file  *file = (lun_tls_file *) (void *) ((char *) entry_at(cf)
                              + (size_t) (uintptr_t) d->data);

    *file = lun_tls_load(cf, cf->args[1]);

    return file->text.data != NULL ? LUN_OK
           : lun_conf_fail(cf, "cannot load \"%.*s\"",
                           LUN_S(lun_tls_loggable(file->name)));
}


static lun_rc
set_verify(lun_conf *cf, const lun_directive *d, void *conf)
{
    bool  on = lun_str_eq(cf->args[1], LUN_STR("on"));

    if (!on && !lun_str_eq(cf->args[1], LUN_STR("off"))) {
        return lun_conf_bad_value(cf);
    }

    entry_at(cf)->store.verify = on;
    return LUN_OK;
}


static lun_rc
set_tls_name(lun_conf *cf, const lun_directive *d, void *conf)
{
    entry_at(cf)->store.tls_name = cf->args[1];
    return LUN_OK;
}


/* --- store --------------------------------------------------------------- */

/* What rediss needs. */
static lun_rc
make_tls(lun_conf *cf, store_entry *e)
{
    lun_log   log = *cf->log;
    SSL_CTX  *ctx;

    ctx = lun_tls_ctx_new(cf->pool, &log, LUN_TLS_1_2 | LUN_TLS_1_3);

    if (ctx == NULL
        || (e->store.verify
            && (e->trusted.text.data != NULL
                ? lun_tls_ctx_trust(ctx, &log, &e->trusted, false)
                : lun_tls_ctx_trust_system(ctx, &log)) != LUN_OK))
    {
        return LUN_ERROR;
    }

    if ((e->certificate.text.data == NULL) != (e->key.text.data == NULL)) {
        return lun_conf_fail(cf, "store: \"ssl_certificate\" and "
                             "\"ssl_certificate_key\" need each other");
    }

    if (e->certificate.text.data != NULL
        && lun_tls_ctx_certificate(ctx, &log, &e->certificate, &e->key, NULL)
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    e->store.ctx = ctx;
    return LUN_OK;
}


static lun_rc
read_urls(lun_conf *cf, store_entry *e, bool *secure)
{
    size_t          i;
    const char     *wrong;
    lun_store_url  *url;

    for (i = 2; i < cf->argc; i++) {
        url = lun_array_push(&e->store.urls);
        wrong = lun_store_url_parse(cf->pool, cf->args[i], url);

        if (wrong != NULL) {
            return lun_conf_fail(cf, "invalid URL \"%.*s\" in \"store\": %s",
                                 LUN_S(cf->args[i]), wrong);
        }

        *secure |= url->secure;
    }

    return LUN_OK;
}


static lun_rc
set_store(lun_conf *cf, const lun_directive *d, void *conf)
{
    bool          secure = false;
    char          host[256];
    lun_str       name = cf->args[1];
    lun_block    *block;
    const char   *why;
    store_entry  *e;

    if (name.len == 0 || !is_name(name, NAME_MOST)) {
        return lun_conf_fail(cf, "invalid name \"%.*s\" of a store",
                             LUN_S(name));
    }

    e = entry_of(cf, name);

    if (e->declared) {
        return lun_conf_fail(cf, "duplicate store \"%.*s\"", LUN_S(name));
    }

    e->declared = true;

    if (read_urls(cf, e, &secure) != LUN_OK
        || lun_conf_read_block(cf, LUN_STORE, e, &block) != LUN_OK
        || (secure && make_tls(cf, e) != LUN_OK))
    {
        return LUN_ERROR;
    }

    if (e->store.node.len == 0) {
        lun_sock_host_name(host, sizeof(host));
        e->store.node = lun_pool_str(cf->pool, lun_str_z(host));
    }

    e->store.zone = lun_zone_want(cf->gen->zones, lun_pool_fmt(cf->pool,
        "store:%.*s", LUN_S(name)), LUN_STORE_ZONE, &lun_store_zone_kind,
        &why);

    if (e->store.zone == NULL) {
        return lun_conf_fail(cf, "%s", why);
    }

    e->store.duty = lun_duty_add(cf->gen->duties, &lun_store_speaker, name,
                                 &e->store);
    lun_status_add(cf->gen, "status/stores", write_store, &e->store);
    return LUN_OK;
}


#define INNER(name_, values_, set_, data_, help_)                             \
    { .name = name_, .where = LUN_STORE, .args = 1, .set = set_,              \
      .values = values_, .data = (const void *) (uintptr_t) (data_),          \
      .help = help_ }
#define IN_STORE(member)  offsetof(lun_store, member)
#define IN_ENTRY(member)  offsetof(store_entry, member)

static const lun_directive  directives[] = {
    { .name = "store", .where = LUN_MAIN | LUN_ANY_PROTOCOL, .args = 2,
      .args_max = LUN_ARGS_ANY, .block = true, .repeats = true,
      .set = set_store,
      .values = "name URL ...",
      .help = "a Redis or Valkey that has what several machines share" },
    INNER("user", "name", set_user, 0, "whom the store knows us as"),
    INNER("password_file", "file", set_password, 0,
          "a file with the store's password"),
    INNER("prefix", "text", set_prefix, 0,
          "what all keys in the store begin with (lunette:)"),
    INNER("node", "name", set_node, 0,
          "what this machine is called among the others (the host's name)"),
    INNER("interval", "time", set_time, IN_STORE(interval),
          "within what time others hear of a change (100ms)"),
    INNER("connect_timeout", "time", set_time, IN_STORE(connect_timeout),
          "for a connection to the store (1s)"),
    INNER("read_timeout", "time", set_time, IN_STORE(read_timeout),
          "for the store's replies (5s)"),
    INNER("log_length", "number", set_log_length, 0,
          "batches of changes that the store remembers for each zone "
          "(10000)"),
    INNER("ssl_certificate", "file", set_file, IN_ENTRY(certificate),
          "rediss: our certificate"),
    INNER("ssl_certificate_key", "file", set_file, IN_ENTRY(key),
          "rediss: its key"),
    INNER("ssl_trusted_certificate", "file", set_file, IN_ENTRY(trusted),
          "rediss: authorities by which the store is known (the system's)"),
    INNER("ssl_name", "name", set_tls_name, 0,
          "rediss: the name in the store's certificate (the URL's host)"),
    INNER("ssl_verify", "on | off", set_verify, 0,
          "rediss: checks who the store is"),
    { 0 }
};

static lun_conf_part  part = {
    .name = "store",
    .directives = directives,
    .conf_size = sizeof(stores_conf),
    .inherited = check_all
};


void
lun_store_register(lun_schema *schema)
{
    lun_schema_add(schema, &part);
}
