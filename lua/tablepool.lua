-- tablepool.lua -- tables that were used before, by tag.
--
-- SPDX-License-Identifier: BSD-2-Clause

local new_tab = require "table.new"
local clear_tab = require "table.clear"

local error, getmetatable, setmetatable = error, getmetatable, setmetatable

local MAX = 200                    -- of a tag; others are for the collector

local _M = { _VERSION = "0.03" }

local pools = {}

function _M.fetch(tag, narr, nrec)
    local pool = pools[tag]
    if pool and pool.count > 0 then
        local t = pool[pool.count]
        pool[pool.count] = nil
        pool.count = pool.count - 1
        return t
    end
    return new_tab(narr, nrec)
end

-- `noclear`: what is in it stays.
function _M.release(tag, t, noclear)
    if not t then
        error("object empty", 2)
    end
    if not noclear then
        if getmetatable(t) then
            setmetatable(t, nil)
        end
        clear_tab(t)
    end
    local pool = pools[tag]
    if not pool then
        pool = { count = 0 }
        pools[tag] = pool
    end
    if pool.count < MAX then
        pool.count = pool.count + 1
        pool[pool.count] = t
    end
end

return _M
