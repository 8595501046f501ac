__DATA__


=== ndk.set_var has the directives that make one text of another
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ndk.set_var.set_escape_uri(" :"))
            ngx.say(ndk.set_var.set_unescape_uri("a%20b"))
            ngx.say(ndk.set_var.set_encode_base32("abc"))
            ngx.say(ndk.set_var.set_quote_json_str(""))
            ngx.say(ndk.set_var.set_md5(12))
        }
    }
--- response_body
%20%3A
a b
c5h66===
null
c20ad4d76fe97759aa27a0c99bff6710



=== it is a module as well
--- config
    location /t {
        content_by_lua_block { ngx.say(require("ndk") == ndk) }
    }
--- response_body
true



=== in the location's own way
--- config
    set_base32_padding off;
    location /t {
        header_filter_by_lua_block {
            ngx.header.Foo = ndk.set_var.set_encode_base32("abc")
        }
        return 200;
    }
--- response_headers
Foo: c5h66



=== without a request
--- config
    location /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                ngx.log(ngx.WARN, ndk.set_var.set_encode_base32("abc"))
            end)
        }
    }
--- error_log
c5h66===



=== other directives are not among them
--- config
    location /t {
        content_by_lua_block {
            for _, name in ipairs { "nobody", "set_random", "echo" } do
                local ok, err = pcall(function ()
                    local f = ndk.set_var[name]
                end)
                ngx.say(err)
            end
        }
    }
--- response_body_like eval
qr/(?:ndk\.set_var: directive "(?:nobody|set_random|echo)" not found or does not use ndk_set_var_value\n.*){3}/s



=== a text that is not theirs is an error
--- config
    location /t {
        content_by_lua_block {
            local ok, err = pcall(ndk.set_var.set_decode_hex, "6")
            ngx.say(err)
        }
    }
--- response_body
calling directive set_decode_hex failed with code -1
