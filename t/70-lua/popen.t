# Programs that handlers start.

__DATA__

=== a program that runs on does not keep the connection of its handler open
--- config
    location = /child {
        content_by_lua_block {
            package.loaded.child = io.popen(jit.os == "Windows"
                and "pause >nul" or "cat >/dev/null", "w")
            ngx.say("started")
        }
    }
    location /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:settimeout(20000)
            sock:connect("127.0.0.1", ngx.var.server_port)
            sock:send("GET /child HTTP/1.0\r\n\r\n")
            local answer, err = sock:receive("*a")
            ngx.say(err or answer:match("%a+\n$") == "started\n")
            package.loaded.child:close()
        }
    }
--- response_body
true
--- no_error_log
[error]
