# A client of HTTP: what it sends, what it reads, when a connection comes back.

__DATA__


=== a request in one call, and its connection is kept
--- config
    location = /t {
        content_by_lua_block {
            local http = require "resty.http"
            for i = 1, 2 do
                local httpc = http.new()
                local res, err = httpc:request_uri(
                    "http://127.0.0.1:$TEST_NGINX_SERVER_PORT/there?a=b&c", {
                        method = "put", body = { "te", 1, "t" },
                        headers = { ["X-Mine"] = { "one", "two" } },
                    })
                ngx.say(res.status, " ", res.reason, " ", res.body, " ",
                        res.headers["x-there"], " ",
                        res.headers["X-Two"][2])
            end
        }
    }
    location = /there {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.header["X-There"] = ngx.var.connection_requests
            ngx.header["X-Two"] = { "a", "b" }
            ngx.print(ngx.req.get_method(), " ", ngx.var.args, " ",
                      ngx.req.get_body_data(), " ",
                      table.concat(ngx.req.get_headers()["x-mine"], "+"), " ",
                      ngx.var.http_host == "127.0.0.1:$TEST_NGINX_SERVER_PORT",
                      " ", ngx.var.http_user_agent:match("^[^/]+"))
        }
    }
--- response_body
200 OK PUT a=b&c te1t one+two true lua-resty-http 1 b
200 OK PUT a=b&c te1t one+two true lua-resty-http 2 b



=== a body in parts
--- config
    location = /t {
        content_by_lua_block {
            local httpc = require("resty.http").new()
            for _, path in ipairs { "/chunks", "/length", "/close" } do
                httpc:connect { scheme = "http", host = "127.0.0.1",
                                port = $TEST_NGINX_SERVER_PORT }
                local res = httpc:request { path = path,
                    version = path == "/close" and 1.0 or 1.1 }
                local sizes, total = {}, 0
                repeat
                    local part, err = res.body_reader(300)
                    if part then
                        sizes[#part] = true
                        total = total + #part
                    end
                until not part
                ngx.say(path, " ", total, " ", sizes[300], " ", sizes[301])
                ngx.say(httpc:set_keepalive())
            end
        }
    }
    location = /chunks {
        content_by_lua_block {
            for i = 1, 10 do ngx.print(("x"):rep(100 * i)) ngx.flush() end
        }
    }
    location = /length { return 200 "$request_id$request_id"; }
    location = /close {
        content_by_lua_block { ngx.header.connection = "close" ngx.print("abc") }
    }
--- response_body
/chunks 5500 true nil
1
/length 64 nil nil
1
/close 3 nil nil
2connection must be closed



=== a body that a function gives, and one that is asked for
--- config
    location = /t {
        content_by_lua_block {
            local http = require "resty.http"
            local uri = "http://127.0.0.1:$TEST_NGINX_SERVER_PORT/there"
            local function parts(...)
                local list, i = { ... }, 0
                return function() i = i + 1 return list[i] end
            end
            local res = http.new():request_uri(uri, {
                method = "POST", body = parts("ab", "cd"),
                headers = { ["Content-Length"] = 4 } })
            ngx.say(res.body)
            res = http.new():request_uri(uri, {
                method = "POST", body = parts("2\r\nxy\r\n", "0\r\n\r\n"),
                headers = { ["Transfer-Encoding"] = "chunked" } })
            ngx.say(res.body)
            res = http.new():request_uri(uri, {
                method = "POST", body = "expected",
                headers = { ["Expect"] = "100-continue" } })
            ngx.say(res.body)
            ngx.say(http.new():request_uri(uri, { method = "POST",
                                                  body = parts("x") }))
            ngx.say(http.new():request_uri(uri, { method = "POST" }))
        }
    }
    location = /there {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.req.get_body_data())
        }
    }
--- response_body
abcd
xy
expected
nilRequest body is a function but a length or chunked encoding is not specified
nilRequest body is nil but POST method expects a body. Use an empty string "" if you want to send an empty body.



