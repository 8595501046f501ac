# What a memcached server is asked, and what becomes of its answers.

__DATA__


=== a value
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "VALUE a%20b%25 0 5\r\nhello\r\nEND\r\n"
--- response_headers
Content-Length: 5
Content-Type: text/plain
! Content-Encoding
--- response_body eval: "hello"



=== a value byte by byte
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval
["V", "A", "L", "U", "E", " ", "a", "%", "2", "0", "b", "%", "2", "5", " ", "0", " ", "5", "\r", "\n", "h", "e", "l", "l", "o", "\r", "\n", "E", "N", "D", "\r", "\n"]
--- response_body eval: "hello"



=== an empty value
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "VALUE a%20b%25 0 0\r\n\r\nEND\r\n"
--- response_headers
Content-Length: 0



=== a value that is compressed
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; memcached_gzip_flag 2; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "VALUE a%20b%25 3 5\r\nhello\r\nEND\r\n"
--- response_headers
Content-Encoding: gzip



=== a value that is not
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; memcached_gzip_flag 2; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "VALUE a%20b%25 5 5\r\nhello\r\nEND\r\n"
--- response_headers
! Content-Encoding



=== HEAD
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "VALUE a%20b%25 0 5\r\nhello\r\nEND\r\n"
--- request
HEAD /t
--- response_headers
Content-Length: 5
--- response_body



=== a key that is not there
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "END\r\n"
--- error_code: 404
--- response_body_like: 404 Not Found



=== a key that is not there, and what is made then
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; error_page 404 = /made; }
    location = /made { return 200 made; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "END\r\n"
--- response_body eval: "made"



=== a part of a value
--- config
    location = /t { set $memcached_key a; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a\r\n"
--- tcp_reply eval: "VALUE a 0 5\r\nhello\r\nEND\r\n"
--- more_headers
Range: bytes=1-2
--- error_code: 206
--- response_headers
Content-Range: bytes 1-2/5
--- response_body eval: "el"



=== more than there should be behind a value
--- config
    location = /t { set $memcached_key a; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a\r\n"
--- tcp_reply eval: "VALUE a 0 5\r\nhello\r\nEND\r\nmore"
--- response_body eval: "hello"
--- error_log
memcached sent invalid trailer



=== another key
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "VALUE b 0 5\r\n"
--- error_code: 502
--- error_log
memcached sent invalid key in response "VALUE b 0 5" for key "a%20b%25"



=== a length that is none
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "VALUE a%20b%25 0 x\r\n"
--- error_code: 502
--- error_log
memcached sent invalid length in response "VALUE a%20b%25 0 x" for key "a%20b%25"



=== flags that are none
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; memcached_gzip_flag 2; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "VALUE a%20b%25 x 1\r\n"
--- error_code: 502
--- error_log
memcached sent invalid flags in response "VALUE a%20b%25 x 1" for key "a%20b%25"



=== an answer of something else
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "ERROR\r\n"
--- error_code: 502
--- error_log
memcached sent invalid response: "ERROR"



=== a trailer that is none
--- config
    location = /t { set $memcached_key "a b%"; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%20b%25\r\n"
--- tcp_reply eval: "VALUE a%20b%25 0 1\r\nxyz\r\nEND\r\n"
--- error_log
memcached sent invalid trailer
--- ignore_response



=== no key
--- config
    location = /t { set $memcached_key ""; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- error_code: 500
--- error_log
the "$memcached_key" variable is not set



=== no more than a question
--- config
    location = /t { set $memcached_key a; memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request
POST /t
x
--- error_code: 405



=== a condition in which it is inherited
--- config
    location = /t {
        set $memcached_key a;
        memcached_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        if ($request_method = GET) { set $x y; }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "VALUE a 0 1\r\nb\r\nEND\r\n"
--- response_body eval: "b"



=== a variable that nobody sets
--- config
    location = /t { memcached_pass 127.0.0.1:1; }
--- must_die
--- error_log
unknown "memcached_key" variable
