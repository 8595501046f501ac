# WebSocket: the handshake on both sides, frames of all kinds, and those that
# are none.

__DATA__


=== a server and a client talk
--- config
    location = /echo {
        content_by_lua_block {
            local ws, err = require("resty.websocket.server"):new {
                timeout = 5000, max_payload_len = 70000,
            }
            if not ws then
                return ngx.log(ngx.ERR, err)
            end
            local whole = ""
            while true do
                local data, typ, err = ws:recv_frame()
                if not data then
                    return ngx.log(ngx.ERR, err)
                elseif typ == "close" then
                    return ws:send_close(err, "bye")
                elseif typ == "ping" then
                    ws:send_pong(data)
                elseif err == "again" then
                    whole = whole .. data
                elseif typ == "continuation" then
                    ws:send_text(whole .. data)
                elseif typ == "binary" then
                    ws:send_binary(data)
                else
                    ws:send_text(data)
                end
            end
        }
    }
    location = /t {
        content_by_lua_block {
            local ws = require("resty.websocket.client"):new {
                timeout = 5000, max_payload_len = 70000,
            }
            local port = ngx.var.server_port
            local ok, err, header = ws:connect("ws://127.0.0.1:" .. port
                .. "/echo", { protocols = { "chat", "talk" },
                              key = "dGhlIHNhbXBsZSBub25jZQ==" })
            ngx.say(ok, " ", err)
            ngx.say(header:match "^[^\r]+")
            ngx.say(header:match "Sec%-WebSocket%-Accept: ([^\r]+)")
            ngx.say(header:match "Sec%-WebSocket%-Protocol: ([^\r]+)")
            ngx.say((ws:send_text("hello")))
            ngx.say(ws:recv_frame())
            ngx.say((ws:send_ping("p")))
            ngx.say(ws:recv_frame())
            for _, len in ipairs { 0, 125, 126, 65535, 65536 } do
                local sent = ("x"):rep(len)
                ws:send_binary(sent)
                local data, typ = ws:recv_frame()
                ngx.say(typ, " ", #data, " ", data == sent)
            end
            ws:send_frame(false, 1, "one ")
            ws:send_continue("two ")
            ws:send_frame(true, 0, "three")
            ngx.say(ws:recv_frame())
            ngx.say((ws:send_close(1000, "enough")))
            ngx.say(ws:recv_frame())
        }
    }
--- response_body
1 nil
HTTP/1.1 101 Switching Protocols
s3pPLMBiTxaQ9kYGzzhZRbK+xOo=
chat,talk
11
hellotextnil
7
ppongnil
binary 0 true
binary 125 true
binary 126 true
binary 65535 true
binary 65536 true
one two threetextnil
14
byeclose1000
--- no_error_log
[error]



=== a server on a unix socket
--- skip_windows: no unix sockets in Wine
--- http_config
    server {
        listen unix:$TEST_NGINX_HTML_DIR/nginx.sock;
        location / {
            content_by_lua_block {
                local ws = require("resty.websocket.server"):new()
                ws:send_text(ngx.var.http_host .. " " .. ngx.var.request_uri)
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local function say(tail, opts)
                local ws = require("resty.websocket.client"):new()
                assert(ws:connect("ws://unix:$TEST_NGINX_HTML_DIR/nginx.sock"
                                  .. tail, opts))
                ngx.say((ws:recv_frame()))
            end
            say("")
            say(":")
            say(":/a?b:c")
            say(":?b")
            say(":/", { host = "h" })
            local ws = require("resty.websocket.client"):new()
            ngx.say(ws:connect("ws://unix:/no/such.sock:/"))
        }
    }
--- response_body
localhost /
localhost /
localhost /a?b:c
localhost /?b
h /
nilfailed to connect: no such file or directory
--- error_log
no/such.sock



=== what is no handshake is said
--- config
    keepalive_timeout 0;
    location = /t {
        content_by_lua_block {
            local ws, err = require("resty.websocket.server"):new()
            ngx.say(ws, " ", err)
        }
    }
--- request eval
["GET /t HTTP/1.0", "GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Host: a", "Upgrade: h2c",
 "Upgrade: WebSocket\nConnection: x",
 "Upgrade: WebSocket\nConnection: keep-alive, Upgrade",
 "Upgrade: WebSocket\nConnection: Upgrade\nSec-WebSocket-Key: a\nSec-WebSocket-Version: 12"]
--- response_body eval
["nil bad http version\n",
 "nil bad \"upgrade\" request header: h2c\n",
 "nil bad \"connection\" request header: x\n",
 "nil bad \"sec-websocket-key\" request header: nil\n",
 "nil bad \"sec-websocket-version\" request header: 12\n"]



=== frames that are none
--- config
    location = /t {
        content_by_lua_block {
            local protocol = require "resty.websocket.protocol"
            local function recv(bytes, masked)
                local at = 1
                local sock = { receive = function(_, n)
                    if at + n - 1 > #bytes then
                        return nil, "closed"
                    end
                    at = at + n
                    return bytes:sub(at - n, at - 1)
                end }
                ngx.say(select(3, protocol.recv_frame(sock, 200, masked)))
            end
            recv ""
            recv "\x81"
            recv "\xc1\0"
            recv "\x83\0"
            recv "\x8b\0"
            recv("\x81\0", true)
            recv "\x81\x7e\0"
            recv "\x81\x7f\0\0\0\0"
            recv "\x81\x7f\0\0\0\1\0\0\0\0"
            recv "\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff"
            recv "\x81\x7f\0\0\0\0\xff\xff\xff\xff"
            recv "\x81\x7f\0\0\0\0\x7f\xff\xff\xff"
            recv "\x89\x7e\0\x7e"
            recv "\x09\1a"
            recv "\x81\x7e\0\xc9"
            recv "\x88\1a"
            recv "\x81\2a"
            recv "\x81\x82abc"
        }
    }
--- response_body
failed to receive the first 2 bytes: closed
failed to receive the first 2 bytes: closed
bad RSV1, RSV2, or RSV3 bits
reserved non-control frames
reserved control frames
frame unmasked
failed to receive the 2 byte payload length: closed
failed to receive the 8 byte payload length: closed
payload len too large
payload len too large
payload len too large
exceeding max payload len
too long payload for control frame
fragmented control frame
exceeding max payload len
close frame with a body must carry a 2-byte status code
failed to read masking-len and payload: closed
failed to read masking-len and payload: closed



=== frames that may not be sent
--- config
    location = /t {
        content_by_lua_block {
            local protocol = require "resty.websocket.protocol"
            local sock = { send = function(_, data) return #data end }
            local send = protocol.send_frame
            ngx.say(send(sock, true, 1, ("x"):rep(11), 10))
            ngx.say(send(sock, true, 9, ("x"):rep(126), 1000))
            ngx.say(send(sock, false, 8, "", 1000))
            ngx.say(protocol.build_frame(true, 1, 2^31, "", true))
            ngx.say(send(sock, true, 1, 12, 10), " ", send(sock, true, 1, nil, 10))
            ngx.say(send({ send = function() return nil, "closed" end }, true,
                         1, "", 10))
            local client = require("resty.websocket.client"):new()
            ngx.say(client:send_close(2^15))
            ngx.say(client:send_close(0/0))
        }
    }
--- response_body
nilpayload too big
niltoo much payload for control frame
nilfragmented control frame
nilpayload too big
4 2
nilfailed to send frame: closed
nilbad status code
nilbad status code



=== a place that is none, and a server that speaks something else
--- config
    location = /no { return 200 "no"; }
    location = /t {
        content_by_lua_block {
            local client = require "resty.websocket.client"
            local ws = client:new()
            ngx.say(ws:connect("http://a/"))
            ngx.say(ws:connect("ws://[bad"))
            ngx.say(ws:connect("ws://a/", { headers = "X: y" }))
            ngx.say((ws:connect("ws://127.0.0.1:" .. ngx.var.server_port
                                .. "/no")))
            ws = client:new()
            local ok, err = ws:connect("ws://127.0.0.1:"
                                       .. $TEST_NGINX_RAND_PORT_1)
            ngx.say(ok, " ", err)
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.0 200 OK\r\n\r\n"
--- response_body
nilbad websocket uri
nilbad websocket uri
nilcustom headers must be a table
1
nil bad HTTP response status line: HTTP/1.0 200 OK



=== a connection of the pool needs no second handshake
--- config
    location = /echo {
        content_by_lua_block {
            local ws = require("resty.websocket.server"):new()
            while true do
                local data = ws:recv_frame()
                if not data then
                    return
                end
                ws:send_text(data)
            end
        }
    }
    location = /t {
        content_by_lua_block {
            local client = require "resty.websocket.client"
            for i = 1, 2 do
                local ws = client:new()
                local ok, _, header = ws:connect(
                    "ws://127.0.0.1:" .. ngx.var.server_port .. "/echo?a")
                ngx.say(ok, " ", header:match "^[^\r]+")
                ws:send_text("n" .. i)
                ngx.say((ws:recv_frame()))
                if i == 1 then
                    ngx.say(ws:set_keepalive(1000, 10))
                else
                    ngx.say(ws:close())
                    ngx.say(ws:send_text("x"))
                end
            end
        }
    }
--- response_body
1 HTTP/1.1 101 Switching Protocols
n1
1
1 connection reused
n2
1
nilalready closed



=== over TLS
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / {
            content_by_lua_block {
                local ws = require("resty.websocket.server"):new()
                ws:send_text(ws:recv_frame())
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local ws = require("resty.websocket.client"):new()
            ngx.say((ws:connect("wss://127.0.0.1:$TEST_NGINX_RAND_PORT_1/")))
            ws:send_text("secret")
            ngx.say((ws:recv_frame()))
        }
    }
--- response_body
1
secret



=== frames of every length are what they were
--- config
    location = /t {
        content_by_lua_block {
            local build = require("resty.websocket.protocol").build_frame
            for _, n in ipairs { 0, 1, 125, 126, 127, 65535, 65536, 70000 } do
                local text = ("x"):rep(n)
                local frame = build(true, 1, n, text, false)
                local head = frame:sub(1, #frame - n)
                ngx.say(n, " ", (head:gsub(".", function (c)
                    return ("%02x"):format(c:byte())
                end)), " ", frame:sub(#head + 1) == text)
            end
            ngx.say((build(false, 2, 3, "abc", true):sub(1, 2):byte(1, 2)))
        }
    }
--- response_body
0 8100 true
1 8101 true
125 817d true
126 817e007e true
127 817e007f true
65535 817effff true
65536 817f0000000000010000 true
70000 817f0000000000011170 true
2



=== frames come over a connection as they are cut
--- config
    location = /say {
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            for piece in ngx.var.args:gmatch("[^|]+") do
                sock:send((ngx.unescape_uri(piece):gsub("N", ("n"):rep(126))))
                ngx.sleep(0.01)
            end
        }
    }
    location = /t {
        content_by_lua_block {
            local protocol = require "resty.websocket.protocol"
            local function recv(pieces, most, masked)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                sock:settimeout(5000)
                sock:send("GET /say?" .. pieces .. " HTTP/1.0\r\n\r\n")
                for _ = 1, 3 do
                    local data, typ, err, part =
                        protocol.recv_frame(sock, most or 70000, masked)
                    ngx.say(data and #data > 20 and #data or data, " ", typ,
                            " ", err, " ", part and #part)
                    if not data then
                        break
                    end
                end
                sock:close()
            end
            recv "%81|%05wa|uzz%82|%00%81%7e|%00|%7e|N"
            recv("%81%82abcd%16%03|%01%01aa", 70000, true)
            recv "%01%01a%80%01b%88%02%03%e8"
            recv "%81"
            recv "%81%05ab"
            recv "%81%7e%00"
            recv "%81%82ab"
            recv("%81%03abc", 2)
            recv "%82%7e%11%00NNNNNN"
        }
    }
--- timeout: 30
--- response_body
wauzz text nil nil
 binary nil nil
126 text nil nil
wa text nil nil
nil nil frame unmasked nil
a text again nil
b continuation nil nil
 close 1000 nil
nil nil failed to receive the first 2 bytes: closed 1
nil nil failed to read masking-len and payload: closed nil
nil nil failed to receive the 2 byte payload length: closed nil
nil nil failed to read masking-len and payload: closed nil
nil nil exceeding max payload len nil
nil nil failed to read masking-len and payload: closed nil



=== an answer to the handshake has an end
--- config
    location = /long {
        content_by_lua_block {
            local sock = assert(ngx.req.socket(true))
            sock:send("HTTP/1.1 101 Switching\r\nA: " .. ("x"):rep(1100000))
            sock:receive()
        }
    }
    location = /t {
        content_by_lua_block {
            local ws = require("resty.websocket.client"):new { timeout = 10000 }
            ngx.say(ws:connect("ws://127.0.0.1:$TEST_NGINX_SERVER_PORT/long"))
        }
    }
--- response_body
nilfailed to receive response header: too long
