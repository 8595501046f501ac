-- lunette/spec/perl/flow.lua -- Perl's blocks, conditions and loops
--
-- And map, grep and sort, which are loops too. `next` and `last` arrive here
-- as thrown jumps. Installs its readings into eval.lua's tables.
--
-- SPDX-License-Identifier: BSD-2-Clause

local value = require "lunette.spec.perl.value"

local text, number, truth = value.text, value.number, value.truth
local error, pcall, type = error, pcall, type

-- Far above what a spec needs: a loop that never ends must not hang it.
local MAX_STEPS = 1000000

local _M = {}

local function statements(LIST, eval)
    local scalar, list, flat = eval.scalar, eval.list, eval.flat

    local function each_statement(node, env)
        local inner = node.bare and env or env:child()
        local result = { kind = "list", n = 0 }

        for _, statement in ipairs(node.list) do
            result = list(statement, inner)
        end
        return result
    end

    LIST.block = each_statement

    LIST["do"] = function (node, env)
        return each_statement(node.body, env)
    end

    LIST["if"] = function (node, env)
        if truth(scalar(node[1], env)) then
            return list(node[2], env)
        end
        return node[3] and list(node[3], env) or { kind = "list", n = 0 }
    end

    function LIST.nop()
        return { kind = "list", n = 0 }
    end

    -- One turn of a loop; false when it was left with `last`.
    local function turn(body, env)
        local root = env.root

        root.steps = root.steps + 1
        if root.steps > MAX_STEPS then
            value.fail("a loop that does not end")
        end
        local ok, err = pcall(list, body, env)
        if ok or (type(err) == "table" and err.jump == "next") then
            return true
        end
        if type(err) == "table" and err.jump == "last" then
            return false
        end
        error(err, 0)
    end

    -- The array whose elements the loop's variable stands for, if one.
    local function aliased(items, env)
        local only = #items == 1 and items[1]
        local op = only and only.op

        if op == "list" then
            return aliased(only.items, env)
        end
        return (op == "array" or op == "deref_a") and list(only, env) or nil
    end

    function LIST.foreach(node, env)
        local items, array = flat(node.items, env), aliased(node.items, env)
        local name = "$" .. node.name

        for i = 1, items.n do
            local inner = env:child()
            inner:declare(name, items[i])
            local again = turn(node.body, inner)
            if array then
                array[i] = inner.vars[name]
            end
            if not again then
                break
            end
        end
        return { kind = "list", n = 0 }
    end

    function LIST.loop(node, env)
        local inner = env:child()

        if node.first then
            list(node.first, inner)
        end
        while not node.test or truth(scalar(node.test, inner)) do
            if not turn(node.body, inner) then
                break
            end
            if node.after then
                list(node.after, inner)
            end
        end
        return { kind = "list", n = 0 }
    end
end

local function over_lists(SCALAR, LIST, eval)
    local scalar, list, flat = eval.scalar, eval.list, eval.flat

    local function over(node, env, take)
        local items, out = flat(node.args, env), { kind = "list", n = 0 }

        for i = 1, items.n do
            local inner = env:child()
            inner:declare("$_", items[i])
            take(out, items[i], inner)
        end
        return out
    end

    function LIST.map(node, env)
        return over(node, env, function (out, _, inner)
            value.extend(out, list(node.code, inner))
        end)
    end

    function LIST.grep(node, env)
        return over(node, env, function (out, item, inner)
            if truth(scalar(node.code, inner)) then
                value.push(out, item)
            end
        end)
    end

    function SCALAR.grep(node, env)
        return LIST.grep(node, env).n
    end

    function LIST.sort(node, env)
        local items, out = flat(node.args, env), { kind = "list" }

        for i = 1, items.n do
            out[i] = items[i]
        end
        out.n = items.n
        table.sort(out, function (a, b)
            if not node.code then
                return text(a) < text(b)
            end
            local inner = env:child()
            inner:declare("$a", a)
            inner:declare("$b", b)
            return number(scalar(node.code, inner)) < 0
        end)
        return out
    end
end

function _M.install(SCALAR, LIST, eval)
    statements(LIST, eval)
    over_lists(SCALAR, LIST, eval)
end

return _M
