# lua-resty-core of the user's, which comes before the one inside; that of
# Debian's package, where it is installed.

__DATA__


=== the user's comes first, and is for the version that it wants
--- http_config
    lua_package_path '$prefix/html/?.lua;;';
--- config
    location = /t {
        content_by_lua_block {
            local core = require "resty.core"
            ngx.say(core.version, " ", ngx.config.ngx_lua_version)
            ngx.say(ngx.md5("x"), " ", require("ngx.semaphore").new())
            ngx.say(#ngx.sha1_bin("x"), " ", require("ngx.pipe").version)
        }
    }
--- user_files
>>> resty/core.lua
local base = require "resty.core.base"
function ngx.md5(text)
    return "of " .. text
end
return { version = base.version }
>>> resty/core/base.lua
if ngx.config.subsystem == "http" then
    if ngx.config.ngx_lua_version ~= 10024 then
        error("ngx_http_lua_module 0.10.24 required")
    end
end
return { version = "mine" }
>>> ngx/semaphore.lua
return { new = function () return "another" end }
--- response_body
mine 10024
of x another
20 0.1.28



=== one that is for a version nobody knows is left alone
--- http_config
    lua_package_path '$prefix/html/?.lua;;';
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("resty.core").version, " ", ngx.config.ngx_lua_version)
        }
    }
--- user_files
>>> resty/core.lua
error("not me")
>>> resty/core/base.lua
-- http
if ngx.config.ngx_lua_version ~= 99999 then
    error("no")
end
--- response_body
0.1.28 10030
--- error_log
lua-resty-core in lua_package_path is for version 99999 of ngx_http_lua_module, which is not known: the one inside is used



=== lua_load_resty_core off: never the user's
--- http_config
    lua_package_path '$prefix/html/?.lua;;';
    lua_load_resty_core off;
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("resty.core").version, " ", ngx.config.ngx_lua_version)
        }
    }
--- user_files
>>> resty/core.lua
error("not me")
>>> resty/core/base.lua
-- http
if ngx.config.ngx_lua_version ~= 10024 then
    error("no")
end
--- response_body
0.1.28 10030



=== a resty.core alone is loaded over ours
--- http_config
    lua_package_path '$prefix/html/?.lua;;';
    init_by_lua_block { first = package.loaded["resty.core"] }
--- config
    location = /t {
        content_by_lua_block {
            local core = require "resty.core"
            ngx.say(core == first, " ", core.mine, " ", #ngx.md5("x"), " ",
                    require("resty.core.base").version)
        }
    }
--- user_files
>>> resty/core.lua
return { mine = "mine" }
--- response_body
true mine 32 0.1.28



=== one that does not load keeps the server from starting
--- http_config
    lua_package_path '$prefix/html/?.lua;;';
--- config
--- user_files
>>> resty/core.lua
error("oh no")
>>> resty/core/base.lua
-- http
if ngx.config.ngx_lua_version ~= 10024 then
    error("no")
end
--- must_die
--- error_log eval
qr/\[emerg\] .*failed to load resty\.core: .*oh no/



