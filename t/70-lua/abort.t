__DATA__


=== without lua_check_client_abort a handler ends what it began
--- config
    location = /t { content_by_lua_block { ngx.sleep(0.3) ngx.log(ngx.WARN, "ended") } }
--- timeout: 0.1
--- abort
--- ignore_response
--- error_log
ended
--- no_error_log
[error]



=== lua_check_client_abort ends it when the client leaves
--- config
    location = /t {
        lua_check_client_abort on;
        content_by_lua_block { ngx.sleep(50) ngx.log(ngx.WARN, "went on") }
        log_by_lua_block { ngx.log(ngx.WARN, "it is over: ", ngx.status) }
    }
--- timeout: 0.1
--- abort
--- ignore_response
--- error_log
client prematurely closed connection
it is over: 499
--- no_error_log
went on
[error]



=== on_abort is called
--- config
    location = /t {
        lua_check_client_abort on;
        content_by_lua_block {
            ngx.on_abort(function () ngx.log(ngx.WARN, "aborted") ngx.exit(499) end)
            ngx.sleep(50)
            ngx.log(ngx.WARN, "went on")
        }
        log_by_lua_block { ngx.log(ngx.WARN, "it is over: ", ngx.status) }
    }
--- timeout: 0.1
--- abort
--- ignore_response
--- error_log
aborted
it is over: 499
--- no_error_log
went on
[error]



=== on_abort may let the handler go on
--- config
    location = /t {
        lua_check_client_abort on;
        content_by_lua_block {
            local left = false
            ngx.on_abort(function () ngx.log(ngx.WARN, "aborted") left = true end)
            while not left do ngx.sleep(0.01) end
            ngx.sleep(0.01)
            ngx.log(ngx.WARN, "ended")
        }
    }
--- timeout: 0.1
--- abort
--- ignore_response
--- error_log
aborted
ended
--- no_error_log
[error]



=== on_abort needs the directive, and is set once
--- config
    location = /t { content_by_lua_block { ngx.say(ngx.on_abort(function () end)) } }
    location = /on {
        lua_check_client_abort on;
        content_by_lua_block {
            ngx.say(ngx.on_abort(function () end))
            ngx.say(ngx.on_abort(function () end))
        }
    }
--- pipelined_requests eval
["GET /t", "GET /on"]
--- response_body eval
["nillua_check_client_abort is off\n", "1\nnilduplicate call\n"]



=== the log says that the client has gone, whoever looks after it
--- config
    location = /t {
        lua_check_client_abort on;
        content_by_lua_block {
            ngx.on_abort(function () ngx.exit(444) end)
            ngx.sleep(5)
        }
    }
--- timeout: 0.1
--- abort
--- ignore_response
--- error_log
client prematurely closed connection



=== output that nothing postpones says that the client has gone
--- config
    location = /t {
        postpone_output 1;
        content_by_lua_block {
            ngx.sleep(0.3)
            ngx.log(ngx.WARN, "said: ", ngx.say("hello"))
        }
    }
--- timeout: 0.1
--- abort
--- ignore_response
--- error_log
said: nilnginx output filter error
writev() failed
--- skip_windows: only a read tells that a client has closed



=== postponed output does not
--- config
    location = /t {
        content_by_lua_block {
            ngx.sleep(0.3)
            ngx.log(ngx.WARN, "said: ", ngx.say("hello"))
        }
    }
--- timeout: 0.1
--- abort
--- ignore_response
--- error_log
said: 1



=== on_abort lasts as long as the handler that called it
--- config
    location = /t {
        lua_check_client_abort on;
        access_by_lua_block { ngx.on_abort(function () ngx.log(ngx.WARN, "of access") end) }
        content_by_lua_block {
            ngx.log(ngx.WARN, "again: ", (ngx.on_abort(function () ngx.log(ngx.WARN, "of content") ngx.exit(499) end)))
            ngx.sleep(50)
        }
    }
    location = /u {
        lua_check_client_abort on;
        rewrite_by_lua_block { ngx.on_abort(function () ngx.log(ngx.WARN, "of rewrite") end) }
        content_by_lua_block { ngx.sleep(50) ngx.log(ngx.WARN, "went on") }
        log_by_lua_block { ngx.log(ngx.WARN, "it is over: ", ngx.status) }
    }
    location = /both {
        content_by_lua_block {
            for _, path in ipairs { "/t", "/u" } do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                sock:send("GET " .. path .. " HTTP/1.0\r\n\r\n")
                ngx.sleep(0.1)
                sock:close()
            end
            ngx.say("left")
        }
    }
--- request
GET /both
--- response_body
left
--- error_log
again: 1
of content
it is over: 499
--- no_error_log
of access
of rewrite
went on
