__DATA__


=== HTTP/2 with prior knowledge
--- http2
--- config
    location = /t { return 200 "$server_protocol $http2 $request $host"; }
--- response_body: HTTP/2.0 h2c GET /t HTTP/2.0 localhost
--- response_headers
Content-Length: 38
Content-Type: text/plain
! Connection
! Transfer-Encoding


=== HTTP/1.1 on the same address
--- config
    http2 on;
    location = /t { return 200 "$server_protocol[$http2]"; }
--- response_body: HTTP/1.1[]


=== without http2 the preface is a request like any other
--- config
    location = /t { return 200 "plain"; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid request


=== listen ... http2
--- http2
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1 http2; return 200 "old"; }
--- config
    location = /t { return 200 "new"; }
--- response_body: new
--- error_log
the "listen ... http2" directive is deprecated, use the "http2" directive instead in


=== the access log
--- http2
--- http_config
    log_format two "[$request] $status $body_bytes_sent $http2";
--- config
    location = /t { access_log logs/access.log two; return 200 "abc"; }
--- access_log
[GET /t HTTP/2.0] 200 3 h2c


=== the error log names the request
--- http2
--- config
    location = /t { root html; }
--- more_headers
Referer: http://a/
--- error_code: 404
--- error_log
request: "GET /t HTTP/2.0", host: "localhost", referrer: "http://a/"


=== HEAD
--- http2
--- config
    location = /t { return 200 "hello"; }
--- request
HEAD /t
--- response_headers
Content-Length: 5
--- response_body:


=== an error page
--- http2
--- config
    error_page 404 = /e;
    location = /t { return 404; }
    location = /e { return 200 "of $uri"; }
--- response_body: of /e


=== a body of known length
--- http2
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.req.get_body_data(), ngx.var.content_length)
        }
    }
--- request
POST /t
some body
--- response_body: some body9


=== a body of unknown length
--- http2
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.req.get_body_data(), ngx.var.http_content_length)
        }
    }
--- curl_options: -H Content-Length:
--- request
POST /t
some body
--- response_body: some bodynil


=== a body larger than windows and buffers
--- http2
--- config
    client_body_buffer_size 16k;
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            local f = io.open(ngx.req.get_body_file())
            local text = f:read("*a")
            f:close()
            ngx.print(#text, text:find("[^x]"))
        }
    }
--- request eval
"POST /t\n" . ("x" x 500000)
--- response_body: 500000nil


=== a body that a server gets while it comes
--- http2
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; client_body_buffer_size 1m; location / { content_by_lua_block {
        ngx.req.read_body()
        local data = ngx.req.get_body_data()
        ngx.print(ngx.var.http_content_length, " ", #data, " ", data == ("0123456789"):rep(50000))
    } } }
--- config
    client_body_buffer_size 1k;
    location = /t {
        proxy_request_buffering off;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request eval
"POST /t\n" . "0123456789" x 50000
--- response_body: 500000 500000 true
--- no_error_log
buffered to a temporary file


=== the same of unknown length
--- http2
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; client_body_buffer_size 1m; location / { content_by_lua_block {
        ngx.req.read_body()
        ngx.print(ngx.var.http_content_length, " ", ngx.var.http_transfer_encoding, " ", #ngx.req.get_body_data())
    } } }
--- config
    client_body_buffer_size 1k;
    location = /t {
        proxy_request_buffering off;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- curl_options: -H Content-Length:
--- request eval
"POST /t\n" . "0123456789" x 50000
--- response_body: nil chunked 500000
--- no_error_log
buffered to a temporary file


=== ngx.req.socket reads a body
--- http2
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.req.socket()
            ngx.print(sock:receive(), " ", sock:receive(4), " ")
            ngx.print(#sock:receive("*a"), " ", select(2, sock:receive(1)))
        }
    }
--- request eval
"POST /t\nline\nfour" . "0123456789" x 50000
--- response_body: line four 500000 closed


=== 100 Continue, when the body is asked for
--- http2
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.req.get_body_data())
        }
    }
