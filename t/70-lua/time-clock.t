__DATA__


=== now has milliseconds, time has none
--- config
    location /t {
        content_by_lua_block {
            local now, time = ngx.now(), ngx.time()
            ngx.say(time == math.floor(now), " ", time > 1577836800, " ",
                    time == math.floor(time))
        }
    }
--- response_body
true true true



=== the time stands still until it is updated
--- config
    location /t {
        content_by_lua_block {
            local was = ngx.now()
            local sum = 0
            for i = 1, 5e6 do sum = sum + i end
            ngx.say(ngx.now() == was)
            local tries = 0
            while ngx.now() == was and tries < 1e7 do
                ngx.update_time()
                tries = tries + 1
            end
            ngx.say(ngx.now() > was)
        }
    }
--- response_body
true
true



=== dates as text
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.today())
            ngx.say(ngx.localtime())
            ngx.say(ngx.utctime())
        }
    }
--- response_body_like
^\d{4}-\d\d-\d\d
\d{4}-\d\d-\d\d \d\d:\d\d:\d\d
\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$



=== today begins the local time
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.localtime():sub(1, 10) == ngx.today())
            ngx.say(os.date("!%Y-%m-%d %H:%M:%S", ngx.time()) == ngx.utctime())
        }
    }
--- response_body
true
true



=== times in cookies
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.cookie_time(1290079655))
            ngx.say(ngx.cookie_time(4000000000))
            ngx.say(select(2, pcall(ngx.cookie_time, "x")))
        }
    }
--- response_body
Thu, 18-Nov-10 11:27:35 GMT
Tue, 02-Oct-2096 07:06:40 GMT
number argument only



=== times in headers
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.http_time(1290079655))
            ngx.say(ngx.http_time(0))
            ngx.say(select(2, pcall(ngx.http_time, {})))
        }
    }
--- response_body
Thu, 18 Nov 2010 11:27:35 GMT
Thu, 01 Jan 1970 00:00:00 GMT
number argument only



=== times beyond 2038 are whole
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.http_time(4294967296), " ",
                    ngx.parse_http_time("Sun, 07 Feb 2106 06:28:16 GMT"))
        }
    }
--- response_body
Sun, 07 Feb 2106 06:28:16 GMT 4294967296



=== header times are parsed in all three forms
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.parse_http_time("Thu, 18 Nov 2010 11:27:35 GMT"))
            ngx.say(ngx.parse_http_time("Thursday, 18-Nov-10 11:27:35 GMT"))
            ngx.say(ngx.parse_http_time("Thu Nov 18 11:27:35 2010"))
            ngx.say(ngx.parse_http_time("yesterday"))
            ngx.say(select(2, pcall(ngx.parse_http_time, 12)))
        }
    }
--- response_body
1290079655
1290079655
1290079655
nil
string argument only



=== the monotonic clock does not go back
--- config
    location /t {
        content_by_lua_block {
            local time = require "resty.core.time"
            local a = time.monotonic_msec()
            ngx.sleep(0.02)
            local b = time.monotonic_msec()
            ngx.say(b - a >= 15, " ", time.monotonic_time() == b / 1000)
        }
    }
--- response_body
true true



=== the constants
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.OK, ngx.ERROR, ngx.AGAIN, ngx.DONE, ngx.DECLINED)
            ngx.say(ngx.STDERR, ngx.EMERG, ngx.ALERT, ngx.CRIT, ngx.ERR,
                    ngx.WARN, ngx.NOTICE, ngx.INFO, ngx.DEBUG)
            ngx.say(ngx.HTTP_GET, " ", ngx.HTTP_POST, " ", ngx.HTTP_TRACE)
            ngx.say(ngx.HTTP_OK, " ", ngx.HTTP_PERMANENT_REDIRECT, " ",
                    ngx.HTTP_TOO_MANY_REQUESTS, " ", ngx.HTTP_CLOSE, " ",
                    ngx.HTTP_ILLEGAL, " ", ngx.HTTP_INSUFFICIENT_STORAGE)
        }
    }
--- response_body
0-1-2-4-5
012345678
2 8 32768
200 308 429 444 451 507



=== null is cjson's null, and true
--- config
    location /t {
        content_by_lua_block {
            local cjson = require "cjson"
            ngx.say(ngx.null == cjson.null, " ", type(ngx.null), " ",
                    cjson.decode("[null]")[1] == ngx.null, " ", not ngx.null)
            ngx.say(ngx.null)
        }
    }
--- response_body
true userdata true false
null
