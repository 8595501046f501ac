__DATA__


=== content_by_lua says something and the session ends
--- stream_server_config
    content_by_lua_block {
        ngx.print("a", 1, true, nil, { "b", { "c" } })
        ngx.say(" ", ngx.get_phase(), " ", ngx.config.subsystem)
    }
--- stream_response
a1truenilbc content stream



=== what only a request has is not there
--- stream_server_config
    content_by_lua_block {
        for _, name in ipairs { "exec", "redirect", "location", "header",
                                "resp", "arg", "send_headers", "status" } do
            ngx.print(name, " ", type(ngx[name]), ", ")
        end
        ngx.say(type(ngx.req.get_headers), " ", type(ngx.req.socket))
    }
--- stream_response
exec nil, redirect nil, location nil, header nil, resp nil, arg nil, send_headers nil, status nil, nil function



=== lua_load_resty_core says since when it is in vain
--- stream_config
    lua_load_resty_core on;
--- stream_server_config
    content_by_lua_block { ngx.say("here") }
--- stream_response
here
--- error_log
lua_load_resty_core is deprecated (the lua-resty-core library is required since ngx_stream_lua v0.0.8)



=== when the session began
--- stream_server_config
    content_by_lua_block {
        ngx.sleep(0.01)
        ngx.update_time()
        local began = ngx.req.start_time()
        local var = ngx.var
        ngx.say(ngx.now() - began >= 0.005, " ",
                math.abs(var.msec - var.session_time - began) < 0.1)
    }
--- stream_response
true true



=== a session's socket reads sizes, lines and up to a pattern
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket()
        ngx.say(sock:receive(5))
        ngx.say(sock:receive())
        ngx.say(sock:receiveuntil("--")())
        ngx.say(sock:receiveany(100))
        ngx.say(sock:receive(1))
    }
--- stream_request eval
"hello world\r\nabc--rest"
--- shutdown
--- stream_response
hello
 world
abc
rest
nilclosed



=== "*a" reads to the client's end
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket()
        local all = sock:receive("*a")
        ngx.say(#all, " ", #sock:receive("*a"))
    }
--- stream_request eval
"x" x 100000
--- shutdown
--- stream_response
100000 0



=== what is said and what is sent keep their order
--- stream_server_config
    content_by_lua_block {
        ngx.say("before")
        local sock = assert(ngx.req.socket(true))
        local line = sock:receive()
        ngx.say("said")
        ngx.print("more ")
        sock:send { "got ", line, "\n" }
        ngx.say("said again")
        assert(ngx.req.socket()):send("sent\n")
        ngx.say("end")
    }
--- stream_request eval
"one\n"
--- stream_response
before
said
more got one
said again
sent
end



