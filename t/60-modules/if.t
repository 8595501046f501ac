__DATA__


=== a variable is true unless it is empty or 0
--- config
    location /t { if ($arg_a) { return 200 "true"; } return 200 "false"; }
--- request eval
["GET /t?a=1", "GET /t?a=0", "GET /t?a=", "GET /t", "GET /t?a=00"]
--- response_body eval
["true", "false", "false", "false", "true"]



=== equal and not equal
--- config
    location /a { if ($arg_a = b) { return 200 "yes"; } return 200 "no"; }
    location /b { if ($arg_a != b) { return 200 "yes"; } return 200 "no"; }
--- request eval
["GET /a?a=b", "GET /a?a=c", "GET /b?a=b", "GET /b?a=c"]
--- response_body eval
["yes", "no", "no", "yes"]



=== the right side may be quoted, empty, or have variables
--- config
    location /a { if ($arg_a = "") { return 200 "empty"; } return 200 "no"; }
    location /b { if ($arg_a = "$arg_b c") { return 200 "yes"; } return 200 "no"; }
    location /c { if ( $arg_a = "x" ) { return 200 "spaces"; } return 200 "no"; }
--- request eval
["GET /a", "GET /b?a=d", "GET /b?b=d&a=d", "GET /c?a=x"]
--- response_body eval
["empty", "no", "no", "spaces"]



=== regexes capture
--- config
    location /t { if ($uri ~ ^/t/(\d+)-(?<word>\w+)) { return 200 "$1 $2 $word"; } return 200 "no"; }
--- request eval
["GET /t/12-ab", "GET /t/x"]
--- response_body eval
["12 ab ab", "no"]



=== caseless and negative regexes
--- config
    location /a { if ($arg_a ~* ^X) { return 200 "yes"; } return 200 "no"; }
    location /b { if ($arg_a !~ ^x) { return 200 "yes"; } return 200 "no"; }
    location /c { if ($arg_a !~* ^X) { return 200 "yes"; } return 200 "no"; }
--- request eval
["GET /a?a=xa", "GET /a?a=y", "GET /b?a=X", "GET /b?a=x", "GET /c?a=x", "GET /c?a=y"]
--- response_body eval
["yes", "no", "yes", "no", "no", "yes"]



=== a quoted regex may have spaces and braces
--- config
    location /t { if ($http_x ~ "^a b{2}$") { return 200 "yes"; } return 200 "no"; }
--- more_headers
X: a bb
--- response_body: yes



=== files and folders
--- config
    location /f { if (-f $request_filename) { return 200 "file"; } return 200 "no"; }
    location /d { if (-d $request_filename) { return 200 "folder"; } return 200 "no"; }
    location /e { if (-e $request_filename) { return 200 "there"; } return 200 "no"; }
    location /n { if (!-f $request_filename) { return 200 "no file"; } return 200 "file"; }
--- user_files
>>> f/x
>>> d/sub/x
>>> e/x
>>> n/x
--- request eval
["GET /f/x", "GET /f/y", "GET /d/sub", "GET /d/sub/x", "GET /e/x", "GET /n/x", "GET /n/y"]
--- response_body eval
["file", "no", "folder", "no", "there", "file", "no file"]



=== several conditions in a row
--- config
    location /t {
        set $x "";
        if ($arg_a) { set $x "a"; }
        if ($arg_b) { set $x "${x}b"; }
        return 200 "[$x]";
    }
--- request eval
["GET /t", "GET /t?a=1", "GET /t?b=1", "GET /t?a=1&b=1"]
--- response_body eval
["[]", "[a]", "[b]", "[ab]"]



=== in a server it comes before the locations
--- config
    if ($arg_stop) { return 403; }
    location /t { return 200 "fine"; }
--- request eval
["GET /t", "GET /t?stop=1", "GET /nowhere?stop=1"]
--- error_code eval
[200, 403, 403]
--- response_body_like eval
["fine", "403", "403"]



=== settings inside are those of the request
--- config
    location /t {
        add_header X-In outer;
        if ($arg_a) { add_header X-In inner; }
        return 200 "x";
    }
--- request eval
["GET /t", "GET /t?a=1"]
--- response_headers eval
["X-In: outer", "X-In: inner"]
--- response_body eval
["x", "x"]



=== it inherits what it does not say
--- config
    location /t { root $TEST_NGINX_SERVER_ROOT/html/sub; if ($arg_a) { set $x 1; } }
--- user_files
>>> sub/t
inherited
--- request
GET /t?a=1
--- response_body
inherited



=== rewrite inside
--- config
    location /a { if ($arg_x) { rewrite ^ /b last; } return 200 "a"; }
    location /b { return 200 "b"; }
--- request eval
["GET /a", "GET /a?x=1"]
--- response_body eval
["a", "b"]



=== an expression that is none
--- config
    location /t { if (a = b) { return 200; } }
--- must_die
--- error_log
invalid condition "a" in



=== an operator that is none
--- config
    location /t { if ($uri == /t) { return 200; } }
--- must_die
--- error_log
unexpected "==" in condition in



=== parentheses are needed
--- config
    location /t { if $uri { return 200; } }
--- must_die
--- error_log
invalid condition "$uri" in



=== a test of files that is none
--- config
    location /t { if (-z $uri) { return 200; } }
--- must_die
--- error_log
invalid condition "-z" in



=== not inside of itself
--- config
    location /t { if ($arg_a) { if ($arg_b) { return 200; } } }
--- must_die
--- error_log
"if" directive is not allowed here in



=== rewrite_log tells of patterns in conditions, too
--- config
    rewrite_log on;
    location /t {
        if ($arg_b ~ ^b) { return 200 "no\n"; }
        if ($arg_a ~ ^b) { return 200 "yes\n"; }
    }
--- request
GET /t?a=bc&b=c
--- response_body
yes
--- log_level: notice
--- error_log eval
["\"^b\" matches \"bc\"", "\"^b\" does not match \"c\""]
