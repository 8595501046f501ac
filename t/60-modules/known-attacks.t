# Attacks on nginx, OpenResty and programs behind them that have a number; the
# manual's page on them (conf/manual/known-attacks.md) says where the others
# are tested.

__DATA__


=== CVE-2017-7529: a sum of ranges that is more than a number holds
--- config
    location = /t.txt { root html; }
--- user_files
>>> t.txt
0123456789
--- request
GET /t.txt
--- more_headers
Range: bytes=-617,-9223372036854775191
--- response_body
0123456789
--- no_error_log
[alert]



=== CVE-2019-20372: a page of an error is no way past a request's end
--- config
    error_page 401 http://127.0.0.1/elsewhere;
    location = /t { return 401; }
    location = /private {
        content_by_lua_block { ngx.log(ngx.WARN, "reached what is private") }
    }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 36\r\n\r\nGET /private HTTP/1.1\r\nHost: a\r\n\r\nab"
--- error_code: 302
--- no_error_log
reached what is private



=== CVE-2019-11043: a line's end in front of a path info
--- config
    location ~ ^/t {
        fastcgi_split_path_info ^(.+?\.php)(/.*)$;
        return 200 "[$fastcgi_path_info]";
    }
--- request
GET /t/a.php/x%0Ay
--- response_body: []



=== CVE-2018-9230: more arguments than are read
--- config
    location = /t {
        access_by_lua_block {
            local args, err = ngx.req.get_uri_args()
            ngx.exit((err or args.bad) and 403 or 204)
        }
    }
--- request eval
"GET /t?" . ("a=1&" x 100) . "bad=1"
--- error_code: 403



=== CVE-2020-36309: a header's value does not begin another header
--- config
    location = /t {
        content_by_lua_block {
            ngx.header["X-One"] = "a\r\nX-Two: b"
            ngx.say "said"
        }
    }
--- response_headers
! X-Two
--- response_body
said



=== CVE-2020-11724: a subrequest's body is no request of the server behind
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            local res = ngx.location.capture("/behind")
            ngx.print(res.status, " ", res.body)
        }
    }
    location = /behind {
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/origin;
    }
    location = /origin {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_headers()["Transfer-Encoding"] or "none",
                    ngx.req.get_method(), #(ngx.req.get_body_data() or ""))
        }
    }
    location = /private {
        content_by_lua_block { ngx.log(ngx.WARN, "reached what is private") }
    }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n26\r\nGET /private HTTP/1.1\r\nHost: 127.0\r\n\r\n\r\n0\r\n\r\n"
--- response_body_like: ^200 .*GET
--- no_error_log
reached what is private



=== CVE-2017-20005: a file whose time no calendar has is listed
--- skip_windows: no file there has such a time
--- config
    location /l/ { autoindex on; autoindex_localtime on; }
    location /json/ { alias html/l/; autoindex on; autoindex_format json; }
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef [[
                struct at { long sec, nsec; };
                int utimensat(int dir, const char *path, const struct at *t, int);
            ]]
            for name, sec in pairs { early = -400000000000, late = 400000000000 } do
                local at = ffi.new("struct at[2]", {{sec, 0}, {sec, 0}})
                ffi.C.utimensat(-100, "$TEST_NGINX_HTML_DIR/l/" .. name, at, 0)
            end
            for _, path in ipairs { "/l/", "/json/" } do
                local res = ngx.location.capture(path)
                ngx.say(res.status, " ", res.body:find("late", 1, true) ~= nil,
                        " ", res.body:find("early", 1, true) ~= nil)
            end
        }
    }
--- user_files
>>> l/early
>>> l/late
--- response_body
200 true true
200 true true



