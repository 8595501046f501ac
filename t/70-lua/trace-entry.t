__DATA__


=== a handler that is called often is compiled, whole
--- http_config
    init_worker_by_lua_block {
        require("jit.v").on(ngx.config.prefix() .. "logs/error.log")
    }
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            local n = ngx.shared.dogs:incr("n", 1, 0)
            ngx.shared.dogs:set("last", "request " .. n)
            ngx.say(ngx.shared.dogs:get("last"))
        }
    }
--- pipelined_requests eval
[map { "GET /t" } 1 .. 250]
--- response_body eval
[map { "request $_\n" } 1 .. 250]
--- error_log eval
qr/\[TRACE +\d+ content_by_lua\(nginx\.conf:\d+\):0 return\]/



=== one that matches
--- no_reload: jit.v empties the log when it is switched on
--- http_config
    init_worker_by_lua_block {
        require("jit.v").on(ngx.config.prefix() .. "logs/error.log")
    }
--- config
    location = /t {
        content_by_lua_block {
            local m = ngx.re.match("item-4711/blue", [[-(\d+)/(\w+)$]], "jo")
            ngx.say(m[1], " ", m[2])
        }
    }
--- pipelined_requests eval
[map { "GET /t" } 1 .. 250]
--- response_body eval
[map { "4711 blue\n" } 1 .. 250]
--- error_log eval
qr/\[TRACE +\d+ content_by_lua\(nginx\.conf:\d+\):0 return\]/
--- no_error_log
[TRACE ---



=== a handler in a file
--- no_reload: jit.v empties the log when it is switched on
--- http_config
    init_worker_by_lua_block {
        require("jit.v").on(ngx.config.prefix() .. "logs/error.log")
    }
--- config
    location = /t { content_by_lua_file html/t.lua; }
--- user_files
>>> t.lua
#!/usr/bin/env resty
ngx.print("a", 1, "\n")
--- pipelined_requests eval
[map { "GET /t" } 1 .. 250]
--- response_body eval
[map { "a1\n" } 1 .. 250]
--- error_log eval
qr/\[TRACE +\d+ t\.lua:0 return\]/



=== one that requires a module each time
--- no_reload: jit.v empties the log when it is switched on
--- http_config
    lua_package_path "$prefix/html/?.lua;;";
    init_worker_by_lua_block {
        require("jit.v").on(ngx.config.prefix() .. "logs/error.log")
    }
--- config
    location = /t { content_by_lua_block { require("dog").bark() } }
--- user_files
>>> dog.lua
return { bark = function () ngx.say("wau") end }
--- pipelined_requests eval
[map { "GET /t" } 1 .. 250]
--- response_body eval
[map { "wau\n" } 1 .. 250]
--- error_log eval
qr/\[TRACE +\d+ content_by_lua\(nginx\.conf:\d+\):0 return\]/
--- no_error_log
stitch



=== a handler that names its arguments has none
--- config
    location = /t {
        content_by_lua_block {
            local function count(...) return select("#", ...) end
            ngx.say(count(...), " ", count(1, 2))
        }
    }
--- response_body
0 2



=== upvalues, constants and inner functions survive
--- config
    location = /t {
        content_by_lua_block {
            local names, big, real = { "x", y = { 1, 2 } }, 5000000000LL, 0.5
            local function inner(n)
                return function () n = n + real return n end
            end
            local f = inner(1)
            f()
            ngx.say(f(), " ", names[1], names.y[2], " ", tostring(big))
        }
    }
--- response_body
2 x2 5000000000LL



=== an error is still in the main chunk, at its line
--- config
    location = /t {
        content_by_lua_block {

            local t
            ngx.say(t.x)
        }
    }
--- error_code: 500
--- response_body_like: 500
--- error_log eval
[qr/content_by_lua\(nginx\.conf:\d+\):4: attempt to index local 't'/,
qr/content_by_lua\(nginx\.conf:\d+\).*: in main chunk/]



=== bytecode
--- config
    location = /t {
        content_by_lua_block {
            local f = assert(io.open(ngx.config.prefix() .. "html/b.lua", "wb"))
            f:write(string.dump(loadstring("ngx.say('compiled ', ...)", "=b")))
            f:close()
            ngx.exec("/b")
        }
    }
    location = /b { content_by_lua_file html/b.lua; }
--- response_body
compiled 
