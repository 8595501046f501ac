-- lunette/spec/perl/parse.lua -- Perl expressions and statements, as nodes
--
-- A parser of the part of Perl that specs are written in: precedence
-- climbing over the table below, atoms from term.lua. What it does not know
-- it refuses, naming the place; the block that needed it then fails.
--
-- SPDX-License-Identifier: BSD-2-Clause

local scan = require "lunette.spec.perl.scan"
local quote = require "lunette.spec.perl.quote"
local term = require "lunette.spec.perl.term"

local setmetatable, getmetatable = setmetatable, getmetatable

-- Longest first where one begins another. level, right-associative.
local BINARY = {
    { "**", 16, true }, { "=~", 14 }, { "!~", 14 },
    { "*", 13 }, { "/", 13 }, { "%", 13 }, { "x", 13, word = true },
    { "+", 12 }, { "-", 12 }, { ".", 12 }, { "<<", 11 }, { ">>", 11 },
    { "<=>", 8 }, { "<=", 9 }, { ">=", 9 }, { "<", 9 }, { ">", 9 },
    { "lt", 9, word = true }, { "gt", 9, word = true },
    { "le", 9, word = true }, { "ge", 9, word = true },
    { "==", 8 }, { "!=", 8 }, { "eq", 8, word = true },
    { "ne", 8, word = true }, { "cmp", 8, word = true },
    { "&", 7 }, { "|", 6 }, { "^", 6 },
    { "&&", 5 }, { "||", 4 }, { "//", 4 }, { "..", 3 },
}