=== semaphores
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            local base = require "resty.core.base"
            ffi.cdef [[
            typedef struct ngx_http_lua_sema_s ngx_http_lua_sema_t;
            int ngx_http_lua_ffi_sema_new(ngx_http_lua_sema_t **psem, int n,
                char **errmsg);
            int ngx_http_lua_ffi_sema_post(ngx_http_lua_sema_t *sem, int n);
            int ngx_http_lua_ffi_sema_count(ngx_http_lua_sema_t *sem);
            int ngx_http_lua_ffi_sema_wait(void *r, ngx_http_lua_sema_t *sem,
                int wait_ms, unsigned char *errstr, size_t *errlen);
            void ngx_http_lua_ffi_sema_gc(ngx_http_lua_sema_t *sem);
            ]]
            local C = ffi.C
            local new = ffi.new("ngx_http_lua_sema_t *[1]")
            ngx.say(C.ngx_http_lua_ffi_sema_new(new, 1, base.get_errmsg_ptr()))
            local sema = ffi.gc(new[0], C.ngx_http_lua_ffi_sema_gc)
            local buf, len = base.get_string_buf(256), base.get_size_ptr()

            local function wait(ms)
                len[0] = 256
                return C.ngx_http_lua_ffi_sema_wait(base.get_request(), sema, ms,
                                                    buf, len)
            end
            ngx.say(wait(0), wait(0), C.ngx_http_lua_ffi_sema_count(sema))

            local thread = ngx.thread.spawn(function ()
                return wait(5000), coroutine._yield()
            end)
            ngx.say(C.ngx_http_lua_ffi_sema_count(sema),
                    C.ngx_http_lua_ffi_sema_post(sema, 1))
            ngx.say(ngx.thread.wait(thread))
            ngx.say(wait(10), " ", coroutine._yield())

            -- A job that nobody does, another one in its place.
            wait(5000)
            ngx.sleep(0.001)
            ngx.say(wait(10), " ", coroutine._yield())
            wait(5000)
        }
        log_by_lua_block {
            local ffi = require "ffi"
            local base = require "resty.core.base"
            local C = ffi.C
            local new = ffi.new("ngx_http_lua_sema_t *[1]")
            C.ngx_http_lua_ffi_sema_new(new, 0, base.get_errmsg_ptr())
            local buf, len = base.get_string_buf(256), base.get_size_ptr()
            len[0] = 256
            local rc = C.ngx_http_lua_ffi_sema_wait(base.get_request(), new[0],
                                                    10, buf, len)
            ngx.log(ngx.WARN, rc, " ", ffi.string(buf, len[0]))
            C.ngx_http_lua_ffi_sema_gc(new[0])
        }
    }
--- response_body
0
0-50
-10
true-2true
-2 falsetimeout
-2 falsetimeout
--- error_log
-1 API disabled in the context of log_by_lua*
in lua gc, semaphore
--- log_level: debug


=== what one reads of a program is no other's
--- skip_windows: cat
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            local base = require "resty.core.base"
            local C, BYTES = ffi.C, 1
            local proc = ffi.new("ngx_http_lua_ffi_pipe_proc_t")
            local argv = ffi.new("const char *[2]")
            argv[0] = "cat"
            local err, len = ffi.new("unsigned char[256]"), ffi.new("size_t[1]", 256)
            ngx.say(C.ngx_http_lua_ffi_pipe_spawn(base.get_request(), proc, "cat",
                                                  argv, 0, 4096, nil, err, len))
            local function read(n)
                local buf, size = ffi.new("unsigned char *[1]"), ffi.new("size_t[1]")
                local room = ffi.new("unsigned char[256]")
                buf[0], size[0], len[0] = room, 256, 256
                C.ngx_http_lua_ffi_pipe_proc_read(base.get_request(), proc, 0, BYTES,
                                                  n, buf, size, err, len)
                coroutine._yield()
                len[0] = 256
                local rc = C.ngx_http_lua_ffi_pipe_get_read_result(base.get_request(),
                               proc, 0, buf, size, err, len)
                return rc, ffi.string(rc == 0 and room or err, rc == 0 and size[0] or len[0])
            end
            local function write(text)
                len[0] = 256
                C.ngx_http_lua_ffi_pipe_proc_write(base.get_request(), proc, text,
                                                   #text, err, len)
                coroutine._yield()
            end
            write("abcd")
            ngx.say(read(1))
            local first = ngx.thread.spawn(read, 5)
            ngx.say(read(1))
            write("efgh")
            ngx.say(ngx.thread.wait(first))
            ngx.say(read(2))
            C.ngx_http_lua_ffi_pipe_proc_destroy(proc)
        }
    }
