__DATA__


=== the parts of a request
--- config
    location /t { return 200 "$request_method|$uri|$document_uri|$args|$query_string|$is_args|$request_uri|$server_protocol|$scheme"; }
--- request
GET /t/%41?x=%42&y
--- response_body: GET|/t/A|/t/A|x=%42&y|x=%42&y|?|/t/%41?x=%42&y|HTTP/1.1|http



=== without a query $is_args is empty
--- config
    location /t { return 200 "[$is_args$args]"; }
--- request eval
["GET /t", "GET /t?"]
--- response_body eval
["[]", "[]"]



=== the request line as it came
--- config
    location /t { return 200 "$request"; }
--- request
GET /t/../t?a
--- response_body: GET /t/../t?a HTTP/1.1



=== one argument by name, in any case
--- config
    location /t { return 200 "[$arg_a][$arg_B][$arg_c][$arg_ab]"; }
--- request
GET /t?a=1&b=2&ab&c
--- response_body: [1][2][][]



=== the first argument of a name counts, and is not decoded
--- config
    location /t { return 200 "$arg_a"; }
--- request
GET /t?xa=0&a=%20+1&a=2
--- response_body: %20+1



=== request headers by name
--- config
    location /t { return 200 "$http_user_agent|$http_x_some_thing|$http_none."; }
--- more_headers
User-Agent: me
X-Some-Thing: there
--- response_body: me|there|.



=== repeated headers are joined
--- config
    location /t { return 200 "$http_x_forwarded_for|$http_x_other"; }
--- more_headers
X-Forwarded-For: 1.1.1.1
X-Forwarded-For: 2.2.2.2
X-Other: a
--- response_body: 1.1.1.1, 2.2.2.2|a



=== one cookie by name
--- config
    location /t { return 200 "[$cookie_a][$cookie_b][$cookie_sid][$cookie_none]"; }
--- more_headers
Cookie: sid=x=y; a=1;b=2
--- response_body: [1][2][x=y][]



=== the host is lower case and without a port
--- config
    location /t { return 200 "$host|$http_host|$server_name"; }
--- more_headers
Host: LOCALHOST:80
--- response_body: localhost|LOCALHOST:80|localhost



=== addresses and ports of the connection
--- config
    location /t { return 200 "$remote_addr $server_addr $server_port"; }
--- response_body eval
"127.0.0.1 127.0.0.1 $ENV{TEST_NGINX_SERVER_PORT}"



=== the port of the client is a number
--- config
    location /t { return 200 "$remote_port"; }
--- response_body_like: ^\d{2,5}$



=== a binary address has four bytes
--- config
    location /t { if ($binary_remote_addr ~ "^.{4}$") { return 200 "four"; } return 200 "no"; }
--- response_body: four



=== requests on a connection are counted
--- config
    location /t { return 200 "$connection_requests"; }
--- pipelined_requests eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["1", "2", "3"]



=== the number of a connection is that of the log
--- config
    location /t { return 200 "$connection"; }
--- response_body_like: ^\d+$



=== length and type of a request body
--- config
    location /t { return 200 "$content_length|$content_type"; }
--- more_headers
Content-Type: text/x
--- request
POST /t
hello
--- response_body: 5|text/x



=== the user of basic authentication
--- config
    location /t { return 200 "[$remote_user]"; }
--- more_headers eval
["Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic !!", "Authorization: Bearer x"]
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["[user]", "[]", "[]"]



=== times look as they should
--- config
    location /t { return 200 "$msec $time_local $time_iso8601"; }
--- response_body_like: ^\d{10}\.\d{3} \d\d/[A-Z][a-z]{2}/20\d\d:\d\d:\d\d:\d\d [+-]\d{4} 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$



=== a request has an id of its own
--- config
    location /t {
        set $one $request_id;
        if ($one = $request_id) { return 200 "$one"; }
        return 200 "differs";
    }
--- response_body_like: ^[0-9a-f]{32}$



=== paths behind a uri
--- config
    location /t { root $TEST_NGINX_SERVER_ROOT/x; return 200 "$document_root $request_filename"; }
--- request
GET /t/a
--- response_body_like: ^(\S+)/x \1/x/t/a$



=== paths with an alias
--- config
    location /t/ { alias $TEST_NGINX_SERVER_ROOT/y/; return 200 "$request_filename"; }
--- request
GET /t/a
--- response_body_like: ^\S+servroot/y/a$



=== braces end a name
--- config
    location /t { set $a 1; set $ab 2; return 200 "${a}b $ab ${ab}"; }
--- response_body: 1b 2 2



=== args can be set
--- config
    location /t { set $args "x=1&y=2"; return 200 "$args $arg_y $is_args"; }
--- request
GET /t?z
--- response_body: x=1&y=2 2 ?



=== headers of the response, when it is logged
--- http_config
    log_format sent "$status|$sent_http_x_a|$sent_http_content_type|$sent_http_content_length";
--- config
    location /t {
        access_log $TEST_NGINX_SERVER_ROOT/logs/access.log sent;
        add_header X-A b;
        return 200 "abc";
    }
--- response_body: abc
--- access_log
200|b|text/plain|3



=== a variable that nobody defines
--- config
    location /t { return 200 "$no_such_thing"; }
