setkeepalive, and what comes out of the pool.

__DATA__


=== a connection that was kept is used again
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 3 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                sock:send("GET /back HTTP/1.1\r\nHost: x\r\n\r\n")
                sock:receiveuntil("\r\n\r\n")()
                ngx.say(sock:receive(2), " ", sock:getreusedtimes(), " ",
                        sock:setkeepalive())
                ngx.say(sock:receive())
            end
        }
    }
    location = /back { return 200 "ok"; }
--- response_body
ok 0 1
nilclosed
ok 1 1
nilclosed
ok 2 1
nilclosed
--- error_log
attempt to receive data on a closed socket



=== unread data keeps a connection out of the pool
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /back HTTP/1.1\r\nHost: x\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            ngx.say(sock:receive(1), " ", sock:setkeepalive())
        }
    }
    location = /back { return 200 "ok"; }
--- response_body
o nilunread data in buffer



=== what its server has closed is closed, and unread data can still be read
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /bye HTTP/1.0\r\n\r\n")
            ngx.say(sock:receive())
            ngx.sleep(0.3)
            ngx.say(sock:setkeepalive())
            ngx.say(sock:receive(), " ", sock:receive("*a"))
        }
    }
    location = /bye {
        content_by_lua_block {
            ngx.req.socket(true):send("one\r\ntwo\nthree")
        }
    }
--- response_body
one
nilclosed
two three



=== pools have names
--- config
    location = /t {
        content_by_lua_block {
            local function use(pool)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT,
                                    { pool = pool }))
                local n = sock:getreusedtimes()
                assert(sock:setkeepalive())
                return n
            end
            ngx.say(use("a"), use("b"), use("a"), use(1), use("b"), use(1), use())
        }
    }
--- response_body
0010110



=== a pool keeps no more than its size
--- config
    lua_socket_pool_size 2;
    location = /t {
        content_by_lua_block {
            local function three(f)
                local socks, out = {}, {}
                for i = 1, 3 do
                    socks[i] = ngx.socket.tcp()
                    assert(socks[i]:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                    out[i] = socks[i]:getreusedtimes()
                end
                for i = 1, 3 do assert(socks[i]:setkeepalive()) end
                return table.concat(out, " ")
            end
            ngx.say(three())
            ngx.say(three())
        }
    }
--- response_body
0 0 0
1 1 0



=== an idle connection ends with its time
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            assert(sock:setkeepalive(20))
            ngx.sleep(0.1)
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            ngx.say(sock:getreusedtimes())
        }
    }
--- response_body
0



=== a connection that its peer closes is not used again
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /back HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            sock:receive(2)
            local ok, err = sock:setkeepalive()
            ngx.say(ok or err)
            ngx.sleep(0.05)
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            ngx.say(sock:getreusedtimes())
        }
    }
    location = /back { return 200 "ok"; }
--- response_body_like
(1|closed|connection in dubious state)
0



=== a backlog limits the connections, and queues
--- config
    location = /t {
        content_by_lua_block {
            local opts = { pool_size = 1, backlog = 1, pool = "q" }
            local function connect(...)
                local sock = ngx.socket.tcp()
                sock:settimeouts(...)
                local ok, err = sock:connect("127.0.0.1",
                                             $TEST_NGINX_SERVER_PORT, opts)
                return sock, ok, err
            end
            local first = connect(1000, 1000, 1000)
            local t = ngx.thread.spawn(function ()
                local sock, ok, err = connect(1000, 1000, 1000)
                ngx.say("second: ", ok, " ", sock:getreusedtimes())
                sock:close()
            end)
            local _, ok, err = connect(1000, 1000, 1000)
            ngx.say("third: ", ok, " ", err)
            first:setkeepalive()
            ngx.thread.wait(t)
            ngx.say("fourth: ", (select(2, connect(1000, 1000, 1000))))
        }
    }
--- response_body
third: nil too many waiting connect operations
second: 1 1
fourth: 1



=== who waits too long in the queue is told
--- config
    location = /t {
        content_by_lua_block {
            local opts = { pool_size = 1, backlog = 1 }
            local one, two = ngx.socket.tcp(), ngx.socket.tcp()
            assert(one:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT, opts))
            two:settimeout(20)
            ngx.say(two:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT, opts))
        }
    }
