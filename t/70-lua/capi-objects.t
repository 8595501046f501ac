# Functions of ngx_lua that libraries declare to LuaJIT: all of them are there,
# and those of dictionaries, expressions and headers do what they say.

__DATA__


=== all names are found in the program
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            local count = 0
            for name in ([[
            balancer_bind_to_local_addr balancer_enable_keepalive
            balancer_get_last_failure balancer_recreate_request
            balancer_set_current_peer balancer_set_more_tries
            balancer_set_timeouts balancer_set_upstream_tls bypass_if_checks
            cert_pem_to_der compile_regex compile_replace_template cookie_time
            copy_body_filter_param_body crc32_long crc32_short
            create_script_engine decode_base64 decode_base64mime destroy_regex
            destroy_script_engine enable_privileged_agent encode_base64
            errlog_get_msg errlog_get_sys_filter_level errlog_set_filter_level
            escape_uri exec_regex exit free_cert free_priv_key
            get_body_filter_param_body get_body_filter_param_eof get_conf_env
            get_ctx_ref get_phase get_process_type get_req_ssl_pointer
            get_resp_header get_resp_status get_setby_param headers_sent
            http_time init_script_engine is_subrequest localtime master_pid
            max_regex_cache_size md5 md5_bin monotonic_msec
            ndk_lookup_directive ndk_set_var_get now parse_der_cert
            parse_der_priv_key parse_http_time parse_pem_cert
            parse_pem_priv_key pcre_version priv_key_pem_to_der
            process_signal_graceful_exit proxy_ssl_clear_certs
            proxy_ssl_free_verify_cert proxy_ssl_get_tls1_version
            proxy_ssl_get_verify_cert proxy_ssl_get_verify_result
            proxy_ssl_set_cert proxy_ssl_set_der_certificate
            proxy_ssl_set_der_private_key proxy_ssl_set_priv_key
            proxy_ssl_set_verify_result raw_log req_get_headers
            req_get_headers_count req_get_method req_get_method_name
            req_get_querystring_len req_get_uri_args req_get_uri_args_count
            req_is_internal req_set_header req_set_method req_start_time
            script_eval_data script_eval_len set_cert set_ctx_ref
            set_jit_stack_size set_priv_key set_resp_header
            set_resp_header_macos set_resp_status set_resp_status_and_reason
            sha1_bin shdict_capacity shdict_flush_all shdict_free_space
            shdict_get shdict_get_macos shdict_get_ttl shdict_incr
            shdict_incr_macos shdict_set_expire shdict_store
            shdict_store_macos shdict_udata_to_zone ssl_clear_certs
            ssl_client_random ssl_create_ocsp_request
            ssl_export_keying_material ssl_export_keying_material_early
            ssl_free_session ssl_get_client_hello_ciphers
            ssl_get_client_hello_ext ssl_get_client_hello_ext_present
            ssl_get_client_hello_server_name
            ssl_get_ocsp_responder_from_der_chain ssl_get_serialized_session
            ssl_get_serialized_session_size ssl_get_session_id
            ssl_get_session_id_size ssl_get_tls1_version ssl_raw_client_addr
            ssl_raw_server_addr ssl_server_name ssl_server_port
            ssl_server_random ssl_session_master_key ssl_set_der_certificate
            ssl_set_der_private_key ssl_set_ocsp_status_resp ssl_set_protocols
            ssl_set_serialized_session ssl_validate_ocsp_response
            ssl_verify_client str_replace_char time today unescape_uri
            update_time uri_escaped_length utctime var_get var_set
            worker_count worker_exiting worker_id worker_pid worker_pids
            ]]):gmatch("%S+") do
                name = "ngx_http_lua_ffi_" .. name
                ffi.cdef("int " .. name .. "();")
                count = count + 1
                if not pcall(function () return ffi.C[name] end) then
                    ngx.say("no ", name)
                end
            end
            ngx.say(count)
        }
    }
--- response_body
150



