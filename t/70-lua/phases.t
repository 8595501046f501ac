__DATA__


=== phases run in their order, and know their names
--- http_config
    init_by_lua_block { first = ngx.get_phase() }
--- config
    location = /t {
        set_by_lua_block $set { return ngx.get_phase() }
        rewrite_by_lua_block { ngx.ctx.p = { first, ngx.var.set, ngx.get_phase() } }
        access_by_lua_block { table.insert(ngx.ctx.p, ngx.get_phase()) }
        content_by_lua_block {
            table.insert(ngx.ctx.p, ngx.get_phase())
            ngx.say(table.concat(ngx.ctx.p, " "))
        }
        header_filter_by_lua_block { table.insert(ngx.ctx.p, ngx.get_phase()) }
        body_filter_by_lua_block { table.insert(ngx.ctx.p, ngx.get_phase()) }
        log_by_lua_block {
            table.insert(ngx.ctx.p, ngx.get_phase())
            ngx.log(ngx.WARN, "all: ", table.concat(ngx.ctx.p, " "))
        }
    }
--- response_body
init set rewrite access content
--- error_log
all: init set rewrite access content header_filter body_filter body_filter log
--- no_error_log
[error]



=== set_by_lua takes arguments
--- config
    location = /t {
        set $a 32; set $b 10;
        set_by_lua $sum 'return tonumber(ngx.arg[1]) + tonumber(ngx.arg[2])' $a $b;
        return 200 "sum=$sum";
    }
--- response_body: sum=42



=== set_by_lua runs in the order of the text
--- config
    location = /t {
        set $x 1;
        set_by_lua_block $y { return ngx.var.x + 1 }
        set $x 5;
        set_by_lua_block $z { return ngx.var.x + ngx.var.y }
        return 200 "$x $y $z";
    }
--- response_body: 5 2 7



=== set_by_lua turns nothing into an empty text
--- config
    location = /t {
        set_by_lua_block $n { return nil }
        set_by_lua_block $e { local x }
        set_by_lua_block $b { return "text" }
        return 200 "[$n][$e][$b]";
    }
--- response_body: [][][text]



=== an error in set_by_lua is a 500
--- config
    location = /t { set_by_lua_block $n { error("bad set") } return 200 "x"; }
--- error_code: 500
--- error_log eval
qr/failed to run set_by_lua\*: set_by_lua\(nginx.conf:\d+\):1: bad set/



=== set_by_lua in an if
--- config
    location = /t {
        set $x none;
        if ($arg_a) { set_by_lua_block $x { return "if " .. ngx.var.arg_a } }
        return 200 $x;
    }
--- request
GET /t?a=yes
--- response_body: if yes



=== rewrite_by_lua runs behind the rewrite module
--- config
    location = /t {
        rewrite_by_lua_block { ngx.say(ngx.var.a) ngx.exit(200) }
        set $a set;
    }
--- response_body
set



=== access_by_lua sees what rewrite_by_lua left
--- config
    location = /t {
        rewrite_by_lua_block { ngx.var.a = "from rewrite" }
        access_by_lua_block { ngx.var.a = ngx.var.a .. ", from access" }
        set $a "";
        return 200 "x";
    }
    location = /u {
        set $a "";
        rewrite_by_lua_block { ngx.var.a = "from rewrite" }
        access_by_lua_block { ngx.var.a = ngx.var.a .. ", from access" }
        content_by_lua_block { ngx.say(ngx.var.a) }
    }
--- request
GET /u
--- response_body
from rewrite, from access



=== what rewrite has said ends there
--- config
    location = /t {
        rewrite_by_lua_block { ngx.say("rewrite") }
        content_by_lua_block { ngx.say("content") }
    }
--- response_body
rewrite
--- no_error_log
[error]



=== what access has said ends there
--- config
    location = /t {
        access_by_lua_block { ngx.say("access") }
        content_by_lua_block { ngx.say("content") }
    }
--- response_body
access
--- no_error_log
[error]



=== access_by_lua and satisfy any
--- config
    location = /t {
        satisfy any;
        access_by_lua_block { if ngx.var.arg_k ~= "1" then ngx.exit(403) end }
        deny all;
        content_by_lua_block { ngx.say("in") }
    }
--- pipelined_requests eval
["GET /t?k=1", "GET /t?k=2"]
--- error_code eval
[200, 403]



=== header_filter_by_lua changes status and headers
--- config
    location = /t {
        return 200 "x";
        header_filter_by_lua_block {
            ngx.status = 203
            ngx.header["X-Filter"] = "yes"
        }
    }
--- error_code: 203
--- response_headers
X-Filter: yes



=== header_filter_by_lua may not say anything
--- config
    location = /t {
        content_by_lua_block { ngx.say("x") }
        header_filter_by_lua_block { ngx.say("y") }
    }
--- ignore_response
--- error_log
failed to run header_filter_by_lua*
API disabled in the context of header_filter_by_lua*



