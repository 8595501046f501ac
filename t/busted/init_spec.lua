-- What `lunette init` writes, served and asked; and the manual's first examples
-- as they are printed.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local LUNETTE = io.program() .. "/lunette"
local ROOT = "/tmp/lunette-init-" .. io.pid()
local PORT = 20000 + io.pid() % 10000
local ORIGIN = "127.0.0.1:" .. (PORT == 29999 and 20000 or PORT + 1)
local ADDRESS = "127.0.0.1:" .. PORT

local function call(...)
    local process = assert(io.run({ LUNETTE, ... }, ROOT .. "/out",
                                  ROOT .. "/err"))
    local status = process:wait(20000)

    return status, io.read(ROOT .. "/out") or "", io.read(ROOT .. "/err") or ""
end

local function write(name, text)
    os.execute("mkdir -p " .. (ROOT .. "/" .. name):match "(.*)/")
    assert(io.write(ROOT .. "/" .. name, text))
end

local function ask(path, headers)
    local socket = assert(io.connect(ADDRESS, 1000))
    local text = ""

    socket:send(("GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n")
                :format(path, headers or "Connection: close\r\n"), 1000)
    repeat
        local part = socket:receive(5000)
        text = text .. (part or "")
    until not part or part == "" or text:find("]", 1, true)
    socket:close()
    return text
end

