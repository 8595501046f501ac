# Numbers that the types of C do not hold. Each means what the nearest one
# means that they do; no number at all is the least, or is refused.

our $odd = <<'_EOC_';
    init_by_lua_block {
        odd = { 0/0, 1/0, -1/0, -1, -0.5, 0.5, 2, 2^31 - 1, 2^31, 2^32 - 1,
                2^32, 2^32 + 2, 2^53, 2^63, 2^64, 1e308, -2^31, -2^32 }

        local function text(n, ok, ...)
            local all = { ... }
            for i = 1, select("#", ...) do
                all[i] = tostring(all[i])
            end
            if ok then
                return table.concat(all, " ")
            end
            local number = tostring(n):gsub("%p", "%%%0")
            return "error: " .. all[1]:gsub("^%S+:%d+: ", "")
                                      :gsub(number, "N", 1)
        end

        -- Says what f answers to each, and to which together. In errors the
        -- number is N.
        function try(f)
            local order, by = {}, {}
            for _, n in ipairs(odd) do
                local said = text(n, pcall(f, n))
                if not by[said] then
                    by[said] = {}
                    order[#order + 1] = said
                end
                table.insert(by[said], ("%.17g"):format(n))
            end
            for _, said in ipairs(order) do
                ngx.say(table.concat(by[said], " "), ": ", said)
            end
        end

        function list(n, part, between)
            local all = {}
            for i = 1, n do
                all[i] = part:gsub("#", i)
            end
            return table.concat(all, between)
        end

        function count(tb, err)
            local n = 0
            for _ in pairs(tb) do
                n = n + 1
            end
            return n, err
        end
    }
_EOC_

__DATA__


=== arguments of a query
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.set_uri_args(list(150, "a#=1", "&"))
            try(function (max) return count(ngx.req.get_uri_args(max)) end)
            ngx.say(count(ngx.decode_args(list(50000, "a#=1", "&"), 0)))
        }
    }
--- response_body
nan -inf -1 -2147483648 -4294967296: 100 truncated
inf -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: 150 nil
2: 2 truncated
50000nil



=== arguments of a text
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local text = list(150, "a#=1", "&")
            try(function (max) return count(ngx.decode_args(text, max)) end)
            ngx.say(count(ngx.decode_args(list(50000, "a#=1", "&"), 0)))
        }
    }
--- response_body
nan inf -inf -1 -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: 150 nil
2: 2 truncated
50000nil



=== arguments of a body
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.req.set_body_data(list(150, "a#=1", "&"))
            try(function (max) return count(ngx.req.get_post_args(max)) end)
            ngx.req.set_body_data(list(50000, "a#=1", "&"))
            ngx.say(count(ngx.req.get_post_args(0)))
        }
    }
--- response_body
nan inf -inf -1 -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: 150 nil
2: 2 truncated
50000nil



=== a text of more bytes than there can be places for arguments
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            ngx.say((pcall(ngx.decode_args, ("x"):rep(140e6), 0)))
            ngx.say(count(ngx.decode_args(list(50000, "a#=1", "&"), 0)))
        }
    }
--- response_body
true
50000nil
--- timeout: 60



=== headers of a request
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 198 do
                ngx.req.set_header("X-" .. i, i)
            end
            ngx.req.clear_header("Connection")
            try(function (max) return count(ngx.req.get_headers(max)) end)
        }
    }
--- response_body
nan -inf -1 -2147483648 -4294967296: 100 truncated
inf -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: 199 nil
2: 2 truncated



=== headers of an answer
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 198 do
                ngx.header["X-" .. i] = i
            end
            local counts = {}
            for _, max in ipairs(odd) do
                counts[#counts + 1] = count(ngx.resp.get_headers(max))
            end
            for i = 1, 198 do
                ngx.header["X-" .. i] = nil
            end
            ngx.say(table.concat(counts, " "))
        }
    }
--- response_body
199 199 199 199 199 199 2 199 199 199 199 199 199 199 199 199 199 199



=== kinds of escaping
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            try(function (kind) return ngx.escape_uri("a b", kind) end)
        }
    }
