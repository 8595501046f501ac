-- api_calls.lua -- calls of the API, by area: each is run in a loop, and the
-- loop must become one trace, from its beginning to its end, which no call of a
-- C function has cut in two.
--
-- SPDX-License-Identifier: BSD-2-Clause

local jutil = require "jit.util"

local calls = {}

calls.texts = [[
local x = ngx.time()
local x = ngx.now()
ngx.update_time()
local x = ngx.today()
local x = ngx.localtime()
local x = ngx.utctime()
local x = ngx.http_time(i)
local x = ngx.cookie_time(i)
local x = ngx.parse_http_time("Thu, 18 Nov 2010 11:27:35 GMT")
local x = ngx.escape_uri("a b/c")
local x = ngx.unescape_uri("a%20b")
local x = ngx.encode_base64("hello")
local x = ngx.decode_base64("aGVsbG8=")
local x = ngx.md5("x")
local x = ngx.md5_bin("x")
local x = ngx.sha1_bin("x")
local x = ngx.crc32_short("x")
local x = ngx.crc32_long("x")
local x = ngx.quote_sql_str("x'y")
]]

calls.request = [[
local x = v.uri
local x = v.arg_a
v.foo = "x"
local x = r.get_method()
local x = r.http_version()
local x = r.raw_header()
local x = r.start_time()
local x = r.is_internal()
r.set_header("X-B", "c")
r.clear_header("X-B")
r.set_uri_args("a=1")
r.set_uri("/t")
local x = ngx.get_phase()
local x = ngx.is_subrequest
local x = ngx.headers_sent
ngx.ctx.x = i
local x = ngx.ctx.x
local x = ngx.header["X-A"]
ngx.header["X-A"] = "b"
local x = ngx.status
ngx.status = 200
local x = ngx.worker.id()
local x = ngx.worker.pid()
local x = ngx.worker.count()
local x = ngx.worker.exiting()
ngx.log(ngx.DEBUG, "x", i)
]]

calls.shared = [[
local x = d:get("k")
local x = d:get_stale("k")
d:set("k", i)
d:set("s", "text", 10)
d:safe_set("k", "v")
d:add("q", 1)
d:replace("k", 2)
d:delete("z")
d:incr("n", 1, 0)
local x = d:ttl("s")
d:expire("s", 10)
d:lpush("l", 1)
local x = d:rpop("l")
local x = d:llen("l")
local x = d:free_space()
local x = d:capacity()
local x = ngx.re.match("ab12", "([a-z]+)([0-9]+)", "jo")
local x = ngx.re.find("ab12", "[0-9]", "jo")
local x = ngx.re.sub("ab12", "[0-9]", "x$0", "jo")
local x = ngx.re.sub("abcbd", "b(c)", "[$0($1)]", "jo")
local x = ngx.re.gmatch("ab12", "[0-9]", "jo")()
]]

calls.numbers = [[
local x = r.get_uri_args()
local x = r.get_uri_args(10)
local x = r.get_headers(0)
local x = r.get_headers(1, true)
local x = ngx.decode_args("a=1&b=2&c=3", 10)
local x = ngx.escape_uri("a b", 0)
local x = v[1]
r.set_method(2)
d:set("k", 1, 10, 5)
d:incr("n", 1, 0, 10)
local x = d:flush_expired(1)
local x = ngx.re.match("ab12", "[0-9]", "jo", { pos = 2 })
local x = ngx.re.find("ab12", "([a-z])([0-9])", "jo", nil, 1)
sem:post(1)
local x = sem:count()
local x = errlog.set_filter_level(2)
]]

calls.rest = [[
local x = ngx.encode_args({ a = 1, b = "x y" })
local x = ngx.hmac_sha1("k", "x")
local x = ngx.re.gsub("ab12", "[0-9]", "x", "jo")
local x = ngx.re.match("ab12", "(?<l>[a-z]+)", "jo")
local x = r.get_headers()
local x = r.get_body_data()
local x = r.get_body_file()
local x = r.get_post_args()
local x = ngx.resp.get_headers()
local x = ngx.worker.pids()
local x = v.http_host
v.foo = nil
r.set_uri_args({ a = 1 })
r.set_header("X-B", { "c", "d" })
ngx.header["X-A"] = { "b", "c" }
ngx.header.content_type = "text/plain"
local x = ngx.config.debug
local x = d:get_keys(2)
d:safe_add("q", 1)
local x = errlog.get_sys_filter_level()
local x = require("ngx.base64").encode_base64url("hello")
local x = require("ngx.base64").decode_base64url("aGVsbG8")
local x = require("ngx.re").split("a,b,c", ",", "jo")
local x = require("ngx.process").type()
local x = require("ngx.ssl").server_name()
local x = require("ngx.ssl").get_tls1_version()
local x = require("ngx.ssl").raw_client_addr()
local x = require("table.clone")({ 1, 2 })
local x = require("table.isempty")(ngx.ctx)
local x = require("table.nkeys")(ngx.ctx)
local x = require("table.isarray")(ngx.ctx)
local x = require("thread.exdata")()
local x = require("resty.core.base").get_request()
local x = require("resty.string").to_hex("abc")
local x = lru:get("k")
lru:set("k", i)
]]

-- What a call's names stand for.
local HEAD = "local d, r, v = ngx.shared.dogs, ngx.req, ngx.var\n"
             .. "local sem = require('ngx.semaphore').new()\n"
             .. "local errlog = require 'ngx.errlog'\n"
             .. "local lru = require('resty.lrucache').new(10)\n"

-- LuaJIT throws dice about when to try again: so do we.
local function compiles(call, tries)
    local loop, cut = false, false
    local run = assert(loadstring(HEAD .. "for i = 1, 1000 do " .. call
                                  .. " end"))
    local function on_trace(what, trace)
        if what == "stop" then
            local link = jutil.traceinfo(trace).linktype
            loop = loop or link == "loop"
            cut = cut or link == "stitch"
        end
    end

    jit.flush()
    jit.attach(on_trace, "trace")
    run()
    jit.attach(on_trace)
    return loop and not cut or tries > 1 and compiles(call, tries - 1)
end

local _M = {}

-- Says which calls of an area do not compile.
function _M.say_what_does_not(area)
    ngx.shared.dogs:set("k", 1)
    ngx.req.read_body()
    for call in calls[area]:gmatch("[^\n]+") do
        if not compiles(call, 4) then
            ngx.say("not compiled: ", call)
        end
    end
    ngx.say("done")
end

return _M
