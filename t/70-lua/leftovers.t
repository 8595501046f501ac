What a worker says that quits and has not ended what it began. A server under
Wine is not told to quit by the runner: t/unit/leftovers.c has both systems.

__DATA__

=== a descriptor that nobody has closed
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef "int open(const char *path, int flags);"
            ngx.say(ffi.C.open("/dev/null", 0) > 2)
        }
    }
--- response_body
true
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log eval
qr/\[alert\] .*not ended at exit: descriptor \d+ \(\/dev\/null\)/



=== a worker of a master says it as well
--- master_on
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef "int open(const char *path, int flags);"
            ngx.say(ffi.C.open("/dev/null", 0) > 2)
        }
    }
--- response_body
true
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
not ended at exit: descriptor



=== timers, sockets and coroutines of scripts end with the worker
--- config
    location = /t {
        content_by_lua_block {
            local kept = ngx.socket.tcp()
            assert(kept:connect("127.0.0.1", ngx.var.server_port))
            assert(ngx.timer.at(3600, function () end))
            assert(ngx.timer.every(3600, function () end))
            assert(ngx.timer.at(0, function ()
                local sock = ngx.socket.tcp()
                sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
                coroutine.wrap(function () ngx.sleep(0.2) end)()
            end))
            assert(kept:setkeepalive())
            ngx.ctx.kept = coroutine.create(function () end)
            ngx.say("begun")
        }
    }
--- response_body
begun
--- no_shutdown_error_log
not ended at exit