--- response_body
niltimeout
--- error_log
lua tcp socket queued connect timed out, when trying to connect to 127.0.0.1:



=== a host is looked at when there is room for it
--- config
    location = /t {
        content_by_lua_block {
            local opts = { pool = "p", pool_size = 1, backlog = 1 }
            local one, two = ngx.socket.tcp(), ngx.socket.tcp()
            assert(one:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT, opts))
            local t = ngx.thread.spawn(function ()
                local ok, err = two:connect("a:b", 1, opts)
                ngx.say("two: ", ok, " ", err)
            end)
            ngx.say("one closes: ", one:close())
            ngx.thread.wait(t)
            ngx.say(two:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT, opts))
        }
    }
--- response_body
one closes: 1
two: nil failed to parse host name "a:b": invalid port
1



=== wrong options throw
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            for _, o in ipairs{{ pool_size = 0 }, { pool_size = "x" },
                               { backlog = -1 }, { pool = {} }} do
                local ok, err = pcall(sock.connect, sock, "127.0.0.1", 80, o)
                ngx.say((err:gsub("^.-%(", "(")))
            end
            ngx.say(sock:setkeepalive())
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            local ok, err = pcall(sock.setkeepalive, sock, nil, 0)
            ngx.say((err:gsub("^.-%(", "(")))
        }
    }
--- response_body
(bad "pool_size" option value: 0)
(bad "pool_size" option type: string)
(bad "backlog" option value: -1)
(bad "pool" option type: table)
nilclosed
(bad "pool_size" option value: 0)

=== a worker that quits keeps no connection
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                local sock = ngx.socket.tcp()
                sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
                while not ngx.worker.exiting() do ngx.sleep(0.01) end
                ngx.log(ngx.WARN, "kept: ", sock:setkeepalive())
            end)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
lua tcp socket set keepalive while process exiting, closing connection
kept: 1



=== a connection with data that nobody asked for is no good any more
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            sock:send("ask")
            local ok, err
            for _ = 1, 500 do
                ok, err = sock:setkeepalive()
                if not ok then break end
                sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
                ngx.sleep(0.01)
            end
            ngx.say(ok, " ", err)
            ngx.say(sock:setkeepalive())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query: ask
--- tcp_no_close
--- tcp_reply: much too much
--- response_body_like
nil (connection in dubious state|unread data in buffer)
nil(closed|unread data in buffer)



=== a pool's size is looked at where there is no pool
--- config
    location = /t {
        content_by_lua_block {
            local function connected()
                local sock = ngx.socket.tcp()
                sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
                return sock
            end
            local sock = connected()
            local ok, err = pcall(sock.setkeepalive, sock, 1000, 0)
            ngx.say(ok, " ", err)
            ngx.say(sock:setkeepalive(1000, 2))
            ngx.say(connected():setkeepalive(1000, 0))
            sock = connected()
            ok, err = pcall(sock.setkeepalive, sock, 1000, "x")
            ngx.say(ok, " ", err)
            ngx.say(sock:setkeepalive())
            ngx.say(pcall(sock.setkeepalive, sock, "x"))
        }
    }
--- response_body
false bad argument #3 to '?' (bad "pool_size" option value: 0)
1
1
false bad argument #3 to '?' (number expected, got string)
1
truenilclosed



=== who has copied a socket does not get at the connection of the next one
--- config
    location = /t {
        content_by_lua_block {
            local function new()
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                return sock
            end
            local first = new()
            local copy = setmetatable({ first[1] }, getmetatable(first))
            ngx.say(copy:getreusedtimes(), " ", first:setkeepalive())
            local second = new()
            ngx.say(copy:getreusedtimes(), " ", second:getreusedtimes())
            ngx.say(copy:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            ngx.say(copy:getreusedtimes(), " ", second:getreusedtimes())
            ngx.say(second:setkeepalive(), " ", first:getreusedtimes())
            ngx.say(copy:setkeepalive(), " ", copy:getreusedtimes())
        }
    }
--- response_body
0 1
nil 1
1
0 1
1 nilclosed
1 nilclosed
