# What hostile clients send, frame by frame.
# Known attacks of this kind: CVE-2024-27316, CVE-2024-28182.

__DATA__


=== the preface is answered with settings and a window
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
--- shutdown
--- response_body
SETTINGS 0
SETTINGS 0 ack
WINDOW_UPDATE 0
--- no_error_log
[error]


=== something else instead of settings is taken for a client without any
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x08\6\0\0\0\0\0\0\0\0\0\0\0\0\0"
--- shutdown
--- response_body_like: PING 0 ack
--- no_error_log
[error]


=== the same in pieces
--- http2_frames
--- raw_request eval
["PRI * HTTP/2.0\r\n\r\nSM\r\n\r", "\n\0\0", "\x08", "\6", "\0\0\0\0\0\0\0\0\0\0\0\0\0"]
--- raw_request_middle_delay: 0.02
--- shutdown
--- response_body_like: PING 0 ack
--- no_error_log
[error]


=== what a client may do is the first that it is told
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local told = h2.open(h2.hello()):receive(39)
        ngx.say((told:gsub(".", function(c)
            return ("%02x"):format(c:byte())
        end)))
    } }
--- response_body
00001e040000000000000300000080000400010000000500ffffff000900000001000800000001


=== frames that are read as they come may be long
--- http2_frames
--- config
    large_client_header_buffers 4 32k;
    client_body_buffer_size 32k;
    location = /t { content_by_lua_block {
        ngx.req.read_body()
        ngx.say(#ngx.req.get_body_data(), " ", #ngx.var.http_a)
    } }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0\0\4\1\0\0\0\0"
. "\0\x4e\x2a\1\4\0\0\0\1\x83\x86\4\2/t\x41\1a\0\1a\x7f\x9b\x9b\1"
. ("a" x 19994)
. "\0\x4e\x20\0\1\0\0\0\1" . ("b" x 20000)
--- shutdown
--- response_body_like: DATA 1 12 end
--- no_error_log
[error]


=== what would have to be gathered may not
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0\0\4\1\0\0\0\0"
. "\0\x40\1\7\0\0\0\0\0" . ("x" x 16385)
--- shutdown
--- response_body_like: GOAWAY 0 last 0 FRAME_SIZE_ERROR
--- error_log
client sent too long frame of type 7: 16385


=== what nobody knows is dropped as it comes
--- http2_frames
--- config
    location = /t { return 200 "hello"; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0\0\4\1\0\0\0\0"
. "\0\x4e\x20\x42\0\0\0\0\0" . ("x" x 20000)
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a"
--- shutdown
--- response_body_like: DATA 1 5 end
--- no_error_log
too long frame


=== what is no preface is what an HTTP/1 client has sent
--- config
    http2 on;
    location = /t { return 200 "here"; }
--- raw_request eval
["INVALID CONNECTION PREFACE\r\n\r\n"]
--- error_code: 400
--- response_headers
Connection: close
--- error_log
client sent invalid request


=== nor is one that goes wrong at its end
--- config
    http2 on;
    location = /t { return 200 "here"; }
--- raw_request eval
["PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"]
--- error_code: 400
--- response_headers
Connection: close
--- error_log
client sent invalid


=== half of a preface is no request
--- http2_frames
--- config
    client_header_timeout 100ms;
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\n"
--- ignore_response
--- error_log
client timed out


=== a request that is reset at once
--- http2_frames
--- config
    location = /t { content_by_lua_block { ngx.sleep(0.1) ngx.say("no") } }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a"
. "\0\0\4\3\0\0\0\0\1\0\0\0\x08"
--- shutdown
--- response_body_unlike: HEADERS
--- error_log eval
qr/\[info\] [0-9#]+: \*\d+ client canceled stream 1(,| while)/


=== a request, by hand
--- http2_frames
--- config
    location = /t { return 200 "hello"; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a"
--- shutdown
--- response_body
SETTINGS 0
SETTINGS 0 ack
WINDOW_UPDATE 0
HEADERS 1
DATA 1 5 end


=== no pseudo-headers at all
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\3\1\5\0\0\0\1\x41\1a"
--- shutdown
--- response_body_like: HEADERS 1\nDATA 1 \d+\nRST_STREAM 1 PROTOCOL_ERROR
--- error_log
client sent no :method header


=== a header name in upper case
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0e\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a\0\1A\1b"
--- shutdown
--- response_body_like: HEADERS 1
--- error_log
client sent invalid header name: "A"
--- access_log
" 400 


=== a line break in a value
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0f\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a\0\1a\2\r\n"
--- shutdown
--- response_body_like: HEADERS 1
--- error_log
client sent header "a" with invalid value


=== other control bytes in a value
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0" . join("", map {
    "\0\0\x0f\1\5\0\0\0" . chr($_ * 2 + 1)
    . "\x82\x86\4\2/t\x41\1a\0\1a\2x" . ("\1", "\x1f", "\x7f", "\t", "\x80")[$_]
} 0 .. 4)
--- shutdown
--- response_body_like: HEADERS 9
--- grep_error_log eval: qr/client sent header "a" with invalid value/
--- grep_error_log_out eval
"client sent header \"a\" with invalid value\n" x 3


=== fields that speak of an HTTP/1 connection
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local fields = { "connection", "x", "keep-alive", "x", "upgrade", "h2c",
                         "transfer-encoding", "chunked", "te", "gzip",
                         "proxy-connection", "x", "te", "Trailers" }
        local sock = h2.open(h2.hello())
        for i = 1, #fields, 2 do
            sock:send(h2.frame("HEADERS", 5, i, h2.block("GET", "/s",
                               { fields[i], fields[i + 1] })))
        end
        h2.receive(sock, "HEADERS 13")
    } }
    location = /s { return 200; }
