-- `lunette debug`, by a client of its protocol.
--
-- LUNETTE="wine build/windows/lunette.exe" runs these against another binary.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local options = require "lunette.spec.options"
local pipe = require "ngx.pipe"
local dap = dofile "t/lib/dap_client.lua"

local OTHER = os.getenv("LUNETTE")
local WINDOWS = OTHER and OTHER:find("%.exe$")
local SERVER = options.words(OTHER or io.program() .. "/lunette")
local ROOT = "/tmp/lunette-debug-" .. io.pid()
local PORT = 20000 + io.pid() % 10000
local ADDRESS = "127.0.0.1:" .. PORT
local DEBUG = "127.0.0.1:" .. PORT + 10000

local CONF = ROOT .. "/conf/nginx.conf"
local APP = ROOT .. "/app.lua"

local SITE = ([[
daemon on; master_process on; worker_processes 2;
error_log logs/error.log notice; USER
events { }
http {
    access_log off;
    lua_package_path "$prefix/?.lua;;";
    server {
        listen ADDRESS;
        location = /sum {
            content_by_lua_block {
                local app = require "app"
                ngx.ctx.who = "me"
                local n = tonumber(ngx.var.arg_n) or 3
                local total = app.sum(n)
                ngx.say("total ", total)
            }
        }
        location = /quick { content_by_lua_block { ngx.say("quick") } }
        location = /nil {
            content_by_lua_block {
                local user = { name = "x" }
                local caught = pcall(error, "taken")
                ngx.say(user.address.street, caught)
            }
        }
        location = /filter {
            header_filter_by_lua_block {
                local mark = "filtered"
                ngx.header["X-Mark"] = mark
            }
            return 200 "ok\n";
        }
        location = /threads {
            content_by_lua_block {
                local function work(k)
                    local square = k * k
                    return square
                end
                local a = ngx.thread.spawn(work, 3)
                local co = coroutine.wrap(function ()
                    coroutine.yield(work(4))
                end)
                local b = co()
                local _, c = ngx.thread.wait(a)
                ngx.say(b + c)
            }
        }
    }
}
]]):gsub("ADDRESS", ADDRESS):gsub("USER", io.is_root() and not WINDOWS
                                          and "user root;" or "")

local APP_CODE = [[
local _M = {}
local calls = 0

local function add(a, b)
    local result = a + b
    return result
end

function _M.sum(n)
    local total = 0
    calls = calls + 1
    for i = 1, n do
        total = add(total, i)
    end
    return total
end

return _M
]]

local server, client, sockets

local function wait_for(fn)
    local limit = io.now() + 10000
    local value = fn()

    while not value and io.now() < limit do
        io.sleep(10)
        value = fn()
    end
    return value
end

