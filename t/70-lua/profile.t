__DATA__


=== a profile says where Lua computes, and for which location
--- master_on
--- config
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local master = require("ngx.process").get_master_pid()
            local function add_all(n)
                local sum = 0
                for i = 1, n do sum = sum + i % 7 end
                return sum
            end
            assert(io.tell(master, "profile", 20000))
            ngx.sleep(0.2)                 -- it is told to this worker, too
            local limit = io.now() + 500
            while io.now() < limit do add_all(1e6) end
            assert(io.tell(master, "profile", 20000))
            ngx.say("told")
        }
    }
--- response_body
told
--- error_log eval
[
qr/\[notice\] .*profile: begins, of worker 0/,
qr/profile: cpu \d+ content_by_lua\* \/t;content_by_lua\(nginx.conf:\d+\):0;content_by_lua\(nginx.conf:\d+\):add_all;content_by_lua\(nginx.conf:\d+\):7/,
qr/profile: ends, \d+ samples in \d+ ms/
]



=== a profile says what coroutines wait for, and how long
--- master_on
--- config
    location ~ "^/(t|a;b)$" {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local master = require("ngx.process").get_master_pid()
            local function nap() ngx.sleep(0.3) end
            assert(io.tell(master, "profile", 20000))
            ngx.sleep(0.2)
            ngx.thread.wait(ngx.thread.spawn(nap))
            assert(io.tell(master, "profile", 20000))
            ngx.say("told")
        }
    }
--- response_body
told
--- error_log eval
[
qr/profile: wait 3\d{5} content_by_lua\* \^\/\(t\|a_b\)\$;content_by_lua\(nginx.conf:\d+\):4;sleep;\(C\);ngx.sleep/,
qr/profile: wait 3\d{5} content_by_lua\* .*;ngx.thread.wait/,
qr/profile: ends, \d+ samples/
]



=== a profile that nobody ends says what it has when its machine goes
--- master_on
--- config
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local process = require "ngx.process"
            local master = process.get_master_pid()
            assert(io.tell(master, "profile", 20000))
            ngx.sleep(0.2)
            ngx.timer.at(0, function ()
                process.signal_graceful_exit()
            end)
            ngx.say("told")
        }
    }
--- response_body
told
--- error_log eval
[ qr/profile: begins, of worker 0/, qr/profile: ends, \d+ samples/ ]
