-- lunette/spec/perl/quote.lua -- what stands between Perl's quotes
--
-- 'text' knows two escapes. "text" has escapes and variables; it becomes a
-- node { op = "join", parts }, each part a string or an expression. Patterns
-- have variables but keep their backslashes for the regex engine.
--
-- SPDX-License-Identifier: BSD-2-Clause

local scan = require "lunette.spec.perl.scan"

local char, tonumber = string.char, tonumber

local _M = {}

-- Set by parse.lua, which needs this room too.
_M.parse_expression = nil

local SIMPLE = {
    n = "\n", r = "\r", t = "\t", a = "\a", e = "\27", f = "\f", b = "\b",
}

local CASES = { U = "uc", L = "lc", Q = "quotemeta" }

-- 'text': only its delimiters and the backslash can be shielded; `open` is the
-- first of them.
function _M.single(raw, open)
    local shielded = "\\" .. open .. (scan.closers[open] or "")
    return (raw:gsub("\\(.)", function (c)
        return shielded:find(c, 1, true) and c or nil
    end))
end

-- A code point as UTF-8; one byte below 256, as Perl prints it.
local function code_point(n)
    if n < 0x100 then
        return char(n)
    end
    if n < 0x800 then
        return char(0xC0 + math.floor(n / 64), 0x80 + n % 64)
    end
    if n < 0x10000 then
        return char(0xE0 + math.floor(n / 4096),
                    0x80 + math.floor(n / 64) % 64, 0x80 + n % 64)
    end
    return char(0xF0 + math.floor(n / 262144),
                0x80 + math.floor(n / 4096) % 64,
                0x80 + math.floor(n / 64) % 64, 0x80 + n % 64)
end

-- After a backslash in "...": the bytes it stands for.
local function escape(s)
    local hex = s:take("x{%s*(%x*)%s*}")

    if hex then
        return code_point(tonumber(hex, 16) or 0)
    end
    hex = s:take("x(%x?%x?)")
    if hex then
        return char(tonumber(hex, 16) or 0)
    end
    local octal = s:take("[0-7][0-7]?[0-7]?")
    if octal then
        return char(tonumber(octal, 8) % 256)
    end
    local control = s:take("c(.)")
    if control then
        return char((control:upper():byte() + 64) % 128)
    end
    local c = s:take(".") or s:take("\n") or "\\"
    return SIMPLE[c] or c
end

-- Whether the bracket here indexes the variable before it, or is text.
local function is_index(s, in_pattern)
    local inside = s.text:match("^%[([^%]]*)%]", s.pos)

    if not inside then
        return false
    end
    if in_pattern then
        return inside:find("^%-?%d+$") ~= nil or inside:find("^%$[%a_]") ~= nil
    end
    return inside:find("^%-?%d+$") ~= nil or inside:find("^[%$#]") ~= nil
end

local function is_key(s, in_pattern)
    local inside = s.text:match("^{([^}]*)}", s.pos)

    if not inside then
        return false
    end
    return not (in_pattern and inside:find("^%d*,?%d*$"))
end

-- Over the subscripts that follow a variable in a text.
local function over_subscripts(s, in_pattern)
    while true do
        local at = s.pos

        if s:looks_at("%->[%[{]") then
            s.pos = s.pos + 2
        end
        if (s:peek() == "[" and is_index(s, in_pattern))
           or (s:peek() == "{" and is_key(s, in_pattern))
        then
            s:delimited()
        else
            s.pos = at
            return
        end
    end
end

-- The source of the variable at a sigil, or nil when the sigil is text.
local function variable(s, in_pattern)
    local from = s.pos
    local sigil = s:take("[%$@]")

    if s:peek() == "{" then
        s:delimited()
    else
        while s:take("%$") do
            -- $$ref
        end
        if not s:name() and not (sigil == "$" and s:take("[%d&]")) then
            s.pos = from
            return nil
        end
    end
    over_subscripts(s, in_pattern)
    return s.text:sub(from, s.pos - 1)
end

local function add(parts, piece)
    local last = #parts

    if type(piece) == "string" and type(parts[last]) == "string" then
        parts[last] = parts[last] .. piece
    else
        parts[last + 1] = piece
    end
end

-- ${name} and @{name} are the variables of that name.
local function expression(source)
    source = source:gsub("^([%$@]){(%^?[%a_:][%w_:]*)}", "%1%2")
    return _M.parse_expression(source)
end

local interpolate

-- \U...\E and its like: the rest up to \E is a text of its own.
local function cased(s, letter, in_pattern)
    local stop = s.text:find("\\E", s.pos, true)
    local inner = s.text:sub(s.pos, (stop or #s.text + 1) - 1)

    s.pos = stop and stop + 2 or #s.text + 1
    return {
        op = "call", name = CASES[letter], args = {
            interpolate(inner, in_pattern and letter ~= "Q"),
        },
    }
end

local function backslash(s, parts, in_pattern)
    local letter = s:take("\\([ULQ])")

    if letter then
        add(parts, cased(s, letter, in_pattern))
    elseif s:take("\\E") then
        return
    elseif in_pattern then
        add(parts, s:take("\\.") or s:take("\\\n") or s:take("\\"))
    else
        s.pos = s.pos + 1
        add(parts, escape(s))
    end
end

-- In a pattern `$` before `)`, `|`, or the end is an anchor.
local function sigil(s, parts, in_pattern)
    local source = variable(s, in_pattern)

    if source then
        local node = expression(source)
        if source:sub(1, 1) == "@" then
            node = { op = "spaced", node }
        end
        add(parts, node)
    else
        add(parts, s:peek())
        s.pos = s.pos + 1
    end
end

-- A node for the raw text of "..." or of a pattern.
function interpolate(raw, in_pattern)
    local s, parts = scan.new(raw), {}

    while not s:at_end() do
        local plain = s:take("[^\\%$@]+")

        if plain then
            add(parts, plain)
        elseif s:peek() == "\\" then
            backslash(s, parts, in_pattern)
        else
            sigil(s, parts, in_pattern)
        end
    end
    return { op = "join", parts = parts }
end

_M.interpolate = interpolate

return _M
