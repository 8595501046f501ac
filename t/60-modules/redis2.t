# Queries for a Redis server, and its replies as they come.

__DATA__


=== a query, word by word
--- config
    location = /t {
        set_unescape_uri $v $arg_v;
        redis2_query set one $v;
        redis2_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request
GET /t?v=a%0d%0ab%20c
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "*3\r\n\$3\r\nset\r\n\$3\r\none\r\n\$6\r\na\r\nb c\r\n"
--- tcp_reply eval: "+OK\r\n"
--- response_body eval: "+OK\r\n"
--- response_headers
Content-Type: text/plain



=== several queries at once
--- config
    location = /t {
        redis2_query get a;
        redis2_query lrange b 0 -1;
        redis2_query del c;
        redis2_query get d;
        redis2_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query_len: 98
--- tcp_reply eval
["\$5\r\nhel\r", "\n\r\n*3\r\n\$-1\r\n*2\r\n:1\r\n\$0\r\n\r\n\$2\r\nxy\r\n:1\r", "\n-ERR no\r\n"]
--- response_body eval
"\$5\r\nhel\r\n\r\n*3\r\n\$-1\r\n*2\r\n:1\r\n\$0\r\n\r\n\$2\r\nxy\r\n:1\r\n-ERR no\r\n"



=== queries as they are
--- config
    location = /raw {
        redis2_raw_query "get $arg_k\r\n";
        redis2_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- request
GET /raw?k=x
--- tcp_query eval: "get x\r\n"
--- tcp_reply eval: "*-1\r\n"
--- response_body eval: "*-1\r\n"



=== so many queries as they are, from the body
--- config
    location = /t {
        redis2_raw_queries $arg_n $echo_request_body;
        redis2_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- raw_request eval
"POST /t?n=2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" .
"Content-Length: 12\r\n\r\nping\r\nping\r\n"
--- tcp_query eval: "ping\r\nping\r\n"
--- tcp_reply eval: "+PONG\r\n+PONG\r\n"
--- response_body eval: "+PONG\r\n+PONG\r\n"



=== a query without variables
--- config
    location = /t {
        redis2_literal_raw_query '*1\r\n$4\r\nping\r\n';
        redis2_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "*1\r\n\$4\r\nping\r\n"
--- tcp_reply eval: "+PONG\r\n"
--- response_body eval: "+PONG\r\n"



=== what is no reply
--- config
    location = /t {
        redis2_query ping;
        redis2_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\r\n"
--- error_code: 502
--- error_log
redis2 sent invalid response: "HTTP/1.1 200 OK



=== a reply with a number that is none ends the answer
--- config
    location = /t {
        redis2_query get a;
        redis2_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\$99999999999999999999\r\n"
--- ignore_response
--- error_log
Redis server returned invalid response



=== a server that leaves in the middle
--- config
    location = /t {
        redis2_query get a;
        redis2_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\$5\r\nhel"
--- ignore_response
--- error_log
upstream prematurely closed connection



=== numbers of queries that are none
--- config
    location = /t {
        redis2_raw_queries $arg_n "ping\r\n";
        redis2_pass 127.0.0.1:1;
    }
--- request eval
["GET /t?n=0", "GET /t?n=x", "GET /t"]
--- error_code eval
[500, 500, 500]
--- error_log
Invalid number of queries: "



=== a command more than was said spoils nobody else's answer
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket()
        for line in function() return (sock:receive()) end do
            if line == "b" then ngx.sleep(0.1) end
            ngx.print("+" .. line .. "\r\n")
            ngx.flush(true)
        end
    }
--- http_config
    upstream r { server 127.0.0.1:$TEST_NGINX_STREAM_PORT; keepalive 1; }
--- config
    location = /one { set_unescape_uri $q $arg_q; redis2_raw_query $q; redis2_pass r; }
    location = /t {
        content_by_lua_block {
            for _, q in ipairs { "a%0d%0ab%0d%0a", "c%0d%0a", "d%0d%0a" } do
                ngx.print(ngx.location.capture("/one?q=" .. q).body)
            end
        }
    }
--- request
GET /t
--- response_body eval: "+a\r\n+c\r\n+d\r\n"



=== no query
--- config
    location = /t {
        redis2_pass 127.0.0.1:1;
    }
    location = /empty {
        redis2_raw_query $arg_none;
        redis2_pass 127.0.0.1:1;
    }
--- request eval
["GET /t", "GET /empty"]
--- error_code eval
[500, 500]
--- error_log
no redis2 query specified or the query is empty



=== queries of two kinds
--- config
    location = /t {
        redis2_query get a;
        redis2_raw_query "get a\r\n";
    }
--- must_die
--- error_log
"redis2_raw_query" directive is duplicate



=== a kept connection is used again, and no other reply is taken
--- http_config
    upstream redis {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        keepalive 1;
    }
    init_worker_by_lua_block {
        n = 0
    }
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            for i = 1, 9 do
                local line = sock:receive()
                if not line then
                    return
                end
                for _ = 1, line:sub(2) * 2 do
                    line = sock:receive()
                end
                sock:send(":" .. i .. "\r\n")
            end
        }
    }
--- config
    location = /t {
        redis2_query incr a;
        redis2_pass redis;
    }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
[":1\r\n", ":2\r\n", ":3\r\n"]



=== after AUTH or SELECT a connection is nobody else's
--- http_config
    upstream redis {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        keepalive 1;
    }
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            for i = 1, 9 do
                local line = sock:receive()
                if not line then
                    return
                end
                for _ = 1, line:sub(2) * 2 do
                    line = sock:receive()
                end
                sock:send(":" .. i .. "\r\n")
            end
        }
    }
--- config
    location = /get {
        redis2_query get a;
        redis2_pass redis;
    }
    location = /select {
        redis2_query Select 1;
        redis2_query get a;
        redis2_pass redis;
    }
--- request eval
["GET /get", "GET /select", "GET /get", "GET /get"]
--- response_body eval
[":1\r\n", ":2\r\n:3\r\n", ":1\r\n", ":2\r\n"]
