__DATA__


=== a text without a byte of the set is itself
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(("plain"):gsub("[<>&\"]", { ["<"] = "&lt;" }))
            ngx.say(("a.b"):gsub("[^%w%.]", "?"))
            ngx.say((""):gsub("[x]", "y"))
            ngx.say(("a]b"):gsub("[]]", "-"), " ", ("ab"):gsub("[]]", "-"))
        }
    }
--- response_body
plain0
a.b0
0
a-b ab0



=== what is found goes the usual way
--- config
    location = /t {
        content_by_lua_block {
            local entities = { ["<"] = "&lt;", [">"] = "&gt;" }
            for _ = 1, 200 do
                assert(("a<b>c"):gsub("[<>&]", entities) == "a&lt;b&gt;c")
                assert(("abc"):gsub("[<>&]", entities) == "abc")
            end
            ngx.say(("a<b>c"):gsub("[<>&]", entities, 1))
            ngx.say(("a-b"):gsub("[%-]", "%%%0"))
            ngx.say(("a b"):gsub("[%s]", string.byte))
            ngx.say(("1212"):gsub("[1]", 7))
            ngx.say(string.gsub(151, "[1]", "x"))
            ngx.say(("abab"):gsub("[a][b]", "x"), " ", ("ab"):gsub("a", "b"))
        }
    }
--- response_body
a&lt;b>c1
a%-b1
a32b1
72722
x5x2
xx bb1




=== errors are its own, at the caller's line
--- config
    location = /t {
        content_by_lua_block {
            local function try(...)
                ngx.say((select(2, pcall(function (...)
                    return (string.gsub(...))
                end, ...))))
            end
            try("a", "[a")
            try("a", "[a%]", "")
            try("a", "[b]")
            try("a", "[b]", true)
            try({}, "[b]", "")
            try("a", nil, "")
            try("a", "[a]", "%2")
        }
    }
--- response_body_like eval
qr/^\S+:4: bad argument #3 to 'gsub' \(string.function.table expected\)
\S+:4: malformed pattern \(missing '\]'\)
\S+:4: bad argument #3 to 'gsub' \(string.function.table expected\)
\S+:4: bad argument #3 to 'gsub' \(string.function.table expected\)
\S+:4: bad argument #1 to 'gsub' \(string expected, got table\)
\S+:4: bad argument #2 to 'gsub' \(string expected, got nil\)
\S+:4: invalid capture index
$/



=== what a client has in its patterns is not kept
--- config
    location = /t {
        content_by_lua_block {
            collectgarbage()
            local before = collectgarbage("count")
            for i = 1, 100 do
                local long = ("%06d"):format(i):rep(20000)
                string.gsub("a", long, "")
                string.gsub("a", "[" .. long .. "]", "")
            end
            collectgarbage()
            collectgarbage()
            ngx.say(collectgarbage("count") - before < 2000)
        }
    }
--- response_body
true
