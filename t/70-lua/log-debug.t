__DATA__


=== the debug log tells of sleeping
--- config
    location = /t {
        content_by_lua_block {
            ngx.sleep(0.002)
            ngx.say("awake")
        }
    }
--- request
GET /t?n=1
--- response_body
awake
--- error_log
lua ready to sleep for 2 ms
lua sleep timer expired: "/t?n=1"



=== the debug log tells how a handler was left
--- config
    location = /t {
        content_by_lua_block { ngx.exec("/%65nd?a=1", "b=2") }
    }
    location = /end {
        content_by_lua_block { ngx.exit(ngx.HTTP_ACCEPTED) }
    }
--- error_code: 202
--- error_log
lua exec "/end?a=1&b=2"
lua exit with code 202



=== the debug log tells where a redirect goes
--- config
    location = /t {
        content_by_lua_block { ngx.redirect("/next", 307) }
    }
--- error_code: 307
--- error_log
lua redirect to "/next" with code 307



=== the debug log tells of a timer and its end
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function (early)
                ngx.ctx.early = early
                print("early: ", ngx.ctx.early)
            end)
            ngx.say("set")
        }
    }
--- response_body
set
--- error_log
lua ngx.timer expired
early: false
lua release ngx.ctx at ref
http lua close fake http connection



=== the debug log tells of what HTTP/1.0 holds back
--- config
    location = /t {
        content_by_lua_block {
            ngx.say("one")
            ngx.flush(true)
            ngx.say("two")
        }
    }
--- request
GET /t HTTP/1.0
--- response_body
one
two
--- error_log
lua buffering output bufs for the HTTP 1.0 request
lua http 1.0 buffering makes ngx.flush() a no-op
lua sending HTTP 1.0 response headers



=== the debug log tells of limits of time, and of a socket that connects anew
--- config
    lua_socket_send_timeout 7s;
    lua_socket_read_timeout 8s;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:settimeouts(9000, nil, nil)
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:settimeout(0)
            assert(sock:send("GET /there HTTP/1.0\r\n\r\n"))
            ngx.say(sock:receive())
        }
    }
    location = /there { return 200; }
--- response_body
HTTP/1.1 200 OK
--- error_log
lua tcp socket connect timeout: 9000
lua tcp socket reconnect without shutting down
lua reuse socket upstream ctx
lua tcp socket send timeout: 7000
lua tcp socket read timeout: 8000



=== the debug log tells of a pool from its first connection to its last
--- config
    location = /t {
        content_by_lua_block {
            local port = ngx.var.server_port
            local sock = ngx.socket.tcp()

            for _, limit in ipairs { 0, 1 } do
                assert(sock:connect("127.0.0.1", port, { pool = "own" }))
                assert(sock:setkeepalive(limit, 3))
            end
            ngx.say("kept")
        }
    }
--- response_body
kept
--- error_log
lua tcp socket connection pool size: 3, backlog: -1
lua tcp socket keepalive create connection pool for key "own"
lua tcp socket keepalive timeout: unlimited
lua tcp socket get keepalive peer: using connection
lua tcp socket keepalive timeout: 1 ms
lua tcp socket keepalive max idle timeout
lua tcp socket keepalive close handler: fd:
lua tcp socket keepalive: free connection pool for "own"



=== the debug log tells which expressions became machine code
--- config
    location = /t {
        content_by_lua_block { ngx.say(ngx.re.match("a1", "[0-9]", "j")[0]) }
    }
--- response_body
1
--- error_log
pcre2 JIT compiled successfully



=== a machine of one request is closed after it
--- http_config
    lua_code_cache off;
--- config
    location = /t {
        content_by_lua_block { ngx.say("once") }
    }
--- response_body
once
--- error_log eval
["lua close the global Lua VM", qr/\[alert\].* lua_code_cache is off/]



=== a machine of one request counts who needs it
--- http_config
    lua_code_cache off;
--- config
    location = /t {
        content_by_lua_block { ngx.timer.at(0, function () end) }
    }
--- error_log
lua decrementing the reference count for Lua VM: 2
lua decrementing the reference count for Lua VM: 1



=== a thread that was kept is used again
--- config
    location = /t { content_by_lua_block { ngx.say("again") } }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_body eval
["again\n", "again\n"]
--- error_log
lua caching unused lua thread
lua reusing cached lua thread



=== the debug log names the handlers and filters that run
--- config
    location = /t {
        access_by_lua_block { local x }
        content_by_lua_block { ngx.print("x") }
        header_filter_by_lua_block { local x }
        body_filter_by_lua_block { local x }
        log_by_lua_block { local x }
    }
