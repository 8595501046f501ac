-- Thousands of servers: what is wrong with one of them is said once, with its
-- place, and the server that runs goes on untouched.
--
-- LUNETTE="wine build/windows/lunette.exe" runs these against another binary.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local options = require "lunette.spec.options"

local OTHER = os.getenv("LUNETTE")
local WINE = OTHER and OTHER:find("wine", 1, true)
local SERVER = options.words(OTHER or io.program() .. "/lunette")
local ROOT = "/tmp/lunette-servers-" .. io.pid()
local PORT = 20000 + io.pid() % 10000
local FIRST = "127.9.0.1:" .. PORT

-- Sockets that a Linux process may have; Wine's server has as many in all.
local MANY = WINE and 600 or 16000
local WRONG = WINE and 500 or 15000

local HEAD = "daemon off; error_log logs/error.log notice;\n"
             .. (io.is_root() and not OTHER and "user root;\n" or "")
             .. "events { worker_connections 512; }\n"
             .. "http { access_log off; server_tokens off;\n"

-- The line of the i-th server is LINES + i.
local LINES = select(2, HEAD:gsub("\n", ""))

local function path(name)
    return ROOT .. "/" .. name
end

local function address(i)
    i = i - 1
    return ("127.9.%d.%d:%d"):format(math.floor(i / 250), i % 250 + 1, PORT)
end

-- n servers, the i-th of them with `other[i]` as its listen.
local function conf(n, other)
    local lines = {}

    for i = 1, n do
        local listen = other and other[i] or address(i)

        lines[i] = ("server { listen %s; return 200 $pid; }\n"):format(listen)
    end
    assert(io.write(path("conf/nginx.conf"),
                    HEAD .. table.concat(lines) .. "}\n"))
end

