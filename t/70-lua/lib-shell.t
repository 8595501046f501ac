# Programs and signals.  The programs are what cmd and sh have in common, and
# one that gives back lines with an "l" in them: find, or grep.

__DATA__


=== what it said, and how it ended
--- config
    location = /t {
        content_by_lua_block {
            local shell = require "resty.shell"
            local ok, out, err, reason, status =
                shell.run("echo hello&& echo oops 1>&2")
            ngx.say(ok, " ", out:match("%w+"), " ", err:match("%w+"), " ",
                    reason, " ", status)
            ok, out, err, reason, status = shell.run("exit 3")
            ngx.say(ok, " [", out, err, "] ", reason, " ", status)
        }
    }
--- response_body
true hello oops exit 0
false [] exit 3



=== a short-lived program's output is always there
--- config
    location = /t {
        content_by_lua_block {
            local shell = require "resty.shell"
            local good = 0
            for i = 1, 20 do
                local ok, out = shell.run("echo hello")
                if ok and out:find("^hello") then good = good + 1 end
            end
            ngx.say(good)
        }
    }
--- response_body
20



=== input, more than a pipe holds
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local shell = require "resty.shell"
            local cmd = jit.os == "Windows" and 'find "l"' or "grep l"
            -- Not much more: Wine's program reads byte by byte.
            local text = string.rep("hello\n", 12000)
            local ok, out, err, reason, status =
                shell.run(cmd, text, 80000, 1024 * 1024)
            ngx.say(ok, " ", #out:gsub("\r", "") == #text, " ", reason)
        }
    }
--- response_body
true true exit
--- timeout: 90



=== too much is an error, with as much as was allowed
--- config
    location = /t {
        content_by_lua_block {
            local shell = require "resty.shell"
            local ok, out, err, reason =
                shell.run("echo abcdefgh", nil, 5000, 3)
            ngx.say(ok, " ", out, " [", err, "] ", reason)
        }
    }
--- response_body
nil abc [] failed to read stdout: too much data; limit 3 reached



=== one that does not end is not waited for
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local shell = require "resty.shell"
            local cmd = jit.os == "Windows" and { "ping", "-n", "30", "127.0.0.1" }
                        or { "sleep", "30" }
            local started = ngx.now()
            local ok, out, err, reason = shell.run(cmd, nil, 100)
            ngx.update_time()
            ngx.say(ok, " ", reason, " ", ngx.now() - started < 10)
        }
    }
--- response_body_like
^nil failed to (read std(out|err)|wait for process): timeout true$



=== no such program
--- config
    location = /t {
        content_by_lua_block {
            local ok, out, err, reason, status =
                require("resty.shell").run({ "no-such-program-here" })
            ngx.say(ok or "no", " ", reason ~= nil)
        }
    }
--- response_body
no true



=== signals by name and number
--- config
    location = /t {
        content_by_lua_block {
            local signal = require "resty.signal"
            ngx.say(signal.signum("KILL"), " ", signal.signum("TERM"), " ",
                    signal.signum("NONE"), " ", signal.signum("kill"))
            local me = ngx.worker.pid()
            ngx.say(signal.kill(me, "NONE"), " ", signal.kill({ me, me }, 0))
            ngx.say(signal.kill(me, "NONSENSE"))
            for _, pid in ipairs { 2^31 - 2, 2^40, 0/0, "none" } do
                ngx.say(signal.kill(pid, "NONE"))
            end
            ngx.say(signal.kill(me, 1000))
        }
    }
--- response_body
9 15 0 nil
true true
nilunknown signal name
nilNo such process
nilNo such process
nilNo such process
nilNo such process
nilInvalid argument



=== a program is killed by its number
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local cmd = jit.os == "Windows" and { "ping", "-n", "30", "127.0.0.1" }
                        or { "sleep", "30" }
            local proc = require("ngx.pipe").spawn(cmd)
            ngx.say(require("resty.signal").kill(proc:pid(), "KILL"))
            ngx.say((select(2, proc:wait())))
        }
    }
--- response_body
true
signal