--- response_body chomp
x
--- error_log
lua access handler, uri:"/t" c:1
lua content handler, uri:"/t" c:1
lua header filter for user lua code, uri "/t"
lua body filter for user lua code, uri "/t"
lua log handler, uri:"/t"



=== the debug log tells what is done with a program
--- config
    location = /t {
        content_by_lua_block {
            local pipe = require "ngx.pipe"
            local proc = assert(pipe.spawn("echo one"))
            ngx.say(proc:stdout_read_line())
            proc:wait()
            proc = nil
            collectgarbage()
        }
    }
--- response_body
onenilnil
--- error_log eval
[qr/lua pipe spawn process:[0-9A-F]+ pid:\d+ merge_stderr:0 buffer_size:4096/,
 qr/lua pipe read process:[0-9A-F]+ pid:\d+/,
 "lua pipe add timer for reading: 10000(ms)", "lua pipe read yielding",
 qr/lua pipe wait process:[0-9A-F]+ pid:\d+/,
 qr/lua pipe destroy process:[0-9A-F]+ pid:\d+/]



=== the debug log tells which end of a program was read in vain
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("sleep 10"))
            for _, read in ipairs { proc.stdout_read_any,
                                    proc.stderr_read_any } do
                ngx.thread.kill(ngx.thread.spawn(read, proc, 10))
            end
            proc:kill(9)
            ngx.say("killed")
        }
    }
--- response_body
killed
--- error_log
lua pipe proc read stdout cleanup
lua pipe proc read stderr cleanup



=== the debug log tells when a request is closed, and who waited in vain
--- config
    location = /t {
        content_by_lua_block {
            local sem = require("ngx.semaphore").new()
            ngx.thread.spawn(function () sem:wait(10) end)
            sem:post()
            ngx.say("one")
            ngx.exit(200)
        }
    }
--- response_body
one
--- error_log
http lua semaphore cleanup
semaphore handler: wait queue: empty, resource count: 1
http close request



=== the debug log tells why another server is tried
--- http_config
    upstream backend {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    }
--- config
    location = /t { proxy_pass http://backend; }
--- error_code: 502
--- error_log
http next upstream, 2



=== the debug log has a filter for captures where there may be any
--- config
    location = /t { rewrite_by_lua_block { ngx.req.set_uri("/u", true) } }
    location = /u { return 200 "one"; }
--- response_body: one
--- error_log
lua set uri jump to "/u"
lua capture header filter, uri "/u"
lua capture body filter, uri "/u"



=== and none where there can't be one
--- config
    location = /t {
        header_filter_by_lua_block { ngx.header.X = 1 }
        return 200 "one";
    }
--- response_body: one
--- no_error_log
lua capture header filter, uri "/t"
lua capture body filter, uri "/t"



=== the debug log tells what is used again
--- config
    location = /t {
        content_by_lua_block {
            ngx.say("one")
            ngx.flush(true)
            ngx.say("two")
        }
    }
--- response_body
one
two
--- error_log eval
qr/lua reuse free buf memory \d+ >= \d+/



=== the debug log tells of a socket that follows one that has ended
--- config
    location = /t {
        content_by_lua_block {
            for _ = 1, 2 do
                local sock = ngx.socket.tcp()

                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                assert(sock:close())
            end
            ngx.say("closed")
        }
    }
--- response_body
closed
--- grep_error_log eval: qr/lua http cleanup reuse: |lua tcp socket connect timeout/
--- grep_error_log_out
lua tcp socket connect timeout
lua tcp socket connect timeout
lua http cleanup reuse: 



=== the debug log tells why ngx.flush(true) waits
--- config
    location = /t {
        limit_rate 150;
        content_by_lua_block {
            ngx.print(("x"):rep(40))
            assert(ngx.flush(true))
            ngx.say(("y"):rep(40))
            assert(ngx.flush(true))
        }
    }
--- response_body_like: ^x{40}y{40}$
--- error_log
lua flush requires waiting: buffered 0x1, delayed:1
--- timeout: 10



=== the debug log tells of a name that nobody waits for any more
--- http_config
    resolver 127.0.0.1:1;
--- config
    location = /t {
        content_by_lua_block {
            local thread = ngx.thread.spawn(function ()
                ngx.socket.tcp():connect("name.test", 80)
            end)

            ngx.say(ngx.thread.kill(thread))
        }
    }
--- response_body
1
--- error_log
resolve name done: -2
