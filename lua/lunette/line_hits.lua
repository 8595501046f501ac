-- lunette/line_hits.lua -- lua_coverage: counts the lines that a machine runs
--
-- What is appended to the file at the machine's end, by
-- modules/lua/look/coverage.c, for each file of which a line was run, and each
-- piece of inline code:
--
--     @FILE                     or =content_by_lua(nginx.conf:40)
--     |local a = 1              the code, if it is inline, line by line
--     1:12 2:0 5:3              lines that can run, and how often each was
--                               entered, also by a return into it
--     .                         the end: without it, it counts for nothing
--
-- SPDX-License-Identifier: BSD-2-Clause

local jutil = require "jit.util"

local concat, sort = table.concat, table.sort
local funcinfo, funck = jutil.funcinfo, jutil.funck
local getinfo, sethook = debug.getinfo, debug.sethook
local ipairs, loadfile, loadstring, next, pairs, type =
    ipairs, loadfile, loadstring, next, pairs, type
local os_exit = os.exit

local _M = {}

local append, inlines          -- functions of C
local hits                     -- by source, counts by line

local function count(_, line)
    local source = getinfo(2, "S").source
    local of_source = hits[source]

    if not of_source then
        of_source = {}
        hits[source] = of_source
    end

    of_source[line] = (of_source[line] or 0) + 1
end


-- Lines of a function, and of all that are written in it. A function returns
-- at its `end`, also where it has returned before: that line is none.
local function add_lines(fn, lines)
    local info = funcinfo(fn)

    for pc = 1, info.bytecodes - 1 do
        local line = funcinfo(fn, pc).currentline

        if pc < info.bytecodes - 1 or line ~= info.lastlinedefined then
            lines[line] = true
        end
    end

    for i = -1, -info.gcconsts, -1 do
        local constant = funck(fn, i)

        if type(constant) == "proto" then
            add_lines(constant, lines)
        end
    end
end


-- Lines of a source that can run, or nil: it isn't known. What the program
-- carries has names of files, and there are none.
function _M.lines(source, code)
    local kind, name = source:sub(1, 1), source:sub(2)
    local fn

    if kind == "@" then
        fn = loadfile(name)
    elseif code then
        fn = loadstring(code, source)
    end

    if not fn then
        return nil
    end

    local lines = {}
    add_lines(fn, lines)
    return lines
end


local function put(out, source, lines, code)
    local of_source, words, numbers = hits[source] or {}, {}, {}

    for line in pairs(lines) do
        numbers[#numbers + 1] = line
    end

    sort(numbers)

    for i, line in ipairs(numbers) do
        words[i] = line .. ":" .. (of_source[line] or 0)
    end

    out[#out + 1] = source

    if code then
        out[#out + 1] = "|" .. code:gsub("\n", "\n|")
    end

    out[#out + 1] = concat(words, " ")
    out[#out + 1] = "."
end


local function text()
    local out, codes = {}, inlines()

    for source in pairs(hits) do
        local lines = source:find("^@") and _M.lines(source)

        if lines then
            put(out, source, lines)
        end
    end

    -- Those of which no line was run, too.
    for name, code in pairs(codes) do
        local lines = _M.lines("=" .. name, code)

        if lines then
            put(out, "=" .. name, lines, code)
        end
    end

    out[#out + 1] = ""
    return concat(out, "\n")
end


function _M.finish()
    if not hits then
        return
    end

    sethook()
    local all = text()
    hits = nil

    if all ~= "" then
        append(all)
    end
end


function _M.begin(append_to_file, inline_code)
    append, inlines, hits = append_to_file, inline_code, {}

    -- LuaJIT calls no hooks in what it has compiled.
    jit.off()
    jit.flush()
    sethook(count, "l")

    -- A script's own end leaves no time for another.
    function os.exit(...)
        _M.finish()
        os_exit(...)
    end
end


return _M
