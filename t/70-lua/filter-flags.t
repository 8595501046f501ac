# Flags, types and arguments that filters and handlers may set, and may not.

__DATA__


=== a filter may say again what the end is, and append to it
--- config
    location /body { postpone_output 0; content_by_lua_block { for i = 1, 3 do ngx.print(i) ngx.flush(true) end } }
    location /t/same { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/body; body_filter_by_lua_block { ngx.arg[2] = ngx.arg[2] } }
    location /t/args { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/body; header_filter_by_lua_block { ngx.header.content_length = nil }
        body_filter_by_lua_block { if ngx.arg[2] then ngx.arg[1] = ngx.arg[1] .. tostring(ngx.arg[3]) .. tostring(pcall(function () ngx.arg[3] = 1 end)) end } }
--- request eval
["GET /t/same", "GET /t/args"]
--- response_body eval
["123", "123nilfalse"]



=== an answer that has no type gets the default, unless a script says none
--- config
    default_type text/x;
    location = /a { content_by_lua_block { ngx.header.x = 1 ngx.print("a") } }
    location = /b { content_by_lua_block { ngx.header.content_type = nil ngx.print("b") } }
    location = /c { content_by_lua_block { ngx.header["Content-Type"] = "text/c" ngx.print("c") } }
    location = /d { content_by_lua_block { ngx.header["Content-Type"] = "" ngx.print("d") } }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d"]
--- response_body eval
["a", "b", "c", "d"]
--- response_headers eval
["Content-Type: text/x", "!Content-Type", "Content-Type: text/c", "!Content-Type"]



=== a subrequest's type is what its server says, its date its file's
--- config
    location = /charset { charset utf-8; charset_types text/x; default_type text/x; return 200 "x"; }
    location = /theirs { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/charset; }
    location = /file { alias $TEST_NGINX_HTML_DIR/file; }
    location = /t {
        content_by_lua_block {
            local res = ngx.location.capture("/charset")
            ngx.say(res.header["Content-Type"], " ", res.header["Last-Modified"])
            res = ngx.location.capture("/theirs")
            ngx.say(res.header["Content-Type"])
            res = ngx.location.capture("/file")
            ngx.say(res.status, " ", res.header["Last-Modified"] ~= nil, " ", res.header["Content-Length"])
            res = ngx.location.capture("/none")
            ngx.say(res.status, " ", res.header["Last-Modified"])
        }
    }
--- user_files
>>> file
0123
--- response_body
text/x nil
text/x; charset=utf-8
200 true 5
404 nil



=== what is said when nothing can be
--- config
    location = /eof { content_by_lua_block { ngx.print(tostring(select(2, pcall(ngx.eof, 1)))) } }
    location = /flush { content_by_lua_block { ngx.send_headers() ngx.log(ngx.WARN, "flush: ", select(2, ngx.flush(true))) } }
    location = /exec { content_by_lua_block { ngx.say(select(2, pcall(ngx.exec, ""))) } }
    location = /twice { content_by_lua_block { ngx.print("x") ngx.eof() ngx.log(ngx.WARN, "twice: ", select(2, ngx.eof()), " ", select(2, ngx.print("y"))) } }
--- request eval
["GET /eof", "GET /exec", "GET /twice"]
--- response_body_like eval
["no argument is expected", "The uri argument is empty", "^x\$"]



=== HEAD has no body to flush
--- config
    location = /t { content_by_lua_block { ngx.say("x") ngx.log(ngx.WARN, "flush: ", select(2, ngx.flush(true)), ";") } }
--- request
HEAD /t
--- response_body:
--- error_log
flush: header only;



=== what set_by_lua returns is text, or nothing
--- config
    location = /t {
        set_by_lua_block $a { return true }
        set_by_lua_block $b { return false }
        set_by_lua_block $c { return 1.5 }
        set_by_lua_block $d { return nil }
        set_by_lua_block $e { }
        set_by_lua $f 'return ngx.arg[1] .. ngx.arg[2]' $uri x;
        return 200 "[$a][$b][$c][$d][$e][$f]";
    }
--- response_body: [][][1.5][][][/tx]



=== bodies are for phases that have one
--- config
    location = /t {
        content_by_lua_block { ngx.say("x") }
        header_filter_by_lua_block {
            for _, name in ipairs { "read_body", "discard_body", "socket" } do
                ngx.log(ngx.WARN, name, ": ", tostring(select(2, pcall(ngx.req[name]))), ";")
            end
        }
    }
--- response_body
x
--- grep_error_log eval: qr/\w+: [\w ]*disabled in the context of [\w*]+/
--- grep_error_log_out
read_body: API disabled in the context of header_filter_by_lua*
discard_body: API disabled in the context of header_filter_by_lua*
socket: API disabled in the context of header_filter_by_lua*



=== ngx.arg[1] takes an array of strings, and of such arrays
--- config
    location = /t {
        body_filter_by_lua_block {
            if ngx.arg[1] ~= "" then
                for _, wrong in ipairs { { print }, { true }, { a = 1 }, { "a", { [3] = "c" } } } do
                    print((select(2, pcall(function () ngx.arg[1] = wrong end))))
                end
                ngx.arg[1] = { "a", { 1, { 2.5 } }, {}, "b\n" }
            end
        }
        echo -n x;
    }
--- log_level: info
--- response_body
a12.5b
--- grep_error_log eval: qr/(?<=__newindex' )\(.*?\)/
--- grep_error_log_out
(bad data type function found)
(bad data type boolean found)
(non-array table found)
(bad data type nil found)



=== an empty argument of set_by_lua is nil
--- config
    location = /t {
        set_by_lua $x "return tostring(ngx.arg[1]) .. tostring(ngx.arg[2]) .. ngx.arg[3]" $arg_a "$arg_a$arg_b" "x$arg_a";
        return 200 "$x\n";
    }
--- request eval
["GET /t", "GET /t?a=", "GET /t?a=1"]
--- response_body eval
["nilnilx\n", "nilnilx\n", "11x1\n"]