=== and so they do when the client is slow
--- stream_server_config
    content_by_lua_block {
        local sock = assert(ngx.req.socket())
        local part = string.rep("0123456789", 200000)
        for i = 1, 2 do
            ngx.print(part)
            assert(sock:send("sent\n") == 5)
            ngx.say("said")
            assert(sock:send(part) == #part)
        end
    }
--- stream_response eval
"0123456789" x 200000 . "sent\nsaid\n" . "0123456789" x 400000 . "sent\nsaid\n" . "0123456789" x 200000



=== much is said to one who is slow to read
--- stream_server_config
    content_by_lua_block {
        local part = string.rep("0123456789", 100000)
        for i = 1, 40 do
            ngx.print(part)
            if i % 10 == 0 then
                assert(ngx.flush(true))
            end
        end
        ngx.say("end")
    }
--- stream_response eval
"0123456789" x 4000000 . "end\n"



=== ngx.exit ends a session, and its status is seen
--- stream_config
    log_format s "status=$status";
--- stream_server_config
    access_log logs/error.log s;
    content_by_lua_block {
        ngx.say("said")
        ngx.exit(403)
        ngx.say("never")
    }
--- stream_response
said
--- error_log
status=403



=== ngx.exit(ngx.ERROR) is a 500, and what was said is sent
--- stream_config
    log_format s "status=$status";
--- stream_server_config
    access_log logs/error.log s;
    content_by_lua_block {
        ngx.say("said")
        ngx.exit(ngx.ERROR)
    }
--- stream_response
said
--- error_log
status=500



=== an error of the code is logged and ends the session
--- stream_config
    log_format s "status=$status";
--- stream_server_config
    access_log logs/error.log s;
    content_by_lua_block {
        error("oops")
    }
--- stream_response eval: ""
--- error_log
lua entry thread aborted: runtime error: content_by_lua(nginx.conf:
oops
status=500



=== code that does not compile is logged
--- stream_server_config
    content_by_lua_block { this is no Lua }
--- stream_response eval: ""
--- error_log
failed to load inlined Lua code: content_by_lua(nginx.conf:



=== eof ends what may be said
--- stream_server_config
    content_by_lua_block {
        ngx.say("a")
        ngx.say(ngx.eof())
        ngx.log(ngx.WARN, "then: ", select(2, ngx.say("b")))
    }
--- stream_response
a
--- error_log
then: seen eof



=== variables are read and set, ngx.ctx lasts
--- stream_config
    lua_add_variable $mine;
    log_format s "mine=$mine";
--- stream_server_config
    access_log logs/error.log s;
    set $other "";
    content_by_lua_block {
        ngx.say(ngx.var.mine, " ", ngx.var.protocol, " ", ngx.var.remote_addr)
        ngx.var.mine = "m"
        ngx.var.other = "o"
        ngx.say(ngx.var.mine, ngx.var.other, " ", ngx.var.no_such)
        ngx.say(pcall(function () ngx.var.remote_addr = 1 end))
        ngx.ctx.n = 1
        ngx.sleep(0.001)
        ngx.ctx.n = ngx.ctx.n + 1
        ngx.say(ngx.ctx.n)
    }
--- stream_response_like
nil TCP 127\.0\.0\.1
mo nil
false.*variable "remote_addr" not changeable
2
--- error_log
mine=m



=== threads, timers, semaphores, dictionaries and cosockets are the same
--- http_config
    lua_shared_dict shared 100k;
--- stream_config
    lua_shared_dict shared 100k;
    init_by_lua_block { started = ngx.config.subsystem }
    init_worker_by_lua_block { worker = ngx.get_phase() }
--- stream_server_config
    content_by_lua_block {
        local sema = require("ngx.semaphore").new()
        local t = ngx.thread.spawn(function ()
            ngx.sleep(0.001)
            sema:post()
            return "thread"
        end)
        ngx.say(sema:wait(10), " ", ngx.thread.wait(t))
        ngx.timer.at(0, function () sema:post() end)
        ngx.say(sema:wait(10))
        ngx.say(started, " ", worker)
        ngx.shared.shared:set("from", "stream")
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", ngx.var.http_port))
        sock:send("GET /t HTTP/1.0\r\n\r\n")
        ngx.say(sock:receiveuntil("\r\n\r\n")() and sock:receive("*a"))
    }
    set $http_port $TEST_NGINX_SERVER_PORT;
--- config
    location /t {
        content_by_lua_block {
            ngx.print(ngx.shared.shared:get("from"), " ", started, " ",
                      ngx.config.subsystem)
        }
    }
--- stream_response
true truethread
true
stream init_worker
stream nil http



=== log_by_lua runs when the session is over
--- stream_server_config
    content_by_lua_block {
        ngx.say("hi")
        ngx.ctx.said = "said"
    }
    log_by_lua_block {
        ngx.log(ngx.WARN, ngx.get_phase(), ": ", ngx.ctx.said, " ",
                ngx.var.status, " ", ngx.var.bytes_sent)
        print(pcall(ngx.sleep, 1))
    }
--- stream_response
hi
--- error_log
log: said 200 3
API disabled in the context of log_by_lua*



=== a client that leaves ends the code, where it is wanted
--- stream_server_config
    lua_check_client_abort on;
    content_by_lua_block {
        ngx.req.socket():receive()
        ngx.log(ngx.WARN, "a line has come")
        ngx.sleep(60)
        ngx.log(ngx.WARN, "never")
    }
    log_by_lua_block { ngx.log(ngx.WARN, "over: ", ngx.var.status) }
--- stream_request eval
"hello\n"
--- shutdown
--- stream_response eval: ""
--- error_log
a line has come
stream client prematurely closed connection
over: 499
--- no_error_log
never



=== ngx.on_abort is asked
--- stream_server_config
    lua_check_client_abort on;
    content_by_lua_block {
        assert(ngx.on_abort(function ()
            ngx.log(ngx.WARN, "on_abort called")
            ngx.exit(499)
        end))
        ngx.sleep(60)
    }
--- shutdown
--- stream_response eval: ""
--- error_log
on_abort called



=== code in a file, whose name may have variables
--- stream_server_config
    set $name two;
    content_by_lua_file html/$name.lua;
--- user_files
>>> two.lua
ngx.say("from a file")
--- stream_response
from a file



=== a file that is not there is a 404
--- stream_server_config
    content_by_lua_file html/none.lua;
    log_by_lua_block { ngx.log(ngx.WARN, "status ", ngx.var.status) }
--- stream_response eval: ""
--- error_log
failed to load external Lua file
status 404



=== a read that waits too long
--- stream_server_config
    lua_socket_read_timeout 20ms;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        sock:send("go\n")
        local data, err, part = sock:receive(100)
        ngx.log(ngx.WARN, "read: ", err, " [", part, "]")
    }
--- stream_request eval
"part"
--- stream_response
go
--- error_log
stream lua tcp socket read timed out
read: timeout [part]



=== a server without certificates shakes no hands
--- stream_server_config
    content_by_lua_block {
        ngx.say(ngx.req.socket():serversslhandshake())
    }
--- stream_response
nilssl not configured for this server



=== nothing is sent by a socket once the client takes no more
--- stream_server_config
    lua_socket_send_timeout 100ms;
    content_by_lua_block {
        local sock = ngx.req.socket()
        sock:receive()
        ngx.print(string.rep("x", 64 * 1024 * 1024))
        local _, flushed = ngx.flush(true)
        ngx.log(ngx.WARN, "flush: ", flushed, ", send: ",
                select(2, sock:send("x")))
    }
--- config
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
        sock:send("x\n")
        ngx.sleep(1)
        sock:close()
        ngx.say("end")
    } }
