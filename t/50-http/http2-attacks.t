# What attacks leave behind: the client is Lua code of the block's own.
# Known attacks of this kind: CVE-2019-9512, CVE-2019-9514, CVE-2019-9515,
# CVE-2019-9517, CVE-2019-9518, CVE-2023-44487, CVE-2025-8671.

__DATA__


=== a connection that breaks with 100 open streams
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        for i = 1, 3 do
            local sock = h2.open(h2.hello { [4] = 0 } .. h2.gets("/s", 100))
            h2.await(2, 101)
            sock:send(h2.frame("PING", 0, 1, "12345678"))
            sock:close()
        end
        ngx.say(h2.await(1, 1))
    } }
    location = /s { return 200 "some text"; }
--- response_body
1 1
--- timeout: 60


=== a client that leaves 250 streams behind
--- config
    http2 on;
    http2_max_concurrent_streams 300;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello { [4] = 0 } .. h2.gets("/s", 250))
        ngx.say(h2.await(2, 251))
        sock:close()
        ngx.say(h2.await(1, 1))
    } }
    location = /s { return 200 "some text"; }
--- response_body
2 251
1 1
--- timeout: 60


=== streams that may never send are reset after send_timeout
--- config
    http2 on;
    send_timeout 3s;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello { [4] = 0 } .. h2.gets("/s", 100))
        ngx.say(h2.await(2, 101))
        ngx.say(h2.await(2, 1))
        local _, resets = h2.receive(sock, "RST_STREAM 199")
                          :gsub("RST_STREAM", "")
        ngx.say(resets, " resets")
    } }
    location = /s { return 200 "some text"; }
--- response_body
2 101
2 1
100 resets
--- error_log
client timed out
--- access_log
GET /s HTTP/2.0" 200
--- timeout: 60


=== streams whose window is used up are reset after send_timeout
--- config
    http2 on;
    send_timeout 3s;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/s", 20))
        ngx.say(h2.await(2, 21))
        ngx.say(h2.await(2, 1))
    } }
    location = /s { content_by_lua_block { ngx.print(("x"):rep(100000)) } }
--- response_body
2 21
2 1
--- timeout: 60


=== an answer that is cut off where the window ends is reset
--- config
    http2 on; send_timeout 2s;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello { [4] = 4 } .. h2.gets("/s", 1))
        local said = h2.receive(sock, "RST_STREAM 1[^\n]*")
        ngx.say(said:match("DATA 1 4\nRST_STREAM[^\n]*"))
    } }
    location = /s { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\naaaa"
--- response_body_like: ^DATA 1 4\nRST_STREAM 1 (INTERNAL|PROTOCOL)_ERROR$
--- error_log
upstream prematurely closed connection while reading upstream


=== a window that opens now and then keeps a stream alive
--- config
    http2 on;
    send_timeout 2s;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello { [4] = 0 } .. h2.gets("/s", 1))
        for i = 1, 9 do
            ngx.sleep(0.25)
            sock:send(h2.frame("WINDOW_UPDATE", 0, 1, "\0\0\0\1"))
        end
        ngx.print((h2.receive(sock, "end"):gsub(".*HEADERS 1\n", "")))
    } }
    location = /s { return 200 "some text"; }
--- response_body eval
("DATA 1 1\n" x 8) . "DATA 1 1 end\n"
--- no_error_log
client timed out
--- timeout: 60


=== send_timeout after limit_rate's pause, without a window
--- config
    http2 on;
    send_timeout 2s;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/s", 1))
        ngx.say(h2.await(2, 2))
        sock:send(h2.frame("SETTINGS", 0, 0, h2.settings { [4] = 0 }))
        ngx.say(h2.await(2, 1))
    } }
    location = /s { limit_rate 10; return 200 "some text of 20 bytes"; }
--- response_body
2 2
2 1
--- timeout: 60


=== Lua that waits for such a stream hears of its end
--- config
    http2 on;
    send_timeout 2s;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello { [4] = 0 } .. h2.gets("/s", 1))
        h2.await(2, 2)
        ngx.say(h2.await(2, 1))
    } }
    location = /s { content_by_lua_block {
        ngx.say("hello")
        ngx.log(ngx.WARN, "flushed: ", ngx.flush(true))
    } }
--- response_body
2 1
--- error_log
flushed: nil
--- timeout: 60


=== an upstream's connection behind such a stream is closed
--- config
    http2 on;
    send_timeout 3s;
    proxy_buffering off;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello { [4] = 0 } .. h2.gets("/p", 3))
        ngx.say(h2.await(5, 7))
        ngx.say(h2.await(2, 1))
    } }
    location = /p { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/u; }
    location = /u { content_by_lua_block {
        ngx.print(("x"):rep(100000))
        ngx.flush(true)
        ngx.sleep(0.3)
        ngx.print(("x"):rep(10000000))
    } }
