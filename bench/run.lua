-- run.lua -- the comparison tables: lunette against nginx with its Lua module
-- and against a bare epoll loop, in one run, alternating.
--
--     bench/run [-s SECONDS] [-n ROUNDS] [-c CONNECTIONS] [-r ROW]
--
-- ROW is a part of a row's name: only those are measured, and not kept.
--
-- Servers run on processor 0, the load (wrk) on processor 1. What counts is
-- CPU time per request: the run time of all worker threads, as the kernel
-- accounts it, divided by the requests that wrk saw answered, or the frames
-- that came back to bench/echo.lua. Requests/s are printed beside it. Figures
-- are medians over the rounds.
--
-- SPDX-License-Identifier: BSD-2-Clause

local help = dofile("bench/help.lua")
local command, write_file, read_file = help.command, help.write_file,
                                       help.read_file
local median, say, here = help.median, help.say, help.here
local format = string.format

local options = help.options { s = 2, n = 5, c = 32, r = "" }
local seconds, rounds, connections = options.s, options.n, options.c
local REDIS = 18093
local dir = here .. "/build/bench"

---------------------------------------------------------------------------
-- Servers

local servers = {
    bare = { port = 18090, arguments = "" },
    asking = { port = 18094, arguments = format(" %s/asking.response %d "
               .. "%s/asking.request 10", dir, REDIS, dir) },
    lunette = { port = 18091, binary = here .. "/build/linux/lunette",
                globals = "", libs = "resty", http = "" },
    nginx = { port = 18092, binary = "/usr/sbin/nginx",
              globals = "load_module /usr/lib/nginx/modules/"
                        .. "ndk_http_module.so; load_module /usr/lib/nginx"
                        .. "/modules/ngx_http_lua_module.so; user root;",
              libs = "nginx", http = "" },
}

local function configure(name, workers)
    local s = servers[name]
    local values = {
        NAME = name, DIR = dir, PORT = s.port, WORKERS = workers,
        GLOBALS = s.globals, HTTP = s.http, SECONDS = seconds, HERE = here,
        LIBS = s.libs, REDIS = REDIS,
    }
    local text = read_file("bench/site.conf"):gsub("@(%u+)@", function(key)
        return tostring(values[key])
    end)
    write_file(dir .. "/" .. name .. ".conf", text)
end

local function wait_for(port)
    for _ = 1, 100 do
        if os.execute(format("curl -s -o /dev/null http://127.0.0.1:%d/200",
                             port)) then
            return
        end
        os.execute("sleep 0.05")
    end
    error("nothing answers on port " .. port)
end

local function start(name, workers, cpus)
    local s = servers[name]
    local run = format("taskset -c %s %s/bare %d%s", cpus, dir, s.port,
                       s.arguments)
    if s.binary then
        configure(name, workers)
        run = format("taskset -c %s %s -p %s/ -c %s/%s.conf -e %s/error.log",
                     cpus, s.binary, dir, dir, name, dir)
    end
    s.pid = command("%s >>%s/out.log 2>&1 & echo $!", run, dir)
    wait_for(s.port)
end

-- Nanoseconds that the server's processes have run so far.
local function cpu_of(name)
    local pid = servers[name].pid
    local list = command("echo %s; cat /proc/%s/task/%s/children 2>/dev/null",
                         pid, pid, pid)
    local sum = 0
    for p in list:gmatch("%d+") do
        local stat = read_file("/proc/" .. p .. "/schedstat")
        sum = sum + (stat and tonumber(stat:match("^%d+")) or 0)
    end
    return sum
end

---------------------------------------------------------------------------
-- Measuring

-- The same of frames, there and back.
local function echo_once(name, path)
    local before = cpu_of(name)
    local out = command("taskset -c 1 %s run bench/echo.lua "
                        .. "ws://127.0.0.1:%d%s %d %g 2>&1",
                        servers.lunette.binary, servers[name].port, path,
                        connections, seconds)
    local spent = cpu_of(name) - before
    local frames = tonumber(out)
    if not frames or frames == 0 then
        error(name .. " " .. path .. ": " .. out)
    end
    return spent / frames / 1000, frames / seconds
end

