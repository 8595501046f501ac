/*
 * core_conf.c -- the http core's directives.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/core_conf.h"

#include "base/check.h"
#include "config/default_paths.h"
#include "config/log_conf.h"
#include "config/slots.h"
#include "http/engine.h"
#include "http/file/open_file_cache.h"
#include "http/accept/request_metrics.h"
#include "http/text/browser.h"
#include "os/dir.h"
#include "os/direct.h"


enum {
    LEVELS     = LUN_HTTP_LEVELS,
    LEVELS_IF  = LUN_HTTP_LEVELS | LUN_LOCATION_IF,
    TEMP_NAME  = 1024,
    NOT_SAID   = -1,               /* of a number: an outer level's holds */
    SERVERS    = LUN_HTTP | LUN_SERVER
};


static const lun_enum  browser_words[] = {
    { "none", LUN_BROWSER_OTHER },
    { "msie6", LUN_BROWSER_MSIE6 },
    { "safari", LUN_BROWSER_SAFARI },
    { NULL, 0 }
};


/* --- setters ------------------------------------------------------------- */

/*
 * "75s", or "75s 60s": the second is what the client is told, and inherited by
 * itself.
 */
static lun_rc
set_keepalive_timeout(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_keepalive  *keepalive = &((lun_core_conf *) conf)->keepalive;

    keepalive->header = NOT_SAID;

    if (cf->argc > 2
        && lun_str_to_sec(cf->args[2], &keepalive->header) != LUN_OK)
    {
        return lun_conf_bad_time(cf, cf->args[2]);
    }

    return lun_set_msec(cf, d, conf);      /* its first member */
}


static lun_rc
set_server_tokens(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str         word = cf->args[1];
    lun_core_conf  *core = conf;

    if (lun_str_eq(word, LUN_STR("off"))) {
        core->server_tokens = LUN_STR(LUN_PRODUCT);

    } else if (lun_str_eq(word, LUN_STR("on"))
               || lun_str_eq(word, LUN_STR("build")))
    {
        core->server_tokens = LUN_STR(LUN_PRODUCT "/" LUN_VERSION);

    } else {
        core->server_tokens = word;
    }

    return LUN_OK;
}


/* "off" is what an outer level may need to be taken back with. */
static lun_rc
set_post_action(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_core_conf  *core = conf;

    core->post_action = lun_str_eq(cf->args[1], LUN_STR("off"))
                        ? LUN_STR("") : cf->args[1];
    return LUN_OK;
}


static lun_rc
set_early_hints(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_core_conf  *core = conf;

    core->early_hints = lun_scripts_new(cf);
    return core->early_hints != NULL ? LUN_OK : LUN_ERROR;
}


#define BODY_TEMP  LUN_TEMP_PATH "client_body_temp"

void
lun_http_want_folder(lun_generation *gen, const char *path)
{
    size_t  i;

    for (i = 0; i < gen->folders.count; i++) {
        if (strcmp(*(const char **) lun_array_at(&gen->folders, i), path)
            == 0)
        {
            return;
        }
    }

    *(const char **) lun_array_push(&gen->folders) = path;
}


lun_rc
lun_set_temp_path(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t           i;
    int64_t          n;
    lun_temp_path  **field = (lun_temp_path **) (void *) ((char *) conf
                                                         + d->field);
    lun_temp_path   *temp = lun_pool_new(cf->pool, lun_temp_path);

    temp->path = lun_conf_path(cf, cf->args[1], false);

    if (temp->path.len > 1 && temp->path.data[temp->path.len - 1] == '/') {
        temp->path.len--;
        temp->path.data = lun_pool_strz(cf->pool, temp->path);
    }

    for (i = 2; i < cf->argc; i++) {
        if (lun_str_to_i64(cf->args[i], &n) != LUN_OK || n < 1 || n > 3) {
            return lun_conf_bad_value(cf);
        }

        temp->levels[i - 2] = (int) n;
    }

    /* The default is asked for only where it counts: see init(). */
    if (!cf->is_fallback) {
        lun_http_want_folder(cf->gen, temp->path.data);
    }

    *field = temp;

    return LUN_OK;
}


