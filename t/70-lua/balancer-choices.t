# Tries, times and connections that balancer_by_lua has chosen.

__DATA__


=== functions of a balancer are for nobody else
--- config
    location = /t {
        content_by_lua_block {
            local b = require "ngx.balancer"
            for _, call in ipairs { { "set_current_peer", "127.0.0.1", 1 }, { "set_more_tries", 1 },
                                    { "get_last_failure" }, { "set_timeouts", 1, 1, 1 },
                                    { "recreate_request" }, { "enable_keepalive", 1, 1 },
                                    { "bind_to_local_addr", "127.0.0.1" },
                                    { "set_upstream_tls", true } } do
                ngx.say(call[1], " ", select(2, pcall(b[call[1]], unpack(call, 2))))
            end
        }
    }
--- response_body
set_current_peer nilno upstream found
set_more_tries nilno upstream found
get_last_failure nilnilno upstream found
set_timeouts falseno upstream found
recreate_request nilno upstream found
enable_keepalive nilno upstream found
bind_to_local_addr nilno upstream found
set_upstream_tls nilno upstream found



=== each limit of time is of one kind
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
            assert(b.set_timeouts(nil, nil, tonumber(ngx.var.arg_read)))
        }
    }
--- config
    location = /slow { content_by_lua_block { ngx.sleep(0.15) ngx.say("slow") } }
    location = /t { proxy_read_timeout 20s; proxy_pass http://b/slow; }
--- request eval
["GET /t", "GET /t?read=20", "GET /t?read=0.02", "GET /t?read=0"]
--- error_code eval
[200, 200, 504, 500]



=== more tries are no more than the configuration allows
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            local n = (ngx.ctx.n or 0) + 1
            ngx.ctx.n = n
            assert(b.set_current_peer("127.0.0.1", 1))
            local ok, why = b.set_more_tries(tonumber(ngx.var.arg_more))
            ngx.log(ngx.WARN, "try ", n, ": ", ok, " ", why, ";")
        }
    }
--- config
    location = /t { proxy_next_upstream_tries 3; proxy_pass http://b; }
--- request
GET /t?more=5
--- error_code: 502
--- grep_error_log eval: qr/try [^;]*;/
--- grep_error_log_out
try 1: true reduced tries due to limit;
try 2: true reduced tries due to limit;
try 3: true reduced tries due to limit;



=== one more try is one more
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            local n = (ngx.ctx.n or 0) + 1
            ngx.ctx.n = n
            assert(b.set_current_peer("127.0.0.1", 1))
            if n <= tonumber(ngx.var.arg_more) then assert(b.set_more_tries(1)) end
            ngx.log(ngx.WARN, "try ", n, ";")
        }
    }
--- config
    location = /t { proxy_pass http://b; add_header X $upstream_status always; }
--- request eval
["GET /t?more=0", "GET /t?more=1", "GET /t?more=3"]
--- error_code eval
[502, 502, 502]
--- response_headers eval
["X: 502", "X: 502, 502", "X: 502, 502, 502, 502"]



=== a balancer that leaves with a number
--- http_config
    upstream b {
        server 127.0.0.1:$TEST_NGINX_SERVER_PORT;
        balancer_by_lua_block { ngx.exit(tonumber(ngx.var.arg_with)) }
    }
--- config
    location = /s { return 200 "turn"; }
    location = /t { proxy_pass http://b/s; }
--- request eval
["GET /t?with=0", "GET /t?with=200", "GET /t?with=299", "GET /t?with=300", "GET /t?with=403", "GET /t?with=503", "GET /t?with=-1", "GET /t?with=-3", "GET /t?with=-5"]
--- error_code eval
[200, 500, 500, 300, 403, 503, 500, 502, 502]



=== the connection is kept when it was an answer, and not when it failed
--- http_config
    upstream b {
        balancer_keepalive 10;
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
            assert(b.enable_keepalive(tonumber(ngx.var.arg_idle), tonumber(ngx.var.arg_most)))
        }
    }
--- config
    location = /s { return 200 "$connection_requests"; }
    location = /cut { content_by_lua_block { ngx.header.content_length = 5 ngx.print("x") ngx.flush(true) ngx.exit(444) } }
    location /t { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://b/s; }
    location /cut-t { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://b/cut; }
--- request eval
["GET /t?idle=0", "GET /t?idle=9", "GET /t?idle=9", "GET /t?idle=9&most=3", "GET /t?idle=9&most=0", "GET /t?idle=9&most=1"]
--- response_body eval
["1", "1", "2", "3", "1", "2"]



=== how an earlier handler left is not how the balancer did
--- http_config
    upstream b {
        server 127.0.0.1:$TEST_NGINX_SERVER_PORT;
        balancer_by_lua_block { ngx.ctx.been = true }
    }
--- config
    location = /s { return 200 "here"; }
    location = /t { access_by_lua_block { ngx.exit(ngx.DECLINED) } proxy_pass http://b/s; }
--- response_body: here
