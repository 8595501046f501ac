# Answers that other locations keep: srcache_fetch, srcache_store.

__DATA__


=== an answer is made once
--- http_config
    lua_shared_dict kept 1m;
--- config
    location = /get {
        content_by_lua_block {
            local text = ngx.shared.kept:get(ngx.var.args)
            if not text then
                return ngx.exit(404)
            end
            ngx.print(text)
        }
    }
    location = /put {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.shared.kept:set(ngx.var.args, ngx.req.get_body_data())
        }
    }
    location /t {
        set $key $uri?$args;
        srcache_fetch GET /get $key;
        srcache_store PUT /put $key;
        add_header X-Fetch $srcache_fetch_status;
        add_header X-Store $srcache_store_status;
        add_header X-Expire $srcache_expire;
        content_by_lua_block {
            ngx.header["X-Own"] = "mine"
            ngx.header["Set-Cookie"] = "a=b"
            ngx.header["Content-Type"] = "text/x; charset=utf-8"
            ngx.print("number ", (ngx.shared.kept:incr("count", 1, 0)))
        }
    }
--- request eval
["GET /t?1", "GET /t?1", "GET /get?/t?1", "HEAD /t?1", "GET /t?2"]
--- response_body eval
["number 1", "number 1", "HTTP/1.1 200 OK\r
Content-Type: text/x; charset=utf-8\r
X-Own: mine\r
\r
number 1", "", "number 2"]
--- response_headers eval
["X-Fetch: MISS\r\nX-Store: STORE\r\nX-Expire: 60\r\nSet-Cookie: a=b",
"X-Fetch: HIT\r\nX-Store: BYPASS\r\nX-Own: mine\r\nContent-Length: 8\r\n!Set-Cookie\r\nContent-Type: text/x; charset=utf-8",
"", "X-Fetch: HIT\r\nContent-Length: 8", "X-Fetch: MISS"]



=== what may not be stored is not
--- http_config
    lua_shared_dict kept 1m;
    init_by_lua_block {
        function put()
            ngx.req.read_body()
            ngx.shared.kept:set("text", ngx.req.get_body_data())
        end
        function answer()
            local args = ngx.req.get_uri_args()
            ngx.shared.kept:delete("text")
            ngx.status = tonumber(args.status) or 200
            if args.name then
                ngx.header[args.name] = args.value
            end
            ngx.print("x")
        end
    }
--- config
    location = /put { content_by_lua_block { put() } }
    location = /kept {
        content_by_lua_block {
            ngx.print(ngx.shared.kept:get("text") and "yes" or "no")
        }
    }
    location = /t {
        srcache_store PUT /put;
        srcache_store_skip $arg_skip;
        srcache_response_cache_control on;
        content_by_lua_block { answer() }
    }
    location = /all {
        srcache_store PUT /put;
        srcache_response_cache_control off;
        srcache_ignore_content_encoding on;
        srcache_store_statuses 200 404;
        srcache_methods POST;
        content_by_lua_block { answer() }
    }
--- request eval
my $c = "name=Cache-Control&value";
["GET /t", "GET /kept", "GET /t?skip=1", "GET /kept",
"GET /t?status=404", "GET /kept", "GET /t?$c=private", "GET /kept",
"GET /t?$c=max-age%3D9;private", "GET /kept",
"GET /t?$c=%22no-store%22,max-age%3D9", "GET /kept",
"GET /t?$c=x;max-age%3D0", "GET /kept", "GET /t?$c=x;max-age%3D9", "GET /kept",
"GET /t?$c=a,max-age%3D0", "GET /kept", "GET /t?$c=max-age%3D9", "GET /kept",
"GET /t?name=Expires&value=Sun,%2006%20Nov%201994%2008:49:37%20GMT",
"GET /kept", "GET /t?name=Content-Encoding&value=br", "GET /kept",
"GET /all?name=Content-Encoding&value=br", "GET /kept",
"GET /all?status=404&$c=private", "GET /kept",
"HEAD /all", "GET /kept", "DELETE /all", "GET /kept"]
--- response_body eval
["x", "yes", "x", "no", "x", "no", "x", "no", "x", "no", "x", "no", "x", "no",
"x", "yes", "x", "no", "x", "yes", "x",
"no", "x", "no", "x", "yes", "x", "yes", "", "no", "x", "no"]
--- error_code eval
[200, 200, 200, 200, 404, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200,
200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 404, 200, 200, 200, 200, 200]



=== how long an answer may be kept
--- http_config
    lua_shared_dict kept 1m;
--- config
    location = /put {
        content_by_lua_block { ngx.shared.kept:set("args", ngx.var.args) }
    }
    location = /args {
        content_by_lua_block { ngx.say(ngx.shared.kept:get("args")) }
    }
    location = /t {
        srcache_store PUT /put exptime=$srcache_expire;
        srcache_default_expire 30s;
        srcache_max_expire 1h;
        content_by_lua_block {
            ngx.header["Cache-Control"] = ngx.var.arg_c
            ngx.print("x")
        }
    }
--- request eval
["GET /t", "GET /args", "GET /t?c=max-age=7", "GET /args",
"GET /t?c=public,max-age=99999", "GET /args"]
--- response_body eval
["x", "exptime=30\n", "x", "exptime=7\n", "x", "exptime=3600\n"]



=== too large with its header (45 bytes), of two lengths, and a field that is too long
--- http_config
    lua_shared_dict kept 1m;
--- config
    location = /put {
        content_by_lua_block { ngx.shared.kept:incr("n", 1, 0) }
    }
    location = /n {
        content_by_lua_block { ngx.say(ngx.shared.kept:get("n") or 0) }
    }
    location = /t {
        srcache_store PUT /put;
        srcache_store_max_size 49;
        content_by_lua_block { ngx.print("12") ngx.flush() ngx.print("345") }
    }
    location = /fits {
        srcache_store PUT /put;
        srcache_store_max_size 49;
        content_by_lua_block { ngx.print("12") ngx.flush() ngx.print("34") }
    }
    location = /field {
        srcache_store PUT /put;
        srcache_header_buffer_size 16;
        content_by_lua_block { ngx.header.X = ("x"):rep(20) ngx.print("x") }
    }
--- request eval
["GET /t", "GET /n", "GET /fits", "GET /n", "GET /field", "GET /n"]
--- response_body eval
["12345", "0\n", "1234", "1\n", "x", "1\n"]



=== a file is stored, hidden fields are not, passed ones are
--- http_config
    lua_shared_dict kept 1m;
--- config
    location = /put {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.shared.kept:set("text", ngx.req.get_body_data())
        }
    }
    location = /text {
        content_by_lua_block { ngx.print(ngx.shared.kept:get("text")) }
    }
    location = /file.txt {
        srcache_store PUT /put;
        srcache_store_hide_header ETag;
        srcache_store_hide_header last-modified;
        srcache_store_hide_header X-SRCache-Allow-Ranges;
    }
    location = /cookie {
        srcache_store PUT /put;
        srcache_store_pass_header set-cookie;
        content_by_lua_block {
            ngx.header["Set-Cookie"] = { "a", "b" }
            ngx.print("x")
        }
    }
