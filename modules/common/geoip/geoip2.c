/*
 * geoip2.c -- variables from a database of MaxMind's, by the names of what is
 * in it.
 *
 *     geoip2 GeoLite2-City.mmdb {
 *         auto_reload 5m;
 *         $city default=none city names en;
 *         $other source=$arg_ip country iso_code;
 *         $built metadata build_epoch;
 *     }
 *
 * The file is in memory; with auto_reload, who asks first after that time has
 * it read again if it has changed.  What it says is copied: a text lives as
 * long as its session, whatever becomes of the file.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/geoip/geoip_priv.h"

#include <inttypes.h>
#include <stdlib.h>

#include "config/hosts.h"
#include "os/cidr.h"
#include "os/clock.h"
#include "os/file.h"
#include "session/engine.h"
#include "session/module.h"


typedef struct {
    lun_array  *proxies;           /* of lun_cidr */
    bool        recursive;
} geoip2_conf;

typedef struct {
    lun_str        path;
    char          *bytes;
    lun_mmdb       mmdb;
    lun_file_info  info;
    int64_t        last_check, last_change;    /* seconds */
    int64_t        interval;       /* 0: it is read once */
} database;

typedef enum { DATA, BUILD_EPOCH, LAST_CHECK, LAST_CHANGE } wanted;

typedef struct {
    database      *db;
    wanted         wanted;
    lun_script    *source;         /* NULL: the client's address */
    lun_str        fallback;
    const lun_str *names;
    size_t         count;
} variable;

extern lun_module  lun_common_geoip2;


/* --- the file ------------------------------------------------------------ */

/* What is there already stays, unless all is well. */
static lun_err
read_database(database *db, const char **why)
{
    char           *bytes;
    size_t          size;
    lun_err         err;
    lun_mmdb        mmdb;
    lun_file_info   info;

    *why = NULL;
    err = lun_file_stat(db->path.data, &info);

    if (err == 0) {
        err = lun_file_slurp(db->path.data, &bytes, &size);
    }

    if (err != 0) {
        return err;
    }

    if (lun_mmdb_init(&mmdb, lun_str_of(bytes, size), why) != LUN_OK) {
        free(bytes);
        return 0;
    }

    free(db->bytes);
    db->bytes = bytes;
    db->mmdb = mmdb;
    db->info = info;
    return 0;
}


static void
free_database(void *data)
{
    database  *db = data;

    free(db->bytes);
    db->bytes = NULL;
}


static bool
has_changed(const database *db, const lun_file_info *now)
{
    return now->size != db->info.size || now->mtime != db->info.mtime
           || now->mtime_ns != db->info.mtime_ns || now->id != db->info.id;
}


/*
 * A new file that can't be read leaves the old one in use: a half-copied
 * database must not take the variables away.
 */
static void
check_again(lun_session *s, database *db)
{
    lun_err         err;
    const char     *why;
    lun_file_info   now;

    if (db->interval == 0 || lun_clock.sec - db->last_check < db->interval) {
        return;
    }

    db->last_check = lun_clock.sec;

    if (lun_file_stat(db->path.data, &now) != 0 || !has_changed(db, &now)) {
        return;
    }

    err = read_database(db, &why);

    if (err != 0 || why != NULL) {
        lun_log(LUN_LOG_ERR, s->log, err, "MMDB_open(\"%.*s\") failed to "
                "reload%s%s", LUN_S(db->path), why != NULL ? ": " : "",
                why != NULL ? why : "");
        return;
    }

    db->last_change = lun_clock.sec;
    lun_log(LUN_LOG_INFO, s->log, 0, "Reload MMDB \"%.*s\"",
            LUN_S(db->path));
}


/* --- variables ----------------------------------------------------------- */

/* False: what should be one is no address. */
static bool
address_of(lun_session *s, const variable *var, lun_addr *addr)
{
    lun_str              text;
    const lun_protocol  *p = s->engine->protocol;
    const geoip2_conf   *conf = lun_session_conf(s, &lun_common_geoip2);

    if (var->source != NULL) {
        text = lun_script_run(s, var->source);

        if (lun_addr_parse(text, addr) != LUN_OK) {
            return false;
        }

    } else {
        *addr = *s->remote;

        if (conf != NULL && conf->proxies != NULL && p->forwarded != NULL) {
            (void) p->forwarded(s, LUN_STR("X-Forwarded-For"), addr,
                                conf->proxies, conf->recursive);
        }
    }

    *addr = lun_addr_unmap(addr);
    return true;
}


static void
get_data(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_addr         addr;
    lun_mmdb_value   at;
    const variable  *var = (const variable *) data;

    check_again(s, var->db);

    if (address_of(s, var, &addr) && lun_mmdb_find(&var->db->mmdb, &addr, &at)
        && lun_mmdb_text(s->pool, at, var->names, var->count, &v->text))
    {
        return;
    }

    v->text = var->fallback;
    v->not_found = var->fallback.len == 0;
}


static void
get_metadata(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_str          name = LUN_STR("build_epoch");
    const variable  *var = (const variable *) data;

    check_again(s, var->db);

    if (var->wanted != BUILD_EPOCH) {
        v->text = lun_pool_fmt(s->pool, "%" PRId64, var->wanted == LAST_CHECK
                               ? var->db->last_check : var->db->last_change);

    } else if (!lun_mmdb_text(s->pool, lun_mmdb_metadata(&var->db->mmdb),
                              &name, 1, &v->text))
    {
        v->not_found = 1;
    }
}


/* --- directives ---------------------------------------------------------- */

