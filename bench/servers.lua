-- servers.lua -- 20,000 server blocks: what -t, a start and a reload take.
--
--     bench/servers [-n ROUNDS] [-s SIZE,SIZE...] [-k KIND,...] [-w yes]
--
-- Nine files per size: three kinds of listen (other addresses, other ports,
-- all the same) times three of server_name (none, the same, other ones). Both
-- servers get the same file and are asked in turn. Figures are medians over
-- the rounds; the exponent is that of the growth between the two largest
-- sizes of a row that were not stopped by the limit of open files (1: linear).
--
-- -w yes measures the Windows build under Wine instead, beside nothing: -t,
-- a start and a reload, for its growth.
--
-- SPDX-License-Identifier: BSD-2-Clause

local help = dofile("bench/help.lua")
local command, write_file, read_file = help.command, help.write_file,
                                       help.read_file
local median, say, here = help.median, help.say, help.here
local format, concat = string.format, table.concat

local PORT = 18080                     -- of kinds that have one
local HOST = "127.9.9.9"               -- of kinds that have one
local WORKERS = 2
local SOCKETS = 19500                  -- more do not fit the limit of files
local WINE_SOCKETS = 6000              -- its server has one limit for all
local ASKED = 1000                     -- requests per measured answer

local options = help.options {
    n = 3, s = "1000,5000,10000,19000,40000", k = "addresses,ports,same",
    w = "no",
}
local rounds = options.n
local wine = options.w == "yes"
local dir = here .. "/build/bench/servers"

---------------------------------------------------------------------------
-- The files

-- A changed server says something else; in the kinds that have many sockets
-- it also listens elsewhere.
local listens = {
    addresses = function(i, changed)
        return format("127.%d.%d.%d", (changed and 64 or 16)
                      + math.floor(i / 62500), math.floor(i / 250) % 250,
                      i % 250 + 1), PORT
    end,
    ports = function(i, changed)       -- where few others listen
        return changed and "127.9.9.10" or HOST,
               i < 32000 and 33000 + i or i - 22000
    end,
    same = function()
        return HOST, PORT
    end,
}

local names = {
    none = function() return "" end,
    same = function() return " server_name www.example.com;" end,
    other = function(i)
        return format(" server_name host%d.example.com;", i)
    end,
}

