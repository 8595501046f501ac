-- lunette/spec/expect.lua -- comparing what came with what was expected
--
-- The two shapes that all checks share: "this text", where the expectation
-- may also be a qr object, and "these patterns in some line of a log". Each
-- failure is a heading and lines that explain it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local diff = require "lunette.spec.diff"
local regex = require "lunette.spec.regex"

local error, type = error, type

local Report = {}
Report.__index = Report

local _M = {}

function _M.report()
    return setmetatable({ failures = {} }, Report)
end

function Report:fail(what, lines)
    self.failures[#self.failures + 1] = { what = what, lines = lines or {} }
end

function Report:ok()
    return #self.failures == 0
end

-- `expected` is a text or a pattern.
function Report:same(what, got, expected)
    got = got or ""
    if regex.is(expected) then
        self:like(what, got, expected)
    elseif got ~= expected then
        self:fail(what, diff.texts(expected, got))
    end
end

function Report:like(what, got, pattern)
    if not pattern:test(got or "") then
        self:fail(what .. " does not match", {
            "pattern: " .. pattern:show(),
            "    got: " .. diff.visible(got or ""),
        })
    end
end

function Report:unlike(what, got, pattern)
    if pattern:test(got or "") then
        self:fail(what .. " matches, but must not", {
            "pattern: " .. pattern:show(),
            "    got: " .. diff.visible(got or ""),
        })
    end
end

-- The expectation for request `index`. Several requests want a list.
function _M.indexed(block, name, index, many)
    local value = block:value(name)

    if type(value) == "table" and value.kind == "array" then
        return value[index]
    end
    if many and value ~= nil then
        error("--- " .. name .. " must be a list: there are several requests",
              0)
    end
    return value
end

-- A pattern object of a text or pattern, with more flags.
function _M.pattern(value, flags)
    if regex.is(value) then
        return value:with(flags)
    end
    return regex.new(value or "", flags)
end

-- Texts and patterns of a log section: a text is one per line.
function _M.patterns(value)
    local out = {}

    if type(value) == "string" then
        for line in value:gmatch("[^\n]+") do
            out[#out + 1] = line
        end
    elseif regex.is(value) then
        out[1] = value
    elseif type(value) == "table" and value.kind == "array" then
        for i = 1, value.n do
            out[#out + 1] = value[i]
        end
    end
    return out
end

function _M.matches(line, pattern)
    if regex.is(pattern) then
        return pattern:test(line)
    end
    return line:find(pattern, 1, true) ~= nil
end

function _M.show(pattern)
    return regex.is(pattern) and pattern:show()
           or "\"" .. diff.visible(pattern) .. "\""
end

-- Whether any of the patterns speaks of `text`.
function _M.mentions(patterns, text)
    for _, pattern in ipairs(patterns) do
        local source = regex.is(pattern) and pattern.source:gsub("\\", "")
                       or pattern
        if source:find(text, 1, true) then
            return true
        end
    end
    return false
end

-- Those of `patterns` that no line matches.
function _M.missing(patterns, lines)
    local out = {}

    for _, pattern in ipairs(patterns) do
        local found = false
        for _, line in ipairs(lines) do
            found = found or _M.matches(line, pattern)
        end
        if not found then
            out[#out + 1] = pattern
        end
    end
    return out
end

return _M
