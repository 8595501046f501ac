# What a FastCGI server is sent, and what becomes of what it answers, record by
# record: the server is a mock.

__DATA__


=== a status line among the header's is passed over
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\1\6\0\1\0\x2f\0\0HTTP/1.1 404 Not Found\r\nX: y\r\nStatus: 201\r\n\r\nok\1\3\0\1\0\x08\0\0\0\0\0\0\0\0\0\0"
--- error_code: 201
--- response_headers
X: y
--- response_body eval: "ok"



=== an answer in one record
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x1e\x03\x00Content-Type: text/plain\r\n\r\nok\x00\x00\x00\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "ok"
--- response_headers
Content-Type: text/plain
--- no_error_log
[error]



=== a header that is cut by records, and a body too
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\n\x00\x00Content-Ty\x01\x07\x00\x01\x00\x00\x00\x00\x01\x06\x00\x01\x00\x0b\x07\x00pe: text/x\r\x00\x00\x00\x00\x00\x00\x00\x01\x06\x00\x01\x00\x02\x00\x00\n\r\x01\x06\x00\x01\x00\x03\x00\x00\nab\x01\x06\x00\x01\x00\x02\x00\x00cd\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "abcd"
--- response_headers
Content-Type: text/x



=== an answer that comes byte by byte
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
["\x01", "\x06", "\x00", "\x01", "\x00", "\x1f", "\x05", "\x00", "C", "o", "n", "t", "e", "n", "t", "-", "T", "y", "p", "e", ":", " ", "t", "e", "x", "t", "/", "p", "l", "a", "i", "n", "\r", "\n", "\r", "\n", "a", "b", "c", "\x00", "\x00", "\x00", "\x00", "\x00", "\x01", "\x06", "\x00", "\x01", "\x00", "\x02", "\x00", "\x00", "d", "e", "\x01", "\x06", "\x00", "\x01", "\x00", "\x00", "\x00", "\x00", "\x01", "\x03", "\x00", "\x01", "\x00", "\x08", "\x00", "\x00", "\x00", "\x00", "\x00", "\x00", "\x00", "\x00", "\x00", "\x00"]
--- response_body eval: "abcde"



=== the status of an answer
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x19\x00\x00Status: 404 Not here\r\n\r\nx\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "x"
--- error_code: 404



=== a status without a text
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x10\x00\x00Status: 403\r\n\r\nx\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "x"
--- error_code: 403



=== a place to go to without a status
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x14\x00\x00Location: /other\r\n\r\n\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: ""
--- response_headers
Location: /other
--- error_code: 302



=== a status that is none
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x0f\x00\x00Status: abc\r\n\r\n\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- error_code: 502
--- error_log
upstream sent invalid status "abc"



=== a line that is none
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x19\x00\x00Status: 200\r\nno colon\r\n\r\n\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- error_code: 502
--- error_log
upstream sent invalid header: "no\x20



=== another version
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x02\x06\x00\x01\x00\x01\x00\x00x"
--- error_code: 502
--- error_log
upstream sent unsupported FastCGI protocol version: 2



=== a record of a type that is a request's
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x05\x00\x01\x00\x01\x00\x00x"
--- error_code: 502
--- error_log
upstream sent invalid FastCGI record type: 5



=== a record of another request
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x02\x00\x00\x00\x00"
--- error_code: 502
--- error_log
upstream sent unexpected FastCGI request id low byte: 2



=== HTTP in place of records
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\r\n\r\n"
--- error_code: 502
--- error_log
upstream sent unsupported FastCGI protocol version: 72



=== a body in chunks is sent while it comes
--- config
    location = /f { fastcgi_request_buffering off; fastcgi_pass 127.0.0.1:$TEST_NGINX_STREAM_PORT; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:settimeout(20000)
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("POST /f HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n")
            ngx.say(sock:receiveuntil("seen")() and "in time")
        }
    }
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        sock:receiveuntil("first")()
        sock:send("\1\6\0\1\0\32\0\0Content-Type: text/plain\r\n\r\nseen\1\3\0\1\0\8\0\0\0\0\0\0\0\0\0\0")
        sock:receiveany(10)
    }
