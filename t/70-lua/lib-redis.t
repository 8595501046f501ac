# What a client of Redis asks, and what it makes of answers, good and bad.

__DATA__


=== each kind of answer
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:set_timeouts(5000, 5000, 5000)
            ngx.say(red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            ngx.say(red:set("dog", 12))
            ngx.say(red:get("dog"))
            ngx.say(red:get("cat") == ngx.null)
            ngx.say(red:incr("n"))
            ngx.say(red:bad())
            local list = red:lrange("l", 0, -1)
            ngx.say(#list, " ", list[1], " ", list[2], " ",
                    list[3] == ngx.null, " ", list[4][1], " ", list[4][2])
            ngx.say(red:keys("*") == ngx.null)
            ngx.say(red:get(""))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval
"*3\r\n\$3\r\nset\r\n\$3\r\ndog\r\n\$2\r\n12\r\n"
--- tcp_no_close
--- tcp_reply eval
"+OK\r\n\$4\r\na\r\nb\r\n\$-1\r\n:7\r\n-ERR unknown\r\n"
. "*4\r\n\$1\r\nx\r\n:5\r\n\$-1\r\n*2\r\n+a\r\n+b\r\n*-1\r\n\$0\r\n\r\n"
--- response_body eval
"1\nOK\na\r\nb\ntrue\n7\nfalseERR unknown\n4 x 5 true a b\ntrue\n\n"



=== a pipeline is sent at once
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:commit_pipeline())
            red:init_pipeline()
            ngx.say(red:set("a", 1))
            red:get("a")
            red:foo()
            local res = red:commit_pipeline()
            ngx.say(#res, " ", res[1], " ", res[2], " ", res[3][1], " ",
                    res[3][2])
            red:init_pipeline(2)
            red:get("lost")
            red:cancel_pipeline()
            ngx.say(red:commit_pipeline())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval
"*3\r\n\$3\r\nset\r\n\$1\r\na\r\n\$1\r\n1\r\n*2\r\n\$3\r\nget\r\n\$1\r\na\r\n"
. "*1\r\n\$3\r\nfoo\r\n"
--- tcp_reply eval
"+OK\r\n\$1\r\n1\r\n-ERR no\r\n"
--- response_body
nilno pipeline

3 OK 1 false ERR no
nilno pipeline



=== hashes, commands of modules, commands by name
--- config
    location = /t {
        content_by_lua_block {
            local redis = require "resty.redis"
            redis.add_commands("mine")
            local red = redis:new()
            red:register_module_prefix("bf")
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            red:init_pipeline()
            red:hmset("h", { f = "v" })
            red:hmset("h", "f", "v", "g", "w")
            red:bf():add("k", "v")
            red:mine(true, nil, 1.5)
            ngx.say(#red:commit_pipeline())
            local hash = red:array_to_hash { "a", "1", "b", "2" }
            ngx.say(hash.a, hash.b)
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval
"*4\r\n\$5\r\nhmset\r\n\$1\r\nh\r\n\$1\r\nf\r\n\$1\r\nv\r\n"
. "*6\r\n\$5\r\nhmset\r\n\$1\r\nh\r\n\$1\r\nf\r\n\$1\r\nv\r\n\$1\r\ng\r\n\$1\r\nw\r\n"
. "*3\r\n\$6\r\nbf.add\r\n\$1\r\nk\r\n\$1\r\nv\r\n"
. "*4\r\n\$4\r\nmine\r\n\$4\r\ntrue\r\n\$3\r\nnil\r\n\$3\r\n1.5\r\n"
--- tcp_reply eval
"+OK\r\n+OK\r\n:1\r\n+OK\r\n"
--- response_body
4
12



=== subscriptions: messages wait for those who read them
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require "cjson"
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:read_reply())
            ngx.say(red:unsubscribe("a"))
            local function say(what, err)
                ngx.say(what and cjson.encode(what) or err)
            end
            say(red:subscribe("a", "b"))
            ngx.say(red:set_keepalive())
            say(red:ping())
            say(red:read_reply())
            say(red:read_reply())
            say(red:unsubscribe())
            ngx.say(red:read_reply())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
my $m = "*3\r\n\$7\r\nmessage\r\n\$1\r\na\r\n\$2\r\nhi\r\n";
"*3\r\n\$9\r\nsubscribe\r\n\$1\r\na\r\n:1\r\n*3\r\n\$9\r\nsubscribe\r\n\$1\r\nb\r\n:2\r\n"
. "$m+PONG\r\n$m"
. "*3\r\n\$11\r\nunsubscribe\r\n\$1\r\nb\r\n:1\r\n*3\r\n\$11\r\nunsubscribe\r\n\$1\r\na\r\n:0\r\n"
--- response_body
nilnot subscribed
nilnot subscribed
[["subscribe","a",1],["subscribe","b",2]]
nilsubscribed state
"PONG"
["message","a","hi"]
["message","a","hi"]
[["unsubscribe","b",1],["unsubscribe","a",0]]
nilnot subscribed



=== a silent server is given up, and its connection with it
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:set_timeout(50)
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:get("a"))
            ngx.say(red:set_keepalive())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- response_body
niltimeout
nilclosed



=== one who reads messages may wait again
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:subscribe("a")[3])
            red:set_timeout(20)
            ngx.say(red:read_reply())
            ngx.say(red:read_reply())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"*3\r\n\$9\r\nsubscribe\r\n\$1\r\na\r\n:1\r\n"
