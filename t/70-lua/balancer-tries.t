__DATA__


=== after a failure another one is asked
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            local state, status = b.get_last_failure()
            print("last: ", state, " ", status)
            local port = state and tonumber(ngx.var.server_port) or 1
            assert(b.set_current_peer("127.0.0.1", port))
            if not state then
                assert(b.set_more_tries(1))
            end
        }
    }
--- config
    location = /s { return 200 "here"; }
    location = /t { proxy_pass http://b/s; add_header X "$upstream_status"; }
--- response_body: here
--- response_headers
X: 502, 200
--- grep_error_log eval: qr/last: \w+ \w+/
--- grep_error_log_out
last: nil nil
last: failed 502



=== an answer may count as one, too
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            print("last: ", table.concat({ b.get_last_failure() }, " "), ";")
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
            assert(b.set_more_tries(1))
        }
    }
--- config
    location = /s { return 404; }
    location = /t {
        proxy_next_upstream http_404;
        proxy_next_upstream_tries 2;
        proxy_pass http://b/s;
    }
--- error_code: 404
--- grep_error_log eval: qr/last: [^;]*;/
--- grep_error_log_out
last: ;
last: next 404;



=== there is a limit
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            print("more: ", b.set_more_tries(9))
            assert(b.set_current_peer("127.0.0.1", 1))
        }
    }
--- config
    location = /t {
        proxy_next_upstream_tries 3;
        proxy_pass http://b;
    }
--- error_code: 502
--- grep_error_log eval: qr/more: \w+ \w+/
--- grep_error_log_out
more: truereduced tries
more: truereduced tries
more: truereduced tries



=== how long it may take
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
            assert(b.set_timeouts(nil, 2, 0.1))
        }
    }
--- config
    location = /s { content_by_lua_block { ngx.sleep(5) } }
    location = /t { proxy_pass http://b/s; }
--- error_code: 504
--- error_log
upstream timed out



=== which is more than nothing
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            print(pcall(b.set_timeouts, 0))
            print(pcall(b.set_timeouts, nil, -1))
            print(pcall(b.set_timeouts, nil, nil, "1"))
        }
    }
--- config
    location = /t { proxy_pass http://b; }
--- error_code: 500
--- error_log
falsebad connect timeout
falsebad send timeout
falsebad read timeout



=== the request may change
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
            if b.get_last_failure() then
                ngx.req.set_header("X", "second")
                assert(b.recreate_request())
            else
                assert(b.set_more_tries(1))
            end
        }
    }
--- config
    location = /s {
        if ($http_x = second) { return 200 "$http_x, $request_uri"; }
        return 500;
    }
    location = /t { proxy_next_upstream http_500; proxy_pass http://b/s; }
--- more_headers
X: first
--- response_body: second, /s



=== the address to come from
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            print(b.bind_to_local_addr("nowhere"))
            assert(b.bind_to_local_addr("127.0.0.2"))
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port))
        }
    }
--- config
    location = /s { return 200 "$remote_addr"; }
    location = /t { proxy_pass http://b/s; }
--- response_body: 127.0.0.2
--- error_log
nilinvalid addr nowhere



=== a server is spoken to without TLS
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_upstream_tls(false))
            print(b.set_upstream_tls(true))
            assert(b.set_current_peer("127.0.0.1", ngx.var.server_port, "h"))
        }
    }
--- config
    location = /s { return 200 "here"; }
    location = /t { proxy_pass http://b/s; }
--- response_body: here
--- error_log
nilthe upstream is not an https one



=== TLS is switched off, and on
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; return 200 "tls $connection_requests"; }
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            local on = ngx.var.arg_on == "1"
            assert(b.set_upstream_tls(on))
            assert(b.set_current_peer("127.0.0.1", on and $TEST_NGINX_RAND_PORT_1 or ngx.var.server_port))
            assert(b.enable_keepalive())
        }
    }
--- config
    location = /s { return 200 "plain"; }
    location = /t { proxy_pass https://b/s; }
--- request eval
["GET /t?on=0", "GET /t?on=1", "GET /t?on=1"]
--- response_body eval
["plain", "tls 1", "tls 2"]



=== a script that always allows one more is stopped where all are denied
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", 1))
            b.set_more_tries(1)
        }
    }
--- config
    location = /t { proxy_pass http://b; proxy_allow_upstream 0; proxy_next_upstream denied; }
--- timeout: 30
--- request
GET /t
--- error_code: 502
