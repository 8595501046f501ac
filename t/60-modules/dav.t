__DATA__


=== a file is put, got, put again, deleted
--- config
    location /d/ { dav_methods PUT DELETE; }
--- user_files
>>> d/x
--- pipelined_requests eval
["PUT /d/a%20b\nhello", "GET /d/a%20b", "PUT /d/a%20b\nnew",
 "GET /d/a%20b", "DELETE /d/a%20b", "GET /d/a%20b", "DELETE /d/a%20b"]
--- error_code eval
[201, 200, 204, 200, 204, 404, 404]
--- response_body eval
["", "hello", "", "new", "", qr/404/, qr/404/]



=== what was made has a place
--- config
    location /d/ { dav_methods PUT; }
--- user_files
>>> d/x
--- request
PUT /d/a%20b
x
--- error_code: 201
--- response_headers_like
Location: http://[^/]+/d/a%20b



=== a body that comes in chunks, and a large one
--- config
    location /d/ { dav_methods PUT; client_body_buffer_size 1k; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            local part = ("x"):rep(4096)
            sock:send("PUT /d/big HTTP/1.1\r\nHost: a\r\n" ..
                      "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
            for i = 1, 50 do
                sock:send("1000\r\n" .. part .. "\r\n")
            end
            sock:send("0\r\n\r\n")
            ngx.say(sock:receive("*l"))
            ngx.say(#ngx.location.capture("/d/big").body)
        }
    }
--- user_files
>>> d/x
--- response_body
HTTP/1.1 201 Created
204800



=== an empty file
--- config
    location /d/ { dav_methods PUT; }
--- user_files
>>> d/x
--- pipelined_requests eval
["PUT /d/e", "GET /d/e"]
--- error_code eval
[201, 200]
--- response_body eval
["", ""]



=== what PUT does not do
--- config
    location /d/ { dav_methods PUT; }
--- user_files
>>> d/sub/x
--- more_headers eval
["", "", "", "Content-Range: bytes 0-1/5"]
--- request eval
["PUT /d/new/\nx", "PUT /d/sub\nx", "PUT /d/none/x\nx",
 "PUT /d/x\nx"]
--- error_code eval
[409, 409, 409, 501]
--- response_body_like eval
["409", "409", "409", "501"]



=== folders on the way
--- config
    location /d/ { dav_methods PUT; create_full_put_path on; }
--- pipelined_requests eval
["PUT /d/a/b/c\nx", "GET /d/a/b/c"]
--- error_code eval
[201, 200]
--- response_body eval
["", "x"]



=== a time that the client says
--- config
    location /d/ { dav_methods PUT; }
--- user_files
>>> d/x
--- more_headers
Date: Sat, 03 Jan 2026 04:05:06 GMT
--- pipelined_requests eval
["PUT /d/a\nx", "GET /d/a"]
--- error_code eval
[201, 200]
--- response_headers eval
["", "Last-Modified: Sat, 03 Jan 2026 04:05:06 GMT"]



=== methods that are not asked for
--- config
    location /d/ { dav_methods PUT; }
--- user_files
>>> d/x
--- pipelined_requests eval
["DELETE /d/x", "MKCOL /d/y/", "GET /d/x"]
--- error_code eval
[405, 405, 200]



=== a collection is made once
--- config
    location /d/ { dav_methods MKCOL; }
--- user_files
>>> d/x
--- request eval
["MKCOL /d/y/", "MKCOL /d/y/", "MKCOL /d/z", "MKCOL /d/no/z/",
 "MKCOL /d/z/\nbody"]
--- error_code eval
[201, 405, 409, 409, 415]



=== a collection is deleted with all that is in it
--- config
    location /d/ { dav_methods DELETE; autoindex on; autoindex_format json; }
--- user_files
>>> d/a/b/c
>>> d/a/b/d/e
>>> d/x
--- pipelined_requests eval
["DELETE /d/a", "DELETE /d/x/", "DELETE /d/a/", "GET /d/"]
--- error_code eval
[409, 409, 204, 200]
--- response_body_like eval
["409", "409", "", '^\[\r\n[^\n]*"name":"x"[^\n]*\n\]$']



=== a link is removed, and not what it leads to
--- config
    location /d/ { dav_methods DELETE; }
    location = /t {
        content_by_lua_block {
            os.execute("ln -s ../keep $TEST_NGINX_HTML_DIR/d/a/link")
            local res = ngx.location.capture("/d/a/",
                                             { method = ngx.HTTP_DELETE })
            ngx.say(res.status)
            ngx.say(ngx.location.capture("/d/keep/x").body)
        }
    }
--- user_files eval
[["d/a/y", ""], ["d/keep/x", "kept"]]
--- skip_windows: no links by a shell
--- response_body
204
kept



=== a link to a folder, or to nothing, is removed as a file
--- config
    location /d/ { dav_methods DELETE; }
    location = /t {
        content_by_lua_block {
            os.execute("ln -s keep $TEST_NGINX_HTML_DIR/d/folder; "
                       .. "ln -s none $TEST_NGINX_HTML_DIR/d/nothing")
            for _, uri in ipairs { "/d/folder", "/d/nothing", "/d/keep",
                                   "/d/none" } do
                ngx.say(ngx.location.capture(uri,
                        { method = ngx.HTTP_DELETE }).status)
            end
            ngx.say(ngx.location.capture("/d/keep/x").body)
        }
    }
--- user_files eval
[["d/keep/x", "kept"]]
--- skip_windows: no links by a shell
--- response_body
204
204
409
404
kept



=== a link is moved, and not what it leads to; one is replaced by what is moved
--- config
    location /d/ { dav_methods MOVE; }
    location = /t {
        content_by_lua_block {
            local html = "$TEST_NGINX_HTML_DIR/d"
            os.execute("cd " .. html .. "; ln -s keep folder; ln -s none nil; "
                       .. "ln -s one.txt two.txt; ln -s keep three.txt")
            for _, uri in ipairs { "folder", "nil", "keep", "none" } do
                ngx.req.set_header("Destination", "/d/to_" .. uri)
                ngx.say(ngx.location.capture("/d/" .. uri,
                        { method = ngx.HTTP_MOVE }).status)
            end
            for _, uri in ipairs { "two.txt", "three.txt" } do
                ngx.req.set_header("Destination", "/d/" .. uri)
                ngx.say(ngx.location.capture(uri == "two.txt" and "/d/one.txt"
                        or "/d/two.txt", { method = ngx.HTTP_MOVE }).status)
            end
            local names = io.popen("cd " .. html .. "; for f in *; do echo $f "
                                   .. "$(readlink $f); done; cat three.txt")
            ngx.print(names:read("*a"))
        }
    }
--- user_files eval
[["d/keep/x", "kept"], ["d/one.txt", "one\n"]]
--- skip_windows: no links by a shell
--- response_body
204
204
409
404
204
204
keep
three.txt
to_folder keep
to_nil none
one



=== a copy has what links lead to, but for those that lead nowhere or back
--- config
    location /d/ { dav_methods COPY; }
    location /strict/ { dav_methods COPY; disable_symlinks on; alias html/d/; }
    location = /t {
        content_by_lua_block {
            os.execute("cd $TEST_NGINX_HTML_DIR/d/a; ln -s ../keep kept; "
                       .. "ln -s none nothing; ln -s .. back; ln -s y z")
            for _, uri in ipairs { "/d/a/", "/strict/a/" } do
                ngx.req.set_header("Destination", (uri:gsub("a/", "b/")))
                ngx.say(ngx.location.capture(uri,
                        { method = ngx.HTTP_COPY }).status)
                local names = io.popen("cd $TEST_NGINX_HTML_DIR/d/b; find * | sort")
                ngx.print(names:read("*a"))
            end
        }
    }
--- user_files eval
[["d/a/y", ""], ["d/keep/x", "kept"]]
--- skip_windows: no links by a shell
--- response_body
201
back
back/keep
back/keep/x
kept
kept/x
y
z
201
y



=== where something may not go
--- config
    dav_methods MOVE;
--- user_files
>>> d/a
--- request
MOVE /d/a
--- more_headers
Destination: http://localhost/d/../../x
--- error_code: 400
--- error_log
unsafe URI "/d/../../x" was detected
client sent invalid "Destination" header: "http://localhost/d/../../x"



=== not what is above a certain depth
--- config
    dav_methods DELETE; min_delete_depth 3;
--- user_files
>>> d/a/b
--- pipelined_requests eval
["DELETE /d/", "DELETE /d/a/", "DELETE /d/a/b"]
--- error_code eval
[409, 409, 204]
--- error_log: insufficient URI depth:2 to DELETE



=== a file is copied and moved
--- config
    location /d/ { dav_methods COPY MOVE; }
--- user_files eval
[["d/a", "one"], ["d/b", "two"]]
--- more_headers eval
["Destination: /d/c", "", "Destination: http://localhost:1/d/b", "", "",
 "Destination: /d/c\nOverwrite: F", "Destination: /d/none"]
--- pipelined_requests eval
["COPY /d/a", "GET /d/c", "MOVE /d/a", "GET /d/a", "GET /d/b", "MOVE /d/b",
 "MOVE /d/a"]
--- error_code eval
[204, 200, 204, 404, 200, 412, 404]
--- response_body_like eval
["", "one", "", "404", "one", "412", "404"]



=== a collection is copied, with or without what is in it, and moved
--- config
    location /d/ { dav_methods COPY MOVE; autoindex on; }
--- user_files eval
[["d/a/x", "one"], ["d/a/s/y", "two"], ["d/old/z", ""]]
--- more_headers eval
["Destination: /d/b/", "", "Destination: /d/c/\nDepth: 0", "",
 "Destination: /d/old/", "", "", ""]
--- pipelined_requests eval
["COPY /d/a/", "GET /d/b/s/y", "COPY /d/a/", "GET /d/c/x", "MOVE /d/a/",
 "GET /d/old/s/y", "GET /d/old/z", "GET /d/a/x"]
--- error_code eval
[201, 200, 201, 404, 201, 200, 404, 404]



=== what is there stays where its successor is not whole
--- config
    location /d/ { dav_methods COPY; }
    location = /t {
        content_by_lua_block {
            os.execute("mkfifo $TEST_NGINX_HTML_DIR/d/a/x")
            local res = ngx.location.capture("/d/a/",
                                             { method = ngx.HTTP_COPY })
            ngx.say(res.status)
            ngx.say(ngx.location.capture("/d/b/y").body)
            local names = io.popen("ls -A $TEST_NGINX_HTML_DIR/d")
            ngx.print(names:read("*a"))
        }
    }
--- user_files eval
[["d/a/z", "new"], ["d/b/y", "old"]]
--- more_headers
Destination: /d/b/
--- skip_windows: no links by a shell
--- response_body
409
old
a
b



=== destinations that are none
--- config
    location /d/ { dav_methods COPY MOVE; }
--- user_files
>>> d/a/x
>>> d/b
--- more_headers eval
["", "Destination: http://other/d/c", "Destination: /../c",
 "Destination: /d/c/", "Destination: /d/a/b/", "Destination: /d/b",
 "Destination: /d/c\nOverwrite: X", "Destination: /d/c/\nDepth: 1",
 "Destination: /d/"]
--- request eval
["COPY /d/b", "COPY /d/b", "COPY /d/b", "COPY /d/b", "COPY /d/a/",
 "COPY /d/b", "COPY /d/b", "MOVE /d/a/", "MOVE /d/a/"]
--- error_code eval
[400, 400, 400, 409, 403, 403, 400, 400, 403]



=== who may read it
--- config
    location /d/ { dav_methods PUT; dav_access group:rw all:r; }
    location = /t {
        content_by_lua_block {
            ngx.location.capture("/d/f", { method = ngx.HTTP_PUT,
                                           body = "x" })
            local f = io.popen("stat -c %a $TEST_NGINX_HTML_DIR/d/f")
            ngx.print(f:read("*a"))
        }
    }
--- user_files
>>> d/x
--- skip_windows: asks a shell
--- response_body_like: ^6[46]4$



=== what was wrong with a destination
--- config
    location /d/ { dav_methods COPY; }
--- user_files
>>> d/b
--- request
COPY /d/b
--- more_headers
Destination: http://other/d/c
--- error_code: 400
--- error_log
"Destination" URI "http://other/d/c" is handled by different repository than the source URI



=== a file that is moved finds the folders on its way
--- config
    location /d/ { dav_methods MOVE COPY; }
--- user_files
>>> d/a
here
--- more_headers eval
["Destination: /d/x/y/b", "Destination: /d/x/y/b", "", "Destination: /d/z/c"]
--- request eval
["COPY /d/a", "MOVE /d/a", "GET /d/x/y/b", "COPY /d/x/y/b"]
--- error_code eval
[409, 204, 200, 409]
--- response_body_like eval
["409", "", "^here\$", "409"]



=== a destination that is none
--- config
    location /d/ { dav_methods COPY; }
--- user_files
>>> d/a
--- request
COPY /d/a
--- more_headers
Destination: http://localhost
--- error_code: 400
--- error_log
client sent invalid "Destination" header: "http://localhost"



=== a source that is not there
--- config
    location /d/ { dav_methods COPY; }
--- request
COPY /d/none
--- more_headers
Destination: /d/b
--- error_code: 404
--- error_log
lstat() "



=== CVE-2026-27654: a destination has to be in the location whose alias it takes
--- config
    location /davalias/ { alias $TEST_NGINX_HTML_DIR/up/; dav_methods COPY MOVE; }
    location /html/ { root $TEST_NGINX_SERVER_ROOT; }
--- user_files
>>> up/a
a
>>> escaped
untouched
--- more_headers eval
["Destination: /abcdefghi../escaped", "Destination: /abcdefghi../new",
 "Destination: /dav/b.txt", "Destination: /d", "Destination: /davalias",
 "Destination: http://localhost/abcdefghi../escaped",
 "Destination: /davalias/../davaliax../escaped", "",
 "Destination: /davalias/b", ""]
--- request eval
["COPY /davalias/a", "MOVE /davalias/a", "COPY /davalias/a",
 "COPY /davalias/a", "MOVE /davalias/a", "MOVE /davalias/a",
 "COPY /davalias/a", "GET /html/escaped",
 "COPY /davalias/a", "GET /davalias/b"]
--- error_code eval
[400, 400, 400, 400, 400, 400, 400, 200, 204, 200]
--- response_body_like eval
["400", "400", "400", "400", "400", "400", "400", "^untouched\$", "^\$",
 "^a\$"]



=== of Windows' names for a folder none leads a destination out of it
--- config
    location /up/ { alias $TEST_NGINX_HTML_DIR/up/; dav_methods COPY; }
--- user_files
>>> up/a
a
>>> up/sub/x
--- more_headers eval
["Destination: /up/..\\esc", "Destination: /up/sub\\..\\..\\esc",
 "Destination: /up/%2e%2e%5cesc", "Destination: /up/a::\$DATA",
 "Destination: /up/b:x", "Destination: /up/c.", "Destination: /UP/d"]
--- request eval
["COPY /up/a", "COPY /up/a", "COPY /up/a", "COPY /up/a", "COPY /up/a",
 "COPY /up/a", "COPY /up/a"]
--- error_code eval
[404, 404, 404, 404, 404, 404, 204]
--- skip_linux: these are names like others



=== a destination's scheme is that of the connection
--- config
    location /d/ { dav_methods COPY; }
--- user_files
>>> d/a
--- more_headers eval
["Destination: ftp://localhost/d/b", "Destination: x://localhost/d/b",
 "Destination: ://localhost/d/b", "Destination: https://localhost/d/b",
 "Destination: http:/localhost/d/b", "Destination: http://localhostx/d/b",
 "Destination: HTTP://localhost/d/b", "Destination: http://LOCALHOST/d/b"]
--- request eval
["COPY /d/a", "COPY /d/a", "COPY /d/a", "COPY /d/a", "COPY /d/a",
 "COPY /d/a", "COPY /d/a", "COPY /d/a"]
--- error_code eval
[400, 400, 400, 400, 400, 400, 204, 204]



=== over TLS it is https
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        location /d/ { dav_methods COPY; }
    }
--- config
    location = /t {
        content_by_lua_block {
            for _, scheme in ipairs { "http", "https", "HTTPS" } do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                assert(sock:sslhandshake(nil, nil, false))
                sock:send("COPY /d/a HTTP/1.0\r\nHost: localhost\r\n" ..
                          "Destination: " .. scheme .. "://localhost/d/b\r\n\r\n")
                ngx.say(sock:receive("*l"))
            end
        }
    }
--- user_files
>>> d/a
--- response_body
HTTP/1.1 400 Bad Request
HTTP/1.1 204 No Content
HTTP/1.1 204 No Content