--- response_body
1
niltimeout
niltimeout



=== a server that ends in the middle
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:lrange("l", 0, -1))
            ngx.say((red:set_keepalive()))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"*3\r\n\$1\r\nx\r\n\$100\r\nnot all"
--- response_body
nilclosed
nil



=== answers that are none end the connection
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            local res, err = red:get("a")
            ngx.say(res, " ", err)
            ngx.say(red:set_keepalive())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"HTTP/1.1 400 Bad Request\r\n\r\n"
--- response_body
nil unknown prefix: "72"
nilclosed



=== a size that no string has
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:get("a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"\$99999999999999999999\r\nx"
--- response_body
nilbad bulk reply



=== a string that is longer than it says
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:get("a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"\$3\r\nabcdef\r\n"
--- response_body
nilbad bulk reply



=== an array of a billion items takes no memory until they come
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            collectgarbage()
            local before = collectgarbage("count")
            ngx.say(red:keys("*"))
            ngx.say(collectgarbage("count") - before < 1024)
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"*500000000\r\n:1\r\n"
--- response_body
nilclosed
true



=== arrays in arrays have an end
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:exec())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"*1\r\n" x 20000
--- response_body
nilbad multi bulk reply



=== no server, no port, no host
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            ngx.say(red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_2))
            ngx.say(red:get("a"))
            ngx.say(pcall(red.connect, red, nil, 1))
            ngx.say(pcall(red.connect, red, "h", {}))
            ngx.say(pcall(red.connect, red, "h", 1, 1))
        }
    }
--- response_body
nilconnection refused
nilclosed
falsebad argument #1 host: string expected, got nil
falsebad argument #2 port: number expected, got table
falsebad argument #3 opts: table expected, got number



=== a new connection says who it is and what it wants, a kept one has
--- config
    location = /t {
        content_by_lua_block {
            local redis = require "resty.redis"
            local function say(options)
                local red = redis:new()
                ngx.say(red:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT,
                                    options))
                ngx.say(red:get_reused_times())
                ngx.say(red:set_keepalive())
            end
            local all = { password = "p", username = "u", db = 2,
                          tcp_keepalive = true }
            say(all)
            say(all)
            ngx.say(all.pool)
        }
    }
