__DATA__


=== servers take turns by weight, and who is down has none
--- http_config
    upstream b {
        server 127.0.0.1:$TEST_NGINX_SERVER_PORT weight=2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        server 127.0.0.1:1 down;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 "b"; }
--- config
    location = /s { return 200 "a"; }
    location = /t { proxy_pass http://b/s; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- response_body eval
["a", "b", "a", "a"]



=== a server that fails is left alone for a while
--- http_config
    upstream b {
        server 127.0.0.1:1;
        server 127.0.0.1:$TEST_NGINX_SERVER_PORT;
    }
--- config
    location = /s { return 200 "here"; }
    location = /t { proxy_pass http://b/s; add_header X "$upstream_status"; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["here", "here", "here"]
--- response_headers eval
["X: 502, 200", "X: 200", "X: 200"]



=== which is a warning
--- http_config
    upstream b {
        server 127.0.0.1:1;
        server 127.0.0.1:$TEST_NGINX_SERVER_PORT;
    }
--- config
    location = /s { return 200 "here"; }
    location = /t { proxy_pass http://b/s; }
--- response_body: here
--- error_log eval
qr/\[warn\].* upstream server temporarily disabled while connecting to up/



=== when all have failed there is nobody, not even a try
--- http_config
    upstream b { server 127.0.0.1:1; server 127.0.0.1:1; }
--- config
    location = /t { proxy_pass http://b; add_header X "$upstream_addr" always; }
--- request eval
["GET /t", "GET /t"]
--- error_code eval
[502, 502]
--- response_headers eval
["X: 127.0.0.1:1, 127.0.0.1:1", "X: b"]



=== backups serve when the others do not
--- http_config
    upstream b {
        least_conn;
        server 127.0.0.1:1;
        server 127.0.0.1:$TEST_NGINX_SERVER_PORT backup;
    }
--- config
    location = /s { return 200 "here"; }
    location = /t { proxy_pass http://b/s; }
--- request eval
["GET /t", "GET /t"]
--- response_body eval
["here", "here"]



=== what a killed worker had in hand is nobody's
--- workers: 2
--- master_on
--- http_config
    upstream b { zone b 64k; server 127.0.0.1:$TEST_NGINX_SERVER_PORT max_conns=1; }
--- config
    location = /here { return 200; }
    location = /in { proxy_pass http://b/here; }
    location = /die {
        proxy_pass http://b/here;
        header_filter_by_lua_block {
            if ngx.var.arg_not ~= tostring(ngx.worker.pid()) then os.exit(3) end
        }
    }
    location = /t {
        content_by_lua_block {
            local function ask(uri)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                return (sock:receive() or ""):match("%d%d%d")
            end
            while ask("/die?not=" .. ngx.worker.pid()) do end
            for i = 1, 100 do
                if ask("/in") == "200" then return ngx.say("in") end
                ngx.sleep(0.05)
            end
        }
    }
--- timeout: 20
--- response_body
in
--- error_log
exited with code 3



=== a server has no more requests in hand than max_conns
--- http_config
    upstream b { server 127.0.0.1:$TEST_NGINX_SERVER_PORT max_conns=1; }
--- config
    location = /s { content_by_lua_block { ngx.sleep(0.2) ngx.print("x") } }
    location = /p { proxy_pass http://b/s; }
    location = /t {
        content_by_lua_block {
            local a, b = ngx.location.capture_multi { { "/p" }, { "/p" } }
            ngx.print(a.status, b.status, ngx.location.capture("/p").status)
        }
    }
--- response_body: 200502200
--- error_log
no live upstreams while connecting to upstream



=== a key has its server, whatever the way
--- http_config
    upstream h { hash $arg_k; server 127.0.0.1:$TEST_NGINX_SERVER_PORT; server 127.0.0.1:1 down; }
    upstream c { hash $arg_k consistent; server 127.0.0.1:$TEST_NGINX_SERVER_PORT; server 127.0.0.1:1 down; }
    upstream i { ip_hash; server 127.0.0.1:$TEST_NGINX_SERVER_PORT; server 127.0.0.1:1 down; }
    upstream r { random two; server 127.0.0.1:$TEST_NGINX_SERVER_PORT; server 127.0.0.1:1 down; }
--- config
    location = /s { return 200 "here"; }
    location = /t { proxy_pass http://$arg_u/s; }
--- request eval
["GET /t?u=h&k=1", "GET /t?u=c&k=1", "GET /t?u=i", "GET /t?u=r", "GET /t?u=h"]
--- response_body eval
["here", "here", "here", "here", "here"]



=== connections are kept, unless the block says otherwise
--- http_config
    upstream a { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    upstream b { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; keepalive 0; }
    upstream c { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; keepalive_requests 2; }
--- config
    location = /s { return 200 "$connection_requests"; }
    location = /a { proxy_pass http://a/s; }
    location = /b { proxy_pass http://b/s; }
    location = /c { proxy_pass http://c/s; }
--- request eval
["GET /a", "GET /a", "GET /b", "GET /b", "GET /c", "GET /c", "GET /c"]
--- response_body eval
["1", "2", "1", "1", "1", "2", "1"]



=== locations share them when the block does not say local
--- http_config
    upstream a { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    upstream b { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; keepalive 4; }
--- config
    location = /s { return 200 "$connection_requests"; }
    location = /1/a { proxy_pass http://a/s; }
    location = /2/a { proxy_pass http://a/s; }
    location = /1/b { proxy_pass http://b/s; }
    location = /2/b { proxy_pass http://b/s; }
--- request eval
["GET /1/a", "GET /2/a", "GET /1/b", "GET /2/b"]
--- response_body eval
["1", "1", "1", "2"]



=== an idle connection that its server closes is not used
--- http_config
    upstream b { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        keepalive_timeout 100ms;
        return 200 "$connection_requests";
    }
--- config
    location = /p { proxy_pass http://b; }
    location = /t {
        content_by_lua_block {
            local one = ngx.location.capture("/p").body
            ngx.sleep(0.5)
            ngx.print(one, ngx.location.capture("/p").body)
        }
    }
--- response_body: 11
--- no_error_log
[error]



=== with a zone all workers take turns with each other
--- master_on
--- workers: 2
--- http_config
    upstream b {
        zone z 64k;
        server 127.0.0.1:$TEST_NGINX_SERVER_PORT;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 "b"; }
--- config
    location = /s { return 200 "a"; }
    location = /t { proxy_pass http://b/s; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- response_body eval
["a", "b", "a", "b", "a", "b"]
