__DATA__


=== what init_by_lua leaves is there for every request
--- http_config
    init_by_lua_block {
        local t = { 1, 2, 3 }
        package.loaded.made = { sum = t[1] + t[2] + t[3] }
        a_global = "global"
    }
--- config
    location = /t { content_by_lua_block { ngx.say(require("made").sum, a_global) } }
--- response_body
6global
--- no_error_log
[error]
[warn]



=== init_by_lua_file
--- http_config
    init_by_lua_file html/init.lua;
--- config
    location = /t { content_by_lua_block { ngx.say(package.loaded.made.name) } }
--- user_files
>>> init.lua
package.loaded.made = { name = "from a file" }
--- response_body
from a file



=== init_by_lua may log, and knows no request
--- http_config
    init_by_lua_block {
        ngx.log(ngx.NOTICE, "phase ", ngx.get_phase(), " ", ngx.worker.count())
        local ok, err = pcall(function () return ngx.var.uri end)
        ngx.log(ngx.NOTICE, "var: ", ok)
        package.loaded.err = { pcall(ngx.sleep, 0.1) }
    }
--- config
    location = /t { content_by_lua_block { ngx.say(package.loaded.err[2]) } }
--- response_body
no request found



=== an error in init_by_lua stops the start
--- http_config
    init_by_lua_block { error("bad init") }
--- config
    location = /t { return 200 "x"; }
--- must_die
--- error_log eval
qr/\[error\] .*?init_by_lua error: init_by_lua\(nginx.conf:\d+\):1: bad init/



=== code of init_by_lua that does not compile stops the start
--- http_config
    init_by_lua_block { local x = = 1 }
--- config
    location = /t { return 200 "x"; }
--- must_die
--- error_log eval
qr/init_by_lua error: init_by_lua\(nginx.conf:\d+\):1: unexpected symbol near '='/



=== init_worker_by_lua knows its worker
--- http_config
    init_worker_by_lua_block {
        package.loaded.w = { id = ngx.worker.id(), pid = ngx.worker.pid(), phase = ngx.get_phase() }
    }
--- config
    location = /t {
        content_by_lua_block {
            local w = package.loaded.w
            ngx.say(w.id, " ", w.pid == ngx.worker.pid(), " ", w.phase)
        }
    }
--- response_body
0 true init_worker



=== an error in init_worker_by_lua is logged, and the worker serves
--- http_config
    init_worker_by_lua_block { error("bad worker") }
--- config
    location = /t { return 200 "x"; }
--- response_body: x
--- error_log eval
qr/init_worker_by_lua error: init_worker_by_lua\(nginx.conf:\d+\):1: bad worker/



=== exit_worker_by_lua runs at the end
--- http_config
    exit_worker_by_lua_block { ngx.log(ngx.NOTICE, "goodbye in ", ngx.get_phase()) }
--- config
    location = /t { return 200 "x"; }
--- response_body: x
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
goodbye in exit_worker



=== lua_package_path with ;; and $prefix
--- http_config
    lua_package_path '${prefix}html/?.lua;;';
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("mod").name)
            ngx.say(#package.path > 40)
        }
    }
--- user_files
>>> mod.lua
return { name = "mine" }
--- response_body
mine
true



=== the API's own modules are not taken from the path
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("ngx.semaphore").version ~= "fake")
            ngx.say(type(require("table.clone")))
        }
    }
--- user_files
>>> ngx/semaphore.lua
return { version = "fake" }
>>> table/clone.lua
return "fake"
--- response_body
true
function



=== modules are loaded once
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
--- config
    location = /t {
        content_by_lua_block {
            local m = require "mod"
            m.n = m.n + 1
            ngx.print(m.n)
        }
    }
--- user_files
>>> mod.lua
return { n = 0 }
--- pipelined_requests eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["1", "2", "3"]



=== with lua_code_cache off every request begins anew
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
    init_by_lua_block { package.loaded.from_init = "init" }
--- config
    lua_code_cache off;
    location = /t {
        content_by_lua_block {
            local m = require "mod"
            m.n = m.n + 1
            ngx.sleep(0.001)
            ngx.print(m.n, package.loaded.from_init)
        }
    }
--- user_files
>>> mod.lua
return { n = 0 }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_body eval
["1init", "1init"]
--- error_log
lua_code_cache is off; this will hurt performance



=== with lua_code_cache off a changed file is seen
--- config
    lua_code_cache off;
    location = /t { content_by_lua_file html/a.lua; }
    location = /change {
        content_by_lua_block {
            local f = assert(io.open(ngx.config.prefix() .. "html/a.lua", "w"))
            f:write('ngx.print("after")')
            f:close()
            ngx.print("changed")
        }
    }
--- user_files
>>> a.lua
ngx.print("before")
--- pipelined_requests eval
["GET /t", "GET /change", "GET /t"]
--- response_body eval
["before", "changed", "after"]
--- error_log
lua_code_cache is off; this will hurt performance



