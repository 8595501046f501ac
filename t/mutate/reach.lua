-- t/mutate/reach.lua -- which tests reach which lines
--
-- Made once with a build that notes its basic blocks (reach.c), and kept in
-- build/mutate/map: for each test the lines that it reaches, with copies of
-- the tests and of the sources that it was made with. A test that has
-- changed is measured again. Where a source has changed, what was known of
-- a function's lines is still taken for the whole function; `make mutate
-- MAP=new` measures everything again.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local io = require "lunette.spec.io"
local shell = require "shell"
local source = require "source"
local tests = require "tests"
local tree = require "tree"

local HOME = tree.home .. "/map"
-- How often a test may fail before it is left out.
local TURNS = 3

local Map = {}
Map.__index = Map

local _M = {}

-- --- blocks and lines ---

-- The addresses of a program's blocks, in the order of its counters.
local function addresses(path)
    local text = shell.must(io.read(path), path, ": no blocks")
    local at, out = ffi.cast("const uint64_t *", text), {}

    for i = 1, #text / 8 do
        out[i] = tonumber(at[i - 1])
    end
    return out
end

-- The last of the sorted numbers that is not above `n`; 0 if all are.
local function find(sorted, n)
    local low, high = 0, #sorted

    while low < high do
        local middle = math.floor((low + high + 1) / 2)
        if sorted[middle].at <= n then
            low = middle
        else
            high = middle - 1
        end
    end
    return low
end

-- A path of the line table as it is called in the tree, wherever it was
-- compiled; nil: no room of it.
local function room_of(path)
    path = "/" .. path
    return path:match(".*/(core/.*%.c)$") or path:match(".*/(modules/.*%.c)$")
end

-- Calls fn(room, line, address) for each row of the program's line tables.
local function rows(program, fn)
    local pipe = assert(_G.io.popen("llvm-dwarfdump-14 --debug-line "
                                    .. shell.quote(program)))
    local folders, rooms, file, name = {}, {}, nil, nil

    for text in pipe:lines() do
        local at, line, number = text:match("^0x(%x+)%s+(%d+)%s+%d+%s+(%d+)")
        local key, value = text:match("^%s*([%w_]+)[^\"]*\"(.*)\"$")
        if at then
            if rooms[number] and line ~= "0" then
                fn(rooms[number], tonumber(line), tonumber(at, 16))
            end
        elseif text:find("^debug_line") then
            folders, rooms = {}, {}
        elseif key == "include_directories" then
            folders[text:match("%d+")] = value
        elseif text:find("^file_names") then
            file = text:match("%d+")
        elseif key == "name" then
            name = value
        elseif text:find("^%s*dir_index") then
            rooms[file] = room_of((folders[text:match("%d+")] or "") .. "/"
                                  .. name)
        end
    end
    pipe:close()
end

-- For each counter of the program, from 1: a list of { room, line }.
local function lines_of(program, pcs_path)
    local sorted, out = {}, {}

    for i, at in ipairs(addresses(pcs_path)) do
        sorted[i] = { at = at, number = i }
        out[i] = {}
    end
    table.sort(sorted, function (a, b) return a.at < b.at end)
    rows(program, function (room, line, at)
        local block = sorted[find(sorted, at)]
        if block then
            local list = out[block.number]
            list[#list + 1] = { room, line }
        end
    end)
    return out
end

-- --- what is kept: "room line line ..." for each room ---

local function add(set, room, line)
    set[room] = set[room] or {}
    set[room][line] = true
end

local function print_set(set)
    local out = {}

    for room, lines in pairs(set) do
        local numbers = {}
        for line in pairs(lines) do
            numbers[#numbers + 1] = line
        end
        table.sort(numbers)
        out[#out + 1] = room .. " " .. table.concat(numbers, " ")
    end
    table.sort(out)
    return table.concat(out, "\n") .. "\n"
end

local function read_set(text)
    local set = {}

    for room, numbers in text:gmatch("(%S+) ([^\n]*)\n") do
        set[room] = {}
        for number in numbers:gmatch("%d+") do
            set[room][tonumber(number)] = true
        end
    end
    return set
end

local function kept(test)
    return HOME .. "/tests/" .. test:gsub("/", "~")
end

-- --- measuring ---

-- Counters -> lines of a program, asked for once.
local function counters(self, program, pcs)
    if not self.programs[program] then
        self.programs[program] = lines_of(program, pcs)
        local known = {}
        for _, list in ipairs(self.programs[program]) do
            for _, place in ipairs(list) do
                add(known, place[1], place[2])
            end
        end
        if program == tree.reach.server then
            shell.must(io.write(HOME .. "/known", print_set(known)), HOME)
        end
    end
    return self.programs[program]
end

local function measured(self, test, dir)
    local unit = tests.unit_of(test)
    local program = unit and tree.reach.units .. "/" .. unit
                    or tree.reach.server
    local bytes, set = io.read(dir .. "/reached") or "", {}

    if bytes == "" then
        return set
    end
    local lines = counters(self, program, dir .. "/pcs")
    for i = 1, #bytes do
        for _, place in ipairs(bytes:byte(i) ~= 0 and lines[i] or {}) do
            add(set, place[1], place[2])
        end
    end
    if unit then
        self.programs[program] = nil
    end
    return set
end

-- A test's copy, lines and milliseconds; one that fails is not asked again
-- until it changes.
local function keep(self, run, known)
    local test, at = run.test, kept(run.test)
    local text = known.ok and "took " .. math.floor(known.took) .. "\n"
                 .. print_set(measured(self, test, run.dir))
                 or "failed " .. tostring(known.title) .. "\n"

    shell.must(io.write(at .. ".lines", text), at)
    shell.must(io.write(at, io.read(tree.path .. "/" .. test)), at)
    if not known.ok then
        print("# " .. test .. " fails as it is, and is left out: "
              .. tostring(known.title))
    end
end

local function measure(self, list, jobs)
    local units = {}

    print("# measuring what " .. #list .. " tests reach")
    for _, test in ipairs(list) do
        units[#units + 1] = tests.unit_of(test)
    end
    tree.make_reach(units)
    for turn = 1, TURNS do
        local failed = {}
        tests.each(list, tests.reach, jobs, {}, function (run, known)
            if known.ok or turn == TURNS then
                keep(self, run, known)
            else
                failed[#failed + 1] = run.test
            end
        end)
        list = failed
    end
end

-- --- asking ---

-- Whether the room is what it was when the map was made.
local function is_same(self, room)
    if self.same[room] == nil then
        self.same[room] = shell.same(HOME .. "/" .. room,
                                     tree.path .. "/" .. room)
    end
    return self.same[room]
end

local function range(lines, first, last, out)
    for line = first, last do
        if lines[line] then
            out[#out + 1] = line
        end
    end
    return out
end

-- The lines that stand for a place: its own; those of its function, when
-- that is all that is known; all of the room for a table.
function Map:lines_for(room, place)
    local known, func = self.known[room] or {}, place.func
    local all = range(known, 1, 100000, {})

    if not func then
        return all
    end
    if is_same(self, room) then
        if known[place.line] then
            return { place.line }
        end
        return range(known, func.first, func.last, {})
    end
    local was = source.functions(io.read(HOME .. "/" .. room) or "")[func.name]
    return was and range(known, was.first, was.last, {}) or all
end

local function share(set, room)
    local count = 0

    for _ in pairs(set[room] or {}) do
        count = count + 1
    end
    return count
end

-- A table is data that all programs have: what asks for its text, as `lunette
-- help` does, reaches no line of the table's room.
local function reads_tables(test, place)
    return not place.func and test:find("%.lua$") ~= nil
end

-- Tests that reach a place, those first that read tables, or know most of its
-- room. Nobody knows a room: all tests.
function Map:tests_for(room, place)
    local out, lines = {}, self:lines_for(room, place)

    for test, set in pairs(self.sets) do
        local reads = reads_tables(test, place)
        local hit = #lines == 0 or reads
        for _, line in ipairs(set[room] and lines or {}) do
            hit = hit or set[room][line]
        end
        if hit then
            out[#out + 1] = { test = test,
                              share = reads and math.huge or share(set, room) }
        end
    end
    table.sort(out, function (a, b)
        if a.share ~= b.share then
            return a.share > b.share
        end
        return a.test < b.test
    end)
    for i, entry in ipairs(out) do
        out[i] = entry.test
    end
    return out
end

-- All tests that pass, in no order that matters.
function Map:all()
    local out = {}

    for test in pairs(self.sets) do
        out[#out + 1] = test
    end
    table.sort(out)
    return out
end

-- --- the whole ---

local function load(self, all)
    self.known = read_set(io.read(HOME .. "/known") or "")
    for _, test in ipairs(all) do
        local text = io.read(kept(test) .. ".lines") or ""
        local took = text:match("^took (%d+)\n")
        if took then
            self.sets[test], self.took[test] = read_set(text), tonumber(took)
        end
    end
end

-- `again`: forget what was measured. The tree's copy must be in order.
function _M.open(again, jobs)
    local self = setmetatable({ programs = {}, same = {}, sets = {},
                                took = {} }, Map)
    local all, missing = tests.all(), {}

    if again or not io.size(HOME .. "/known") then
        io.remove(HOME)
        io.make_dir(HOME .. "/tests")
        shell.must(shell.run("cd " .. shell.quote(tree.path) .. " && cp -r "
                             .. "--parents core modules "
                             .. shell.quote(HOME)), HOME)
    end
    for _, test in ipairs(all) do
        if not shell.same(tree.path .. "/" .. test, kept(test)) then
            missing[#missing + 1] = test
        end
    end
    if #missing > 0 then
        measure(self, missing, jobs)
    end
    load(self, all)
    return self
end

return _M
