The life of a TCP cosocket: connect, send, close, and whose it is.

__DATA__


=== connects to an address, and says so with 1
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(type(sock), " ", sock:connect("127.0.0.1",
                                                  $TEST_NGINX_SERVER_PORT))
            ngx.say(sock:getreusedtimes(), " ", sock:close())
            ngx.say(sock:close())
        }
    }
--- response_body
table 1
0 1
nilclosed



=== ngx.socket.connect makes and connects
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            sock:send("ping")
            ngx.say(sock:receive("*a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query: ping
--- tcp_reply: pong
--- response_body
pong



=== a refused connection says so, and is logged
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            local ok, err = sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(ok, " ", err)
            ngx.say(sock:send("x"))
        }
    }
--- response_body
nil connection refused
nilclosed
--- error_log
connect() failed (
attempt to send data on a closed socket



=== lua_socket_log_errors off keeps the log quiet
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(sock:receive())
        }
    }
--- response_body
nilclosed
--- no_error_log
[error]



=== a name that cannot be resolved
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(sock:connect("no..such", 80))
        }
    }
--- response_body
nilno..such could not be resolved (3: Host not found)



=== a name server that does not answer
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    resolver_timeout 50ms;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(sock:connect("example.invalid", 80))
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply: nonsense
--- response_body
nilexample.invalid could not be resolved (110: Operation timed out)



=== a port is needed, and must be one
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(sock:connect("127.0.0.1"))
            ngx.say(sock:connect("127.0.0.1", nil))
            ngx.say(sock:connect("127.0.0.1", 65536))
            ngx.say(sock:connect("127.0.0.1", -1))
        }
    }
--- response_body
nilmissing the port number
nilmissing the port number
nilbad port number: 65536
nilbad port number: -1



=== a unix socket has no port
--- skip_windows: no unix sockets in Wine
--- http_config
    server {
        listen unix:$TEST_NGINX_HTML_DIR/nginx.sock;
        location / { return 200 "over unix"; }
    }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("unix:$TEST_NGINX_HTML_DIR/nginx.sock"))
            sock:send("GET / HTTP/1.0\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            ngx.say(sock:receive("*a"))
        }
    }
--- response_body
over unix



=== a unix socket that is not there
--- skip_windows: no unix sockets in Wine
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(sock:connect("unix:/no/such.sock"))
        }
    }
--- response_body
nilno such file or directory



=== send takes strings, numbers and nested tables
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            local n = 0
            for _, v in ipairs{"a", 12, 3.5, {"b", {"c", 4}, "d"}, {}, ""} do
                n = n + sock:send(v)
            end
            ngx.say(n, " ", sock:receive("*a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query: a123.5bc4d
--- tcp_query_len: 10
--- tcp_reply: ok
--- response_body
10 ok



=== send refuses what is no data
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            for _, v in ipairs{{a = 1}, {print}, {true}, {[2] = 1}, print} do
                local ok, err = pcall(sock.send, sock, v)
                ngx.say(ok, " ", (err:gsub("^.-%(", "(")))
            end
            ngx.say(pcall(sock.send, sock))
            ngx.say(sock:send(nil), sock:send(true), sock:send(false))
        }
    }
--- response_body
false (non-array table found)
false (bad data type function found)
false (bad data type boolean found)
false (bad data type nil found)
false (string, number, boolean, nil, or array table expected, got function)
falseexpecting 2 arguments (including the object), but got 1
345



=== a large message goes out as the peer takes it
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            local n = 20 * 1024 * 1024
            local sent = sock:send({"POST /count HTTP/1.0\r\nContent-Length: ", n,
                                    "\r\n\r\n", string.rep("z", n)})
            sock:receiveuntil("\r\n\r\n")()
            ngx.say(sent > n, " ", sock:receive("*a"))
        }
    }
    location = /count {
        client_max_body_size 30m;
        content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.var.content_length)
        }
    }
--- response_body
true 20971520



=== a peer that does not read makes send time out
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:settimeouts(1000, 50, 1000)
            sock:send("POST /sleep HTTP/1.0\r\nContent-Length: 99999999\r\n\r\n")
            ngx.say(sock:send(string.rep("x", 30 * 1024 * 1024)))
            ngx.say(sock:send("more"))
        }
    }
    location = /sleep {
        client_max_body_size 100m;
        content_by_lua_block { ngx.sleep(0.5) }
    }
