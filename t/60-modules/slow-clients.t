# What a worker keeps for clients that take nothing of what filters say. The
# client is Lua code in the same worker; MB are counted when there is a header.
#
# Where loopback has large segments, one who has paused gets a megabyte a second
# from then on: the rest is no more than it takes to see a difference, between
# what is held and what the sanitizers keep.

config_preamble(<<'CONF');
    # /make?size=1000000: writes html/f, of that many bytes, hard to compress.
    location = /make {
        content_by_lua_block {
            local f = assert(io.open(ngx.config.prefix() .. "html/f", "wb"))
            local part = {}
            for i = 1, 50000 do part[i] = ngx.md5_bin(i) .. "abc " end
            part = table.concat(part)
            for _ = 1, ngx.var.arg_size, #part do f:write(part) end
            f:close()
            ngx.print("made")
        }
    }

    # /slow?uri: asks for it, says how many MB more there are meanwhile; then
    # takes it all.
    location = /slow {
        content_by_lua_block {
            local resident = require("lunette.spec.memory").resident
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:settimeout(60000)
            local before, most = resident(), 0
            sock:send("GET " .. ngx.var.args .. " HTTP/1.0\r\n"
                      .. "Accept-Encoding: " .. (ngx.var.http_x or "") .. "\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            for _ = 1, 10 do
                ngx.sleep(0.02)
                most = math.max(most, resident() - before)
            end
            local n, data, err, rest = 0
            repeat
                data, err, rest = sock:receiveany(65536)
                n = n + #(data or rest or "")
            until not data
            ngx.print(most < 17e6 and "little" or most, " ", n)
        }
    }
CONF

__DATA__


=== gunzip says no more than the client takes
--- config
    location = /s {
        gzip on; gzip_types *; gzip_proxied any; gzip_http_version 1.0;
        content_by_lua_block {
            local part = ("x"):rep(1000000)
            for _ = 1, 30 do ngx.print(part) ngx.flush(true) end
        }
    }
    location = /p {
        gunzip on;
        proxy_set_header Accept-Encoding gzip;
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s;
    }
--- request
GET /slow?/p
--- response_body chomp
little 30000000
--- timeout: 150



=== gzip
--- config
    location = /f { gzip on; gzip_types *; gzip_http_version 1.0; root html; }
--- pipelined_requests eval
["GET /make?size=24000000", "GET /slow?/f"]
--- more_headers
X: gzip
--- response_body_like eval
["made", "^little 2\\d{7}\$"]
--- timeout: 150



=== sub_filter
--- config
    location = /f { sub_filter_types *; sub_filter "abc " "something else "; sub_filter_once off; }
--- pipelined_requests eval
["GET /make?size=24000000", "GET /slow?/f"]
--- response_body eval
["made", "little 37200000"]
--- timeout: 150



=== charset
--- http_config
    charset_map koi8-r utf-8 { C1 D0B0; }
--- config
    location = /f { charset utf-8; source_charset koi8-r; charset_types *; }
--- pipelined_requests eval
["GET /make?size=24000000", "GET /slow?/f"]
--- response_body_like eval
["made", "^little 2\\d{7}\$"]
--- timeout: 150



=== body_filter_by_lua, and what comes behind it
--- config
    location = /f {
        gzip on; gzip_types *; gzip_http_version 1.0;
        body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1]:upper() }
    }
--- pipelined_requests eval
["GET /make?size=24000000", "GET /slow?/f", "GET /slow?/f"]
--- more_headers eval
["", "", "X: gzip"]
--- response_body_like eval
["made", "little 24000000", "^little 2\\d{7}\$"]
--- timeout: 150



=== several of them
--- config
    location = /f {
        sub_filter_types *; sub_filter abc 1234567890; sub_filter_once off;
        gzip on; gzip_types *; gzip_http_version 1.0;
        body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1]:lower() }
    }
--- pipelined_requests eval
["GET /make?size=24000000", "GET /slow?/f"]
--- more_headers
X: gzip
--- response_body_like eval
["made", "^little 2\\d{7}\$"]
--- timeout: 150



=== with HTTP/2, whose window stays closed
--- config
    http2 on;
    location = /s { gzip on; gzip_types *; gzip_proxied any; gzip_http_version 1.0; root html; try_files /f =404; }
    location = /p { gunzip on; proxy_set_header Accept-Encoding gzip; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
    location = /t {
        content_by_lua_block {
            local h2 = require "lunette.spec.frames"
            local resident = require("lunette.spec.memory").resident
            local sock = h2.open(h2.hello() .. h2.gets("/p", 1))
            local before, most = resident(), 0
            h2.receive(sock, "DATA")
            for _ = 1, 10 do
                ngx.sleep(0.02)
                most = math.max(most, resident() - before)
            end
            ngx.say(most < 17e6 and "little" or most)
            sock:send(h2.frame("WINDOW_UPDATE", 0, 0, "\x7f\0\0\0") .. h2.frame("WINDOW_UPDATE", 0, 1, "\x7f\0\0\0"))
            local n = 65535
            while n < 24000000 do n = n + #assert(sock:receiveany(65536)) end
            ngx.say("all")
        }
    }
--- pipelined_requests eval
["GET /make?size=24000000", "GET /t"]
--- response_body eval
["made", "little\nall\n"]
--- timeout: 150



=== bytes are those that came, through all filters, however slow
--- config
    location = /f {
        sub_filter_types *; sub_filter "abc " "ABC "; sub_filter_once off;
        body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1]:gsub("ABC ", "abc ") }
        limit_rate 40m; limit_rate_after 500k; root html;
    }
    location = /g { gzip on; gzip_types *; gzip_http_version 1.0; gzip_buffers 4 1k; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/f; }
    location = /p { gunzip on; gunzip_buffers 3 1k; proxy_set_header Accept-Encoding gzip; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/g; postpone_output 1m; }
    location = /t {
        content_by_lua_block {
            local f = assert(io.open(ngx.config.prefix() .. "html/f", "rb"))
            local want, sock = f:read("*a"), ngx.socket.tcp()
            f:close()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /p HTTP/1.0\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            ngx.say(sock:receive("*a"):upper() == want:upper())
        }
    }
