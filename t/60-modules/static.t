__DATA__


=== a file with its headers
--- config
--- user_files
>>> a.txt 202601021530.00
hello
--- request
GET /a.txt
--- response_headers
Content-Type: text/plain
Content-Length: 6
Last-Modified: Fri, 02 Jan 2026 15:30:00 GMT
ETag: "6957e478-6"
Accept-Ranges: bytes
--- response_body
hello



=== HEAD has the headers alone
--- config
--- user_files
>>> a.txt
hello
--- request
HEAD /a.txt
--- response_headers
Content-Length: 6
--- response_body



=== an empty file
--- config
--- user_files eval
[["a.txt", ""]]
--- request
GET /a.txt
--- response_headers
Content-Length: 0
--- response_body



=== a file that is larger than what is kept in memory
--- config
--- user_files eval
[["big.txt", "0123456789" x 30000, "202601021530.00"]]
--- request
GET /big.txt
--- response_headers
Content-Length: 300000
--- response_body eval
"0123456789" x 30000



=== the same file again and again
--- config
--- user_files
>>> a.txt 202601021530.00
the same
--- pipelined_requests eval
["GET /a.txt", "GET /a.txt", "HEAD /a.txt", "GET /a.txt"]
--- response_body eval
["the same\n", "the same\n", "", "the same\n"]



=== types of a location
--- config
    location /l/ { types { image/x y; } default_type a/b; }
    location /m/ { types { } default_type c/d; }
--- user_files
>>> l/a.y
>>> l/a
>>> m/a.y
--- request eval
["GET /l/a.y", "GET /l/a", "GET /m/a.y"]
--- response_headers eval
["Content-Type: image/x", "Content-Type: a/b", "Content-Type: c/d"]
--- response_body eval
["", "", ""]



=== a file that is not there
--- config
--- request
GET /none.txt
--- error_code: 404
--- response_body_like: 404 Not Found
--- error_log eval
qr/\[error\] .*open\(\) "\S+html\/none\.txt" failed \(\d+: (No such file or directory|.*)\)/



=== log_not_found off keeps silent
--- config
    location /n { log_not_found off; }
--- request
GET /n
--- error_code: 404
--- no_error_log
open()



=== a file below a file is not there
--- config
--- user_files
>>> a.txt
x
--- request
GET /a.txt/b
--- error_code: 404



=== a folder without a slash is a redirect
--- config
--- user_files
>>> sub/index.html
x
--- request eval
["GET /sub", "GET /sub?a=b"]
--- error_code eval
[301, 301]
--- raw_response_headers_like eval
["/sub/\r\n", "/sub/\\?a=b\r\n"]



=== such a redirect is escaped
--- config
--- user_files eval
[["a b/x", ""]]
--- request
GET /a%20b
--- error_code: 301
--- raw_response_headers_like: /a%20b/\r\n



=== a folder without an index may not be seen
--- config
--- user_files
>>> bare/x
x
--- request
GET /bare/
--- error_code: 403
--- error_log eval
qr/\[error\] .*directory index of "\S+html\/bare\/" is forbidden/



=== POST to a file is not allowed, nor is DELETE
--- config
--- user_files
>>> a.txt
x
--- request eval
["POST /a.txt\nbody", "DELETE /a.txt", "POST /none"]
--- error_code eval
[405, 405, 404]



=== alias replaces the prefix
--- config
    location /pics/ { alias $TEST_NGINX_HTML_DIR/img/; }
    location ~ ^/re/(.*)$ { alias $TEST_NGINX_HTML_DIR/img/$1; }
--- user_files
>>> img/a.txt
pic
--- request eval
["GET /pics/a.txt", "GET /re/a.txt"]
--- response_body eval
["pic\n", "pic\n"]



=== root may have variables
--- config
    location /t/ { root $TEST_NGINX_HTML_DIR/$arg_d; }
--- user_files
>>> one/t/a
one
>>> two/t/a
two
--- request eval
["GET /t/a?d=one", "GET /t/a?d=two"]
--- response_body eval
["one\n", "two\n"]



=== names with spaces, percents and letters beyond ASCII
--- config
--- user_files eval
[["a b.txt", "space"], ["50%.txt", "percent"], ["\xc3\xa9.txt", "letter"]]
--- request eval
["GET /a%20b.txt", "GET /50%25.txt", "GET /%C3%A9.txt"]
--- response_body eval
["space", "percent", "letter"]



=== etag off
--- config
    location /a { etag off; }
--- user_files
>>> a
x
--- request
GET /a
--- response_headers
!ETag
--- response_body
x



