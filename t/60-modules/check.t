# Tengine's words for health checks.
__DATA__


=== type=http: who answers well is up after so many checks, and check_status tells
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict d 1m;
    check_shm_size 10M;
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
        check interval=50 rise=2 fall=3 timeout=1000 type=http;
        check_http_send "HEAD /alive?a=b HTTP/1.0\r\nX-Who: me\r\nConnection: close\r\n\r\n";
        check_http_expect_alive http_2xx http_4xx;
    }
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        location / { return 200 "one"; }
        location = /alive {
            content_by_lua_block {
                ngx.shared.d:set("asked", ngx.req.get_method() .. " " .. ngx.var.request_uri .. " " .. ngx.var.http_x_who)
                ngx.exit(404)
            }
        }
    }
    server { listen $TEST_NGINX_RAND_PORT_2; return 302 /; }
--- config
    location /p { proxy_pass http://u; }
    location /checks { check_status; }
    location /json { check_status json; }
    location = /t {
        content_by_lua_block {
            local json, tree = require "cjson", require "tree"
            local one, two = "127.0.0.1:$TEST_NGINX_RAND_PORT_1", "127.0.0.1:$TEST_NGINX_RAND_PORT_2"
            local s
            repeat
                ngx.sleep(0.02)
                s = json.decode(ngx.location.capture("/json").body).servers
            until s.up == 1 and s.server[2].fall >= 3 and s.server[1].rise >= 2
            ngx.say(s.total, " ", s.up, " ", s.down, " ", s.generation)
            for i, n in ipairs(s.server) do
                ngx.say(n.index, " ", n.upstream, " ", n.name == one or n.name == two, " ", n.status, " ", n.rise > 0, " ", n.fall > 0, " ", n.type, " ", n.port)
            end
            ngx.say(ngx.shared.d:get "asked", " ", ngx.location.capture("/p").body)
            local csv = ngx.location.capture("/checks", { args = "format=csv&status=up" }).body
            ngx.say((csv:gsub("%d+,http,0", "N,http,0"):gsub("127[%d.:]+", "ADDR"):gsub("up,%d+", "up,N")))
            local page = ngx.location.capture("/checks")
            ngx.say(page.header["Content-Type"], " ", select(2, page.body:gsub('<tr class="down">', "")))
        }
    }
--- response_body
3 1 2 1
0 u true up true false http 0
1 u true down false true http 0
2 u false down false true http 0
HEAD /alive?a=b me one
0,u,ADDR,up,N,N,http,0

text/html 2
--- timeout: 10



=== checks over one connection
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict d 1m;
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        check interval=20 type=http;
        check_keepalive_requests 4;
    }
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                ngx.shared.d:lpush("conns", ngx.var.connection)
                ngx.say "well"
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            repeat ngx.sleep(0.02) until (ngx.shared.d:llen "conns") >= 9
            local t, n = {}, 0
            for i = 1, 9 do
                local c = ngx.shared.d:rpop "conns"
                if not t[c] then t[c], n = true, n + 1 end
            end
            ngx.say(n)
        }
    }
--- response_body
3
--- timeout: 10



=== type=tcp, ssl_hello, mysql, ajp, fastcgi
--- main_config
    stream {
        server {
            listen $TEST_NGINX_RAND_PORT_1 ssl;
            ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
            ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
            return "";
        }
        server {
            listen $TEST_NGINX_RAND_PORT_2;
            content_by_lua_block {
                local sock = ngx.req.socket()
                sock:settimeout(50)
                local heard = sock:receive(5)
                local answer = "\74\0\0\0\10mysql"
                if heard == "\18\52\0\1\10" then
                    answer = "AB\0\1\9"
                elseif heard == "\1\1\0\1\0" then
                    local text = "Status: 204 None\r\n\r\n"
                    answer = "\1\6\0\1\0" .. string.char(#text) .. "\0\0" .. text .. "\1\3\0\1\0\8\0\0\0\0\0\0\0\0\0\0"
                end
                ngx.print(answer)
            }
        }
        server { listen $TEST_NGINX_RAND_PORT_3; return "nonsense and more of it"; }
    }
--- http_config
    upstream tcp { server 127.0.0.1:$TEST_NGINX_RAND_PORT_3; server 127.0.0.1:1; check interval=50 rise=1; }
    upstream ssl { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_3; check interval=50 rise=1 type=ssl_hello; }
    upstream sql { server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; server 127.0.0.1:$TEST_NGINX_RAND_PORT_3; check interval=50 rise=1 type=mysql; }
    upstream ajp { server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; server 127.0.0.1:$TEST_NGINX_RAND_PORT_3; check interval=50 rise=1 type=ajp; }
    upstream cgi { server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; server 127.0.0.1:$TEST_NGINX_RAND_PORT_3; check interval=50 rise=1 type=fastcgi; check_fastcgi_param REQUEST_URI /alive; }
--- config
    location /json { check_status json; }
    location = /t {
        content_by_lua_block {
            local json, s = require "cjson"
            repeat
                ngx.sleep(0.02)
                s = json.decode(ngx.location.capture("/json").body).servers
                local all = true
                for _, n in ipairs(s.server) do all = all and n.rise + n.fall > 0 end
            until all
            for _, n in ipairs(s.server) do ngx.say(n.upstream, " ", n.type, " ", n.status) end
        }
    }
--- response_body
tcp tcp up
tcp tcp down
ssl ssl_hello up
ssl ssl_hello down
sql mysql up
sql mysql down
ajp ajp up
ajp ajp down
cgi fastcgi up
cgi fastcgi down
--- timeout: 10



=== default_down=false: up before anything is known; another port
--- http_config
    upstream u {
        zone u 64k;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        check interval=50 fall=1 default_down=false port=1;
    }
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "one"; }
--- config
    location /json { check_status json; }
    location = /t {
        content_by_lua_block {
            local json, s = require "cjson"
            repeat
                ngx.sleep(0.02)
                s = json.decode(ngx.location.capture("/json").body).servers.server[1]
            until s.status == "down"
            ngx.say(s.port)
        }
    }
--- response_body
1
--- timeout: 10



=== a type that is none
--- http_config
    upstream u { server 127.0.0.1:1; check type=gopher; }
--- config
--- must_die
--- error_log
invalid parameter "type=gopher"



=== a request that is none
--- http_config
    upstream u { server 127.0.0.1:1; check type=http; check_http_send "hello"; }
--- config
--- must_die
--- error_log
"check_http_send" has no request: "hello"