--- request
GET /t
--- response_body
in time
--- timeout: 30



=== no output at all
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x07\x00\x01\x00\x16\x00\x00PHP message: it broke\n\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- error_code: 502
--- error_log
FastCGI sent in stderr: "PHP message: it broke"
upstream prematurely closed FastCGI stdout



=== an end before a header
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- error_code: 502
--- error_log
upstream sent unexpected FastCGI record: 3



=== a connection that ends before a header
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x08\x00\x00Content-"
--- error_code: 502
--- error_log
upstream prematurely closed connection



=== errors beside an answer
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x07\x00\x01\x00\x05\x00\x00one. \x01\x06\x00\x01\x00\x1d\x00\x00Content-Type: text/plain\r\n\r\na\x01\x07\x00\x01\x00\x05\x00\x00two\r\n\x01\x06\x00\x01\x00\x01\x00\x00b\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "ab"
--- error_log
FastCGI sent in stderr: "one"
FastCGI sent in stderr: "two"



=== of an error that is long, its beginning
--- config
    location = /t { fastcgi_buffer_size 4k; fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x07\x00\x01\x75\x30\x00\x00" . ("long " x 6000) . "\x01\x07\x00\x01\x00\x03\x00\x00two\x01\x06\x00\x01\x00\x1d\x00\x00Content-Type: text/plain\r\n\r\na\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "a"
--- error_log
FastCGI sent in stderr: "long long long
FastCGI sent in stderr: "two"



=== errors that make an answer one
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; fastcgi_catch_stderr "Fatal error"; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x07\x00\x01\x00\x12\x00\x00PHP Fatal error: x\x01\x06\x00\x01\x00\x1d\x00\x00Content-Type: text/plain\r\n\r\na\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- error_code: 502
--- error_log
FastCGI sent in stderr: "PHP Fatal error: x"



=== errors that nobody catches
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; fastcgi_catch_stderr "Fatal error"; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x07\x00\x01\x00\r\x00\x00PHP Notice: x\x01\x06\x00\x01\x00\x1d\x00\x00Content-Type: text/plain\r\n\r\na\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "a"



=== a header that is too big
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x13\x8f\x00\x00X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n\r\n\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- error_code: 502
--- error_log
upstream sent too big header



=== more of a body than was promised
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x19\x00\x00Content-Length: 2\r\n\r\nabcd\x01\x06\x00\x01\x00\x02\x00\x00ef\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "ab"
--- error_log
upstream sent more data than specified in "Content-Length" header



=== less of a body than was promised
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x17\x00\x00Content-Length: 5\r\n\r\nab\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- ignore_response
--- error_log
upstream prematurely closed FastCGI stdout



=== a connection that ends within a body
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x1e\x00\x00Content-Type: text/plain\r\n\r\nab\x01\x06\x00\x01\x00\x01\x00\x00"
--- ignore_response
--- error_log
upstream prematurely closed connection



=== an answer to HEAD has no body
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x1a\x00\x00Content-Length: 5\r\n\r\nabcde\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- request
HEAD /t
--- response_body eval: ""
--- response_headers
Content-Length: 5
--- no_error_log
[warn]



=== lengths that are two
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00)\x00\x00Content-Length: 1\r\nContent-Length: 1\r\n\r\na\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- error_code: 502
--- error_log
upstream sent duplicate header line: "Content-Length: 1", previous value: "Content-Length: 1"



=== what a server is sent
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; fastcgi_pass_request_headers off; fastcgi_param HTTP_HOST ""; fastcgi_param METHOD $request_method; fastcgi_param LONG "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00\x96\x02\x00\x06\x03METHODGET\x04\x80\x00\x00\x82LONGxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\x00\x00\x01\x04\x00\x01\x00\x00\x00\x00\x01\x05\x00\x01\x00\x00\x00\x00"
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x1e\x00\x00Content-Type: text/plain\r\n\r\nok\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "ok"