--- stream_server_config
    content_by_lua_block {
        local sock, said = assert(ngx.req.socket(true)), {}
        while true do
            local count = sock:receive()
            if not count then
                return
            end
            for i = 1, tonumber(count:sub(2)) do
                sock:receive()
                said[#said + 1] = sock:receive()
            end
            ngx.log(ngx.WARN, "said: ", table.concat(said, " "))
            sock:send("+OK\r\n")
        end
    }
--- request
GET /t
--- response_body
1
0
1
1
1
1
nil
--- error_log
said: auth u p select 2,
--- no_error_log
select 2 auth



=== who is refused is not connected
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            local options = { password = "p", db = 1 }
            ngx.say(red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1, options))
            ngx.say(red:get("a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
["-WRONGPASS\r\n"]
--- response_body
nilfailed to authenticate: WRONGPASS
nilclosed
--- no_error_log
select



=== an open transaction does not go into the pool
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:multi(), " ", select(2, red:set_keepalive()))
            ngx.say((red:exec()))
            red:init_pipeline()
            red:multi()
            red:cancel_pipeline()
            red:init_pipeline()
            red:multi()
            ngx.say(#red:commit_pipeline(), " ", select(2, red:set_keepalive()))
            ngx.say(red:discard(), " ", (red:set_keepalive()))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
["+OK\r\n", "-EXECABORT\r\n", "+OK\r\n", "+OK\r\n"]
--- response_body
OK in transaction
false
1 in transaction
OK 1



=== fields in a table
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(unpack(red:hmget("h", { "a", "b" })))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_query eval
"*4\r\n\$5\r\nhmget\r\n\$1\r\nh\r\n\$1\r\na\r\n\$1\r\nb\r\n"
--- tcp_reply eval: "*2\r\n+x\r\n+y\r\n"
--- response_body
xy



=== the table of the module is as large as elsewhere
--- config
    location = /t {
        content_by_lua_block {
            local n = 0
            for _ in pairs(require "resty.redis") do n = n + 1 end
            ngx.say(n)
        }
    }
--- response_body
58



=== an answer comes in pieces, however it is cut
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:set_timeouts(5000, 5000, 5000)
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:get("dog"), " ", red:get(7), " ", #red:get(true), " ",
                    red:incr("n"))
            ngx.say(red:set_keepalive(1000, 1))
            ngx.say(red:get("dog"))
            ngx.say(red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1), " ",
                    red:get_reused_times())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query_len: 22
--- tcp_no_close
--- tcp_reply_delay: 20ms
--- tcp_reply eval
["\$", "8\r", "\nwau\r\nwau", "\r\n\$2\r\nwa\r", "\n\$5000\r\n",
 "x" x 4000, "x" x 1000 . "\r", "\n:", "12\r\n"]
--- response_body eval
"wau\r\nwau wa 5000 12\n1\nnilclosed\n1 1\n"
--- error_log
attempt to send data on a closed socket: u:



=== methods of the socket that a script has replaced are called
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            local sock, said = red._sock, {}
            for _, name in ipairs { "send", "receive" } do
                local method = sock[name]
                sock[name] = function (...)
                    said[#said + 1] = name
                    return method(...)
                end
            end
            ngx.say(red:get("dog"), " ", table.concat(said, " "))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"\$3\r\nwau\r\n"
--- response_body
wau send receive receive



=== a connection that is not replaced keeps its subscriptions
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            local port = $TEST_NGINX_RAND_PORT_1
            red:connect("127.0.0.1", port)
            red:subscribe("a")
            ngx.say(red:connect("127.0.0.1", 70000))
            ngx.say(red:set_keepalive())
            ngx.say(red:connect("unix:/nowhere/x.sock"))
            ngx.say(red:set_keepalive())
            ngx.say(red:connect("127.0.0.1", port), " ", red:read_reply())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
"*3\r\n\$9\r\nsubscribe\r\n\$1\r\na\r\n:1\r\n"
--- response_body_like eval
qr/^nilbad port number: 70000
nilsubscribed state
nil.+
nilclosed
1 nilnot subscribed
$/



=== a command that cannot be sent at once
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local sock = ngx.req.socket()
            local left = #"*3\r\n$3\r\nset\r\n$1\r\nk\r\n$20000000\r\n\r\n" + 20000000
            ngx.sleep(0.1)
            while left > 0 do
                left = left - #assert(sock:receiveany(65536))
            end
            sock:send("$2\r\nhm\r\n:1\r\n")
            sock:receive()
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local red = require("resty.redis"):new()
            red:set_timeouts(5000, 10000, 10000)
            red:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(red:set("k", ("x"):rep(20000000)), " ", red:incr("n"))
            ngx.say(red:set_keepalive())
        }
    }
--- request
GET /t
--- timeout: 30
--- response_body
hm 1
1
