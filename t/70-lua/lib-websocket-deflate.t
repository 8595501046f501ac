# permessage-deflate of WebSocket (RFC 7692): what is agreed on, and messages.

our $servers = <<'_EOC_';
    server {
    listen $TEST_NGINX_RAND_PORT_1;
    location = /echo {
        content_by_lua_block {
            local ws, err = require("resty.websocket.server"):new {
                timeout = 5000, max_payload_len = 1000,
                permessage_deflate = ngx.var.arg_off == nil,
            }
            while ws do
                local data, typ, err = ws:recv_frame()
                if not data then
                    return ngx.log(ngx.ERR, "server: ", err)
                elseif typ == "close" then
                    return ws:send_close(1000)
                elseif typ == "ping" then
                    ws:send_pong(data)
                elseif err == "again" then
                    ws.parts = (ws.parts or "") .. data .. "|"
                else
                    ws:send_text((ws.parts or "") .. data)
                    ws.parts = nil
                end
            end
        }
    }
    }
    init_by_lua_block {
        function bytes(hex)
            return (hex:gsub("%x%x", function (x)
                return string.char(tonumber(x, 16))
            end):gsub("%s", ""))
        end

        -- A masked frame, by a key of zeros.
        function frame(first, payload)
            return string.char(first, 0x80 + #payload, 0, 0, 0, 0) .. payload
        end

        function open(offer, query)
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            sock:send("GET /echo" .. (query or "") .. " HTTP/1.1\r\nHost: x\r\n"
                      .. "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                      .. "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                      .. "Sec-WebSocket-Version: 13\r\n"
                      .. (offer and "Sec-WebSocket-Extensions: " .. offer
                          .. "\r\n" or "") .. "\r\n")
            local header = sock:receiveuntil("\r\n\r\n")()
            return sock, header:match("Sec%-WebSocket%-Extensions: ([^\r]+)")
        end

        function answer(sock)
            local head = sock:receive(2)
            if not head then
                return "closed"
            end
            return string.format("%02x ", head:byte(1))
                   .. sock:receive(head:byte(2))
        end
    }
_EOC_

__DATA__


=== messages of the RFC's examples
--- http_config eval: $::servers
--- config
    location = /t {
        content_by_lua_block {
            local sock, extension = open("permessage-deflate")
            ngx.say(extension)
            for _, hex in ipairs { "f2 48 cd c9 c9 07 00",
                                   "00 05 00 fa ff 48 65 6c 6c 6f 00",
                                   "f3 48 cd c9 c9 07 00 00",
                                   "f2 48 05 00 00 00 ff ff ca c9 c9 07 00" } do
                sock:send(frame(0xc1, bytes(hex)))
                ngx.say(answer(sock))
            end
            sock:send(frame(0x81, "plain"))
            ngx.say(answer(sock))
            sock:send(frame(0x41, bytes "f2 48 cd") .. frame(0x89, "p")
                      .. frame(0x00, "") .. frame(0x80, bytes "c9 c9 07 00"))
            ngx.say(answer(sock))
            ngx.say(answer(sock))
        }
    }
--- response_body
permessage-deflate; server_no_context_takeover; client_no_context_takeover
81 Hello
81 Hello
81 Hello
81 Hello
81 plain
8a p
81 He||llo
--- no_error_log
[alert]



=== what is no message ends the connection
--- http_config eval: $::servers
--- config
    location = /t {
        content_by_lua_block {
            for _, text in ipairs {
                frame(0xc1, bytes "ff ff ff"),          -- no block
                frame(0xc9, ""),                        -- a ping
                frame(0xa1, "x"),                       -- RSV2
                frame(0x41, bytes "f2 48") .. frame(0xc0, "x"),
                frame(0x01, "x") .. frame(0xc0, "x"),
            } do
                local sock = open("permessage-deflate")
                sock:send(text)
                ngx.say(answer(sock))
            end
            local sock, extension = open("permessage-deflate", "?off=1")
            sock:send(frame(0xc1, bytes "f2 48 cd c9 c9 07 00"))
            ngx.say(extension, " ", answer(sock))
        }
    }
--- response_body
closed
closed
closed
closed
closed
nil closed
--- grep_error_log eval: qr/server: (bad|exceeding)[^,]+/
--- grep_error_log_out
server: bad compressed payload
server: bad RSV1
server: bad RSV1
server: bad RSV1
server: bad RSV1
server: bad RSV1



=== a message is limited by what it becomes
--- http_config eval: $::servers
--- config
    location = /t {
        content_by_lua_block {
            local deflate = require("lunette.message_deflate").deflate
            local function send(n)
                local sock = open("permessage-deflate")
                local small = deflate({ window = 13 }, ("x"):rep(n))
                sock:send(frame(0xc2, small))
                local text = answer(sock)
                ngx.say(#small < 100, " ", text:sub(1, 2), " ", #text < 100)
            end
            send(1000)
            send(1001)
            send(60000)
        }
    }
--- response_body
true c1 true
true cl true
true cl true
--- grep_error_log eval: qr/server: (bad|exceeding)[^,]+/
--- grep_error_log_out
server: exceeding max payload len
server: exceeding max payload len



=== which offers are met
--- config
    location = /t {
        content_by_lua_block {
            local accept = require("lunette.message_deflate").accept
            for _, offer in ipairs {
                "permessage-deflate; client_max_window_bits",
                "x-webkit-deflate-frame, permessage-deflate;server_max_window_bits=\"10\"",
                "permessage-deflate; server_max_window_bits=8, Permessage-Deflate",
                "permessage-deflate; server_max_window_bits=16",
                "permessage-deflate; server_max_window_bits=09",
                "permessage-deflate; server_max_window_bits",
                "permessage-deflate; client_max_window_bits=7",
                "permessage-deflate; server_no_context_takeover=1",
                "permessage-deflate; mystery",
                "permessage-deflate; client_max_window_bits; client_max_window_bits",
                "permessage-deflate;", "permessage-deflate2", "", ";", "=",
            } do
                local text, agreed = accept(offer)
                ngx.say(text and text:match("takeover(.*)$"):match("; [^;]*$"),
                        " ", agreed and agreed.window)
            end
            ngx.say((accept { "a", "permessage-deflate" }) ~= nil, accept(nil))
        }
    }
--- response_body
; client_no_context_takeover 13
; server_max_window_bits=10 10
; client_no_context_takeover 13
nil nil
nil nil
nil nil
nil nil
nil nil
nil nil
nil nil
nil nil
nil nil
nil nil
nil nil
nil nil
true



=== a client and a server, and the client's pool
--- http_config eval: $::servers
--- config
    location = /t {
        content_by_lua_block {
            local uri = "ws://127.0.0.1:$TEST_NGINX_RAND_PORT_1/echo"
            local function talk(on, keep)
                local ws = require("resty.websocket.client"):new {
                    timeout = 5000, permessage_deflate = on,
                }
                local _, err, header = ws:connect(uri)
                ngx.say(err or header:match("permessage[^;\r]*")
                        or header:sub(1, 17), " ", ws.deflate and ws.deflate.window)
                for _, text in ipairs { "short", ("long "):rep(200), "" } do
                    ws:send_text(text)
                    local data, typ = ws:recv_frame()
                    ngx.say(typ, " ", data == text)
                end
                local _ = keep and ws:set_keepalive() or ws:close()
            end
            talk(true, true)
            talk(true)
            talk(false)
        }
    }
--- response_body
permessage-deflate 13
text true
text true
text true
connection reused nil
text true
text true
text true
HTTP/1.1 101 Swit nil
text true
text true
text true
--- no_error_log
[error]



=== a server's answer that no client can take
--- config
    location = /t {
        content_by_lua_block {
            local agree = require("lunette.message_deflate").agree
            for _, text in ipairs {
                "", "permessage-deflate; server_no_context_takeover",
                "permessage-deflate", "other",
                "permessage-deflate; server_no_context_takeover; client_max_window_bits=10",
                "permessage-deflate; server_no_context_takeover, other",
            } do
                local agreed, err = agree("HTTP/1.1 101 x\r\nUpgrade: x\r\n"
                    .. (text ~= "" and "sec-websocket-extensions: " .. text or ""))
                ngx.say(agreed and agreed.window or agreed, " ", err)
            end
        }
    }
--- response_body
false nil
13 nil
nil bad extension in the response: permessage-deflate
nil bad extension in the response: other
nil bad extension in the response: permessage-deflate; server_no_context_takeover; client_max_window_bits=10
nil more than one extension in the response
