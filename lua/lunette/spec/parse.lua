-- lunette/spec/parse.lua -- the text of a .t file, as blocks of sections
--
-- A file is a preamble (Perl, read elsewhere), a line `__DATA__`, and blocks:
-- `=== name`, lines of description, then sections `--- name filters: value`
-- or `--- name filters` with the value on the lines below. Nothing is
-- evaluated here; a section keeps its raw text and the words after its name.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ipairs = ipairs

local _M = {}

-- Position after the next line, and the line with its newline.
local function next_line(text, pos)
    local eol = text:find("\n", pos, true)

    if pos > #text then
        return nil
    end
    eol = eol or #text
    return eol + 1, text:sub(pos, eol)
end

-- Preamble and data, and the number of lines before the data. A file
-- without __DATA__ is all data when it begins with a block.
local function halves(text)
    local pos, line, lines = 1, nil, 0

    if text:find("^%s*===") then
        return "", text, 0
    end
    while true do
        local at = pos
        pos, line = next_line(text, pos)
        if not pos then
            return text, nil, lines
        end
        lines = lines + 1
        if line:find("^__DATA__%s*$") or line:find("^__END__%s*$") then
            return text:sub(1, at - 1), text:sub(pos), lines
        end
    end
end

local function words_of(text)
    local words = {}

    for word in text:gmatch("%S+") do
        words[#words + 1] = word
    end
    return words
end

-- `--- error_log eval: qr/x/` or nil. The colon that starts an inline value
-- is followed by white space or ends the line.
local function section_of(line, number)
    local name, rest = line:match("^%-%-%-%s+%(?([%w_]+)%)?(.*)$")
    local section, at

    if not name then
        return nil
    end
    rest = rest:gsub("%s+$", "")
    section = { name = name, line = number, text = "" }
    at = (rest .. "\n"):find(":%s")
    if at then
        section.inline = true
        section.text = rest:sub(at + 1):gsub("^%s+", "")
        rest = rest:sub(1, at - 1)
    end
    section.filters = words_of(rest)
    return section
end

local function add_section(block, section)
    if block.by_name[section.name] then
        block.twice[#block.twice + 1] = section.name
    end
    block.by_name[section.name] = section
    block.sections[#block.sections + 1] = section
end

local function new_block(line, number)
    return {
        name = line:match("^===%s*(.-)%s*$"), line = number,
        sections = {}, by_name = {}, twice = {}, description = "",
    }
end

-- One line belongs to whatever is open: a section, else the description.
local function add_text(block, section, line)
    if section and not section.inline then
        section.text = section.text .. line
    elseif not section then
        block.description = block.description .. line
    end
end

local function blocks_of(data, number)
    local blocks, pos, block, section, line, opened = {}, 1, nil, nil, nil, nil

    while true do
        pos, line = next_line(data, pos)
        if not pos then
            return blocks
        end
        number = number + 1
        opened = block and section_of(line, number)
        if line:find("^===") then
            block, section = new_block(line, number), nil
            blocks[#blocks + 1] = block
        elseif opened then
            section = opened
            add_section(block, section)
        elseif block then
            add_text(block, section, line)
        end
    end
end

-- ONLY and LAST choose among the blocks before anything runs.
local function chosen(blocks)
    local out = {}

    for _, block in ipairs(blocks) do
        if block.by_name.ONLY then
            return { block }, true
        end
    end
    for _, block in ipairs(blocks) do
        out[#out + 1] = block
        if block.by_name.LAST then
            return out, true
        end
    end
    return out, false
end

-- { preamble, blocks, partial }, or nil and what is wrong with the file.
-- `partial` says that ONLY or LAST left blocks out.
function _M.file(text)
    local preamble, data, lines = halves(text:gsub("\r\n", "\n"))
    local blocks, partial

    if not data then
        return nil, "no __DATA__ line"
    end
    blocks = blocks_of(data, lines)
    if #blocks == 0 then
        return nil, "no block: none begins with ==="
    end
    blocks, partial = chosen(blocks)
    return { preamble = preamble, blocks = blocks, partial = partial }
end

return _M
