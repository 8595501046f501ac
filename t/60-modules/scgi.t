# What an SCGI server is sent, and what becomes of what it answers.
# Known attacks of this kind: CVE-2026-42946.

__DATA__


=== more than there should be
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "Content-Length: 2\r\n\r\nokmore"
--- response_body eval: "ok"
--- error_log
upstream sent more data than specified in "Content-Length" header while reading upstream



=== what a server is sent
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; scgi_pass_request_headers off; scgi_param HTTP_HOST ""; scgi_param METHOD $request_method; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "28:CONTENT_LENGTH\x000\x00METHOD\x00GET\x00,"
--- tcp_reply eval: "Status: 200 OK\r\nContent-Type: text/plain\r\n\r\nok"
--- response_body eval: "ok"



=== what a server is sent of a body
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; scgi_pass_request_headers off; scgi_param HTTP_HOST ""; scgi_param A ""; scgi_param B "" if_not_empty; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "20:CONTENT_LENGTH\x005\x00A\x00\x00,hello"
--- tcp_reply eval: "Status: 200 OK\r\nContent-Type: text/plain\r\n\r\nok"
--- request
POST /t
hello
--- response_body eval: "ok"



=== an answer as of HTTP
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.0 404 Gone fishing\r\nX: y\r\n\r\nok"
--- response_body eval: "ok"
--- response_headers
X: y
--- error_code: 404



=== an answer as of CGI
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "X: y\r\nStatus: 201\r\n\r\nok"
--- response_body eval: "ok"
--- response_headers
X: y
! Status
--- error_code: 201



=== an answer without a status
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "X: y\r\n\r\nok"
--- response_body eval: "ok"
--- response_headers
X: y



=== an answer that comes byte by byte
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
["H", "T", "T", "P", "/", "1", ".", "1", " ", "2", "0", "0", " ", "O", "K", "\n", "X", ":", " ", "y", "\n", "\n", "o", "k"]
--- response_body eval: "ok"
--- response_headers
X: y



=== an answer of a known length
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "Content-Length: 2\r\n\r\nokay"
--- response_body eval: "ok"
--- response_headers
Content-Length: 2



=== an answer that is too short
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "Content-Length: 3\r\n\r\nok"
--- ignore_response
--- error_log
upstream prematurely closed connection



=== a place to go to without a status
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "Location: /x\r\n\r\n"
--- response_body eval: ""
--- response_headers
Location: /x
--- error_code: 302



=== no answer
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: ""
--- error_code: 502
--- error_log
upstream prematurely closed connection



=== a line that is none
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "a b c\r\n\r\n"
--- error_code: 502
--- error_log
upstream sent invalid header: "a\x20



=== what is to be kept is asked for whole
--- http_config
    scgi_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m;
--- config
    location = /t { scgi_cache one; scgi_cache_key k; scgi_cache_valid 1m; add_header X-C $upstream_cache_status; scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; scgi_param A b; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "63:CONTENT_LENGTH\x000\x00A\x00b\x00HTTP_HOST\x00localhost\x00HTTP_CONNECTION\x00close\x00,"
--- tcp_reply eval: "Status: 200 OK\r\nContent-Type: text/plain\r\nAccept-Ranges: bytes\r\n\r\n0123"
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["Range: bytes=1-2", "Range: bytes=1-2"]
--- error_code eval
[200, 206]
--- response_headers eval
["X-C: MISS", "X-C: HIT"]
--- response_body eval
["0123", "12"]



=== a body that is not passed has no length
--- config
    location = /t { scgi_pass_request_body off; scgi_pass_request_headers off; scgi_param HTTP_HOST ""; scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "17:CONTENT_LENGTH\x000\x00,"
--- tcp_reply eval: "Status: 200 OK\r\n\r\nok"
--- request
POST /t
hello
--- response_body eval: "ok"



=== a zero byte would begin another parameter
--- config
    location = /t {
        set_unescape_uri $v $arg_v;
        scgi_param X $v;
        scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "Status: 200 OK\r\n\r\nok"
--- request
GET /t?v=a%00HTTPS%00on
--- error_code: 500
--- error_log
a zero byte in SCGI parameter "X"



=== a status that comes before the answer is none
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "Status: 103 Early\r\n\r\nok"
--- error_code: 502
--- error_log
upstream sent invalid status "103 Early"



=== nor in a line of HTTP
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 101 Switching\r\n\r\nok"
--- error_code: 502
--- error_log
upstream sent invalid status



=== a part that begins too far away for the cache is asked for as it is
--- http_config
    scgi_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m;
--- config
    location = /t {
        scgi_cache one;
        scgi_cache_key k;
        scgi_cache_max_range_offset 5;
        scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        scgi_param A b;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "84:CONTENT_LENGTH\x000\x00A\x00b\x00HTTP_HOST\x00localhost\x00HTTP_CONNECTION\x00close\x00HTTP_RANGE\x00bytes=10-\x00,"
--- tcp_reply eval: "Status: 206 Part\r\nContent-Range: bytes 10-11/12\r\n\r\nok"
--- more_headers
Range: bytes=10-
--- error_code: 206
--- response_body eval: "ok"



=== a header of the client's that is kept back is not sent empty
--- config
    location = /t { scgi_param HTTP_PROXY ""; scgi_param HTTP_EMPTY $arg_e; scgi_param NONE ""; scgi_pass 127.0.0.1:$TEST_NGINX_STREAM_PORT; }
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        local size = tonumber(sock:receiveuntil(":")())
        local names = {}
        for name, value in sock:receive(size):gmatch("(%Z+)%z(%Z*)%z") do
            names[#names + 1] = name .. "=" .. value
        end
        table.sort(names)
        sock:send("A: b\r\n\r\n" .. table.concat(names, " "))
    }
--- request
GET /t
--- more_headers
Proxy: evil
X-A: 1
--- response_body chomp
CONTENT_LENGTH=0 HTTP_CONNECTION=close HTTP_EMPTY= HTTP_HOST=localhost HTTP_X_A=1 NONE=



=== the host is the one that the request was taken for, unless another is said
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- raw_request eval
"GET http://Good.test:81/t HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n"
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval
"62:CONTENT_LENGTH\x000\x00HTTP_HOST\x00good.test:81\x00HTTP_CONNECTION\x00close\x00,"
--- tcp_reply eval: "Status: 200\r\n\r\nok"
--- response_body eval: "ok"



=== a status without words has the usual ones
--- config
    location = /t { scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "Status: 404\r\n\r\nok"
--- error_code: 404
--- raw_response_headers_like: ^HTTP/1.1 404 Not Found\r\n
--- response_body eval: "ok"
