__DATA__


=== Lua that holds its worker up is named while it does, with its stack
--- http_config
    lua_block_warning 100ms;
--- config
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local function spin(limit)
                while io.now() < limit do string.rep("a", 10) end
            end
            jit.off(spin)          -- what is compiled looks at no hook
            spin(io.now() + 600)
            local text = io.read(ngx.config.prefix() .. "logs/error.log")
            ngx.say(text:find("has held the worker up") and "told" or "silent")
        }
    }
--- response_body
told
--- grep_error_log eval: qr/\[warn\] .*lua has held the worker up for \d\d\d ms in content_by_lua\*, stack traceback:/
--- grep_error_log_out eval
[ qr/^.*held the worker up for [1-5]\d\d ms in content_by_lua\*, stack traceback:\n$/ ]
--- error_log eval
[ qr/content_by_lua\(nginx.conf:\d+\):\d: in function 'spin'/,
  qr/content_by_lua\(nginx.conf:\d+\):7: in .*, client: 127.0.0.1, server: localhost, request: "GET \/t HTTP/ ]



=== what waits holds nobody up, however long
--- http_config
    lua_block_warning 100ms;
--- config
    location = /t {
        content_by_lua_block {
            for _ = 1, 5 do ngx.sleep(0.08) end
            ngx.say("slept")
        }
    }
--- response_body
slept
--- no_error_log
held the worker up



=== a hook of the script's own is there again afterwards
--- http_config
    lua_block_warning 100ms;
--- config
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local lines = 0
            local function hook() lines = lines + 1 end
            jit.off(true, true)
            debug.sethook(hook, "", 1000)
            local limit = io.now() + 400
            while io.now() < limit do end
            local was = lines
            ngx.say(debug.gethook() == hook, " ", was > 0)
            for i = 1, 1e5 do lines = lines + 0 end
            ngx.say(lines > was)
            debug.sethook()
        }
    }
--- response_body
true true
true
--- error_log
lua has held the worker up for



=== off: nothing is told
--- http_config
    lua_block_warning off;
--- config
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local limit = io.now() + 300
            while io.now() < limit do string.rep("a", 10) end
            ngx.say("done")
        }
    }
--- response_body
done
--- no_error_log
held the worker up



=== a filter that holds its worker up is told of
--- http_config
    lua_block_warning 100ms;
--- config
    location = /t {
        return 200 "body";
        body_filter_by_lua_block {
            local io = require "lunette.spec.io"
            local limit = io.now() + 300
            while io.now() < limit do string.rep("a", 10) end
        }
    }
--- response_body: body
--- error_log eval
qr/lua has held the worker up for \d+ ms in body_filter_by_lua\*, stack/
