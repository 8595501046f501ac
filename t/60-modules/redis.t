# Values of a Redis server as answers: redis_pass.

__DATA__


=== a value
--- config
    location = /t {
        set $redis_key "a b\r\n";
        redis_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "*2\r\n\$6\r\nselect\r\n\$1\r\n0\r\n*2\r\n\$3\r\nget\r\n\$5\r\na b\r\n\r\n"
--- tcp_query_len: 47
--- tcp_reply eval: "+OK\r\n\$5\r\nhello\r\n"
--- response_headers
Content-Length: 5
! Content-Encoding
--- response_body chomp
hello



=== with a password and of another database, byte by byte, compressed
--- config
    location = /t {
        set $redis_key k;
        set $redis_db 12;
        set $redis_auth secret;
        redis_gzip_flag 1;
        redis_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "*2\r\n\$4\r\nauth\r\n\$6\r\nsecret\r\n*2\r\n\$6\r\nselect\r\n\$2\r\n12\r\n*2\r\n\$3\r\nget\r\n\$1\r\nk\r\n"
--- tcp_query_len: 70
--- tcp_reply eval
["+", "O", "K", "\r", "\n", "+", "O", "K", "\r", "\n", "\$", "2", "\r", "\n", "h", "i", "\r", "\n"]
--- response_headers
Content-Encoding: gzip
--- response_body chomp
hi



=== a key that is not there may be answered by others
--- config
    location = /t {
        set $redis_key k;
        redis_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        error_page 404 = @made;
    }
    location @made { return 200 "made\n"; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "+OK\r\n\$-1\r\n"
--- response_body
made
--- error_log
key: "k" was not found by redis



=== replies that are none, or of something else
--- http_config
    lua_shared_dict reply 100k;
--- stream_server_config
    content_by_lua_block {
        local sock = assert(ngx.req.socket())
        while sock:receive(43) do
            sock:send(ngx.shared.reply:get("text"))
        end
    }
--- config
    location = /get {
        set $redis_key k;
        redis_pass 127.0.0.1:$TEST_NGINX_STREAM_PORT;
    }
    location = /t {
        content_by_lua_block {
            for _, text in ipairs { "-ERR no\r\n", "+OK\r\n-WRONGTYPE x\r\n",
                    "+OK\r\n$x\r\n", "+OK\r\n$\r\n", "+OK\r\n$-2\r\n",
                    "+OK\n$1\r\n", "+OK\r\n:5\r\n", "+OK\r\n\r\n",
                    "+OK\r\n$99999999999999999999\r\n",
                    "+OK\r\n$2\r\nhi\r\n" } do
                ngx.shared.reply:set("text", text)
                ngx.print(ngx.location.capture("/get").status, " ")
            end
        }
    }
--- request
GET /t
--- response_body chomp
502 502 502 502 502 502 502 502 502 200 
--- error_log
redis sent invalid response: "-WRONGTYPE x"



=== a kept connection serves the next request
--- http_config
    lua_shared_dict seen 100k;
    upstream redis {
        server 127.0.0.1:$TEST_NGINX_STREAM_PORT;
        keepalive 1;
    }
--- stream_server_config
    content_by_lua_block {
        local sock = assert(ngx.req.socket())
        local n = 0
        while sock:receive(43) do
            n = n + 1
            sock:send("+OK\r\n$1\r\n" .. n .. "\r\n")
        end
    }
--- config
    location = /get {
        set $redis_key k;
        redis_pass redis;
    }
    location = /t {
        content_by_lua_block {
            for _ = 1, 3 do
                ngx.print(ngx.location.capture("/get").body)
            end
        }
    }
--- request
GET /t
--- response_body chomp
123



=== a kept connection serves no other password, and nobody without one
--- http_config
    upstream redis {
        server 127.0.0.1:$TEST_NGINX_STREAM_PORT;
        keepalive 4;
    }
--- stream_server_config
    content_by_lua_block {
        local sock = assert(ngx.req.socket())
        local who, what = "-", nil
        while true do
            local words = sock:receive()
            if not words then
                return
            end
            for i = 1, 2 do
                sock:receive()
                words = sock:receive()
                what = i == 1 and words or what
            end
            who = what == "auth" and who .. words or who
            sock:send(what == "get" and "$" .. #who .. "\r\n" .. who .. "\r\n"
                      or "+OK\r\n")
        end
    }
--- config
    location = /get {
        set $redis_key k;
        set $redis_auth $arg_a;
        redis_pass redis;
    }
    location = /t {
        content_by_lua_block {
            for _, a in ipairs { "", "b", "c", "b", "" } do
                ngx.say(ngx.location.capture("/get?a=" .. a).body)
            end
        }
    }
--- request
GET /t
--- response_body
-
-b
-c
-bb
-



=== a key that nobody has set
--- config
    location = /t {
        redis_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- error_code: 500
--- error_log
the "$redis_key" variable is not set



=== another method
--- config
    location = /t {
        set $redis_key k;
        redis_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request
POST /t
x
--- error_code: 405
