-- windows.lua -- the tables that were once published for nginx on Windows:
-- what a file's depth costs, and what workers bring.
--
--     bench/windows [-s SECONDS] [-n ROUNDS]
--
-- Every server runs at the same time, each on its port; they are asked in
-- turn. NGINX_EXE=path puts nginx for Windows beside ours. Kernel calls are
-- counted with Wine's relay, in runs of their own.
--
-- SPDX-License-Identifier: BSD-2-Clause

local bars = dofile("bench/bars.lua")
local format, concat, sort = string.format, table.concat, table.sort

local seconds, rounds = 1, 5
for i = 1, #arg, 2 do
    local v = tonumber(arg[i + 1])
    if arg[i] == "-s" then seconds = v
    elseif arg[i] == "-n" then rounds = v
    else error("unknown option " .. arg[i]) end
end

local PORT = 18110
local COUNTED = 20                     -- requests under the relay

local function command(fmt, ...)
    local p = assert(io.popen(format(fmt, ...)))
    local out = p:read("*a")
    p:close()
    return (out:gsub("%s+$", ""))
end

local here = command("pwd")
local dir = here .. "/build/bench/windows"

local function write_file(path, text)
    local f = assert(io.open(path, "wb"))
    f:write(text)
    f:close()
end

local function read_file(path)
    local f = io.open(path, "rb")
    if not f then return "" end
    local text = f:read("*a")
    f:close()
    return text
end

local function median(list)
    sort(list)
    local n = #list
    return n % 2 == 1 and list[(n + 1) / 2]
           or (list[n / 2] + list[n / 2 + 1]) / 2
end

---------------------------------------------------------------------------
-- The servers

local plain = here .. "/build/windows/lunette.exe"
local sides = {
    { name = "tilde rule", exe = plain, conf = "" },
    { name = "strict_paths", exe = plain, conf = "strict_paths on;" },
    { name = "full look-up", conf = "",
      exe = here .. "/build/windows-full-lookup/lunette.exe" },
}
if (os.getenv("NGINX_EXE") or "") ~= "" then
    sides[#sides + 1] = { name = "nginx", exe = os.getenv("NGINX_EXE"),
                          conf = "", other = true }
end
for i, s in ipairs(sides) do
    s.port = PORT + i
    s.dir = format("%s/%d", dir, i)
end

local conf = [[
worker_processes @WORKERS@;
daemon off;
error_log logs/error.log crit;
pid logs/nginx.pid;
events { worker_connections 1024; }
http {
    access_log off;
    keepalive_requests 1000000000;
    @CONF@
    server {
        listen 127.0.0.1:@PORT@;
        location / { root html; }
        @OURS@
    }
}
]]

local ours = [[location = /accepts {
            content_by_lua_block {
                local ffi = require "ffi"
                pcall(ffi.cdef, "void lun_ffi_port_counts(uint64_t *)")
                local n = ffi.new("uint64_t[5]")
                ffi.C.lun_ffi_port_counts(n)
                ngx.say(ngx.worker.id(), " ", tonumber(n[3]))
            }
        }]]

local function get(side, path)
    return command("curl -s -m 20 -w '%%{http_code}' http://127.0.0.1:%d%s",
                   side.port, path)
end

local function start(side, workers, debug)
    local values = { WORKERS = workers, CONF = side.conf, PORT = side.port,
                     OURS = side.other and "" or ours }
    write_file(side.dir .. "/conf/nginx.conf",
               (conf:gsub("@(%u+)@", values)))
    side.running = true
    os.execute(format("cd %s && WINEDEBUG=%s wine %s -p . -c conf/nginx.conf"
                      .. " >out.log 2>&1 &", side.dir, debug or "-all",
                      side.exe))
    for _ = 1, 200 do
        if get(side, "/f.html"):match("200$") then
            os.execute("sleep 1")      -- the other workers
            return
        end
        os.execute("sleep 0.1")
    end
    error(side.name .. " does not start: " .. side.dir)
end

local function stop(side)
    side.running = false
    command("cd %s && wine %s -p . -c conf/nginx.conf -s stop 2>/dev/null;"
            .. " sleep 1", side.dir, side.exe)
end

-- Requests/s; a missing file's 404 is an answer like any other.
local function load(side, path, connections, header)
    local out = command("wrk -t1 -c%d -d%ds %s http://127.0.0.1:%d%s",
                        connections, seconds, header or "", side.port, path)
    local rps = tonumber(out:match("Requests/sec:%s*([%d.]+)"))
    if not rps or rps == 0 then error(side.name .. ": " .. out) end
    return rps
end

---------------------------------------------------------------------------
-- The site