--- response_body
0
0a
-1pipe busy reading
true0bcdef
0gh



=== options of a socket, and what is inside
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            local base = require "resty.core.base"
            local C = ffi.C
            local buf, len = base.get_string_buf(256), base.get_size_ptr()
            local value, why = ffi.new("int[1]"), base.get_errmsg_ptr()
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))

            len[0] = 256
            ngx.say(C.ngx_http_lua_ffi_socket_tcp_setoption(sock[1], 1, 1, buf, len),
                    C.ngx_http_lua_ffi_socket_tcp_getoption(sock[1], 1, value, buf, len),
                    value[0] ~= 0)
            ngx.say(C.ngx_http_lua_ffi_socket_tcp_setoption(sock[1], 77, 1, buf, len),
                    " ", ffi.string(buf, len[0]))
            ngx.say(C.ngx_http_lua_ffi_socket_tcp_getfd(nil, sock[1], why)
                    == sock:getfd())
            local inside = ffi.new("void *[1]")
            for _, what in ipairs { "ffi_socket_tcp_get_ssl_pointer",
                                    "ffi_socket_tcp_get_ssl_ctx",
                                    "socket_tcp_get_ssl_session" } do
                why[0] = nil
                ngx.say(C["ngx_http_lua_" .. what](nil, sock[1], inside, why),
                        inside[0] == nil, " ", ffi.string(why[0]))
            end
            ngx.say(C.ngx_http_lua_ffi_socket_tcp_settrustedstore(nil, sock[1],
                                                                  nil, why))
            local box = sock[1]
            sock:close()
            len[0] = 256
            ngx.say(C.ngx_http_lua_ffi_socket_tcp_getoption(box, 1, value, buf, len),
                    " ", ffi.string(buf, len[0]))
            ngx.say(C.ngx_http_lua_ffi_socket_tcp_getfd(nil, nil, why), " ",
                    ffi.string(why[0]))
        }
    }
--- response_body
00true
-1 unsupported option
true
-1true not an ssl socket
-1true not an ssl socket
-1true not an ssl socket
0
-1 closed
-1 closed



=== a name of a stream context is there as well
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef [[
            double ngx_stream_lua_ffi_now(void);
            int ngx_stream_lua_ffi_get_resp_status(void *r);
            void ngx_stream_lua_ffi_md5(const unsigned char *src, size_t len,
                unsigned char *dst);
            void ngx_stream_lua_ffi_ndk_lookup_directive(void);
            ]]
            local buf = ffi.new("unsigned char[32]")
            ffi.C.ngx_stream_lua_ffi_md5("x", 1, buf)
            ngx.say(ffi.C.ngx_stream_lua_ffi_now() == ngx.now(), " ",
                    ffi.string(buf, 32) == ngx.md5("x"), " ",
                    ffi.C.ngx_stream_lua_ffi_get_resp_status(nil), " ",
                    (pcall(function ()
                        return ffi.C.ngx_stream_lua_ffi_ndk_lookup_directive
                    end)))
        }
    }
--- response_body
true true -101 false



=== Debian's: texts, dictionaries, expressions, the request
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;;';
    lua_shared_dict stock 1m;
