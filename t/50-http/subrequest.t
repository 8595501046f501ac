# Requests of the server's own, as the core runs them.  Those who begin them
# here: Lua's capture, echo's locations.

worker_connections(1024);

__DATA__


=== it is logged when it is told to be, and error lines tell whose they are
--- http_config
    log_format sub "$status $request_method $uri $body_bytes_sent $http_x";
--- config
    access_log logs/sub.log sub;
    location = /sub { log_subrequest on; return 200 "text"; }
    location = /none { log_subrequest on; }
    location = /quiet { return 200 "quiet"; }
    location = /t {
        echo_location /sub;
        echo_location /none;
        echo_location /quiet;
    }
    location = /log {
        content_by_lua_block {
            local path = ngx.config.prefix() .. "logs/sub.log"
            ngx.print((io.open(path):read("*a"):gsub("t %d+ x", "t N x")))
        }
    }
--- pipelined_requests eval
["GET /t", "GET /log"]
--- more_headers
X: x
--- response_body_like eval
[".", "^200 GET /sub 0 x\n404 GET /none 0 x\n200 GET /t N x\n\$"]
--- error_log
request: "GET /t HTTP/1.1", subrequest: "/none", host: "localhost"



=== an error_page is answered in its place
--- config
    error_page 404 =200 /page;
    error_page 403 @page;
    location = /page { echo "page of $request_uri"; }
    location @page { echo "named page of $uri"; }
    location = /403 { return 403; }
    location = /500 { return 500; }
    location = /t {
        echo_location /none;
        echo_location /403;
    }
--- response_body
page of /t
named page of /403



=== an internal location may be asked, and where it leads to
--- config
    location = /internal { internal; rewrite ^ /next last; }
    location = /next { internal; try_files /none @named; }
    location @named { echo "$uri"; }
    location = /t { echo_location /internal; }
--- pipelined_requests eval
["GET /t", "GET /internal"]
--- error_code eval
[200, 404]
--- response_body_like eval
["^/next\n\$", "404 Not Found"]



=== too many redirects are its own end only
--- config
    location = /loop { rewrite ^ /loop last; }
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.location.capture("/loop").status)
        }
    }
--- response_body
500
--- error_log
rewrite or internal redirection cycle while processing "/loop"



=== a large file, captured from memory and from the disk
--- config
    sendfile on;
    location = /f { }
    location = /make {
        content_by_lua_block {
            local f = io.open(ngx.var.document_root .. "/f", "w")
            f:write(("0123456789"):rep(100000), "end")
            f:close()
        }
    }
    location = /t {
        content_by_lua_block {
            local body = ngx.location.capture("/f").body
            ngx.say(#body, " ", body:sub(-5))
        }
    }
--- pipelined_requests eval
["GET /make", "GET /t"]
--- response_body eval
["", "1000003 89end\n"]



=== a large file in its place
--- config
    location = /f { }
    location = /make {
        content_by_lua_block {
            local f = io.open(ngx.var.document_root .. "/f", "w")
            f:write(("0123456789"):rep(100000))
            f:close()
        }
    }
    location = /slow { echo_sleep 0.05; echo_location /f; }
    location = /t {
        echo_location_async /slow;
        echo_location_async /f;
        echo end;
    }
--- pipelined_requests eval
["GET /make", "GET /t"]
--- response_body eval
["", ("0123456789" x 200000) . "end\n"]



=== much that Lua says while others have their turn
--- config
    location = /slow { echo_sleep 0.1; echo slow; }
    location = /lua {
        content_by_lua_block {
            for i = 1, 500 do
                ngx.say(i, " ", ("x"):rep(i))
                if i % 50 == 0 then
                    ngx.sleep(0)
                end
            end
        }
    }
    location = /t { echo_location_async /slow; echo_location_async /lua; }
    location = /sum {
        content_by_lua_block {
            local body, n = ngx.location.capture("/t").body, 0
            for i, x in body:gmatch("(%d+) (x+)\n") do
                n = n + (tonumber(i) == #x and 1 or 0)
            end
            ngx.say(body:sub(1, 4), " ", n)
        }
    }
--- request
GET /sum
--- response_body
slow 500



=== the client leaves while others have their turn
--- config
    location = /slow { echo_sleep 0.3; echo slow; echo_flush; }
    location = /t {
        echo_flush;
        echo_location_async /slow;
        echo_location /slow;
        echo end;
    }
--- timeout: 0.1
--- abort
--- ignore_response
--- access_log
"GET /t HTTP/1.1"



=== keep-alive goes on behind it
--- config
    location = /sub { return 404; }
    location = /t { echo_location /sub; echo_location_async /sub; }
    location = /c {
        content_by_lua_block {
            ngx.say(ngx.location.capture("/sub").status)
        }
    }
--- pipelined_requests eval
["GET /t", "GET /c", "GET /c"]
--- response_body_like eval
["404 Not Found(.|\n)*404 Not Found", "^404\n\$", "^404\n\$"]



=== a body that is too large for it
--- config
    location = /small { client_max_body_size 2; echo never; }
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            local res = ngx.location.capture("/small", {
                method = ngx.HTTP_POST
            })
            ngx.say(res.status)
        }
    }
