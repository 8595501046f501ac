-- api_questions.lua -- calls of the Lua API, and what asks one inside a server.
--
-- A call is a function with arguments that fit; each argument is replaced by
-- what fits less, left out, and followed by one too many.
--
-- SPDX-License-Identifier: BSD-2-Clause

local concat, maxn, sort = table.concat, table.maxn, table.sort

local ODD = { "nil", "true", "1", "-1", "0", "1.5", "2^40", "''", "'abc'",
              "'12'", "{}", "{1, 2}", "{a = 1, b = {1, 2}}", "ngx.null",
              "function() end" }

-- One a line: the name, and behind it the arguments, each behind a bar.
local CALLS = [[
ngx.escape_uri | 'a b/c' | 2
ngx.unescape_uri | 'a%20b+%zz%'
ngx.encode_args | {a = 'b c'}
ngx.decode_args | 'a=1&b&c=%20' | 2
ngx.encode_base64 | 'hello' | true
ngx.decode_base64 | 'aGVsbG8='
ngx.md5 | 'x'
ngx.sha1_bin | 'x'
ngx.hmac_sha1 | 'k' | 'x'
ngx.crc32_short | 'x'
ngx.crc32_long | 'x'
ngx.quote_sql_str | 'a\'b'
ngx.http_time | 1547178736
ngx.cookie_time | 1547178736
ngx.parse_http_time | 'Thu, 18 Nov 2010 11:27:35 GMT'
ngx.req.get_method
ngx.req.set_method | ngx.HTTP_PUT
ngx.req.http_version
ngx.req.raw_header | true
ngx.req.is_internal
ngx.req.set_uri | '/foo' | false
ngx.req.set_uri_args | 'a=b'
ngx.req.get_uri_args | 2
ngx.req.get_post_args | 1
ngx.req.get_headers | 2 | true
ngx.req.set_header | 'X-Foo' | 'bar'
ngx.req.set_header | 'Content-Length' | '5'
ngx.req.clear_header | 'X-Foo'
ngx.req.read_body
ngx.req.discard_body
ngx.req.get_body_data
ngx.req.get_body_file
ngx.req.set_body_data | 'abc'
ngx.req.set_body_file | '/etc/hostname' | false
ngx.req.init_body | 10
ngx.req.append_body | 'a'
ngx.req.finish_body
ngx.req.socket | true
ngx.say | 'x'
ngx.print | {'a', {'b', 1}}
ngx.flush | true
ngx.eof
ngx.send_headers
ngx.exit | 404
ngx.exit | 0
ngx.redirect | '/foo' | 301
ngx.exec | '/other' | 'a=1'
ngx.on_abort | function() end
ngx.resp.get_headers | 0 | true
set_header | 'X-Foo' | 'bar'
set_header | 'Content-Type' | 'a/b'
set_header | 'Content-Length' | '3'
set_header | 'Cache-Control' | {'a', 'b'}
get_header | 'X-Foo'
set_status | 201
ngx.location.capture | '/other' | {method = ngx.HTTP_POST, body = 'x'}
ngx.location.capture | '/other' | {args = {a = 1}, vars = {foo = 1}, ctx = {}}
ngx.location.capture | '/other' | {vars = {nosuch = 1}}
ngx.location.capture | '/other' | {method = 'GET'}
ngx.location.capture | '/other' | {body = 1}
ngx.location.capture | '/other' | {ctx = 1}
ngx.location.capture_multi | {{'/other'}, {'/other', {args = 'b'}}}
ngx.location.capture_multi | {{}}
ngx.get_phase
ngx.log | ngx.ERR | 'x'
ngx.sleep | 0.001
ngx.timer.at | 0 | function() end
ngx.timer.every | 10 | function() end
ngx.worker.id
ngx.worker.count
ngx.worker.exiting
get_var | 'uri'
get_var | 'nosuch'
set_var | 'foo' | 'x'
set_var | 'uri' | 'x'
set_ctx | {}
ngx.re.match | 'hello 12' | '(?<n>[0-9])' | 'jo' | {pos = 4}
ngx.re.match | 'h' | 'h' | 'q'
ngx.re.find | 'hello' | 'l(l)' | 'jo' | {pos = 2} | 1
ngx.re.sub | 'hello' | 'l' | 'L$0' | 'jo'
ngx.re.gsub | 'hello' | '(l)' | '${1}a$$'
ngx.re.gsub | 'hello' | 'l' | function(m) return m[0] .. 'x' end
dict:get | 'k'
dict:get | 'list'
dict:get_stale | 'k'
dict:set | 'k' | 1 | 0.5 | 7
dict:safe_set | 'k' | 'v'
dict:add | 'k2' | 'v'
dict:safe_add | 'k2' | 'v'
dict:replace | 'k' | 'v' | -1
dict:delete | 'k'
dict:incr | 'n' | 1
dict:incr | 'none' | 1 | 0 | 0.5
dict:lpush | 'list' | 'v'
dict:rpop | 'list'
dict:llen | 'k'
dict:ttl | 'k'
dict:expire | 'k' | 1
dict:flush_expired | 1
ngx.socket.connect | '127.0.0.1' | port | {pool = 'x', pool_size = 1}
ngx.socket.connect | '127.0.0.1' | port | {backlog = -1}
new:settimeout | 100
new:settimeouts | 1 | 2 | 3
new:send | 'x'
new:receive | 5
new:receiveany | 5
new:receiveuntil | 'x' | {inclusive = true}
new:close
new:setkeepalive | 100 | 5
new:getreusedtimes
new:setoption | 'keepalive' | true
new:sslhandshake | nil | 'x' | true
closed:send | 'x'
closed:receive | 5
closed:setoption | 'nosuch' | 1
closed:setkeepalive
connected:send | {'GET /o HTTP/1.0', {'\r\n\r\n'}}
connected:receive | 5
connected:receive | '*x'
connected:receiveuntil | 'x'
connected:setoption | 'keepalive' | true
connected:setkeepalive
ngx.thread.spawn | function() return 1 end
ngx.thread.wait | ngx.thread.spawn(function() return 1, 2 end)
ngx.thread.kill | ngx.thread.spawn(function() ngx.sleep(1) end)
coroutine.resume | coroutine.create(function(a) return a end) | 1
semaphore:post | 1
semaphore:wait | 0.001
semaphore:count
require('ngx.balancer').set_current_peer | '127.0.0.1' | 80
require('ngx.balancer').set_more_tries | 1
require('ngx.balancer').set_timeouts | 1 | 1 | 1
require('ngx.ssl').clear_certs
require('ngx.ssl').server_name
require('ngx.ssl').set_cert | nil
]]

