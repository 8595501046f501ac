-- lunette/spec/filters.lua -- what the words after a section's name do
--
-- `--- response_body eval chomp` sends the section's text through `eval`,
-- then `chomp`. Every section begins with `norm` and `trim`; `-trim` takes
-- one of these away. Filters that Test::Base has and specs do not use are
-- left out: asking for one is an error, not a silent pass.
--
-- SPDX-License-Identifier: BSD-2-Clause

local error, ipairs, tostring, type = error, ipairs, tostring, type

local _M = {}

local function list(items)
    items.kind = "array"
    items.n = #items
    return items
end

local function lines_of(text)
    local out = {}

    for line in text:gmatch("[^\n]*\n?") do
        if line ~= "" then
            out[#out + 1] = line
        end
    end
    return list(out)
end

local function each(value, fn)
    if type(value) == "table" and value.kind == "array" then
        local out = {}
        for i = 1, value.n do
            out[i] = fn(value[i])
        end
        return list(out)
    end
    return fn(value)
end

local function reversed(value)
    local out = {}

    for i = value.n, 1, -1 do
        out[#out + 1] = value[i]
    end
    return list(out)
end

local function head(value, count)
    local out = {}

    for i = 1, count do
        out[i] = value[i]
    end
    return list(out)
end

local function tail(value, count)
    local out = {}

    for i = value.n - count + 1, value.n do
        out[#out + 1] = value[i]
    end
    return list(out)
end

local function sorted(value)
    local out = {}

    for i = 1, value.n do
        out[i] = value[i]
    end
    table.sort(out)
    return list(out)
end

-- Backslash escapes as a quoted Perl string would have them.
local ESCAPES = { n = "\n", r = "\r", t = "\t", ["0"] = "\0", a = "\a",
                  f = "\f", e = "\27", ["\\"] = "\\" }

local function escape(text)
    text = text:gsub("\\x(%x%x)", function (hex)
        return string.char(tonumber(hex, 16))
    end)
    return (text:gsub("\\(.)", ESCAPES))
end

-- Each takes the value, the text after `=`, and what eval needs.
local FILTERS = {
    norm = function (v)
        return (v:gsub("\r\n", "\n"):gsub("\r", "\n"))
    end,
    trim = function (v)
        local before
        repeat
            before = v
            v = v:gsub("^[ \t]*\n", "")
        until v == before
        return (v:gsub("\n%s*$", "\n"))
    end,
    chomp = function (v)
        return each(v, function (s) return (s:gsub("\n$", "")) end)
    end,
    unchomp = function (v)
        return each(v, function (s) return s .. "\n" end)
    end,
    chop = function (v)
        return each(v, function (s) return s:sub(1, -2) end)
    end,
    append = function (v, arg)
        return each(v, function (s) return s .. escape(arg) end)
    end,
    lines = function (v) return lines_of(v) end,
    array = function (v) return type(v) == "table" and v or list { v } end,
    join = function (v, arg) return table.concat(v, escape(arg or "")) end,
    reverse = function (v) return reversed(v) end,
    sort = function (v) return sorted(v) end,
    head = function (v, arg) return head(v, tonumber(arg or 1)) end,
    tail = function (v, arg) return tail(v, tonumber(arg or 1)) end,
    escape = function (v) return escape(v) end,
    uc = function (v) return each(v, string.upper) end,
    lc = function (v) return each(v, string.lower) end,
    base64_encode = function (v) return ngx.encode_base64(v) end,
    base64_decode = function (v) return ngx.decode_base64(v) end,
    eval = function (v, _, ctx) return ctx.eval(v) end,
}

-- The value after all filters of `words` (a list of names). `ctx.eval(text)`
-- evaluates Perl. Throws, with the filter's name, on one we don't have.
function _M.apply(text, words, ctx)
    local off, value, chain = {}, text, { "norm", "trim" }

    for _, word in ipairs(words) do
        if word:sub(1, 1) == "-" then
            off[word:sub(2)] = true
        else
            chain[#chain + 1] = word
        end
    end
    for i, word in ipairs(chain) do
        local name, arg = word:match("^([%w_]+)=?(.*)$")
        local filter = FILTERS[name]

        if not filter then
            error("no such filter: " .. tostring(word), 0)
        end
        if i > 2 or not off[name] then
            value = filter(value, arg ~= "" and arg or nil, ctx)
        end
    end
    return value
end

return _M
