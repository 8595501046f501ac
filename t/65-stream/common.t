__DATA__


=== map, geo and split_clients make variables of either protocol
--- stream_config
    map $protocol $m { TCP tcp; default other; }
    geo $g { default far; 127.0.0.0/8 near; }
    split_clients $remote_addr $s { * all; }
--- http_config
    map $request_method $m { GET get; default other; }
--- stream_server_config
    return "$m $g $s";
--- stream_response: tcp near all



=== one name is another's in http
--- stream_config
    map $protocol $m { TCP tcp; }
--- http_config
    map $request_method $m { GET get; }
--- stream_server_config
    return $m;
--- config
    location = /t { return 200 $m; }
--- request
GET /t
--- response_body: get



=== geo by a variable with an address
--- stream_config
    geo $proxy_protocol_addr $g { default far; 192.0.2.0/24 there; }
--- stream_listen: proxy_protocol
--- stream_server_config
    return $g;
--- stream_request eval
"PROXY TCP4 192.0.2.7 5.6.7.8 1 2\r\n"
--- stream_response: there



=== deny ends a session without a word
--- stream_server_config
    deny 127.0.0.1;
    return "never";
--- stream_response eval: ""
--- error_log
access forbidden by rule



=== the first rule that fits decides
--- stream_config
    deny all;
--- stream_server_config
    allow 127.0.0.0/8;
    deny all;
    return "in";
--- stream_response: in
--- no_error_log
forbidden



=== the client is whom a trusted proxy names
--- stream_listen: proxy_protocol
--- stream_server_config
    set_real_ip_from 127.0.0.1;
    return "$remote_addr $realip_remote_addr";
--- stream_request eval
"PROXY TCP4 192.0.2.7 5.6.7.8 1 2\r\n"
--- stream_response: 192.0.2.7 127.0.0.1



=== and not whom another names
--- stream_listen: proxy_protocol
--- stream_server_config
    set_real_ip_from 10.0.0.0/8;
    return $remote_addr;
--- stream_request eval
"PROXY TCP4 192.0.2.7 5.6.7.8 1 2\r\n"
--- stream_response: 127.0.0.1



=== rules see who was named
--- stream_listen: proxy_protocol
--- stream_server_config
    set_real_ip_from 127.0.0.1;
    deny 192.0.2.7;
    return "never";
--- stream_request eval
"PROXY TCP4 192.0.2.7 5.6.7.8 1 2\r\n"
--- stream_response eval: ""
--- error_log
access forbidden by rule



=== headers are http's
--- stream_server_config
    real_ip_header X-Real-IP;
    return x;
--- must_die
--- error_log
"real_ip_header" directive is not allowed here



=== connections are counted by key
--- stream_config
    limit_conn_zone $remote_addr zone=few:64k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        limit_conn few 1;
        return $limit_conn_status;
    }
--- stream_server_config
    return x;
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            ngx.say(sock:receive("*a"))
        }
    }
--- request
GET /t
--- response_body
PASSED



=== a zone is of one key
--- stream_config
    limit_conn_zone $remote_addr zone=few:64k;
--- http_config
    limit_conn_zone $uri zone=few:64k;
--- must_die
--- error_log
limit_conn_zone "few" is already bound to key



=== a log of sessions has its own formats
--- stream_config
    log_format main escape=json '{"a":"$remote_addr","p":"$protocol"}';
    access_log logs/access.log main;
--- stream_server_config
    return x;
--- stream_response: x
--- access_log
{"a":"127.0.0.1","p":"TCP"}



=== a line only if
--- stream_config
    log_format main "line of $protocol";
    map $remote_addr $no { default 0; }
--- stream_server_config
    access_log logs/access.log main if=$no;
    return x;
--- stream_response: x
--- no_access_log
line of



=== a log whose name has a variable
--- stream_config
    log_format main "to a path";
--- stream_server_config
    access_log logs/$protocol.log main;
    return x;
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            assert(sock:receive("*a") == "x")

            local name = ngx.config.prefix() .. "/logs/TCP.log"
            local line

            for _ = 1, 100 do
                local f = io.open(name)
                line = f and f:read("*a") or ""
                if f then f:close() end
                if line ~= "" then break end
                ngx.sleep(0.02)
            end

            ngx.print(line)
        }
    }
--- request
GET /t
--- response_body
to a path



=== which has to be named
--- stream_server_config
    access_log logs/access.log;
    return x;
--- must_die
--- error_log
log format is not specified



=== and is not http's
--- stream_server_config
    access_log logs/access.log combined;
    return x;
--- must_die
--- error_log
unknown log format "combined"



=== without a directive nothing is logged
--- http_config
    access_log off;
--- stream_server_config
    return x;
--- stream_response: x
--- no_access_log
x



=== upstreams have the methods, a zone, and servers with ports
--- stream_config
    upstream a { zone z 64k; server 127.0.0.1:1 weight=2; server 127.0.0.2:1 backup; }
    upstream b { least_conn; server 127.0.0.1:1 max_conns=2 max_fails=0; }
    upstream c { hash $remote_addr consistent; server 127.0.0.1:1; }
    upstream d { random two; server 127.0.0.1:1 down; server 127.0.0.1:2; }
--- http_config
    upstream a { server 127.0.0.1; }
--- stream_server_config
    return x;
--- stream_response: x



=== a server without a port is none
--- stream_config
    upstream a { server 127.0.0.1; }
--- stream_server_config
    return x;
--- must_die
--- error_log
no port in upstream "127.0.0.1"



=== ip_hash and keepalive are http's
--- stream_config
    upstream a { ip_hash; server 127.0.0.1:1; }
--- stream_server_config
    return x;
--- must_die
--- error_log
"ip_hash" directive is not allowed here



=== an error log has six words at most
--- stream_config
    error_log logs/more.log debug escape a b c d;
--- must_die
--- error_log
invalid number of arguments in "error_log" directive
