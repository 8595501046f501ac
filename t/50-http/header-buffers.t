__DATA__


=== a long request line goes to a large buffer
--- config
    location /t { return 200 "$args"; }
--- request eval
"GET /t?" . ("a" x 5000)
--- response_body eval
"a" x 5000



=== a request line of more than a large buffer is too long
--- config
    location /t { return 200 "ok"; }
--- request eval
"GET /t?" . ("a" x 9000)
--- error_code: 414
--- response_headers
Connection: close
--- error_log
client sent too long URI while reading client request line



=== large_client_header_buffers says how much that is
--- config
    large_client_header_buffers 2 2k;
    location /t { return 200 "ok"; }
--- request eval
"GET /t?" . ("a" x 2100)
--- error_code: 414
--- error_log
client sent too long URI



=== a header of more than a large buffer is too long
--- config
    location = /t { return 200 "ok"; }
--- more_headers eval
"X: " . ("a" x 9000)
--- error_code: 400
--- response_body_like: 400 Request Header Or Cookie Too Large
--- error_log
client sent too long header line: "X: aaa



=== headers may fill all large buffers
--- config
    location = /t { return 200 "$http_a-$http_b-$http_c-$http_d"; }
--- more_headers eval
join "\r\n", map { "$_: " . (lc($_) x 7000) } qw(A B C D)
--- response_body eval
join "-", map { $_ x 7000 } qw(a b c d)



=== headers of more than all large buffers are too large
--- config
    location = /t { return 200 "ok"; }
--- more_headers eval
join "\r\n", map { "$_: " . ("a" x 7000) } qw(A B C D E F)
--- error_code: 400
--- response_body_like: 400 Request Header Or Cookie Too Large
--- error_log
client sent too long header line: "E: aaa



=== what came before the move is still there
--- config
    location /t { return 200 "$request_uri $http_a $http_z"; }
--- more_headers eval
"A: first\r\nM: " . ("m" x 3000) . "\r\nZ: last"
--- request
GET /t?query
--- response_body: /t?query first last



=== client_header_buffer_size makes large buffers unneeded
--- config
    client_header_buffer_size 8k;
    large_client_header_buffers 1 1k;
    location /t { return 200 "$http_a"; }
--- more_headers eval
"A: " . ("a" x 5000)
--- response_body eval
"a" x 5000



=== the raw header is whole, over several buffers
--- config
    location = /t {
        content_by_lua_block {
            local raw = ngx.req.raw_header()
            ngx.say(raw:sub(1, 15), " ", #raw:match("A: (a+)"), " ",
                    #raw:match("B: (b+)"), " ", raw:sub(-4) == "\r\n\r\n")
        }
    }
--- more_headers eval
"A: " . ("a" x 3000) . "\r\nB: " . ("b" x 6000)
--- response_body
GET /t HTTP/1.1 3000 6000 true



=== error_page may answer 494
--- config
    error_page 494 /big;
    location = /big { return 200 "big"; }
    location = /t { return 200 "ok"; }
--- more_headers eval
"X: " . ("a" x 9000)
--- error_code: 400
--- response_body: big
