# CONNECT; the server is one of our own, or Lua that speaks TCP.

__DATA__


=== bytes go through, both ways
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / { return 200 "through $request_uri"; }
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; tunnel_pass; }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_2))
            sock:send("CONNECT 127.0.0.1:$TEST_NGINX_RAND_PORT_1 HTTP/1.1\r\nHost: a\r\n\r\nGET /early HTTP/1.0\r\n")
            local head = sock:receiveuntil("\r\n\r\n")()
            ngx.say(head:match("^[^\r]+"), " ", head:find("Transfer") or head:find("close") or "bare")
            sock:send("\r\n")
            ngx.say(sock:receive("*a"):match("\r\n\r\n(.*)"))
        }
    }
--- response_body
HTTP/1.1 200 OK bare
through /early



=== who may, and who may not
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            if ($request_method = CONNECT) { tunnel_pass 127.0.0.1:1; }
            return 200 page;
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local function ask(port, line)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", port))
                sock:send(line .. "\r\nHost: a\r\nConnection: close\r\n\r\n")
                return sock:receive("*l"):match("%d%d%d")
            end
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say(ask(ngx.var.server_port, "CONNECT a:1 HTTP/1.1"), " ",
                    ask(port, "CONNECT a:1 HTTP/1.0"), " ",
                    ask(port, "CONNECT a HTTP/1.1"), " ",
                    ask(port, "GET / HTTP/1.1"))
        }
    }
--- response_body
405 405 400 200



=== a success that is no tunnel has no length, and nothing follows it
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            if ($http_tunnel) { tunnel_pass; }
            return 200 page;
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            sock:send("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            local text = sock:receive("*a")
            ngx.say(text:match("^%S+ %d+"), " ", text:find("Content-Length", 1, true), " ",
                    text:find("Transfer-Encoding", 1, true), " ", text:match("\r\n\r\n(.*)"))
        }
    }
--- response_body
HTTP/1.1 200 nil nil page



=== which servers may be connected to
--- http_config
    geo $upstream_last_addr $allow {
        volatile;
        default 0;
        127.0.0.2/32 1;
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 max_fails=0; server 127.0.0.2:$TEST_NGINX_RAND_PORT_2 backup; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; listen 127.0.0.2:$TEST_NGINX_RAND_PORT_2; return 200 $server_addr; }
    tunnel_allow_upstream $allow 1;
    proxy_allow_upstream $allow;
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; tunnel_pass; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3; tunnel_pass u; tunnel_next_upstream denied; }
--- config
    location = /t {
        content_by_lua_block {
            local function ask(port, to)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", port))
                sock:send("CONNECT " .. to .. ":$TEST_NGINX_RAND_PORT_2 HTTP/1.1\r\nHost: a\r\n\r\n")
                local status = sock:receiveuntil("\r\n\r\n")():match("^%S+ (%d+)")
                if status ~= "200" then return status end
                sock:send("GET / HTTP/1.0\r\n\r\n")
                return sock:receive("*a"):match("\r\n\r\n(.*)")
            end
            ngx.say(ask($TEST_NGINX_RAND_PORT_1, "127.0.0.1"), " ",
                    ask($TEST_NGINX_RAND_PORT_1, "127.0.0.2"), " ",
                    ask($TEST_NGINX_RAND_PORT_3, "any"))
            ngx.say(ngx.location.capture("/one").status, " ", ngx.location.capture("/two").body)
        }
    }
    location = /one { proxy_pass http://u; }
    location = /two { proxy_pass http://u; proxy_next_upstream denied; }
--- response_body
502 127.0.0.2 127.0.0.2
502 127.0.0.2
--- error_log
access to upstream server denied



=== a server that one client may not have is there for the others
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; server 127.0.0.2:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; listen 127.0.0.2:$TEST_NGINX_RAND_PORT_2; return 200 ok; }
--- config
    location = /t { proxy_pass http://u; proxy_allow_upstream $arg_allow; proxy_next_upstream denied; }
--- request eval
["GET /t", "GET /t", "GET /t?allow=1", "GET /t?allow=1"]
--- error_code eval
[502, 502, 200, 200]



=== a connection that one client may not have is kept for the others
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 $connection; }
--- config
    location = /p { proxy_pass http://u; proxy_allow_upstream $arg_allow; }
    location = /t {
        content_by_lua_block {
            local first = ngx.location.capture("/p?allow=1").body
            ngx.print(ngx.location.capture("/p").status, " ", ngx.location.capture("/p").status, " ")
            ngx.print(ngx.location.capture("/p?allow=1").body == first)
        }
    }
--- request: GET /t
--- response_body eval: "502 502 true"
--- error_log
access to upstream server denied



=== a server that is not there
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        error_page 502 = /sorry;
        tunnel_pass;
        location = /sorry { return 200 sorry; }
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 ok; }
    upstream u { server 127.0.0.1:1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 backup; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3; tunnel_pass u; }
--- config
    location = /t {
        content_by_lua_block {
            for _, port in ipairs { $TEST_NGINX_RAND_PORT_1, $TEST_NGINX_RAND_PORT_3 } do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", port))
                sock:send("CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.0\r\n\r\n")
                sock:settimeout(20000)
                local head = sock:receiveuntil("\r\n\r\n")()
                ngx.say(head:match("^%S+ %d+"), " ", (sock:receive("*a"):match("%a+$")))
            end
        }
    }
--- response_body
HTTP/1.1 200 sorry
HTTP/1.1 200 ok



=== a connection that says nothing for too long
--- stream_server_config
    content_by_lua_block { ngx.req.socket(true):receive("*a") }
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        tunnel_read_timeout 200ms;
        tunnel_pass 127.0.0.1:$TEST_NGINX_STREAM_PORT;
    }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            sock:settimeout(20000)
            sock:send("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            ngx.say(#sock:receive("*a"))
        }
    }
