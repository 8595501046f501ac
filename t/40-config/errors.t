__DATA__


=== an unknown directive
--- config
    bogus on;
--- must_die
--- error_log eval
qr/\[emerg\] \d+#\d+: unknown directive "bogus" in .*nginx\.conf:\d+\n/



=== a known one in the wrong place
--- config
    location = /t { worker_processes 2; }
--- must_die
--- error_log eval
qr/\[emerg\] .*"worker_processes" directive is not allowed here in .*nginx\.conf:\d+/



=== a directive of http in the main block
--- main_config
    default_type text/plain;
--- must_die
--- error_log: "default_type" directive is not allowed here



=== a location in http
--- http_config
    location = /t { return 200 ok; }
--- must_die
--- error_log: "location" directive is not allowed here



=== too many arguments
--- config
    location = /t { root a b; }
--- must_die
--- error_log: invalid number of arguments in "root" directive



=== too few arguments
--- config
    location = /t { root; }
--- must_die
--- error_log: invalid number of arguments in "root" directive



=== a directive given twice
--- config
    location = /t {
        default_type text/html;
        default_type text/plain;
    }
--- must_die
--- error_log: "default_type" directive is duplicate



=== a block where a value is expected
--- config
    location = /t { default_type text/html { } }
--- must_die
--- error_log: directive "default_type" is not terminated by ";"



=== a value where a block is expected
--- config
    location = /t;
--- must_die
--- error_log: directive "location" has no opening "{"



=== a semicolon too many
--- config
    location = /t { return 200; ; }
--- must_die
--- error_log: unexpected ";"



=== a brace from nowhere
--- config
    { }
--- must_die
--- error_log: unexpected "{"



=== a missing semicolon before a brace
--- config
    location = /t { return 200 ok }
--- must_die
--- error_log: unexpected "}"



=== something right after a quoted word
--- config
    location = /t { return 200 "a"b; }
--- must_die
--- error_log: unexpected "b"



=== a flag that is neither on nor off
--- config
    location = /t { sendfile maybe; }
--- must_die
--- error_log: invalid value "maybe" in "sendfile" directive, it must be "on" or "off"



=== a number that is none
--- post_main_config
    worker_rlimit_nofile many;
--- config
    location = /t { return 200; }
--- must_die
--- error_log: "worker_rlimit_nofile" directive invalid number



=== a size that is none
--- config
    location = /t { client_max_body_size big; }
--- must_die
--- error_log
"client_max_body_size" directive invalid value in
"big" is no size, like 512, 8k, 10m or 1g in



=== a time that is none
--- config
    location = /t { send_timeout soon; }
--- must_die
--- error_log
"send_timeout" directive invalid value in
"soon" is no time, like 30s, 500ms or "1m 30s" in



=== a level that error_log does not have
--- main_config
    error_log logs/x.log loud;
--- must_die
--- error_log: invalid log level "loud"



=== an event method that nobody has
--- post_main_config
    events { use magic; }
--- config
    location = /t { return 200; }
--- must_die
--- error_log: invalid event type "magic"



=== a second http block
--- post_main_config
    http { }
--- config
    location = /t { return 200; }
--- must_die
--- error_log: "http" directive is duplicate



=== a Lua block without its end
--- config
    location = /t {
        content_by_lua_block { ngx.say("a", {{{{{{{{
    }
--- must_die
--- error_log: unexpected end of file, expecting terminating characters for lua code block



=== a long bracket without its end
--- config
    location = /t {
        content_by_lua_block { ngx.say([==[a) }
    }
--- must_die
--- error_log: Lua code block missing the closing long bracket "]==]"



=== a parameter that is too long
--- config eval
"    set \$a " . ("x" x 5000) . ";\n"
--- must_die
--- error_log: too long parameter "xxxxxxxxxx..." started



=== a quote that was forgotten
--- config eval
"    set \$a \"" . ("x" x 5000) . ";\n"
--- must_die
--- error_log: too long parameter, probably missing terminating """ character



=== the line of an error is the one where the directive ends
--- config
    include $TEST_NGINX_HTML_DIR/a.conf;
--- user_files
>>> a.conf
location = /t {
    root
        a
        b;
}
--- must_die
--- error_log eval
qr/invalid number of arguments in "root" directive in .*a\.conf:4\n/



=== a zone that nobody makes says who wants it
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/s;
--- config
    location = /t { limit_req zone=another; }
--- must_die
--- error_log eval
qr/zero size shared memory zone "another" in \S+nginx\.conf:\d+$/m



=== a certificate that is not there says where it was wanted
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate nowhere.crt;
        ssl_certificate_key nowhere.key;
    }
--- config
--- must_die
--- error_log eval
qr/cannot load certificate "\S+nowhere\.crt": .* in \S+nginx\.conf:27$/m