--- grep_error_log eval: qr/client sent .*? header/
--- grep_error_log_out
client sent "Connection" header
client sent "Keep-Alive" header
client sent "Upgrade" header
client sent "Transfer-Encoding" header
client sent invalid "TE" header
client sent "Proxy-Connection" header
--- access_log
GET /s HTTP/2.0" 400
GET /s HTTP/2.0" 200


=== a host that is said twice, or in two ways
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello())
        for i, hosts in ipairs {
            { "host", "localhost" }, { "host", "b" },
            { "host", "localhost", "host", "localhost" },
        } do
            sock:send(h2.frame("HEADERS", 5, 2 * i - 1,
                               h2.block("GET", "/s", hosts)))
        end
        h2.receive(sock, "HEADERS 5")
    } }
    location = /s { return 200; }
--- grep_error_log eval: qr/client sent .*?(values|previous.*?,)/
--- grep_error_log_out
client sent ":authority" and "Host" headers with different values
client sent duplicate host header: "host: localhost", previous value: "host: localhost" while reading client request headers,
--- access_log
GET /s HTTP/2.0" 200


=== a pseudo-header behind a header
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0e\1\5\0\0\0\1\x82\x86\x41\1a\0\1a\1b\4\2/t"
--- shutdown
--- response_body_like: HEADERS 1
--- error_log
client sent out of order pseudo-headers


=== header compression gone wrong
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\1\1\5\0\0\0\1\xff"
--- response_body_like: GOAWAY 0 last \d COMPRESSION_ERROR


=== an even stream number
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\2\x82\x86\4\2/t\x41\1a"
--- response_body_like: GOAWAY 0 last 0 PROTOCOL_ERROR


=== a frame that is too large
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\1\0\0\0\0\0\0\0\1" . ("x" x 1000)
--- response_body_like: GOAWAY 0 last 0 FRAME_SIZE_ERROR


=== CONTINUATION without end
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\2\1\0\0\0\0\1\x82\x86" . ("\0\0\1\x09\0\0\0\0\1\x86" x 20)
--- response_body_like: GOAWAY 0 last \d (ENHANCE_YOUR_CALM|INTERNAL_ERROR)


