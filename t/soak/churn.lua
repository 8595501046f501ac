-- churn.lua -- reloads and dying workers under load.
--
--     SERVER=... lunette run t/soak/churn.lua [-n COUNT] [-c CONNECTIONS]
--
-- Keep-alive clients ask all the time, first while the server is reloaded
-- COUNT times, then while as many workers are killed. No request may fail
-- because of a reload; a killed worker may take with it what it had in hand,
-- so at most one request for each of its connections.
--
-- SPDX-License-Identifier: BSD-2-Clause

local soak = dofile("t/soak/help.lua")
local is, one, control = soak.is, soak.one, soak.control

local rounds = tonumber(soak.options.n or 20)
local connections = tonumber(soak.options.c or 64)

soak.configure([[
worker_processes 4;
events { worker_connections 1024; }
]], "    lua_shared_dict counts 1m;", [[
        location = /pid {
            content_by_lua_block {
                ngx.shared.counts:incr("n", 1, 0)
                ngx.sleep(0.002)
                ngx.say(ngx.worker.pid())
            }
        }
        location = /count {
            content_by_lua_block { ngx.say(ngx.shared.counts:get("n") or 0) }
        }]])

---------------------------------------------------------------------------
-- Clients

local stats = { served = 0, refused = 0, broken = 0, pids = {}, why = {} }
local running = true

local function client()
    while running do
        local sock = ngx.socket.tcp()
        sock:settimeout(20000)
        local ok, err = sock:connect("127.0.0.1", soak.port)
        if not ok then
            stats.refused = stats.refused + 1
            stats.why["connect: " .. err] = true
            ngx.sleep(0.01)
        end
        while ok and running do
            local done, more, body = soak.ask(sock, "/pid")
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

---------------------------------------------------------------------------
-- The test

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

soak.start("/count")

local threads = {}
for i = 1, connections do
    threads[i] = ngx.thread.spawn(client)
end

served_some(connections * 4)
local before = stats.served
for _ = 1, rounds do
    control("reload")
    ngx.sleep(soak.wine and 3 or 0.4)
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
        soak.kill(pid)
    end
    ngx.sleep(soak.wine and 2 or 0.2)
    served_some(connections)
end
is(killed == rounds, "%d workers killed", killed)
is(stats.refused == 0, "no connection was refused meanwhile: %d",
   stats.refused)
is(stats.broken <= killed * connections, "%d requests, %d broken with their "
   .. "workers", stats.served - before, stats.broken)

-- Not under Wine, whose server keeps what it accepts for a dying process.
local late = 0
for why, n in pairs(stats.why) do
    late = late + (why:find("timeout") and n or 0)
end
is(late == 0 or soak.wine, "%d of those clients had to wait for their own "
   .. "time-out", late)
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

soak.done()
