__DATA__


=== sub replaces the first match
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.sub("hello, 1234", "([0-9])[0-9]", "[$0][$1]"))
        }
    }
--- response_body
hello, [12][1]341



=== gsub replaces all
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.gsub("hello, world", "([a-z])[a-z]+", "[$0,$1]", "jo"))
        }
    }
--- response_body
[hello,h], [world,w]2



=== without a match the text comes back
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.sub("hello", "[0-9]", "x"))
            ngx.say(ngx.re.gsub("hello", "[0-9]", "x", "jo"))
        }
    }
--- response_body
hello0
hello0



=== braces end a number, two dollars are one
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.sub("a1b", "([0-9])", "${1}00$$"))
        }
    }
--- response_body
a100$b1



=== groups without part, and beyond the last, are empty
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.sub("ab", "(a)|(b)", "[$1][$2][$3][$33]"))
        }
    }
--- response_body
[a][][][]b1



=== templates that are none are told
--- config
    location /t {
        content_by_lua_block {
            for _, s in ipairs({ "$hello", "${hello}", "${1", "x$", "$-" }) do
                local new, n, err = ngx.re.sub("a", "a", s)
                ngx.say(new, " ", n, " ", err)
            end
        }
    }
--- response_body
nil nil failed to compile the replacement template
nil nil failed to compile the replacement template
nil nil failed to compile the replacement template
nil nil failed to compile the replacement template
nil nil failed to compile the replacement template
--- error_log
attempt to use named capturing variable "hello" (named captures not supported yet)
the closing bracket in "1" variable is missing
invalid capturing variable name found in "x$"



=== a function makes the replacement
--- config
    location /t {
        content_by_lua_block {
            local f = function (m) return "[" .. m[0]:upper() .. m[1] .. "]" end
            ngx.say(ngx.re.gsub("hello, world", "([a-z])[a-z]+", f))
            ngx.say(ngx.re.sub("hello, world", "([a-z])[a-z]+", f, "jo"))
        }
    }
--- response_body
[HELLOh], [WORLDw]2
[HELLOh], world1



=== what a function returns is not a template
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.gsub("ab", "a", function () return "$0$1" end))
            ngx.say(ngx.re.gsub("ab", "a", function () return 12 end))
        }
    }
--- response_body
$0$1b1
12b1



=== a function may use the same pattern
--- config
    location /t {
        content_by_lua_block {
            local function f(m)
                local inner = ngx.re.gsub(m[1], "([a-z]+)", "<$1>", "jo")
                ngx.sleep(0.001)
                return inner
            end
            ngx.say(ngx.re.gsub("a, bc", "([a-z]+)", f, "jo"))
        }
    }
--- response_body
<a>, <bc>2



=== an error in the function is the caller's
--- config
    location /t {
        content_by_lua_block {
            local function f() error("no") end
            ngx.say(pcall(ngx.re.gsub, "abc", "b", f, "jo"))
            ngx.say(ngx.re.gsub("abc", "b", "x", "jo"))
        }
    }
--- response_body_like
^falsecontent_by_lua\(nginx.conf:\d+\):\d+: no
axc1$



=== empty matches are replaced once each
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.gsub("abc", "", "-"))
            ngx.say(ngx.re.gsub("abc", "x*", "-", "jo"))
            ngx.say(ngx.re.gsub("", "", "-"))
            ngx.say(ngx.re.gsub("\xe4\xbd\xa0", "", "-", "u"))
        }
    }
--- response_body eval
"-a-b-c-4\n-a-b-c-4\n-1\n-\xe4\xbd\xa0-2\n"



=== gsub works on large texts
--- config
    location /t {
        content_by_lua_block {
            local s, n = ngx.re.gsub(string.rep("ab", 50000), "b", "cc", "jo")
            ngx.say(#s, " ", n)
        }
    }
--- response_body
150000 50000



=== bad patterns and bad UTF-8 are told
--- config
    location /t {
        content_by_lua_block {
            local s, n, err = ngx.re.gsub("a", "(", "")
            ngx.say(s, n, err)
            s, n, err = ngx.re.gsub("\255", "a", "", "u")
            ngx.say(s, n, err)
        }
    }
--- response_body_like
^nilnilpcre2_compile\(\) failed: missing closing parenthesis in "\("
nilnilpcre_exec\(\) failed: -\d+$



=== split cuts at each match
--- config
    location /t {
        content_by_lua_block {
            local split = require("ngx.re").split
            local function show(...)
                local res, err = split(...)
                ngx.say(#res, " ", table.concat(res, "|"))
            end
            show("a,b,c", ",")
            show("a,b,c", "(,)", "jo")
            show("abc", "")
            show(",a,,b,,", ",")
            show("abc", "x")
            show("", ",")
        }
    }
--- response_body
3 a|b|c
5 a|,|b|,|c
3 a|b|c
4 |a||b
1 abc
0 



=== split has a limit, a begin, and a table to fill
--- config
    location /t {
        content_by_lua_block {
            local split = require("ngx.re").split
            local function show(...)
                local res, err = split(...)
                ngx.say(#res, " ", table.concat(res, "|"))
            end
            show("a,b,c,,", ",", nil, nil, 2)
            show("a,b,c,,", ",", nil, nil, 5)
            show("a,b,c,d", ",", nil, { pos = 5 })
            show("a,b", ",", nil, { pos = 4 })
            show("a,b", ",", nil, { pos = 9 })
            show("a,b", ",", nil, nil, nil, { 1, 2, 3, 4 })
        }
    }
--- response_body
2 a|b,c,,
5 a|b|c||
2 c|d
0 
0 
2 a|b



=== a template that is none is said of a script
--- config
    location = /t {
        content_by_lua_block { ngx.say((ngx.re.sub("a", "a", "[$"))) }
    }
--- response_body
nil
--- error_log
lua script: invalid capturing variable name found in "[$"



=== a library that was told of no PCRE does not load ngx.re
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(#require("ngx.re").split("a,b", ",", nil, { pos = 9 }))
            package.loaded["ngx.re"] = nil
            require("resty.core.regex").no_pcre = true
            ngx.say(select(2, pcall(require, "ngx.re")))
        }
    }
--- response_body
0
no support for 'ngx.re' module: OpenResty was compiled without PCRE support
