-- newest.lua -- beside the newest nginx, H2O and HAProxy, one worker each.
--
--     bench/newest [-n ROUNDS] [-s SECONDS] [-r ROW]
--
-- ROW is a part of a row's name: only those are measured, and not kept.
--
-- Servers on processor 0, load and the origin of proxies on processor 1. They
-- are asked in turn, every second round backwards. What counts is the CPU time
-- of the server's threads for a request, as the kernel accounts it; a ratio is
-- the median of the rounds' ratios. Whoever is not built has no column.
--
-- SPDX-License-Identifier: BSD-2-Clause

local help = dofile("bench/help.lua")
local command, write_file, read_file = help.command, help.write_file,
                                       help.read_file
local median, say = help.median, help.say
local format, concat = string.format, table.concat

local options = help.options { n = 7, s = 2, r = "" }
local built = os.getenv("ANCHORS_BUILT")
local dir = help.here .. "/build/bench/newest"

-- All servers have the same ports, counted from their own first one.
local PLAIN, H2C, H2, TLS, STREAM = 0, 1, 2, 4, 5
local ORIGIN = 18490

---------------------------------------------------------------------------
-- Configurations; $NAME is filled in.

local function fill(text, values)
    return (text:gsub("%$%{?([A-Z0-9]+)%}?", values))
end

local site = [[
user root; worker_processes 1; daemon off; pid $DIR/pid;
error_log $DIR/error.log crit;
events { worker_connections 20000; }
http {
    access_log off; sendfile on; tcp_nopush on;
    keepalive_requests 100000000; keepalive_timeout 600s;
    open_file_cache max=100;
    types { text/html html; image/gif gif; application/octet-stream bin; }
    root $ROOT;
    ssl_protocols TLSv1.3; ssl_session_tickets off;
    ssl_certificate $KEYS.crt; ssl_certificate_key $KEYS.key;
    proxy_cache_path $DIR/cache levels=1:2 keys_zone=c:10m;
    proxy_http_version 1.1; proxy_set_header Connection "";
    client_body_temp_path $DIR/b; proxy_temp_path $DIR/p;
    fastcgi_temp_path $DIR/f; uwsgi_temp_path $DIR/u; scgi_temp_path $DIR/s;
    upstream o { server 127.0.0.1:$ORIGIN; keepalive 512;
                 keepalive_requests 100000000; }
    $DICT
    $SERVERS
}
stream { server { listen 127.0.0.1:$P5; proxy_pass 127.0.0.1:$ORIGIN; } }
]]

