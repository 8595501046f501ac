-- `lunette run`, seen from outside: its options, the script's arguments, the
-- status of its end.
--
-- LUNETTE="wine build/windows/lunette.exe" runs these against another binary.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local options = require "lunette.spec.options"

local SERVER = options.words(os.getenv("LUNETTE") or io.program() .. "/lunette")
local ROOT = "/tmp/lunette-run-" .. io.pid()
local ECHO = "print(arg[0], #arg, ...)"
local USAGE = "^usage: lunette run %[%-c conf%]"

local function path(name)
    return ROOT .. "/" .. name
end

local function file(name, text)
    assert(io.write(path(name), text))
    return path(name)
end

-- The exit status, standard output, standard error.
local function run(...)
    local argv = {}

    for _, word in ipairs(SERVER) do
        argv[#argv + 1] = word
    end
    argv[#argv + 1] = "run"
    for _, word in ipairs { ... } do
        argv[#argv + 1] = word
    end
    local process = assert(io.run(argv, path("out"), path("err")))
    local status = process:wait(20000)

    return status, (io.read(path("out")):gsub("\r", "")),
           (io.read(path("err")):gsub("\r", ""))
end

local function prints(expected, ...)
    local status, out, err = run(...)

    assert.equal("", err)
    assert.equal(expected, out)
    assert.equal(0, status)
end

before_each(function ()
    io.remove(ROOT)
    assert(io.make_dir(ROOT))
end)

after_each(function ()
    io.remove(ROOT)
end)

describe("lunette run", function ()

    it("tells how it is called", function ()
        for _, args in ipairs { {}, { "-x", "y" }, { "-e" }, { "--" },
                                { "-c" }, { "-I", "x", "-p" }, { "-c", "x" } }
        do
            local status, out, err = run(unpack(args))

            assert.equal(1, status)
            assert.equal("", out)
            assert.matches(USAGE, err)
        end
    end)

    it("runs a script with its arguments", function ()
        local script = file("a.lua", ECHO)

        prints(script .. "\t0\n", script)
        prints(script .. "\t3\t-e\tb\t--\n", script, "-e", "b", "--")
        prints(script .. "\t1\t-p\n", "--", script, "-p")
    end)

    it("runs code before the script, or alone", function ()
        local script = file("a.lua", "print('two', ...)")

        prints("one\tx\ntwo\tx\n", "-e", "print('one', ...)", script, "x")
        prints("\t0\n", "-e", ECHO)
        prints("\t0\n", "-e" .. ECHO)
        prints("2\n", "-e", "print(1)", "-e", "print(2)")
    end)

    it("finds modules in the folders of -I, in their order", function ()
        for _, name in ipairs { "a", "b", "b/pack" } do
            assert(io.make_dir(path(name)))
        end
        file("a/both.lua", "return 'a'")
        file("b/both.lua", "return 'b'")
        file("b/pack/init.lua", "return 'pack'")

        prints("a\tpack\ttable\n", "-I", path("a"), "-I" .. path("b"), "-e",
               "print(require 'both', require 'pack', type(require 'cjson'))")
    end)

    it("has the zones of a configuration, whose prefix may be told", function ()
        assert(io.make_dir(path("conf")))
        file("conf/own.conf", "events { }\n"
             .. "http { access_log off; lua_shared_dict dogs 1m; }\n")
        local code = "print(ngx.shared.dogs:capacity(), ngx.config.prefix())"

        prints("1048576\t" .. path("") .. "\n", "-p", path(""),
               "-c", "conf/own.conf", "-e", code)
        prints("nil\n", "-e", "print(ngx.shared.dogs)")
    end)

    it("does not run what cannot be configured", function ()
        local status, out, err = run("-c", path("none.conf"), "-e", "print(1)")

        assert.equal(1, status)
        assert.equal("", out)
        assert.matches("none.conf", err, 1, true)
    end)

    it("ends with the status of the script", function ()
        for code, expected in pairs {
            ["ngx.exit(3)"] = 3, ["ngx.sleep(0.001) ngx.exit(4)"] = 4,
            ["ngx.exit(0)"] = 0, ["os.exit(5)"] = 5, ["return 7"] = 0,
        } do
            assert.equal(expected, (run("-e", code)))
        end
    end)

    it("says where a script failed", function ()
        local status, out, err = run("-e", "print(1) error('oops') print(2)")

        assert.equal(1, status)
        assert.equal("1\n", out)
        assert.matches("^lunette: %(command line%):1: oops\nstack traceback:",
                       err)
        status, _, err = run("-e", "ngx.sleep(0.001) error({})")
        assert.equal(1, status)
        assert.matches("^lunette: table: ", err)
        status, _, err = run("-e", "x =")
        assert.equal(1, status)
        assert.matches("^lunette: %(command line%):1: unexpected symbol", err)
        status, _, err = run(path("none.lua"))
        assert.equal(1, status)
        assert.matches("^lunette: cannot open", err)
    end)

    it("ends with the script, and lets timers run early then", function ()
        local code = "ngx.timer.at(100, function (premature)\n"
                     .. "ngx.sleep(0.001) print(premature,\n"
                     .. "ngx.worker.exiting()) end) print('end')"

        prints("end\ntrue\ttrue\n", "-e", code)
    end)
end)
