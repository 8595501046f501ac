-- lunette/coverage.lua -- `lunette coverage`: what lua_coverage has written
-- into a file (lunette/line_hits.lua), as a table, for lcov, or as a page
--
-- SPDX-License-Identifier: BSD-2-Clause

local files = require "lunette.files"
local page = require "lunette.coverage_page"

local concat, sort = table.concat, table.sort
local stdout, stderr = io.stdout, io.stderr

local _M = {}

local USAGE = [[
usage: lunette coverage [options] FILE

Says which lines of Lua were run. FILE is what `lua_coverage FILE;`,
`lunette run --coverage FILE` or `lunette spec --coverage FILE` has written:
all that has run since it was made is added up.

  --files       only what stands in files, not in configurations
  --html OUT    a page with the code instead of a table
  --lcov OUT    for programs that read lcov's form
  --least N     the exit status is 1 unless N percent of the lines have run
  --help        this text
]]

local function fail(...)
    stderr:write("lunette coverage: ", string.format(...), "\n")
    return 1
end


local VALUES = { ["--html"] = "html", ["--lcov"] = "lcov",
                 ["--least"] = "least" }

-- The options, or nil and what is wrong.
local function read_options(words)
    local o, i = {}, 1

    while words[i] do
        local word = words[i]
        local field = VALUES[word]

        if field then
            i = i + 1
            o[field] = words[i]

            if not o[field] then
                return nil, word .. " needs a value"
            end

        elseif word == "--files" or word == "--help" or word == "-h" then
            o[word == "--files" and "files" or "help"] = true

        elseif word:sub(1, 1) == "-" then
            return nil, 'unknown option "' .. word .. '"'

        elseif o.path then
            return nil, "one file is enough"

        else
            o.path = word
        end

        i = i + 1
    end

    if o.least then
        o.least = tonumber(o.least)

        if not o.least then
            return nil, "--least takes a number"
        end
    end

    if not o.path and not o.help then
        return nil, "of which file?"
    end

    return o
end


-- The same inline code of two servers is one; another under its name is not.
local function add(all, part)
    local key = part.source .. "\n" .. (part.code or "")
    local known = all[key]

    if not known then
        all[key] = part
        all[#all + 1] = part
        return
    end

    for line, count in pairs(part.lines) do
        known.lines[line] = (known.lines[line] or 0) + count
    end
end


-- Of the text of a file: a list of { source, code, lines = { [n] = count } }.
-- Parts without an end, of a machine that was killed, are left out.
function _M.read(text)
    local all, part, code = {}, nil, {}

    for line in text:gmatch "([^\r\n]*)\r?\n" do
        local first = line:sub(1, 1)

        if first == "@" or first == "=" then
            part, code = { source = line, lines = {} }, {}

        elseif not part then
            part = nil

        elseif first == "|" then
            code[#code + 1] = line:sub(2)

        elseif line == "." then
            part.code = #code > 0 and concat(code, "\n") or nil
            add(all, part)
            part = nil

        else
            for number, count in line:gmatch "(%d+):(%d+)" do
                part.lines[tonumber(number)] = tonumber(count)
            end
        end
    end

    return all
end


-- What a part is called, how many lines it has, and how many have run.
local function measure(part)
    part.name = part.source:sub(2)
    part.total, part.run = 0, 0

    for _, count in pairs(part.lines) do
        part.total = part.total + 1
        part.run = part.run + (count > 0 and 1 or 0)
    end
end


local function percent(run, total)
    return total > 0 and 100 * run / total or 100
end


local function row(name, run, total)
    return ("%6.1f %%  %5d of %5d  %s\n"):format(percent(run, total), run,
                                                 total, name)
end


function _M.table(parts)
    local out, run, total = {}, 0, 0

    for i, part in ipairs(parts) do
        out[i] = row(part.name, part.run, part.total)
        run, total = run + part.run, total + part.total
    end

    out[#out + 1] = row("all", run, total)
    return concat(out), percent(run, total)
end


local function sorted_lines(part)
    local numbers = {}

    for line in pairs(part.lines) do
        numbers[#numbers + 1] = line
    end

    sort(numbers)
    return numbers
end


-- geninfo(1), "TRACEFILE FORMAT".
function _M.lcov(parts)
    local out = {}

    for _, part in ipairs(parts) do
        out[#out + 1] = "TN:\nSF:" .. part.name

        for _, line in ipairs(sorted_lines(part)) do
            out[#out + 1] = ("DA:%d,%d"):format(line, part.lines[line])
        end

        out[#out + 1] = ("LF:%d\nLH:%d\nend_of_record\n"):format(part.total,
                                                                 part.run)
    end

    return concat(out, "\n")
end


local function write_out(path, text)
    local ok, err = files.write(path, text)

    if not ok then
        return fail("%s", err)
    end

    stdout:write(path, "\n")
    return 0
end


local function parts_of(text, files_only)
    local parts = {}

    for _, part in ipairs(_M.read(text)) do
        if not files_only or part.source:sub(1, 1) == "@" then
            measure(part)
            parts[#parts + 1] = part
        end
    end

    sort(parts, function (a, b)
        return a.name < b.name or a.name == b.name and a.total < b.total
    end)

    return parts
end


-- The exit status.
function _M.main(words)
    local o, err = read_options(words)

    if not o then
        return fail("%s; lunette coverage --help has all of them", err)
    end

    if o.help then
        stdout:write(USAGE)
        return 0
    end

    local text
    text, err = files.read(o.path)

    if not text then
        return fail("%s", err)
    end

    local parts = parts_of(text, o.files)

    if #parts == 0 then
        return fail("%s has no line that was run: has the server ended?",
                    o.path)
    end

    local rows, share = _M.table(parts)
    local status = 0

    if o.html then
        for _, part in ipairs(parts) do
            part.code = part.code or files.read(part.name)
        end

        status = write_out(o.html, page.text(parts))
    end

    if o.lcov and status == 0 then
        status = write_out(o.lcov, _M.lcov(parts))
    end

    if not o.html and not o.lcov then
        stdout:write(rows)
    end

    if status == 0 and o.least and share < o.least then
        return fail("%.1f %% have run, less than %g", share, o.least)
    end

    return status
end


return _M
