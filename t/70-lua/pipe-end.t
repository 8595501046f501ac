# A program's end is one thing, the end of what it wrote another. The programs
# are those of pipe.t.

__DATA__


=== what a program wrote is read to its end, however soon it ends
--- config
    location = /t {
        content_by_lua_block {
            local function read(proc, name)
                local parts = {}
                while true do
                    local data, err, partial = proc[name](proc, 1024)
                    parts[#parts + 1] = data or partial
                    if not data then return table.concat(parts), err end
                end
            end

            local good = 0
            for _ = 1, 40 do
                local proc = assert(require("ngx.pipe").spawn("echo out&& echo err 1>&2"))
                proc:shutdown("stdin")
                local out = ngx.thread.spawn(read, proc, "stdout_read_any")
                local err = ngx.thread.spawn(read, proc, "stderr_read_any")
                local all = { proc:wait() }
                all = { tostring(all[1]), all[2], all[3], select(2, ngx.thread.wait(out)) }
                all[6], all[7] = select(2, ngx.thread.wait(err))
                all = table.concat(all, " "):gsub("%s+", " ")
                if all == "true exit 0 out closed err closed" then good = good + 1 else ngx.say(all) end
            end
            ngx.say(good)
        }
    }
--- response_body
40
--- timeout: 60



=== a reader that takes its time gets all of it
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("echo " .. ("0123456789"):rep(300), { buffer_size = 16 }))
            local text = proc:stdout_read_any(1)
            local t = ngx.thread.spawn(function ()
                while true do
                    ngx.sleep(0.0001)
                    local data, err = proc:stdout_read_any(50)
                    if not data then return err end
                    text = text .. data
                end
            end)
            ngx.say(proc:wait())
            ngx.say(ngx.thread.wait(t))
            ngx.say(text:gsub("%s+$", "") == ("0123456789"):rep(300))
        }
    }
--- response_body
trueexit0
trueclosed
true



=== before anybody has waited it is all there
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("echo out&& echo err 1>&2&& exit 7"))
            while proc:kill(0) do ngx.sleep(0.001) end
            ngx.say(proc:kill(9))
            ngx.say((proc:stdout_read_all():gsub("%s+$", "")), " ", (proc:stderr_read_line():gsub("%s+$", "")))
            ngx.say(proc:wait())
        }
    }
--- response_body
nilexited
out err
falseexit7



=== a stream that nobody has read is closed by the wait
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("echo out&& echo err 1>&2"))
            ngx.say(proc:wait())
            ngx.say(proc:stdout_read_all())
            ngx.say(proc:stdout_read_any(10))
            ngx.say(proc:stderr_read_line())
            ngx.say(proc:write("x"))
            ngx.say(proc:shutdown("stdout"), proc:shutdown("stdin"))
            ngx.say(proc:wait())
            ngx.say(proc:kill(9))
        }
    }
--- response_body
trueexit0
nilclosednil
nilclosednil
nilclosednil
nilclosed
nilnilclosed
nilexited
nilexited



=== a stream that was read is readable after the wait as well
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("echo one&& echo two&& echo three 1>&2"))
            ngx.say((proc:stdout_read_line()))
            ngx.say(proc:wait())
            ngx.say((proc:stdout_read_line()))
            ngx.say(proc:stdout_read_line())
            ngx.say(proc:stdout_read_any(9))
            ngx.say(proc:stderr_read_line())
        }
    }
--- response_body
one
trueexit0
two
nilclosed
nilclosed
nilclosednil



=== merged streams end once
--- config
    location = /t {
        content_by_lua_block {
            local pipe = require "ngx.pipe"
            local proc = assert(pipe.spawn("echo out&& echo err 1>&2", { merge_stderr = true }))
            local t = ngx.thread.spawn(function () return proc:stdout_read_all() end)
            ngx.say(proc:stderr_read_any(1))
            ngx.say(proc:wait())
            local _, text = ngx.thread.wait(t)
            ngx.say((text:gsub("%s+", " ")))
            ngx.say(proc:stderr_read_any(1))
        }
    }
--- response_body
nilmerged to stdoutnil
trueexit0
out err 
nilclosednil



=== one waits, and hears of the end once
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("exit 2"))
            local function wait() ngx.say(proc:wait()) end
            local first, second = ngx.thread.spawn(wait), ngx.thread.spawn(wait)
            ngx.thread.wait(first)
            ngx.thread.wait(second)
            wait()
        }
    }