local rows = {}
for _, depth in ipairs { 1, 12, 55 } do
    local folder = ("/d"):rep(depth - 1)
    rows[#rows + 1] = { format("depth %d", depth), folder .. "/f.html" }
    rows[#rows + 1] = { format("depth %d, missing", depth),
                        folder .. "/missing.html" }
end

for _, s in ipairs(sides) do
    os.execute(format("rm -rf %s; mkdir -p %s/conf %s/logs %s/temp", s.dir,
                      s.dir, s.dir, s.dir))
    for _, row in ipairs(rows) do
        local path = s.dir .. "/html" .. row[2]
        os.execute("mkdir -p " .. path:match("^(.*)/"))
        if not path:match("missing") then
            write_file(path, ("x"):rep(451) .. "\n")
        end
    end
end

---------------------------------------------------------------------------
-- Measuring

local lines = {}
local function say(fmt, ...)
    local line = format(fmt, ...)
    lines[#lines + 1] = line
    print(line)
    io.stdout:flush()
end

local function machine()
    local info = read_file("/proc/cpuinfo")
    local cpu = info:match("model name%s*: ([^\n]*)")
    say("%s; %s; %s cores; %s; %s", cpu or "unknown processor",
        command("uname -sr"), command("nproc"), command("wine --version"),
        command("wine %s -v 2>&1", plain):match("[^\r\n]+"))
    say("wrk -t1, %g s, median of %d rounds, servers in turn; wrk and other "
        .. "work share the processors.", seconds, rounds)
    say("")
end

local function names()
    local out = {}
    for i, s in ipairs(sides) do out[i] = s.name end
    return out
end

-- row -> side -> requests/s; side -> depth 55 in depth 1. Those two follow
-- each other closely, for the machine has other things to do as well.
local function measure_depth()
    local got, ratios = {}, {}
    for r in ipairs(rows) do got[r] = {} end
    for i, s in ipairs(sides) do
        start(s, 4)
        ratios[i] = {}
        for r in ipairs(rows) do got[r][i] = {} end
    end
    for n = 1, rounds do
        for i, s in ipairs(sides) do
            for _, r in ipairs { 1, 5, 3, 2, 6, 4 } do
                got[r][i][n] = load(s, rows[r][2], 15)
            end
            ratios[i][n] = got[5][i][n] / got[1][i][n]
        end
    end
    for i, s in ipairs(sides) do
        stop(s)
        ratios[i] = median(ratios[i])
        for r in ipairs(rows) do got[r][i] = median(got[r][i]) end
    end
    return got, ratios
end

-- Wine writes a line for each call of these.
local counted = {}
for name in ([[NtOpenFile NtCreateFile NtClose NtQueryInformationFile
    NtSetInformationFile NtQueryFullAttributesFile NtQueryAttributesFile
    NtQueryDirectoryFile NtReadFile NtWriteFile NtDeviceIoControlFile
    NtRemoveIoCompletionEx NtRemoveIoCompletion NtFsControlFile
    NtQueryVolumeInformationFile NtWaitForSingleObject NtSetIoCompletion
    NtWaitForMultipleObjects NtQueryObject]]):gmatch("%a+") do
    counted[#counted + 1] = "ntdll." .. name
end

-- Once nothing more is written.
local function calls_so_far(side)
    local last, n
    repeat
        last = n
        os.execute("sleep 0.5")
        local text = read_file(side.dir .. "/out.log")
        n = select(2, text:gsub("Call ntdll%.Nt", ""))
    until n == last
    return n
end

local function ask_many(side, path, n)
    command("curl -s -o /dev/null %s", (format("http://127.0.0.1:%d%s ",
            side.port, path)):rep(n))
end

-- row -> side -> kernel calls of one keep-alive request
local function count_calls()
    local key = "'HKCU\\Software\\Wine\\Debug'"
    local got = {}
    command("wine reg add %s /v RelayInclude /d '%s' /f 2>/dev/null", key,
            concat(counted, ";"))
    for i, s in ipairs(sides) do
        start(s, 1, "+relay")
        for r, row in ipairs(rows) do
            got[r] = got[r] or {}
            local n = {}
            for k, times in ipairs { 5, 5 + COUNTED } do
                ask_many(s, row[2], 2)
                local before = calls_so_far(s)
                ask_many(s, row[2], times)
                n[k] = calls_so_far(s) - before
            end
            got[r][i] = (n[2] - n[1]) / COUNTED
        end
        stop(s)
    end
    command("wine reg delete %s /v RelayInclude /f 2>/dev/null", key)
    return got
end

local function table_of_depth()
    local rps, ratios = measure_depth()
    local calls = count_calls()
    say("## Depth")
    say("")
    say("A file of 452 bytes, 4 workers, 15 connections. Calls: of the "
        .. "kernel, for one request on a connection that stays.")
    say("")
    local head = {}
    for i, s in ipairs(sides) do
        head[i] = format("%s, requests/s | calls", s.name)
    end
    say("| file | %s |", concat(head, " | "))
    say("|---|%s", ("---|---|"):rep(#sides))
    local groups = {}
    for r, row in ipairs(rows) do
        local cells = {}
        for i = 1, #sides do
            cells[i] = format("%.0f | %.1f", rps[r][i], calls[r][i])
        end
        say("| %s | %s |", row[1], concat(cells, " | "))
        groups[r] = { row[1], unpack(rps[r]) }
    end
    say("")
    for i, s in ipairs(sides) do
        say("- %s: depth 55 serves %.2f of depth 1%s", s.name, ratios[i],
            i == 1 and " (goal: 0.95)" or "")
    end
    say("")
    write_file("bench/results/windows-depth.svg",
               bars("A file at depth 1, 12, 55", "requests/s", names(),
                    groups))
end

-- number of worker -> connections that it has accepted
local function accepted(side, workers)
    local got, n = {}, 0
    for _ = 1, 400 do
        local id, count = get(side, "/accepts"):match("(%d+) (%d+)")
        if id and not got[id] then
            got[id], n = tonumber(count), n + 1
            if n == workers then break end
        end
    end
    return got
end

local function shares(side, workers, connections)
    local before, all = accepted(side, workers), {}
    for i = 1, rounds do
        all[i] = load(side, "/f.html", connections, "-H 'Connection: close'")
    end
    local after, list, sum = accepted(side, workers), {}, 0
    for id, n in pairs(after) do
        list[#list + 1] = n - (before[id] or 0)
        sum = sum + list[#list]
    end
    sort(list)
    for i, n in ipairs(list) do list[i] = n * 100 / sum end
    return list, median(all)
end

local function table_of_workers()
    say("## Workers")
    say("")
    say("The file at depth 1. Shares: of new connections, one for each "
        .. "request; the goal is within 20 %% of the mean.")
    say("")
    say("| server | workers | connections | requests/s | new connections/s |"
        .. " each worker's share, %% | met |")
    say("|---|---|---|---|---|---|---|")
    local groups = {}
    for _, s in ipairs(sides) do
        if s == sides[1] or s.other then
            for _, workers in ipairs { 1, 2, 4 } do
                start(s, workers)
                for _, connections in ipairs { 5, 15 } do
                    local all = {}
                    for i = 1, rounds do
                        all[i] = load(s, "/f.html", connections)
                    end
                    local list, rate = {}
                    if not s.other then
                        list, rate = shares(s, workers, connections)
                    end
                    local mean, met, words = 100 / workers, true, {}
                    for i, v in ipairs(list) do
                        met = met and math.abs(v - mean) <= mean * 0.2
                        words[i] = format("%.1f", v)
                    end
                    say("| %s | %d | %d | %.0f | %s | %s | %s |",
                        s.other and s.name or "lunette", workers, connections,
                        median(all), rate and format("%.0f", rate) or "-",
                        concat(words, " "),
                        s.other and "-" or met and "yes" or "no")
                    if not s.other then
                        groups[#groups + 1] = { format("%d workers, %d conn.",
                            workers, connections), median(all), rate }
                    end
                end
                stop(s)
            end
        end
    end
    say("")
    write_file("bench/results/windows-workers.svg",
               bars("Workers", "a second", { "requests", "new connections" },
                    groups))
end

local function published()
    say("## What was published")
    say("")
    say("By those who first mended nginx there, on Windows itself (siege, "
        .. "i5-2400, 4 workers, 15 connections), in transactions/s. Another "
        .. "machine and system: compare the ratios.")
    say("")
    say("| | before | after |")
    say("|---|---|---|")
    say("| short path | 5645 | 9591 |")
    say("| long path | 996 | 9030 |")
    say("| long of short | 0.18 | 0.94 |")
    say("")
    say("| workers x connections | 1 x 5 | 2 x 5 | 4 x 5 | 4 x 15 |")
    say("|---|---|---|---|---|")
    say("| transactions/s | 1893 | 3720 | 5496 | 5645 |")
end

local ok, err = pcall(function()
    machine()
    table_of_depth()
    table_of_workers()
    published()
end)
for _, s in ipairs(sides) do
    if s.running then stop(s) end
end
if not ok then error(err, 0) end

write_file("bench/results/windows.md", "# The Windows build\n\n"
           .. concat(lines, "\n") .. "\n\n![Depth](windows-depth.svg)\n\n"
           .. "![Workers](windows-workers.svg)\n")
print("\nwritten to bench/results/windows.md")
