# What slice makes of answers that are not what it has asked for.

__DATA__


=== a server that says nothing of ranges is passed on whole
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { return 200 "whole"; } }
--- response_body: whole



=== ranges that are none, or not the wanted one
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        ngx.status = tonumber(ngx.var.arg_s) or 206
        ngx.header.content_range = ngx.unescape_uri(ngx.var.arg_r or "")
        ngx.header.content_length = 4
        ngx.print("0123") } } }
--- request eval
["GET /t?r=bytes%200-3/4", "GET /t?r=bytes%20%20%200%20-%203%20/%204%20", "GET /t?r=bytes%200-3/*", "GET /t?r=bytes%200-3", "GET /t?r=bytes%20x-3/4",
 "GET /t?r=octets%200-3/4", "GET /t?r=bytes%200-9223372036854775808/9", "GET /t?r=bytes%200-3/9223372036854775808", "GET /t?r=bytes%204-7/8", "GET /t?r=bytes%203-0/4", "GET /t?s=500"]
--- response_body eval
["0123", "0123", "", "", "", "", "", "", "", "", "0123"]
--- error_code eval
["200", "200", "", "", "", "", "", "", "", "", "500"]



=== parts from all over a long answer, with and without an end
--- config
    location /t { slice 3; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/file; proxy_set_header X-Range $slice_range; }
    location = /file { alias $TEST_NGINX_HTML_DIR/file; }
--- user_files
>>> file
0123456789
--- more_headers eval
["Range: bytes=0-0", "Range: bytes=2-3", "Range: bytes=3-", "Range: bytes=9-99", "Range: bytes=-2", "Range: bytes=  5 -  7 ", "Range: bytes=8-2",
 "Range: bytes=11-", "Range: bytes=99999999999999999999-", "Range: bytes=9223372036854775807-", "Range: bytes=0-1,3-4", "Range: chars=1-2", "Range: bytes=5-5"]
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- error_code eval
[206, 206, 206, 206, 206, 206, 416, 416, 416, 416, 200, 200, 206]
--- response_headers_like eval
["Content-Range: bytes 0-0/11", "Content-Range: bytes 2-3/11", "Content-Range: bytes 3-10/11", "Content-Range: bytes 9-10/11", "Content-Range: bytes 9-10/11",
 "Content-Range: bytes 5-7/11", "Content-Range: bytes \\*/11", "Content-Range: bytes \\*/11", "Content-Range: bytes \\*/11", "Content-Range: bytes \\*/11",
 "Content-Length: 11", "Content-Length: 11", "Content-Range: bytes 5-5/11"]



=== a server that changes its mind between two parts
--- config
    location /t { slice 3; postpone_output 0; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        local from = tonumber(ngx.var.http_range:match("%d+"))
        if from > 2 and ngx.var.arg_s then ngx.exit(tonumber(ngx.var.arg_s)) end
        ngx.status = 206
        ngx.header.etag = from > 2 and ngx.var.arg_e or "a"
        ngx.header.content_range = ("bytes %d-%d/%d"):format(from, from + 2, from > 2 and ngx.var.arg_n or 9)
        ngx.header.content_length = 3
        ngx.print(("%d"):format(from):rep(3)) } } }
--- request eval
["GET /t?n=9&e=a", "GET /t?n=9&e=b", "GET /t?n=8&e=a", "GET /t?s=404", "GET /t?s=500"]
--- response_body eval
["000333666", "000", "000333", "000", "000"]
--- abort



=== a part without a byte ends it: what follows it would be asked for for ever
--- config
    location /t { slice 3; postpone_output 0; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        local from = tonumber(ngx.var.http_range:match("%d+"))
        local to, whole = from + 2, 9
        if from > 2 then whole = tonumber(ngx.var.arg_n); to = whole - 1 end
        ngx.status = 206
        ngx.header.content_range = ("bytes %d-%d/%d"):format(from, to, whole)
        ngx.header.content_length = from > 2 and 0 or 3
        ngx.print(from > 2 and "" or "000") } } }
--- request eval
["GET /t?n=3", "GET /t?n=1"]
--- response_body eval
["000", "000"]
--- error_log: invalid range in slice response
--- abort



=== where ranges are off the first part is the first
--- config
    location /t { slice 3; max_ranges 0; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/file; }
--- user_files
>>> file
0123456789
--- more_headers
Range: bytes=5-7
--- response_body
0123456789
--- error_code: 200



=== no part that does not fit is kept
--- http_config
    lua_shared_dict asked 1m;
    proxy_cache_path slices keys_zone=slices:1m;
