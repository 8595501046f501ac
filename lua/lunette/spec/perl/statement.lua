-- lunette/spec/perl/statement.lua -- Perl statements, as nodes
--
-- Adds to the parser: blocks, loops, conditions before and after, subs. A
-- preamble is read leniently: a statement that can't be read is skipped and
-- remembered, since it usually concerns Perl's own harness.
--
-- SPDX-License-Identifier: BSD-2-Clause

local parse = require "lunette.spec.perl.parse"

local pcall, type = pcall, type

local Parser = parse.Parser

local _M = {}

-- A block `{ ... }` after blank space.
function Parser:block()
    local list = {}

    self:expect("{")
    while not self:accept("}") do
        if self:at_end() then
            self:fail("no end of a block")
        end
        list[#list + 1] = self:statement()
    end
    return { op = "block", list = list }
end

-- After map: `{` opens a block unless it plainly is a hash.
function Parser:is_block()
    return not self:looks_at("{%s*}%s*,")
end

local function condition(p)
    p:expect("(")
    local node = p:expression()
    p:expect(")")
    return node
end

local function if_rest(p, negate)
    local test = condition(p)
    local node = { op = "if", negate and { op = "not", test } or test,
                   p:block() }

    if p:accept_word("elsif") then
        node[3] = if_rest(p)
    elseif p:accept_word("else") then
        node[3] = p:block()
    end
    return node
end

-- for my $x (list) {...}, for (list) {...}, for (a; b; c) {...}
local function for_rest(p)
    local name, first

    if p:accept_word("my") or p:accept_word("our") or p:looks_at("%$") then
        p:skip()
        p:take("%$")
        name = p:name()
        p:expect("(")
        return { op = "foreach", name = name, items = p:list_until(")"),
                 body = p:block() }
    end
    p:expect("(")
    if not p:accept(";") then
        first = p:accept(")") and { op = "list", items = {} }
                or p:expression()
        if not p:accept(";") then
            p:accept(")")
            return { op = "foreach", name = "_", items = { first },
                     body = p:block() }
        end
    end
    local test = not p:accept(";") and p:expression() or nil
    if test then
        p:expect(";")
    end
    local after = not p:accept(")") and p:expression() or nil
    if after then
        p:expect(")")
    end
    return { op = "loop", first = first, test = test, after = after,
             body = p:block() }
end

local function sub_rest(p)
    p:skip()
    local name = p:name()

    p:take("%s*%([%$@%%;&\\*]*%)")
    if not name then
        return nil
    end
    return { op = "sub", name = name, body = p:block() }
end

-- Words that begin a statement which concerns only perl itself.
local IGNORED = { use = true, no = true, package = true, require = true }

local STATEMENTS = {
    ["if"] = function (p) return if_rest(p) end,
    unless = function (p) return if_rest(p, true) end,
    ["for"] = for_rest,
    foreach = for_rest,
    ["while"] = function (p)
        return { op = "loop", test = condition(p), body = p:block() }
    end,
    ["until"] = function (p)
        return { op = "loop", test = { op = "not", condition(p) },
                 body = p:block() }
    end,
    sub = sub_rest,
    BEGIN = function (p) return p:block() end,
    END = function (p) p:block() return { op = "nop" } end,
}

-- statement if test; statement for list;
local function with_modifier(p, node)
    if p:accept_word("if") then
        return { op = "if", p:expression(), node }
    elseif p:accept_word("unless") then
        return { op = "if", { op = "not", p:expression() }, node }
    elseif p:accept_word("for") or p:accept_word("foreach") then
        return { op = "foreach", name = "_", items = { p:expression() },
                 body = node }
    elseif p:accept_word("while") then
        return { op = "loop", test = p:expression(), body = node }
    end
    return node
end

function Parser:statement()
    self:skip()
    if self:accept(";") then
        return { op = "nop" }
    end
    if self:peek() == "{" and not self:looks_at("{%s*[%w_'\"]+%s*=>") then
        return self:block()
    end
    local at = self.pos
    local word = self.text:match("^[%a_][%w_]*%f[^%w_]", at)
    if IGNORED[word] then
        self.pos = self.text:find(";", at, true) or #self.text
        self.pos = self.pos + 1
        return { op = "nop" }
    end
    if STATEMENTS[word] then
        self.pos = at + #word
        local node = STATEMENTS[word](self)
        if node then
            return node
        end
        self.pos = at
    end
    local node = with_modifier(self, self:expression())
    self:skip()
    if not self:at_end() and not self:looks_at("}") then
        self:expect(";")
    end
    return node
end

-- Every statement of a text; throws at what it can't read.
function _M.program(text)
    local p, list = parse.new(text), {}

    p:skip()
    while not p:at_end() do
        list[#list + 1] = p:statement()
        p:skip()
    end
    return { op = "block", list = list, bare = true }
end

-- The statements that can be read, and notes on those that can't.
function _M.lenient(text)
    local p, list, notes = parse.new(text), {}, {}

    p:skip()
    while not p:at_end() do
        local from = p.pos
        local ok, result = pcall(p.statement, p)
        if ok then
            list[#list + 1] = result
        else
            notes[#notes + 1] = type(result) == "table" and result.perl
                                or result
            p.pos = text:find(";[ \t]*\n", from) or #text
            p.pos = p.pos + 1
        end
        p:skip()
    end
    return list, notes
end

return _M