--- config
    location = /t {
        content_by_lua_block {
            local function of_stock(f)
                return debug.getinfo(f, "S").source:find("/usr/share/lua/", 1, true)
            end
            ngx.say(of_stock(ngx.md5) and of_stock(ngx.exit)
                    and of_stock(ngx.shared.stock.get) and "stock" or "ours")
            ngx.say(ngx.md5("hello"), " ", ngx.encode_base64("x"), " ",
                    ngx.escape_uri("a b"), " ", ngx.crc32_short("x"))
            ngx.ctx.a = 1
            ngx.say(ngx.ctx.a, ngx.var.uri, " ", ngx.status, ngx.get_phase())
            local d = ngx.shared.stock
            ngx.say(d:set("a", 5), d:get("a"), d:incr("a", 1), d:ttl("a"))
            ngx.say(d:get(string.rep("k", 70000)))
            ngx.say(ngx.re.match("hello 42", "([A-Z]+)", "joi")[1],
                    ngx.re.gsub("abc", "b", "[$0]"))
            ngx.say(ngx.req.get_method(), ngx.req.get_uri_args().x,
                    ngx.req.get_headers().host)
            ngx.say((select(2, pcall(function () ngx.var.no_such = 1 end))
                     :gsub("^.-: ", "")))
            ngx.say(d:lpush("list", 1), d:llen("list"), #d:get_keys(),
                    pcall(d.get, { ngx.null }, "a"))
            ngx.say(pcall(d.get, { io.stdout }, "a"))
        }
        header_filter_by_lua_block {
            ngx.header.foo = "bar"
        }
    }
--- request
GET /t?x=7
--- response_headers
foo: bar
--- response_body
stock
5d41402abc4b2a76b9719d911017c592 eA== a%20b 2363233923
1/t 200content
true560
nilkey too long
helloa[b]c1
GET7localhost
variable "no_such" not found for writing; maybe it is a built-in variable that is not changeable or you forgot to use "set $no_such '';" in the config file to define it first
112falsebad "zone" argument
falsebad "zone" argument



=== Debian's: where nothing can be left, and what is no value
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;;';
    lua_shared_dict dogs 100k;
--- config
    location = /t {
        set_by_lua_block $set {
            return select(2, pcall(ngx.exit, 200))
        }
        content_by_lua_block {
            local dogs = ngx.shared.dogs
            dogs:set("there", 1)
            ngx.say((ngx.var.set:gsub("^.-: ", "")))
            ngx.say(dogs:add("new", nil))
            ngx.say(dogs:safe_add("there", nil))
            ngx.say(dogs:replace("there", nil))
            ngx.say(dogs:get("there"))
            ngx.say(dogs:set("there", nil))
        }
        body_filter_by_lua_block {
            local ok, err = pcall(ngx.exit, 200)
            print(err)
        }
        log_by_lua_block { print(select(2, pcall(ngx.exit, 444))) }
    }
--- response_body
API disabled in the context of set_by_lua*
falseattempt to add or replace nil valuesfalse
falseattempt to add or replace nil valuesfalse
falseattempt to add or replace nil valuesfalse
1
truenilfalse
--- error_log
API disabled in the context of body_filter_by_lua*
API disabled in the context of log_by_lua*



=== Debian's: who waits for a semaphore
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;;';
--- config
    location = /t {
        content_by_lua_block {
            local sema = require("ngx.semaphore").new()
            ngx.say(type(sema.sem))
            ngx.thread.spawn(function ()
                ngx.sleep(0.01)
                sema:post(2)
            end)
            ngx.say(sema:wait(5), sema:count())
            ngx.say(sema:wait(5), sema:count())
            ngx.say(sema:wait(0.01))
            ngx.say(sema:wait(0))
            local thread = ngx.thread.spawn(function () sema:wait(5) end)
            ngx.thread.kill(thread)
            ngx.say(sema:count())
            ngx.exit(200)
        }
    }
--- response_body
cdata
true1
true0
falsetimeout
niltimeout
0