--- config
    location /t { slice 4; proxy_cache slices; proxy_cache_key $uri$slice_range; proxy_cache_valid 206 1h; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; }
    location /back { content_by_lua_block {
        local from = tonumber(ngx.var.http_range:match("%d+"))
        local n = (ngx.shared.asked:incr(from, 1, 0))
        ngx.status = 206
        ngx.header.etag = from == 0 and '"a"' or '"b' .. n .. '"'
        ngx.header.content_range = "bytes " .. from .. "-" .. from + 3 .. "/8"
        ngx.header.content_length = 4
        ngx.print("abcd")
    } }
    location = /all { content_by_lua_block {
        for _ = 1, 2 do
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /t HTTP/1.1\r\nHost: x\r\n\r\n")
            sock:receive("*a")
        end
        ngx.say("asked: ", ngx.shared.asked:get(0), " ", ngx.shared.asked:get(4))
    } }
--- request
GET /all
--- response_body
asked: 1 2




=== parts are asked for as the first one is
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; }
    location /back { content_by_lua_block {
        ngx.req.read_body()
        local from = tonumber(ngx.var.http_range:match("%d+"))
        ngx.status = 206
        ngx.header.content_range = "bytes " .. from .. "-" .. from + 3 .. "/8"
        ngx.header.content_length = 4
        ngx.print(ngx.req.get_method() == "POST" and ngx.req.get_body_data() or "none")
    } }
--- request
POST /t
body
--- response_body chomp
bodybody



=== the client gets as much as it was told, whatever the parts have
--- config
    location /t { slice 4; postpone_output 0; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; }
    location /back { content_by_lua_block {
        local from = tonumber(ngx.var.http_range:match("%d+"))
        local sizes = { [0] = tonumber(ngx.var.arg_a), [4] = tonumber(ngx.var.arg_b) }
        ngx.status = 206
        ngx.header.content_range = "bytes " .. from .. "-" .. from + 3 .. "/8"
        ngx.header.content_length = ngx.var.arg_l and sizes[from]
        ngx.print(("abcdefghijkl"):sub(1, sizes[from]))
        if sizes[from] > 9 then ngx.flush(true) ngx.print("mno") end
    } }
    location = /all { content_by_lua_block {
        for args in ("a=4&b=4&next a=5&b=12&next a=12&b=4&next a=3&b=4 a=4&b=3 a=0&b=4 a=4&b=0 a=4&b=5&l=1 a=3&b=4&l=1"):gmatch "%S+" do
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /t?" .. args .. " HTTP/1.1\r\nHost: x\r\n\r\n" .. (args:find("next")
                      and "GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" or ""))
            local got, _, part = sock:receive("*a")
            ngx.say(args, " ", ((got or part):gsub("HTTP/1.-\r\n\r\n", "|")))
        end
    } }
    location = /next { return 200 "next"; }
--- request
GET /all
--- response_body
a=4&b=4&next |abcdabcd|next
a=5&b=12&next |abcdabcd|next
a=12&b=4&next |abcdabcd|next
a=3&b=4 |abc
a=4&b=3 |abcdabc
a=0&b=4 |
a=4&b=0 |abcd
a=4&b=5&l=1 |abcd
a=3&b=4&l=1 
--- error_log
slice response is too long
slice response is too short
unexpected length of slice response: 5, expected: 4



=== a part that goes elsewhere on its way is that part
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_intercept_errors on; error_page 302 = @there; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; }
    location @there { rewrite ^ /file break; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    location /back { content_by_lua_block {
        if ngx.var.http_range == "bytes=" .. ngx.var.arg_moved then return ngx.redirect("/t") end
        ngx.exec("/file")
    } }
    location = /file { alias $TEST_NGINX_HTML_DIR/file; }
    location = /all { content_by_lua_block {
        for _, moved in ipairs { "none", "0-3", "4-7", "8-11" } do
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /t?moved=" .. moved .. " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            local got, _, part = sock:receive("*a")
            ngx.print(moved, " ", ((got or part):gsub("HTTP/1.-\r\n\r\n", "|")))
        end
    } }
--- user_files
>>> file
0123456789
--- request
GET /all
--- response_body
none |0123456789
0-3 |0123456789
4-7 |0123456789
8-11 |0123456789



=== a slice that is over is asked for as one, not as the whole in the background
--- http_config
    lua_shared_dict asked 1m;
    proxy_cache_path slices keys_zone=slices:1m;
--- config
    proxy_cache slices; proxy_cache_key $uri|$slice_range; proxy_cache_use_stale updating; proxy_cache_background_update on; add_header X-C $upstream_cache_status;
    location = /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; }
    location = /back { proxy_cache off; content_by_lua_block {
        local n = ngx.shared.asked:incr("n", 1, 0)
        local from = ngx.var.http_range:match("%d+")
        ngx.header["X-Accel-Expires"] = n <= 2 and "@1" or "60"
        ngx.status = 206
        ngx.header.content_range = "bytes " .. from .. "-" .. from + 3 .. "/8"
        ngx.header.content_length = 4
        ngx.print(tostring(n):rep(4))
    } }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: EXPIRED", "X-C: HIT"]
--- response_body eval
["11112222", "33334444", "33334444"]
