-- lunette/spec/diff.lua -- two texts side by side, for people
--
-- Bytes that a terminal would swallow are spelt out; texts of several lines
-- are compared line by line, with what is common around the differences.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

local CONTEXT = 2
local MAX_LINES = 400
local MAX_SHOWN = 60
local MAX_WIDTH = 400

local NAMES = { ["\r"] = "\\r", ["\t"] = "\\t", ["\0"] = "\\0",
                ["\n"] = "\\n", ["\\"] = "\\\\" }

-- A text on one line.
function _M.visible(text)
    text = text:gsub("[%z\1-\31\\\127-\255]", function (c)
        return NAMES[c] or ("\\x%02x"):format(c:byte())
    end)
    if #text > MAX_WIDTH then
        return text:sub(1, MAX_WIDTH) .. "... (" .. #text .. " bytes)"
    end
    return text
end

local function lines_of(text)
    local out = {}

    for line in text:gmatch("[^\n]*\n?") do
        if line ~= "" then
            out[#out + 1] = line
        end
    end
    return out
end

-- Lengths of the longest common subsequences of all tails.
local function common(a, b)
    local table_of = {}

    for i = #a + 1, 1, -1 do
        local row, below = {}, table_of[i + 1]
        for j = #b + 1, 1, -1 do
            if i > #a or j > #b then
                row[j] = 0
            elseif a[i] == b[j] then
                row[j] = below[j + 1] + 1
            else
                row[j] = math.max(below[j], row[j + 1])
            end
        end
        table_of[i] = row
    end
    return table_of
end

-- { sign, line } of every line of both.
local function edits(a, b)
    local lengths, out, i, j = common(a, b), {}, 1, 1

    while i <= #a or j <= #b do
        if i <= #a and j <= #b and a[i] == b[j] then
            out[#out + 1] = { " ", a[i] }
            i, j = i + 1, j + 1
        elseif j > #b or (i <= #a and lengths[i + 1][j] >= lengths[i][j + 1])
        then
            out[#out + 1] = { "-", a[i] }
            i = i + 1
        else
            out[#out + 1] = { "+", b[j] }
            j = j + 1
        end
    end
    return out
end

-- Only what differs and CONTEXT lines around it.
local function shorten(list)
    local near, out = {}, {}

    for i, edit in ipairs(list) do
        if edit[1] ~= " " then
            for k = i - CONTEXT, i + CONTEXT do
                near[k] = true
            end
        end
    end
    for i, edit in ipairs(list) do
        if near[i] then
            out[#out + 1] = edit[1] .. " " .. _M.visible(edit[2])
        elseif near[i - 1] then
            out[#out + 1] = "  ..."
        end
    end
    return out
end

-- Lines for a diagnostic: what was expected, what came.
function _M.texts(expected, got)
    local a, b = lines_of(expected), lines_of(got)
    local out

    if (#a <= 1 and #b <= 1) or #a > MAX_LINES or #b > MAX_LINES then
        return { "expected: " .. _M.visible(expected),
                 "     got: " .. _M.visible(got) }
    end
    out = shorten(edits(a, b))
    table.insert(out, 1, "- expected, + got:")
    while #out > MAX_SHOWN do
        out[#out] = nil
    end
    return out
end

return _M
