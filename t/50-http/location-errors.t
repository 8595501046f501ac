__DATA__


=== the same prefix twice
--- config
    location /x { return 200; }
    location /x { return 200; }
--- must_die
--- error_log eval
qr/\[emerg\] .*duplicate location "\/x" in \S+nginx\.conf:\d+/



=== the same exact location twice
--- config
    location = /x { return 200; }
    location = /x { return 200; }
--- must_die
--- error_log
duplicate location "/x" in



=== a prefix and the same with ^~
--- config
    location /x { return 200; }
    location ^~ /x { return 200; }
--- must_die
--- error_log
duplicate location "/x" in



=== of two with the same name the first counts
--- config
    location /t { error_page 404 @x; return 404; }
    location @x { return 200 "first"; }
    location @x { return 200 "second"; }
--- error_code: 404
--- response_body: first



=== a modifier that is none
--- config
    location != /x { return 200; }
--- must_die
--- error_log
invalid location modifier "!=" in



=== an inner prefix must begin with the outer one
--- config
    location /a/ { location /b/ { return 200; } }
--- must_die
--- error_log
location "/b/" is outside location "/a/" in



=== nothing is inside an exact location
--- config
    location = /a { location /a/b { return 200; } }
--- must_die
--- error_log
location "/a/b" cannot be inside the exact location "/a" in



=== nothing is inside a named location
--- config
    location @a { location /b { return 200; } }
--- must_die
--- error_log
location "/b" cannot be inside the named location "@a" in



=== a named location is not inside another
--- config
    location /a { location @b { return 200; } }
--- must_die
--- error_log
named location "@b" can be on the server level only in



=== a regex that does not compile
--- config
    location ~ "a(b" { return 200; }
--- must_die
--- error_log eval
qr/\[emerg\] .*missing (closing parenthesis|\)).* in "a\(b"/



=== a location outside of a server
--- http_config
    location /a { return 200; }
--- config
--- must_die
--- error_log
"location" directive is not allowed here in



=== regexes may be the same
--- config
    location ~ x { return 200 "first"; }
    location ~ x { return 200 "second"; }
--- request
GET /x
--- response_body: first
