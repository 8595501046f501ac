# Writing and reading in sizes and an order that nobody has thought of: what
# comes out of both pipes is what went in. SEED=n begins with another one.

no_long_string();
run_tests();

__DATA__

=== what a program gives back twice is what was written
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- main_config
    env PATH;
    env SEED;
--- config
    location = /t {
        content_by_lua_block {
            local pipes = require "random_pipes"
            local first, wrong = tonumber(os.getenv("SEED")) or 1, 0
            for seed = first, first + 79 do
                local why = pipes.differs(seed, "tee /dev/stderr")
                if why then
                    wrong = wrong + 1
                    ngx.say(seed, ": ", why)
                end
            end
            ngx.say(wrong, " of 80")
        }
    }
--- response_body
0 of 80
--- timeout: 60
--- skip_windows: there is no program that gives back bytes



=== a program that does not read, killed at any time
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local random = require("random_frames").generator(11)
            local pipe, ok = require "ngx.pipe", 0
            for i = 1, 40 do
                local proc = assert(pipe.spawn(jit.os == "Windows"
                                               and "pause > nul" or "sleep 9"))
                proc:set_timeouts(2000, 2000, 2000, 5000)
                local threads = {
                    ngx.thread.spawn(proc.write, proc, ("x"):rep(300000)),
                    ngx.thread.spawn(proc.stdout_read_line, proc),
                    ngx.thread.spawn(proc.wait, proc),
                }
                if random(2) == 0 then ngx.sleep(random(3) / 1000) end
                if random(3) == 0 then proc:shutdown("stdin") end
                if random(3) == 0 then proc:shutdown("stdout") end
                proc:kill(9)
                for _, thread in ipairs(threads) do
                    ok = ok + (ngx.thread.wait(thread) and 1 or 0)
                end
            end
            collectgarbage()
            ngx.say(ok)
        }
    }
--- response_body
120
--- timeout: 60
