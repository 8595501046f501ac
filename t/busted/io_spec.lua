-- What the spec runner asks of the system: files, programs, sockets.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io_room = require "lunette.spec.io"

local ROOT = "/tmp/lunette-io-" .. io_room.pid()
local PORT = 20000 + (io_room.pid() + 3333) % 10000
local ADDRESS = "127.0.0.1:" .. PORT

local function path(name)
    return ROOT .. "/" .. name
end

before_each(function ()
    io_room.remove(ROOT)
    assert(io_room.make_dir(ROOT))
end)

after_each(function ()
    io_room.remove(ROOT)
end)

describe("files", function ()
    it("are written whole, and read from anywhere", function ()
        assert.is_true(io_room.write(path("a"), "0123456789"))
        assert.is_true(io_room.write(path("b"), ("x"):rep(200000)))
        assert.equal(10, io_room.size(path("a")))
        assert.equal("0123456789", io_room.read(path("a")))
        assert.equal("789", io_room.read(path("a"), 7))
        assert.equal("", io_room.read(path("a"), 10))
        assert.equal(200000, #io_room.read(path("b")))
        assert.is_true(io_room.write(path("b"), ""))
        assert.equal(0, io_room.size(path("b")))
        assert.same({ "a", "b" }, io_room.list(ROOT))
    end)

    it("may be many", function ()
        local names = {}

        for i = 1, 700 do
            names[i] = ("%03d"):format(i) .. ("n"):rep(100)
            assert(io_room.write(path(names[i]), ""))
        end
        assert.same(names, io_room.list(ROOT))
        assert.same({}, io_room.list(ROOT) and (io_room.remove(ROOT)
                         and io_room.make_dir(ROOT) and io_room.list(ROOT)))
    end)

    it("are told of when they are not there", function ()
        local none = path("none")

        assert.is_nil(io_room.size(none))
        for _, call in ipairs { "read", "list" } do
            local value, why = io_room[call](none)
            assert.is_nil(value)
            assert.truthy(why:find(none, 1, true))
        end
        local value, why = io_room.write(none .. "/x", "y")
        assert.is_nil(value)
        assert.truthy(why:find(none, 1, true))
        value, why = io_room.date(none, 1)
        assert.is_nil(value)
        assert.truthy(why:find(none, 1, true))
        assert.is_true(io_room.remove(none))
    end)

    it("are removed with all that is in them", function ()
        assert(io_room.make_dir(path("a/b/c")))
        assert(io_room.write(path("a/b/c/d"), "x"))
        assert.is_true(io_room.remove(path("a")))
        assert.same({}, io_room.list(ROOT))
    end)
end)

describe("programs", function ()
    it("write where they are told to", function ()
        assert(io_room.write(path("out"), "what was there before"))
        io_room.setenv("LUN_IO_SPEC", "here")
        local p = assert(io_room.run({ "/bin/sh", "-c",
            "echo $LUN_IO_SPEC; echo wrong >&2; exit 7" },
            path("out"), path("err")))

        assert.equal(7, p:wait(20000))
        assert.equal(7, p:wait(0))
        assert.equal("here\n", io_room.read(path("out")))
        assert.equal("wrong\n", io_room.read(path("err")))
        p:kill()
    end)

    it("are waited for no longer than that, and may be killed", function ()
        local p = assert(io_room.run({ "/bin/cat" }, path("out"), path("err")))
        p:kill()
        assert.truthy(p.status)
        p = assert(io_room.run({ "/bin/sleep", "1000" }, path("out"),
                               path("err")))
        local began = io_room.now()

        assert.is_nil(p:wait(0))
        assert.is_nil(p:wait(20))
        assert.is_true(io_room.now() - began >= 19)
        p:kill()
        assert.not_equal(0, p.status)
    end)

    it("that are none are no processes", function ()
        local p, why = io_room.run({ path("none") }, path("out"), path("err"))

        if p then
            assert.not_equal(0, p:wait(20000))
        else
            assert.truthy(why:find("none", 1, true))
        end
    end)
end)

describe("sockets", function ()
    local listener

    before_each(function ()
        listener = assert(io_room.listen(ADDRESS))
    end)

    after_each(function ()
        listener:close()
        listener:close()
    end)

    it("talk", function ()
        local none, why = listener:accept(1)
        assert.is_nil(none)
        assert.equal("timed out", why)

        local one = assert(io_room.connect(ADDRESS, 1000))
        local two = assert(listener:accept(1000))

        none, why = two:receive(1)
        assert.is_nil(none)
        assert.equal("timed out", why)
        assert.is_true(one:send("hello", 1000))
        assert.equal("hello", two:receive(1000))
        assert.is_true(one:shutdown())
        assert.equal("", two:receive(1000))
        assert.is_true(two:send("bye", 1000))
        assert.equal("bye", one:receive(1000))
        two:close()
        assert.equal("", one:receive(1000))
        one:close()
    end)

    it("do not wait for ever to send", function ()
        local one = assert(io_room.connect(ADDRESS, 1000))
        local two = assert(listener:accept(1000))
        local ok, why = one:send(("x"):rep(50000000), 20)

        assert.is_nil(ok)
        assert.truthy(why)
        one:close()
        two:close()
    end)

    it("have addresses that are some", function ()
        for _, call in ipairs { "connect", "listen", "bind" } do
            for _, text in ipairs { "", "here", "127.0.0.1:x" } do
                local none, why = io_room[call](text, 100)

                assert.is_nil(none)
                assert.equal('bad address "' .. text .. '"', why)
            end
        end
        local none, why = io_room.bind("198.51.100.1:" .. PORT)
        assert.is_nil(none)
        assert.truthy(why:find("bind()", 1, true))
        none, why = io_room.listen(ADDRESS)
        assert.is_nil(none)
        assert.truthy(why)
    end)

    it("answer datagrams", function ()
        local server = assert(io_room.bind(ADDRESS))
        local none, why = server:take()

        assert.is_nil(none)
        assert.equal("timed out", why)
        local sock = ngx.socket.udp()
        assert(sock:setpeername("127.0.0.1", PORT))
        assert(sock:send("ask"))
        local got
        for _ = 1, 1000 do
            got = server:take()
            if got then break end
            io_room.sleep(1)
        end
        assert.equal("ask", got)
        assert.is_true(server:reply("answer"))
        assert.equal("answer", sock:receive())
        server:close()
        sock:close()
    end)
end)

describe("this process", function ()
    it("knows where and what it is", function ()
        assert.is_true(io_room.cpus() >= 1)
        assert.truthy(io_room.size(io_room.program() .. "/lunette"))
        assert.is_true(io_room.size(io_room.current() .. "/t/README.md") > 0)
        assert.equal("boolean", type(io_room.is_root()))
        local before = io_room.now()
        io_room.sleep(3)
        assert.is_true(io_room.now() - before >= 2)
    end)
end)
