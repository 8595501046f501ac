__DATA__


=== flush sends the header and what was said
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.headers_sent)
            ngx.say(ngx.flush())
            ngx.say(ngx.headers_sent)
            ngx.say(ngx.flush(true))
        }
    }
--- response_body
false
1
true
1



=== flush before anything was said
--- config
    location = /t { content_by_lua_block { local ok, err = ngx.flush() ngx.say(ok, " ", err) } }
--- response_body
nil nothing to flush



=== flush(true) of much more than the socket takes
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 100 do
                ngx.print(("x"):rep(30000))
                ngx.flush(true)
            end
        }
    }
--- response_body eval
"x" x 3000000



=== light threads flush at the same time
--- config
    location = /t {
        content_by_lua_block {
            local function f() for i = 1, 20 do ngx.print(("x"):rep(50000)) assert(ngx.flush(true)) end end
            local t = {}
            for i = 1, 3 do t[i] = ngx.thread.spawn(f) end
            for i = 1, 3 do assert(ngx.thread.wait(t[i])) end
        }
    }
--- response_body eval
"x" x 3000000



=== eof ends the answer, and the handler goes on
--- config
    location = /t {
        content_by_lua_block {
            ngx.say("x")
            local ok, err = ngx.eof()
            ngx.log(ngx.WARN, "eof: ", ok, " ", err)
            ok, err = ngx.say("y")
            ngx.log(ngx.WARN, "say: ", ok, " ", err)
            ok, err = ngx.eof()
            ngx.log(ngx.WARN, "eof: ", ok, " ", err)
            ngx.sleep(0.01)
            ngx.log(ngx.WARN, "still here")
        }
    }
--- response_body
x
--- error_log
eof: 1 nil
say: nil seen eof
eof: nil seen eof
still here
--- no_error_log
[error]



=== eof without output is an empty answer
--- config
    location = /t { content_by_lua_block { ngx.eof() } }
--- response_body:



=== send_headers sends them
--- config
    location = /t {
        content_by_lua_block {
            ngx.header.x_own = "1"
            ngx.say(ngx.send_headers(), ngx.headers_sent)
            ngx.say(ngx.send_headers())
        }
    }
--- response_headers
X-Own: 1
--- response_body
1true
1



=== headers_sent tells when the header is out
--- config
    location = /t {
        content_by_lua_block {
            local before = ngx.headers_sent
            ngx.print("")
            ngx.say(before, ngx.headers_sent)
        }
    }
--- response_body
falsetrue



=== what was said before a sleep is there before it ends
--- http_config
    lua_shared_dict dogs 1m;
--- config
    location = /slow {
        content_by_lua_block {
            ngx.say("early")
            ngx.flush(true)
            while not ngx.shared.dogs:get("seen") do ngx.sleep(0.01) end
        }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:settimeout(5000)
            sock:send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            local text, err = sock:receiveuntil("early")()
            ngx.shared.dogs:set("seen", true)
            ngx.say(text and "seen" or err)
        }
    }
--- timeout: 20
--- response_body
seen



=== a flush that waits is told that the client has gone
--- http_config
    lua_shared_dict dogs 1m;
--- config
    location = /slow {
        limit_rate 100;
        content_by_lua_block {
            ngx.say(("x"):rep(500))
            local ok, err = ngx.flush(true)
            ngx.shared.dogs:set("end", tostring(ok) .. " " .. tostring(err))
        }
    }
    location = /t {
        content_by_lua_block {
            local sock, dogs = ngx.socket.tcp(), ngx.shared.dogs
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert(sock:receive(10))
            sock:close()
            while not dogs:get("end") do ngx.sleep(0.05) end
            ngx.say(dogs:get("end"))
        }
    }
--- response_body
nil client aborted



=== ... and that it has taken nothing for too long
--- http_config
    lua_shared_dict cats 1m;
--- config
    location = /big {
        send_timeout 200ms;
        content_by_lua_block {
            ngx.say(("x"):rep(32 * 1024 * 1024))
            local ok, err = ngx.flush(true)
            ngx.shared.cats:set("end", tostring(ok) .. " " .. tostring(err))
        }
    }
    location = /t {
        content_by_lua_block {
            local sock, cats = ngx.socket.tcp(), ngx.shared.cats
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while not cats:get("end") do ngx.sleep(0.05) end
            ngx.say(cats:get("end"))
        }
    }
--- response_body
nil timeout
--- error_log
client timed out



=== a flush takes a boolean, or nothing
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(pcall(ngx.flush))
            ngx.say(pcall(ngx.flush, false))
            for _, arg in ipairs({ 1, "true", {} }) do
                ngx.say(select(2, pcall(ngx.flush, arg)))
            end
            ngx.say(select(2, pcall(ngx.flush, nil)))
            ngx.say(select(2, pcall(ngx.flush, true, true)))
        }
    }
--- response_body
truenilnothing to flush
true1
bad argument #1 to '?' (boolean expected, got number)
bad argument #1 to '?' (boolean expected, got string)
bad argument #1 to '?' (boolean expected, got table)
bad argument #1 to '?' (boolean expected, got nil)
attempt to pass 2 arguments, but accepted 0 or 1
