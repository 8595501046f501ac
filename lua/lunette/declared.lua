-- declared.lua -- types and functions that lua-resty-core declares to LuaJIT:
-- once it is loaded they are there for everybody, and libraries call them. A
-- machine with a core of the user's has those of that one instead.
--
-- Written by t/exports/declared.lua, from lua-resty-core 0.1.33. `@` stands for
-- the protocol, $R for the type of its requests.
--
-- SPDX-License-Identifier: BSD-2-Clause

local types = {
    both = [[
typedef intptr_t ngx_int_t;
typedef int ngx_pid_t;
typedef uintptr_t ngx_msec_t;
typedef unsigned char u_char;
typedef struct ngx_@_lua_sema_s ngx_@_lua_sema_t;
typedef void * ndk_set_var_value_pt;
typedef struct ngx_@_lua_script_engine_s *ngx_@_lua_script_engine_t;
typedef struct ngx_@_lua_socket_tcp_upstream_s
    ngx_@_lua_socket_tcp_upstream_t;
typedef struct { size_t len; const unsigned char *data; } ngx_str_t;
typedef struct { int len; const unsigned char *data; } ngx_@_lua_ffi_str_t;
typedef struct { ngx_str_t value; void *lengths; void *values; }
    ngx_@_lua_complex_value_t;
typedef struct { void *pool; unsigned char *name_table; int name_count; int
    name_entry_size; int ncaptures; int *captures; void *regex; void
    *regex_sd; ngx_@_lua_complex_value_t *replace; const char *pattern; }
    ngx_@_lua_regex_t;
typedef struct { void *zone; const unsigned char *key; size_t key_len; int
    *value_type; unsigned char **str_value_buf; size_t *str_value_len; double
    *num_value; int *user_flags; int get_stale; int *is_stale; char **errmsg;
    } ngx_@_lua_shdict_get_params_t;
typedef struct { void *zone; int op; const unsigned char *key; size_t
    key_len; int value_type; const unsigned char *str_value_buf; size_t
    str_value_len; double num_value; long exptime; int user_flags; char
    **errmsg; int *forcible; } ngx_@_lua_shdict_store_params_t;
typedef struct { void *zone; const unsigned char *key; size_t key_len; double
    *num_value; char **errmsg; int has_init; double init; long init_ttl; int
    *forcible; } ngx_@_lua_shdict_incr_params_t;
]],
    http = [[
typedef struct ngx_@_lua_pipe_s ngx_@_lua_pipe_t;
typedef struct ngx_@_request_s $R;
typedef struct { ngx_pid_t _pid; ngx_msec_t write_timeout; ngx_msec_t
    stdout_read_timeout; ngx_msec_t stderr_read_timeout; ngx_msec_t
    wait_timeout; ngx_@_lua_pipe_t *pipe; } ngx_@_lua_ffi_pipe_proc_t;
typedef struct { ngx_@_lua_ffi_str_t key; ngx_@_lua_ffi_str_t value; }
    ngx_@_lua_ffi_table_elt_t;
typedef struct { $R *r; const char *key_data; size_t key_len; int is_nil;
    const char *sval; size_t sval_len; void *mvals; size_t mvals_len; int
    override; char **errmsg; } ngx_@_lua_set_resp_header_params_t;
]],
    stream = [[
typedef struct ngx_@_lua_request_s $R;
]],
}

