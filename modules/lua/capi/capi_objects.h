/*
 * capi_objects.h -- dictionaries, regular expressions and headers, as
 * lua-resty-core declares them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_CAPI_OBJECTS_H
#define LUN_LUA_CAPI_OBJECTS_H

#include "modules/lua/capi/capi.h"

/* ngx_http_lua_complex_value_t */
typedef struct {
    lun_str   value;
    void     *lengths;             /* NULL: `value` is all of it */
    void     *values;
} lun_capi_template;

/* ngx_http_lua_regex_t, and what is ours behind it. */
typedef struct {
    void               *pool;
    unsigned char      *name_table;
    int                 name_count;
    int                 name_entry_size;
    int                 ncaptures;         /* without the whole match */
    int                *captures;
    void               *regex;
    void               *regex_sd;
    lun_capi_template  *replace;
    const char         *pattern;
    bool                dfa;
} lun_capi_re;

/* ngx_http_lua_script_engine_t */
typedef struct lun_capi_script  lun_capi_script;

/* The same arguments in a struct, for systems where there are too many. */
typedef struct {
    void         *zone;
    const char   *key;
    size_t        key_len;
    int          *value_type;
    char        **str_value_buf;
    size_t       *str_value_len;
    double       *num_value;
    int          *user_flags;
    int           get_stale;
    int          *is_stale;
    const char  **errmsg;
} lun_capi_shdict_get;

typedef struct {
    void         *zone;
    int           op;
    const char   *key;
    size_t        key_len;
    int           value_type;
    const char   *str_value_buf;
    size_t        str_value_len;
    double        num_value;
    long          exptime;
    int           user_flags;
    const char  **errmsg;
    int          *forcible;
} lun_capi_shdict_store;

typedef struct {
    void         *zone;
    const char   *key;
    size_t        key_len;
    double       *num_value;
    const char  **errmsg;
    int           has_init;
    double        init;
    long          init_ttl;
    int          *forcible;
} lun_capi_shdict_incr;

typedef struct {
    void          *r;
    const char    *key_data;
    size_t         key_len;
    int            is_nil;
    const char    *sval;
    size_t         sval_len;
    lun_capi_str  *mvals;
    size_t         mvals_len;
    int            override;
    const char   **errmsg;
} lun_capi_set_header;

/* ngx_http_lua_value_t; the text's place and room are the caller's. */
typedef struct {
    uint8_t  type;                 /* Lua's number of it */

    union {
        int     boolean;
        double  number;

        struct {
            size_t  len;
            char   *data;
        } text;
    } as;
} lun_capi_value;

/* capi_shdict.c */

LUN_EXPORT void *ngx_http_lua_find_zone(const char *name, size_t len);
LUN_EXPORT void *ngx_stream_lua_find_zone(const char *name, size_t len);
LUN_EXPORT intptr_t ngx_http_lua_shared_dict_get(void *zone, const char *key,
    size_t key_len, lun_capi_value *value);
LUN_EXPORT intptr_t ngx_stream_lua_shared_dict_get(void *zone, const char *key,
    size_t key_len, lun_capi_value *value);
LUN_EXPORT void *ngx_http_lua_ffi_shdict_udata_to_zone(void *zone_udata);
LUN_EXPORT int ngx_http_lua_ffi_shdict_get(void *zone, const char *key, size_t
    key_len, int *value_type, char **str_value_buf, size_t *str_value_len,
    double *num_value, int *user_flags, int get_stale, int *is_stale, const
    char **errmsg);
LUN_EXPORT int ngx_http_lua_ffi_shdict_store(void *zone, int op, const char
    *key, size_t key_len, int value_type, const char *str_value_buf, size_t
    str_value_len, double num_value, long exptime, int user_flags, const char
    **errmsg, int *forcible);
LUN_EXPORT int ngx_http_lua_ffi_shdict_incr(void *zone, const char *key,
    size_t key_len, double *value, const char **err, int has_init, double
    init, long init_ttl, int *forcible);
