__DATA__


=== a client that is answered is one that is written to, and nothing else
--- config
    location /t { stub_status; }
--- response_headers
Content-Type: text/plain
--- response_body_like: ^Active connections: 1 \nserver accepts handled requests\n ([1-9]\d*) \1 [1-9]\d* \nReading: 0 Writing: 1 Waiting: 0 \n$



=== of all workers: who waits, who has sent half a header, who is answered
--- workers: 2
--- master_on
--- no_reload: old workers have connections of their own
--- config
    location /s { stub_status; }
    location /sleep { content_by_lua_block { ngx.sleep(6) } }
    location /t {
        content_by_lua_block {
            local status = require "status"
            local kept, half, busy = {}, {}, {}
            for i = 1, 12 do kept[i] = status.open("GET /s HTTP/1.1\r\n"
                .. "Host: a\r\n\r\n") end
            for i = 1, 12 do assert(kept[i]:receiveany(4096)) end
            for i = 1, 3 do half[i] = status.open("GET /t HT") end
            for i = 1, 5 do busy[i] = status.open("GET /sleep HTTP/1.0\r\n\r\n")
            end
            ngx.say(status.await("Reading: 3 Writing: 7 Waiting: 12"))
            for _, list in ipairs { kept, half, busy } do
                for _, sock in ipairs(list) do sock:close() end
            end
            ngx.say(status.await("Active connections: [27] "))
        }
    }
--- user_files
>>> status.lua
local _M = {}
function _M.open(text)
    local sock = ngx.socket.tcp()
    assert(sock:connect("127.0.0.1", ngx.var.server_port))
    assert(sock:send(text))
    return sock
end
function _M.await(what)
    local text
    for _ = 1, 200 do
        local sock = _M.open("GET /s HTTP/1.0\r\n\r\n")
        text = sock:receive("*a")
        sock:close()
        if text:find(what) then return "yes" end
        ngx.sleep(0.02)
    end
    return text
end
return _M
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
--- response_body
yes
yes



=== connections to servers are nobody's clients, and are not accepted
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 4; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / { return 200 "x"; }
    }
--- config
    location /p { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; }
    location /t { stub_status; }
--- pipelined_requests eval
["GET /p", "GET /p", "GET /t"]
--- response_body_like eval
["x", "x", qr/^Active connections: 2 \nserver accepts handled requests\n 2 2 5 \nReading: 0 Writing: 1 Waiting: 1 /]



=== who has gone while limit_rate delays the answer is noticed at once
--- config
    location /slow { limit_rate 1k; }
    location /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"))
            assert(sock:receiveany(4096))
            sock:close()
            local from = ngx.now()
            while ngx.var.connections_writing ~= "1" do ngx.sleep(0.01) end
            ngx.say(ngx.now() - from < 0.5)
        }
    }
--- user_files eval
">>> slow\n" . ("x" x 20000)
--- response_body
true
--- error_log
client prematurely closed connection



=== requests of HTTP/2 are written, their connection does not wait
--- no_reload: what came before would be counted, too
--- config
    location /t { stub_status; }
--- http2
--- response_body_like: ^Active connections: 1 \n.*\n 1 1 1 \nReading: 0 Writing: 1 Waiting: 0 \n$



=== the same as variables
--- config
    location /u { return 200 "$connections_active $connections_reading $connections_writing $connections_waiting"; }
--- request
GET /u
--- response_body: 1 0 1 0



=== what a worker that is killed had counted stays counted, and who it served is not
--- workers: 2
--- master_on
--- no_reload: requests are counted from the first
--- config
    location /s { stub_status; }
    location /die { content_by_lua_block {
        if ngx.var.arg_not ~= tostring(ngx.worker.pid()) then os.exit(3) end } }
    location /t {
        content_by_lua_block {
            local asked = 1
            local function ask(uri)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                asked = asked + 1
                return sock:receive("*a") or ""
            end
            while #ask("/die?not=" .. ngx.worker.pid()) > 0 do end
            local text
            for i = 1, 200 do
                text = ask("/s")
                if text:find("Active connections: 2 ") then break end
                ngx.sleep(0.02)
            end
            ngx.say(text:find("\n " .. asked .. " " .. asked .. " " .. asked
                              .. " ") and "all" or asked .. ": " .. text)
            ngx.say(text:match("Reading.*"))
        }
    }
--- response_body_like: ^all\nReading: 0 Writing: 2 Waiting: 0
--- error_log
exited with code 3