-- A request whose answer is waited for later.
local function request(path)
    local socket = assert(wait_for(function ()
        return io.connect(ADDRESS, 1000)
    end))

    sockets[#sockets + 1] = socket
    assert(socket:send("GET " .. path .. " HTTP/1.0\r\n\r\n", 1000))
    return function (msec)
        local text = ""

        while true do
            local part = socket:receive(msec or 10000)

            if not part or part == "" then
                return text:match "\r\n\r\n(.*)$", text
            end
            text = text .. part
        end
    end
end

local function start(...)
    local argv = {}

    for _, word in ipairs(SERVER) do
        argv[#argv + 1] = word
    end
    for _, word in ipairs { "debug", ... } do
        argv[#argv + 1] = word
    end
    server = assert(io.run(argv, ROOT .. "/out", ROOT .. "/err"))
end

local function said()
    return io.read(ROOT .. "/err") or ""
end

local function connect()
    local socket = assert(wait_for(function ()
        return io.connect(DEBUG, 1000)
    end))

    sockets[#sockets + 1] = socket
    return dap.new(socket)
end

local function token()
    return wait_for(function () return said():match "token (%x+)" end)
end

-- A client that has set `breaks`, by path; all others run.
local function attach(breaks, filters)
    start("-p", ROOT, "--listen", DEBUG)
    client = connect()
    client:ask("initialize", { adapterID = "lunette" })

    local seq = client:send("attach", { token = token() })

    assert(client:event("initialized"))

    local placed = {}

    for path, of_path in pairs(breaks) do
        placed[path] = client:ask("setBreakpoints", {
            source = { path = path }, breakpoints = of_path
        }).breakpoints
    end
    client:ask("setExceptionBreakpoints", { filters = filters or {} })
    client:ask("configurationDone")
    assert(client:wait(seq).success)
    return placed
end

local function line_of(text, pattern)
    local number = 0

    for line in text:gmatch "([^\n]*)\n" do
        number = number + 1
        if line:find(pattern, 1, true) then
            return number
        end
    end
end

local function at_line(text, pattern, more)
    local b = more or {}

    b.line = line_of(text, pattern)
    return b
end

local function stopped()
    return assert(client:event("stopped"))
end

local function stack(stop)
    return client:ask("stackTrace", { threadId = stop.threadId }).stackFrames
end

local function variables(reference)
    local out = {}

    for _, v in ipairs(client:ask("variables", {
        variablesReference = reference
    }).variables) do
        out[v.name] = v
    end
    return out
end

local function scopes(frame)
    local out = {}

    for _, s in ipairs(client:ask("scopes", { frameId = frame.id }).scopes) do
        out[s.name] = s.variablesReference
    end
    return out
end

local function go(stop, how)
    client:ask(how or "continue", { threadId = stop.threadId })
end

before_each(function ()
    sockets = {}
    io.remove(ROOT)
    for _, name in ipairs { "conf", "logs" } do
        assert(io.make_dir(ROOT .. "/" .. name))
    end
    assert(io.write(CONF, SITE))
    assert(io.write(APP, APP_CODE))
end)

after_each(function ()
    for _, socket in ipairs(sockets) do
        socket:close()
    end
    if server then
        if not server:wait(0) then
            server:kill()
        end
        server = nil
    end

    -- Under Wine it is gone somewhat later.
    wait_for(function ()
        local socket = io.connect(DEBUG, 100)

        if socket then
            socket:close()
        end
        return not socket
    end)
    io.remove(ROOT)
end)

describe("lunette debug", function ()

    it("stops where a breakpoint is, and goes on", function ()
        local placed = attach { [APP] = { at_line(APP_CODE, "local result") } }

        assert.is_true(placed[APP][1].verified)

        local answer = request("/sum?n=1")
        local stop = stopped()

        assert.equal("breakpoint", stop.reason)
        assert.same({ placed[APP][1].id }, stop.hitBreakpointIds)

        local frames = stack(stop)

        assert.equal(line_of(APP_CODE, "local result"), frames[1].line)
        assert.equal("app.lua", frames[1].source.name)
        assert.equal(line_of(SITE, "app.sum(n)"), frames[3].line)
        assert.equal("nginx.conf", frames[3].source.name)
        go(stop)
        assert.equal("total 1\n", answer())
    end)

    it("shows and sets locals, upvalues and ngx.ctx", function ()
        attach { [APP] = { at_line(APP_CODE, "calls = calls + 1") } }

        local answer = request("/sum?n=2")
        local stop = stopped()
        local frames = stack(stop)
        local found = scopes(frames[1])
        local locals = variables(found.Locals)

        assert.equal("2", locals.n.value)
        assert.equal("0", locals.total.value)
        assert.equal("0", variables(found.Upvalues).calls.value)
        assert.equal('"me"', variables(found["ngx.ctx"]).who.value)

        local set = client:ask("setVariable", {
            variablesReference = found.Locals, name = "total", value = "n * 50"
        })

        assert.equal("100", set.value)
        go(stop)
        assert.equal("total 103\n", answer())
    end)

    it("evaluates what is visible in a frame", function ()
        attach { [APP] = { at_line(APP_CODE, "total = add") } }

        local answer = request("/sum?n=1")
        local stop = stopped()
        local frames = stack(stop)

        local function value(text, frame)
            return client:ask("evaluate", {
                expression = text, frameId = frame and frame.id
            }).result
        end

        assert.equal("1", value("i", frames[1]))
        assert.equal('"me"', value("ngx.ctx.who", frames[2]))
        assert.equal('"/sum"', value("ngx.var.uri", frames[1]))
        assert.equal('{1, {...}, x = "y"}',
                     value('{ 1, { 2 }, x = "y" }', frames[1]))
        assert.equal("7, 8", value("7, 8", frames[1]))
        value("total = 41", frames[1])
        assert.matches("attempt to index",
                       client:try("evaluate", { expression = "nothing.at",
                           frameId = frames[1].id }).message)
        assert.matches("longer than 5 s",
                       client:try("evaluate", { frameId = frames[1].id,
                           expression = "while true do i = i end" }).message)
        go(stop)
        assert.equal("total 42\n", answer())
    end)

    it("expands tables, and not without bounds", function ()
        attach { [CONF] = { at_line(SITE, "local caught") } }

        local answer = request("/nil")
        local stop = stopped()
        local frame = stack(stop)[1]
        local big = client:ask("evaluate", { frameId = frame.id, expression =
            "(function () local t = setmetatable({}, { __index = error }) "
            .. "for i = 1, 500 do t[i] = i end return t end)()" })
        local inside = variables(big.variablesReference)

        assert.equal("200", inside["[200]"].value)
        assert.is_nil(inside["[201]"])
        assert.truthy(inside["(metatable)"])
        assert.equal("300 more", inside["..."].value)
        assert.equal("201", variables(inside["..."].variablesReference)
                            ["[201]"].value)
        assert.matches('^"x+"... %(5000 bytes%)$', client:ask("evaluate", {
            frameId = frame.id, expression = "('x'):rep(5000)" }).result)
        go(stop)
        answer()
    end)

    it("steps over, into and out of functions", function ()
        attach { [CONF] = { at_line(SITE, "local total") } }

        local answer = request("/sum?n=1")
        local stop = stopped()
        local lines = {}

        for _, how in ipairs { "stepIn", "next", "next", "next", "stepIn",
                               "stepOut", "stepOut" } do
            go(stop, how)
            stop = stopped()
            assert.equal("step", stop.reason)

            local frame = stack(stop)[1]

            lines[#lines + 1] = frame.source.name .. ":" .. frame.line
        end

        local function app(text)
            return "app.lua:" .. line_of(APP_CODE, text)
        end

        local function conf(text)
            return "nginx.conf:" .. line_of(SITE, text)
        end

        assert.same({ app "local total", app "calls = calls", app "for i",
                      app "total = add", app "local result",
                      app "total = add", conf 'ngx.say("total' }, lines)
        client:ask("setBreakpoints", { source = { path = CONF },
                                       breakpoints = {} })
        go(stop)
        assert.equal("total 1\n", answer())
    end)

    it("serves others while one stands", function ()
        attach { [APP] = { at_line(APP_CODE, "local result") } }

        local answer = request("/sum?n=1")
        local stop = stopped()

        assert.is_false(stop.allThreadsStopped)
        assert.equal("quick\n", request("/quick")())

        -- A second one stands beside it, and goes on before it.
        local second = request("/sum?n=1")
        local other = stopped()

        assert.not_equal(stop.threadId, other.threadId)
        go(other)
        assert.equal("total 1\n", second())
        go(stop)
        assert.equal("total 1\n", answer())
    end)

    it("stands with the worker where a handler cannot yield", function ()
        attach { [CONF] = { at_line(SITE, 'ngx.header["X-Mark"]') } }

        local answer = request("/filter")
        local stop = stopped()

        assert.is_true(stop.allThreadsStopped)

        local found = scopes(stack(stop)[1])

        assert.equal('"filtered"', variables(found.Locals).mark.value)
        client:ask("setVariable", { variablesReference = found.Locals,
                                    name = "mark", value = "'set'" })
        go(stop)
        assert.matches("X%-Mark: set\r\n", (select(2, answer())))
    end)

    it("knows conditions, counts and log points", function ()
        attach { [APP] = {
            at_line(APP_CODE, "local result", { condition = "b == 2" }),
            at_line(APP_CODE, "return result", { hitCondition = "3" }),
            at_line(APP_CODE, "total = add", { logMessage = "i is {i}" })
        } }

        local answer = request("/sum?n=3")
        local stop = stopped()

        assert.equal('2', client:ask("evaluate", { expression = "b",
            frameId = stack(stop)[1].id }).result)
        go(stop)
        stop = stopped()
        assert.equal('6', client:ask("evaluate", { expression = "result",
            frameId = stack(stop)[1].id }).result)
        go(stop)
        assert.equal("total 6\n", answer())

        for i = 1, 3 do
            assert.equal("i is " .. i .. "\n",
                         assert(client:event("output")).output)
        end
    end)

    it("stands where an error was, which nobody catches", function ()
        attach({}, { "uncaught" })

        local answer = request("/nil")
        local stop = stopped()

        assert.equal("exception", stop.reason)
        assert.matches("attempt to index field 'address'", stop.text)
        assert.equal("quick\n", request("/quick")())

        local frames = stack(stop)

        assert.equal(line_of(SITE, "user.address"), frames[1].line)
        assert.equal('{name = "x"}',
                     variables(scopes(frames[1]).Locals).user.value)
        assert.equal("unhandled", client:ask("exceptionInfo", {
            threadId = stop.threadId }).breakMode)
        go(stop)
        assert.matches("500", (select(2, answer())))
        assert.matches("attempt to index field 'address'",
                       io.read(ROOT .. "/logs/error.log"))
    end)

    it("stands where pcall() has caught one, if it is asked to", function ()
        attach({}, { "all" })

        local answer = request("/nil")
        local stop = stopped()

        assert.equal("taken", stop.text)
        go(stop)
        answer()
    end)

    it("names coroutines and light threads", function ()
        attach { [CONF] = { at_line(SITE, "return square") } }

        local answer = request("/threads")
        local first = stopped()
        local second = stopped()
        local names = {}

        for _, t in ipairs(client:ask("threads").threads) do
            names[t.id] = t.name
        end

        assert.equal("content_by_lua* GET /threads, light thread",
                     names[first.threadId])
        assert.equal("content_by_lua* GET /threads, coroutine",
                     names[second.threadId])

        -- Below the coroutine is who has resumed it.
        local frames = stack(second)

        assert.equal(line_of(SITE, "local b = co()"), frames[#frames].line)
        go(first)
        go(second)
        assert.equal("25\n", answer())
    end)

    it("pauses whoever comes to a line next", function ()
        attach {}
        client:ask("pause", { threadId = 1 })

        local answer = request("/quick")
        local stop = stopped()

        assert.equal("pause", stop.reason)
        go(stop)
        assert.equal("quick\n", answer())
    end)

    it("lets all go when its client leaves, and takes the next", function ()
        attach { [APP] = { at_line(APP_CODE, "local result") } }

        local answer = request("/sum?n=1")

        stopped()
        client:ask("disconnect")
        assert.equal("total 1\n", answer())
        assert.equal("total 1\n", request("/sum?n=1")())

        client = connect()
        client:ask("initialize")
        client:send("attach", { token = token() })
        assert.truthy(client:event("initialized"))
    end)

    it("forgets one whose client has gone away", function ()
        assert(io.write(CONF, (SITE:gsub("access_log off;",
            "access_log off; lua_check_client_abort on;"))))
        attach { [APP] = { at_line(APP_CODE, "local result") } }
        request("/sum?n=1")

        local stop = stopped()

        sockets[#sockets]:close()
        table.remove(sockets)

        local gone = assert(client:event("thread"))

        assert.same({ "exited", stop.threadId }, { gone.reason, gone.threadId })
        assert.is_false(client:try("continue", {
            threadId = stop.threadId }).success)
        assert.equal("quick\n", request("/quick")())
    end)

    it("stops in a machine of a single request as well", function ()
        assert(io.write(CONF, (SITE:gsub("access_log off;",
            "access_log off; lua_code_cache off;"))))
        attach { [APP] = { at_line(APP_CODE, "local result") } }

        for _ = 1, 2 do
            local answer = request("/sum?n=1")

            go(stopped())
            assert.equal("total 1\n", answer())
        end
    end)

    it("wants a token, and no line of another protocol", function ()
        start("-p", ROOT, "--listen", DEBUG)
        client = connect()
        client:ask("initialize")

        local early = client:try("evaluate", { expression = "os.exit()" })

        assert.same({ false, "attach first" },
                    { early.success, early.message })

        for _ = 1, 3 do
            assert.is_false(client:try("attach", { token = "0" }).success)
        end
        assert.is_false(client:read(3000))
        assert.equal("", client.stream:receive(3000))

        client = connect()
        client.stream:send("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n", 1000)
        assert.equal("", client.stream:receive(3000))
    end)

    it("speaks to who has started it, and serves what that one says",
       function ()
        local words = { unpack(SERVER) }

        words[#words + 1] = "debug"
        words[#words + 1] = "--stdio"

        local process = assert(pipe.spawn(words))

        process:set_timeouts(10000, 10000, 10000, 10000)
        client = dap.new {
            send = function (_, text) return process:write(text) end,
            receive = function () return process:stdout_read_any(65536) end
        }
        client:ask("initialize")

        local seq = client:send("launch", { prefix = ROOT })

        assert.truthy(client:event("initialized"))
        client:ask("setBreakpoints", {
            source = { path = CONF },
            breakpoints = { at_line(SITE, 'ngx.say("quick")') }
        })
        client:ask("configurationDone")
        assert.truthy(client:wait(seq).success)

        -- Code of a configuration is known when it is read.
        assert.is_true(assert(client:event("breakpoint")).breakpoint.verified)

        local answer = request("/quick")
        local stop = stopped()

        assert.equal("breakpoint", stop.reason)
        go(stop)
        assert.equal("quick\n", answer())
        client:ask("disconnect")
        assert.is_true((process:wait()))
    end)

    it("says it when there is nothing to serve", function ()
        local words = { unpack(SERVER) }

        words[#words + 1] = "debug"
        words[#words + 1] = "--stdio"

        local process = assert(pipe.spawn(words))

        process:set_timeouts(10000, 10000, 10000, 10000)
        client = dap.new {
            send = function (_, text) return process:write(text) end,
            receive = function () return process:stdout_read_any(65536) end
        }
        client:ask("initialize")

        local seq = client:send("launch", { prefix = ROOT, conf = "none" })

        client:event("initialized")
        client:ask("configurationDone")
        assert.matches("did not start", client:wait(seq).message)
    end)

    it("listens on loopback alone", function ()
        for _, address in ipairs { "0.0.0.0:4711", "192.0.2.1:4711",
                                   "[::]:4711" } do
            start("-p", ROOT, "--listen", address)
            assert.equal(1, server:wait(10000))
            assert.matches("no debugger for other machines", said())
        end
    end)
end)
