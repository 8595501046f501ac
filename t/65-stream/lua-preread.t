__DATA__


=== preread_by_lua runs before the content, whatever that is
--- stream_config
    lua_add_variable $mine;
--- stream_server_config
    preread_by_lua_block {
        ngx.var.mine = ngx.get_phase()
        ngx.ctx.early = true
    }
    return "$mine\n";
--- stream_response
preread



=== peek leaves what it shows for those who follow
--- stream_server_config
    preread_by_lua_block {
        local sock = ngx.req.socket()
        ngx.log(ngx.WARN, "peeked ", sock:peek(3), ", ", sock:peek(5))
    }
    content_by_lua_block {
        ngx.say(ngx.req.socket():receive())
    }
--- stream_request
hello
--- stream_response
hello
--- error_log
peeked hel, hello



=== peek waits for what is not there yet, and a proxy passes all of it on
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local sock = ngx.req.socket()
            ngx.say("server got ", sock:receive(10))
        }
    }
--- stream_server_config
    preread_by_lua_block {
        ngx.ctx.first = ngx.req.socket():peek(7)
    }
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    log_by_lua_block { ngx.log(ngx.WARN, "first: ", ngx.ctx.first) }
--- stream_request eval
["01234", "56789"]
--- stream_response
server got 0123456789
--- error_log
first: 0123456



=== what preread takes is taken
--- stream_server_config
    preread_by_lua_block {
        local sock = ngx.req.socket()
        ngx.log(ngx.WARN, "took ", sock:receive(6))
        ngx.log(ngx.WARN, "peek: ", select(2, pcall(sock.peek, sock, 1)))
    }
    content_by_lua_block { ngx.say(ngx.req.socket():receive()) }
--- stream_request
hello world
--- stream_response
world
--- error_log
took hello 
peek: attempt to peek on a consumed socket



=== peek belongs to preread
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket()
        ngx.say(pcall(sock.peek, sock, 1))
    }
--- stream_request
hello
--- stream_response_like
API disabled in the context of content_by_lua\*



=== a peek beyond the buffer is a 400
--- stream_config
    log_format s "status=$status";
--- stream_server_config
    access_log logs/error.log s;
    preread_buffer_size 10;
    preread_by_lua_block {
        ngx.req.socket():peek(11)
        ngx.log(ngx.WARN, "never")
    }
    return "never";
--- stream_request eval
"x" x 20
--- stream_response eval: ""
--- error_log
preread buffer full while prereading client data
status=400
--- no_error_log
never



=== a client that is too slow for a peek is let go
--- stream_config
    log_format s "status=$status";
--- stream_server_config
    access_log logs/error.log s;
    preread_timeout 20ms;
    preread_by_lua_block {
        ngx.req.socket():peek(11)
        ngx.log(ngx.WARN, "never")
    }
    return "never";
--- stream_request eval
"short"
--- stream_response eval: ""
--- error_log
status=200
--- no_error_log
never



=== a client that ends before a peek is served
--- stream_config
    log_format s "status=$status";
--- stream_server_config
    access_log logs/error.log s;
    preread_by_lua_block { ngx.req.socket():peek(11) }
    return "never";
--- stream_request eval
"short"
--- shutdown
--- stream_response eval: ""
--- error_log
status=200



=== ngx.exit in preread: OK goes on, a status ends
--- stream_config
    log_format s "status=$status";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        access_log logs/error.log s;
        preread_by_lua_block { ngx.exit(403) }
        return "never";
    }
--- stream_server_config
    preread_by_lua_block { ngx.exit(ngx.OK) }
    content_by_lua_block {
        local sock = ngx.socket.tcp()
        sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
        ngx.say("content, ", sock:receive("*a"), ".")
    }
--- stream_response
content, .
--- error_log
status=403



=== preread may speak to the client
--- stream_server_config
    preread_by_lua_block {
        ngx.say("preread")
        ngx.sleep(0.001)
        ngx.say("again")
    }
    return "content\n";
--- stream_response
preread
again
content



=== preread_by_lua comes after other modules, or before them
--- stream_config
    preread_by_lua_no_postpone on;
--- stream_server_config
    ssl_preread on;
    preread_by_lua_block {
        ngx.log(ngx.WARN, "bytes: ", #ngx.req.socket():peek(1))
    }
    return "[$ssl_preread_protocol]";
--- stream_request
hello
--- stream_response chomp
[]
--- error_log
bytes: 1



=== an error in preread ends the session
--- stream_server_config
    preread_by_lua_block { local x = nil + 1 }
    return "never";
    log_by_lua_block { ngx.log(ngx.WARN, "status ", ngx.var.status) }
--- stream_response eval: ""
--- error_log
lua entry thread aborted: runtime error: preread_by_lua(nginx.conf:
status 500



=== a read that was given up does not disturb a proxy
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            ngx.say("hello")
            ngx.flush(true)
            ngx.say("got ", ngx.req.socket():receive(5))
        }
    }
--- stream_server_config
    preread_by_lua_block {
        local sock = ngx.req.socket()
        sock:settimeout(5)
        ngx.log(ngx.WARN, "read: ", select(2, sock:receive(5)))
    }
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- config
    location /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            ngx.say(sock:receive())
            sock:send("later")
            ngx.print(sock:receive("*a"))
        }
    }
--- request
GET /t
--- response_body
hello
got later
--- error_log
read: timeout



=== nor is it passed to another port
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        return "never";
    }
--- stream_server_config
    preread_by_lua_block {
        local sock = ngx.req.socket()
        sock:settimeout(5)
        sock:receive(5)
    }
    pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- stream_response eval: ""
--- error_log
cannot pass connection
