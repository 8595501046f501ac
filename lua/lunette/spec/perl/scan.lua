-- lunette/spec/perl/scan.lua -- reading Perl text, character by character
--
-- Perl can't be cut into tokens ahead of parsing: whether `/` divides or
-- opens a pattern depends on what came before. So the parser asks for what
-- it expects at the present position: blank space, a word, a number, a
-- delimited text, a here-document. Nothing is interpreted here.
--
-- SPDX-License-Identifier: BSD-2-Clause

local error, setmetatable = error, setmetatable

local Scan = {}
Scan.__index = Scan

local CLOSERS = { ["("] = ")", ["["] = "]", ["{"] = "}", ["<"] = ">" }

local _M = { closers = CLOSERS }

function _M.new(text)
    -- `jump` leads from the end of a line over the here-documents below it.
    return setmetatable({ text = text, pos = 1, jump = {} }, Scan)
end

-- Throws: this is Perl that the runner does not read.
function Scan:fail(what)
    local near = self.text:sub(self.pos, self.pos + 30):match("^[^\n]*")

    error({ perl = what .. " near \"" .. near .. "\"" }, 0)
end

function Scan:at_end()
    return self.pos > #self.text
end

function Scan:peek(count)
    return self.text:sub(self.pos, self.pos + (count or 1) - 1)
end

-- The text at this position if it matches the Lua pattern; moves over it.
function Scan:take(pattern)
    local from, to, capture = self.text:find("^" .. pattern, self.pos)

    if not from then
        return nil
    end
    self.pos = to + 1
    return capture or self.text:sub(from, to)
end

function Scan:looks_at(pattern)
    return self.text:find("^" .. pattern, self.pos) ~= nil
end

-- Over a newline, and the here-documents that begin after it.
function Scan:cross_line()
    self.pos = self.jump[self.pos] or self.pos + 1
end

-- Blank space, comments and pod.
function Scan:skip()
    while true do
        local c = self:peek()

        if c == "\n" then
            self:cross_line()
            if self:looks_at("=%a") then
                local _, stop = self.text:find("\n=cut[^\n]*", self.pos)
                self.pos = (stop or #self.text) + 1
            end
        elseif c == "#" then
            self.pos = self.text:find("\n", self.pos, true) or #self.text + 1
        elseif c ~= "" and c:find("^%s") then
            self.pos = self.pos + 1
        else
            return
        end
    end
end

-- After blank space: the literal text, moved over, or nil.
function Scan:accept(literal)
    self:skip()
    if self.text:sub(self.pos, self.pos + #literal - 1) == literal then
        self.pos = self.pos + #literal
        return literal
    end
    return nil
end

function Scan:expect(literal)
    if not self:accept(literal) then
        self:fail("expected \"" .. literal .. "\"")
    end
end

-- After blank space: a whole word among those asked for.
function Scan:accept_word(word)
    self:skip()
    if self.text:match("^[%a_][%w_]*", self.pos) == word then
        self.pos = self.pos + #word
        return word
    end
    return nil
end

-- A possibly qualified name: foo, Foo::Bar, ::x.
function Scan:name()
    local from = self.pos

    if not (self:take("[%a_][%w_]*") or self:looks_at("::[%a_]")) then
        return nil
    end
    while self:take("::[%a_][%w_]*") do
        -- one more part
    end
    return self.text:sub(from, self.pos - 1)
end

-- The raw text between the delimiter at this position and its partner, and
-- the opening delimiter. Brackets nest; a backslash shields the next one.
function Scan:delimited()
    local open = self:peek()
    local close, depth = CLOSERS[open] or open, 1
    local from = self.pos + 1

    self.pos = from
    while depth > 0 do
        local c = self:peek()

        if c == "" then
            self.pos = from - 1
            self:fail("no end of " .. open .. "..." .. close)
        end
        if c == "\\" then
            self.pos = self.pos + 1
        elseif c == close then
            depth = depth - 1
        elseif c == open then
            depth = depth + 1
        end
        self.pos = self.pos + 1
    end
    return self.text:sub(from, self.pos - 2), open
end

-- The second half of s/// or tr///: its own brackets, or the same delimiter.
function Scan:second_half(open)
    if CLOSERS[open] then
        self:skip()
        return self:delimited()
    end
    self.pos = self.pos - 1
    return self:delimited()
end

local function unindent(body)
    local least

    for indent, rest in body:gmatch("([ \t]*)([^\n]*)\n") do
        if rest ~= "" and (not least or #indent < #least) then
            least = indent
        end
    end
    if not least or least == "" then
        return body
    end
    return (("\n" .. body):gsub("\n" .. least, "\n"):sub(2))
end

-- After `<<`: the raw body and whether it interpolates; nil when this is not
-- a here-document but a shift.
function Scan:heredoc()
    local squiggle = self:looks_at("~?[\"'%a_]") and self:take("~")
    local quote = self:take("[\"']")
    local tag = quote and self:take("([^\n" .. quote .. "]*)" .. quote)
                or self:take("[%a_][%w_]*")
    local eol, pos, body

    if not tag then
        return nil
    end
    eol = self.text:find("\n", self.pos, true)
    if not eol then
        self:fail("no text of the here-document")
    end
    pos, body = self.jump[eol] or eol + 1, {}
    while true do
        local line = self.text:match("^[^\n]*", pos)

        if pos > #self.text then
            self:fail("no end of here-document " .. tag)
        end
        pos = pos + #line + 1
        if (squiggle and line:gsub("^[ \t]+", "") or line) == tag then
            break
        end
        body[#body + 1] = line .. "\n"
    end
    self.jump[eol] = pos
    body = table.concat(body)
    return squiggle and unindent(body) or body, quote ~= "'"
end

-- A number's value, or nil.
function Scan:number()
    local digits = self:take("0[xX]([%x_]+)")

    if digits then
        return tonumber((digits:gsub("_", "")), 16)
    end
    digits = self:take("0[bB]([01_]+)")
    if digits then
        return tonumber((digits:gsub("_", "")), 2)
    end
    digits = self:take("%d[%d_]*")
    if digits then
        -- `1..5` is a range, not the number 1. followed by .5
        if not self:looks_at("%.%.") then
            digits = digits .. (self:take("%.[%d_]*") or "")
        end
    else
        digits = self:take("%.%d[%d_]*")
    end
    if not digits then
        return nil
    end
    digits = digits .. (self:take("[eE][+-]?%d+") or "")
    digits = digits:gsub("_", "")
    if digits:find("^0%d+$") then
        return tonumber(digits, 8)
    end
    return tonumber(digits)
end

return _M
