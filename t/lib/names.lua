-- names.lua -- a name server for blocks, in the server under test:
--
--     server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
--              content_by_lua_block { require("names").serve() } }
--
-- What it knows is a text, one record a line, which requests change:
--
--     a.test A 127.0.0.1
--     _http._tcp.a.test SRV 1 5 8080 a.test      priority weight port host
--     fail                                       it does not want to, today
--     code 5                                     all it answers is that
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local _M = {}

local TYPES = { [1] = "A", [33] = "SRV" }

local function path()
    return ngx.config.prefix() .. "html/names"
end

local function put16(n)
    return string.char(math.floor(n / 256), n % 256)
end

local function put_name(name)
    return name:gsub("([^.]+)%.?", function (label)
        return string.char(#label) .. label
    end) .. "\0"
end

local DATA = {
    A = function (text)
        return (text:gsub("(%d+)%.?", function (n)
            return string.char(tonumber(n))
        end))
    end,
    SRV = function (text)
        local priority, weight, port, host =
            text:match("^(%d+) (%d+) (%d+) (%S+)$")
        return put16(tonumber(priority)) .. put16(tonumber(weight))
               .. put16(tonumber(port)) .. put_name(host)
    end,
}

-- The name asked for, the type, and the question as it came.
local function read_question(query)
    local labels, at = {}, 13
    while query:byte(at) ~= 0 do
        local n = query:byte(at)
        labels[#labels + 1] = query:sub(at + 1, at + n)
        at = at + n + 1
    end
    local kind = query:byte(at + 1) * 256 + query:byte(at + 2)
    return table.concat(labels, "."):lower(), TYPES[kind], query:sub(13, at + 4)
end

local function answers(text, name, kind)
    local found = {}
    for line in text:gmatch("[^\n]+") do
        local who, what, data = line:match("^%s*(%S+) (%S+) (.-)%s*$")
        if who == name and what == kind then
            data = DATA[kind](data)
            found[#found + 1] = "\xc0\x0c\0" .. string.char(kind == "A" and 1
                or 33) .. "\0\1\0\0\0\1" .. put16(#data) .. data
        end
    end
    return found
end

function _M.serve()
    local query = assert(ngx.req.socket():receive())
    local name, kind, question = read_question(query)
    local text = io.read(path()) or ""
    local found = answers(text, name, kind)
    local code = tonumber(text:match "^code (%d+)")
                 or text:find("fail", 1, true) and 2 or #found == 0 and 3 or 0

    ngx.print(query:sub(1, 2), "\x81", string.char(0x80 + code), "\0\1",
              put16(code == 0 and #found or 0), "\0\0\0\0", question,
              code == 0 and table.concat(found) or "")
end

-- From now on it knows this.
function _M.set(text)
    assert(io.write(path(), text))
end

-- Until an answer of `uri` is that, which should not take long.
function _M.await(uri, want)
    local body
    for _ = 1, 500 do
        body = ngx.location.capture(uri).body
        if body == want then
            return
        end
        ngx.sleep(0.02)
    end
    error("it is still " .. tostring(body), 2)
end

return _M