=== what a server is sent of a body
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; fastcgi_pass_request_headers off; fastcgi_param HTTP_HOST ""; fastcgi_param LENGTH $content_length; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00\x09\x07\x00\x06\x01LENGTH5\x00\x00\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00\x00\x00\x00\x01\x05\x00\x01\x00\x05\x00\x00hello\x01\x05\x00\x01\x00\x00\x00\x00"
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x1e\x00\x00Content-Type: text/plain\r\n\r\nok\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- request
POST /t
hello
--- response_body eval: "ok"



=== a body that is not passed
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; fastcgi_pass_request_headers off; fastcgi_param HTTP_HOST ""; fastcgi_pass_request_body off; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00\x00\x00\x00\x01\x05\x00\x01\x00\x00\x00\x00"
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x1e\x00\x00Content-Type: text/plain\r\n\r\nok\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- request
POST /t
hello
--- response_body eval: "ok"



=== a value that is empty, if it may be
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; fastcgi_pass_request_headers off; fastcgi_param HTTP_HOST ""; fastcgi_param A ""; fastcgi_param B "" if_not_empty; fastcgi_param C c if_not_empty; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00\x07\x01\x00\x01\x00A\x01\x01Cc\x00\x01\x04\x00\x01\x00\x00\x00\x00\x01\x05\x00\x01\x00\x00\x00\x00"
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x1e\x00\x00Content-Type: text/plain\r\n\r\nok\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "ok"



=== a connection that may serve others
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; fastcgi_pass_request_headers off; fastcgi_param HTTP_HOST ""; fastcgi_keep_conn on; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00\x00\x00\x00\x01\x05\x00\x01\x00\x00\x00\x00"
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x1e\x00\x00Content-Type: text/plain\r\n\r\nok\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body eval: "ok"



=== the client's header, and what replaces it
--- config
    location = /t {
        fastcgi_param HTTP_HOST h;
        fastcgi_param HTTP_X_B "" if_not_empty;
        fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- raw_request eval: "GET /t HTTP/1.0\r\nHost: x\r\nX-a: 1\r\nX-B: 2\r\nx-A: 3\r\nCookie: c=1\r\nCookie: d\r\n\r\n"
--- tcp_query eval: "\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01\x04\x00\x01\x00-\x03\x00\x09\x01HTTP_HOSTh\x08\x04HTTP_X_A1, 3\x0b\x06HTTP_COOKIEc=1; d\x00\x00\x00\x01\x04\x00\x01\x00\x00\x00\x00\x01\x05\x00\x01\x00\x00\x00\x00"
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x1e\x00\x00Content-Type: text/plain\r\n\r\nok\x01\x06\x00\x01\x00\x00\x00\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
--- response_body: ok



=== scripts, what stands behind them, and an index
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            fastcgi_index i.php;
            return 200 "$fastcgi_script_name [$fastcgi_path_info]";
        }
        location /s/ {
            fastcgi_split_path_info ^(.+\.php)(/.*)$;
            fastcgi_index i.php;
            return 200 "$fastcgi_script_name [$fastcgi_path_info]";
        }
    }