--- must_die
--- error_log
[emerg]
unknown "no_such_thing" variable



=== a name without letters
--- config
    location /t { return 200 "a $ b"; }
--- must_die
--- error_log
invalid variable name in



=== a brace that is not closed
--- config
    location /t { return 200 "${uri"; }
--- must_die
--- error_log
the closing bracket in "uri" variable is missing in



=== a variable that can't be set
--- config
    location /t { set $uri /x; return 200; }
--- must_die
--- error_log
the duplicate "uri" variable in



=== pid, version, pipe, https
--- config
    location /t { return 200 "$pid|$nginx_version|$pipe|[$https]"; }
--- response_body_like: ^\d+\|\d+\.\d+\.\d+\|\.\|\[\]$



=== the port that the client has named
--- config
    location = /t { return 200 "$host$is_request_port$request_port"; }
--- request
GET /t
--- more_headers
Host: a.b:8081
--- response_body chomp
a.b:8081



=== no port was named
--- config
    location = /t { return 200 "$host[$is_request_port$request_port]"; }
--- request
GET /t
--- more_headers
Host: a.b
--- response_body chomp
a.b[]



=== a request that came with the one before is pipelined
--- config
    location = /t { return 200 $pipe; }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_body eval
[".", "p"]



=== limit_rate may be no number
--- config
    location = /t {
        set $limit_rate 4q;
        echo $limit_rate;
    }
--- response_body
0
--- error_log
[error]
invalid $limit_rate "4q"



=== limit_rate may be set
--- config
    location = /t {
        set $limit_rate 4k;
        echo $limit_rate;
    }
--- response_body
4096



=== $realpath_root has no links in it
--- config
    location = /t {
        root $TEST_NGINX_HTML_DIR/to;
        content_by_lua_block {
            os.execute("ln -s there $TEST_NGINX_HTML_DIR/to")
            ngx.say((ngx.var.realpath_root:gsub(".*/", "")))
        }
    }
--- user_files
>>> there/x
--- skip_windows: no links by a shell
--- response_body
there



=== a cookie may have room around its mark; commas part none
--- config
    location /t { return 200 "[$cookie_a][$cookie_b]"; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Cookie: a = 1 ; b= x,y; c", "Cookie: c=1,a=2,b=3; d", "Cookie: xa=1; b a=2; A=3", "Cookie: a; b=; a=1"]
--- response_body eval
["[1 ][x,y]", "[][]", "[3][]", "[1][]"]



=== a family's name alone is a variable without a value
--- config
    location = /t {
        return 200 "[$arg_$http_$cookie_$sent_http_$sent_trailer_$upstream_http_$upstream_trailer_$upstream_cookie_]";
    }
--- request
GET /t?=a&b
--- more_headers
Cookie: =a
--- response_body chomp
[]



=== an answer to HEAD is complete with its header
--- config
    location = /t {
        return 200 "text";
        log_by_lua_block { ngx.log(ngx.WARN, "completion: [", ngx.var.request_completion, "]") }
    }
--- request
HEAD /t
--- error_log
completion: [OK]



=== a limit_rate that is no size is said to be none
--- config
    location = /t { limit_rate $arg_r; return 200 "text"; }
--- request
GET /t?r=fast
--- response_body: text
--- error_log
[error]
invalid size "fast"



=== what nginx lets a configuration make anew, and what only we have
--- http_config
    map $arg_a $ssl_client_verify { default mapped; }
    geo $modern_browser { default here; }
    split_clients $uri $ssl_cipher { * split; }
--- config
    set $upstream_cache_key key;
    location = /t {
        set $proxy_host name;
        set $zstd_ratio "";
        return 200 "$proxy_host $ssl_client_verify $modern_browser $ssl_cipher $upstream_cache_key";
    }
--- response_body chomp
name mapped here split key



=== a variable that nothing sets keeps what it says by itself
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 $http_host; }
--- config
    location = /t {
        if ($arg_a) { set $proxy_host name; }
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_set_header Host "x-$proxy_host";
    }
--- response_body_like: ^x-127.0.0.1:\d+$



=== Lua writes to a variable of a module only where the configuration names it
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(pcall(function() ngx.var.proxy_host = "a" end))
        }
    }
--- response_body_like: ^false.*variable "proxy_host" not found for writing



=== of a line that could not be read there is no uri, method or version
--- http_config
    log_format parts '[$uri|$document_uri|$request_method|$server_protocol|$request_uri]';
--- config
    access_log logs/error.log parts;
--- raw_request eval
"nonsense\r\n\r\n"
--- error_code: 400
--- error_log
[-|-|-|-|-]



=== the protocol is what the client has said
--- config
    location = /t {
        return 200 "$server_protocol\n";
    }
--- raw_request eval
"GET /t HTTP/1.0\r\n\r\n"
--- response_body
HTTP/1.0



=== what the system knows of a connection
--- config
    location = /t {
        return 200 "$tcpinfo_rtt $tcpinfo_rttvar $tcpinfo_snd_cwnd $tcpinfo_rcv_space\n";
    }
--- skip_windows: it does not say
--- response_body_like: ^\d+ \d+ [1-9]\d* [1-9]\d*$
