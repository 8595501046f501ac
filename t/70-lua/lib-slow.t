# Services that are slow, fall silent, or close their side in the middle: what
# the libraries say of them, and that nothing of it comes back from the pool.
#
# $slow: a server that says its whole answer byte by byte. $half: it says the
# first six bytes, closes its side, and reads on until the client has gone.

our $servers = q{
    lua_socket_log_errors off;
    init_by_lua_block {
        local function tell(answer, dribble)
            local sock = assert(ngx.req.socket(true))
            sock:settimeout(5000)
            while sock:receive() do
                if not dribble then
                    sock:send(answer:sub(1, 6))
                    assert(sock:shutdown("send"))
                    repeat until not sock:receiveany(100)
                    ngx.log(ngx.WARN, "the client of a half has gone")
                    return
                end
                for i = 1, #answer do
                    sock:send(answer:sub(i, i))
                    ngx.sleep(0.002)
                end
            end
        end
        slow = function (answer) tell(answer, true) end
        half = function (answer) tell(answer, false) end
    }
};

__DATA__


=== redis, slow: an answer in pieces is one, and its connection good
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        for i = 1, 2 do
            for _ = 1, 5 do sock:receive() end
            for c in ("$5\r\nhello\r\n"):gmatch(".") do
                sock:send(c)
                ngx.sleep(0.002)
            end
        end
    }
}'
--- config
    location = /t {
        content_by_lua_block {
            local redis = require "resty.redis"
            for i = 1, 2 do
                local red = redis:new()
                assert(red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                ngx.say(red:get_reused_times(), " ", red:get("key"), " ",
                        red:set_keepalive())
            end
        }
    }
--- request
GET /t
--- response_body
0 hello 1
1 hello 1



=== redis, half: what was cut off is no answer, and nothing is kept
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block { half("$5\r\nhello\r\n") }
}'
--- config
    location = /t {
        lua_socket_log_errors off;
        content_by_lua_block {
            local redis = require "resty.redis"
            for i = 1, 2 do
                local red = redis:new()
                assert(red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                ngx.say(red:get_reused_times(), " ",
                        table.concat({ tostring((red:get("key"))),
                                       select(2, red:set_keepalive()) }, " "))
            end
        }
    }
--- request
GET /t
--- response_body
0 nil closed
0 nil closed
--- error_log
the client of a half has gone



=== redis, slower than its time: the rest of the answer is nobody's
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        sock:receive()
        sock:send("$5\r\nhe")
        ngx.sleep(0.3)
        sock:send("llo\r\n")
    }
}'
--- config
    location = /t {
        lua_socket_log_errors off;
        content_by_lua_block {
            local redis = require "resty.redis"
            for i = 1, 2 do
                local red = redis:new()
                red:set_timeouts(1000, 1000, 50)
                assert(red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                ngx.say(red:get_reused_times(), " ", select(2, red:get("key")))
                ngx.say(red:set_keepalive())
            end
        }
    }
--- request
GET /t
--- response_body
0 timeout
nilclosed
0 timeout
nilclosed



=== memcached: slow, and half
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block { slow("VALUE k 0 5\r\nhello\r\nEND\r\n") }
}
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    content_by_lua_block { half("VALUE k 0 5\r\nhello\r\nEND\r\n") }
}'
--- config
    location = /t {
        lua_socket_log_errors off;
        content_by_lua_block {
            local memcached = require "resty.memcached"
            for _, port in ipairs { $TEST_NGINX_RAND_PORT_1,
                                    $TEST_NGINX_RAND_PORT_2 } do
                for i = 1, 2 do
                    local memc = memcached:new()
                    assert(memc:connect("127.0.0.1", port))
                    ngx.say(memc:get_reused_times(), " ", (memc:get("k")))
                    ngx.say(memc:set_keepalive())
                end
            end
        }
    }
--- request
GET /t
--- response_body
0 hello
1
1 hello
1
0 nil
nilclosed
0 nil
nilclosed



