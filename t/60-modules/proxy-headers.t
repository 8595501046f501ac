__DATA__


=== what a server gets to see
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_set_header X-A "$arg_a"; proxy_set_header User-Agent ""; proxy_set_header X-F $proxy_add_x_forwarded_for; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.print(ngx.req.raw_header()) } } }
--- request
GET /t?a=1
--- more_headers
User-Agent: me
TE: trailers
X-B: 2
X-Forwarded-For: 1.2.3.4
Connection: close
--- response_body_like eval
qr{^GET /t\?a=1 HTTP/1\.1\r\nX-A: 1\r\nX-F: 1\.2\.3\.4, 127\.0\.0\.1\r\nHost: 127\.0\.0\.1:\d+\r\nX-B: 2\r\nX-Forwarded-For: 1\.2\.3\.4\r\n\r\n$}



=== HTTP/1.0 closes, and method and body may be others
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_http_version 1.0;
        proxy_method PUT; proxy_set_body "<$request_uri>"; proxy_pass_request_headers off; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.req.read_body()
        ngx.print(ngx.req.raw_header(), ngx.req.get_body_data()) } } }
--- more_headers
X-B: 2
--- response_body_like eval
qr{^PUT /t HTTP/1\.0\r\nHost: \S+\r\nContent-Length: 4\r\n\r\n</t>$}



=== a body of a byte, and one of none
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_set_body $arg_b; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.req.read_body()
        ngx.print(ngx.var.http_content_length, " ", ngx.req.get_body_data()) } } }
--- request eval
["GET /t?b=x", "GET /t?b="]
--- response_body eval
["1 x", "0 nil"]



=== headers that are hidden, and passed after all
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_hide_header X-A; proxy_pass_header Server; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 Fine\r\nServer: other\r\nDate: never\r\nX-A: 1\r\nX-B: 2\r\nX-Accel-Expires: 3\r\nContent-Type: text/css; charset=x\r\nConnection: close\r\n\r\n"
--- response_headers
Server: other
!X-A
X-B: 2
!X-Accel-Expires
Content-Type: text/css; charset=x
--- raw_response_headers_unlike: never



=== Location and Refresh name this server
--- config
    location /t/ { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/back/; absolute_redirect off; }
    location /r { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/back/; proxy_redirect ~^http://[^/]+/(\w+)/(.*) /$1-$2; absolute_redirect off; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / {
        add_header Refresh "1; url=http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/back/y" always;
        return 302 http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/back/x; } }
--- request eval
["GET /t/", "GET /r"]
--- error_code eval
[302, 302]
--- response_headers eval
["Location: /t/x\nRefresh: 1; url=/t/y", "Location: /back-x"]



=== cookies of another domain and path
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; add_header C "$upstream_cookie_a";
        proxy_cookie_domain example.org $host; proxy_cookie_path /x/ /; proxy_cookie_flags a secure samesite=lax; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; add_header Set-Cookie "a=b; Domain=.example.org; Path=/x/y; HttpOnly"; return 200; }
--- response_headers
Set-Cookie: a=b; Domain=.localhost; Path=/y; HttpOnly; Secure; SameSite=Lax
C: b



=== a regular expression is read without case for a domain, with it for a path
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_cookie_domain ~\.(example)\.org$ $1.net; proxy_cookie_path ~^/x/ /; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; add_header Set-Cookie "a=b; Domain=www.Example.ORG; Path=/X/"; return 200; }
--- response_headers
Set-Cookie: a=b; Domain=Example.net; Path=/X/



=== X-Accel-Redirect leads elsewhere, with some of the headers
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /in { internal; default_type a/b; return 200 "$request_method $uri?$args"; }
    location @named { return 200 "named"; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / {
        add_header X-Accel-Redirect $arg_to; add_header Set-Cookie c=d; return 200 "not this"; } }
--- request eval
["POST /t?to=/in/a%20b?c=d\nx", "GET /t?to=\@named"]
--- response_body eval
["GET /in/a b?c=d", "named"]
--- response_headers eval
["Set-Cookie: c=d", "Set-Cookie: c=d"]



=== times and counts of several servers
--- config
    location /t { proxy_pass http://127.0.0.1:1; error_page 502 = /back;
        log_by_lua_block { ngx.log(ngx.WARN, "[", ngx.var.upstream_addr, "|", ngx.var.upstream_status, "|", ngx.var.upstream_response_length, "]") } }
    location /back { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        log_by_lua_block { local v = ngx.var
            ngx.log(ngx.WARN, "[", v.upstream_addr, "|", v.upstream_status, "|", v.upstream_response_length, "|",
                v.upstream_http_x_y, "|", v.upstream_response_time, "|", v.upstream_bytes_received, "]") } }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; add_header X-Y z; return 200 "hello"; }