=== with lua_code_cache on it is not
--- config
    location = /t { content_by_lua_file html/a.lua; }
    location = /change {
        content_by_lua_block {
            local f = assert(io.open(ngx.config.prefix() .. "html/a.lua", "w"))
            f:write('ngx.print("after")')
            f:close()
            ngx.print("changed")
        }
    }
--- user_files
>>> a.lua
ngx.print("before")
--- request eval
["GET /t", "GET /change", "GET /t"]
--- response_body eval
["before", "changed", "before"]



=== cjson is there
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require "cjson"
            ngx.say(cjson.encode({ 1, "x", cjson.null, ngx.null }))
            ngx.say(require("cjson.safe").decode("{"))
        }
    }
--- response_body_like chop
^\[1,"x",null,null\]
nil.+$



=== the table modules of OpenResty's LuaJIT
--- config
    location = /t {
        content_by_lua_block {
            local t = require("table.new")(4, 0)
            t[1], t.x = "a", "b"
            ngx.say(require("table.nkeys")(t), require("table.isempty")(t), require("table.isarray")(t))
            ngx.say(require("table.clone")(t).x)
            require("table.clear")(t)
            ngx.say(require("table.isempty")(t))
        }
    }
--- response_body
2falsefalse
b
true



=== misplaced directives
--- config
    location = /t { init_by_lua_block { local x = 1 } }
--- must_die
--- error_log
"init_by_lua_block" directive is not allowed here



=== a handler given twice
--- config
    location = /t { content_by_lua 'ngx.say(1)'; content_by_lua_block { ngx.say(2) } }
--- must_die
--- error_log eval
qr/"content_by_lua_block" directive is duplicate/



=== code that is not there
--- config
    location = /t { content_by_lua ''; }
--- must_die
--- error_log
invalid location config: no runnable Lua code



=== what decides about the API's loading is of the past
--- http_config
    lua_load_resty_core off;
--- config
    location = /t { return 200 "x"; }
--- error_log eval
qr/\[warn\] .*lua_load_resty_core is deprecated \(the lua-resty-core library is required since ngx_lua v0\.10\.16\) in \S+nginx\.conf:25/



=== a line of exit_worker_by_lua ends with its text
--- skip_windows: the runner ends a server under Wine without a word
--- http_config
    exit_worker_by_lua_block { ngx.log(ngx.NOTICE, "the end") }
--- config
    location = /t { return 200 "ok"; }
--- shutdown_error_log eval
qr/\[lua\] exit_worker_by_lua\(nginx\.conf:\d+\):1: the end$/m



=== os.getenv in init_by_lua knows what env sets, like all later code
--- main_config
env LUN_SPEC_ENV=first;
env LUN_SPEC_ENV=last=one;
env LUN_SPEC_EMPTY=;
env LUN_SPEC_NONE;
--- http_config
    init_by_lua_block {
        local getenv = os.getenv
        package.loaded.seen = { getenv("LUN_SPEC_ENV"), getenv("LUN_SPEC_EMPTY"),
                                getenv("LUN_SPEC_NONE"), getenv("lun_spec_no"),
                                (pcall(getenv)) }
        package.loaded.kept = getenv
    }
--- config
    location = /t {
        content_by_lua_block {
            local seen = package.loaded.seen
            ngx.say(seen[1], "|", seen[2], "|", seen[3], "|", seen[4], "|",
                    seen[5])
            ngx.say(os.getenv("LUN_SPEC_ENV"), "|",
                    package.loaded.kept("LUN_SPEC_ENV"), "|",
                    os.getenv == package.loaded.kept)
        }
    }
--- response_body
last=one||nil|nil|false
last=one|last=one|false



=== what needs a request says so, each in its words
--- http_config
    init_by_lua_block {
        local said = {}
        local function try(words, ...)
            for _, f in ipairs { ... } do
                local _, err = pcall(f)
                said[#said + 1] = err:find(words, 1, true) and "" or err
            end
        end
        local req = ngx.req
        try("no request object found", ngx.say, ngx.print, ngx.eof,
            function () ngx.exec("/") end, function () ngx.redirect("/") end,
            function () ngx.location.capture("/") end,
            function () req.set_uri_args("a") end, req.get_post_args,
            ngx.resp.get_headers, req.http_version, req.raw_header)
        try("request object not found", req.read_body, req.discard_body,
            req.get_body_data, req.get_body_file,
            function () req.set_body_data("x") end)
        try("no request found", function () return ngx.ctx.x end,
            function () return ngx.arg[1] end, function () ngx.ctx = {} end,
            function () ngx.on_abort(function () end) end,
            function () require("ngx.semaphore").new():wait(0) end)
        try("no request", ngx.timer.running_count, ngx.timer.pending_count,
            function () ngx.timer.at(0, function () end) end)
        package.loaded.said = table.concat(said)
    }
--- config
    location = /t { content_by_lua_block { ngx.say("[", package.loaded.said, "]") } }
--- response_body
[]



=== an error that is no text
--- http_config
    init_by_lua_block { error({}) }
--- config
--- must_die
--- error_log
init_by_lua error: unknown error
