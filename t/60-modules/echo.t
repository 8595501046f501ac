__DATA__


=== lines, with variables in them
--- config
    location /t {
        echo "hello," $arg_name;
        echo;
        echo and $request_method "";
    }
--- request
GET /t?name=you
--- response_body eval
"hello, you\n\nand GET \n"
--- response_headers
Content-Type: text/plain
Transfer-Encoding: chunked
!Content-Length



=== -n leaves the newline out, -- ends the options
--- config
    location /t {
        set $opt -n;
        echo -n "a ";
        echo -n -- -n;
        echo;
        echo -- -- b;
        echo $opt c;
        echo -;
    }
--- response_body
a -n
-- b
-n c
-



=== the answer to HEAD has a header only
--- config
    location /t { echo hello; }
--- request
HEAD /t
--- response_headers
!Content-Length
Content-Type: text/plain
--- response_body:



=== without chunks the connection's end is the answer's
--- config
    location /t { echo hello; }
--- raw_request eval
"GET /t HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
--- response_headers
Connection: close
!Transfer-Encoding
--- response_body
hello



=== the connection goes on
--- config
    location /t { echo $echo_incr $echo_incr; }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_body eval
["1 2\n", "1 2\n"]



=== a text many times
--- config
    location /t {
        echo_duplicate 3 "ab";
        echo_duplicate 1_0 ".";
        echo_duplicate 0 "no";
        echo_duplicate 2 "";
        echo;
    }
--- response_body
ababab..........



=== a count that is no number
--- config
    location /t { echo_duplicate x "ab"; }
--- error_code: 500
--- error_log
invalid size specified: "x"



=== the type that Lua has set is kept, its status is not
--- config
    location /t {
        rewrite_by_lua_block {
            ngx.status = 201
            ngx.header.content_type = "text/x"
        }
        echo hello;
    }
--- response_headers
Content-Type: text/x



=== another status
--- config
    location /t {
        echo "not $echo_response_status" yet;
        echo "but $echo_response_status";
        echo_status 404;
    }
--- error_code: 404
--- response_body
not  yet
but 404



=== an inner location does not answer like the one around it
--- config
    location /t {
        echo outer;
        location /t/inner { }
    }
--- request
GET /t/inner
--- error_code: 404



=== an "if" does, unless it has commands of its own
--- config
    location /t {
        set $seen no;
        if ($arg_a) { set $seen yes; }
        if ($arg_b) { echo own; }
        echo outer $seen;
    }
--- request eval
["GET /t", "GET /t?a=1", "GET /t?b=1"]
--- response_body eval
["outer no\n", "outer yes\n", "own\n"]



=== they answer in locations only
--- http_config
    echo hello;
--- must_die
--- error_log
"echo" directive is not allowed here



=== a sleep lets others in
--- config
    location /t {
        echo before;
        echo_flush;
        echo_sleep 0.05;
        echo_sleep 0.05;
        echo "after $echo_timer_elapsed";
    }
--- response_body_like: ^before\nafter (0\.09|0\.[1-9]\d|[1-9]\d*\.\d\d)\d\n$



=== nothing is read as a time that is none
--- config
    location /t { echo_sleep 0.x; }
--- error_code: 400
--- error_log
invalid sleep duration "0.x"



=== a request sleeps on when its client has left
--- config
    location /t { echo_sleep 0.3; echo "never"; log_by_lua_block { ngx.log(ngx.WARN, "status ", ngx.status, ", sent ", ngx.var.body_bytes_sent, ", after ", ngx.var.request_time) } }
--- timeout: 0.1
--- abort
--- ignore_response
--- wait: 0.5
--- error_log eval
qr/status \d+, sent \d+, after 0\.(29|[3-9])/



=== the timer may begin anew
--- config
    location /t {
        echo_blocking_sleep 1;
        echo $echo_timer_elapsed;
        echo_reset_timer;
        echo $echo_timer_elapsed;
    }
--- response_body_like: ^(0\.9|[1-9]\.\d)\d\d\n0\.[0-8]\d\d\n$



=== the body of the request
--- config
    location /t {
        echo "[$echo_request_body]";
        echo_request_body;
        echo_read_request_body;
        echo "[$echo_request_body]";
        echo_request_body;
        echo_request_body;
    }
--- request
POST /t
abc
--- response_body eval
"[]\n[abc]\nabcabc"



