__DATA__


=== the first rule that fits decides
--- config
    location /a { allow 127.0.0.0/8; deny all; }
    location /b { deny 127.0.0.1; allow all; }
    location /c { deny 10.0.0.0/8; allow 127.0.0.1; deny all; }
    location /d { allow 10.0.0.0/8; }
--- user_files
>>> a
>>> b
>>> c
>>> d
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d"]
--- error_code eval
[200, 403, 200, 200]



=== a refusal is in the log
--- config
    location /a { deny all; }
--- request
GET /a
--- error_code: 403
--- error_log
[error]
access forbidden by rule



=== networks of any length
--- config
    location /a { deny 127.0.0.0/31; }
    location /b { deny 127.0.0.2/31; }
    location /c { deny 0.0.0.0/0; }
--- user_files
>>> b
--- request eval
["GET /a", "GET /b", "GET /c"]
--- error_code eval
[403, 200, 403]



=== rules of IPv6 are for IPv6
--- config
    location /a { deny ::/0; }
--- user_files
>>> a
--- request
GET /a
--- error_code: 200



=== inner levels replace the rules
--- config
    deny all;
    location /a { }
    location /b { allow all; }
--- user_files
>>> b
--- request eval
["GET /a", "GET /b"]
--- error_code eval
[403, 200]



=== satisfy any needs one of them
--- config
    location /a { satisfy any; allow 127.0.0.1; deny all; }
--- user_files
>>> a
--- request
GET /a
--- error_code: 200



=== an address that is none
--- config
    deny 300.0.0.1;
--- must_die
--- error_log
invalid parameter "300.0.0.1" in



=== a network that is none
--- config
    deny 10.0.0.0/33;
--- must_die
--- error_log
invalid parameter "10.0.0.0/33" in



=== bits that do not count are warned of
--- config
    location = /t { allow 127.0.0.1/8; deny all; return 200; }
    location = /s { allow 127.0.0.1/8; deny all; content_by_lua_block { ngx.print("in") } }
--- request
GET /s
--- response_body: in
