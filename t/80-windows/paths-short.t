# Short names (8.3): a file is served by its own name only.  Windows numbers
# them, Wine makes them of a hash of the name.

__DATA__


=== an alias looks like a missing file
--- config
--- user_files
>>> long-name.html
long
>>> long-folder/some-long-file.html
deep
--- skip_linux: no short names
--- pipelined_requests eval
["GET /long-name.html", "GET /LONG~WEO.HTM", "GET /LONG-N~1.HTM",
 "GET /long-folder/some-long-file.html", "GET /LONG~4PM/some-long-file.html",
 "GET /long-folder/SOME~UK5.HTM", "GET /LONG~4PM/SOME~UK5.HTM",
 "GET /LONG~4PM", "GET /LONG~4PM/", "GET /LONG-F~1"]
--- error_code eval
[200, 404, 404, 200, 404, 404, 404, 404, 404, 404]
--- no_error_log
can be no file



=== a name with a tilde of its own is served
--- config
--- user_files eval
[["foo~1.txt", "foo"], ["~user/index.html", "home"],
 ["a long one~2.html", "long"]]
--- skip_linux: no short names
--- pipelined_requests eval
["GET /foo~1.txt", "GET /FOO~1.TXT", "GET /~user/", "GET /%7Euser/index.html",
 "GET /a%20long%20one~2.html", "GET /~user", "GET /foo~2.txt"]
--- error_code eval
[200, 200, 200, 200, 200, 301, 404]



=== what is in memory is no way around it
--- config
--- user_files
>>> long-name.html 202601021530.00
long
--- skip_linux: no short names
--- pipelined_requests eval
["GET /long-name.html", "GET /LONG~WEO.HTM", "GET /long-name.html",
 "GET /LONG~WEO.HTM"]
--- error_code eval
[200, 404, 200, 404]



=== strict_paths looks at every name that could be short
--- config
    strict_paths on;
    location /inner/ {
        strict_paths off;
    }
--- user_files
>>> ab.txt
short
>>> inner/cd.txt
inner
>>> long-name.html
long
--- skip_linux: no short names
--- pipelined_requests eval
["GET /ab.txt", "GET /AB.TXT", "GET /long-name.html", "GET /inner/cd.txt",
 "GET /LONG~WEO.HTM", "GET /none.txt"]
--- error_code eval
[200, 200, 200, 200, 404, 404]



=== strict_paths changes nothing where names have no aliases
--- config
    strict_paths on;
--- user_files
>>> ab.txt
short
--- request
GET /ab.txt
--- response_body
short



=== strict_paths is on or off
--- config
    strict_paths perhaps;
--- must_die
--- error_log
invalid value "perhaps" in "strict_paths" directive, it must be "on" or "off"



=== try_files, if, index, autoindex and by_lua_file see through an alias
--- config
    location /try {
        try_files /$arg_f =204;
    }
    location /if {
        if (-e $document_root/$arg_f) {
            return 200 there;
        }
        return 204;
    }
    location /lua {
        content_by_lua_file html/$arg_f;
    }
    location /list/ {
        autoindex on;
        alias html/;
    }
--- user_files
>>> long-name.html
ngx.say("ran")
>>> long-folder/x
x
--- skip_linux: no short names
--- pipelined_requests eval
["GET /try?f=long-name.html", "GET /try?f=LONG~WEO.HTM",
 "GET /if?f=long-name.html", "GET /if?f=LONG~WEO.HTM",
 "GET /lua?f=long-name.html", "GET /lua?f=LONG~WEO.HTM",
 "GET /list/long-folder/", "GET /list/LONG~4PM/"]
--- error_code eval
[200, 204, 200, 204, 200, 404, 200, 404]



=== a root may be configured by its short name
--- config
    location /x {
        root $TEST_NGINX_HTML_DIR/LONG~4PM;
    }
    location /root {
        root $TEST_NGINX_HTML_DIR/LONG~4PM;
        return 200 $document_root;
    }
--- user_files
>>> long-folder/x
served
>>> long-folder/x~1
tilde
--- skip_linux: no short names
--- pipelined_requests eval
["GET /x", "GET /x~1", "GET /x~2", "GET /root"]
--- error_code eval
[200, 200, 404, 200]
--- response_body_like eval
["served", "tilde", "404", "long-folder\$"]
