__DATA__


=== a body is there after it was read
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.req.get_body_data())
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data(), " ", ngx.req.get_body_file())
        }
    }
--- request
POST /t
hello, world
--- response_body
nil
hello, world nil



=== a part of the body is enough
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data(5), " ", ngx.req.get_body_data(99),
                    " ", ngx.req.get_body_data(0))
        }
    }
--- request
POST /t
hello, world
--- response_body
hello hello, world hello, world



=== no body is nil
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data(), " ", ngx.req.get_body_file())
        }
    }
--- response_body
nil nil



=== a body that comes in chunks
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n",
 "Connection: close\r\n\r\n5\r\nhello\r\n", "3\r\n, x\r\n0\r\n\r\n"]
--- raw_request_middle_delay: 0.02
--- response_body
hello, x



=== a large body is in a file
--- config
    location /t {
        client_body_buffer_size 1k;
        content_by_lua_block {
            ngx.req.read_body()
            local name = ngx.req.get_body_file()
            local f = io.open(name, "rb")
            ngx.say(ngx.req.get_body_data(), " ", #f:read("*a"))
            f:close()
        }
    }
--- request eval
"POST /t\n" . ("a" x 5000)
--- response_body
nil 5000



=== several threads may wait for it
--- config
    location /t {
        content_by_lua_block {
            local function read()
                ngx.req.read_body()
                return ngx.req.get_body_data()
            end
            local a, b = ngx.thread.spawn(read), ngx.thread.spawn(read)
            ngx.say(select(2, ngx.thread.wait(a)), " ",
                    select(2, ngx.thread.wait(b)))
        }
    }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhe",
 "llo"]
--- raw_request_middle_delay: 0.05
--- response_body
hello hello



=== a body that is too large is not read
--- config
    location /t {
        client_max_body_size 3;
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say("not reached")
        }
    }
--- request
POST /t
hello
--- error_code: 413



=== a chunked body that grows too large ends the handler
--- config
    location /t {
        client_max_body_size 6;
        content_by_lua_block {
            ngx.req.read_body()
            ngx.log(ngx.ERR, "not reached")
        }
    }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n",
 "Connection: close\r\n\r\n5\r\nhello\r\n", "5\r\nworld\r\n0\r\n\r\n"]
--- raw_request_middle_delay: 0.02
--- error_code: 413
--- no_error_log
not reached



=== a client that leaves ends the handler
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.log(ngx.ERR, "not reached")
        }
        log_by_lua_block { ngx.log(ngx.WARN, "status ", ngx.status) }
    }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nhello"
--- timeout: 0.2
--- abort
--- ignore_response
--- error_log
status 400
--- no_error_log
not reached



=== a body can be thrown away
--- config
    location /t {
        content_by_lua_block {
            ngx.req.discard_body()
            ngx.say(ngx.req.get_body_data())
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
            ngx.say(next(ngx.req.get_post_args()))
        }
    }
--- pipelined_requests eval
["POST /t\na=1", "POST /t\na=2"]
--- response_body eval
["nil\nnil\nnil\n", "nil\nnil\nnil\n"]



=== what was thrown away is none until it is read
--- config
    location /t {
        content_by_lua_block {
            ngx.req.discard_body()
            ngx.say(select(2, pcall(ngx.req.get_post_args)))
            ngx.req.read_body()
            ngx.say(next(ngx.req.get_post_args()))
        }
    }
--- request
POST /t
a=1
--- response_body
no request body found; maybe you should turn on lua_need_request_body?
nil



=== nor is one that nobody wanted
--- config
    location /t {
        return 200 "answered";
        log_by_lua_block {
            ngx.log(ngx.WARN, select(2, pcall(ngx.req.get_post_args)))
        }
    }
--- request
POST /t
a=1
--- error_log
no request body found; maybe you should turn on lua_need_request_body?



=== while it is being thrown away, it cannot be replaced
--- config
    location /t {
        content_by_lua_block {
            ngx.req.discard_body()
            ngx.say(select(2, pcall(ngx.req.set_body_data, "a")))
            ngx.say((pcall(ngx.req.get_post_args)))
        }
    }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" .
 "Content-Length: 5\r\n\r\nab", "cde"]
--- raw_request_middle_delay: 0.2
--- response_body
request body already discarded asynchronously
false



