__DATA__


=== a match gives the whole and the groups
--- config
    location /t {
        content_by_lua_block {
            local m = ngx.re.match("hello, 1234", "([a-z]+), ([0-9]{2})[0-9]+")
            ngx.say(m[0], "|", m[1], "|", m[2], "|", #m)
        }
    }
--- response_body
hello, 1234|hello|12|2



=== no match is nil without an error
--- config
    location /t {
        content_by_lua_block {
            local m, err = ngx.re.match("hello", "[0-9]+", "jo")
            ngx.say(m, " ", err)
        }
    }
--- response_body
nil nil



=== groups without part in the match are false
--- config
    location /t {
        content_by_lua_block {
            local m = ngx.re.match("hello, world", "(world)|(hello)|(howdy)")
            ngx.say(m[0], " ", m[1], " ", m[2], " ", m[3])
        }
    }
--- response_body
hello false hello false



=== named groups have both names
--- config
    location /t {
        content_by_lua_block {
            local m = ngx.re.match("hello, 1234",
                                   "(?<word>[a-z]+), (?<n>[0-9]+)|(?<no>x)")
            ngx.say(m.word, " ", m.n, " ", m[1], " ", m[2], " ", m.no)
        }
    }
--- response_body
hello 1234 hello 1234 false



=== D: one name for several groups gives a list
--- config
    location /t {
        content_by_lua_block {
            local m = ngx.re.match("hello, world",
                "(?<w>[a-z]+), (?<w>[a-z]+)(?<w>x)?", "D")
            ngx.say(table.concat(m.w, "-"), " ", m[1], m[2], m[3])
        }
    }
--- response_body
hello-world helloworldfalse



=== without D a name is given once
--- config
    location /t {
        content_by_lua_block {
            local m, err = ngx.re.match("a", "(?<w>a)(?<w>b)?")
            ngx.say(m, " ", err)
        }
    }
--- response_body_like: ^nil pcre2_compile\(\) failed: two named subpatterns have the same name


=== i, s, m, x, a
--- config
    location /t {
        content_by_lua_block {
            local re = ngx.re.match
            ngx.say(re("HELLO", "hello", "i")[0])
            ngx.say(#re("a\nb", "a.b", "s")[0], re("a\nb", "a.b"))
            ngx.say(re("a\nb", "^b$", "m")[0], re("a\nb", "^b$"))
            ngx.say(re("ab", " a b # text", "x")[0])
            ngx.say(re("ab", "b", "a"))
        }
    }
--- response_body
HELLO
3nil
bnil
ab
nil



=== u counts characters, not bytes
--- config
    location /t {
        content_by_lua_block {
            local s = "\xe4\xbd\xa0x"
            ngx.say(#ngx.re.match(s, ".", "u")[0], #ngx.re.match(s, ".")[0])
        }
    }
--- response_body
31



=== u wants UTF-8
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.match("\255x", "x", "u"))
            ngx.say(ngx.re.match("\255x", "x", "ju"))
        }
    }
--- response_body_like
^nilpcre_exec\(\) failed: -\d+
nilpcre_exec\(\) failed: -\d+$



=== J: an escape as JavaScript has it
--- config
    location /t {
        content_by_lua_block { ngx.say(ngx.re.match("a", [[\u0061]], "J")[0]) }
    }
--- response_body
a



=== d finds the longest, without groups
--- config
    location /t {
        content_by_lua_block {
            local m = ngx.re.match("hello", "(he|hell)", "d")
            ngx.say(m[0], " ", m[1])
            ngx.say(ngx.re.match("hello", "(he|hell)")[0])
        }
    }
--- response_body
hell nil
he



=== an option that is none throws
--- config
    location /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(ngx.re.match, "a", "a", "jq")))
        }
    }
--- response_body
unknown flag "q" (flags "jq")



=== a pattern that is none is an error
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.match("a", "(abc"))
            ngx.say(ngx.re.match("a", "(abc", "jo"))
            ngx.say(ngx.re.match("a", "a**b"))
        }
    }
--- response_body
nilpcre2_compile() failed: missing closing parenthesis in "(abc"
nilpcre2_compile() failed: missing closing parenthesis in "(abc"
nilpcre2_compile() failed: quantifier does not follow a repeatable item in "a**b" at "*b"



