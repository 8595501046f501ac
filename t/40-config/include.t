__DATA__


=== a file is included where it is named
--- config
    location = /t {
        add_header X-A 1;
        include $TEST_NGINX_HTML_DIR/b.conf;
        add_header X-C 3;
        return 200 ok;
    }
--- user_files
>>> b.conf
add_header X-B 2;
--- response_headers
X-A: 1
X-B: 2
X-C: 3



=== a pattern includes what it matches, in the order of the names
--- config
    location = /t {
        include $TEST_NGINX_HTML_DIR/d/*.conf;
        return 200 "$a";
    }
--- user_files
>>> d/2.conf
set $a "${a}2";
>>> d/1.conf
set $a "1";
>>> d/10.conf
set $a "${a}10";
>>> d/3.txt
set $a "no";
--- response_body: 1102



=== a pattern that matches nothing is fine
--- config
    include $TEST_NGINX_HTML_DIR/none/*.conf;
    location = /t { return 200 ok; }
--- response_body: ok



=== patterns know one character and sets
--- config
    location = /t {
        set $a "";
        include $TEST_NGINX_HTML_DIR/[xy]?.inc;
        return 200 "$a";
    }
--- user_files
>>> x1.inc
set $a "${a}x";
>>> y2.inc
set $a "${a}y";
>>> z3.inc
set $a "${a}z";
>>> y22.inc
set $a "${a}Y";
--- response_body: xy



=== an included file may include, relative to the configuration
--- config
    location = /t {
        include $TEST_NGINX_HTML_DIR/a.conf;
    }
--- user_files
>>> a.conf
include ../html/b.conf;
>>> b.conf
return 200 "from b";
--- response_body: from b



=== a whole location may come from a file
--- config
    include $TEST_NGINX_HTML_DIR/a.conf;
--- user_files
>>> a.conf
location = /t {
    return 200 "from a";
}
--- response_body: from a



=== a file may begin with a byte order mark
--- config
    include $TEST_NGINX_HTML_DIR/a.conf;
--- user_files eval
">>> a.conf\n\xef\xbb\xbflocation = /t { return 200 ok; }\n"
--- response_body: ok



=== lines may end the way of Windows
--- config
    include $TEST_NGINX_HTML_DIR/a.conf;
--- user_files eval
">>> a.conf\nlocation = /t {\r\n    return 200 ok;\r\n}\r\n"
--- response_body: ok



=== a map includes lines
--- http_config
    map $uri $kind {
        default none;
        include $TEST_NGINX_HTML_DIR/a.map;
    }
--- config
    location = /t { return 200 $kind; }
--- user_files
>>> a.map
/t  "a test";
--- response_body: a test



=== a file that is not there is named, with the line
--- config
    include $TEST_NGINX_HTML_DIR/gone.conf;
--- must_die
--- error_log eval
qr/\[emerg\] .*open\(\) ".*gone\.conf" failed \(2: No such file or directory\) in .*nginx\.conf:\d+/
--- skip_windows: the number of the error is the system's



=== an error is reported where it stands in the included file
--- config
    include $TEST_NGINX_HTML_DIR/a.conf;
--- user_files
>>> a.conf

location = /t { }
bogus on;
--- must_die
--- error_log eval
qr/\[emerg\] .*unknown directive "bogus" in .*a\.conf:3/



=== a file that includes itself is refused
--- config
    include $TEST_NGINX_HTML_DIR/a.conf;
--- user_files
>>> a.conf
include ../html/a.conf;
--- must_die
--- error_log eval
qr/\[emerg\] .*blocks and includes are nested too deep in .*a\.conf:1/



=== a brace that is open at the end of a file is missed there
--- config
    include $TEST_NGINX_HTML_DIR/a.conf;
--- user_files
>>> a.conf
location = /t {
    return 200 ok;
--- must_die
--- error_log eval
qr/unexpected end of file, expecting "\}" in .*a\.conf:\d/



=== a file can't close what another has opened
--- config
    location = /t {
        include $TEST_NGINX_HTML_DIR/a.conf;
    }
--- user_files
>>> a.conf
return 200 ok; }
--- must_die
--- error_log eval
qr/unexpected "\}" in .*a\.conf:1/
