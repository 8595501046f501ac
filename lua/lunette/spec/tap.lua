-- lunette/spec/tap.lua -- the Test Anything Protocol, written and read
--
-- A file's run writes one line per block, with what went wrong below it as
-- comments. The parent reads these, numbers them anew, and adds up.
--
-- SPDX-License-Identifier: BSD-2-Clause

local format = string.format

local Writer = {}
Writer.__index = Writer

local _M = {}

-- `write(text)` takes finished lines.
function _M.writer(write)
    return setmetatable({ write = write, count = 0, passed = 0, failed = 0,
                          skipped = 0 }, Writer)
end

-- A name must not look like a directive.
local function plain(name)
    return (name:gsub("#", "\\#"):gsub("[\r\n]+", " "))
end

function Writer:comment(text)
    for line in (text .. "\n"):gmatch("([^\n]*)\n") do
        self.write("# " .. line .. "\n")
    end
end

function Writer:pass(name)
    self.count, self.passed = self.count + 1, self.passed + 1
    self.write(format("ok %d - %s\n", self.count, plain(name)))
end

function Writer:skip(name, reason)
    self.count, self.skipped = self.count + 1, self.skipped + 1
    self.write(format("ok %d - %s # SKIP %s\n", self.count, plain(name),
                      (reason:gsub("[\r\n]+", " "))))
end

-- `lines`: what there is to say about it.
function Writer:fail(name, lines)
    self.count, self.failed = self.count + 1, self.failed + 1
    self.write(format("not ok %d - %s\n", self.count, plain(name)))
    for _, line in ipairs(lines or {}) do
        self:comment("  " .. line)
    end
end

-- The plan, and the sums.
function Writer:finish()
    self.write(format("1..%d\n", self.count))
end

function Writer:summary()
    local text = format("%d passed, %d failed", self.passed, self.failed)

    if self.skipped > 0 then
        text = text .. format(", %d skipped", self.skipped)
    end
    return text
end

-- Writes what another writer wrote, renumbered. Returns how many tests it
-- had and how many it planned (nil: it never got to its plan).
function Writer:include(text)
    local seen, planned = 0, nil

    -- Standard output on Windows has lines that end with CR LF.
    for line in text:gsub("\r", ""):gmatch("[^\n]+") do
        local bad, rest = line:match("^(n?o?t? ?ok) %d+( .*)$")
        local plan = line:match("^1%.%.(%d+)$")
        if bad then
            seen, self.count = seen + 1, self.count + 1
            if bad == "not ok" then
                self.failed = self.failed + 1
            elseif rest:find("[^\\]# SKIP") then
                self.skipped = self.skipped + 1
            else
                self.passed = self.passed + 1
            end
            self.write(bad .. " " .. self.count .. rest .. "\n")
        elseif plan then
            planned = tonumber(plan)
        else
            self.write(line .. "\n")
        end
    end
    return seen, planned
end

return _M
