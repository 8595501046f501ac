# Names of servers that are looked up while serving: the same table as http's.

__DATA__


=== a server's name is looked up again and again
--- stream_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    resolver 127.0.0.1:1;
    upstream u {
        zone u 64k;
        resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ipv6=off valid=1s;
        resolver_timeout 1s;
        server a.test:$TEST_NGINX_RAND_PORT_2 resolve;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
             content_by_lua_block { require("names").serve() } }
    server { listen $TEST_NGINX_RAND_PORT_2; return "at $server_addr"; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3; proxy_pass u; }
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /p {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_3)
            ngx.print((sock:receive("*a")) or "nothing")
            sock:close()
        }
    }
    location = /t {
        content_by_lua_block {
            local names = require "names"
            names.set "a.test A 127.0.0.1"
            names.await("/p", "at 127.0.0.1")
            names.set "a.test A 127.0.0.2"
            names.await("/p", "at 127.0.0.2")
            ngx.say("moved")
        }
    }
--- request
GET /t
--- timeout: 20
--- response_body
moved



=== workers have to share what they know
--- stream_config
    upstream u { server a.test:80 resolve; }
--- config
--- must_die
--- error_log
resolving names at run time requires upstream "u" in



=== and somebody has to be asked
--- stream_config
    upstream u { zone u 64k; server a.test:80 resolve; }
--- config
--- must_die
--- error_log
no resolver defined to resolve names at run time in upstream "u" in



=== its resolver may stand on each level
--- stream_config
    resolver 127.0.0.1:1;
    resolver_timeout 3s;
    upstream u { resolver 127.0.0.1:1; resolver_timeout 1s; server 127.0.0.1:1; }
--- stream_server_config
    resolver 127.0.0.1:1;
    resolver_timeout 2s;
    return fine;
--- stream_response: fine
