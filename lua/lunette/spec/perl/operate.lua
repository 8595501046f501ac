-- lunette/spec/perl/operate.lua -- Perl's operators
--
-- Arithmetic, comparison, logic, repetition, ranges, and the three that
-- work on patterns. Installs its readings into eval.lua's tables.
--
-- SPDX-License-Identifier: BSD-2-Clause

local value = require "lunette.spec.perl.value"
local regex = require "lunette.spec.regex"

local text, number, truth, bool = value.text, value.number, value.truth,
                                  value.bool
local type = type

local _M = {}

local function whole(n)
    return n < 0 and math.ceil(n) or math.floor(n)
end

local function order(a, b)
    return a < b and -1 or a > b and 1 or 0
end

local BINARY = {
    ["+"] = function (a, b) return number(a) + number(b) end,
    ["-"] = function (a, b) return number(a) - number(b) end,
    ["*"] = function (a, b) return number(a) * number(b) end,
    ["**"] = function (a, b) return number(a) ^ number(b) end,
    ["."] = function (a, b) return text(a) .. text(b) end,
    ["/"] = function (a, b)
        if number(b) == 0 then
            value.fail("division by zero")
        end
        return number(a) / number(b)
    end,
    ["%"] = function (a, b)
        if whole(number(b)) == 0 then
            value.fail("division by zero")
        end
        return whole(number(a)) % whole(number(b))
    end,
    ["<<"] = function (a, b) return whole(number(a)) * 2 ^ number(b) end,
    [">>"] = function (a, b)
        return math.floor(number(a) / 2 ^ number(b))
    end,
    ["&"] = function (a, b) return bit.band(number(a), number(b)) end,
    ["|"] = function (a, b) return bit.bor(number(a), number(b)) end,
    ["^"] = function (a, b) return bit.bxor(number(a), number(b)) end,
    ["=="] = function (a, b) return bool(number(a) == number(b)) end,
    ["!="] = function (a, b) return bool(number(a) ~= number(b)) end,
    ["<"] = function (a, b) return bool(number(a) < number(b)) end,
    [">"] = function (a, b) return bool(number(a) > number(b)) end,
    ["<="] = function (a, b) return bool(number(a) <= number(b)) end,
    [">="] = function (a, b) return bool(number(a) >= number(b)) end,
    ["<=>"] = function (a, b) return order(number(a), number(b)) end,
    ["eq"] = function (a, b) return bool(text(a) == text(b)) end,
    ["ne"] = function (a, b) return bool(text(a) ~= text(b)) end,
    ["lt"] = function (a, b) return bool(text(a) < text(b)) end,
    ["gt"] = function (a, b) return bool(text(a) > text(b)) end,
    ["le"] = function (a, b) return bool(text(a) <= text(b)) end,
    ["ge"] = function (a, b) return bool(text(a) >= text(b)) end,
    ["cmp"] = function (a, b) return order(text(a), text(b)) end,
    ["x"] = function (a, b)
        return text(a):rep(math.max(0, whole(number(b))))
    end,
}

_M.BINARY = BINARY

local function arithmetic(SCALAR, LIST, eval)
    local scalar, list = eval.scalar, eval.list

    function SCALAR.binary(node, env)
        return BINARY[node.name](scalar(node[1], env), scalar(node[2], env))
    end

    -- ("a") x 3 repeats a list, "a" x 3 a text.
    SCALAR["repeat"] = function (node, env)
        return BINARY.x(scalar(node[1], env), scalar(node[2], env))
    end

    LIST["repeat"] = function (node, env)
        if not node[1].paren then
            return value.list(SCALAR["repeat"](node, env))
        end
        local items, out = list(node[1], env), { kind = "list", n = 0 }
        for _ = 1, number(scalar(node[2], env)) do
            value.extend(out, items)
        end
        return out
    end

    function LIST.range(node, env)
        local from, to = scalar(node[1], env), scalar(node[2], env)
        local out = { kind = "list", n = 0 }

        if type(from) == "string" and from:find("^%a$") then
            for byte = from:byte(), text(to):byte() do
                value.push(out, string.char(byte))
            end
            return out
        end
        for n = number(from), number(to) do
            value.push(out, n)
        end
        return out
    end

    function SCALAR.negate(node, env)
        return -number(scalar(node[1], env))
    end

    function SCALAR.complement(node, env)
        return bit.bnot(number(scalar(node[1], env)))
    end
end

