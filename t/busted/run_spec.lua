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
local USAGE = "^resty %[options%] %[lua%-file %[args%]%]\n.*\nOptions:\n"

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
        for _, option in ipairs { "-h", "--help" } do
            local status, out, err = run(option)

            assert.equal(0, status)
            assert.matches(USAGE, out)
            assert.equal("", err)
        end
        for _, args in ipairs { {}, { "--" }, { "-c", "x" } } do
            local status, out, err = run(unpack(args))

            assert.equal(2, status)
            assert.equal("", out)
            assert.equal('Neither Lua input file nor -e "" option specified.\n',
                         err)
        end
    end)

    it("says what is wrong with an option", function ()
        local at_once = "options --%s and --%s cannot be specified at the "
                        .. "same time."

        for _, args in ipairs {
            { 1, "unknown argument: `-x`", "-x", "y" },
            { 255, "option -e takes an argument but found none.", "-e" },
            { 255, "option -p takes an argument but found none.", "-I", "x",
              "-p" },
            { 255, "ERROR: Invalid -c option value: 0\n"
                   .. "  (expecting a number of connections)", "-c", "0" },
            { 255, "ERROR: invalid --shdict option value: dogs\n"
                   .. "  (expecting NAME SIZE)", "--shdict=dogs" },
            { 255, "ERROR: Invalid --ns option value: invalid\n"
                   .. "  (expecting an IP address)", "--ns", "invalid" },
            { 2, "ERROR: could not find http include file '/no/such/file'",
              "--http-include=/no/such/file" },
            { 2, "ERROR: could not find main include file '/no/such/file'",
              "--main-include=/no/such/file" },
            { 2, 'ERROR: failed to run command "/no/such/file": No such file '
                 .. "or directory", "--nginx=/no/such/file" },
            { 25, "ERROR: " .. at_once:format("gdb", "valgrind"), "--valgrind",
              "--gdb" },
            { 25, "ERROR: " .. at_once:format("gdb", "rr"), "--gdb", "--rr" },
            { 25, "ERROR: " .. at_once:format("rr", "valgrind"), "--rr",
              "--valgrind" },
            { 2, "Lua input file /no/such/file not found.", "/no/such/file" },
            { 1, 'ERROR: parts of a configuration beside "x"', "-e", "x=1",
              "-c", "x", "--shdict", "a 1m" },
        } do
            local status, out, err = run(unpack(args, 3))

            assert.equal(args[2] .. "\n", err)
            assert.equal("", out)
            assert.equal(args[1], status)
        end
    end)

    it("is run by another program", function ()
        local us = table.concat(SERVER, " ")
        local status, out, err = run("--user-runner",
            us .. ' run -e "print(arg[2], arg[3])\nos.exit(7)" --',
            "-e", "never")

        assert.equal("", err)
        assert.equal("run\t-e\n", out)
        assert.equal(7, status)
        assert.equal(2, (run("--user-runner", "no-such-program", "-e", "x=1")))
    end)

    it("wants an http block in a configuration", function ()
        local conf = file("no.conf", "events { }\n")
        local status, _, err = run("-c", conf, "-e", "print(1)")

        assert.equal(1, status)
        assert.equal(('lunette run: no http block in "%s"\n'):format(conf),
                     err)
    end)

    it("tells its version", function ()
        local status, _, err = run "-v"

        assert.equal(0, status)
        assert.matches("^resty 0%.29\nnginx version: [^\n]*\nbuilt by "
                       .. "[^\n]*\nbuilt with [^\n]*\n$", err)
        assert.matches("configure arguments: ", (select(3, run "-V")))
    end)

    it("runs a script with its arguments", function ()
        local script = file("a.lua", ECHO)

        prints(script .. "\t0\n", script)
        prints(script .. "\t3\t-e\tb\t--\n", script, "-e", "b", "--")
        prints(script .. "\t1\t-p\n", "--", script, "-p")
    end)

    it("tells a script what stood before it", function ()
        local script = file("a.lua", "print(arg[-1], arg[-2], arg[-3])")

        prints("/tmp\t-I\trun\n", "-I", "/tmp", script)
        prints("hello\tworld\n", "-e", "print(arg[1], arg[2])", "hello",
               "world")
        prints("true\n", "-e", "print(ngx.config.is_console)")
    end)

    it("runs code before the script, or alone", function ()
        local script = file("a.lua", "print('two', ...)")

        prints("one\tx\ntwo\tx\n", "-e", "print('one', ...)", script, "x")
        prints("\t0\n", "-e", ECHO)
        prints("\t0\n", "-e" .. ECHO)
        prints("1\n2\n", "-e", "print(1)", "-e", "print(2)")
    end)

    it("says what ngx.say and ngx.print say", function ()
        prints("a1niltrue[]\n", "-e",
               'ngx.say("a", 1, {nil, true}, {"[", "]"})')
        prints("x", "-e", 'ngx.print("x") ngx.flush(true) ngx.eof()')
        local status, _, err = run("-e", "ngx.say(print)")
        assert.equal(1, status)
        assert.matches("bad argument #1 to 'say'", err, 1, true)
    end)

    it("requires modules in their turn, and leaves LuaJIT alone", function ()
        file("first.lua", "print 'first'")
        prints("0\nfirst\n1\n", "-I", ROOT, "-e", "local n = 0 print(n)", "-l",
               "first", "-e", "print(n + 1)")
        prints("first\n", "-I", ROOT, "-l", "first")
        prints("first\nfalse\n", "-I", ROOT, "-l", "first", "-j", "off", "-e",
               "print((jit.status()))")
        local status, _, err = run("-l", "no.such.thing", "-e", "x = 1")
        assert.equal(1, status)
        assert.matches("module 'no.such.thing' not found", err, 1, true)
        _, _, err = run("-j", "v", "-e", "for i = 1, 200 do end")
        assert.matches("TRACE +%d+ %(command line %-e%):1 loop%]", err)
    end)

    it("has dictionaries by --shdict", function ()
        prints("7\n", "--shdict", "cats 1m", "--shdict=dogs 1m", "-e",
               'local d = ngx.shared.dogs d:set("a", 7) print(d:get("a"))')
    end)

    it("takes parts of a configuration", function ()
        local conf = file("birds.conf", "lua_shared_dict birds 1m;\n")

        prints("true\n", "--http-include", conf, "--main-conf", "env HOME;",
               "--ns", "127.0.0.1", "-c", "128", "-e",
               "print(ngx.shared.birds ~= nil)")
        local status, _, err = run("--http-conf", "nonsense;", "-e", "x = 1")
        assert.equal(1, status)
        assert.matches('unknown directive "nonsense"', err, 1, true)
    end)

    it("knows names where its configuration has no resolver", function ()
        prints("1\n", "--http-conf", "lua_shared_dict birds 1m;", "-e",
               'print(ngx.socket.udp():setpeername("localhost", 9))')
    end)

    it("logs warnings, and what is asked for", function ()
        local _, _, err = run("-e", 'ngx.log(ngx.WARN, "w")')
        assert.matches("%[warn%].* w, ", err)
        prints("", "-e", 'ngx.log(ngx.INFO, "i")')
        _, _, err = run("--errlog-level", "info", "-e",
                        'ngx.log(ngx.INFO, "i")')
        assert.matches("%[info%].* i, ", err)
    end)

    it("reads a script from standard input, and is resty by that name",
        function ()
            if os.getenv("LUNETTE") then
                return pending("another program")
            end
            assert(os.execute("ln -s $(realpath " .. SERVER[1] .. ") "
                              .. path("resty")))
            assert(os.execute("echo 'print((select(2, ...)))' | "
                              .. path("resty") .. " - a b > " .. path("out")))
            assert.equal("b\n", io.read(path("out")))
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
        assert.equal("ERROR: (command line -e):1: oops\nstack traceback:\n"
                     .. "\t[C]: in function 'error'\n"
                     .. "\t(command line -e):1: in main chunk\n", err)
        status, _, err = run("-e", "ngx.sleep(0.001) error({})")
        assert.equal(1, status)
        assert.matches("^ERROR: table: ", err)
        status, _, err = run("-e", "x =")
        assert.equal(1, status)
        assert.matches("^ERROR: %(command line %-e%):1: unexpected symbol", err)
        _, _, err = run(file("f.lua", "local function f()\n error 'no'\nend\n"
                                      .. "f()\n"))
        assert.matches("^ERROR: [^\n]*f.lua:2: no\nstack traceback:\n"
                       .. "\t%[C%]: in function 'error'\n"
                       .. "\t[^\n]*f.lua:2: in function 'f'\n"
                       .. "\t[^\n]*f.lua:4: in main chunk\n$", err)
    end)

    it("starts programs", function ()
        prints("trueexit0\nhello\n", "-e",
               'local p = assert(require("ngx.pipe").spawn("echo hello")) '
               .. "local out = p:stdout_read_all() ngx.say(p:wait()) "
               .. 'ngx.print((out:gsub("\\r", "")))')
    end)

    it("ends with the script, and lets timers run early then", function ()
        local code = "ngx.timer.at(100, function (premature)\n"
                     .. "ngx.sleep(0.001) print(premature,\n"
                     .. "ngx.worker.exiting()) end) print('end')"

        prints("end\ntrue\ttrue\n", "-e", code)
    end)

    it("counts the script as a timer that runs", function ()
        prints("1\n2\n", "-e", "print(ngx.timer.running_count())\n"
               .. "ngx.timer.at(0, function ()\n"
               .. "print(ngx.timer.running_count()) end) ngx.sleep(0.05)")
    end)

    it("ends when nobody reads what it says", function ()
        for _, code in ipairs {
            "while true do print(1) end",
            "while true do ngx.say(1) end",
            "while true do io.write(1) end",
            "while true do io.stdout:write(1) end",
        } do
            local command = ("{ %s run -e '%s'; echo $? > %s; } | head -c 1")
                :format(table.concat(SERVER, " "), code, path("status"))
            local process = assert(io.run({ "/bin/sh", "-c", command },
                                          path("out"), path("err")))

            assert.equal(0, process:wait(20000))
            assert.equal("141\n", io.read(path("status")))
        end
    end)
end)
