# Frames of WebSocket that nobody has thought of, read by the library and by
# t/lib/random_frames.lua, which has no line in common with it. SEED=n begins
# with another one.

our $HttpConfig = <<'_EOC_';
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    lua_socket_log_errors off;
_EOC_

our $Server = <<'_EOC_';
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    lua_socket_log_errors off;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            local seed = tonumber((sock:receive()))
            require("random_frames").say(sock, seed)
        }
    }
_EOC_

no_long_string();
run_tests();

__DATA__

=== from a cosocket, some of it in C
--- http_config eval: $::HttpConfig
--- stream_config eval: $::Server
--- main_config
    env SEED;
--- config
    location = /t {
        content_by_lua_block {
            local frames = require "random_frames"
            local recv_frame = require("resty.websocket.protocol").recv_frame
            local first = tonumber(os.getenv("SEED")) or 1
            local wrong = 0
            for seed = first, first + 399 do
                local sock = ngx.socket.tcp()
                sock:settimeout(5000)
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                sock:send(seed .. "\n")
                local why = frames.differs(sock, seed, recv_frame)
                if why then
                    wrong = wrong + 1
                    ngx.say(why)
                end
                sock:close()
            end
            ngx.say(wrong, " of 400")
        }
    }
--- response_body
0 of 400
--- timeout: 60



=== from any object that has bytes
--- http_config eval: $::HttpConfig
--- main_config
    env SEED;
--- config
    location = /t {
        content_by_lua_block {
            local frames = require "random_frames"
            local recv_frame = require("resty.websocket.protocol").recv_frame
            local first = tonumber(os.getenv("SEED")) or 1
            local wrong = 0
            for seed = first, first + 2999 do
                local text, at = frames.bytes(seed), 1
                local sock = {}
                function sock:receive(n)
                    local data = text:sub(at, at + n - 1)
                    at = at + n
                    if #data < n then
                        return nil, "closed", data
                    end
                    return data
                end
                local why = frames.differs(sock, seed, recv_frame)
                if why then
                    wrong = wrong + 1
                    ngx.say(why)
                end
            end
            ngx.say(wrong, " of 3000")
        }
    }
--- response_body
0 of 3000
--- timeout: 60
