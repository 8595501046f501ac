-- lunette/spec/perl/places.lua -- Perl's functions that work on places
--
-- push changes an array, delete a hash, chomp a variable; defined and exists
-- must not evaluate what is not there. So they get nodes, not values.
--
-- SPDX-License-Identifier: BSD-2-Clause

local value = require "lunette.spec.perl.value"
local assign = require "lunette.spec.perl.assign"
local regex = require "lunette.spec.regex"

local text, bool = value.text, value.bool

local SPECIAL = {}

-- eval.lua's readings and funcs.lua's split, once they have installed us.
local eval, plain_split

local _M = { special = SPECIAL }

local function array_arg(node, env)
    local first = node.args[1]

    if not first then
        return env:container("@", "_")
    end
    if first.op == "array" then
        return env:container("@", first.name, true)
    end
    return assign.array_of(eval.list(first, env))
end

local function rest_args(node, env)
    local rest = {}

    for i = 2, #node.args do
        rest[#rest + 1] = node.args[i]
    end
    return eval.flat(rest, env)
end

function SPECIAL.push(node, env)
    local array = array_arg(node, env)

    value.extend(array, rest_args(node, env))
    return array.n
end

function SPECIAL.unshift(node, env)
    local array, new = array_arg(node, env), rest_args(node, env)

    for i = array.n, 1, -1 do
        array[i + new.n] = array[i]
    end
    for i = 1, new.n do
        array[i] = new[i]
    end
    array.n = array.n + new.n
    return array.n
end

function SPECIAL.pop(node, env)
    local array = array_arg(node, env)
    local last = array[array.n]

    array[array.n], array.n = nil, math.max(array.n - 1, 0)
    return last
end

function SPECIAL.shift(node, env)
    local array = array_arg(node, env)
    local first = array[1]

    for i = 1, array.n do
        array[i] = array[i + 1]
    end
    array.n = math.max(array.n - 1, 0)
    return first
end

local function edited(pattern)
    return function (node, env)
        local target = node.args[1] or { op = "scalar", name = "_" }
        if target.op == "my" or target.op == "assign" then
            eval.scalar(target, env)
            target = target.op == "assign" and target[1] or target
            target = target.op == "my" and target.vars[1] or target
        end
        local old = text(eval.scalar(target, env))
        eval.store(target, (old:gsub(pattern, "")), env)
        return 1
    end
end

SPECIAL.chomp = edited("\n$")
SPECIAL.chop = edited(".$")

function SPECIAL.defined(node, env)
    local target = node.args[1] or { op = "scalar", name = "_" }

    if target.op == "code" then
        return bool(env.root.functions[target.name])
    end
    if target.op == "scalar" and not env:find("$" .. target.name) then
        return ""
    end
    return bool(eval.scalar(target, env) ~= nil)
end

function SPECIAL.exists(node, env)
    return bool(eval.scalar(node.args[1], env) ~= nil)
end

function SPECIAL.delete(node, env)
    local target = node.args[1]

    if target.op ~= "key" then
        value.fail("delete of what is no key")
    end
    return value.delete_key(assign.hash_at(target.base, env),
                            text(eval.scalar(target.key, env)))
end

function SPECIAL.scalar(node, env)
    return eval.scalar(node.args[1], env)
end

local function hash_arg(node, env)
    local target = node.args[1]

    if target.op == "hash" or target.op == "deref_h" then
        return assign.hash_at(target, env)
    end
    return assign.hash_of(eval.scalar(target, env))
end

function SPECIAL.keys(node, env, want_list)
    local keys = hash_arg(node, env).keys

    return want_list and value.list(unpack(keys)) or #keys
end

function SPECIAL.values(node, env)
    local hash, out = hash_arg(node, env), { kind = "list", n = 0 }

    for _, key in ipairs(hash.keys) do
        value.push(out, hash.map[key])
    end
    return out
end

-- split's first argument is a pattern that is not matched now.
function SPECIAL.split(node, env)
    local pattern = node.args[1]
    local args = { n = 0 }

    if pattern.op == "match" then
        value.push(args, regex.new(text(eval.scalar(pattern.pattern, env)),
                                   pattern.flags))
    else
        value.push(args, eval.scalar(pattern, env))
    end
    value.push(args, eval.scalar(node.args[2] or { op = "scalar", name = "_" },
                                 env))
    value.push(args, node.args[3] and eval.scalar(node.args[3], env))
    return plain_split(args)
end

function _M.install(with, split)
    eval, plain_split = with, split
end

return _M