--- request: GET /t
--- response_body
0
--- error_log
upstream timed out



=== a password for the proxy is asked for, and taken, by names of its own
--- http_config
    log_format who '$status $remote_user';
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        auth_basic "tunnel";
        auth_basic_user_file ../html/users;
        access_log logs/who.log who;
        tunnel_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        location /page { empty_gif; }
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 "inside"; }
--- config
    location = /t { content_by_lua_block {
        local basic = "Basic " .. ngx.encode_base64("ann:secret")
        local function ask(line, name, value, inside)
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            sock:send(line .. " HTTP/1.1\r\nHost: a\r\n" .. name .. ": " .. value .. "\r\n\r\n")
            local head = sock:receiveuntil("\r\n\r\n")()
            ngx.print(head:match("^HTTP/1.1 ([^\r]+)"), " [",
                      head:match("(%u+%l*%-Authenticate: [^\r]+)") or "", "]")
            if inside then
                sock:send("GET / HTTP/1.0\r\n\r\n")
                ngx.print(" ", sock:receive("*a"):match("%l+$"))
            end
            ngx.say()
        end
        ask("CONNECT a:1", "X", "y")
        ask("CONNECT a:1", "Authorization", basic)
        ask("CONNECT a:1", "Proxy-Authorization", basic, true)
        ask("GET /page", "Proxy-Authorization", basic)
        ask("GET /page", "Authorization", basic)
    } }
--- user_files
>>> users
ann:{PLAIN}secret
--- request
GET /t
--- response_body
407 Proxy Authentication Required [Proxy-Authenticate: Basic realm="tunnel"]
407 Proxy Authentication Required [Proxy-Authenticate: Basic realm="tunnel"]
200 OK [] inside
401 Unauthorized [WWW-Authenticate: Basic realm="tunnel"]
200 OK []



=== who may have a tunnel by one reason or another
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        satisfy any;
        deny all;
        auth_basic "tunnel";
        auth_basic_user_file ../html/users;
        auth_delay 50ms;
        tunnel_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- config
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
        ngx.update_time()
        local from = ngx.now()
        sock:send("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n")
        local line = sock:receive()
        ngx.update_time()
        ngx.say(line, " ", ngx.now() - from > 0.04)
    } }
--- user_files
>>> users
ann:{PLAIN}secret
--- request
GET /t
--- response_body
HTTP/1.1 407 Proxy Authentication Required true
