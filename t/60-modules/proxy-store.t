# NAME_store, NAME_store_access: answers that become files.

__DATA__


=== an answer becomes a file, and is served from it
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                n = (n or 0) + 1
                ngx.header["Last-Modified"] = "Sun, 06 Nov 1994 08:49:37 GMT"
                ngx.header["Content-Length"] = 100001
                ngx.print(n, ("x"):rep(100000))
            }
        }
    }
--- config
    location /a/ { error_page 404 = @fetch; }
    location @fetch { proxy_store on; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local function get(uri)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                return sock:receive("*a") or ""
            end
            for i = 1, 2 do
                local head, body = get("/a/b/c.txt"):match("(.-\r\n)\r\n(.*)")
                ngx.say(head:match("%d%d%d"), " ", #body, " ", body:sub(1, 2), " ",
                        head:match("Last%-Modified: (.-)\r"))
            end
        }
    }
--- response_body
200 100001 1x Sun, 06 Nov 1994 08:49:37 GMT
200 100001 1x Sun, 06 Nov 1994 08:49:37 GMT
--- no_error_log
[crit]



=== by a name of its own, and only what is whole and good
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location /good { return 200 good; }
        location /none { return 404 none; }
        location /move { add_header X-Accel-Redirect /kept/none; return 200 moved; }
        location /cut { content_by_lua_block {
            ngx.header["Content-Length"] = 10
            ngx.print("part")
            ngx.flush(true)
            ngx.exit(444)
        } }
    }
--- config
    location /p/ {
        proxy_store html/kept$uri;
        proxy_store_access user:rw group:r all:r;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
    }
    location /off/ { proxy_store off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/; }
    location /kept/ { }
    location = /t {
        content_by_lua_block {
            local function get(uri)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                return sock:receive("*a") or ""
            end
            local names = { "p/good", "p/none", "p/move", "p/cut", "off/good", "p/dir/%2e./good", "p/" }
            for _, name in ipairs(names) do get("/" .. name) end
            for i = 1, 5 do
                local text = get("/kept/" .. names[i])
                ngx.say(names[i], " ", text:match("%d%d%d"), " ", text:match("200 OK.*\r\n\r\n(.*)"))
            end
        }
    }
--- response_body
p/good 200 good
p/none 404 nil
p/move 404 nil
p/cut 404 nil
off/good 404 nil



=== a variable does not lead out of the folder
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 $arg_n; }
--- config
    location /p { proxy_store html/in/$arg_n; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /q { proxy_store html/in/../$arg_n; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local function has(name)
                local file = io.open(ngx.config.prefix() .. "html/" .. name)
                return file and file:read("*a")
            end
            local function get(uri) return ngx.location.capture(uri).body end
            ngx.say(get("/p?n=a..b"), " ", has("in/a..b"))
            ngx.say(get("/p?n=../up"), " ", has("up"))
            ngx.say(get("/p?n=x/../../up"), " ", has("up"))
            ngx.say(get("/p?n=.."), " ", has("in/a..b"))
            ngx.say(get("/q?n=../up"), " ", has("../up"))
            ngx.say(get("/q?n=c"), " ", package.config:sub(1, 1) == "/" and has("c") or "c")
        }
    }
--- response_body
a..b a..b
../up nil
x/../../up nil
.. a..b
../up nil
c c
--- no_error_log
[crit]
rename()



=== nothing is left of what broke off
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / { content_by_lua_block {
            ngx.header["Content-Length"] = 200000
            ngx.print(("x"):rep(100000))
            ngx.flush(true)
            ngx.exit(444)
        } }
    }
--- config
    autoindex on;
    location /p/ { proxy_store html/kept$uri; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /kept/ { autoindex on; autoindex_format json; }
    location = /t {
        content_by_lua_block {
            local function get(uri)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                return sock:receive("*a") or ""
            end
            get("/p/cut")
            ngx.print((get("/kept/p/"):match("\r\n\r\n(.*)"):gsub("%s", "")))
        }
    }
--- response_body chomp
[]



=== a cache that stands nearer
--- http_config
    proxy_cache_path cache keys_zone=z:1m;
    proxy_store on;
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 ok; }
--- config
    location /c {
        proxy_cache z;
        proxy_cache_valid 1m;
        add_header X-Cache $upstream_cache_status;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /t {
        content_by_lua_block {
            local function get(uri)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                return sock:receive("*a") or ""
            end
            get("/c")
            ngx.say(get("/c"):match("X%-Cache: (%u+)"))
        }
    }
--- response_body
HIT



=== who may read it is said in the words of dav_access
--- config
    location /t { proxy_store on; proxy_store_access me:rw; proxy_pass http://127.0.0.1:1; }
--- must_die
--- error_log
invalid value "me:rw"



=== what is stored is no cache's, also for variables and for what it includes
--- http_config
    proxy_cache_path cache keys_zone=z:1m;
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 ok; }
--- config
    location = /s {
        proxy_store html/s;
        add_header X-Cache "<$upstream_cache_status$upstream_cache_key>";
        add_after_body /c;
        addition_types *;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /c {
        proxy_cache z;
        proxy_cache_valid 1m;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", ngx.var.server_port))
        sock:send("GET /s HTTP/1.0\r\n\r\n")
        local text = sock:receive("*a")
        ngx.say(text:match("X%-Cache: ([^\r]*)"), " ", text:match("\r\n\r\n(.*)"))
    } }
--- response_body
<> okok



=== one block keeps answers in one way
--- http_config
    proxy_cache_path cache keys_zone=kept:1m;
--- config
    location / {
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT;
        proxy_cache kept;
        proxy_store on;
    }
--- must_die
--- error_log
"proxy_store" directive is incompatible with "proxy_cache" in



=== ... whichever comes first
--- http_config
    fastcgi_cache_path cache keys_zone=kept:1m;
--- config
    location / {
        fastcgi_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
        fastcgi_store on;
        fastcgi_cache kept;
    }
--- must_die
--- error_log
"fastcgi_cache" directive is incompatible with "fastcgi_store" in
