__DATA__


=== what a worker knows of itself
--- config
    location = /t {
        content_by_lua_block {
            local w = ngx.worker
            ngx.say(w.id(), " ", w.count(), " ", w.exiting(), " ", w.pid() == tonumber(ngx.var.pid))
        }
    }
--- response_body
0 1 false true



=== ngx.config
--- config
    location = /t {
        content_by_lua_block {
            local c = ngx.config
            ngx.say(c.subsystem, " ", c.debug, " ", c.ngx_lua_version >= 10020, " ", c.nginx_version > 1022000)
            ngx.say(c.prefix():sub(-1), " ", c.nginx_configure():match(" %-%-with%l*%-http_[%w_]+"))
        }
    }
--- response_body_like
^http false true true
/  --with\w*-http_\w+_module$



=== is_subrequest
--- config
    location = /t { content_by_lua_block { ngx.say(ngx.is_subrequest) } }
--- response_body
false



=== the pids of all workers
--- config
    location = /t {
        content_by_lua_block {
            local pids, mine
            for i = 1, 100 do
                pids = ngx.worker.pids()
                if #pids == ngx.worker.count() then break end
                ngx.sleep(0.01)
            end
            for _, pid in ipairs(pids) do mine = mine or pid == ngx.worker.pid() end
            ngx.say(#pids == ngx.worker.count(), " ", mine)
        }
    }
--- response_body
true true



=== an alarm that a script has set does not end the worker
--- config
    location = /t {
        content_by_lua_block {
            os.execute("kill -ALRM " .. ngx.worker.pid() .. "; kill -IO "
                       .. ngx.worker.pid())
            ngx.say("alive")
        }
    }
--- response_body
alive
--- skip_windows: there are no signals
