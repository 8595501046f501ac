# disable_symlinks.  The first request makes the links.  None of them leads to a
# folder outside of the server's own.

__DATA__


=== links are refused, of files and of folders, and nothing else
--- config
    disable_symlinks on from=$document_root;
    location = /make {
        content_by_lua_block {
            os.execute("cd $TEST_NGINX_HTML_DIR; ln -s f dir/link; " ..
                       "ln -s dir to; ln -s nowhere dir/none; ln -s loop loop")
        }
    }
    location /off/ {
        disable_symlinks off;
        alias html/;
    }
--- user_files
>>> dir/f
file
--- skip_windows: Wine makes no links
--- pipelined_requests eval
["GET /make", "GET /dir/f", "GET /dir/link", "GET /to/f", "GET /to",
 "GET /to/", "GET /dir/none", "GET /loop", "GET /missing", "GET /dir/f/x",
 "GET /dir", "GET /off/dir/link", "GET /off/to/f", "GET /off/loop"]
--- error_code eval
[200, 200, 403, 404, 403, 404, 403, 403, 404, 404, 301, 200, 200, 403]
--- error_log eval
["html/dir/link\" failed (40: Too many levels of symbolic links)",
 "html/to/f\" failed (20: Not a directory)", "openat() \"",
 "html/to/index.html\" is not found (20: Not a directory)", "[error]"]



=== from= lets the configured part lead through links
--- config
    location = /make {
        content_by_lua_block {
            os.execute("cd $TEST_NGINX_SERVER_ROOT; ln -s html to; " ..
                       "ln -s f html/link")
        }
    }
    location /from/ {
        disable_symlinks on from=$document_root;
        alias to/;
    }
    location /slash/ {
        disable_symlinks from=$TEST_NGINX_SERVER_ROOT/to/ on;
        alias to/;
    }
    location /all/ {
        disable_symlinks on;
        alias to/;
    }
    location /elsewhere/ {
        disable_symlinks on from=/no/such/folder;
        alias to/;
    }
    location = /whole {
        disable_symlinks on from=$TEST_NGINX_SERVER_ROOT/html/link;
        alias html/link;
    }
--- user_files
>>> f
file
--- skip_windows: Wine makes no links
--- pipelined_requests eval
["GET /make", "GET /from/f", "GET /from/link", "GET /slash/f",
 "GET /slash/link", "GET /all/f", "GET /elsewhere/f", "GET /whole"]
--- error_code eval
[200, 200, 403, 200, 403, 404, 404, 200]



=== if_not_owner follows a link to what has its owner
--- config
    disable_symlinks if_not_owner from=$document_root;
    location = /make {
        content_by_lua_block {
            os.execute("cd $TEST_NGINX_HTML_DIR; ln -s f mine; " ..
                       "ln -s dir folder; " ..
                       "ln -s /proc/version other; chown -h 1234 other")
        }
    }
--- user_files
>>> f
file
>>> dir/f
file
--- skip_windows: Wine makes no links
--- pipelined_requests eval
["GET /make", "GET /f", "GET /mine", "GET /folder/f", "GET /folder",
 "GET /other"]
--- error_code eval
[200, 200, 200, 200, 301, 403]



=== what is in memory is asked for again
--- config
    location = /make {
        content_by_lua_block {
            os.execute("cd $TEST_NGINX_HTML_DIR; mv dir real; " ..
                       "ln -s real dir; mv f real/; ln -s real/f f")
        }
    }
    location /on/ {
        disable_symlinks on;
        alias html/;
    }
--- user_files
>>> dir/a 202601021530.00
file
>>> f 202601021530.00
file
--- skip_windows: Wine makes no links
--- pipelined_requests eval
["GET /dir/a", "GET /f", "GET /on/dir/a", "GET /on/f", "GET /make",
 "GET /dir/a", "GET /f", "GET /on/dir/a", "GET /on/f", "GET /on/real/a",
 "GET /on/real/f"]
--- error_code eval
[200, 200, 200, 200, 200, 200, 200, 404, 403, 200, 200]



