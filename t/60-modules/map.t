__DATA__


=== keys, default, and no default
--- http_config
    map $arg_a $x { default d; one 1; "two words" 2; }
    map $arg_a $y { one 1; }
--- config
    location /t { return 200 "[$x][$y]"; }
--- request eval
["GET /t", "GET /t?a=one", "GET /t?a=ONE"]
--- response_body eval
["[d][]", "[1][1]", "[1][1]"]



=== regexes come after keys, in order
--- http_config
    map $arg_a $x { default d; ~^a first; ~^ab second; abc exact; ~*^X caseless; }
--- config
    location /t { return 200 "$x"; }
--- request eval
["GET /t?a=abx", "GET /t?a=abc", "GET /t?a=xy", "GET /t?a=q"]
--- response_body eval
["first", "exact", "caseless", "d"]



=== groups may be used in the value
--- http_config
    map $uri $x { ~^/t/(\w+)/(?<n>\d+) "$n:$1"; }
--- config
    location /t { return 200 "[$x]"; }
--- request
GET /t/abc/7
--- response_body: [7:abc]



=== values and the source may have variables
--- http_config
    map "$arg_a-$arg_b" $x { default "$request_method?"; 1-2 $arg_c; }
--- config
    location /t { return 200 "$x"; }
--- request eval
["GET /t?a=1&b=2&c=3", "GET /t"]
--- response_body eval
["3", "GET?"]



=== hostnames have wildcards
--- http_config
    map $arg_h $x { hostnames; default d; .a.test dot; *.b.test star; www.c.* tail; e.test exact; }
--- config
    location /t { return 200 "$x"; }
--- request eval
["GET /t?h=a.test", "GET /t?h=x.a.test", "GET /t?h=b.test", "GET /t?h=x.b.test", "GET /t?h=www.c.org", "GET /t?h=e.test.", "GET /t?h=E.TEST", "GET /t?h=.a.test", "GET /t?h=.b.test"]
--- response_body eval
["dot", "dot", "d", "star", "tail", "exact", "exact", "dot", "star"]



=== a backslash makes a key of a word
--- http_config
    map $arg_a $x { default d; \default key; \~x tilde; }
--- config
    location /t { return 200 "$x"; }
--- request eval
["GET /t?a=default", "GET /t?a=~x", "GET /t"]
--- response_body eval
["key", "tilde", "d"]



=== the value is computed once, unless it is volatile
--- http_config
    map $v $once { ~(.*) $1; }
    map $v $again { volatile; ~(.*) $1; }
--- config
    location /t {
        set $v a;
        set $x "$once$again";
        set $v b;
        return 200 "$x$once$again";
    }
--- response_body: aaab



=== lines may come from a file
--- http_config
    map $arg_a $x { default d; include $TEST_NGINX_HTML_DIR/lines.conf; }
--- config
    location /t { return 200 "$x"; }
--- user_files
>>> lines.conf
one 1;
two 2;
--- request eval
["GET /t?a=two", "GET /t"]
--- response_body eval
["2", "d"]



=== a map of a map
--- http_config
    map $arg_a $x { 1 one; }
    map $x $y { one "first"; default "other"; }
--- config
    location /t { return 200 "$y"; }
--- request eval
["GET /t?a=1", "GET /t"]
--- response_body eval
["first", "other"]



=== a key twice
--- http_config
    map $arg_a $x { a 1; a 2; }
--- config
--- must_die
--- error_log
conflicting parameter "a" in



=== default twice
--- http_config
    map $arg_a $x { default 1; default 2; }
--- config
--- must_die
--- error_log
duplicate default map parameter in



=== a line with three words
--- http_config
    map $arg_a $x { a b c; }
--- config
--- must_die
--- error_log
invalid number of the map parameters in



=== the name needs a dollar
--- http_config
    map $arg_a x { a b; }
--- config
--- must_die
--- error_log
invalid variable name "x" in



=== the most special hostname wins, and a label is a whole one
--- http_config
    map $arg_h $x { hostnames; default d; *.a.test star; x.a.test exact; *.x.a.test deep; www.* tail; .b.test dot; ~b re; }
--- config
    location /t { return 200 "$x"; }
--- request eval
[map { "GET /t?h=$_" } "x.a.test", "y.a.test", "y.x.a.test", "a.test", "xa.test", "www.a.test", "www.q", "www", "wwww.q", "b.test", "c.b.test", "cb.test", "", "."]
--- response_body eval
["exact", "star", "deep", "d", "d", "star", "tail", "d", "d", "dot", "dot", "re", "d", "d"]



=== a star is a whole label, at an end
--- http_config
    map $arg_h $x { hostnames; a.*.test b; }
--- config
    location /t { return 200 "$x"; }
--- must_die
--- error_log
invalid hostname or wildcard "a.*.test"



=== a star with nothing beside it is no host
--- http_config
    map $arg_h $x { hostnames; *. b; }
--- config
    location /t { return 200 "$x"; }
--- must_die
--- error_log
invalid hostname or wildcard "*."



=== the same host with a dot and a star is a conflict
--- http_config
    map $arg_h $x { hostnames; .a.test b; *.a.test c; }
--- config
    location /t { return 200 "$x"; }
--- must_die
--- error_log
conflicting parameter "*.a.test"



=== the sizes of its tables are taken, and used for nothing
--- http_config
    map_hash_max_size 1024;
    map_hash_bucket_size 64;
    map $arg_h $x { a b; }
--- config
    location /t { return 200 "$x"; }
--- request
GET /t?h=a
--- response_body: b