--- response_body
nilpipe busy waiting
falseexit2
nilexited



=== who writes to a program that ends hears "closed"
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn(jit.os == "Windows" and 'find "l"' or "exec grep l"))
            local t = ngx.thread.spawn(function () return proc:write((("l"):rep(99) .. "\n"):rep(20000)) end)
            ngx.sleep(0.1)
            proc:kill(9)
            ngx.say(proc:wait())
            ngx.say(ngx.thread.wait(t))
            ngx.say(proc:write("l"))
        }
    }
--- response_body
falsesignal9
truenilclosed
nilclosed



=== who hears that it ended may end who waits for it
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn(jit.os == "Windows" and 'find "l"' or "exec grep l"))
            ngx.thread.spawn(function ()
                ngx.say(proc:write((("l"):rep(99) .. "\n"):rep(20000)))
                ngx.exit(200)
            end)
            ngx.timer.at(0.1, function () proc:kill(9) end)
            proc:wait()
            ngx.say("waited")
        }
    }
--- response_body
nilclosed



=== a write that ran out of time is given up, and the next one begins
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn(jit.os == "Windows" and 'find "l"' or "exec grep l",
                                                          { write_timeout = 200, stdout_read_timeout = 80000 }))
            local lines = (("l"):rep(99) .. "\n"):rep(20000)
            ngx.say(proc:write(lines))
            local ok, err
            for _ = 1, 20 do       -- a slow program may have room again
                ok, err = proc:write(lines:sub(1, 200000))
                if not ok then break end
            end
            ngx.say(ok, err)
            local t = ngx.thread.spawn(function () return proc:stdout_read_all() end)
            proc:set_timeouts(80000)
            ngx.say(proc:write("\nthe last\n"))
            proc:shutdown("stdin")
            local _, text = ngx.thread.wait(t)
            ngx.say(#text < 1000000, " ", ("\n" .. text):match("\nthe last"))
        }
    }
--- response_body
niltimeout
niltimeout
10
true 
the last
--- timeout: 90



=== a killed writer leaves the pipe to others
--- main_config
    env PATH;
    env PATHEXT;
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn(jit.os == "Windows" and 'find "l"' or "exec grep l"))
            local much = (("l"):rep(99) .. "\n"):rep(20000)
            local t = ngx.thread.spawn(function () ngx.say(proc:write(much)) end)
            ngx.sleep(0.1)
            ngx.say(proc:write("l"))
            ngx.say(ngx.thread.kill(t))
            t = ngx.thread.spawn(function () return proc:write(much) end)
            ngx.say(proc:shutdown("stdin"), proc:shutdown("stdin"))
            ngx.say(ngx.thread.wait(t))
            ngx.say(proc:write("l"))
        }
    }
--- response_body
nilpipe busy writing
1
truetrue
truenilaborted
nilclosed



=== a program of a program may keep its pipe
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("sleep 3 & echo here", { stdout_read_timeout = 200 }))
            ngx.say((proc:stdout_read_line()))
            ngx.say(proc:wait())
            ngx.say(proc:stdout_read_any(9))
        }
    }
--- skip_windows: its shell knows no such thing
--- response_body
here
trueexit0
niltimeout



=== descriptors go with the wait, and with the object
--- config
    location = /t {
        content_by_lua_block {
            local spawn = require("ngx.pipe").spawn
            local function count()
                local f, n = io.popen("sleep 0.1; ls -l /proc/" .. ngx.worker.pid() .. "/fd"), 0
                for line in f:lines() do if line:find("pipe:", 1, true) then n = n + 1 end end
                f:close()
                return n
            end
            collectgarbage() collectgarbage() ngx.sleep(0.05)
            local before = count()
            collectgarbage("stop")
            for _ = 1, 20 do
                local proc = spawn("echo one; echo two; echo err 1>&2")
                proc:stdout_read_line()
                proc:stderr_read_line()
                proc:wait()
            end
            ngx.sleep(0.05)
            collectgarbage("restart")
            ngx.say(count() - before)
            for _ = 1, 20 do spawn("echo one; echo err 1>&2; sleep 60") end
            ngx.say(count() - before)
            collectgarbage() collectgarbage()
            ngx.say(count() - before)
        }
    }
--- skip_windows: there is no /proc
--- timeout: 60
--- response_body
0
60
0
