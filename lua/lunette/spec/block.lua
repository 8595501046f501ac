-- lunette/spec/block.lua -- a block while it runs: its sections' values
--
-- A section's text goes through its filters when it is first asked for;
-- then $TEST_NGINX_* names in it are replaced. Preprocessors of the file may
-- set values before that. Asking for a value can throw: the filter or the
-- expression is then what fails the block.
--
-- SPDX-License-Identifier: BSD-2-Clause

local filters = require "lunette.spec.filters"
local sections = require "lunette.spec.sections"
local regex = require "lunette.spec.regex"
local perl = require "lunette.spec.perl"

local error, type = error, type

local Block = {}
Block.__index = Block

local _M = {}

-- `parsed` from parse.lua; `world` evaluates; `expand(text)` replaces names.
function _M.new(parsed, world, expand)
    return setmetatable({
        name = parsed.name, line = parsed.line, parsed = parsed,
        world = world, expand = expand, values = {}, known = {},
    }, Block)
end

local function expanded(value, expand)
    if type(value) == "string" then
        return (expand(value))
    end
    if regex.is(value) then
        local source = expand(value.source)
        return source == value.source and value
               or regex.new(source, value.flags)
    end
    if type(value) == "table" and value.kind == "array" then
        local out = { kind = "array", n = value.n }
        for i = 1, value.n do
            out[i] = expanded(value[i], expand)
        end
        return out
    end
    return value
end

local function filtered(self, section)
    local ctx = {
        eval = function (text) return perl.eval(text, self.world) end,
    }
    local ok, result = pcall(filters.apply, section.text, section.filters, ctx)

    if not ok then
        error("--- " .. section.name .. ": " .. tostring(result), 0)
    end
    return result
end

function Block:has(name)
    return self.known[name] or self.parsed.by_name[name] ~= nil
end

-- The value of a section, nil if the block does not have it. A section
-- that is there with no value is "" (or nil, if its expression says undef).
function Block:value(name)
    local section = self.parsed.by_name[name]

    if not self.known[name] and section then
        self.known[name] = true
        self.values[name] = expanded(filtered(self, section), self.expand)
    end
    return self.values[name]
end

-- A text, or nil: for sections that can't be lists.
function Block:text(name)
    local value = self:value(name)

    if value ~= nil and type(value) ~= "string" then
        error("--- " .. name .. " must be text", 0)
    end
    return value
end

-- Seconds, or with "ms"; nil if there is no such section.
function Block:msec(name)
    local text = self:text(name)
    local number, unit

    if not text or text:find("^%s*$") then
        return nil
    end
    number, unit = text:match("^%s*([%d.]+)%s*(m?s?)%s*$")
    if not tonumber(number) then
        error("--- " .. name .. ": not a time: " .. text, 0)
    end
    return unit == "ms" and tonumber(number) or tonumber(number) * 1000
end

function Block:set(name, value)
    self.known[name] = true
    self.values[name] = expanded(value, self.expand)
end

-- What preprocessors see as $block.
function Block:object()
    local function methods(name, args)
        if name == "set_value" then
            self:set(args[1], type(args[2]) == "number"
                              and perl.value.text(args[2]) or args[2])
            return nil
        elseif name == "name" then
            return self.name
        end
        return self:value(name)
    end
    return { kind = "object", methods = methods }
end

-- The first section that nobody knows, or nil.
function Block:unknown()
    for _, section in ipairs(self.parsed.sections) do
        if not sections.known(section.name) then
            return section.name
        end
    end
end

-- Why the block can't be checked, or nil: unknown sections, no checks.
-- `lenient`: the file is Test::Nginx's, where the status is always checked
-- and names that nobody knows are the file's own, or switched off.
function Block:complaint(lenient)
    local checks, unknown = lenient, self:unknown()

    if unknown and not lenient then
        return "unknown section --- " .. unknown
    end
    for name in pairs(sections.check) do
        checks = checks or self:has(name)
    end
    if not checks then
        return "a test that cannot fail: no section of it checks anything"
    end
    return nil
end

-- The reason of the first section that this runner can't serve, or nil.
-- What systemtap would see is left unseen, as without it in Test::Nginx; a
-- block that looks at nothing else has no use here.
function Block:lacking()
    local traced, checks = false, false

    for _, section in ipairs(self.parsed.sections) do
        local name = section.name
        if sections.without[name] then
            return sections.without[name]
        end
        traced = traced or sections.traced[name]
        checks = checks or sections.check[name]
    end
    return traced and not checks and "no systemtap here" or nil
end

return _M
