receive, receiveany and receiveuntil.

__DATA__


=== a line ends at LF and loses its CR
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            for i = 1, 4 do
                ngx.say("[", sock:receive(), "]")
            end
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "one\r\ntwo\n\nfo\rur\r\n"
--- response_body
[one]
[two]
[]
[four]



=== a line without an end is partial data
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            ngx.say(sock:receive("*l"))
            local line, err, partial = sock:receive("*l")
            ngx.say(line, " ", err, " ", partial)
            ngx.say(sock:receive())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "one\ntw"
--- response_body
one
nil closed tw
nilclosed



=== *a reads to the end
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            local data = sock:receive("*a")
            ngx.say(#data, " ", data:sub(1, 3), " ", data:sub(-3))
            ngx.say("[", sock:receive("*a"), "] ", sock:receive())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "abc" . "x" x 100000 . "xyz"
--- response_body
100006 abc xyz
[] nilclosed



=== a number reads exactly that many bytes
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            ngx.say(sock:receive(3), " ", sock:receive("2"), " ", sock:receive(0))
            local data, err, partial = sock:receive(10)
            ngx.say(data, " ", err, " ", partial)
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: hello world
--- response_body eval
"hel lo \nnil closed  world\n"



=== more than the buffer holds comes in one piece
--- config
    lua_socket_buffer_size 1;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            ngx.say(#sock:receive(50000), " ", sock:receive(), " ", sock:receive())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "y" x 50000 . "rest\nline\n"
--- response_body
50000 rest line



=== receiveany returns what there is, and no more than it may
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            ngx.say(sock:receiveany(5))
            ngx.say(sock:receiveany(100))
            local data, err = sock:receiveany(1)
            ngx.say(data, " ", err)
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: hello world
--- response_body
hello
 world
nil closed



=== a time-out keeps what has come, and the connection
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            assert(sock:send("GET /slow HTTP/1.0\r\n\r\n"))
            sock:receiveuntil("\r\n\r\n")()
            sock:settimeout(30)
            local data, err, partial = sock:receive(10)
            ngx.say(data, " ", err, " ", partial)
            sock:settimeout(20000)
            ngx.say(sock:receive(5))
        }
    }
    location = /slow {
        lua_http10_buffering off;
        content_by_lua_block {
            ngx.print("hello")
            ngx.flush(true)
            ngx.sleep(0.2)
            ngx.print("world")
        }
    }
--- response_body
nil timeout hello
world



=== a time-out is logged
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:settimeouts(1000, 1000, 1)
            local data, err, partial = sock:receive()
            ngx.say(data, " ", err, " [", partial, "]")
        }
    }
--- response_body
nil timeout []
--- error_log
lua tcp socket read timed out



=== the configured time-out counts when none is set
--- config
    lua_socket_read_timeout 1ms;
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            local data, err = sock:receive()
            ngx.say(data, " ", err)
        }
    }
--- response_body
nil timeout



=== receiveuntil reads up to the pattern and skips it
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            local reader = sock:receiveuntil("--abc")
            for i = 1, 3 do
                local data, err, partial = reader()
                ngx.say(data, " ", err, " ", partial)
            end
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: hello, world ------abc--abcrest
--- response_body
hello, world ---- nil nil
 nil nil
nil closed rest