--- response_body
niltimeout
nilclosed
--- error_log
lua tcp socket write timed out



=== both directions at the same time
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            local reader = ngx.thread.spawn(function ()
                return sock:receive("*a")
            end)
            ngx.sleep(0.01)
            ngx.say(sock:receive())
            ngx.say(sock:send("ping"))
            ngx.say(ngx.thread.wait(reader))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query: ping
--- tcp_reply: pong
--- response_body
nilsocket busy reading
4
truepong



=== while its name is looked up a socket is closed, and busy
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    resolver_timeout 100ms;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.thread.spawn(function ()
                ngx.sleep(0.01)
                ngx.say(sock:receive(1))
                ngx.say(sock:send("hello"))
                ngx.say(sock:close())
                ngx.say(sock:getreusedtimes())
                ngx.say(sock:setkeepalive())
                ngx.say(sock:connect("127.0.0.1", 80))
            end)
            ngx.say((sock:connect("example.invalid", 80)))
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply: nonsense
--- response_body
nilclosed
nilclosed
nilclosed
nilclosed
nilclosed
nilsocket busy connecting
nil



=== connecting again closes the first connection
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            sock:send("q")
            ngx.say(sock:receive("*a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: the second
--- response_body
the second



=== a socket of another request is refused
--- http_config
    init_by_lua_block { package.loaded.kept = {} }
--- config
    location = /t {
        content_by_lua_block {
            local res = ngx.location.capture("/make")
            ngx.print(res.body)
        }
    }
    location = /one {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            local kept = require("kept")
            kept.sock = sock
            while not kept.over do ngx.sleep(0.01) end
        }
    }
    location = /two {
        content_by_lua_block {
            for _, f in ipairs{"receive", "close", "getreusedtimes"} do
                local sock = require("kept").sock
                local ok, err = pcall(sock[f], sock)
                ngx.say(f, " ", ok, " ", err)
            end
        }
    }
    location = /both {
        content_by_lua_block {
            local one = ngx.socket.tcp()
            assert(one:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            one:send("GET /one HTTP/1.0\r\n\r\n")
            while not require("kept").sock do ngx.sleep(0.01) end
            local two = ngx.socket.tcp()
            assert(two:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            two:send("GET /two HTTP/1.0\r\n\r\n")
            two:receiveuntil("\r\n\r\n")()
            ngx.print(two:receive("*a"))
            require("kept").over = true
        }
    }
--- request
GET /both
--- response_body
receive false bad request
close false bad request
getreusedtimes true 0



=== a socket dies with its request
--- http_config
    init_by_lua_block { package.loaded.kept = {} }
--- config
    lua_socket_log_errors off;
    location = /make {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            require("kept").sock = sock
        }
    }
    location = /use {
        content_by_lua_block {
            ngx.say(require("kept").sock:receive())
        }
    }
--- pipelined_requests eval
["GET /make", "GET /use"]
--- response_body eval
["", "nilclosed\n"]



=== a timer may have sockets
--- config
    location = /t {
        content_by_lua_block {
            local done
            ngx.timer.at(0, function ()
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                sock:send("q")
                done = sock:receive("*a")
            end)
            for i = 1, 100 do
                if done then break end
                ngx.sleep(0.01)
            end
            ngx.say(done)
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: from a timer
--- response_body
from a timer



=== shutdown ends one side
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            sock:send("q")
            ngx.say(sock:shutdown("send"))
            ngx.say(sock:send("x"))
            ngx.say(sock:receive("*a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query: q
--- tcp_reply: still here
--- response_body
1
nilclosed
still here
--- error_log
attempt to send data on a closed socket



=== options are set on a connected socket
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            ngx.say(sock:setoption("keepalive", true),
                    sock:setoption("tcp-nodelay", true),
                    sock:setoption("sndbuf", 4096),
                    sock:setoption("rcvbuf", 4096),
                    sock:setoption("reuseaddr", true))
            ngx.say(sock:setoption("colour", 1))
            ngx.say(sock:setoption("keepalive"))
            ngx.say(sock:setoption())
            ngx.say((pcall(sock.setoption, sock, "sndbuf", "8192")))
        }
    }
--- response_body
truetruetruetruetrue
nilunsupported option colour
nilmissing the "value" argument
nilmissing the "option" argument
false



=== options are those that the system has, by their names and numbers
--- skip_windows: the system's own numbers
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            local base = require "resty.core.base"
            pcall(ffi.cdef, [[
            int getsockopt(int fd, int level, int name, void *value, void *size);
            int ngx_http_lua_ffi_socket_tcp_setoption(void *u, int opt,
                int val, unsigned char *err, size_t *errlen);
            ]])
            -- Number of lua-resty-core, level and name of the system, a value.
            local SOCKET, TCP = 1, 6
            local options = {
                keepalive = { 1, SOCKET, 9, 1 },
                reuseaddr = { 2, SOCKET, 2, 1 },
                ["tcp-nodelay"] = { 3, TCP, 1, 0 },
                sndbuf = { 4, SOCKET, 7, 8192 },
                rcvbuf = { 5, SOCKET, 8, 8192 },
                keepintvl = { 6, TCP, 5, 11 },
                keepcnt = { 7, TCP, 6, 12 },
                keepidle = { nil, TCP, 4, 13 },
            }
            local value, size = ffi.new("int[1]"), ffi.new("unsigned[1]", 4)
            local why, len = ffi.new("char[100]"), ffi.new("size_t[1]", 100)
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))

            local function is(o, wanted)
                ffi.C.getsockopt(sock:getfd(), o[2], o[3], value, size)
                local got = value[0]
                return got == wanted or wanted > 1000 and got == 2 * wanted
            end
            for name, o in pairs(options) do
                assert(sock:setoption(name, o[4]))
                assert(is(o, o[4]) and sock:getoption(name) == value[0], name)
                if o[1] then
                    local v = o[4] > 1 and o[4] * 2 or 1 - o[4]
                    assert(ffi.C.ngx_http_lua_ffi_socket_tcp_setoption(
                               sock[1], o[1], v, why, len) == 0, name)
                    assert(is(o, v), name)
                end
            end
            ngx.say("all")
        }
    }
