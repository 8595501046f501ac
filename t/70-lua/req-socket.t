=== ngx.req.socket reads the body up to its end
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.req.socket()
            ngx.say(sock:receive(5))
            ngx.say(sock:receiveuntil("o")())
            local data, err, part = sock:receive(9)
            ngx.say(data, " ", err, " ", part)
            ngx.say(sock:receive())
        }
    }
--- request
POST /t
hello world
--- response_body
hello
 w
nil closed rld
nilclosed
--- error_log
attempt to receive data on a closed socket: u:

=== a body is read to its end at once, and again
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.req.socket()
            ngx.say("[", sock:receive("*a"), "]")
            ngx.say("[", sock:receive("*a"), "]")
            ngx.say(sock:receiveany(3))
        }
    }
--- request
POST /t
hello world
--- response_body
[hello world]
[]
nilclosed

=== what is behind the body belongs to the next request
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.req.socket()
            ngx.say(sock:receive("*a"))
        }
    }
--- pipelined_requests eval
["POST /t
one", "POST /t
two, and more"]
--- response_body eval
["one
", "two, and more
"]

=== what is left of the body is dropped
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.req.socket()
            ngx.say(sock:receive(2))
        }
    }
--- pipelined_requests eval
["POST /t
hello", "POST /t
moon"]
--- response_body eval
["he
", "mo
"]

=== a large body comes in pieces
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            local body = ("0123456789"):rep(30000)
            sock:connect("127.0.0.1", ngx.var.server_port)
            sock:send("POST /size HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                      .. "Content-Length: " .. #body .. "\r\n\r\n")
            for i = 1, #body, 50000 do
                sock:send(body:sub(i, i + 49999))
                ngx.sleep(0.01)
            end
            ngx.say((sock:receive("*a"):match("%d+ closed %d+")))
        }
    }
    location = /size {
        content_by_lua_block {
            local sock, n = ngx.req.socket(), 0
            repeat
                local data, err, part = sock:receive(70001)
                n = n + #(data or part)
                if err then ngx.say(n, " ", err, " ", #part) end
            until err
        }
    }
--- response_body
300000 closed 19996

=== who must not read the body himself
--- config
    location = /t {
        content_by_lua_block {
            local ok, err = pcall(ngx.req.socket, 1, 2)
            ngx.say(err)
            ngx.req.read_body()
            ngx.say(ngx.req.socket())
        }
    }
    location = /discard {
        content_by_lua_block {
            ngx.req.discard_body()
            ngx.say(ngx.req.socket())
        }
    }
    location = /twice {
        content_by_lua_block {
            ngx.req.socket()
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data(), " ", ngx.req.socket())
        }
    }
--- pipelined_requests eval
["POST /t
a", "POST /discard
b", "POST /twice
c"]
--- response_body eval
["expecting zero arguments, but got 2
nilrequest body already exists
", "nilrequest body discarded
", "nil nilrequest body already exists
"]

=== a request without a body has none to read
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.req.socket())
        }
    }
--- response_body
nilno body

=== chunked bodies are only for the raw socket
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.req.socket())
        }
    }
--- raw_request eval
"POST /t HTTP/1.1\r
Host: x\r
Transfer-Encoding: chunked\r
Connection: close\r
\r
1\r
a\r
0\r
\r
"
--- response_body
nilchunked request bodies not supported yet

=== a client that waits for it is told to go on
--- config
    location = /t {
        content_by_lua_block {
            ngx.say((ngx.req.socket():receive("*a")))
        }
    }
--- request
POST /t
hello
--- more_headers
Expect: 100-continue
--- error_code: 100
--- response_body_like chomp
200 OK.*hello

