-- io.lua -- many idle connections, large files, and how few calls it takes.
--
--     SERVER=... lunette run t/soak/io.lua [-c CONNECTIONS] [-m MEGABYTES]
--
-- One worker. What it takes is read from its port's counters and from
-- /proc, where a process of Wine is one like any other.
--
-- SPDX-License-Identifier: BSD-2-Clause

local soak = dofile("t/soak/help.lua")
local is, note = soak.is, soak.note
local format = string.format

local connections = tonumber(soak.options.c or 10000)
local megabytes = tonumber(soak.options.m or 1024)

local SLACK = 24 * 1024                -- KB that a large transfer may take
local KEEP_ALIVE = 20000               -- requests of the budget

soak.configure("worker_processes 1;\n"
               .. "events { worker_connections 30000; }", [[
    keepalive_timeout 600s;
    keepalive_requests 1000000;
    client_max_body_size 0;
    client_body_timeout 600s;
    send_timeout 600s;
    client_body_temp_path temp;]], [[
        location = /small { root html; }
        location = /large { root html; }
        location = /200 { return 200 "here\n"; }
        location = /counts {
            content_by_lua_block {
                local ffi = require "ffi"
                pcall(ffi.cdef, "void lun_ffi_port_counts(uint64_t *)")
                local n = ffi.new("uint64_t[5]")
                ffi.C.lun_ffi_port_counts(n)
                ngx.say(tonumber(n[0]), " ", tonumber(n[1]), " ",
                        tonumber(n[2]), " ", tonumber(n[3]), " ",
                        tonumber(n[4]))
            }
        }
        location = /pid {
            content_by_lua_block { ngx.say(ngx.worker.pid()) }
        }
        location = /hello { content_by_lua_block { ngx.print("hello") } }
        location = /upload {
            content_by_lua_block {
                ngx.req.read_body()
                local f = ngx.req.get_body_file()
                local size = f and require("size")(f)
                ngx.say(size or "no file")
            }
        }]])

soak.write("size.lua", [[
return function(name)
    local f = assert(io.open(name, "rb"))
    local size = f:seek("end")
    f:close()
    return string.format("%.0f", size)
end
]])
soak.write("html/small", ("x"):rep(451) .. "\n")
soak.run("truncate -s %dM %s/html/large", megabytes, soak.dir)
soak.start("/200")

---------------------------------------------------------------------------
-- The server, as the system sees it

