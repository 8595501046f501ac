-- windows.lua -- the tables that were once published for nginx on Windows:
-- what a file's depth costs, and what workers bring.
--
--     bench/windows [-s SECONDS] [-n ROUNDS]
--
-- Every server of a table runs at the same time, each on its port; all are
-- asked in turn, in slices of a part of a second (turns.c). A ratio is the
-- median of the rounds' ratios: whatever the machine does besides meets both
-- sides of it. CPU is that of all of Wine, its server included. NGINX_EXE=path
-- puts nginx for Windows beside ours; PORT is the first of ten. Kernel calls
-- are counted with Wine's relay, in runs of their own.
--
-- SPDX-License-Identifier: BSD-2-Clause

local help = dofile("bench/help.lua")
local bars = dofile("bench/bars.lua")
local command, write_file, say = help.command, help.write_file, help.say
local median = help.median
local format, concat = string.format, table.concat

local options = help.options { s = 0.2, n = 30 }
local rounds = options.n

local PORT = tonumber(os.getenv("PORT") or 18110)
local COUNTED = 20                     -- requests under the relay

local dir = help.here .. "/build/bench/windows"
local prefix = assert(os.getenv("WINEPREFIX"))

---------------------------------------------------------------------------
-- The servers

local plain = help.here .. "/build/windows/lunette.exe"
local nginx = os.getenv("NGINX_EXE") or ""
nginx = nginx ~= "" and command("realpath %s", nginx)
assert(not nginx or help.read_file(nginx), "there is no such NGINX_EXE")

local servers = {}