=== PING without end
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. ("\0\0\x08\6\0\0\0\0\0abcdefgh" x 600000)
--- ignore_response
--- error_log
http2 flood detected


=== streams that are opened and reset without end
--- http2_frames
--- config
    location = /t { return 200; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0" . join("", map {
    "\0\0\x09\1\5\0" . pack("CCC", 0, $_ / 128, ($_ * 2 + 1) % 256)
    . "\x82\x86\4\2/t\x41\1a\0\0\4\3\0\0" . pack("CCC", 0, $_ / 128,
    ($_ * 2 + 1) % 256) . "\0\0\0\x08" } 0 .. 5000)
--- response_body_like: GOAWAY 0 last \d+
--- no_error_log
[error]


=== a body longer than it was said to be
--- http2_frames
--- config
    location = /t { content_by_lua_block { ngx.req.read_body() } }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0d\1\4\0\0\0\1\x83\x86\4\2/t\x41\1a\x0f\x0d\0012"
. "\0\0\3\0\1\0\0\0\1abc"
--- shutdown
--- response_body_like: HEADERS 1
--- error_log
client intended to send body data larger than declared


=== a body shorter than it was said to be
--- http2_frames
--- config
    location = /t { content_by_lua_block { ngx.req.read_body() } }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0d\1\4\0\0\0\1\x83\x86\4\2/t\x41\1a\x0f\x0d\0019"
. "\0\0\3\0\1\0\0\0\1abc"
--- shutdown
--- response_body_like: HEADERS 1
--- error_log
client prematurely closed stream: only 3 out of 9 bytes of request body received


=== a body that is said to have no bytes, and has none
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.frame("HEADERS", 5, 1,
                     h2.block("POST", "/s", { "content-length", "0" }))
                     .. h2.frame("HEADERS", 5, 3,
                     h2.block("POST", "/s", { "content-length", "1" })))
        h2.receive(sock, "[AR][DS][ET][RA][SM_][^\n]* 3")
        sock:close()
    } }
    location = /s { return 204; }
--- access_log
POST /s HTTP/2.0" 204


=== a body that goes on behind its length is malformed, though that had come whole
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / { content_by_lua_block {
            ngx.req.read_body() ngx.exit(204)
        } }
    }
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        for i, path in ipairs { "/b", "/u" } do
            local sock = h2.open(h2.hello() .. h2.frame("HEADERS", 4, 1,
                         h2.block("POST", path, { "content-length", "2" }))
                         .. h2.frame("DATA", 0, 1, "ab"))
            ngx.sleep(0.1)
            sock:send(h2.frame("DATA", 1, 1, "cd"))
            h2.receive(sock, "HEADERS 1")
        end
    } }
    location = /b { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /u {
        proxy_request_buffering off;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- access_log eval
["POST /b HTTP/2.0\" 400", "POST /u HTTP/2.0\" 400"]
--- no_access_log
" 204 



=== of a body that is too short a server gets no last piece
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / { content_by_lua_block {
            local sock = ngx.req.socket()
            ngx.log(ngx.WARN, "got ", sock:receive(1), sock:receive(1))
        } }
    }
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.frame("HEADERS", 4, 1,
                     h2.block("POST", "/u", { "content-length", "3" }))
                     .. h2.frame("DATA", 0, 1, "a"))
        ngx.sleep(0.1)
        sock:send(h2.frame("DATA", 1, 1, "b"))
        h2.receive(sock, "HEADERS 1")
    } }
    location = /u {
        proxy_request_buffering off;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- access_log
POST /u HTTP/2.0" 400
--- no_error_log
got ab



=== a header that does not come whole costs its own stream
--- config
    http2 on;
    client_header_timeout 200ms;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local half = h2.frame("HEADERS", 5, 3, h2.block("GET", "/h"))
        local sock = h2.open(h2.hello() .. h2.gets("/s", 1) .. half:sub(1, 20))
        ngx.print(h2.receive(sock, "RST_STREAM 3[^\n]*\n"))
        sock:send(half:sub(21) .. h2.frame("PING", 0, 0, ("p"):rep(8))
                  .. h2.gets("/q", 1, 5))
        ngx.print(h2.receive(sock, "HEADERS 5"))
        ngx.print(h2.receive(sock, "HEADERS 1"))
    } }
    location = /s { content_by_lua_block { ngx.sleep(1) ngx.exit(204) } }
    location = /q { return 204; }