--- more_headers
Expect: 100-continue
--- request
POST /t
abc
--- error_code: 100


=== a large file, in pieces
--- http2
--- config
    location = /t {
        content_by_lua_block {
            local f = io.open(ngx.var.document_root .. "/big", "wb")
            f:write(("0123456789"):rep(100000))
            f:close()
            ngx.exec("/big")
        }
    }
    location = /big { root html; }
    location = /x { return 200; }
--- response_headers
Content-Length: 1000000
--- response_body eval
"0123456789" x 100000


=== the same where the system sends it
--- http2
--- config
    sendfile on;
    location = /t {
        content_by_lua_block {
            local f = io.open(ngx.var.document_root .. "/big", "wb")
            f:write(("0123456789"):rep(100000))
            f:close()
            ngx.exec("/big")
        }
    }
    location = /big { root html; limit_rate 2m; }
--- response_headers
Content-Length: 1000000
--- response_body eval
"0123456789" x 100000


=== a range
--- http2
--- config
    location = /t { root html; }
--- user_files
>>> t
0123456789
--- more_headers
Range: bytes=2-4
--- error_code: 206
--- response_headers
Content-Range: bytes 2-4/11
--- response_body: 234


=== gzip
--- http2
--- config
    gzip on;
    gzip_min_length 1;
    gzip_types text/plain;
    location = /t { return 200 "hello hello hello hello"; }
--- curl_options: --compressed
--- response_headers
content-encoding: gzip
--- response_body: hello hello hello hello


=== trailers
--- http2_frames
--- config
    keepalive_requests 1;
    location = /t {
        add_trailer X-Sum 42;
        return 200 "body";
    }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a"
--- response_body_like
HEADERS 1
DATA 1 4
HEADERS 1 end


=== limit_rate
--- http2
--- config
    location = /t {
        limit_rate 2000;
        content_by_lua_block { ngx.print(("x"):rep(3000)) }
    }
--- response_body eval
"x" x 3000


=== cookies sent apart are one
--- http2
--- config
    location = /t { return 200 "$http_cookie"; }
--- more_headers
Cookie: a=1
Cookie: b=2
--- response_body: a=1; b=2


=== a header's names are lower case on the wire
--- http2
--- config
    location = /t {
        add_header X-Some-Thing "Value";
        add_header Connection "close";
        return 200;
    }
--- raw_response_headers_like: x-some-thing: Value
--- raw_response_headers_unlike: (?i)connection


=== underscores in names are dropped unless they are wanted
--- http2
--- config
    location = /t { return 200 "[$http_a_b]"; }
--- more_headers
a_b: 1
--- response_body: []
--- error_log
client sent invalid header: "a_b"


=== what Lua cannot have of HTTP/2
--- http2
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(pcall(ngx.req.raw_header))
            ngx.say(pcall(ngx.req.socket, true))
            ngx.say(ngx.req.http_version())
        }
    }
--- response_body_like chomp
^falsehttp2 requests not supported yet
false.*http v2 not supported yet
2$


=== Lua sleeps, flushes and captures
--- http2
--- config
    location = /t {
        content_by_lua_block {
            ngx.say("a")
            ngx.flush(true)
            ngx.sleep(0.01)
            ngx.print(ngx.location.capture("/sub").body)
        }
    }
    location = /sub { return 200 "of $server_protocol"; }
--- response_body chomp
a
of HTTP/2.0


=== a subrequest's output in its place
--- http2
--- config
    location = /t { echo "first"; echo_location /sub; echo "last"; }
    location = /sub { return 200 "sub\n"; }
--- response_body
first
sub
last


=== server, by :authority
--- http2
--- http_config
    server { listen $TEST_NGINX_SERVER_PORT; server_name a.example;
             http2 on; location / { return 200 "a: $host"; } }
--- config
    location = /t { return 200 "default"; }
--- more_headers
Host: A.example
--- response_body: a: a.example


