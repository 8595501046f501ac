# Texts in another encoding: set_iconv, iconv_filter.

__DATA__


=== a variable, there and back
--- config
    location = /t {
        set $text "你好";
        set_iconv $gbk $text from=utf-8 to=gbk;
        set_iconv $back $gbk to=UTF-8 from=GBK;
        set_encode_hex $hex $gbk;
        return 200 "$hex $back\n";
    }
--- response_body
c4e3bac3 你好



=== each byte that can't be converted is a question mark
--- config
    location = /t {
        set_unescape_uri $text $arg_a;
        set_iconv $text $text from=utf8 to=gbk;
        return 200 $text;
    }
--- request
GET /t?a=a%C3%ABb%FFc%E4%BD
--- response_body chomp
a??b?c??



=== a long text
--- config
    location = /t {
        set_by_lua_block $text { return ("é"):rep(5000) }
        set_iconv $text $text from=utf-8 to=latin1;
        content_by_lua_block {
            ngx.say(ngx.var.text == ("\233"):rep(5000))
        }
    }
--- response_body
true



=== an answer, whose characters come in pieces
--- config
    location = /t {
        iconv_filter from=utf-8 to=gbk;
        iconv_buffer_size 2;
        content_by_lua_block {
            ngx.header.content_length = 7
            for piece in ("\228 \189 \160\229 \165 \189!"):gmatch("%S+") do
                ngx.print(piece)
                ngx.flush(true)
            end
        }
    }
--- response_headers
!Content-Length
--- response_body eval
"\xc4\xe3\xba\xc3!"



=== what begins a character at its end, or none at all
--- config
    location = /t {
        iconv_filter from=utf-8 to=gbk;
        content_by_lua_block {
            ngx.print("\xe4z\xc3")
            ngx.print("\xab\xf0\x9f")
        }
    }
--- response_body chomp
?z????



=== a file, larger than a buffer
--- config
    location = /t.txt {
        default_type text/plain;
        iconv_filter from=utf8 to=gbk;
    }
--- user_files eval
">>> t.txt\n" . ("你好" x 10000)
--- request
GET /t.txt
--- more_headers
Range: bytes=0-1
--- response_headers
!Content-Length
!Content-Range
--- response_body eval
"\xc4\xe3\xba\xc3" x 10000



=== through a server, and for HTTP/1.0
--- config
    location = /t {
        proxy_pass http://127.0.0.1:$server_port/inner;
    }
    location = /inner {
        iconv_filter from=utf-8 to=koi8-r;
        return 200 "мир";
    }
--- request
GET /t HTTP/1.0
--- response_body eval
"\xcd\xc9\xd2"



=== what is compressed, and a header alone, are left as they are
--- config
    iconv_filter from=utf-8 to=gbk;
    location = /t {
        content_by_lua_block {
            ngx.header.content_encoding = "x-packed"
            ngx.print("ë")
        }
    }
--- request eval
["GET /t", "HEAD /t"]
--- response_body eval
["ë", ""]



=== //IGNORE changes nothing
--- config
    location = /t {
        set_unescape_uri $a $arg_a;
        set_iconv $a $a from=utf-8 to=latin1//IGNORE;
        return 200 "[$a]";
    }
--- request eval
["GET /t?a=ab%ff", "GET /t?a=ab%ffcd", "GET /t?a=%f0%9f%98%80"]
--- response_body eval
["[ab?]", "[ab?cd]", "[????]"]



=== an encoding that is none
--- config
    location = /t {
        iconv_filter from=utf-8 to=nonesuch;
    }
--- must_die
--- error_log
no conversion from "utf-8" to "nonesuch" in



=== a parameter that is none
--- config
    location = /t {
        set_iconv $a $uri from=utf-8 until=gbk;
    }
--- must_die
--- error_log
invalid parameter "until=gbk"



=== what an encoding ignores, at an end and before one
--- config
    location = /t {
        set_unescape_uri $text $arg_a;
        set_iconv $text $text from=utf-8 to=latin1//IGNORE;
        return 200 $text;
    }
    location = /filter {
        iconv_filter from=utf-8 to=latin1//IGNORE;
        content_by_lua_block {
            for piece in ("a\226\130\172\195 \169b\226\130\172"):gmatch("%S+") do
                ngx.print(piece)
                ngx.flush(true)
            end
        }
    }
--- request eval
["GET /t?a=ab%E2%82%ACc%E4%BD%A0", "GET /t?a=%E2%82%AC", "GET /filter"]
--- response_body_like eval
[qr/^ab\?*c\?*$/, qr/^\?*$/, qr/^a\?*\xe9b\?*$/]