=== a body that was to wait is sent once, or its connection is not kept
--- stream_config
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        local GO_ON = "HTTP/1.1 100 Continue\r\n\r\n"
        local sock = ngx.req.socket(true)
        local path = sock:receive():match("/(%a+)")
        repeat until sock:receive() == ""
        if path == "twice" then
            sock:send(GO_ON .. GO_ON)
            sock:receive(4)
            sock:send("HTTP/1.1 103 Early Hints\r\n\r\n" .. OK)
            local line = sock:receive()
            repeat until sock:receive() == ""
            sock:send("HTTP/1.1 200 OK\r\nContent-Length: " .. #line
                      .. "\r\n\r\n" .. line)
        elseif path == "never" then
            sock:send(OK)
        else
            sock:send(GO_ON:rep(200) .. OK)
        end
        repeat until not sock:receiveany(100)
    }
}
--- config
    location = /t {
        content_by_lua_block {
            for _, path in ipairs { "twice", "never", "often" } do
                local httpc = require("resty.http").new()
                httpc:connect { scheme = "http", host = "127.0.0.1",
                                port = $TEST_NGINX_RAND_PORT_1, pool = path }
                local res, err = httpc:request {
                    method = "POST", path = "/" .. path, body = "body",
                    headers = { Expect = "100-continue" } }
                ngx.say(path, " ", res and res:read_body(), " ", err)
                if path == "twice" then
                    ngx.say(httpc:request({ path = "/next" }):read_body())
                end
                ngx.say((httpc:set_keepalive()))
            end
        }
    }
--- request
GET /t
--- response_body
twice ok nil
GET /next HTTP/1.1
1
never ok nil
2
often nil too many interim answers
2



=== answers without a body, whatever they say of its length
--- config
    location = /t {
        content_by_lua_block {
            local httpc = require("resty.http").new()
            local base = "http://127.0.0.1:$TEST_NGINX_SERVER_PORT"
            for _, what in ipairs { "HEAD /x", "GET /204", "GET /304" } do
                local method, path = what:match("(%S+) (%S+)")
                local res = httpc:request_uri(base .. path,
                                              { method = method })
                ngx.say(res.status, " ", res.has_body, " [", res.body, "] ",
                        res.headers["Content-Length"])
            end
        }
    }
    location = /x { return 200 "12345"; }
    location = /204 { return 204; }
    location = /304 { return 304; }
--- response_body
200 false [] 5
204 false [] nil
304 false [] 0



=== several requests at once
--- config
    location = /t {
        content_by_lua_block {
            local httpc = require("resty.http").new()
            httpc:connect { scheme = "http", host = "127.0.0.1",
                            port = $TEST_NGINX_SERVER_PORT }
            local responses = httpc:request_pipeline {
                { path = "/a" }, { path = "/b", method = "HEAD" },
                { path = "/c" } }
            for _, res in ipairs(responses) do
                ngx.say(res.status, " ", res:read_body())
            end
            ngx.say(httpc:request_pipeline {
                { headers = { Expect = "100-continue" } } })
        }
    }
    location = /a { return 200 "a"; }
    location = /b { return 201 "b"; }
    location = /c { return 200 "c"; }
--- response_body
200 a
201 
200 c
nilCannot pipeline request specifying Expect: 100-continue



=== a request that is handed on, body and all
--- config
    location = /t {
        content_by_lua_block {
            local httpc = require("resty.http").new()
            httpc:connect { scheme = "http", host = "127.0.0.1",
                            port = $TEST_NGINX_SERVER_PORT }
            ngx.req.set_uri("/there")
            httpc:proxy_response(httpc:proxy_request())
        }
    }
    location = /there {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.status = 201
            ngx.header["X-There"] = "yes"
            ngx.say(ngx.req.get_body_data(), " ", ngx.var.args)
        }
    }
--- request
POST /t?a=1
something
--- error_code: 201
--- response_headers
X-There: yes
--- response_body
something a=1



