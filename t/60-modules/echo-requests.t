__DATA__


=== what another location says, in the order of the commands
--- config
    location = /sub { echo "sub $arg_a"; }
    location = /t {
        echo one;
        echo_location /sub;
        echo two;
        echo_location_async /sub?a=1;
        echo_location_async "/su%62?a=1" a=2;
        echo three;
    }
--- response_body
one
sub 
two
sub 1
sub 2
three
--- no_error_log
[error]



=== the slow ones keep their place
--- config
    location = /slow {
        echo_sleep 0.1; echo slow; echo_location_async /slower; echo end;
    }
    location = /slower { echo_sleep 0.1; echo slower; }
    location = /f { }
    location = /t {
        echo_location_async /slow;
        echo_location_async /f;
        echo two;
        echo_location_async /slower;
        echo_location /f;
        echo three;
    }
--- user_files
>>> f
file
--- response_body
slow
slower
end
file
two
slower
file
three



=== the asynchronous ones wait at the same time
--- http_config
    init_worker_by_lua_block { inside = 0 }
--- config
    location = /slow {
        content_by_lua_block {
            inside = inside + 1
            while inside < 4 do ngx.sleep(0.01) end
            ngx.say("slow")
        }
    }
    location = /t {
        echo_location_async /slow;
        echo_location_async /slow;
        echo_location_async /slow;
        echo_location_async /slow;
    }
--- response_body
slow
slow
slow
slow



=== Lua, an error's page, a redirect: all that a request may be
--- config
    error_page 404 /page;
    location = /page { echo "page of $uri"; }
    location = /lua {
        content_by_lua_block {
            for i = 1, 3 do
                ngx.say("lua ", i, " ", ngx.is_subrequest)
                ngx.flush(true)
                ngx.sleep(0.01)
            end
        }
    }
    location = /exec { echo_exec /page; }
    location = /t {
        echo_location_async /lua;
        echo_location_async /none;
        echo_location /exec;
    }
--- response_body
lua 1 true
lua 2 true
lua 3 true
page of /page
page of /page



=== filters see each part, and the whole
--- config
    gzip on;
    gzip_min_length 0;
    location = /sub {
        echo sub;
        body_filter_by_lua_block {
            ngx.arg[1] = ngx.arg[1]:upper() .. (ngx.arg[2] and ".\n" or "")
        }
    }
    location = /t {
        default_type text/html;
        echo_before_body "(";
        echo_location /sub;
        echo_after_body ")";
        add_header X t;
    }
--- response_headers
X: t
Content-Type: text/html
!Content-Encoding
--- response_body
(
SUB
.
)



=== all of it is compressed as one
--- config
    gzip on;
    gzip_types text/plain;
    location = /sub { echo_duplicate 50 "sub "; }
    location = /t { echo_location_async /sub; echo_location_async /sub; }
--- more_headers
Accept-Encoding: gzip
--- response_headers
Content-Encoding: gzip
--- response_body_like eval
"^\x1f\x8b.{10,60}\$"



=== a capture has all of it as well
--- config
    location = /sub { echo_sleep 0.01; echo sub; }
    location = /echo {
        echo one; echo_location_async /sub; echo two; echo_location /sub;
        echo_location_async /sub;
    }
    location = /t {
        content_by_lua_block {
            local res = ngx.location.capture("/echo")
            ngx.print(res.body)
            ngx.say(res.status, " ", res.truncated)
        }
    }
--- response_body
one
sub
two
sub
sub
200 false



=== $variables are not its parent's
--- config
    location = /sub {
        set $a sub;
        echo "$a $echo_request_method $request_method $uri";
    }
    location = /t {
        set $a t;
        echo_location /sub;
        echo_subrequest PUT /sub;
        echo $a;
    }
--- response_body
sub GET GET /sub
sub PUT GET /sub
t



=== a body from a text, a file, or the parent
--- config
    location = /sub {
        echo -n "$echo_request_method $arg_a $http_content_length: ";
        echo_request_body;
        echo;
    }
    location = /t {
        echo_read_request_body;
        echo_subrequest POST /sub -q a=1 -b "a text";
        echo_subrequest_async PUT /sub -f html/f;
        echo_subrequest POST /sub;
        echo_request_body;
    }
--- user_files eval
">>> f\nof a file"
--- request
POST /t
parent
--- response_body chomp
POST 1 6: a text
PUT  9: of a file
POST  6: parent
parent



=== HEAD asks nobody
--- config
    location = /sub { echo sub; access_log logs/sub.log; log_subrequest on; }
    location = /t { echo_location /sub; }
--- request
HEAD /t
--- response_body:
--- access_log
"HEAD /t HTTP/1.1" 200 0



=== what can't be asked ends the answer
--- config
    location = /a { echo a; echo_location /../b; }
    location = /b { echo b; echo_subrequest GET /b -z 1; }
    location = /c { echo c; echo_subrequest GET /c -q; }
    location = /d { echo d; echo_subrequest GET /d -f none; }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/a", "/b", "/c", "/d" } do
                ngx.print(ngx.location.capture(uri).body)
            end
        }
    }
--- response_body
a
b
c
d
--- error_log
sees unsafe uri: "/../b"
unknown option for echo_subrequest*: -z
echo_subrequest*: option "-q" has no value
none" failed



=== one that hangs up ends the answer
--- config
    location = /hang { content_by_lua_block { ngx.exit(444) } }
    location = /t { echo_location_async /hang; echo never; echo_flush; }
--- error_code:
--- access_log
"GET /t HTTP/1.1"



=== without end
--- config
    location = /t { echo -n x; echo_location /t; }
--- ignore_response
--- error_log
subrequests cycle while processing "/t"



=== who sleeps for nobody wakes up
--- config
    location = /sleep { echo_sleep 100; echo late; }
    location = /t {
        content_by_lua_block {
            ngx.thread.spawn(function () ngx.location.capture("/sleep") end)
            ngx.sleep(0.01)
            ngx.exit(444)
        }
    }
--- error_code:
--- response_body:



=== a capture of which a part is missing is truncated
--- config
    location = /hang { content_by_lua_block { ngx.exit(444) } }
    location = /echo { echo one; echo_location_async /hang; echo two; }
    location = /t {
        content_by_lua_block {
            local res = ngx.location.capture("/echo")
            ngx.print(res.truncated, " ", res.body)
        }
    }
--- response_body
true one



=== a subrequest ends what its parent says
--- config
    location /t {
        echo one;
        echo_location /sub;
        echo two;
        echo_after_body end;
    }
    location /sub {
        echo sub;
        echo_abort_parent;
        echo more;
    }
--- response_body
one
sub
more
end



=== who has no parent goes on
--- config
    location /t {
        echo one;
        echo_abort_parent;
        echo two;
    }
--- response_body
one
two



=== $echo_request_body is that of the subrequest
--- config
    location = /t {
        echo_subrequest_async POST /sub -b "one";
        echo_subrequest PUT /sub -b "two";
    }
    location = /sub { echo "$echo_request_method $echo_request_body"; }
--- response_body
POST one
PUT two
