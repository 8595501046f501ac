__DATA__


=== the combined format is the default
--- config
    location /t { return 200 "abc"; }
--- more_headers
Referer: http://x/
User-Agent: me
--- request
GET /t?a
--- access_log eval
qr/^127\.0\.0\.1 - - \[\d\d\/\w+\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "GET \/t\?a HTTP\/1\.1" 200 3 "http:\/\/x\/" "me"$/m



=== what is not there is a dash
--- http_config
    log_format f "[$http_none][$remote_user][$arg_a]";
--- config
    location /t { access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f; return 200 "x"; }
--- request
GET /t?a=
--- access_log
[-][-][]



=== bytes that could spoil a line are escaped
--- http_config
    log_format f "<$http_x>";
--- config
    location /t { access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f; return 200 "x"; }
--- more_headers eval
"X: a\"b\\c\xe9"
--- access_log
<a\x22b\x5Cc\xE9>



=== escape=json
--- http_config
    log_format f escape=json '{"x":"$http_x","n":"$http_none"}';
--- config
    location /t { access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f; return 200 "x"; }
--- more_headers eval
"X: a\"b\\c\td"
--- access_log
{"x":"a\"b\\c\td","n":""}



=== escape=json leaves a space, and what is no ASCII
--- http_config
    log_format f escape=json '{"x":"$http_x"}';
--- config
    location /t { access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f; return 200 "x"; }
--- more_headers eval
"X: a b!\xe9~"
--- access_log eval
"{\"x\":\"a b!\xe9~\"}\n"



=== escape=none
--- http_config
    log_format f escape=none '<$http_x>$http_none';
--- config
    location /t { access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f; return 200 "x"; }
--- more_headers
X: a"b\c
--- access_log
<a"b\c>



=== a format may have several strings
--- http_config
    log_format f "a$arg_a" "-b" '-${arg_b}c';
--- config
    location /t { access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f; return 200 "x"; }
--- request
GET /t?a=1&b=2
--- access_log
a1-b-2c



=== off
--- config
    location /t { access_log off; return 200 "x"; }
    location /u { return 200 "u"; }
--- pipelined_requests eval
["GET /t", "GET /u"]
--- access_log
"GET /u HTTP/1.1" 200
--- no_access_log
GET /t



=== only those with if=
--- http_config
    map $status $bad { ~^2 0; default 1; }
--- config
    access_log $TEST_NGINX_SERVER_ROOT/logs/access.log combined if=$bad;
    location /good { return 200; }
    location /bad { return 404 "x"; }
--- pipelined_requests eval
["GET /good", "GET /bad"]
--- error_code eval
[200, 404]
--- access_log
"GET /bad HTTP/1.1" 404
--- no_access_log
GET /good



=== several logs at once
--- http_config
    log_format f "second $uri";
--- config
    location /t {
        access_log $TEST_NGINX_SERVER_ROOT/logs/access.log;
        access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f;
        return 200 "x";
    }
--- access_log
"GET /t HTTP/1.1" 200 1
second /t



=== a buffer is written when it is old enough
--- http_config
    log_format f "buffered $args";
--- config
    location /t { access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f buffer=4k flush=50ms; return 200 "x"; }
--- pipelined_requests eval
["GET /t?1", "GET /t?2"]
--- access_log
buffered 1
buffered 2



=== a log for each of its names
--- http_config
    log_format f "for $arg_f";
--- config
    location /t { access_log $TEST_NGINX_HTML_DIR/$arg_f.log f; return 200 "x"; }
--- request eval
["GET /t?f=one", "GET /one.log"]
--- response_body eval
["x", "for one\n"]



=== a format that nobody has defined
--- config
    access_log logs/a.log nobody;
--- must_die
--- error_log
unknown log format "nobody" in



=== a format twice
--- http_config
    log_format f a;
    log_format f b;
--- config
--- must_die
--- error_log
duplicate "log_format" name "f" in



=== an escaping that is none
--- http_config
    log_format f escape=xml a;
--- config
--- must_die
--- error_log
unknown log format escaping "xml" in



=== flush needs a buffer
--- config
    access_log logs/a.log combined flush=1s;
--- must_die
--- error_log
no buffer is defined for access_log "logs/a.log" in



=== a parameter that is none
--- config
    access_log logs/a.log combined fast=1;
--- must_die
--- error_log
invalid parameter "fast=1" in



=== lines may be compressed, and are one file to those who unpack it
--- config
    location = /a {
        access_log logs/a.gz combined gzip=9 buffer=1k flush=20ms;
        return 200 "x";
    }
    location = /t {
        content_by_lua_block {
            local text = ""
            for i = 1, 100 do
                local p = io.popen("gunzip -c < $TEST_NGINX_SERVER_ROOT/logs/a.gz")
                text = p:read("*a")
                p:close()
                if select(2, text:gsub("\n", "")) == 2 then break end
                ngx.sleep(0.05)
            end
            ngx.say(text:match('"GET /a%?1 HTTP') and text:match('"GET /a%?2 HTTP'))
        }
    }
--- pipelined_requests eval
["GET /a?1", "GET /a?2", "GET /t"]
--- response_body eval
["x", "x", "\"GET /a?2 HTTP\n"]
--- skip_windows: no gunzip there



=== bytes beyond ASCII stay as they are where that is wanted
--- http_config
    log_format f '$http_x "$http_none"';
    log_format j escape=json '$http_x';
--- config
    location /t {
        log_escape_non_ascii off;
        access_log logs/plain.log f;
        access_log logs/json.log j;
        return 200;
    }
    location /escaped {
        access_log logs/plain.log f;
        return 200;
    }
    location /log {
        access_log off;
        content_by_lua_block {
            for _, name in ipairs { "plain", "json" } do
                local f = io.open(ngx.config.prefix() .. "logs/" .. name
                                  .. ".log")
                ngx.print(f:read("*a"))
                f:close()
            end
        }
    }
--- more_headers eval
"X: \xc3\xa4\""
--- request eval
["GET /t", "GET /escaped", "GET /log"]
--- response_body eval
["", "", "\xc3\xa4\\x22 \"-\"\n\\xC3\\xA4\\x22 \"-\"\n\xc3\xa4\\\"\n"]



=== what is compressed has a buffer by itself
--- config
    location = /a { access_log logs/a.gz combined gzip; return 200 "x"; }
    location = /t {
        content_by_lua_block {
            local f = io.open("$TEST_NGINX_SERVER_ROOT/logs/a.gz", "rb")
            ngx.say(#f:read("*a"))
        }
    }
--- pipelined_requests eval
["GET /a", "GET /t"]
--- response_body eval
["x", "0\n"]
