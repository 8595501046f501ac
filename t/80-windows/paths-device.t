# What is on no disk is no file, by whatever way a name for it is made.

__DATA__


=== pipes, devices and folders are not read
--- config
    location = /make {
        content_by_lua_block {
            os.execute("cd $TEST_NGINX_HTML_DIR; mkfifo fifo")
        }
    }
    location /dev/ {
        alias /dev/;
    }
    location /try {
        try_files /$arg_f =204;
    }
    location /if {
        if (-f $document_root/$arg_f) {
            return 200;
        }
        return 204;
    }
    location /lua {
        content_by_lua_file html/$arg_f;
    }
    location /root/ {
        root $arg_r;
    }
--- user_files
>>> dir/x
x
--- skip_windows: Wine makes no pipes
--- pipelined_requests eval
["GET /make", "GET /fifo", "GET /dev/null", "GET /dev/tty", "GET /try?f=fifo",
 "GET /if?f=fifo", "GET /lua?f=fifo", "GET /lua?f=dir", "GET /lua?f=dir/",
 "GET /root/x?r=/dev/null", "GET /try?f=dir", "GET /fifo/"]
--- error_code eval
[200, 404, 404, 404, 404, 204, 404, 503, 503, 404, 204, 404]
--- error_log
"/dev/null" is not a regular file
html/fifo" is not a regular file



=== a log is written to no device, stream or other machine
--- config
    location /log {
        access_log logs/$arg_f;
        return 200;
    }
    location /any {
        access_log $arg_f;
        return 200;
    }
    location /logs/ {
        alias logs/;
    }
--- skip_linux: names that any Linux file may have
--- pipelined_requests eval
["GET /log?f=good.log", "GET /log?f=nul", "GET /log?f=com1.log",
 "GET /log?f=good.log:s", "GET /log?f=good.log.", "GET /log?f=x%FF",
 "GET /any?f=//server/share/x", "GET /any?f=\\\\server\\share\\x",
 "GET /any?f=logs/nul", "GET /logs/good.log"]
--- error_code eval
[200, 200, 200, 200, 200, 200, 200, 200, 200, 200]
--- response_body_like eval
["", "", "", "", "", "", "", "", "", "^[^\n]*f=good.log [^\n]*\n\\z"]
--- error_log
logs/nul" can be no file: the name of a device
logs/good.log:s" can be no file: a colon
x" can be no file: a path to another machine or name space



=== a redirect, an error page and a script's own way lead to no device
--- config
    location /rewrite {
        rewrite ^ /$arg_f last;
    }
    location /gone {
        error_page 410 = /$arg_f;
        return 410;
    }
    location /exec {
        content_by_lua_block { ngx.exec("/" .. ngx.var.arg_f) }
    }
    location /set {
        rewrite_by_lua_block { ngx.req.set_uri("/" .. ngx.var.arg_f) }
    }
    location ~ ^/alias/(.*)$ {
        alias html/$1;
    }
    location /index/ {
        index $arg_f;
    }
    location /root/ {
        root html/$arg_r;
    }
--- user_files
>>> index/x
x
--- skip_linux: names that any Linux file may have
--- pipelined_requests eval
["GET /rewrite?f=nul", "GET /gone?f=nul.txt", "GET /exec?f=com1", "GET /set?f=x:s",
 "GET /alias/aux", "GET /alias/x:s", "GET /index/?f=nul", "GET /index/?f=x:s",
 "GET /root/x?r=nul", "GET /root/x?r=//server/share", "GET /exec?f=x%FF"]
--- error_code eval
[404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404]