--- request
GET /t
--- response_body
end
--- error_log
flush: timeout, send: closed
--- no_error_log
[alert]



=== nothing follows preread while the client does not take what that has said
--- stream_server_config
    lua_socket_send_timeout 100ms;
    preread_by_lua_block {
        ngx.req.socket():peek(1)
        ngx.print(string.rep("x", 64 * 1024 * 1024))
    }
    return "never";
    log_by_lua_block { ngx.log(ngx.WARN, "status ", ngx.var.status) }
--- config
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
        sock:send("x")
        ngx.sleep(1)
        sock:close()
        ngx.say("end")
    } }
--- request
GET /t
--- response_body
end
--- error_log
status 500
--- no_error_log
[alert]



=== what is said after a time-out is not what the client gets of what was before
--- stream_server_config
    lua_socket_send_timeout 100ms;
    content_by_lua_block {
        local sock = ngx.req.socket()
        sock:receive()
        for i = 1, 8192 do
            ngx.print(string.rep("x", 8192))
        end
        local _, flushed = ngx.flush(true)
        for i = 1, 8192 do
            ngx.print(string.rep("y", 8192))
        end
        ngx.log(ngx.WARN, "flush: ", flushed)
        ngx.sleep(2)
    }
--- config
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
        sock:send("x\n")
        ngx.sleep(1)
        local n = 0
        while true do
            local data = sock:receiveany(65536)
            if not data then
                break
            end
            n = n + #data
            if data:find("y", 1, true) then
                ngx.say("what was said later")
            end
        end
        ngx.say(n > 0)
    } }
--- request
GET /t
--- response_body
true
--- error_log
flush: timeout
--- no_error_log
[alert]



=== a path is no host, with a port or without
--- stream_server_config
    content_by_lua_block {
        ngx.say((select(2, ngx.socket.tcp():connect("/tmp/x"))))
        ngx.say((select(2, ngx.socket.tcp():connect("localhost"))))
    }
--- stream_response
failed to parse host name "/tmp/x": invalid host
missing the port number



=== a client that no packet filter has sent here was going nowhere else
--- stream_server_config
    content_by_lua_block {
        local ffi = require "ffi"
        local base = require "resty.core.base"
        ngx.say(ngx.req.get_original_addr())
        local room, size = ffi.new("char[9]"), ffi.new("size_t[1]", 9)
        local why, len = ffi.new("char[9]"), ffi.new("size_t[1]", 9)
        ngx.say(ffi.C.ngx_stream_lua_ffi_req_dst_addr(base.get_request(), room,
                                                      size, why, len),
                " ", ffi.string(why, len[0]))
    }
--- stream_response
nilfailed to get origin addr
-1 failed to



=== when a session began, by the name that lua-resty-core has for it
--- stream_server_config
    content_by_lua_block {
        local C, r = require("ffi").C, require("resty.core.base").get_request()
        ngx.say(C.ngx_stream_lua_ffi_req_start_time(r) == ngx.req.start_time())
    }
--- stream_response
true