--- response_body: hello
--- error_log eval
qr{\[127.0.0.1:1 : 127.0.0.1:\d+\|502 : 200\|0 : 5\|z\|\d\.\d{3} : \d\.\d{3}\|0 : \d{3}\]}



=== a rewrite with break, a named location, an "if"
--- config
    location /a/ { rewrite ^/a/(.*) /new/$1?x break; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/uri/; }
    location /b { try_files /none @c; }
    location @c { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /d { if ($arg_e) { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; } return 200 "no"; }
    location ~ ^/r/(.*) { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/$1$is_args$args; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "$request_uri"; }
--- request eval
["GET /a/b", "GET /b%20c?d", "GET /r/x?y=z"]
--- response_body eval
["/new/b?x", "/b%20c?d", "/x?y=z"]



=== Location is left alone
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_redirect off; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 302 http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/x; }
--- error_code: 302
--- response_headers
Location: http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/x



=== a regular expression for a redirect is read with case, or without
--- config
    location /a { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_redirect ~^/back/(.*) /a/$1; }
    location /b { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_redirect ~*^/back/(.*) /b/$1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; absolute_redirect off; location / { return 302 $arg_to; } }
--- request eval
["GET /a?to=/back/x", "GET /a?to=/BACK/x", "GET /b?to=/BACK/x"]
--- error_code eval
[302, 302, 302]
--- response_headers_like eval
["Location: .*/a/x", "Location: .*/BACK/x", "Location: .*/b/x"]



=== a cookie's domain may begin with a dot, here and there
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_cookie_domain .one.org a.net; proxy_cookie_domain Two.org b.net; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; add_header Set-Cookie "a=b; domain=$arg_d"; return 200; }
--- request eval
["GET /t?d=one.org", "GET /t?d=.ONE.org", "GET /t?d=.two.ORG", "GET /t?d=x.one.org"]
--- response_headers eval
["Set-Cookie: a=b; domain=a.net", "Set-Cookie: a=b; domain=.a.net", "Set-Cookie: a=b; domain=.b.net", "Set-Cookie: a=b; domain=x.one.org"]



=== a Date and a Server that are passed on, and that the server does not send
--- config
    location /t { proxy_pass_header Date; proxy_pass_header Server; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /hidden { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /client { content_by_lua_block {
        for _, uri in ipairs { "/t", "/hidden" } do
            local s = ngx.socket.tcp()
            assert(s:connect("127.0.0.1", ngx.var.server_port))
            s:send("GET " .. uri .. " HTTP/1.0\r\nHost: h\r\n\r\n")
            local head = s:receive("*a")
            ngx.say(uri, " ", head:match("Date") or "none", " ", head:match("Server") or "none")
        end
    } }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        local s = ngx.req.socket(true)
        s:send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    } } }
--- request
GET /client
--- response_body
/t none none
/hidden Date Server



=== what a request that is sent elsewhere keeps, of a 204 as well
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /here { return 200 "here"; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / {
        add_header X-Accel-Redirect $arg_to; add_header Content-Type text/blah; return 204;
    } }
--- user_files
>>> file.html
a file
--- request eval
["GET /t?to=/here", "GET /t?to=/file.html", "GET /file.html"]
--- response_body eval
["here", "a file\n", "a file\n"]
--- response_headers eval
["Content-Type: text/blah", "Content-Type: text/blah", "Content-Type: text/html"]



=== the length of an answer is that of what came
--- config
    location = /t {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        log_by_lua_block { ngx.log(ngx.WARN, "[", ngx.var.upstream_response_length, "]") }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n"
--- response_body chomp
abcd
--- error_log
[14]



=== the date of an answer is the server's, whatever its status
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; }
    location /back { content_by_lua_block {
        ngx.status = tonumber(ngx.var.arg_s)
        ngx.header["Last-Modified"] = "Tue, 14 Nov 2023 22:13:20 GMT"
        ngx.print("it")
    } }
    location /page/ { error_page 404 /page.html; root html; }
--- user_files
>>> page.html
a page
--- pipelined_requests eval
["GET /t?s=404", "GET /t?s=201", "GET /t?s=503", "GET /page/none"]
--- error_code eval
[404, 201, 503, 404]
--- response_headers eval
[("Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT") x 3, "!Last-Modified"]



