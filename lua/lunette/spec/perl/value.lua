-- lunette/spec/perl/value.lua -- Perl's values, as Lua has them
--
-- undef is nil, scalars are strings and numbers, references are tables with
-- a `kind`: array (1 .. n), hash (map, and keys in order of insertion), code
-- (fn), ref (get, set), regex (regex.lua). A list in flight has kind "list".
--
-- SPDX-License-Identifier: BSD-2-Clause

local error, tonumber, type = error, tonumber, type
local floor, format = math.floor, string.format

local _M = {}

function _M.fail(what)
    error({ perl = what }, 0)
end

function _M.list(...)
    return { kind = "list", n = select("#", ...), ... }
end

function _M.array(items)
    items = items or {}
    items.kind = "array"
    items.n = items.n or #items
    return items
end

function _M.hash()
    return { kind = "hash", map = {}, keys = {} }
end

function _M.code(fn)
    return { kind = "code", fn = fn }
end

function _M.push(list, value)
    list.n = list.n + 1
    list[list.n] = value
end

function _M.extend(list, more)
    for i = 1, more.n do
        list[list.n + i] = more[i]
    end
    list.n = list.n + more.n
end

function _M.set_key(hash, key, value)
    if hash.map[key] == nil then
        for _, known in ipairs(hash.keys) do
            if known == key then
                hash.map[key] = value
                return
            end
        end
        hash.keys[#hash.keys + 1] = key
    end
    hash.map[key] = value
end

function _M.delete_key(hash, key)
    local old = hash.map[key]

    hash.map[key] = nil
    for i, known in ipairs(hash.keys) do
        if known == key then
            table.remove(hash.keys, i)
            break
        end
    end
    return old
end

-- Perl's spelling of a number: integers without a fraction, 15 digits.
local function number_text(n)
    if n ~= n then
        return "NaN"
    end
    if n == floor(n) and n > -1e15 and n < 1e15 then
        return format("%d", n)
    end
    return (format("%.15g", n):gsub("e([+-])(%d)$", "e%10%2"))
end

function _M.text(value)
    if value == nil then
        return ""
    end
    if type(value) == "string" then
        return value
    end
    if type(value) == "number" then
        return number_text(value)
    end
    if value.kind == "regex" then
        return value:inner()
    end
    _M.fail("a reference (" .. value.kind .. ") is used as text")
end

-- The number at the start of a text, as Perl takes it: 0 if there is none.
function _M.number(value)
    if type(value) == "number" then
        return value
    end
    if value == nil then
        return 0
    end
    local text = _M.text(value)
    return tonumber(text:match("^%s*([+-]?%d+%.?%d*[eE][+-]?%d+)")
                    or text:match("^%s*([+-]?%d+%.?%d*)")
                    or text:match("^%s*([+-]?%.%d+)")) or 0
end

function _M.truth(value)
    return value ~= nil and value ~= "" and value ~= 0 and value ~= "0"
end

function _M.bool(condition)
    return condition and 1 or ""
end

return _M
