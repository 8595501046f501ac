__DATA__


=== a request waits until a server has time for it
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_SERVER_PORT max_conns=1; queue 5; }
--- config
    location = /s { content_by_lua_block { ngx.sleep(0.1) ngx.print("here") } }
    location = /p { proxy_pass http://u/s; }
    location = /t {
        content_by_lua_block {
            local all = {}
            for i = 1, 4 do all[i] = { "/p" } end
            for _, r in ipairs { ngx.location.capture_multi(all) } do
                ngx.say(r.status, " ", r.body)
            end
        }
    }
--- response_body
200 here
200 here
200 here
200 here
--- no_error_log
[error]



=== no more than so many
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_SERVER_PORT max_conns=1; queue 1; }
--- config
    location = /s { content_by_lua_block { ngx.sleep(0.3) ngx.print("here") } }
    location = /p { proxy_pass http://u/s; }
    location = /t {
        content_by_lua_block {
            local a, b, c = ngx.location.capture_multi { { "/p" }, { "/p" }, { "/p" } }
            ngx.say(a.status, b.status, c.status)
        }
    }
--- response_body
200200502
--- error_log
no live upstreams while connecting to upstream



=== nor for longer than that
--- http_config
    upstream u { server 127.0.0.1:1 down; server 127.0.0.1:2 down; queue 5 timeout=200ms; }
--- config
    location = /p { proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            local r = ngx.location.capture "/p"
            ngx.update_time()
            ngx.say(r.status, " ", ngx.now() - ngx.req.start_time() > 0.19)
        }
    }
--- response_body
502 true
--- error_log
no live upstreams while connecting to upstream



=== a client that leaves waits no longer
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_SERVER_PORT max_conns=1; queue 1; }
--- config
    location = /s { content_by_lua_block { ngx.sleep(0.5) ngx.print("here") } }
    location = /p { proxy_pass http://u/s; }
    location = /t {
        content_by_lua_block {
            local function ask()
                local sock = ngx.socket.tcp()
                sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
                sock:send("GET /p HTTP/1.0\r\n\r\n")
                ngx.sleep(0.05)
                return sock
            end
            local one, two = ask(), ask()
            two:close()
            ngx.sleep(0.05)
            local three = ask()
            ngx.say(one:receive(), " ", three:receive())
            one:close()
            three:close()
        }
    }
--- response_body
HTTP/1.1 200 OK HTTP/1.1 200 OK



=== who waits is told of a server that comes back
--- http_config
    upstream u { zone u 64k; server 127.0.0.1:$TEST_NGINX_SERVER_PORT;
                 server 127.0.0.1:1 down; queue 5; }
--- config
    location = /s { return 200 "here"; }
    location = /p { proxy_pass http://u/s; }
    location = /t {
        content_by_lua_block {
            local upstream = require "ngx.upstream"
            upstream.set_peer_down("u", false, 0, true)
            local waiting = ngx.thread.spawn(ngx.location.capture, "/p")
            ngx.sleep(0.2)
            upstream.set_peer_down("u", false, 0, false)
            local _, r = ngx.thread.wait(waiting)
            ngx.say(r.status, " ", r.body)
        }
    }
--- response_body
200 here



=== a server's time is its own, not that of who waits for it
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_SERVER_PORT max_conns=1; queue 5; }
--- config
    location = /s { content_by_lua_block { ngx.sleep(tonumber(ngx.var.arg_s)) } }
    location = /p {
        proxy_pass http://u/s?s=$arg_s;
        header_filter_by_lua_block { ngx.header.X = ngx.var.upstream_header_time }
    }
    location = /t {
        content_by_lua_block {
            local first = ngx.thread.spawn(ngx.location.capture, "/p?s=2")
            ngx.sleep(0.1)
            local r = ngx.location.capture("/p?s=0")
            ngx.say(tonumber(r.header.X) < 1.5)
            ngx.thread.wait(first)
        }
    }
--- timeout: 20
--- response_body
true



=== a server that was tried is not waited for
--- http_config
    upstream u { server 127.0.0.1:1; server 127.0.0.1:2; queue 5; }
--- config
    location = /t { proxy_pass http://u; add_header X $upstream_last_addr always; }
--- error_code: 502
--- response_headers
X: 127.0.0.1:2



=== a queue has a length
--- http_config
    upstream u { server 127.0.0.1; queue 0; }
--- config
--- must_die
--- error_log
invalid value "0" in "queue" directive in



=== and a time
--- http_config
    upstream u { server 127.0.0.1; queue 5 time=1; }
--- config
--- must_die
--- error_log
invalid parameter "time=1" in



=== a method of servers of its own has no queue
--- http_config
    upstream u { queue 5; balancer_by_lua_block { } server 127.0.0.1; }
--- config
--- must_die
--- error_log
"queue" cannot be used with "balancer_by_lua" in upstream "u"