-- CPU microseconds per request, and requests/s, of one wrk run.
local function load_once(name, path)
    if path == "/echo" then
        return echo_once(name, path)
    end
    local before = cpu_of(name)
    local out = command("taskset -c 1 wrk -t1 -c%d -d%gs "
                        .. "-H 'Accept-Encoding: gzip' "
                        .. "http://127.0.0.1:%d%s 2>&1", connections, seconds,
                        servers[name].port, path)
    local spent = cpu_of(name) - before
    local requests = tonumber(out:match("(%d+) requests in"))
    if not requests or requests == 0 or out:match("Non%-2xx")
        or out:match("Socket errors")
    then
        error(name .. " " .. path .. ": " .. out)
    end
    return spent / requests / 1000,
           tonumber(out:match("Requests/sec:%s+(%S+)"))
end

-- Alternates the sides; returns medians per side and of the pairwise ratio.
local function compare(a, b)
    local cpu, rps = { {}, {} }, { {}, {} }
    local ratios = {}
    for side, s in ipairs { a, b } do
        load_once(s[1], s[2])                          -- warms up
        cpu[side], rps[side] = {}, {}
    end
    for round = 1, rounds do
        for side, s in ipairs { a, b } do
            cpu[side][round], rps[side][round] = load_once(s[1], s[2])
        end
        ratios[round] = cpu[1][round] / cpu[2][round]
    end
    return { cpu = { median(cpu[1]), median(cpu[2]) },
             rps = { median(rps[1]), median(rps[2]) },
             ratio = median(ratios) }
end

---------------------------------------------------------------------------
-- The table

local deep = ("/d"):rep(54) .. "/f.html"

local rows = {
    { "return 200", "bare loop", { "lunette", "/200" }, { "bare", "/200" },
      1.12 },
    { "return 200", "nginx", { "lunette", "/200" }, { "nginx", "/200" } },
    { "static, 452 bytes", "nginx", { "lunette", "/f.html" },
      { "nginx", "/f.html" }, 0.50 },
    { "static at depth 55", "itself at depth 1", { "lunette", deep },
      { "lunette", "/f.html" }, 1.10 },
    { "gzip of 20 KB, level 5", "nginx", { "lunette", "/text" },
      { "nginx", "/text" }, 0.60 },
    { "content_by_lua hello", "nginx + Lua", { "lunette", "/hello" },
      { "nginx", "/hello" }, 0.75 },
    { "dict incr + set + get", "nginx + Lua", { "lunette", "/dict" },
      { "nginx", "/dict" }, 0.70 },
    { "ngx.re.match, jo", "nginx + Lua", { "lunette", "/re" },
      { "nginx", "/re" }, 0.75 },

    { "redis get, kept connection", "nginx + Lua", { "lunette", "/redis" },
      { "nginx", "/redis" }, 0.80 },
    { "WebSocket echo, a frame", "nginx + Lua", { "lunette", "/echo" },
      { "nginx", "/echo" }, 0.80 },
    { "cjson encode, 10 KB", "nginx + Lua", { "lunette", "/encode" },
      { "nginx", "/encode" }, 0.80 },
    { "cjson decode, 10 KB", "nginx + Lua", { "lunette", "/decode" },
      { "nginx", "/decode" }, 0.80 },
    { "resty.lrucache, 100 get", "nginx + Lua", { "lunette", "/lrucache" },
      { "nginx", "/lrucache" }, 0.80 },
    { "template of 100 rows", "nginx + Lua", { "lunette", "/template" },
      { "nginx", "/template" }, 0.80 },

    -- What no server can be better than here, as it does nothing at all.
    { "the bare loop", "nginx + Lua, hello", { "bare", "/hello" },
      { "nginx", "/hello" } },
    { "the bare loop", "nginx + Lua, dict", { "bare", "/dict" },
      { "nginx", "/dict" } },
    { "the bare loop", "nginx + Lua, re", { "bare", "/re" },
      { "nginx", "/re" } },
    { "the bare loop", "nginx + Lua, WebSocket echo", { "bare", "/echo" },
      { "nginx", "/echo" } },
    { "the bare loop", "nginx + Lua, lrucache", { "bare", "/lrucache" },
      { "nginx", "/lrucache" } },
    { "the bare loop that asks", "nginx + Lua, redis", { "asking", "/redis" },
      { "nginx", "/redis" } },
}

local function machine()
    say("%s", help.machine())
    say("%s; %s", command("%s -v 2>&1", servers.lunette.binary),
        command("%s -v 2>&1", servers.nginx.binary))
    say("wrk -t1 -c%d -d%gs, %d rounds, one worker; server on cpu 0, load on "
        .. "cpu 1", connections, seconds, rounds)
    say("")
end

