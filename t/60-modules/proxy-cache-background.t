# What is over is sent at once, and fetched anew by a request that no client
# waits for: its connection and its log line know nothing of it.

no_root_location();

# "one": a cache whose entry /c is over at once; the second request of its
# server waits until somebody sets "go".
my $start = <<'_EOC_';
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    proxy_cache_use_stale updating;
    proxy_cache_background_update on;
    lua_shared_dict d 1m;
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    init_by_lua_block {
        function serve(text)
            local n = ngx.shared.d:incr("n", 1, 0)
            for i = 1, n == 2 and 1000 or 0 do
                if ngx.shared.d:get("go") then break end
                ngx.sleep(0.02)
            end
            ngx.header["X-Accel-Expires"] = n == 1 and "@1" or "60"
            ngx.header["Content-Length"] = #text + 2
            ngx.print(n, " ", text)
        end
        function go() ngx.shared.d:set("go", true) end
    }
_EOC_

add_block_preprocessor(sub {
    my $block = shift;
    my $more = $block->http_config || '';
    $block->set_value("http_config", "$start$more");
});

__DATA__


=== a connection goes on while the update still waits for its server
--- config
    location = /c { proxy_cache one; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /b { content_by_lua_block { serve("") } }
    location = /t { content_by_lua_block {
        local c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        for i = 1, 4 do ngx.say(c:ask("GET", "/c")) end
        go()
        ngx.say(c:hit("/c"))
    } }
--- response_body
MISS1 
STALE1 
UPDATING1 
UPDATING1 
2 



=== one that ends with its answer ends at once
--- config
    location = /c { proxy_cache one; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /b { content_by_lua_block { serve("") } }
    location = /t { content_by_lua_block {
        for i = 1, 3 do
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /c HTTP/1.0\r\n\r\n")
            ngx.say(sock:receive("*a"):match("%d+ $"))
        end
        ngx.say(ngx.shared.d:get("n"))
        go()
    } }
--- response_body
1 
1 
1 
2



=== its line in the log is written before the update is done, and alone
--- http_config
    log_format f "$uri $upstream_cache_status $request_time";
--- config
    location = /c { access_log logs/c.log f; proxy_cache one; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /b { access_log off; content_by_lua_block { serve("") } }
    location = /t { access_log off; content_by_lua_block {
        local c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        for i = 1, 2 do c:ask("GET", "/c") end
        ngx.sleep(0.5)
        local path = ngx.config.prefix() .. "logs/c.log"
        ngx.print((require("lunette.spec.io").read(path):gsub("[0-9]%.%d+", "T")))
        go()
        c:hit("/c")
    } }
--- response_body
/c MISS T
/c STALE T



=== log_subrequest logs it as well
--- http_config
    log_format f "$uri $upstream_cache_status $upstream_status";
--- config
    location = /c { log_subrequest on; access_log logs/c.log f; proxy_cache one; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /b { access_log off; content_by_lua_block { serve("") } }
    location = /t { access_log off; content_by_lua_block {
        local c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        go()
        for i = 1, 2 do c:ask("GET", "/c") end
        c:hit("/c")
        local path = ngx.config.prefix() .. "logs/c.log"
        local text = require("lunette.spec.io").read(path):gsub("/c UPDATING %-\n", "")
        ngx.print(text:match("(.-STALE.-\n)/c HIT"))
    } }
--- response_body
/c MISS 200
/c STALE -
/c EXPIRED 200



=== it says what its client said, who has gone on meanwhile
--- config
    location ~ ^/(?<name>\w)/(\d+)$ {
        set $mine "$arg_a-$http_x";
        proxy_cache one;
        add_header X-C $upstream_cache_status;
        proxy_set_header X-All "$name $2 $args $mine $cookie_k $request_uri $connection_requests $remote_addr $server_port $scheme";
        proxy_set_header Cookie $http_cookie;
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b?$args;
    }
    location = /b { content_by_lua_block {
        ngx.sleep(0.3)
        serve(table.concat({ ngx.var.args, ngx.var.http_x_all, ngx.var.http_y, ngx.var.http_cookie }, ";"))
    } }
    location = /n { return 200 ok; }
    location = /t { content_by_lua_block {
        go()
        local c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        local more = "X: 1\r\nY: why\r\nCookie: k=v\r\n"
        c:ask("GET", "/c/42?a=b", more)
        ngx.say(c:ask("GET", "/c/42?a=b", more) == "STALE")
        for i = 1, 9 do c:ask("GET", "/n?zzzzzzzzzzzzzzzzzz", ("Z: zzzzzzzzzzzzzzzzzzz\r\n"):rep(9)) end
        c.sock:close()
        c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        ngx.say((c:hit("/c/42?a=b"):gsub("127.0.0.1 %d+", "A P")))
    } }
--- response_body
true
2 a=b;c 42 a=b b-1 v /c/42?a=b 2 A P http;why;k=v



=== also what its handshake had said
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_verify_client optional;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = /c {
        proxy_cache one;
        add_header X-C $upstream_cache_status;
        proxy_set_header X-All "$https $scheme $ssl_protocol $ssl_server_name $ssl_client_verify $ssl_client_s_dn";
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b;
    }
    location = /b { content_by_lua_block { ngx.sleep(0.3) serve(ngx.var.http_x_all) } }
    location = /t { content_by_lua_block {
        go()
        local k = { cert = ngx.ssl }
        local ssl, io = require "ngx.ssl", require "lunette.spec.io"
        local function read(name) return io.read("$TEST_NGINX_CERT_DIR/" .. name) end
        k = { cert = ssl.parse_pem_cert(read("client.crt")), key = ssl.parse_pem_priv_key(read("client.key")) }
        local c = require("keep").connect($TEST_NGINX_RAND_PORT_1, k)
        for i = 1, 2 do c:ask("GET", "/c") end
        c.sock:close()
        c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        ngx.say(c:hit("/c"))
    } }
--- response_body_like
^2 on https TLSv1.3 localhost SUCCESS CN=A Client,O=Lunette tests



=== a body goes with it
--- config
    location = /c {
        proxy_cache one; proxy_cache_methods POST; proxy_cache_key $request_body;
        add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b;
    }
    location = /b { content_by_lua_block { ngx.req.read_body() serve(ngx.var.request_method .. ngx.req.get_body_data()) } }
    location = /t { content_by_lua_block {
        local c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        for i = 1, 2 do ngx.say(c:ask("POST", "/c", nil, "some text")) end
        ngx.say(c:ask("POST", "/c", nil, "another"))
        go()
        ngx.say(c:hit("/c", "POST", "some text"))
    } }
--- response_body
MISS1 POSTsome text
STALE1 POSTsome text
MISS3 POSTanother
2 POSTsome text



=== one whose body is in a file asks for itself
--- config
    location = /c {
        client_body_in_file_only clean;
        proxy_cache one; proxy_cache_methods POST; proxy_cache_key k;
        add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b;
    }
    location = /b { content_by_lua_block { ngx.req.read_body() serve(ngx.req.get_body_data()) } }
    location = /t { content_by_lua_block {
        go()
        local c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        for i = 1, 2 do ngx.say(c:ask("POST", "/c", nil, "text")) end
    } }
--- response_body
MISS1 text
EXPIRED2 text



=== HEAD is updated with GET
--- config
    location = /c { proxy_cache one; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /b { content_by_lua_block { serve(ngx.var.request_method) } }
    location = /t { content_by_lua_block {
        go()
        local c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        for i = 1, 2 do ngx.say(c:ask("HEAD", "/c")) end
        ngx.say(c:hit("/c"))
    } }
--- response_body
MISS
STALE
2 GET



=== one that fails lets others try, and says for whom it was
--- config
    location = /c { proxy_cache one; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /b { content_by_lua_block {
        if ngx.shared.d:get("n") == 1 then ngx.shared.d:incr("n", 5) return ngx.exit(444) end
        serve("")
    } }
    location = /t { content_by_lua_block {
        local c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        for i = 1, 2 do ngx.say(c:ask("GET", "/c")) end
        ngx.say(c:hit("/c"))
    } }
--- response_body
MISS1 
STALE1 
7 
--- error_log eval
qr/upstream prematurely closed connection while reading response header from upstream, client: 127.0.0.1, server: localhost, request: "GET \/c HTTP\/1.1", subrequest: "\/c", upstream: "http:\/\/127.0.0.1:\d+\/b", host: "localhost"/



=== a dump and a metric tell of those that are open
--- master_on
--- config
    location = /c { proxy_cache one; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /b { content_by_lua_block { serve("") } }
    location = /m { prometheus; }
    location = /t { content_by_lua_block {
        local c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        for i = 1, 2 do c:ask("GET", "/c") end
        while ngx.shared.d:get("n") < 2 do ngx.sleep(0.01) end
        c.sock:close()
        ngx.sleep(0.1)
        c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        local io = require "lunette.spec.io"
        assert(io.tell(require("ngx.process").get_master_pid(), "dump", 20000))
        for i = 1, 200 do
            if (io.read(ngx.config.prefix() .. "logs/error.log") or ""):find("dump: cache update", 1, true) then break end
            ngx.sleep(0.05)
        end
        local m = ngx.location.capture("/m").body
        ngx.say(m:match("lunette_cache_updates_open (%d+)"))
        go()
        c:hit("/c")
        ngx.say(ngx.location.capture("/m").body:match("lunette_cache_updates_open (%d+)"))
    } }
--- response_body
1
0
--- error_log eval
[
qr/dump: cache update "http:\/\/127.0.0.1:\d+\/b", age \d+\.\d+ s/,
qr/dump: request in phase "content" waits for its handler, upstream request: header/
]



=== a worker that quits waits for an update, but not longer than it may
--- main_config
    worker_shutdown_timeout 1s;
--- config
    location = /c { proxy_cache one; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /b { content_by_lua_block { serve("") } }
    location = /t { content_by_lua_block {
        local c = require("keep").connect($TEST_NGINX_SERVER_PORT)
        for i = 1, 2 do ngx.say(c:ask("GET", "/c")) end
        while ngx.shared.d:get("n") < 2 do ngx.sleep(0.01) end
    } }
--- response_body
MISS1 
STALE1 
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
worker_shutdown_timeout, exiting
