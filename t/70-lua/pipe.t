# The programs of these specs are cmd's and sh's echo and exit, and one that
# gives back lines with an "l" in them: find, or grep.

__DATA__


=== a shell's output, and how it ended
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("echo hello"))
            ngx.say(proc:pid() > 0, " ", (proc:stdout_read_line()))
            ngx.say((proc:stdout_read_all()), "|", proc:stdout_read_all())
            ngx.say(proc:wait())
            ngx.say(proc:wait())
            ngx.say(proc:stdout_read_line())
        }
    }
--- response_body
true hello
|nilnil
trueexit0
nilexited
nilclosed



=== a code of its own
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("exit 3"))
            ngx.say(proc:wait())
            ngx.say(proc:kill(9))
        }
    }
--- response_body
falseexit3
nilexited



=== what is written comes back
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn(jit.os == "Windows" and 'find "l"' or "grep l"))
            ngx.say(proc:write("bl\n"), proc:write({ "al", "\n" }), proc:write(3), proc:write(""))
            ngx.say(proc:shutdown("stdin"), " ", proc:write("c"))
            local data = proc:stdout_read_all():gsub("\r", "")
            ngx.print(data)
            ngx.say(proc:wait())
        }
    }
--- response_body
3310
true nilclosed
bl
al
trueexit0



=== a number of bytes, and whatever is there
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("echo abcdefgh"))
            ngx.say((proc:stdout_read_bytes(3)), " ", #proc:stdout_read_bytes(0), " ", (proc:stdout_read_any(2)))
            local data, err, partial = proc:stdout_read_bytes(100)
            ngx.say(data, " ", err, " ", partial:sub(1, 3))
            ngx.say(pcall(proc.stdout_read_bytes, proc, -1))
            ngx.say(pcall(proc.stdout_read_any, proc, 0))
        }
    }
--- response_body
abc 0 de
nil closed fgh
falsebad len argument
falsebad max argument



=== a buffer without end is as large as they get
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("echo abc", { buffer_size = math.huge }))
            ngx.say((proc:stdout_read_line()))
        }
    }
--- response_body
abc



=== errors have a pipe of their own, or none
--- config
    location = /t {
        content_by_lua_block {
            local pipe = require "ngx.pipe"
            local proc = assert(pipe.spawn("echo out&& echo err 1>&2"))
            ngx.say((proc:stdout_read_line()), " ", (proc:stderr_read_line():gsub(" *$", "")))
            proc = assert(pipe.spawn("echo err 1>&2", { merge_stderr = true }))
            ngx.say((proc:stdout_read_line():gsub(" *$", "")), " ", proc:stderr_read_line())
            ngx.say(proc:shutdown("stderr"))
        }
    }
--- response_body
out err
err nilmerged to stdoutnil
nilmerged to stdout



=== time runs out, and what comes later is not lost
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local pipe = require "ngx.pipe"
            local proc = assert(pipe.spawn(jit.os == "Windows" and 'find "l"' or "grep l",
                                           { stdout_read_timeout = 20, wait_timeout = 30 }))
            local data, err, partial = proc:stdout_read_all()
            ngx.say(data, " ", err, " [", partial, "]")
            ngx.say(proc:wait())
            proc:set_timeouts(nil, 5000, nil, 5000)
            proc:write("later\n")
            proc:shutdown("stdin")
            ngx.say((proc:stdout_read_line()))
            ngx.say(proc:wait())
        }
    }
--- response_body
nil timeout []
niltimeout
later
trueexit0



=== a program is killed, and who waits hears of it
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn(jit.os == "Windows" and 'find "l"' or "grep l"))
            local t = ngx.thread.spawn(function () return proc:wait() end)
            ngx.say(proc:wait())
            ngx.say(proc:kill(0), " ", proc:kill(1000))
            ngx.say(proc:kill(9))
            ngx.say(ngx.thread.wait(t))
        }
    }
--- response_body
nilpipe busy waiting
true nilinvalid signal
true
truefalsesignal9



=== a thread that reads hears of a shutdown
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn(jit.os == "Windows" and 'find "l"' or "grep l"))
            local t = ngx.thread.spawn(function () return proc:stdout_read_any(10) end)
            ngx.say(proc:stdout_read_line())
            ngx.say(proc:shutdown("stdout"))
            ngx.say(ngx.thread.wait(t))
            ngx.say(proc:shutdown("stdout"))
        }
    }
