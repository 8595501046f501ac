-- lunette/dap_values.lua -- the debugger: a Lua value as a line, and what is
-- inside a table; nothing here calls a metamethod of the user's
--
-- SPDX-License-Identifier: BSD-2-Clause

local concat, sort = table.concat, table.sort
local floor = math.floor
local getinfo = debug.getinfo
local getmetatable = debug.getmetatable
local next, pcall, rawget, tostring, type =
    next, pcall, rawget, tostring, type

local _M = {}

-- Bytes of a string, items of a table's line, values that are shown at a time.
local LONGEST, PREVIEW, MOST = 1000, 5, 200

local ESCAPES = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t",
                  ['"'] = '\\"', ["\\"] = "\\\\" }

local function escape(c)
    return ESCAPES[c] or ("\\%d"):format(c:byte())
end


-- What is no UTF-8 has no place in JSON: such a text is shown byte by byte.
local function is_utf8(text)
    local at, size = 1, #text

    while at <= size do
        local from, to = text:find("^[%z\1-\127]+", at)

        if not from then
            from, to = text:find("^[\194-\223][\128-\191]", at)
        end

        if not from then
            from, to = text:find("^[\224-\239][\128-\191][\128-\191]", at)
        end

        if not from then
            from, to = text:find("^[\240-\244]" .. ("[\128-\191]"):rep(3), at)
        end

        if not from then
            return false
        end

        at = to + 1
    end

    return true
end


-- A text for JSON, whatever is in it.
function _M.clean(text)
    return is_utf8(text) and text
           or (text:gsub("[^\32-\126\n]", escape))
end


local function quote(text, most)
    local cut = #text > most and text:sub(1, most) or text

    cut = is_utf8(cut) and cut:gsub('[%c"\\]', escape)
          or cut:gsub('[^\32-\126]', escape):gsub('"', '\\"')

    if #text > most then
        return ('"%s"... (%d bytes)'):format(cut, #text)
    end

    return '"' .. cut .. '"'
end


-- tostring() without __tostring, which userdata and tables may have.
local function address(value)
    local mt = getmetatable(value)

    if type(mt) == "table" and next(mt) ~= nil and type(value) ~= "cdata" then
        return ("%s: %p"):format(type(value), value)
    end

    local ok, text = pcall(tostring, value)
    return ok and text or type(value)
end


local function function_text(fn)
    local info = getinfo(fn, "S")

    if info.what == "C" then
        return "function (C)"
    end

    return ("function %s:%d"):format(info.short_src, info.linedefined)
end


local line_of

local function key_text(key)
    if type(key) == "string" and key:find "^[%a_][%w_]*$" then
        return key
    end

    return "[" .. line_of(key, true) .. "]"
end


local function table_line(t)
    local words, n = {}, #t

    for i = 1, n > PREVIEW and PREVIEW or n do
        words[i] = line_of(rawget(t, i), true)
    end

    for key, value in next, t do
        if #words == PREVIEW then
            words[#words + 1] = "..."
            break
        end

        if type(key) ~= "number" or key < 1 or key > n or key ~= floor(key) then
            words[#words + 1] = key_text(key) .. " = " .. line_of(value, true)
        end
    end

    return "{" .. concat(words, ", ") .. "}"
end


-- A value in one line; `inside` another one's.
function line_of(value, inside)
    local kind = type(value)

    if kind == "string" then
        return quote(value, inside and 40 or LONGEST)
    end

    if kind == "table" then
        return inside and (next(value) == nil and "{}" or "{...}")
               or table_line(value)
    end

    if kind == "function" then
        return _M.clean(function_text(value))
    end

    if kind == "number" or kind == "boolean" or kind == "nil" then
        return tostring(value)
    end

    return _M.clean(address(value))
end

_M.line, _M.key = line_of, key_text

-- Numbers by size, then strings by name, then the rest.
local ORDER = { number = 1, string = 2 }

local function before(a, b)
    local x, y = ORDER[type(a)] or 3, ORDER[type(b)] or 3

    if x ~= y then
        return x < y
    end

    if x == 3 then
        return tostring(type(a)) < tostring(type(b))
    end

    return a < b
end


-- Keys of a table from the `from`th on, at most MOST, and the number of the
-- first that is left out, or nil.
function _M.keys(t, from)
    local keys, out = {}, {}

    for key in next, t do
        keys[#keys + 1] = key
    end

    sort(keys, before)

    for i = from, #keys < from + MOST - 1 and #keys or from + MOST - 1 do
        out[#out + 1] = keys[i]
    end

    return out, #keys >= from + MOST and from + MOST or nil, #keys
end


-- Whether there is more to see than the line.
function _M.opens(value)
    return type(value) == "table"
           and (next(value) ~= nil or getmetatable(value) ~= nil)
end

return _M
