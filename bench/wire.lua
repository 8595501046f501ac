-- wire.lua -- TLS and HTTP/2 beside nginx's and H2O's.
--
--     bench/wire [-n ROUNDS] [-k REQUESTS] [-b FILES] [-t HANDSHAKES] [-r ROW]
--
-- ROW is a part of a row's name: only those are measured, and not kept.
--
-- One worker, or thread, each, on processor 0; h2load on processor 1, which
-- asks the servers in turn. What counts is the CPU time of the server's
-- threads, as the kernel accounts it. Figures are medians over the rounds.
--
-- SPDX-License-Identifier: BSD-2-Clause

local help = dofile("bench/help.lua")
local command, write_file, read_file = help.command, help.write_file,
                                       help.read_file
local median, say, here = help.median, help.say, help.here
local format = string.format

local options = help.options { n = 5, k = 20000, b = 40, t = 500, r = "" }
local dir = here .. "/build/bench"

local site = [[
%s
worker_processes 1;
daemon off;
error_log %s/error.log warn;
pid %s/%s-wire.pid;
events { worker_connections 2000; }
http {
    access_log off;
    sendfile on;
    keepalive_requests 1000000000;
    ssl_certificate %s/wire.crt;
    ssl_certificate_key %s/wire.key;
    ssl_protocols TLSv1.2 TLSv1.3;
    root %s/wire;
    server { %s }
    server { %s }
}
]]

-- H2O's first listener speaks both versions of HTTP in clear text.
local h2o = [[
listen: { host: 127.0.0.1, port: %d }
listen:
  host: 127.0.0.1
  port: %d
  ssl: { certificate-file: %s/wire.crt, key-file: %s/wire.key }
num-threads: 1
user: root
hosts:
  default:
    paths: { /: { file.dir: %s/wire } }
access-log: /dev/null
]]

local servers = {
    lunette = { plain = 18201, tls = 18202,
                binary = here .. "/build/linux/lunette", globals = "",
                clear = "listen 127.0.0.1:%d; http2 on;",
                secret = "listen 127.0.0.1:%d ssl; http2 on;" },
    nginx = { plain = 18203, tls = 18204, binary = "/usr/sbin/nginx",
              globals = "user root;", clear = "listen 127.0.0.1:%d http2;",
              secret = "listen 127.0.0.1:%d ssl http2;" },
    h2o = { plain = 18205, tls = 18206 }
}

local function launch(name)
    local s = servers[name]
    local path = format("%s/%s-wire.conf", dir, name)
    if not s.binary then
        write_file(path, format(h2o, s.plain, s.tls, dir, dir, dir))
        return "h2o -c " .. path
    end
    write_file(path, format(site, s.globals, dir, dir, name, dir, dir, dir,
                            format(s.clear, s.plain),
                            format(s.secret, s.tls)))
    return format("%s -p %s/ -c %s -e %s/error.log", s.binary, dir, path, dir)
end

local function start(name)
    local s = servers[name]
    s.pid = command("taskset -c 0 %s >>%s/out.log 2>&1 & echo $!",
                    launch(name), dir)
    os.execute("sleep 1")
    s.worker = s.binary and command("cat /proc/%s/task/%s/children", s.pid,
                                    s.pid):match("%d+") or s.pid
end

-- Nanoseconds that all threads have run so far.
local function cpu_of(name)
    local sum = 0
    for line in command("cat /proc/%s/task/*/schedstat",
                        servers[name].worker):gmatch("[^\n]+") do
        sum = sum + tonumber(line:match("^%d+"))
    end
    return sum
end

local function load(name, row, amount)
    local port = servers[name][row.tls and "tls" or "plain"]
    local out = command("taskset -c 1 h2load %s -n %d -c %d "
                        .. "%s://127.0.0.1:%d%s 2>&1", row.how, amount,
                        row.each and amount or row.clients,
                        row.tls and "https" or "http", port, row.path)
    if not out:find(format(" %d succeeded", amount), 1, true) then
        error(name .. ", " .. row[1] .. ": " .. out)
    end
end

local function compare(row, other)
    local names, cpu, ratios = { "lunette", other }, {}, {}
    for _, name in ipairs(names) do
        cpu[name] = {}
        load(name, row, math.max(row.clients or 1, math.floor(row[3] / 20)))
    end
    for round = 1, options.n do
        for _, name in ipairs(names) do
            local before = cpu_of(name)
            load(name, row, row[3])
            cpu[name][round] = (cpu_of(name) - before) / row[3] / 1000
        end
        ratios[round] = cpu.lunette[round] / cpu[other][round]
    end
    local ratio = median(ratios)
    local goal = row[other]
    say("| %s | %s | %.2f | %.2f | %.2f | %s | %s |", row[1], row[2] or other,
        median(cpu.lunette), median(cpu[other]), ratio,
        goal and format("%.2f", goal) or "-",
        goal and (ratio <= goal and "yes" or "no") or "-")
end

local rows = {
    { "small file, HTTP/2", nil, options.k, path = "/small", clients = 8,
      how = "-m 8", nginx = 0.45, h2o = 1 },
    { "small file, HTTP/2, TLS", nil, options.k, path = "/small", clients = 8,
      how = "-m 8", tls = true, nginx = 0.45, h2o = 1 },
    { "small file, HTTP/1, TLS", nil, options.k, path = "/small", clients = 8,
      how = "--h1", tls = true, nginx = false, h2o = 1 },
    { "10 MB file, HTTP/2", nil, options.b, path = "/large", clients = 1,
      how = "-m 1 -w 30 -W 30", nginx = 0.95, h2o = false },
    { "10 MB file, HTTP/2, TLS", nil, options.b, path = "/large", clients = 1,
      how = "-m 1 -w 30 -W 30", tls = true, nginx = false, h2o = false },
    { "TLS 1.3, P-256, a handshake and a request", nil, options.t,
      path = "/small", each = true, how = "--h1", tls = true, nginx = 0.85,
      h2o = false },
}

local function prepare()
    os.execute(format("mkdir -p %s/wire; head -c 452 /dev/urandom > "
                      .. "%s/wire/small; head -c 10485760 /dev/urandom > "
                      .. "%s/wire/large", dir, dir, dir))
    command("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 "
            .. "-nodes -keyout %s/wire.key -out %s/wire.crt "
            .. "-subj /CN=localhost -days 30 2>&1", dir, dir)
end

say("%s", help.machine())
say("%s; %s; %s", command("%s -v 2>&1", servers.lunette.binary),
    command("%s -v 2>&1", servers.nginx.binary),
    command("h2o -v 2>&1 | head -1"))
say("%d rounds, one worker; server on cpu 0, h2load on cpu 1", options.n)
say("")
say("| work | against | us CPU | theirs | ratio | goal | met |")
say("|---|---|---|---|---|---|---|")

local ok, err = pcall(function ()
    prepare()
    for name in pairs(servers) do start(name) end
    for _, row in ipairs(rows) do
        if row[1]:find(options.r, 1, true) then
            compare(row, "nginx")
            compare(row, "h2o")
        end
    end
end)
for _, s in pairs(servers) do help.stop(s) end
if not ok then error(err, 0) end

if options.r == "" then
    help.keep("wire.md", "TLS and HTTP/2: Lunette against nginx and H2O")
end