-- Writes a site, and serves it while fn runs; `more` are servers beside it.
local function site(words, more, fn)
    local conf = ROOT .. "/site/conf/nginx.conf"

    words[#words + 1] = ROOT .. "/site"
    assert.equal(0, (call("init", unpack(words))))
    local text = io.read(conf):gsub("listen 8080", "listen " .. ADDRESS)
        :gsub("listen 8443", "listen " .. ORIGIN)
        :gsub("worker_processes auto", "worker_processes 1")
        :gsub("}%s*$", more .. "\n}\n")

    if io.is_root() then
        text = "user root;\n" .. text
    end
    assert(io.write(conf, text))
    write("site/html/.git/config", "secret")
    write("site/html/.well-known/a", "known")

    local server = assert(io.run({ LUNETTE, "-p", ROOT .. "/site", "-c",
        "conf/nginx.conf", "-g", "daemon off;" }, ROOT .. "/o", ROOT .. "/e"))
    local limit = io.now() + 5000

    while not io.size(ROOT .. "/site/logs/lunette.pid") and io.now() < limit do
        io.sleep(10)
    end

    local good, why = pcall(fn)

    call("-p", ROOT .. "/site", "-c", "conf/nginx.conf", "-s", "stop")
    server:wait(5000)
    assert(good, why)
end

-- The indented blocks of a page behind a heading, as they are printed.
local function printed(page, heading)
    local blocks, inside = {}, false
    local text = io.read("conf/manual/" .. page)

    text = text:sub(heading and text:find(heading, 1, true) or 1)
    for line in text:gmatch "([^\n]*)\n" do
        local code = line:match "^    (.*)"

        if code then
            if not inside then blocks[#blocks + 1] = "" end
            blocks[#blocks] = blocks[#blocks] .. code .. "\n"
            inside = true
        elseif line == "" and inside then
            blocks[#blocks] = blocks[#blocks] .. "\n"
        else
            inside = false
        end
    end
    return blocks
end

describe("lunette init", function ()

    before_each(function ()
        os.execute("rm -rf " .. ROOT .. "; mkdir -p " .. ROOT)
    end)

    teardown(function ()
        os.execute("rm -rf " .. ROOT)
    end)

    for words, why in pairs {
        ["--proxy p3"] = '"p3" is no URL', ["--proxy"] = "needs the URL",
        ["--proxy https://h/app/"] = 'has a path; .*take "/app/" off',
        ["--proxy ftp://h"] = "neither http:// nor https://",
        ["--proxy http://"] = "has no server", ["--lua --php"] = "one kind",
        ["a b"] = "one folder", ["--none"] = "unknown option",
    } do
        it("refuses " .. words, function ()
            local list = {}

            for word in words:gmatch "%S+" do list[#list + 1] = word end
            local status, _, err = call("init", unpack(list))

            assert.equal(1, status)
            assert.matches(why, err)
        end)
    end

    for _, kind in ipairs { "--static", "--lua" } do
        it("hides what begins with a dot: " .. kind, function ()
            site({ kind }, "", function ()
                assert.matches("It serves", ask("/"))
                assert.matches("Content%-Security%-Policy: ", ask("/status"))
                assert.matches("^HTTP/1.1 404 ", ask("/.git/config"))
                assert.matches("^HTTP/1.1 404 ", ask("/a/.htaccess"))
                assert.matches("^HTTP/1.1 404 ", ask("/.well-known/.git"))
                assert.matches("\r\n\r\nknown", ask("/.well-known/a"))
            end)
        end)
    end

    it("speaks TLS with a certificate of its own, if told so", function ()
        site({ "--static", "--tls" }, "", function ()
            local port = ORIGIN:match "%d+$"
            local curl = assert(io.run({ "curl", "-s", "--cacert",
                ROOT .. "/site/conf/localhost.crt", "--resolve",
                "localhost:" .. port .. ":127.0.0.1",
                "https://localhost:" .. port .. "/" }, ROOT .. "/page",
                ROOT .. "/err"))

            assert.equal(0, curl:wait(10000))
            assert.matches("It serves", io.read(ROOT .. "/page"))
        end)

        local status, _, err = call("init", "--tls", "--lua", ROOT .. "/site")

        assert.equal(1, status)
        assert.matches("localhost.crt is there already", err)
    end)

    it("passes WebSockets on, and keeps other connections", function ()
        site({ "--proxy", ORIGIN }, "server { listen " .. ORIGIN .. "; "
             .. "location / { return 200 "
             .. "'$http_upgrade,$http_connection,$uri]'; } }", function ()
            assert.matches("\r\nwebsocket,upgrade,/chat]", ask("/chat",
                "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"))
            assert.matches("\r\n,,/]", ask("/"))
            assert.matches("^HTTP/1.1 404 ", ask("/.env"))
        end)
    end)
end)

describe("the manual", function ()

    setup(function () os.execute("mkdir -p " .. ROOT) end)
    teardown(function () os.execute("rm -rf " .. ROOT) end)

    it("begins with a spec that passes", function ()
        local block = printed("testing.md", "## Specs")[1]

        assert.matches("^=== the counter counts", block)
        write("t/first.t", "__DATA__\n\n" .. block)
        local status, out = call("spec", ROOT .. "/t")

        assert.equal(0, status, out)
        assert.matches("1 passed, 0 failed", out)
    end)

    it("has a spec with a server that the spec plays", function ()
        local block = printed("testing.md", "A server that speaks no HTTP")[1]

        write("t/first.t", "__DATA__\n\n=== played\n" .. block)
        local status, out = call("spec", ROOT .. "/t")

        assert.equal(0, status, out)
    end)

    it("has a spec of busted's that runs as printed", function ()
        local blocks = printed("testing.md", "## Modules by themselves")
        local argv = { "sh", "-c", "cd " .. ROOT
                       .. " && unset LUA_PATH LUA_CPATH && "
                       .. blocks[1]:gsub("^lunette", LUNETTE) }

        assert.matches("^lunette run .*/usr/bin/busted spec/", blocks[1])
        write("spec/counter_spec.lua", blocks[2])
        local status = assert(io.run(argv, ROOT .. "/out", ROOT .. "/err"))
            :wait(20000)

        assert.equal(0, status, io.read(ROOT .. "/err"))
        assert.matches("1 success", io.read(ROOT .. "/out"))
    end)

    it("counts in its first handler", function ()
        local blocks = printed("start.md", "A page that is answered")
        local hello, hits = blocks[1], blocks[2]

        site({ "--static" }, hits:match "^[^\n]*" .. "\nserver { listen "
             .. ORIGIN .. ";" .. hello .. hits:match "\n(.*)" .. "}",
             function ()
            ADDRESS, ORIGIN = ORIGIN, ADDRESS
            local one, two = ask("/hits"), ask("/hits")
            local who = ask("/hello?name=you")

            ADDRESS, ORIGIN = ORIGIN, ADDRESS
            assert.matches("\n1 hits\n", one)
            assert.matches("\n2 hits\n", two)
            assert.matches("\nHello, you\n", who)
        end)
    end)
end)