--- response_body_like: RST_STREAM 3 PROTOCOL_ERROR\nPING 0 ack\nHEADERS 5 end\nHEADERS 1 end\n$
--- error_log
client timed out
--- access_log
" 408 



=== max_headers counts fields, neither :authority nor the pieces of a cookie
--- config
    http2 on;
    max_headers 2;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local function ask(...)
            local sock = h2.open(h2.hello() .. h2.frame("HEADERS", 5, 1,
                                 h2.block("GET", "/s", { ... })))
            h2.receive(sock, "HEADERS 1")
        end
        ask("a", "1", "b", "2")
        ask("a", "1", "cookie", "a=1", "b", "2", "cookie", "b=2")
        ask("a", "1", "b", "2", "c", "3")
    } }
    location = /s { return 204; }
--- access_log eval
["\" 204 ", "\" 400 "]



=== as many streams as it was told, and no more
--- config
    http2 on;
    http2_max_concurrent_streams 2;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello():sub(1, -10) .. h2.gets("/s", 3))
        local said = h2.receive(sock, "HEADERS 3")
        ngx.say(said:match("RST_STREAM[^\n]*"))
        ngx.say(said:match("HEADERS 1"), " ", said:match("HEADERS 5"))
    } }
    location = /s { content_by_lua_block { ngx.sleep(0.1) ngx.exit(204) } }
--- response_body
RST_STREAM 5 REFUSED_STREAM
HEADERS 1 nil


=== a client that knows the limit has a stream too many refused, and goes on
--- config
    http2 on;
    http2_max_concurrent_streams 2;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/s", 3))
        ngx.say(h2.receive(sock, "RST_STREAM 5 REFUSED_STREAM\n$")
                :gsub(".*RST", "RST"))
        h2.go = true
        ngx.say(h2.await(2, 1))
        sock:send(h2.gets("/s", 1, 7))
        ngx.say(h2.receive(sock, "HEADERS 7"):match("HEADERS [57]"))
    } }
    location = /s { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        while not h2.go do ngx.sleep(0.01) end
        ngx.exit(204)
    } }
--- response_body
RST_STREAM 5 REFUSED_STREAM
1
2 1
HEADERS 7
--- error_log
concurrent streams exceeded 2


=== the log says why a client has reset a stream
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/s", 5))
        ngx.say(h2.await(2, 6))
        for i, code in ipairs { 0, 7, 2, 8, 5 } do
            sock:send(h2.frame("RST_STREAM", 0, 2 * i - 1,
                               "\0\0\0" .. string.char(code)))
        end
        h2.receive(sock)
        h2.go = true
        ngx.say(h2.await(2, 1))
    } }
    location = /s { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        while not h2.go do ngx.sleep(0.01) end
        ngx.exit(204)
    } }
--- response_body
2 6
2 1
--- error_log
client closed stream 1, client
client refused stream 3, client
client terminated stream 5 due to internal error, client
client canceled stream 7, client
client terminated stream 9 with status 5, client


=== a stream that is served counts, even if its client has reset it
--- config
    http2 on;
    http2_max_concurrent_streams 2;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/s", 1))
        ngx.say(h2.await(2, 2))
        sock:send(h2.frame("RST_STREAM", 0, 1, "\0\0\0\8")
                  .. h2.gets("/s", 2, 3))
        h2.receive(sock, "RST_STREAM 5 REFUSED_STREAM")
        h2.go = true
        ngx.say(h2.await(2, 1))
        sock:send(h2.gets("/s", 1, 7))
        ngx.say(h2.receive(sock, "HEADERS 7"):match("HEADERS [57]"))
    } }
    location = /s { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        while not h2.go do ngx.sleep(0.01) end
        ngx.exit(204)
    } }
