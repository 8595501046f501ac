__DATA__


=== sites, by name and with wildcards
--- config
    location = /t {
        valid_referers example.com *.example.org example.net.* .both.test;
        return 200 "[$invalid_referer]";
    }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Referer: http://example.com/a", "Referer: HTTPS://Example.COM:80", "Referer: http://www.example.com/", "Referer: http://www.example.org/", "Referer: http://example.org/", "Referer: http://example.net.uk/", "Referer: http://both.test/", "Referer: http://a.both.test/"]
--- response_body eval
["[]", "[]", "[1]", "[]", "[1]", "[]", "[]", "[]"]



=== none, and what a proxy has blanked out
--- config
    location = /a { valid_referers none a.test; return 200 "[$invalid_referer]"; }
    location = /b { valid_referers blocked a.test; return 200 "[$invalid_referer]"; }
--- request eval
["GET /a", "GET /b", "GET /a", "GET /b", "GET /b"]
--- more_headers eval
["A: b", "A: b", "Referer: XXXX", "Referer: XXXX", "Referer: http://example.com/"]
--- response_body eval
["[]", "[1]", "[1]", "[]", "[1]"]



=== the server's own names
--- config
    server_name one.test *.two.test ~^three\d;
    location = /t { valid_referers server_names; return 200 "[$invalid_referer]"; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Referer: http://one.test/", "Referer: http://a.two.test/", "Referer: http://three3/", "Referer: http://four.test/"]
--- response_body eval
["[]", "[]", "[]", "[1]"]



=== a part of a site
--- config
    location = /t { valid_referers example.com/a/; return 200 "[$invalid_referer]"; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Referer: http://example.com/a/b", "Referer: http://example.com/b", "Referer: http://example.com"]
--- response_body eval
["[]", "[1]", "[1]"]



=== patterns look at all behind the scheme
--- config
    location = /t { valid_referers ~^www\.(google|bing)\.com/search; return 200 "[$invalid_referer]"; }
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["Referer: https://WWW.bing.com/search?q=x", "Referer: http://google.com/"]
--- response_body eval
["[]", "[1]"]



=== without a rule everything is valid
--- config
    location = /t { return 200 "[$invalid_referer]"; }
--- more_headers
Referer: http://example.com/
--- response_body: []



=== for if
--- config
    valid_referers none example.com;
    location = /t { if ($invalid_referer) { return 403; } return 200 "fine"; }
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["Referer: http://example.com/", "Referer: http://evil.test/"]
--- error_code eval
[200, 403]



=== no site at all
--- config
    location = /t { valid_referers none blocked; }
--- must_die
--- error_log
the "none" or "blocked" referers are specified in the "valid_referers" directive without any valid referer



=== a host that is too long is none
--- config
    location = /t { valid_referers *.example.org; return 200 "[$invalid_referer]"; }
--- more_headers eval
["Referer: http://" . ("a" x 244) . ".example.org/", "Referer: http://" . ("a" x 245) . ".example.org/", "Referer: http://a.b", "Referer: http://b.c/"]
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- response_body eval
["[]", "[1]", "[1]", "[1]"]



=== a pattern has to have something
--- config
    location /t { valid_referers ~; }
--- must_die
--- error_log
empty regex in "~" in
