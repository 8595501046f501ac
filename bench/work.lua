-- work.lua -- what a request of bench/run does with libraries: the same Lua for
-- both servers, each with its own cjson and resty.lrucache.
--
-- SPDX-License-Identifier: BSD-2-Clause

local cjson = require "cjson"
local lrucache = require "resty.lrucache"

local concat, say = table.concat, ngx.say

local _M = {}

-- About 10 KB as JSON.
local list = {}
for i = 1, 100 do
    list[i] = { id = i, name = "an item of number " .. i, price = i * 1.25,
                tags = { "red", "large", "in \"stock\"" }, sold = i % 2 == 0 }
end
local text = cjson.encode(list)

function _M.encode()
    say(#cjson.encode(list))
end

function _M.decode()
    say(#cjson.decode(text))
end

-- 100 reads and 10 writes; every second key is there.
local cache = assert(lrucache.new(1000))
for i = 1, 200, 2 do
    cache:set("key" .. i, i)
end
local keys = {}
for i = 1, 100 do
    keys[i] = "key" .. i
end

function _M.lrucache()
    local found = 0
    for i = 1, 100 do
        if cache:get(keys[i]) then
            found = found + 1
        end
    end
    for i = 1, 20, 2 do
        cache:set(keys[i], i, 60)
    end
    say(found)
end

-- A template: text with {{names}}, compiled to a function once.
local entities = { ["<"] = "&lt;", [">"] = "&gt;", ["&"] = "&amp;",
                   ['"'] = "&quot;" }

local function compile(template)
    local parts = { "local row, escape, out, n = ...\n" }
    local at = 1
    while true do
        local from, to, name = template:find("{{(%w+)}}", at)
        parts[#parts + 1] = ("n = n + 1 out[n] = %q\n"):format(
            template:sub(at, from and from - 1))
        if not from then
            break
        end
        parts[#parts + 1] = ("n = n + 1 out[n] = escape(row.%s)\n"):format(name)
        at = to + 1
    end
    parts[#parts + 1] = "return n\n"
    return assert(loadstring(concat(parts)))
end

local function escape(value)
    return (tostring(value):gsub("[<>&\"]", entities))
end

local row = compile("<tr><td>{{id}}</td><td>{{name}}</td><td>{{price}}</td>"
                    .. "</tr>\n")

function _M.template()
    local out, n = { "<table>\n" }, 1
    for i = 1, 100 do
        n = row(list[i], escape, out, n)
    end
    out[n + 1] = "</table>"
    say(concat(out))
end

return _M
