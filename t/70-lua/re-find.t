__DATA__


=== find gives the first and the last byte
--- config
    location /t {
        content_by_lua_block {
            local s = "hello, 1234"
            local from, to, err = ngx.re.find(s, "([0-9]+)", "jo")
            ngx.say(from, " ", to, " ", err, " ", s:sub(from, to))
        }
    }
--- response_body
8 11 nil 1234



=== an empty match ends before it begins
--- config
    location /t {
        content_by_lua_block { ngx.say(ngx.re.find("hello", "[0-9]*")) }
    }
--- response_body
10



=== no match is nil
--- config
    location /t {
        content_by_lua_block {
            local from, to, err = ngx.re.find("hello", "x")
            ngx.say(from, to, err)
        }
    }
--- response_body
nilnilnil



=== the n-th group
--- config
    location /t {
        content_by_lua_block {
            local s, re = "hello, 1234", "([a-z]+), ([0-9])|(x)"
            local find = ngx.re.find
            ngx.say(find(s, re, "jo", nil, 1))
            ngx.say(find(s, re, "jo", nil, 2))
            ngx.say(find(s, re, "jo", nil, 3))
            ngx.say(find(s, re, "jo", nil, 4))
        }
    }
--- response_body
15
88
nil
nilnilnth out of bound



=== find keeps ctx.pos
--- config
    location /t {
        content_by_lua_block {
            local ctx = {}
            ngx.say(ngx.re.find("1a22", "[0-9]+", "jo", ctx), " ", ctx.pos)
            ngx.say(ngx.re.find("1a22", "[0-9]+", "jo", ctx), " ", ctx.pos)
            ngx.say(ngx.re.find("1a22", "[0-9]+", "jo", ctx), " ", ctx.pos)
        }
    }
--- response_body
1 2
3 5
nil 5



=== find tells bad patterns
--- config
    location /t {
        content_by_lua_block { ngx.say(ngx.re.find("a", "(")) }
    }
--- response_body
nilnilpcre2_compile() failed: missing closing parenthesis in "("



=== gmatch goes from match to match
--- config
    location /t {
        content_by_lua_block {
            for m in ngx.re.gmatch("hello, world, x", "([a-z])[a-z]*", "jo") do
                ngx.say(m[0], " ", m[1])
            end
        }
    }
--- response_body
hello h
world w
x x



=== gmatch steps over empty matches
--- config
    location /t {
        content_by_lua_block {
            for m in ngx.re.gmatch("ab,c", "[a-z]*") do
                ngx.print("[", m[0], "]")
            end
            ngx.say()
        }
    }
--- response_body
[ab][][c][]



=== gmatch steps over whole characters
--- config
    location /t {
        content_by_lua_block {
            local n = 0
            for m, err in ngx.re.gmatch("\xe4\xbd\xa0\xe5\xa5\xbd", "", "ju") do
                n = n + 1
            end
            ngx.say(n)
        }
    }
--- response_body
3



=== iterators of one pattern do not disturb each other
--- config
    location /t {
        content_by_lua_block {
            local a = ngx.re.gmatch("a1", "[a-z0-9]", "jo")
            local b = ngx.re.gmatch("b2", "[a-z0-9]", "jo")
            ngx.say(a()[0], b()[0], a()[0], b()[0], a(), b(), a())
        }
    }
--- response_body
ab12nilnilnil



=== gmatch tells bad patterns
--- config
    location /t {
        content_by_lua_block { ngx.say(ngx.re.gmatch("a", "(")) }
    }
--- response_body
nilpcre2_compile() failed: missing closing parenthesis in "("



=== the stack of machine code is 32 KB
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.find(("ab"):rep(5000), "^(?:(a)|(b))*$", "jo"))
        }
    }
--- response_body
nilnilpcre_exec() failed: -46



=== it grows as far as a script says
--- http_config
    init_by_lua_block {
        require("ngx.re").opt("jit_stack_size", 16 * 1024 * 1024)
    }
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.re.find(("ab"):rep(5000), "^(?:(a)|(b))*$", "jo"))
        }
    }
--- response_body
110000
