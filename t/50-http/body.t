# Known attacks of this kind: CVE-2016-4450.

__DATA__


=== a body that came with the header is there
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- request
POST /t
hello
--- response_body
hello



=== a body of one byte is one
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- request
POST /t
x
--- response_body
x



=== a body that comes later, in pieces
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nConnection: close\r\n\r\n",
"ab", "c", "def"]
--- raw_request_middle_delay: 0.005
--- response_body
abcdef



=== a body as large as client_body_buffer_size stays in memory
--- config
    client_body_buffer_size 8k;
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(#ngx.req.get_body_data(), ngx.req.get_body_file())
        }
    }
--- request eval
"POST /t\n" . ("x" x 8192)
--- response_body
8192nil
--- no_error_log
buffered to a temporary file



=== a larger one goes to a file, and the log says so
--- config
    client_body_buffer_size 4k;
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            local f = assert(io.open(ngx.req.get_body_file(), "rb"))
            local text = f:read("*a")
            f:close()
            ngx.say(ngx.req.get_body_data(), " ", #text, " ",
                    text == ("0123456789"):rep(5000))
        }
    }
--- request eval
"POST /t\n" . ("0123456789" x 5000)
--- response_body
nil 50000 true
--- error_log
[warn]
a client request body is buffered to a temporary file



=== the file is gone after the request
--- config
    client_body_buffer_size 1k;
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.shared.s:set("name", ngx.req.get_body_file())
            ngx.say("read")
        }
    }
    location = /look {
        content_by_lua_block {
            ngx.say(io.open(ngx.shared.s:get("name")) == nil)
        }
    }
--- http_config
    lua_shared_dict s 100k;
--- request eval
["POST /t\n" . ("x" x 9000), "GET /look"]
--- response_body eval
["read\n", "true\n"]



=== client_body_in_file_only puts every body into a file
--- config
    client_body_in_file_only clean;
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            local f = assert(io.open(ngx.req.get_body_file(), "rb"))
            ngx.say(f:read("*a"))
            f:close()
        }
    }
--- request
POST /t
small
--- response_body
small
--- no_error_log
[warn]



=== no body is no body
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data(), ngx.req.get_body_file())
        }
    }
--- response_body
nilnil



=== more than client_max_body_size is refused before it is read
--- config
    location = /t { client_max_body_size 10; return 200 "ok"; }
--- request
POST /t
12345678901
--- error_code: 413
--- response_headers
Connection: close
--- error_log
client intended to send too large body: 11 bytes



=== as much as that is fine
--- config
    location = /t { client_max_body_size 10; return 200 "ok"; }
--- request
POST /t
1234567890
--- response_body: ok



=== client_max_body_size 0 has no limit
--- config
    location = /t {
        client_max_body_size 0;
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.var.content_length)
        }
    }
--- request eval
"POST /t\n" . ("x" x 1200000)
--- response_body
1200000



=== a Content-Length that is none is bad
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: 3x\r\n\r\nabc"
--- error_code: 400
--- error_log
client sent invalid "Content-Length" header



=== a negative one as well
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\nabc"
--- error_code: 400
--- error_log
client sent invalid "Content-Length" header



=== and one that does not fit into a number
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nabc"
--- error_code: 400
--- error_log
client sent invalid "Content-Length" header



=== two lengths are one too many, even if they agree
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"
--- error_code: 400
--- error_log
client sent duplicate header line: "Content-Length: 3", previous value: "Content-Length: 3"



=== a length and a coding are a contradiction
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
--- error_code: 400
--- error_log
client sent "Content-Length" and "Transfer-Encoding" headers at the same time



=== a client that leaves in the middle of its body is a 400 in the log
--- config
    access_log logs/access.log;
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.log(ngx.ERR, "not reached")
        }
    }
    location = /go {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send("POST /t HTTP/1.1\r\nHost: a\r\n"
                             .. "Content-Length: 9\r\n\r\nabc"))
            sock:close()
            ngx.say("left")
        }
    }
--- request
GET /go
--- response_body
left
--- error_log
client prematurely closed connection
--- access_log
"POST /t HTTP/1.1" 400 0
--- no_error_log
not reached



=== a body of no bytes is a file, where bodies are
--- config
    client_body_in_file_only clean;
    location = /see { return 200 "[$http_x_file][$http_content_length]"; }
    location = /t { proxy_set_header X-File $request_body_file; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/see; }
--- request eval
["POST /t\n", "GET /t"]
--- more_headers eval
["Content-Length: 0", ""]
--- response_body_like eval
[qr/^\[.+\d+\]\[0\]$/, qr/^\[\]\[\]$/]