--- config
    location ~ ^/ { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request eval
["GET /a.php/b", "GET /x/", "GET /s/a.php/b/c", "GET /s/a.php", "GET /s/"]
--- response_body eval
["/a.php/b []", "/x/i.php []", "/s/a.php [/b/c]", "/s/a.php []", "/s/i.php []"]



=== a pattern without two groups
--- config
    location /t { fastcgi_split_path_info ^(.+)$; }
--- must_die
--- error_log
pattern "^(.+)$" must have 2 captures



=== a parameter of a parameter
--- config
    location /t { fastcgi_param A b c; }
--- must_die
--- error_log
invalid parameter "c"



=== an address without a port
--- config
    location /t { fastcgi_pass 127.0.0.1; }
--- must_die
--- error_log
no port in upstream "127.0.0.1"



=== conditions of the client do not reach a server whose answers are kept
--- http_config
    fastcgi_cache_path cache keys_zone=one:1m;
--- config
    location = /t {
        fastcgi_cache one;
        fastcgi_cache_key $uri;
        fastcgi_param HTTP_RANGE mine;
        fastcgi_param HTTP_HOST "" if_not_empty;
        fastcgi_param HTTP_CONNECTION "" if_not_empty;
        fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- more_headers
If-None-Match: "a"
If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT
Range: bytes=0-1
If-Range: "b"
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "\1\1\0\1\0\x08\0\0\0\1\0\0\0\0\0\0\1\4\0\1\0\x10\0\0\x0a\x04HTTP_RANGEmine\1\4\0\1\0\0\0\0\1\5\0\1\0\0\0\0"
--- tcp_reply eval: "\1\6\0\1\0\x06\0\0A:b\n\nx\1\3\0\1\0\x08\0\0\0\0\0\0\0\0\0\0"
--- response_body eval: "x"



=== a body of more than a record
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local sock = ngx.req.socket()
            local sizes = {}
            repeat
                local head = sock:receive(8)
                local size = head:byte(5) * 256 + head:byte(6)
                if size + head:byte(7) > 0 then
                    sock:receive(size + head:byte(7))
                end
                if head:byte(2) == 5 then sizes[#sizes + 1] = size end
            until head:byte(2) == 5 and size == 0
            local out = "X: y\r\n\r\n" .. table.concat(sizes, " ")
            ngx.print("\1\6\0\1\0", string.char(#out), "\0\0", out,
                      "\1\3\0\1\0\8\0\0", ("\0"):rep(8))
        }
    }
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request eval
"POST /t\n" . ("x" x 70000)
--- response_body eval: "65528 4472 0"



=== a folder of its own for what is buffered
--- config
    location = /t { fastcgi_temp_path own_fastcgi; content_by_lua_block {
        local f = io.open(ngx.config.prefix() .. "/own_fastcgi/x", "w")
        ngx.say(f ~= nil)
    } }
--- response_body
true



=== a program that ends without saying so has ended all the same
--- config
    location = /t { fastcgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x01\x06\x00\x01\x00\x0c\x04\x00A: b\r\n\r\nbody0000\x01\x07\x00\x01\x00"
--- response_body chomp
body
--- no_error_log
[error]



=== nothing may be missing of what it promised, and it is not kept without a promise
--- http_config
    fastcgi_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m;
--- config
    fastcgi_param U $uri; fastcgi_cache one; fastcgi_cache_key $uri; fastcgi_cache_valid 1m;
    header_filter_by_lua_block { ngx.header["X-C"] = ngx.var.upstream_cache_status }
    location /f { fastcgi_pass 127.0.0.1:$TEST_NGINX_STREAM_PORT; }
    location /f/kept { fastcgi_keep_conn on; fastcgi_pass 127.0.0.1:$TEST_NGINX_STREAM_PORT; }
    location = /t { content_by_lua_block {
        for uri in ("/f/all /f/all /f/open /f/open /f/less /f/cut /f/kept"):gmatch "%S+" do
            local res = ngx.location.capture(uri)
            ngx.say(uri, " ", res.body, " ", res.header["X-C"], " ", res.truncated)
        end
    } }
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        local asked = sock:receiveuntil("\1\5\0\1\0\0\0\0")()
        local length = asked:find("/less", 1, true) and 5 or asked:find("/all", 1, true) and 4
        local text = (length and "Content-Length: " .. length or "A: b") .. "\r\n\r\nbody"
        local claimed = #text + (asked:find("/cut", 1, true) and 1 or 0)
        sock:send("\1\6\0\1\0" .. string.char(claimed) .. "\0\0" .. text)
    }
--- request
GET /t
--- response_body
/f/all body MISS false
/f/all body HIT false
/f/open body MISS false
/f/open body MISS false
/f/less body MISS true
/f/cut body MISS true
/f/kept body MISS true
--- error_log
upstream prematurely closed connection while reading upstream
