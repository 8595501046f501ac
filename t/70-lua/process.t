__DATA__


=== one process without a master
--- no_reload: who reloads for each block has a master
--- config
    location = /t {
        content_by_lua_block {
            local process = require "ngx.process"
            ngx.say(process.type(), " ", process.get_master_pid() == ngx.worker.pid())
            ngx.say(process.enable_privileged_agent())
        }
    }
--- response_body
single true
nilAPI disabled in the current context



=== a worker of a master
--- master_on
--- config
    location = /t {
        content_by_lua_block {
            local process = require "ngx.process"
            local pid = process.get_master_pid()
            ngx.say(process.type(), " ", pid > 0, " ", pid ~= ngx.worker.pid())
        }
    }
--- response_body
worker true true



=== init_by_lua is the master's
--- master_on
--- skip_windows: there it runs in every worker as well
--- http_config
    init_by_lua_block { was = require("ngx.process").type() }
--- config
    location = /t { content_by_lua_block { ngx.say(was) } }
--- response_body
master



=== the privileged agent runs timers and serves nothing
--- master_on
--- http_config
    lua_shared_dict agent 1m;
    init_by_lua_block {
        local process = require "ngx.process"
        assert(process.enable_privileged_agent(10) and not process.enable_privileged_agent(-1))
    }
    init_worker_by_lua_block {
        local process = require "ngx.process"
        if process.type() ~= "privileged agent" then return end
        ngx.timer.at(0, function ()
            ngx.shared.agent:set("id", tostring(ngx.worker.id()))
            ngx.shared.agent:set("pid", ngx.worker.pid())
        end)
    }
--- config
    location = /t {
        content_by_lua_block {
            local dict = ngx.shared.agent
            for _ = 1, 500 do
                if dict:get("pid") then break end
                ngx.sleep(0.01)
            end
            ngx.say(dict:get("id"), " ", dict:get("pid") ~= ngx.worker.pid(), " ", #ngx.worker.pids())
        }
    }
--- response_body
nil true 1
--- error_log eval
qr/start privileged agent process \d+/



=== an agent without connections is none
--- master_on
--- http_config
    init_by_lua_block {
        assert(require("ngx.process").enable_privileged_agent(0))
    }
--- config
    location = /t {
        content_by_lua_block { ngx.say(#ngx.worker.pids()) }
    }
--- response_body
1
--- error_log
0 worker_connection is not enough, privileged agent process cannot be spawned
--- no_error_log
start privileged agent process



=== nor for lua-resty-core's module
--- master_on
--- http_config
    init_by_lua_block {
        local ffi = require "ffi"
        ffi.cdef [[ int ngx_http_lua_ffi_enable_privileged_agent(
                        const char **err, unsigned connections); ]]
        assert(ffi.C.ngx_http_lua_ffi_enable_privileged_agent(nil, 0) == 0)
    }
--- config
    location = /t {
        content_by_lua_block { ngx.say(#ngx.worker.pids()) }
    }
--- response_body
1
--- error_log
0 worker_connection is not enough, privileged agent process cannot be spawned
--- no_error_log
start privileged agent process



=== the privileged agent is tied to no processor
--- master_on
--- skip_windows: there is no /proc
--- main_config
    worker_cpu_affinity 1;
--- http_config
    lua_shared_dict agent 1m;
    init_by_lua_block {
        require("ngx.process").enable_privileged_agent()
        function processors(pid)
            return (io.open("/proc/" .. pid .. "/status"):read("*a"):match("Cpus_allowed:%s*(%S+)"))
        end
    }
    init_worker_by_lua_block {
        if require("ngx.process").type() ~= "privileged agent" then return end
        ngx.timer.at(0, function () ngx.shared.agent:set("it", processors("self")) end)
    }
--- config
    location = /t {
        content_by_lua_block {
            local master = require("ngx.process").get_master_pid()
            for _ = 1, 500 do
                if ngx.shared.agent:get("it") then break end
                ngx.sleep(0.01)
            end
            ngx.say(ngx.shared.agent:get("it") == processors(master))
        }
    }
--- response_body
true



=== signal_graceful_exit ends a worker, and another one comes
--- master_on
--- config
    location = /t {
        content_by_lua_block {
            require("ngx.process").signal_graceful_exit()
            for _ = 1, 500 do
                if ngx.worker.exiting() then break end
                ngx.sleep(0.01)
            end
            ngx.say(ngx.worker.exiting())
        }
    }
--- response_body
true
--- error_log
gracefully shutting down
exited with code 0
