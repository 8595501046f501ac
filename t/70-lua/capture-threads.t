__DATA__


=== several at the same time, answered in their order
--- http_config
    init_worker_by_lua_block { begun, ended = 0, "" }
--- config
    location = /wait {
        content_by_lua_block {
            begun = begun + 1
            while begun < 3 or #ended < tonumber(ngx.var.arg_n) do
                ngx.sleep(0.001)
            end
            ended = ended .. ngx.var.arg_n
            ngx.print(ngx.var.arg_n)
        }
    }
    location = /t {
        content_by_lua_block {
            local a, b, c = ngx.location.capture_multi {
                { "/wait", { args = { n = 2 } } },
                { "/wait?n=0" },
                { "/wait?n=1" },
            }
            ngx.say(a.body, " ", b.body, " ", c.body)
            ngx.say(ended)
        }
    }
--- response_body
2 0 1
012



=== many, again and again
--- config
    location = /n { return 200 "$arg_n "; }
    location = /t {
        content_by_lua_block {
            local sum = 0
            for i = 1, 20 do
                local list = {}
                for n = 1, 100 do
                    list[n] = { "/n?n=" .. n }
                end
                for _, res in ipairs { ngx.location.capture_multi(list) } do
                    sum = sum + tonumber(res.body)
                end
            end
            ngx.say(sum)
        }
    }
--- response_body
101000



=== what a list has to be
--- config
    location = /t {
        content_by_lua_block {
            local function try(...)
                local args = { ... }
                local _, err = pcall(function ()
                    ngx.location.capture_multi(unpack(args))
                end)
                ngx.say((err:gsub("^.-:%d+: ", "")))
            end
            try({}, {})
            try("/a")
            try({})
            try({ "/a" })
            try({ {} })
            try({ { "/a" }, { "/b", {}, 1 } })
            try({ { "/a", 1 } })
            try({ { true } })
            ngx.say(select(2, pcall(ngx.location.capture)))
        }
    }
--- response_body
only one argument is expected, but got 2
bad argument #1 to 'capture_multi' (table expected, got string)
at least one subrequest should be specified
the query argument 0 is not a table, but a string
query argument 0 expecting one or two arguments
query argument 1 expecting one or two arguments
expecting table as the 2nd argument for subrequest 0, but got number
bad argument #3 to 'capture_multi' (string expected, got boolean)
expecting one or two arguments



=== light threads wait each for their own
--- config
    location = /sleep {
        content_by_lua_block {
            ngx.sleep(ngx.var.arg_s)
            ngx.print(ngx.var.arg_s, " ", ngx.ctx.n)
        }
    }
    location = /t {
        content_by_lua_block {
            local function get(s)
                ngx.ctx.n = s
                ngx.say(ngx.location.capture("/sleep?s=" .. s).body)
            end
            local a = ngx.thread.spawn(get, 0.1)
            local b = ngx.thread.spawn(get, 0.01)
            local c = coroutine.wrap(get)
            c(0.05)
            ngx.thread.wait(a)
            ngx.say(ngx.ctx.n)
        }
    }
--- response_body
0.01 nil
0.05 nil
0.1 nil
0.05



=== who waits for a subrequest must not be left
--- config
    location = /sub { content_by_lua_block { ngx.sleep(0.01) ngx.say(1) } }
    location = /t {
        content_by_lua_block {
            local function get() return ngx.location.capture("/sub").body end
            local thread = ngx.thread.spawn(get)
            ngx.say(ngx.thread.kill(thread))
            for _, leave in ipairs { "exit", "exec", "redirect" } do
                ngx.say(select(2, pcall(ngx[leave], leave == "exit" and 0
                                                    or "/sub")))
            end
            ngx.print(ngx.thread.wait(thread))
            ngx.exit(ngx.OK)
        }
    }
--- response_body
nilpending subrequests
attempt to abort with pending subrequests
attempt to abort with pending subrequests
attempt to abort with pending subrequests
true1



=== nor may rewrite_by_lua jump away from it
--- config
    location = /sub { content_by_lua_block { ngx.sleep(0.01) ngx.say(1) } }
    location = /t {
        rewrite_by_lua_block {
            local function get() return ngx.location.capture("/sub").body end
            local thread = ngx.thread.spawn(get)
            local ok, err = pcall(ngx.req.set_uri, "/sub", true)
            ngx.print(err, " ", ngx.thread.wait(thread))
        }
    }
--- response_body
attempt to abort with pending subrequests true1



=== an error takes pending subrequests along
--- config
    location = /sub {
        log_subrequest on;
        content_by_lua_block {
            local sub = ngx.location.capture("/inner")
            ngx.log(ngx.ERR, "sub goes on")
        }
        log_by_lua_block { ngx.log(ngx.ERR, "sub is logged") }
    }
    location = /inner {
        content_by_lua_block { ngx.sleep(5) ngx.log(ngx.ERR, "goes on") }
    }
    location = /t {
        content_by_lua_block {
            ngx.thread.spawn(function ()
                ngx.location.capture_multi { { "/sub" }, { "/inner" } }
            end)
            ngx.sleep(0.01)
            error("oops")
        }
    }
--- error_code: 500
--- error_log
oops
--- no_error_log
goes on
is logged



=== so does a forced exit
--- config
    location = /sub {
        content_by_lua_block { ngx.sleep(5) ngx.log(ngx.ERR, "goes on") }
    }
    location = /t {
        content_by_lua_block {
            ngx.thread.spawn(function () ngx.location.capture("/sub") end)
            ngx.exit(444)
        }
        log_by_lua_block { ngx.log(ngx.WARN, "it ended with ", ngx.status) }
    }
--- error_code:
--- response_body:
--- error_log
it ended with 444
--- no_error_log
goes on



=== and a client that leaves
--- config
    lua_check_client_abort on;
    location = /sub {
        content_by_lua_block {
            ngx.on_abort(function () ngx.log(ngx.ERR, "not asked") end)
            ngx.sleep(5)
            ngx.log(ngx.ERR, "goes on")
        }
    }
    location = /t {
        content_by_lua_block { ngx.location.capture("/sub") }
        log_by_lua_block { ngx.log(ngx.WARN, "it ended with ", ngx.status) }
    }
--- timeout: 0.1
--- abort
--- ignore_response
--- error_log
client prematurely closed connection
it ended with 499
--- no_error_log
goes on
not asked



=== a client that left is no reason to end, if nobody looks
--- config
    location = /sub {
        content_by_lua_block { ngx.sleep(0.2) ngx.say(("x"):rep(9000)) }
    }
    location = /t {
        content_by_lua_block {
            local res = ngx.location.capture("/sub")
            ngx.log(ngx.WARN, "got ", res.status, " ", #res.body)
        }
    }
--- timeout: 0.1
--- abort
--- ignore_response
--- error_log
got 200 9001



=== no request, no subrequest
--- http_config
    init_worker_by_lua_block {
        ngx.timer.at(0, function ()
            ngx.log(ngx.WARN, select(2, pcall(ngx.location.capture, "/t")))
        end)
    }
--- config
    location = /t {
        set_by_lua_block $a {
            return select(2, pcall(ngx.location.capture, "/t"))
        }
        return 200 $a;
    }
--- response_body: API disabled in the context of set_by_lua*
--- error_log
API disabled in the context of ngx.timer
