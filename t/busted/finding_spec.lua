-- The manual's page "Finding what is wrong", done as it is printed: its code is
-- served, its commands are run, and each of the four mistakes is found.
--
-- LUNETTE="wine build/windows/lunette.exe" runs these against another binary.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local options = require "lunette.spec.options"

local OTHER = os.getenv("LUNETTE")
local SERVER = options.words(OTHER or io.program() .. "/lunette")
local ROOT = "/tmp/lunette-finding-" .. io.pid()
local PORT = 20000 + io.pid() % 10000
local ADDRESS = "127.0.0.1:" .. PORT
local LIMIT = 120000           -- what a developer has for each

local PAGE = assert(io.read("conf/manual/finding.md"))
local CODE = assert(PAGE:match "```lua\n(.-)```")
local LOCATIONS = assert(PAGE:match "```nginx\n(.-)```")
local HARD = ("a"):rep(23) .. "!"

-- The command that the page prints with these words in it, for our folder.
local function printed(words)
    for line in PAGE:gmatch "\n    lunette ([^\n]+)" do
        if line:find(words, 1, true) then
            return (line:gsub("%-p %.", "-p " .. ROOT))
        end
    end

    error("the page has no command with " .. words)
end

local function argv_of(text)
    local argv = {}

    for _, word in ipairs(SERVER) do
        argv[#argv + 1] = word
    end
    for word in text:gmatch "%S+" do
        argv[#argv + 1] = word
    end
    return argv
end

local function begin(text, name)
    return assert(io.run(argv_of(text), ROOT .. "." .. name .. ".out",
                         ROOT .. "." .. name .. ".err"))
end

local function ask(path)
    local socket = assert(io.connect(ADDRESS, 5000))
    local text = ""

    socket:send("GET " .. path .. " HTTP/1.0\r\n\r\n", 1000)
    while true do
        local part = socket:receive(20000)

        if not part or part == "" then
            break
        end
        text = text .. part
    end
    socket:close()
    return text
end

local function conf(more)
    local text = assert(io.read(ROOT .. "/conf/nginx.conf"))

    text = text:gsub("listen 8080;", "listen " .. ADDRESS .. ";")
    text = text:gsub("\n        location = /hello", "\n" .. LOCATIONS
                     :gsub("%%", "%%%%") .. "%0", 1)
    text = text:gsub("http {", "http {\n    " .. (more or ""), 1)
    assert(io.write(ROOT .. "/conf/nginx.conf", (io.is_root() and not OTHER
        and "user root;\n" or "") .. "worker_processes 1;\n"
        .. text:gsub("worker_processes[^;]*;", "")))
end

local server

local function wait_for(fn)
    local limit = io.now() + 10000
    local value = fn()

    while not value and io.now() < limit do
        io.sleep(20)
        value = fn()
    end
    return value
end

local function log()
    return io.read(ROOT .. "/logs/error.log") or ""
end

before_each(function ()
    io.remove(ROOT)
    assert.equal(0, begin("init --lua " .. ROOT, "init"):wait(20000))
    assert(io.write(ROOT .. "/app/shop.lua", CODE))
    conf()

    local argv = argv_of("-p " .. ROOT .. " -g")

    argv[#argv + 1] = "daemon off;"
    server = assert(io.run(argv, ROOT .. ".out", ROOT .. ".err"))
    assert.truthy(wait_for(function ()
        return io.size(ROOT .. "/logs/lunette.pid")
    end))
end)

after_each(function ()
    begin("stop -p " .. ROOT, "stop"):wait(10000)
    if not server:wait(10000) then
        server:kill()
    end
    io.remove(ROOT)
    for _, name in ipairs { "", ".init", ".stop", ".do" } do
        io.remove(ROOT .. name .. ".out")
        io.remove(ROOT .. name .. ".err")
    end
end)

-- What the printed command writes while `path` is asked all the time.
local function find(words, path)
    local since = io.now()
    local process = begin(printed(words), "do")

    repeat
        ask(path)
    until process:wait(0)

    assert.equal(0, process:wait(0), io.read(ROOT .. ".do.err"))
    assert.is_true(io.now() - since < LIMIT)
    return io.read(ROOT .. ".do.out")
end

describe("finding what is wrong", function ()

    it("finds a slow pattern", function ()
        local first = find("--folded", "/search?q=" .. HARD):match "[^\n]+"

        assert.matches("^content_by_lua%* /search;", first)
        assert.matches("shop%.lua:search", first)
        assert.matches("regex%.lua:find", first)
    end)

    -- Windows has no `sleep`.
    local there = OTHER and pending or it

    there("finds a call that blocks", function ()
        assert(PAGE:find("lua_block_warning 100ms;", 1, true))
        io.write(ROOT .. "/conf/nginx.conf",
                 (io.read(ROOT .. "/conf/nginx.conf")
                  :gsub("http {", "%0 lua_block_warning 100ms;", 1)))
        assert.equal(0, begin(printed "reload", "do"):wait(20000))

        assert.truthy(wait_for(function ()
            ask("/report")
            return log():find("held the worker up", 1, true)
        end))
        assert.matches("app/shop%.lua:11: in function 'report'", log())
        assert.truthy(PAGE:find("app/shop.lua:11: in function 'report'", 1,
                                true))
    end)

    it("finds a leak", function ()
        local row = find("--heap", "/visit"):match "\n([^\n]+)"

        assert.matches("^ +%+%d+  shop%.visit: visits$", row)
    end)

    it("finds an index of nil", function ()
        assert.matches("500", ask("/address"))
        assert.matches("app/shop%.lua:21: attempt to index field 'address' "
                       .. "%(a nil value%)", log())
        assert.truthy(printed "debug")
    end)
end)
