# client_body_early_read

__DATA__


=== a body is there when the first thing is done with its request
--- http_config
    client_body_early_read $http_x_early;
    server_rewrite_by_lua_block { ngx.ctx.early = ngx.var.request_body or "none" }
--- config
    location = /t { content_by_lua_block {
        ngx.req.read_body()
        ngx.say(ngx.ctx.early, " ", ngx.req.get_body_data())
    } }
--- request eval
["POST /t\nhello", "POST /t\nhello", "POST /t\nhello"]
--- more_headers eval
["X-Early: 1", "X-Early: 0", ""]
--- response_body eval
["hello hello\n", "none hello\n", "none hello\n"]



=== it decides who answers
--- http_config
    client_body_early_read 1;
    map $request_body $who { default one; "~two" two; }
--- config
    location = /t { rewrite ^ /$who; }
    location = /one { return 200 "one"; }
    location = /two { return 200 "two"; }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 5\r\n\r\nit", "two"]
--- raw_request_middle_delay: 0.1
--- response_body chomp
two



=== a body that is too large for the server
--- config
    client_body_early_read 1;
    location = /t { client_max_body_size 0; return 200; }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 99999999999\r\n\r\n"]
--- error_code: 413
--- error_log
client intended to send too large body: 99999999999 bytes



=== one that is too large for its location, which only its chunks tell
--- config
    client_body_early_read 1;
    location = /t { client_max_body_size 4; return 200; }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"]
--- error_code: 413
--- error_log
client intended to send too large body: 5 bytes



=== not in a location
--- config
    location = /t { client_body_early_read 1; }
--- must_die
--- error_log
"client_body_early_read" directive is not allowed here