--- response_body
nan inf -inf -1 -0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: "type" N out of range
0.5 2: a%20b



=== times as texts
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block { try(ngx.http_time) try(ngx.cookie_time) }
    }
--- response_body
nan -inf -1 -0.5 0.5 -2147483648 -4294967296: Thu, 01 Jan 1970 00:00:00 GMT
inf 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: Fri, 31 Dec 9999 23:59:59 GMT
2: Thu, 01 Jan 1970 00:00:02 GMT
2147483647: Tue, 19 Jan 2038 03:14:07 GMT
2147483648: Tue, 19 Jan 2038 03:14:08 GMT
4294967295: Sun, 07 Feb 2106 06:28:15 GMT
4294967296: Sun, 07 Feb 2106 06:28:16 GMT
4294967298: Sun, 07 Feb 2106 06:28:18 GMT
nan -inf -1 -0.5 0.5 -2147483648 -4294967296: Thu, 01-Jan-70 00:00:00 GMT
inf 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: Fri, 31-Dec-9999 23:59:59 GMT
2: Thu, 01-Jan-70 00:00:02 GMT
2147483647: Tue, 19-Jan-2038 03:14:07 GMT
2147483648: Tue, 19-Jan-2038 03:14:08 GMT
4294967295: Sun, 07-Feb-2106 06:28:15 GMT
4294967296: Sun, 07-Feb-2106 06:28:16 GMT
4294967298: Sun, 07-Feb-2106 06:28:18 GMT



=== bytes of a body, and the size of a new one
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            try(ngx.req.get_body_data)
            try(ngx.req.init_body)
        }
    }
--- request
POST /t
hello
--- response_body
nan -inf -1 -0.5 -2147483648 -4294967296: error: bad argument #1 to 'get_body_data' (bad max_bytes)
inf 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: hello
2: he
nan -inf -4294967296: error: bad size argument: -2147483648
inf -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: 
-1 -2147483648: error: bad size argument: N



=== methods, captured groups, levels
--- http_config eval: $::odd
--- config
    location ~ ^/(t) {
        content_by_lua_block {
            ngx.say(ngx.var[1], ngx.var[1.5], ngx.var[2^32 + 1])
            try(function (n) return ngx.var[n] end)
            try(function (n) ngx.req.set_method(n) return "set" end)
            try(function (n) ngx.log(n, "hello") return "logged" end)
        }
    }
--- response_body
ttnil
nan inf -inf -1 -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: nil
nan inf -inf -1 -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: unsupported HTTP method: N
2: set
nan inf -inf -1 -0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad argument #1 to 'log' (bad log level: N)
0.5 2: logged
--- error_log
hello
[alert]



=== a status that no response can have
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local said = {}
            for i, n in ipairs(odd) do
                ngx.status = n
                said[i] = ngx.status
            end
            ngx.status = 201
            ngx.say(table.concat(said, " "))
        }
    }
--- error_code: 201
--- response_body
0 999 0 0 0 0 2 999 999 999 999 999 999 999 999 999 0 0



=== a dictionary's times
--- http_config eval: $::odd . "lua_shared_dict dogs 1m;"
--- config
    location = /t {
        content_by_lua_block {
            local dogs = ngx.shared.dogs
            try(function (n) return dogs:set("k", 1, n), dogs:ttl("k") > 0 end)
            try(function (n) return dogs:expire("k", n), dogs:ttl("k") > 0 end)
            try(function (n) return (dogs:incr(n .. "", 1, 1, n)) end)
        }
    }
--- response_body
nan inf 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: true false
-inf -1 -0.5 -2147483648 -4294967296: error: bad "exptime" argument
0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992: true true
nan inf -inf -1 -0.5 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: true false
0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992: true true
nan inf 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: 2
-inf -1 -0.5 -2147483648 -4294967296: error: bad "init_ttl" argument



