__DATA__


=== a file that is full is put aside
--- http_config
    log_format f "line $arg_n of thirty bytes ...";
    access_log $TEST_NGINX_SERVER_ROOT/logs/small.log f rotate=60 keep=2;
--- config
    location /t { return 200; }
    location /logs { root $TEST_NGINX_SERVER_ROOT; default_type text/plain; access_log off; }
--- pipelined_requests eval
["GET /t?n=1", "GET /t?n=2", "GET /t?n=3", "GET /t?n=4", "GET /t?n=5",
 "GET /t?n=6", "GET /t?n=7", "GET /t?n=8",
 "GET /logs/small.log", "GET /logs/small.log.1", "GET /logs/small.log.2",
 "GET /logs/small.log.3"]
--- error_code eval
[200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 404]
--- response_body_like eval
["", "", "", "", "", "", "", "", "line 7.*\nline 8", "line 5.*\nline 6",
 "line 3.*\nline 4", "404"]



=== keep=0 keeps nothing
--- http_config
    log_format f "line $arg_n of thirty bytes ...";
    access_log $TEST_NGINX_SERVER_ROOT/logs/none.log f rotate=60 keep=0;
--- config
    location /t { return 200; }
    location /logs { root $TEST_NGINX_SERVER_ROOT; access_log off; }
--- pipelined_requests eval
["GET /t?n=1", "GET /t?n=2", "GET /t?n=3", "GET /logs/none.log",
 "GET /logs/none.log.1"]
--- error_code eval
[200, 200, 200, 200, 404]
--- response_body_like eval
["", "", "", "line 3", "404"]



=== a buffered log goes aside between two flushes
--- http_config
    log_format f "line $arg_n of thirty bytes ...";
    access_log $TEST_NGINX_SERVER_ROOT/logs/buffered.log f buffer=64 rotate=60;
--- config
    location /t { return 200; }
    location /logs { root $TEST_NGINX_SERVER_ROOT; access_log off; }
--- pipelined_requests eval
["GET /t?n=1", "GET /t?n=2", "GET /t?n=3", "GET /t?n=4", "GET /t?n=5",
 "GET /logs/buffered.log", "GET /logs/buffered.log.1"]
--- error_code eval
[200, 200, 200, 200, 200, 200, 200]
--- response_body_like eval
["", "", "", "", "", "^line 3.*\nline 4.*\n\$", "^line 1.*\nline 2.*\n\$"]



=== what is left of yesterday is put aside
--- http_config
    log_format f "line $arg_n";
    access_log $TEST_NGINX_SERVER_ROOT/html/dated.log f rotate=1d keep=3;
--- config
    location /t { return 200; }
    location /dated { root html; access_log off; }
--- user_files
>>> dated.log 202601021530.00
line of January
--- pipelined_requests eval
["GET /t?n=1", "GET /t?n=2", "GET /dated.log", "GET /dated.log.1",
 "GET /dated.log.2"]
--- error_code eval
[200, 200, 200, 200, 404]
--- response_body_like eval
["", "", "^line 1\nline 2\n\$", "^line of January\n\$", "404"]



=== an error log, too
--- http_config
    error_log $TEST_NGINX_SERVER_ROOT/logs/own.log error rotate=120 keep=20;
--- config
    error_log $TEST_NGINX_SERVER_ROOT/logs/own.log error;
    location /t { root html; }
    location /logs { root $TEST_NGINX_SERVER_ROOT; log_not_found off; }
--- pipelined_requests eval
["GET /t1", "GET /t2", "GET /t3", "GET /logs/own.log", "GET /logs/own.log.1"]
--- error_code eval
[404, 404, 404, 200, 200]
--- response_body_like eval
["404", "404", "404", "/t3", "/t2"]



=== a log with variables can't be rotated
--- config
    access_log logs/$host.log combined rotate=1m;
--- must_die
--- error_log
"rotate=1m" needs a file with a constant name



=== one file is rotated in one way
--- config
    access_log logs/x.log combined rotate=1m;
    location /t { access_log logs/x.log combined rotate=2m; }
--- must_die
--- error_log
access_log "logs/x.log" already defined with conflicting parameters



=== a size of nothing
--- config
    access_log logs/x.log combined rotate=0;
--- must_die
--- error_log
invalid parameter "rotate=0"



=== more than a thousand old files
--- main_config
    error_log logs/y.log error keep=1000;
--- must_die
--- error_log
invalid parameter "keep=1000"



=== a full disk is told once in a minute, and requests are answered
--- skip_windows: has no file that is always full
--- config
    location /t { access_log /dev/full combined; return 200 "fine"; }
--- pipelined_requests eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["fine", "fine", "fine"]
--- grep_error_log chop
[alert]
--- grep_error_log_out eval
["[alert]\n", "", ""]
--- error_log
write() to "/dev/full" failed (28: No space left on device)
