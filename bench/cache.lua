-- cache.lua -- a cache beside nginx's, and a proxy's answers beside HAProxy's.
--
--     bench/cache [-s SECONDS] [-n ROUNDS] [-c CONNECTIONS] [-w WAITERS]
--                 [-k KEYS] [-r ROW] [-p PORT]
--
-- ROW is a part of a row's name: only those are measured, and not kept.
-- Without rounds (-n 0) only the last of the tables is made, and kept apart:
-- with a million keys that takes its time.
--
-- Lunette, nginx and HAProxy have processor 0, one worker each; the origin, an
-- nginx with files, and the load (wrk) have processor 1. What counts is CPU
-- time per request, as in run.lua. FastCGI's origin is a Lua session of
-- Lunette's stream, gRPC's an nginx that speaks HTTP/2. Then many clients ask
-- for one key that is not there; and a server begins with a folder full of
-- files, with and without its list. Two rows have the bare loop in our place:
-- it asks the same origin in as few system calls.  The rows "of a loop" have
-- it as the origin, too: an nginx that sends a file takes longer for an answer
-- than any proxy, which then sleeps between any two, and is woken; and it sends
-- header and file apart, which has each proxy acknowledge the pair.
--
-- SPDX-License-Identifier: BSD-2-Clause

local help = dofile("bench/help.lua")
local command, write_file, read_file = help.command, help.write_file,
                                       help.read_file
local median, say, here = help.median, help.say, help.here
local format = string.format

local options = help.options { s = 2, n = 5, c = 32, w = 1000, k = 200000,
                               r = "", p = 18191 }
local dir = here .. "/build/bench/cache"
local ORIGIN, FCGI, GRPC = options.p + 3, options.p + 4, options.p + 6
local LOOP, FCGI_LOOP = options.p + 9, options.p + 12

local servers = {
    lunette = { port = options.p, globals = "",
                run = here .. "/build/linux/lunette -p %s/ -c %s" },
    nginx = { port = options.p + 1, globals = "user root;",
              run = "/usr/sbin/nginx -p %s/ -c %s" },
    haproxy = { port = options.p + 2, run = "haproxy -f %s/../cache/%s" },
    ["bare proxy"] = { port = options.p + 7 },
    ["bare fastcgi"] = { port = options.p + 8 },
    ["bare loop"] = { port = options.p + 10 },
    ["bare fastcgi loop"] = { port = options.p + 11 },
}
local origin = { run = "/usr/sbin/nginx -p %s/ -c %s" }
local loop, fcgi_loop = { port = LOOP }, {}
local fcgi = { port = options.p + 5,
               run = here .. "/build/linux/lunette -p %s/ -c %s" }

