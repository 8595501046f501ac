-- lunette/spec/perl/assign.lua -- Perl's places: what can be written to
--
-- Assignment to scalars, elements, keys, lists and whole containers, with
-- the containers that writing brings into being.
--
-- SPDX-License-Identifier: BSD-2-Clause

local value = require "lunette.spec.perl.value"
local operate = require "lunette.spec.perl.operate"

local text, number, truth = value.text, value.number, value.truth
local type = type

local _M = {}

-- eval.lua's, once it has installed us.
local scalar, list

function _M.array_of(ref)
    if type(ref) == "table" and (ref.kind == "array" or ref.kind == "list")
    then
        return ref
    end
    value.fail("not a reference to an array")
end

function _M.hash_of(ref)
    if type(ref) == "table" and ref.kind == "hash" then
        return ref
    end
    value.fail("not a reference to a hash")
end

-- The hash a node names; nil when it leads through undef.
function _M.hash_at(node, env)
    if node.op == "hash" then
        return env:container("%", node.name)
    end
    local ref = scalar(node[1], env)
    if ref == nil then
        return nil
    end
    return _M.hash_of(ref)
end

-- The container to write into, made if need be.
local function container(node, env)
    if node.op == "array" then
        return env:container("@", node.name, true)
    elseif node.op == "hash" then
        return env:container("%", node.name, true)
    end
    local ref = scalar(node[1], env)
    if ref == nil then
        ref = node.op == "deref_a" and value.array() or value.hash()
        _M.store(node[1], ref, env)
    end
    return ref
end

local function fill_array(array, items)
    for i = 1, math.max(array.n, items.n) do
        array[i] = items[i]
    end
    array.n = items.n
end

local function fill_hash(hash, items)
    hash.map, hash.keys = {}, {}
    for i = 1, items.n, 2 do
        value.set_key(hash, text(items[i]), items[i + 1])
    end
end

local function copy(items)
    local out = { kind = "list", n = items.n }

    for i = 1, items.n do
        out[i] = items[i]
    end
    return out
end

local STORE = {}

STORE["scalar"] = function (node, new, env)
    env:set("$" .. node.name, new)
end

function STORE.elem(node, new, env)
    local array = _M.array_of(container(node.base, env))
    local at = number(scalar(node.index, env))

    at = at < 0 and array.n + at + 1 or at + 1
    array[at] = new
    array.n = math.max(array.n, at)
end

function STORE.key(node, new, env)
    local hash = _M.hash_of(container(node.base, env))
    local key = text(scalar(node.key, env))

    value.set_key(hash, key, new)
    if hash.on_set then
        hash.on_set(key, new)
    end
end

function STORE.my(node, new, env)
    local var = node.vars[1]

    env:declare("$" .. var.name, new)
end

STORE["local"] = function (node, new, env)
    _M.store(node[1], new, env)
end

function STORE.skip()
end

-- One value into one place.
function _M.store(node, new, env)
    local put = STORE[node.op]

    if not put then
        value.fail("cannot assign to " .. node.op)
    end
    put(node, new, env)
end

local SIGIL = { array = "@", hash = "%" }

local function declare(vars, env)
    for _, var in ipairs(vars) do
        if var.op == "scalar" then
            env:declare("$" .. var.name, nil)
        elseif var.op ~= "skip" then
            env:declare(SIGIL[var.op] .. var.name,
                        var.op == "array" and value.array() or value.hash())
        end
    end
end

-- A list into several places; an array or hash takes all that is left.
local function store_list(targets, items, env)
    local at = 1

    for _, target in ipairs(targets) do
        if SIGIL[target.op] or target.op == "deref_a"
           or target.op == "deref_h"
        then
            local rest = { kind = "list", n = 0 }
            for i = at, items.n do
                value.push(rest, items[i])
            end
            local place = container(target, env)
            if place.kind == "hash" then
                fill_hash(place, rest)
            else
                fill_array(place, rest)
            end
            return
        end
        _M.store(target, items[at], env)
        at = at + 1
    end
end

local PLURAL = { array = true, hash = true, deref_a = true, deref_h = true }

-- The places of a list assignment, or nil when one scalar is assigned.
local function targets_of(node)
    if node.op == "local" then
        return targets_of(node[1])
    end
    if node.op == "list" and node.paren then
        return node.items
    end
    if node.op == "my" and (node.paren or PLURAL[node.vars[1].op]) then
        return node.vars
    end
    return PLURAL[node.op] and { node } or nil
end

local function combined(kind, node, env)
    local old = scalar(node[1], env)

    if kind == "||" then
        return truth(old) and old or scalar(node[2], env)
    elseif kind == "//" then
        return old == nil and scalar(node[2], env) or old
    elseif kind == "&&" then
        return truth(old) and scalar(node[2], env) or old
    end
    return operate.BINARY[kind](old, scalar(node[2], env))
end

local function assign_list(targets, node, env)
    local items = copy(list(node[2], env))

    if node[1].op == "my" then
        declare(targets, env)
    end
    store_list(targets, items, env)
    return items
end

function _M.install(SCALAR, LIST, eval)
    scalar, list = eval.scalar, eval.list
    eval.store = _M.store

    function SCALAR.my(node, env)
        declare(node.vars, env)
    end

    function LIST.my(node, env)
        declare(node.vars, env)
        return { kind = "list", n = 0 }
    end

    SCALAR["local"] = function (node, env)
        return scalar(node[1], env)
    end

    function SCALAR.assign(node, env)
        local targets = node.kind == "" and targets_of(node[1])

        if targets then
            return assign_list(targets, node, env).n
        end
        local new = node.kind == "" and scalar(node[2], env)
        if node.kind ~= "" then
            new = combined(node.kind, node, env)
        end
        _M.store(node[1], new, env)
        return new
    end

    function SCALAR.step(node, env)
        local old = number(scalar(node[1], env))

        _M.store(node[1], old + node.by, env)
        return node.after and old or old + node.by
    end
end

return _M
