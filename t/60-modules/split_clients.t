__DATA__


=== the same client always has the same part
--- http_config
    split_clients "$arg_a" $x { 25% .one; 0.5% .two; 50.25% .three; * rest; }
--- config
    location = /t { return 200 $x; }
--- request eval
["GET /t?a=1", "GET /t?a=2", "GET /t?a=some", "GET /t?a=longer-text", "GET /t?a=192.0.2.7", "GET /t?a=abc", "GET /t"]
--- response_body eval
[".three", ".one", ".one", "rest", ".three", ".one", ".one"]



=== without a rest it may be empty
--- http_config
    split_clients "$arg_a" $x { 0.01% tiny; }
--- config
    location = /t { return 200 "[$x]"; }
--- request
GET /t?a=abc
--- response_body: []



=== everybody
--- http_config
    split_clients "$arg_a" $x { 100% all; }
--- config
    location = /t { return 200 "[$x]"; }
--- request
GET /t?a=abc
--- response_body: [all]



=== more than all
--- http_config
    split_clients "$arg_a" $x { 60% a; 40.01% b; }
--- config
--- must_die
--- error_log
percent total is greater than 100% in



=== what is no share
--- http_config
    split_clients "$arg_a" $x { 1.234% a; }
--- config
--- must_die
--- error_log
invalid percent value "1.234%" in



=== nothing is no share either
--- http_config
    split_clients "$arg_a" $x { 0% a; }
--- config
--- must_die
--- error_log
invalid percent value "0%" in



=== parts that are all of it leave nobody out, though each is rounded down
--- http_config eval
"split_clients \"\$arg_a\" \$x { " . ("1% some; " x 99) . "1% last; }"
--- config
    location = /t { return 200 "[$x]"; }
--- request
GET /t?a=15263938
--- response_body: [last]