--- response_body
all



=== when an idle connection is probed
--- skip_windows: not every system has them
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            for _, name in ipairs { "keepidle", "keepintvl", "keepcnt" } do
                ngx.say(sock:setoption(name, 7), " ", sock:getoption(name))
            end
        }
    }
--- response_body
true 7
true 7
true 7



=== options are asked for
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            for _, name in ipairs { "keepalive", "tcp-nodelay" } do
                assert(sock:setoption(name, false))
                local off = sock:getoption(name)
                assert(sock:setoption(name, true))
                ngx.say(name, " ", off, " ", sock:getoption(name))
            end
            assert(sock:setoption("sndbuf", 16384))
            ngx.say(sock:getoption("sndbuf") >= 16384, " ",
                    sock:getoption("rcvbuf") > 0, " ",
                    sock:getoption("reuseaddr"))
            ngx.say(sock:getoption("colour"))
            ngx.say(sock:getoption())
            sock:close()
            ngx.say(sock:getoption("keepalive"))
        }
    }
--- response_body
keepalive 0 1
tcp-nodelay 0 1
true true 0
nilunsupported option colour
nilmissing the "option" argument
nilclosed



=== time limits must be numbers that make sense
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(pcall(sock.settimeout, sock, -1))
            ngx.say(pcall(sock.settimeouts, sock, 1, 2, 2 ^ 31))
            ngx.say(pcall(sock.settimeout, sock))
        }
    }
--- response_body_like
false.*bad timeout value
false.*bad timeout value
false.*ngx.socket settimeout: expecting 2 arguments \(including the object\) but seen 1



=== no cosockets where nothing may wait
--- config
    location = /t {
        return 200 "x";
        header_filter_by_lua_block {
            local ok, err = pcall(ngx.socket.tcp)
            ngx.header["X-Err"] = (err:gsub("^.-API", "API"))
        }
    }
--- response_headers
X-Err: API disabled in the context of header_filter_by_lua*



=== a killed thread takes the connection that it read from with it
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            local t = ngx.thread.spawn(function () sock:receive() end)
            ngx.thread.kill(t)
            ngx.say(sock:send("q"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: never read
--- response_body
nilclosed
--- error_log
attempt to send data on a closed socket

=== bind takes an address without a port
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(sock:bind("127.0.0.1:8899"))
            ngx.say(sock:bind("localhost"))
            ngx.say(sock:bind("127.0.0.1"))
            ngx.say(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
        }
    }
--- response_body
nilbad address
nilbad address
true
1
--- error_log
lua tcp socket bind ip: 127.0.0.1

=== an address that is not ours cannot be bound to
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(sock:bind("198.51.100.1"))
            ngx.say((sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)))
        }
    }