=== uris in their parts
--- config
    location = /t {
        content_by_lua_block {
            local httpc = require("resty.http").new()
            for _, uri in ipairs { "http://a", "https://a:8/b?c=d", "//a/b",
                                   "http://[::1]:80/x", "ftp://a", "a/b",
                                   "http://", "http://a?b" } do
                local p, err = httpc:parse_uri(uri, false)
                ngx.say(uri, " ", p and table.concat(p, " ", 1, 5) or err)
            end
            ngx.say(httpc:parse_uri("http://a/b?c")[4])
        }
    }
--- response_body
http://a http a 80 / 
https://a:8/b?c=d https a 8 /b c=d
//a/b http a 80 /b 
http://[::1]:80/x http [::1] 80 /x 
ftp://a bad uri: ftp://a
a/b bad uri: a/b
http:// bad uri: http://
http://a?b http a 80 / b
/b?c



=== names of headers are the same in any case
--- config
    location = /t {
        content_by_lua_block {
            local h = require("resty.http_headers").new()
            h["Content-Type"] = "a"
            h["CONTENT-TYPE"] = "b"
            h.other = 1
            h.OTHER = nil
            h.Other = 2
            local n = 0
            for name, value in pairs(h) do n = n + 1 end
            ngx.say(h["content-type"], " ", h.oTHER, " ", h.none, " ", n)
        }
    }
--- response_body
b 2 nil 2



=== no line of a request can be made two
--- config
    location = /t {
        content_by_lua_block {
            local http = require "resty.http"
            local base = "http://127.0.0.1:$TEST_NGINX_SERVER_PORT/"
            ngx.say(http.new():request_uri(base, {
                headers = { a = "b\r\nc: d" } }))
            ngx.say(http.new():request_uri(base, { path = "/\r\n\r\nGET /" }))
            ngx.say(http.new():request_uri(base, { method = "GET / \n" }))
            ngx.say(http.new():request_uri(base, { version = 2 }))
        }
    }
--- response_body
nilinvalid character found in header
nilinvalid character found in path
nilinvalid character found in method
nilunknown HTTP version



=== TLS, with the name that was asked for
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "$ssl_server_name $http_host\n"; }
    }
--- config
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local http = require "resty.http"
            local uri = "https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/"
            local res, err = http.new():request_uri(uri, {
                ssl_server_name = "a.example.com" })
            ngx.print(res and res.body:match("^%S+") or err)
            res, err = http.new():request_uri(uri, { ssl_server_name = "other" })
            ngx.say(" ", res, " ", err)
        }
    }
--- response_body
a.example.com nil certificate host mismatch



=== through a proxy
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / { return 200 "$request $http_host $http_proxy_authorization"; }
    }
--- config
    location = /t {
        content_by_lua_block {
            local httpc = require("resty.http").new()
            httpc:set_proxy_options {
                http_proxy = "http://127.0.0.1:$TEST_NGINX_RAND_PORT_1",
                http_proxy_authorization = "Basic x",
                https_proxy = "http://127.0.0.1:$TEST_NGINX_RAND_PORT_1",
                no_proxy = "localhost, .inside",
            }
            local res, err = httpc:request_uri("http://example.com:81/a?b")
            ngx.say(res and res.body or err)
            ngx.say(httpc:request_uri("https://example.com/"))
            ngx.say(httpc:get_proxy_uri("http", "a.inside"), " ",
                    httpc:get_proxy_uri("http", "inside"), " ",
                    httpc:get_proxy_uri("http", "notinside") ~= nil)
        }
    }
--- response_body
GET http://example.com:81/a?b HTTP/1.1 example.com:81 Basic x
nilfailed to establish a tunnel through a proxy: 405
nil nil true