=== a pattern may be cut by what the network delivers
--- config
    lua_socket_buffer_size 1;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            local reader = sock:receiveuntil("abcabd")
            ngx.say(reader())
            ngx.say(sock:receive("*a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
["xabc", "ab", "cab", "d!"]
--- response_body
xabc
!



=== inclusive keeps the pattern
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            local reader = sock:receiveuntil("--", { inclusive = true })
            ngx.say(reader(), " ", reader(), " ", sock:receive("*a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: one--two--end
--- response_body
one-- two-- end



=== with a size the data comes in pieces, and its end is three nils
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            local reader = sock:receiveuntil("\r\n--abcedhb")
            for i = 1, 8 do
                local data, err, partial = reader(4)
                ngx.say("[", data, "] ", err, " ", partial)
            end
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "hello, world! -agentzh\r\n--abcedhb blah"
--- response_body
[hell] nil nil
[o, w] nil nil
[orld] nil nil
[! -a] nil nil
[gent] nil nil
[zh] nil nil
[nil] nil nil
[ bla] nil nil



=== a piece may be longer when a false match is given up
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            local reader = sock:receiveuntil("ab1ab2")
            ngx.say(reader(2), " ", reader(2))
            ngx.say(reader(2), " ", reader(2))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: ab1ab1xyzab1ab2
--- response_body
ab1 ab1
xy z



=== after a piece, what may begin the pattern is anybody's
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("q"))
            local reader = sock:receiveuntil("--abc")
            for i = 1, 4 do
                ngx.say("[", reader(2), "] ", sock:receive(1))
            end
            ngx.say(reader(2))
            ngx.say(reader(2))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: ----abc----abc-
--- response_body
[--] -
[-a] b
[c-] -
[] -
nilnilnil
nilclosed



=== a time-out in the middle of a pattern loses nothing
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            assert(sock:send("GET /slow HTTP/1.0\r\n\r\n"))
            sock:receiveuntil("\r\n\r\n")()
            sock:settimeout(100)
            local reader = sock:receiveuntil("--abc")
            local data, err, partial = reader()
            ngx.say(data, " ", err, " ", partial)
            sock:settimeout(20000)
            ngx.say(reader())
        }
    }
    location = /slow {
        lua_http10_buffering off;
        content_by_lua_block {
            ngx.print("rest--a")
            ngx.flush(true)
            ngx.sleep(0.3)
            ngx.print("bX--abc")
        }
    }
--- response_body
nil timeout rest
--abX



=== an empty pattern is refused
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(sock:receiveuntil(""))
        }
    }
--- response_body
nilpattern is empty



=== wrong arguments throw
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            for _, arg in ipairs{"*x", "foo", -1, true} do
                ngx.say(pcall(sock.receive, sock, arg))
            end
            ngx.say(pcall(sock.receiveany, sock, 0))
            ngx.say(pcall(sock.receive, sock, 1, 2))
            ngx.say(pcall(sock.receiveuntil, sock, "x", { inclusive = 1 }))
            ngx.say(pcall(sock.receiveuntil, sock))
        }
    }
--- response_body
falsebad argument #2 to '?' (bad pattern argument)
falsebad argument #2 to '?' (bad pattern argument: foo)
falsebad argument #2 to '?' (bad pattern argument)
falsebad argument #2 to '?' (bad pattern argument)
falsebad argument #2 to '?' (bad max argument)
falseexpecting 1 or 2 arguments (including the object), but got 3
falsebad "inclusive" option value type: number
falseexpecting 2 or 3 arguments (including the object), but got 1



=== receive takes *l, *a, and numbers
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
            local function try(...)
                ngx.say((select(2, pcall(sock.receive, sock, ...))))
            end
            try(nil) try(true) try("l") try("*all") try("*x") try("")
        }
    }
--- response_body
bad argument #2 to '?' (bad pattern argument)
bad argument #2 to '?' (bad pattern argument)
bad argument #2 to '?' (bad pattern argument: l)
bad argument #2 to '?' (bad pattern argument: *all)
bad argument #2 to '?' (bad pattern argument)
bad argument #2 to '?' (bad pattern argument: )



=== receiveuntil counts its arguments, and so does what it returns
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
            local function try(...)
                ngx.say((select(2, pcall(...))))
            end
            try(sock.receiveuntil)
            try(sock.receiveuntil, sock)
            try(sock.receiveuntil, sock, nil)
            try(sock.receiveuntil, sock, "x", nil)
            try(sock.receiveuntil, sock, "x", {}, 1)
            local read = sock:receiveuntil("x")
            try(read, 1, 2)
            try(read, nil)
            try(read, "y")
            try(function () read {} end)
        }
    }
--- response_body
expecting 2 or 3 arguments (including the object), but got 0
expecting 2 or 3 arguments (including the object), but got 1
bad argument #2 to 'receiveuntil' (string expected, got nil)
bad argument #3 to 'receiveuntil' (table expected, got nil)
expecting 2 or 3 arguments (including the object), but got 4
expecting 0 or 1 arguments, but seen 2
bad argument #1 to '?' (number expected, got nil)
bad argument #1 to '?' (number expected, got string)
content_by_lua(nginx.conf:40):16: bad argument #1 to 'read' (number expected, got table)



=== less than no bytes of receiveuntil is all, and its end is not logged
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            sock:send("ask")
            local read = sock:receiveuntil("--")
            ngx.say(read(-1))
            ngx.say(read())
            ngx.say(read())
            sock:close()
            ngx.say(read())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query: ask
--- tcp_reply: one--two
--- response_body
one
nilclosedtwo
nilclosed
nilclosed
--- no_error_log
[error]
