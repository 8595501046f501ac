__DATA__


=== browsers that can't handle connections that are kept
--- http_config
    init_by_lua_block {
        function ask(method, uri, agent)
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send(method .. " " .. uri .. " HTTP/1.1\r\nHost: a\r\n"
                      .. "Content-Length: 0\r\nUser-Agent: " .. agent
                      .. "\r\n\r\n")
            ngx.say(method, " ", uri, " ", agent, ": ",
                    sock:receiveuntil("Connection: ")() and sock:receive())
            sock:close()
        end
    }
--- config
    location = /default { return 200 "here"; }
    location = /none { keepalive_disable none; return 200 "here"; }
    location = /safari { keepalive_disable safari; return 200 "here"; }
    location = /both { keepalive_disable msie6 safari; return 200 "here"; }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/default", "/none", "/safari", "/both" } do
                ask("POST", uri, "MSIE 6.0; Windows")
                ask("GET", uri, "Mac OS X Safari/419")
            end
        }
    }
--- response_body
POST /default MSIE 6.0; Windows: close
GET /default Mac OS X Safari/419: keep-alive
POST /none MSIE 6.0; Windows: keep-alive
GET /none Mac OS X Safari/419: keep-alive
POST /safari MSIE 6.0; Windows: keep-alive
GET /safari Mac OS X Safari/419: close
POST /both MSIE 6.0; Windows: close
GET /both Mac OS X Safari/419: close



=== and those that only sound like them
--- http_config
    init_by_lua_block {
        function ask(method, agent)
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send(method .. " /s HTTP/1.1\r\nHost: a\r\n"
                      .. "Content-Length: 0\r\nUser-Agent: " .. agent
                      .. "\r\n\r\n")
            ngx.say(method, " ", agent, ": ",
                    sock:receiveuntil("Connection: ")() and sock:receive())
            sock:close()
        end
    }
--- config
    location = /s { keepalive_disable msie6 safari; return 200 "here"; }
    location = /t {
        content_by_lua_block {
            ask("GET", "MSIE 6.0; Windows")
            for _, agent in ipairs { "MSIE 4.0;", "MSIE 5.0;", "MSIE 6.0; SV1",
                                     "MSIE 7.0;", "MSIE 6", "MSIE 6.", "MSIE 6.0 Opera",
                                     "msie 6.0" } do
                ask("POST", agent)
            end
            for _, agent in ipairs { "Safari/4 Mac OS X", "Safari/4 Windows",
                                     "Mac OS X Chrome/1 Safari/4",
                                     "Mac OS X Gecko/1 Safari/4", "Opera Mac OS X Safari/4",
                                     "MSIE 8.0; Mac OS X Safari/4" } do
                ask("GET", agent)
            end
        }
    }
--- response_body
GET MSIE 6.0; Windows: keep-alive
POST MSIE 4.0;: close
POST MSIE 5.0;: close
POST MSIE 6.0; SV1: keep-alive
POST MSIE 7.0;: keep-alive
POST MSIE 6: keep-alive
POST MSIE 6.: keep-alive
POST MSIE 6.0 Opera: keep-alive
POST msie 6.0: keep-alive
GET Safari/4 Mac OS X: close
GET Safari/4 Windows: keep-alive
GET Mac OS X Chrome/1 Safari/4: keep-alive
GET Mac OS X Gecko/1 Safari/4: keep-alive
GET Opera Mac OS X Safari/4: keep-alive
GET MSIE 8.0; Mac OS X Safari/4: keep-alive



=== it knows no others
--- config
    keepalive_disable msie6 lynx;
--- must_die
--- error_log
invalid value "lynx" in
