# A name server that lies (t/lib/lying_names.lua): each question ends, in its
# time, and the next one is answered.

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("request", "GET /t");
    $block->set_value("timeout", 30);
    $block->set_value("stream_config", <<'_EOC_');
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    lua_socket_log_errors off;
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
             content_by_lua_block { require("lying_names").datagram() } }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             content_by_lua_block { require("lying_names").stream() } }
_EOC_
    $block->set_value("http_config", <<'_EOC_');
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ipv6=off valid=1s;
    resolver_timeout 2s;
    lua_socket_log_errors off;
    server { listen $TEST_NGINX_RAND_PORT_2; return 200 ok; }
_EOC_
    $block->set_value("config", <<'_EOC_' . $block->config . "    } }");
    location = /t { content_by_lua_block {
        local function ask(name)
            local begun = ngx.now()
            local sock = ngx.socket.tcp()
            local ok, err = sock:connect(name .. ".test",
                                         $TEST_NGINX_RAND_PORT_2)
            sock:close()
            ngx.update_time()
            if ngx.now() - begun > 9 then
                err = (err or "") .. " late"
            end
            ngx.say(name, ": ", ok and "found" or err)
        end
_EOC_
});

__DATA__


=== over UDP
--- config
    for _, name in ipairs { "good", "ring", "forward", "count", "size",
                            "short", "mirror", "itself", "another", "flood",
                            "chain", "good" } do
        ask(name)
    end
--- response_body
good: found
ring: ring.test could not be resolved (1: Format error)
forward: forward.test could not be resolved (1: Format error)
count: count.test could not be resolved (1: Format error)
size: size.test could not be resolved (1: Format error)
short: short.test could not be resolved (110: Operation timed out)
mirror: mirror.test could not be resolved (110: Operation timed out)
itself: itself.test could not be resolved (1: Format error)
another: another.test could not be resolved (110: Operation timed out)
flood: found
chain: chain.test could not be resolved (2: Server failure)
good: found



=== over TCP
--- config
    for _, name in ipairs { "nothing", "drip", "goes", "again", "most",
                            "good" } do
        ask(name)
    end
--- response_body
nothing: nothing.test could not be resolved (110: Operation timed out)
drip: drip.test could not be resolved (110: Operation timed out)
goes: goes.test could not be resolved (110: Operation timed out)
again: again.test could not be resolved (110: Operation timed out)
most: found
good: found