--- response_body
nilpipe busy readingnil
true
truenilaborted
true



=== without its object a program ends
--- config
    location = /t {
        content_by_lua_block {
            local pipe = require "ngx.pipe"
            local pid = pipe.spawn({ "grep", "l" }):pid()
            collectgarbage() collectgarbage()
            local ended
            for _ = 1, 200 do
                ended = not pipe.spawn("exit 0") or ngx.sleep(0.01)
                local proc = io.open("/proc/" .. pid .. "/stat")
                if not proc then break end
                proc:close()
                ended = false
            end
            ngx.say(ended == nil)
        }
    }
--- skip_windows: there is no /proc
--- response_body
true



=== its environment
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("echo $ONE$HOME", { environ = { "ONE=1" } }))
            ngx.say((proc:stdout_read_line()))
            ngx.say(pcall(require("ngx.pipe").spawn, "true", { environ = { "x" } }))
            ngx.say(pcall(require("ngx.pipe").spawn, "true", { environ = { "x=", 1 } }))
        }
    }
--- skip_windows: the shell writes it in another way
--- response_body
1
falsebad value at index 1 of environ option: 'name=[value]' format expected, got 'x'
falsebad value at index 2 of environ option: string expected, got number



=== arguments that are none
--- config
    location = /t {
        content_by_lua_block {
            local spawn = require("ngx.pipe").spawn
            ngx.say(pcall(spawn))
            ngx.say(pcall(spawn, {}))
            ngx.say(pcall(spawn, "x", { buffer_size = 0 }))
            ngx.say(pcall(spawn, "x", { buffer_size = 0/0 }))
            ngx.say(pcall(spawn, "x", { write_timeout = -1 }))
            ngx.say(pcall(spawn, "x", { wait_timeout = 0/0 }))
            local proc = spawn({ "no-such-program-anywhere" })
            ngx.say(proc:stdout_read_all())
            ngx.say(proc:stderr_read_line())
            ngx.say(proc:write("x"))
            ngx.say(proc:kill(9))
            ngx.say(proc:wait())
            ngx.say(proc:wait())
        }
    }
--- response_body
falsebad args arg: table expected, got nil
falsebad args arg: non-empty table expected
falsebad buffer_size option
falsebad buffer_size option
falsebad write_timeout option
falsebad wait_timeout option
nilclosednil
nilclosednil
nilclosed
nilexited
falseexit1
nilexited
--- error_log
lua pipe child execvp() failed while executing no-such-program-anywhere



=== more than a pipe holds
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn(jit.os == "Windows" and 'find "l"' or "grep l",
                                                          { buffer_size = 1000 }))
            local t = ngx.thread.spawn(function ()
                local sent = proc:write((("l"):rep(99) .. "\n"):rep(5000))
                return sent, proc:shutdown("stdin")
            end)
            local n = 0
            while true do
                local got = proc:stdout_read_line()
                if not got then break end
                assert(#got == 99)
                n = n + 1
            end
            ngx.say(n)
            ngx.say(ngx.thread.wait(t))
        }
    }
--- response_body
5000
true500000true



=== what the kernel cannot run is a script of the shell's
--- skip_windows: programs have an ending there
--- user_files
>>> plain
echo "said: $1"
--- config
    location = /t {
        content_by_lua_block {
            local path = "$TEST_NGINX_HTML_DIR/plain"
            os.execute("chmod +x " .. path)
            local proc = assert(require("ngx.pipe").spawn({ path, "a b" }))
            ngx.print((proc:stdout_read_all()))
            ngx.say(proc:wait())
        }
    }
--- response_body
said: a b
trueexit0



=== nor is a folder of its name a program
--- skip_windows: programs have an ending there
--- main_config
    env PATH=$TEST_NGINX_HTML_DIR/a:$TEST_NGINX_HTML_DIR/b:/usr/bin:/bin;
--- user_files
>>> a/plain/x
>>> b/plain
echo "said: $1"
--- config
    location = /t {
        content_by_lua_block {
            os.execute("chmod +x $TEST_NGINX_HTML_DIR/b/plain")
            local proc = assert(require("ngx.pipe").spawn { "plain", "a" })
            ngx.print((proc:stdout_read_all()))
        }
    }
--- response_body
said: a