-- On Linux a worker says who it is. Under Wine it has numbers of its own: the
-- processes are then those whose environment names our folder.
local function processes()
    if not soak.wine then
        local worker = soak.one("/pid"):match("%d+")
        return worker, { worker, soak.output("ps -o ppid= -p %s", worker) }
    end
    local worker, all = nil, {}
    for pid in soak.output("grep -lsz '^SOAK=%s$' /proc/[0-9]*/environ",
                           soak.dir):gmatch("%d+") do
        local line = soak.output("tr '\\0' ' ' < /proc/%s/cmdline", pid)
        worker = line:match("lunette worker process") and pid or worker
        all[#all + 1] = line:match("lunette") and pid
    end
    return worker, all
end

local pid, all = processes()
assert(pid and #all == 2, "the server's processes are not found")

local function rss()
    local f = assert(io.open("/proc/" .. pid .. "/status"))
    local text = f:read("*a")
    f:close()
    return tonumber(text:match("VmRSS:%s*(%d+)"))
end

-- Of all threads; but the threads that Wine waits with for others look around
-- every five seconds by themselves.
local function switches()
    local n = 0
    for _, p in ipairs(all) do
        local text = soak.output("cat /proc/%d/task/%s/status", p,
                                 soak.wine and p or "*")
        for v in text:gmatch("\nvoluntary_ctxt_switches:%s*(%d+)") do
            n = n + tonumber(v)
        end
    end
    return n
end

local names = { "waits", "reads", "sends", "accepts", "others" }

local function counts(sock)
    local ok, _, body = soak.ask(sock, "/counts")
    assert(ok)
    local n, i = {}, 1
    for word in body:gmatch("%d+") do
        n[names[i]], i = tonumber(word), i + 1
    end
    return n
end

---------------------------------------------------------------------------
-- An idle server

local sock = assert(soak.connect(600000))
ngx.sleep(1)
local a = counts(sock)
ngx.sleep(1)                           -- it goes back to sleep
local w = switches()
ngx.sleep(10)
local woken = switches() - w
local b = counts(sock)
is(b.waits - a.waits <= 2, "an idle server does not wake up in 10 s: %d waits",
   b.waits - a.waits)
is(woken <= 2, "no thread of its master or worker runs: %d switches", woken)

---------------------------------------------------------------------------
-- Calls per request

for _, path in ipairs { "/200", "/hello", "/small" } do
    for _ = 1, 10 do assert(soak.ask(sock, path)) end
    a = counts(sock)
    for _ = 1, KEEP_ALIVE / 10 do assert(soak.ask(sock, path)) end
    b = counts(sock)
    local n = KEEP_ALIVE / 10 + 1
    local own = (b.reads - a.reads + b.sends - a.sends + b.others - a.others)
                / n
    is(own <= 2.01, "%s: %.2f calls for a request, and %.2f waits (one "
       .. "connection)", path, own, (b.waits - a.waits) / n)
end

local busy, threads = true, {}
for i = 1, 64 do
    threads[i] = ngx.thread.spawn(function()
        local s = soak.connect(60000)
        for _ = 1, KEEP_ALIVE / 64 do
            if not s or not soak.ask(s, "/200") then busy = false end
        end
        if s then s:close() end
    end)
end
a = counts(sock)
for i = 1, 64 do ngx.thread.wait(threads[i]) end
b = counts(sock)
local n = math.floor(KEEP_ALIVE / 64) * 64 + 1
is(busy, "64 connections at once are served")
is((b.reads - a.reads + b.sends - a.sends) / n <= 2.1,
   "64 connections: %.2f calls for a request, and %.2f waits",
   (b.reads - a.reads + b.sends - a.sends + b.others - a.others) / n,
   (b.waits - a.waits) / n)

---------------------------------------------------------------------------
-- Idle connections

local before, idle, good = rss(), {}, 0
for i = 1, connections do
    local s = soak.connect(60000)
    if s and soak.ask(s, "/200") then
        idle[#idle + 1], good = s, good + 1
    end
    if i % 100 == 0 then ngx.sleep(0) end
end
is(good == connections, "%d keep-alive connections", good)
local each = (rss() - before) * 1024 / math.max(1, good)
is(each <= 2048, "each takes %.0f bytes of the worker's memory", each)

local began, served = ngx.now(), 0
for _ = 1, 200 do
    if soak.one("/200") then served = served + 1 end
end
ngx.update_time()
local took = (ngx.now() - began) / 200
is(served == 200, "200 new connections are served beside them, %.2f ms each",
   took * 1000)
good = 0
for _, s in ipairs(idle) do
    if soak.ask(s, "/200") then good = good + 1 end
    s:close()
end
is(good == #idle, "all of the idle ones are still served: %d", good)

---------------------------------------------------------------------------
-- Large bodies

-- The most memory while a command runs.
local function peak_of(fmt, ...)
    local done = soak.dir .. "/done"
    os.remove(done)
    soak.run("(%s; touch %s) > %s/curl.out 2>&1 &", format(fmt, ...), done,
             soak.dir)
    local most = 0
    for _ = 1, 12000 do
        most = math.max(most, rss())
        ngx.sleep(0.02)
        local f = io.open(done)
        if f then
            f:close()
            break
        end
    end
    local f = assert(io.open(soak.dir .. "/curl.out"))
    local text = f:read("*a")
    f:close()
    return most, text
end

local bytes = format("%.0f", megabytes * 1024 * 1024)
before = rss()
local most, text = peak_of("curl -s -o /dev/null -w '%%{size_download} "
    .. "%%{time_total}' http://127.0.0.1:%d/large", soak.port)
is(text:match("^%d+") == bytes, "a file of %d MB is served (%s s)", megabytes,
   text:match(" (%S+)"))
is(most - before <= SLACK, "in %d KB more than %d", most - before, before)

before = rss()
most, text = peak_of("curl -s -H Expect: -X POST -T %s/html/large -w "
    .. "' %%{time_total}' http://127.0.0.1:%d/upload", soak.dir, soak.port)
is(text:match("^%d+") == bytes, "an upload of %d MB goes to disk (%s)",
   megabytes, text:gsub("%s+", " "))
is(most - before <= SLACK, "in %d KB more than %d", most - before, before)
note("the worker's memory: %d KB", rss())
is(soak.logged("%[alert%]") + soak.logged("%[emerg%]") == 0, "no alert")

soak.done()
