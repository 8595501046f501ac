-- phase.lua -- ngx.get_phase.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"

local error, tonumber = error, tonumber
local now = base.now
local ngx = ngx

-- By bit; most names are those of base.phases.
local names = {}

for name, bit in pairs(base.phases) do
    names[bit] = name
end

names[base.phases.tool] = "timer"
names[base.phases.ssl_session_fetch] = "ssl_session_fetch"

-- Any phase.
function ngx.get_phase()
    local name = names[tonumber(now.phase)]

    if not name then
        error("unknown phase", 2)
    end
    return name
end

-- Its bit.
function ngx.get_raw_phase()
    return tonumber(now.phase)
end

return { _VERSION = base.version }
