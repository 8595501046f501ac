__DATA__


=== who has none gets one
--- config
    location = /t { userid on; return 200 "[$uid_got]"; }
--- response_headers_like
Set-Cookie: uid=[A-Za-z0-9+/]{22}==; path=/
--- response_body: []



=== it is known again, and not set twice
--- config
    location = /t { userid on; return 200 "[$uid_got][$uid_set]"; }
--- more_headers
Cookie: a=b; uid=AQAAAAIAAAADAAAABAAAAA==; c=d
--- response_headers
! Set-Cookie
--- response_body: [uid=00000001000000020000000300000004][]



=== what is set is a variable, and the same in the cookie
--- config
    location = /t {
        userid v1; userid_service 258;
        content_by_lua_block {
            ngx.header["X-Set"] = ngx.var.uid_set
            ngx.say((ngx.var.uid_set:gsub("%x%x%x%x%x%x%x%x$", ""):sub(1, 12)))
        }
    }
    location = /u {
        userid on; userid_service 258;
        content_by_lua_block {
            local set = ngx.var.uid_set
            ngx.say(set:sub(1, 12), " ", set == ngx.var.uid_set)
        }
    }
--- request eval
["GET /t", "GET /u"]
--- response_body eval
["uid=00000102\n", "uid=02010000 true\n"]



=== its attributes
--- config
    location = /t {
        userid on; userid_name who; userid_domain example.com; userid_path /p;
        userid_expires max; userid_mark m; userid_p3p 'policyref="/p"';
        userid_flags secure httponly samesite=lax;
        return 200 "";
    }
    location = /u { userid on; userid_expires 365d; return 200; }
--- request eval
["GET /t", "GET /u"]
--- response_headers_like eval
["Set-Cookie: who=.{22}m=; expires=Thu, 31-Dec-37 23:55:55 GMT; domain=example.com; path=/p; secure; httponly; samesite=lax\nP3P: policyref=\"/p\"",
 "Set-Cookie: uid=.{22}==; expires=[A-Z][a-z][a-z], \\d\\d-[A-Z][a-z][a-z]-\\d\\d \\d\\d:\\d\\d:\\d\\d GMT; path=/"]



=== one without the mark is set again, the same
--- config
    location = /t { userid on; userid_mark m; return 200 "[$uid_got][$uid_set]"; }
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["Cookie: uid=AQAAAAIAAAADAAAABAAAAA==", "Cookie: uid=AQAAAAIAAAADAAAABAAAAAm="]
--- response_headers eval
["Set-Cookie: uid=AQAAAAIAAAADAAAABAAAAAm=; path=/", "! Set-Cookie"]
--- response_body eval
["[uid=00000001000000020000000300000004][uid=00000001000000020000000300000004]", "[uid=00000001000000020000000300000004][]"]



=== reset
--- config
    location = /t { set $uid_reset log; userid on; return 200; }
--- more_headers
Cookie: uid=AQAAAAIAAAADAAAABAAAAA==
--- response_headers_like
Set-Cookie: uid=.*; path=/
--- error_log
userid cookie "uid=00000001000000020000000300000004" was reset



=== log only looks
--- config
    location = /t { userid log; return 200 "[$uid_got][$uid_set]"; }
    location = /u { return 200 "[$uid_got][$uid_set]"; }
--- request eval
["GET /t", "GET /u"]
--- more_headers
Cookie: uid=AQAAAAIAAAADAAAABAAAAA==
--- response_headers eval
["! Set-Cookie", "! Set-Cookie"]
--- response_body eval
["[uid=00000001000000020000000300000004][]", "[][]"]



=== cookies that are none
--- config
    location = /t { userid on; return 200 "[$uid_got]"; }
--- more_headers
Cookie: uid=abc
--- response_headers_like
Set-Cookie: uid=.*; path=/
--- response_body: []
--- error_log
client sent too short userid cookie "uid=abc"



=== a mark that is none
--- config
    userid_mark ab;
--- must_die
--- error_log
value must be "off" or a single letter, digit or "=" in



=== a cookie of the right length that is none
--- config
    userid on;
    location = /t { return 200 "[$uid_got]"; }
--- more_headers
Cookie: uid=!!!!!!!!!!!!!!!!!!!!!!==
--- response_body: []
--- error_log
client sent invalid userid cookie