--- response_body
2 2
2 1
HEADERS 7


=== a stream's number is used once
--- http2_frames
--- config
    location = /t { return 204; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\3\x82\x86\4\2/t\x41\1a"
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a"
--- response_body_like: GOAWAY 0 last 3 PROTOCOL_ERROR\n$
--- error_log
client sent HEADERS frame with incorrect identifier 1, the last was 3


=== trailers on their way to a stream that was reset
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello()
                     .. h2.frame("HEADERS", 4, 1, h2.block("POST", "/s")))
        h2.receive(sock, "RST_STREAM 1 NO_ERROR")
        sock:send(h2.frame("DATA", 0, 1, "abc")
                  .. h2.frame("HEADERS", 5, 1, "\0\1x\1y"))
        ngx.print("then: ", h2.receive(sock))
        sock:send(h2.gets("/s", 1, 3))
        ngx.print(h2.receive(sock, "HEADERS 3"))
    } }
    location = /s { return 204; }
--- response_body
then: HEADERS 3 end


=== trailers of a request
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello())
        for i, last in ipairs { { 5, "x" }, { 5, ":path" }, { 5, "X" },
                                { 4, "x" } } do
            local id = 2 * i - 1
            sock:send(h2.frame("HEADERS", 4, id, h2.block("POST", "/s"))
                      .. h2.frame("DATA", 0, id, "abc")
                      .. h2.frame("HEADERS", last[1], id,
                                  "\0" .. string.char(#last[2]) .. last[2]
                                  .. "\1y"))
            ngx.print((h2.receive(sock, i == 1 and "end" or "RST")
                       :gsub("^SET.*UPDATE 0\n", "")))
        end
    } }
    location = /s { content_by_lua_block { ngx.req.read_body() } }
--- response_body
HEADERS 1
DATA 1 0 end
RST_STREAM 3 PROTOCOL_ERROR
RST_STREAM 5 PROTOCOL_ERROR
RST_STREAM 7 PROTOCOL_ERROR
--- error_log
client sent invalid trailer name: ":path"
client sent trailers that are not the end of the stream



=== a file that becomes shorter costs its own stream
--- config
    http2 on;
    sendfile off;
    location = /big.txt { root html; }
    location = /s { return 200 "here"; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/big.txt", 1))
        sock:receive(65535)
        local f = assert(io.open(ngx.config.prefix() .. "/html/big.txt", "wb"))
        f:write("short")
        f:close()
        sock:send(h2.frame("WINDOW_UPDATE", 0, 0, "\0\15\0\0")
                  .. h2.frame("WINDOW_UPDATE", 0, 1, "\0\15\0\0"))
        repeat
            local data = sock:receiveany(65536)
            local reset = not data or h2.show(data):match("RST_STREAM[^\n]*")
        until reset
        sock:send(h2.gets("/s", 1, 3))
        ngx.say(h2.receive(sock, "DATA 3"):match("DATA 3[^\n]*"))
    } }
--- user_files eval
[["big.txt", "x" x 1048576]]
--- response_body
DATA 3 4 end
--- error_log
read() of a file that is being sent has failed or is truncated



=== return 444 resets the stream, and no other
--- config
    http2 on;
    location = /no { return 444; }
    location = /s { return 200; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/no", 1))
        ngx.say(h2.receive(sock, "RST_STREAM 1"):match("RST_STREAM[^\n]*"))
        sock:send(h2.gets("/s", 1, 3))
        ngx.say(h2.receive(sock, "HEADERS 3"):match("HEADERS[^\n]*"))
    } }
--- response_body
RST_STREAM 1 PROTOCOL_ERROR
HEADERS 3 end


=== http2_chunk_size 8k, written out, is the longest frame of a stream alone
--- config
    http2 on;
    http2_chunk_size 8k;
    location = /s { root html; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/s", 1))
        for frame in h2.receive(sock, "end"):gmatch("DATA[^\n]*") do
            ngx.say(frame)
        end
    } }
