# Clients in Lua, of servers that say nearly what they should; and servers in
# Lua, of such clients.  HOSTILE=10000 tries more of them (t/lib/hostile.lua).

our $HttpConfig = <<'_EOC_';
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    lua_shared_dict hostile 1m;
    lua_socket_log_errors off;
_EOC_

our $Server = <<'_EOC_';
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    lua_shared_dict hostile 1m;
    lua_socket_log_errors off;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block { require("hostile").say(ngx.req.socket(true)) }
    }
_EOC_

no_long_string();
run_tests();

__DATA__

=== resty.redis
--- http_config eval: $::HttpConfig
--- stream_config eval: $::Server
--- main_config
    env HOSTILE;
--- config
    location = /t {
        content_by_lua_block {
            local redis = require "resty.redis"
            require("hostile").try("redis", 200, {
                "+OK\r\n$5\r\nhello\r\n*3\r\n$1\r\na\r\n:1\r\n$-1\r\n"
                .. "+PONG\r\n*2\r\n*1\r\n:1\r\n$0\r\n\r\n",
                "+OK\r\n-ERR no\r\n*-1\r\n+QUEUED\r\n*1\r\n*0\r\n",
                "*1\r\n$9\r\nsubscribe\r\n*2\r\n$9\r\nsubscribe\r\n:1\r\n",
                "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"
                .. "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n"
                .. "*3\r\n$11\r\nunsubscribe\r\n$1\r\nc\r\n:0\r\n+OK\r\n",
            }, function (text)
                local red = redis:new()
                red:set_timeouts(500, 500, 500)
                assert(red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                if text:find("subscribe", 1, true) then
                    red:subscribe("c")
                    red:read_reply()
                    red:unsubscribe("c")
                end
                red:set("a", "b")
                red:get("a")
                red:mget("a", "b", "c")
                red:init_pipeline()
                red:ping()
                red:hgetall("h")
                red:commit_pipeline()
                red:multi()
                red:get("a")
                red:exec()
                red:set_keepalive()
            end)
        }
    }
--- request
GET /t
--- timeout: 60
--- response_body
redis: 0 of all threw
--- no_error_log
[warn]



=== resty.memcached
--- http_config eval: $::HttpConfig
--- stream_config eval: $::Server
--- main_config
    env HOSTILE;
--- config
    location = /t {
        content_by_lua_block {
            local memcached = require "resty.memcached"
            require("hostile").try("memcached", 200, {
                "STORED\r\nVALUE a 7 5\r\nhello\r\nEND\r\n"
                .. "VALUE a 0 1 12\r\nx\r\nVALUE b 0 0 13\r\n\r\nEND\r\n"
                .. "12\r\nDELETED\r\nSTAT a b\r\nSTAT c d e\r\nEND\r\n"
                .. "VERSION 1.6\r\nTOUCHED\r\nOK\r\nSTORED\r\nEND\r\n",
                "NOT_STORED\r\nEND\r\nEND\r\nNOT_FOUND\r\nERROR\r\n"
                .. "SERVER_ERROR out of memory\r\nCLIENT_ERROR bad\r\nEXISTS\r\n",
            }, function ()
                local mem = memcached:new()
                mem:set_timeout(500)
                assert(mem:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                mem:set("a", "hello")
                mem:get("a")
                mem:gets { "a", "b" }
                mem:incr("n", 1)
                mem:delete("a")
                mem:stats()
                mem:version()
                mem:touch("a", 1)
                mem:flush_all()
                mem:init_pipeline()
                mem:set("a", "b")
                mem:get("a")
                mem:commit_pipeline()
                mem:set_keepalive()
            end)
        }
    }
--- request
GET /t
--- timeout: 60
--- response_body
memcached: 0 of all threw
--- no_error_log
[warn]



=== resty.mysql
--- http_config eval: $::HttpConfig
--- stream_config eval: $::Server
--- main_config
    env HOSTILE;
--- config
    location = /t {
        content_by_lua_block {
            local mysql, server = require "resty.mysql", require "mysql_server"
            local packet = require "lunette.mysql_packet"
            local function said(...)
                local parts, number = {}, 0
                for _, payload in ipairs { ... } do
                    if type(payload) == "number" then
                        number = payload
                    else
                        parts[#parts + 1] = packet.put_int(#payload, 3)
                            .. string.char(number) .. payload
                        number = (number + 1) % 256
                    end
                end
                return table.concat(parts)
            end
            local native = server.greeting "mysql_native_password"
            require("hostile").try("mysql", 200, {
                said(native, 2, server.OK, 1, "\2", server.column("a", 3),
                     server.column("b", 253), server.EOF, "\00212\3abc",
                     "\251\251", server.AGAIN, "\1", server.column("c", 246),
                     server.EOF, "\0031e5", server.EOF, 1, server.OK),
                said(server.greeting "caching_sha2_password", 2,
                     server.switch "mysql_native_password", 4, server.OK, 1,
                     "\255\21\4#42000no such table"),
                said(native, 2, "\255\21\4#28000Access denied"),
                said(native, 2, "\254"),
                said(native, 2, "\1\3", server.OK, 1, "\0\252\1\1\253\1\1\1\2\0\0\0words"),
            }, function ()
                local db = mysql:new()
                db:set_timeout(500)
                local ok = db:connect {
                    host = "127.0.0.1", port = $TEST_NGINX_RAND_PORT_1,
                    user = "u", password = "p", database = "d",
                }
                if ok then
                    local res, err = db:query("select 1")
                    local n = 0
                    while err == "again" and n < 10 do
                        res, err = db:read_result()
                        n = n + 1
                    end
                    db:query("insert", 5)
                    db:set_keepalive()
                    db:close()
                end
            end)
        }
    }
--- request
GET /t
--- timeout: 60
--- response_body
mysql: 0 of all threw
--- no_error_log
[warn]



=== resty.http
--- http_config eval: $::HttpConfig
--- stream_config eval: $::Server
--- main_config
    env HOSTILE;
--- config
    location = /t {
        content_by_lua_block {
            local http = require "resty.http"
            require("hostile").try("http", 200, {
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nSet-Cookie: a\r\n"
                .. "set-cookie: b\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n"
                .. "\r\n5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
                "HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 404 No\r\n"
                .. "Connection: close\r\n\r\nuntil the end",
                "HTTP/1.0 204 None\r\nConnection: keep-alive\r\n\r\n",
            }, function ()
                local client = http.new()
                client:set_timeouts(500, 500, 500)
                client:request_uri("http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/", {
                    method = "POST", body = "b",
                })
                assert(client:connect {
                    scheme = "http", host = "127.0.0.1",
                    port = $TEST_NGINX_RAND_PORT_1,
                })
                local res = client:request { path = "/" }
                if res and res.body_reader then
                    local n, part = 0
                    repeat
                        part = res.body_reader(3)
                        n = n + 1
                    until not part or n > 1000
                    res:read_trailers()
                end
                client:set_keepalive()
            end)
        }
    }
--- request
GET /t
--- timeout: 60
--- response_body
http: 0 of all threw
--- no_error_log
[warn]



=== resty.websocket.client, and its frames
--- http_config eval: $::HttpConfig
--- stream_config eval: $::Server
--- main_config
    env HOSTILE;
--- config
    location = /t {
        content_by_lua_block {
            local client = require "resty.websocket.client"
            local protocol = require "resty.websocket.protocol"
            require("hostile").try("websocket", 300, {
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                .. "Connection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
                "\129\5hello\1\2ab\128\2cd\137\1p\138\0\136\2\3\232",
                "\130\126\1\0" .. ("x"):rep(256) .. "\136\4\3\233no",
                "\129\127\0\0\0\0\0\1\0\0" .. ("y"):rep(65536),
                "\129\133abcd" .. "hello" .. "\193\3abc",
            }, function (text)
                if text:find("HTTP", 1, true) then
                    local wb = client:new { timeout = 500 }
                    wb:connect("ws://127.0.0.1:$TEST_NGINX_RAND_PORT_1/")
                    wb:recv_frame()
                    wb:close()
                    return
                end
                local sock = ngx.socket.tcp()
                sock:settimeout(500)
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                local n, data, kind, err = 0
                repeat
                    data, kind, err = protocol.recv_frame(sock, 65535,
                                                          (text:byte(1) or 0) % 2 == 0)
                    n = n + 1
                    if data and #data > 65535 then
                        error("a frame of " .. #data)
                    end
                until not data and err ~= "again" or n > 1000
                sock:close()
            end)
        }
    }
--- request
GET /t
--- timeout: 60
--- response_body
websocket: 0 of all threw
--- no_error_log
[warn]



=== resty.websocket.server and resty.upload, of such clients
--- http_config eval: $::HttpConfig
--- main_config
    env HOSTILE;
--- config
    client_body_timeout 100ms;
    client_header_timeout 100ms;
    location = /ws {
        content_by_lua_block {
            local ok, err = pcall(function ()
                local wb = require("resty.websocket.server"):new {
                    timeout = 100, max_payload_len = 65535,
                }
                local n = 0
                while wb and n < 100 do
                    local data, kind, err = wb:recv_frame()
                    if not data and err ~= "again" or kind == "close" then
                        break
                    end
                    if kind == "ping" then
                        wb:send_pong(data)
                    elseif kind == "text" then
                        wb:send_text(data)
                    end
                    n = n + 1
                end
            end)
            if not ok then
                ngx.log(ngx.WARN, "server threw: ", err)
            end
        }
    }
    location = /upload {
        content_by_lua_block {
            local ok, err = pcall(function ()
                local form = require("resty.upload"):new(64, 128)
                local n = 0
                while form and n < 1000 do
                    local kind, what, err = form:read()
                    if not kind or kind == "eof" then
                        break
                    end
                    n = n + 1
                end
            end)
            if not ok then
                ngx.log(ngx.WARN, "upload threw: ", err)
            end
            ngx.say "ok"
        }
    }
    location = /t {
        content_by_lua_block {
            local upgrade = "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                .. "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                .. "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                .. "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
            local form = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n'
                .. '--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n'
                .. "Content-Type: text/plain\r\n\r\n" .. ("z"):rep(200) .. "\r\n--b--\r\n"
            local head = "POST /upload HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                .. "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: "
            require("hostile").try("client", 100, {
                upgrade .. "\129\133\1\2\3\4" .. "hello" .. "\137\128\0\0\0\0"
                .. "\136\130\0\0\0\0\3\232",
                upgrade .. "\1\131\0\0\0\0abc\128\131\0\0\0\0def"
                .. "\193\135\0\0\0\0\242\72\205\201\201\7\0",
                upgrade .. "\129\254\1\0\0\0\0\0" .. ("x"):rep(256)
                .. "\130\255\0\0\0\0\0\1\0\0\0\0\0\0",
                head .. #form .. "\r\n\r\n" .. form,
            }, function (text)
                local sock = ngx.socket.tcp()
                sock:settimeout(2000)
                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                sock:send(text)
                sock:receive("*a")
                sock:close()
            end)
        }
    }
--- request
GET /t
--- timeout: 120
--- response_body
client: 0 of all threw
--- no_error_log
[warn]



=== ngx.pipe, of programs that do as they like
--- main_config
    env HOSTILE;
--- skip_windows: no such shell
--- config
    location = /t {
        content_by_lua_block {
            local pipe = require "ngx.pipe"
            local count = tonumber(os.getenv("HOSTILE")) or 60
            local deeds = {
                "printf abc", "printf '\\n\\n\\n'", "printf 'no end'", "exec >&-",
                "exec 2>&-", "exec <&-", "head -c 70000 /dev/zero", "read a; echo $a",
                "kill -9 $$", "kill -15 $$", "exit 7", "cat", "sleep 0.01",
                "(sleep 0.05; echo late) &", "head -c 9000 /dev/zero >&2",
            }
            local state = 7
            local function random(n)
                state = (state * 1103515245 + 12345) % 2147483648
                return math.floor(state / 65536) % n + 1
            end
            local calls = {
                function (p) return p:stdout_read_line() end,
                function (p) return p:stdout_read_bytes(random(5000)) end,
                function (p) return p:stdout_read_any(random(5000)) end,
                function (p) return p:stdout_read_all() end,
                function (p) return p:stderr_read_line() end,
                function (p) return p:stderr_read_any(10) end,
                function (p) return p:write(("x"):rep(random(100000))) end,
                function (p) return p:shutdown "stdin" end,
                function (p) return p:shutdown "stdout" end,
                function (p) return p:shutdown "stderr" end,
                function (p) return p:kill(random(2) == 1 and 15 or 9) end,
                function (p) return p:wait() end,
            }
            local threw = 0
            for _ = 1, count do
                local text = {}
                for i = 1, random(4) do
                    text[i] = deeds[random(#deeds)]
                end
                local p = assert(pipe.spawn({ "sh", "-c", table.concat(text, ";") }, {
                    merge_stderr = random(3) == 1, buffer_size = random(3000),
                }))
                p:set_timeouts(30, 30, 30, 30)
                local threads = {}
                for i = 1, random(8) do
                    local call = calls[random(#calls)]
                    threads[i] = ngx.thread.spawn(function ()
                        local ok, err = pcall(call, p)
                        if not ok and not tostring(err):find("merge_stderr", 1, true) then
                            threw = threw + 1
                            ngx.log(ngx.WARN, "pipe threw: ", err, " at ",
                                    table.concat(text, ";"))
                        end
                    end)
                end
                for i = 1, #threads do
                    ngx.thread.wait(threads[i])
                end
                p:kill(9)
                p:wait()
            end
            ngx.say("pipe: ", threw)
        }
    }
--- request
GET /t
--- timeout: 60
--- response_body
pipe: 0
--- no_error_log
[warn]
[alert]
