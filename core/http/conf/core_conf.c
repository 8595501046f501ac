/*
 * core_conf.c -- the http core's directives.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/core_conf.h"

#include "base/check.h"
#include "config/default_paths.h"
#include "config/log_conf.h"
#include "http/engine.h"
#include "http/text/browser.h"
#include "os/dir.h"


enum {
    LEVELS     = LUN_HTTP_LEVELS,
    LEVELS_IF  = LUN_HTTP_LEVELS | LUN_LOCATION_IF,
    LONG_NAME  = 4096,
    TEMP_NAME  = 1024,
    SERVERS    = LUN_HTTP | LUN_SERVER
};


static const lun_enum  link_words[] = {
    { "off", LUN_LINKS_FOLLOW },
    { "on", LUN_LINKS_REFUSE },
    { "if_not_owner", LUN_LINKS_OWNER },
    { NULL, 0 }
};

static const lun_enum  browser_words[] = {
    { "none", LUN_BROWSER_OTHER },
    { "msie6", LUN_BROWSER_MSIE6 },
    { "safari", LUN_BROWSER_SAFARI },
    { NULL, 0 }
};


/* --- setters ------------------------------------------------------------- */

/* "75s", or "75s 60s": the second is what the client is told. */
static lun_rc
set_keepalive_timeout(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_keepalive  *keepalive = &((lun_core_conf *) conf)->keepalive;

    keepalive->header = 0;

    if (cf->argc > 2
        && lun_str_to_sec(cf->args[2], &keepalive->header) != LUN_OK)
    {
        return lun_conf_bad_value(cf);
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


static lun_location *
location_of(const lun_conf *cf)
{
    const lun_block  *b = cf->block;

    while (b != NULL && b->where != LUN_LOCATION) {
        b = b->parent;
    }

    return b != NULL ? b->owner : NULL;
}


/* Short names in it would make a look-up of every request. */
static lun_str
long_name(lun_conf *cf, lun_str path)
{
    char  room[LONG_NAME];

    return lun_file_long_name(path.data, room, sizeof(room)) == 0
           ? lun_pool_fmt(cf->pool, "%s", room) : path;
}


/*
 * The folder that all paths of a root begin with: an alias may end within a
 * name, and a variable be part of one.
 */
static void
set_native(lun_conf *cf, lun_root *root, lun_str text)
{
    const char  *dollar = lun_str_chr(text, '$');

    if (root->script != NULL && dollar != NULL) {
        text.len = (size_t) (dollar - text.data);
    }

    while ((root->alias || root->script != NULL) && text.len > 0
           && text.data[text.len - 1] != '/')
    {
        text.len--;
    }

    if (root->script != NULL) {
        text = lun_conf_path(cf, text, false);
    }

    lun_native_path_init(&root->native, cf->pool, text,
                         &cf->gen->native_prefix);
}


static lun_rc
set_root(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str         text = cf->args[1];
    lun_root       *root = lun_pool_new(cf->pool, lun_root);
    lun_location   *loc = location_of(cf);
    lun_core_conf  *core = conf;

    root->alias = d->data != NULL;

    if (root->alias && loc != NULL) {
        if (loc->match == LUN_MATCH_NAMED) {
            return lun_conf_fail(cf, "the \"alias\" directive cannot be used "
                                 "inside the named location");
        }

        root->regex = loc->match == LUN_MATCH_REGEX;
        root->prefix = loc->name.len;
    }

    if (lun_script_has_variables(text)) {
        root->script = lun_script_new(cf, text);

        if (root->script == NULL) {
            return LUN_ERROR;
        }

    } else {
        text = long_name(cf, lun_conf_path(cf, text, false));

        if (!root->alias && text.len > 0 && text.data[text.len - 1] == '/') {
            text.len--;
        }

        root->text = text;
    }

    set_native(cf, root, text);
    core->root = root;
    return LUN_OK;
}


/* "off", "on" and "if_not_owner" may stand behind the "from=", too. */
static bool
set_link_word(lun_link_rules *rules, lun_str word)
{
    size_t  i;

    for (i = 0; link_words[i].name != NULL; i++) {
        if (lun_str_eq(word, lun_str_z(link_words[i].name))) {
            rules->links = (lun_links) link_words[i].value;
            return true;
        }
    }

    return false;
}


static lun_rc
set_disable_symlinks(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t           i, words = 0;
    lun_str          arg;
    lun_core_conf   *core = conf;
    lun_link_rules  *rules = lun_pool_new(cf->pool, lun_link_rules);

    for (i = 1; i < cf->argc; i++) {
        arg = cf->args[i];

        if (set_link_word(rules, arg)) {
            words++;

        } else if (!lun_str_after(arg, LUN_STR("from="), &arg)) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(arg));

        } else {
            rules->from = lun_script_new(cf, arg);

            if (rules->from == NULL) {
                return LUN_ERROR;
            }
        }
    }

    if (words == 0) {
        return lun_conf_fail(cf, "\"disable_symlinks\" must have \"off\", "
                             "\"on\" or \"if_not_owner\" parameter");
    }

    if (cf->argc > 2 && rules->from == NULL) {
        return lun_conf_fail(cf, "duplicate parameters \"%.*s %.*s\"",
                             LUN_S(cf->args[1]), LUN_S(cf->args[2]));
    }

    if (rules->from != NULL && rules->links == LUN_LINKS_FOLLOW) {
        return lun_conf_fail(cf, "\"from=\" cannot be used with \"off\" "
                             "parameter");
    }

    core->link_rules = rules;
    return LUN_OK;
}