--- user_files eval
[["s", "x" x 20000]]
--- response_body
DATA 1 8192
DATA 1 8192
DATA 1 3616 end



=== frames are as long as http2_chunk_size and the client let them be
--- config
    http2 on;
    http2_chunk_size 40k;
    location = /s { root html; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello { [5] = 32768 } .. h2.gets("/s", 1))
        ngx.say(h2.receive(sock, "end"):match("DATA[^\n]*"))
    } }
--- user_files eval
[["s", "x" x 50000]]
--- response_body
DATA 1 32768



=== settings that are acknowledged before the client sends its own
--- config
    http2 on;
    location = /s { return 204; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                             .. h2.frame("SETTINGS", 1, 0)
                             .. h2.frame("SETTINGS", 0, 0)
                             .. h2.gets("/s", 1))
        ngx.say(h2.receive(sock, "HEADERS 1"):match("HEADERS[^\n]*"))
    } }
--- response_body
HEADERS 1 end



=== a window that is as large as it may be is opened no further
--- config
    http2 on;
    http2_body_preread_size 2147483647;
    location = /s { content_by_lua_block {
        ngx.req.read_body()
        ngx.print(ngx.req.get_body_data())
    } }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                             .. h2.frame("SETTINGS", 0, 0))
        sock:send(h2.frame("HEADERS", 4, 1, h2.block("POST", "/s")))
        ngx.sleep(0.1)
        sock:send(h2.frame("DATA", 1, 1, "abc"))
        ngx.say(h2.receive(sock, "end"):match("WINDOW_UPDATE 1"))
    } }
--- response_body
nil



=== an urgent answer goes before those that were asked for earlier
--- config
    http2 on;
    location = /s { return 200 abc; }
    location = /own { add_header Priority "u=0"; return 200 abc; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local function get(id, path, more)
            return h2.frame("HEADERS", 5, id, h2.block("GET", path, more))
        end
        local sock = h2.open(h2.hello { [4] = 0 } .. get(1, "/s")
            .. get(3, "/s", { "priority", "u=5" })
            .. get(5, "/s", { "priority", "u=1" }) .. get(7, "/s")
            .. get(9, "/s", { "priority", "u=7" }) .. get(11, "/own"))
        h2.receive(sock, "HEADERS 11")
        sock:send(h2.frame(16, 0, 0, "\0\0\0\7u=6")
                  .. h2.frame("SETTINGS", 0, 0, h2.settings { [4] = 100 }))
        for id in h2.receive(sock, "DATA 9 3 end"):gmatch("DATA (%d+)") do
            ngx.say(id)
        end
    } }
--- response_body
11
5
1
3
7
9



=== the last word of PRIORITY_UPDATE counts, before a request and after it
--- config
    http2 on;
    location = /s { return 200 abc; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local function update(id, value)
            return h2.frame(16, 0, 0, "\0\0\0" .. string.char(id) .. value)
        end
        local get = h2.block("GET", "/s", { "priority", "u=2" })
        local sock = h2.open(h2.hello { [4] = 0 } .. update(3, "u=0")
            .. update(3, "u=1") .. h2.gets("/s", 1, 1)
            .. h2.frame("HEADERS", 5, 3, get) .. h2.frame("HEADERS", 5, 5, get))
        h2.receive(sock, "HEADERS 5")
        sock:send(update(5, "u=7") .. update(5, "u=0") .. update(1, "")
                  .. update(1, "u=8, x;u=0, y=\",u=0\"") .. update(9, "u=1")
                  .. h2.frame("SETTINGS", 0, 0, h2.settings { [4] = 100 }))
        for id in h2.receive(sock, "DATA 1 3 end"):gmatch("DATA (%d+)") do
            ngx.say(id)
        end
    } }
--- response_body
5
3
1



