__DATA__


=== the numbers of stub_status by ffi.C, as libraries of OpenResty's read them
--- workers: 2
--- master_on
--- no_reload: old workers have connections of their own
--- config
    location /s { stub_status; }
    location /sleep { content_by_lua_block { ngx.sleep(6) } }
    location /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef [[
                typedef uintptr_t ngx_atomic_t;
                extern ngx_atomic_t *ngx_stat_active, *ngx_stat_reading,
                    *ngx_stat_writing, *ngx_stat_waiting, *ngx_stat_accepted,
                    *ngx_stat_handled, *ngx_stat_requests;
            ]]
            local function stat(name)
                return tonumber(ffi.C["ngx_stat_" .. name][0])
            end
            local function open(text)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                assert(sock:send(text))
                return sock
            end
            local before, all = stat "requests", {}
            for i = 1, 12 do
                all[i] = open "GET /s HTTP/1.1\r\nHost: a\r\n\r\n"
            end
            for i = 1, 12 do assert(all[i]:receiveany(4096)) end
            for i = 1, 3 do all[12 + i] = open "GET /t HT" end
            for i = 1, 5 do all[15 + i] = open "GET /sleep HTTP/1.0\r\n\r\n" end
            for _ = 1, 200 do
                if stat "reading" == 3 and stat "waiting" == 12
                   and stat "writing" == 6 then break end
                ngx.sleep(0.02)
            end
            ngx.say(stat "reading", " ", stat "writing", " ", stat "waiting",
                    " ", stat "active")
            ngx.say(stat "requests" - before, " ",
                    stat "accepted" - stat "handled", " ",
                    stat "accepted" >= 21)
        }
    }
--- response_body
3 6 12 21
20 0 true



=== each handler sees what there is when it begins
--- http_config
    init_by_lua_block {
        require("ffi").cdef "uint64_t *ngx_stat_requests;"
    }
--- config
    location /t {
        content_by_lua_block {
            local C = require("ffi").C
            local n = tonumber(C.ngx_stat_requests[0])
            ngx.print(n - (package.loaded.last or n - 1))
            package.loaded.last = n
        }
    }
--- pipelined_requests eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["1", "1", "1"]
