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


=== a session of datagrams answers the one that it began with
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        content_by_lua_block {
            local sock = assert(ngx.req.socket())
            ngx.print("got ", (assert(sock:receive())))
        }
    }
--- response_body
got one
got two
got three



=== its raw socket receives and sends datagrams
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        content_by_lua_block {
            local sock = assert(ngx.req.socket(true))
            local data = assert(sock:receive(2))
            local rest = assert(sock:receive(10))
            ngx.log(ngx.WARN, "then: ", select(2, sock:receive()))
            assert(sock:send { data, "/", rest, "/", ngx.var.protocol } == 1)
        }
    }
--- response_body
on/e/UDP
tw/o/UDP
th/ree/UDP
--- error_log
then: no more data



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



=== what is said is a datagram for each call
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        content_by_lua_block {
            if ngx.req.socket():receive() == "one" then
                ngx.print("first")
                ngx.print("second")
                ngx.print("third")
            end
        }
    }
--- response_body
first
second
third



=== a datagram without a byte is one as well
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        content_by_lua_block {
            local sock = assert(ngx.req.socket())
            local data = assert(sock:receive())
            ngx.log(ngx.WARN, "then: ", select(2, sock:receive()))
            sock:send("")
        }
    }
--- response_body eval
"\n\n\n"
--- error_log
then: no more data
