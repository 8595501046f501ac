# JSON as a call of a function of the page that asked: xss_get.

__DATA__


=== an answer becomes a call
--- config
    location /t {
        default_type application/json;
        xss_get on;
        xss_callback_arg callback;
        echo '[1]';
    }
--- request
GET /t?a=1&callback=window.list%5B0%5D.show
--- response_body eval
"window.list[0].show([1]\n);"
--- response_headers
Content-Type: application/x-javascript
!Content-Length
!ETag



=== only where it is asked for, and by a name
--- config
    default_type application/json;
    xss_callback_arg c;
    location /t {
        xss_get on;
        echo -n x;
    }
    location /off {
        echo -n x;
    }
    location /text {
        xss_get on;
        default_type text/plain;
        echo -n x;
    }
    location /html {
        xss_get on;
        default_type text/html;
        xss_input_types text/plain;
        echo -n x;
    }
    location /more {
        xss_get on;
        default_type text/plain;
        xss_input_types text/plain;
        xss_output_type text/x;
        echo -n x;
    }
--- request eval
["GET /t?c=a", "GET /t", "GET /t?c=", "GET /t?c=a.1", "GET /t?c=1a",
"GET /t?c=a%28%29", "GET /t?c=a[b", "GET /t?c=.a", "GET /t?c=\$_9",
"POST /t?c=a\n", "GET /off?c=a", "GET /text?c=a", "GET /html?c=a",
"GET /more?c=a", "GET /t?C=a", "GET /t?c=a.", "GET /t?c=a[]",
"GET /t?c=a[1][x].y"]
--- response_body eval
["a(x);", "x", "x", "x", "x", "x", "x", "x", "\$_9(x);", "x", "x", "x", "x",
"a(x);", "a(x);", "x", "x", "a[1][x].y(x);"]



=== statuses
--- config
    default_type application/json;
    xss_get on;
    xss_callback_arg c;
    location /t {
        return 500 x;
    }
    location /created {
        return 201 x;
    }
    location /all {
        xss_check_status off;
        return 404 x;
    }
    location /same {
        xss_check_status off;
        xss_override_status off;
        return 404 x;
    }
--- request eval
["GET /t?c=a", "GET /created?c=a", "GET /all?c=a", "GET /same?c=a"]
--- error_code eval
[500, 201, 200, 404]
--- response_body eval
["x", "a(x);", "a(x);", "a(x);"]



=== what subrequests say stands in it once
--- config
    location /t {
        default_type application/json;
        xss_get on;
        xss_callback_arg c;
        echo -n "[";
        echo_location /sub?c=b;
        echo -n "]";
    }
    location /sub {
        default_type application/json;
        xss_get on;
        xss_callback_arg c;
        echo -n 1;
    }
--- request
GET /t?c=a
--- response_body chomp
a([1]);



=== a bad name is said in the log
--- config
    location /t {
        default_type application/json;
        xss_get on;
        xss_callback_arg c;
        echo x;
    }
--- request
GET /t?c=alert(1)
--- response_body
x
--- error_log
xss: bad callback argument: "alert(1)"
