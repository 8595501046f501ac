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



=== one that is kept has its place among the others, one made whole its own
--- config
    location = /kept { add_header X-A b; return 301 http://a/; }
    location = /made { add_header X-A b; return 301 /b; }
    location = /lua {
        content_by_lua_block {
            ngx.header.X_A = "b"
            ngx.redirect("https://a/")
        }
    }
--- request eval
["GET /kept", "GET /made", "GET /lua"]
--- error_code eval
[301, 301, 302]
--- raw_response_headers_like eval
["Connection: close\r\nLocation: http://a/\r\nX-A: b\r\n",
"Location: http://localhost:\\d+/b\r\nConnection: close\r\nX-A: b\r\n",
"Connection: close\r\nX-A: b\r\nLocation: https://a/\r\n"]



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



=== a uri may change ten times, and not once more
--- config
    location /t/ {
        rewrite ^/t/x(.*)$ /t/$1 last;
        return 200 "there";
    }
--- request eval
["GET /t/" . "x" x 10, "GET /t/" . "x" x 11]
--- error_code eval
[200, 500]
--- response_body_like eval
["^there\$", "Internal Server Error"]



=== a request may move ten times, and not once more
--- config
    location /t/ {
        content_by_lua_block {
            local rest = ngx.var.uri:match("^/t/x(.*)$")
            if rest then ngx.exec("/t/" .. rest) end
            ngx.say("there")
        }
    }
--- request eval
["GET /t/" . "x" x 10, "GET /t/" . "x" x 11]
--- error_code eval
[200, 500]
--- response_body_like eval
["^there\n\$", "Internal Server Error"]



=== the end of a circle has no error_page
--- config
    error_page 500 /page;
    location = /page { return 200 "page"; }
    location = /t { rewrite ^ /t last; }
    location = /exec { content_by_lua_block { ngx.exec("/exec") } }
--- request eval
["GET /t", "GET /exec"]
--- error_code eval
[500, 500]
--- response_body_like eval
["Internal Server Error", "Internal Server Error"]



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