=== a dictionary's flags, and how many keys
--- http_config eval: $::odd . "lua_shared_dict cats 1m;"
--- config
    location = /t {
        content_by_lua_block {
            local cats = ngx.shared.cats
            try(function (n) return cats:set("k", 1, 0, n), cats:get("k") end)
            for i = 1, 2000 do
                cats:set(i, i)
            end
            try(function (n) return #cats:get_keys(n) end)
            cats:flush_all()
            try(function (n)
                cats:set("one", 1, 0.001)
                cats:flush_all()
                return cats:flush_expired(n) > 0
            end)
        }
    }
--- response_body
nan -inf 2147483648 -2147483648 -4294967296: true 1 -2147483648
inf -1 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: true 1 -1
-0.5 0.5: true 1
2: true 1 2
2147483647: true 1 2147483647
nan inf -inf -1 -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: 2001
2: 2
nan inf -inf -1 -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: true



=== where a match begins, and which group is found
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local split = require("ngx.re").split
            try(function (n)
                return ngx.re.find("hello", "(l)(l)", "jo", { pos = n })
            end)
            try(function (n)
                return ngx.re.find("hello", "(l)(l)", "jo", nil, n)
            end)
            try(function (n)
                local parts, err = split("a,b,c", ",", nil, { pos = n })
                return parts and #parts, err
            end)
            try(function (n) return #split("a,b,c", ",", nil, nil, n) end)
        }
    }
--- response_body
nan -inf -1 -0.5 0.5 2 -2147483648 -4294967296: 3 4
inf 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: nil nil pcre_exec() failed: -33
nan -inf -1 -0.5 0.5 -2147483648 -4294967296: 3 4
inf 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: nil nil nth out of bound
2: 4 4
nan -inf -1 -0.5 0.5 2 -2147483648 -4294967296: 3 nil
inf 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: 0 nil
nan inf -inf -1 -0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: 3
0.5: 1
2: 2



=== what a semaphore is given, and for how long one waits
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local new = require("ngx.semaphore").new
            try(function (n) return new(n):count() end)
            try(function (n)
                local sem = new()
                return sem:post(n), sem:count()
            end)
            try(function (n) return new(1):wait(n) end)
        }
    }
--- response_body
nan 0.5: 0
inf 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: 2147483647
-inf -1 -0.5 -2147483648 -4294967296: error: no negative number
2: 2
nan: true 1
inf 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: true 2147483647
-inf -1 -0.5 0.5 -2147483648 -4294967296: error: positive number required
2: true 2
nan inf 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: true
-inf -1 -0.5 -2147483648 -4294967296: error: no negative number



=== a semaphore is waited for without a limit that a clock can have
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local sem = require("ngx.semaphore").new()
            local threads = {}
            for i, n in ipairs({ 1/0, 2^53, 2^63, 1e308 }) do
                threads[i] = ngx.thread.spawn(sem.wait, sem, n)
            end
            ngx.sleep(0.01)
            ngx.say(sem:count())
            sem:post(4)
            for _, thread in ipairs(threads) do
                ngx.say(ngx.thread.wait(thread))
            end
        }
    }
--- response_body
-4
truetrue
truetrue
truetrue
truetrue



=== delays
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local function no() end
            local function try_late(set)
                try(function (n)
                    return n > 0 and n < 2 and "soon" or set(n, no)
                end)
            end
            try_late(ngx.timer.at)
            try_late(ngx.timer.every)
        }
    }
--- response_body
nan inf 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: error: bad argument #1 to 'set' (bad delay)
-inf -1 -0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 -2147483648 -4294967296: 1
0.5: soon
nan inf -inf -1 -0.5 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad argument #1 to 'set' (bad delay)
0.5: soon
2 2147483647 2147483648 4294967295 4294967296 4294967298: 1



=== sleeps
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            try(function (n)
                local thread = ngx.thread.spawn(function () ngx.sleep(n) end)
                return ngx.thread.kill(thread)
            end)
            ngx.say(select(2, pcall(ngx.sleep, 0/0)))
            ngx.say(select(2, pcall(ngx.sleep, -1)))
        }
    }
--- response_body
nan inf -inf -1 -0.5 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: nil already terminated
0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298: 1
invalid sleep duration "nan"
invalid sleep duration "-1000"
--- error_log
invalid sleep duration