=== ctx.pos says where to begin, and where it ended
--- config
    location /t {
        content_by_lua_block {
            local ctx = { pos = 2 }
            ngx.say(ngx.re.match("1234, 56", "[0-9]+", "", ctx)[0], " ", ctx.pos)
            ngx.say(ngx.re.match("1234, 56", "[0-9]+", "jo", ctx)[0], " ", ctx.pos)
            ngx.say(ngx.re.match("1234, 56", "[0-9]+", "jo", ctx), " ", ctx.pos)
        }
    }
--- response_body
234 5
56 9
nil 9



=== an empty ctx gets a pos
--- config
    location /t {
        content_by_lua_block {
            local ctx = {}
            ngx.re.match("hello, 12", "[0-9]+", "", ctx)
            ngx.say(ctx.pos)
        }
    }
--- response_body
10



=== ^ is the subject's begin, \G the pos
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.match("ab", "^b", "", { pos = 2 }))
            ngx.say(ngx.re.match("ab", [[\Gb]], "", { pos = 2 })[0])
        }
    }
--- response_body
nil
b



=== the result may go into a table of the caller's
--- config
    location /t {
        content_by_lua_block {
            local res = { "x", "y", "z", other = 1 }
            local m = ngx.re.match("hello", "(h)(x)?", "jo", nil, res)
            ngx.say(m == res, " ", m[0], " ", m[1], " ", m[2], " ", m[3],
                    " ", m.other)
        }
    }
--- response_body
true h h false z 1



=== subject and pattern may be numbers
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.match(12345, 34)[0], ngx.re.match(true, "r")[0])
        }
    }
--- response_body
34r



=== subjects may hold zero bytes
--- config
    location /t {
        content_by_lua_block {
            ngx.say(#ngx.re.match("a\0b", "a.b", "jo")[0])
        }
    }
--- response_body
3



=== the match limit ends a pattern that goes astray
--- http_config
    lua_regex_match_limit 100;
--- config
    location /t {
        content_by_lua_block {
            local s = string.rep("a", 30)
            ngx.say(ngx.re.match(s, "(a+)+b|a(a+)+c", "o"))
        }
    }
--- response_body
nilpcre_exec() failed: -47



=== the cache of patterns has an end, which is told once
--- http_config
    lua_regex_cache_max_entries 3;
--- config
    location /t {
        content_by_lua_block {
            for i = 1, 9 do
                ngx.re.match("a", "b" .. i, "jo")
            end
            ngx.say(ngx.re.match("b9", "b9", "jo")[0])
        }
    }
--- response_body
b9
--- grep_error_log: lua exceeding regex cache max entries (3)
--- grep_error_log_out
lua exceeding regex cache max entries (3)



=== matching stays in the trace
--- config
    location /t {
        content_by_lua_block {
            local traces = 0
            local function on_trace(what)
                if what == "stop" then traces = traces + 1 end
            end
            jit.flush()
            jit.attach(on_trace, "trace")
            local n = 0
            for i = 1, 500 do
                n = n + #ngx.re.match("hello, 1234", "([a-z]+), ([0-9]+)", "jo")
            end
            jit.attach(on_trace)
            ngx.say(n, " ", traces > 0)
        }
    }
--- response_body
1000 true



=== an expression that is no text throws
--- config
    location /t {
        content_by_lua_block {
            local re = require "ngx.re"
            local function try(name, ...)
                local f = ngx.re[name] or re[name]
                ngx.say(select(2, pcall(function (...) f(...) end, ...)))
            end

            try("match", "nil") try("match", "nil", nil, "jo")
            try("find", "a", {}) try("gmatch", "a", true, "j")
            try("sub", "a", print, "b") try("gsub", "a", ngx.null, "b", "jo")
            try("split", "a")
            ngx.say(ngx.re.match("a12", 12)[0])
        }
    }
--- response_body eval
join("", map { "content_by_lua(nginx.conf:40):5: bad argument #2 to " .
               "'$_->[0]' (string expected, got $_->[1])\n" }
         ["match", "nil"], ["match", "nil"], ["find", "table"],
         ["gmatch", "boolean"], ["sub", "function"], ["gsub", "userdata"],
         ["split", "nil"]) . "12\n"
