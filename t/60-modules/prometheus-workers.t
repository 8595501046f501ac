# What is counted when workers come and go: soak/metrics.lua in short.

__DATA__


=== each request is counted once, over a reload and a worker's death
--- workers: 3
--- master_on
--- no_reload: it counts from the beginning of the server
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /metrics { prometheus; }
    location = /pid { content_by_lua_block { ngx.sleep(0.002) ngx.say(ngx.worker.pid()) } }
    location = /t {
        content_by_lua_block {
            local served, lost, others, running = 0, 0, {}, true
            local function ask(uri)
                local sock = ngx.socket.tcp()
                sock:settimeout(5000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                local text = sock:receive("*a")
                sock:close()
                if not text or text == "" then lost = lost + 1 return ask(uri) end
                served = served + 1
                return text
            end
            local function sum() return tonumber(ask("/metrics"):match "\nlunette_http_requests_total (%d+)") end
            local function client()
                while running do
                    local pid = tonumber(ask("/pid"):match "(%d+)\n$")
                    if pid ~= ngx.worker.pid() then others[1] = pid end
                end
            end
            local base, threads = sum() - served, {}
            for i = 1, 6 do threads[i] = ngx.thread.spawn(client) end
            require("reload").with(function (text) return text end)
            ngx.sleep(0.3)
            assert(require("resty.signal").kill(others[1], "KILL"))
            ngx.sleep(0.5)
            running = false
            for i = 1, 6 do ngx.thread.wait(threads[i]) end
            local counted = sum() - base
            ngx.say(served > 6, " ", counted >= served, " ", counted <= served + lost, " ", lost <= 12)
        }
    }
--- timeout: 30
--- response_body
true true true true
--- error_log eval
qr/worker process \d+ exited (on signal 9|with code \d+)/