--- response_body
true
nil
--- error_log eval
qr/\[crit\] .*bind\(198.51.100.1\) failed/

=== a host without a name
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.socket.connect("", 80))
        }
    }
--- response_body
nilfailed to parse host name "": no host

=== where a unix socket is missing something is wrong here
--- skip_windows: no unix sockets in Wine
--- config
    location = /t {
        content_by_lua_block {
            ngx.say((ngx.socket.connect("unix:/no/such.sock")))
        }
    }
--- response_body
nil
--- error_log eval
qr/\[crit\] .*connect\(\) to unix:\/no\/such.sock failed/

=== tcp_nodelay is for sockets of Lua as well
--- config
    location = /t {
        content_by_lua_block { ngx.say((ngx.socket.connect("127.0.0.1", ngx.var.server_port))~= nil) }
    }
    location = /off {
        tcp_nodelay off;
        content_by_lua_block { ngx.say((ngx.socket.connect("127.0.0.1", ngx.var.server_port))~= nil) }
    }
--- pipelined_requests eval
["GET /t", "GET /off"]
--- response_body eval
["true\n", "true\n"]
--- grep_error_log: lua socket tcp_nodelay
--- grep_error_log_out
lua socket tcp_nodelay


=== an object that was never used has no options
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(select(2, pcall(sock.setoption, sock, "keepalive", true)))
            ngx.say(select(2, pcall(sock.getoption, sock, "keepalive")))
            ngx.say(sock:send("x"))
            ngx.say(sock:setkeepalive())
        }
    }
--- response_body
socket is never created nor connected
socket is never created nor connected
nilclosed
nilclosed



=== every method counts its arguments, the object among them
--- config
    location = /t {
        content_by_lua_block {
            local function count(kind, names)
                for name in names:gmatch("%w+") do
                    local taken = {}
                    for n = 0, 6 do
                        local sock = ngx.socket[kind]()
                        local args = { sock, "127.0.0.1", 1, 1, 1, 1, 1 }
                        local ok, err = pcall(sock[name], unpack(args, 1, n))
                        if ok or not err:find("expecting", 1, true) then
                            taken[#taken + 1] = n
                        end
                    end
                    ngx.say(kind, " ", name, " ", table.concat(taken, " "))
                end
            end
            count("tcp", "connect send receive receiveany close setkeepalive "
                  .. "getreusedtimes")
            count("udp", "setpeername send close")
        }
    }
--- response_body
tcp connect 2 3 4
tcp send 2
tcp receive 1 2
tcp receiveany 2
tcp close 1
tcp setkeepalive 1 2 3
tcp getreusedtimes 1
udp setpeername 2 3
udp send 2
udp close 1



=== the descriptor of a socket, and nothing of TLS without it
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(pcall(sock.getfd, sock))
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            ngx.say(type(sock:getfd()), " ", sock:getfd() > 0)
            ngx.say(sock:getsslpointer())
            ngx.say(sock:getsslctx())
            ngx.say(sock:getsslsession())
            ngx.say(sock:settrustedstore("x"))
            sock:close()
            ngx.say(sock:getfd())
        }
    }
--- response_body
falsesocket is never created nor connected
number true
nilnot an ssl socket
nilnot an ssl socket
nilnot an ssl socket
nilbad store arg: cdata expected, got string
nilclosed



=== what is wrong with an option is told before what is wrong with the socket
--- config
    location /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            local function try(name, ...)
                ngx.say(select(-1, pcall(sock[name], sock, ...)))
            end

            try("setoption") try("setoption", "keepalive")
            try("setoption", "nosuch", 1) try("getoption")
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:close()
            try("setoption", "nosuch", {}) try("setoption", 1.5, 1)
            try("setoption", "keepalive", {}) try("setoption", "keepalive", 1)
            try("getoption") try("getoption", true) try("getoption", "nosuch")
            try("getoption", "keepalive")
            try("receive", {}) try("receive", "*x")
        }
    }
--- response_body
missing the "option" argument
missing the "value" argument
socket is never created nor connected
socket is never created nor connected
unsupported option nosuch
unsupported option 1.5
bad argument #3 to '?' (cannot convert 'table' to 'int')
closed
missing the "option" argument
unsupported option true
unsupported option nosuch
closed
closed
closed
--- error_log
attempt to receive data on a closed socket
