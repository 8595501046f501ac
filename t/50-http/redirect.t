__DATA__


=== a Location without a host gets the client's, and the listener's port
--- config
    location = /t { return 301 /there; }
--- error_code: 301
--- response_headers_like
Location: http://localhost:\d+/there



=== port_in_redirect off leaves the port out
--- config
    location = /t { port_in_redirect off; return 302 /there; }
--- error_code: 302
--- response_headers
Location: http://localhost/there



=== absolute_redirect off leaves it as it is
--- config
    location = /t { absolute_redirect off; return 307 /there?x; }
--- error_code: 307
--- response_headers
Location: /there?x



=== server_name_in_redirect names the server
--- config
    location = /t {
        server_name_in_redirect on;
        port_in_redirect off;
        return 308 /there;
    }
--- more_headers
Host: somebody.else
--- error_code: 308
--- response_headers
Location: http://localhost/there



=== a whole one stays
--- config
    location = /t { return 301 https://example.com/; }
--- error_code: 301
--- response_headers
Location: https://example.com/



=== an internal location is not there for clients
--- config
    location = /in { internal; return 200 "in"; }
    location = /t { rewrite ^ /in last; }
--- request eval
["GET /in", "GET /t"]
--- error_code eval
[404, 200]
--- response_body eval
[qr/404 Not Found/, "in"]



=== what is inside an internal location is internal too
--- config
    location /in/ {
        internal;
        location /in/side { return 200 "side"; }
    }
--- request
GET /in/side
--- error_code: 404



=== a rewrite that turns in a circle is stopped
--- config
    location /t { rewrite ^ /t last; }
--- error_code: 500
--- error_log
rewrite or internal redirection cycle while processing "/t"



=== limit_except is for the other methods
--- user_files
>>> f
file
--- config
    location /f {
        limit_except GET { deny all; }
    }
--- request eval
["GET /f", "HEAD /f", "POST /f", "PUT /f"]
--- error_code eval
[200, 200, 403, 403]



=== limit_except knows its methods
--- config
    location /f { limit_except BREW { deny all; } }
--- must_die
--- error_log
invalid method "BREW"