static lun_rc
set_internal(lun_conf *cf, const lun_directive *d, void *conf)
{
    ((lun_core_conf *) conf)->internal = true;
    return LUN_OK;
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

/* Accepted for the sake of configurations that have it; without effect. */
#define NO_EFFECT(name_, where_, min, max, why)                               \
    { .name = name_, .where = where_, .args = min, .args_max = max,           \
      .repeats = true, .set = lun_set_no_effect, .data = why,                 \
      .help = "without effect here, which a warning says" }

#define IGNORED(name_, where_, min, max)                                      \
    { .name = name_, .where = (where_), .args = min, .args_max = max,         \
      .repeats = true, .set = lun_set_ignored, .help = "without effect here" }

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
      .args_max = LUN_ARGS_ANY, .set = lun_set_bits, F(keepalive_disable),
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
      .set = lun_set_size, F(client_body_buffer_size), .fallback = "16k",
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
      .help = "the folder of bodies that are too long for memory" },

    /* the answer */
    { .name = "sendfile", .where = LEVELS_IF, .args = 1,
      .set = lun_set_flag, F(sendfile), .fallback = "off",
      .help = "the system sends files itself" },
    { .name = "sendfile_max_chunk", .where = LEVELS_IF, .args = 1,
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
      .help = "when 103 answers are passed on" },
    { .name = "limit_rate", .where = LEVELS_IF, .args = 1,
      .set = lun_set_script, F(limit_rate),
      .help = "bytes a second to a client; 0: no limit" },
    { .name = "limit_rate_after", .where = LEVELS_IF, .args = 1,
      .set = lun_set_script, F(limit_rate_after),
      .help = "the first part that has no limit" },

    /* what a request names */
    { .name = "root", .where = LEVELS_IF, .args = 1,
      .set = set_root, F(root), .fallback = "html",
      .help = "the folder that files are in" },
    { .name = "alias", .where = LUN_LOCATION, .args = 1,
      .set = set_root, F(root), .data = "alias",
      .help = "the folder that stands in place of the location's path" },
    { .name = "types", .where = LEVELS, .block = true, .repeats = true,
      .set = lun_set_types, F(types),
      .help = "types of files by the ends of their names" },
    { .name = "default_type", .where = LEVELS, .args = 1,
      .set = lun_set_str, F(default_type), .fallback = "text/plain",
      .help = "the type of files whose name tells none" },
    { .name = "internal", .where = LUN_LOCATION, .set = set_internal,
      F(internal),
      .help = "only for requests from inside" },
    { .name = "strict_paths", .where = LEVELS, .args = 1,
      .set = lun_set_flag, F(strict_paths), .fallback = "off",
      .help = "refuses paths that the system would take for others" },
    { .name = "disable_symlinks", .where = LEVELS, .args = 1, .args_max = 2,
      .set = set_disable_symlinks, F(link_rules),
      .help = "refuses files behind symbolic links" },
    { .name = "limit_except", .where = LUN_LOCATION, .args = 1,
      .args_max = LUN_ARGS_ANY, .block = true, .repeats = true,
      .set = set_limit_except,
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
      .help = "where a request goes when its answer is complete" },
    { .name = "error_page", .where = LEVELS_IF, .args = 2,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_set_error_page, F(error_pages),
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
    { .name = "error_log", .where = LEVELS, .args = 1, .args_max = 5,
      .repeats = true, .set = set_error_log, F(error_log),
      .help = "where errors are logged, and from which level on" },
    { .name = "resolver", .where = LEVELS | LUN_UPSTREAM, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_resolver, F(resolver),
      .help = "servers that names are looked up at" },
    { .name = "resolver_timeout", .where = LEVELS | LUN_UPSTREAM, .args = 1,
      .set = lun_set_msec, F(resolver_timeout), .fallback = "30s",
      .help = "how long that may take" },

    IGNORED("connection_pool_size", SERVERS, 1, 0),
    IGNORED("request_pool_size", SERVERS, 1, 0),
    IGNORED("client_body_buffers", LEVELS, 2, 0),
    NO_EFFECT("send_lowat", LEVELS, 1, 0,
              "what is ready is sent"),
    NO_EFFECT("proxy_send_lowat", LEVELS, 1, 0,
              "what is ready is sent"),
    NO_EFFECT("fastcgi_send_lowat", LEVELS, 1, 0,
              "what is ready is sent"),
    NO_EFFECT("tunnel_send_lowat", LEVELS, 1, 0,
              "what is ready is sent"),
    NO_EFFECT("directio", LEVELS, 1, 0,
              "files go through the page cache"),
    NO_EFFECT("directio_alignment", LEVELS, 1, 0,
              "files go through the page cache"),
    NO_EFFECT("aio", LEVELS, 1, 0,
              "files are read by the loop itself"),
    NO_EFFECT("aio_write", LEVELS, 1, 0,
              "files are read by the loop itself"),
    NO_EFFECT("read_ahead", LEVELS, 1, 0,
              "the system reads ahead"),
    NO_EFFECT("degradation", LUN_HTTP, 1, 0,
              "memory is not taken from the system by sbrk()"),
    NO_EFFECT("degrade", LEVELS, 1, 0,
              "memory is not taken from the system by sbrk()"),
    NO_EFFECT("open_file_cache", LEVELS, 1, 2,
              "small files are kept, and looked at before each answer"),
    NO_EFFECT("open_file_cache_valid", LEVELS, 1, 0,
              "small files are kept, and looked at before each answer"),
    NO_EFFECT("open_file_cache_min_uses", LEVELS, 1, 0,
              "small files are kept, and looked at before each answer"),
    NO_EFFECT("open_file_cache_errors", LEVELS, 1, 0,
              "small files are kept, and looked at before each answer"),
    NO_EFFECT("open_file_cache_events", LEVELS, 1, 0,
              "small files are kept, and looked at before each answer"),
    IGNORED("types_hash_max_size", LEVELS, 1, 0),
    IGNORED("types_hash_bucket_size", LEVELS, 1, 0),
    IGNORED("server_names_hash_max_size", LUN_HTTP, 1, 0),
    IGNORED("server_names_hash_bucket_size", LUN_HTTP, 1, 0),
    IGNORED("variables_hash_max_size", LUN_HTTP, 1, 0),
    IGNORED("variables_hash_bucket_size", LUN_HTTP, 1, 0),
    IGNORED("proxy_headers_hash_max_size", LEVELS, 1, 0),
    IGNORED("proxy_headers_hash_bucket_size", LEVELS, 1, 0),
    { 0 }
};


/* --- the module ---------------------------------------------------------- */

static lun_rc
inherited(lun_conf *cf, const void *parent, void *conf)
{
    lun_core_conf  *core = conf;

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
}