=== the limit counts from the last arrival, and reading goes on after it
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", ngx.var.server_port)
            sock:send("POST /slow HTTP/1.0\r\nContent-Length: 9\r\n\r\n")
            for _, text in ipairs { "abc", "def", "ghi" } do
                ngx.sleep(0.6)
                sock:send(text)
            end
            ngx.print((sock:receive("*a"):match("\r\n\r\n(.*)")))
        }
    }
    location = /slow {
        content_by_lua_block {
            local sock = ngx.req.socket()
            sock:settimeout(1500)
            local data, err, part = sock:receive(7)
            ngx.say(data, " ", err, " ", part)
            sock:settimeout(50)
            ngx.say(sock:receive(1))
            data, err, part = sock:receive(9)
            ngx.say(data, " ", err, " ", part)
        }
    }
--- response_body
abcdefg nil nil
h
nil closed i

=== a client that leaves
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", ngx.var.server_port)
            sock:send("POST /cut HTTP/1.0\r\nContent-Length: 9\r\n\r\nabc")
            ngx.sleep(0.05)
            sock:close()
        }
    }
    location = /cut {
        content_by_lua_block {
            local data, err, part = ngx.req.socket():receive("*a")
            ngx.log(ngx.WARN, "cut: ", data, " ", err, " ", part)
        }
    }
--- response_body
--- error_log
cut: nil client aborted abc

=== raw: the answer is what the handler sends
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            local data = sock:receive(5)
            sock:send { "HTTP/1.1 200 OK\r\nContent-Length: ", 6, "\r\n\r\n" }
            sock:send(data .. "!")
        }
    }
--- request
POST /t
hello
--- response_body chomp
hello!

=== raw: nothing else can be said
--- config
    location = /t {
        content_by_lua_block {
            ngx.send_headers()
            ngx.flush(true)
            local sock = ngx.req.socket(true)
            for _, name in ipairs { "say", "print", "eof", "flush" } do
                local ok, err = ngx[name]()
                ngx.log(ngx.WARN, name, ": ", err)
            end
            local again, err = ngx.req.socket(true)
            ngx.log(ngx.WARN, "again: ", err)
            sock:send("2\r\nhi\r\n0\r\n\r\n")
        }
    }
--- response_body chomp
hi
--- error_log
say: raw request socket acquired
print: raw request socket acquired
eof: raw request socket acquired
flush: raw request socket acquired
again: duplicate call

=== raw: not while an answer is on its way
--- config
    location = /t {
        content_by_lua_block {
            ngx.say("a")
            ngx.say(select(2, ngx.req.socket(true)))
        }
    }
--- response_body
a
pending data to write

=== raw: not while HTTP/1.0's answer is counted
--- config
    location = /t {
        content_by_lua_block {
            ngx.say("a")
            ngx.say(select(2, ngx.req.socket(true)))
        }
    }
--- raw_request eval
"GET /t HTTP/1.0\r\n\r\n"
--- response_body
a
http 1.0 buffering

=== raw: not while the body is being read, which nobody waits for at the end
--- config
    location = /t {
        content_by_lua_block {
            ngx.thread.spawn(function () ngx.req.read_body() end)
            local sock, err = ngx.req.socket(true)
            ngx.log(ngx.WARN, "raw: ", err)
            ngx.exit(444)
        }
    }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhell"
--- ignore_response
--- timeout: 2
--- error_log
raw: pending request body reading in some other thread

=== raw: a talk both ways after 101
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", ngx.var.server_port)
            sock:send("GET /echo HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\n\r\nfirst\n")
            sock:receiveuntil("\r\n\r\n")()
            ngx.say(sock:receive())
            local big = ("x"):rep(3000000)
            sock:send(big .. "\n")
            ngx.sleep(0.1)
            ngx.say(#sock:receive())
            sock:close()
        }
    }
    location = /echo {
        content_by_lua_block {
            ngx.status = 101
            ngx.send_headers()
            ngx.flush(true)
            ngx.req.read_body()
            local sock = ngx.req.socket(true)
            repeat
                local line, err = sock:receive()
            until not line or not sock:send(line .. "\n")
        }
    }
--- response_body
first
3000000

