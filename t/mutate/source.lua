-- t/mutate/source.lua -- a C file as tokens, and what can be changed in it
--
-- A mutant changes one token where the program computes: an operator, a
-- number, a truth value, a `return LUN_OK`. Comments, strings, preprocessor
-- lines, prototypes, members of structs and the sizes of arrays are left
-- alone, and so is what is asserted, which holds in a program without
-- defects whatever is asked of it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

-- Longest first.
local PUNCTUATION = {
    "<<=", ">>=", "...", "==", "!=", "<=", ">=", "&&", "||", "++", "--",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "->",
}

-- Whatever stands there, it can be turned into the other.
local TURNED = {
    ["=="] = "!=", ["!="] = "==", ["<"] = "<=", ["<="] = "<", [">"] = ">=",
    [">="] = ">", ["&&"] = "||", ["||"] = "&&", ["++"] = "--", ["--"] = "++",
    ["+="] = "-=", ["-="] = "+=", ["<<"] = ">>", [">>"] = "<<", ["|"] = "&",
    ["&="] = "|=", ["|="] = "&=", ["/"] = "*", ["%"] = "/",
}

-- Only between two operands: elsewhere it is a sign, an address, a pointer.
local BINARY = { ["+"] = "-", ["-"] = "+", ["&"] = "|" }

local NAMES = { ["true"] = "false", ["false"] = "true" }
local RETURNED = { LUN_OK = "LUN_ERROR", LUN_ERROR = "LUN_OK" }

local ASSERTIONS = { LUN_CHECK = true, LUN_NEVER = true,
                     _Static_assert = true, static_assert = true }

-- What can stand before an operand or a parenthesis without being one.
local KEYWORDS = { ["return"] = true, ["case"] = true, ["else"] = true,
                   ["sizeof"] = true, ["do"] = true, ["goto"] = true }

-- --- tokens ---

local function end_of_directive(text, pos)
    while true do
        local eol = text:find("\n", pos, true) or #text + 1
        if text:sub(eol - 1, eol - 1) ~= "\\" then
            return eol
        end
        pos = eol + 1
    end
end

local function end_of_quoted(text, pos)
    local quote = text:sub(pos, pos)

    pos = pos + 1
    while pos <= #text do
        local c = text:sub(pos, pos)
        if c == quote then
            return pos + 1
        end
        pos = pos + (c == "\\" and 2 or 1)
    end
    return pos
end