-- drive: what stands before the folder of -p; nil: the folder is "."
local function server(name, exe, workers, lines, drive)
    local s = { name = name, exe = exe, workers = workers, lines = lines,
                port = PORT + #servers, other = exe == nginx }
    servers[#servers + 1] = s
    s.dir = format("%s/%d", dir, #servers)
    s.prefix = drive and drive .. s.dir or "."
    return s
end

-- What the depth is measured of, and the workers. The first two have a goal.
local GOALS = 2
local sides = {
    server("-p Z:/site", plain, 4, "", "Z:"),
    server("-p /site", plain, 4, "", ""),
    server("strict_paths", plain, 4, "strict_paths on;"),
    server("full look-up", help.here
           .. "/build/windows-full-lookup/lunette.exe", 4, ""),
}
sides[#sides + 1] = nginx and server("nginx", nginx, 4, "") or nil

local crews = {}
for _, workers in ipairs { 1, 2, 4 } do
    crews[#crews + 1] = server("lunette", plain, workers, "")
end
for _, workers in ipairs(nginx and { 1, 2, 4 } or {}) do
    crews[#crews + 1] = server("nginx", nginx, workers, "")
end

local conf = [[
worker_processes @WORKERS@;
daemon off;
error_log logs/error.log crit;
pid logs/nginx.pid;
events { worker_connections 1024; }
http {
    access_log off;
    keepalive_timeout 600s;
    keepalive_requests 1000000000;
    @LINES@
    server {
        listen 127.0.0.1:@PORT@;
        location / { root html; }
        @WHO@
    }
}
]]

-- The build of nginx may lack the directive.
local who = [[location = /who { return 200 "$pid\n"; }]]

local function get(s, path)
    return command("curl -s -m 20 -w ' %%{http_code}' http://127.0.0.1:%d%s",
                   s.port, path)
end

-- Until each of the workers has answered; nginx's do not all get to.
local function wait_for(s, workers)
    local seen, n = {}, 0
    for _ = 1, 600 do
        local pid, status = get(s, s.other and "/f.html" or "/who")
                            :match("^(%S*)%s*(%d+)$")
        if status == "200" and not seen[pid] then
            seen[pid], n = true, n + 1
        end
        if n == (s.other and 1 or workers) then
            os.execute(s.other and "sleep 2" or "sleep 0.2")
            return
        end
        os.execute("sleep 0.05")
    end
    error(format("%s: %d of %d workers answer: see %s", s.name, n, workers,
                 s.dir))
end

local function start(s, workers, debug)
    local values = { WORKERS = workers, LINES = s.lines, PORT = s.port,
                     WHO = s.other and "" or who }
    write_file(s.dir .. "/conf/nginx.conf", (conf:gsub("@(%u+)@", values)))
    s.running = true
    os.execute(format("cd %s && WINEDEBUG=%s wine %s -p %s -c conf/nginx.conf"
                      .. " >out.log 2>&1 &", s.dir, debug or "-all", s.exe,
                      s.prefix))
    wait_for(s, workers)
end

local function stop(s)
    s.running = false
    command("cd %s && wine %s -p %s -c conf/nginx.conf -s stop 2>/dev/null",
            s.dir, s.exe, s.prefix)
    for _ = 1, 100 do
        if not get(s, "/f.html"):match("200$") then return end
        os.execute("sleep 0.1")
    end
    error(s.name .. " does not stop: " .. s.dir)
end

---------------------------------------------------------------------------
-- The site

local files = {}                       -- { name, path, status }
for _, kind in ipairs { { "", "f.html", 200 },
                        { ", missing", "missing.html", 404 } } do
    for _, depth in ipairs { 1, 55, 12 } do
        files[#files + 1] = { format("depth %d%s", depth, kind[1]),
                              ("/d"):rep(depth - 1) .. "/" .. kind[2],
                              kind[3] }
    end
end

-- The first two, asked one after the other, are compared; tables go by depth.
local SHALLOW, DEEP = 1, 2
local shown = { 1, 4, 3, 6, 2, 5 }

local function make_site()
    for _, s in ipairs(servers) do
        os.execute(format("rm -rf %s; mkdir -p %s/conf %s/logs %s/temp", s.dir,
                          s.dir, s.dir, s.dir))
        for _, file in ipairs(files) do
            local path = s.dir .. "/html" .. file[2]
            os.execute("mkdir -p " .. path:match("^(.*)/"))
            if file[3] == 200 then
                write_file(path, ("x"):rep(451) .. "\n")
            end
        end
    end
end

---------------------------------------------------------------------------
-- Load

-- Each target -> rps, cpu (microseconds of a request): lists of the rounds;
-- bodies: worker -> answers, of all rounds.
local function measure(targets)
    local got = {}
    for i = 1, #targets do got[i] = { rps = {}, cpu = {}, bodies = {} } end
    local out = command("build/bench/turns %d %d WINEPREFIX=%s %s 2>&1",
                        rounds, options.s * 1000, prefix,
                        concat(targets, " "))
    for line in out:gmatch("[^\n]+") do
        local i, n, us, cpu, rest =
            line:match("^(%d+) (%d+) (%d+) (%d+)(.*)$")
        if not i then error(out:match("turns:.*") or out) end
        local m = got[tonumber(i)]
        m.rps[#m.rps + 1] = n / us * 1e6
        m.cpu[#m.cpu + 1] = cpu / n
        for body, count in rest:gmatch("(%w+)=(%d+)") do
            m.bodies[body] = (m.bodies[body] or 0) + tonumber(count)
        end
    end
    return got
end

-- "1.02 (0.99 to 1.04)", and the median. What was asked more often was asked
-- with the other in the first places of its list.
local function ratio(a, b)
    local list = {}
    for i = 1, math.min(#a, #b) do list[i] = a[i] / b[i] end
    local m, low, high = median(list), help.spread(list)
    return format("%.2f (%.2f to %.2f)", m, low, high), m
end

---------------------------------------------------------------------------
-- Kernel calls

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

-- Once nothing more is written, or little: nginx wakes up twice a second.
local function calls_so_far(s)
    local last, n
    repeat
        last = n
        os.execute("sleep 0.3")
        local text = help.read_file(s.dir .. "/out.log") or ""
        n = select(2, text:gsub("Call ntdll%.Nt", ""))
    until last and n - last <= 8
    return n
end

local function ask_many(s, path, n)
    command("curl -s -o /dev/null %s", (format("http://127.0.0.1:%d%s ",
            s.port, path)):rep(n))
end

-- file -> side -> kernel calls of one keep-alive request
local function count_calls()
    local key = "'HKCU\\Software\\Wine\\Debug'"
    local got = {}
    command("wine reg add %s /v RelayInclude /d '%s' /f 2>/dev/null", key,
            concat(counted, ";"))
    for i, s in ipairs(sides) do
        start(s, 1, "+relay")
        for f, file in ipairs(files) do
            got[f] = got[f] or {}
            local n = {}
            for k, times in ipairs { 5, 5 + COUNTED } do
                ask_many(s, file[2], 2)
                local before = calls_so_far(s)
                ask_many(s, file[2], times)
                n[k] = calls_so_far(s) - before
            end
            got[f][i] = (n[2] - n[1]) / COUNTED
        end
        stop(s)
    end
    return got
end

---------------------------------------------------------------------------
-- Depth

-- What is asked in a round: { side, file }. A pair that has a goal comes five
-- times.
local function course()
    local asked = {}
    for i = 1, #sides do
        for _ = 1, i <= GOALS and 5 or 1 do
            asked[#asked + 1] = { i, SHALLOW }
            asked[#asked + 1] = { i, DEEP }
        end
        for f = DEEP + 1, #files do asked[#asked + 1] = { i, f } end
    end
    return asked
end

-- file -> side -> what measure() gives, of all times that it was asked
local function measure_depth()
    local asked, targets, got = course(), {}, {}
    for _, s in ipairs(sides) do start(s, s.workers) end
    for k, which in ipairs(asked) do
        local s, file = sides[which[1]], files[which[2]]
        targets[k] = format("15:%d:%d%s", file[3], s.port, file[2])
    end
    for k, m in ipairs(measure(targets)) do
        local i, f = unpack(asked[k])
        got[f] = got[f] or {}
        got[f][i] = got[f][i] or { rps = {}, cpu = {} }
        for n = 1, rounds do
            table.insert(got[f][i].rps, m.rps[n])
            table.insert(got[f][i].cpu, m.cpu[n])
        end
    end
    for _, s in ipairs(sides) do stop(s) end
    return got
end

local function names()
    local out = {}
    for i, s in ipairs(sides) do out[i] = s.name end
    return out
end

-- A row for each file; value(f, i): a cell.
local function table_of_files(what, value)
    say("| %s | %s |", what, concat(names(), " | "))
    say("|---|%s", ("---|"):rep(#sides))
    for _, f in ipairs(shown) do
        local cells = {}
        for i = 1, #sides do cells[i] = value(f, i) end
        say("| %s | %s |", files[f][1], concat(cells, " | "))
    end
    say("")
end

local function verdict(m, goal)
    return goal and format("%g", goal) or "-",
           goal and (m >= goal and "yes" or "no") or "-"
end

local function ratios_of_depth(got)
    say("| requests/s | against | ratio (middle half of the rounds) | CPU |"
        .. " goal | met |")
    say("|---|---|---|---|---|---|")
    local function row(name, against, a, b, goal)
        local text, m = ratio(a.rps, b.rps)
        say("| %s | %s | %s | %s | %s | %s |", name, against, text,
            (ratio(b.cpu, a.cpu)), verdict(m, goal))
    end
    for i, s in ipairs(sides) do
        row(s.name .. ", depth 55", "itself at depth 1", got[DEEP][i],
            got[SHALLOW][i], i <= GOALS and 0.95 or nil)
    end
    for i, s in ipairs(sides) do
        if s.other then
            row(sides[1].name .. ", depth 1", s.name, got[SHALLOW][1],
                got[SHALLOW][i], 5)
            row(sides[1].name .. ", depth 55", s.name, got[DEEP][1],
                got[DEEP][i], 40)
        end
    end
    say("")
    say("CPU: the other's microseconds of a request by the first one's, so "
        .. "that more is better there, too.")
    say("")
end

local function draw_depth(got)
    local groups = {}
    for n, f in ipairs(shown) do
        groups[n] = { files[f][1] }
        for i = 1, #sides do groups[n][i + 1] = median(got[f][i].rps) end
    end
    write_file("bench/results/windows-depth.svg",
               bars("A file at depth 1, 12, 55", "requests/s", names(),
                    groups))
end

local function tables_of_depth()
    local got = measure_depth()
    local calls = count_calls()
    say("## Depth")
    say("")
    say("A file of 452 bytes, 4 workers, 15 keep-alive connections.")
    say("")
    table_of_files("requests/s", function(f, i)
        return format("%.0f", median(got[f][i].rps))
    end)
    table_of_files("CPU microseconds of a request, Wine's server included",
                   function(f, i)
        return format("%.0f", median(got[f][i].cpu))
    end)
    table_of_files("kernel calls of a request, one connection",
                   function(f, i)
        return format("%.1f", calls[f][i])
    end)
    ratios_of_depth(got)
    draw_depth(got)
end

---------------------------------------------------------------------------
-- Workers

-- "24.8 25.0 25.1 25.1", and whether all are near the mean.
local function shares(bodies, workers)
    local list, sum, met, words = {}, 0, true, {}
    for _, n in pairs(bodies) do
        list[#list + 1], sum = n, sum + n
    end
    table.sort(list)
    for i, n in ipairs(list) do
        met = met and math.abs(n - sum / workers) <= sum / workers * 0.2
        words[i] = format("%.1f", n * 100 / sum)
    end
    return concat(words, " "), met and #list == workers, sum
end

local function row_of_workers(s, connections, kept, fresh)
    local text, met, sum = "-"
    if not s.other then
        text, met, sum = shares(fresh.bodies, s.workers)
    end
    say("| %s | %d | %d | %.0f | %.0f | %s | %s | %s |", s.name, s.workers,
        connections, median(kept.rps), median(fresh.rps),
        sum and format("%d", sum) or "-", text,
        s.other and "-" or met and "yes" or "no")
end

local function table_of_workers()
    local targets, groups = {}, {}
    for _, s in ipairs(crews) do
        start(s, s.workers)
        for _, connections in ipairs { 5, 15 } do
            targets[#targets + 1] = format("%d:200:%d/f.html", connections,
                                           s.port)
            targets[#targets + 1] = format("new-%d:200:%d%s", connections,
                                           s.port,
                                           s.other and "/f.html" or "/who")
        end
    end
    local got = measure(targets)
    say("## Workers")
    say("")
    say("The file at depth 1 on keep-alive connections; and a new connection "
        .. "for each request (ours answers with its worker's number). Shares "
        .. "of all of those; the goal is within 20 %% of the mean. Of nginx's "
        .. "workers one gets the connections.")
    say("")
    say("| server | workers | connections | requests/s | new connections/s |"
        .. " all of them | each worker's share, %% | met |")
    say("|---|---|---|---|---|---|---|---|")
    for c, s in ipairs(crews) do
        stop(s)
        for k, connections in ipairs { 5, 15 } do
            local at = (c - 1) * 4 + k * 2
            row_of_workers(s, connections, got[at - 1], got[at])
            groups[#groups + 1] = { format("%s, %d x %d", s.name, s.workers,
                connections), median(got[at - 1].rps), median(got[at].rps) }
        end
    end
    say("")
    write_file("bench/results/windows-workers.svg",
               bars("Workers x connections", "a second",
                    { "requests", "new connections" }, groups))
end

---------------------------------------------------------------------------

local function introduction()
    say("%s; %s; %s", help.machine(), command("wine --version"),
        command("wine %s -v 2>&1", plain):match("[^\r\n]+"))
    say("%d rounds; in each, every server is asked for every file for %g s.",
        rounds, options.s)
    if nginx then
        say("%s under the same Wine.",
            command("wine %s -v 2>&1", nginx):match("[^\r\n]+"))
    end
    say("")
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

make_site()
local ok, err = pcall(function()
    introduction()
    tables_of_depth()
    table_of_workers()
    published()
end)
for _, s in ipairs(servers) do
    if s.running then pcall(stop, s) end
end
if not ok then error(err, 0) end

help.keep("windows.md", "The Windows build",
          "\n![Depth](windows-depth.svg)\n\n"
          .. "![Workers](windows-workers.svg)\n")