=== mysql: a greeting that ends in the middle, and one that never comes
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        sock:send("J\0\0\0\0108.0")
        sock:shutdown("send")
        repeat until not sock:receiveany(100)
    }
}
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    content_by_lua_block { ngx.sleep(0.5) }
}'
--- config
    location = /t {
        lua_socket_log_errors off;
        content_by_lua_block {
            local mysql = require "resty.mysql"
            for _, port in ipairs { $TEST_NGINX_RAND_PORT_1,
                                    $TEST_NGINX_RAND_PORT_2 } do
                local db = mysql:new()
                db:set_timeout(100)
                ngx.say(select(2, db:connect { host = "127.0.0.1", port = port,
                                               user = "u", database = "d" }))
                ngx.say(select(2, db:set_keepalive()))
            end
        }
    }
--- request
GET /t
--- response_body
failed to read packet content: closednilnil
cannot be reused in the current connection state: nil
failed to receive packet header: timeoutnilnil
cannot be reused in the current connection state: nil



=== http: a body that ends early, a header that is slow
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        repeat until sock:receive() == ""
        sock:send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        sock:shutdown("send")
        repeat until not sock:receiveany(100)
    }
}
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        for _ = 1, 2 do
            repeat until sock:receive() == ""
            for c in ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"):gmatch(".") do
                sock:send(c)
                ngx.sleep(0.002)
            end
        end
    }
}'
--- config
    location = /t {
        lua_socket_log_errors off;
        content_by_lua_block {
            local http = require "resty.http"
            for _, port in ipairs { $TEST_NGINX_RAND_PORT_1,
                                    $TEST_NGINX_RAND_PORT_2 } do
                for i = 1, 2 do
                    local h = http.new()
                    h:set_timeout(2000)
                    assert(h:connect { scheme = "http", host = "127.0.0.1",
                                       port = port })
                    local res, err = h:request { path = "/" }
                    local body
                    if res then
                        body, err = res:read_body()
                    end
                    ngx.say(h:get_reused_times(), " ", body, " ", err, " ",
                            (h:set_keepalive()))
                end
            end
        }
    }
--- request
GET /t
--- response_body
0 nil closed 2
0 nil closed 2
0 ok nil 1
1 ok nil 1



=== websocket: a frame that ends in the middle, and one in pieces
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        local slow, key = sock:receive():find("/slow", 1, true)
        repeat
            local line = sock:receive()
            key = line:match("^[Ss]ec%-[Ww]eb[Ss]ocket%-[Kk]ey: (.+)") or key
        until line == ""
        sock:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                  .. "Connection: Upgrade\r\nSec-WebSocket-Accept: "
                  .. ngx.encode_base64(ngx.sha1_bin(key
                     .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
        for c in ("\129\5hello\129\5he"):gmatch(".") do
            sock:send(c)
            ngx.sleep(0.002)
        end
        if not slow then
            sock:shutdown("send")
        end
        repeat until not sock:receiveany(100)
    }
}'
--- config
    location = /t {
        lua_socket_log_errors off;
        content_by_lua_block {
            for _, path in ipairs { "/", "/slow" } do
                local ws = require("resty.websocket.client"):new { timeout = 20000 }
                assert(ws:connect("ws://127.0.0.1:$TEST_NGINX_RAND_PORT_1" .. path))
                ngx.say(ws:recv_frame())
                if path == "/slow" then
                    ws:set_timeout(1000)
                end
                ngx.say(ws:recv_frame())
                ngx.say(ws:recv_frame())
                ws:close()
            end
        }
    }
--- request
GET /t
--- response_body
hellotextnil
nilnilfailed to read masking-len and payload: closed
nilnilfatal error already happened
hellotextnil
nilnilfailed to read masking-len and payload: timeout
nilnilfatal error already happened