=== an answer that is none
--- config
    location = /t {
        content_by_lua_block {
            local http = require "resty.http"
            ngx.say(http.new():request_uri("http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"220 mail ready\r\n"
--- response_body
nilcouldn't parse HTTP version from response status line: 220 mail ready



=== a line without an end in sight, and headers without one
--- config
    lua_socket_log_errors off;
    location = /long {
        content_by_lua_block {
            local s = assert(ngx.req.socket(true))
            s:send("HTTP/1.1 200 OK\r\nA: ")
            s:send(("x"):rep(1100 * 1024))
            ngx.sleep(5)
        }
    }
    location = /many {
        content_by_lua_block {
            local s = assert(ngx.req.socket(true))
            s:send("HTTP/1.1 200 OK\r\n")
            s:send(("A: " .. ("x"):rep(2000) .. "\r\n"):rep(600))
            ngx.sleep(5)
        }
    }
    location = /sane {
        content_by_lua_block {
            local s = assert(ngx.req.socket(true))
            s:send("HTTP/1.1 200 OK\r\nA: " .. ("x"):rep(500000)
                   .. "\r\nContent-Length: 0\r\n\r\n")
        }
    }
    location = /t {
        content_by_lua_block {
            local httpc = require("resty.http").new()
            local url = "http://127.0.0.1:$TEST_NGINX_SERVER_PORT/"
            ngx.say(httpc:request_uri(url .. "long"))
            ngx.say(httpc:request_uri(url .. "many"))
            ngx.say(#httpc:request_uri(url .. "sane").headers.A)
            httpc:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
            ngx.say(httpc:request({ path = "/after" }):read_body())
        }
    }
    location = /after {
        content_by_lua_block {
            local s = assert(ngx.req.socket(true))
            s:send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
                   .. ("A: " .. ("x"):rep(500000) .. "\r\n"):rep(3) .. "\r\n")
        }
    }
--- response_body
nilline too long
nilheaders too large
500000
niltrailers too large



=== a length that is none, or two of them
--- config
    location = /t {
        content_by_lua_block {
            local http = require "resty.http"
            local httpc = http.new()
            ngx.say(httpc:request_uri("http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"
--- response_body
nilseveral lengths



=== a body that ends too early is an error, and its connection goes
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local httpc = require("resty.http").new()
            ngx.say(httpc:request_uri("http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/"))
            ngx.say((httpc:set_keepalive()))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nnot all"
--- response_body
nilclosed
nil



=== chunks that lie
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            ngx.say(require("resty.http").new():request_uri(
                "http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n"
--- response_body
nilbad chunk



=== a chunk of any size but a number
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("resty.http").new():request_uri(
                "http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc"
--- response_body
nilunable to read chunksize



=== trailers come with the last chunk
--- config
    location = /t {
        content_by_lua_block {
            local httpc = require("resty.http").new()
            httpc:connect { scheme = "http", host = "127.0.0.1",
                            port = $TEST_NGINX_RAND_PORT_1 }
            local res = httpc:request {}
            ngx.say(res:read_body(), " ", res.headers["X-Sum"])
            ngx.say(res:read_trailers(), " ", res.headers["x-sum"])
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n"
--- response_body
abc nil
true 7



=== a server that says nothing
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local httpc = require("resty.http").new()
            httpc:set_timeouts(1000, 1000, 30)
            ngx.say(httpc:request_uri("http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/"))
            ngx.say(httpc:request_uri("http://127.0.0.1:$TEST_NGINX_RAND_PORT_2/"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- response_body
niltimeout
nilconnection refused



=== a client's certificate and key are cdata
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            local cert = ffi.cast("void *", 1)
            local function connect(cert, key)
                local _, err = require("resty.http").new():connect {
                    scheme = "https", host = "127.0.0.1",
                    port = $TEST_NGINX_SERVER_PORT,
                    ssl_client_cert = cert, ssl_client_priv_key = key,
                }
                ngx.say(err)
            end
            connect("text", cert)
            connect(cert, "text")
        }
    }
--- response_body
bad ssl_client_cert: cdata expected, got string
bad ssl_client_priv_key: cdata expected, got string
