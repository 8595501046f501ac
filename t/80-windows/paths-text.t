# Names that the system would take for another file, refused as text.

__DATA__


=== streams, drives and devices are no files
--- config
--- user_files
>>> secret.php
secret
--- skip_linux: names that any Linux file may have
--- pipelined_requests eval
["GET /secret.php:", "GET /secret.php:s", "GET /c:/windows/win.ini",
 "GET /nul", "GET /NUL.txt", "GET /nul%20.txt", "GET /aux.html",
 "GET /com1", "GET /com%C2%B9", "GET /x/con/y", "GET /conin\$"]
--- error_code eval
[404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404]
--- error_log
can be no file: a colon
can be no file: the name of a device



=== dots and spaces at the end of a folder's name are not cut off
--- config
--- user_files
>>> secret.php
secret
>>> dir/file
file
--- skip_linux: names that any Linux file may have
--- pipelined_requests eval
["GET /dir../file", "GET /dir%20/file", "GET /dir..%5Cfile",
 "GET /dir%20./file", "GET /dir.%20/file", "GET /.../secret.php",
 "GET /dir/..%20/secret.php", "GET /dir/.%20./secret.php",
 "GET /secret.php%20/", "GET /%20/secret.php"]
--- error_code eval
[404, 404, 404, 404, 404, 404, 404, 404, 404, 404]
--- error_log
can be no file: a component that ends with a dot or a space



=== wild cards and control characters are in no name
--- config
--- user_files
>>> secret.php
secret
--- skip_linux: names that any Linux file may have
--- pipelined_requests eval
["GET /secret.*", "GET /secre%3F.php", "GET /secre%3C", "GET /%3Ephp",
 "GET /secret%22php", "GET /secret%01", "GET /secret.php%7F",
 "GET /a%7Cb"]
--- error_code eval
[404, 404, 404, 404, 404, 404, 404, 404]



=== one file has one spelling in UTF-8
--- config
--- user_files
>>> é/ü.txt
served
--- skip_linux: names that any Linux file may have
--- pipelined_requests eval
["GET /%C3%A9/%C3%BC.txt", "GET /%C3%E9/%C3%BC.txt", "GET /%E9/%FC.txt",
 "GET /%C3%A9%2F..%C0%AF..%C0%AFx", "GET /%ED%A0%80", "GET /%F8%88%80%80%80"]
--- error_code eval
[200, 404, 404, 404, 404, 404]
--- error_log
can be no file: malformed UTF-8



=== a backslash is a slash
--- config
    location /dir/ {
        deny all;
    }
--- user_files
>>> dir/file
file
--- skip_linux: a backslash is a letter
--- pipelined_requests eval
["GET /dir%5Cfile", "GET /x/..%5Cdir/file",
 "GET /..%5C..%5Cconf/nginx.conf"]
--- error_code eval
[403, 403, 400]



=== an alias can't be made a path to another machine
--- config
    location /i {
        alias /;
    }
    location /u/ {
        root $arg_root;
    }
    merge_slashes off;
--- skip_linux: two slashes are one
--- pipelined_requests eval
["GET /i/server/share", "GET /u/x?root=//server/share",
 "GET /u/x?root=\\\\?\\C:\\windows", "GET //server/share/x"]
--- error_code eval
[404, 404, 404, 404]
--- error_log
can be no file: a path to another machine or name space



=== try_files, index, if and by_lua_file ask the same judge
--- config
    location /try {
        try_files /$arg_f =204;
    }
    location /if {
        if (-f $document_root/$arg_f) {
            return 200 there;
        }
        return 204;
    }
    location /lua {
        content_by_lua_file html/$arg_f;
    }
    location /index/ {
        index $arg_f;
    }
--- user_files
>>> code.lua
ngx.say("ran")
>>> index/x
x
--- skip_linux: names that any Linux file may have
--- pipelined_requests eval
["GET /try?f=code.lua.", "GET /try?f=nul", "GET /if?f=code.lua",
 "GET /if?f=code.lua::\$DATA", "GET /if?f=code.lua.", "GET /lua?f=code.lua",
 "GET /lua?f=code.lua.", "GET /lua?f=nul", "GET /index/?f=x.",
 "GET /lua?f=../html/code.lua"]
--- error_code eval
[204, 204, 200, 204, 204, 200, 404, 404, 404, 404]



=== a configured file may stand anywhere
--- config
    location /t {
        root $TEST_NGINX_SERVER_ROOT/html/../html;
    }
--- user_files
>>> t
there
--- response_body
there