lun_err
lun_temp_path_open(const lun_temp_path *temp, char *path, size_t size,
    lun_fd *fd)
{
    lun_err  err;

    err = lun_file_temp(temp->path.data, temp->levels, false, path, size, fd);

    if (lun_err_kind_of(err) != LUN_ERR_NOT_FOUND) {
        return err;
    }

    err = lun_dir_make(temp->path.data, 0700);

    if (err != 0 && lun_err_kind_of(err) != LUN_ERR_EXISTS) {
        return err;
    }

    return lun_file_temp(temp->path.data, temp->levels, false, path, size, fd);
}


lun_rc
lun_temp_path_open_for(lun_request *r, const lun_temp_path *temp, lun_fd *fd,
    lun_str *name)
{
    char     path[TEMP_NAME];
    lun_err  err = lun_temp_path_open(temp, path, sizeof(path), fd);

    if (err != 0) {
        *fd = LUN_FD_NONE;
        lun_log(LUN_LOG_CRIT, r->log, err, "could not make a temporary file "
                "in \"%.*s\"", LUN_S(temp->path));
        return LUN_ERROR;
    }

    *name = lun_str_z(lun_pool_strz(r->pool, lun_str_z(path)));
    return LUN_OK;
}


static lun_rc
set_internal(lun_conf *cf, const lun_directive *d, void *conf)
{
    ((lun_core_conf *) conf)->internal = true;
    return LUN_OK;
}


static lun_rc
set_directio(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_core_conf  *core = conf;

    if (lun_str_eq(cf->args[1], LUN_STR("off"))) {
        core->directio = INT64_MAX;
        return LUN_OK;
    }

    if (!lun_direct_is_there()) {
        core->directio = INT64_MAX;
        lun_conf_warn(cf, "\"directio\" is not supported on this platform, "
                      "ignored");
        return LUN_OK;
    }

    return lun_set_off(cf, d, conf);
}


