# lua_code_cache watch: what lasts beyond a change, and what does not.

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


=== a request in flight ends as it began
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
    lua_shared_dict d 1m;
--- config
    location = /t { content_by_lua_block { ngx.print(require("mod")) } }
    location = /slow {
        content_by_lua_block {
            ngx.shared.d:set("begun", require("mod"))
            while not ngx.shared.d:get("go") do ngx.sleep(0.01) end
            ngx.print(require("mod"))
        }
    }
    location = /begin {
        content_by_lua_block {
            local function ask(_, port)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", port))
                sock:send("GET /slow HTTP/1.0\r\n\r\n")
                ngx.shared.d:set("slow", sock:receive("*a"):match("\r\n\r\n(.*)"))
            end
            assert(ngx.timer.at(0, ask, ngx.var.server_port))
            while not ngx.shared.d:get("begun") do ngx.sleep(0.01) end
            ngx.print("begun")
        }
    }
    location = /end {
        content_by_lua_block {
            ngx.shared.d:set("go", true)
            while not ngx.shared.d:get("slow") do ngx.sleep(0.01) end
            ngx.print("slow: ", ngx.shared.d:get("slow"))
        }
    }
--- user_files
>>> mod.lua
return "before"
--- pipelined_requests eval
["GET /begin", "GET /write?mod.lua=return'after'", "GET /until?after", "GET /end"]
--- response_body eval
["begun", "written", "after", "slow: before"]
--- no_error_log
[error]



=== shared dictionaries last
--- http_config
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
    lua_shared_dict d 1m;
--- config
    location = /t { content_by_lua_block { ngx.print(require("mod"), ngx.shared.d:get("n") or 0) } }
    location = /set { content_by_lua_block { ngx.print((ngx.shared.d:set("n", 7))) } }
--- user_files
>>> mod.lua
return "before"
--- pipelined_requests eval
["GET /t", "GET /set", "GET /write?mod.lua=return'after'", "GET /until?after7"]
--- response_body eval
["before0", "true", "written", "after7"]
--- no_error_log
[error]



=== globals and what modules hold do not
--- http_config
    init_by_lua_block { count = 0 }
--- config
    location = /t { content_by_lua_file html/a.lua; }
--- user_files
>>> a.lua
count = count + 1
ngx.print("before", count)
--- pipelined_requests eval
["GET /t", "GET /t", "GET /write?a.lua=count=count-1;ngx.print('after',count)", "GET /until?after-1"]
--- response_body eval
["before1", "before2", "written", "after-1"]
--- no_error_log
[error]



=== init_worker_by_lua runs again, and the timers it had set end
--- http_config
    lua_shared_dict d 1m;
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
    init_worker_by_lua_block {
        local d, text = ngx.shared.d, require("mod")
        d:incr("workers", 1, 0)
        local function again(premature)
            d:incr(premature and text .. "-ended" or text, 1, 0)
            if not premature then assert(ngx.timer.at(0.001, again)) end
        end
        assert(ngx.timer.at(0.001, again))
        assert(ngx.timer.every(1000, function (premature)
            d:incr(text .. (premature and "-every-ended" or "-every"), 1, 0)
        end))
    }
--- config
    location = /t { content_by_lua_block { ngx.print(require("mod")) } }
    location = /timers {
        content_by_lua_block {
            local d = ngx.shared.d
            while not d:get("before-every-ended") do ngx.sleep(0.01) end
            ngx.print(d:get("workers"), " ", d:get("before-ended"), " ", d:get("before-every-ended"),
                      " ", d:get("before-every"), " ", d:get("after-ended"), " ", ngx.timer.pending_count())
        }
    }
--- user_files
>>> mod.lua
return "before"
--- pipelined_requests eval
["GET /t", "GET /write?mod.lua=return'after'", "GET /until?after", "GET /timers"]
--- response_body eval
["before", "written", "after", "2 1 1 nil nil 2"]
--- no_error_log
[error]



=== a timer that a request has set keeps its time
--- http_config
    lua_shared_dict d 1m;
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
--- config
    location = /t { content_by_lua_block { ngx.print(require("mod")) } }
    location = /set {
        content_by_lua_block {
            local text = require("mod")
            assert(ngx.timer.at(0.5, function (premature)
                ngx.shared.d:set("fired", text .. " " .. tostring(premature))
            end))
            ngx.print("set")
        }
    }
    location = /fired {
        content_by_lua_block {
            while not ngx.shared.d:get("fired") do ngx.sleep(0.01) end
            ngx.print(ngx.shared.d:get("fired"))
        }
    }
--- user_files
>>> mod.lua
return "before"
--- pipelined_requests eval
["GET /set", "GET /write?mod.lua=return'after'", "GET /until?after", "GET /fired"]
--- response_body eval
["set", "written", "after", "before false"]
--- no_error_log
[error]



=== every worker takes the change
--- workers: 2
--- http_config
    lua_shared_dict d 1m;
    lua_package_path '$TEST_NGINX_HTML_DIR/?.lua;;';
    init_worker_by_lua_block { ngx.shared.d:incr(require("mod") .. ngx.worker.id(), 1, 0) }
--- config
    location = /t {
        content_by_lua_block {
            local d = ngx.shared.d
            -- A worker that begins after the change has nothing to take.
            while not (d:get("before0") and d:get("before1")) do ngx.sleep(0.01) end
            ngx.print(require("mod"), " ", d:get("after0"), " ", d:get("after1"))
        }
    }
--- user_files
>>> mod.lua
return "before"
--- pipelined_requests eval
["GET /t", "GET /write?mod.lua=return'after'", "GET /until?after%201%201"]
--- response_body eval
["before nil nil", "written", "after 1 1"]
--- no_error_log
[error]



=== what lunette.scripts tells
--- config
    location = /t { content_by_lua_file html/a.lua; }
    location = /status {
        content_by_lua_block {
            local s = require("lunette.scripts").status()
            local age = s.changed_at and ngx.now() - s.changed_at
            ngx.print(s.generation, " ", s.error and "error" or "fine", " ",
                      age and age >= 0 and age < 100)
        }
    }
--- user_files
>>> a.lua
ngx.print("before")
--- pipelined_requests eval
["GET /t", "GET /status", "GET /write?a.lua=ngx.print(", "GET /until", "GET /status",
 "GET /write?a.lua=ngx.print('after')", "GET /until?after", "GET /status"]
--- response_body_like eval
["before", '^1 fine nil$', "written", "unexpected", '^1 error true$', "written", "after", '^[2-9] fine true$']



=== with lua_code_cache on there is nothing to tell
--- config
    location = /on {
        lua_code_cache on;
        content_by_lua_block {
            local s = require("lunette.scripts").status()
            ngx.print(s.generation, s.error, s.changed_at)
        }
    }
--- request
GET /on
--- response_body: 1nilnil



=== another word than the three
--- config
    location = /t {
        lua_code_cache maybe;
        return 200;
    }
--- must_die
--- error_log
invalid value "maybe" in "lua_code_cache" directive, it must be "on" or "off"