-- Names that calls use.
local HEAD = [[
local text, port = ...
local dict = ngx.shared.dogs
local function set_header(n, v) ngx.header[n] = v return ngx.header[n] end
local function get_header(n) return ngx.header[n] end
local function set_status(n) ngx.status = n return ngx.status end
local function get_var(n) return ngx.var[n] end
local function set_var(n, v) ngx.var[n] = v return ngx.var[n] end
local function set_ctx(v) ngx.ctx = v return ngx.ctx end
local new, closed, connected, semaphore
if text:find "^new:" then new = ngx.socket.tcp() end
if text:find "^closed:" then
    closed = ngx.socket.tcp() closed:connect("127.0.0.1", port) closed:close()
end
if text:find "^connected:" then
    connected = ngx.socket.tcp() connected:settimeout(300)
    assert(connected:connect("127.0.0.1", port))
    connected:send("GET /o HTTP/1.0\r\n\r\n")
end
if text:find "^semaphore:" then
    semaphore = require("ngx.semaphore").new(1)
end
dict:flush_all() dict:flush_expired() dict:set("k", "v") dict:set("n", 5)
dict:rpush("list", "a")
return ]]

local _M = {}

local questions, seen = {}, {}

local function add(name, args)
    local text = name .. "(" .. concat(args, ", ") .. ")"
    if not seen[text] then
        seen[text] = true
        questions[#questions + 1] = text
    end
end

for line in CALLS:gmatch("[^\n]+") do
    local all = {}
    for part in (line .. " | "):gmatch("(.-) | ") do
        all[#all + 1] = part
    end
    local name, args = all[1], { unpack(all, 2) }
    add(name, args)
    for n = 0, #args - 1 do
        add(name, { unpack(args, 1, n) })
    end
    for i = 1, #args + 1 do
        for _, odd in ipairs(ODD) do
            local other = { unpack(args) }
            other[i] = odd
            add(name, other)
        end
    end
end

_M.questions = questions

local function show(value, depth)
    local kind = type(value)
    if kind == "string" then
        return string.format("%q", value)
    elseif kind == "number" or kind == "boolean" or kind == "nil" then
        return tostring(value)
    elseif kind == "table" and depth < 4 then
        local list = {}
        for k, v in pairs(value) do
            list[#list + 1] = show(k, depth + 1) .. "=" .. show(v, depth + 1)
        end
        sort(list)
        return "{" .. concat(list, ",") .. "}"
    end
    return kind
end

-- The i-th question's answer becomes a line of the file `path`.
function _M.ask(phase, i, path, port)
    local text = questions[i]
    local call = assert(loadstring(HEAD .. text, "=question"))
    local all = { pcall(call, text, port) }
    for k = 1, maxn(all) do
        all[k] = show(all[k], 0)
    end
    local file = assert(io.open(path, "a"))
    file:write(phase, "\t", i, "\t",
               (concat(all, " | "):gsub("[%c]", "~")), "\n")
    file:close()
end

return _M
