# Functions of ngx_lua that libraries declare to LuaJIT by their own names.

__DATA__


=== texts, times and workers
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            local base = require "resty.core.base"
            ffi.cdef [[
            void ngx_http_lua_ffi_md5(const unsigned char *src, size_t len,
                unsigned char *dst);
            int ngx_http_lua_ffi_sha1_bin(const unsigned char *src,
                size_t len, unsigned char *dst);
            unsigned int ngx_http_lua_ffi_crc32_long(const unsigned char *src,
                size_t len);
            size_t ngx_http_lua_ffi_encode_base64(const unsigned char *src,
                size_t len, unsigned char *dst, int no_padding);
            int ngx_http_lua_ffi_decode_base64(const unsigned char *src,
                size_t len, unsigned char *dst, size_t *dlen);
            size_t ngx_http_lua_ffi_uri_escaped_length(
                const unsigned char *src, size_t len, int type);
            void ngx_http_lua_ffi_escape_uri(const unsigned char *src,
                size_t len, unsigned char *dst, int type);
            size_t ngx_http_lua_ffi_unescape_uri(const unsigned char *src,
                size_t len, unsigned char *dst);
            void ngx_http_lua_ffi_str_replace_char(unsigned char *buf,
                size_t len, const unsigned char find,
                const unsigned char replace);
            double ngx_http_lua_ffi_now(void);
            long ngx_http_lua_ffi_time(void);
            void ngx_http_lua_ffi_utctime(unsigned char *buf);
            int ngx_http_lua_ffi_cookie_time(unsigned char *buf, long t);
            void ngx_http_lua_ffi_http_time(unsigned char *buf, long t);
            void ngx_http_lua_ffi_parse_http_time(const unsigned char *str,
                size_t len, long *time);
            int ngx_http_lua_ffi_worker_pid(void);
            int ngx_http_lua_ffi_worker_count(void);
            int ngx_http_lua_ffi_worker_exiting(void);
            ]]
            local C = ffi.C
            local buf = ffi.new("unsigned char[64]")
            local len = base.get_size_ptr()

            C.ngx_http_lua_ffi_md5("hello", 5, buf)
            ngx.say(ffi.string(buf, 32) == ngx.md5("hello"))
            ngx.say(C.ngx_http_lua_ffi_sha1_bin("hello", 5, buf), " ",
                    ffi.string(buf, 20) == ngx.sha1_bin("hello"))
            ngx.say(C.ngx_http_lua_ffi_crc32_long("hello", 5)
                    == ngx.crc32_long("hello"))

            local n = C.ngx_http_lua_ffi_encode_base64("hello", 5, buf, 0)
            ngx.say(ffi.string(buf, n))
            n = C.ngx_http_lua_ffi_encode_base64("hello", 5, buf, 1)
            ngx.say(ffi.string(buf, n))
            ngx.say(C.ngx_http_lua_ffi_decode_base64("aGVsbG8=", 8, buf, len),
                    ffi.string(buf, len[0]),
                    C.ngx_http_lua_ffi_decode_base64("a", 1, buf, len))

            n = C.ngx_http_lua_ffi_uri_escaped_length("a b", 3, 2)
            C.ngx_http_lua_ffi_escape_uri("a b", 3, buf, 2)
            ngx.say(ffi.string(buf, n))
            n = C.ngx_http_lua_ffi_unescape_uri("a%20b", 5, buf)
            C.ngx_http_lua_ffi_str_replace_char(buf, n, 32, 95)
            ngx.say(ffi.string(buf, n))

            ngx.say(C.ngx_http_lua_ffi_now() == ngx.now(), " ",
                    C.ngx_http_lua_ffi_time() == ngx.time())
            C.ngx_http_lua_ffi_utctime(buf)
            ngx.say(ffi.string(buf, 19) == ngx.utctime())
            C.ngx_http_lua_ffi_http_time(buf, 784111777)
            ngx.say(ffi.string(buf, 29))
            n = C.ngx_http_lua_ffi_cookie_time(buf, 784111777)
            ngx.say(ffi.string(buf, n) == ngx.cookie_time(784111777))
            local sec = ffi.new("long[1]")
            local date = "Sun, 06 Nov 1994 08:49:37 GMT"
            C.ngx_http_lua_ffi_parse_http_time(date, #date, sec)
            ngx.say(tonumber(sec[0]))
            C.ngx_http_lua_ffi_parse_http_time("x", 1, sec)
            ngx.say(tonumber(sec[0]))

            ngx.say(C.ngx_http_lua_ffi_worker_pid() == ngx.worker.pid(), " ",
                    C.ngx_http_lua_ffi_worker_count(), " ",
                    C.ngx_http_lua_ffi_worker_exiting())
        }
    }
--- response_body
true
1 true
true
aGVsbG8=
aGVsbG8
1hello0
a%20b
a_b
true true
true
Sun, 06 Nov 1994 08:49:37 GMT
true
784111777
-1
true 1 0



