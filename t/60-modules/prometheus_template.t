# prometheus_template: Angie's templates over the tree.
__DATA__


=== values by path and by regex, of variables; numbers of members; what has no value is left out
--- http_config
    map $p8s_value $state { volatile; "up" 1; "down" 2; default 0; }
    upstream one { server 127.0.0.1:1 down; server 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    prometheus_template all {
        'accepted' $p8s_value path=/connections/accepted type=counter 'help=Connections.';
        'zone_requests{zone="$1"}' $p8s_value path=~^/http/server_zones/([^/]+)/requests/total$ type=counter;
        'zones' $p8s_value path=/http/server_zones/;
        'peer_state{upstream="$u",peer="$2"}' $state path=~^/http/upstreams/(?<u>[^/]+)/peers/([^/]+)/state$ type=gauge;
        'peer_backup{peer="$1"}' $p8s_value path=~^/http/upstreams/one/peers/([^/]+)/backup$;
        'host{name="$hostname"}' $scheme;
        'nothing' $p8s_value path=/not/there 'help=Nothing.';
        'none' $arg_none;
    }
--- config
    location = /p8s { prometheus all; }
    location = /t {
        content_by_lua_block {
            local res = ngx.location.capture "/p8s"
            ngx.say(res.header["Content-Type"], " ", res.header["Cache-Control"])
            ngx.print((res.body:gsub("(\n?accepted) %d+", "%1 N"):gsub("(zone_requests%b{}) %d+", "%1 N")
                       :gsub(ngx.var.hostname, "HOST", 1):gsub(ngx.var.server_port, "PORT")))
        }
    }
--- response_body
text/plain no-cache
# Lunette Prometheus template "all"
# HELP accepted Connections.
# TYPE accepted counter
accepted N
# TYPE zone_requests counter
zone_requests{zone="localhost"} N
zones 1
# TYPE peer_state gauge
peer_state{upstream="one",peer="127.0.0.1:1"} 2
peer_state{upstream="one",peer="127.0.0.1:PORT"} 1
peer_backup{peer="127.0.0.1:1"} 0
peer_backup{peer="127.0.0.1:PORT"} 0
host{name="HOST"} http



=== a template that nobody has written
--- config
    location = /t { prometheus other; }
--- must_die
--- error_log
unknown Prometheus template "other" in



=== one that two have
--- http_config
    prometheus_template a { a $scheme; }
    prometheus_template a { b $scheme; }
--- config
--- must_die
--- error_log
duplicate Prometheus template "a" in



=== a value is a variable, a name has none
--- http_config
    prometheus_template a { a 5; }
--- config
--- must_die
--- error_log
metric value "5" isn't a variable in



=== its labels may have some
--- http_config
    prometheus_template a { 'a$scheme{b="$scheme"}' $scheme; }
--- config
--- must_die
--- error_log
invalid metric name: "a$scheme" - only labels can contain variables in
