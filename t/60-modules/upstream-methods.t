__DATA__


=== a block has one method: the last
--- http_config
    upstream b { least_conn; ip_hash; server 127.0.0.1; }
--- config
    location /t { return 204; }
--- error_code: 204
--- error_log
load balancing method redefined in



=== ip_hash has no use for backups
--- http_config
    upstream b { ip_hash; server 127.0.0.1; server 127.0.0.2 backup; }
--- config
--- must_die
--- error_log
balancing method does not support parameter "backup" in



=== nor has a hash
--- http_config
    upstream b { hash $uri; server 127.0.0.2 backup; }
--- config
--- must_die
--- error_log
balancing method does not support parameter "backup" in



=== a hash is consistent or it is not
--- http_config
    upstream b { hash $uri constant; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "constant" in



=== what is hashed has variables that exist
--- http_config
    upstream b { hash $nothing_of_that_name; server 127.0.0.1; }
--- config
--- must_die
--- error_log
unknown "nothing_of_that_name" variable



=== a ring has room for servers of any weight
--- http_config
    upstream b {
        hash $uri consistent;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 weight=2000000;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 weight=1000000;
    }
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "here"; }
--- config
    location /t { proxy_pass http://b; }
--- response_body: here



=== at random means one, or the better of two
--- http_config
    upstream a { random; server 127.0.0.1; }
    upstream b { random two; server 127.0.0.1; }
    upstream c { random two least_conn; server 127.0.0.1; }
    upstream d { random three; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "three" in



=== least_conn is the only way to choose of two
--- http_config
    upstream b { random two least_time; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "least_time" in



=== a zone has a size
--- http_config
    upstream b { zone z; server 127.0.0.1; }
--- config
--- must_die
--- error_log
zero size shared memory zone "z"



=== of some pages
--- http_config
    upstream b { zone z 4k; server 127.0.0.1; }
--- config
--- must_die
--- error_log
zone "z" is too small in



=== which is a number
--- http_config
    upstream b { zone z large; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid zone size "large" in



=== two blocks may share a zone
--- http_config
    upstream a { zone z 64k; server 127.0.0.1; server 127.0.0.1; }
    upstream b { zone z; server 127.0.0.1; server 127.0.0.1:81 backup; }
--- config
    location /t { return 204; }
--- error_code: 204
--- no_error_log
[warn]



=== there is room for what is in it
--- http_config eval
"upstream a { zone z 32k; " . "server 127.0.0.1;" x 600 . " }"
--- config
--- must_die
--- error_log
no room for the servers of upstream "a" in zone "z"



=== how many idle connections there may be
--- http_config
    upstream a { keepalive many; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid value "many" in "keepalive" directive in



=== for everybody, or for each location
--- http_config
    upstream a { keepalive 4 global; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "global" in



=== a service is a name's
--- http_config
    upstream u { zone u 64k; server 127.0.0.1 resolve service=http; }
--- config
--- must_die
--- error_log
service upstream server "127.0.0.1" requires domain name in



=== and has its own port
--- http_config
    upstream u { zone u 64k; server a.test:80 resolve service=http; }
--- config
--- must_die
--- error_log
service upstream server "a.test:80" may not have port in



=== it is looked up while serving
--- http_config
    upstream u { zone u 64k; server a.test service=http; }
--- config
--- must_die
--- error_log
service upstream server "a.test" requires "resolve" parameter in



=== workers have to share what they know
--- http_config
    upstream u { server a.test resolve; }
--- config
--- must_die
--- error_log eval
qr/\[emerg\].*resolving names at run time requires upstream "u" in .*nginx.conf:\d+ to be in shared memory/



=== and somebody has to be asked
--- http_config
    upstream u { zone u 64k; server a.test resolve; }
--- config
--- must_die
--- error_log eval
qr/\[emerg\].*no resolver defined to resolve names at run time in upstream "u" in .*nginx.conf:\d+/



=== an address is no name
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_SERVER_PORT resolve; }
--- config
    location = /s { return 200 "here"; }
    location = /t { proxy_pass http://u/s; }
--- response_body: here



=== who drains has no new sessions
--- http_config
    upstream u { server 127.0.0.1:1 drain; server 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
--- config
    location = /s { return 200 "here"; }
    location = /t { proxy_pass http://u/s; add_header X $upstream_addr; }
--- request eval
["GET /t", "GET /t"]
--- response_body eval
["here", "here"]
--- no_error_log
[error]



=== who drains was none of those to try, and goes without one
--- http_config
    upstream u { server 127.0.0.1:1; server 127.0.0.1:$TEST_NGINX_SERVER_PORT;
                 server 127.0.0.1:2 drain; }
--- config
    location = /s { return 200 "here"; }
    location = /p { proxy_pass http://u/s; }
    location = /t {
        content_by_lua_block {
            require("ngx.upstream").set_peer_down("u", false, 2, true)
            ngx.print(ngx.location.capture("/p").body)
        }
    }
--- response_body: here



=== a hash has no use for servers that start slowly
--- http_config
    upstream u { hash $uri; server 127.0.0.1 slow_start=5s; }
--- config
--- must_die
--- error_log
balancing method does not support parameter "slow_start=5s" in