=== sendfile on sends the same
--- http_config
    sendfile on;
--- config
--- user_files eval
[["big.txt", "abcdefghij" x 20000]]
--- request
GET /big.txt
--- response_body eval
"abcdefghij" x 20000



=== types of the http block are in place of the usual ones
--- http_config
    types { text/x-new new; }
--- user_files
>>> a.new
one
>>> a.css
two
--- request eval
["GET /a.new", "GET /a.css"]
--- response_headers eval
["Content-Type: text/x-new", "Content-Type: text/plain"]



=== what is neither a file nor a folder is not there
--- skip_windows: no named pipes in folders
--- config
    location = /t {
        content_by_lua_block {
            os.execute("mkfifo $TEST_NGINX_HTML_DIR/pipe")
            ngx.say(ngx.location.capture("/pipe").status)
        }
    }
--- response_body
404
--- error_log
pipe" is not a regular file



=== a folder that a request names, and what is no name of one
--- config
    location /f {
        set_unescape_uri $folder $arg_d;
        root $TEST_NGINX_HTML_DIR/$folder;
    }
--- user_files
>>> a/f
in a
--- pipelined_requests eval
["GET /f?d=a", "GET /f?d=a%00", "GET /f?d=b"]
--- error_code eval
[200, 404, 404]



=== a file of 5 GB
--- config
    location = /t {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/big", "wb"))
            f:seek("set", 5e9)
            f:write("x")
            f:close()
            local s = ngx.socket.tcp()
            assert(s:connect("127.0.0.1", ngx.var.server_port))
            s:send("HEAD /big HTTP/1.0\r\n\r\n")
            local head = s:receive("*a")
            os.remove("$TEST_NGINX_HTML_DIR/big")
            ngx.say(head:match("Content%-Length: (%d+)"), " ",
                    head:match('ETag: "%x+%-(%x+)"'))
        }
    }
--- response_body
5000000001 12a05f201



=== what follows an alias does not lead out of it
--- config
    location /pics { alias $TEST_NGINX_HTML_DIR/img/; }
    location /rw/ {
        alias $TEST_NGINX_HTML_DIR/img/;
        rewrite ^/rw/x(.*)$ /abc$1 break;
    }
    location /tf/ {
        alias $TEST_NGINX_HTML_DIR/img/;
        try_files ../$arg_f =404;
    }
    location ~ ^/re(.*)$ { alias $TEST_NGINX_HTML_DIR/img/$1; }
    location /up { alias $TEST_NGINX_HTML_DIR/img/..; }
    location /half { alias $TEST_NGINX_HTML_DIR/im; }
    location /dots { alias $TEST_NGINX_HTML_DIR/img/.; }
--- user_files
>>> secret
secret
>>> img/a.txt
pic
>>> img/..b/c
dots
--- request eval
["GET /pics/a.txt", "GET /pics../secret", "GET /pics../img/a.txt",
 "GET /rw/x../secret", "GET /tf/x?f=secret", "GET /re../secret",
 "GET /rea.txt", "GET /up/secret", "GET /halfg/a.txt",
 "GET /dots./secret"]
--- error_code eval
[200, 404, 404, 404, 404, 404, 200, 200, 200, 404]
--- response_body_like eval
["^pic\$", "404", "404", "404", "404", "404", "^pic\$", "^secret\$", "^pic\$",
 "404"]
--- skip_windows: no name there ends in a dot



=== what is rewritten does not lead out of the root, nor a variable out of it
--- config
    location /rw { rewrite ^/rw(.*)$ /$1 break; root $TEST_NGINX_HTML_DIR/w; }
    location /in { rewrite ^ /d/../a break; root $TEST_NGINX_HTML_DIR/w; }
    location /var/ { root $TEST_NGINX_HTML_DIR/w/$arg_d; }
    location /set/ { set $d $TEST_NGINX_HTML_DIR/w/../w; alias $d/; }
    location /lua {
        root $TEST_NGINX_HTML_DIR/w;
        rewrite_by_lua_block { ngx.req.set_uri("/../secret") }
    }
--- user_files
>>> secret
secret
>>> var/x
secret
>>> w/a
a
>>> w/d/x
>>> w/b/var/x
b
--- request eval
["GET /rw../secret", "GET /in", "GET /var/x?d=..", "GET /var/x?d=b/../..",
 "GET /var/x?d=b", "GET /set/a", "GET /lua"]
--- error_code eval
[404, 200, 404, 404, 200, 200, 404]
--- response_body_like eval
["404", "^a\$", "404", "404", "^b\$", "^a\$", "404"]
--- skip_windows: no name there ends in a dot
