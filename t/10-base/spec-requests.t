repeat_each(2);

__DATA__


=== a block without a request sends GET /t
--- config
    location = /t { return 200 "$request_method $uri $server_protocol"; }
--- response_body: GET /t HTTP/1.1



=== the request line may name path and version
--- config
    location = /a { return 200 "$request_uri $server_protocol $host"; }
--- request
# a comment, and blank lines before it

GET /a?b=c HTTP/1.0
--- response_body: /a?b=c HTTP/1.0 localhost



=== more_headers are sent, and may replace Host
--- config
    location = /t { return 200 "$http_x_foo $host"; }
--- more_headers
# a comment
X-Foo: bar
Host: example.com
--- response_body: bar example.com



=== a body has its length, without the newline at its end
--- config
    location = /t { return 200 "$content_length"; }
--- request
POST /t
abc
def
--- response_body: 7



=== several requests have several answers
--- config
    location /a { return 200 "a$arg_n"; }
    location /b { return 404 "b$http_n"; }
--- request eval
["GET /a?n=1", "GET /b"]
--- more_headers eval
["N: x", "N: y"]
--- error_code eval
[200, 404]
--- response_body eval
["a1", "by"]



=== pipelined requests share a connection
--- config
    location /t { return 200 "$connection_requests"; }
--- pipelined_requests eval
["GET /t", "HEAD /t", "GET /t"]
--- response_headers eval
["Connection: keep-alive", "Connection: keep-alive", "Connection: close"]
--- response_body eval
[1, "", 3]



=== a request may come in pieces, with pauses
--- config
    location /t { return 200 "$request_uri"; }
--- raw_request eval
["GET /t", "?pieces HT", "TP/1.0\r\n", "\r\n"]
--- raw_request_middle_delay: 0.01
--- response_body: /t?pieces



=== a raw request is sent as it is
--- config
    location /t { return 200; }
--- raw_request eval
"\x01 nonsense\r\n\r\n"
--- error_code: 400



=== a client that gives up is not a failure with abort
--- config
    location = /t { return 200 "never"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: x"
--- timeout: 50ms
--- abort
--- ignore_response
--- no_error_log
[error]



=== files are there before the server
--- user_files
>>> a.txt 199801171935.33
one
two
>>> deep/er/b.txt
port $TEST_NGINX_SERVER_PORT
--- config
--- request eval
["GET /a.txt", "GET /deep/er/b.txt", "GET /"]
--- response_headers eval
["Last-Modified: Sat, 17 Jan 1998 19:35:33 GMT", "", ""]
--- response_body eval
["one\ntwo\n", qr/^port $ENV{TEST_NGINX_SERVER_PORT}\n$/, qr/It works!/]
