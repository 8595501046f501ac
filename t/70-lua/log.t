__DATA__


=== log joins its arguments behind its place
--- config
    location = /t {
        content_by_lua_block {
            ngx.log(ngx.ERR, "a", 1, " ", 2.5, nil, true, ngx.null)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log eval
qr/\[error\] \d+#\d+: \*\d+ \[lua\] content_by_lua\(nginx\.conf:\d+\):2: a1 2\.5niltruenull, client: 127\.0\.0\.1, server: localhost, request: "GET \/t HTTP\/1\.1", host: "localhost"/



=== log names the function
--- config
    location = /t {
        content_by_lua_block {
            local function inner() ngx.log(ngx.ERR, "text") end
            inner()
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log eval
qr/\[lua\] content_by_lua\(nginx\.conf:\d+\):2: inner\(\): text/



=== log names a file by its last part
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
--- config
    location = /t { content_by_lua_block { require("dir.mod").go() ngx.say("ok") } }
--- user_files
>>> dir/mod.lua
local _M = {}
function _M.go()
    ngx.log(ngx.WARN, "from a module")
end
return _M
--- response_body
ok
--- error_log
[warn]
[lua] mod.lua:3: go(): from a module



=== print is a notice
--- config
    location = /t { content_by_lua_block { print("x", 1, nil) ngx.say("ok") } }
--- response_body
ok
--- error_log eval
qr/\[notice\] .*? \[lua\] content_by_lua\(nginx\.conf:\d+\):1: x1nil/



=== levels below that of error_log are not written
--- config
    error_log logs/error.log warn;
    location = /t {
        content_by_lua_block {
            ngx.log(ngx.INFO, "quiet")
            print("quiet")
            ngx.log(ngx.WARN, "loud")
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log
loud
--- no_error_log
quiet



=== each level has its name
--- config
    location = /t {
        content_by_lua_block {
            for _, l in ipairs { "CRIT", "ERR", "WARN", "NOTICE", "INFO" } do
                ngx.log(ngx[l], "at ", l)
            end
            ngx.say("ok")
        }
    }
--- response_body
ok
--- grep_error_log eval: qr/\[\w+\] .*?at [A-Z]+/
--- grep_error_log_out eval
qr/\[crit\] .*at CRIT\n\[error\] .*at ERR\n\[warn\] .*at WARN\n\[notice\] .*at NOTICE\n\[info\] .*at INFO\n/



=== bad arguments of log
--- config
    location = /t {
        content_by_lua_block {
            local function try(...) ngx.say((select(2, pcall(ngx.log, ...)))) end
            try(ngx.ERR, function () end)
            try(ngx.ERR, {})
            try(-1, "x")
            try(9, "x")
        }
    }
--- response_body_like chop
bad argument #1 to '.*' \(string, number, boolean, or nil expected, got function\)
.*bad argument #1 to '.*' \(expected table to have __tostring metamethod\)
.*bad argument #1 to '.*' \(bad log level: -1\)
.*bad argument #1 to '.*' \(bad log level: 9\)$



=== log takes tables that can be text
--- config
    location = /t {
        content_by_lua_block {
            ngx.log(ngx.ERR, "is ", setmetatable({}, { __tostring = function () return "a table" end }))
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log
is a table