--- response_body
5 7
2 1
--- timeout: 60


=== PING does not put keepalive_timeout off
--- config
    http2 on;
    keepalive_timeout 300ms;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/s", 1))
        for i = 1, 8 do
            ngx.sleep(0.05)
            sock:send(h2.frame("PING", 0, 0, "12345678"))
        end
        ngx.say((h2.receive(sock, "GOAWAY"):gsub("PING 0 ack\n", "")))
    } }
    location = /s { return 204; }
--- response_body_like: HEADERS 1 end\nGOAWAY 0 last 1 NO_ERROR\n
--- timeout: 60


=== PING does not put client_header_timeout off, either
--- config
    http2 on;
    client_header_timeout 300ms;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello())
        for i = 1, 8 do
            ngx.sleep(0.05)
            sock:send(h2.frame("PING", 0, 0, "12345678"))
        end
        ngx.say(h2.await(1, 1))
    } }
--- response_body
1 1
--- error_log
client timed out
--- timeout: 60


=== nor is a connection that has ended kept by what still comes
--- config
    http2 on;
    keepalive_timeout 100ms;
    lingering_timeout 300ms;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/s", 1))
        for i = 1, 20 do
            ngx.sleep(0.05)
            sock:send(h2.frame("PING", 0, 0, "12345678"))
        end
        ngx.say(h2.await(1, 1))
    } }
    location = /s { return 204; }
--- response_body
1 1
--- timeout: 60


=== nor by what came once
--- config
    http2 on;
    keepalive_timeout 100ms;
    lingering_timeout 1s;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/s", 1))
        h2.receive(sock, "GOAWAY")
        sock:send(h2.frame("PING", 0, 0, "12345678"))
        ngx.say(h2.await(1, 1))
    } }
    location = /s { return 204; }
--- response_body
1 1
--- timeout: 60


=== streams that are refused before SETTINGS are acknowledged
--- config
    http2 on;
    http2_max_concurrent_streams 10;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello { [4] = 0 }:sub(1, -10))
        local batches, last = 0
        repeat
            sock:send(h2.gets("/s", 10, 1 + batches * 20)
                      .. h2.frame("PING", 0, 0, "12345678"))
            last = h2.receive(sock, "PING 0 ack"):match("GOAWAY.*")
            batches = batches + 1
        until last or batches == 50
        ngx.print(batches < 15, " ", last)
    } }
    location = /s { return 200 "some text"; }
--- response_body_like: ^true GOAWAY 0 last \d+ ENHANCE_YOUR_CALM$
--- error_log
client sent too many refused streams
--- timeout: 60


=== streams with bodies that are refused before SETTINGS are acknowledged
--- config
    http2 on;
    http2_body_preread_size 1k;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello():sub(1, -10))
        local block, streams, last = h2.block("POST", "/s"), 0
        repeat
            sock:send(h2.frame("HEADERS", 4, 1 + streams * 2, block)
                      .. h2.frame("PING", 0, 0, "12345678"))
            last = h2.receive(sock, "PING 0 ack"):match("GOAWAY.*")
            streams = streams + 1
        until last or streams == 500
        ngx.print(streams > 128 and streams < 200, " ", last)
    } }
    location = /s { return 200 "some text"; }
--- response_body_like: ^true GOAWAY 0 last \d+ ENHANCE_YOUR_CALM$
--- error_log
client sent stream with data before settings were acknowledged
client sent too many refused streams
--- timeout: 60


=== padding is no payload
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello()
                             .. h2.frame("HEADERS", 4, 1,
                                         h2.block("POST", "/s")))
        local sent = h2.flood(sock, h2.frame("DATA", 8, 1,
                              "\255" .. ("\0"):rep(255)), 1e8)
        ngx.say(sent < 3e7)
    } }
    location = /s {
        client_max_body_size 0;
        content_by_lua_block { ngx.req.read_body() }
    }
--- response_body
true
--- error_log
http2 flood detected
--- timeout: 60


=== fields that a byte names again and again
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello())
        local first = h2.block("GET", "/s") .. "\64\1x\127\161\30"
                      .. ("y"):rep(4000)
        sock:send(h2.frame("HEADERS", 1, 1, first))
        for i = 1, 7 do
            sock:send(h2.frame("CONTINUATION", i == 7 and 4 or 0, 1,
                               ("\190"):rep(16000)))
        end
        ngx.print(h2.receive(sock, "GOAWAY"):match("GOAWAY.*"))
    } }
    location = /s { return 204; }
--- response_body_like: ^GOAWAY 0 last \d+ ENHANCE_YOUR_CALM$
--- error_log
client sent too large header
--- timeout: 60


