add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("config", <<'_EOC_');
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:settimeout(5000)
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            for _, text in ipairs { "one", "two", "three" } do
                s:send(text)
                ngx.say(s:receive())
            end
        }
    }
_EOC_
    $block->set_value("request", "GET /t");
});

__DATA__


=== a session of datagrams says one for each call
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        content_by_lua_block {
            local sock = assert(ngx.req.socket())
            for i = 1, 3 do
                local data = assert(sock:receive())
                ngx.print(i, " ", data)
            end
        }
    }
--- response_body
1 one
2 two
3 three



=== its raw socket receives and sends datagrams
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        content_by_lua_block {
            local sock = assert(ngx.req.socket(true))
            for i = 1, 3 do
                local data = assert(sock:receive(2))
                assert(sock:send { data, "/", ngx.var.protocol })
            end
        }
    }
--- response_body
on/UDP
tw/UDP
th/UDP



=== each datagram may be a session, and log_by_lua sees it
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        preread_by_lua_block { ngx.ctx.first = ngx.req.socket():receive() }
        content_by_lua_block { ngx.print("got ", ngx.ctx.first) }
        log_by_lua_block {
            ngx.log(ngx.WARN, "status ", ngx.var.status, " of ",
                    ngx.ctx.first)
        }
    }
--- response_body
got one
got two
got three
--- error_log
status 200 of one
status 200 of three



=== a datagram without a byte is one, and waiting has an end
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        content_by_lua_block {
            local sock = assert(ngx.req.socket(true))
            for i = 1, 3 do
                sock:receive()
                sock:send("")
            end
            sock:settimeout(10)
            local data, err = sock:receive()
            ngx.log(ngx.WARN, "then: ", data, " ", err)
        }
    }
--- response_body eval
"\n\n\n"
--- error_log
then: nil timeout