/* Methods that may pass; a location of its own is for the others. */
static lun_rc
set_limit_except(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t         i;
    lun_method     m;
    lun_location  *outer = cf->block->owner;
    lun_location  *loc = lun_pool_new(cf->pool, lun_location);

    if (outer->limit_except_to != NULL) {
        return lun_conf_fail(cf, "\"limit_except\" directive is duplicate");
    }

    for (i = 1; i < cf->argc; i++) {
        m = lun_method_of(cf->args[i]);

        if (m == LUN_METHOD_OTHER) {
            return lun_conf_fail(cf, "invalid method \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }

        outer->limit_except |= (uint32_t) (m == LUN_GET ? LUN_GET | LUN_HEAD
                                                        : (int) m);
    }

    loc->match = LUN_MATCH_NONE;
    loc->name = outer->name;
    outer->limit_except_to = loc;

    return lun_conf_read_block(cf, LUN_LIMIT_EXCEPT, loc, &loc->block);
}


static lun_rc
set_error_log(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_core_conf  *core = conf;

    if (core->error_log == NULL) {
        core->error_log = lun_pool_new(cf->pool, lun_log);
    }

    return lun_conf_error_log(cf, core->error_log);
}


/* --- the table ----------------------------------------------------------- */

static const lun_enum  linger_words[] = {
    { "off", LUN_LINGER_OFF },
    { "on", LUN_LINGER_ON },
    { "always", LUN_LINGER_ALWAYS },
    { NULL, 0 }
};

static const lun_enum  satisfy_words[] = {
    { "all", LUN_SATISFY_ALL },
    { "any", LUN_SATISFY_ANY },
    { NULL, 0 }
};

static const lun_enum  body_file_words[] = {
    { "off", LUN_BODY_FILE_OFF },
    { "on", LUN_BODY_FILE_ON },
    { "clean", LUN_BODY_FILE_CLEAN },
    { NULL, 0 }
};

static const lun_enum  ims_words[] = {
    { "off", LUN_IMS_OFF },
    { "exact", LUN_IMS_EXACT },
    { "before", LUN_IMS_BEFORE },
    { NULL, 0 }
};

#define F(member)  LUN_FIELD(lun_core_conf, member)

/* aio on | off | threads | threads=POOL. */
static lun_rc
read_aio(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str  pool, word = cf->args[1];

    return lun_str_eq(word, LUN_STR("on")) || lun_str_eq(word, LUN_STR("off"))
           || lun_str_eq(word, LUN_STR("threads"))
           || (lun_str_after(word, LUN_STR("threads="), &pool)
               && pool.len != 0)
           ? LUN_OK : lun_conf_bad_value(cf);
}


static const lun_no_effect  no_aio = { read_aio,
    "files are read by the loop itself" };
static const lun_no_effect  no_aio_write = { lun_set_flag,
    "files are written by the loop itself" };
static const lun_no_effect  no_lowat = { .read = lun_set_size };
static const lun_no_effect  no_events = { lun_set_flag,
    "the system tells nobody; see open_file_cache_valid" };
static const lun_no_effect  no_degradation = { NULL,
    "memory is not taken from the system by sbrk()" };

/* Accepted for the sake of configurations that have it; without effect. */
#define NO_EFFECT(name_, where_, none)                                        \
    { .name = name_, .where = where_, .args = 1,                              \
      .set = lun_set_no_effect, .data = &none,                                \
      .help = "without effect here, which a warning says" }

#define IGNORED(name_, where_, min, none)                                     \
    { .name = name_, .where = (where_), .args = min,                          \
      .set = lun_set_ignored, .data = none, .help = "without effect here" }

static const lun_directive  directives[] = {
    /* the connection */
    { .name = "client_header_timeout", .where = SERVERS, .args = 1,
      .set = lun_set_msec, F(client_header_timeout), .fallback = "60s",
      .help = "how long a header may take" },
    { .name = "client_body_timeout", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(client_body_timeout), .fallback = "60s",
      .help = "how long a client may pause within a body" },
    { .name = "send_timeout", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(send_timeout), .fallback = "60s",
      .help = "how long a client may take nothing" },
    { .name = "keepalive_timeout", .where = LEVELS, .args = 1, .args_max = 2,
      .set = set_keepalive_timeout, F(keepalive), .fallback = "75s",
      .values = "timeout [header_timeout]",
      .help = "how long an idle connection is kept" },
    { .name = "keepalive_min_timeout", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(keepalive_least), .fallback = "0",
      .help = "how long at least, when a worker quits or needs room" },
    { .name = "keepalive_time", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(keepalive_time), .fallback = "1h",
      .help = "how long a connection is used at most" },
    { .name = "keepalive_requests", .where = LEVELS, .args = 1,
      .set = lun_set_num, F(keepalive_requests), .fallback = "1000",
      .help = "requests after which a connection is closed" },
    { .name = "keepalive_disable", .where = LEVELS, .args = 1,
      .args_max = 2, .repeats = true, .set = lun_set_bits, F(keepalive_disable),
      .fallback = "msie6", .data = browser_words,
      .help = "browsers whose connections are not kept" },
    { .name = "lingering_close", .where = LEVELS, .args = 1,
      .set = lun_set_enum, F(lingering_close), .fallback = "on",
      .data = linger_words,
      .help = "reads on after the answer, so that it arrives" },
    { .name = "lingering_time", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(lingering_time), .fallback = "30s",
      .help = "how long at most" },
    { .name = "lingering_timeout", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(lingering_timeout), .fallback = "5s",
      .help = "how long a client may be silent meanwhile" },
    { .name = "reset_timedout_connection", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(reset_timedout_connection), .fallback = "off",
      .help = "ends connections that are too slow by a reset" },
    { .name = "tcp_nodelay", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(tcp_nodelay), .fallback = "on",
      .help = "sends small pieces at once" },
    { .name = "tcp_nopush", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(tcp_nopush), .fallback = "off",
      .help = "fills packets up" },

    /* reading a header */
    { .name = "client_header_buffer_size", .where = SERVERS, .args = 1,
      .set = lun_set_size, F(client_header_buffer_size), .fallback = "1k",
      .help = "room for most requests' headers" },
    { .name = "large_client_header_buffers", .where = SERVERS, .args = 2,
      .set = lun_set_bufs, F(large_client_header_buffers),
      .fallback = "4 8k",
      .help = "number and size of buffers for long headers" },
    { .name = "max_headers", .where = SERVERS, .args = 1,
      .set = lun_set_num, F(max_headers), .fallback = "1000",
      .help = "how many headers a request may have" },
    { .name = "ignore_invalid_headers", .where = SERVERS, .args = 1,
      .set = lun_set_flag, F(ignore_invalid_headers), .fallback = "on",
      .help = "drops headers with odd names instead of refusing" },
    { .name = "underscores_in_headers", .where = SERVERS, .args = 1,
      .set = lun_set_flag, F(underscores_in_headers), .fallback = "off",
      .help = "takes headers with _ in their names" },
    { .name = "merge_slashes", .where = SERVERS, .args = 1,
      .set = lun_set_flag, F(merge_slashes), .fallback = "on",
      .help = "takes // in a path for /" },

    /* the body */
    { .name = "client_max_body_size", .where = LEVELS, .args = 1,
      .set = lun_set_off, F(client_max_body_size), .fallback = "1m",
      .help = "longer bodies are refused (413); 0: no limit" },
    { .name = "client_body_buffer_size", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(client_body_buffer_size), .fallback = "8k",
      .help = "room for a body in memory" },
    { .name = "client_body_in_file_only", .where = LEVELS, .args = 1,
      .set = lun_set_enum, F(client_body_in_file_only), .fallback = "off",
      .data = body_file_words,
      .help = "puts every body into a file" },
    { .name = "client_body_in_single_buffer", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(client_body_in_single_buffer),
      .fallback = "off",
      .help = "keeps a body in one piece" },
    { .name = "client_body_temp_path", .where = LEVELS, .args = 1,
      .args_max = 4, .set = lun_set_temp_path, F(client_body_temp_path),
      .fallback = BODY_TEMP,
      .values = "path [level1 [level2 [level3]]]",
      .help = "the folder of bodies that are too long for memory" },

    /* the answer */
    { .name = "sendfile", .where = LEVELS_IF, .args = 1,
      .set = lun_set_flag, F(sendfile), .fallback = "off",
      .help = "the system sends files itself" },
    { .name = "sendfile_max_chunk", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(sendfile_max_chunk), .fallback = "2m",
      .help = "how much at once" },
    { .name = "postpone_output", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(postpone_output), .fallback = "1460",
      .help = "waits for so many bytes before it sends" },
    { .name = "subrequest_output_buffer_size", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(subrequest_output_buffer_size),
      .fallback = "4k",
      .help = "longest answer that becomes a variable of SSI" },
    { .name = "output_buffers", .where = LEVELS, .args = 2,
      .set = lun_set_bufs, F(output_buffers), .fallback = "2 32k",
      .help = "number and size of buffers for files that are changed" },
    { .name = "chunked_transfer_encoding", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(chunked_transfer_encoding), .fallback = "on",
      .help = "chunks, for HTTP/1.1 clients" },
    { .name = "server_tokens", .where = LEVELS, .args = 1,
      .set = set_server_tokens, F(server_tokens), .fallback = "on",
      .values = "on | off | build | string",
      .help = "tells the version" },
    { .name = "server_name_in_redirect", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(server_name_in_redirect), .fallback = "off",
      .help = "redirects have the first of them" },
    { .name = "port_in_redirect", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(port_in_redirect), .fallback = "on",
      .help = "redirects have the port" },
    { .name = "absolute_redirect", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(absolute_redirect), .fallback = "on",
      .help = "redirects have the scheme and the host" },
    { .name = "etag", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(etag), .fallback = "on",
      .help = "sends ETag for files" },
    { .name = "if_modified_since", .where = LEVELS, .args = 1,
      .set = lun_set_enum, F(if_modified_since), .fallback = "exact",
      .data = ims_words,
      .help = "how that header is compared" },
    { .name = "max_ranges", .where = LEVELS, .args = 1,
      .set = lun_set_num, F(max_ranges), .fallback = "2147483647",
      .help = "how many ranges a request may ask for" },
    { .name = "early_hints", .where = LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = set_early_hints, F(early_hints),
      .values = "string ...",
      .help = "when 103 answers are passed on" },
    { .name = "limit_rate", .where = LEVELS_IF, .args = 1,
      .set = lun_set_size_script, F(limit_rate),
      .values = "rate",
      .help = "bytes a second to a client; 0: no limit" },
    { .name = "limit_rate_after", .where = LEVELS_IF, .args = 1,
      .set = lun_set_size_script, F(limit_rate_after),
      .values = "size",
      .help = "the first part that has no limit" },

    /* what a request names */
    { .name = "root", .where = LEVELS_IF, .args = 1,
      .set = lun_set_root, F(root), .fallback = "html",
      .values = "path",
      .help = "the folder that files are in" },
    { .name = "alias", .where = LUN_LOCATION, .args = 1,
      .set = lun_set_root, F(root), .data = "alias",
      .values = "path",
      .help = "the folder that stands in place of the location's path" },
    { .name = "types", .where = LEVELS, .block = true, .repeats = true,
      .set = lun_set_types, F(types),
      .help = "types of files by the ends of their names" },
    { .name = "default_type", .where = LEVELS, .args = 1,
      .set = lun_set_str, F(default_type), .fallback = "text/plain",
      .values = "mime-type",
      .help = "the type of files whose name tells none" },
    { .name = "internal", .where = LUN_LOCATION, .set = set_internal,
      F(internal),
      .help = "only for requests from inside" },
    { .name = "strict_paths", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(strict_paths), .fallback = "off",
      .help = "refuses paths that the system would take for others" },
    { .name = "disable_symlinks", .where = LEVELS, .args = 1, .args_max = 2,
      .set = lun_set_disable_symlinks, F(link_rules),
      .values = "on | off | if_not_owner [from=part]",
      .help = "refuses files behind symbolic links" },
    { .name = "open_file_cache", .where = LEVELS, .args = 1, .args_max = 2,
      .set = lun_set_open_file_cache, F(open_files),
      .values = "off | max=N [inactive=time]",
      .help = "keeps files open, and what is known of names" },
    { .name = "open_file_cache_valid", .where = LEVELS, .args = 1,
      .set = lun_set_sec, F(open_file_valid), .fallback = "60s",
      .help = "how long that is believed" },
    { .name = "open_file_cache_min_uses", .where = LEVELS, .args = 1,
      .set = lun_set_num, F(open_file_min_uses), .fallback = "1",
      .help = "uses from which on a file stays open" },
    { .name = "open_file_cache_errors", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(open_file_errors), .fallback = "off",
      .help = "believes failures, too" },
    { .name = "directio", .where = LEVELS, .args = 1,
      .set = set_directio, F(directio), .fallback = "off",
      .values = "size | off",
      .help = "files from this size on go past the page cache" },
    { .name = "directio_alignment", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(directio_alignment), .fallback = "512",
      .help = "how memory for such files is aligned" },
    { .name = "read_ahead", .where = LEVELS, .args = 1,
      .set = lun_set_size, F(read_ahead), .fallback = "0",
      .help = "tells the system that files are read in order" },
    { .name = "limit_except", .where = LUN_LOCATION, .args = 1,
      .args_max = LUN_ARGS_ANY, .block = true, .repeats = true,
      .set = set_limit_except,
      .values = "method ...",
      .help = "what holds for all methods but these" },
    { .name = "satisfy", .where = LEVELS, .args = 1,
      .set = lun_set_enum, F(satisfy), .fallback = "all",
      .data = satisfy_words,
      .help = "all checks of access, or any" },
    { .name = "auth_delay", .where = LEVELS, .args = 1,
      .set = lun_set_msec, F(auth_delay), .fallback = "0",
      .help = "how much later a refused request is answered" },
    { .name = "msie_padding", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(msie_padding), .fallback = "on",
      .help = "own error pages are long enough for MSIE and Chrome" },
    { .name = "msie_refresh", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(msie_refresh), .fallback = "off",
      .help = "MSIE gets pages that refresh instead of redirects" },
    { .name = "post_action", .where = LEVELS_IF, .args = 1,
      .set = set_post_action, F(post_action),
      .values = "uri | off",
      .help = "where a request goes when its answer is complete" },
    { .name = "error_page", .where = LEVELS_IF, .args = 2,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_set_error_page, F(error_pages),
      .values = "code ... [=[response]] uri",
      .help = "what is answered instead of these statuses" },
    { .name = "no_error_pages", .where = LEVELS_IF,
      .set = lun_set_no_error_pages, F(error_pages),
      .help = "takes back what blocks around say by error_page" },
    { .name = "recursive_error_pages", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(recursive_error_pages), .fallback = "off",
      .help = "error_page may lead to error_page" },

    /* logs, names */
    { .name = "log_not_found", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(log_not_found), .fallback = "on",
      .help = "logs files that are not there" },
    { .name = "log_subrequest", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(log_subrequest), .fallback = "off",
      .help = "logs subrequests" },
    { .name = "error_log", .where = LEVELS, .args = 1, .args_max = 6,
      .repeats = true, .set = set_error_log, F(error_log),
      .values = "file [level] [json] [rotate=size] [rotate=time] [keep=number]",
      .help = "where errors are logged, and from which level on" },
    { .name = "resolver", .where = LEVELS | LUN_UPSTREAM, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_resolver, F(resolver),
      .values = "address ... [valid=time] [ipv4=on|off] [ipv6=on|off] "
                "[status_zone=zone]",
      .help = "servers that names are looked up at" },
    { .name = "resolver_timeout", .where = LEVELS | LUN_UPSTREAM, .args = 1,
      .set = lun_set_msec, F(resolver_timeout), .fallback = "30s",
      .help = "how long that may take" },

    IGNORED("connection_pool_size", SERVERS, 1, &lun_ignored_size),
    IGNORED("request_pool_size", SERVERS, 1, &lun_ignored_size),
    IGNORED("client_body_buffers", LEVELS, 2, NULL),
    NO_EFFECT("send_lowat", LEVELS, no_lowat),
    NO_EFFECT("proxy_send_lowat", LEVELS, no_lowat),
    NO_EFFECT("fastcgi_send_lowat", LEVELS, no_lowat),
    NO_EFFECT("tunnel_send_lowat", LEVELS, no_lowat),
    NO_EFFECT("aio", LEVELS, no_aio),
    NO_EFFECT("aio_write", LEVELS, no_aio_write),
    NO_EFFECT("degradation", LUN_HTTP, no_degradation),
    NO_EFFECT("degrade", LEVELS, no_degradation),
    NO_EFFECT("open_file_cache_events", LEVELS, no_events),
    IGNORED("types_hash_max_size", LEVELS, 1, &lun_ignored_num),
    IGNORED("types_hash_bucket_size", LEVELS, 1, &lun_ignored_num),
    IGNORED("server_names_hash_max_size", LUN_HTTP, 1, &lun_ignored_num),
    IGNORED("server_names_hash_bucket_size", LUN_HTTP, 1, &lun_ignored_num),
    IGNORED("variables_hash_max_size", LUN_HTTP, 1, &lun_ignored_num),
    IGNORED("variables_hash_bucket_size", LUN_HTTP, 1, &lun_ignored_num),
    IGNORED("proxy_headers_hash_max_size", LEVELS, 1, &lun_ignored_num),
    IGNORED("proxy_headers_hash_bucket_size", LEVELS, 1, &lun_ignored_num),
    { 0 }
};


/* --- the module ---------------------------------------------------------- */

static lun_rc
inherited(lun_conf *cf, const void *parent, void *conf)
{
    lun_core_conf        *core = conf;
    const lun_core_conf  *outer = parent;

    if (core->keepalive.header == NOT_SAID) {
        core->keepalive.header = outer != NULL ? outer->keepalive.header : 0;
    }

    if (parent == NULL && core->types == NULL) {
        core->types = lun_http_default_types(cf->pool);
    }

    if (core->client_body_buffer_size == 0) {
        core->client_body_buffer_size = 1;
    }

    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    const lun_block      *b = lun_http_engine_of(cf->gen)->block;
    const lun_core_conf  *core = NULL;

    if (b->confs_own) {
        core = b->confs[lun_http_core.index];
    }

    if (core == NULL || core->client_body_temp_path == NULL) {
        lun_http_want_folder(cf->gen, lun_conf_path(cf, LUN_STR(BODY_TEMP),
                                                    false).data);
    }

    return LUN_OK;
}


lun_http_module  lun_http_core = {
    .name = "core",
    .always = true,
    .init = init,
    .directives = directives,
    .conf_size = sizeof(lun_core_conf),
    .metrics = lun_request_metrics,
    .inherited = inherited,
};


void
lun_http_use_log(lun_request *r)
{
    lun_log        *to = r->main->log;
    const lun_log  *from = lun_core_conf_of(r)->error_log;

    if (r->parent != NULL) {
        return;                    /* its main request's is good enough */
    }

    if (from == NULL) {
        from = &r->engine->gen->log;
    }

    lun_log_redirect(to, from);

    /* Lines may come from other threads: it is there before any does. */
    if (LUN_UNLIKELY(from->json)) {
        (void) lun_var_get_fresh(&r->session, r->engine->request_id);
    }
}
