# What a client of memcached asks, and what it makes of answers, good and bad.

__DATA__


=== each command and its answer
--- config
    location = /t {
        content_by_lua_block {
            local memc = require("resty.memcached"):new()
            local asked, lines, n = {}, {}, 0
            for line in ([[STORED|NOT_STORED|VALUE a%20b 5 3|xyz|END|]]
                .. [[VALUE a 0 2 77|12|END|EXISTS|END|15 |]]
                .. [[CLIENT_ERROR cannot|TOUCHED|DELETED|OK|OK|VERSION 1.6|]]
                .. [[STAT a 1|STAT b ERROR|END]]):gmatch "[^|]+"
            do
                lines[#lines + 1] = line
            end
            memc.sock = {
                send = function(_, text) asked[#asked + 1] = text return 1 end,
                receive = function(_, len)
                    if len == 2 and lines[n] ~= "VALUE a 0 2 77" then
                        return "\r\n"
                    end
                    n = n + 1
                    return lines[n]
                end,
            }
            ngx.say(memc:set("a b", { "x", { "y", { "z" } } }, 10, 5))
            ngx.say(memc:add("n", 12))
            ngx.say(memc:get("a b"))
            local value, flags, cas = memc:gets("a")
            ngx.say(value, " ", flags, " ", cas)
            ngx.say(memc:cas("a", "v", cas, 1, 2))
            ngx.say(memc:get("none"))
            ngx.say(memc:incr("n", 3))
            ngx.say(memc:decr("s", 1))
            ngx.say(memc:touch("n", 9), " ", memc:delete("n"))
            ngx.say(memc:flush_all(), " ", memc:verbosity(1))
            ngx.say(memc:version())
            ngx.say(table.concat(memc:stats("x"), ","))
            ngx.say(memc:quit())
            ngx.say((table.concat(asked):gsub("\r\n", "|")))
        }
    }
--- response_body
1
nilNOT_STORED
xyz5
12 0 77
nilEXISTS
nilnilnil
15
nilCLIENT_ERROR cannot
1 1
1 1
1.6
STAT a 1,STAT b ERROR
1
set a%20b 5 10 3|xyz|add n 0 0 2|12|get a%20b|gets a|cas a 2 1 1 77|v|get none|incr n 3|decr s 1|touch n 9|delete n|flush_all|verbosity 1|version|stats x|quit|



=== many keys, and keys that are left alone
--- config
    location = /t {
        content_by_lua_block {
            local function same(key) return key end
            local memcached = require "resty.memcached"
            local memc = memcached:new { key_transform = { same, same } }
            memc:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            local items = memc:get { "a/b", "none", "c" }
            ngx.say(items["a/b"][1], " ", items["a/b"][2], " ", items.none, " ",
                    items.c[1])
            items = memc:gets { "c" }
            ngx.say(items.c[1], " ", items.c[2], " ", items.c[3])
            ngx.say(next(memc:get {}))
            ngx.say(memcached:new { key_transform = { same } })
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "get a/b none c\r\n"
--- tcp_no_close
--- tcp_reply eval
"VALUE a/b 7 1\r\n1\r\nVALUE c 0 0\r\n\r\nEND\r\nVALUE c 1 2 3\r\nxx\r\nEND\r\n"
--- response_body eval
"1 7 nil \nxx 1 3\nnil\nnilexpecting key_transform = { escape, unescape } table\n"



=== a pipeline is sent at once
--- config
    location = /t {
        content_by_lua_block {
            local memc = require("resty.memcached"):new()
            memc:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(memc:commit_pipeline())
            memc:init_pipeline()
            ngx.say(memc:commit_pipeline())
            memc:init_pipeline(3)
            ngx.say(memc:set("a", 1), " ", memc:get("a"), " ", memc:delete("b"))
            local all = memc:commit_pipeline()
            ngx.say(#all, " ", all[1][1], " ", all[2][1], " ", all[2][2], " ",
                    all[3][1], " ", all[3][2])
            memc:init_pipeline()
            memc:get("lost")
            memc:cancel_pipeline()
            ngx.say(memc:commit_pipeline())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "set a 0 0 1\r\n1\r\nget a\r\ndelete b\r\n"
--- tcp_reply eval
"STORED\r\nVALUE a 4 1\r\n1\r\nEND\r\nNOT_FOUND\r\n"
--- response_body
nilno pipeline
nilno more cmds
1 1 1
3 1 1 4 nil NOT_FOUND
nilno pipeline



=== without a connection, and before one
--- config
    location = /t {
        content_by_lua_block {
            local memc = require("resty.memcached"):new()
            memc.sock = nil
            ngx.say(memc:connect("127.0.0.1", 1))
            ngx.say(memc:set("a", 1))
            ngx.say(memc:get("a"))
            ngx.say(memc:gets("a"))
            ngx.say(memc:close())
        }
    }
--- response_body
nilnot initialized
nilnot initialized
nilnilnot initialized
nilnilnilnot initialized
nilnot initialized



=== answers that are none
--- config
    location = /t {
        content_by_lua_block {
            local memcached = require "resty.memcached"
            local function try(answer, name, ...)
                local memc, at = memcached:new(), 1
                memc.sock = {
                    send = function(_, text) return #text end,
                    close = function() ngx.print("closed: ") end,
                    receive = function(_, n)
                        local stop = n and at + n - 1
                                     or (answer:find("\r\n", at, true) or 0) - 1
                        if stop < at - 1 or stop > #answer then
                            return nil, "closed"
                        end
                        local piece = answer:sub(at, stop)
                        at = stop + (n and 1 or 3)
                        return piece
                    end,
                }
                local res = { memc[name](memc, ...) }
                ngx.say(res[1], " ", res[table.maxn(res)])
            end
            try("", "set", "a", "b")
            try("", "get", "a")
            try("what\r\n", "get", "a")
            try("VALUE a 0 5\r\nabc", "get", "a")
            try("VALUE a 0 3\r\nabc", "get", "a")
            try("VALUE a 0 3\r\nabcdeEND\r\n", "get", "a")
            try("VALUE a 0 3\r\nabc\r\n", "get", "a")
            try("VALUE a 0 3\r\nabc\r\nVALUE b 0 0\r\n", "get", "a")
            try("VALUE a 0 99999999999999999999\r\nabc\r\n", "get", "a")
            try("SERVER_ERROR out\r\n", "get", { "a", "b" })
            try("VALUE a 0 1 2\r\n1\r\n", "gets", { "a", "b" })
            try("x\r\n", "incr", "a", 1)
            try("NOT_FOUND\r\n", "incr", "a", 1)
            try("y\r\n", "set", "a", "b")
            try("NOT_STORED\r\n", "add", "a", "b")
            try("CLIENT_ERROR bad command line format\r\n", "set", "a", "b")
            try("ERROR\r\n", "cas", "a", "b", 1)
            try("SERVER_ERROR out\r\n", "set", "a", "b")
            try("ERROR\r\n", "stats")
            try("odd\r\n", "version")
        }
    }
--- response_body
closed: nil closed
closed: nil failed to receive 1st line: closed
closed: nil bad line: what
closed: nil failed to receive data chunk: closed
closed: nil failed to receive CRLF: closed
closed: nil bad data chunk
closed: nil failed to receive END CRLF: closed
closed: nil bad line: VALUE b 0 0
closed: nil bad length: 1e+20
nil bad line: SERVER_ERROR out
closed: nil failed to receive 1st line: closed
closed: nil x
nil NOT_FOUND
closed: nil y
nil NOT_STORED
closed: nil CLIENT_ERROR bad command line format
closed: nil ERROR
nil SERVER_ERROR out
nil ERROR
closed: nil odd
