__DATA__


=== the code names a server
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            print("hello")
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
        }
    }
--- config
    location = /s { return 200 "$host $request_uri"; }
    location = /t { proxy_pass http://b/s; }
--- response_body: b /s
--- error_log
[lua] balancer_by_lua(nginx.conf:26):3: hello while connecting to upstream, client: 



=== it may be in a file
--- http_config
    upstream b { balancer_by_lua_file html/b.lua; }
--- config
    location = /s { return 200 "here"; }
    location = /t { proxy_pass http://b/s; }
--- user_files
>>> b.lua
local port = ngx.var.server_port
assert(require "ngx.balancer".set_current_peer("127.0.0.1:" .. port))
--- response_body: here



=== it may name nobody: the servers of the block take turns
--- http_config
    upstream b {
        server 127.0.0.1:$TEST_NGINX_SERVER_PORT;
        balancer_by_lua_block { ngx.exit(ngx.OK) }
    }
--- config
    location = /s { return 200 "here"; }
    location = /t { proxy_pass http://b/s; }
--- request eval
["GET /t", "GET /t"]
--- response_body eval
["here", "here"]



=== there may be none
--- http_config
    upstream b { balancer_by_lua_block { ngx.ctx.a = 1 } }
--- config
    location = /t { proxy_pass http://b; }
--- error_code: 500
--- error_log
lua balancer: no peer set while connecting to upstream



=== a status is the answer, once the code has run to its end
--- http_config
    upstream b {
        server 127.0.0.1:1;
        balancer_by_lua_block {
            ngx.exit(403)
            print("goes on")
        }
    }
--- config
    location = /t { proxy_pass http://b; }
--- error_code: 403
--- error_log
goes on
--- no_error_log
connect() failed



=== ngx.ERROR is a 500, ngx.DECLINED and ngx.BUSY mean that none is live
--- http_config
    upstream b {
        server 127.0.0.1:1;
        balancer_by_lua_block { ngx.exit(tonumber(ngx.var.arg_code)) }
    }
--- config
    location = /t { proxy_pass http://b; }
--- request eval
["GET /t?code=-1", "GET /t?code=-3", "GET /t?code=-5"]
--- error_code eval
[500, 502, 502]



=== an error is a 500
--- http_config
    upstream b {
        server 127.0.0.1:1;
        balancer_by_lua_block {
            error("oh no")
        }
    }
--- config
    location = /t { proxy_pass http://b; }
--- error_code: 500
--- error_log
failed to run balancer_by_lua*: balancer_by_lua(nginx.conf:27):2: oh no
stack traceback:



=== nothing waits
--- http_config
    upstream b {
        server 127.0.0.1:1;
        balancer_by_lua_block {
            print(pcall(ngx.sleep, 1))
            print(pcall(ngx.socket.tcp))
            coroutine.yield()
        }
    }
--- config
    location = /t { proxy_pass http://b; }
--- error_code: 500
--- error_log
falseAPI disabled in the context of balancer_by_lua*
balancer_by_lua(nginx.conf:27):4: API disabled in the context of balancer_by_lua*



=== variables and ngx.ctx are the request's
--- http_config
    upstream b {
        balancer_by_lua_block {
            ngx.var.x = ngx.var.x .. ngx.ctx.y
            assert(require "ngx.balancer".set_current_peer("127.0.0.1",
                                                           ngx.ctx.port))
        }
    }
--- config
    location = /s { return 200 "here"; }
    location = /t {
        set $x 1;
        access_by_lua_block {
            ngx.ctx.y = 2
            ngx.ctx.port = tonumber(ngx.var.server_port)
        }
        add_header X "$x";
        proxy_pass http://b/s;
    }
--- response_body: here
--- response_headers
X: 12



=== addresses, not names
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            for _, addr in ipairs { "a.example", "127.0.0.1:x", "[::1", "" } do
                print(addr, ": ", select(2, b.set_current_peer(addr, 80)))
            end
        }
    }
--- config
    location = /t { proxy_pass http://b; }
--- error_code: 500
--- error_log
a.example: no host allowed
127.0.0.1:x: invalid port
[::1: invalid host
: no host



=== there is nobody to choose for elsewhere
--- config
    location = /t {
        content_by_lua_block {
            local b = require "ngx.balancer"
            ngx.say(b.set_current_peer("127.0.0.1", 80))
            ngx.say(b.set_more_tries(1))
            ngx.say(b.get_last_failure())
            ngx.say(b.set_timeouts(1, 1, 1))
            ngx.say(b.enable_keepalive())
        }
    }
--- response_body
nilno upstream found
nilno upstream found
nilnilno upstream found
falseno upstream found
nilno upstream found



=== nor once the choice is made
--- http_config
    upstream b { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
--- config
    location = /s { return 200 "here"; }
    location = /t {
        proxy_pass http://b/s;
        log_by_lua_block {
            print(require "ngx.balancer".set_current_peer("127.0.0.1", 80))
        }
    }
--- response_body: here
--- error_log
nilAPI disabled in the current context



=== before there are requests it throws
--- http_config
    init_by_lua_block {
        print(pcall(require "ngx.balancer".set_current_peer, "127.0.0.1", 80))
    }
--- config
    location = /t { return 204; }
--- error_code: 204
--- error_log
no request found
