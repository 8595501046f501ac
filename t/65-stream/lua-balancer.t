__DATA__


=== the code names a server
--- stream_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            print("hello, ", ngx.get_phase(), " ", ngx.var.remote_addr)
            assert(b.set_current_peer("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        return "here";
    }
--- stream_server_config
    proxy_pass b;
--- stream_response chomp
here
--- error_log
hello, balancer 127.0.0.1 while connecting to upstream, client: 127.0.0.1



=== it may be chosen by what preread has seen
--- stream_config
    upstream b {
        balancer_by_lua_file html/b.lua;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block { ngx.say(ngx.req.socket():receive()) }
    }
--- stream_server_config
    preread_by_lua_block {
        ngx.ctx.port = tonumber(ngx.req.socket():peek(5))
    }
    proxy_pass b;
--- user_files
>>> b.lua
local b = require "ngx.balancer"
assert(b.set_current_peer("127.0.0.1", ngx.ctx.port))
--- stream_request
$TEST_NGINX_RAND_PORT_1
--- stream_response_like: ^\d{5}$



=== another try, and what became of the first
--- stream_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            local state, status, err = b.get_last_failure()
            ngx.log(ngx.WARN, "last: ", state, " ", status)
            local tries = (ngx.ctx.tries or 0) + 1
            ngx.ctx.tries = tries
            if tries == 1 then
                assert(b.set_more_tries(1))
            end
            assert(b.set_current_peer("127.0.0.1", tries == 1
                and $TEST_NGINX_RAND_PORT_2 or $TEST_NGINX_RAND_PORT_1))
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        return "here";
    }
--- stream_server_config
    proxy_pass b;
--- stream_response chomp
here
--- grep_error_log eval: qr/last: \w+ \w+/
--- grep_error_log_out
last: nil nil
last: failed 0



=== there are no more tries than proxy_next_upstream_tries
--- stream_config
    proxy_next_upstream_tries 3;
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            ngx.log(ngx.WARN, "try: ", select(2, b.set_more_tries(2)))
            assert(b.set_current_peer("127.0.0.1", $TEST_NGINX_RAND_PORT_2))
        }
    }
--- stream_server_config
    proxy_pass b;
--- stream_response eval: ""
--- grep_error_log eval: qr/try: .*? while/
--- grep_error_log_out
try:  while
try: reduced tries due to limit while
try: reduced tries due to limit while



=== a status is the session's
--- stream_config
    log_format s "status=$status";
    upstream b { balancer_by_lua_block { ngx.exit(403) } }
--- stream_server_config
    access_log logs/error.log s;
    proxy_pass b;
--- stream_response eval: ""
--- error_log
status=403



=== nobody is named
--- stream_config
    upstream b { balancer_by_lua_block { ngx.ctx.a = 1 } }
--- stream_server_config
    proxy_pass b;
--- stream_response eval: ""
--- error_log
lua balancer: no peer set while connecting to upstream



=== a time limit of its own
--- stream_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_timeouts(60, nil, 0.05))
            assert(b.set_current_peer("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        lua_check_client_abort on;
        content_by_lua_block { ngx.sleep(60) }
    }
--- stream_server_config
    proxy_pass b;
--- stream_response eval: ""
--- error_log
connection timed out



=== what sessions have not says so
--- stream_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            for _, name in ipairs { "enable_keepalive", "recreate_request" } do
                ngx.log(ngx.WARN, select(2, pcall(b[name])))
            end
            ngx.log(ngx.WARN, select(2, pcall(b.set_current_peer, "127.0.0.1",
                                              80, "name")))
            ngx.log(ngx.WARN, select(2, pcall(ngx.say, "hi")))
            ngx.exit(500)
        }
    }
--- stream_server_config
    proxy_pass b;
    preread_by_lua_block {
        local b = require "ngx.balancer"
        ngx.log(ngx.WARN, "early: ", select(2, b.set_current_peer("127.0.0.1")))
        ngx.log(ngx.WARN, "times: ", select(2, b.set_timeouts(1, 1)))
    }
--- stream_response eval: ""
--- error_log
early: no upstream found
times: API disabled in the current context
'enable_keepalive' not yet implemented in stream subsystem
'recreate_request' not yet implemented in stream subsystem
bad argument #3 to 'set_current_peer' ('host' not yet implemented in stream subsystem)
API disabled in the context of balancer_by_lua*
