-- lunette/spec/perl/pack.lua -- pack() and unpack() for the usual letters
--
-- a A Z H h (texts), C c (bytes), n N v V (16 and 32 bits), S s L l Q q as
-- little-endian machines have them, w left out. A count or `*` after each.
--
-- SPDX-License-Identifier: BSD-2-Clause

local value = require "lunette.spec.perl.value"

local text, number = value.text, value.number
local char, floor = string.char, math.floor

local _M = {}

-- bytes, most significant first
local INTEGERS = {
    C = { 1 }, c = { 1 }, U = { 1 },
    n = { 2, true }, N = { 4, true }, v = { 2 }, V = { 4 },
    S = { 2 }, s = { 2 }, L = { 4 }, l = { 4 }, I = { 4 }, i = { 4 },
    Q = { 8 }, q = { 8 },
}

local function integer(n, size, big)
    local out = {}

    n = floor(n)
    for i = 1, size do
        out[big and size - i + 1 or i] = char(n % 256)
        n = floor(n / 256)
    end
    return table.concat(out)
end

local function hex(digits)
    if #digits % 2 == 1 then
        digits = digits .. "0"
    end
    return (digits:gsub("%x%x", function (pair)
        return char(tonumber(pair, 16))
    end))
end

local function padded(s, count, pad)
    if count == "*" then
        return pad == "Z" and s .. "\0" or s
    end
    count = tonumber(count) or 1
    local fill = pad == "A" and " " or "\0"
    return s:sub(1, count) .. fill:rep(count - #s)
end

local function directives(template)
    return template:gsub("%s+", ""):gmatch("(%a)[<>!]?([%d%*]*)")
end

function _M.pack(args)
    local out, at = {}, 2

    for letter, count in directives(text(args[1])) do
        local format = INTEGERS[letter]

        if letter == "a" or letter == "A" or letter == "Z" then
            out[#out + 1] = padded(text(args[at]), count, letter)
            at = at + 1
        elseif letter == "H" then
            local digits = text(args[at])
            out[#out + 1] = hex(count == "*" and digits
                                or digits:sub(1, tonumber(count) or 1))
            at = at + 1
        elseif letter == "x" then
            out[#out + 1] = ("\0"):rep(tonumber(count) or 1)
        elseif format then
            local times = count == "*" and args.n - at + 1
                          or tonumber(count) or 1
            for _ = 1, times do
                out[#out + 1] = integer(number(args[at]), format[1],
                                        format[2])
                at = at + 1
            end
        else
            value.fail("pack has no letter " .. letter)
        end
    end
    return table.concat(out)
end

local function read_integer(s, at, size, big)
    local n = 0

    for i = 0, size - 1 do
        local byte = s:byte(big and at + i or at + size - 1 - i) or 0
        n = n * 256 + byte
    end
    return n
end

function _M.unpack(args)
    local s, at, out = text(args[2]), 1, { kind = "list", n = 0 }

    for letter, count in directives(text(args[1])) do
        local format = INTEGERS[letter]
        local left = #s - at + 1

        if letter == "a" or letter == "A" then
            local size = count == "*" and left or tonumber(count) or 1
            value.push(out, s:sub(at, at + size - 1))
            at = at + size
        elseif letter == "H" then
            local digits = s:sub(at):gsub(".", function (c)
                return ("%02x"):format(c:byte())
            end)
            value.push(out, count == "*" and digits
                       or digits:sub(1, tonumber(count) or 1))
            at = #s + 1
        elseif format then
            local times = count == "*" and floor(left / format[1])
                          or tonumber(count) or 1
            for _ = 1, times do
                value.push(out, read_integer(s, at, format[1], format[2]))
                at = at + format[1]
            end
        else
            value.fail("unpack has no letter " .. letter)
        end
    end
    return out
end

return _M