=== limits of sockets
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local tcp, udp = ngx.socket.tcp(), ngx.socket.udp()
            try(function (n) return tcp:settimeout(n) end)
            try(function (n) return tcp:settimeouts(1, n, 1) end)
            try(function (n) return udp:settimeout(n) end)
            for _, n in ipairs(odd) do
                tcp[2], tcp[4], tcp[5] = n, n, n
                local ok, err = tcp:connect("127.0.0.1", ngx.var.server_port)
                assert(ok or err == "timeout", err)     -- of 0.5 ms
            end
        }
    }
--- response_body
nan inf -inf -1 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad timeout value
-0.5 0.5 2 2147483647: 
nan inf -inf -1 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad timeout value
-0.5 0.5 2 2147483647: 
nan inf -inf -1 -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: 



=== ports
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local tcp, udp = ngx.socket.tcp(), ngx.socket.udp()
            local bad = "bad port number"
            local function is_bad(ok, err)
                return err ~= nil and err:sub(1, #bad) == bad
            end
            try(function (n) return is_bad(tcp:connect("127.0.0.1", n)) end)
            try(function (n) return is_bad(udp:setpeername("127.0.0.1", n)) end)
            try(function (n) return tcp:bind("127.0.0.1", n) end)
        }
    }
--- response_body
nan inf -inf -1 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: true
-0.5 0.5 2: false
nan inf -inf -1 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: true
-0.5 0.5 2: false
nan inf -inf -1 -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: true
--- no_error_log
[alert]
[crit]



=== how much is received
--- http_config eval: $::odd
--- config
    location = /echo { content_by_lua_block { ngx.print("hello") } }
    location = /t {
        content_by_lua_block {
            local function ask()
                local sock = ngx.socket.tcp()
                sock:connect("127.0.0.1", ngx.var.server_port)
                sock:send("GET /echo HTTP/1.0\r\n\r\n")
                repeat until sock:receive("*l") == ""
                return sock
            end
            local function try_to(receive)
                try(function (n)
                    local sock = ask()
                    local data, err, partial = receive(sock, n)
                    sock:close()
                    return data, err, partial
                end)
            end
            try_to(function (sock, n) return sock:receive(n) end)
            try_to(function (sock, n) return sock:receiveany(n) end)
            try_to(function (sock, n) return sock:receiveuntil("o")(n) end)
        }
    }
--- response_body
nan -inf -1 -2147483648 -4294967296: error: bad argument #2 to 'receive' (bad pattern argument)
inf 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: nil closed hello
-0.5 0.5:  nil nil
2: he nil nil
nan -inf -1 -0.5 0.5 -2147483648 -4294967296: error: bad argument #2 to 'receive' (bad max argument)
inf 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: hello nil nil
2: he nil nil
nan inf -inf -1 -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: hell nil nil
2: he nil nil



=== sizes of pools
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local function connected(options)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port, options))
                return sock
            end
            local function try_option(name)
                try(function (n)
                    connected({ [name] = n, pool = name .. n }):close()
                    return "connected"
                end)
            end
            try_option("pool_size")
            try_option("backlog")
            try(function (n) return connected():setkeepalive(n) end)
            try(function (n)
                return connected({ pool = "of " .. n }):setkeepalive(1, n)
            end)
        }
    }
--- response_body
nan -inf -4294967296: error: bad argument #3 to 'connect' (bad "pool_size" option value: -2147483648)
inf 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: connected
-1 -2147483648: error: bad argument #3 to 'connect' (bad "pool_size" option value: N)
-0.5 0.5: error: bad argument #3 to 'connect' (bad "pool_size" option value: 0)
nan -inf -4294967296: error: bad argument #3 to 'connect' (bad "backlog" option value: -2147483648)
inf -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: connected
-1 -2147483648: error: bad argument #3 to 'connect' (bad "backlog" option value: N)
nan inf -inf -1 -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: 1
nan -inf -4294967296: error: bad argument #3 to '?' (bad "pool_size" option value: -2147483648)
inf 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: 1
-1 -2147483648: error: bad argument #3 to '?' (bad "pool_size" option value: N)
-0.5 0.5: error: bad argument #3 to '?' (bad "pool_size" option value: 0)



