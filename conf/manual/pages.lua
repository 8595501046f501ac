-- pages.lua -- what is said of directives beside the tables that have them.
--
-- A page is NAME.md in the folder of a module.  Its title is the heading that
-- the module has in directives.md; what stands below is about all of it, and
-- below "## NAME" about that directive (or "## NAME, OTHER": about several).
-- One with the title "NAME: proxy, fastcgi, ..." is about what these modules
-- have in common: its "NAME_buffers" is proxy_buffers, fastcgi_buffers, ...
--
-- What is indented is an example: t/90-packages/examples reads all of them, and
-- asks what the lines behind them say:
--
--     `GET /old` answers 301 with `Location: /new`.
--
-- SPDX-License-Identifier: BSD-2-Clause

local M = {}


local function lines_of(path)
    local lines = {}

    for line in io.lines(path) do
        lines[#lines + 1] = (line:gsub("\r$", ""))
    end

    return lines
end


-- Without empty lines at either end.
local function trimmed(lines)
    while lines[1] == "" do table.remove(lines, 1) end
    while lines[#lines] == "" do lines[#lines] = nil end
    return lines
end


-- A page: where it is, the modules it is of, what it says of all (head), and
-- its sections: the names each is about, and its lines.
function M.read(path)
    local page = { path = path, parts = {}, head = {}, sections = {} }
    local into = page.head

    for i, line in ipairs(lines_of(path)) do
        local names = line:match("^## (.+)")

        if i == 1 then
            local title = line:match("^# (.+)")

            assert(title, path .. ": a page begins with its title")
            page.family = title:match("^NAME: (.+)")

            for part in (page.family or title):gmatch("[^,]+") do
                table.insert(page.parts, (part:gsub("^ ", "")))
            end

        elseif names then
            local section = { names = {}, lines = {}, line = i }

            for name in names:gmatch("[^%s,]+") do
                table.insert(section.names, name)
            end

            table.insert(page.sections, section)
            into = section.lines

        else
            table.insert(into, line)
        end
    end

    trimmed(page.head)
    for _, section in ipairs(page.sections) do trimmed(section.lines) end
    return page
end


-- What a page says of a family, for one module of it.
local function said_for(page, part, text)
    return page.family and text:gsub("NAME", (part:gsub("%%", "%%%%"))) or text
end


-- Of a directive that is read and does nothing, its help says so.
local function in_vain(help)
    return help:find("ithout effect", 1, true) or help:find("^Obsolete")
           or help:find("^Not supported")
end


-- directives.md as the tables have it: its headings in their order, where a
-- directive may stand, and which there are in a module.
function M.tables(path)
    local t = { lines = lines_of(path), rows = {}, where = {}, parts = {},
                headings = {} }
    local seen, part, row = {}, nil, nil

    for i, line in ipairs(t.lines) do
        local level, title = line:match("^(#+) (.+)")

        if level then
            local id = title:lower():gsub("[^%w_ -]", ""):gsub(" ", "-")
            local again = seen[id]

            seen[id] = (again or 0) + 1
            id = again and id .. "-" .. again or id

            if level == "##" then
                t.first = t.first or i
                table.insert(t.headings, { title = title, id = id })
                part = title
                t.parts[part] = t.parts[part] or {}
            elseif level == "###" then
                row = { name = title, part = part, id = id, line = i }
                t.rows[#t.rows + 1] = row
                t.parts[part][title] = row
            end

        elseif line:match("^In: ") then
            local where = t.where[row.name] or {}

            t.where[row.name] = where
            row.last = i

            for place in line:match("^In: ([^.]+)"):gmatch("[^,]+") do
                where[place:gsub("^ ", "")] = true
            end

        elseif row and in_vain(line) then
            row.vain = true
        end
    end

    return t
end


-- The sections about each row: { lines, of } where `of` is the row that has
-- them, if that is another one; and what each module's head is.
function M.match(pages, tables)
    local about, heads, unknown = {}, {}, {}

    for _, page in ipairs(pages) do
        local first = {}

        for _, part in ipairs(page.parts) do
            local rows = tables.parts[part]

            if not rows then
                table.insert(unknown, page.path .. ": there is no module "
                             .. part)
                rows = {}
            end

            if not page.family then
                heads[part] = page.head
            end

            for _, section in ipairs(page.sections) do
                for _, name in ipairs(section.names) do
                    local row = rows[said_for(page, part, name)]

                    if row then
                        about[row] = { of = first[section], page = page,
                                       part = part, lines = section.lines }
                        first[section] = first[section] or row
                        section.known = section.known or {}
                        section.known[name] = true
                    end
                end
            end
        end

        for _, section in ipairs(page.sections) do
            for _, name in ipairs(section.names) do
                if not (section.known and section.known[name]) then
                    table.insert(unknown, page.path .. ":" .. section.line
                                 .. ": there is no directive " .. name)
                end
            end
        end
    end

    return about, heads, unknown
end


-- Whether a page names a directive in its text or in an example.
local function names_it(page, part, name)
    local lines = { unpack(page.head) }

    for _, section in ipairs(page.sections) do
        for _, line in ipairs(section.lines) do
            lines[#lines + 1] = line
        end
    end

    local text, sample = false, false

    for _, line in ipairs(lines) do
        for word in said_for(page, part, line):gmatch("[%w_]+") do
            if word == name then
                sample = sample or line:match("^    ") ~= nil
                text = text or line:find("`", 1, true) ~= nil
            end
        end
    end

    return text or sample, sample
end


-- What becomes of each directive: lists of names that no page has, that have a
-- section, that are in an example, and that are without effect.
function M.count(pages, tables)
    local about = M.match(pages, tables)
    local of, found = {}, { none = {}, section = {}, sample = {}, vain = {} }

    for _, page in ipairs(pages) do
        for _, part in ipairs(page.parts) do
            of[part] = of[part] or {}
            table.insert(of[part], page)
        end
    end

    for _, row in ipairs(tables.rows) do
        local named, sample = about[row] ~= nil, false

        for _, page in ipairs(of[row.part] or {}) do
            local said, shown = names_it(page, row.part, row.name)

            named, sample = named or said, sample or shown
        end

        local function note(list, is)
            if is then table.insert(list, row.part .. ": " .. row.name) end
        end

        note(found.section, about[row])
        note(found.sample, sample)
        note(found.vain, row.vain)
        note(found.none, not named and not row.vain)
    end

    return found
end


-- The page with all that is said: a list of lines.
function M.weave(pages, tables)
    local about, heads, unknown = M.match(pages, tables)
    local out, at_line = {}, {}

    assert(#unknown == 0, table.concat(unknown, "\n"))

    for _, row in ipairs(tables.rows) do
        at_line[row.last] = row
    end

    local function say(lines, page, part)
        out[#out + 1] = ""
        for _, line in ipairs(lines) do
            out[#out + 1] = page and said_for(page, part, line) or line
        end
    end

    local function say_modules()
        local links = {}

        for _, one in ipairs(tables.headings) do
            links[#links + 1] = ("[%s](#%s)"):format(one.title, one.id)
        end
        say { table.concat(links, ",\n"), "" }
    end

    for i, line in ipairs(tables.lines) do
        local part = line:match("^## (.+)")
        local row = at_line[i]

        if i == tables.first then
            out[#out] = nil
            say_modules()
        end

        local section = row and about[row]

        out[#out + 1] = line

        if part and heads[part] and #heads[part] ~= 0 then
            say(heads[part])
        elseif section and section.of then
            say { ("More at [%s](#%s)."):format(section.of.name,
                                                section.of.id) }
        elseif section then
            say(section.lines, section.page, section.part)
        end
    end

    return out
end


-- Tokens in backticks.
local function quoted(text)
    local list = {}

    for token in text:gmatch("`([^`]+)`") do
        list[#list + 1] = token
    end

    return list
end


-- "`GET /x`, `A: b` answers 200 with `C: d`, `text`, without `E`."
local function ask_of(text)
    local asked, status, told = text:match("^(`.-) answers (%d+)(.*)$")

    if not asked then
        return nil
    end

    local ask = { headers = {}, status = status, fields = {}, texts = {} }
    local with, without = told:match("^(.-) without (.*)$")

    for i, token in ipairs(quoted(asked)) do
        if i == 1 then
            ask.request = token
        elseif token:match("^[%w-]+: ") then
            table.insert(ask.headers, token)
        else
            ask.body = token
        end
    end

    for _, token in ipairs(quoted(with or told)) do
        table.insert(token:match("^[%w-]+: ") and ask.fields or ask.texts,
                     token)
    end

    for _, token in ipairs(quoted(without or "")) do
        table.insert(ask.fields, "!" .. token)
    end

    return ask
end


local function examples_in(list, page, lines, names)
    local example, blank

    for _, line in ipairs(lines) do
        local code = line:match("^    (.*)")

        line, code = said_for(page, page.parts[1], line),
            code and said_for(page, page.parts[1], code)

        if code then
            if not example or blank == "text" then
                example = { page = page, names = names, lines = {}, asks = {} }
                table.insert(list, example)
            elseif blank then
                table.insert(example.lines, "")
            end
            table.insert(example.lines, code)
            blank = nil

        elseif line == "" then
            blank = blank or "line"

        else
            blank = "text"
            table.insert(example and example.asks or {}, ask_of(line))
        end
    end
end


-- All examples of a page: their lines, and what is asked of them.
function M.examples(page)
    local list = {}

    examples_in(list, page, page.head)
    for _, section in ipairs(page.sections) do
        examples_in(list, page, section.lines, section.names)
    end

    return list
end


return M
