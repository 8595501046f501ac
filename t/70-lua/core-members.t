# What other libraries take from lua-resty-core's modules by name.

__DATA__


=== the members of each
--- config
    location = /t {
        content_by_lua_block {
            for name, members in ([[
                resty.core.utils: str_replace_char version;
                resty.core.param: __index version;
                resty.core.exit: version;
                resty.core.socket.tcp: version;
                resty.core.response: __index __newindex bypass_if_checks
                    get_resp_header set_resp_header version;
                resty.core.time: cookie_time http_time localtime
                    monotonic_msec monotonic_time now parse_http_time time
                    today update_time utctime version;
                resty.core.ctx: _VERSION get_ctx_table;
                resty.core.misc: _VERSION register_ngx_magic_key_getter
                    register_ngx_magic_key_setter;
                resty.core.ndk: __index __newindex version;
                resty.core.var: __index __newindex version;
                resty.core.shdict: capacity free_space incr version;
                resty.core.regex: check_buf_size collect_captures
                    destroy_compiled_regex is_regex_cache_empty
                    re_match_compile re_sub_compile set_buf_grow_ratio;
            ]]):gmatch("(%S+):%s+([^;]+);") do
                local module = require(name)
                for member in members:gmatch("%S+") do
                    if module[member] == nil then
                        ngx.say(name, ".", member)
                    end
                end
            end
            ngx.say("done")
        }
    }
--- response_body
done



=== a byte for another
--- config
    location = /t {
        content_by_lua_block {
            local replace = require("resty.core.utils").str_replace_char
            ngx.say(replace("a_b%c", "_", "-"), " ", replace("a%b", "%", "-"))
            ngx.say(replace("a1b", "1", "%"), " ", replace("axb", "x", "y"))
            ngx.say(#replace("a\0b", "\0", "]"), " ", replace("a]b", "]", "^"))
            ngx.say(pcall(replace, "a", "", "b"))
        }
    }
--- response_body
a-b%c a-b
a%b ayb
3 a^b
falsea character expected



=== an expression that was compiled before
--- config
    location = /t {
        content_by_lua_block {
            local regex = require "resty.core.regex"
            local empty = regex.is_regex_cache_empty()
            local re, once = regex.re_match_compile("[a-z]+", "jo")
            ngx.say(type(re), " ", once, " ", empty, " ",
                    regex.is_regex_cache_empty())
            ngx.say(regex.re_match_compile("([", "jo"))
            ngx.say(regex.re_sub_compile("a", "", "${b", nil))
        }
    }
--- response_body
table true true false
nilpcre2_compile() failed: missing terminating ] for character class in "(["
nilfailed to compile the replacement template



=== the pointer of a request has a global name, too
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(type(exdata()), " ", exdata() ~= nil, " ",
                    ngx.get_raw_phase())
            local get = require("resty.core.ctx").get_ctx_table
            local mine = { a = 1 }
            ngx.say(get(mine) == mine, " ", ngx.ctx == mine, " ",
                    get({}) == mine)
        }
    }
--- response_body
cdata true 8
true true true
