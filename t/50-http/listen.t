no_root_location();

__DATA__


=== one server may listen on several ports
--- config
    listen $TEST_NGINX_RAND_PORT_1;
    location /t { return 200 "$server_port"; }
--- response_body eval
"$ENV{TEST_NGINX_SERVER_PORT}"



=== an address that others of the port do not have
--- http_config
    server { listen 127.0.0.76:$TEST_NGINX_SERVER_PORT; server_name a;
             return 200 "mine $server_addr"; }
    server { listen 127.0.0.77:$TEST_NGINX_SERVER_PORT; server_name b;
             return 200 "other"; }
--- config
    location = / { return 200 "wildcard"; }
    location /t {
        content_by_lua_block {
            local function ask(ip)
                local sock = ngx.socket.tcp()
                assert(sock:connect(ip, $TEST_NGINX_SERVER_PORT))
                sock:send("GET / HTTP/1.0\r\n\r\n")
                return (sock:receive("*a"):gsub("^.*\r\n\r\n", ""))
            end
            ngx.say(ask("127.0.0.76"), ", ", ask("127.0.0.1"))
        }
    }
--- response_body
mine 127.0.0.76, wildcard



=== hundreds of addresses behind the wildcard of their port
--- http_config eval
join("", map { "server { listen 127.0.1.$_:$ENV{TEST_NGINX_SERVER_PORT}; return 200 $_; }\n" } 1..200)
--- config
    location = / { return 200 "wildcard"; }
    location /t {
        content_by_lua_block {
            local function ask(ip)
                local sock = ngx.socket.tcp()
                assert(sock:connect(ip, $TEST_NGINX_SERVER_PORT))
                sock:send("GET / HTTP/1.0\r\n\r\n")
                return (sock:receive("*a"):gsub("^.*\r\n\r\n", ""))
            end
            ngx.say(ask("127.0.1.1"), ask("127.0.1.77"), ask("127.0.1.200"), ask("127.0.1.201"))
        }
    }
--- response_body
177200wildcard



=== IPv6 addresses stand in brackets
--- config
    listen [::1]:$TEST_NGINX_RAND_PORT_1;
    location /t { return 200 "fine"; }
--- response_body: fine



=== options are accepted
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1 backlog=100 rcvbuf=64k sndbuf=64k
             so_keepalive=30m::10; return 200; }
    server { listen $TEST_NGINX_RAND_PORT_2 bind so_keepalive=on; return 200; }
--- config
    return 200 "fine";
--- response_body: fine



=== options of an address are given once
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1 backlog=100; return 200; }
    server { listen $TEST_NGINX_RAND_PORT_1 backlog=200; return 200; }
--- config
    return 200;
--- must_die
--- error_log eval
qr/duplicate listen options for 0\.0\.0\.0:\d+ in/



=== an address has one default server
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1 default_server; return 200; }
    server { listen $TEST_NGINX_RAND_PORT_1 default_server; return 200; }
--- config
    return 200;
--- must_die
--- error_log eval
qr/a duplicate default server for 0\.0\.0\.0:\d+ in/



=== a server listens once on an address
--- config
    listen $TEST_NGINX_SERVER_PORT;
--- must_die
--- error_log eval
qr/a duplicate listen 0\.0\.0\.0:\d+ in/



=== a parameter that is none
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 fast;
--- must_die
--- error_log
invalid parameter "fast" in



=== a backlog that is none
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 backlog=many;
--- must_die
--- error_log
invalid backlog "backlog=many" in



=== a port that is none
--- config
    listen 127.0.0.1:0;
--- must_die
--- error_log
invalid port in "127.0.0.1:0" of the "listen" directive in



=== ports that go backwards
--- config
    listen 127.0.0.1:9-8;
--- must_die
--- error_log
invalid port range in "127.0.0.1:9-8" of the "listen" directive in



=== a port that is too large
--- config
    listen 65536;
--- must_die
--- error_log
invalid port in "65536" of the "listen" directive in



=== a host that is none
--- config
    listen no-such-host.invalid:80;
--- must_die
--- error_log
host not found in "no-such-host.invalid:80" of the "listen" directive in



=== a bracket that is not closed
--- config
    listen "[::1:80";
--- must_die
--- error_log
in "[::1:80" of the "listen" directive in



=== an IPv6 address that is none
--- config
    listen [::g]:80;
--- must_die
--- error_log
invalid IPv6 address in "[::g]:80" of the "listen" directive in



=== a unix socket needs a path
--- config
    listen unix:;
--- must_die
--- error_log
no path in the unix domain socket in "unix:" of the "listen" directive in
--- skip_windows: no unix sockets



=== a unix socket beside a port
--- config
    listen unix:$TEST_NGINX_SERVER_ROOT/logs/s;
    return 200 "$server_port";
--- response_body eval
"$ENV{TEST_NGINX_SERVER_PORT}"
--- skip_windows: no unix sockets



=== so_keepalive must say something
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 so_keepalive=::;
--- must_die
--- error_log
invalid so_keepalive value: "::" in



=== reuseport gives each worker a socket of its own
--- workers: 2
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 reuseport;
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    location = /t {
        content_by_lua_block {
            local text = io.open("/proc/net/tcp"):read("*a")
            local function listening(port)
                local _, n = text:gsub(string.format(
                    "0100007F:%04X 00000000:0000 0A", port), "")
                return n > 1
            end
            ngx.say(listening($TEST_NGINX_RAND_PORT_1), " ",
                    listening($TEST_NGINX_RAND_PORT_2))
        }
    }
--- skip_windows: sockets are not shared like that
--- response_body
true false



=== a listener of several paths, where the system has them
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 multipath; return 200 "here"; }
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- response_body chomp
here
--- skip_windows: it has none
--- skip_eval: 2: !-e "/proc/sys/net/mptcp/enabled"



=== protocols of an address that are named twice, and not the same
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 http2; server_name one; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 http2 proxy_protocol; server_name two; }
--- config
    location = /t { return 200 "here"; }
--- request
GET /t
--- response_body: here
--- error_log
[warn]
protocol options redefined for 127.0.0.1:



=== protocols of an address that are named once, or the same again
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol; server_name one; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol; server_name two; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server_name three; }
--- config
    location = /t { return 200 "here"; }
--- request
GET /t
--- response_body: here
--- no_error_log
protocol options
