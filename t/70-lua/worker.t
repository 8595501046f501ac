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



=== a worker leaves a unix socket to the others
--- workers: 2
--- skip_windows: clients of unix sockets
--- http_config
    init_worker_by_lua_block {
        local ffi = require "ffi"
        ffi.cdef [[
            typedef struct { size_t len; const char *data; } a_text;
            int ngx_lua_ffi_disable_listening_unix_socket(a_text *name);
        ]]
        function disable(name)
            local text = ffi.new("a_text", { #name, name })
            return ffi.C.ngx_lua_ffi_disable_listening_unix_socket(text)
        end
        if ngx.worker.id() == 1 then
            no = disable "unix:/none"
            yes = disable "unix:$TEST_NGINX_HTML_DIR/a.sock"
        end
    }
    server {
        listen unix:$TEST_NGINX_HTML_DIR/a.sock;
        location / {
            content_by_lua_block { ngx.say(ngx.worker.id()) }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local function get()
                local sock = ngx.socket.tcp()
                assert(sock:connect("unix:$TEST_NGINX_HTML_DIR/a.sock"))
                sock:send("GET / HTTP/1.0\r\n\r\n")
                return (sock:receive "*a"):match "%d+%s*$"
            end
            for _ = 1, 50 do
                if tonumber(get()) ~= 0 then
                    return ngx.say("another worker's")
                end
            end
            -- While it runs, and in this worker.
            ngx.say(disable "unix:$TEST_NGINX_HTML_DIR/a.sock")
        }
    }
--- response_body
0
