# The manual's rows of the Lua API (lunette.api) are the API.

config_preamble(<<'CONF');
    lua_code_cache on;

    location = /elsewhere { return 204; }
CONF

__DATA__


=== each function has its row, and each row its function
--- config
    location = /t {
        content_by_lua_block {
            local known, found = {}, {}
            for _, row in ipairs(require("lunette.api").rows) do
                if row[2] ~= nil then known[row[1]] = true end
            end

            local function walk(t, name)
                for k, v in pairs(t) do
                    local path = name .. "." .. tostring(k)
                    if type(v) == "function" and not tostring(k):find "^_" then
                        found[path] = true
                        if not known[path] then ngx.say("no row: ", path) end
                    elseif type(v) == "table" and k ~= "shared" and v ~= t then
                        walk(v, path)
                    end
                end
            end
            walk(ngx, "ngx")
            walk(coroutine, "coroutine")
            for path in pairs(known) do
                if not found[path] then ngx.say("not there: ", path) end
            end
            ngx.say("compared")
        }
    }
--- response_body
compared



=== phases are those of the rows
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
    lua_check_client_abort on;
    upstream b {
        server 0.0.0.1;
        balancer_by_lua_block {
            require("phases").try "balancer"
            require("ngx.balancer").set_current_peer("127.0.0.1", $TEST_NGINX_SERVER_PORT)
        }
    }
--- config
    location = /set {
        set_by_lua_block $x { require("phases").try "set" return 1 }
        content_by_lua_block { ngx.print(ngx.var.x) }
    }
    location = /rewrite { rewrite_by_lua_block { require("phases").try "rewrite" } }
    location = /access { access_by_lua_block { require("phases").try "access" } }
    location = /precontent { precontent_by_lua_block { require("phases").try "precontent" } }
    location = /content { content_by_lua_block { require("phases").try "content" } }
    location = /header_filter {
        header_filter_by_lua_block { require("phases").try "header_filter" }
        return 200;
    }
    location = /body_filter {
        body_filter_by_lua_block { require("phases").try "body_filter" }
        return 200 x;
    }
    location = /log {
        log_by_lua_block { require("phases").try "log" }
        content_by_lua_block { ngx.say "x" }
    }
    location = /balancer { proxy_pass http://b/elsewhere; }
    location = /t {
        content_by_lua_block {
            local phases = require "phases"
            local names = { "set", "rewrite", "access", "precontent", "content",
                            "header_filter", "body_filter", "log", "balancer" }
            for _, name in ipairs(names) do
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", ngx.var.server_port)
                s:send("GET /" .. name .. " HTTP/1.0\r\n\r\n")
                s:receive("*a")
                s:close()
            end
            ngx.timer.at(0, function() phases.try "timer" end)
            names[#names + 1] = "timer"
            for _, name in ipairs(names) do
                for i = 1, 500 do
                    if phases.said[name] then break end
                    ngx.sleep(0.02)
                end
                ngx.say(name, ": ", phases.said[name])
            end
        }
    }
--- user_files
>>> phases.lua
local M = { said = {} }

local function nothing() end

-- What leaves the phase, or ends the answer, is not called where it may be.
local leaves = { ["ngx.exit"] = true, ["ngx.exec"] = true, ["ngx.redirect"] = true,
                 ["ngx.eof"] = true, ["ngx.req.socket"] = true }

local args = {
    ["ngx.sleep"] = { 0 }, ["ngx.exit"] = { 0 }, ["ngx.exec"] = { "/x" },
    ["ngx.redirect"] = { "/x" }, ["ngx.location.capture"] = { "/elsewhere" },
    ["ngx.location.capture_multi"] = { { { "/elsewhere" } } },
    ["ngx.timer.at"] = { 0, nothing }, ["ngx.timer.every"] = { 100, nothing },
    ["ngx.on_abort"] = { nothing }, ["ngx.thread.spawn"] = { nothing },
    ["ngx.req.set_uri"] = { "/t" }, ["ngx.req.set_uri_args"] = { "a=b" },
    ["ngx.req.set_header"] = { "X-A", "b" }, ["ngx.req.clear_header"] = { "X-A" },
    ["ngx.req.set_method"] = { ngx.HTTP_GET }, ["ngx.req.set_body_data"] = { "x" },
    ["ngx.req.set_body_file"] = { "nothing" }, ["ngx.req.append_body"] = { "x" },
    ["ngx.run_worker_thread"] = { "p", "none", "f" },
    ["ngx.socket.connect"] = { "127.0.0.1", 1 },
    ["ngx.log"] = { ngx.DEBUG, "x" },
}

-- These come last: a header that has gone is not to be changed.
local last = { "ngx.req.discard_body", "ngx.send_headers", "ngx.print", "ngx.say", "ngx.flush" }

local function refused(name)
    local f = _G
    for part in name:gmatch "[^.]+" do
        f = f[part]
    end
    local ok, err = pcall(f, unpack(args[name] or {}))
    return not ok and (tostring(err):find("API disabled in the", 1, true)
                       or tostring(err):find("no request found", 1, true)) ~= nil
end

local function compare(row, phase)
    local may = (" " .. row[2] .. " "):find(" " .. phase .. " ", 1, true) ~= nil
    -- A thread has to be there to be waited for.
    if row[1] == "ngx.thread.wait" or row[1] == "ngx.thread.kill"
       or may and leaves[row[1]] then
        return
    end
    if refused(row[1]) == may then
        return row[1]
    end
end

function M.try(phase)
    local wrong, late = {}, {}
    for _, name in ipairs(last) do late[name] = true end
    for turn = 1, 2 do
        for _, row in ipairs(require("lunette.api").rows) do
            if row[2] and (late[row[1]] or false) == (turn == 2) then
                wrong[#wrong + 1] = compare(row, phase)
            end
        end
    end
    M.said[phase] = #wrong == 0 and "as the rows say" or table.concat(wrong, " ")
end

return M
--- response_body
set: as the rows say
rewrite: as the rows say
access: as the rows say
precontent: as the rows say
content: as the rows say
header_filter: as the rows say
body_filter: as the rows say
log: as the rows say
balancer: as the rows say
timer: as the rows say
--- no_error_log
[alert]