LUN_EXPORT int ngx_http_lua_ffi_shdict_get_macos(lun_capi_shdict_get *p);
LUN_EXPORT int ngx_http_lua_ffi_shdict_store_macos(lun_capi_shdict_store *p);
LUN_EXPORT int ngx_http_lua_ffi_shdict_incr_macos(lun_capi_shdict_incr *p);
LUN_EXPORT long ngx_http_lua_ffi_shdict_get_ttl(void *zone, const char *key,
    size_t key_len);
LUN_EXPORT int ngx_http_lua_ffi_shdict_set_expire(void *zone, const char *key,
    size_t key_len, long exptime);
LUN_EXPORT size_t ngx_http_lua_ffi_shdict_capacity(void *zone);
LUN_EXPORT size_t ngx_http_lua_ffi_shdict_free_space(void *zone);
LUN_EXPORT int ngx_http_lua_ffi_shdict_flush_all(void *zone);

/* capi_re.c */

LUN_EXPORT lun_capi_re *ngx_http_lua_ffi_compile_regex(const char *pat, size_t
    pat_len, int flags, int pcre_opts, char *errstr, size_t errstr_size);
LUN_EXPORT int ngx_http_lua_ffi_exec_regex(lun_capi_re *re, int flags, const
    char *s, size_t len, int pos);
LUN_EXPORT void ngx_http_lua_ffi_destroy_regex(lun_capi_re *re);
LUN_EXPORT uint32_t ngx_http_lua_ffi_max_regex_cache_size(void);
LUN_EXPORT int ngx_http_lua_ffi_set_jit_stack_size(int size, char *errstr,
    size_t *errstr_size);
LUN_EXPORT const char *ngx_http_lua_ffi_pcre_version(void);
LUN_EXPORT int ngx_http_lua_ffi_compile_replace_template(lun_capi_re *re,
    const char *replace_data, size_t replace_len);
LUN_EXPORT lun_capi_script *ngx_http_lua_ffi_create_script_engine(void);
LUN_EXPORT void ngx_http_lua_ffi_init_script_engine(lun_capi_script *e, const
    char *subj, const lun_capi_re *compiled, int count);
LUN_EXPORT void ngx_http_lua_ffi_destroy_script_engine(lun_capi_script *e);
LUN_EXPORT size_t ngx_http_lua_ffi_script_eval_len(lun_capi_script *e, const
    lun_capi_template *cv);
LUN_EXPORT size_t ngx_http_lua_ffi_script_eval_data(lun_capi_script *e, const
    lun_capi_template *cv, char *dst);

/* capi_header.c */

LUN_EXPORT int ngx_http_lua_ffi_req_get_headers_count(void *r, int max, int
    *truncated);
LUN_EXPORT int ngx_http_lua_ffi_req_get_headers(void *r, lun_capi_pair *out,
    int count, int raw);
LUN_EXPORT int ngx_http_lua_ffi_req_set_header(void *r, const char *key,
    size_t key_len, const char *value, size_t value_len, lun_capi_str *mvals,
    size_t mvals_len, int override, const char **errmsg);
LUN_EXPORT int ngx_http_lua_ffi_req_get_method_name(void *r, const char
    **name, size_t *len);
LUN_EXPORT size_t ngx_http_lua_ffi_req_get_querystring_len(void *r);
LUN_EXPORT int ngx_http_lua_ffi_req_get_uri_args_count(void *r, int max, int
    *truncated);
LUN_EXPORT int ngx_http_lua_ffi_req_get_uri_args(void *r, char *buf, void *out,
    int count);
LUN_EXPORT int ngx_http_lua_ffi_get_resp_header(void *r, const char *key,
    size_t key_len, char *key_buf, lun_capi_str *values, int max_nvalues,
    const char **errmsg);
LUN_EXPORT int ngx_http_lua_ffi_set_resp_header(void *r, const char *key_data,
    size_t key_len, int is_nil, const char *sval, size_t sval_len,
    lun_capi_str *mvals, size_t mvals_len, int override, const char **errmsg);
LUN_EXPORT int ngx_http_lua_ffi_set_resp_header_macos(lun_capi_set_header *p);

#endif