=== another body in its place
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.set_body_data("a=new")
            ngx.say(ngx.req.get_body_data(), " ", ngx.var.http_content_length,
                    " ", ngx.req.get_post_args().a, " ", ngx.var.request_body)
        }
    }
--- request
POST /t
a=something old
--- response_body
a=new 5 new a=new



=== an empty one
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.set_body_data("")
            ngx.say(ngx.req.get_body_data(), " ", ngx.var.http_content_length)
        }
    }
--- request
POST /t
hello
--- response_body
nil 0



=== what was not read cannot be replaced
--- config
    location /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(ngx.req.set_body_data, "a")))
            ngx.say(select(2, pcall(ngx.req.init_body)))
            ngx.req.discard_body()
            ngx.say(select(2, pcall(ngx.req.set_body_data, "a")))
        }
    }
--- request
POST /t
hello
--- response_body
request body not read yet
request body not read yet
request body not read yet



=== a file as the body
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            local name = ngx.var.document_root .. "/f.txt"
            ngx.req.set_body_file(name)
            ngx.say(ngx.req.get_body_file() == name, " ",
                    ngx.req.get_body_data(), " ", ngx.var.http_content_length)
        }
    }
--- user_files
>>> f.txt
abc
--- request
POST /t
hello
--- response_body
true nil 4



=== a file that is to go afterwards
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.set_body_file(ngx.var.document_root .. "/f.txt", true)
            ngx.say("fine")
        }
    }
    location /look {
        content_by_lua_block {
            ngx.say(io.open(ngx.var.document_root .. "/f.txt"))
        }
    }
--- user_files
>>> f.txt
abc
--- pipelined_requests eval
["POST /t\nhello", "GET /look"]
--- response_body_like eval
["fine", "nil.*f.txt"]



=== a file that is not there throws
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(select(2, pcall(ngx.req.set_body_file, "no/such")))
        }
    }
--- request
POST /t
hello
--- response_body_like: ^stat\(\) "no/such" failed$



=== a body made of pieces
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.init_body()
            for i = 1, 3 do ngx.req.append_body("piece " .. i .. ",") end
            ngx.req.finish_body()
            ngx.say(ngx.req.get_body_data(), " ", ngx.var.http_content_length)
        }
    }
--- request
POST /t
hello
--- response_body
piece 1,piece 2,piece 3, 24



=== many pieces are in a file
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.init_body(100)
            for i = 1, 30 do ngx.req.append_body("0123456789") end
            ngx.req.finish_body()
            local f = io.open(ngx.req.get_body_file(), "rb")
            ngx.say(ngx.req.get_body_data(), " ", #f:read("*a"))
            f:close()
        }
    }
--- request
POST /t
hello
--- response_body
nil 300
--- error_log
a client request body is buffered to a temporary file



=== a piece that comes late is the body's as well
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.init_body(100)
            ngx.req.append_body("one")
            ngx.req.finish_body()
            ngx.say(ngx.req.get_body_data())
            ngx.req.append_body(",two")
            ngx.say(ngx.req.get_body_data(), " ",
                    ngx.req.get_headers()["content-length"])
            ngx.req.finish_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- request
POST /t
x
--- response_body
one
one,two 7
one,two



=== late pieces, many, and those that need a file
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.init_body(30000)
            ngx.req.finish_body()
            for i = 1, 3000 do
                ngx.req.append_body("0123456789")
            end
            ngx.say(#ngx.req.get_body_data())
            ngx.req.append_body("x")
            ngx.say(#ngx.req.get_body_data(), " ", ngx.req.get_body_file())
            ngx.req.finish_body()
            ngx.say(ngx.req.get_body_data(), " ",
                    #io.open(ngx.req.get_body_file()):read("*a"))
        }
    }
--- request
POST /t
x
--- response_body
30000
30000 nil
nil 30001



=== a late piece while the body is being sent
--- config
    location = /echo {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_headers()["content-length"], " ",
                    #ngx.req.get_body_data())
        }
    }
    location = /proxy {
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/echo;
    }
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.init_body(100000)
            ngx.req.append_body(("a"):rep(4000))
            ngx.req.finish_body()
            local capture = ngx.thread.spawn(function ()
                return ngx.location.capture("/proxy",
                                            { method = ngx.HTTP_POST })
            end)
            for i = 1, 10 do
                ngx.req.append_body(("b"):rep(4000))
            end
            ngx.print(select(2, ngx.thread.wait(capture)).body)
            ngx.say(#ngx.req.get_body_data())
        }
    }
