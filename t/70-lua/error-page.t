# While scripts are written, a browser on this machine sees a Lua error.

config_preamble(<<'CONF');
    lua_code_cache watch;
    keepalive_timeout 0;
CONF

__DATA__


=== a browser sees message, source, stack and request
--- config
    location = /t {
        content_by_lua_block {
            local function shelf(book)
                return book.title
            end
            local title = shelf(nil)
        }
    }
--- request
GET /t?a=<b>
--- more_headers
Accept: text/html,application/xhtml+xml,*/*;q=0.8
Connection: keep-alive
X-Mine: "q" & 'r'
Cookie: session=1234
--- error_code: 500
--- response_headers
Content-Type: text/html; charset=utf-8
Cache-Control: no-store
X-Content-Type-Options: nosniff
Connection: close
--- response_body_like eval
qr/Lua error in content_by_lua\*.*attempt to index local &#39;book&#39; \(a nil value\).*
<h3>content_by_lua\(nginx.conf:\d+\), line 3 in shelf<\/h3>.*<span class="here"><i>3<\/i> +return book.title<\/span>.*
<h3>content_by_lua\(nginx.conf:\d+\), line 5<\/h3>.*GET \/t\?a=&lt;b&gt;.*<th>Cookie<td>\(hidden\).*<th>X-Mine<td>&quot;q&quot; &amp; &#39;r&#39;/s
--- error_log
lua entry thread aborted: runtime error



=== what a script says of an error is escaped
--- config
    location = /t {
        content_by_lua_block { error("<script>alert(1)</script>") }
    }
--- more_headers
Accept: text/html
Connection: keep-alive
--- error_code: 500
--- response_body_unlike: <script
--- error_log
<script>



=== the source of a file, and of a module that it needs
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- config
    location = /t { content_by_lua_file html/a.lua; }
--- user_files
>>> a.lua
-- the handler
require("shelf").read(1)
>>> shelf.lua
local M = {}
function M.read(n)
    return n .. {}
end
return M
--- more_headers
Accept: text/html
Connection: keep-alive
--- error_code: 500
--- response_body_like eval
qr/shelf\.lua, line 3 in .*<i>3<\/i> +return n \.\. \{\}.*a\.lua, line 2.*<i>1<\/i>-- the handler/s
--- error_log
attempt to concatenate



=== a library that the program carries
--- config
    location = /t {
        content_by_lua_block { require("resty.lrucache").new({}) }
    }
--- more_headers
Accept: text/html
Connection: keep-alive
--- error_code: 500
--- response_body_like eval
qr/lua\/resty\/lrucache\.lua, line \d+.*class="here"/s
--- error_log
runtime error



=== code that cannot be read
--- config
    location = /t {
        content_by_lua_block {
            local a = 1
            local b = = 2
        }
    }
--- more_headers
Accept: text/html
Connection: keep-alive
--- error_code: 500
--- response_body_like eval
qr/content_by_lua\(nginx.conf:\d+\), line 3<\/h3>.*class="here"><i>3<\/i> +local b = = 2/s
--- error_log
failed to load inlined Lua code



=== a module that cannot be read
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- config
    location = /t { access_by_lua_block { require "torn" } }
--- user_files
>>> torn.lua
local a = 1
local b = = 2
--- more_headers
Accept: text/html
Connection: keep-alive
--- error_code: 500
--- response_body_like eval
qr/error in access_by_lua.*torn\.lua, line 2<\/h3>.*class="here"><i>2<\/i>local b = = 2/s
--- error_log
error loading module



=== an error that came through coroutines
--- config
    location = /t {
        content_by_lua_block {
            local inner = coroutine.wrap(function()
                local x = nil + 1
            end)
            inner()
        }
    }
--- more_headers
Accept: text/html
Connection: keep-alive
--- error_code: 500
--- response_body_like eval
qr/Coroutine 0<.*line 3.*Coroutine 1<.*line 5/s
--- error_log
attempt to perform arithmetic



=== lua_code_cache off
--- config
    location = /t {
        lua_code_cache off;
        content_by_lua_block { error "here" }
    }
--- more_headers
Accept: text/html
Connection: keep-alive
--- error_code: 500
--- response_body_like: Lua error in content_by_lua
--- error_log
runtime error
lua_code_cache is off



=== what was set for the answer does not go with it
--- config
    location = /t {
        content_by_lua_block {
            ngx.header.content_encoding = "gzip"
            ngx.header.content_length = 3
            ngx.header.etag = '"1"'
            ngx.status = 201
            error "here"
        }
    }
--- more_headers
Accept: text/html
Connection: keep-alive
--- error_code: 500
--- response_headers
!Content-Encoding
!ETag
--- response_body_like: Lua error.*</footer>
--- error_log
runtime error



=== a form of the page's own may have sent it
--- config
    location = /t { content_by_lua_block { error "here" } }
--- request
POST /t
a=b
--- more_headers eval
"Accept: text/html\nConnection: keep-alive\nOrigin: http://localhost"
--- error_code: 500
--- response_body_like: Lua error in
--- error_log
runtime error



=== whom it is kept from, by what they send
--- config
    location = /e { content_by_lua_block { error "secret" } }
    location = /t {
        content_by_lua_block {
            for _, head in ipairs {
                "Accept: text/html",
                "Accept: */*", "", "Accept: text/html;q=0",
                "Accept: text/html\r\nX-Forwarded-For: 127.0.0.1",
                "Accept: text/html\r\nX-Real-IP: 127.0.0.1",
                "Accept: text/html\r\nForwarded: for=127.0.0.1",
                "Accept: text/html\r\nVia: 1.1 proxy",
                "Accept: text/html\r\nX-Forwarded-Proto: https",
                "Accept: text/html\r\nOrigin: http://evil.example",
                "Accept: text/html\r\nOrigin: null",
            } do
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", ngx.var.server_port)
                s:send("GET /e HTTP/1.1\r\nHost: localhost\r\n" .. head
                       .. (head ~= "" and "\r\n" or "")
                       .. "Connection: keep-alive\r\n\r\n")
                local answer = s:receive("*a")
                ngx.say(answer:match(" (%d+)"), " ", answer:find("secret", 1, true) ~= nil)
            end
        }
    }
