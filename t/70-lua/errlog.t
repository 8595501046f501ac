__DATA__


=== captured lines come with level and time, the oldest first, once
--- http_config
    lua_capture_error_log 32k;
--- config
    location = /t {
        content_by_lua_block {
            local errlog = require "ngx.errlog"
            errlog.get_logs(1000)
            ngx.log(ngx.WARN, "first")
            ngx.log(ngx.ERR, "second")
            local logs = errlog.get_logs()
            for i = 1, #logs, 3 do
                if logs[i] < ngx.DEBUG then
                    ngx.say(logs[i], " ", ngx.now() - logs[i + 1] < 10, " ", logs[i + 2]:match("%[%l+%].*]"),
                            " ", logs[i + 2]:match("%w+, client.*"))
                end
            end
            ngx.say(#errlog.get_logs())
        }
    }
--- log_level: notice
--- response_body_like
\A5 true \[warn\].* \[lua\] first, client: 127\.0\.0\.1, server: localhost, request: "GET /t HTTP/1\.1", host: "localhost"
4 true \[error\].* \[lua\] second, client: .*
0$



=== set_filter_level chooses what is captured, get_logs how many
--- http_config
    lua_capture_error_log 32k;
    init_by_lua_block { require("ngx.errlog").set_filter_level(ngx.WARN) }
--- config
    location = /t {
        content_by_lua_block {
            local errlog = require "ngx.errlog"
            ngx.log(ngx.INFO, "no")
            for i = 1, 3 do ngx.log(ngx.WARN, "line ", i) end
            local logs = errlog.get_logs(2, { 1, 2, 3, 4, 5, 6, 7, 8, 9 })
            ngx.say(logs[3]:match("line %d"), " ", logs[6]:match("line %d"), " ", logs[7])
            logs = errlog.get_logs(2, logs)
            ngx.say(logs[3]:match("line %d"), " ", logs[4])
        }
    }
--- response_body
line 1 line 2 nil
line 3 nil



=== what finds no room drives out the oldest
--- http_config
    lua_capture_error_log 4k;
    init_by_lua_block { require("ngx.errlog").set_filter_level(ngx.WARN) }
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 100 do ngx.log(ngx.WARN, "line ", i, ("."):rep(i)) end
            local logs = require("ngx.errlog").get_logs(1000)
            local n, last = #logs / 3, 0
            for i = 3, #logs, 3 do
                local k, dots = logs[i]:match("line (%d+)(%.+), client")
                k = tonumber(k)
                assert(#dots == k and (i == 3 or k == last + 1))
                last = k
            end
            ngx.say(last, " ", n > 5 and n < 25)
        }
    }
--- response_body
100 true



=== without lua_capture_error_log nothing is captured
--- config
    location = /t {
        content_by_lua_block {
            local errlog = require "ngx.errlog"
            ngx.say(errlog.get_logs())
            ngx.say(errlog.set_filter_level(ngx.ERR))
            ngx.say(errlog.set_filter_level())
            ngx.say(errlog.set_filter_level(9))
        }
    }
--- response_body
nildirective "lua_capture_error_log" is not set
nildirective "lua_capture_error_log" is not set
nilmissing "level" argument
nilbad log level: 9



=== a size below 4k is refused
--- http_config
    lua_capture_error_log 4095;
--- must_die
--- error_log
invalid capture error log size "4095", minimum size is 4096



=== raw_log writes a line as it is
--- config
    location = /t {
        content_by_lua_block {
            local errlog = require "ngx.errlog"
            errlog.raw_log(ngx.WARN, "plain text")
            ngx.say(pcall(errlog.raw_log, "4", "x"))
            ngx.say(pcall(errlog.raw_log, 4, 4))
            ngx.say(pcall(errlog.raw_log, 9, "x"))
            ngx.say(errlog.get_sys_filter_level())
        }
    }
--- log_level: info
--- response_body
falsebad argument #1 to 'raw_log' (must be a number)
falsebad argument #2 to 'raw_log' (must be a string)
falsebad log level
7
--- error_log eval
qr/\[warn\] \d+#\d+: \*\d+ plain text, client: /
