__DATA__


=== a client that waits is told to go on when its body is read
--- config
    location = /a {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.req.get_body_data())
        }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send("POST /a HTTP/1.1\r\nHost: a\r\nExpect: "
                             .. "100-continue\r\nContent-Length: 5\r\n\r\n"))
            ngx.say(sock:receive("*l"))
            ngx.say(sock:receive("*l") == "")
            assert(sock:send("hello"))
            ngx.say(sock:receive("*l"))
        }
    }
--- response_body
HTTP/1.1 100 Continue
true
HTTP/1.1 200 OK



=== a client that is refused is not
--- config
    location = /t { client_max_body_size 2; return 200; }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
--- error_code: 413
--- error_log
client intended to send too large body: 5 bytes



=== nor is one of HTTP/1.0
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- raw_request eval
"POST /t HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello"
--- error_code: 200
--- response_body
hello



=== other expectations do not matter
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- more_headers
Expect: wonders
--- request
POST /t
hello
--- response_body
hello



=== one without a body is told to go on as well, where others are
--- config
    location = /r { return 200 "here"; }
    location = /m { return 301 /x; }
    location = /p { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/r; }
    location = /f { root html; try_files /f.txt =404; }
    location = /no { return 403; }
    location = /t { content_by_lua_block {
        for _, uri in ipairs { "/r", "/m", "/p", "/f", "/no" } do
            for _, length in ipairs { "", "Content-Length: 0\r\n" } do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.1\r\nHost: a\r\nExpect: "
                          .. "100-continue\r\n" .. length .. "\r\n")
                ngx.print(sock:receive("*l"):sub(10, 12), " ")
            end
        end
    } }
--- user_files
>>> f.txt
a file
--- response_body chomp
100 100 100 100 100 100 100 100 403 403 



=== who is refused is not told to go on, whatever page says so
--- config
    error_page 404 /page;
    error_page 403 =200 /page;
    error_page 409 = /page;
    location = /page { return 200 "page"; }
    location = /403 { return 403; }
    location = /409 { return 409; }
    location = /t { content_by_lua_block {
        for _, uri in ipairs { "/nobody", "/403", "/409" } do
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("POST " .. uri .. " HTTP/1.1\r\nHost: a\r\nExpect: "
                      .. "100-continue\r\nContent-Length: 5\r\n\r\n")
            ngx.print(sock:receive("*l"):sub(10, 12), " ")
        end
    } }
--- response_body chomp
404 100 100 



=== a page for a client that is refused
--- config
    error_page 413 @page;
    location = /t { client_max_body_size 2; }
    location @page { return 413 "page"; }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
--- error_code: 413
--- response_body chomp
page



=== nobody is told in the middle of an answer
--- config
    location = /late { content_by_lua_block {
        ngx.say("first")
        ngx.flush(true)
        ngx.req.read_body()
        ngx.say(ngx.req.get_body_data())
    } }
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", ngx.var.server_port))
        sock:send("POST /late HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                  .. "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        local head = sock:receiveuntil("\r\n\r\n")()
        sock:send("hello")
        ngx.say(head:sub(1, 15))
        ngx.say((sock:receive("*a"):gsub("\r\n", "|")))
    } }
--- response_body
HTTP/1.1 200 OK
6|first
|6|hello
|0||