=== body_filter_by_lua sees pieces and the end
--- config
    location = /t {
        content_by_lua_block { ngx.print("a") ngx.print("b") }
        body_filter_by_lua_block {
            ngx.arg[1] = "[" .. ngx.arg[1] .. (ngx.arg[2] and "!" or "") .. "]"
        }
    }
--- response_body: [a][b][!]



=== body_filter_by_lua can end the answer early
--- config
    location = /t {
        content_by_lua_block { ngx.print("a") ngx.print("STOP") ngx.print("b") }
        body_filter_by_lua_block {
            if ngx.arg[1] == "STOP" then
                ngx.arg[1] = nil
                ngx.arg[2] = true
            end
        }
    }
--- response_body: a



=== body_filter_by_lua takes a table
--- config
    location = /t {
        content_by_lua_block { ngx.print("b") }
        body_filter_by_lua_block {
            if ngx.arg[1] ~= "" then ngx.arg[1] = { "a", { ngx.arg[1], 1 }, "c" } end
        }
    }
--- response_body: ab1c



=== body_filter_by_lua over a file
--- config
    location = /x.txt {
        header_filter_by_lua_block { ngx.header.content_length = nil }
        body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1]:upper() }
    }
--- user_files
>>> x.txt
some file
--- request
GET /x.txt
--- response_body
SOME FILE



=== body_filter_by_lua over an error page
--- config
    location = /t {
        return 404;
        header_filter_by_lua_block { ngx.header.content_length = nil }
        body_filter_by_lua_block { if ngx.arg[1] ~= "" then ngx.arg[1] = "mine" end }
    }
--- error_code: 404
--- response_body: mine



=== log_by_lua runs after the answer
--- config
    location = /t {
        content_by_lua_block { ngx.say("x") }
        log_by_lua_block { ngx.log(ngx.ERR, "status ", ngx.status, " in ", ngx.var.request_method) }
    }
--- response_body
x
--- error_log
status 200 in GET



=== an error in log_by_lua is only logged
--- config
    location = /t { return 200 "x"; log_by_lua_block { error("bad log") } }
--- response_body: x
--- error_log eval
qr/failed to run log_by_lua\*: log_by_lua\(nginx.conf:\d+\):1: bad log/



=== phases of the http level are inherited
--- http_config
    access_by_lua_block { ngx.ctx.from = "http" }
--- config
    location = /t { content_by_lua_block { ngx.say(ngx.ctx.from) } }
    location = /own {
        access_by_lua_block { ngx.ctx.from = "location" }
        content_by_lua_block { ngx.say(ngx.ctx.from) }
    }
--- pipelined_requests eval
["GET /t", "GET /own"]
--- response_body eval
["http\n", "location\n"]



=== a content handler is not inherited by inner locations
--- config
    location /t {
        content_by_lua_block { ngx.say("outer") }
        location /t/in { }
    }
--- user_files
>>> t/in.txt
static
--- pipelined_requests eval
["GET /t/x", "GET /t/in.txt"]
--- response_body eval
["outer\n", "static\n"]



=== an if keeps the content handler of its location
--- config
    location /t {
        content_by_lua_block { ngx.say("outer ", ngx.var.x) }
        set $x 0;
        if ($arg_a) { set $x 1; }
        if ($arg_b) { content_by_lua_block { ngx.say("own ", ngx.var.x) } }
    }
--- pipelined_requests eval
["GET /t", "GET /t?a=1", "GET /t?b=1"]
--- response_body eval
["outer 0\n", "outer 1\n", "own 0\n"]



=== lua_need_request_body reads it before the handler
--- config
    location = /t {
        lua_need_request_body on;
        client_body_buffer_size 100k;
        content_by_lua_block { ngx.say(ngx.var.request_body) }
    }
--- request
POST /t
hello body
--- response_body
hello body



=== server_rewrite_by_lua runs before a location is chosen
--- config
    server_rewrite_by_lua_block {
        ngx.ctx.phase = ngx.get_phase()
        if ngx.var.uri == "/old" then ngx.req.set_uri("/t") end
    }
    location = /t { content_by_lua_block { ngx.say(ngx.ctx.phase, " ", ngx.var.uri) } }
--- request
GET /old
--- response_body
server_rewrite /t



=== server_rewrite_by_lua can answer
--- http_config
    server_rewrite_by_lua_block { if ngx.var.arg_no then ngx.exit(403) end }
--- config
    location = /t { return 200 "in"; }
--- request
GET /t?no=1
--- error_code: 403



=== precontent_by_lua runs between access and content
--- config
    location = /t {
        access_by_lua_block { ngx.ctx.order = "a" }
        precontent_by_lua_block {
            ngx.sleep(0.001)
            ngx.ctx.order = ngx.ctx.order .. " " .. ngx.get_phase()
        }
        content_by_lua_block { ngx.say(ngx.ctx.order) }
    }
--- response_body
a precontent



=== precontent_by_lua can answer
--- config
    location = /t {
        precontent_by_lua_block { ngx.say("here") }
        content_by_lua_block { ngx.say("not reached") }
    }
--- response_body
here



=== exit(ngx.ERROR) in header_filter_by_lua ends the request
--- config
    location = /t {
        content_by_lua_block { ngx.say("x") }
        header_filter_by_lua_block { ngx.exit(ngx.ERROR) }
    }