=== the request whose turn it is
--- http_config
    init_by_lua_block {
        ffi = require "ffi"
        ffi.cdef [[
        int ngx_http_lua_ffi_get_ctx_ref(ngx_http_request_t *r,
            int *in_ssl_phase, int *ssl_ctx_ref);
        int ngx_http_lua_ffi_get_resp_status(ngx_http_request_t *r);
        int ngx_http_lua_ffi_set_resp_status(ngx_http_request_t *r, int r1);
        int ngx_http_lua_ffi_is_subrequest(ngx_http_request_t *r);
        int ngx_http_lua_ffi_headers_sent(ngx_http_request_t *r);
        int ngx_http_lua_ffi_req_is_internal(ngx_http_request_t *r);
        int ngx_http_lua_ffi_req_get_method(ngx_http_request_t *r);
        int ngx_http_lua_ffi_req_set_method(ngx_http_request_t *r, int m);
        int ngx_http_lua_ffi_get_phase(ngx_http_request_t *r, char **err);
        int ngx_http_lua_ffi_var_get(ngx_http_request_t *r,
            const char *name_data, size_t name_len, char *lowcase_buf,
            int capture_id, char **value, size_t *value_len, char **err);
        int ngx_http_lua_ffi_var_set(ngx_http_request_t *r,
            const unsigned char *name_data, size_t name_len,
            unsigned char *lowcase_buf, const unsigned char *value,
            size_t value_len, unsigned char *errbuf, size_t *errlen);
        int ngx_http_lua_ffi_raw_log(ngx_http_request_t *r, int level,
            const unsigned char *s, size_t s_len);
        ]]
    }
--- config
    location = /t {
        set $a one;
        content_by_lua_block {
            local C, base = ffi.C, require "resty.core.base"
            local r = ffi.cast("ngx_http_request_t *", base.get_request())
            local errmsg, len = base.get_errmsg_ptr(), base.get_size_ptr()

            ngx.ctx.mine = "yes"
            local ref = C.ngx_http_lua_ffi_get_ctx_ref(r, nil, nil)
            local tables = debug.getregistry().ngx_lua_ctx_tables
            ngx.update_time()

            local value = ffi.new("char *[1]")
            local rc = C.ngx_http_lua_ffi_var_get(r, "a", 1, nil, 0, value,
                                                  len, errmsg)
            local a = ffi.string(value[0], len[0])
            local none = C.ngx_http_lua_ffi_var_get(r, "none", 4, nil, 0,
                                                    value, len, errmsg)
            local buf = ffi.new("unsigned char[64]")
            len[0] = 64
            local set = C.ngx_http_lua_ffi_var_set(r, "a", 1, nil, "two", 3,
                                                   buf, len)
            local unset = C.ngx_http_lua_ffi_var_set(r, "b", 1, nil, "x", 1,
                                                     buf, len)
            local why = ffi.string(buf, len[0])
            local line = "raw and simple"
            C.ngx_http_lua_ffi_raw_log(r, ngx.WARN, line, #line)

            C.ngx_http_lua_ffi_set_resp_status(r, 201)
            local m = C.ngx_http_lua_ffi_req_get_method(r)
            local good = C.ngx_http_lua_ffi_req_set_method(r, ngx.HTTP_PUT)
            local bad = C.ngx_http_lua_ffi_req_set_method(r, 3)
            local sent = C.ngx_http_lua_ffi_headers_sent(r)
            ngx.say(tables[ref].mine, " ", rc, a, " ", none, " ", set,
                    ngx.var.a, " ", unset, " ", why)
            ngx.say(C.ngx_http_lua_ffi_get_resp_status(r), " ", sent,
                    C.ngx_http_lua_ffi_headers_sent(r), " ",
                    C.ngx_http_lua_ffi_is_subrequest(r),
                    C.ngx_http_lua_ffi_req_is_internal(r))
            ngx.say(m == ngx.HTTP_GET, " ", good, bad, " ",
                    ngx.req.get_method(), " ",
                    C.ngx_http_lua_ffi_get_phase(r, errmsg))
        }
    }
--- error_code: 201
--- response_body
yes 0one -5 0two -1 variable "b" not found for writing; maybe it is a built-in varia
201 01 00
true 0-5 PUT 8
--- error_log
raw and simple



=== what lua-resty-core declares is declared, and there
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            local declared = require "lunette.declared"
            local count = 0
            for name in declared.text(declared.functions, "http")
                :gmatch("([%w_]+)%(")
            do
                local _ = ffi.C[name]
                count = count + 1
            end
            for name in declared.text(declared.types, "http")
                :gmatch("([%w_]+);\n%f[t%z]")
            do
                ffi.typeof(name)
                count = count + 1
            end
            ngx.say(count > 150)

            -- As programs call them.
            local r = require("resty.core.base").get_request()
            ngx.say(ffi.C.ngx_http_lua_ffi_get_ctx_ref(r, nil, nil) < 0)
            ffi.C.ngx_http_lua_ffi_raw_log(r, ngx.WARN, "raw line", 8)
        }
    }
--- response_body
true
true
--- error_log
raw line