=== incremental answers take turns, others follow each other
--- config
    http2 on;
    http2_chunk_size 1k;
    location = /s { root html; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local function ask(first, second)
            local get = h2.block("GET", "/s", { "priority", first })
            local sock = h2.open(h2.hello { [4] = 0 }
                .. h2.frame("HEADERS", 5, 1, get)
                .. h2.frame("HEADERS", 5, 3,
                            h2.block("GET", "/s", { "priority", second })))
            h2.receive(sock, "HEADERS 3")
            sock:send(h2.frame("SETTINGS", 0, 0, h2.settings { [4] = 9000 }))
            local out = h2.receive(sock, "end\n.*end\n")
            ngx.say((out:gsub("DATA (%d+)[^\n]*\n", "%1"):match("%d+$")))
        end
        ask("i", "i")
        ask("u=3", "u=3")
        ask("i", "i=?0")
        ask("u=2, i", "u=3")
    } }
--- user_files eval
[["s", "x" x 3000]]
--- response_body
131313
111333
333111
111333



=== a client that never speaks of priorities gets turns
--- config
    http2 on;
    http2_chunk_size 1k;
    location = /s { root html; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello { [4] = 0 } .. h2.gets("/s", 2))
        h2.receive(sock, "HEADERS 3")
        sock:send(h2.frame("SETTINGS", 0, 0, h2.settings { [4] = 9000 }))
        local out = h2.receive(sock, "end\n.*end\n")
        ngx.say((out:gsub("DATA (%d+)[^\n]*\n", "%1"):match("%d+$")))
    } }
--- user_files eval
[["s", "x" x 3000]]
--- response_body
131313



=== a window of the connection is spent on what is urgent
--- config
    http2 on;
    location = /s { root html; }
    location = /e { return 200 abc; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello { [4] = 1048576 } .. h2.gets("/s", 1))
        h2.receive(sock, "DATA 1 16383")
        sock:send(h2.frame("HEADERS", 5, 3,
                           h2.block("GET", "/e", { "priority", "u=0" })))
        h2.receive(sock, "HEADERS 3")
        sock:send(h2.frame("WINDOW_UPDATE", 0, 0, "\0\0\0\5"))
        ngx.print(h2.receive(sock, "DATA 1 2\n"))
    } }
--- user_files eval
[["s", "x" x 70000]]
--- response_body
DATA 3 3 end
DATA 1 2



=== priority updates that break rules
--- config
    http2 on;
    location = /s { return 204; }
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        for _, frame in ipairs {
            h2.frame(16, 0, 0, "\0\0\0\0u=1"),
            h2.frame(16, 0, 0, "\0\0\0\2u=1"),
            h2.frame(16, 0, 1, "\0\0\0\1u=1"),
            h2.frame(16, 0, 0, "\0\0\0"),
            h2.frame("SETTINGS", 0, 0, h2.settings { [9] = 2 }),
            h2.frame(16, 8, 0, "\0\0\0\1" .. ("x"):rep(16000))
            .. h2.gets("/s", 1) .. h2.frame(16, 0, 0, "\0\0\0\1")
            .. h2.frame("DATA", 0, 0, ""),
        } do
            local sock = h2.open(h2.hello() .. frame)
            ngx.say(h2.receive(sock, "GOAWAY"):match("GOAWAY.*"):sub(1, -2))
        end
    } }
--- response_body
GOAWAY 0 last 0 PROTOCOL_ERROR
GOAWAY 0 last 0 PROTOCOL_ERROR
GOAWAY 0 last 0 PROTOCOL_ERROR
GOAWAY 0 last 0 FRAME_SIZE_ERROR
GOAWAY 0 last 0 PROTOCOL_ERROR
GOAWAY 0 last 1 PROTOCOL_ERROR



=== priority updates of streams that never begin are a flood
--- config
    http2 on;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello())
        h2.flood(sock, h2.frame(16, 0, 0, "\0\0\1\1u=1"), 64 * 1024 * 1024)
        ngx.say(h2.receive(sock, "GOAWAY"):match("GOAWAY.*") or "gone")
    } }
--- response_body_like: ENHANCE_YOUR_CALM|gone
--- error_log
http2 flood detected
