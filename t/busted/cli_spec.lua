-- The command line and the life of a server, seen from outside.
--
-- LUNETTE="wine build/windows/lunette.exe" runs these against another binary.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local options = require "lunette.spec.options"

local OTHER = os.getenv("LUNETTE")
local WINDOWS = OTHER and OTHER:find("%.exe$")
local SERVER = options.words(OTHER or io.program() .. "/lunette")
local ROOT = "/tmp/lunette-cli-" .. io.pid()
local PORT = 20000 + io.pid() % 10000
local ADDRESS = "127.0.0.1:" .. PORT

local MAIN = "daemon off; error_log logs/error.log notice;\n"
             .. (io.is_root() and not WINDOWS and "user root;\n" or "")
             .. "events { }\n"
local SITE = MAIN .. "worker_processes 2;\n"
             .. "http { access_log off; server { listen " .. ADDRESS .. ";\n"
             .. "  location / { content_by_lua_block {\n"
             .. "    ngx.say('one ', ngx.worker.pid()) } } } }\n"

local function path(name)
    return ROOT .. "/" .. name
end

local function conf(text, name)
    assert(io.write(path("conf/" .. (name or "nginx.conf")), text))
end

local function command(args, verb)
    local argv = {}

    for _, word in ipairs(SERVER) do
        argv[#argv + 1] = word
    end
    argv[#argv + 1] = verb
    argv[#argv + 1] = "-p"
    argv[#argv + 1] = ROOT
    for _, word in ipairs(args) do
        argv[#argv + 1] = word
    end
    return argv
end

-- The exit status, standard output, standard error.
local function call_as(argv)
    io.remove(path("out"))
    io.remove(path("err"))
    local process = assert(io.run(argv, path("out"), path("err")))
    local status = process:wait(20000)

    return status, io.read(path("out")) or "", io.read(path("err")) or ""
end

local function call(...)
    return call_as(command { ... })
end

local function log()
    return io.read(path("logs/error.log")) or ""
end

-- Whatever `fn` says within five seconds; its last word otherwise.
local function wait_for(fn)
    local limit = io.now() + 5000
    local value = fn()

    while not value and io.now() < limit do
        io.sleep(10)
        value = fn()
    end
    return value
end

local function get(address)
    local socket = io.connect(address or ADDRESS, 1000)
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
    return text:match("\r\n\r\n(.*)$")
end

local server

local function start_as(argv)
    server = assert(io.run(argv, path("sout"), path("serr")))
    assert.truthy(wait_for(function ()
        return io.size(path("logs/nginx.pid")) and get()
    end))
end

local function start(...)
    start_as(command { ... })
end

before_each(function ()
    io.remove(ROOT)
    for _, name in ipairs { "conf", "logs" } do
        assert(io.make_dir(path(name)))
    end
    conf(SITE)
end)

after_each(function ()
    if server then
        if not server:wait(0) then
            server:kill()
        end
        server = nil
    end
    io.remove(ROOT)
end)

describe("the command line", function ()

    it("tells the version on standard error", function ()
        local status, out, err = call("-v")

        assert.equal(0, status)
        assert.equal("", out)
        assert.matches("^nginx version: [%a]+/[%d.]+\r?\n", err)
    end)

    it("tells what is built in", function ()
        local status, _, err = call("-V")

        assert.equal(0, status)
        assert.matches("\nbuilt by %l+ [%d.]+[^\n]*\nbuilt with OpenSSL [%d.]+",
                       err)
        assert.matches("\nconfigure arguments: %-%-", err)
        assert.matches("\nbuilt with PCRE2 %d+%.%d+, zlib%-ng %d.*, LuaJIT 2",
                       err)
    end)

    it("refuses what it does not know", function ()
        local status, _, err = call("-y")

        assert.equal(1, status)
        assert.matches('invalid option: "y"', err)
        status, _, err = call("-s", "dance")
        assert.equal(1, status)
        assert.matches('invalid option: "%-s dance"', err)
    end)

    it("says that a configuration is good", function ()
        local status, _, err = call("-t")

        assert.equal(0, status)
        assert.matches("the configuration file .*conf/nginx.conf "
                       .. "syntax is ok\n", err)
        assert.matches("configuration file .*conf/nginx.conf "
                       .. "test is successful\n", err)
        status, _, err = call("-tq")
        assert.equal(0, status)
        assert.equal("", err)
    end)

    it("does not run init_by_lua to look at a configuration", function ()
        conf(MAIN .. "http { init_by_lua_block { error('ran') } }\n"
             .. "stream { init_by_lua_block { error('ran') } }\n")
        local status, _, err = call("-t")

        assert.equal(0, status)
        assert.is_nil(err:find("ran", 1, true))
    end)

    it("says what is wrong with one, at the terminal and in the log",
       function ()
        conf("\nbogus;\n")
        local status, _, err = call("-t")

        assert.equal(1, status)
        assert.matches('%[emerg%] unknown directive "bogus" in '
                       .. ".*nginx.conf:2\n", err)
        assert.matches("configuration file .*nginx.conf test failed\n", err)
        assert.matches('%[emerg%] %d+#%d+: unknown directive "bogus"', log())
    end)

    it("prints the files of a configuration, each once", function ()
        conf("events { }\ninclude x.conf; include x.conf;\n")
        conf("# x\nenv A;\n", "x.conf")
        local status, out = call("-T", "-q")

        assert.equal(0, status)
        out = out:gsub("\r\n", "\n")
        assert.matches("^# configuration file .*conf/nginx.conf:\nevents", out)
        assert.equal(2, select(2, out:gsub("# configuration file", "")))
        assert.matches("conf/x.conf:\n# x\nenv A;\n", out)
    end)

    it("takes another configuration and directives of its own", function ()
        conf("events { }\n", "other.conf")
        assert.equal(0, (call("-t", "-c", "conf/other.conf")))
        local status, _, err = call("-t", "-c", "conf/other.conf", "-g",
                                    "bogus on;")

        assert.equal(1, status)
        assert.matches('unknown directive "bogus" in command line', err)
    end)

    it("has an error log of its own until the file names one", function ()
        conf("bogus;")
        call("-e", "logs/other.log")
        assert.matches("unknown directive", io.read(path("logs/other.log")))
        assert.falsy(io.size(path("logs/error.log")))
    end)

    it("can't tell a word to a server that is not there", function ()
        local status, _, err = call("-s", "reload")

        assert.equal(1, status)
        assert.matches('open%(%) ".*logs/nginx.pid" failed', err)
        io.write(path("logs/nginx.pid"), "x\n")
        status, _, err = call("-s", "stop")
        assert.equal(1, status)
        assert.matches('invalid PID number "x" in ', err)
    end)

    it("says which of user and group is not known", function ()
        if not io.is_root() or WINDOWS then
            return pending("only root can be somebody else")
        end
        conf("user root lunette-none; events { }")
        local status, _, err = call("-t")

        assert.equal(1, status)
        assert.matches('%[emerg%] getgrnam%("lunette%-none"%) failed in '
                       .. ".*nginx.conf:1\n", err)
        conf("user lunette-none; events { }")
        status, _, err = call("-t")
        assert.equal(1, status)
        assert.matches('%[emerg%] getpwnam%("lunette%-none"%) failed in '
                       .. ".*nginx.conf:1\n", err)
    end)

    it("tries whether addresses can be had, and lets them go", function ()
        conf("events { } http { server { listen 192.0.2.9:81; } }")
        local status, _, err = call("-t")

        assert.equal(1, status)
        assert.matches("%[emerg%] bind%(%) to 192.0.2.9:81 failed %(%d+: .*"
                       .. "nginx.conf:1\n.* test failed", err)
    end)

    it("finds the host of debug_connection", function ()
        conf("events { debug_connection 'a b'; } http { }")
        local status, _, err = call("-t")

        assert.equal(1, status)
        assert.matches('%[emerg%] host not found in debug_connection "a b" in '
                       .. ".*nginx.conf:1\n", err)
    end)

    it("makes certificates, and writes over none", function ()
        local function cert(...)
            local argv = { unpack(SERVER) }

            for _, word in ipairs { "cert", "-o", path("certs"), ... } do
                argv[#argv + 1] = word
            end
            return call_as(argv)
        end

        local status, out = cert("--ca", path("ca"), "*.a.test", "::1")

        assert.equal(0, status)
        assert.matches("ssl_certificate .*/certs/_%.a%.test%.crt;", out)
        assert.matches("^%-+BEGIN CERT", io.read(path("certs/_.a.test.crt")))
        assert.matches("^%-+BEGIN PRIVATE KEY",
                       io.read(path("certs/_.a.test.key")))
        local ca = io.read(path("ca/ca.key"))

        assert.equal(0, (cert("--ca", path("ca"), "b.test")))
        assert.equal(ca, io.read(path("ca/ca.key")))
        local why
        status, _, why = cert("b.test")
        assert.equal(1, status)
        assert.matches("b.test.key: File exists", why)

        for words, complaint in pairs {
            ["a..b"] = "is no name", ["-k rsa:1"] = "unsupported key size",
            ["-d 0"] = "no number of days", ["-o"] = "wants a value",
            ["-x y"] = "is no option"
        } do
            status, _, why = cert(options.words(words)[1],
                                  options.words(words)[2])
            assert.equal(1, status, words)
            assert.matches(complaint, why)
        end
    end)

    it("checks what the machine gives", function ()
        local status, out = call_as(command({}, "check"))

        assert.equal(0, status)
        assert.matches("ok +a server +two workers served %d+", out)
    end)

    -- Where this fails, a row was changed: make manual
    for page, file in pairs {
        ["--variables"] = "manual/variables.md",
        ["--api"] = "manual/api.md", ["--topics"] = "manual/topics.md",
        ["--commands"] = "manual/commands.md",
        ["--completion bash"] = "install/completion.bash",
        ["--completion zsh"] = "install/completion.zsh",
        ["--completion powershell"] = "install/completion.ps1",
    } do
        it("has what its tables say in " .. file, function ()
            local argv = options.words("help " .. page)

            table.insert(argv, 1, SERVER[1])
            local status, out = call_as(argv)

            assert.equal(0, status)
            assert.is_true(out == io.read("conf/" .. file))
        end)
    end

    it("helps with a variable and a function, too", function ()
        local status, out = call_as { SERVER[1], "help", "$arg_a", "ngx.say" }

        assert.equal(0, status)
        assert.matches("%$arg_ %(http%): a value of the query", out)
        assert.matches("In: .*content", out)
        status, out = call_as { SERVER[1], "help", "$none_", "ngx.none" }
        assert.equal(1, status)
        assert.equal('nothing is known of "$none_"\n\n'
                     .. 'nothing is known of "ngx.none"\n'
                     .. 'did you mean "ngx.now"?\n', out)
    end)

    it("helps with modules, methods, and what people call a thing", function ()
        for words, what in pairs {
            ["resty.redis"] = "^resty.redis: A client of Redis",
            ["ngx.shared.DICT.incr"] = "^ngx.shared.DICT:incr%(key, number",
            ["ngx.shared.hits:incr"] = "^ngx.shared.DICT:incr%(key, number",
            ["ngx.semaphore"] = "wait%(seconds%)",
            ["ngx.socket.tcp.receiveuntil"] = "^tcpsock:receiveuntil%(",
            ["websocket"] = "^WebSocket: .*Directives: proxy_http_version",
            ["WEBSOCKET"] = "^WebSocket: ",
            ["rate limit"] = "^Rate limit: .*limit_req_zone",
            ["letsencrypt"] = "^ACME: ",
            ["502"] = "^502: ", ["tls"] = "^TLS: ", ["cache"] = "^Cache: ",
            ["purge"] = "^Cache purge: ",
        } do
            local argv = options.words("help " .. words)

            table.insert(argv, 1, SERVER[1])
            local status, out = call_as(argv)

            assert.equal(0, status)
            assert.matches(what, out)
        end
    end)

    it("helps with each of several directives", function ()
        local status, out = call_as { SERVER[1], "help", "root", "alias" }

        assert.equal(0, status)
        assert.matches("Syntax:  root .*\n\nSyntax:  alias", out)
    end)

    it("says which name may be meant", function ()
        for name, near in pairs {
            ["$remote_adr"] = '"$remote_addr"', proxy_pas = '"proxy_pass"',
            ["ngx.sai"] = '"ngx.say"', ["resty.reddis"] = '"resty.redis"',
            ["websockt"] = '"websocket"',
        } do
            local status, out = call_as { SERVER[1], "help", name }

            assert.equal(1, status)
            assert.is_truthy(out:find("did you mean " .. near, 1, true), out)
        end
    end)

    for _, name in ipairs { "run", "spec", "init", "check", "service",
                            "help" } do
        it("says what " .. name .. " is for", function ()
            for _, option in ipairs { "-h", "--help" } do
                local status, out, err = call_as {
                    io.program() .. "/lunette", name, option }

                assert.equal(0, status)
                assert.matches("lunette " .. name .. " %S", out .. err)
            end
        end)
    end

    it("names the place of an unknown variable, and which may be meant",
       function ()
        conf("events { }\nhttp {\n  log_format a '$remote_adr';\n"
             .. "  server {\n    listen " .. ADDRESS
             .. ";\n    return 200 $nobody_knows;\n  }\n}\n")
        local status, _, err = call("-t")

        assert.equal(1, status)
        assert.matches('%[emerg%] unknown "remote_adr" variable in '
                       .. "[^\n]*nginx.conf:3\n", err)
        assert.matches('%[warn%] did you mean "%$remote_addr"', err)
        assert.matches('%[emerg%] unknown "nobody_knows" variable in '
                       .. "[^\n]*nginx.conf:6\n", err)
    end)

    it("says for which shells there is completion", function ()
        local status, out = call_as { SERVER[1], "help", "--completion",
                                      "fish" }

        assert.equal(1, status)
        assert.matches("bash zsh powershell", out)
    end)

    it("ends as its tools say", function ()
        local argv = options.words(table.concat(SERVER, " ") .. " spec --help")

        assert.equal(0, (call_as(argv)))
        argv[#argv] = "--none"
        assert.equal(1, (call_as(argv)))
    end)

    it("wants an events section", function ()
        conf("http { }")
        local status, _, err = call()

        assert.equal(1, status)
        assert.matches('%[emerg%] no "events" section in configuration', err)
    end)
end)

describe("a server", function ()

    it("says what its workers may not look at, whoever asks", function ()
        if WINDOWS then
            return pending("modes of files are no rights there")
        end
        os.execute("mkdir -p " .. path("html/shut"))
        assert(io.write(path("html/shut/a"), "a"))
        os.execute("chmod 0 " .. path("html/shut"))
        conf((SITE:gsub("user root;", "user daemon;")
             :gsub("location / {.*", [[
location / { content_by_lua_block {
            for name in ("try/a dir/a static/a index/ if packed/a list/")
                :gmatch "%%S+" do
                ngx.say(name, ngx.location.capture("/" .. name).status)
            end
        } }
        root html;
        location /try/ { alias html/shut/; try_files $uri =404; }
        location /dir/ { alias html/shut/; try_files $uri/ =404; }
        location /static/ { alias html/shut/; }
        location /index/ { alias html/shut/; }
        location = /if { if (-f html/shut/a) { return 200; } return 204; }
        location /packed/ { alias html/shut/; gzip_static always; }
        location /list/ { alias html/shut/; index none; autoindex on; }
        } }
        ]])))
        start()
        local answer = get()

        os.execute("chmod 755 " .. path("html/shut"))
        assert.equal("try/a404\ndir/a404\nstatic/a403\nindex/403\nif204\n"
                     .. "packed/a403\nlist/403\n", answer)
        for _, line in ipairs {
            '%[crit%] [^\n]* stat%(%) "[^\n]*html/shut/a" failed',
            '%[crit%] [^\n]* stat%(%) "[^\n]*shut/a" failed[^\n]*"/dir/a"',
            '%[crit%] [^\n]* stat%(%) "[^\n]*shut/a" failed[^\n]*"/if"',
            '%[error%] [^\n]* open%(%) "[^\n]*html/shut/a" failed',
            '%[error%] [^\n]*html/shut/index.html" is forbidden',
            '%[error%] [^\n]* open%(%) "[^\n]*html/shut/a.gz" failed',
            '%[error%] [^\n]*html/shut/none" is forbidden',
        } do
            assert.matches(line .. "[^\n]*", log())
        end
        local _, denied = log():gsub("13: Permission denied", "")

        assert.is_true(denied >= 7)
        assert.equal(0, (call("-s", "quit")))
        assert.equal(0, server:wait(5000))
    end)

    it("has a pid file as long as it runs", function ()
        start()
        assert.matches("^%d+\n$", io.read(path("logs/nginx.pid")))
        local argv = command({}, "quit")

        assert.equal(0, (call_as(argv)))
        assert.equal(0, server:wait(5000))
        assert.falsy(io.size(path("logs/nginx.pid")))
        assert.matches("gracefully shutting down", log())
    end)

    it("stops at once when it is told to", function ()
        start()
        assert.equal(0, (call("-s", "stop")))
        assert.equal(0, server:wait(5000))
        assert.matches("worker process %d+ exited with code 0", log())
        assert.is_nil(get())
    end)

    it("serves another configuration after a reload", function ()
        start()
        conf((SITE:gsub("one", "two")))
        assert.equal(0, (call("-s", "reload")))
        assert.truthy(wait_for(function ()
            return (get() or ""):find("two", 1, true)
        end))
        assert.matches("reconfiguring", log())
    end)

    it("closes an address that a reload has taken away", function ()
        start()
        conf((SITE:gsub(ADDRESS, "127.0.0.1:" .. PORT + 1)))
        assert.equal(0, (call("-s", "reload")))
        assert.truthy(wait_for(function ()
            local socket = io.connect(ADDRESS, 1000)

            if socket then
                socket:close()
            end
            return not socket
        end))
        io.sleep(100)
        assert.is_nil(io.connect(ADDRESS, 1000))
    end)

    it("goes on as it was when the new configuration is wrong", function ()
        start()
        local before = get()

        conf(SITE .. "bogus;")
        assert.equal(1, (call("-s", "reload")))

        if not OTHER then
            io.tell(tonumber(io.read(path("logs/nginx.pid"))), "reload", 5000)
            assert.truthy(wait_for(function ()
                return log():find("reconfiguring.*unknown directive")
            end))
        end
        assert.equal(before:match("^%a+"), get():match("^%a+"))
        conf(SITE)
        assert.equal(0, (call("-s", "reload")))
    end)

    it("tells who asks for a reload what was found later", function ()
        start()
        assert.equal(0, (call("-t")))
        conf((SITE:gsub("http {", "http { server { listen 192.0.2.9:81; }",
                        1)))

        local status, _, err = call("-s", "reload")

        assert.equal(1, status)
        assert.matches("bind%(%) to 192.0.2.9:81 failed %(%d+: .*nginx.conf:",
                       err)
        assert.truthy(get())
    end)

    it("opens its logs anew", function ()
        start()
        assert(os.rename(path("logs/error.log"), path("logs/old.log")))
        assert.equal(0, (call("-s", "reopen")))
        assert.truthy(wait_for(function ()
            local old = io.read(path("logs/old.log"))

            return io.size(path("logs/error.log"))
                   and select(2, old:gsub("%] [%d#]+: reopening", "")) == 3
        end))
        call("-s", "quit")
        server:wait(5000)
        assert.matches("gracefully shutting down", log())
    end)

    it("refuses an address that is taken", function ()
        local taken = assert(io.listen(ADDRESS))
        local status, _, err = call()

        assert.equal(1, status)
        assert.matches("%[emerg%] bind%(%) to " .. ADDRESS:gsub("%.", "%%.")
                       .. " failed .* in .*nginx.conf:%d+", err)
        taken:close()
    end)
end)

-- Supervisors do that. What is opened next must not become one of the three,
-- for they are redirected later on.
local closing = WINDOWS and pending or describe

closing("a server whose standard streams are closed", function ()

    local function start_without(streams, ...)
        start_as { "/bin/sh", "-c", 'exec "$@" ' .. streams, "sh",
                   unpack(command { ... }) }
    end

    -- What the three descriptors of a process lead to.
    local function streams_of(pid)
        local pipe = assert(_G.io.popen(("readlink /proc/%s/fd/0 /proc/%s/fd/1"
                                         .. " /proc/%s/fd/2"):format(pid, pid,
                                                                     pid)))
        local text = pipe:read("*a")

        pipe:close()
        return text
    end

    local function quit()
        assert.equal(0, (call("-s", "quit")))
        assert.truthy(wait_for(function ()
            return not io.size(path("logs/nginx.pid"))
        end))
        assert.falsy(log():find("[emerg]", 1, true))
        assert.falsy(log():find("[alert]", 1, true))
    end

    for _, streams in ipairs { "2>&-", "<&- >&- 2>&-", "<&-", ">&-" } do
        it("serves: " .. streams, function ()
            start_without(streams)
            local pid = io.read(path("logs/nginx.pid")):match("%d+")

            assert.falsy(streams_of(pid):find("socket", 1, true))
            assert.falsy(streams_of(pid):find("anon_inode", 1, true))
            assert.equal(3, select(2, streams_of(pid):gsub("\n", "")))
            assert.equal(0, (call("-s", "reload")))
            assert.truthy(wait_for(function ()
                return log():find("exited with code 0", 1, true)
            end))
            assert.matches("one %d", get())
            quit()
        end)

        it("serves as a daemon, and alone: " .. streams, function ()
            start_without(streams, "-g", "master_process off;")
            quit()
            server:wait(5000)
            conf((SITE:gsub("daemon off;", "")))
            start_without(streams)
            assert.equal(0, server:wait(5000))
            quit()
        end)
    end
end)

-- USR2, which only Linux has.
local upgrading = WINDOWS and pending or describe

upgrading("the next program", function ()
    local SECOND = "127.0.0.2:" .. PORT
    local old

    local function pid(name)
        return tonumber((io.read(path("logs/" .. name))))
    end

    local function tell(which, signal)
        os.execute(("kill -%s %d"):format(signal, which))
    end

    local function upgrade()
        conf((SITE:gsub("server {", "%0 listen unix:" .. path("socket")
                                    .. "; listen " .. SECOND .. " reuseport;")))
        start()
        old = pid("nginx.pid")
        tell(old, "USR2")
        assert.truthy(wait_for(function ()
            local new = pid("nginx.pid")

            return new and new ~= old
        end))
    end

    after_each(function ()
        local new = pid("nginx.pid")

        if new and new ~= old then
            tell(new, "TERM")
        end
    end)

    it("takes over the listeners of the one before", function ()
        upgrade()
        assert.equal(old, pid("nginx.pid.oldbin"))
        tell(old, "QUIT")
        assert.equal(0, server:wait(5000))
        assert.falsy(io.size(path("logs/nginx.pid.oldbin")))
        assert.matches("one %d", get())
        assert(io.connect("unix:" .. path("socket"), 1000)):close()
        for _ = 1, 16 do
            assert.matches("one %d", get(SECOND))
        end
        assert.falsy(log():find("[alert]", 1, true))
        assert.falsy(log():find("[emerg]", 1, true))
        assert.equal(0, (call("-s", "quit")))
        assert.truthy(wait_for(function ()
            return not io.size(path("logs/nginx.pid"))
        end))
        -- The address is free again, for it was ours.
        assert.falsy(table.concat(io.list(ROOT), " "):find("socket", 1, true))
    end)

    it("gives way to the one before, which starts its workers again",
       function ()
        upgrade()
        tell(old, "WINCH")
        tell(old, "USR2")
        tell(pid("nginx.pid"), "QUIT")
        assert.truthy(wait_for(function ()
            return pid("nginx.pid") == old
        end))
        assert.matches("changing binary signal is ignored", log())
        assert.truthy(wait_for(function ()
            return (get() or ""):find("one %d")
        end))
        assert.truthy(io.connect("unix:" .. path("socket"), 1000))
    end)
end)
