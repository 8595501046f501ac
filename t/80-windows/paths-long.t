# Paths longer than 260 characters, and names that are not ASCII.

__DATA__


=== a file behind 300 characters
--- config
--- user_files eval
[[("0123456789abcdef" x 6) . "/" . ("0123456789abcdef" x 6) . "/" .
  ("0123456789abcdef" x 6) . "/long.txt", "far away\n"]]
--- request eval
"GET /" . ("0123456789abcdef" x 6) . "/" . ("0123456789abcdef" x 6) . "/" .
  ("0123456789abcdef" x 6) . "/long.txt"
--- response_body
far away



=== an alias of a name that is long by itself
--- config
--- user_files eval
[[("0123456789abcdef" x 6) . "/" . ("0123456789abcdef" x 6) . "/" .
  ("0123456789abcdef" x 6) . "/a~1.txt", "far away\n"]]
--- pipelined_requests eval
["GET /" . ("0123456789abcdef" x 6) . "/" . ("0123456789abcdef" x 6) . "/" .
  ("0123456789abcdef" x 6) . "/a~1.txt",
 "GET /" . ("0123456789abcdef" x 6) . "/" . ("0123456789abcdef" x 6) . "/" .
  ("0123456789abcdef" x 6) . "/a~2.txt"]
--- error_code eval
[200, 404]



=== folders and files in other scripts
--- config
    location /中文/ {
        alias html/été/;
    }
--- user_files
>>> été/日本.txt
こんにちは
--- request
GET /%E4%B8%AD%E6%96%87/%E6%97%A5%E6%9C%AC.txt
--- response_body
こんにちは



=== a log in a folder of that kind
--- config
    access_log logs/été-$arg_x.log;
    location /t {
        return 200;
    }
    location /read {
        alias logs/;
    }
--- pipelined_requests eval
["GET /t?x=%E9", "GET /t?x=ü", "GET /read/%C3%A9t%C3%A9-%C3%BC.log"]
--- error_code eval
[200, 200, 200]
--- skip_linux: any bytes are a name



=== a root that is long by itself, in letters of other scripts
--- config
    root html/été-0123456789-0123456789-0123456789-0123456789-0123456789/中文-0123456789-0123456789-0123456789-0123456789-0123456789/ü-0123456789-0123456789-0123456789-0123456789-0123456789;
    location /r/ {
        autoindex on;
    }
    location /try {
        try_files /none /r/a.txt =404;
    }
    location /if {
        if (-f $document_root/r/a.txt) {
            return 201;
        }
    }
--- user_files eval
[["été" . ("-0123456789" x 5) . "/中文" . ("-0123456789" x 5) . "/ü" .
  ("-0123456789" x 5) . "/r/a.txt", "far away\n"],
 ["été" . ("-0123456789" x 5) . "/中文" . ("-0123456789" x 5) . "/ü" .
  ("-0123456789" x 5) . "/r/list/日本", "x\n"]]
--- pipelined_requests eval
["GET /r/a.txt", "GET /try", "GET /if", "GET /r/list/", "GET /r/list"]
--- response_body_like eval
["far away", "far away", "", "%E6%97%A5%E6%9C%AC", "301"]
--- error_code eval
[200, 200, 201, 200, 301]



=== a configuration that is included from such a place
--- http_config
    include $TEST_NGINX_HTML_DIR/été-0123456789-0123456789-0123456789-0123456789-0123456789/中文-0123456789-0123456789-0123456789-0123456789-0123456789/ü-0123456789-0123456789-0123456789-0123456789-0123456789/*.conf;
--- config
    location /t {
        return 200 "$said\n";
    }
--- user_files eval
[["été" . ("-0123456789" x 5) . "/中文" . ("-0123456789" x 5) . "/ü" .
  ("-0123456789" x 5) . "/日.conf", 'map x $said { default "included"; }']]
--- response_body
included



=== logs in such a place
--- config
    error_log html/été-0123456789-0123456789-0123456789-0123456789-0123456789/中文-0123456789-0123456789-0123456789-0123456789-0123456789/ü-0123456789-0123456789-0123456789-0123456789-0123456789/é.log error;
    location /none {
    }
    location /t {
        access_log html/été-0123456789-0123456789-0123456789-0123456789-0123456789/中文-0123456789-0123456789-0123456789-0123456789-0123456789/ü-0123456789-0123456789-0123456789-0123456789-0123456789/a中.log;
        access_log html/été-0123456789-0123456789-0123456789-0123456789-0123456789/中文-0123456789-0123456789-0123456789-0123456789-0123456789/ü-0123456789-0123456789-0123456789-0123456789-0123456789/$arg_x.log;
        return 204;
    }
--- user_files eval
[["été" . ("-0123456789" x 5) . "/中文" . ("-0123456789" x 5) . "/ü" .
  ("-0123456789" x 5) . "/x", "x"]]
--- pipelined_requests eval
["GET /t?x=日", "GET /none", map { "GET /%C3%A9t%C3%A9" . ("-0123456789" x 5) .
 "/%E4%B8%AD%E6%96%87" . ("-0123456789" x 5) . "/%C3%BC" .
 ("-0123456789" x 5) . "/$_.log" } "%E6%97%A5", "a%E4%B8%AD", "%C3%A9"]
--- error_code eval
[204, 404, 200, 200, 200]
--- response_body_like eval
["", "404", "GET /t", "GET /t", "html/none\" failed"]
