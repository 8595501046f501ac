# Commands for a memcached server, and its answers.

__DATA__


=== a value, and its flags
--- config
    location = /t {
        set $memc_key $arg_k;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        add_header X-Flags $memc_flags;
    }
--- request
GET /t?k=a%b
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a%25b\r\n"
--- tcp_reply eval: "VALUE a%25b 42 5\r\nhello\r\nEND\r\n"
--- response_body eval: "hello"
--- response_headers
Content-Length: 5
X-Flags: 42



=== a key that is not there
--- config
    location = /t {
        set $memc_key a;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a\r\n"
--- tcp_reply eval: "END\r\n"
--- error_code: 404
--- response_body_like: 404 Not Found



=== PUT stores the body
--- config
    location = /t {
        set $memc_key a;
        set $memc_exptime 60;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request
PUT /t
hello
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "set a 0 60 5\r\nhello\r\n"
--- tcp_reply eval: "STORED\r\n"
--- error_code: 201
--- response_body eval: "STORED\r\n"



=== POST adds a value that a variable has
--- config
    location = /t {
        set $memc_key a;
        set $memc_flags 7;
        set $memc_value "";
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request
POST /t
ignored
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "add a 7 0 0\r\n\r\n"
--- tcp_reply eval: "NOT_STORED\r\n"
--- response_body eval: "NOT_STORED\r\n"



=== a body that is in a file
--- config
    location = /t {
        client_body_in_file_only clean;
        set $memc_cmd replace;
        set $memc_key a;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request
POST /t
in a file
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "replace a 0 0 9\r\nin a file\r\n"
--- tcp_reply eval: "NOT_FOUND\r\n"
--- error_code: 404



=== DELETE deletes
--- config
    location = /t {
        set $memc_key a;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request
DELETE /t
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "delete a\r\n"
--- tcp_reply eval: "DELETED\r\n"
--- response_body eval: "DELETED\r\n"



=== counting
--- config
    location = /t {
        set $memc_cmd incr;
        set $memc_key a;
        set $memc_value 2;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "incr a 2\r\n"
--- tcp_reply eval: "34\r\n"
--- error_code: 201
--- response_body eval: "34\r\n"



=== a time for what is touched, none for what is flushed
--- config
    location = /t {
        set $memc_cmd touch;
        set $memc_key a;
        set $memc_exptime 5;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "touch a 5\r\n"
--- tcp_reply eval: "TOUCHED\r\n"
--- response_body eval: "TOUCHED\r\n"



=== everything is flushed
--- config
    location = /t {
        set $memc_cmd flush_all;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "flush_all\r\n"
--- tcp_reply eval: "OK\r\n"
--- response_body eval: "OK\r\n"



=== statistics, byte by byte
--- config
    location = /t {
        set $memc_cmd stats;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "stats\r\n"
--- tcp_reply eval
["STAT a 1\r", "\nSTAT END 2\r\nSTAT c \r\rEND\r", "\n\r", "\nE", "ND\r", "\n"]
--- response_body eval
"STAT a 1\r\nSTAT END 2\r\nSTAT c \r\rEND\r\n\r\nEND\r\n"



=== errors of the server are 502, and what it says
--- config
    location = /t {
        set $memc_cmd version;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "version\r\n"
--- tcp_reply eval: "SERVER_ERROR out of memory\r\n"
--- error_code: 502
--- response_body eval: "SERVER_ERROR out of memory\r\n"



=== what is no answer
--- config
    location = /t {
        set $memc_key a;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "VALUE b 0 1\r\nx\r\nEND\r\n"
--- error_code: 502
--- error_log
memcached sent invalid response: "VALUE b 0 1" for key "a"



=== flags that are the time of a value
--- config
    location = /t {
        set $memc_key a;
        memc_flags_to_last_modified on;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "VALUE a 784111777 1\r\nx\r\nEND\r\n"
--- response_body eval: "x"
--- response_headers
Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT



=== a value that the client has
--- config
    location = /t {
        set $memc_key a;
        memc_flags_to_last_modified on;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- more_headers
If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "VALUE a 784111777 1\r\nx\r\nEND\r\n"
--- error_code: 304
--- response_body



=== commands that are not allowed, or none
--- config
    location = /t {
        set $memc_cmd $arg_c;
        set $memc_key a;
        set $memc_value x;
        memc_cmds_allowed set incr;
        memc_cmds_allowed get;
        memc_pass 127.0.0.1:1;
    }
--- request eval
["GET /t?c=set", "PUT /t\nx"]
--- error_code eval
[403, 403]
--- error_log
ngx_memc: memcached command "set" not allowed



=== commands that there are not, or of nothing
--- config
    location = /t {
        set $memc_cmd $arg_c;
        set $memc_key a;
        set $memc_value x;
        memc_pass 127.0.0.1:1;
    }
--- request eval
["GET /t?c=none", "GET /t?c=incr", "OPTIONS /t"]
--- error_code eval
[400, 400, 400]
--- error_log eval
qr/ngx_memc: unknown \$memc_cmd "none"|\$memc_value" is invalid for incr\/decr: x,|ngx_memc: \$memc_cmd variable not found for HTTP OPTIONS requests/



=== without a key, or with one that is too long
--- config
    location = /t {
        set $memc_key $arg_k;
        memc_pass 127.0.0.1:1;
    }
--- request eval
["GET /t", "GET /t?k=" . ("x" x 251)]
--- error_code eval
[500, 400]
--- error_log
the "$memc_key" variable is



=== nothing to store, and nothing to count by
--- config
    location = /t {
        set $memc_cmd $arg_c;
        set $memc_key a;
        memc_pass 127.0.0.1:1;
    }
    location = /empty {
        set $memc_key a;
        set $memc_cmd decr;
        set $memc_value "";
        memc_pass 127.0.0.1:1;
    }
--- request eval
["GET /t?c=set", "PUT /t", "POST /t?c=incr\n5", "GET /empty"]
--- error_code eval
[500, 500, 400, 400]
--- error_log eval
qr/neither the "\$memc_value" variable nor the request body is available|the "\$memc_value" variable is required for command "(incr|decr)"/



=== flags that are no number
--- config
    location = /t {
        set $memc_cmd set;
        set $memc_key a;
        set_unescape_uri $memc_flags $arg_f;
        memc_pass 127.0.0.1:1;
    }
--- request
GET /t?f=1%0d%0aflush_all
--- error_code: 400
--- error_log
variable "$memc_flags" takes invalid value: 1



=== numbers that memcached would refuse without the value behind them
--- config
    location = /t {
        set $memc_key a;
        set $memc_exptime $arg_t;
        set $memc_flags $arg_f;
        memc_pass 127.0.0.1:1;
    }
--- request eval
["PUT /t?t=2147483648\nflush_all\r\n", "PUT /t?f=4294967296\nflush_all\r\n"]
--- error_code eval
[400, 400]
--- error_log
" takes invalid value: 



=== the greatest numbers there are
--- config
    location = /t {
        set $memc_key a;
        set $memc_exptime 2147483647;
        set $memc_flags 4294967295;
        memc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request
PUT /t
hello
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "set a 4294967295 2147483647 5\r\nhello\r\n"
--- tcp_reply eval: "STORED\r\n"
--- error_code: 201



=== a command that nobody knows
--- config
    location = /t {
        memc_cmds_allowed get gets;
    }
--- must_die
--- error_log
Unknown memcached command "gets" used in "memc_cmds_allowed"



=== a connection on which more came than was asked for is not kept
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_STREAM_PORT; keepalive 4; }
--- config
    location = /m { set $memcached_key $arg_k; memcached_pass u; }
    location = /c { set $memc_key $arg_k; set $memc_cmd $arg_c; memc_pass u; }
    location = /t { content_by_lua_block {
        for uri in ("/m?k=a /m?k=a /c?k=a&c=get /c?k=a&c=delete /c?k=plain&c=get /c?k=a&c=get"):gmatch "%S+" do
            local res = ngx.location.capture(uri)
            ngx.say(uri, " ", res.status, " ", res.status == 200 and res.body)
        end
    } }
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        for n = 1, 10 do
            local line = sock:receive()
            if not line then return end
            local key = line:match("^%w+ (%w+)")
            local more = key == "plain" and "" or "VALUE"
            if n > 1 then sock:send("VALUE " .. key .. " 0 4\r\nkept\r\nEND\r\n")
            elseif line:match("^delete") then sock:send("NOT_FOUND\r\n" .. more)
            else sock:send("END\r\n" .. more) end
        end
    }
--- request: GET /t
--- response_body
/m?k=a 404 false
/m?k=a 404 false
/c?k=a&c=get 404 false
/c?k=a&c=delete 404 false
/c?k=plain&c=get 404 false
/c?k=a&c=get 200 kept