=== frames that do nothing, without end
--- config
    http2 on;
    http2_max_concurrent_streams 1000;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local frames = {
            { "PING", 0, 0, "12345678" }, { "SETTINGS", 0, 0 },
            { "PRIORITY", 0, 3, "\0\0\0\0\1" },
            { "WINDOW_UPDATE", 0, 1, "\0\0\0\1" }, { "DATA", 0, 1 },
            { 77, 0, 0, ("x"):rep(100) }, { "PING", 1, 0, "12345678" },
        }
        for i, frame in ipairs(frames) do
            local sock = h2.open(h2.hello()
                                 .. h2.frame("HEADERS", 4, 1,
                                             h2.block("POST", "/s")))
            if h2.flood(sock, h2.frame(unpack(frame)), 1e8) > 3e7 then
                ngx.say("no end: ", frame[1])
            end
        end
        ngx.say(h2.await(1, 1))
    } }
    location = /s { content_by_lua_block { ngx.req.read_body() } }
--- response_body
1 1
--- grep_error_log eval: qr/http2 flood detected/
--- grep_error_log_out eval
"http2 flood detected\n" x 7
--- timeout: 60


=== requests that are taken back, a few at a time
--- config
    http2 on;
    keepalive_requests 100000;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock, id = h2.open(h2.hello()), 1
        repeat
            local out = {}
            for i = 1, 50 do
                out[i] = h2.gets("/s", 1, id)
                         .. h2.frame("RST_STREAM", 0, id, "\0\0\0\8")
                id = id + 2
            end
            out[51] = h2.frame("PING", 0, 0, "12345678")
            sock:send(table.concat(out))
            local last = h2.receive(sock, "PING 0 ack"):match("GOAWAY.*")
            if last then return ngx.print(id < 4000, " ", last) end
        until id > 8000
    } }
    location = /s { content_by_lua_block { ngx.sleep(1) } }
--- response_body_like: ^true GOAWAY 0 last \d+ ENHANCE_YOUR_CALM$
--- error_log
http2 flood detected
--- timeout: 60


=== files that streams without a window keep open
--- config
    http2 on;
    send_timeout 4s;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local held, left
        ngx.say(require "lunette.spec.descriptors".gives_back(function()
            local socks = {}
            for i = 1, 2 do
                socks[i] = h2.open(h2.hello { [4] = 0 } .. h2.gets("/f", 60))
            end
            held, left = h2.await(3, 121), h2.await(3, 1)
            for _, sock in ipairs(socks) do sock:close() end
            h2.await(1, 1)
        end), " as before")
        ngx.say(held, "\n", left)
    } }
    location = /f { root html; }
--- user_files eval
">>> f\n" . ("x" x 300000)
--- response_body
true as before
3 121
3 1
--- timeout: 120


=== after all of them a worker has what it had before
--- config
    http2 on;
    send_timeout 2s; keepalive_timeout 1s; client_header_timeout 1s;
    lingering_timeout 500ms; lingering_time 1s;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local socks, left
        local function attack(first, ...)
            local sock = h2.open(first .. h2.gets("/f", 60))
            for _, frame in ipairs { ... } do h2.flood(sock, frame, 3e7) end
            socks[#socks + 1] = sock
        end
        local shut, wide, f = h2.hello { [4] = 0 }, h2.hello(), h2.frame
        ngx.say(require "lunette.spec.descriptors".gives_back(function()
            socks = {}
            attack(shut)
            attack(wide)
            attack(wide:sub(1, -10))
            attack(shut, f("PING", 0, 0, "12345678"))
            attack(shut, f("SETTINGS", 0, 0, h2.settings { [4] = 0 }))
            attack(shut, f("GOAWAY", 0, 0, ("\0"):rep(8)))
            attack(shut, f("WINDOW_UPDATE", 0, 0, "\0\0\0\1"))
            attack(shut, f("RST_STREAM", 0, 1, "\0\0\0\8"))
            attack(shut, f("PRIORITY", 0, 3, "\0\0\0\0\1"), f(77, 0, 0, "x"))
            attack(shut .. f("HEADERS", 4, 121, h2.block("POST", "/f")),
                   f("DATA", 8, 121, "\255" .. ("\0"):rep(255)))
            attack(shut, f("HEADERS", 1, 121, h2.block("GET", "/f")),
                   f("CONTINUATION", 0, 121, ("\190"):rep(16000)))
            left = h2.await(1, 1)
            for _, sock in ipairs(socks) do sock:close() end
            h2.await(1, 1)
        end), " as before")
        ngx.say(left)
    } }
    location = /f { root html; }
--- user_files eval
">>> f\n" . ("x" x 300000)
--- response_body
true as before
1 1
--- error_log
http2 flood detected
client timed out
--- timeout: 120
