/*
 * core_conf.h -- the http core's own settings, of any level.
 *
 * Some count per connection, before a request's server is known: they are
 * taken from the default server of the address.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CORE_CONF_H
#define LUN_HTTP_CORE_CONF_H

#include "http/conf/location.h"
#include "http/module.h"
#include "session/engine.h"
#include "session/resolver_conf.h"

typedef struct {
    lun_str   path;                /* absolute, ends with a zero byte */
    int       levels[3];
} lun_temp_path;

/* One status of an error_page directive. */
typedef struct {
    unsigned     status;
    int          answer;           /* -1: keep it; 0: "=", the uri's own */
    lun_script  *uri;              /* "/404.html?x", "@name", "http://..." */
} lun_error_page;

/* root, or alias. */
typedef struct {
    lun_str      text;             /* absolute; data NULL: see script */
    lun_script  *script;           /* it has variables */
    lun_native_path  native;       /* of text, or what script begins with, up
                                      to its last folder */
    bool         alias;
    bool         regex;            /* alias in a regex location: all of it */
    lun_str      name;             /* alias: the location's */
} lun_root;

/* A disable_symlinks directive. */
typedef struct {
    lun_links    links;
    lun_script  *from;             /* NULL: nothing is exempt */
} lun_link_rules;

/* open_file_cache: see file/open_file_cache.h. */
typedef struct lun_open_files  lun_open_files;

typedef enum { LUN_LINGER_OFF, LUN_LINGER_ON, LUN_LINGER_ALWAYS } lun_linger;
typedef enum { LUN_SATISFY_ALL, LUN_SATISFY_ANY } lun_satisfy;
typedef enum { LUN_BODY_FILE_OFF, LUN_BODY_FILE_ON, LUN_BODY_FILE_CLEAN }
    lun_body_file;
typedef enum { LUN_IMS_OFF, LUN_IMS_EXACT, LUN_IMS_BEFORE } lun_ims;

/* keepalive_timeout. */
typedef struct {
    lun_msec   timeout;
    int64_t    header;             /* what the client is told, s; 0: nothing */
} lun_keepalive;

typedef struct {
    /* The connection. */
    lun_msec            client_header_timeout;
    lun_msec            client_body_timeout;
    lun_msec            send_timeout;
    lun_keepalive       keepalive;
    lun_msec            keepalive_least;       /* keepalive_min_timeout */
    lun_msec            keepalive_time;
    int64_t             keepalive_requests;
    uint32_t            keepalive_disable;     /* lun_browser */
    lun_msec            lingering_time;
    lun_msec            lingering_timeout;
    int                 lingering_close;       /* lun_linger */
    bool                reset_timedout_connection;
    bool                tcp_nodelay;
    bool                tcp_nopush;

    /* Reading a header. */
    size_t              client_header_buffer_size;
    lun_bufs            large_client_header_buffers;
    int64_t             max_headers;
    bool                ignore_invalid_headers;
    bool                underscores_in_headers;
    bool                merge_slashes;

    /* Its body. */
    int64_t             client_max_body_size;
    size_t              client_body_buffer_size;
    int                 client_body_in_file_only;      /* lun_body_file */
    bool                client_body_in_single_buffer;
    lun_temp_path      *client_body_temp_path;

    /* The answer. */
    bool                sendfile;
    size_t              sendfile_max_chunk;
    size_t              postpone_output;
    size_t              subrequest_output_buffer_size;     /* of SSI's */
    lun_bufs            output_buffers;
    bool                chunked_transfer_encoding;
    lun_str             server_tokens;         /* "lunette/0.1.0" */
    bool                server_name_in_redirect;
    bool                port_in_redirect;
    bool                absolute_redirect;
    bool                etag;
    int                 if_modified_since;     /* lun_ims */
    int64_t             max_ranges;
    lun_array          *early_hints;           /* of lun_script *; NULL: none */
    lun_script         *limit_rate;            /* NULL: none */
    lun_script         *limit_rate_after;

    /* What a request names. */
    lun_root           *root;
    lun_hash           *types;                 /* extension -> lun_str * */
    lun_str             default_type;
    bool                internal;
    bool                strict_paths;          /* os/safe_open.h */
    lun_link_rules     *link_rules;            /* NULL: follow any */
    lun_open_files     *open_files;            /* NULL: each request looks */
    int64_t             open_file_valid;       /* seconds */
    int64_t             open_file_min_uses;
    bool                open_file_errors;
    int64_t             directio;              /* from this size on */
    size_t              directio_alignment;
    size_t              read_ahead;            /* 0: as the system likes */
    int                 satisfy;               /* lun_satisfy */
    lun_msec            auth_delay;            /* of a 401; 0: none */
    bool                msie_padding;
    bool                msie_refresh;
    lun_str             post_action;           /* "/x", "@name"; empty: none */
    lun_array          *error_pages;           /* of lun_error_page */
    bool                recursive_error_pages;

    bool                log_not_found;
    bool                log_subrequest;
    lun_log            *error_log;             /* NULL: the generation's */

    lun_name_servers   *resolver;              /* NULL: the system's */
    lun_msec            resolver_timeout;
} lun_core_conf;

/* The http core as a module: the first of all. */
extern lun_http_module  lun_http_core;

static inline const lun_core_conf *
lun_core_conf_of(const lun_request *r)
{
    return lun_http_conf(r, &lun_http_core);
}


/* The resolver of these settings; one per worker and directive. */
static inline lun_resolver *
lun_http_resolver(lun_generation *gen, const lun_core_conf *conf)
{
    return lun_name_servers_resolver(lun_engine_find(gen, &lun_http),
                                     conf->resolver);
}

/* Setters with a file of their own: core_types.c, core_pages.c, core_root.c. */
lun_set_fn  lun_set_types;
lun_set_fn  lun_set_root;
lun_set_fn  lun_set_disable_symlinks;
lun_set_fn  lun_set_error_page;
lun_set_fn  lun_set_no_error_pages;
/* A folder for temporary files: the field is a lun_temp_path *. */
lun_set_fn  lun_set_temp_path;
/*
 * A new file in it; `path`, which has room for `size` bytes, gets its name.  A
 * folder that is gone is made again.
 */
lun_err lun_temp_path_open(const lun_temp_path *temp, char *path, size_t size,
    lun_fd *fd);
/* The same for a request, in whose pool its name is; ERROR: logged. */
lun_rc lun_temp_path_open_for(lun_request *r, const lun_temp_path *temp,
    lun_fd *fd, lun_str *name);
/* In init: a default one, where it counts; the master makes it. */
void lun_http_want_folder(lun_generation *gen, const char *path);

/* The types that count where no `types` is given. */
lun_hash *lun_http_default_types(lun_pool *pool);

/*
 * gzip_types and its kin: text/html (or what .data says), and the media types
 * that follow; the field is a lun_hash *, NULL for "*".  Whether the answer is
 * of one of them.
 */
lun_set_fn  lun_set_media_types;
bool lun_http_is_type(const lun_request *r, const lun_hash *types);

/* The log of a location's settings becomes the connection's. */
void lun_http_use_log(lun_request *r);

#endif