=== CVE-2016-5385: a client does not choose a program's proxy
--- config
    location = /t {
        scgi_param A a; scgi_param HTTP_PROXY ""; scgi_param HTTP_HOST "";
        scgi_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "30:CONTENT_LENGTH\x000\x00A\x00a\x00HTTP_X\x00y\x00,"
--- tcp_reply eval: "Status: 200 OK\r\n\r\nok"
--- raw_request eval
"GET /t HTTP/1.0\r\nProxy: http://127.0.0.1:1\r\nX: y\r\n\r\n"
--- response_body eval: "ok"



=== CVE-2021-3618: a client that wants another protocol gets no handshake
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl; return 200; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 ssl; http2 on; return 200; }
--- config
    location = /t {
        content_by_lua_block {
            local function with_length(n, text)
                local size, out = #text, ""
                for _ = 1, n do
                    out, size = string.char(size % 256) .. out, math.floor(size / 256)
                end
                return out .. text
            end
            local function extension(kind, text)
                return string.char(0, kind) .. with_length(2, text)
            end
            local function hello(protocol)
                local extensions = extension(10, "\0\4\0\23\0\29")
                    .. extension(11, "\1\0") .. extension(13, "\0\6\4\3\8\4\4\1")
                    .. extension(16, with_length(2, with_length(1, protocol)))
                return "\22\3\1" .. with_length(2, "\1" .. with_length(3,
                    "\3\3" .. ("r"):rep(32) .. "\0" .. "\0\4\192\43\192\47"
                    .. "\1\0" .. with_length(2, extensions)))
            end
            for _, port in ipairs { $TEST_NGINX_RAND_PORT_1, $TEST_NGINX_RAND_PORT_2 } do
                for _, protocol in ipairs { "ftp", "smtp", "http/1.1" } do
                    local sock = ngx.socket.tcp()
                    sock:connect("127.0.0.1", port)
                    sock:send(hello(protocol))
                    local kind = sock:receive(1):byte()
                    local alert = kind == 21 and sock:receive(6):byte(6)
                    ngx.say(protocol, " ", kind, " ", alert)
                end
            end
        }
    }
--- response_body
ftp 21 120
smtp 21 120
http/1.1 22 false
ftp 21 120
smtp 21 120
http/1.1 22 false



=== CVE-2024-39702: texts that differ where few look are no slower to keep
--- config
    location = /t {
        content_by_lua_block {
            local N = 20000
            local function time_of(make)
                collectgarbage()
                local began, kept = os.clock(), {}
                for i = 1, N do
                    kept[i] = make(i)
                end
                return os.clock() - began
            end
            local long = ("x"):rep(90)
            -- What a hash of the ends, the middle and a quarter does not see.
            local hidden = time_of(function (i)
                return long .. ("%06d"):format(i) .. long:rep(2)
            end)
            local plain = time_of(function (i)
                return ("%06d"):format(i) .. long:rep(3)
            end)
            ngx.say(hidden < plain * 20 + 0.2)
        }
    }
--- response_body
true



=== CVE-2026-1642: what a server says before its handshake is no answer
--- http_config
    proxy_ssl_verify off;
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            sock:send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad")
            ngx.flush(true)
            ngx.sleep(0.3)
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            sock:receive(1)
            sock:send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad")
            ngx.sleep(0.3)
        }
    }
