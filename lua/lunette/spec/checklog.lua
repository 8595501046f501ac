-- lunette/spec/checklog.lua -- what the logs must say, and must not
--
-- Log lines come after the response: the server writes them when the
-- request is over. So the checks first wait for the request's line in the
-- access log (for a short while: it may be off), and then give what must be
-- there some more time to appear. What must not be there is checked last.
--
-- SPDX-License-Identifier: BSD-2-Clause

local client = require "lunette.spec.client"
local diff = require "lunette.spec.diff"
local expect = require "lunette.spec.expect"
local io = require "lunette.spec.io"
local regex = require "lunette.spec.regex"

local error, type = error, type

-- Between the access log's line and what log_by_lua writes.
local AFTERWARDS = 4

-- No spec means to provoke these without saying so; this one is only about
-- what the spec's configuration says.
local FAULTS = { "[alert]", "[emerg]" }
local NO_FAULT = "lua_code_cache is off"

local _M = {}

-- Waits for `expected` more lines in the access log.
local function settle(run)
    local deadline = io.now() + run.job.settle
    local pause = 1

    while run.logs:count("access_log") < run.sent and io.now() < deadline do
        client.pause(pause, run.mock)
        pause = math.min(pause * 2, 10)
    end
    client.pause(AFTERWARDS, run.mock)
end

-- Tries until it holds or the time is up; the last answer.
local function eventually(run, attempt)
    local deadline = io.now() + run.job.patience
    local pause = 2

    while true do
        local result = attempt()
        if result == nil or io.now() > deadline then
            return result
        end
        client.pause(pause, run.mock)
        pause = math.min(pause * 2, 50)
    end
end

-- Of a section, which should have some.
local function patterns_of(run, section)
    local patterns = expect.patterns(run.block:value(section))

    if #patterns == 0 and not run.lenient then
        error("--- " .. section .. " is empty", 0)
    end
    return patterns
end

local function must_have(run, report, section, which)
    local patterns = patterns_of(run, section)
    local missing = eventually(run, function ()
        local left = expect.missing(patterns, run:lines(which))
        return #left > 0 and left or nil
    end)
    for _, pattern in ipairs(missing or {}) do
        report:fail(section .. ": no line has " .. expect.show(pattern))
    end
end

local function must_lack(run, report, section, which)
    for _, pattern in ipairs(patterns_of(run, section)) do
        for _, line in ipairs(run:lines(which)) do
            if expect.matches(line, pattern) then
                report:fail(section .. ": a line has " .. expect.show(pattern),
                            { diff.visible((line:gsub("\n$", ""))) })
                break
            end
        end
    end
end

-- The matched part of each line, the first of a line, one per line.
local function grep(lines, pattern)
    local out = {}

    for _, line in ipairs(lines) do
        local found = nil
        if regex.is(pattern) then
            local m = pattern:exec(line)
            found = m and m[0]
        elseif line:find(pattern, 1, true) then
            found = pattern
        end
        if found and not found:find("\n", 1, true) then
            out[#out + 1] = found .. "\n"
        end
    end
    return table.concat(out)
end

local function for_repeat(value, index)
    if type(value) == "table" and value.kind == "array" then
        return value[index]
    end
    return value
end

local function grepped(run, report)
    local block = run.block
    local pattern = for_repeat(block:value("grep_error_log"), run.turn)
    local wanted = for_repeat(block:value("grep_error_log_out"), run.turn)
    local out

    if not pattern or not block:has("grep_error_log_out") then
        error("grep_error_log and grep_error_log_out need each other", 0)
    end
    wanted = wanted or ""
    eventually(run, function ()
        out = grep(run:lines("error_log"), pattern)
        local fine = regex.is(wanted) and wanted:test(out) or out == wanted
        return not fine and out or nil
    end)
    report:same("grep_error_log_out", out, wanted)
end

-- Lines that speak of the server's own faults, unless the block names them.
local function faults(run, report)
    local named = expect.patterns(run.block:value("error_log"))

    local lacking = run.block:value("no_error_log")
    for _, pattern in ipairs(expect.patterns(lacking)) do
        named[#named + 1] = pattern
    end
    if run.block:has("grep_error_log") then
        named[#named + 1] = for_repeat(run.block:value("grep_error_log"),
                                       run.turn)
    end
    for _, line in ipairs(run:lines("error_log")) do
        for _, fault in ipairs(FAULTS) do
            -- [emerg] is what a block expects that must die.
            local expected = expect.mentions(named, fault:sub(1, -2))
                             or (run.must_die and fault == "[emerg]")
                             or #expect.missing(named, { line }) < #named
            if line:find(fault, 1, true) and not expected
               and not line:find(NO_FAULT, 1, true)
            then
                report:fail("the server logged " .. fault,
                            { diff.visible((line:gsub("\n$", ""))) })
                return
            end
        end
        if line:find("Assertion .*failed") then
            report:fail("assertion", { diff.visible(line) })
        end
    end
end

-- `run`: block, job, logs, mock, sent (requests that will be in the access
-- log), turn (of repeat_each), must_die, lines(which).
function _M.all(run, report)
    local block = run.block

    settle(run)
    if block:has("error_log") then
        must_have(run, report, "error_log", "error_log")
    end
    if block:has("access_log") then
        must_have(run, report, "access_log", "access_log")
    end
    if block:has("grep_error_log") or block:has("grep_error_log_out") then
        grepped(run, report)
    end
    if block:has("no_error_log") then
        must_lack(run, report, "no_error_log", "error_log")
    end
    if block:has("no_access_log") then
        must_lack(run, report, "no_access_log", "access_log")
    end
    faults(run, report)
end

-- After the server of the block has ended.
function _M.shutdown(run, report)
    if run.block:has("shutdown_error_log") then
        must_have(run, report, "shutdown_error_log", "error_log")
    end
    if run.block:has("no_shutdown_error_log") then
        must_lack(run, report, "no_shutdown_error_log", "error_log")
    end
end

return _M
