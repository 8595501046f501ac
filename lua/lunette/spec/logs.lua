-- lunette/spec/logs.lua -- what the server wrote since a moment
--
-- Both logs are read from a remembered place on, so that a server that
-- serves several blocks (or a block several times) is checked by its own
-- lines. Lines keep their newline, as patterns expect.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local Logs = {}
Logs.__index = Logs

local _M = {}

function _M.new(root)
    return setmetatable({
        error_log = root .. "/logs/error.log",
        access_log = root .. "/logs/access.log",
        from = { error_log = 0, access_log = 0 },
    }, Logs)
end

function Logs:text(which)
    return io.read(self[which], self.from[which]) or ""
end

function Logs:lines(which)
    local out = {}

    for line in self:text(which):gmatch("[^\n]*\n?") do
        if line ~= "" then
            out[#out + 1] = line
        end
    end
    return out
end

-- From now on only what comes later.
function Logs:advance(which)
    self.from[which] = io.size(self[which]) or 0
end

-- New files, or the same ones: from their beginning.
function Logs:rewind()
    self.from = { error_log = 0, access_log = 0 }
end

function Logs:count(which)
    local _, count = self:text(which):gsub("\n", "")

    return count
end

-- The last lines of the error log, for people: without [debug].
function Logs:tail(count)
    local lines, out = {}, {}

    for _, line in ipairs(self:lines("error_log")) do
        if not line:find("[debug]", 1, true) then
            lines[#lines + 1] = line
        end
    end
    for i = math.max(1, #lines - count + 1), #lines do
        out[#out + 1] = lines[i]:gsub("\n$", "")
    end
    return out
end

return _M