=== Debian's: programs
--- skip_windows: /bin/sh
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;;';
--- config
    location = /t {
        content_by_lua_block {
            local pipe = require "ngx.pipe"
            local p = assert(pipe.spawn { "sh", "-c",
                             "cat; echo done; echo bad >&2; exit 3" })
            ngx.say(type(p), p:pid() > 0, p:write("hello\nworld\n"),
                    p:shutdown("stdin"))
            ngx.say((p:stdout_read_line()), (p:stdout_read_bytes(3)))
            ngx.say((p:stdout_read_all()))
            ngx.say(p:stdout_read_line())
            ngx.say((p:stderr_read_any(100)))
            ngx.say(p:wait())
            ngx.say(p:wait())

            p = assert(pipe.spawn("head -c 100000 /dev/zero"))
            ngx.say(#p:stdout_read_all())

            p = assert(pipe.spawn("printf part; sleep 30",
                                  { stdout_read_timeout = 200, wait_timeout = 10 }))
            ngx.say(p:stdout_read_line())
            ngx.say(p:wait())
            ngx.say(p:kill(9))
            p:set_timeouts(0, 0, 0, 0)
            ngx.say(p:wait())
            ngx.say(pipe.spawn({ "/no/such/program" }):wait())
        }
    }
--- response_body
cdatatrue12true
hellowor
ld
done

nilclosed
bad

falseexit3
nilexitednil
100000
niltimeoutpart
niltimeoutnil
true
falsesignal9
falseexit1
--- timeout: 10



=== Debian's: handshakes
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;;';
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_server_name$ssl_session_reused"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local function get(session, name, verify)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                local made, err = sock:sslhandshake(session, name, verify)
                if not made then
                    return nil, err
                end
                sock:send("GET / HTTP/1.0\r\n\r\n")
                return made, sock:receive("*a"):match("\r\n\r\n(.*)")
            end
            local session, text = get(nil, "localhost", true)
            ngx.say(type(session), " ", text)
            ngx.say((select(2, get(session, "localhost"))))
            ngx.say(get(false))
            ngx.say(get(nil, "elsewhere", true))
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            ngx.say(sock:sslhandshake(nil, "localhost"))
            ngx.say(sock:setoption("keepalive", true), sock:getoption("nothing"))
        }
    }
--- response_body
cdata localhost.
localhostr
true.
nilcertificate host mismatch
nilhandshake failed
nilnilunsupported option nothing



=== Debian's: an address is chosen
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;;';
    upstream chosen {
        server 0.0.0.1;
        balancer_by_lua_block {
            local balancer = require "ngx.balancer"
            ngx.log(ngx.WARN, "far: ", select(2, balancer.set_current_peer("127.0.0.1", 70000)))
            assert(balancer.set_timeouts(5, 5, 5))
            assert(balancer.set_current_peer("127.0.0.1", $TEST_NGINX_SERVER_PORT))
        }
    }
--- config
    location = /t { proxy_pass http://chosen/there; }
    location = /there { return 200 "$host"; }
--- response_body: chosen
--- error_log
far: invalid port



=== Debian's: in a stream
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- stream_config
    lua_package_path '/usr/share/lua/5.1/?.lua;;';
    lua_shared_dict of_stream 1m;
    upstream chosen {
        server 0.0.0.1:1;
        balancer_by_lua_block {
            local balancer = require "ngx.balancer"
            assert(balancer.set_timeouts(5, 5))
            assert(balancer.set_current_peer("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
        }
    }
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local function of_stock(f)
                return debug.getinfo(f, "S").source:find("/usr/share/lua/", 1, true)
            end
            ngx.say(of_stock(ngx.md5) and of_stock(ngx.exit) and "stock", " ",
                    ngx.config.ngx_lua_version)
            local d = ngx.shared.of_stream
            ngx.ctx.a = 1
            ngx.say(d:set("a", 5), d:incr("a", 1), ngx.ctx.a, " ",
                    ngx.var.protocol, " ", ngx.re.match("x1", "[0-9]", "jo")[0])
            local sema = require("ngx.semaphore").new()
            ngx.thread.spawn(function ()
                ngx.sleep(0.01)
                sema:post()
            end)
            ngx.say(sema:wait(5), " ", (sema:wait(0.01)))
            ngx.exit(200)
        }
    }
--- stream_server_config
    proxy_pass chosen;
--- stream_response_like: ^stock 1\d\ntrue61 TCP 1\ntrue false\n$
