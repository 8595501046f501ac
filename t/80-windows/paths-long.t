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
