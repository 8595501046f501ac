-- scripts.lua -- scripts of several lines in an nginx with its Lua module and
-- in us. For t/compare/scripts.
--
-- A script is "=== name" and Lua behind it, up to the next. It runs as
-- content_by_lua with these: say(...) for what is to be compared, values as
-- they would be written; PORT, where the same server hears anything (below);
-- CLOSED, where nobody does. Behind the name may stand "in: PHASE"; scripts of
-- init_worker and exit_worker run in one worker, before and after all others.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ref, own, dir, path = arg[1], arg[2], arg[3], arg[4]
local PORT = 18420
local KNOWN = "t/compare/known-scripts"

local function read_scripts()
    local list, one = {}, nil
    for line in io.lines(path) do
        local name = line:match("^=== (.*)")
        if name then
            one = { name = name, phase = name:match(" in: (%S+)") or "content" }
            list[#list + 1] = one
        elseif one then
            one[#one + 1] = line
        end
    end
    return list
end

-- In the server: `say` keeps, and the end writes a line that nothing is beside.
local RUNNER = [==[
    local _M = {}
    local function show(v, depth)
        if type(v) == "string" then
            return ("%q"):format(v):gsub("\\\n", "\\n"):gsub("\r", "\\r")
                   :gsub("%z", "\\0")
        elseif type(v) == "table" and depth < 3 then
            local keys, out = {}, {}
            for k in pairs(v) do keys[#keys + 1] = k end
            table.sort(keys, function (a, b)
                return tostring(a) < tostring(b)
            end)
            for _, k in ipairs(keys) do
                out[#out + 1] = tostring(k) .. "=" .. show(v[k], depth + 1)
            end
            return "{" .. table.concat(out, " ") .. "}"
        elseif v == ngx.null then
            return "null"
        elseif type(v) == "number" or type(v) == "boolean" or v == nil then
            return tostring(v)
        end
        return type(v)
    end
    -- What depends on versions of PCRE and LuaJIT, or comes to the same.
    local function plain(text)
        return (text:gsub('[^" ]*%.lua:%d+: ', ""):gsub("script:%d+: ", "")
                :gsub("0x%x+", "ADDRESS"):gsub("1842%d", "PORT")
                :gsub("(bad argument #%d+ to )'[^']*'", "%1it")
                :gsub("pcre2?_%w+%(%) failed: .*", "PCRE says no")
                :gsub("cdata", "userdata")
                :gsub("[ nil]+$", function (rest)
                    return rest:gsub(" nil", "")
                end))
    end
    function _M.run(i, port, folder)
        local out = {}
        local function say(...)
            local line = {}
            for n = 1, select("#", ...) do
                line[n] = show((select(n, ...)), 0)
            end
            out[#out + 1] = plain(table.concat(line, " "))
        end
        local env = setmetatable({ say = say, PORT = port + 4, CLOSED = 1 },
                                 { __index = _G })
        local f, err = loadstring(SCRIPTS[i], "=script")
        local ok
        if f then
            ok, err = pcall(setfenv(f, env))
        end
        if not ok then say("error", tostring(err)) end
        local file = io.open(folder .. "/" .. i, "w")
        file:write(table.concat(out, "\n"), "\n")
        file:close()
    end
    return _M
]==]

local function handler(phase, port, folder)
    local run = ('R.run(tonumber(ngx.var.arg_q), %d, "%s")'):format(port,
                                                                   folder)
    return ({
        content = "content_by_lua_block { %s }",
        rewrite = "rewrite_by_lua_block { %s } return 204;",
        access = "access_by_lua_block { %s } "
                 .. "content_by_lua_block { ngx.say(1) }",
        header_filter = "header_filter_by_lua_block { %s } return 200 ok;",
        log = "log_by_lua_block { %s } return 200 ok;",
        timer = "content_by_lua_block { local q = tonumber(ngx.var.arg_q) "
                .. "ngx.timer.at(0, function () R.run(q, "
                .. port .. ', "' .. folder .. '") end) ngx.sleep(0.3) }',
        balancer = "proxy_http_version 1.1; proxy_pass http://chosen/other; "
                   .. "#%s",
        init_worker = "return 200 ok; #%s",
        exit_worker = "return 200 ok; #%s",
    })[phase]:gsub("%%s", function () return run end)
end

local function life_of(phase, port, folder, scripts)
    local list = {}
    for i, one in ipairs(scripts) do
        if one.phase == phase then
            list[#list + 1] = ('R.run(%d, %d, "%s")'):format(i, port, folder)
        end
    end
    return phase .. "_by_lua_block { if ngx.worker.id() == 0 then "
        .. table.concat(list, " ") .. " end }"
end

local function configuration(folder, port, globals, scripts)
    local locations, texts, seen = {}, {}, {}
    for i, one in ipairs(scripts) do
        texts[i] = ("%q"):format(table.concat(one, "\n"))
        if not seen[one.phase] then
            seen[one.phase] = true
            locations[#locations + 1] = "location = /" .. one.phase .. " {\n"
                .. handler(one.phase, port, folder) .. "\n}"
        end
    end
    local file = io.open(folder .. "/runner.lua", "w")
    file:write("SCRIPTS = {\n", table.concat(texts, ",\n"), "\n}\n", RUNNER)
    file:close()
    return ([[
        $globals
        worker_processes 2;
        pid $folder/pid;
        error_log $folder/error.log;
        events { worker_connections 1000; }
        http {
            access_log off;
            lua_shared_dict dict 100k;
            lua_shared_dict full 24k;
            lua_socket_log_errors off;
            lua_socket_connect_timeout 300ms;
            lua_socket_read_timeout 300ms;
            lua_socket_send_timeout 300ms;
            lua_check_client_abort on;
            lua_max_pending_timers 20;
            lua_max_running_timers 10;
            client_max_body_size 1m;
            init_by_lua_block { R = dofile("$folder/runner.lua") }
            $init_worker
            $exit_worker
            upstream chosen {
                server 127.0.0.1:1;
                balancer_by_lua_block {
                    R.run(tonumber(ngx.var.arg_q), $port, "$folder")
                }
            }
            server {
                listen 127.0.0.1:$port;
                set $var "set"; set $empty "";
                location = /other { content_by_lua_block {
                    ngx.req.read_body()
                    ngx.print(ngx.req.get_method(), " ", ngx.var.args, " ",
                              ngx.req.get_body_data())
                } }
                location = /status { return 404 "no"; }
                location = /raise { content_by_lua_block { error("raised") } }
                $locations
            }
            server {
                listen 127.0.0.1:$next;
                location / { content_by_lua_block {
                    local s = ngx.req.socket(true)
                    local how = ngx.var.uri:sub(2)
                    if how == "echo" then
                        local line = s:receive()
                        s:send(line .. "\n")
                    elseif how == "lines" then
                        s:send("one\r\ntwo\nthree")
                    elseif how == "silent" then
                        ngx.sleep(0.6)
                    elseif how == "bytes" then
                        s:send("0123456789--abc--def")
                    end
                } }
            }
        }
    ]]):gsub("$([%w_]+)", { globals = globals, folder = folder, port = port,
                         next = port + 4,
                         init_worker = life_of("init_worker", port, folder,
                                               scripts),
                         exit_worker = life_of("exit_worker", port, folder,
                                               scripts),
                         locations = table.concat(locations, "\n") })
end

local function get(port, phase, i)
    local sock = ngx.socket.tcp()
    sock:settimeout(8000)
    assert(sock:connect("127.0.0.1", port))
    sock:send("POST /" .. phase .. "?q=" .. i .. "&a=1&a=2&b&c= HTTP/1.1\r\n"
              .. "Host: h\r\nX-Foo: one\r\nX-Foo: two\r\nConnection: close\r\n"
              .. "Content-Length: 11\r\n\r\na=1&b=2&a=3")
    local all, _, part = sock:receive("*a")
    sock:close()
    all = all or part or ""
    local head, body = all:match("^(.-\r\n\r\n)(.*)$")
    if head and head:find("chunked", 1, true) then
        -- Where it was cut is nobody's business.
        local whole, at = {}, 1
        while true do
            local _, to, size = body:find("^(%x+)\r\n", at)
            size = tonumber(size or "0", 16)
            if size == 0 then break end
            whole[#whole + 1] = body:sub(to + 1, to + size)
            at = to + size + 3
        end
        body = table.concat(whole)
    end
    return (all:match("^HTTP/1.1 (%d*)") or "nothing") .. " " .. (body or "")
end

local function read(name)
    local file = io.open(name)
    local text = file and file:read("*a") or "nothing was written\n"
    if file then file:close() end
    return text
end

local function run(program, port, globals, scripts)
    local folder, all = dir .. "/" .. port, {}
    os.execute("mkdir -m 777 " .. folder .. " && mkdir " .. folder .. "/logs")
    local file = assert(io.open(folder .. "/conf", "w"))
    file:write((configuration(folder, port, globals, scripts)))
    file:close()
    assert(os.execute(program .. " -p " .. folder .. "/ -c conf"),
           program .. " does not start")
    for i, one in ipairs(scripts) do
        local answer = get(port, one.phase, i)
        if one.phase == "log" then ngx.sleep(0.1) end
        if not answer:find("^%d") or one.phase == "content" then
            answer = answer:sub(1, 200)
        end
        all[i] = answer
    end
    os.execute("kill -QUIT $(cat " .. folder .. "/pid)")
    ngx.sleep(1)
    for i in ipairs(scripts) do
        all[i] = read(folder .. "/" .. i) .. all[i]
    end
    return all
end

-- Lines that only one of both has: "< theirs", "> ours", in their order.
local function differences(theirs, ours)
    local a, b, longest = {}, {}, {}
    for line in theirs:gmatch("[^\n]+") do a[#a + 1] = line end
    for line in ours:gmatch("[^\n]+") do b[#b + 1] = line end
    for i = #a + 1, 1, -1 do
        longest[i] = {}
        for k = #b + 1, 1, -1 do
            if i > #a or k > #b then
                longest[i][k] = 0
            elseif a[i] == b[k] then
                longest[i][k] = longest[i + 1][k + 1] + 1
            else
                longest[i][k] = math.max(longest[i + 1][k], longest[i][k + 1])
            end
        end
    end
    local list, i, k = {}, 1, 1
    while i <= #a or k <= #b do
        if a[i] == b[k] then
            i, k = i + 1, k + 1
        elseif k > #b
               or i <= #a and longest[i + 1][k] >= longest[i][k + 1] then
            list[#list + 1] = "< " .. a[i]
            i = i + 1
        else
            list[#list + 1] = "> " .. b[k]
            k = k + 1
        end
    end
    return list
end

-- What is known of each script: a set of such lines.
local function known_differences()
    local known, one = {}, nil
    for line in io.lines(KNOWN) do
        local name = line:match("^=== (.*)")
        if name then
            one = known[name] or {}
            known[name] = one
        elseif line:find("^[<>] ") then
            one[line] = true
        end
    end
    return known
end

local scripts, known = read_scripts(), known_differences()
local theirs = run(ref, PORT, os.getenv("GLOBALS") or "", scripts)
local ours = run(own, PORT + 1, "", scripts)
local same, explained = 0, 0
for i, one in ipairs(scripts) do
    local list = differences(theirs[i]:gsub("<html>.*", "PAGE\n"),
                             ours[i]:gsub("<html>.*", "PAGE\n"))
    local new = {}
    for _, line in ipairs(list) do
        if not (known[one.name] or {})[line] then new[#new + 1] = line end
    end
    if #list == 0 then
        same = same + 1
    elseif #new == 0 then
        explained = explained + 1
    else
        print("=== " .. one.name .. "\n" .. table.concat(new, "\n"))
    end
end
local rest = #scripts - same - explained
print(("%d of %d scripts say the same, %d differ and are known, %d differ")
      :format(same, #scripts, explained, rest))
os.exit(rest == 0 and 0 or 1)
