no_root_location();

__DATA__


=== an exact name
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name a.test b.test;
             return 200 "$server_name of $host"; }
--- config
    return 200 "other";
--- request eval
["GET /", "GET /", "GET /", "GET /"]
--- more_headers eval
["Host: a.test", "Host: b.test", "Host: c.test", "Host: x.a.test"]
--- response_body eval
["a.test of a.test", "a.test of b.test", "a.test of c.test", "a.test of x.a.test"]



=== names come from several lines, the first one is the server's
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name a.test;
             server_name b.test *.c.test; server_name d.test;
             return 200 "$server_name of $host"; }
--- config
    return 200 "other";
--- request eval
["GET /", "GET /", "GET /", "GET /"]
--- more_headers eval
["Host: a.test", "Host: b.test", "Host: x.c.test", "Host: d.test"]
--- response_body eval
["a.test of a.test", "a.test of b.test", "a.test of x.c.test", "a.test of d.test"]



=== names are found without regard to case, port and a final dot
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name localhost;
             return 200 "default"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name Some.Test;
             return 200 "$host"; }
--- config
    return 200 "unused";
--- server_name: unused
--- request eval
["GET /", "GET /", "GET /"]
--- more_headers eval
["Host: SOME.test", "Host: some.test:8080", "Host: some.test."]
--- response_body eval
["some.test", "some.test", "some.test"]



=== the first server of an address is its default
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name first;
             return 200 "first"; }
--- config
    return 200 "second";
--- more_headers
Host: unknown
--- response_body: first



=== default_server makes another one the default
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name first;
             return 200 "first"; }
    server { listen $TEST_NGINX_SERVER_PORT default_server; server_name _;
             return 200 "default"; }
--- config
    return 200 "second";
--- request eval
["GET /", "GET /", "GET /"]
--- more_headers eval
["Host: unknown", "Host: first", "Host: localhost"]
--- response_body eval
["default", "first", "second"]



=== a wildcard in front stands for one or more labels
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name none;
             return 200 "none"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name *.a.test;
             return 200 "star"; }
--- config
    return 200 "x";
--- request eval
["GET /", "GET /", "GET /"]
--- more_headers eval
["Host: x.a.test", "Host: y.x.a.test", "Host: a.test"]
--- response_body eval
["star", "star", "none"]



=== a dot in front stands for the name itself too
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name none;
             return 200 "none"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name .a.test;
             return 200 "dot $server_name"; }
--- config
    return 200 "x";
--- request eval
["GET /", "GET /", "GET /"]
--- more_headers eval
["Host: a.test", "Host: x.a.test", "Host: xa.test"]
--- response_body eval
["dot a.test", "dot a.test", "none"]



=== a wildcard at the end
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name none;
             return 200 "none"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name www.a.*;
             return 200 "star"; }
--- config
    return 200 "x";
--- request eval
["GET /", "GET /", "GET /"]
--- more_headers eval
["Host: www.a.test", "Host: www.a.co.test", "Host: www.a"]
--- response_body eval
["star", "star", "none"]



=== exact, then *.x, then x.*, then regexes
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name ~test;
             return 200 "regex"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name www.a.*;
             return 200 "tail"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name *.a.test;
             return 200 "head"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name www.a.test;
             return 200 "exact"; }
--- config
    return 200 "x";
--- request eval
["GET /", "GET /", "GET /", "GET /"]
--- more_headers eval
["Host: www.a.test", "Host: w.a.test", "Host: www.a.b", "Host: b.test"]
--- response_body eval
["exact", "head", "tail", "regex"]



=== the longest wildcard wins
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name *.test;
             return 200 "short"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name *.a.test;
             return 200 "long"; }
--- config
    return 200 "x";
--- request eval
["GET /", "GET /"]
--- more_headers eval
["Host: www.a.test", "Host: www.b.test"]
--- response_body eval
["long", "short"]



=== regexes are tried in order, and capture
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT;
             server_name ~^(?<sub>\w+)\.(\w+)\.test$;
             return 200 "$sub $1 $2"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name ~test;
             return 200 "second"; }
--- config
    return 200 "x";
--- request eval
["GET /", "GET /"]
--- more_headers eval
["Host: www.a.test", "Host: a-b.test"]
--- response_body eval
["www www a", "second"]



=== a regex of the only server captures too
--- config
    server_name ~^(.+)\.test$;
    return 200 "$1";
--- server_name: localhost
--- more_headers
Host: abc.test
--- response_body: abc



=== a request without a Host goes to the default server
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name none;
             return 200 "none [$host] [$http_host]"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name other;
             return 200 "other"; }
--- config
    return 200 "x";
--- raw_request eval
"GET / HTTP/1.0\r\n\r\n"
--- response_body: none [none] []



=== each address has servers of its own
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; server_name other;
             return 200 "other"; }
--- config
    return 200 "here";
--- more_headers
Host: other
--- response_body: here



=== a name that is taken is ignored with a warning
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name a.test;
             return 200 "first"; }
    server { listen $TEST_NGINX_SERVER_PORT; server_name a.test;
             return 200 "second"; }
--- config
    return 200 "x";
--- more_headers
Host: a.test
--- response_body: first
--- error_log eval
qr/\[warn\] .*conflicting server name "a\.test" on 0\.0\.0\.0:\d+, ignored/



=== a star inside a name is refused
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name a.*.test;
             return 200; }
--- config
    return 200;
--- must_die
--- error_log eval
qr/invalid server name or wildcard "a\.\*\.test" on 0\.0\.0\.0:\d+/



=== a star that is no label is refused
--- config
    server_name *a.test;
--- must_die
--- error_log
server name "*a.test" is invalid in



=== an empty regex is refused
--- config
    server_name ~;
--- must_die
--- error_log
empty regex in server name "~" in



=== a slash in a name is suspicious
--- config
    server_name http://a.test;
    return 200 "fine";
--- response_body: fine
--- error_log
server name "http://a.test" has suspicious symbols in



=== a request without a host is of the server without a name
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             server_name a; return 200 "a"; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             server_name ""; return 200 "none"; }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            sock:send("GET / HTTP/1.0\r\n\r\n")
            ngx.say((sock:receive("*a"):match("\r\n\r\n(.*)")))
        }
    }
--- response_body
none