--- request
POST /t
text
--- response_body
413
--- error_log
client intended to send too large body: 4 bytes



=== a hundred of a request run at a time, and all come to their end
--- http_config
    lua_shared_dict d 1m;
--- config
    location = /t {
        content_by_lua_block {
            local list = {}
            for i = 1, 250 do
                list[i] = { "/one?" .. i }
            end
            local all, d = { ngx.location.capture_multi(list) }, ngx.shared.d
            local right = 0
            for i = 1, 250 do
                right = right + (all[i].body == tostring(i) and 1 or 0)
            end
            ngx.say(right, " ", d:get("most"), " ", d:get("now"))
        }
    }
    location = /one {
        content_by_lua_block {
            local d = ngx.shared.d
            local now = d:incr("now", 1, 0)
            d:set("most", math.max(d:get("most") or 0, now))
            ngx.sleep(0.02)
            d:incr("now", -1)
            ngx.print(ngx.var.args)
        }
    }
--- response_body
250 100 0



=== one that waits for its own leaves its turn to them
--- config
    location = /t {
        content_by_lua_block {
            local list = {}
            for i = 1, 120 do
                list[i] = { "/two?" .. i }
            end
            local all, sum = { ngx.location.capture_multi(list) }, 0
            for i = 1, 120 do
                sum = sum + #all[i].body
            end
            ngx.say(sum)
        }
    }
    location = /two {
        content_by_lua_block {
            local list = {}
            for i = 1, 3 do
                list[i] = { "/three" }
            end
            for _, res in ipairs { ngx.location.capture_multi(list) } do
                ngx.print(res.body)
            end
        }
    }
    location = /three {
        content_by_lua_block {
            ngx.sleep(0.001)
            ngx.print(ngx.location.capture("/four").body)
        }
    }
    location = /four { return 200 "x"; }
--- response_body
360



=== whose output is next is not kept waiting by those behind it
--- config
    ssi on; default_type text/html; proxy_buffering off;
    location = /page { }
    location = /item { }
    location = /part { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/big; }
    location = /big { ssi off; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:settimeout(10000)
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /page HTTP/1.0\r\n\r\n")
            local all = sock:receive("*a")
            ngx.say(#all:match("\r\n\r\n(.*)"))
        }
    }
--- user_files eval
[["page", '<!--#include virtual="/item" -->' x 130],
 ["item", '<!--#include virtual="/part" -->' x 3],
 ["big", "0123456789" x 20000]]
--- response_body
78000000
--- timeout: 30



=== a client that leaves leaves none behind that waits for its turn
--- http_config
    lua_shared_dict d 1m;
--- config
    location = /page { ssi on; default_type text/html; proxy_buffering off; }
    location = /slow {
        content_by_lua_block { ngx.shared.d:incr("n", 1, 0) ngx.sleep(0.1) ngx.say(("x"):rep(9000)) }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /page HTTP/1.0\r\n\r\n")
            ngx.sleep(0.05)
            sock:close()
            ngx.sleep(0.5)
            local n = ngx.shared.d:get("n")
            ngx.sleep(0.3)
            ngx.say(n < 400 and ngx.shared.d:get("n") == n)
        }
    }
--- user_files eval
[["page", '<!--#include virtual="/slow" -->' x 400]]
--- response_body
true
