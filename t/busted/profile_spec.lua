-- What `lunette profile` makes of an error log, and the command itself.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local flame = require "lunette.flame"
local profile = require "lunette.profile"

local LUNETTE = io.program() .. "/lunette"
local ROOT = "/tmp/lunette-profile-" .. io.pid()
local PORT = 30000 + io.pid() % 10000

local HEAD = "2026/11/28 15:38:07 [notice] 1#1: profile: "

local function seen_of(...)
    local seen = profile.new_seen()

    for _, text in ipairs { ... } do
        profile.take_line(seen, HEAD .. text)
    end
    return seen
end

local function call(...)
    local process = assert(io.run({ LUNETTE, ... }, ROOT .. "/out",
                                  ROOT .. "/err"))
    local status = process:wait(30000)

    return status, io.read(ROOT .. "/out") or "", io.read(ROOT .. "/err") or ""
end

-- Serves `locations` while fn(...), which gets the words that name the server.
local function serve(locations, fn)
    local words = { "-p", ROOT, "-c", "nginx.conf" }

    os.execute("rm -rf " .. ROOT .. "; mkdir -p " .. ROOT .. "/logs")
    assert(io.write(ROOT .. "/nginx.conf", (io.is_root() and "user root;\n"
        or "") .. "pid logs/pid; error_log logs/error.log notice;\n"
        .. "worker_processes 2; events { }\nhttp { access_log off; server {\n"
        .. "listen 127.0.0.1:" .. PORT .. ";\n" .. locations .. "} }\n"))

    local server = assert(io.run({ LUNETTE, "-g", "daemon off;",
        unpack(words) }, ROOT .. "/o", ROOT .. "/e"))
    local limit = io.now() + 5000

    while not io.size(ROOT .. "/logs/pid") and io.now() < limit do
        io.sleep(10)
    end

    local good, why = pcall(fn, words)

    call("-s", "stop", unpack(words))
    server:wait(5000)
    os.execute("rm -rf " .. ROOT)
    assert(good, why)
end

describe("what workers say", function ()

    it("is added up by stack, over all of them", function ()
        local seen = seen_of("begins, of worker 0", "begins, of worker 1",
            "cpu 3 a;b", "wait 70 a;ngx.sleep", "cpu 2 a;b", "cpu 9 a b;c d",
            "ends, 14 samples in 99 ms")

        assert.equal(2, seen.begun)
        assert.equal(1, seen.ended)
        assert.same({ ["a;b"] = 5, ["a b;c d"] = 9 }, seen.cpu)
        assert.same({ ["a;ngx.sleep"] = 70 }, seen.wait)
        assert.equal("a b;c d 9\na;b 5\n", profile.folded(seen.cpu))
    end)

    it("is nothing where a line only looks like it", function ()
        local seen = seen_of("begun 4 a;b", "cpu x a;b", "cpu 5", "ended 5 a")

        profile.take_line(seen, "no profile at all")
        assert.same({}, seen.cpu)
        assert.equal(0, seen.begun + seen.ended)
    end)
end)

describe("a flame graph", function ()

    it("has each function as wide as all that it has called", function ()
        local root = flame.tree { ["a;b"] = 5, ["a;c"] = 2, a = 1, d = 4 }

        assert.equal(12, root.value)
        assert.equal(8, root.index.a.value)
        assert.equal(5, root.index.a.index.b.value)
    end)

    it("has no tag of a name's, whatever a script is called", function ()
        local page = flame.page({ ['</script><b>"\\'] = 1 }, "cpu",
                                { seconds = 1, workers = 1 })
        local _, ends = page:gsub("</script>", "")

        assert.equal(1, ends)
        assert.truthy(page:find(
            [=["\u003c/script\u003e\u003cb\u003e\u0022\u005c",1,[]]=],
            1, true))
    end)
end)

describe("lunette profile", function ()

    it("writes what all workers compute, as text", function ()
        serve([[location / { content_by_lua_block {
            local function spin(n) local s = 0
                for i = 1, n do s = s + i % 7 end return s end
            local e = ngx.now() + 3
            while ngx.now() < e do spin(1e5) ngx.sleep(0) end
        } }]], function (words)
            local socket = assert(io.connect("127.0.0.1:" .. PORT, 1000))

            socket:send("GET / HTTP/1.0\r\n\r\n", 1000)
            local status, out, err = call("profile", "--seconds", "0.5",
                                          "--folded", unpack(words))
            socket:close()
            assert.equal(0, status, err)
            assert.truthy(out:find "content_by_lua%* /;.*:spin;.* %d+\n")
        end)
    end)

    it("says why there is nothing", function ()
        serve("location / { return 200; }", function (words)
            local status, _, err = call("profile", "--seconds", "0.1",
                                        unpack(words))

            assert.equal(1, status)
            assert.truthy(err:find "no machine of Lua")
        end)
    end)

    for words, why in pairs {
        ["--seconds 99"] = "up to 55", ["--seconds"] = "up to 55",
        ["--cpu"] = 'unknown option "--cpu"', ["-o"] = "name of a file",
    } do
        it("refuses " .. words, function ()
            serve("location / { return 200; }", function (server)
                local all = { "profile", unpack(server) }

                for word in words:gmatch "%S+" do
                    all[#all + 1] = word
                end

                local status, _, err = call(unpack(all))

                assert.equal(1, status)
                assert.truthy(err:find(why, 1, true), err)
            end)
        end)
    end
end)
