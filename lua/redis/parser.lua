-- parser.lua -- redis.parser: texts of Redis' protocol made and read, for who
-- speaks to it by other ways than a cosocket.
--
-- Nothing here yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local concat = table.concat
local error, floor, select, tonumber, tostring, type =
    error, math.floor, select, tonumber, tostring, type
local find, sub = string.find, string.sub
local null = ngx.null

-- Kinds of replies.
local BAD, STATUS, ERROR, INTEGER, BULK, MULTI = 0, 1, 2, 3, 4, 5

local MOST_DEPTH = 100             -- lists in lists

local _M = {
    _VERSION = "0.13",
    null = null,
    BAD_REPLY = BAD,
    STATUS_REPLY = STATUS,
    ERROR_REPLY = ERROR,
    INTEGER_REPLY = INTEGER,
    BULK_REPLY = BULK,
    MULTI_BULK_REPLY = MULTI,
}

local names = {
    [BAD] = "bad reply",
    [STATUS] = "status reply",
    [ERROR] = "error reply",
    [INTEGER] = "integer reply",
    [BULK] = "bulk reply",
    [MULTI] = "multi-bulk reply",
}

function _M.typename(kind)
    return names[kind]
end

-- --- reading ---

-- Readers return the value, its kind, and where the next reply begins; of a
-- bad one why, BAD and the end. `line` is what stands behind the first byte.
local readers = {}

local function bad(text, what)
    return "bad " .. what .. " reply", BAD, #text + 1
end

local function read(text, at, depth)
    if at > #text then
        return "empty reply", BAD, at
    end
    local reader = readers[sub(text, at, at)]
    if not reader then
        return "invalid reply", BAD, #text + 1
    end
    local stop = find(text, "\r\n", at + 1, true)
    if not stop then
        return bad(text, reader.what)
    end
    return reader.read(text, sub(text, at + 1, stop - 1), stop + 2, depth)
end

readers["+"] = { what = "status", read = function (_, line, next_at)
    return line, STATUS, next_at
end }

readers["-"] = { what = "error", read = function (_, line, next_at)
    return line, ERROR, next_at
end }

-- A whole number, or nil.
local function number_of(line)
    return find(line, "^[+-]?%d+$") and tonumber(line) or nil
end

readers[":"] = { what = "integer", read = function (text, line, next_at)
    local n = number_of(line)
    if not n then
        return bad(text, "integer")
    end
    return n, INTEGER, next_at
end }

readers["$"] = { what = "bulk", read = function (text, line, next_at)
    local len = number_of(line)
    if not len then
        return bad(text, "bulk")
    end
    if len < 0 then
        return nil, BULK, next_at
    end
    if len > #text - next_at - 1
       or sub(text, next_at + len, next_at + len + 1) ~= "\r\n"
    then
        return bad(text, "bulk")
    end
    return sub(text, next_at, next_at + len - 1), BULK, next_at + len + 2
end }

readers["*"] = { what = "multi bulk", read = function (text, line, at, depth)
    local n = number_of(line)
    -- An item has at least four bytes: no list is longer than its text.
    if not n or n > #text / 4 or depth > MOST_DEPTH then
        return bad(text, "multi bulk")
    end
    if n < 0 then
        return nil, MULTI, at
    end
    local items = {}
    for i = 1, n do
        local item, kind
        item, kind, at = read(text, at, depth + 1)
        if kind == BAD then
            return bad(text, "multi bulk")
        end
        if item == nil then
            item = null
        end
        items[i] = item
    end
    return items, MULTI, at
end }

local function check_text(text, name)
    if type(text) == "number" then
        return tostring(text)
    end
    if type(text) ~= "string" then
        error("bad argument #1 to '" .. name .. "' (string expected, got "
              .. type(text) .. ")", 3)
    end
    return text
end

-- The value and its kind; of a BAD_REPLY why it is one.
function _M.parse_reply(...)
    if select("#", ...) ~= 1 then
        error("expected one argument but got " .. select("#", ...), 2)
    end
    local value, kind = read(check_text((...), "parse_reply"), 1, 1)
    return value, kind
end

-- A list of { value, kind }, n of them.
function _M.parse_replies(...)
    if select("#", ...) ~= 2 then
        error("expected two arguments but got " .. select("#", ...), 2)
    end
    local text, n = ...
    text = check_text(text, "parse_replies")
    n = tonumber(n)
    if not n or not (n >= 0) then
        error("bad argument #2 to 'parse_replies' (number expected)", 2)
    end
    local replies, at, i = {}, 1, 0
    while i < n do
        local value, kind
        value, kind, at = read(text, at, 1)
        i = i + 1
        replies[i] = { value, kind }
        if kind == BAD then
            break                  -- nobody knows where another begins
        end
    end
    return replies
end

-- --- making ---

local function text_of(value, i)
    local kind = type(value)
    if kind == "string" then
        return value
    end
    if kind == "number" then
        return value == floor(value) and ("%.0f"):format(value)
               or tostring(value)
    end
    if kind == "boolean" then
        return value and "1" or "0"
    end
    error("parameter " .. i .. " is not a string, number, redis.parser.null, "
          .. "or boolean value", 3)
end

-- A command and its arguments as they are sent.
function _M.build_query(args, ...)
    if select("#", ...) > 0 then
        error("expected one argument but got " .. select("#", ...) + 1, 2)
    end
    if type(args) ~= "table" then
        error("bad argument #1 to 'build_query' (table expected, got "
              .. type(args) .. ")", 2)
    end
    local n = #args
    if n == 0 then
        error("empty input param table", 2)
    end
    local parts = { "*" .. n .. "\r\n" }
    for i = 1, n do
        if args[i] == null then
            parts[i + 1] = "$-1\r\n"
        else
            local text = text_of(args[i], i)
            parts[i + 1] = "$" .. #text .. "\r\n" .. text .. "\r\n"
        end
    end
    return concat(parts)
end

return _M