=== tables with one item, far away
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", ngx.var.server_port)
            try(function (n) return n ~= n or sock:send({ [n] = "x" }) end)
            try(function (n) return n ~= n or ngx.say({ [n] = "x" }) end)
        }
    }
--- response_body
nan: true
inf -inf -1 -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad argument #1 to 'send' (non-array table found)
2: error: bad argument #1 to 'send' (bad data type nil found)
nilx
nan: true
inf -inf -1 -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad argument #1 to 'say' (non-array table found)
2: 1



=== options of a socket are numbers of 32 bits
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", ngx.var.server_port)
            try(function (n) return sock:setoption("keepalive", n) end)
            ngx.say(sock:getoption("keepalive"))
        }
    }
--- response_body
nan inf -inf -1 -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: true
1



=== a program's times, signals and pieces
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local proc = assert(require("ngx.pipe").spawn("exit 0"))
            local function try_to(name, ...)
                local rest = { ... }
                try(function (n)
                    return n > 0 and "good" or proc[name](proc, n)
                end)
            end
            try_to("set_timeouts")
            try_to("stdout_read_bytes")
            try_to("stdout_read_any")
            try(function (n)
                return n >= 1 or require("ngx.pipe").spawn("exit 0",
                                                        { buffer_size = n })
            end)
            try(function (n) return n ~= n or (proc:set_timeouts(n)) end)
        }
    }
--- response_body
nan -inf -1 -0.5 -2147483648 -4294967296: error: bad write_timeout option
inf 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: good
nan -inf -1 -0.5 -2147483648 -4294967296: error: bad len argument
inf 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: good
nan -inf -1 -0.5 -2147483648 -4294967296: error: bad max argument
inf 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: good
nan -inf -1 -0.5 0.5 -2147483648 -4294967296: error: bad buffer_size option
inf 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: true
nan: true
inf -inf -1 -0.5 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad write_timeout option
0.5 2 2147483647 2147483648 4294967295: nil



=== lines of the log, and what a level is
--- http_config eval: $::odd . "lua_capture_error_log 32k;"
--- config
    location = /t {
        content_by_lua_block {
            local errlog = require "ngx.errlog"
            try(function (n) return errlog.raw_log(n, "hello") end)
            errlog.get_logs(100)
            try(function (n)
                errlog.raw_log(ngx.ERR, "one")
                errlog.raw_log(ngx.ERR, "two")
                errlog.raw_log(ngx.ERR, "three")
                return #errlog.get_logs(n) / 3, #errlog.get_logs(100) / 3
            end)
            try(function (n)
                local ok, err = errlog.set_filter_level(n)
                return ok, err and err:match("[%a ]+")
            end)
        }
    }
--- response_body
nan inf -inf -1 -0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad log level
0.5 2: 
nan -inf -1 -0.5 0.5 -2147483648 -4294967296: 0 3
inf 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: 3 0
2: 2 1
nan inf -inf -1 -0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: nil bad log level
0.5 2: true nil
--- error_log
[alert]



=== room for what an authority says
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local ocsp = require "ngx.ocsp"
            try(function (n)
                return ocsp.validate_ocsp_response("x", "y", n)
            end)
            try(function (n)
                return ocsp.get_ocsp_responder_from_der_chain("x", n)
            end)
            try(function (n) return ocsp.create_ocsp_request("x", n) end)
        }
    }
--- response_body
nan -inf -1 -0.5 0.5 -2147483648 -4294967296: nil 
inf 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: nil d2i_OCSP_RESPONSE() failed
2: nil d2
nan inf -inf -1 -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: nil d2i_X509_bio() failed
nan inf -inf -1 -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: nil d2i_X509_bio() failed



=== bytes and keys of a client's TLS
--- http_config eval
$::odd . <<'_EOC_'
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;

        location / {
            content_by_lua_block {
                local ssl = require "ngx.ssl"
                local function size(data, err)
                    return type(data) == "string" and #data or data, err
                end
                try(function (n) return size(ssl.get_client_random(n)) end)
                try(function (n)
                    return size(ssl.export_keying_material(n, "label"))
                end)
            }
        }
    }
