-- listeners.lua -- listeners that come, go and change places; killed workers.
--
--     SERVER=... lunette run t/soak/listeners.lua [-n ROUNDS]
--
-- SPDX-License-Identifier: BSD-2-Clause

local soak = dofile("t/soak/help.lua")
local is, note = soak.is, soak.note
local format = string.format

local rounds = tonumber(soak.options.n or 20)

local WORKERS = 4
local PORTS = {}
for i, name in ipairs { "A", "B", "C", "D" } do
    PORTS[name] = soak.port + i
end

local function configure(order)
    local servers = {}
    for name in order:gmatch("%a") do
        servers[#servers + 1] = format([[
    server {
        listen 127.0.0.1:%d;
        location / {
            content_by_lua_block {
                ngx.say("%s ", ngx.worker.pid())
                local busy = os.clock() + 0.005
                repeat until os.clock() > busy
            }
        }
    }
]], PORTS[name], name)
    end
    soak.configure(format("worker_processes %d;\n"
                   .. "events { worker_connections 1024; }", WORKERS),
                   table.concat(servers), [[
        location = /pid {
            content_by_lua_block { ngx.say(ngx.worker.pid()) }
        }]])
end

-- What a listener says, on a connection of its own.
local function ask(name)
    local sock = ngx.socket.tcp()
    sock:settimeout(20000)
    local ok, err = sock:connect("127.0.0.1", PORTS[name])
    if not ok then return nil, err end
    local body
    ok, err, body = soak.ask(sock, "/")
    sock:close()
    if not ok then return nil, err end
    return body
end

-- pid -> how often; and how many answers were wrong.
local function ask_many(name, n)
    local pids, bad, left, threads = {}, 0, n, {}
    for i = 1, 12 do
        threads[i] = ngx.thread.spawn(function()
            while left > 0 do
                left = left - 1
                local who, pid = (ask(name) or ""):match("(%a) (%d+)")
                if who == name then
                    pids[pid] = (pids[pid] or 0) + 1
                else
                    bad = bad + 1
                end
            end
        end)
    end
    for i = 1, 12 do ngx.thread.wait(threads[i]) end
    return pids, bad
end

local function reload()
    local goal = soak.logged("gracefully shutting down") + WORKERS
    soak.control("reload")
    for _ = 1, 400 do
        if soak.logged("gracefully shutting down") >= goal then break end
        ngx.sleep(0.05)
    end
    ngx.sleep(0.5)
end

local function size(t)
    local n = 0
    for _ in pairs(t) do n = n + 1 end
    return n
end

---------------------------------------------------------------------------
-- Coming, going, changing places

configure("ABC")
soak.start("/pid")
for _, order in ipairs { "ABC", "CDA", "DCB", "BADC", "A", "DBA" } do
    configure(order)
    reload()
    for name in ("ABCD"):gmatch("%a") do
        if order:find(name) then
            local pids, bad = ask_many(name, 120)
            is(bad == 0 and size(pids) == WORKERS,
               "%s: %s is served by %d workers, %d wrong answers", order,
               name, size(pids), bad)
        else
            local body = ask(name)
            is(body == nil, "%s: %s is not served", order, name)
        end
    end
end

---------------------------------------------------------------------------
-- Killed workers that had nothing in hand

local function kill_now(pid)
    if soak.wine then
        soak.run("wine taskkill /f /pid %s >/dev/null 2>&1", pid)
    else
        soak.run("kill -9 %s", pid)
    end
end

local killed, lost = 0, 0
for _ = 1, rounds do
    local pid = (ask("A") or ""):match("%d+")
    if pid then
        kill_now(pid)
        killed = killed + 1
    end
    for _ = 1, 20 do
        local body, err = ask("A")
        if not body then
            lost = lost + 1
            note("after a kill: %s", err)
        end
    end
end
is(killed == rounds and lost == 0, "%d idle workers killed: of %d connections "
   .. "right after it %d were lost", killed, killed * 20, lost)
ngx.sleep(soak.wine and 2 or 0.5)
is(size((ask_many("A", 120))) == WORKERS, "those that came for them serve")

---------------------------------------------------------------------------
-- Balance

local pids, bad = {}, 0
for _ = 1, 400 do
    local pid = (ask("B") or ""):match("%d+")
    if pid then pids[pid] = (pids[pid] or 0) + 1 else bad = bad + 1 end
end
local worst, words = 0, {}
for _, n in pairs(pids) do
    worst = math.max(worst, math.abs(n - 400 / WORKERS) / (400 / WORKERS))
    words[#words + 1] = n
end
is(bad == 0, "400 connections, one after the other: %s",
   table.concat(words, " "))
is(size(pids) == WORKERS and worst <= 0.2,
   "each worker is within 20 %% of its share: %.0f %%", worst * 100)

---------------------------------------------------------------------------
-- All workers killed at once: who comes then waits, and is served

local waited, slowest = 0, 0
for _ = 1, rounds / 4 do
    pids = ask_many("A", 120)
    for pid in pairs(pids) do kill_now(pid) end
    local threads = {}
    for i = 1, 20 do
        threads[i] = ngx.thread.spawn(function()
            local began = ngx.now()
            if ask("A") then waited = waited + 1 end
            slowest = math.max(slowest, ngx.now() - began)
        end)
    end
    for i = 1, 20 do ngx.thread.wait(threads[i]) end
    ngx.sleep(soak.wine and 4 or 1.2)
end
lost = math.floor(rounds / 4) * 20 - waited
is(lost == 0, "all workers killed at once, %d times: of %d connections right "
   .. "after it %d were lost", math.floor(rounds / 4), waited + lost, lost)
is(slowest < (soak.wine and 10 or 1), "the slowest was served after %.2f s",
   slowest)
is(soak.logged("%[emerg%]") == 0, "no emergency")

soak.done()