--- pipelined_requests eval
["GET /make?size=8000000", "GET /t"]
--- response_body eval
["made", "true\n"]
--- timeout: 150



=== subrequests keep their places
--- config
    location = /f { sub_filter_types *; sub_filter "abc " 123456; sub_filter_once off; root html; }
    location = /g {
        gzip on; gzip_types *; gzip_http_version 1.0;
        sub_filter_types *; sub_filter begin BEGIN; sub_filter middle MIDDLE; sub_filter_once off;
        echo begin; echo_location /f; echo_location_async /f; echo middle; echo_location /f; echo end;
    }
    location = /p { gunzip on; proxy_set_header Accept-Encoding gzip; gzip_proxied any; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/g; }
    location = /a { default_type text/html; add_before_body /f; add_after_body /f; sub_filter "abc " -; sub_filter_once off; alias html/f; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET " .. ngx.var.arg_uri .. " HTTP/1.0\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            ngx.sleep(0.1)
            local text = sock:receive("*a")
            local words, n = { #text }, 0
            for word in text:gmatch("%u%u%u%u+") do words[#words + 1] = word end
            for _ in text:gmatch("123456") do n = n + 1 end
            ngx.say(table.concat(words, " "), " ", n, " ", text:sub(-4) == "end\n")
        }
    }
--- pipelined_requests eval
["GET /make?size=2000000", "GET /t?uri=/p", "GET /t?uri=/a"]
--- response_body_like eval
["made", '^6600017 BEGIN .*MIDDLE .*300000 true$', '^6\d{6} .*200000 false$']
--- timeout: 150



=== a client that leaves what a filter holds
--- config
    location = /f {
        gzip on; gzip_types *; gzip_http_version 1.0; root html;
        log_by_lua_block { ngx.log(ngx.WARN, "it is over: ", ngx.var.status) }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /f HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            sock:close()
            for _ = 1, 1000 do
                if ngx.var.connections_active == "1" then break end
                ngx.sleep(0.01)
            end
            ngx.print(ngx.var.connections_active)
        }
    }
--- pipelined_requests eval
["GET /make?size=20000000", "GET /t"]
--- response_body eval
["made", "1"]
--- error_log
it is over: 200
--- timeout: 150



=== a client that takes nothing of it is let go
--- http_config
    init_worker_by_lua_block { over = false }
--- config
    location = /f {
        gzip on; gzip_types *; gzip_http_version 1.0; root html; send_timeout 300ms;
        log_by_lua_block { over = true ngx.log(ngx.WARN, "it is over: ", ngx.var.status) }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /f HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n")
            while not over do ngx.sleep(0.01) end
            -- What the system still writes of it ends a moment later.
            for _ = 1, 1000 do
                if ngx.var.connections_writing == "1" then break end
                ngx.sleep(0.01)
            end
            ngx.print(ngx.var.connections_writing)
        }
    }
--- pipelined_requests eval
["GET /make?size=20000000", "GET /t"]
--- response_body eval
["made", "1"]
--- error_log
client timed out
it is over: 200
--- timeout: 150



=== a body that turns out to be none while it is held
--- config
    location = /b { default_type text/plain; add_header Content-Encoding gzip; proxy_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
    location = /p { gunzip on; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /s {
        gzip on; gzip_types *; gzip_http_version 1.0; gzip_proxied any;
        content_by_lua_block {
            if ngx.var.http_accept_encoding then
                local part = ("x"):rep(1000000)
                for _ = 1, 15 do ngx.print(part) ngx.flush(true) end
                return
            end
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /s HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            ngx.print(sock:receive("*a"):sub(1, 20000), "rubbish")
        }
    }
--- request
GET /slow?/p
--- response_body_like: ^\w+ \d+$
--- error_log
inflate() failed
--- timeout: 150



=== a body of more than a filter may hold, all of it postponed
--- config
    location = /f { postpone_output 1m; body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1]:upper() } }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /f HTTP/1.0\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            local text = sock:receive("*a")
            ngx.say(text == ("0123456789ABCDEF"):rep(50000))
        }
    }
--- user_files eval
">>> f\n" . ("0123456789abcdef" x 50000)
--- response_body
true
