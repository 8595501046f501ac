__DATA__


=== a block needs servers
--- http_config
    upstream b { }
--- config
--- must_die
--- error_log
no servers are inside upstream in



=== a name that is taken
--- http_config
    upstream b { server 127.0.0.1; }
    upstream B { server 127.0.0.1; }
--- config
--- must_die
--- error_log
duplicate upstream "B" in



=== servers that are all in reserve
--- http_config
    upstream b { server 127.0.0.1 backup; }
--- config
--- must_die
--- error_log
no servers in upstream "b" in



=== a host that nobody knows
--- http_config
    upstream b { server nobody.invalid:81; }
--- config
--- must_die
--- error_log
host not found in upstream "nobody.invalid:81" in



=== a weight is a number above 0
--- http_config
    upstream b { server 127.0.0.1 weight=0; }
--- config
--- must_die
--- error_log
invalid parameter "weight=0" in



=== times and counts are checked
--- http_config
    upstream b { server 127.0.0.1 max_fails=1 max_conns=0 fail_timeout=x; }
--- config
--- must_die
--- error_log
invalid parameter "fail_timeout=x" in



=== keepalive has a number
--- http_config
    upstream u { server 127.0.0.1; keepalive; }
--- must_die
--- error_log
invalid number of arguments in "keepalive" directive


=== a word that is none
--- http_config
    upstream b { server 127.0.0.1 down up; }
--- config
--- must_die
--- error_log
invalid parameter "up" in



=== a port is a number
--- http_config
    upstream b { server 127.0.0.1:http; }
--- config
--- must_die
--- error_log
invalid port in upstream "127.0.0.1:http" in



=== an address with a bracket has two
--- http_config
    upstream b { server [::1; }
--- config
--- must_die
--- error_log
invalid host in upstream "[::1" in



=== what is in brackets is an address
--- http_config
    upstream b { server [::x]:80; }
--- config
--- must_die
--- error_log
invalid IPv6 address in upstream "[::x]:80" in



=== sockets have no names on Windows
--- http_config
    upstream b { server unix:/tmp/x; }
--- config
--- must_die
--- skip_linux: it has them
--- error_log
the unix domain sockets are not supported on this platform in upstream "unix:/tmp/x" in



=== a socket has a path
--- http_config
    upstream b { server unix:; }
--- config
--- must_die
--- skip_windows: no unix sockets
--- error_log
no path in the unix domain socket in upstream "unix:" in



=== a cookie of the server, with spaces, and the first of several
--- config
    location = /t {
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a;
        add_header X-C "$upstream_cookie_c";
    }
    location = /a {
        add_header Set-Cookie "c = one; Path=/";
        add_header Set-Cookie "c=two";
        return 200 ok;
    }
--- response_headers
X-C: one