=== dictionaries
--- http_config
    lua_shared_dict dict 1m;
    init_by_lua_block {
        ffi = require "ffi"
        ffi.cdef [[
        void *ngx_http_lua_ffi_shdict_udata_to_zone(void *udata);
        int ngx_http_lua_ffi_shdict_get(void *zone, const unsigned char *key,
            size_t key_len, int *value_type, unsigned char **str_value_buf,
            size_t *str_value_len, double *num_value, int *user_flags,
            int get_stale, int *is_stale, char **errmsg);
        int ngx_http_lua_ffi_shdict_store(void *zone, int op,
            const unsigned char *key, size_t key_len, int value_type,
            const unsigned char *str_value_buf, size_t str_value_len,
            double num_value, long exptime, int user_flags, char **errmsg,
            int *forcible);
        int ngx_http_lua_ffi_shdict_incr(void *zone, const unsigned char *key,
            size_t key_len, double *value, char **err, int has_init,
            double init, long init_ttl, int *forcible);
        long ngx_http_lua_ffi_shdict_get_ttl(void *zone,
            const unsigned char *key, size_t key_len);
        int ngx_http_lua_ffi_shdict_set_expire(void *zone,
            const unsigned char *key, size_t key_len, long exptime);
        size_t ngx_http_lua_ffi_shdict_capacity(void *zone);
        int ngx_http_lua_ffi_shdict_flush_all(void *zone);
        void free(void *p);
        ]]
    }
