-- churn.lua -- reloads and dying workers under load.
--
--     lunette run t/soak/churn.lua [-n COUNT] [-c CONNECTIONS] [SERVER...]
--
-- SERVER is a command: build/linux/lunette, or wine build/windows/lunette.exe;
-- without one the environment says it.
-- Keep-alive clients ask all the time, first while the server is reloaded
-- COUNT times, then while as many workers are killed. No request may fail
-- because of a reload; a killed worker may take with it what it had in hand,
-- so at most one request for each of its connections. TAP on standard output.
--
-- SPDX-License-Identifier: BSD-2-Clause

local format, concat = string.format, table.concat

local rounds, connections, port, server = 20, 64, 18099, {}
do
    local i = 1
    while i <= #arg do
        if arg[i] == "-n" then
            rounds, i = tonumber(arg[i + 1]), i + 2
        elseif arg[i] == "-c" then
            connections, i = tonumber(arg[i + 1]), i + 2
        else
            server[#server + 1], i = arg[i], i + 1
        end
    end
end
if #server == 0 then
    server[1] = os.getenv("SERVER") or "build/linux/lunette"
end
server = concat(server, " ")
local wine = server:match("wine") ~= nil

local dir = os.tmpname()
os.remove(dir)
os.execute(format("mkdir -p %s/conf %s/logs", dir, dir))

local f = assert(io.open(dir .. "/conf/nginx.conf", "wb"))
f:write(format([[
worker_processes 4;
daemon off;
error_log logs/error.log notice;
pid logs/nginx.pid;
events { worker_connections 1024; }
http {
    access_log off;
    lua_shared_dict counts 1m;
    server {
        listen 127.0.0.1:%d;
        location = /pid {
            content_by_lua_block {
                ngx.shared.counts:incr("n", 1, 0)
                ngx.sleep(0.002)
                ngx.say(ngx.worker.pid())
            }
        }
        location = /count {
            content_by_lua_block { ngx.say(ngx.shared.counts:get("n") or 0) }
        }
    }
}
]], port))
f:close()

local function run(fmt, ...)
    os.execute(format(fmt, ...))
end

local function control(word)
    run("%s -p %s/ -c conf/nginx.conf -s %s >>%s/control.log 2>&1 &", server,
        dir, word, dir)
end

---------------------------------------------------------------------------
-- Clients

local stats = { served = 0, refused = 0, broken = 0, pids = {}, why = {} }
local running = true

-- One request. True, and whether the connection goes on; or nil and why.
local function ask(sock, path)
    local ok, err = sock:send("GET " .. path .. " HTTP/1.1\r\nHost: t\r\n\r\n")
    if not ok then return nil, "send: " .. err end

    local line
    line, err = sock:receive()
    if not line then return nil, "status line: " .. err end
    if not line:match("^HTTP/1.1 200 ") then return nil, line end

    local chunked, length, close
    repeat
        line, err = sock:receive()
        if not line then return nil, "header: " .. err end
        local low = line:lower()
        chunked = chunked or low == "transfer-encoding: chunked"
        close = close or low == "connection: close"
        length = length or low:match("^content%-length: (%d+)")
    until line == ""

    local body = {}
    if chunked then
        repeat
            line, err = sock:receive()
            if not line then return nil, "chunk: " .. err end
            local size = tonumber(line, 16)
            local piece = sock:receive(size + 2)
            if not piece then return nil, "chunk data" end
            body[#body + 1] = piece:sub(1, size)
        until size == 0
    else
        body[1], err = sock:receive(tonumber(length))
        if not body[1] then return nil, "body: " .. err end
    end
    return true, not close, concat(body)
end

local function client()
    while running do
        local sock = ngx.socket.tcp()
        sock:settimeout(20000)
        local ok, err = sock:connect("127.0.0.1", port)
        if not ok then
            stats.refused = stats.refused + 1
            stats.why["connect: " .. err] = true
            ngx.sleep(0.01)
        end
        while ok and running do
            local done, more, body = ask(sock, "/pid")
            if not done then
                stats.broken = stats.broken + 1
                stats.why[more] = (stats.why[more] or 0) + 1
                break
            end
            stats.served = stats.served + 1
            stats.pids[body:match("%d+")] = stats.served
            if not more then break end
        end
        sock:close()
    end
end

local function one(path)
    local sock = ngx.socket.tcp()
    sock:settimeout(20000)
    if not sock:connect("127.0.0.1", port) then return nil end
    local ok, _, body = ask(sock, path)
    sock:close()
    return ok and body
end

---------------------------------------------------------------------------
-- The test

local test, failed = 0, 0

local function is(ok, fmt, ...)
    test = test + 1
    if not ok then failed = failed + 1 end
    print(format("%s %d - %s", ok and "ok" or "not ok", test,
                 format(fmt, ...)))
end

local function reasons()
    for why, n in pairs(stats.why) do
        print("# " .. why .. ": " .. tostring(n))
    end
    stats.why = {}
end

local function served_some(n)
    local goal = stats.served + n
    for _ = 1, 3000 do
        if stats.served >= goal then return end
        ngx.sleep(0.01)
    end
end

run("%s -p %s/ -c conf/nginx.conf >%s/out.log 2>&1 &", server, dir, dir)
for _ = 1, 600 do
    if one("/count") then break end
    ngx.sleep(0.05)
end

local threads = {}
for i = 1, connections do
    threads[i] = ngx.thread.spawn(client)
end

served_some(connections * 4)
local before = stats.served
for _ = 1, rounds do
    control("reload")
    ngx.sleep(wine and 3 or 0.4)
    served_some(connections)
end
is(stats.refused + stats.broken == 0, "%d reloads, %d requests, %d refused, "
   .. "%d broken", rounds, stats.served - before, stats.refused, stats.broken)
reasons()

before, stats.refused, stats.broken = stats.served, 0, 0
local killed = 0
for _ = 1, rounds do
    local pid, newest = nil, 0
    for p, at in pairs(stats.pids) do
        if at > newest then pid, newest = p, at end
    end
    stats.pids = {}
    if pid then
        killed = killed + 1
        if wine then
            run("wine taskkill /f /pid %s >/dev/null 2>&1 &", pid)
        else
            run("kill -9 %s", pid)
        end
    end
    ngx.sleep(wine and 2 or 0.2)
    served_some(connections)
end
is(killed == rounds, "%d workers killed", killed)
is(stats.refused == 0, "no connection was refused meanwhile: %d",
   stats.refused)
is(stats.broken <= killed * connections, "%d requests, %d broken with their "
   .. "workers", stats.served - before, stats.broken)
reasons()

local alive, n = {}, 0
for _ = 1, 400 do
    local pid = (one("/pid") or ""):match("%d+")
    if pid and not alive[pid] then
        alive[pid], n = true, n + 1
    end
    if n == 4 then break end
    ngx.sleep(0.01)
end
is(n == 4, "four workers serve new connections: %d", n)

running = false
for i = 1, connections do
    ngx.thread.wait(threads[i])
end

local count = tonumber(one("/count"))
is(count and count >= stats.served, "the dictionary counted all of them: "
   .. "%s of %d", tostring(count), stats.served)

control("stop")
ngx.sleep(wine and 2 or 0.5)
run("grep -E '\\[(alert|emerg|crit)\\]' %s/logs/error.log | grep -v "
    .. "'exited on signal 9' | head -5 | sed 's/^/# /'", dir)
if failed == 0 then run("rm -rf %s", dir) else print("# kept " .. dir) end
print(format("1..%d", test))
os.exit(failed == 0 and 0 or 1)