local function logic(SCALAR, LIST, eval)
    local scalar, list = eval.scalar, eval.list

    SCALAR["not"] = function (node, env)
        return bool(not truth(scalar(node[1], env)))
    end

    SCALAR["&&"] = function (node, env)
        local left = scalar(node[1], env)
        return truth(left) and scalar(node[2], env) or left
    end

    SCALAR["||"] = function (node, env)
        local left = scalar(node[1], env)
        if truth(left) then
            return left
        end
        return scalar(node[2], env)
    end

    SCALAR["//"] = function (node, env)
        local left = scalar(node[1], env)
        if left ~= nil then
            return left
        end
        return scalar(node[2], env)
    end

    SCALAR["ternary"] = function (node, env)
        return scalar(truth(scalar(node[1], env)) and node[2] or node[3], env)
    end

    LIST["ternary"] = function (node, env)
        return list(truth(scalar(node[1], env)) and node[2] or node[3], env)
    end
end

-- A pattern's object: a lone qr object stays what it is.
local function pattern_of(node, env, scalar)
    local parts = node.pattern.parts
    local found

    if parts and #parts == 1 and type(parts[1]) == "table" then
        found = scalar(parts[1], env)
    else
        found = scalar(node.pattern, env)
    end
    if regex.is(found) then
        return found:with(node.flags)
    end
    return regex.new(text(found), node.flags)
end

-- Replaces the first match, or all with /g; how many were.
local function substitute(re, subject, all, replacement)
    local out, at, count = {}, 1, 0

    while at <= #subject + 1 do
        local m, from, to = re:exec(subject, at)
        if not m then
            break
        end
        count = count + 1
        out[#out + 1] = subject:sub(at, from - 1)
        out[#out + 1] = replacement(m)
        at = to + 1
        if to < from then
            out[#out + 1] = subject:sub(at, at)
            at = at + 1
        end
        if not all then
            break
        end
    end
    out[#out + 1] = subject:sub(at)
    return table.concat(out), count
end

local function all_matches(re, subject)
    local out, at = { kind = "list", n = 0 }, 1

    while at <= #subject + 1 do
        local m, from, to = re:exec(subject, at)
        if not m then
            break
        end
        if #m == 0 then
            value.push(out, m[0])
        end
        for i = 1, #m do
            value.push(out, m[i] or nil)
        end
        at = to < from and to + 2 or to + 1
    end
    return out
end

local function patterns(SCALAR, LIST, eval)
    local scalar = eval.scalar
    local topic = { op = "scalar", name = "_" }

    function SCALAR.match(node, env)
        local subject = text(scalar(node.target or topic, env))
        local m = pattern_of(node, env, scalar):exec(subject)

        if m then
            env.root.matched = m
        end
        return bool(m)
    end

    function LIST.match(node, env)
        local subject = text(scalar(node.target or topic, env))
        local re = pattern_of(node, env, scalar)
        if node.flags:find("g", 1, true) then
            return all_matches(re, subject)
        end
        local m = re:exec(subject)
        local out = { kind = "list", n = 0 }
        if m then
            env.root.matched = m
            for i = 1, #m do
                value.push(out, m[i] or nil)
            end
            if #m == 0 then
                value.push(out, 1)
            end
        end
        return out
    end

    function SCALAR.subst(node, env)
        local target = node.target or topic
        local new, count = substitute(pattern_of(node, env, scalar),
            text(scalar(target, env)), node.flags:find("g", 1, true),
            function (m)
                env.root.matched = m
                return text(scalar(node.replacement, env))
            end)

        if node.flags:find("r", 1, true) then
            return new
        end
        eval.store(target, new, env)
        return count
    end

    function SCALAR.trans(node, env)
        local target = node.target or topic
        local from, to = eval.expand_set(node.from), eval.expand_set(node.to)
        local count = 0
        local new = text(scalar(target, env)):gsub(".", function (c)
            local at = from:find(c, 1, true)
            if not at then
                return nil
            end
            count = count + 1
            if node.flags:find("d", 1, true) and at > #to then
                return ""
            end
            return to == "" and c or to:sub(math.min(at, #to),
                                            math.min(at, #to))
        end)

        eval.store(target, new, env)
        return count
    end

    -- a-z in tr///
    function eval.expand_set(set)
        return (set:gsub("(.)%-(.)", function (a, b)
            local out = {}
            for byte = a:byte(), b:byte() do
                out[#out + 1] = string.char(byte)
            end
            return table.concat(out)
        end))
    end
end

function _M.install(SCALAR, LIST, eval)
    arithmetic(SCALAR, LIST, eval)
    logic(SCALAR, LIST, eval)
    patterns(SCALAR, LIST, eval)
end

return _M