--- error_code:



=== filters and the answer to HEAD
--- config
    location = /t {
        content_by_lua_block { ngx.say("hello") }
        header_filter_by_lua_block { ngx.header.x = "1" }
        body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1]:upper() }
    }
--- request
HEAD /t
--- response_headers
X: 1
--- response_body:



=== a handler that waits runs its filters afterwards
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 3 do
                ngx.say(i)
                ngx.flush(true)
                ngx.sleep(0.001)
            end
        }
        header_filter_by_lua_block { ngx.header.x = coroutine.isyieldable() and "yes" or "no" }
        body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1]:gsub("\n", ".") }
    }
--- response_headers
X: no
--- response_body: 1.2.3.



=== an error in body_filter_by_lua closes the connection
--- config
    location = /t {
        content_by_lua_block { ngx.say("x") }
        body_filter_by_lua_block { error("bad filter") }
    }
--- ignore_response
--- error_log eval
qr/failed to run body_filter_by_lua\*: body_filter_by_lua\(nginx.conf:\d+\):1: bad filter/



=== a filter that fails does not hurt the next request
--- config
    location = /t {
        content_by_lua_block { ngx.print("x") }
        header_filter_by_lua_block { if ngx.var.arg_bad then error("bad header") end }
    }
--- request eval
["GET /t?bad=1", "GET /t"]
--- error_code eval
["", 200]
--- response_body eval
["", "x"]



=== exit with an error in header_filter_by_lua gives that error's page
--- config
    location = /t {
        content_by_lua_block {
            ngx.header.x_part = "content"
            ngx.say("part")
            ngx.say("of it")
        }
        header_filter_by_lua_block { ngx.exit(403) }
    }
--- error_code: 403
--- response_body_like: <h1>403 Forbidden</h1>
--- raw_response_headers_unlike: X-Part
--- no_error_log
[error]



=== exit in header_filter_by_lua reaches error_page, and its filter
--- config
    error_page 582 = /instead;
    location = /t {
        return 200 "unwanted";
        header_filter_by_lua_block { ngx.exit(582) }
    }
    location = /instead {
        return 200 "neither";
        header_filter_by_lua_block { ngx.exit(302) }
    }
--- error_code: 302
--- response_body_like: <h1>302 Found</h1>
--- no_error_log
[error]



=== a file that header_filter_by_lua refuses, on a connection that stays
--- config
    location = /a.txt {
        header_filter_by_lua_block {
            if ngx.var.arg_no then ngx.exit(404) end
        }
    }
--- user_files
>>> a.txt
text
--- pipelined_requests eval
["GET /a.txt?no=1", "GET /a.txt"]
--- error_code eval
[404, 200]
--- response_body eval
[qr/404 Not Found/, "text\n"]



=== a uri that a rewrite directive has changed ends the location
--- config
    location = /t {
        rewrite ^ /there;
        rewrite_by_lua_block { ngx.exit(503) }
    }
    location = /there { return 200 "there"; }
--- response_body: there



=== server_rewrite_by_lua comes before the rewrites of its server
--- config
    server_rewrite_by_lua_block { ngx.log(ngx.WARN, "at ", ngx.var.uri) }
    rewrite ^/t /there;
    location = /there { return 200 "there"; }
--- response_body: there
--- error_log
at /t,



=== wrong arguments are told before the phase
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                local req = ngx.req
                for _, call in ipairs {
                    { ngx.redirect, {} }, { ngx.redirect, "/", 200 },
                    { ngx.redirect, "/" }, { ngx.exec, "" }, { ngx.exec, "/" },
                    { req.read_body, 1 }, { req.read_body },
                    { req.discard_body, 1 }, { req.discard_body },
                    { req.set_body_data, true }, { req.set_body_data, "a" },
                    { req.append_body }, { req.append_body, "a" },
                    { req.finish_body, 1 }, { req.get_body_file, 1 },
                    { req.get_post_args, "x" }, { req.get_post_args },
                    { req.set_uri_args }, { req.set_uri_args, "a" }
                } do
                    local _, err = pcall(unpack(call))
                    print("<", err:sub(1, 34), ">")
                end
            end)
        }
    }
--- grep_error_log eval: qr/<.*>/
--- grep_error_log_out
<bad argument #1 to 'redirect' (str>
<only ngx.HTTP_MOVED_TEMPORARILY, n>
<API disabled in the context of ngx>
<The uri argument is empty>
<API disabled in the context of ngx>
<expecting 0 arguments but seen 1>
<API disabled in the context of ngx>
<expecting 0 arguments but seen 1>
<API disabled in the current contex>
<bad argument #1 to 'set_body_data'>
<API disabled in the current contex>
<expecting 1 arguments but seen 0>
<API disabled in the current contex>
<expecting 0 argument but seen 1>
<expecting 0 arguments but seen 1>
<bad argument #1 to 'get_post_args'>
<API disabled in the current contex>
<expecting 1 argument but seen 0>
<API disabled in the current contex>