=== one that is in a file
--- config
    client_body_in_file_only clean;
    location /t {
        echo_read_request_body;
        echo "[$echo_request_body]";
        echo_request_body;
    }
--- request
POST /t
abc
--- response_body eval
"[]\nabc"



=== one that comes late
--- config
    location /t {
        echo_read_request_body;
        echo_request_body;
    }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 6\r\n\r\nab",
"c", "def"]
--- raw_request_middle_delay: 0.05
--- response_body: abcdef



=== what the client asked for
--- config
    location /t {
        rewrite ^ /u?c=d;
    }
    location /u {
        echo $echo_request_uri $echo_cacheable_request_uri;
        echo $echo_request_method $echo_client_request_method;
        echo_duplicate 1 $echo_client_request_headers;
    }
--- raw_request eval
"PUT /t?a=b HTTP/1.0\r\nX: y\r\n\r\n"
--- response_body eval
"/u /u\nPUT PUT\nPUT /t?a=b HTTP/1.0\r\nX: y\r\n\r\n"



=== go on somewhere else
--- config
    location /t { echo_exec $arg_to; echo never; }
    location /a { echo_exec /b?x=1 x=2; }
    location /b { echo "$uri $args"; }
    location @c { echo "named $uri"; }
--- request eval
['GET /t?to=/b?x=0', 'GET /t?to=/a', 'GET /t?to=@c', 'GET /t']
--- error_code eval
[200, 200, 200, 400]
--- response_body_like eval
["/b x=0\n", "/b x=2\n", "named /t\n", "400"]



=== a named location has no arguments
--- config
    location /t { echo_exec @c?x=1; }
    location @c { echo "named [$arg_x]"; }
--- response_body
named []
--- error_log
querystring x=1 ignored when exec'ing named location @c



=== a loop over the parts of a text
--- config
    location /t {
        echo_foreach_split -- "-" $arg_list;
            echo_sleep 0.001;
            echo "[$echo_it]";
        echo_end;
        echo "end$echo_it";
    }
--- request eval
["GET /t?list=a-b--c-", "GET /t?list=--", "GET /t"]
--- response_body eval
["[a]\n[b]\n[c]\nend\n", "end\n", "end\n"]



=== a loop inside a loop
--- config
    location /t {
        echo_foreach_split , a,b;
        echo_foreach_split , a,b;
        echo_end;
        echo_end;
    }
--- error_code: 500
--- error_log
Nested echo_foreach not supported yet.



=== an end without a loop
--- config
    location /t { echo_end; }
--- ignore_response
--- error_log
Found a echo_end that has no corresponding echo_foreach before it.



=== a separator that looks like an option
--- config
    location /t { echo_foreach_split -x- a-x-b; echo_end; }
--- error_code: 500
--- error_log
echo_foreach should take at least two arguments.



=== words around what others say
--- config
    location /t {
        echo_before_body -n "$echo_response_status ";
        echo_before_body begin;
        echo_after_body -n end;
        echo_after_body " $request_method";
        content_by_lua_block {
            ngx.header.content_length = 3
            ngx.say("1") ngx.flush(true) ngx.say("2")
        }
    }
--- response_headers
!Content-Length
--- response_body
200 begin
1
2
end GET



=== around a file, and an error page
--- config
    location /t { alias html; echo_before_body head; echo_after_body foot; }
--- user_files
>>> a.txt
text
--- request eval
["GET /t/a.txt", "GET /t/none"]
--- error_code eval
[200, 404]
--- response_body_like eval
["^head\ntext\nfoot\n\$", "^head\n.*404.*\nfoot\n\$"]



=== inner locations inherit them
--- config
    location /t {
        echo_after_body foot;
        location /t/in { return 200 "text "; }
    }
--- request
GET /t/in
--- response_body
text foot



=== of several who would answer, the last one in the text does
--- config
    location = /a { echo echo; content_by_lua_block { ngx.say("lua") } }
    location = /b { content_by_lua_block { ngx.say("lua") } echo echo; }
    location = /c {
        content_by_lua_block { ngx.say("lua") }
        if ($arg_e) { echo echo; }
    }
--- pipelined_requests eval
["GET /a", "GET /b", "GET /c", "GET /c?e=1"]
--- response_body eval
["lua\n", "echo\n", "lua\n", "echo\n"]