=== websocket: of a frame the first byte alone, and nothing
--- config
    location = /ws {
        lua_socket_log_errors off;
        content_by_lua_block {
            local ws = require("resty.websocket.server"):new { timeout = 100 }
            for _ = 1, 3 do
                ngx.log(ngx.WARN, "frame: ", (select(3, ws:recv_frame())))
            end
        }
    }
    location = /t {
        content_by_lua_block {
            for _, first in ipairs { "", "\129" } do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                sock:send("GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                          .. "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                          .. "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n")
                sock:receiveuntil("\r\n\r\n")()
                sock:send(first)
                ngx.say(#sock:receive("*a"))
            end
        }
    }
--- response_body
0
0
--- grep_error_log eval: qr/frame: [\w :]+(?=,)/
--- grep_error_log_out
frame: failed to receive the first 2 bytes: timeout
frame: failed to receive the first 2 bytes: timeout
frame: failed to receive the first 2 bytes: timeout
frame: failed to receive the first 2 bytes: timeout
frame: fatal error already happened
frame: fatal error already happened



=== redis, subscribed: a line that has begun is not asked for again
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        for _ = 1, 5 do sock:receive() end
        sock:send("*3\r\n$9\r\nsubscribe\r\n$3\r\ndog\r\n:1\r\n")
        ngx.sleep(0.3)
        sock:send("*")
        repeat until not sock:receiveany(100)
    }
}'
--- config
    location = /t {
        lua_socket_log_errors off;
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:set_timeouts(1000, 1000, 5000)
            assert(red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(red:subscribe("dog"))
            red:set_timeouts(1000, 1000, 100)
            local timeouts, answer, err = 0
            repeat
                answer, err = red:read_reply()
                timeouts = timeouts + 1
            until err ~= "timeout" or timeouts == 20
            ngx.say(timeouts > 1 and timeouts < 20, " ", answer, " ", err)
        }
    }
--- request
GET /t
--- response_body
true nil closed



=== http, slower than its time: what broke off is in no pool
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        local how = sock:receive():match("/(%w+)")
        repeat local line = sock:receive() until not line or line == ""
        sock:send("HTTP/1.1 200 OK\r\n")
        if how == "header" then
            ngx.sleep(0.3)
            sock:send("Content-Length: 5\r\n\r\nfirst")
        elseif how == "body" then
            sock:send("Content-Length: 5\r\n\r\nfi")
            ngx.sleep(0.3)
            sock:send("rst")
        else
            sock:send("Transfer-Encoding: chunked\r\n\r\n5\r\nfi")
            ngx.sleep(0.3)
            sock:send("rst\r\n0\r\n\r\n")
        end
        repeat until not sock:receiveany(100)
    }
}'
--- config
    location = /t {
        lua_socket_log_errors off;
        content_by_lua_block {
            local http = require "resty.http"
            for _, how in ipairs { "header", "body", "chunk" } do
                local h = http.new()
                h:set_timeouts(1000, 1000, 100)
                assert(h:connect { scheme = "http", host = "127.0.0.1",
                                   port = $TEST_NGINX_RAND_PORT_1 })
                local res, err = h:request { path = "/" .. how }
                if res then
                    res, err = res:read_body()
                end
                ngx.say(h:get_reused_times(), " ", res, " ", err, " ",
                        h:set_keepalive())
            end
        }
    }
--- request
GET /t
--- response_body
0 nil timeout 2connection must be closed
0 nil timeout 2connection must be closed
0 nil timeout 2connection must be closed



=== http: a request that broke off is in no pool
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        repeat until not sock:receiveany(100)
    }
}'
--- config
    location = /t {
        content_by_lua_block {
            local h = require("resty.http").new()
            assert(h:connect { scheme = "http", host = "127.0.0.1",
                               port = $TEST_NGINX_RAND_PORT_1 })
            local parts = { "four" }
            ngx.say(h:request {
                method = "POST", path = "/", headers = { ["Content-Length"] = 9 },
                body = function ()
                    local part = table.remove(parts)
                    return part, not part and "the client has gone" or nil
                end
            })
            ngx.say(h:set_keepalive())
        }
    }
--- request
GET /t
--- response_body
nilthe client has gone
2connection must be closed



=== http: what was asked for and not read to its end is in no pool
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location = /plain { return 200 "first, second"; }
        location = /empty { return 200; }
        location = /upgraded {
            content_by_lua_block {
                ngx.status = 101
                ngx.header.Upgrade, ngx.header.Connection = "any", "upgrade"
                ngx.send_headers()
                ngx.flush(true)
            }
        }
        location = /chunked {
            content_by_lua_block { ngx.say("first") ngx.flush() ngx.say(2) }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local function try(path, read)
                local h = require("resty.http").new()
                assert(h:connect { scheme = "http", host = "127.0.0.1",
                                   port = $TEST_NGINX_RAND_PORT_1 })
                local res = assert(h:request { path = path })
                read(res, h)
                ngx.say(path, " ", h:get_reused_times(), " ", h:set_keepalive())
            end
            local function part(res) assert(res.body_reader(5)) end
            local function all(res) assert(res:read_body()) end
            try("/plain", function () end)
            try("/plain", part)
            try("/plain", function (res) part(res) res.body_reader() end)
            try("/plain", function (res) res.body_reader(13) end)
            try("/chunked", function () end)
            try("/chunked", part)
            try("/chunked", all)
            try("/empty", function () end)
            try("/upgraded", function () end)
            try("/plain", function (res, h)
                all(res)
                assert(h:send_request { path = "/plain" })
            end)
            try("/plain", function (res, h)
                all(res)
                local two = { { path = "/plain" }, { path = "/plain" } }
                all(h:request_pipeline(two)[1])
            end)
            try("/plain", all)
        }
    }