=== raw: one thread reads while another writes, and one of them is killed
--- config
    location = /t {
        content_by_lua_block {
            ngx.send_headers()
            ngx.flush(true)
            local sock = ngx.req.socket(true)
            local reader = ngx.thread.spawn(function () sock:receive() end)
            ngx.sleep(0.01)
            ngx.log(ngx.WARN, "busy: ", select(2, sock:receive()))
            ngx.log(ngx.WARN, "kill: ", ngx.thread.kill(reader))
            sock:settimeout(1)
            ngx.log(ngx.WARN, "then: ", select(2, sock:receive()))
            sock:send("0\r\n\r\n")
        }
    }
--- response_body
--- error_log
busy: socket busy reading
kill: 1
then: timeout

=== the object may go before the request does
--- config
    location = /t {
        content_by_lua_block {
            local function begin()
                ngx.say((ngx.req.socket():receive(2)))
            end
            begin()
            collectgarbage()
            ngx.say("done")
        }
    }
--- pipelined_requests eval
["POST /t
hello", "POST /t
moon"]
--- response_body eval
["he
done
", "mo
done
"]

=== a socket is of no use to another request
--- config
    location = /t {
        content_by_lua_block {
            local kept = package.loaded
            if kept.sock then
                return ngx.say(kept.sock:receive(1))
            end
            kept.sock = ngx.req.socket()
            ngx.say("kept")
        }
    }
--- pipelined_requests eval
["POST /t
hello", "POST /t
moon"]
--- response_body eval
["kept
", "nilclosed
"]

=== a client's socket can't become another, but be left
--- config
    location = /t {
        content_by_lua_block {
            local tcp = getmetatable(ngx.socket.tcp())
            local sock = ngx.req.socket()
            ngx.say(select(2, pcall(tcp.setkeepalive, sock)))
            ngx.say(select(2, pcall(tcp.connect, sock, "127.0.0.1", 1)))
            ngx.say(select(2, pcall(tcp.bind, sock, "127.0.0.1")))
            ngx.say(tcp.close(sock), " ", sock:receive(1))
        }
    }
--- pipelined_requests eval
["POST /t
hello", "POST /t
moon"]
--- response_body eval
my $answer = "bad request
bad request
bad request
1 nilclosed
";
[$answer, $answer]



=== a body that the socket reads can be built anew
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.req.socket()
            ngx.req.init_body()
            while true do
                local data = sock:receive(1)
                if not data then break end
                ngx.req.append_body(data:upper())
            end
            ngx.req.append_body("!")
            ngx.req.finish_body()
            ngx.say(ngx.var.http_content_length, " ", ngx.req.get_body_data())
        }
    }
--- request
POST /t
hello
--- response_body
6 HELLO!



=== what it has not read then is dropped
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.req.socket()
            ngx.req.init_body()
            ngx.req.append_body(sock:receive(2))
            ngx.req.finish_body()
            ngx.say("done")
        }
    }
    location = /next { return 200 "next"; }
--- pipelined_requests eval
["POST /t
hello", "GET /next"]
--- response_body eval
["done\n", "next"]



=== its socket may have been dropped, or closed, by then
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.req.socket()
            if ngx.var.arg_close then ngx.socket.tcp().close(sock) end
            sock = nil
            collectgarbage() collectgarbage()
            ngx.req.init_body()
            ngx.req.append_body("new")
            ngx.req.finish_body()
            ngx.say("done")
        }
    }
    location = /next { return 200 "next"; }
--- pipelined_requests eval
["POST /t
hello", "POST /t?close=1
moon", "GET /next"]
--- response_body eval
["done\n", "done\n", "next"]



=== a subrequest has no body to read, which is said at the caller's line
--- config
    location = /t { content_by_lua_block { ngx.print(ngx.location.capture("/sub").body) } }
    location = /sub { content_by_lua_block {
        ngx.say((select(2, pcall(function () return (ngx.req.socket()) end))))
    } }
--- response_body_like: ^content_by_lua\(nginx.conf:\d+\):2: attempt to read the request body in a subrequest$
