# error_log ... json: each line an object.
__DATA__


=== lines of a request have its id, and what its context says as members
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location = /one {
        error_log logs/error.json info json;
        set $id $request_id;
        content_by_lua_block {
            ngx.log(ngx.ERR, "a \"quoted\"\n\\ text \255")
            ngx.log(ngx.INFO, "second")
            ngx.say(ngx.var.id)
        }
    }
    location = /t {
        content_by_lua_block {
            local id = require("tree").ask($TEST_NGINX_SERVER_PORT,
                'GET /one?"\\ HTTP/1.0\r\nHost: h\r\nReferer: r"\255\r\n\r\n'):match "(%x+)\n$"
            local lines = {}
            for line in io.lines(ngx.config.prefix() .. "logs/error.json") do
                table.insert(lines, require("cjson").decode(line))
            end
            local one, two = lines[1], lines[2]
            ngx.say(#lines >= 2, " ", one.request_id == id, " ", two.request_id == id, " ", #id)
            ngx.say(one.level, " ", two.level, " ", one.pid == ngx.worker.pid(), " ", one.connection > 0)
            ngx.say(one.time:find "^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d[+-]%d%d:%d%d$" ~= nil)
            ngx.say(one.message:match "a .*")
            ngx.say(one.client, " ", one.server, " ", one.request, " ", one.host, " ", one.referrer)
        }
    }
--- response_body eval
qq{true true true 32
error info true true
true
a "quoted"
\\ text \x{ef}\x{bf}\x{bd}
127.0.0.1 localhost GET /one?"\\ HTTP/1.0 h r"\x{ef}\x{bf}\x{bd}
}



=== servers that were asked, the system's words, a subrequest; plain lines beside them
--- config
    location = /bad { proxy_pass http://127.0.0.1:1/x; }
    location = /none { root html; }
    location = /one {
        content_by_lua_block {
            ngx.location.capture("/bad")
            ngx.location.capture("/none")
        }
    }
    error_log logs/error.json json;
    error_log logs/error.plain;
    location = /t {
        content_by_lua_block {
            ngx.location.capture("/one")
            local function lines_of(name)
                local lines = {}
                for line in io.lines(ngx.config.prefix() .. "logs/" .. name) do table.insert(lines, line) end
                return lines
            end
            local lines = lines_of "error.json"
            for _, line in ipairs(lines) do
                local o = require("cjson").decode(line)
                ngx.say(o.message:match "%w+%(%)", " ", o.errno ~= nil, " ", o.error ~= nil, " ", o["while"], " ",
                        o.subrequest, " ", o.upstream, " ", o.context)
            end
            local plain = lines_of "error.plain"
            ngx.say(#plain == #lines, " ", plain[1]:find 'subrequest: "/bad", upstream: "http://127.0.0.1:1/x"' ~= nil)
        }
    }
--- response_body
connect() true true connecting to upstream /bad http://127.0.0.1:1/x nil
open() true true nil /none nil nil
true true
--- no_error_log
[alert]



=== what can't be read has an id as well
--- http_config
    error_log logs/error.json info json;
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            require("tree").ask($TEST_NGINX_SERVER_PORT, "GET / HTTP/1.1\r\n\r\n")
            for line in io.lines(ngx.config.prefix() .. "logs/error.json") do
                local o = require("cjson").decode(line)
                if o.message:find "without" then
                    ngx.say(#o.request_id, " ", o.message, " ", o["while"], " ", o.request)
                end
            end
        }
    }
--- response_body
32 client sent HTTP/1.1 request without "Host" header reading client request headers GET / HTTP/1.1



=== a level twice
--- config
    error_log logs/x json warn info;
--- must_die
--- error_log
duplicate log level "info" in