_EOC_
--- config
    location = /t {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- response_body
nan inf -inf -1 -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: 32 nil
2: 2 nil
nan inf -inf -1 -0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad length argument
0.5: 0 nil
2: 2 nil



=== buffers for users of FFI
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local base = require "resty.core.base"
            local function try_but_the_biggest(f)
                try(function (n) return n == 2^31 - 1 and "big" or f(n) end)
            end
            try_but_the_biggest(function (n)
                base.set_string_buf_size(n)
                return base.get_string_buf_size()
            end)
            try_but_the_biggest(function (n)
                return require("ffi").sizeof(base.get_string_buf(n))
            end)
            ngx.say(ngx.escape_uri(("?"):rep(10)))
        }
    }
--- response_body
nan -inf -1 -0.5: 4096
inf 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: error: bad buffer size: N
0.5: 1
2 -2147483648 -4294967296: 2
2147483647: big
nan inf -inf -1 -0.5 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad buffer size: N
0.5 2: 2
2147483647: big
%3F%3F%3F%3F%3F%3F%3F%3F%3F%3F


=== a balancer that exits with a status that no response can have
--- http_config
    upstream backend {
        server 0.0.0.1;
        balancer_by_lua_block { ngx.exit(1/0) }
    }
--- config
    location = /t { proxy_pass http://backend; }
--- error_code: 999



=== sizes and lengths of libraries
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local lrucache, random = require "resty.lrucache", require "resty.random"
            local function try_but_the_biggest(f)
                try(function (n) return n == 2^31 - 1 and "big" or f(n) end)
            end
            try_but_the_biggest(function (n)
                local cache, err = lrucache.new(n)
                if cache then
                    for i = 1, 5 do cache:set(i, i) end
                    return cache:count()
                end
                return err
            end)
            try_but_the_biggest(function (n) return #random.bytes(n) end)
        }
    }
--- response_body
nan -inf -1 -0.5 0.5 -2147483648 -4294967296: size too small
inf 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: error: bad buffer size: 2147483648
2: 2
2147483647: big
2147483648: error: bad buffer size: N
nan inf -inf -1 -0.5 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: error: bad buffer size: N
0.5: 0
2: 2
2147483647: big



=== weights of servers
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local chash = require "resty.chash"
            local roundrobin = require "resty.roundrobin"
            try(function (n)
                local ring = chash:new({ a = 1 })
                local ok, err = pcall(ring.set, ring, "b", n)
                return (ring:find("x")), ok or err:match("bad buffer size")
            end)
            try(function (n)
                local ring = chash:new({ a = 1 })
                return (ring:next(n))
            end)
            try(function (n)
                local turns = roundrobin:new({ a = 1 })
                turns:set("b", n)
                for i = 1, 10 do turns:find() end
                return "found"
            end)
        }
    }
--- response_body
nan -inf -1 -0.5 0.5 -2147483648 -4294967296: a true
inf 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308: a bad buffer size
2: b true
nan inf -inf -1 -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: a
nan inf -inf -1 -0.5 0.5 2 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: found



=== digests and ciphers that there are not
--- http_config eval: $::odd
--- config
    location = /t {
        content_by_lua_block {
            local aes, hmac = require "resty.aes", require "resty.hmac"
            try(function (n)
                return n >= 0 and n < 6 and "digest" or hmac:new("key", n)
            end)
            local gcm = aes.cipher(128, "gcm")
            try(function (n)
                local box, err = aes:new("key", nil, gcm, nil, 1, n)
                return type(box), err
            end)
        }
    }
--- response_body
nan inf -inf -1 -0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: nil
0.5 2: digest
nan inf -inf -1 -0.5 0.5 2147483647 2147483648 4294967295 4294967296 4294967298 9007199254740992 9.2233720368547758e+18 1.8446744073709552e+19 1e+308 -2147483648 -4294967296: nil bad iv length
2: table nil