-- What the bare loop asks redis, and says then.
local function make_asking()
    write_file(dir .. "/asking.request",
               "*2\r\n$3\r\nget\r\n$7\r\nlunette\r\n")
    write_file(dir .. "/asking.response", "HTTP/1.1 200 OK\r\n"
               .. "Server: bare\r\nContent-Type: text/plain\r\n"
               .. "Date: Sat, 21 Nov 2026 00:00:00 GMT\r\n"
               .. "Content-Length: 5\r\nConnection: keep-alive\r\n\r\nmoon\n")
end

local function make_site()
    os.execute(format("rm -rf %s/html; mkdir -p %s/html%s", dir, dir,
                      deep:match("^(.*)/")))
    local page = ("x"):rep(451) .. "\n"
    write_file(dir .. "/html/f.html", page)
    write_file(dir .. "/html" .. deep, page)
    write_file(dir .. "/html/text", read_file("CHANGELOG.md"):sub(1, 20480))
end

local function say_row(row)
    local m = compare(row[3], row[4])
    local goal = row[5]
    say("| %s | %s | %.2f | %.2f | %.2f | %s | %s | %.0f | %.0f |",
        row[1], row[2], m.cpu[1], m.cpu[2], m.ratio,
        goal and format("%.2f", goal) or "-",
        goal and (m.ratio <= goal and "yes" or "no") or "-",
        m.rps[1], m.rps[2])
end

local function table_of_requests()
    say("| work | against | us CPU/request | theirs | ratio | goal | met |"
        .. " requests/s | theirs |")
    say("|---|---|---|---|---|---|---|---|---|")
    for _, row in ipairs(rows) do
        if row[1]:find(options.r, 1, true) then
            say_row(row)
        end
    end
end

-- Two workers read one dictionary at once: operations/s of both together.
local function reads_of(name)
    local port = servers[name].port
    local out = command("for i in 1 2 3 4; do curl -s http://127.0.0.1:%d"
                        .. "/reads & done; wait", port)
    local best, sum = {}, 0
    for ops, pid in out:gmatch("(%S+) (%d+)") do
        best[pid] = math.max(best[pid] or 0, tonumber(ops))
    end
    local workers = 0
    for _, ops in pairs(best) do
        sum, workers = sum + ops, workers + 1
    end
    return workers == 2 and sum or nil
end

local function table_of_reads()
    local got = { lunette = {}, nginx = {} }
    for _, name in ipairs { "lunette", "nginx" } do
        start(name, 2, "0,1")
        command("curl -s http://127.0.0.1:%d/fill", servers[name].port)
    end
    for _ = 1, rounds do
        for _, name in ipairs { "lunette", "nginx" } do
            local ops = reads_of(name)
            if ops then
                got[name][#got[name] + 1] = ops
            end
        end
    end
    for _, name in ipairs { "lunette", "nginx" } do
        help.stop(servers[name])
    end
    local a, b = got.lunette, got.nginx
    if #a == 0 or #b == 0 then
        say("dict reads by 2 workers: the kernel gave every connection to "
            .. "one worker; not measured")
        return
    end
    local ma, mb = median(a), median(b)
    say("")
    say("| dict reads, 2 workers | operations/s | theirs | ratio | goal |"
        .. " met |")
    say("|---|---|---|---|---|---|")
    say("| get of 1024 keys | %.1f M | %.1f M | %.2f | 2.00 | %s |", ma / 1e6,
        mb / 1e6, ma / mb, ma / mb >= 2 and "yes" or "no")
end

make_site()
make_asking()
machine()

local names = { "bare", "asking", "lunette", "nginx" }

local function start_redis()
    local pid = command("taskset -c 1 redis-server --port %d --save '' "
                        .. "--bind 127.0.0.1 >/dev/null 2>&1 & echo $!", REDIS)
    command("for i in $(seq 100); do redis-cli -p %d set lunette moon "
            .. ">/dev/null 2>&1 && break; sleep 0.05; done", REDIS)
    return pid
end

local function with_servers(work)
    local redis = start_redis()
    local ok, err = pcall(function()
        for _, name in ipairs(names) do
            start(name, 1, "0")
        end
        work()
    end)
    command("kill %s", redis)
    for _, name in ipairs(names) do help.stop(servers[name]) end
    if not ok then error(err, 0) end
end

with_servers(table_of_requests)

if options.r == "" then
    table_of_reads()
    help.keep("linux.md", "Lunette against nginx and a bare loop")
end