=== a line of the log before there is a request
--- http_config
    init_by_lua_block {
        require("ffi").C.ngx_http_lua_ffi_raw_log(nil, ngx.ERR, "raw and early", 13)
    }
--- config
    location = /t { return 200; }
--- error_log
raw and early
--- no_reload: it is the first one's log



=== phases have lua-resty-core's numbers
--- config
    location = /t {
        precontent_by_lua_block {
            local C, r = require("ffi").C, require("resty.core.base").get_request()
            ngx.log(ngx.WARN, "precontent ",
                    C.ngx_http_lua_ffi_get_phase(r, nil) == 0x20000)
        }
        proxy_ssl_certificate_by_lua_block { }
        content_by_lua_block {
            local ffi = require "ffi"
            local r = require("resty.core.base").get_request()
            local seen = {}
            for name, bit in pairs(require("lunette.base").phases) do
                seen[bit] = name
            end
            ngx.say(seen[0x8000], " ", seen[0x10000], " ", seen[0x20000], " ",
                    seen[0x40000])
            ngx.say(ffi.C.ngx_http_lua_ffi_get_phase(r, nil))
        }
    }
--- response_body
server_rewrite proxy_ssl_verify precontent proxy_ssl_cert
8
--- error_log
precontent true



=== a time to live of over 24 days
--- http_config
    lua_shared_dict dogs 1m;
--- skip_windows: long has 32 bits
--- config
    location = /t {
        content_by_lua_block {
            local C, dogs = require("ffi").C, ngx.shared.dogs
            dogs:set("a", 1, 2 ^ 31)
            local zone = C.ngx_http_lua_ffi_shdict_udata_to_zone(dogs[1])
            local ttl = tonumber(C.ngx_http_lua_ffi_shdict_get_ttl(zone, "a", 1))
            ngx.say(ttl > 2147483648000 - 5000 and ttl <= 2147483648000)
        }
    }
--- response_body
true



=== a pattern that is none: where it ends to be one
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            local why = ffi.new("unsigned char[256]")
            local function compile(s)
                local re = ffi.C.ngx_http_lua_ffi_compile_regex(s, #s, 0, 0,
                                                                why, 256)
                return re == nil and ffi.string(why)
            end
            ngx.say(compile("a(?<x>b)(?<x>c)d"))
            ngx.say(compile("(a"))
        }
    }
--- response_body
pcre2_compile() failed: two named subpatterns have the same name (PCRE2_DUPNAMES not set) in "a(?<x>b)(?<x>c)d" at "c)d"
pcre2_compile() failed: missing closing parenthesis in "(a"



=== without a request they say so
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef [[
            int ngx_http_lua_ffi_is_subrequest(void *r);
            int ngx_http_lua_ffi_req_get_method(void *r);
            ]]
            ngx.timer.at(0, function ()
                said = ffi.C.ngx_http_lua_ffi_is_subrequest(nil) .. " "
                       .. ffi.C.ngx_http_lua_ffi_req_get_method(nil)
            end)
            for i = 1, 200 do
                if said then
                    break
                end
                ngx.sleep(0.01)
            end
            ngx.say(said)
        }
    }
--- response_body
-101 -101



=== C modules find dictionaries by name, and read what is in them
--- http_config
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef [[
            typedef struct {
                uint8_t type;
                union { int b; double n; struct { size_t len; char *data; } s; } value;
            } value_t;
            void *ngx_http_lua_find_zone(const char *name, size_t len);
            intptr_t ngx_http_lua_shared_dict_get(void *zone, const char *key,
                size_t len, value_t *value);
            ]]
            local C, dogs = ffi.C, ngx.shared.dogs
            local zone, value = C.ngx_http_lua_find_zone("dogs", 4), ffi.new "value_t[1]"
            local room = ffi.new("char[4]")
            local function get(key, data)
                local v = value[0].value
                v.s.data, v.s.len = data, data and 4 or 0
                local rc = tonumber(C.ngx_http_lua_shared_dict_get(zone, key, #key, value))
                return rc, value[0].type, v
            end

            dogs:set("n", 1.5) dogs:set("b", true) dogs:set("s", "Rover") dogs:set("e", "")
            dogs:set("old", 1, 0.001) dogs:lpush("l", 1)
            ngx.sleep(0.005)
            local rc, kind, v = get "n" ngx.say(rc, " ", kind, " ", v.n)
            rc, kind, v = get "b" ngx.say(rc, " ", kind, " ", v.b)
            rc, kind, v = get("s", room) ngx.say(rc, " ", kind, " ", ffi.string(v.s.data, v.s.len))
            rc, kind, v = get("e", room) ngx.say(rc, " ", kind, " ", tonumber(v.s.len))
            ngx.say((get "s"), " ", (get "none"), " ", (get "old"), " ", (get "l"), " ",
                    C.ngx_http_lua_find_zone("cats", 4) == nil)
        }
    }
--- response_body
0 3 1.5
0 1 1
0 4 Rove
0 4 0
-1 -5 -4 -1 true
--- error_log
no string buffer initialized