local function command(...)
    local argv = {}

    for _, word in ipairs(SERVER) do
        argv[#argv + 1] = word
    end
    for _, word in ipairs { "-p", ROOT, ... } do
        argv[#argv + 1] = word
    end
    return argv
end

-- The exit status and what was said on standard error.
local function call(...)
    io.remove(path("err"))
    local process = assert(io.run(command(...), path("out"), path("err")))

    return process:wait(60000), io.read(path("err")) or ""
end

local function log()
    return io.read(path("logs/error.log")) or ""
end

local function wait_for(fn)
    local limit = io.now() + 30000
    local value = fn()

    while not value and io.now() < limit do
        io.sleep(10)
        value = fn()
    end
    return value
end

-- The number of the process that answers there, or nil.
local function get(where)
    local socket = io.connect(where or FIRST, 1000)
    local text = ""

    if not socket then
        return nil
    end
    socket:send("GET / HTTP/1.0\r\n\r\n", 1000)
    while true do
        local part = socket:receive(5000)

        if not part or part == "" then
            break
        end
        text = text .. part
    end
    socket:close()
    return text:match("\r\n\r\n(%d+)$")
end

local server

local function start(before)
    local argv = before or {}

    for _, word in ipairs(command()) do
        argv[#argv + 1] = word
    end
    server = assert(io.run(argv, path("sout"), path("serr")))
    assert.truthy(wait_for(function ()
        return io.size(path("logs/nginx.pid")) and get()
    end))
end

local function tell_reload()
    local mark = #log()

    call("-s", "reload")
    return function ()
        return log():sub(mark + 1)
    end
end

local function count(text, pattern)
    return select(2, text:gsub(pattern, "%0"))
end

before_each(function ()
    io.remove(ROOT)
    for _, name in ipairs { "conf", "logs" } do
        assert(io.make_dir(path(name)))
    end
end)

after_each(function ()
    if server then
        if not server:wait(0) then
            call("-s", "stop")
            if not server:wait(10000) then
                server:kill()
            end
        end
        server = nil
    end
    io.remove(ROOT)
end)

local wrong = {
    { what = "a second listen with options",
      conf = { [3] = address(3) .. " backlog=10",
               [WRONG] = address(3) .. " backlog=20" },
      says = "duplicate listen options for " .. address(3) },
    { what = "a second default server",
      conf = { [3] = address(3) .. " default_server",
               [WRONG] = address(3) .. " default_server" },
      says = "a duplicate default server for " .. address(3) },
    { what = "an address that is none",
      conf = { [WRONG] = "127.0.0.1:99999" },
      says = 'invalid port in "127.0.0.1:99999" of the "listen" directive' },
}

describe("among thousands of servers", function ()

    for _, case in ipairs(wrong) do
        it(case.what .. " is said once, with its line", function ()
            conf(MANY, case.conf)
            local status, err = call("-t")

            assert.equal(1, status)
            assert.equal(1, count(err, "%[emerg%]"))
            assert.truthy(err:find(case.says, 1, true), err:sub(1, 1000))
            assert.matches("nginx.conf:" .. LINES + WRONG .. "\r?\n", err)
        end)
    end

    it("an address that can't be bound stops the start", function ()
        conf(MANY, { [WRONG] = "192.0.2.1:" .. PORT })
        local status, err = call()

        assert.equal(1, status)
        assert.equal(1, count(err, "%[emerg%]"))
        assert.matches("bind%(%) to 192%.0%.2%.1:" .. PORT .. " failed %(.+%) "
                       .. "in .*nginx.conf:" .. LINES + WRONG .. "\r?\n", err)
        assert.is_nil(get())
    end)

    it("an address that can't be bound leaves the old ones", function ()
        conf(WRONG - 1)
        start()
        local before = get()

        conf(MANY, { [WRONG] = "192.0.2.1:" .. PORT })
        local news = tell_reload()

        assert.truthy(wait_for(function ()
            return news():find("bind%(%) to 192%.0%.2%.1:%d+ failed")
        end))
        assert.equal(1, count(news(), "%[emerg%]"))
        assert.matches("nginx.conf:" .. LINES + WRONG .. "\n", news())
        assert.equal(before, get())
        assert.equal(before, get(address(WRONG - 1)))
        assert.is_nil(io.connect(address(MANY), 1000))

        conf(MANY)
        tell_reload()
        assert.truthy(wait_for(function ()
            return get(address(MANY))
        end))
    end)

    it("an address that is taken leaves the old ones", function ()
        local taken = assert(io.listen(address(WRONG)))

        conf(10)
        start()
        local before = get()

        conf(MANY)
        local news = tell_reload()

        assert.truthy(wait_for(function ()
            return news():find("bind%(%) to " .. address(WRONG) .. " failed")
        end))
        assert.equal(1, count(news(), "%[emerg%]"))
        assert.matches("nginx.conf:" .. LINES + WRONG .. "\n", news())
        assert.equal(before, get())
        taken:close()
    end)

    it("a changed hundredth is all that changes", function ()
        local other = {}

        conf(WRONG)
        start()
        local before = get()

        for i = 50, WRONG, 100 do
            other[i] = "127.10" .. address(i):sub(6)
        end
        conf(WRONG, other)
        tell_reload()
        assert.truthy(wait_for(function ()
            local now = get(address(WRONG))

            return now and now ~= before
        end))
        assert.truthy(get(other[50]))
        assert.truthy(wait_for(function ()
            return not io.connect(address(50), 1000)
        end))

        conf(WRONG)
        tell_reload()
        assert.truthy(wait_for(function ()
            return get(address(50))
        end))
    end)

    if not OTHER then
        local limit = { "sh", "-c", 'ulimit -n 500; exec "$0" "$@"' }

        it("too few descriptors stop the start", function ()
            conf(1000)
            local argv = { unpack(limit) }

            for _, word in ipairs(command()) do
                argv[#argv + 1] = word
            end
            local process = assert(io.run(argv, path("out"), path("err")))
            local status = process:wait(60000)
            local err = io.read(path("err"))

            assert.equal(1, status)
            assert.equal(1, count(err, "%[emerg%]"))
            assert.matches("%[emerg%] socket%(%) 127%.9%.1%.%d+:%d+ failed "
                           .. "%(24: .*%) in .*nginx.conf:%d+\n", err)
        end)

        it("too few descriptors leave the old ones", function ()
            conf(100)
            start { unpack(limit) }
            local before = get()

            conf(1000)
            local news = tell_reload()

            assert.truthy(wait_for(function ()
                return news():find("socket%(%) .* failed %(24: ")
            end))
            assert.equal(1, count(news(), "%[emerg%]"))
            assert.equal(before, get())
            assert.equal(before, get(address(100)))

            conf(200)
            tell_reload()
            assert.truthy(wait_for(function ()
                return get(address(200))
            end))
        end)
    end
end)