--- response_body
/plain 0 2connection must be closed
/plain 0 2connection must be closed
/plain 0 2connection must be closed
/plain 0 1
/chunked 1 2connection must be closed
/chunked 0 2connection must be closed
/chunked 0 1
/empty 1 1
/upgraded 2 2connection must be closed
/plain 0 2connection must be closed
/plain 0 2connection must be closed
/plain 0 1
--- error_log
Buffer size not specified, bailing



=== websocket: after a frame that is none nothing is kept
--- stream_config
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local frames = {
            huge = "\129\127\127\255\255\255\255\255\255\255",
            reserved = "\193\1a", fragmented = "\9\1a", opcode = "\131\1a",
        }
        local sock = ngx.req.socket(true)
        local name, key = sock:receive():match("/(%a+)"), nil
        repeat
            local line = sock:receive()
            key = line:match("^[Ss]ec%-[Ww]eb[Ss]ocket%-[Kk]ey: (.+)") or key
        until line == ""
        sock:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                  .. "Connection: Upgrade\r\nSec-WebSocket-Accept: "
                  .. ngx.encode_base64(ngx.sha1_bin(key
                     .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n"
                  .. frames[name])
        repeat until not sock:receiveany(100)
    }
}
--- config
    location = /t {
        content_by_lua_block {
            for _, name in ipairs { "huge", "reserved", "fragmented",
                                    "opcode" } do
                local ws = require("resty.websocket.client"):new()
                local uri = "ws://127.0.0.1:$TEST_NGINX_RAND_PORT_1/" .. name
                assert(ws:connect(uri, { pool = "one" }))
                ngx.say(name, " ", select(3, ws:recv_frame()))
                ngx.say(ws.sock:getreusedtimes(), " ",
                        select(2, ws:set_keepalive()))
            end
        }
    }
--- request
GET /t
--- response_body
huge payload len too large
0 fatal error already happened
reserved bad RSV1, RSV2, or RSV3 bits
0 fatal error already happened
fragmented fragmented control frame
0 fatal error already happened
opcode reserved non-control frames
0 fatal error already happened



=== a checker turns down who is slow, who lies and who closes its side
--- http_config
    lua_shared_dict health 1m;
    lua_socket_log_errors off;
    upstream slow.test { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream liar.test { server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    upstream half.test { server 127.0.0.1:$TEST_NGINX_RAND_PORT_3; }
    init_worker_by_lua_block {
        local spawn = require("resty.upstream.healthcheck").spawn_checker
        for _, name in ipairs { "slow.test", "liar.test", "half.test" } do
            assert(spawn {
                shm = "health", upstream = name, type = "http", timeout = 50,
                http_req = "GET /status HTTP/1.0\r\nHost: a\r\n\r\n",
                interval = 20, fall = 2, valid_statuses = { 200 },
            })
        end
    }
--- stream_config eval
$::servers . '
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block { ngx.sleep(1) }
}
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    content_by_lua_block { slow("no status at all\r\n") }
}
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
    content_by_lua_block { half("HTTP/1.0 200 OK\r\n") }
}'
--- config
    location = /t {
        content_by_lua_block {
            local health = require "resty.upstream.healthcheck"
            local down
            for _ = 1, 500 do
                down = select(2, health.status_page():gsub("DOWN", ""))
                if down == 3 then
                    break
                end
                ngx.sleep(0.02)
            end
            ngx.say(down)
        }
    }
--- request
GET /t
--- response_body
3
--- timeout: 20