=== keepalive_requests says goodbye
--- http2_frames
--- config
    keepalive_requests 1;
    location = /t { return 204; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a"
--- response_body
SETTINGS 0
SETTINGS 0 ack
WINDOW_UPDATE 0
GOAWAY 0 last 1 NO_ERROR
HEADERS 1 end


=== keepalive_timeout
--- http2_frames
--- config
    keepalive_timeout 50ms;
    location = /t { return 204; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a"
--- response_body_like: HEADERS 1 end\nGOAWAY 0 last 1 NO_ERROR\n$


=== a request that is answered at once puts keepalive_timeout off
--- config
    http2 on;
    keepalive_timeout 2s;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock = h2.open(h2.hello() .. h2.gets("/s", 1))
        for i = 1, 5 do
            ngx.sleep(0.5)
            sock:send(h2.gets("/s", 1, 1 + 2 * i))
        end
        ngx.say(h2.receive(sock, "GOAWAY"))
    } }
    location = /s { return 204; }
--- response_body_like: HEADERS 11 end\nGOAWAY 0 last 11 NO_ERROR\n
--- timeout: 60


=== a body that is too large
--- http2_frames
--- config
    location = /t { client_max_body_size 4; return 200; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0d\1\4\0\0\0\1\x83\x86\4\2/t\x41\1a\x0f\x0d\0019"
--- shutdown
--- response_body_like: HEADERS 1\nDATA 1 \d+ end\nRST_STREAM 1 NO_ERROR
--- error_log
client intended to send too large body: 9 bytes


=== a body that does not come
--- http2_frames
--- config
    client_body_timeout 50ms;
    keepalive_timeout 50ms;
    location = /t { content_by_lua_block { ngx.req.read_body() } }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0d\1\4\0\0\0\1\x83\x86\4\2/t\x41\1a\x0f\x0d\0019"
--- response_body_like: RST_STREAM 1 PROTOCOL_ERROR
--- error_log
client timed out
--- access_log
" 408 


=== obsolete directives
--- config
    http2_idle_timeout 1m;
    http2_push_preload on;
    http2_recv_timeout 1m;
    location = /t { return 200; }
--- error_log
the "http2_idle_timeout" directive is obsolete, use the "keepalive_timeout" directive instead in
the "http2_push_preload" directive is obsolete, ignored in


=== a chunk size of nothing
--- config
    http2_chunk_size 0;
--- must_die
--- error_log
the http2 chunk size cannot be zero in


=== an abort handler hears of a reset
--- http2_frames
--- config
    location = /t {
        lua_check_client_abort on;
        content_by_lua_block {
            ngx.on_abort(function ()
                ngx.log(ngx.WARN, "gone")
                ngx.exit(499)
            end)
            ngx.sleep(5)
        }
    }
--- raw_request eval
["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a",
"\0\0\4\3\0\0\0\0\1\0\0\0\x08"]
--- raw_request_middle_delay: 100ms
--- ignore_response
--- abort
--- timeout: 500ms
--- error_log
gone
--- access_log
" 499 


=== a client that has the number of streams it may have, again and again
--- config
    http2 on;
    keepalive_requests 100000;
    location = /t { content_by_lua_block {
        local h2 = require "lunette.spec.frames"
        local sock, ends, refused = h2.open(h2.hello()), 0, 0
        for batch = 0, 19 do
            sock:send(h2.gets("/s", 128, 1 + 256 * batch))
            local text = ""
            repeat
                text = text .. sock:receiveany(65536)
                ends = select(2, h2.show(text):gsub("HEADERS %d+ end", ""))
                refused = select(2, h2.show(text):gsub("RST_STREAM", ""))
            until ends + refused >= 128
            if refused > 0 then break end
        end
        ngx.say(ends, " served, ", refused, " refused")
    } }
    location = /s { return 204; }
--- response_body
128 served, 0 refused
--- no_error_log
concurrent streams exceeded
