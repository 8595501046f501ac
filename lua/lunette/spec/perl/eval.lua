-- lunette/spec/perl/eval.lua -- what Perl's nodes mean
--
-- Two readings of each node, as Perl has them: its scalar (one value) and
-- its list. A node without a list reading is a list of its scalar; one
-- without a scalar reading is its last item. Subs leave by throwing a jump.
--
-- SPDX-License-Identifier: BSD-2-Clause

local value = require "lunette.spec.perl.value"
local assign = require "lunette.spec.perl.assign"
local operate = require "lunette.spec.perl.operate"
local flow = require "lunette.spec.perl.flow"
local funcs = require "lunette.spec.perl.funcs"
local regex = require "lunette.spec.regex"

local text, number = value.text, value.number
local error, pcall, type = error, pcall, type

local SCALAR, LIST = {}, {}

local _M = {}

local function scalar(node, env)
    local read = SCALAR[node.op]

    if read then
        return read(node, env)
    end
    read = LIST[node.op] or value.fail("cannot do " .. node.op)
    local items = read(node, env)
    return items[items.n]
end

local function list(node, env)
    local read = LIST[node.op]

    if read then
        return read(node, env)
    end
    return value.list(scalar(node, env))
end

-- Every node's list, one after the other.
local function flat(nodes, env)
    local out = { kind = "list", n = 0 }

    for _, node in ipairs(nodes) do
        value.extend(out, list(node, env))
    end
    return out
end

_M.scalar, _M.list, _M.flat = scalar, list, flat

-- --- literals and variables ---

function SCALAR.const(node)
    return node.value
end

SCALAR["join"] = function (node, env)
    local out = {}

    for i, part in ipairs(node.parts) do
        out[i] = type(part) == "string" and part or text(scalar(part, env))
    end
    return table.concat(out)
end

-- @list inside a text: its items with spaces between.
function SCALAR.spaced(node, env)
    local out, items = {}, list(node[1], env)

    for i = 1, items.n do
        out[i] = text(items[i])
    end
    return table.concat(out, " ")
end

SCALAR["scalar"] = function (node, env)
    if node.name:find("^%d+$") or node.name == "&" then
        local m = env.root.matched
        return m and (m[node.name == "&" and 0 or number(node.name)] or nil)
    end
    return env:scalar(node.name)
end

function SCALAR.array(node, env)
    return env:container("@", node.name).n
end

function LIST.array(node, env)
    return env:container("@", node.name)
end

local function pairs_of(hash)
    local out = { kind = "list", n = 0 }

    for _, key in ipairs(hash.keys) do
        value.push(out, key)
        value.push(out, hash.map[key])
    end
    return out
end

function LIST.hash(node, env)
    return pairs_of(env:container("%", node.name))
end

function SCALAR.hash(node, env)
    return #env:container("%", node.name).keys
end

function SCALAR.code(node, env)
    return funcs.reference(node.name, env)
end

-- --- references ---

function SCALAR.deref_a(node, env)
    return assign.array_of(scalar(node[1], env)).n
end

function LIST.deref_a(node, env)
    return assign.array_of(scalar(node[1], env))
end

function LIST.deref_h(node, env)
    return pairs_of(assign.hash_of(scalar(node[1], env)))
end

function SCALAR.deref_s(node, env)
    local ref = scalar(node[1], env)

    if type(ref) ~= "table" or ref.kind ~= "ref" then
        value.fail("not a reference to a scalar")
    end
    return ref.get()
end

SCALAR["ref"] = function (node, env)
    local target = node[1]

    if target.op == "array" then
        return env:container("@", target.name)
    elseif target.op == "hash" then
        return env:container("%", target.name)
    elseif target.op == "code" or target.op == "anon_sub" then
        return scalar(target, env)
    end
    local fixed = scalar(target, env)
    return { kind = "ref", get = function () return fixed end }
end

function SCALAR.last_index(node, env)
    return list(node[1], env).n - 1
end

function SCALAR.elem(node, env)
    local items = list(node.base, env)
    local at = number(scalar(node.index, env))

    return items[at < 0 and items.n + at + 1 or at + 1]
end

function SCALAR.key(node, env)
    local hash = assign.hash_at(node.base, env)

    if not hash then
        return nil
    end
    return hash.map[text(scalar(node.key, env))]
end

function LIST.slice(node, env)
    local keys, out = list(node.keys, env), { kind = "list", n = 0 }
    local hash = node.keyed and assign.hash_at(node.base, env)
    local items = not node.keyed and list(node.base, env)

    for i = 1, keys.n do
        if hash then
            value.push(out, hash.map[text(keys[i])])
        else
            value.push(out, items[number(keys[i]) + 1])
        end
    end
    return out
end

function LIST.list_slice(node, env)
    local items, keys = flat(node.items, env), list(node.keys, env)
    local out = { kind = "list", n = 0 }

    for i = 1, keys.n do
        local at = number(keys[i])
        value.push(out, items[at < 0 and items.n + at + 1 or at + 1])
    end
    return out
end

function SCALAR.anon_array(node, env)
    return value.array(flat(node.items, env))
end

function SCALAR.anon_hash(node, env)
    local items, hash = flat(node.items, env), value.hash()

    for i = 1, items.n, 2 do
        value.set_key(hash, text(items[i]), items[i + 1])
    end
    return hash
end

LIST["list"] = function (node, env)
    return flat(node.items, env)
end

-- --- code ---

-- A sub's body run with its arguments; a list or, wanted so, one value.
local function run_body(body, env, args)
    local inner = env:child()

    inner:declare("@_", value.array(args))
    local ok, result = pcall(list, body, inner)
    if ok then
        return result
    end
    if type(result) == "table" and result.jump == "return" then
        return result.items
    end
    error(result, 0)
end

function SCALAR.anon_sub(node, env)
    return value.code(function (args)
        return run_body(node.body, env, args)
    end)
end

function SCALAR.sub(node, env)
    env.root.functions[node.name] = function (args)
        return run_body(node.body, env, args)
    end
end

local function as_list(result)
    if type(result) == "table" and result.kind == "list" then
        return result
    end
    return value.list(result)
end

local function last_of(result)
    if type(result) == "table" and result.kind == "list" then
        return result[result.n]
    end
    return result
end

local function invoke(node, env)
    local code = scalar(node.code, env)

    if type(code) ~= "table" or code.kind ~= "code" then
        value.fail("not a sub")
    end
    return code.fn(flat(node.args, env))
end

function LIST.invoke(node, env)
    return as_list(invoke(node, env))
end

function SCALAR.invoke(node, env)
    return last_of(invoke(node, env))
end

function LIST.call(node, env)
    return as_list(funcs.call(node, env, true))
end

function SCALAR.call(node, env)
    return last_of(funcs.call(node, env, false))
end

-- Methods exist on the objects the runner hands out: a preprocessor's block.
function SCALAR.method(node, env)
    local object = scalar(node.object, env)
    local methods = type(object) == "table" and object.methods

    if not methods then
        value.fail("no method " .. node.name)
    end
    return methods(node.name, flat(node.args, env))
end

SCALAR["return"] = function (node, env)
    error({ jump = "return", items = flat(node.items, env) }, 0)
end

function SCALAR.jump(node)
    error({ jump = node.to }, 0)
end

-- --- the rest is in rooms of its own ---

function SCALAR.qr(node, env)
    return regex.new(text(scalar(node.pattern, env)), node.flags)
end

flow.install(SCALAR, LIST, _M)
operate.install(SCALAR, LIST, _M)
assign.install(SCALAR, LIST, _M)
funcs.install(_M)

return _M
