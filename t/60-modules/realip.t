__DATA__


=== a trusted proxy names the client
--- config
    set_real_ip_from 127.0.0.0/8;
    location = /t { return 200 "$remote_addr [$remote_port] $realip_remote_addr"; }
--- more_headers
X-Real-IP: 192.0.2.7
--- response_body: 192.0.2.7 [] 127.0.0.1



=== nobody else does
--- config
    set_real_ip_from 10.0.0.0/8;
    location = /t { return 200 "$remote_addr $realip_remote_addr"; }
--- more_headers
X-Real-IP: 192.0.2.7
--- response_body: 127.0.0.1 127.0.0.1



=== with a port, with IPv6, and what is no address
--- config
    set_real_ip_from 127.0.0.1;
    location = /t { return 200 "$remote_addr $remote_port"; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["X-Real-IP: 192.0.2.7:81", "X-Real-IP: 2001:DB8::0:7", "X-Real-IP: [2001:db8::7]:82", "X-Real-IP: www.example.com"]
--- response_body_like eval
["^192.0.2.7 81\$", "^2001:db8::7 \$", "^2001:db8::7 82\$", "^127.0.0.1 \\d+\$"]



=== the last of a list counts
--- config
    set_real_ip_from 127.0.0.1; set_real_ip_from 192.0.2.0/24;
    real_ip_header X-Forwarded-For;
    location = /t { return 200 "$remote_addr"; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- more_headers eval
["X-Forwarded-For: 10.0.0.1, 192.0.2.1", "X-Forwarded-For: 10.0.0.1 , 192.0.2.1 , ", "X-Forwarded-For: 10.0.0.1\r\nX-Forwarded-For: 10.0.0.2,192.0.2.2"]
--- response_body eval
["192.0.2.1", "192.0.2.1", "192.0.2.2"]



=== recursive: the last that is not trusted
--- config
    set_real_ip_from 127.0.0.1; set_real_ip_from 192.0.2.0/24;
    real_ip_header X-Forwarded-For;
    real_ip_recursive on;
    location = /t { return 200 "$remote_addr"; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["X-Forwarded-For: 10.0.0.1, 10.0.0.2, 192.0.2.1", "X-Forwarded-For: 192.0.2.3, 192.0.2.2", "X-Forwarded-For: 10.0.0.1, what, 192.0.2.1", "X-Forwarded-For: 10.0.0.1, 10.0.0.2\r\nX-Forwarded-For: 192.0.2.2, 192.0.2.1", "X-Forwarded-For: 10.0.0.1\r\nX-Forwarded-For: 10.0.0.2, 192.0.2.1"]
--- response_body eval
["10.0.0.2", "192.0.2.3", "192.0.2.1", "10.0.0.2", "10.0.0.2"]



=== any other header
--- config
    set_real_ip_from 127.0.0.1;
    real_ip_header CF-Connecting-IP;
    location = /t { return 200 "$remote_addr"; }
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["cf-connecting-ip: 192.0.2.7", "X-Real-IP: 192.0.2.7"]
--- response_body eval
["192.0.2.7", "127.0.0.1"]



=== for rules, for the access log and for the error log
--- config
    set_real_ip_from 127.0.0.1;
    location = /u { deny 192.0.2.7; allow all; }
--- request
GET /u
--- more_headers
X-Real-IP: 192.0.2.7
--- error_code: 403
--- error_log
access forbidden by rule, client: 192.0.2.7, server
--- access_log
192.0.2.7 - -



=== each request of a connection is judged by itself
--- config
    set_real_ip_from 127.0.0.1;
    real_ip_header X-Forwarded-For;
    location = /t { return 200 "$remote_addr "; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n" .
"GET /t HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.2\r\n\r\n" .
"GET /t HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
--- ignore_response
--- access_log
192.0.2.1 - -
192.0.2.2 - -
127.0.0.1 - -



=== a location may trust others, before limits are looked at
--- config
    location = /t {
        set_real_ip_from 127.0.0.1;
        real_ip_header X-Forwarded-For;
        echo $remote_addr;
    }
--- more_headers
X-Forwarded-For: 192.0.2.7
--- response_body
192.0.2.7



=== subrequests have the same client
--- config
    set_real_ip_from 127.0.0.1;
    location = /t { echo_location /sub; }
    location = /sub { echo "$remote_addr $realip_remote_addr"; }
--- more_headers
X-Real-IP: 192.0.2.7
--- response_body
192.0.2.7 127.0.0.1



=== whoever comes through a socket in the file system
--- skip_windows: there are no such sockets
--- http_config
    server {
        listen unix:$TEST_NGINX_HTML_DIR/sock;
        set_real_ip_from unix:;
        location / { return 200 "$remote_addr $realip_remote_addr"; }
    }
--- config
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("unix:$TEST_NGINX_HTML_DIR/sock")
            s:send("GET / HTTP/1.0\r\nX-Real-IP: 192.0.2.7\r\n\r\n")
            ngx.say((s:receive("*a"):match("\r\n\r\n(.*)")))
        }
    }
--- response_body
192.0.2.7 unix:



=== a host name is all of its addresses
--- config
    set_real_ip_from localhost;
    location = /t { return 200 $remote_addr; }
--- more_headers
X-Real-IP: 192.0.2.7
--- response_body: 192.0.2.7



=== bits that do not count are warned of
--- config
    set_real_ip_from 127.0.0.1/8;
    location = /t { return 200 $remote_addr; }
--- more_headers
X-Real-IP: 192.0.2.7
--- response_body: 192.0.2.7
--- error_log
low address bits of 127.0.0.1/8 are meaningless in



=== a host that there is not
--- config
    set_real_ip_from no-such-host.invalid;
--- must_die
--- error_log
host not found in set_real_ip_from "no-such-host.invalid" in



=== the port of who has connected is known
--- config
    location = /t {
        set_real_ip_from 127.0.0.1;
        content_by_lua_block {
            ngx.say(ngx.var.remote_addr, " ", ngx.var.remote_port, " ", ngx.var.realip_remote_addr, " ",
                    tonumber(ngx.var.realip_remote_port) > 0)
        }
    }
--- more_headers
X-Real-IP: 1.2.3.4:567
--- response_body
1.2.3.4 567 127.0.0.1 true
