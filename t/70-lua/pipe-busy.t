# Ends of a program's pipes that are busy, closed, or read by more than one.

__DATA__


=== each end is one coroutine's at a time
--- skip_windows: cat
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn({ "cat" }))
            local function busy(name, ...) return ngx.thread.spawn(proc[name], proc, ...) end
            local reader = busy("stdout_read_any", 10)
            local waiter = busy("wait")
            ngx.say(proc:stdout_read_any(1))
            ngx.say(proc:wait())
            ngx.say(proc:write("x"))
            ngx.say(ngx.thread.wait(reader))
            ngx.say(proc:shutdown("stdin"))
            ngx.say(proc:write("x"))
            ngx.say(ngx.thread.wait(waiter))
            ngx.say(proc:wait())
            ngx.say(proc:shutdown("stdin"))
            ngx.say(proc:kill(15))
        }
    }
--- response_body
nilpipe busy readingnil
nilpipe busy waiting
1
truexnilnil
true
nilclosed
truetrueexit0
nilexited
nilclosed
nilexited



=== who stops to wait leaves the program to others
--- skip_windows: cat
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn({ "cat" }))
            local waiter = ngx.thread.spawn(proc.wait, proc)
            local reader = ngx.thread.spawn(proc.stdout_read_all, proc)
            ngx.say(ngx.thread.kill(waiter), ngx.thread.kill(reader))
            proc:set_timeouts(nil, 1, 1, 1)
            ngx.say(proc:wait())
            ngx.say(proc:stdout_read_any(1))
            ngx.say(proc:stderr_read_any(1))
            proc:write("abc")
            proc:set_timeouts(nil, 20000, 20000, 20000)
            ngx.say(proc:stdout_read_bytes(2))
            ngx.say(proc:kill(9))
            ngx.say(proc:wait())
            ngx.say(proc:stdout_read_all())
        }
    }
--- response_body
11
niltimeout
niltimeout
niltimeout
abnilnil
true
falsesignal9
cnilnil



=== an end that is shut down wakes its reader
--- skip_windows: cat
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn({ "cat" }, { merge_stderr = true }))
            local reader = ngx.thread.spawn(proc.stdout_read_line, proc)
            ngx.say(pcall(proc.shutdown, proc, "side"))
            ngx.say(proc:stderr_read_any(1))
            ngx.say(proc:shutdown("stderr"))
            ngx.say(proc:shutdown("stdout"))
            ngx.say(ngx.thread.wait(reader))
            ngx.say(proc:stdout_read_any(1))
            ngx.say(proc:shutdown("stdout"))
            ngx.say(proc:shutdown("stdin"))
            ngx.say(proc:wait())
        }
    }
--- response_body
falsebad shutdown arg: side
nilmerged to stdoutnil
nilmerged to stdout
true
truenilaborted
nilclosednil
true
true
trueexit0



=== signals, codes and numbers
--- skip_windows: signals
--- config
    location = /t {
        content_by_lua_block {
            local spawn = require("ngx.pipe").spawn
            for _, text in ipairs { "exit 0", "exit 1", "exit 255", "kill -9 $$", "kill -15 $$" } do
                local proc = assert(spawn({ "sh", "-c", text }))
                ngx.say(type(proc:pid()), " ", proc:wait())
            end
            local proc = assert(spawn({ "cat" }))
            ngx.say(proc:kill(0), " ", proc:kill(9999))
            ngx.say(pcall(proc.kill, proc, "x"))
            ngx.say(proc:kill(15))
            ngx.say(proc:wait())
        }
    }
--- response_body
number trueexit0
number falseexit1
number falseexit255
number falsesignal9
number falsesignal15
true nilinvalid signal
falsebad signal arg: number expected, got x
true
falsesignal15



=== bytes that are asked for by number, the rest at the end
--- skip_windows: printf
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn({ "printf", "a\\nbcd\\r\\n\\nefghij" }, { buffer_size = 4 }))
            ngx.say("[", proc:stdout_read_line(), "]")
            ngx.say("[", proc:stdout_read_line(), "]")
            ngx.say("[", proc:stdout_read_line(), "]")
            ngx.say("[", proc:stdout_read_bytes(0), "]")
            ngx.say("[", proc:stdout_read_bytes(4), "]")
            ngx.say("[", tostring(proc:stdout_read_bytes(3)), "]", select(2, proc:stdout_read_bytes(3)))
            ngx.say(proc:stdout_read_line())
            ngx.say(pcall(proc.stdout_read_bytes, proc, -1))
            ngx.say(pcall(proc.stdout_read_any, proc, 0))
            ngx.say(proc:wait())
        }
    }
--- response_body
[a]
[bcd]
[]
[]
[efgh]
[nil]closed
nilclosed
falsebad len argument
falsebad max argument
trueexit0



=== programs and arguments that are none
--- config
    location = /t {
        content_by_lua_block {
            local spawn = require("ngx.pipe").spawn
            ngx.say(spawn({ "/no/such/program" }):wait())
            ngx.say(select(2, pcall(spawn, {})))
            ngx.say(select(2, pcall(spawn, { "x" }, { buffer_size = 0 })))
            local many = {}
            for i = 1, 70000 do many[i] = "x" end
            ngx.say((pcall(spawn, many)))
        }
    }
--- response_body
falseexit1
bad args arg: non-empty table expected
bad buffer_size option
false



=== a program has the environment of the server, or its own
--- skip_windows: sh
--- main_config
    env LUN_OF_SERVER=theirs;
--- config
    location = /t {
        content_by_lua_block {
            local function show(opts)
                local proc = assert(require("ngx.pipe").spawn({ "/bin/sh", "-c", "echo [$LUN_OF_SERVER][$LUN_OWN]" }, opts))
                ngx.say((proc:stdout_read_line()))
                proc:wait()
            end
            show()
            show({ environ = { "LUN_OWN=own" } })
            show({ environ = { "LUN_OF_SERVER=other", "LUN_OWN=" } })
        }
    }
--- response_body
[theirs][]
[][own]
[other][]