local head = [[
worker_processes @WORKERS@;
daemon off;
pid @DIR@/@NAME@.pid;
error_log @DIR@/@NAME@.log emerg;
events { worker_connections 20000; }
http {
    access_log off;
    server_names_hash_max_size 200000;
    server_names_hash_bucket_size 128;
]]

-- Every hundredth server differs if `changed`; with `bare`, none says what to
-- answer.
local function site(name, kind, named, n, changed, bare)
    local values = { NAME = name, DIR = wine and "." or dir,
                     WORKERS = wine and 1 or WORKERS }
    local out = { (head:gsub("@(%u+)@", values)) }
    for i = 0, n - 1 do
        local new = changed and i % 100 == 50
        local addr, port = listens[kind](i, new)
        local answer = format(" return 200 \"$pid%s\\n\";",
                              new and " new" or "")
        out[#out + 1] = format("    server { listen %s:%d;%s%s }\n", addr,
                               port, names[named](i), bare and "" or answer)
    end
    out[#out + 1] = "}\n"
    return concat(out)
end

---------------------------------------------------------------------------
-- The servers

local programs = {
    lunette = os.getenv("LUNETTE") or here .. "/build/linux/lunette",
    nginx = "/usr/sbin/nginx",
    wine = "wine " .. here .. "/build/windows/lunette.exe",
}
local sides = wine and { "wine" } or { "lunette", "nginx" }

local function took(name, fmt, ...)
    local out = command("ulimit -n $(ulimit -Hn); %s/../took "
                        .. format(fmt, ...) .. " 2>%s/%s.out", dir, dir, name)
    local words = {}
    for word in out:gmatch("%S+") do
        words[#words + 1] = tonumber(word) or word
    end
    if not words[1] then
        error(format("%s: %s", name, read_file(dir .. "/" .. name .. ".out")))
    end
    return words
end

local function command_of(name)
    if wine then
        return format("env -C %s WINEDEBUG=-all %s -p . -c %s.conf", dir,
                      programs[name], name)
    end
    return format("%s -p %s/ -e %s/%s.log -c %s/%s.conf", programs[name], dir,
                  dir, name, dir, name)
end

local function children_of(pid)
    return command("cat /proc/%d/task/%d/children", pid, pid)
           :gsub(" +", ",")
end

-- Peak memory of a process, in KB.
local function peak_of(pid)
    local status = read_file("/proc/" .. pid .. "/status") or ""
    return tonumber(status:match("VmHWM:%s*(%d+)") or 0)
end

-- Milliseconds that processes have run, of a list as children_of() gives.
local function cpu_of(list)
    local sum = 0
    for pid in tostring(list):gmatch("%d+") do
        local stat = read_file("/proc/" .. pid .. "/schedstat")
        sum = sum + (stat and tonumber(stat:match("^%d+")) or 0) / 1e6
    end
    return sum
end

local function sockets_of(pid)
    local list = command("ls -l /proc/%d/fd | grep -o 'socket:.*' | sort -u",
                         pid)
    local set = {}
    for inode in list:gmatch("%d+") do
        set[inode] = true
    end
    return set
end

local function count_new(before, after)
    local n = 0
    for inode in pairs(after) do
        n = n + (before[inode] and 0 or 1)
    end
    return n
end

---------------------------------------------------------------------------
-- Measuring

local function last_of(kind, n)
    return listens[kind](n - 1, false)
end

-- From the word until a worker of the new generation answers.
local function reload(name, s, kind, n)
    local addr, port = last_of(kind, n)
    local old, word
    if wine then
        old = took(name, "ask %s %d none 1", addr, port)[2]
        word = command_of(name) .. " -s reload"
    else
        old = children_of(s.pid)
        word = "kill -HUP " .. s.pid
    end
    return took(name, "answer %s %d %s %s", addr, port, old, word)[1]
end

-- Until the workers of the old generation are gone.
local function settle(s)
    for _ = 1, 2000 do
        local _, n = children_of(s.pid):gsub("%d+", "")
        if n <= WORKERS then return end
        os.execute("sleep 0.01")
    end
    error("old workers stay")
end

local function test(name, m, kind, named, n)
    write_file(dir .. "/" .. name .. ".conf", site(name, kind, named, n))
    local t = took(name, "run %s -t", command_of(name))
    m.test, m.test_cpu, m.test_peak = t[1], t[2], t[3]
    m.full = t[4] ~= 0
end

local function serve(name, m, kind, named, n)
    local path = dir .. "/" .. name .. ".conf"
    local addr, port = last_of(kind, n)
    local t = took(name, "answer %s %d - %s", addr, port, command_of(name))
    local s = { pid = t[2] }
    m.start = t[1]
    local ok, err = pcall(function()
        if not wine then
            m.master = peak_of(s.pid)
            m.worker = peak_of(children_of(s.pid):match("%d+"))
            local first, first_port = listens[kind](0, false)
            m.first = took(name, "ask %s %d host0.example.com %d", first,
                           first_port, ASKED)[1]
            m.last = took(name, "ask %s %d host%d.example.com %d", addr, port,
                          n - 1, ASKED)[1]
        end
        local before = not wine and sockets_of(s.pid)
        local cpu = not wine and cpu_of(s.pid)
        m.again = reload(name, s, kind, n)
        if not wine then
            settle(s)
            m.again_cpu = cpu_of(s.pid) - cpu + cpu_of(children_of(s.pid))
            m.opened = count_new(before, sockets_of(s.pid))
        end
        write_file(path, site(name, kind, named, n, true))
        m.changed = reload(name, s, kind, n)
        if not wine then
            settle(s)
            m.master2 = peak_of(s.pid)
        end
    end)
    if wine then
        command("%s -s stop 2>/dev/null", command_of(name))
    else
        command("kill -TERM %d; while kill -0 %d 2>/dev/null; do sleep 0.02;"
                .. " done", s.pid, s.pid)
    end
    if not ok then error(err, 0) end
end

-- One file, both sides in turn: side -> what -> median.
local function measure(kind, named, n)
    local got = {}
    local serves = kind == "same" or n <= (wine and WINE_SOCKETS or SOCKETS)
    for _, name in ipairs(sides) do got[name] = {} end
    for _ = 1, rounds do
        for _, name in ipairs(sides) do
            local m = {}
            test(name, m, kind, named, n)
            if serves and not pcall(serve, name, m, kind, named, n) then
                io.stderr:write("again ")
                serve(name, m, kind, named, n)
            end
            for what, value in pairs(m) do
                if type(value) == "number" then
                    got[name][what] = got[name][what] or {}
                    table.insert(got[name][what], value)
                else
                    got[name].full = got[name].full or value
                end
            end
        end
    end
    for _, name in ipairs(sides) do
        for what, values in pairs(got[name]) do
            if type(values) == "table" then
                got[name][what] = median(values)
            end
        end
    end
    return got
end

---------------------------------------------------------------------------
-- The tables

local function number(v, digits)
    return v and format("%." .. (digits or 0) .. "f", v) or "-"
end

local function ratio(a, b)
    return a and b and b > 0 and format("%.2f", a / b) or "-"
end

local sizes = {}
for n in options.s:gmatch("%d+") do
    sizes[#sizes + 1] = tonumber(n)
end

local kinds = {}
for kind in options.k:gmatch("%a+") do
    kinds[#kinds + 1] = kind
end

local times = { { "test", "-t" }, { "start", "start" },
                { "again", "reload, unchanged" },
                { "changed", "reload, 1 % changed" } }
local grows = { { "test", "-t" }, { "test_cpu", "-t, CPU" },
                { "start", "start" }, { "again", "reload" },
                { "again_cpu", "reload, CPU" } }
local rows = {}                        -- { kind, named, n, got }

local function machine()
    say("%s; %s open files", help.machine(), command("ulimit -Hn"))
    for _, name in ipairs(sides) do
        say("%s", command("WINEDEBUG=-all %s -v 2>&1", programs[name]))
    end
    say("%d rounds; %d worker(s)", rounds, wine and 1 or WORKERS)
    say("")
end

local function table_of_times()
    say("| listen | server_name | servers | -t ms | nginx | x | start ms |"
        .. " nginx | x | reload ms | nginx | x | 1 %% ms | nginx | x |")
    say("|%s", ("---|"):rep(15))
    for _, row in ipairs(rows) do
        local a, b = row[4][sides[1]], row[4][sides[2]] or {}
        local cells = {}
        for _, t in ipairs(times) do
            local what = t[1]
            local mark = what == "test" and b.full and "*" or ""
            cells[#cells + 1] = format("%s | %s%s | %s", number(a[what], 1),
                number(b[what], 1), mark, ratio(a[what], b[what]))
        end
        say("| %s | %s | %d | %s |", row[1], row[2], row[3],
            concat(cells, " | "))
    end
    say("")
    say("Times until the end of `-t`, or until the last server's first "
        .. "answer (of a new worker). `*`: too many open files.")
    say("")
end

local function table_of_cpu()
    say("| listen | server_name | servers | -t CPU ms | nginx | x |"
        .. " reload CPU ms | nginx | x |")
    say("|%s", ("---|"):rep(9))
    for _, row in ipairs(rows) do
        local a, b = row[4][sides[1]], row[4][sides[2]]
        say("| %s | %s | %d | %s | %s | %s | %s | %s | %s |", row[1], row[2],
            row[3], number(a.test_cpu, 1), number(b.test_cpu, 1),
            ratio(a.test_cpu, b.test_cpu), number(a.again_cpu, 1),
            number(b.again_cpu, 1), ratio(a.again_cpu, b.again_cpu))
    end
    say("")
    say("Processor time, which other work on the machine disturbs less; of "
        .. "an unchanged reload that of the master and the new workers.")
    say("")
end

local function table_of_memory()
    say("| listen | server_name | servers | -t MB | nginx | master MB |"
        .. " nginx | after reloads MB | nginx | worker MB | nginx |")
    say("|%s", ("---|"):rep(11))
    for _, row in ipairs(rows) do
        local cells = {}
        for _, what in ipairs { "test_peak", "master", "master2", "worker" } do
            for _, name in ipairs(sides) do
                local kb = row[4][name][what]
                cells[#cells + 1] = number(kb and kb / 1024, 1)
            end
        end
        say("| %s | %s | %d | %s |", row[1], row[2], row[3],
            concat(cells, " | "))
    end
    say("")
    say("Peak resident memory (VmHWM).")
    say("")
end

-- Of server blocks that say only listen and server_name, their text included.
local function table_of_blocks()
    local few, many = 1000, 19000
    say("| listen | bytes per bare server block | nginx |")
    say("|---|---|---|")
    for _, kind in ipairs(kinds) do
        local cells = {}
        for _, name in ipairs(sides) do
            local peak = {}
            for _, n in ipairs { few, many } do
                write_file(dir .. "/" .. name .. ".conf",
                           site(name, kind, "other", n, false, true))
                peak[n] = took(name, "run %s -t", command_of(name))[3]
            end
            cells[#cells + 1] = number((peak[many] - peak[few]) * 1024
                                       / (many - few))
        end
        say("| %s | %s |", kind, concat(cells, " | "))
    end
    say("")
end

local function table_of_answers()
    say("| listen | server_name | servers | first server us | nginx | last"
        .. " server us | nginx | sockets opened by an unchanged reload |"
        .. " nginx |")
    say("|%s", ("---|"):rep(9))
    for _, row in ipairs(rows) do
        local a, b = row[4][sides[1]], row[4][sides[2]]
        if a.first then
            say("| %s | %s | %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |",
                row[1], row[2], row[3], a.first, b.first, a.last, b.last,
                a.opened, b.opened)
        end
    end
    say("")
    say("Median time of a request on a new connection. nginx opens a pair of "
        .. "sockets for each new worker, to talk to it.")
    say("")
end

-- Of a kind's and naming's rows, the two largest that have both figures.
local function exponent(kind, named, name, what)
    local a, b
    for _, row in ipairs(rows) do
        local m = row[4][name]
        if row[1] == kind and row[2] == named and m[what]
            and not (what:find("^test") and m.full)
        then
            a, b = b, { row[3], m[what] }
        end
    end
    return a and math.log(b[2] / a[2]) / math.log(b[1] / a[1])
end

local function table_of_growth()
    local heads = {}
    for _, t in ipairs(grows) do
        for _, name in ipairs(sides) do
            heads[#heads + 1] = format("%s, %s", t[2], name)
        end
    end
    say("| growth exponent: listen | server_name | %s |", concat(heads, " | "))
    say("|%s", ("---|"):rep(2 + #heads))
    for _, kind in ipairs(kinds) do
        for _, named in ipairs { "none", "same", "other" } do
            local cells = {}
            for _, t in ipairs(grows) do
                for _, name in ipairs(sides) do
                    cells[#cells + 1] = number(exponent(kind, named, name,
                                                        t[1]), 2)
                end
            end
            say("| %s | %s | %s |", kind, named, concat(cells, " | "))
        end
    end
end

machine()
for _, kind in ipairs(kinds) do
    for _, named in ipairs { "none", "same", "other" } do
        for _, n in ipairs(sizes) do
            rows[#rows + 1] = { kind, named, n, measure(kind, named, n) }
            io.stderr:write(".")
        end
    end
end
io.stderr:write("\n")
table_of_times()
if not wine then
    table_of_cpu()
    table_of_memory()
    table_of_blocks()
    table_of_answers()
end
table_of_growth()

help.keep(wine and "servers-wine.md" or "servers.md",
          "Thousands of server blocks")
