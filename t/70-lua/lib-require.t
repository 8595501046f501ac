Libraries that the executable carries: every name can be required in a fresh
prefix, and a file of the user's comes before them.

__DATA__


=== every library is there
--- config
    location = /t {
        content_by_lua_block {
            for name in ([[
                resty.string resty.md5 resty.sha resty.sha1 resty.sha224
                resty.sha256 resty.sha384 resty.sha512 resty.random resty.aes
                resty.hmac resty.lrucache resty.lrucache.pureffi resty.lock
                resty.limit.req resty.limit.conn resty.limit.count
                resty.limit.traffic resty.shell resty.signal resty.roundrobin
                resty.swrr resty.chash resty.dns.resolver tablepool
                resty.redis resty.http resty.http_headers resty.upload
                resty.websocket.protocol resty.websocket.server
                resty.websocket.client resty.memcached resty.mysql
                redis.parser rds.parser ngx.upstream ngx.ssl.session
                ngx.proxyssl ngx.ssl.proxysslcert ngx.ssl.proxysslverify
                resty.upstream.healthcheck cjson cjson.safe jit.bc jit.v jit.dump
                resty.core resty.core.base resty.core.base64 resty.core.ctx
                resty.core.coroutine resty.core.exit resty.core.hash
                resty.core.misc resty.core.ndk resty.core.param
                resty.core.phase resty.core.regex resty.core.request
                resty.core.response resty.core.shdict resty.core.socket
                resty.core.socket.tcp resty.core.time resty.core.uri
                resty.core.utils resty.core.var resty.core.worker
                ngx.balancer ngx.base64 ngx.errlog ngx.ocsp ngx.pipe
                ngx.process ngx.re ngx.req ngx.resp ngx.semaphore ngx.ssl
                ngx.ssl.clienthello string.buffer
            ]]):gmatch("%S+") do
                local ok, lib = pcall(require, name)
                if not ok or type(lib) ~= "table" then
                    ngx.say(name, ": ", lib)
                end
            end
            for _, name in ipairs { "thread.exdata", "thread.exdata2",
                                    "resty.http_connect", "table.new",
                                    "table.clear", "table.clone",
                                    "table.isarray", "table.isempty",
                                    "table.nkeys" } do
                ngx.say(name, " ", type(require(name)))
            end
        }
    }
--- response_body
thread.exdata function
thread.exdata2 function
resty.http_connect function
table.new function
table.clear function
table.clone function
table.isarray function
table.isempty function
table.nkeys function



=== a file of the user's comes first
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- user_files
>>> resty/lock.lua
return { new = function() return "the user's" end }
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("resty.lock"):new())
            ngx.say(require("resty.md5"):new():update("x"))
        }
    }
--- response_body
the user's
true



=== a cjson of the user's comes first, too, and null stays the same
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- user_files
>>> cjson.lua
return { encode = function() return "the user's" end, null = ngx.null }
>>> cjson/safe.lua
return "this one as well"
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("cjson").encode({}))
            ngx.say(require("cjson.safe"))
            ngx.say(type(ngx.null), " ", tostring(ngx.null))
        }
    }
--- response_body
the user's
this one as well
userdata userdata: NULL



=== a native cjson of the user's is tried first
--- http_config
    lua_package_cpath "$TEST_NGINX_HTML_DIR/?.bin;;";
--- user_files
>>> cjson.bin
no library at all
--- config
    location = /t {
        content_by_lua_block {
            local ok, err = pcall(require, "cjson")
            ngx.say(ok, " ", err:match("error loading module 'cjson'"), " ",
                    err:match("cjson%.bin"))
        }
    }
--- response_body
false error loading module 'cjson' cjson.bin



=== where the user has none it is ours
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua";
    lua_package_cpath "$TEST_NGINX_HTML_DIR/?.bin";
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("cjson").encode({ 1, ngx.null }))
            ngx.say(require("cjson").null == ngx.null)
            package.loaded.cjson = nil
            package.preload.cjson = function () return "preloaded" end
            ngx.say(require("cjson"))
        }
    }
--- response_body
[1,null]
true
preloaded



=== a pointer of each coroutine
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            local exdata, exdata2 = require "thread.exdata",
                                    require "thread.exdata2"
            ngx.say(exdata() ~= nil, " ", exdata2() == nil, " ",
                    type(exdata()))
            local function number(p)
                return tonumber(ffi.cast("uintptr_t", p))
            end
            exdata2(ffi.cast("void *", 12345))
            local co = coroutine.create(function()
                exdata2(ffi.cast("void *", 6))
                return number(exdata2())
            end)
            ngx.say(select(2, coroutine.resume(co)), " ", number(exdata2()))

            local first = exdata()
            exdata(ffi.cast("void *", 7))
            co = coroutine.create(function() return exdata() == first end)
            ngx.say(number(exdata()), " ", select(2, coroutine.resume(co)))
            exdata(nil)
            ngx.say(exdata() == nil)
        }
    }
--- response_body
true true cdata
6 12345
7 true
true



=== what goes wrong is said of the line that requires
--- user_files
>>> circle.lua
return require "circle"
>>> five.lua
return require(5)
--- http_config
    lua_package_path "$prefix/html/?.lua";
--- config
    location = /t {
        content_by_lua_block {
            local function try(...)
                local _, err = pcall(function (...)
                    return (require(...))
                end, ...)
                ngx.say((err:gsub("\n.*", "")))
            end
            try("absent")
            try("circle")
            try("five")
            try({})
            try()
            package.loaded["7"] = "seven"
            ngx.say(require(7), " ", select("#", require("7", 1)))
            package.loaded.no = false
            try("no")
        }
    }
--- response_body_like eval
qr/^\S+:4: module 'absent' not found:
loop or previous error loading module 'circle'
module '5' not found:
\S+:4: bad argument #1 to 'require' \(string expected, got table\)
\S+:4: bad argument #1 to 'require' \(string expected, got no value\)
seven 1
\S+:4: module 'no' not found:
$/