=== index, autoindex, try_files and if do not follow either
--- config
    disable_symlinks on from=$document_root;
    location = /make {
        content_by_lua_block {
            os.execute("cd $TEST_NGINX_HTML_DIR; ln -s f dir/link; " ..
                       "ln -s ../f in/index.html; ln -s dir to")
        }
    }
    location /try {
        try_files /$arg_f =204;
    }
    location /if {
        if (-e $document_root/$arg_f) {
            return 201;
        }
        return 204;
    }
    location /list/ {
        autoindex on;
        index none;
        alias html/;
    }
--- user_files eval
[["f", "file"], ["dir/f", "file"], ["in/f", "file"]]
--- skip_windows: Wine makes no links
--- pipelined_requests eval
["GET /make", "GET /in/", "GET /try?f=dir/f", "GET /try?f=dir/link",
 "GET /if?f=dir/f", "GET /if?f=dir/link", "GET /if?f=to/f", "GET /if?f=to",
 "GET /list/dir/", "GET /list/to/"]
--- error_code eval
[200, 403, 200, 204, 201, 204, 204, 204, 200, 404]
--- error_log eval
qr/\[crit\] .* openat\(\) ".*html\/dir\/link" failed \(40: /



=== a log with variables is not written through a link
--- config
    disable_symlinks on;
    root logs;
    location = /make {
        content_by_lua_block {
            os.execute("cd $TEST_NGINX_SERVER_ROOT/logs; ln -s real.log to.log")
        }
    }
    location /t {
        access_log logs/$arg_f.log;
        return 200;
    }
    location /logs/ {
        alias logs/;
    }
--- skip_windows: Wine makes no links
--- pipelined_requests eval
["GET /make", "GET /t?f=own", "GET /t?f=to", "GET /logs/own.log",
 "GET /logs/real.log"]
--- error_code eval
[200, 200, 200, 200, 404]
--- error_log
logs/to.log" failed (40: Too many levels of symbolic links)



=== Lua files may be linked
--- config
    disable_symlinks on;
    location = /make {
        content_by_lua_block {
            os.execute("cd $TEST_NGINX_HTML_DIR; ln -s a.lua b.lua")
        }
    }
    location /t {
        content_by_lua_file html/$arg_f.lua;
    }
--- user_files
>>> a.lua
ngx.say("ran")
--- skip_windows: Wine makes no links
--- pipelined_requests eval
["GET /make", "GET /t?f=b"]
--- error_code eval
[200, 200]



=== where nothing is a link all is served
--- config
    disable_symlinks on;
    location /owner/ {
        disable_symlinks if_not_owner;
        alias html/;
    }
    location /from/ {
        disable_symlinks on from=$document_root;
        alias html/../html/;
    }
    location /up/ {
        disable_symlinks on;
        alias html/../html/;
    }
--- user_files eval
[["dir/f", "file\n"], ["dir/old", "file\n", "202601021530.00"],
 ["dir/index.html", "index\n"]]
--- pipelined_requests eval
["GET /dir/f", "GET /dir/old", "GET /dir/old", "GET /dir/", "GET /dir",
 "GET /owner/dir/f", "GET /from/dir/f", "GET /up/dir/f", "GET /dir/none"]
--- error_code eval
[200, 200, 200, 200, 301, 200, 200, 200, 404]



=== a short name looks like a missing file all the same
--- config
    disable_symlinks on;
--- user_files
>>> long-name.html
long
--- skip_linux: no short names
--- pipelined_requests eval
["GET /long-name.html", "GET /LONG-NAME.HTML", "GET /LONG~WEO.HTM"]
--- error_code eval
[200, 200, 404]



=== the words of the directive are checked
--- config
    disable_symlinks perhaps;
--- must_die
--- error_log
[emerg] invalid parameter "perhaps" in



=== from= alone says nothing
--- config
    disable_symlinks from=/srv;
--- must_die
--- error_log
[emerg] "disable_symlinks" must have "off", "on" or "if_not_owner" parameter in



=== two words are one too many
--- config
    disable_symlinks on if_not_owner;
--- must_die
--- error_log
[emerg] duplicate parameters "on if_not_owner" in



=== off has nothing to be exempt from
--- config
    disable_symlinks off from=/srv;
--- must_die
--- error_log
[emerg] "from=" cannot be used with "off" parameter in



=== it is said once
--- config
    disable_symlinks on;
    disable_symlinks off;
--- must_die
--- error_log
[emerg] "disable_symlinks" directive is duplicate in
