-- stream.lua -- TCP and UDP through `stream { }`, beside nginx's.
--
--     bench/stream [-n ROUNDS] [-m MEGABYTES] [-k SESSIONS] [-i IDLE] [-r ROW]
--
-- ROW is a part of a row's name: only those are measured, and not kept.
--
-- Both proxies, one worker each, pass what bench/pump.c says on to a server in
-- the same program. The proxies run on processor 0, the pump on processor 1,
-- in turn; what counts is the CPU time of the worker, as the kernel accounts
-- it, and for idle sessions its memory. Figures are medians over the rounds.
--
-- SPDX-License-Identifier: BSD-2-Clause

local help = dofile("bench/help.lua")
local command, write_file, read_file = help.command, help.write_file,
                                       help.read_file
local median, say, here = help.median, help.say, help.here
local format = string.format

local options = help.options { n = 5, m = 1024, k = 10000, i = 10000,
                               r = "" }
local dir = here .. "/build/bench"
local BACK = 18190                 -- where the pump's server listens

local servers = {
    lunette = { port = 18191, binary = here .. "/build/linux/lunette",
                globals = "" },
    nginx = { port = 18192, binary = "/usr/sbin/nginx",
              globals = "load_module /usr/lib/nginx/modules/"
                        .. "ngx_stream_module.so; user root;" },
    bare = { port = 18193 },       -- bare_relay.c
}
local names = { "lunette", "nginx", "bare" }

local site = [[
%s
worker_processes 1;
worker_rlimit_nofile 60000;
daemon off;
error_log %s/error.log warn;
pid %s/%s-stream.pid;
events { worker_connections 50000; }
stream {
    server { listen 127.0.0.1:%d; proxy_pass 127.0.0.1:%d; }
    server {
        listen 127.0.0.1:%d udp;
        proxy_pass 127.0.0.1:%d;
        proxy_timeout 60s;
    }
}
]]

-- The command that starts it.
local function launch(name)
    local s = servers[name]
    if not s.binary then
        return format("%s/bare_relay %d %d", dir, s.port, BACK)
    end
    local path = format("%s/%s-stream.conf", dir, name)
    write_file(path, format(site, s.globals, dir, dir, name, s.port, BACK,
                            s.port, BACK))
    return format("%s -p %s/ -c %s -e %s/error.log", s.binary, dir, path, dir)
end

local function start(name)
    local s = servers[name]
    s.pid = command("ulimit -n $(ulimit -Hn); taskset -c 0 %s >>%s/out.log "
                    .. "2>&1 & echo $!", launch(name), dir)
    for _ = 1, 100 do
        s.worker = command("cat /proc/%s/task/%s/children 2>/dev/null", s.pid,
                           s.pid):match("%d+")
        if s.worker then break end
        os.execute("sleep 0.05")
    end
    os.execute("sleep 0.3")
end

-- Nanoseconds that the worker has run so far.
local function cpu_of(name)
    local stat = read_file("/proc/" .. servers[name].worker .. "/schedstat")
    return tonumber(stat:match("^%d+"))
end

-- Bytes that are the worker's alone.
local function memory_of(name)
    local text = read_file("/proc/" .. servers[name].worker .. "/smaps_rollup")
    return tonumber(text:match("Private_Dirty:%s+(%d+)")) * 1024
end

local function pump(name, work, amount)
    local out = command("taskset -c 1 %s/pump %s %d %d %d 2>&1", dir, work,
                        BACK, servers[name].port, amount)
    if out ~= "done" then
        error(name .. ", " .. work .. ": " .. out)
    end
end

-- CPU nanoseconds for each of `amount`.
local function spend(name, work, amount)
    local before = cpu_of(name)
    pump(name, work, amount)
    return (cpu_of(name) - before) / amount
end

-- `one` and nginx, in turn.
local function compare(one, work, amount)
    local cpu, ratios = { [one] = {}, nginx = {} }, {}
    for name in pairs(cpu) do
        spend(name, work, math.max(1, math.floor(amount / 20)))    -- warms up
    end
    for round = 1, options.n do
        for name, took in pairs(cpu) do
            took[round] = spend(name, work, amount)
        end
        ratios[round] = cpu[one][round] / cpu.nginx[round]
    end
    return median(cpu[one]), median(cpu.nginx), median(ratios)
end

-- Bytes of the worker for each session that says nothing.
local function hold(name)
    local before = memory_of(name)
    local f = assert(io.popen(format("taskset -c 1 %s/pump idle %d %d %d "
                                     .. "> %s/pump.out", dir, BACK,
                                     servers[name].port, options.i, dir), "w"))
    repeat
        os.execute("sleep 0.2")
    until (read_file(dir .. "/pump.out") or ""):find("done", 1, true)
    local took = (memory_of(name) - before) / options.i
    f:close()
    return took
end

local function row(work, unit, a, b, ratio, goal)
    say("| %s | %s | %.2f | %.2f | %.2f | %s | %s |", work, unit, a, b, ratio,
        goal and format("%.2f", goal) or "-",
        goal and (ratio <= goal and "yes" or "no") or "-")
end

local function table_of_all()
    local bytes = options.m * 1024 * 1024
    local short = "TCP session of 100 bytes"
    local silent = format("TCP, %d idle sessions", options.i)

    say("| work | unit | ours | theirs | ratio | goal | met |")
    say("|---|---|---|---|---|---|---|")
    for _, w in ipairs {
        { "one", format("TCP, %d MB one way", options.m), bytes, 1, 0.95 },
        { "both", format("TCP, %d MB both ways", options.m), bytes, 1 },
        { "sessions", short, options.k, 1000, 0.85 },
        { "sessions", "the bare relay: " .. short, options.k, 1000,
          one = "bare" },
        { "udp", "UDP, a datagram there and back", 5 * options.k, 1000 },
    } do
        if w[2]:find(options.r, 1, true) then
            local a, b, ratio = compare(w.one or "lunette", w[1], w[3])
            row(w[2], w[4] == 1 and "ns CPU/byte" or "us CPU", a / w[4],
                b / w[4], ratio, w[5])
        end
    end
    if silent:find(options.r, 1, true) then
        local a, b = hold("lunette"), hold("nginx")
        row(silent, "bytes of memory", a, b, a / b)
    end
end

say("%s", help.machine())
say("%s; %s", command("%s -v 2>&1", servers.lunette.binary),
    command("%s -v 2>&1", servers.nginx.binary))
say("%d rounds, one worker; proxy on cpu 0, load on cpu 1", options.n)
say("")

local ok, err = pcall(function ()
    for _, name in ipairs(names) do start(name) end
    table_of_all()
end)
for _, name in ipairs(names) do help.stop(servers[name]) end
if not ok then error(err, 0) end

if options.r == "" then
    help.keep("stream.md", "Streams: Lunette against nginx")
end
