# The client's socket: who may have it, and what becomes of its threads.

no_root_location();

__DATA__


=== a subrequest has none
--- config
    location = /t {
        content_by_lua_block {
            ngx.print(ngx.location.capture("/sub", { method = ngx.HTTP_POST, body = "x" }).body)
        }
    }
    location = /sub {
        content_by_lua_block { ngx.say(select(2, pcall(ngx.req.socket))) }
    }
--- response_body_like: attempt to read the request body in a subrequest$



=== a client that reads late gets all that is sent
--- config
    postpone_output 0;
    location = /raw {
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            local writer = ngx.thread.spawn(function ()
                return sock:send(("0123456789"):rep(800000))
            end)
            package.loaded.busy = { sock:send("x") }
            package.loaded.sent = { ngx.thread.wait(writer) }
        }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /raw HTTP/1.0\r\n\r\n")
            repeat ngx.sleep(0.01) until package.loaded.busy
            ngx.say(package.loaded.busy[2], " ", package.loaded.sent)
            sock:settimeout(20000)
            ngx.say(sock:receive("*a") == ("0123456789"):rep(800000))
            repeat ngx.sleep(0.01) until package.loaded.sent
            ngx.say(unpack(package.loaded.sent))
        }
    }
--- response_body
socket busy writing nil
true
true8000000



=== a client that leaves wakes who writes, and who reads
--- config
    postpone_output 0;
    location = /raw {
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            sock:settimeout(20000)
            local writer = ngx.thread.spawn(function ()
                return sock:send(("0123456789"):rep(3000000))
            end)
            local reader = ngx.thread.spawn(function ()
                return sock:receive()
            end)
            package.loaded.busy = true
            local sent = select(3, ngx.thread.wait(writer)) ~= nil
            local got = select(3, ngx.thread.wait(reader)) ~= nil
            package.loaded.ends = { tostring(sent), " ", tostring(got), " ",
                                    tostring((sock:send("x"))) }
        }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /raw HTTP/1.0\r\n\r\n")
            repeat ngx.sleep(0.01) until package.loaded.busy
            sock:close()
            repeat ngx.sleep(0.01) until package.loaded.ends
            ngx.say(package.loaded.ends)
        }
    }
--- response_body
true true nil