table.sort(BINARY, function (a, b) return #a[1] > #b[1] end)

local NAMED_UNARY = 10
local ASSIGN = { "**=", "||=", "&&=", "//=", "<<=", ">>=", ".=", "+=", "-=",
                 "*=", "/=", "%=", "x=", "|=", "&=", "^=", "=" }

local Scan = getmetatable(scan.new(""))
local Parser = setmetatable({}, { __index = Scan })
Parser.__index = Parser

local _M = {}

-- --- what follows an atom ---

-- [index] or {key} of an array or a hash; a bare word in braces is a key.
function Parser:subscript(array, hash)
    if self:accept("[") then
        local index = self:expression()
        self:expect("]")
        return { op = "elem", base = array, index = index }
    end
    self:expect("{")
    local word = self:take("%s*(%-?[%a_][%w_]*)%s*}")
    if word then
        return { op = "key", base = hash,
                 key = { op = "const", value = word } }
    end
    local key = self:expression()
    self:expect("}")
    return { op = "key", base = hash, key = key }
end

local function arrow(p, node)
    p:skip()
    if p:peek() == "[" or p:peek() == "{" then
        return p:subscript({ op = "deref_a", node }, { op = "deref_h", node })
    end
    if p:accept("(") then
        return { op = "invoke", code = node, args = p:list_until(")") }
    end
    if p:take("@%*") then
        return { op = "deref_a", node }
    end
    local name = p:name() or p:fail("no method")
    return { op = "method", object = node, name = name,
             args = p:peek() == "(" and p:accept("(") and p:list_until(")")
                    or {} }
end

local SUBSCRIPTED = { elem = true, key = true, method = true, invoke = true }

function Parser:term()
    local node = term.atom(self)

    while true do
        local at = self.pos
        self:skip()
        if self:take("%->") then
            node = arrow(self, node)
        elseif SUBSCRIPTED[node.op] and self:looks_at("[%[{]")
               and at == self.pos
        then
            node = self:subscript({ op = "deref_a", node },
                                  { op = "deref_h", node })
        elseif SUBSCRIPTED[node.op] and node.op ~= "method"
               and at == self.pos and self:take("%(")
        then
            node = { op = "invoke", code = node, args = self:list_until(")") }
        elseif self:take("%+%+") then
            node = { op = "step", by = 1, after = true, node }
        elseif self:take("%-%-") then
            node = { op = "step", by = -1, after = true, node }
        else
            self.pos = at
            return node
        end
    end
end

-- --- operators ---

local PREFIX = {
    { "!", function (n) return { op = "not", n } end },
    { "\\", function (n) return { op = "ref", n } end },
    { "~", function (n) return { op = "complement", n } end },
    { "++", function (n) return { op = "step", by = 1, n } end },
    { "--", function (n) return { op = "step", by = -1, n } end },
    { "-", function (n) return { op = "negate", n } end },
    { "+", function (n) return n end },
}

function Parser:unary()
    self:skip()
    for _, entry in ipairs(PREFIX) do
        if not self:looks_at("%-[%a_][%w_]*%s*=>")
           and not self:looks_at("!~") and self:accept(entry[1])
        then
            if entry[1] == "-" and self:looks_at("[efdrwxsz]%s+[%$'\"]") then
                return { op = "call", name = "-" .. self:take("%a"),
                         args = { self:operand() } }
            end
            return entry[2](self:binary(15))
        end
    end
    return self:term()
end

-- The binary operator here, not moved over.
local function operator(p)
    p:skip()
    for _, entry in ipairs(BINARY) do
        local text = entry[1]
        if p:peek(#text) == text
           and not (entry.word and p.text:find("^[%w_]", p.pos + #text)
                    and not (text == "x" and p:looks_at("x%d")))
           and not (entry.word and p:looks_at("%a+%s*=>"))
           and not p:looks_at("=>")
        then
            return entry
        end
    end
    return nil
end

local function is_assignment(p)
    for _, text in ipairs(ASSIGN) do
        if p:peek(#text) == text then
            local after = p.text:sub(p.pos + #text, p.pos + #text)
            if text ~= "=" or (after ~= "=" and after ~= "~" and after ~= ">")
            then
                return text
            end
        end
    end
    return nil
end

local function combine(text, left, right)
    if text == "&&" or text == "||" or text == "//" then
        return { op = text, left, right }
    end
    if text == "=~" or text == "!~" then
        if right.op ~= "match" and right.op ~= "subst" and right.op ~= "trans"
        then
            right = { op = "match", pattern = right, flags = "" }
        end
        right.target = left
        return text == "!~" and { op = "not", right } or right
    end
    if text == ".." then
        return { op = "range", left, right }
    end
    if text == "x" then
        return { op = "repeat", left, right }
    end
    return { op = "binary", name = text, left, right }
end

function Parser:binary(least)
    local left = self:unary()

    while true do
        local at = self.pos
        local entry = operator(self)
        if not entry or entry[2] < least or is_assignment(self) then
            self.pos = at
            return left
        end
        self.pos = self.pos + #entry[1]
        left = combine(entry[1], left,
                       self:binary(entry[3] and entry[2] or entry[2] + 1))
    end
end

-- One operand of a named unary operator: defined $x && ...
function Parser:operand()
    return self:binary(NAMED_UNARY)
end

function Parser:ends_operand()
    self:skip()
    return self:at_end() or self:looks_at("[;%)%]},:?=]")
           or self:looks_at("[<>|&%*/.]") or self:looks_at("!=")
           or self:looks_at("%a+%f[%W]") and operator(self) ~= nil
end

function Parser:assignment()
    local left = self:binary(3)
    local at = self.pos

    self:skip()
    if self:looks_at("%?") then
        self:accept("?")
        local yes = self:assignment()
        self:expect(":")
        return { op = "ternary", left, yes, self:assignment() }
    end
    local text = is_assignment(self)
    if text then
        self.pos = self.pos + #text
        return { op = "assign", kind = text:sub(1, -2), left,
                 self:assignment() }
    end
    self.pos = at
    return left
end

local function ends_list(p)
    p:skip()
    return p:at_end() or p:looks_at("[%)%]};:]")
           or p:looks_at("if%f[%W]") or p:looks_at("unless%f[%W]")
           or p:looks_at("for%f[%W]") or p:looks_at("foreach%f[%W]")
           or p:looks_at("or%f[%W]") or p:looks_at("and%f[%W]")
           or p:looks_at("while%f[%W]")
end

-- Items separated by commas, up to where an expression must end.
function Parser:open_list()
    local items = {}

    while not ends_list(self) do
        items[#items + 1] = self:assignment()
        if not (self:accept("=>") or self:accept(",")) then
            break
        end
        while self:accept(",") do
            -- an empty item is no item
        end
    end
    return items
end

function Parser:list_until(close)
    local items = {}

    while not self:accept(close) do
        items[#items + 1] = self:low()
        while self:accept("=>") or self:accept(",") do
            -- a trailing comma is fine
        end
        if self:at_end() then
            self:fail("expected \"" .. close .. "\"")
        end
    end
    return items
end

-- not, and, or: looser than a comma, but here for one item.
function Parser:low()
    local node

    if self:accept_word("not") then
        node = { op = "not", self:low() }
    else
        node = self:assignment()
    end
    while true do
        if self:accept_word("and") then
            node = { op = "&&", node, self:low() }
        elseif self:accept_word("or") then
            node = { op = "||", node, self:low() }
        else
            return node
        end
    end
end

function Parser:expression()
    local node = self:low()
    local items

    while self:accept("=>") or self:accept(",") do
        items = items or { node }
        if ends_list(self) then
            break
        end
        items[#items + 1] = self:low()
    end
    return items and { op = "list", items = items } or node
end

function _M.new(text)
    return setmetatable(scan.new(text), Parser)
end

-- A whole text that is one expression.
function _M.expression(text)
    local p = _M.new(text)
    local node = p:expression()

    p:skip()
    if not p:at_end() then
        p:fail("cannot read this")
    end
    return node
end

quote.parse_expression = _M.expression
_M.Parser = Parser

return _M