static lun_rc
read_metadata(lun_conf *cf, variable *var)
{
    static const struct {
        const char  *name;
        wanted       wanted;
    } all[] = {
        { "build_epoch", BUILD_EPOCH }, { "last_check", LAST_CHECK },
        { "last_change", LAST_CHANGE }
    };

    size_t  i;

    if (cf->argc != 3) {
        return lun_conf_fail(cf, "invalid number of arguments for metadata");
    }

    for (i = 0; i < LUN_ARRAY_LEN(all); i++) {
        if (lun_str_eq(cf->args[2], lun_str_of(all[i].name,
                                               strlen(all[i].name))))
        {
            var->wanted = all[i].wanted;
            return LUN_OK;
        }
    }

    return lun_conf_fail(cf, "invalid metadata field \"%.*s\"",
                         LUN_S(cf->args[2]));
}


static lun_rc
read_names(lun_conf *cf, variable *var)
{
    size_t    i, first;
    lun_str   arg, *names;
    lun_str   fallback = LUN_STR("default="), source = LUN_STR("source=");

    for (first = 1; first < cf->argc; first++) {
        arg = cf->args[first];

        if (lun_str_starts(arg, fallback)) {
            var->fallback = lun_str_of(arg.data + fallback.len,
                                       arg.len - fallback.len);

        } else if (lun_str_starts(arg, source)) {
            arg = lun_str_of(arg.data + source.len, arg.len - source.len);

            if (arg.len == 0 || (var->source = lun_script_new(cf, arg)) == NULL)
            {
                return lun_conf_fail(cf, "invalid source \"%.*s\"",
                                     LUN_S(cf->args[first]));
            }

        } else {
            break;
        }
    }

    if (first == cf->argc) {
        return lun_conf_fail(cf, "invalid number of arguments for \"%.*s\"",
                             LUN_S(cf->args[0]));
    }

    var->count = cf->argc - first;
    var->names = names = lun_pool_new_n(cf->pool, lun_str, var->count);

    for (i = 0; i < var->count; i++) {
        names[i] = cf->args[first + i];
    }

    return LUN_OK;
}


static lun_rc
add_variable(lun_conf *cf, database *db)
{
    lun_rc         rc;
    lun_str        name;
    variable      *var = lun_pool_new(cf->pool, variable);
    lun_variable  *v;

    var->db = db;
    rc = cf->argc >= 2 && lun_str_eq(cf->args[1], LUN_STR("metadata"))
         ? read_metadata(cf, var) : read_names(cf, var);

    if (rc != LUN_OK || lun_var_name(cf, cf->args[0], &name) != LUN_OK
        || (v = lun_var_define(cf, name, LUN_VAR_CHANGEABLE)) == NULL)
    {
        return LUN_ERROR;
    }

    v->get = var->wanted == DATA ? get_data : get_metadata;
    v->data = (uintptr_t) var;
    return LUN_OK;
}


static lun_rc
read_line(lun_conf *cf, void *data)
{
    database  *db = data;

    if (cf->args[0].data[0] == '$') {
        return add_variable(cf, db);
    }

    if (!lun_str_eq(cf->args[0], LUN_STR("auto_reload"))) {
        return lun_conf_fail(cf, "invalid setting \"%.*s\"",
                             LUN_S(cf->args[0]));
    }

    if (cf->argc != 2) {
        return lun_conf_fail(cf, "invalid number of arguments for auto_reload");
    }

    if (lun_str_to_sec(cf->args[1], &db->interval) != LUN_OK) {
        return lun_conf_fail(cf, "invalid interval for auto_reload \"%.*s\"",
                             LUN_S(cf->args[1]));
    }

    return LUN_OK;
}


static lun_rc
set_geoip2(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_err      err;
    database    *db = lun_pool_new(cf->pool, database);
    const char  *why;

    db->path = lun_conf_path(cf, cf->args[1], true);
    lun_pool_on_end(cf->pool, free_database, db);
    err = read_database(db, &why);

    if (err != 0) {
        return lun_conf_fail_err(cf, err, "MMDB_open(\"%.*s\") failed",
                                 LUN_S(db->path));
    }

    if (why != NULL) {
        return lun_conf_fail(cf, "MMDB_open(\"%.*s\") failed - %s",
                             LUN_S(db->path), why);
    }

    db->last_check = db->last_change = lun_clock.sec;
    return lun_conf_read_lines(cf, read_line, db, false);
}


static lun_rc
set_proxy(lun_conf *cf, const lun_directive *d, void *data)
{
    geoip2_conf  *conf = data;

    return lun_conf_networks(cf, cf->args[1], "geoip2_proxy", &conf->proxies);
}


static const lun_directive  directives[] = {
    { .name = "geoip2", .where = LUN_ANY_PROTOCOL, .args = 1, .block = true,
      .repeats = true, .set = set_geoip2,
      .values = "file",
      .help = "variables from a database of addresses (.mmdb)" },
    { .name = "geoip2_proxy", .where = LUN_HTTP, .args = 1, .repeats = true,
      .set = set_proxy, LUN_FIELD(geoip2_conf, proxies),
      .values = "address | CIDR",
      .help = "proxies whose X-Forwarded-For counts" },
    { .name = "geoip2_proxy_recursive", .where = LUN_HTTP, .args = 1,
      .set = lun_set_flag, LUN_FIELD(geoip2_conf, recursive),
      .fallback = "off",
      .help = "follows X-Forwarded-For past every such proxy" },
    { 0 }
};

lun_module  lun_common_geoip2 = {
    .name = "geoip2",
    .directives = directives,
    .conf_size = sizeof(geoip2_conf),
};
