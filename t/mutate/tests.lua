-- t/mutate/tests.lua -- unit tests, specs and busted specs, one file at a time
--
-- Each runs in a cell of its own (t/mutate/cell). A verdict is had at the
-- first test that fails; what is still running is ended.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local shell = require "shell"
local tree = require "tree"

local getenv = os.getenv

-- The spec runner that checks is never a mutant, but where it is the one
-- that is tested.
local RUNNER = io.program() .. "/lunette"
local SELF_TESTS = "^t/10%-base/"
-- What a test may take: so much more than it took, and so many milliseconds.
local SLOWER, PATIENCE = 10, 30000

local Run = {}
Run.__index = Run

local _M = { original = { server = tree.original .. "/lunette",
                          units = tree.reach.units },
             mutant = { server = tree.server, units = tree.units },
             reach = tree.reach }

-- Every test that can run here: t/unit/x.c, t/60-modules/x.t, and so on.
function _M.all()
    return shell.lines("cd " .. shell.quote(tree.path) .. " && { ls t/*/*.t; "
                       .. "ls t/busted/*_spec.lua; grep -L "
                       .. "'^.include \"../../windows/' t/unit/*.c; }")
end

function _M.unit_of(test)
    return test:match("^t/unit/(.*)%.c$")
end

local function command(test, program)
    local unit = _M.unit_of(test)

    if unit then
        return { program.units .. "/" .. unit }
    elseif test:find("%.lua$") then
        return { "sh", "-c", "LUNETTE=\"$0\" " .. (getenv("BUSTED") or "")
                 .. " exec \"$0\" run /usr/bin/busted -o TAP \"$1\"",
                 program.server, test }
    end
    return { test:find(SELF_TESTS) and program.server or RUNNER, "spec",
             "--server", program.server, test }
end

-- --- one run ---

-- Starts `test` with the programs of `program`. `slot`: a number that no
-- other run has just now; `took`: milliseconds, when it was measured.
function _M.start(test, program, slot, took)
    local dir = tree.home .. "/run/" .. slot
    local argv = { tree.path .. "/t/mutate/cell", dir }

    io.remove(dir)
    io.make_dir(dir)
    shell.must(shell.run("chmod 777 " .. shell.quote(dir)), "chmod ", dir)
    for _, word in ipairs(command(test, program)) do
        argv[#argv + 1] = word
    end
    if program == tree.reach then
        io.setenv("LUN_REACH", dir .. "/reached")
        io.setenv("LUN_REACH_PCS", dir .. "/pcs")
    end
    local process, why = io.run(argv, dir .. "/out", dir .. "/err")
    shell.must(process, test, ": ", why)
    return setmetatable({ test = test, dir = dir, process = process,
                          began = io.now(), seen = 0, slot = slot,
                          limit = PATIENCE + SLOWER * (took or 10000) }, Run)
end

function Run:stop()
    self.process:kill()
end

-- How a test died: a sanitizer's word, if it is one.
local function death(self, status)
    local text = io.read(self.dir .. "/err") or ""

    return text:match("ERROR: (%w+Sanitizer: [%w-]+)")
           or text:match("runtime error: ([^\n]*)")
           or "exit status " .. status
end

-- `named`: the title is that of a line of TAP.
local function verdict(self, ok, title, named)
    self:stop()
    return { ok = ok, title = title, named = named,
             took = io.now() - self.began }
end

-- Whether the line of TAP settles it; `wanted`: only a test of that name
-- does.
local function judge(self, line, wanted)
    local bad, title = line:match("^(n?o?t? ?ok) %d+ %- (.*)$")

    if not bad or wanted and title ~= wanted then
        return nil
    end
    if bad == "not ok" then
        return verdict(self, false, title, true)
    end
    return wanted and verdict(self, true, title, true) or nil
end

-- nil while it runs; else { ok, title (of what failed), named, took }.
-- `wanted`: the one test that matters, which may be missing if all is well.
function Run:poll(wanted)
    local status = self.process:wait(0)
    local out = io.read(self.dir .. "/out", self.seen) or ""

    for line in out:gmatch("([^\n]*)\n") do
        self.seen = self.seen + #line + 1
        local known = judge(self, line, wanted)
        if known then
            return known
        end
    end
    if status then
        local whole = io.read(self.dir .. "/out"):find("1%.%.%d")
        local ok = whole ~= nil and (status == 0 or wanted ~= nil)
        return verdict(self, ok, not ok and death(self, status) or nil)
    elseif io.now() - self.began > self.limit then
        return verdict(self, false, "hangs")
    end
    return nil
end

-- Runs it to its end.
function _M.once(test, program, slot, took, wanted)
    local run = _M.start(test, program, slot, took)

    while true do
        local known = run:poll(wanted)
        if known then
            return known
        end
        io.sleep(5)
    end
end

-- --- many ---

-- Calls on_end(run, verdict) as runs end, `jobs` at a time; returns what it
-- returns, if that is not nil, and ends the others.
function _M.each(list, program, jobs, took, on_end)
    local running, free, nth = {}, {}, 1
    local result

    for slot = 1, jobs do
        free[slot] = slot
    end
    while nth <= #list or next(running) do
        while nth <= #list and #free > 0 do
            local slot = table.remove(free)
            running[slot] = _M.start(list[nth], program, slot,
                                     took[list[nth]])
            nth = nth + 1
        end
        for slot, run in pairs(running) do
            local known = run:poll()
            if known then
                running[slot], free[#free + 1] = nil, slot
                result = on_end(run, known)
                break
            end
        end
        if result ~= nil then
            break
        end
        io.sleep(5)
    end
    for _, run in pairs(running) do
        run:stop()
    end
    return result
end

return _M