--- config
    location = /t {
        content_by_lua_block {
            local C, new = ffi.C, ffi.new
            local d = C.ngx_http_lua_ffi_shdict_udata_to_zone(
                          ngx.shared.dict[1])
            local err, forced = new("char *[1]"), new("int[1]")
            local kind, flags = new("int[1]"), new("int[1]")
            local stale, num = new("int[1]"), new("double[1]")
            local room, buf = new("unsigned char[8]"),
                              new("unsigned char *[1]")
            local len = new("size_t[1]")

            local function store(op, key, t, s, n, ttl, f)
                local rc = C.ngx_http_lua_ffi_shdict_store(d, op, key, #key, t,
                    s, s and #s or 0, n or 0, ttl or 0, f or 0, err, forced)
                return rc, rc ~= 0 and ffi.string(err[0]) or nil
            end
            local function get(key)
                buf[0], len[0] = room, 8
                local rc = C.ngx_http_lua_ffi_shdict_get(d, key, #key, kind,
                    buf, len, num, flags, 0, stale, err)
                if rc ~= 0 then
                    return rc, ffi.string(err[0])
                end
                if kind[0] == 4 then
                    local text = ffi.string(buf[0], len[0])
                    if buf[0] ~= room then
                        C.free(buf[0])
                    end
                    return text, flags[0]
                end
                return kind[0], kind[0] ~= 0 and num[0] or " nil"
            end
            local function incr(key, n, init)
                num[0] = n
                local rc = C.ngx_http_lua_ffi_shdict_incr(d, key, #key, num,
                    err, init and 1 or 0, init or 0, 0, forced)
                return rc, rc == 0 and num[0] or ffi.string(err[0])
            end

            ngx.say(store(0, "s", 4, "short", 0, 0, 7), " ", get("s"))
            ngx.say(store(0, "l", 4, ("x"):rep(100)), " ", #get("l"))
            ngx.say(store(0, "n", 3, nil, 1.5), " ", get("n"))
            ngx.say(store(0, "b", 1, nil, 1), " ", get("b"))
            ngx.say(get("none"))
            ngx.say(store(1, "s", 4, "x"))
            ngx.say(store(2, "none", 4, "x"))
            ngx.say(store(0, "s", 9, "x"))
            ngx.say(incr("n", 2))
            ngx.say(incr("s", 2))
            ngx.say(incr("new", 2))
            ngx.say(incr("new", 2, 40))
            ngx.shared.dict:lpush("list", 1)
            ngx.say(get("list"))
            ngx.say(C.ngx_http_lua_ffi_shdict_set_expire(d, "s", 1, 50000))
            local ttl = tonumber(C.ngx_http_lua_ffi_shdict_get_ttl(d, "s", 1))
            ngx.say(ttl > 40000 and ttl <= 50000)
            ngx.say(tonumber(C.ngx_http_lua_ffi_shdict_get_ttl(d, "x", 1)),
                    C.ngx_http_lua_ffi_shdict_set_expire(d, "x", 1, 1))
            ngx.say(tonumber(C.ngx_http_lua_ffi_shdict_capacity(d)))
            C.ngx_http_lua_ffi_shdict_flush_all(d)
            ngx.say(get("s"))
        }
    }
--- response_body
0 short7
0 100
0 31.5
0 11
0 nil
-5exists
-5not found
-1unsupported value type
03.5
-1not a number
-1not found
042
-1value is a list
0
true
-5-5
1048576
0 nil



=== regular expressions, and what replaces their matches
--- http_config
    init_by_lua_block {
        ffi = require "ffi"
        ffi.cdef [[
        typedef struct {
            ngx_str_t   value;
            void       *lengths;
            void       *values;
        } ngx_http_lua_complex_value_t;
        typedef struct {
            void                         *pool;
            unsigned char                *name_table;
            int                           name_count;
            int                           name_entry_size;
            int                           ncaptures;
            int                          *captures;
            void                         *regex;
            void                         *regex_sd;
            ngx_http_lua_complex_value_t *replace;
            const char                   *pattern;
        } ngx_http_lua_regex_t;
        ngx_http_lua_regex_t *ngx_http_lua_ffi_compile_regex(
            const unsigned char *pat, size_t pat_len, int flags,
            int pcre_opts, unsigned char *errstr, size_t errstr_size);
        int ngx_http_lua_ffi_exec_regex(ngx_http_lua_regex_t *re, int flags,
            const unsigned char *s, size_t len, int pos);
        void ngx_http_lua_ffi_destroy_regex(ngx_http_lua_regex_t *re);
        int ngx_http_lua_ffi_compile_replace_template(
            ngx_http_lua_regex_t *re, const unsigned char *data, size_t len);
        void *ngx_http_lua_ffi_create_script_engine(void);
        void ngx_http_lua_ffi_init_script_engine(void *e,
            const unsigned char *subj, ngx_http_lua_regex_t *re, int count);
        void ngx_http_lua_ffi_destroy_script_engine(void *e);
        size_t ngx_http_lua_ffi_script_eval_len(void *e,
            ngx_http_lua_complex_value_t *cv);
        size_t ngx_http_lua_ffi_script_eval_data(void *e,
            ngx_http_lua_complex_value_t *cv, unsigned char *dst);
        uint32_t ngx_http_lua_ffi_max_regex_cache_size(void);
        const char *ngx_http_lua_ffi_pcre_version(void);
        ]]
    }
--- config
    location = /t {
        content_by_lua_block {
            local C = ffi.C
            local room = ffi.new("unsigned char[128]")
            local function compile(p, flags, opts)
                local re = C.ngx_http_lua_ffi_compile_regex(p, #p, flags,
                                                            opts, room, 128)
                if re == nil then
                    return nil, ffi.string(room)
                end
                return ffi.gc(re, C.ngx_http_lua_ffi_destroy_regex)
            end
            local function exec(re, s, pos)
                return C.ngx_http_lua_ffi_exec_regex(re, 0, s, #s, pos)
            end
            local function replace(re, s, by)
                local rc = exec(re, s, 0)
                if C.ngx_http_lua_ffi_compile_replace_template(re, by, #by)
                   ~= 0
                then
                    return "bad"
                end
                local cv = re.replace
                if cv.lengths == nil then
                    return ffi.string(cv.value.data, cv.value.len)
                end
                local e = C.ngx_http_lua_ffi_create_script_engine()
                C.ngx_http_lua_ffi_init_script_engine(e, s, re, rc)
                local n = C.ngx_http_lua_ffi_script_eval_len(e, cv)
                C.ngx_http_lua_ffi_script_eval_data(e, cv, room)
                C.ngx_http_lua_ffi_destroy_script_engine(e)
                return ffi.string(room, n)
            end

            -- 4: JIT; 8: caseless
            local re = compile("(?<word>[a-z]+) (\\d)(x)?", 4, 8)
            ngx.say(re.ncaptures, " ", re.name_count, " ",
                    re.name_table[0] * 256 + re.name_table[1], " ",
                    ffi.string(re.name_table + 2))
            ngx.say(exec(re, "-- AB 1", 0), " ", re.captures[0], " ",
                    re.captures[1], " ", re.captures[3], " ",
                    re.captures[6])
            ngx.say(exec(re, "ab 1", 3), exec(re, "ab 1", 9),
                    exec(re, "ab 1", -1))
            ngx.say(replace(re, "ab 1", "<$2-${1}$3$0$9>"))
            ngx.say(replace(re, "ab 1", "a$$b"))
            ngx.say(replace(re, "ab 1", "[" .. replace(re, "x", "") .. "]"))
            for _, by in ipairs { "$", "$x", "${1", "${}", "$1000" } do
                ngx.say(replace(re, "ab 1", by))
            end
            ngx.say(compile("(", 0, 0))
            local dfa = compile("a|ab", 2, 0)
            ngx.say(exec(dfa, "abc", 0), dfa.captures[1])
            ngx.say(C.ngx_http_lua_ffi_max_regex_cache_size())
            ngx.say(ffi.string(C.ngx_http_lua_ffi_pcre_version())
                    :match("^10%.") )
        }
    }
--- response_body
3 1 1 word
3 3 7 5 -1
-1-1-1
<1-abab 1>
a$b
[]
bad
bad
bad
bad
bad
nilpcre2_compile() failed: missing closing parenthesis in "("
12
1024
10.
--- error_log
lua script: invalid capturing variable name found in "$"
attempt to use named capturing variable "x" (named captures not supported yet)
the closing bracket in "1" variable is missing
lua script: invalid capturing variable name found in "${}"



=== headers and arguments
--- http_config
    init_by_lua_block {
        ffi = require "ffi"
        ffi.cdef [[
        int ngx_http_lua_ffi_req_get_headers_count(void *r, int max,
            int *truncated);
        int ngx_http_lua_ffi_req_get_headers(void *r,
            ngx_http_lua_ffi_table_elt_t *out, int count, int raw);
        int ngx_http_lua_ffi_req_set_header(void *r, const char *key,
            size_t key_len, const char *value, size_t value_len,
            ngx_http_lua_ffi_str_t *mvals, size_t mvals_len, int override,
            char **errmsg);
        size_t ngx_http_lua_ffi_req_get_querystring_len(void *r);
        int ngx_http_lua_ffi_req_get_uri_args_count(void *r, int max,
            int *truncated);
        int ngx_http_lua_ffi_req_get_uri_args(void *r, unsigned char *buf,
            ngx_http_lua_ffi_table_elt_t *out, int count);
        int ngx_http_lua_ffi_set_resp_header(void *r, const char *key_data,
            size_t key_len, int is_nil, const char *sval, size_t sval_len,
            ngx_http_lua_ffi_str_t *mvals, size_t mvals_len, int override,
            char **errmsg);
        int ngx_http_lua_ffi_get_resp_header(void *r, const char *key,
            size_t key_len, unsigned char *key_buf,
            ngx_http_lua_ffi_str_t *values, int max, char **errmsg);
        ]]
    }
--- config
    location = /t {
        content_by_lua_block {
            local C = ffi.C
            local err, cut = ffi.new("char *[1]"), ffi.new("int[1]")
            local list = ffi.new("ngx_http_lua_ffi_table_elt_t[16]")
            local values = ffi.new("ngx_http_lua_ffi_str_t[16]")
            local function text(s)
                return s.len < 0 and "true" or ffi.string(s.data, s.len)
            end
            local function header(raw)
                local n = C.ngx_http_lua_ffi_req_get_headers_count(nil, -1,
                                                                   cut)
                C.ngx_http_lua_ffi_req_get_headers(nil, list, n, raw)
                for i = 0, n - 1 do
                    local name = text(list[i].key)
                    if name:lower():find("^x%-") then
                        ngx.print(name, "=", text(list[i].value), " ")
                    end
                end
                ngx.say()
            end

            header(0)
            header(1)
            ngx.say(C.ngx_http_lua_ffi_req_get_headers_count(nil, 1, cut),
                    cut[0])
            values[0].data, values[0].len = "one", 3
            values[1].data, values[1].len = "two", 3
            C.ngx_http_lua_ffi_req_set_header(nil, "X-B", 3, nil, 0, values, 2,
                                              1, err)
            C.ngx_http_lua_ffi_req_set_header(nil, "X-A", 3, nil, 0, nil, 0, 1,
                                              err)
            header(0)

            local n = C.ngx_http_lua_ffi_req_get_uri_args_count(nil, -1, cut)
            local room = ffi.new("unsigned char[?]",
                C.ngx_http_lua_ffi_req_get_querystring_len(nil))
            ngx.print(n, " ")
            n = C.ngx_http_lua_ffi_req_get_uri_args(nil, room, list, n)
            for i = 0, n - 1 do
                ngx.print("[", text(list[i].key), "]=", text(list[i].value),
                          " ")
            end
            ngx.say()
        }
        header_filter_by_lua_block {
            local C, err = ffi.C, ffi.new("char *[1]")
            local values = ffi.new("ngx_http_lua_ffi_str_t[16]")
            values[0].data, values[0].len = "1", 1
            values[1].data, values[1].len = "2", 1
            C.ngx_http_lua_ffi_set_resp_header(nil, "x_c", 3, 0, nil, 0,
                                               values, 2, 1, err)
            local n = C.ngx_http_lua_ffi_get_resp_header(nil, "x_c", 3, nil,
                                                         values, 16, err)
            ngx.header.Count = n
            ngx.header.Last = ffi.string(values[n - 1].data, values[n - 1].len)
            local rc = C.ngx_http_lua_ffi_set_resp_header(nil,
                           "content-length", 14, 0, "x", 1, nil, 0, 1, err)
            ngx.header.Bad = rc .. " " .. ffi.string(err[0])
        }
    }
--- request
GET /t?a=b%20c&d&e=&=f&&g=h+i
--- more_headers
X-A: 1
--- response_body
x-a=1 
X-A=1 
11
x-b=one x-b=two 
4 [a]=b c [d]=true [e]= [g]=h i 
--- response_headers
x-c: 1, 2
Count: 2
Last: 2
Bad: -1 failed to set header content-length (error: -1)



=== what a phase is given, and how it is left
--- http_config
    lua_capture_error_log 32k;
    init_by_lua_block {
        ffi = require "ffi"
        ffi.cdef [[
        int ngx_http_lua_ffi_exit(void *r, int status, unsigned char *err,
            size_t *errlen);
        void ngx_http_lua_ffi_get_setby_param(void *r, int idx,
            unsigned char **data, size_t *len);
        int ngx_http_lua_ffi_get_body_filter_param_eof(void *r);
        int ngx_http_lua_ffi_get_body_filter_param_body(void *r,
            unsigned char **data, size_t *len);
        int ngx_http_lua_ffi_errlog_get_msg(char **log, int *loglevel,
            unsigned char *err, size_t *errlen, double *log_time);
        int ngx_http_lua_ffi_worker_pids(int *pids, size_t *len);
        int ngx_http_lua_ffi_ndk_lookup_directive(const unsigned char *name,
            size_t len, void **func);
        int ngx_http_lua_ffi_ndk_set_var_get(void *r, void *func,
            const unsigned char *arg, size_t len,
            ngx_http_lua_ffi_str_t *value);
        ]]
        data, len = ffi.new("unsigned char *[1]"), ffi.new("size_t[1]")
    }
--- config
    location = /t {
        set_by_lua_block $two {
            return "none"
        }
        set_by_lua $one '
            ffi.C.ngx_http_lua_ffi_get_setby_param(nil, 1, data, len)
            return ffi.string(data[0], len[0])' "first";
        content_by_lua_block {
            local C = ffi.C
            local err = ffi.new("unsigned char[128]")
            ngx.say(ngx.var.one)
            len[0] = 128
            ngx.say(C.ngx_http_lua_ffi_exit(nil, ngx.AGAIN, err, len), " ",
                    ffi.string(err, len[0]))

            ngx.log(ngx.ERR, "caught")
            local log, level = ffi.new("char *[1]"), ffi.new("int[1]")
            local n
            repeat
                n = C.ngx_http_lua_ffi_errlog_get_msg(log, level, err, len,
                                                   ffi.new("double[1]"))
                if n > 0 and ffi.string(log[0], n):find("caught", 1, true) then
                    ngx.say(level[0])
                end
            until n < 0
            ngx.say(n)

            local pids = ffi.new("int[1024]")
            len[0] = 0
            C.ngx_http_lua_ffi_worker_pids(pids, len)
            ngx.say(tonumber(len[0]), " ", pids[0])
            len[0] = 1024
            C.ngx_http_lua_ffi_worker_pids(pids, len)
            ngx.say(tonumber(len[0]), " ", pids[0] == ngx.worker.pid())

            local f = ffi.new("void *[1]")
            local value = ffi.new("ngx_http_lua_ffi_str_t")
            ngx.say(C.ngx_http_lua_ffi_ndk_lookup_directive("none", 4, f),
                    C.ngx_http_lua_ffi_ndk_lookup_directive("set_md5", 7, f),
                    C.ngx_http_lua_ffi_ndk_set_var_get(nil, f[0], "a", 1,
                                                    value), " ",
                    ffi.string(value.data, value.len))
            ngx.print("end")
            len[0] = 64
            if C.ngx_http_lua_ffi_exit(nil, 200, err, len) == 0 then
                coroutine.yield()
            end
            ngx.say("not here")
        }
        body_filter_by_lua_block {
            ffi.C.ngx_http_lua_ffi_get_body_filter_param_body(nil, data, len)
            local text = len[0] ~= 0 and ffi.string(data[0], len[0]) or ""
            local eof = ffi.C.ngx_http_lua_ffi_get_body_filter_param_eof(nil)
            if text == "end" or eof == 1 then
                ngx.arg[1] = text .. "<" .. eof .. ">"
            end
        }
    }
--- response_body chomp
first
-1 bad argument to 'ngx.exit': does not accept NGX_AGAIN or NGX_DONE
4
-5
0 0
1 true
-500 0cc175b9c0f1b6a831c399e269772661
end<0><1>
--- error_log
caught
