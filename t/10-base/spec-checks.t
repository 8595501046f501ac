__DATA__


=== headers are there, and others are not
--- config
    location = /t {
        add_header X-Foo "a b";
        return 200 "x";
    }
--- response_headers
X-Foo: a b
Content-Length: 1
! X-Bar
--- raw_response_headers_like: \r\nX-Foo: a b\r\n
--- raw_response_headers_unlike: X-Bar



=== header values may be patterns
--- config
    location = /t {
        add_header X-Foo $request_time;
        return 200 "x";
    }
--- response_headers_like
X-Foo: \d+\.\d{3}



=== a body may match a pattern over its lines
--- config
    location = /t { return 200 "one\ntwo\n"; }
--- response_body_like: ^one.two$
--- response_body_unlike: three



=== a body goes through filters first
--- config
    location = /t { return 200 "hello"; }
--- response_body_filters
uc length
--- response_body: 5



=== an expected body may be a pattern, or code may change the body
--- config
    location = /t { return 200 "hello 42"; }
--- response_body_filters eval
sub { my $body = shift; $body =~ s/\d+/N/; return $body }
--- response_body eval
qr/^hello N$/



=== the status may be a pattern
--- config
    location = /t { return 503; }
--- error_code_like: ^50\d$



=== the port in a section is the server's
--- config
    location = /t { return 302 http://$http_host:$server_port/next; }
--- error_code: 302
--- response_headers
Location: http://localhost:$ServerPort/next



=== the access log has lines, and lacks others
--- config
    location = /t { return 204; }
--- error_code: 204
--- access_log eval
[qr/"GET \/t HTTP\/1.1" 204 /, "127.0.0.1"]
--- no_access_log
POST /t



=== a server must die of this
--- config
    no_such_directive;
--- must_die: 1
--- error_log eval
qr/\[emerg\] .*unknown directive "no_such_directive" in .*nginx\.conf:\d+/



=== what was written before a block is not judged by it
--- config
    location = /t { return 200 "fine"; }
--- response_body: fine
--- no_error_log
[emerg]
no_such_directive



=== a block may run on one system only
--- config
    location = /t { return 200 "linux"; }
--- skip_windows: it says linux
--- skip_eval: 1: $^O ne "linux"
--- response_body: linux