--- config
    location = /one { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /two { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    location = /three { proxy_http_version 2; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /four { grpc_pass grpcs://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /five { uwsgi_pass suwsgi://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request eval
["GET /one", "GET /two", "GET /three", "GET /four", "GET /five"]
--- error_code eval
[502, 502, 502, 502, 502]
--- response_body_unlike eval
["bad\$", "bad\$", "bad\$", "bad\$", "bad\$"]



=== CVE-2026-42926: what stands in a body of one's own is no frame
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { content_by_lua_block {
            ngx.req.read_body()
            local body = ngx.req.get_body_data() or ""
            ngx.log(ngx.WARN, "asked for ", ngx.var.uri)
            ngx.say(ngx.var.uri, " ", #body, " ", ngx.md5(body) == ngx.md5(ngx.unescape_uri(ngx.var.arg_a)))
        } }
    }
--- config
    location = /t {
        proxy_http_version 2;
        set_by_lua_block $body { return ngx.unescape_uri(ngx.var.arg_a) }
        proxy_set_body $body;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request eval
my $frame = "%00%00%07%01%05%00%00%00%03%82%86%04%03%2fbad%41%01%61";
["GET /t?a=" . $frame x 3, "GET /t?a=%00%00%00%04%01%00%00%00%00" . $frame,
 "GET /t?a=" . ("%00%00%00%00%01%00%00%00%01" x 100) . $frame, "GET /t"]
--- error_code eval
[200, 200, 200, 200]
--- response_body_like eval
["^/t \\d+ true\$", "^/t \\d+ true\$", "^/t \\d+ true\$", "^/t 0 true\$"]
--- no_error_log
asked for /bad



=== CVE-2026-42055: names and values of any length go to a server of HTTP/2
--- http_config
    client_header_buffer_size 1k;
    large_client_header_buffers 4 300k;
    ignore_invalid_headers off;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { content_by_lua_block {
            local size = 0
            for k, v in pairs(ngx.req.get_headers(0)) do
                size = size + #k + (type(v) == "string" and #v or 0)
            end
            ngx.say(size > 65000)
        } }
    }
--- config
    location = /proxy { proxy_http_version 2; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- raw_request eval
"GET /proxy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" . ("n" x 40000) . ": v\r\nb: " . ("v" x 60000) . "\r\n\r\n"
--- response_body
true



=== CVE-2026-42055: and to one of gRPC
--- http_config
    client_header_buffer_size 1k;
    large_client_header_buffers 4 300k;
    ignore_invalid_headers off;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { content_by_lua_block {
            local size = 0
            for k, v in pairs(ngx.req.get_headers(0)) do
                size = size + #k + (type(v) == "string" and #v or 0)
            end
            ngx.say(size > 65000)
        } }
    }
--- config
    location = /grpc { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- raw_request eval
"GET /grpc HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" . ("n-" x 20000) . ": v\r\nb: " . ("\xff" x 30000) . "\r\n\r\n"
--- response_body
true



=== CVE-2026-42533: captures that a map changes within a text
--- http_config
    map $arg_a $mapped { "~^(?<inner>.)(.*)$" "$2"; default none; }
    map $arg_a $volatile { volatile; "~^(.)(.*)$" "$1"; }
--- config
    location ~ ^/t/(.*)$ {
        return 200 "$1|$mapped|$1|$volatile|$1";
    }
    location ~ ^/(l)ong$ {
        return 200 "$1$mapped$mapped$1$volatile";
    }
--- request eval
["GET /t/abc?a=12345", "GET /t/" . ("x" x 300) . "?a=y", "GET /long?a=" . ("z" x 5000), "GET /t/abc"]
--- response_body_like eval
["^abc\\|2345\\|", "^x{300}\\|\\|", "^l", "^abc\\|none\\|abc"]



=== CVE-2026-60005: captures that are none any more
--- config
    location ~ ^/(t)/(.*)$ {
        if ($arg_none ~ "(x)(y)(z)(0)") { return 500; }
        slice 4;
        proxy_set_header Range $slice_range;
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/$2;
    }
    location ~ ^/(bg)/(.*)$ {
        if ($arg_none ~ "(x)(y)(z)(0)") { return 500; }
        proxy_cache c;
        proxy_cache_key "$1$2";
        proxy_cache_valid 1s;
        proxy_cache_use_stale updating;
        proxy_cache_background_update on;
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/$2?[$3];
    }
    location /a { add_header X "$args"; access_log logs/parts.log parts; }
    location = /wait { content_by_lua_block { ngx.sleep(2.1) } }
    location = /log { default_type text/plain; alias logs/parts.log; }
--- http_config
    proxy_cache_path html/cache keys_zone=c:1m;
    log_format parts "$request_uri $http_range";
--- user_files eval
[["a.txt", "0123456789", "202601021530.00"]]
--- request eval
["GET /t/a.txt", "GET /bg/a.txt", "GET /wait", "GET /bg/a.txt", "GET /wait", "GET /log"]
--- response_body eval
["0123456789", "0123456789", "", "0123456789", "",
 "/a.txt bytes=0-3\n/a.txt bytes=4-7\n/a.txt bytes=8-11\n/a.txt?[] -\n/a.txt?[] -\n"]



=== CVE-2026-56434: an included answer that ends while it is on its way
--- config
    location = /t {
        ssi on; default_type text/html;
        content_by_lua_block {
            ngx.print('<!--# include virtual="/one" --><!--# include virtual="/two" -->'
                      .. '<!--# include virtual="/one" wait="yes" -->.')
        }
    }
    location = /one { proxy_buffering off; ssi on; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /two { proxy_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /three { return 200 "3"; }
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            repeat local line = sock:receive() until not line or line == ""
            sock:send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 36\r\n\r\n"
                      .. "a<!--# incl")
            ngx.sleep(0.05)
            sock:send('ude virtual="/three" -->b')
            ngx.sleep(0.05)
        }
    }
--- request
GET /t
--- response_body_like: ^a3b.*a.*\.$