=== a cookie that goes with a request sent elsewhere is changed as others are
--- config
    location /t {
        proxy_cookie_domain up.example down.example;
        proxy_cookie_path /in/ /out/;
        proxy_cookie_flags a secure;
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back;
    }
    location /back {
        add_header X-Accel-Redirect /there;
        add_header Set-Cookie "a=b; Domain=up.example; Path=/in/x";
        return 200;
    }
    location /there { return 200 "there"; }
--- response_headers
Set-Cookie: a=b; Domain=down.example; Path=/out/x; Secure
--- response_body chomp
there



=== there is no request without a Host but in HTTP/1.0
--- config
    location /a { proxy_set_header Host ""; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/see; }
    location /b { proxy_set_header Host $arg_h; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/see; }
    location /c { proxy_http_version 1.0; proxy_set_header Host ""; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/see; }
    location /see { return 200 "[$http_host]"; }
--- request eval
["GET /a", "GET /b", "GET /b?h=me", "GET /c"]
--- response_body eval
["[127.0.0.1:$ENV{TEST_NGINX_SERVER_PORT}]", "[127.0.0.1:$ENV{TEST_NGINX_SERVER_PORT}]", "[me]", "[]"]



=== X-Accel-Redirect: a named location gets the request as it was, another one a GET
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { add_header X-Accel-Redirect $arg_to; return 200; } }
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location @n { return 200 "$request_method"; }
    location /in { internal; return 200 "$request_method"; }
--- request eval
['POST /t?to=@n' . "\nx", "POST /t?to=/in\nx"]
--- response_body eval
["POST", "GET"]



=== a dot in front of a cookie's domain is the cookie's own, whatever the rule has
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        add_header Set-Cookie "a=1; Domain=$arg_d";
        return 204;
    }
--- config
    location = /a {
        proxy_cookie_domain .one.test .two.test;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /b {
        proxy_cookie_domain one.test .two.test;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /c {
        proxy_cookie_domain ~one.test .two.test;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request eval
["GET /a?d=.one.test", "GET /a?d=one.test", "GET /b?d=.one.test", "GET /b?d=one.test", "GET /c?d=.one.test"]
--- error_code eval
[204, 204, 204, 204, 204]
--- response_headers eval
["Set-Cookie: a=1; Domain=.two.test", "Set-Cookie: a=1; Domain=two.test",
"Set-Cookie: a=1; Domain=.two.test", "Set-Cookie: a=1; Domain=two.test",
"Set-Cookie: a=1; Domain=.two.test"]



=== of fields that a server may send once the first counts, others stay as they are
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
join("\r\n", "HTTP/1.1 200 OK", "Server: a", "Server: b", "Expires: a", "Expires: b",
"Location: /a", "Location: /b", "ETag: \"a\"", "ETag: \"b\"", "Content-Type: text/a", "Content-Type: text/b",
"Status: a", "Status: b", "Refresh: 1", "Refresh: 2", "Content-Encoding: a", "Content-Encoding: b",
"X-Accel-Expires: 1", "X-Accel-Expires: 2", "X: a", "X: b", "Content-Length: 2", "", "ok")
--- config
    location = /t {
        proxy_pass_header X-Accel-Expires;
        proxy_pass_header Server;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- raw_response_headers_unlike: Server: b|Expires: b|Location: \S*/b|ETag: "b"|text/b|Status: b|Refresh: 2|Accel-Expires: 2
--- raw_response_headers_like eval
"Content-Encoding: a\r\nContent-Encoding: b\r\n.*X: a\r\nX: b"
--- error_log eval
['upstream sent duplicate header line: "Expires: b", previous value: "Expires: a", ignored while reading response header from upstream',
'"Location: /b", previous value: "Location: /a"', '"Status: b", previous']



=== a page in place of a 401 has all that the server wants to know
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        add_header WWW-Authenticate Negotiate always;
        add_header WWW-Authenticate 'Basic realm="x"' always;
        return 401;
    }
--- config
    error_page 401 /page;
    location = /t {
        proxy_intercept_errors on;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /page { return 200 page; }
--- error_code: 401
--- raw_response_headers_like eval
"WWW-Authenticate: Negotiate\r\nWWW-Authenticate: Basic realm=\"x\""



=== what is about the client's connection stays here, in HTTP/1.0 too
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        return 200 "[$http_proxy_connection] [$http_connection] [$http_keep_alive]\n";
    }
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t10 {
        proxy_http_version 1.0;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- more_headers
Proxy-Connection: keep-alive
Keep-Alive: 300
--- request eval
["GET /t", "GET /t10"]
--- response_body eval
["[] [] []\n", "[] [] []\n"]