--- request
POST /t
x
--- response_body
4000 4000
44000



=== a body that is set leaves no place for late pieces
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.init_body(100)
            ngx.req.append_body("one")
            ngx.req.finish_body()
            ngx.req.set_body_data("other")
            ngx.say(select(2, pcall(ngx.req.append_body, ",two")))
            ngx.say(ngx.req.get_body_data())
        }
    }
--- request
POST /t
x
--- response_body
request_body not initialized
other



=== pieces need a begin
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(select(2, pcall(ngx.req.append_body, "x")))
            ngx.say(select(2, pcall(ngx.req.finish_body)))
        }
    }
--- response_body
request_body not initialized
request_body not initialized



=== reading is not for every phase
--- config
    location /t {
        header_filter_by_lua_block {
            ngx.header.x_error = select(2, pcall(ngx.req.read_body))
        }
        content_by_lua_block { ngx.say("fine") }
    }
--- response_body
fine
--- response_headers
x-error: API disabled in the context of header_filter_by_lua*



=== a body without room in memory is a file
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.init_body(0)
            ngx.req.append_body("hello")
            ngx.req.finish_body()
            ngx.say(ngx.req.get_body_data(), " ",
                    io.open(ngx.req.get_body_file()):read("*a"))
        }
    }
--- request
POST /t
x
--- response_body
nil hello



=== a file that gave its place to another is deleted with its body
--- config
    location = /t {
        content_by_lua_block {
            local dir = ngx.var.document_root
            ngx.req.read_body()
            ngx.req.set_body_file(dir .. "/a.txt", true)
            ngx.req.set_body_file(dir .. "/b.txt", true)
            ngx.say(io.open(dir .. "/a.txt") and "a", " ",
                    io.open(dir .. "/b.txt") and "b")
        }
    }
--- user_files
>>> a.txt
a
>>> b.txt
b
--- request
POST /t
x
--- response_body
nil b



=== functions of the body count their arguments
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            local function try(name, ...)
                ngx.say((select(2, pcall(ngx.req[name], ...))))
            end
            try("read_body", 1)
            try("discard_body", 1)
            try("get_body_file", 1)
            try("set_body_data")
            try("set_body_file", "a", "b")
            try("set_body_file", "a", true, 1)
            try("init_body", 1, 2)
            try("init_body", "x")
            try("append_body")
            try("finish_body", 1)
            try("get_post_args", "x")
            try("get_post_args", 1, 2)
            try("set_uri_args", "a", "b")
        }
    }
--- request
POST /t
hello
--- response_body
expecting 0 arguments but seen 1
expecting 0 arguments but seen 1
expecting 0 arguments but seen 1
expecting 1 arguments but seen 0
bad argument #2 to 'set_body_file' (boolean expected, got string)
expecting 1 or 2 arguments but seen 3
expecting 0 or 1 argument but seen 2
bad argument #1 to 'init_body' (number expected, got string)
expecting 1 arguments but seen 0
expecting 0 argument but seen 1
bad argument #1 to 'get_post_args' (number expected, got string)
expecting 0 or 1 arguments but seen 2
expecting 1 argument but seen 2



=== an empty body that was announced is there
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data(), " ", ngx.var.request_body)
        }
    }
--- request eval
["POST /t\n", "GET /t"]
--- more_headers eval
["Content-Length: 0", ""]
--- response_body eval
["nil \n", "nil nil\n"]



=== two pages and a quarter are in memory, if nobody says otherwise
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_file() and "a file" or "memory")
        }
    }
--- request eval
["POST /t\n" . ("x" x 10000), "POST /t\n" . ("x" x 10300)]
--- response_body eval
["memory\n", "a file\n"]



=== a body that is not read is told before arguments of a wrong type
--- config
    location /t {
        content_by_lua_block {
            local req = ngx.req
            local function try(name, ...)
                ngx.say(select(2, pcall(req[name], ...)))
            end

            try("init_body", {}) try("init_body", -1)
            try("set_body_file", "/x", 1)
            req.read_body()
            try("init_body", {}) try("init_body", -1)
            try("set_body_file", "/x", 1)
        }
    }
--- request
POST /t
hello
--- response_body
request body not read yet
request body not read yet
request body not read yet
bad argument #1 to 'init_body' (number expected, got table)
bad size argument: -1
bad argument #2 to 'set_body_file' (boolean expected, got number)
