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
