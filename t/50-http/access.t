__DATA__


=== satisfy all asks everybody
--- config
    location = /t {
        satisfy all;
        allow all;
        access_by_lua_block { ngx.exit(401) }
        content_by_lua_block { ngx.say("in") }
    }
--- error_code: 401



=== satisfy any is content with one
--- config
    location = /t {
        satisfy any;
        deny all;
        access_by_lua_block { ngx.exit(ngx.OK) }
        content_by_lua_block { ngx.say("in") }
    }
--- response_body
in



=== satisfy any refuses when all refuse
--- config
    location = /t {
        satisfy any;
        deny all;
        access_by_lua_block { ngx.exit(403) }
        content_by_lua_block { ngx.say("in") }
    }
--- error_code: 403
--- error_log
access forbidden by rule



=== error_log of a location
--- config
    location = /t {
        error_log logs/other.log notice;
        content_by_lua_block {
            ngx.log(ngx.NOTICE, "here")
            ngx.log(ngx.INFO, "too quiet")
            local f = assert(io.open(ngx.config.prefix() .. "logs/other.log"))
            local text = f:read("*a")
            f:close()
            ngx.say(text:find("here", 1, true) ~= nil, " ",
                    text:find("too quiet", 1, true) == nil)
        }
    }
--- response_body
true true
--- no_error_log
[error]



=== with satisfy any, a refusal that does not count is not logged
--- config
    location = /t {
        satisfy any;
        deny all;
        access_by_lua_block { ngx.exit(0) }
        content_by_lua_block { ngx.say("in") }
    }
--- response_body
in
--- no_error_log
access forbidden