local site = [[
%s
worker_processes 1;
worker_rlimit_nofile 8192;
daemon off;
error_log %s/%s.log notice;
pid %s/%s.pid;
events { worker_connections 4096; }
http {
    access_log off;
    sendfile on;
    keepalive_requests 100000000;
    proxy_cache_path %s/%s levels=1:2 keys_zone=one:256m max_size=8g
                     inactive=1d loader_files=1000;
    upstream origin { server 127.0.0.1:%d; keepalive 64; }
    upstream loop { server 127.0.0.1:%d; keepalive 64; }
    upstream fcgi { server 127.0.0.1:%d; keepalive 64; }
    upstream fcgi_loop { server 127.0.0.1:%d; keepalive 64; }
    upstream grpc { server 127.0.0.1:%d; keepalive 64; }
    server {
        listen 127.0.0.1:%d backlog=4096;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        location / { proxy_pass http://origin; }
        location /loop { proxy_pass http://loop; }
        include %s/conf/fastcgi_params;
        fastcgi_keep_conn on;
        location /fcgi { fastcgi_pass fcgi; }
        location /fcgi-loop { fastcgi_pass fcgi_loop; }
        location /grpc { grpc_pass grpc; }
        location /cached/ {
            proxy_cache one;
            proxy_cache_valid 200 1h;
            proxy_cache_lock on;
            proxy_cache_lock_timeout 60s;
            proxy_pass http://origin/;
        }
    }
}
]]

-- A page that takes a while: by its rate, as nothing else in a bare nginx
-- waits.
local origin_site = [[
user root;
worker_processes 1;
worker_rlimit_nofile 8192;
daemon off;
error_log %s/origin.log;
pid %s/origin.pid;
events { worker_connections 4096; }
http {
    log_format one "$uri";
    access_log off;
    sendfile on;
    keepalive_requests 100000000;
    server {
        listen 127.0.0.1:%d backlog=4096;
        root %s/html;
        location /slow { access_log %s/slow.log one; limit_rate 10k; }
        location /any/ { return 200 "%s"; }
    }
    server {
        listen 127.0.0.1:%d http2 backlog=4096;
        return 200 "%s";
    }
}
]]

-- Whatever is asked, on connections that are kept.
local fcgi_site = [[
worker_processes 1;
worker_rlimit_nofile 8192;
daemon off;
error_log %s/fcgi.log;
pid %s/fcgi.pid;
events { worker_connections 4096; }
stream {
    server {
        listen 127.0.0.1:%d backlog=4096;
        content_by_lua_block {
            local body = "Content-Type: text/plain\r\n\r\n"
                         .. ("x"):rep(1024)
            local answer = "\1\6\0\1" .. string.char(math.floor(#body / 256),
                           #body %% 256) .. "\0\0" .. body
                           .. "\1\3\0\1\0\8\0\0" .. ("\0"):rep(8)
            local sock = ngx.req.socket(true)
            sock:settimeout(600000)
            while true do
                local head = sock:receive(8)
                if not head then return end
                local n = head:byte(5) * 256 + head:byte(6)
                if n + head:byte(7) > 0 then
                    sock:receive(n + head:byte(7))
                end
                if head:byte(2) == 5 and n == 0 then sock:send(answer) end
            end
        }
    }
}
http { access_log off; server { listen 127.0.0.1:%d; return 200; } }
]]

local haproxy_site = [[
global
    nbthread 1
    maxconn 2000
defaults
    mode http
    timeout connect 10s
    timeout client 60s
    timeout server 60s
    http-reuse always
listen one
    bind 127.0.0.1:%d
    server origin 127.0.0.1:%d
]]

---------------------------------------------------------------------------
-- Servers

local function configure()
    command("rm -rf %s; mkdir -p %s/html", dir, dir)
    for name, size in pairs { ["1k"] = 1024, ["100k"] = 102400,
                              ["1m"] = 1048576, slow = 10240 } do
        command("head -c %d /dev/urandom > %s/html/%s", size, dir, name)
    end
    for _, name in ipairs { "lunette", "nginx" } do
        local s = servers[name]
        write_file(dir .. "/" .. name, format(site, s.globals, dir, name, dir,
                   name, dir, name .. ".cache", ORIGIN, LOOP, FCGI,
                   FCGI_LOOP, GRPC, s.port, here))
    end
    write_file(dir .. "/haproxy", format(haproxy_site, servers.haproxy.port,
                                         ORIGIN))
    write_file(dir .. "/origin", format(origin_site, dir, dir, ORIGIN, dir,
                                        dir, ("x"):rep(1024), GRPC,
                                        ("x"):rep(1024)))
    write_file(dir .. "/fcgi", format(fcgi_site, dir, dir, FCGI, fcgi.port))
end

-- What the bare loop sends there and here, and how much it gets in between.
local function make_bare(name, to, request, size, response)
    local s, file = servers[name], dir .. "/" .. name:gsub(" ", "-")
    write_file(file .. ".request", request)
    write_file(file .. ".response", response)
    s.run = format("%s/build/bench/bare %d %s.response %d %s.request %d",
                   here, s.port, file, to, file, size)
end

local function make_bares()
    local sock = ngx.socket.tcp()
    local request = "GET /1k HTTP/1.1\r\nHost: origin\r\n\r\n"
    assert(sock:connect("127.0.0.1", ORIGIN))
    assert(sock:send(request))
    local head = assert(sock:receiveuntil("\r\n\r\n", { inclusive = true })())
    local body = assert(sock:receive(1024))
    sock:close()
    make_bare("bare proxy", ORIGIN, request, #head + #body, head .. body)
    make_bare("bare loop", LOOP, request, #head + #body, head .. body)
    loop.run = format("%s/build/bench/bare %d %s.response", here, LOOP,
                      dir .. "/bare-loop")

    -- As many bytes as the servers send: conf/fastcgi_params and headers.
    local function record(kind, content)
        return "\1" .. string.char(kind) .. "\0\1"
               .. string.char(math.floor(#content / 256), #content % 256)
               .. "\0\0" .. content
    end
    request = record(1, "\0\1\1\0\0\0\0\0")
              .. record(4, ("\12\11QUERY_STRING12345678901"):rep(18))
              .. record(4, "") .. record(5, "")
    local content = "Content-Type: text/plain\r\n\r\n" .. ("x"):rep(1024)
    local answer = record(6, content) .. record(3, ("\0"):rep(8))
    local response = head:gsub("(Content%-Length: )%d+", "%11024")
                     .. ("x"):rep(1024)
    make_bare("bare fastcgi", FCGI, request, #answer, response)
    make_bare("bare fastcgi loop", FCGI_LOOP, request, #answer, response)
    write_file(dir .. "/fcgi-loop.response", answer)
    fcgi_loop.run = format("%s/build/bench/bare %d %s.response", here,
                           FCGI_LOOP, dir .. "/fcgi-loop")
end

local function answers(port, path)
    return os.execute(format("curl -s -f -o /dev/null http://127.0.0.1:%d%s",
                             port, path))
end

local function start(name, s, cpu)
    s.pid = command("ulimit -n 8192; taskset -c %d " .. s.run
                    .. " >>%s/out.log 2>&1 & echo $!", cpu, dir,
                    name == "haproxy" and name or dir .. "/" .. name, dir)
    for _ = 1, 200 do
        if answers(s.port or ORIGIN, "/1k") then return end
        os.execute("sleep 0.05")
    end
    error("nothing answers: " .. name)
end

local function processes_of(s)
    return command("echo %s; cat /proc/%s/task/%s/children 2>/dev/null", s.pid,
                   s.pid, s.pid):gmatch("%d+")
end

local function cpu_of(s)
    local sum = 0
    for p in processes_of(s) do
        local stat = read_file("/proc/" .. p .. "/schedstat")
        sum = sum + (stat and tonumber(stat:match("^%d+")) or 0)
    end
    return sum
end

---------------------------------------------------------------------------
-- CPU per request

-- Each request asks for a key of its own: of this run, server and round.
write_file(here .. "/build/bench/miss.lua", [[
local n, prefix = 0, nil
function init(args) prefix = args[1] end
function request()
    n = n + 1
    return wrk.format("GET", "/cached/any/" .. prefix .. n)
end
]])

local function load_once(s, path, round)
    local miss = path == "miss"
    local before = cpu_of(s)
    local out = command("taskset -c 1 wrk -t1 -c%d -d%gs %s "
        .. "http://127.0.0.1:%d%s %s 2>&1", options.c, options.s,
        miss and "-s " .. here .. "/build/bench/miss.lua" or "", s.port,
        miss and "/" or path, miss and "-- r" .. round .. "-" or "")
    local spent = cpu_of(s) - before
    local requests = tonumber(out:match("(%d+) requests in"))
    if not requests or requests == 0 or out:match("Non%-2xx")
        or out:match("Socket errors")
    then
        error(path .. ": " .. out)
    end
    return spent / requests / 1000
end

local function compare(path, one, other)
    local a, b = servers[one], servers[other]
    local ours, theirs, ratios = {}, {}, {}
    load_once(a, path, 0)
    load_once(b, path, 0)
    for round = 1, options.n do
        ours[round] = load_once(a, path, round)
        theirs[round] = load_once(b, path, round)
        ratios[round] = ours[round] / theirs[round]
    end
    return median(ours), median(theirs), median(ratios)
end

local function say_row(row)
    local ours, theirs, ratio = compare(row[3], row[5] or "lunette", row[2])
    local goal = row[4]
    say("| %s | %s | %.1f | %.1f | %.2f | %s | %s |", row[1], row[2], ours,
        theirs, ratio, goal and format("%.2f", goal) or "-",
        goal and (ratio <= goal and "yes" or "no") or "-")
end

local function table_of_requests()
    say("| work | against | us CPU/request | theirs | ratio | goal | met |")
    say("|---|---|---|---|---|---|---|")
    for _, row in ipairs {
        { "cache hit, 1 KB", "nginx", "/cached/1k", 0.60 },
        { "cache hit, 100 KB", "nginx", "/cached/100k", 0.90 },
        { "cache miss, 1 KB", "nginx", "miss" },
        { "proxy, 1 KB", "nginx", "/1k", 0.85 },
        { "proxy, 1 KB", "haproxy", "/1k" },
        { "proxy, 1 KB, of a loop", "nginx", "/loop", 0.85 },
        { "proxy, 1 MB", "nginx", "/1m" },
        { "proxy, 1 MB", "haproxy", "/1m", 1.0 },
        { "FastCGI, 1 KB", "nginx", "/fcgi", 0.85 },
        { "FastCGI, 1 KB, of a loop", "nginx", "/fcgi-loop", 0.85 },
        { "gRPC, 1 KB", "nginx", "/grpc" },
        { "the bare loop: proxy, 1 KB", "nginx", "/1k", nil, "bare proxy" },
        { "the bare loop: proxy, 1 KB, of a loop", "nginx", "/loop", nil,
          "bare loop" },
        { "the bare loop: FastCGI, 1 KB", "nginx", "/fcgi", nil,
          "bare fastcgi" },
        { "the bare loop: FastCGI, 1 KB, of a loop", "nginx", "/fcgi-loop",
          nil, "bare fastcgi loop" },
    } do
        if row[1]:find(options.r, 1, true) then
            say_row(row)
        end
    end
end

---------------------------------------------------------------------------
-- Many wait for one

local function wait_in_line(s)
    local threads, took, good = {}, {}, 0
    local function ask()
        local sock = ngx.socket.tcp()
        sock:settimeout(60000)
        if not sock:connect("127.0.0.1", s.port) then return end
        sock:send("GET /cached/slow HTTP/1.0\r\n\r\n")
        local text = sock:receive("*a") or ""
        sock:close()
        ngx.update_time()
        took[#took + 1] = ngx.now()
        if #text > 10240 and text:find(" 200 ", 1, true) then
            good = good + 1
        end
    end
    ngx.sleep(0.01)                -- the clock stood still while wrk ran
    for i = 1, options.w do threads[i] = ngx.thread.spawn(ask) end
    for i = 1, options.w do ngx.thread.wait(threads[i]) end
    table.sort(took)
    return good, took[#took] - took[1]
end

local function table_of_waiters()
    say("")
    say("| %d clients ask for one key at once | asked the origin | answered "
        .. "| from the first answer to the last |", options.w)
    say("|---|---|---|---|")
    for _, name in ipairs { "lunette", "nginx" } do
        write_file(dir .. "/slow.log", "")
        local good, last = wait_in_line(servers[name])
        local _, asked = read_file(dir .. "/slow.log"):gsub("\n", "")
        say("| %s | %d | %d | %.3f s |", name, asked, good, last)
    end
end

---------------------------------------------------------------------------
-- Many keys

local function fill(folder)
    local digits = "0123456789abcdef"
    for a in digits:gmatch(".") do
        local folders = {}
        for b in digits:gmatch(".") do
            for c in digits:gmatch(".") do
                folders[#folders + 1] = format("%s/%s/%s%s", folder, a, b, c)
            end
        end
        command("mkdir -p %s", table.concat(folders, " "))
    end
    for i = 1, options.k do
        local name = ngx.md5("key " .. i)
        local f = assert(io.open(format("%s/%s/%s/%s", folder, name:sub(-1),
                                        name:sub(-3, -2), name), "wb"))
        f:write(("not read until it is asked for, "):rep(40))
        f:close()
    end
end

-- Bytes of shared memory that its processes have touched.
local function shared_of(s)
    local sum = 0
    for p in processes_of(s) do
        local text = read_file("/proc/" .. p .. "/smaps_rollup") or ""
        sum = sum + (tonumber(text:match("Pss_Shmem:%s*(%d+)")) or 0)
    end
    return sum * 1024
end

-- Seconds until the log says so, CPU seconds of all processes, and the bytes of
-- the index for each file.
local function time_loading(name, pattern)
    local s = servers[name]
    write_file(dir .. "/" .. name .. ".log", "")
    ngx.update_time()
    local begun = ngx.now()
    start(name, s, 0)
    s.empty = s.empty or shared_of(s)
    local found
    for _ = 1, 20000 do
        found = (read_file(dir .. "/" .. name .. ".log") or ""):find(pattern)
        if found then break end
        ngx.sleep(0.1)
    end
    ngx.update_time()
    return found and ngx.now() - begun or -1, cpu_of(s) / 1e9,
           (shared_of(s) - s.empty) / options.k
end


local function table_of_loading()
    say("")
    say("| %d files in the folder | seconds until all are known | CPU | bytes "
        .. "a key |", options.k)
    say("|---|---|---|---|")
    local took, cpu, size
    for _, name in ipairs { "lunette", "nginx" } do
        command("rm -rf %s/%s.cache", dir, name)
        fill(dir .. "/" .. name .. ".cache")
    end
    took, cpu, size = time_loading("lunette", "cache \"one\": %d+ files\n")
    say("| lunette, folder | %.1f | %.2f | %.0f |", took, cpu, size)
    help.stop(servers.lunette)
    took, cpu, size = time_loading("lunette", "files are known by its list")
    say("| lunette, its list | %.1f | %.2f | %.0f |", took, cpu, size)
    help.stop(servers.lunette)
    -- Who has filled its index is gone, and its CPU and memory with it.
    took = time_loading("nginx", "cache loader process %d+ exited")
    say("| nginx, folder | %.1f | - | - |", took)
    help.stop(servers.nginx)
end

---------------------------------------------------------------------------

configure()
say("%s", help.machine())
say("%s; %s; %s", command("%s/build/linux/lunette -v 2>&1", here),
    command("/usr/sbin/nginx -v 2>&1"), command("haproxy -v | head -1"))
if options.n ~= 0 then
    say("wrk -t1 -c%d -d%gs, %d rounds, one worker; servers on cpu 0, origin "
        .. "and load on cpu 1", options.c, options.s, options.n)
end
say("")

local ok, err = pcall(function()
    start("origin", origin, 1)
    if options.n == 0 then
        origin.port = nil
        table_of_loading()
        return
    end
    start("fcgi", fcgi, 1)
    make_bares()
    start("loop", loop, 1)
    start("FastCGI loop", fcgi_loop, 1)
    for name, s in pairs(servers) do start(name, s, 0) end
    table_of_requests()
    if options.r == "" then
        table_of_waiters()
        for _, s in pairs(servers) do help.stop(s) end
        origin.port = nil
        table_of_loading()
    end
end)
for _, s in pairs(servers) do help.stop(s) end
help.stop(origin)
help.stop(loop)
help.stop(fcgi_loop)
help.stop(fcgi)
if not ok then error(err, 0) end

if options.r == "" then
    help.keep(options.n == 0 and "cache_keys.md" or "cache.md",
              "A cache beside nginx's, a proxy beside HAProxy's")
end