local functions = {
    both = [[
const char *ngx_@_lua_ffi_pcre_version(void);
double ngx_@_lua_ffi_now(void);
double ngx_@_lua_ffi_req_start_time($R *);
int ngx_@_lua_ffi_balancer_get_last_failure($R *, int *, char **);
int ngx_@_lua_ffi_balancer_set_more_tries($R *, int, char **);
int ngx_@_lua_ffi_cert_pem_to_der(const unsigned char *, size_t, unsigned
    char *, char **);
int ngx_@_lua_ffi_compile_replace_template(ngx_@_lua_regex_t *, const
    unsigned char *, size_t);
int ngx_@_lua_ffi_decode_base64(const unsigned char *, size_t, unsigned char
    *, size_t *);
int ngx_@_lua_ffi_enable_privileged_agent(char **, unsigned int);
int ngx_@_lua_ffi_errlog_get_msg(char **, int *, unsigned char *, size_t *,
    double *);
int ngx_@_lua_ffi_errlog_get_sys_filter_level($R *);
int ngx_@_lua_ffi_errlog_set_filter_level(int, unsigned char *, size_t *);
int ngx_@_lua_ffi_exec_regex(ngx_@_lua_regex_t *, int, const unsigned char *,
    size_t, int);
int ngx_@_lua_ffi_exit($R *, int, unsigned char *, size_t *);
int ngx_@_lua_ffi_get_conf_env(const unsigned char *, unsigned char **,
    size_t *);
int ngx_@_lua_ffi_get_ctx_ref($R *, int *, int *);
int ngx_@_lua_ffi_get_process_type(void);
int ngx_@_lua_ffi_get_resp_status($R *);
int ngx_@_lua_ffi_master_pid(void);
int ngx_@_lua_ffi_priv_key_pem_to_der(const unsigned char *, size_t, const
    unsigned char *, unsigned char *, char **);
int ngx_@_lua_ffi_proxy_ssl_clear_certs($R *, char **);
int ngx_@_lua_ffi_proxy_ssl_get_tls1_version($R *, char **);
int ngx_@_lua_ffi_proxy_ssl_get_verify_result($R *, char **);
int ngx_@_lua_ffi_proxy_ssl_set_der_certificate($R *, const char *, size_t,
    char **);
int ngx_@_lua_ffi_proxy_ssl_set_der_private_key($R *, const char *, size_t,
    char **);
int ngx_@_lua_ffi_proxy_ssl_set_verify_result($R *, int, char **);
int ngx_@_lua_ffi_raw_log($R *, int, const unsigned char *, size_t);
int ngx_@_lua_ffi_req_shared_ssl_ciphers($R *, unsigned short *, unsigned
    short *, int, char **);
int ngx_@_lua_ffi_sema_count(ngx_@_lua_sema_t *);
int ngx_@_lua_ffi_sema_new(ngx_@_lua_sema_t **, int, char **);
int ngx_@_lua_ffi_sema_post(ngx_@_lua_sema_t *, int);
int ngx_@_lua_ffi_sema_wait($R *, ngx_@_lua_sema_t *, int, unsigned char *,
    size_t *);
int ngx_@_lua_ffi_set_cert(void *, void *, char **);
int ngx_@_lua_ffi_set_ctx_ref($R *, int);
int ngx_@_lua_ffi_set_jit_stack_size(int, unsigned char *, size_t *);
int ngx_@_lua_ffi_set_priv_key(void *, void *, char **);
int ngx_@_lua_ffi_sha1_bin(const unsigned char *, size_t, unsigned char *);
int ngx_@_lua_ffi_shdict_flush_all(void *);
int ngx_@_lua_ffi_shdict_get(void *, const unsigned char *, size_t, int *,
    unsigned char **, size_t *, double *, int *, int, int *, char **);
int ngx_@_lua_ffi_shdict_get_macos(ngx_@_lua_shdict_get_params_t *);
int ngx_@_lua_ffi_shdict_incr(void *, const unsigned char *, size_t, double
    *, char **, int, double, long, int *);
int ngx_@_lua_ffi_shdict_incr_macos(ngx_@_lua_shdict_incr_params_t *);
int ngx_@_lua_ffi_shdict_set_expire(void *, const unsigned char *, size_t,
    long);
int ngx_@_lua_ffi_shdict_store(void *, int, const unsigned char *, size_t,
    int, const unsigned char *, size_t, double, long, int, char **, int *);
int ngx_@_lua_ffi_shdict_store_macos(ngx_@_lua_shdict_store_params_t *);
int ngx_@_lua_ffi_socket_tcp_get_ssl_ctx($R *,
    ngx_@_lua_socket_tcp_upstream_t *, void **, char **);
int ngx_@_lua_ffi_socket_tcp_get_ssl_pointer($R *,
    ngx_@_lua_socket_tcp_upstream_t *, void **, char **);
int ngx_@_lua_ffi_socket_tcp_getfd($R *, ngx_@_lua_socket_tcp_upstream_t *,
    char **);
int ngx_@_lua_ffi_socket_tcp_getoption(ngx_@_lua_socket_tcp_upstream_t *,
    int, int *, unsigned char *, size_t *);
int ngx_@_lua_ffi_socket_tcp_setoption(ngx_@_lua_socket_tcp_upstream_t *,
    int, int, unsigned char *, size_t *);
int ngx_@_lua_ffi_ssl_clear_certs($R *, char **);
int ngx_@_lua_ffi_ssl_get_client_hello_ext($R *, unsigned int, const unsigned
    char **, size_t *, char **);
int ngx_@_lua_ffi_ssl_get_client_hello_server_name($R *, const char **,
    size_t *, char **);
int ngx_@_lua_ffi_ssl_get_tls1_version($R *, char **);
int ngx_@_lua_ffi_ssl_raw_client_addr($R *, char **, size_t *, int *, char
    **);
int ngx_@_lua_ffi_ssl_raw_server_addr($R *, char **, size_t *, int *, char
    **);
int ngx_@_lua_ffi_ssl_server_name($R *, char **, size_t *, char **);
int ngx_@_lua_ffi_ssl_server_port($R *, unsigned short *, char **);
int ngx_@_lua_ffi_ssl_set_der_certificate($R *, const char *, size_t, char
    **);
int ngx_@_lua_ffi_ssl_set_der_private_key($R *, const char *, size_t, char
    **);
int ngx_@_lua_ffi_ssl_set_protocols($R *, int, char **);
int ngx_@_lua_ffi_ssl_verify_client(void *, void *, void *, int, char **);
int ngx_@_lua_ffi_var_get($R *, const char *, size_t, char *, int, char **,
    size_t *, char **);
int ngx_@_lua_ffi_var_set($R *, const unsigned char *, size_t, unsigned char
    *, const unsigned char *, size_t, unsigned char *, size_t *);
int ngx_@_lua_ffi_worker_count(void);
int ngx_@_lua_ffi_worker_exiting(void);
int ngx_@_lua_ffi_worker_id(void);
int ngx_@_lua_ffi_worker_pid(void);
int ngx_@_lua_ffi_worker_pids(int *, size_t *);
long ngx_@_lua_ffi_monotonic_msec(void);
long ngx_@_lua_ffi_shdict_get_ttl(void *, const unsigned char *, size_t);
long ngx_@_lua_ffi_time(void);
ngx_@_lua_regex_t *ngx_@_lua_ffi_compile_regex(const unsigned char *, size_t,
    int, int, unsigned char *, size_t);
ngx_@_lua_script_engine_t *ngx_@_lua_ffi_create_script_engine(void);
ngx_int_t ngx_decode_base64url(ngx_str_t *, ngx_str_t *);
size_t ngx_@_lua_ffi_encode_base64(const unsigned char *, size_t, unsigned
    char *, int);
size_t ngx_@_lua_ffi_script_eval_data(ngx_@_lua_script_engine_t *,
    ngx_@_lua_complex_value_t *, unsigned char *);
size_t ngx_@_lua_ffi_script_eval_len(ngx_@_lua_script_engine_t *,
    ngx_@_lua_complex_value_t *);
size_t ngx_@_lua_ffi_shdict_capacity(void *);
size_t ngx_@_lua_ffi_shdict_free_space(void *);
size_t ngx_@_lua_ffi_unescape_uri(const unsigned char *, size_t, unsigned
    char *);
size_t ngx_@_lua_ffi_uri_escaped_length(const unsigned char *, size_t, int);
uint32_t ngx_@_lua_ffi_max_regex_cache_size(void);
unsigned int ngx_@_lua_ffi_crc32_long(const unsigned char *, size_t);
unsigned int ngx_@_lua_ffi_crc32_short(const unsigned char *, size_t);
void *ngx_@_lua_ffi_get_req_ssl_pointer($R *, char **);
void *ngx_@_lua_ffi_get_upstream_ssl_pointer($R *, char **);
void *ngx_@_lua_ffi_parse_pem_cert(const unsigned char *, size_t, char **);
void *ngx_@_lua_ffi_parse_pem_priv_key(const unsigned char *, size_t, char
    **);
void *ngx_@_lua_ffi_proxy_ssl_get_verify_cert($R *, char **);
void *ngx_@_lua_ffi_shdict_udata_to_zone(void *);
void ngx_encode_base64url(ngx_str_t *, ngx_str_t *);
void ngx_@_lua_ffi_destroy_regex(ngx_@_lua_regex_t *);
void ngx_@_lua_ffi_destroy_script_engine(ngx_@_lua_script_engine_t *);
void ngx_@_lua_ffi_escape_uri(const unsigned char *, size_t, unsigned char *,
    int);
void ngx_@_lua_ffi_free_cert(void *);
void ngx_@_lua_ffi_free_priv_key(void *);
void ngx_@_lua_ffi_init_script_engine(ngx_@_lua_script_engine_t *, const
    unsigned char *, ngx_@_lua_regex_t *, int);
void ngx_@_lua_ffi_localtime(unsigned char *);
void ngx_@_lua_ffi_md5(const unsigned char *, size_t, unsigned char *);
void ngx_@_lua_ffi_md5_bin(const unsigned char *, size_t, unsigned char *);
void ngx_@_lua_ffi_process_signal_graceful_exit(void);
void ngx_@_lua_ffi_proxy_ssl_free_verify_cert(void *);
void ngx_@_lua_ffi_sema_gc(ngx_@_lua_sema_t *);
void ngx_@_lua_ffi_today(unsigned char *);
void ngx_@_lua_ffi_update_time(void);
void ngx_@_lua_ffi_utctime(unsigned char *);
]],
    http = [[
int ngx_@_lua_ffi_balancer_bind_to_local_addr($R *, const u_char *, size_t,
    u_char *, size_t *);
int ngx_@_lua_ffi_balancer_enable_keepalive($R *, unsigned long, unsigned
    int, char **);
int ngx_@_lua_ffi_balancer_recreate_request($R *, char **);
int ngx_@_lua_ffi_balancer_set_current_peer($R *, const unsigned char *,
    size_t, int, const unsigned char *, ssize_t, char **);
int ngx_@_lua_ffi_balancer_set_timeouts($R *, long, long, long, char **);
int ngx_@_lua_ffi_balancer_set_upstream_tls($R *, int, char **);
int ngx_@_lua_ffi_bypass_if_checks($R *);
int ngx_@_lua_ffi_cookie_time(unsigned char *, long);
int ngx_@_lua_ffi_copy_body_filter_param_body($R *, u_char *);
int ngx_@_lua_ffi_decode_base64mime(const unsigned char *, size_t, unsigned
    char *, size_t *);
int ngx_@_lua_ffi_get_body_filter_param_body($R *, u_char **, size_t *);
int ngx_@_lua_ffi_get_body_filter_param_eof($R *);
int ngx_@_lua_ffi_get_phase($R *, char **);
int ngx_@_lua_ffi_get_resp_header($R *, const unsigned char *, size_t,
    unsigned char *, ngx_@_lua_ffi_str_t *, int, char **);
int ngx_@_lua_ffi_headers_sent($R *);
int ngx_@_lua_ffi_is_subrequest($R *);
int ngx_@_lua_ffi_ndk_lookup_directive(const unsigned char *, size_t,
    ndk_set_var_value_pt *);
int ngx_@_lua_ffi_ndk_set_var_get($R *, ndk_set_var_value_pt, const unsigned
    char *, size_t, ngx_@_lua_ffi_str_t *);
int ngx_@_lua_ffi_pipe_get_read_result($R *, ngx_@_lua_ffi_pipe_proc_t *,
    int, u_char **, size_t *, u_char *, size_t *);
int ngx_@_lua_ffi_pipe_proc_kill(ngx_@_lua_ffi_pipe_proc_t *, int, u_char *,
    size_t *);
int ngx_@_lua_ffi_pipe_proc_read($R *, ngx_@_lua_ffi_pipe_proc_t *, int, int,
    size_t, u_char **, size_t *, u_char *, size_t *);
int ngx_@_lua_ffi_pipe_proc_shutdown_stderr(ngx_@_lua_ffi_pipe_proc_t *,
    u_char *, size_t *);
int ngx_@_lua_ffi_pipe_proc_shutdown_stdin(ngx_@_lua_ffi_pipe_proc_t *,
    u_char *, size_t *);
int ngx_@_lua_ffi_pipe_proc_shutdown_stdout(ngx_@_lua_ffi_pipe_proc_t *,
    u_char *, size_t *);
int ngx_@_lua_ffi_pipe_proc_wait($R *, ngx_@_lua_ffi_pipe_proc_t *, char **,
    int *, u_char *, size_t *);
int ngx_@_lua_ffi_pipe_spawn($R *, ngx_@_lua_ffi_pipe_proc_t *, const char *,
    const char **, int, size_t, const char **, u_char *, size_t *);
int ngx_@_lua_ffi_proxy_ssl_set_cert(void *, void *, char **);
int ngx_@_lua_ffi_proxy_ssl_set_priv_key(void *, void *, char **);
int ngx_@_lua_ffi_req_get_headers($R *, ngx_@_lua_ffi_table_elt_t *, int,
    int);
int ngx_@_lua_ffi_req_get_headers_count($R *, int, int *);
int ngx_@_lua_ffi_req_get_method($R *);
int ngx_@_lua_ffi_req_get_method_name($R *, unsigned char **, size_t *);
int ngx_@_lua_ffi_req_get_uri_args($R *, unsigned char *,
    ngx_@_lua_ffi_table_elt_t *, int);
int ngx_@_lua_ffi_req_get_uri_args_count($R *, int, int *);
int ngx_@_lua_ffi_req_is_internal($R *);
int ngx_@_lua_ffi_req_set_header($R *, const unsigned char *, size_t, const
    unsigned char *, size_t, ngx_@_lua_ffi_str_t *, size_t, int, char **);
int ngx_@_lua_ffi_req_set_method($R *, int);
int ngx_@_lua_ffi_set_resp_header($R *, const char *, size_t, int, const char
    *, size_t, ngx_@_lua_ffi_str_t *, size_t, int, char **);
int ngx_@_lua_ffi_set_resp_header_macos(ngx_@_lua_set_resp_header_params_t
    *);
int ngx_@_lua_ffi_set_resp_status($R *, int);
int ngx_@_lua_ffi_set_resp_status_and_reason($R *, int, const char *,
    size_t);
int ngx_@_lua_ffi_socket_tcp_get_sslhandshake_result($R *,
    ngx_@_lua_socket_tcp_upstream_t *, void **, char **, int *);
int ngx_@_lua_ffi_socket_tcp_settrustedstore($R *,
    ngx_@_lua_socket_tcp_upstream_t *, void *, char **);
int ngx_@_lua_ffi_socket_tcp_sslhandshake($R *,
    ngx_@_lua_socket_tcp_upstream_t *, void *, int, ngx_str_t *, int, int,
    void *, void *, char **);
int ngx_@_lua_ffi_ssl_client_random($R *, const unsigned char *, size_t *,
    char **);
int ngx_@_lua_ffi_ssl_create_ocsp_request(const char *, size_t, unsigned char
    *, size_t *, char **);
int ngx_@_lua_ffi_ssl_export_keying_material(void *, unsigned char *, size_t,
    const char *, size_t, const unsigned char *, size_t, int, char **);
int ngx_@_lua_ffi_ssl_export_keying_material_early(void *, unsigned char *,
    size_t, const char *, size_t, const unsigned char *, size_t, char **);
int ngx_@_lua_ffi_ssl_get_client_hello_ciphers($R *, unsigned short *,
    size_t, char **);
int ngx_@_lua_ffi_ssl_get_client_hello_ext_present($R *, int **, size_t *,
    char **);
int ngx_@_lua_ffi_ssl_get_ocsp_responder_from_der_chain(const char *, size_t,
    char *, size_t *, char **);
int ngx_@_lua_ffi_ssl_get_serialized_session($R *, char *, char **);
int ngx_@_lua_ffi_ssl_get_serialized_session_size($R *, char **);
int ngx_@_lua_ffi_ssl_get_session_id($R *, char *, char **);
int ngx_@_lua_ffi_ssl_get_session_id_size($R *, char **);
int ngx_@_lua_ffi_ssl_server_random($R *, const unsigned char *, size_t *,
    char **);
int ngx_@_lua_ffi_ssl_session_master_key($R *, const unsigned char *, size_t
    *, char **);
int ngx_@_lua_ffi_ssl_set_ocsp_status_resp($R *, const unsigned char *,
    size_t, char **);
int ngx_@_lua_ffi_ssl_set_serialized_session($R *, const unsigned char *,
    int, char **);
int ngx_@_lua_ffi_ssl_validate_ocsp_response(const unsigned char *, size_t,
    const char *, size_t, unsigned char *, size_t *, long *);
int ngx_@_lua_socket_tcp_get_ssl_session($R *,
    ngx_@_lua_socket_tcp_upstream_t *, void **, char **);
size_t ngx_@_lua_ffi_req_get_querystring_len($R *);
ssize_t ngx_@_lua_ffi_pipe_get_write_result($R *, ngx_@_lua_ffi_pipe_proc_t
    *, u_char *, size_t *);
ssize_t ngx_@_lua_ffi_pipe_proc_write($R *, ngx_@_lua_ffi_pipe_proc_t *,
    const u_char *, size_t, u_char *, size_t *);
void *ngx_@_lua_ffi_parse_der_cert(const char *, size_t, char **);
void *ngx_@_lua_ffi_parse_der_priv_key(const char *, size_t, char **);
void ngx_@_lua_ffi_get_setby_param($R *, int, u_char **, size_t *);
void ngx_@_lua_ffi_http_time(unsigned char *, long);
void ngx_@_lua_ffi_parse_http_time(const unsigned char *, size_t, long *);
void ngx_@_lua_ffi_pipe_proc_destroy(ngx_@_lua_ffi_pipe_proc_t *);
void ngx_@_lua_ffi_ssl_free_session(void *);
void ngx_@_lua_ffi_str_replace_char(unsigned char *, size_t, const unsigned
    char, const unsigned char);
]],
    stream = [[
int ngx_@_lua_ffi_balancer_bind_to_local_addr($R *, const char *, size_t,
    char *, size_t *);
int ngx_@_lua_ffi_balancer_set_current_peer($R *, const unsigned char *,
    size_t, int, char **);
int ngx_@_lua_ffi_balancer_set_timeouts($R *, long, long, char **);
int ngx_@_lua_ffi_proxy_ssl_set_cert($R *, void *, char **);
int ngx_@_lua_ffi_proxy_ssl_set_priv_key($R *, void *, char **);
int ngx_@_lua_ffi_req_dst_addr($R *, char *, size_t *, char *, size_t *);
int ngx_@_lua_ffi_ssl_client_random($R *, unsigned char *, size_t *, char
    **);
void *ngx_@_lua_ffi_parse_der_cert(const unsigned char *, size_t, char **);
void *ngx_@_lua_ffi_parse_der_priv_key(const unsigned char *, size_t, char
    **);
]],
}

-- --- what is made of them

local REQUEST = { http = "ngx_http_request_t",
                  stream = "ngx_stream_lua_request_t" }

local _M = { types = types, functions = functions }

-- The rows for a protocol, as C.
function _M.text(rows, protocol)
    return (((rows.both or "") .. (rows[protocol] or ""))
            :gsub("%$R", REQUEST[protocol]):gsub("@", protocol))
end

local ffi = require "ffi"
local subsystem = require("lunette.base").subsystem

ffi.cdef(_M.text(types, subsystem))
ffi.cdef(_M.text(functions, subsystem))

return _M
