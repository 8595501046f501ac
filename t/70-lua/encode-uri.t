__DATA__


=== all but unreserved bytes of a component are escaped
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.escape_uri("a b/c?d=e&f+g#%\"<>^`{|}\\[]:;,@$"))
            ngx.say(ngx.escape_uri("AZaz09-_.~!*'()"))
        }
    }
--- response_body
a%20b%2Fc%3Fd%3De%26f%2Bg%23%25%22%3C%3E%5E%60%7B%7C%7D%5C%5B%5D%3A%3B%2C%40%24
AZaz09-_.~!*'()



=== bytes above 0x7f are escaped each
--- config
    location /t {
        content_by_lua_block { ngx.say(ngx.escape_uri("\xe4\xbd\xa0\x7f\0")) }
    }
--- response_body
%E4%BD%A0%7F%00



=== type 0 escapes for a whole uri
--- config
    location /t {
        content_by_lua_block { ngx.say(ngx.escape_uri("/a b?c=d&e#%;:", 0)) }
    }
--- response_body
/a%20b%3Fc=d&e%23%25;:



=== type 2 is the default
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.escape_uri("a/b", 2), " ", ngx.escape_uri("a/b"))
        }
    }
--- response_body
a%2Fb a%2Fb



=== a type that is none throws
--- config
    location /t {
        content_by_lua_block {
            ngx.say((select(2, pcall(ngx.escape_uri, "a", 7)):gsub("^.-: ", "")))
            ngx.say((select(2, pcall(ngx.escape_uri, "a", "x")):gsub("^.-: ", "")))
        }
    }
--- response_body
"type" 7 out of range
"type" is not a number



=== nil is empty, numbers are text
--- config
    location /t {
        content_by_lua_block {
            ngx.say("[", ngx.escape_uri(nil), "][", ngx.escape_uri(32), "]")
            ngx.say("[", ngx.unescape_uri(nil), "][", ngx.unescape_uri(32), "]")
        }
    }
--- response_body
[][32]
[][32]



=== unescaping turns plus into a space
--- config
    location /t {
        content_by_lua_block { ngx.say(ngx.unescape_uri("a+b%20c%2b%e4")) }
    }
--- response_body eval
"a b c+\xe4\n"



=== a malformed escape stays as it is
--- config
    location /t {
        content_by_lua_block { ngx.say(ngx.unescape_uri("%ua%%1u%4")) }
    }
--- response_body
%ua%%1u%4



=== a long text is escaped whole
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.escape_uri(string.rep(" ", 10000))
            ngx.say(#s, " ", #ngx.unescape_uri(s))
        }
    }
--- response_body
30000 10000



=== SQL strings are quoted
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.quote_sql_str("a'b\"c\\d\0\n\r\t\b\26e"))
            ngx.say(ngx.quote_sql_str(""), ngx.quote_sql_str(12))
        }
    }
--- response_body
'a\'b\"c\\d\0\n\r\t\b\Ze'
'''12'



=== what is no text is no string of SQL's
--- config
    location /t {
        content_by_lua_block {
            for _, value in ipairs { true, {}, print, ngx.null } do
                ngx.say(select(2, pcall(ngx.quote_sql_str, value)))
            end
            ngx.say(select(2, pcall(ngx.quote_sql_str, nil)))
        }
    }
--- response_body
bad argument #1 to 'quote_sql_str' (string expected, got boolean)
bad argument #1 to 'quote_sql_str' (string expected, got table)
bad argument #1 to 'quote_sql_str' (string expected, got function)
bad argument #1 to 'quote_sql_str' (string expected, got userdata)
bad argument #1 to 'quote_sql_str' (string expected, got nil)



=== escaping works in every phase
--- http_config
    init_by_lua_block { x_init = ngx.escape_uri("a b") }
--- config
    location /t {
        set_by_lua_block $x { return ngx.escape_uri("c d") }
        content_by_lua_block { ngx.say(x_init, " ", ngx.var.x) }
    }
--- response_body
a%20b c%20d



=== each type of ngx.escape_uri leaves other characters alone
--- config
    location = /t {
        content_by_lua_block {
            local all = {}
            for i = 0, 255 do all[#all + 1] = string.char(i) end
            for kind = 0, 6 do
                local left = {}
                for _, c in ipairs(all) do
                    local text = ngx.escape_uri(c, kind)
                    if text ~= ("%%%02X"):format(c:byte()) then
                        left[#left + 1] = text
                    end
                end
                left = table.concat(left)
                ngx.say(kind, " ", #left, " ", (left:gsub("[\127-\255]", ""):gsub("[%dA-Za-z]+", "w")))
            end
        }
    }
--- response_body
0 91 !"$&'()*+,-./w:;<=>@w[\]^_`w{|}~
1 90 !"$&'()*,-./w:;<=>@w[\]^_`w{|}~
2 71 !'()*-.w_w~
3 90 !$&()*+,-./w:;<=>?@w[\]^_`w{|}~
4 92 !#$%&()*+,-./w:;<=>?@w[\]^_`w{|}~
5 222 !"#$&'()*+,-./w:;<=>?@w[\]^_`w{|}~
6 222 !"#$&'()*+,-./w:;<=>?@w[\]^_`w{|}~
