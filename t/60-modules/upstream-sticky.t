# Two servers that say who they are; "sticky" in front of them.

__DATA__


=== a cookie says where a client was
--- http_config
    upstream u { sticky cookie s; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 one; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 two; }
--- config
    location = /p { proxy_pass http://u/; proxy_set_header Cookie $http_cookie; }
    location = /t {
        content_by_lua_block {
            local first = ngx.location.capture "/p"
            local cookie = first.header["Set-Cookie"]
            ngx.say(cookie == "s=" .. ngx.md5("127.0.0.1:" .. $TEST_NGINX_RAND_PORT_1))
            ngx.req.set_header("Cookie", cookie)
            for _ = 1, 4 do
                local r = ngx.location.capture "/p"
                ngx.say(r.body, " ", r.header["Set-Cookie"] == cookie)
            end
        }
    }
--- response_body
true
one true
one true
one true
one true



=== with all that a cookie can have
--- http_config
    upstream u { sticky cookie s expires=1h domain=.a.test path=/p samesite=lax secure httponly; server 127.0.0.1:$TEST_NGINX_SERVER_PORT route=a; }
--- config
    location = /s { return 200 here; }
    location = /t { proxy_pass http://u/s; }
--- response_body: here
--- raw_response_headers_like: Set-Cookie: s=a; expires=\w{3}, \d\d-\w{3}-\d\d \d\d:\d\d:\d\d GMT; max-age=3600; domain=.a.test; httponly; secure; samesite=lax; path=/p



=== for ever, and as a variable says
--- http_config
    upstream u { sticky cookie s expires=max samesite=$arg_s; server 127.0.0.1:$TEST_NGINX_SERVER_PORT route=a; }
--- config
    location = /s { return 200 here; }
    location = /t { proxy_pass http://u/s; }
--- request eval
["GET /t?s=strict", "GET /t?s=x%0d%0aY:", "GET /t", "GET /t?s=Lax"]
--- response_headers eval
["Set-Cookie: s=a; expires=Thu, 31-Dec-37 23:55:55 GMT; max-age=315360000; samesite=strict",
"Set-Cookie: s=a; expires=Thu, 31-Dec-37 23:55:55 GMT; max-age=315360000; samesite=strict",
"Set-Cookie: s=a; expires=Thu, 31-Dec-37 23:55:55 GMT; max-age=315360000",
"Set-Cookie: s=a; expires=Thu, 31-Dec-37 23:55:55 GMT; max-age=315360000; samesite=Lax"]



=== the server that has answered is the one that is said
--- http_config
    upstream u { sticky cookie s; server 127.0.0.1:1 route=dead; server 127.0.0.1:$TEST_NGINX_SERVER_PORT route=alive; }
--- config
    location = /s { return 200 here; }
    location = /t { proxy_pass http://u/s; }
--- more_headers
Cookie: s=dead
--- response_body: here
--- response_headers
Set-Cookie: s=alive



=== where nobody answers nothing is said
--- http_config
    upstream u { sticky cookie s; server 127.0.0.1:1 down; }
--- config
    location = /t { proxy_pass http://u; }
--- error_code: 502
--- response_headers
! Set-Cookie



=== a route is the first value that says something
--- http_config
    upstream u { sticky route $arg_a $arg_b; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 route=one; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 route=two; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 one; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 two; }
--- config
    location = /t { proxy_pass http://u/; }
--- request eval
["GET /t?a=two", "GET /t?b=two&a=", "GET /t?a=two&b=one", "GET /t?b=one", "GET /t?a=three"]
--- response_body eval
["two", "two", "two", "one", "one"]



=== who has a server that drains keeps it, others do not come there
--- http_config
    upstream u { sticky route $arg_a; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 route=one drain; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 route=two; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 one; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 two; }
--- config
    location = /t { proxy_pass http://u/; }
--- request eval
["GET /t?a=one", "GET /t", "GET /t?a=one", "GET /t"]
--- response_body eval
["one", "two", "one", "two"]



=== one that drains and fails is followed by another
--- http_config
    upstream u { sticky route $arg_a; server 127.0.0.1:1 route=one drain; server 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
--- config
    location = /s { return 200 here; }
    location = /t { proxy_pass http://u/s; add_header X $upstream_status; }
--- request
GET /t?a=one
--- response_body: here
--- response_headers
X: 502, 200



=== a backup has sessions while there is nobody else
--- http_config
    upstream u { sticky route $arg_a; server 127.0.0.1:1 down; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 route=one backup; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 route=two backup; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 one; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 two; }
--- config
    location = /t { proxy_pass http://u/; }
--- request eval
["GET /t?a=two", "GET /t?a=two", "GET /t?a=one"]
--- response_body eval
["two", "two", "one"]



=== sessions of the servers' own are learnt, by all workers
--- workers: 2
--- http_config
    upstream u { zone u 64k; sticky learn create=$upstream_cookie_sid lookup=$cookie_sid zone=learn-all:64k;
                 server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; add_header Set-Cookie sid=a; return 200 one; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; add_header Set-Cookie sid=b; return 200 two; }
--- config
    location = /t { proxy_pass http://u/; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["", "", "Cookie: sid=b", "Cookie: sid=b", "Cookie: sid=a", "Cookie: sid=b"]
--- response_body eval
["one", "two", "two", "two", "one", "two"]



=== a session that nobody uses is forgotten
--- http_config
    upstream u { sticky learn create=$upstream_cookie_sid lookup=$cookie_sid zone=learn-short:64k timeout=100ms;
                 server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; add_header Set-Cookie sid=a; return 200 one; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 two; }
--- config
    location = /p { proxy_pass http://u/; }
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.location.capture("/p").body)
            ngx.sleep(0.3)
            ngx.req.set_header("Cookie", "sid=a")
            ngx.say(ngx.location.capture("/p").body)
        }
    }
--- response_body
one
two



=== a session may be known before the answer's end
--- http_config
    upstream u { sticky learn create=$upstream_cookie_sid lookup=$cookie_sid zone=learn-header:64k header;
                 server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             location / { return 200 one; }
             location /long { content_by_lua_block {
                 ngx.header["Set-Cookie"] = "sid=a" ngx.print("a") ngx.flush(true) ngx.sleep(1) ngx.print("b") } } }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 two; }
--- config
    location /p/ { proxy_pass http://u/; proxy_buffering off; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
            sock:send("GET /p/long HTTP/1.0\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            ngx.req.set_header("Cookie", "sid=a")
            for _ = 1, 3 do
                ngx.say(ngx.location.capture("/p/").body)
            end
        }
    }
--- response_body
one
one
one



=== a zone that is full forgets who was not there for longest
--- http_config
    upstream u { sticky learn create=$arg_c lookup=$arg_l zone=learn-full:32k;
                 server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 one; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 two; }
--- config
    location = /p { proxy_pass http://u/; }
    location = /t {
        content_by_lua_block {
            local function ask(args)
                return ngx.location.capture("/p", { args = args }).body
            end
            for i = 1, 1200 do ask { c = "n" .. i } end
            ngx.say(ask { l = "n1200" } == ask { l = "n1200" })
            ngx.say(ask { l = "n1199" } == ask { l = "n1199" })
            ngx.say(ask { l = "n1" } == ask { l = "n1" })
        }
    }
--- timeout: 20
--- response_body
true
true
false



=== one of three ways
--- http_config
    upstream u { sticky somehow x; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "somehow" in



=== a cookie's attributes are known ones
--- http_config
    upstream u { sticky cookie s samesite=maybe; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "samesite=maybe" in



=== and can't say more than one
--- http_config
    upstream u { sticky cookie s "path=/; domain=b"; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "path=/; domain=b" in



=== a route is a variable
--- http_config
    upstream u { sticky route a; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "a" in



=== to learn needs a zone
--- http_config
    upstream u { sticky learn create=$arg_a lookup=$arg_a; server 127.0.0.1; }
--- config
--- must_die
--- error_log
"sticky learn" must have "zone" parameter in



=== with room
--- http_config
    upstream u { sticky learn create=$arg_a lookup=$arg_a zone=a:1k; server 127.0.0.1; }
--- config
--- must_die
--- error_log
zone "a" is too small in



=== a method of servers of its own has no ids
--- http_config
    upstream u { sticky route $arg_a; balancer_by_lua_block { } server 127.0.0.1; }
--- config
--- must_die
--- error_log
"sticky" cannot be used with "balancer_by_lua" in upstream "u"



=== a domain that variables say, if they say one
--- http_config
    upstream u { sticky cookie s domain=$arg_d; server 127.0.0.1:$TEST_NGINX_SERVER_PORT route=a; }
    map $arg_n $odd { default ""; 1 "a; Path=/"; }
    upstream v { sticky cookie s domain=$odd; server 127.0.0.1:$TEST_NGINX_SERVER_PORT route=a; }
--- config
    location = /s { return 200 here; }
    location = /t { proxy_pass http://u/s; }
    location = /v { proxy_pass http://v/s; }
--- request eval
["GET /t?d=.a.test", "GET /t", "GET /v?n=1"]
--- response_headers eval
["Set-Cookie: s=a; domain=.a.test", "Set-Cookie: s=a", "Set-Cookie: s=a"]
