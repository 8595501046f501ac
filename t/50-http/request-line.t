__DATA__


=== empty lines before a request are skipped
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"\r\n\r\nGET /t HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
--- response_body: ok



=== however many there are, and however small the buffers
--- config
    client_header_buffer_size 10;
    large_client_header_buffers 2 64;
    location = /t { return 200 "$request"; }
--- raw_request eval
("\r\n" x 700) . "GET /t HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
--- response_body: GET /t HTTP/1.1



=== a request line that comes byte by byte is one
--- config
    location = /t { return 200 "$request"; }
--- raw_request eval
["G", "ET", " ", "/", "t", " HTTP/1", ".", "1", "\r", "\nHost: a\r\nConnection: close\r\n\r", "\n"]
--- raw_request_middle_delay: 0.002
--- response_body: GET /t HTTP/1.1



=== a bare LF ends a line
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\nHost: a\nConnection: close\n\n"
--- response_body: ok



=== HTTP/0.9 gets the body alone
--- config
    location = /t { return 200 "old\n"; }
--- raw_request eval
"GET /t\r\n"
--- http09
--- response_body
old



=== HTTP/0.9 has no other method
--- config
    location = /t { return 200 "old"; }
--- raw_request eval
"POST /t\r\n"
--- error_code: 400
--- error_log
client sent invalid method in HTTP/0.9 request while reading client request line



=== a method in small letters is none
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"get /t HTTP/1.1\r\nHost: a\r\n\r\n"
--- error_code: 400
--- response_headers
Connection: close
--- error_log
client sent invalid method while reading client request line, client: 127.0.0.1, server: localhost, request: "get /t HTTP/1.1"



=== a TLS handshake is told at once that it is no request
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"\x16\x03\x01\x02\x00\x01\x00\x01"
--- error_code: 400
--- error_log
client sent invalid method while reading client request line



=== an unknown method is passed on
--- config
    location = /t { return 200 "$request_method"; }
--- request
BREW /t
--- response_body: BREW



=== HTTP/2.0 in clear text is not spoken
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/2.5\r\nHost: a\r\n\r\n"
--- error_code: 505
--- error_log
client sent invalid version while reading client request line



=== HTTP/1.2 is answered as HTTP/1.1
--- config
    location = /t { return 200 "$server_protocol"; }
--- raw_request eval
"GET /t HTTP/1.2\r\nHost: a\r\nConnection: close\r\n\r\n"
--- response_body_like: ^HTTP/1\.\d$



=== a target without a slash is bad
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET t HTTP/1.1\r\nHost: a\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid request while reading client request line



=== a NUL in the path is bad, escaped or not
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid request



=== a path above the root is bad
--- config
    location ~ ^/ { return 200 "ok"; }
--- raw_request eval
"GET /a/../../b HTTP/1.1\r\nHost: a\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid request



=== the path is decoded once and normalised
--- config
    location ~ ^/ { return 200 "$uri"; }
--- request
GET /a/./b//c/../%64%2565
--- response_body: /a/b/d%65



=== merge_slashes off keeps what came
--- config
    merge_slashes off;
    location ~ ^/ { return 200 "$uri"; }
--- request
GET //a///b
--- response_body: //a///b



=== the query is what follows the first question mark
--- config
    location ~ ^/ { return 200 "$uri|$args|$is_args"; }
--- request
GET /a?b=%20?c
--- response_body: /a|b=%20?c|?



=== the absolute form names the host
--- config
    location = /t { return 200 "$host $http_host $request_uri"; }
--- raw_request eval
"GET http://Example.COM:81/t?x HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n"
--- response_body: example.com other /t?x



=== TRACE is refused
--- config
    location = /t { return 200 "ok"; }
--- request
TRACE /t
--- error_code: 405
--- error_log
client sent TRACE method while reading client request headers



=== CONNECT names a host and a port
--- config
    location /t { return 200 "here"; }
--- raw_request eval
["CONNECT localhost:8080 HTTP/1.1\r\nHost: localhost\r\n\r\n"]
--- error_code: 405
--- error_log
client sent CONNECT method



=== CONNECT names no path
--- config
    location /t { return 200 "here"; }
--- raw_request eval
["CONNECT / HTTP/1.1\r\nHost: localhost\r\n\r\n"]
--- error_code: 400
--- error_log
client sent invalid request



=== CONNECT without a port
--- config
    location /t { return 200 "here"; }
--- raw_request eval
["CONNECT localhost HTTP/1.1\r\nHost: localhost\r\n\r\n"]
--- error_code: 400
--- error_log
client sent invalid request