local function punctuation_at(text, pos)
    for _, word in ipairs(PUNCTUATION) do
        if text:sub(pos, pos + #word - 1) == word then
            return word
        end
    end
    return text:sub(pos, pos)
end

-- kind and end of what begins at `pos`, which is not white space.
local function scan(text, pos, line_start)
    local c, two = text:sub(pos, pos), text:sub(pos, pos + 1)

    if c == "#" and line_start then
        return "directive", end_of_directive(text, pos)
    elseif two == "/*" then
        local _, last = text:find("*/", pos + 2, true)
        return "comment", (last or #text) + 1
    elseif c == '"' or c == "'" then
        return "quoted", end_of_quoted(text, pos)
    elseif c:find("[%a_]") then
        return "name", select(2, text:find("^[%w_]+", pos)) + 1
    elseif c:find("%d") then
        return "number", select(2, text:find("^[%w_.]+", pos)) + 1
    end
    return "punctuation", pos + #punctuation_at(text, pos)
end

-- A list of { kind, text, at, line }, without comments and directives.
function _M.tokens(text)
    local out, pos, line, line_start = {}, 1, 1, true

    while true do
        local from = text:find("%S", pos)
        if not from then
            return out
        end
        for _ in text:sub(pos, from - 1):gmatch("\n") do
            line, line_start = line + 1, true
        end
        local kind, next_pos = scan(text, from, line_start)
        local word = text:sub(from, next_pos - 1)
        if kind ~= "comment" and kind ~= "directive" then
            out[#out + 1] = { kind = kind, text = word, at = from,
                              line = line }
        end
        line_start = line_start and kind == "comment"
        for _ in word:gmatch("\n") do
            line = line + 1
        end
        pos = next_pos
    end
end

-- --- where a token stands ---

-- Index of the parenthesis that closes the one at `i`.
local function closing(tokens, i)
    local depth = 0

    for k = i, #tokens do
        local word = tokens[k].text
        if word == "(" then
            depth = depth + 1
        elseif word == ")" then
            depth = depth - 1
            if depth == 0 then
                return k
            end
        end
    end
    return #tokens
end

-- The name before the parenthesis that the one at `i` closes.
local function name_before(tokens, i)
    local depth = 0

    for k = i, 1, -1 do
        local word = tokens[k].text
        if word == ")" then
            depth = depth + 1
        elseif word == "(" then
            depth = depth - 1
            if depth == 0 then
                return tokens[k - 1] and tokens[k - 1].text
            end
        end
    end
    return nil
end

-- What the brace at `i` opens at the margin: "body" and the function's name,
-- "table" (values, or an enum's), or "members".
local function opened(tokens, i, first)
    if tokens[i - 1] and tokens[i - 1].text == ")" then
        return "body", name_before(tokens, i - 1)
    end
    for k = first, i do
        if tokens[k].text == "=" or tokens[k].text == "enum" then
            return "table"
        end
    end
    return "members"
end

-- Gives each token `inside` (body, table, members; nil at the margin) and,
-- in a body, `func`: name, first line, last line.
local function place(tokens)
    local depth, first, inside, func = 0, 1, nil, nil

    for i, token in ipairs(tokens) do
        if token.text == "{" then
            depth = depth + 1
            if depth == 1 then
                local name
                inside, name = opened(tokens, i, first)
                func = name and { name = name, first = tokens[first].line }
            end
        end
        token.inside, token.func = depth > 0 and inside or nil, func
        if token.text == "}" then
            depth = depth - 1
            if depth == 0 and func then
                func.last = token.line
                func, first = nil, i + 1
            end
        elseif token.text == ";" and depth == 0 then
            first = i + 1
        end
    end
end

local function mark_assertions(tokens)
    for i, token in ipairs(tokens) do
        if ASSERTIONS[token.text] and tokens[i + 1]
           and tokens[i + 1].text == "("
        then
            for k = i, closing(tokens, i + 1) do
                tokens[k].asserted = true
            end
        end
    end
end

-- --- mutations ---

local function is_operand_end(token)
    return token and (token.kind == "number" or token.kind == "quoted"
           or token.kind == "name" and not KEYWORDS[token.text]
           or token.text == ")" or token.text == "]")
end

-- The number is the size of an array that is declared here: `char  b[64]`.
local function is_size(tokens, i)
    local before = tokens[i - 3]

    return tokens[i - 1].text == "[" and tokens[i - 2].kind == "name"
           and before ~= nil and not KEYWORDS[before.text]
           and (before.kind == "name" or before.text == "*")
end

-- The next number in the same notation, and the one before; 0 and 1 are
-- each other's.
local function numbers(word)
    local digits, suffix = word:match("^(0[xX]%x+)([uUlL]*)$")
    local format = "0x%x"

    if not digits then
        digits, suffix = word:match("^(0[0-7]+)$"), ""
        format = "0%o"
    end
    if not digits then
        digits, suffix = word:match("^(%d+)([uUlL]*)$")
        format = "%d"
    end
    local value = digits and tonumber(digits, format == "0%o" and 8 or nil)
    if not value or value >= 2 ^ 31 then
        return {}
    end
    if value < 2 and format == "%d" then
        return { 1 - value .. suffix }
    end
    return { format:format(value + 1) .. suffix,
             format:format(value - 1) .. suffix }
end

local function others(tokens, i)
    local token, before = tokens[i], tokens[i - 1]
    local word = token.text

    if token.kind == "number" then
        if is_size(tokens, i) or token.inside == "members" then
            return {}
        end
        return numbers(word)
    elseif token.kind == "name" then
        local returned = before and before.text == "return"
        return { NAMES[word] or returned and RETURNED[word] or nil }
    elseif token.kind ~= "punctuation" then
        return {}
    elseif word == "!" or word == "~" then
        return { "" }
    elseif BINARY[word] and is_operand_end(before) then
        return { BINARY[word] }
    end
    return { TURNED[word] }
end

local function may_change(token)
    return token.inside ~= nil and token.inside ~= "members"
           and not token.asserted
end

-- Every token that can be changed: { at, line, before, after (a list), func
-- (nil in a table) }.
function _M.places(text)
    local out, tokens = {}, _M.tokens(text)

    place(tokens)
    mark_assertions(tokens)
    for i, token in ipairs(tokens) do
        local after = i > 1 and may_change(token) and others(tokens, i) or {}
        if #after > 0 then
            out[#out + 1] = { at = token.at, line = token.line,
                              before = token.text, after = after,
                              func = token.func }
        end
    end
    return out
end

-- The lines of each function: name -> { first, last }.
function _M.functions(text)
    local out, tokens = {}, _M.tokens(text)

    place(tokens)
    for _, token in ipairs(tokens) do
        if token.func then
            out[token.func.name] = token.func
        end
    end
    return out
end

-- The text with one token changed.
function _M.change(text, spot, after)
    return text:sub(1, spot.at - 1) .. after
           .. text:sub(spot.at + #spot.before)
end

-- The line of the text, without the white space around it.
function _M.line(text, number)
    local at = 1

    for _ = 2, number do
        at = (text:find("\n", at, true) or #text) + 1
    end
    return text:match("^[ \t]*([^\n]-)[ \t]*\n", at)
           or text:match("^[ \t]*([^\n]*)", at)
end

return _M
