__DATA__


=== a value with a space needs quotes
--- main_config
    env LUNETTE_SPEC=a b;
--- config
    location = /t { return 200; }
--- must_die
--- error_log: invalid number of arguments in "env" directive



=== a variable of the environment is set for the workers
--- main_config
    env "LUNETTE_SPEC=a b";
    env LUNETTE_EMPTY=;
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(os.getenv("LUNETTE_SPEC"))
            ngx.say("[", os.getenv("LUNETTE_EMPTY"), "]")
        }
    }
--- response_body
a b
[]
--- skip_windows: the system has no empty variables



=== what nobody names is not there
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(os.getenv("PATH"), " ", os.getenv("HOME"))
        }
    }
--- response_body
nil nil



=== what is named without a value stays
--- main_config
    env PATH;
--- config
    location = /t {
        content_by_lua_block { ngx.say(os.getenv("PATH") ~= nil) }
    }
--- response_body
true



=== as many workers as were asked for
--- workers: 3
--- master_on
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.worker.count(), " ", ngx.worker.id() < 3)
        }
    }
--- response_body
3 true



=== without a master there is one worker, number 0
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.worker.count(), " ", ngx.worker.id())
        }
    }
--- response_body
1 0



=== the pid file holds the number of the process without a master
--- no_reload: who reloads for each block has a master
--- config
    location = /t {
        content_by_lua_block {
            local f = assert(io.open(ngx.config.prefix() .. "logs/nginx.pid"))
            ngx.say(f:read("*n") == ngx.worker.pid())
        }
    }
--- response_body
true



=== an error log may have several files, each with its level
--- main_config
    error_log $TEST_NGINX_SERVER_ROOT/logs/crit.log crit;
--- config
    location = /t {
        content_by_lua_block {
            ngx.log(ngx.CRIT, "loud")
            ngx.log(ngx.ERR, "quiet")
            local f = assert(io.open(ngx.config.prefix() .. "logs/crit.log"))
            local text = f:read("*a")
            ngx.say(text:find("loud", 1, true) ~= nil, " ",
                    text:find("quiet", 1, true) ~= nil)
        }
    }
--- response_body
true false
--- error_log
loud
quiet



=== load_module is passed over with a warning
--- main_config
    load_module modules/ngx_http_x_module.so;
--- config
    location = /t { return 200 ok; }
--- response_body: ok



=== it says what of the module is known here
--- main_config
    load_module /usr/lib/nginx/modules/ngx_http_image_filter_module.so;
    load_module modules/ngx_http_brotli_filter_module.so;
--- config
    location = /t { return 204; }
--- error_code: 204
--- error_log
"load_module" is ignored: all modules are built in; "image_filter" is, with image_filter
"load_module" is ignored: all modules are built in; "brotli" is, with brotli



=== a priority has its limits
--- post_main_config
    worker_priority 40;
--- config
    location = /t { return 200; }
--- must_die
--- error_log: "worker_priority" directive invalid number



=== a directive of the main block given twice
--- main_config
    worker_processes 2;
--- config
    location = /t { return 200; }
--- must_die
--- error_log: "worker_processes" directive is duplicate



=== a log of some block on standard error leaves that where it was
--- config
    location = /t {
        error_log stderr crit;
        content_by_lua_block {
            local f = io.popen("readlink /proc/" .. ngx.worker.pid()
                               .. "/fd/2")
            ngx.say(f:read("*l"):find("error.log", 1, true))
        }
    }
--- response_body
nil
--- skip_windows: looks at /proc



=== without one it is the error log's
--- config
    location = /t {
        content_by_lua_block {
            local f = io.popen("readlink /proc/" .. ngx.worker.pid()
                               .. "/fd/2")
            ngx.say(f:read("*l"):match("error.log$"))
        }
    }
--- response_body
error.log
--- skip_windows: looks at /proc



=== it is, once a reload has taken it away
--- master_on
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /other { error_log stderr crit; }
    location = /fd {
        content_by_lua_block {
            local f = io.popen("readlink /proc/" .. ngx.worker.pid()
                               .. "/fd/2")
            ngx.print((f:read("*l"):match("error.log$")))
        }
    }
    location = /t {
        content_by_lua_block {
            local reload = require "reload"
            local function ask()
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                sock:send("GET /fd HTTP/1.0\r\nHost: localhost\r\n\r\n")
                return sock:receive("*a"):match("[%w.]+$")
            end
            ngx.say(ask())
            reload.with(function (text)
                return (text:gsub("error_log stderr crit;", ""))
            end)
            reload.await(function () return ask() == "error.log" end)
        }
    }
--- response_body
nil
--- no_reload: another would have taken it away before
--- skip_windows: looks at /proc



=== what has no effect is told
--- config
    open_file_cache_events on;
    aio on;
    degrade 204;
    msie_padding off;
    location = /t { return 200 ok; }
--- response_body chomp
ok
--- no_error_log
msie_padding
--- error_log eval
[qr/\[warn\] .*"open_file_cache_events" directive has no effect: .* in .*nginx\.conf:\d+/,
qr/"aio" directive has no effect/, qr/"degrade" directive has no effect/]
