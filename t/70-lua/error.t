__DATA__


=== an error is a 500, and its trace is in the log
--- config
    location = /t {
        content_by_lua_block {
            local function f() error("broken") end
            f()
        }
    }
--- error_code: 500
--- error_log eval
[qr/lua entry thread aborted: runtime error: content_by_lua\(nginx.conf:\d+\):2: broken$/,
qr/^stack traceback:$/, qr/^coroutine 0:$/, qr/^\t\[C\]: in function 'error'$/,
qr/^\tcontent_by_lua\(nginx.conf:\d+\):2: in function 'f'$/,
qr/^\tcontent_by_lua\(nginx.conf:\d+\):3: in main chunk, client: /]
--- response_body_like: 500 Internal Server Error



=== the worker goes on after an error
--- config
    location = /e { content_by_lua_block { local x = nil; x.y = 1 } }
    location = /t { content_by_lua_block { ngx.say("fine") } }
--- request eval
["GET /e", "GET /t"]
--- error_code eval
[500, 200]
--- response_body_like eval
["500 Internal Server Error", "^fine\$"]



=== an error that is no text
--- config
    location = /t { content_by_lua_block { error({}) } }
--- error_code: 500
--- error_log
lua entry thread aborted: runtime error: unknown reason



=== an error behind the header closes the connection
--- config
    location = /t { content_by_lua_block { ngx.say("x") ngx.flush() error("broken") } }
--- ignore_response
--- error_log
broken



=== code that does not compile
--- config
    location = /t {
        content_by_lua_block {
            local x = = 1
        }
    }
--- error_code: 500
--- error_log eval
qr/failed to load inlined Lua code: content_by_lua\(nginx.conf:\d+\):2: unexpected symbol near '='/



=== an error in rewrite
--- config
    location = /t { rewrite_by_lua_block { error("bad rewrite") } content_by_lua_block { ngx.say("x") } }
--- error_code: 500
--- error_log eval
qr/lua entry thread aborted: runtime error: rewrite_by_lua\(nginx.conf:\d+\):1: bad rewrite/



=== an error in access
--- config
    location = /t { access_by_lua_block { error("bad access") } content_by_lua_block { ngx.say("x") } }
--- error_code: 500
--- error_log eval
qr/lua entry thread aborted: runtime error: access_by_lua\(nginx.conf:\d+\):1: bad access/



=== a file that is not there
--- config
    location = /t { content_by_lua_file html/none.lua; }
--- error_code: 404
--- error_log eval
qr/failed to load external Lua file ".*none\.lua": cannot open .*none\.lua/



=== a folder is no file
--- config
    location = /t { content_by_lua_file html; }
    location = /named { access_by_lua_file $document_root/$arg_f; }
--- request eval
["GET /t", "GET /named?f=sub", "GET /named?f=none"]
--- user_files
>>> sub/x
--- error_code eval
[503, 503, 404]
--- error_log eval
qr/failed to load external Lua file ".*(html": cannot read .*html: |sub": cannot read |none": cannot open )/



=== a file, and the lines of its errors
--- config
    location = /t { content_by_lua_file html/a.lua; }
--- user_files
>>> a.lua
-- first line

error("in a file")
--- error_code: 500
--- error_log
a.lua:3: in a file



=== a file whose name has variables
--- config
    location ~ ^/run/(\w+)$ { content_by_lua_file html/$1.lua; }
--- user_files
>>> a.lua
ngx.print("file a")
>>> b.lua
ngx.print("file b")
--- pipelined_requests eval
["GET /run/a", "GET /run/b", "GET /run/a", "GET /run/c"]
--- response_body_like eval
["^file a", "^file b", "^file a", "404"]
--- error_code eval
[200, 200, 200, 404]



=== the first line of a file may be for the shell
--- config
    location = /t { content_by_lua_file html/a.lua; }
--- user_files
>>> a.lua
#!/usr/bin/env lua
ngx.say("ran")
--- response_body
ran



=== quoted code is known by the line of its closing quote
--- config
    location = /t {
        content_by_lua '
            error("quoted")
        ';
    }
--- error_code: 500
--- error_log eval
qr/content_by_lua\(nginx.conf:\d+\):2: quoted/



=== a module that is not there
--- config
    location = /t { content_by_lua_block { require "no.such.module" } }
--- error_code: 500
--- error_log
module 'no.such.module' not found:



=== a module that does not compile
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
--- config
    location = /t { content_by_lua_block { require "bad" } }
--- user_files
>>> bad.lua
local x = = 2
--- error_code: 500
--- error_log eval
qr/error loading module 'bad' from file '.*bad\.lua':/



=== a stack that overflows
--- config
    location = /t { content_by_lua_block { local function f() return 1 + f() end f() } }
--- error_code: 500
--- error_log
stack overflow



=== a global variable is a warning
--- config
    location = /t { content_by_lua_block { a_global = 1 ngx.say(a_global) } }
--- response_body
1
--- error_log eval
qr/writing a global Lua variable \('a_global'\) which may lead to race conditions between concurrent requests, so prefer the use of 'local' variables$/



=== a chunk is named after its file, which may be an included one
--- config
    include $TEST_NGINX_HTML_DIR/a.conf;
--- user_files
>>> a.conf
location = /t {
    content_by_lua_block { error("here") }
}
--- error_code: 500
--- error_log eval
qr{content_by_lua\(\.\.\.\S+/html/a\.conf:2\):1: here|content_by_lua\(/\S+/html/a\.conf:2\):1: here}



=== a chunk of a file beside nginx.conf has a relative name
--- config
    include ../html/a.conf;
--- user_files
>>> a.conf
location = /t {
    content_by_lua_block { error("here") }
}
--- error_code: 500
--- error_log
content_by_lua(../html/a.conf:2):1: here



=== the API is a module as well
--- config
    location = /t { content_by_lua_block { require("ngx").say("hello") } }
--- response_body
hello



=== of a long chain of coroutines the last twenty are shown
--- config
    location = /t {
        content_by_lua_block {
            local f = function () error("deep") end
            for _ = 1, 20000 do f = coroutine.wrap(f) end
            f()
        }
    }
--- log_level: info
--- request
GET /t
--- error_code: 500
--- error_log
deep
coroutine 19:
--- no_error_log
coroutine 20:

