Lines to a syslog server.

__DATA__


=== an error goes to a syslog server with the severity of its level
--- config
    error_log syslog:server=127.0.0.1:$TEST_NGINX_RAND_PORT_1,facility=local1,tag=edge;
    location = /t { content_by_lua_block { ngx.log(ngx.ERR, "seen") ngx.say("x") } }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_query eval
qr{^<139>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ edge: \d+/\d\d/\d\d [\d:]+ \[error\] .*seen, client: 127\.0\.0\.1.*"GET /t HTTP/1\.\d", host: "[^"]*"\z}
--- response_body
x



=== what is less urgent than the level does not
--- config
    error_log syslog:server=127.0.0.1:$TEST_NGINX_RAND_PORT_1 crit;
    location = /t { content_by_lua_block { ngx.log(ngx.ERR, "unseen") ngx.log(ngx.CRIT, "seen") ngx.say("x") } }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_query eval: qr/^<186>.* \w+: .*\[crit\] .*seen/
--- response_body
x



=== lines of the access log have one severity, and may lack the host
--- http_config
    log_format short '$request_method $uri $status';
--- config
    location = /t {
        access_log syslog:server=127.0.0.1:$TEST_NGINX_RAND_PORT_1,severity=notice,nohostname,tag=a_1 short if=$arg_a;
        return 200 "x";
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- request
GET /t?a=1
--- udp_query eval: qr/^<189>\w+ [ \d]\d [\d:]+ a_1: GET \/t 200\z/
--- response_body: x



=== a request is answered when the syslog server is away
--- config
    location = /t {
        access_log syslog:server=unix:$TEST_NGINX_SERVER_ROOT/nobody;
        return 200 "x";
    }
--- request
GET /t
--- response_body: x
--- error_log eval
qr/\[error\] .*send\(\) failed .*while logging to syslog, server: unix:.*nobody/
--- skip_windows: no unix sockets



=== a syslog server must be named
--- config
    access_log syslog:tag=x;
--- must_die
--- error_log
no syslog server specified in



=== an unknown parameter of a syslog server is an error
--- config
    error_log syslog:server=127.0.0.1,color=red;
--- must_die
--- error_log
unknown syslog parameter "color=red" in



=== an unknown facility is an error
--- config
    error_log syslog:server=127.0.0.1,facility=local8;
--- must_die
--- error_log
unknown syslog facility "local8" in



=== an unknown severity is an error
--- config
    access_log syslog:server=127.0.0.1,severity=loud;
--- must_die
--- error_log
unknown syslog severity "loud" in



=== a tag has letters, digits and underscores
--- config
    access_log syslog:server=127.0.0.1,tag=a-b;
--- must_die
--- error_log
syslog "tag" only allows alphanumeric characters and underscore in



=== lines to a syslog server are not buffered
--- config
    access_log syslog:server=127.0.0.1 combined buffer=4k;
--- must_die
--- error_log
logs to syslog cannot be buffered in
