__DATA__


=== a location has what its server says
--- config
    default_type text/x-server;
    location = /t { return 200 ok; }
--- response_headers
Content-Type: text/x-server



=== a location's own word wins
--- config
    default_type text/x-server;
    location = /t {
        default_type text/x-location;
        return 200 ok;
    }
--- response_headers
Content-Type: text/x-location



=== http counts even if it speaks after the server
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        location = /t { return 200 ok; }
    }
    add_header X-Late yes;
--- config
    location = /t { return 200 ok; }
--- response_headers
X-Late: yes



=== a list is inherited as a whole, or not at all
--- config
    add_header X-A 1;
    add_header X-B 2;
    location = /t {
        add_header X-C 3;
        return 200 ok;
    }
--- response_headers
X-C: 3
! X-A
! X-B



=== a nested location inherits through the one around it
--- config
    location /t {
        add_header X-Outer yes;
        location /t/in {
            default_type text/x-inner;
            return 200 ok;
        }
    }
--- request
GET /t/in
--- response_headers
X-Outer: yes
Content-Type: text/x-inner



=== an if inherits from its location, and overrides it
--- config
    location = /t {
        add_header X-A location;
        default_type text/x-location;
        if ($arg_a) {
            add_header X-A if;
            return 200 ok;
        }
    }
--- request
GET /t?a=1
--- response_headers
X-A: if
Content-Type: text/x-location



=== servers know nothing of each other
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        default_type text/x-other;
    }
--- config
    location = /t {
        default_type text/x-mine;
        return 200 ok;
    }
    location = /u { return 200 ok; }
--- request
GET /u
--- response_headers
Content-Type: text/plain



=== directives of one setting count as one
--- config
    location = /t {
        content_by_lua_block { ngx.say("block") }
        content_by_lua 'ngx.say("text")';
    }
--- must_die
--- error_log eval
qr/"content_by_lua" directive is duplicate/



=== root and alias may differ at each level
--- config
    root $TEST_NGINX_HTML_DIR/a;
    location /t { index x.html; }
    location /u/ { alias $TEST_NGINX_HTML_DIR/b/; }
--- user_files
>>> a/t/x.html
from root
>>> b/x.html
from alias
--- request
GET /t/
--- response_body
from root



=== what nobody has written is not warned of
--- config
    location = /t { return 200 "quiet"; }
--- response_body: quiet
--- no_error_log
[warn]
