-- metrics.lua -- requests are counted exactly once, whatever becomes of the
-- worker that had them.
--
--     SERVER=... lunette run t/soak/metrics.lua [-n COUNT] [-c CONNECTIONS]
--
-- Clients ask all the time while the server is reloaded COUNT times: then the
-- metrics say what the clients say, to one. Then as many workers are killed:
-- of what a client has sent and got no answer to nobody knows whether a worker
-- had read it, all else is counted. Somebody looks on: a sum never falls, and
-- never says more than was asked. What dead workers had open is forgotten.
--
-- SPDX-License-Identifier: BSD-2-Clause

local soak = dofile("t/soak/help.lua")
local is = soak.is

local rounds = tonumber(soak.options.n or 20)
local connections = tonumber(soak.options.c or 48)

soak.configure([[
worker_processes 4;
events { worker_connections 1024; }
]], "", [[
        location = /pid {
            content_by_lua_block {
                ngx.sleep(0.002)
                ngx.say(ngx.worker.pid())
            }
        }
        location = /metrics { prometheus; }]])

local stats = { sent = 0, served = 0, broken = 0, refused = 0, pids = {} }
local running = true

-- Everybody's: a look is a request, too.
local function ask(sock, path)
    stats.sent = stats.sent + 1
    local ok, more, body = soak.ask(sock, path)
    stats[ok and "served" or "broken"] = stats[ok and "served" or "broken"] + 1
    return ok, more, body
end

local function client()
    while running do
        local sock = ngx.socket.tcp()
        sock:settimeout(20000)
        local more = sock:connect("127.0.0.1", soak.port)
        if not more then
            stats.refused = stats.refused + 1
            ngx.sleep(0.01)
        end
        while more and running do
            local ok, body
            ok, more, body = ask(sock, "/pid")
            if not ok then break end
            stats.pids[body:match("%d+")] = stats.served
        end
        sock:close()
    end
end

-- Its own request is among them, but not yet among the answers.
local function look()
    for _ = 1, 100 do
        local sock = ngx.socket.tcp()
        sock:settimeout(20000)
        local ok, _, text = sock:connect("127.0.0.1", soak.port)
        if ok then ok, _, text = ask(sock, "/metrics") end
        sock:close()
        if ok then
            local answers = 0
            for class, n in text:gmatch(
                    '\nlunette_http_response_seconds_count{status="(%w+)"} '
                    .. '(%d+)') do
                answers = answers + (class ~= "none" and tonumber(n) or 0)
            end
            return tonumber(text:match "\nlunette_http_requests_total (%d+)"),
                   answers, text
        end
        ngx.sleep(0.05)
    end
    error("the metrics are not to be had")
end

local last, fallen, beyond = 0, 0, 0

local function onlooker()
    while running do
        local n = look()
        fallen = fallen + (n < last and 1 or 0)
        beyond = beyond + (n > stats.sent + stats.base and 1 or 0)
        last = n
        ngx.sleep(0.02)
    end
end

local function run(n, disturb)
    running = true
    local threads = { ngx.thread.spawn(onlooker) }
    for i = 1, connections do
        threads[i + 1] = ngx.thread.spawn(client)
    end
    for _ = 1, n do
        ngx.sleep(soak.wine and 2 or 0.3)
        disturb()
    end
    ngx.sleep(soak.wine and 3 or 1)
    running = false
    for _, thread in ipairs(threads) do ngx.thread.wait(thread) end
    ngx.sleep(0.5)                     -- the last answers are logged
end

soak.start("/metrics")
ngx.sleep(0.5)

-- What asking whether it has started has counted.
local first, answered = look()
stats.base, stats.sent, stats.served, stats.broken = first, 0, 0, 0
answered = answered + 1

run(rounds, function () soak.control("reload") end)
local requests, answers = look()
is(stats.broken + stats.refused == 0, "%d reloads, %d requests, %d broken",
   rounds, stats.served, stats.broken)
is(requests - first == stats.sent, "requests: the clients say %d, the metrics "
   .. "%d", stats.sent, requests - first)
is(answers - answered == stats.served - 1, "answers: the clients say %d, the "
   .. "metrics %d", stats.served - 1, answers - answered)

local killed = 0
run(rounds, function ()
    local pid, newest = nil, 0
    for p, at in pairs(stats.pids) do
        if at > newest then pid, newest = p, at end
    end
    stats.pids = {}
    if pid then
        killed = killed + 1
        soak.kill(pid)
    end
end)

local text
requests, answers, text = look()
requests = requests - first
is(killed > rounds / 2, "%d workers were killed", killed)
is(requests >= stats.served and requests <= stats.sent, "requests: the metrics "
   .. "say %d; %d were answered, %d broken", requests, stats.served,
   stats.broken)
answers = answers - answered
is(answers <= stats.served + stats.broken
   and answers >= stats.served - 1 - killed * connections, "answers: the "
   .. "metrics say %d", answers)
is(fallen == 0, "no sum has fallen")
is(beyond == 0, "nor said more than was asked")
is(tonumber(text:match 'lunette_connections{state="active"} (%d+)') == 1,
   "one connection is open: %s", text:match 'state="active"} (%d+)')

soak.done()