--- user_files eval
">>> file.txt\n" . ("0123456789" x 3000)
--- request eval
["GET /file.txt", "GET /text", "GET /cookie", "GET /text"]
--- response_body eval
["0123456789" x 3000,
"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" . ("0123456789" x 3000),
"x", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\nx"]



=== what is kept but no answer is made anew
--- config
    location = /get {
        content_by_lua_block { ngx.print(ngx.unescape_uri(ngx.var.args)) }
    }
    location = /t {
        srcache_fetch GET /get $args;
        add_header X-Fetch $srcache_fetch_status;
        echo -n new;
    }
--- request eval
["GET /t?HTTP/1.1%20201%20OK%0d%0aX:%20y%0d%0a%0d%0aold",
"GET /t?HTTP/1.1%20200%0a%0a", "GET /t?hello",
"GET /t?HTTP/1.1%20200%20OK%0aX%20y%0a%0a",
"GET /t?HTTP/1.1%20200%20OK%0aX:%20y", "GET /t?HTTP/1.1%20100%20OK%0a%0a", "GET /t",
"GET /t?HTTP/1.1%20200%20OK%0aX:%20a%0db%0a%0a"]
--- response_body eval
["old", "", "new", "new", "new", "new", "new", "new"]
--- error_code eval
[201, 200, 200, 200, 200, 200, 200, 200]
--- response_headers eval
["X-Fetch: HIT", "X-Fetch: HIT", "X-Fetch: MISS", "X-Fetch: MISS",
"X-Fetch: MISS", "X-Fetch: MISS", "X-Fetch: MISS", "X-Fetch: MISS"]



=== nothing stays of what is kept but no answer
--- config
    location = /get {
        content_by_lua_block { ngx.print(ngx.unescape_uri(ngx.var.args)) }
    }
    location = /t {
        srcache_fetch GET /get $args;
        echo -n new;
    }
--- request
GET /t?HTTP/1.1%20404%20Gone%0aX:%20y%0aContent-Encoding:%20gzip%0aX%20y%0a%0aold
--- response_body eval: "new"
--- response_headers
!X
!Content-Encoding



=== a location's name may come from a client, but leads nowhere else
--- user_files
>>> out.txt
HTTP/1.1 200 OK

secret
>>> in/a.txt
HTTP/1.1 200 OK

kept
--- config
    location /in/ { }
    location = /t {
        srcache_fetch GET /in/$arg_name;
        echo -n new;
    }
--- request eval
["GET /t?name=a.txt", "GET /t?name=../out.txt", "GET /t?name=%2e%2e/out.txt"]
--- response_body_like eval
["^kept", "500 Internal", "500 Internal"]
--- error_code eval
[200, 500, 500]
--- no_error_log
[alert]



=== what is kept and breaks off is made anew
--- config
    location = /get {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /t {
        srcache_fetch GET /get;
        add_header X-Fetch $srcache_fetch_status;
        echo -n new;
    }
--- request
GET /t
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nHTTP/1.1 200 OK\r\n\r\nha"
--- response_body eval: "new"
--- response_headers
X-Fetch: MISS
--- error_log
prematurely closed connection



=== a kept answer that the client has is a 304, and has parts
--- config
    location = /get {
        content_by_lua_block {
            ngx.print("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nLast-Modified: ",
                      "Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nold")
        }
    }
    location = /t {
        srcache_fetch GET /get;
        echo -n new;
    }
--- more_headers
If-None-Match: "a"
--- request
GET /t
--- error_code: 304
--- response_body



=== when answers are not looked up
--- config
    location = /get {
        content_by_lua_block { ngx.print("HTTP/1.1 200 OK\r\n\r\nold") }
    }
    location = /t {
        srcache_fetch GET /get;
        srcache_fetch_skip $arg_skip;
        srcache_request_cache_control on;
        echo new;
    }
    location = /sub {
        echo_location /t;
    }
--- more_headers
Cache-Control: max-age=0, no-cache
--- request eval
["GET /t"]
--- response_body eval
["new\n"]



=== a flag that says so, another method, a subrequest
--- config
    location = /get {
        content_by_lua_block { ngx.print("HTTP/1.1 200 OK\r\n\r\nold") }
    }
    location = /t {
        srcache_fetch GET /get;
        srcache_fetch_skip $arg_skip;
        echo new;
    }
    location = /sub {
        echo_location /t;
    }
--- request eval
["GET /t", "GET /t?skip=1", "GET /t?skip=0", "POST /t\nx", "GET /sub"]
--- response_body eval
["old", "new\n", "old", "new\n", "new\n"]



=== access comes first
--- config
    location = /get {
        content_by_lua_block { ngx.print("HTTP/1.1 200 OK\r\n\r\nold") }
    }
    location = /t {
        deny all;
        srcache_fetch GET /get;
        echo new;
    }
--- error_code: 403



=== a method that is none
--- config
    location = /t {
        srcache_fetch LOOK /get;
    }
--- must_die
--- error_log
srcache_fetch specifies bad HTTP method LOOK



=== what is answered before the access phase's end is not stored
--- http_config
    lua_shared_dict kept 1m;
--- config
    location = /put {
        content_by_lua_block { ngx.shared.kept:incr("n", 1, 0) }
    }
    location = /n {
        content_by_lua_block { ngx.say(ngx.shared.kept:get("n")) }
    }
    srcache_store PUT /put;
    srcache_methods POST;
    srcache_methods PUT;
    add_header X-E "$srcache_store_status $srcache_expire";
    location = /return { return 200 a; }
    location = /rewrite { rewrite_by_lua_block { ngx.print("a") ngx.exit(200) } }
    location = /access { access_by_lua_block { ngx.print("a") ngx.exit(200) } }
    location = /content { content_by_lua_block { ngx.print("a") } }
--- request eval
["GET /return", "GET /rewrite", "GET /access", "GET /n", "POST /content",
"PUT /content", "DELETE /content"]
--- response_headers eval
["X-E: BYPASS ", "X-E: BYPASS ", "X-E: BYPASS ", "", "X-E: STORE 60",
"X-E: STORE 60", "X-E: BYPASS "]
--- response_body eval
["a", "a", "a", "nil\n", "a", "a", "a"]



=== parts of a file that is stored
--- http_config
    lua_shared_dict kept 1m;
--- config
    location = /kept {
        content_by_lua_block {
            local kept = ngx.shared.kept
            if ngx.req.get_method() == "PUT" then
                ngx.req.read_body()
                kept:set("a", ngx.req.get_body_data())
            else
                ngx.print(kept:get("a") or ngx.exit(404))
            end
        }
    }
    location = /a.txt {
        srcache_fetch GET /kept;
        srcache_store PUT /kept;
        add_header X-F $srcache_fetch_status;
    }
--- user_files
>>> a.txt
0123456789
--- request eval
["GET /a.txt", "GET /a.txt", "GET /kept"]
--- more_headers eval
["", "Range: bytes=2-4", ""]
--- error_code eval
[200, 206, 200]
--- response_headers eval
["X-F: MISS", "X-F: HIT\r\nX-SRCache-Allow-Ranges:", ""]
--- response_body_like eval
["^0123456789\n", "^234\$", "\nX-SRCache-Allow-Ranges: 1\r\n\r\n0123456789"]



=== where nothing is said, 64 MB are too much to keep in memory
--- config
    location = /t {
        srcache_store PUT /put;
        content_by_lua_block {
            local piece = ("x"):rep(1024 * 1024)
            for _ = 1, 65 do
                ngx.print(piece)
                ngx.flush(true)
            end
        }
    }
    location = /put { content_by_lua_block { ngx.log(ngx.ERR, "stored") } }
--- timeout: 60
--- response_body eval: "x" x (65 * 1024 * 1024)
--- error_log
the answer exceeds 64 MB
--- no_error_log
stored
