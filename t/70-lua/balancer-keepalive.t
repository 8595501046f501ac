__DATA__


=== connections are kept when the code wants it
--- http_config
    upstream b {
        keepalive 0;
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
            if ngx.var.arg_keep then
                assert(b.enable_keepalive())
            end
        }
    }
--- config
    location = /s { return 200 "$connection_requests"; }
    location = /t { proxy_pass http://b/s; }
--- request eval
["GET /t", "GET /t?keep=1", "GET /t?keep=1", "GET /t", "GET /t?keep=1"]
--- response_body eval
["1", "1", "2", "1", "3"]



=== for so many requests
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
            assert(b.enable_keepalive(10, 2))
        }
    }
--- config
    location = /s { return 200 "$connection_requests"; }
    location = /t { proxy_pass http://b/s; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["1", "2", "1"]



=== each host has its own
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port,
                                      ngx.var.arg_host))
            assert(b.enable_keepalive())
        }
    }
--- config
    location = /s { return 200 "$connection_requests"; }
    location = /t { proxy_pass http://b/s; }
--- request eval
["GET /t?host=a", "GET /t?host=b", "GET /t?host=a", "GET /t?host=b", "GET /t"]
--- response_body eval
["1", "1", "2", "2", "1"]



=== as many as the block has room for
--- http_config
    upstream b {
        balancer_keepalive 1;
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port,
                                      ngx.var.arg_host))
            assert(b.enable_keepalive())
        }
    }
--- config
    location = /s { return 200 "$connection_requests"; }
    location = /t { proxy_pass http://b/s; }
--- request eval
["GET /t?host=a", "GET /t?host=b", "GET /t?host=a", "GET /t?host=a"]
--- response_body eval
["1", "1", "1", "2"]



=== the block's own way works as well
--- http_config
    upstream b {
        balancer_by_lua_block {
            assert(require "ngx.balancer".set_current_peer("127.0.0.1",
                                                           ngx.var.server_port))
        }
        keepalive 2;
    }
--- config
    location = /s { return 200 "$connection_requests"; }
    location = /t { proxy_pass http://b/s; }
--- request eval
["GET /t", "GET /t"]
--- response_body eval
["1", "2"]



=== what is idle for too long is closed
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
            assert(b.enable_keepalive(0.05))
        }
    }
--- config
    location = /s { return 200 "$connection_requests"; }
    location = /p { proxy_pass http://b/s; }
    location = /t {
        content_by_lua_block {
            local one = ngx.location.capture("/p").body
            ngx.sleep(0.3)
            ngx.print(one, ngx.location.capture("/p").body)
        }
    }
--- response_body: 11



=== a server comes first
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            print(b.enable_keepalive())
            print(pcall(b.enable_keepalive, "1"))
            print(pcall(b.enable_keepalive, 1, -1))
        }
    }
--- config
    location = /t { proxy_pass http://b; }
--- error_code: 500
--- error_log
nilno current peer set
falsebad argument #1 to 'enable_keepalive' (number expected, got string)
falsebad argument #2 to 'enable_keepalive' (expected >= 0)



=== of more tries one on a kept connection is one
--- http_config
    upstream b {
        server 127.0.0.1;
        balancer_by_lua_block {
            local b, ctx = require "ngx.balancer", ngx.ctx

            ctx.tries = (ctx.tries or 0) + 1
            ngx.log(ngx.WARN, "try ", ctx.tries)
            if ctx.tries == 1 then
                b.set_more_tries(2)
            end
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
            assert(b.enable_keepalive())
        }
    }
--- config
    location = /s {
        content_by_lua_block {
            if ngx.var.arg_last then
                return ngx.exit(444)
            end
            ngx.say("kept")
        }
    }
    location = /t { proxy_pass http://b/s$is_args$args; }
    location = /both {
        content_by_lua_block {
            ngx.say(ngx.location.capture("/t").status)
            ngx.say(ngx.location.capture("/t?last=1").status)
        }
    }
--- request
GET /both
--- response_body
200
502
--- grep_error_log eval: qr/try \d/
--- grep_error_log_out
try 1
try 1
try 2
try 3