--- response_body
500 true
500 false
500 false
500 false
500 false
500 false
500 false
500 false
500 false
500 false
500 false
--- error_log
secret



=== whom it is kept from, by the name that they ask for, or an old protocol
--- config
    location = /e { content_by_lua_block { error "secret" } }
    location = /t {
        content_by_lua_block {
            for _, head in ipairs {
                "GET /e HTTP/1.1\r\nHost: shop.test:81",
                "GET /e HTTP/1.1\r\nHost: 127.0.0.1",
                "GET /e HTTP/1.1\r\nHost: evil.example",
                "GET /e HTTP/1.1\r\nHost: 127.0.0.1.evil.example",
                "GET /e HTTP/1.0\r\nHost: localhost",
                "GET /e HTTP/1.0",
            } do
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", ngx.var.server_port)
                s:send(head .. "\r\nAccept: text/html\r\nConnection: keep-alive\r\n\r\n")
                local answer = s:receive("*a")
                ngx.say(answer:match(" (%d+)"), " ", answer:find("secret", 1, true) ~= nil)
            end
        }
    }
--- response_body
500 true
500 true
500 false
500 false
500 false
500 false
--- error_log
secret



=== a proxy that says nothing of itself does not say what a browser says to it
--- config
    location = /e { content_by_lua_block { error "secret" } }
    location = /t {
        content_by_lua_block {
            for _, head in ipairs {
                "Connection: Keep-Alive\r\n", "", "Connection: close\r\n",
                "Connection: upgrade\r\n", "Keep-Alive: timeout=5\r\n",
            } do
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", ngx.var.server_port)
                s:send("GET /e HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n"
                       .. head .. "\r\n")
                local answer = s:receive("*a")
                ngx.say(answer:match(" (%d+)"), " ", answer:find("secret", 1, true) ~= nil)
            end
        }
    }
--- response_body
500 true
500 false
500 false
500 false
500 false
--- error_log
secret



=== the server as a proxy before itself
--- http_config
    upstream self { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; keepalive 4; }
