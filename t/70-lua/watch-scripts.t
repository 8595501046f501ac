# lua_code_cache watch: what is noticed, and who serves then.

config_preamble(<<'CONF');
    lua_code_cache watch;

    # /write?a.lua=text: writes html/a.lua.
    location = /write {
        content_by_lua_block {
            for name, text in pairs(ngx.req.get_uri_args()) do
                local f = assert(io.open(ngx.config.prefix() .. "html/" .. name, "wb"))
                f:write(text)
                f:close()
            end
            ngx.print("written")
        }
    }

    # /until?text: waits until /t says so; without a text, until a change was not taken.
    location = /until {
        content_by_lua_block {
            local seen
            local want = ngx.var.is_args ~= "" and ngx.unescape_uri(ngx.var.args)
            for i = 1, 500 do
                if want then
                    local sock = ngx.socket.tcp()
                    assert(sock:connect("127.0.0.1", ngx.var.server_port))
                    sock:send("GET /t HTTP/1.0\r\n\r\n")
                    seen = sock:receive("*a"):match("\r\n\r\n(.*)")
                    sock:close()
                else
                    seen = require("lunette.scripts").status().error
                end
                if seen and seen == (want or seen) then break end
                ngx.sleep(0.02)
            end
            ngx.print(seen)
        }
    }
CONF

__DATA__


=== a changed handler is served
--- config
    location = /t { content_by_lua_file html/a.lua; }
--- user_files
>>> a.lua
ngx.print("before")
--- pipelined_requests eval
["GET /t", "GET /write?a.lua=ngx.print('after')", "GET /until?after"]
--- response_body eval
["before", "written", "after"]
--- error_log eval
qr/\[notice\].*lua_code_cache watch: ".*html\/a\.lua" has changed, all scripts are loaded anew/
--- no_error_log
[error]



=== and so is one whose name is a variable's
--- config
    location = /t { content_by_lua_file html/${server_name}_a.lua; }
--- user_files
>>> localhost_a.lua
ngx.print("before")
--- pipelined_requests eval
["GET /t", "GET /write?localhost_a.lua=ngx.print('after')", "GET /until?after"]
--- response_body eval
["before", "written", "after"]
--- no_error_log
[error]



=== a changed module is served
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
--- config
    location = /t { content_by_lua_block { ngx.print(require("mod").text) } }
--- user_files
>>> mod.lua
return { text = "before" }
--- pipelined_requests eval
["GET /t", "GET /write?mod.lua=return{text='after'}", "GET /until?after"]
--- response_body eval
["before", "written", "after"]
--- no_error_log
[error]



=== what loadfile has read counts as well
--- http_config
    init_by_lua_block { text = assert(loadfile(ngx.config.prefix() .. "html/data.lua"))() }
--- config
    location = /t { content_by_lua_block { ngx.print(text) } }
--- user_files
>>> data.lua
return "before"
--- pipelined_requests eval
["GET /t", "GET /write?data.lua=return'after'", "GET /until?after"]
--- response_body eval
["before", "written", "after"]
--- no_error_log
[error]



=== a file that takes the place of another
--- config
    location = /t { content_by_lua_file html/a.lua; }
    location = /move {
        content_by_lua_block {
            local html = ngx.config.prefix() .. "html/"
            assert(os.remove(html .. "a.lua"))
            assert(os.rename(html .. "b.lua", html .. "a.lua"))
            ngx.print("moved")
        }
    }
--- user_files
>>> a.lua
ngx.print("before")
>>> b.lua
ngx.print("after")
--- pipelined_requests eval
["GET /t", "GET /move", "GET /until?after"]
--- response_body eval
["before", "moved", "after"]



=== a script that does not compile leaves the old one serving
--- config
    location = /t { content_by_lua_file html/a.lua; }
--- user_files
>>> a.lua
ngx.print("before")
--- pipelined_requests eval
["GET /t", "GET /write?a.lua=ngx.print(", "GET /until", "GET /t",
 "GET /write?a.lua=ngx.print('after')", "GET /until?after"]
--- response_body_like eval
["before", "written", "html/a.lua:1: unexpected symbol near '<eof>'", "before", "written", "after"]
--- error_log eval
qr/\[error\].*a\.lua" has changed, but the scripts in use stay: .*html\/a\.lua:1: unexpected symbol/



=== nor is one lost that was removed
--- config
    location = /t { content_by_lua_file html/a.lua; }
    location = /remove {
        content_by_lua_block {
            assert(os.remove(ngx.config.prefix() .. "html/a.lua"))
            ngx.print("removed")
        }
    }
--- user_files
>>> a.lua
ngx.print("before")
--- pipelined_requests eval
["GET /t", "GET /remove", "GET /until", "GET /t"]
--- response_body_like eval
["before", "removed", "cannot open .*html/a.lua", "before"]
--- error_log
has changed, but the scripts in use stay: cannot open



=== a script that new code has not used yet is kept as well
--- config
    location = /t { content_by_lua_file html/a.lua; }
    location = /b { content_by_lua_file html/b.lua; }
--- user_files
>>> a.lua
ngx.print("before")
>>> b.lua
ngx.print("b")
--- pipelined_requests eval
["GET /t", "GET /b", "GET /write?a.lua=ngx.print('after')", "GET /until?after",
 "GET /write?b.lua=(", "GET /until", "GET /b"]
--- response_body_like eval
["before", "b", "written", "after", "written", "html/b.lua:1: ", "b"]
--- error_log
has changed, but the scripts in use stay



=== a script that never could be compiled does not keep others back
--- config
    location = /t { content_by_lua_file html/a.lua; }
    location = /bad { content_by_lua_file html/bad.lua; }
--- user_files
>>> a.lua
ngx.print("before")
>>> bad.lua
ngx.print(
--- request eval
["GET /bad", "GET /t", "GET /write?a.lua=ngx.print('after')", "GET /until?after"]
--- error_code eval
[500, 200, 200, 200]
--- response_body_like eval
["500", "before", "written", "after"]



=== init_by_lua that fails leaves the old scripts serving
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
    init_by_lua_block { text = require("mod") }
--- config
    location = /t { content_by_lua_block { ngx.print(text) } }
--- user_files
>>> mod.lua
return "before"
--- pipelined_requests eval
["GET /write?mod.lua=error('not+today')", "GET /until", "GET /t",
 "GET /write?mod.lua=return'after'", "GET /until?after"]
--- response_body_like eval
["written", "html/mod.lua:1: not today", "before", "written", "after"]
--- error_log
has changed, but the scripts in use stay



=== a module that was missing is tried when it comes
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
    init_by_lua_block { text = require("mod") }
--- config
    location = /t { content_by_lua_block { ngx.print(text) } }
--- user_files
>>> mod.lua
return "before"
--- pipelined_requests eval
["GET /write?mod.lua=return(require'more')", "GET /until",
 "GET /write?more.lua=return'after'", "GET /until?after"]
--- response_body_like eval
["written", "module 'more' not found", "written", "after"]
--- error_log
has changed, but the scripts in use stay
