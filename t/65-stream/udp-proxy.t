__DATA__


=== a datagram goes to a server and its answer back
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp; return "$protocol $bytes_received"; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_responses 1;
    }
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            for _, text in ipairs { "hello", "", ("x"):rep(8000) } do
                s:send(text)
                ngx.say(s:receive())
            end
        }
    }
--- request
GET /t
--- response_body
UDP 5
UDP 0
UDP 8000
--- error_log eval
[qr/udp proxy 127\.0\.0\.1:\d+ connected to 127\.0\.0\.1:\d+$/,
 qr/udp done, packets from\/to client:1\/1, bytes from\/to client:5\/5, bytes from\/to upstream:5\/5$/]



=== a session's datagrams go to one server
--- main_config
    worker_shutdown_timeout 100ms;
--- stream_config
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp; return "a $remote_port"; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3 udp; return "b $remote_port"; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass u;
    }
--- config
    location /t {
        content_by_lua_block {
            local seen, count = {}, 0
            for i = 1, 2 do
                local s = ngx.socket.udp()
                s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
                for j = 1, 5 do
                    s:send("hello")
                    local answer = s:receive()
                    if answer and not seen[answer] then
                        seen[answer], count = true, count + 1
                    end
                end
            end
            ngx.say(count)
        }
    }
--- request
GET /t
--- response_body
2



=== proxy_requests begins another session
--- main_config
    worker_shutdown_timeout 100ms;
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp; return $remote_port; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_requests 2;
    }
--- config
    location /t {
        content_by_lua_block {
            local s, seen, n, answers = ngx.socket.udp(), {}, 0, 0
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            for i = 1, 6 do s:send("hello") end
            for i = 1, 6 do
                local answer = s:receive()
                answers = answers + (answer and 1 or 0)
                if answer and not seen[answer] then
                    seen[answer], n = true, n + 1
                end
            end
            ngx.say(answers, " answers, ", n, " sessions")
        }
    }
--- request
GET /t
--- response_body
6 answers, 3 sessions



=== no answer is expected
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp; return ""; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_responses 0;
    }
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("hello")
            ngx.say("sent")
        }
    }
--- request
GET /t
--- response_body
sent
--- error_log
udp done, packets from/to client:1/0, bytes from/to client:5/0, bytes from/to upstream:0/5



=== a silent session ends, and all is well
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp; return ""; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_timeout 50ms;
    }
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("hello")
            ngx.say("sent")
        }
    }
--- request
GET /t
--- response_body
sent
--- error_log
udp timed out, packets from/to client:1/0,
finalize stream session: 200



=== an answer that was expected and does not come is an error
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp; return ""; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_timeout 50ms;
        proxy_responses 1;
    }
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("hello")
            ngx.say("sent")
        }
    }
--- request
GET /t
--- response_body
sent
--- error_log
upstream timed out
finalize stream session: 502



=== a server that is not there costs one datagram, then the next one serves
--- main_config
    worker_shutdown_timeout 100ms;
--- stream_config
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp; return here; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass u;
    }
--- config
    location /t {
        content_by_lua_block {
            local s, answer = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:settimeout(200)
            for i = 1, 20 do
                s:send("hello")
                answer = s:receive()
                if answer then break end
            end
            ngx.say(answer)
        }
    }
--- request
GET /t
--- response_body
here
--- error_log
recv() failed
while proxying and reading from upstream, udp client: 127.0.0.1



=== rates count for datagrams
--- main_config
    worker_shutdown_timeout 100ms;
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp;
        return "$bytes_received";
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_upload_rate 4000;
    }
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("x")
            ngx.say(s:receive())
            ngx.update_time()
            local from = ngx.now()
            for i = 1, 4 do
                s:send(("x"):rep(1000))
            end
            for i = 1, 4 do
                ngx.say(s:receive())
            end
            ngx.update_time()
            local took = ngx.now() - from
            ngx.say(took > 0.7 and "slowly" or "too fast: " .. took)
        }
    }
--- request
GET /t
--- response_body
1
1000
1000
1000
1000
slowly



=== and those of the server have their own
--- main_config
    worker_shutdown_timeout 100ms;
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp;
        return "12345678901234567890123456789012345678901234567890";
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_download_rate 200;
    }
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.update_time()
            local from = ngx.now()
            for i = 1, 4 do
                s:send("x")
            end
            for i = 1, 4 do
                ngx.say(#s:receive())
            end
            ngx.update_time()
            local took = ngx.now() - from
            ngx.say(took > 0.7 and "slowly" or "too fast: " .. took)
        }
    }
--- request
GET /t
--- response_body
50
50
50
50
slowly



=== the variables of an upstream tell of datagrams
--- stream_config
    log_format up '$upstream_addr|$upstream_bytes_sent|$upstream_bytes_received|$upstream_connect_time|$upstream_first_byte_time|$upstream_session_time|$status|$protocol';
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp; return "answer"; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_responses 1;
        access_log logs/access.log up;
    }
--- config
    location /t {
        access_log off;
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("hello")
            ngx.say(s:receive())
        }
    }
--- request
GET /t
--- response_body
answer
--- access_log eval
qr/^127\.0\.0\.1:\d+\|5\|6\|\d+\.\d{3}\|\d+\.\d{3}\|\d+\.\d{3}\|200\|UDP$/
