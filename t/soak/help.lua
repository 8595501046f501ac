-- help.lua -- what the soak tests share: a server, its clients, TAP.
--
--     local soak = dofile("t/soak/help.lua")
--
-- The server is what SERVER says: build/linux/lunette (also the default), or
-- wine build/windows/lunette.exe.  It gets a folder of its own.
--
-- SPDX-License-Identifier: BSD-2-Clause

local format, concat = string.format, table.concat

local soak = { options = {} }

soak.server = os.getenv("SERVER") or "build/linux/lunette"
soak.wine = soak.server:match("wine") ~= nil

for i = 1, #arg, 2 do
    soak.options[arg[i]:match("^%-(%a)$")] = arg[i + 1]
end

-- With those right above it free as well.
soak.port = tonumber(soak.options.p or 18097)

soak.dir = os.tmpname()
os.remove(soak.dir)
os.execute(format("mkdir -p %s/conf %s/logs %s/html", soak.dir, soak.dir,
                  soak.dir))

function soak.run(fmt, ...)
    return os.execute(format(fmt, ...))
end

function soak.output(fmt, ...)
    local p = assert(io.popen(format(fmt, ...)))
    local text = p:read("*a")
    p:close()
    return text
end

function soak.write(name, text)
    local f = assert(io.open(soak.dir .. "/" .. name, "wb"))
    f:write(text)
    f:close()
end

function soak.log()
    local f = io.open(soak.dir .. "/logs/error.log", "rb")
    local text = f and f:read("*a") or ""
    if f then f:close() end
    return text
end

-- How many lines of the error log match.
function soak.logged(pattern)
    local n = 0
    for line in soak.log():gmatch("[^\n]+") do
        n = n + (line:find(pattern) and 1 or 0)
    end
    return n
end

---------------------------------------------------------------------------
-- The server

-- Main, http and server parts of a configuration.
function soak.configure(main, http, server)
    soak.write("conf/nginx.conf", format([[
daemon off;
error_log logs/error.log notice;
pid logs/nginx.pid;
%s
http {
    access_log off;
    lua_package_path "$prefix/?.lua;;";
%s
    server {
        listen 127.0.0.1:%d backlog=2048;
%s
    }
}
]], main, http, soak.port, server))
end

function soak.control(word)
    soak.run("%s -p %s/ -c conf/nginx.conf -s %s >>%s/control.log 2>&1 &",
             soak.server, soak.dir, word, soak.dir)
end

-- Starts it, and waits until a path is served. It goes with us, even if the
-- test fails half-way.
function soak.start(path)
    assert(not soak.connect(), "somebody else has the port")
    soak.run("p=$PPID; (while kill -0 $p; do sleep 1; done; %s -p %s/ -c "
             .. "conf/nginx.conf -s stop) >/dev/null 2>&1 &", soak.server,
             soak.dir)
    soak.run("ulimit -n $(ulimit -Hn); SOAK=%s exec %s -p %s/ -c "
             .. "conf/nginx.conf >%s/out.log 2>&1 &", soak.dir, soak.server,
             soak.dir, soak.dir)
    for _ = 1, 600 do
        if soak.one(path) then return true end
        ngx.sleep(0.05)
    end
    error("the server does not start: see " .. soak.dir)
end

function soak.kill(pid)
    if soak.wine then
        soak.run("wine taskkill /f /pid %s >/dev/null 2>&1 &", pid)
    else
        soak.run("kill -9 %s 2>/dev/null", pid)
    end
end

---------------------------------------------------------------------------
-- Clients

-- One request. True, whether the connection goes on, the body; or nil, why.
function soak.ask(sock, path)
    local ok, err = sock:send("GET " .. path .. " HTTP/1.1\r\nHost: t\r\n\r\n")
    if not ok then return nil, "send: " .. err end

    local line
    line, err = sock:receive()
    if not line then return nil, "status line: " .. err end
    if not line:match("^HTTP/1.1 200 ") then return nil, line end

    local chunked, length, close
    repeat
        line, err = sock:receive()
        if not line then return nil, "header: " .. err end
        local low = line:lower()
        chunked = chunked or low == "transfer-encoding: chunked"
        close = close or low == "connection: close"
        length = length or low:match("^content%-length: (%d+)")
    until line == ""

    local body = {}
    if chunked then
        repeat
            line, err = sock:receive()
            if not line then return nil, "chunk: " .. err end
            local size = tonumber(line, 16)
            local piece = sock:receive(size + 2)
            if not piece then return nil, "chunk data" end
            body[#body + 1] = piece:sub(1, size)
        until size == 0
    else
        body[1], err = sock:receive(tonumber(length))
        if not body[1] then return nil, "body: " .. err end
    end
    return true, not close, concat(body)
end

function soak.connect(timeout)
    local sock = ngx.socket.tcp()
    sock:settimeout(timeout or 20000)
    local ok, err = sock:connect("127.0.0.1", soak.port)
    if not ok then return nil, err end
    return sock
end

-- A request on a connection of its own: the body, or nil.
function soak.one(path)
    local sock = soak.connect()
    if not sock then return nil end
    local ok, _, body = soak.ask(sock, path)
    sock:close()
    return ok and body or nil
end

---------------------------------------------------------------------------
-- TAP

local tests, failed = 0, 0

function soak.is(ok, fmt, ...)
    tests = tests + 1
    if not ok then failed = failed + 1 end
    print(format("%s %d - %s", ok and "ok" or "not ok", tests,
                 format(fmt, ...)))
    io.stdout:flush()
    return ok
end

function soak.note(fmt, ...)
    print("# " .. format(fmt, ...))
    io.stdout:flush()
end

-- Stops the server and ends.
function soak.done()
    soak.control("stop")
    ngx.sleep(soak.wine and 3 or 1)
    if failed == 0 then
        soak.run("rm -rf %s", soak.dir)
    else
        soak.run("grep -E '\\[(alert|emerg|crit)\\]' %s/logs/error.log | "
                 .. "head -5 | sed 's/^/# /'", soak.dir)
        soak.note("kept %s", soak.dir)
    end
    print(format("1..%d", tests))
    os.exit(failed == 0 and 0 or 1)
end

return soak