local locations = [[
    location = /r { return 200 "ok"; }
    location /p/ { proxy_pass http://o/; }
    location /c/ { proxy_pass http://o/; proxy_cache c;
                   proxy_cache_valid 200 1h; }
    location = /t.html { gzip on; gzip_comp_level 5; gzip_types text/html; }
    $LUA
]]

local lua = [[
    location = /hello { content_by_lua_block { ngx.say("hello") } }
    location = /dict { content_by_lua_block {
        local d = ngx.shared.d
        d:incr("n", 1, 0) d:set("k", "v") ngx.say(d:get("k"))
    } }
    location = /json { content_by_lua_block {
        local c = require "cjson"
        ngx.say(c.encode { a = 1, b = { 1, 2, 3 }, c = "x" })
    } }
]]

local origin = [[
user root; worker_processes 1; daemon off; pid $DIR/pid;
error_log $DIR/error.log crit;
events { worker_connections 8192; }
http {
    access_log off; sendfile on; tcp_nopush on; open_file_cache max=100;
    keepalive_requests 100000000; keepalive_timeout 600s;
    server { listen 127.0.0.1:$ORIGIN backlog=4096; root $ROOT; }
}
]]

-- Sessions are resumed by none of them: h2load and wrk would keep some.
local h2o = [[
user: root
num-threads: 1
max-connections: 4096
http1-request-timeout: 600
file.send-compressed: OFF
ssl-session-resumption: { mode: OFF }
listen: { host: 127.0.0.1, port: $P0 }
listen: { host: 127.0.0.1, port: $P1 }
listen: &secret
  host: 127.0.0.1
  port: $P2
  ssl: { certificate-file: $KEYS.crt, key-file: $KEYS.key,
         minimum-version: TLSv1.3 }
listen: { <<: *secret, port: $P4 }
hosts:
  default:
    paths:
      /p: { proxy.reverse.url: "http://127.0.0.1:$ORIGIN/",
            proxy.timeout.keepalive: 60000 }
      /t.html: { file.file: "$ROOT/t.html", compress: { gzip: 5 } }
      /: { file.dir: $ROOT }
]]

local haproxy = [[
global
  nbthread 1
  maxconn 8000
  tune.ssl.cachesize 0
  ssl-default-bind-options ssl-min-ver TLSv1.3 no-tls-tickets
defaults
  mode http
  timeout client 600s
  timeout server 600s
  timeout connect 5s
  http-reuse always
frontend f
  bind 127.0.0.1:$P0
  bind 127.0.0.1:$P2 ssl crt $KEYS.pem alpn h2,http/1.1
  bind 127.0.0.1:$P4 ssl crt $KEYS.pem alpn http/1.1
  http-request return status 200 content-type a/b string ok if { path /r }
  http-request replace-path /p(/.*) \1
  default_backend b
backend b
  server s 127.0.0.1:$ORIGIN
listen t
  mode tcp
  bind 127.0.0.1:$P5
  server s 127.0.0.1:$ORIGIN
]]

-- With a new nginx's way to say http2, or with that of 1.22.
local function nginxish(old, more, dict)
    local loc = fill(locations, { LUA = more or "" })
    local function server(port, tls, http2)
        return format("server { listen 127.0.0.1:$P%d%s%s; %s\n%s }\n", port,
                      tls and " ssl" or "", http2 and old and " http2" or "",
                      http2 and not old and "http2 on;" or "", loc)
    end
    local all = server(PLAIN) .. server(H2C, false, true)
                .. server(H2, true, true) .. server(TLS, true)
    return (site:gsub("%$SERVERS", function () return all end)
                :gsub("%$DICT", dict or ""))
end

local dictionary = "lua_shared_dict d 1m;"
local modules = "/usr/lib/nginx/modules/"

local servers = {
    lunette = { at = 18400, text = nginxish(false, lua, dictionary),
                run = help.here .. "/build/linux/lunette -p $DIR/ -c $CONF" },
    nginx = { at = 18410, text = nginxish(false),
              program = built .. "/nginx/objs/nginx",
              run = "-p $DIR/ -c $CONF" },
    ["nginx+lua"] = {
        at = 18420, program = "/usr/sbin/nginx", run = "-p $DIR/ -c $CONF",
        text = "load_module " .. modules .. "ndk_http_module.so;\nload_module "
               .. modules .. "ngx_http_lua_module.so;\nload_module " .. modules
               .. "ngx_stream_module.so;\n"
               .. nginxish(true, lua, dictionary)
    },
    h2o = { at = 18430, text = h2o, program = built .. "/h2o/b/h2o",
            run = "-m worker -c $CONF" },
    haproxy = { at = 18440, text = haproxy,
                program = built .. "/haproxy/haproxy", run = "-f $CONF" },
    origin = { at = ORIGIN, text = origin, run = "-p $DIR/ -c $CONF",
               program = built .. "/nginx/objs/nginx" }
}

local function start(name, cpu)
    local s = servers[name]
    local values = { DIR = dir .. "/" .. name, ROOT = dir .. "/html",
                     KEYS = dir .. "/keys", ORIGIN = tostring(ORIGIN) }
    values.CONF = values.DIR .. "/conf"
    for i = 0, 5 do values["P" .. i] = tostring(s.at + i) end
    command("mkdir -p %s/logs", values.DIR)
    write_file(values.CONF, fill(s.text, values))
    s.pid = command("cd %s && taskset -c %d %s %s >out.log 2>&1 & echo $!",
                    values.DIR, cpu, s.program or "", fill(s.run, values))
    os.execute("sleep 1")
    if not read_file("/proc/" .. s.pid .. "/stat") then
        error(name .. " has not started: " .. values.DIR .. "/out.log")
    end
end

-- Nanoseconds that all threads of a server and of its children have run.
local function cpu_of(pid)
    local sum = 0
    for line in command("cat /proc/%s/task/*/schedstat 2>/dev/null",
                        pid):gmatch("[^\n]+") do
        sum = sum + tonumber(line:match("^%d+"))
    end
    for child in command("cat /proc/%s/task/*/children 2>/dev/null",
                         pid):gmatch("%d+") do
        sum = sum + cpu_of(child)
    end
    return sum
end

---------------------------------------------------------------------------
-- Rows: a name, the others, the first port, a path, how it is asked, and the
-- ratios that are wanted.

local rows = {
    { "return 200", PLAIN, "/r", nginx = 0.88, haproxy = false },
    { "static 452 B", PLAIN, "/s.gif", nginx = 0.67, h2o = 0.49 },
    { "static 452 B, TLS", TLS, "/s.gif", nginx = 0.8, h2o = 0.8 },
    { "1 MB, TLS", TLS, "/m.bin", c = 8, nginx = false, h2o = 0.95 },
    { "TLS 1.3 handshake and 1 KB", TLS, "/k.bin", c = 16, close = true,
      nginx = false, h2o = 1.05, haproxy = false, haproxy_path = "/p/k.bin" },
    { "HTTP/2, TLS, 452 B", H2, "/s.gif", h2 = "-c16 -m16", nginx = false,
      h2o = 0.85 },
    { "HTTP/2, 452 B", H2C, "/s.gif", h2 = "-c16 -m16", nginx = false,
      h2o = 0.85 },
    { "HTTP/2, 10 MB", H2C, "/x.bin", h2 = "-c2 -m2", nginx = false,
      h2o = 0.95 },
    { "HTTP/2, TLS, 1 MB", H2, "/m.bin", h2 = "-c4 -m4", nginx = false,
      h2o = 0.95 },
    { "proxy, 1 KB", PLAIN, "/p/k.bin", nginx = 0.8, h2o = false,
      haproxy = false },
    { "proxy, 100 KB", PLAIN, "/p/h.bin", c = 8, nginx = false, h2o = false,
      haproxy = false },
    { "proxy, 1 MB", PLAIN, "/p/m.bin", c = 8, nginx = false, h2o = 0.95,
      haproxy = false },
    { "proxy, 1 KB, behind HTTP/2, TLS", H2, "/p/k.bin", h2 = "-c16 -m16",
      nginx = false, h2o = 0.8, haproxy = false },
    { "cache hit, 1 KB", PLAIN, "/c/k.bin", nginx = 0.6 },
    { "cache hit, 100 KB", PLAIN, "/c/h.bin", nginx = 0.65 },
    { "gzip, 20 KB", PLAIN, "/t.html", c = 16, gzip = true, nginx = 0.53,
      h2o = 0.57 },
    { "stream, kept, 1 KB", STREAM, "/k.bin", nginx = 0.88, haproxy = false },
    { "stream, a session each", STREAM, "/k.bin", c = 16, close = true,
      nginx = 0.88, haproxy = false },
    { "Lua: hello", PLAIN, "/hello", ["nginx+lua"] = 0.87 },
    { "Lua: a dictionary", PLAIN, "/dict", ["nginx+lua"] = 0.94 },
    { "Lua: JSON", PLAIN, "/json", ["nginx+lua"] = 0.85 }
}
local columns = { "nginx", "h2o", "haproxy", "nginx+lua" }

local function load(name, row)
    local out, n
    local port = servers[name].at + row[2]
    local url = format("%s://127.0.0.1:%d%s",
                       (row[2] == TLS or row[2] == H2) and "https" or "http",
                       port, row[name .. "_path"] or row[3])
    if row.h2 then
        out = command("taskset -c 1 h2load %s -D%d %s 2>&1", row.h2, options.s,
                      url)
        n = out:match("(%d+) succeeded")
    else
        out = command("taskset -c 1 wrk -t1 -c%d -d%ds %s %s %s 2>&1",
                      row.c or 32, options.s,
                      row.close and "-H 'Connection: close'" or "",
                      row.gzip and "-H 'Accept-Encoding: gzip'" or "", url)
        n = not out:find("Non%-2xx") and out:match("(%d+) requests in")
    end
    n = tonumber(n)
    return n ~= 0 and n or nil, out
end

local function measure(name, row)
    for try = 1, 3 do
        local before = cpu_of(servers[name].pid)
        local n, out = load(name, row)
        if n then return (cpu_of(servers[name].pid) - before) / n / 1000 end
        if try == 3 then error(name .. ", " .. row[1] .. ": " .. out) end
    end
end

local function compare(row)
    local names, cpu = { "lunette" }, {}
    for _, name in ipairs(columns) do
        if row[name] ~= nil and servers[name].pid then
            names[#names + 1] = name
        end
    end
    for _, name in ipairs(names) do cpu[name] = {} end
    for round = 1, options.n do
        for i = 1, #names do
            local name = names[round % 2 == 1 and i or #names + 1 - i]
            cpu[name][round] = measure(name, row)
        end
    end
    local cells, met = {}, true
    for _, name in ipairs(columns) do
        local cell = "-"
        if cpu[name] then
            local ratios = {}
            for i, us in ipairs(cpu.lunette) do
                ratios[i] = us / cpu[name][i]
            end
            local ratio = median(ratios)
            cell = format("%.2f", ratio)
            if row[name] then
                cell = format("%s (%.2f)", cell, row[name])
                met = met and ratio <= row[name]
            end
        end
        cells[#cells + 1] = cell
    end
    say("| %s | %.2f | %s | %s |", row[1], median(cpu.lunette),
        concat(cells, " | "), met and "yes" or "no")
end

local function prepare()
    command("rm -rf %s; mkdir -p %s/html", dir, dir)
    for name, size in pairs { ["s.gif"] = 452, ["k.bin"] = 1024,
                              ["h.bin"] = 102400, ["m.bin"] = 1048576,
                              ["x.bin"] = 10485760 } do
        command("head -c %d /dev/urandom >%s/html/%s", size, dir, name)
    end
    command("cat README.md core/README.md t/README.md | head -c 20480 "
            .. ">%s/html/t.html", dir)
    command("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 "
            .. "-nodes -keyout %s/keys.key -out %s/keys.crt "
            .. "-subj /CN=localhost -days 30 2>&1", dir, dir)
    command("cat %s/keys.crt %s/keys.key >%s/keys.pem", dir, dir, dir)
end

say("%s", help.machine())
say("%d rounds of %d s, one worker; load of the machine before: %s",
    options.n, options.s, command("cut -d ' ' -f 1-3 /proc/loadavg"))
say("A cell is our CPU time for a request by theirs, and the goal.")
say("")
say("| work | us CPU | %s | met |", concat(columns, " | "))
say("|---|---|%s---|", ("---|"):rep(#columns))

local ok, err = pcall(function ()
    prepare()
    start("origin", 1)
    for name, s in pairs(servers) do
        if name ~= "origin" and (not s.program or read_file(s.program)) then
            start(name, 0)
        end
    end
    for _, row in ipairs(rows) do
        if row[1]:find(options.r, 1, true) then compare(row) end
    end
end)
for _, s in pairs(servers) do help.stop(s) end
if not ok then error(err, 0) end

if options.r == "" then
    help.keep("newest.md", "Beside the newest nginx, H2O and HAProxy")
end
