__DATA__


=== md5 in hex and in bytes
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.md5("hello"), " ", #ngx.md5_bin("hello"))
            ngx.say(ngx.md5(""), " ", ngx.md5(nil) == ngx.md5(""))
            ngx.say(ngx.md5(32) == ngx.md5("32"))
        }
    }
--- response_body
5d41402abc4b2a76b9719d911017c592 16
d41d8cd98f00b204e9800998ecf8427e true
true



=== sha1 in bytes
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.encode_base64(ngx.sha1_bin("hello")))
            ngx.say(ngx.encode_base64(ngx.sha1_bin("")))
        }
    }
--- response_body
qvTGHdzF6KLavt4PO0gs2a6pQ00=
2jmj7l5rSw0yVb/vlWAYkK/YBwk=



=== hmac with sha1
--- config
    location /t {
        content_by_lua_block {
            local mac = ngx.hmac_sha1("thisisverysecretstuff",
                                      "some string we want to sign")
            ngx.say(ngx.encode_base64(mac))
        }
    }
--- response_body
R/pvxzHC4NLtj7S+kXFg/NePTmk=



=== hmac wants two strings
--- config
    location /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(ngx.hmac_sha1, "a")))
            ngx.say(select(2, pcall(ngx.hmac_sha1, "a", {})))
        }
    }
--- response_body
expecting 2 arguments, but got 1
bad argument #2 to 'hmac_sha1' (string expected, got table)



=== crc32, by both names
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.crc32_short("hello, world"), " ",
                    ngx.crc32_long("hello, world"))
            ngx.say(ngx.crc32_short(""), " ", ngx.crc32_long(nil))
        }
    }
--- response_body
4289425978 4289425978
0 0



=== base64 there and back
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.encode_base64("hello"), " ", ngx.encode_base64("a"),
                    " ", ngx.encode_base64(""), " ", ngx.encode_base64(nil))
            ngx.say(ngx.decode_base64("aGVsbG8="), " ",
                    ngx.decode_base64("aGVsbG8"))
        }
    }
--- response_body
aGVsbG8= YQ==  
hello hello



=== padding can be left out
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.encode_base64("a", true), " ",
                    ngx.encode_base64("a", false))
            ngx.say(select(2, pcall(ngx.encode_base64, "a", 0)))
        }
    }
--- response_body
YQ YQ==
bad no_padding: boolean expected, got number



=== text that is no base64 is nil
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.decode_base64("^*~"), " ", ngx.decode_base64("a"))
            ngx.say(select(2, pcall(ngx.decode_base64, 12)))
        }
    }
--- response_body
nil nil
string argument only



=== mime's base64 may have anything between the digits
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.decode_base64mime("aGVs\r\n bG8="))
        }
    }
--- response_body
hello



=== the alphabet for urls
--- config
    location /t {
        content_by_lua_block {
            local b64 = require "ngx.base64"
            ngx.say(b64.encode_base64url("\255\254?a"))
            ngx.say(b64.decode_base64url("__4_YQ") == "\255\254?a")
            ngx.say(b64.decode_base64url("+/"))
            ngx.say(b64.encode_base64url(nil))
        }
    }
--- response_body
__4_YQ
true
nilinvalid input
nilmust provide a string
