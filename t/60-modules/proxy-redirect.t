# proxy_redirect and proxy_cookie_...: whose names a server's headers have.

__DATA__


=== rules are tried in their order, and the first one counts
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_redirect /a/ /one/; proxy_redirect /a/b /two/; proxy_redirect /c /$arg_x; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; absolute_redirect off;
        location / { add_header Refresh "2; url=$arg_to" always; return 302 $arg_to; } }
--- request eval
["GET /t?to=/a/b", "GET /t?to=/c/d&x=y", "GET /t?to=/d", "GET /t?to=/a", "GET /t?to=/A/"]
--- error_code eval
[302, 302, 302, 302, 302]
--- response_headers_like eval
["Location: http://localhost:\\d+/one/b\nRefresh: 2; url=/one/b", "Location: http://localhost:\\d+/y/d\nRefresh: 2; url=/y/d",
 "Location: /d\nRefresh: 2; url=/d", "Location: /a\nRefresh: 2; url=/a", "Location: /A/\nRefresh: 2; url=/A/"]



=== Refresh without an address is passed as it is
--- config
    location ~ . { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { add_header Refresh $arg_r; return 200; }
        location /at { add_header Refresh "0;URL=http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/y"; return 200; } }
--- request eval
["GET /t?r=5", "GET /t?r=url=", "GET /at"]
--- response_headers eval
["Refresh: 5", "Refresh: url=", "Refresh: 0;URL=/y"]



=== without a uri behind proxy_pass the root of the server is ours
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location ~ ^/r { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_redirect default; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / {
        add_header Refresh "0; url=http://127.0.0.1:$TEST_NGINX_RAND_PORT_1$arg_to"; return 200; } }
--- request eval
["GET /t?to=/x", "GET /t?to=", "GET /t?to=1/", "GET /r?to=/y"]
--- response_headers_like eval
["Refresh: 0; url=/x", "Refresh: 0; url=http://127.0.0.1:\\d+", "Refresh: 0; url=http://127.0.0.1:\\d+1/", "Refresh: 0; url=/y"]



=== the default stands among other rules
--- config
    location /a/ { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/b/; proxy_redirect /x/ /y/;
        proxy_redirect default; proxy_redirect http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/b/ /late/;
        proxy_redirect http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/ /other/; }
    location /c/ { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/b/;
        proxy_redirect http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/ /early/; proxy_redirect default; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; add_header Refresh "url=$at$arg_to";
        set $at http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; if ($arg_here) { set $at ""; } return 200; }
--- request eval
["GET /a/?to=/x/1&here=1", "GET /a/?to=/b/1", "GET /a/?to=/c/1", "GET /c/?to=/b/1"]
--- response_headers eval
["Refresh: url=/y/1", "Refresh: url=/a/1", "Refresh: url=/other/c/1", "Refresh: url=/early/b/1"]



