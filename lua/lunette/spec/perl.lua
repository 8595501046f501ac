-- lunette/spec/perl.lua -- Perl expressions in specs
--
-- `eval` sections and preambles are Perl; this evaluates the part of it that
-- specs are written in, in a world of their own per file. Results leave as:
-- strings, nil, regex objects, { kind = "array", n }, { kind = "hash", map,
-- keys }, { kind = "code", fn }. What can't be evaluated throws a text that
-- begins with "Perl:"; nothing is ever guessed.
--
-- SPDX-License-Identifier: BSD-2-Clause

local statement = require "lunette.spec.perl.statement"
local scope = require "lunette.spec.perl.scope"
local eval = require "lunette.spec.perl.eval"
local value = require "lunette.spec.perl.value"

local error, pcall, type = error, pcall, type

local _M = { value = value }

-- A new world. `environment` gives the value of %ENV's names; what is written
-- there goes to on_env(name, value).
function _M.world(environment, on_env)
    local world = scope.new()
    local env = value.hash()

    setmetatable(env.map, { __index = environment })
    env.on_set = function (name, new)
        on_env(name, value.text(new))
    end
    world:declare("%ENV", env)
    world:declare("$0", "spec.t")
    world:declare("$@", "")
    world:declare("$/", "\n")
    world:declare("@INC", value.array())
    world:declare("@_", value.array())
    return world
end

-- Numbers are texts outside.
local function export(result)
    if type(result) == "number" then
        return value.text(result)
    end
    if type(result) == "table" and (result.kind == "array"
                                    or result.kind == "list")
    then
        local out = { kind = "array", n = result.n }
        for i = 1, result.n do
            out[i] = export(result[i])
        end
        return out
    end
    if type(result) == "table" and result.kind == "hash" then
        local out = { kind = "hash", map = {}, keys = result.keys }
        for name, item in pairs(result.map) do
            out.map[name] = export(item)
        end
        return out
    end
    return result
end

local function explain(err)
    if type(err) == "table" then
        err = err.perl or ("stray " .. tostring(err.jump))
    end
    return "Perl: " .. err
end

local function protected(fn, ...)
    local ok, result = pcall(fn, ...)

    if not ok then
        error(explain(result), 0)
    end
    return result
end

-- The value of a text: that of its last statement. Lists become arrays when
-- they have several items.
function _M.eval(text, world)
    return protected(function ()
        local list = eval.list(statement.program(text), world:child())

        if list.n > 1 then
            return export(list)
        end
        return export(list[1])
    end)
end

-- Calls a code value with Lua strings; its exported result.
function _M.call(code, ...)
    local args = value.list(...)

    return protected(function ()
        local result = code.fn(args)

        if type(result) == "table" and result.kind == "list" then
            return export(result[result.n])
        end
        return export(result)
    end)
end

-- Runs a preamble statement by statement. Returns notes on what was skipped.
function _M.preamble(text, world)
    local list, notes = statement.lenient(text)

    for _, node in ipairs(list) do
        local ok, err = pcall(eval.list, node, world)
        if not ok then
            notes[#notes + 1] = type(err) == "table"
                                and (err.perl or "stray jump") or err
        end
    end
    return notes
end

return _M
