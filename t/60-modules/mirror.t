__DATA__


=== other locations get the request, and nobody sees what they say
--- config
    location = /t { mirror /one; mirror /two; echo answer; }
    location = /one { internal; log_subrequest on; return 200 "one"; }
    location = /two { log_by_lua_block { ngx.log(ngx.WARN, "two: ", ngx.req.get_method(), " ", ngx.var.request_uri, " ", ngx.var.args) } log_subrequest on; return 500; }
--- request
DELETE /t?a=1
--- response_body
answer
--- error_log
two: DELETE /t?a=1 a=1



=== with the body
--- config
    location = /t { mirror /m; echo_read_request_body; echo_request_body; }
    location = /m {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.log(ngx.WARN, "mirror has ", ngx.req.get_body_data())
        }
    }
--- request
POST /t
the body
--- response_body chop
the body
--- error_log
mirror has the body



=== or without
--- config
    location = /t { mirror /m; mirror_request_body off; echo_read_request_body; echo_request_body; }
    location = /m {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.log(ngx.WARN, "mirror has ", ngx.req.get_body_data(), " ", ngx.var.http_content_length)
        }
    }
--- request
POST /t
the body
--- response_body chop
the body
--- error_log
mirror has nil nil



=== the client does not wait for it
--- http_config
    init_worker_by_lua_block { answered = false }
--- config
    location = /m {
        content_by_lua_block {
            while not answered do ngx.sleep(0.01) end
            ngx.log(ngx.WARN, "mirror is done")
        }
    }
    location = /a { mirror /m; echo answer; }
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
            s:send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            answered = s:receiveuntil("answer")() ~= nil
            ngx.say(answered)
        }
    }
--- response_body
true
--- error_log
mirror is done



=== inherited
--- config
    mirror /m;
    location = /t { echo answer; }
    location = /m { content_by_lua_block { ngx.log(ngx.WARN, "mirrored") } }
--- response_body
answer
--- error_log
mirrored



=== off in an inner level
--- config
    mirror /m;
    location = /t { mirror off; echo answer; }
    location = /m { content_by_lua_block { ngx.log(ngx.WARN, "mirrored") } }
--- response_body
answer
--- no_error_log
mirrored



=== off beside others
--- config
    location = /t { mirror /m; mirror off; }
--- must_die
--- error_log
"mirror" directive is duplicate in
