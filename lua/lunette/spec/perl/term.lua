-- lunette/spec/perl/term.lua -- the atoms of Perl expressions
--
-- Literals, quotes, variables, brackets, calls and what can follow them
-- (subscripts, arrows). Operators between them are parse.lua's. Each
-- function takes the parser (a scan with more methods) and gives a node.
--
-- SPDX-License-Identifier: BSD-2-Clause

local quote = require "lunette.spec.perl.quote"
local names = require "lunette.spec.perl.names"

local _M = {}

local function const(value)
    return { op = "const", value = value }
end

local function pattern_node(raw, open)
    if open == "'" then
        return const(raw)
    end
    return quote.interpolate(raw, true)
end

-- --- quote-like words ---

local QUOTES = {}

function QUOTES.q(p)
    return const(quote.single(p:delimited()))
end

function QUOTES.qq(p)
    return quote.interpolate((p:delimited()))
end

function QUOTES.qw(p)
    local items = {}

    for word in p:delimited():gmatch("%S+") do
        items[#items + 1] = const(word)
    end
    return { op = "list", items = items }
end

function QUOTES.qr(p)
    local raw, open = p:delimited()

    return { op = "qr", pattern = pattern_node(raw, open),
             flags = p:take("%a*") }
end

function QUOTES.m(p)
    local raw, open = p:delimited()

    return { op = "match", pattern = pattern_node(raw, open),
             flags = p:take("%a*") }
end

function QUOTES.s(p)
    local raw, open = p:delimited()
    local second, flags, replacement = p:second_half(open), nil, nil

    flags = p:take("%a*")
    if flags:find("e", 1, true) then
        replacement = quote.parse_expression(second)
    else
        replacement = quote.interpolate(second)
    end
    return { op = "subst", pattern = pattern_node(raw, open), flags = flags,
             replacement = replacement }
end

function QUOTES.tr(p)
    local raw, open = p:delimited()

    return { op = "trans", from = quote.single(raw, open),
             to = quote.single(p:second_half(open)), flags = p:take("%a*") }
end

QUOTES.y = QUOTES.tr

-- A quote-like operator, unless the word is a hash key or a function's name.
local function quote_like(p)
    local at = p.pos
    local word = p:take("[%a]+")

    if word and QUOTES[word] and not p:looks_at("[%w_]") then
        local space = p:take("%s*")
        local delimiter = p:peek()

        if delimiter ~= "" and delimiter:find("^[^%w%s_,;%)]")
           and not p:looks_at("=>") and not (delimiter == "=" and space ~= "")
           and not (delimiter == "#" and space ~= "")
        then
            return QUOTES[word](p)
        end
    end
    p.pos = at
    return nil
end

-- --- variables ---

-- What a `$`, `@` or `%` is followed by: a name, a block, or another `$`.
local function sigil_target(p)
    if p:peek() == "{" then
        local word = p:take("{%s*(%^?[%a_][%w_]*)%s*}")

        if word then
            return nil, word
        end
        p:expect("{")
        local node = p:expression()
        p:expect("}")
        return node
    end
    if p:take("%$") then
        local node, name = sigil_target(p)
        if name then
            return { op = "scalar", name = name }
        end
        return { op = "deref_s", node }
    end
    return nil, p:name() or p:take("[%d&!@/,;0]") or p:take("%^%u")
           or p:fail("no name of a variable")
end

local function scalar_or_element(p)
    local node, name = sigil_target(p)

    if p:peek() == "[" then
        local base = node and { op = "deref_a", node }
                     or { op = "array", name = name }
        return p:subscript(base, nil)
    end
    if p:peek() == "{" then
        local base = node and { op = "deref_h", node }
                     or { op = "hash", name = name }
        return p:subscript(nil, base)
    end
    return node and { op = "deref_s", node } or { op = "scalar", name = name }
end

local function array_or_slice(p)
    local node, name = sigil_target(p)

    if p:peek() == "[" or p:peek() == "{" then
        local keyed = p:peek() == "{"
        local kind = keyed and "h" or "a"
        p.pos = p.pos + 1
        local keys = p:expression()
        p:expect(keyed and "}" or "]")
        return { op = "slice", keyed = keyed, keys = keys,
                 base = node and { op = "deref_" .. kind, node }
                        or { op = keyed and "hash" or "array", name = name } }
    end
    return node and { op = "deref_a", node } or { op = "array", name = name }
end

local SIGILS = {}

SIGILS["$"] = function (p)
    if p:take("#{") then
        local node = p:expression()
        p:expect("}")
        return { op = "last_index", { op = "deref_a", node } }
    end
    if p:take("#%$") then
        return { op = "last_index",
                 { op = "deref_a", { op = "scalar", name = p:name() } } }
    end
    if p:looks_at("#[%a_]") then
        p.pos = p.pos + 1
        return { op = "last_index", { op = "array", name = p:name() } }
    end
    return scalar_or_element(p)
end

SIGILS["@"] = array_or_slice

SIGILS["%"] = function (p)
    local node, name = sigil_target(p)

    return node and { op = "deref_h", node } or { op = "hash", name = name }
end

SIGILS["&"] = function (p)
    local node, name = sigil_target(p)
    local code = node or { op = "code", name = name }

    if p:accept("(") then
        return { op = "invoke", code = code, args = p:list_until(")") }
    end
    return code
end

-- --- brackets ---

local BRACKETS = {}

BRACKETS["("] = function (p)
    local items = p:list_until(")")

    if p:peek() == "[" then
        p:expect("[")
        local keys = p:expression()
        p:expect("]")
        return { op = "list_slice", items = items, keys = keys }
    end
    return { op = "list", items = items, paren = true }
end

BRACKETS["["] = function (p)
    return { op = "anon_array", items = p:list_until("]") }
end

BRACKETS["{"] = function (p)
    return { op = "anon_hash", items = p:list_until("}") }
end

BRACKETS["<"] = function (p)
    if p:take("<") then
        local body, interpolates = p:heredoc()
        if body then
            return interpolates and quote.interpolate(body) or const(body)
        end
    end
    p:fail("cannot read a file here")
end

BRACKETS['"'] = function (p)
    p.pos = p.pos - 1
    return quote.interpolate((p:delimited()))
end

BRACKETS["'"] = function (p)
    p.pos = p.pos - 1
    return const(quote.single(p:delimited()))
end

BRACKETS["/"] = function (p)
    p.pos = p.pos - 1
    return QUOTES.m(p)
end

BRACKETS["`"] = function (p)
    p:fail("cannot run a command")
end

-- --- words ---

-- my $x, my ($x, @y)
local function declaration(p)
    local vars, paren = {}, p:accept("(")

    repeat
        p:skip()
        local sigil = p:take("[%$@%%]")
        if sigil then
            local kinds = { ["$"] = "scalar", ["@"] = "array", ["%"] = "hash" }
            vars[#vars + 1] = { op = kinds[sigil], name = p:name() }
        elseif p:accept_word("undef") then
            vars[#vars + 1] = { op = "skip" }
        end
    until not (paren and p:accept(","))
    if paren then
        p:expect(")")
    end
    return { op = "my", vars = vars, paren = paren ~= nil }
end

-- A block or an expression, then a list: map, grep, sort.
local function block_call(p, name)
    local paren, code = p:accept("("), nil

    p:skip()
    if p:peek() == "{" and (name ~= "map" or p:is_block()) then
        code = p:block()
        p:accept(",")
    elseif name ~= "sort" then
        code = p:assignment()
        p:expect(",")
    end
    return { op = name, code = code,
             args = paren and p:list_until(")") or p:open_list() }
end

local WORDS = {
    my = declaration, our = declaration, state = declaration,
    ["local"] = function (p) return { op = "local", p:term() } end,
    map = function (p) return block_call(p, "map") end,
    grep = function (p) return block_call(p, "grep") end,
    sort = function (p) return block_call(p, "sort") end,
    sub = function (p) return { op = "anon_sub", body = p:block() } end,
    ["do"] = function (p) return { op = "do", body = p:block() } end,
    ["return"] = function (p)
        return { op = "return", items = p:open_list() }
    end,
    next = function () return { op = "jump", to = "next" } end,
    last = function () return { op = "jump", to = "last" } end,
    __PACKAGE__ = function () return const("main") end,
}

-- The arguments of a call by name, with or without parentheses.
local function call(p, name)
    p:take("[ \t]*")
    if p:peek() == "(" then
        p.pos = p.pos + 1
        return { op = "call", name = name, args = p:list_until(")") }
    end
    if names.NULLARY[name] then
        return { op = "call", name = name, args = {} }
    end
    if names.UNARY[name] then
        local args = {}
        if not p:ends_operand() then
            args[1] = p:operand()
        end
        return { op = "call", name = name, args = args }
    end
    return { op = "call", name = name, args = p:open_list() }
end

local function word(p)
    local at = p.pos
    local name = p:name()

    if not name then
        p:fail("cannot read this")
    end
    if p:looks_at("%s*=>") then
        return const(name)
    end
    if p:looks_at("%s*%->") and not p:looks_at("%s*%->%s*[%[{]")
       and not names.known(name)
    then
        return const(name)
    end
    name = name:gsub("^CORE::", ""):gsub("^main::", ""):gsub("^::", "")
    if WORDS[name] then
        return WORDS[name](p, at)
    end
    return call(p, name)
end

-- One atom, without what follows it.
function _M.atom(p)
    local number, c, node

    p:skip()
    c = p:peek()
    if c:find("^%d") or p:looks_at("%.%d") then
        number = p:number()
        return const(number)
    end
    if c == "-" and p:looks_at("%-[%a_][%w_]*%s*=>") then
        return const(p:take("%-[%a_][%w_]*"))
    end
    if SIGILS[c] then
        p.pos = p.pos + 1
        return SIGILS[c](p)
    end
    if BRACKETS[c] then
        p.pos = p.pos + 1
        return BRACKETS[c](p)
    end
    node = quote_like(p)
    return node or word(p)
end

return _M
