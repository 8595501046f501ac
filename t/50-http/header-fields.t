__DATA__


=== HTTP/1.1 needs a Host
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\n\r\n"
--- error_code: 400
--- response_headers
Connection: close
--- error_log
client sent HTTP/1.1 request without "Host" header while reading client request headers



=== HTTP/1.0 needs none
--- config
    location = /t { return 200 "[$host]"; }
--- raw_request eval
"GET /t HTTP/1.0\r\n\r\n"
--- response_body: [localhost]



=== two Hosts are one too many
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"
--- error_code: 400
--- error_log
client sent duplicate host header: "Host: a", previous value: "Host: a"



=== a Host that can be none is refused
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a/b\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid host header



=== the name of a Host is in small letters, without port and final dot
--- config
    location = /t { return 200 "$host|$http_host"; }
--- more_headers
Host: Foo.Bar.:8080
--- response_body: foo.bar|Foo.Bar.:8080



=== spaces around a value do not count
--- config
    location = /t { return 200 "[$http_x]"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nX: \t b c \t\r\nConnection: close\r\n\r\n"
--- response_body: [b c]



=== an empty value is one
--- config
    location = /t { return 200 "[$http_x]"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nX:\r\nConnection: close\r\n\r\n"
--- response_body: []



=== a space before the colon is bad
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid header line



=== a folded line is bad
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid header line: "\x20..."



=== a line without a colon is bad
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid header line: "nonsense\x0d..."



=== a NUL in a value is bad
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nX: b\x00c\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid header line



=== a bare CR in a value is bad
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid header line



=== a name with an underscore is dropped, and told
--- config
    location = /t { return 200 "[$http_a_b]"; }
--- more_headers
A_B: c
--- response_body: []
--- error_log
client sent invalid header line: "A_B: c"



=== underscores_in_headers keeps it
--- config
    underscores_in_headers on;
    location = /t { return 200 "[$http_a_b]"; }
--- more_headers
A_B: c
--- response_body: [c]
--- no_error_log
invalid header line



=== ignore_invalid_headers off keeps odd names
--- config
    ignore_invalid_headers off;
    location = /t { return 200 "[$http_a_b]"; }
--- more_headers
A_B: c
--- response_body: [c]



=== lines of one name are joined
--- config
    location = /t { return 200 "$http_x_y|$http_cookie"; }
--- more_headers
X-Y: a
Cookie: c=1
x-y: b
Cookie: d=2
--- response_body: a, b|c=1; d=2



=== two Content-Types are joined
--- config
    location = /t { return 200 "$content_type|$http_content_type"; }
--- more_headers
Content-Type: a/b
Content-Type: c/d
--- response_body chomp
a/b, c/d|a/b, c/d



=== max_headers counts lines
--- config
    max_headers 5;
    location = /t { return 200 "ok"; }
--- more_headers
A: 1
B: 2
C: 3
D: 4
--- error_code: 400
--- response_body_like: 400 Request Header Or Cookie Too Large
--- error_log
client sent too many header lines



=== the context of a log line has client, server, request, host, referrer
--- config
    location = /t { return 200 "ok"; }
--- more_headers
Referer: http://there/
A_B: c
--- response_body: ok
--- error_log eval
qr/client sent invalid header line: "A_B: c" while reading client request headers, client: 127\.0\.0\.1, server: localhost, request: "GET \/t HTTP\/1\.1", host: "localhost", referrer: "http:\/\/there\/"/



=== fields behind Host are read as that host's server has it, the line as the address's
--- http_config
    server {
        listen $TEST_NGINX_SERVER_PORT;
        underscores_in_headers off; ignore_invalid_headers on; max_headers 3;
        large_client_header_buffers 2 1k; merge_slashes on;
        return 200 "$http_a_b $uri";
    }
    server {
        listen $TEST_NGINX_SERVER_PORT;
        server_name other;
        underscores_in_headers on; max_headers 100;
        large_client_header_buffers 4 8k; merge_slashes off;
        return 200 "$server_name $http_a_b $http_c $uri";
    }
--- config
    location = /t { return 204; }
--- raw_request eval
my $more = "A_B: 1\r\nC: " . ("c" x 3000) . "\r\nD: 1\r\nE: 1\r\n\r\n";
"GET //a HTTP/1.1\r\nConnection: close\r\nHost: other\r\n$more"
--- response_body_like: ^other 1 c{3000} /a$



=== a Proxy-Authorization is only one
--- config
    location = /t { return 204; }
--- more_headers
Proxy-Authorization: Basic YTpi
Proxy-Authorization: Basic YTpj
--- error_code: 400
--- error_log
client sent duplicate header line: "Proxy-Authorization: Basic YTpj"



=== bytes above 127 are of no host
--- config
    location = /t { return 204; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: b\xc3\xbccher.test\r\nConnection: close\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid host header