=== an address with variables has no default
--- config
    location /t { proxy_pass http://127.0.0.1:$server_port$uri; proxy_redirect default; }
--- must_die
--- error_log
"proxy_redirect default" cannot be used with "proxy_pass" directive with variables



=== off stands alone
--- config
    location /t { proxy_pass http://127.0.0.1:1; proxy_redirect off; proxy_redirect /a /b; }
--- must_die
--- error_log
"proxy_redirect" directive is duplicate



=== and the default is no more than others
--- config
    location /t { proxy_pass http://127.0.0.1:1; proxy_redirect off; proxy_redirect default; }
--- must_die
--- error_log
"proxy_redirect" directive is duplicate



=== nor does it come behind others
--- config
    location /t { proxy_pass http://127.0.0.1:1; proxy_redirect default; proxy_redirect off; }
--- must_die
--- error_log
"proxy_redirect" directive is duplicate



=== the same holds for rules of cookies
--- config
    location /t { proxy_pass http://127.0.0.1:1; proxy_cookie_path /a /b; proxy_cookie_path off; }
--- must_die
--- error_log
"proxy_cookie_path" directive is duplicate



=== and for their flags
--- config
    location /t { proxy_pass http://127.0.0.1:1; proxy_cookie_flags off; proxy_cookie_flags a secure; }
--- must_die
--- error_log
"proxy_cookie_flags" directive is duplicate



=== a default is that of the proxy_pass above it
--- config
    location /t { proxy_redirect default; proxy_pass http://127.0.0.1:1; }
--- must_die
--- error_log
"proxy_redirect default" should be placed after the "proxy_pass" directive



=== one word is off or default
--- config
    location /t { proxy_pass http://127.0.0.1:1; proxy_redirect on; }
--- must_die
--- error_log
invalid parameter "on"



=== flags of cookies, by name and by pattern
--- config
    proxy_cookie_flags a httponly nosamesite; proxy_cookie_flags ~^b secure samesite=strict;
    proxy_cookie_flags c$arg_n nosecure samesite=none; proxy_cookie_flags d $arg_f samesite=strict;
    proxy_cookie_flags e nohttponly samesite=lax;
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /off { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_cookie_flags off; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 200; add_header Set-Cookie "$arg_a"; }
--- request eval
["GET /t?a=a=1", "GET /t?a=A=1;SameSite=Lax;secure", "GET /t?a=Bx=1;Path=/", "GET /t?a=b;samesite;Secure",
 "GET /t?a=c1=2;Secure;X=;HttpOnly&n=1", "GET /t?a=c1=2;Secure", "GET /t?a=d=1&f=Secure", "GET /t?a=d=1;Secure&f=x",
 "GET /t?a=e=1;HttpOnly;httponly;Max-Age=1", "GET /t?a=f=1;Secure", "GET /off?a=a=1", "GET /t?a="]
--- response_headers eval
["Set-Cookie: a=1; HttpOnly", "Set-Cookie: A=1; secure; HttpOnly", "Set-Cookie: Bx=1; Path=/; Secure; SameSite=Strict", "Set-Cookie: b;samesite;Secure",
 "Set-Cookie: c1=2; X=; HttpOnly; SameSite=None", "Set-Cookie: c1=2;Secure", "Set-Cookie: d=1; Secure; SameSite=Strict", "Set-Cookie: d=1; Secure; SameSite=Strict",
 "Set-Cookie: e=1; Max-Age=1; SameSite=Lax", "Set-Cookie: f=1;Secure", "Set-Cookie: a=1", "!Set-Cookie"]



=== a flag that nobody knows is passed over
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_cookie_flags a secret secure; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 200; add_header Set-Cookie "a=b"; }
--- response_headers
Set-Cookie: a=b; Secure
--- error_log
invalid proxy_cookie_flags flag "secret"



=== flags that are there stay where they are
--- config
    proxy_cookie_flags a secure samesite=strict; proxy_cookie_flags b secure nosecure nohttponly;
    proxy_cookie_flags c nosamesite samesite=lax; proxy_cookie_flags d nosamesite nosecure;
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 200; add_header Set-Cookie "$arg_a"; }
--- request eval
["GET /t?a=a=1;secure;Path=/", "GET /t?a=a=1;samesite=strict;path=/", "GET /t?a=a=1;samesite=lax;path=/", "GET /t?a=a=1;samesite;path=/",
 "GET /t?a=a=1;secure=2;path=/", "GET /t?a=b=1;secure;p=1;httponly", "GET /t?a=b=1", "GET /t?a=c=1;secure",
 "GET /t?a=d=1;samesite=none;a;secure;secure;b"]
--- response_headers eval
["Set-Cookie: a=1; secure; Path=/; SameSite=Strict", "Set-Cookie: a=1; samesite=strict; path=/; Secure", "Set-Cookie: a=1; SameSite=Strict; path=/; Secure",
 "Set-Cookie: a=1; SameSite=Strict; path=/; Secure", "Set-Cookie: a=1; secure=2; path=/; SameSite=Strict", "Set-Cookie: b=1; secure; p=1", "Set-Cookie: b=1; Secure",
 "Set-Cookie: c=1; secure; SameSite=Lax", "Set-Cookie: d=1; a; b"]



=== flags without a cookie
--- config
    location /t { proxy_pass http://127.0.0.1:1; proxy_cookie_flags on; }
--- must_die
--- error_log
invalid parameter "on"



=== a cookie's name is no attribute, and only the first fitting rule counts
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_cookie_domain a.org b.org; proxy_cookie_domain A.org c.org; proxy_cookie_path / /x/; proxy_cookie_path /y /z; }
    location /off { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_cookie_domain off; proxy_cookie_path off; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 200; add_header Set-Cookie "$arg_a"; }
--- request eval
["GET /t?a=domain=a.org", "GET /t?a=path=/y;domain=A.Org;path=/y", "GET /t?a=a;Path=y", "GET /t?a=a;domain;path", "GET /off?a=a;domain=a.org;path=/"]
--- response_headers eval
["Set-Cookie: domain=a.org", "Set-Cookie: path=/y; domain=b.org; path=/x/y", "Set-Cookie: a;Path=y", "Set-Cookie: a;domain;path", "Set-Cookie: a;domain=a.org;path=/"]



=== a uri of one slash is one
--- config
    location /a/ { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / {
        add_header Refresh "0; url=http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/b"; return 200; } }
--- request
GET /a/
--- response_headers
Refresh: 0; url=/a/b



=== the slash that a proxied location wants is added to an escaped name
--- config
    location "/a b/" { proxy_pass http://127.0.0.1:1; }
--- request
GET /a%20b?c=d
--- error_code: 301
--- response_headers_like
Location: http://[^/]+/a%20b/\?c=d



=== X-Accel-Limit-Rate counts where X-Accel-Redirect leads
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a; }
    location = /a {
        add_header X-Accel-Redirect /b;
        add_header X-Accel-Limit-Rate 1234;
        return 204;
    }
    location = /b { limit_rate 1; limit_rate_after 1m; echo $limit_rate; }
--- response_body
1234



=== only a prefix that ends in a slash is a folder: no pattern, no name
--- config
    location ~* "^/" { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location ~ ^/app/ { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /x { error_page 404 = @n/; return 404; }
    location @n/ { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 "$uri"; }
--- request eval
["GET /", "GET /app/", "GET /nn", "GET /n"]
--- error_code eval
[200, 200, 200, 200]
--- response_body eval
["/", "/app/", "/nn", "/n"]



=== a folder's name without its slash goes there before any pattern is tried
--- config
    location /p/ { proxy_pass http://127.0.0.1:1; }
    location = /e/ { fastcgi_pass 127.0.0.1:1; }
    location ^~ /f/ { scgi_pass 127.0.0.1:1; }
    location /t/ { return 204; }
    location /i/ { if ($arg_a) { proxy_pass http://127.0.0.1:1; } }
    location ~ . { return 200; }
--- request eval
["GET /p", "GET /e", "GET /f", "GET /t", "GET /i"]
--- error_code eval
[301, 301, 301, 200, 200]