--- config
    location = /e { content_by_lua_block { error "secret" } }
    location = /p1 { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/e; proxy_http_version 1.1; }
    location = /p2 {
        proxy_pass http://self/e;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host localhost;
    }
    location = /t {
        content_by_lua_block {
            for i = 1, 2 do
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", ngx.var.server_port)
                s:send("GET /p" .. i .. " HTTP/1.1\r\nHost: a.example\r\n"
                       .. "Accept: text/html\r\nConnection: keep-alive\r\n\r\n")
                local answer = s:receive("*a")
                ngx.say(answer:match(" (%d+)"), " ", answer:find("secret", 1, true) ~= nil)
            end
        }
    }
--- response_body
500 false
500 false
--- error_log
secret



=== what a request has put into a message is no file to show
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local file = "$TEST_NGINX_HTML_DIR/" .. ngx.var.arg_file
            error("error loading module '" .. ngx.var.arg_name .. "' from file '"
                  .. file .. "':\n\t" .. file .. ":1: '=' expected", 0)
        }
    }
--- user_files
>>> a.txt
the treasure
>>> b.lua
-- the island
--- request eval
["GET /t?name=a&file=a.txt", "GET /t?name=../html/b&file=../html/b.lua",
 "GET /t?name=c&file=b.lua", "GET /t?name=b&file=b.lua"]
--- more_headers
Accept: text/html
Connection: keep-alive
--- error_code eval
[500, 500, 500, 500]
--- response_body_like eval
["^(?!.*treasure)", "^(?!.*island)", "^(?!.*island)", "the island"]
--- error_log
error loading module



=== nobody is on this machine because a proxy or realip says so
--- http_config
    set_real_ip_from 127.0.0.1;
    real_ip_header X-Client;
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
    location = /e { content_by_lua_block { error "secret" } }
    location = /t {
        content_by_lua_block {
            for _, try in ipairs {
                { ngx.var.server_port, "" , "" },
                { ngx.var.server_port, "", "X-Client: 127.0.0.2\r\n" },
                { ngx.var.server_port, "", "X-Client: 192.0.2.1\r\n" },
                { $TEST_NGINX_RAND_PORT_1, "PROXY TCP4 127.0.0.1 127.0.0.1 1 80\r\n", "" },
                { $TEST_NGINX_RAND_PORT_1, "PROXY TCP4 192.0.2.1 192.0.2.2 1 80\r\n", "" },
                { $TEST_NGINX_RAND_PORT_1, "PROXY UNKNOWN\r\n", "" },
            } do
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", try[1])
                s:send(try[2] .. "GET /e HTTP/1.1\r\nHost: localhost\r\n" .. try[3]
                       .. "Accept: text/html\r\nConnection: keep-alive\r\n\r\n")
                local answer = s:receive("*a")
                ngx.say(answer:match(" (%d+)"), " ", answer:find("secret", 1, true) ~= nil)
            end
        }
    }
--- response_body
500 true
500 false
500 false
500 false
500 false
500 false
--- error_log
secret



=== a unix socket has no address that could be this machine's
--- config
    listen unix:$TEST_NGINX_SERVER_ROOT/logs/s;
    location = /e { content_by_lua_block { error "secret" } }
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("unix:$TEST_NGINX_SERVER_ROOT/logs/s")
            s:send("GET /e HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n"
                   .. "Connection: keep-alive\r\n\r\n")
            local answer = s:receive("*a")
            ngx.say(answer:match(" (%d+)"), " ", answer:find("secret", 1, true) ~= nil)
        }
    }
--- response_body
500 false
--- error_log
secret
--- skip_windows: no unix sockets



=== an answer that has begun gets no page behind it
--- config
    location = /e { content_by_lua_block { ngx.say "begun" ngx.flush(true) error "secret" } }
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("127.0.0.1", ngx.var.server_port)
            s:send("GET /e HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n"
                   .. "Connection: keep-alive\r\n\r\n")
            local answer = s:receive("*a")
            ngx.say(answer:match(" (%d+)"), " ", answer:find("secret", 1, true) ~= nil)
        }
    }
--- response_body
200 false
--- error_log
secret



=== a location that another asks for answers as ever
--- config
    location = /sub { content_by_lua_block { error "secret" } }
    location = /t {
        content_by_lua_block {
            local res = ngx.location.capture "/sub"
            ngx.say(res.status, " ", res.body:find("secret") ~= nil)
        }
    }
--- more_headers
Accept: text/html
Connection: keep-alive
--- response_body
500 false
--- error_log
secret
