-- http_headers.lua -- a table of headers, whose names are the same in any
-- case; what is listed is as it was set.
--
-- SPDX-License-Identifier: BSD-2-Clause

local rawget, rawset, setmetatable, type =
    rawget, rawset, setmetatable, type
local lower = string.lower

local _M = { _VERSION = "0.17.2" }

local function normal(name)
    return type(name) == "string" and lower(name) or name
end

function _M.new()
    local names = {}               -- by normal name: as it was set
    local mt = { normalised = names }

    function mt.__index(t, name)
        local own = names[normal(name)]
        if own == nil then
            return nil
        end
        return rawget(t, own)
    end

    function mt.__newindex(t, name, value)
        local plain = normal(name)
        local own = names[plain]
        if own ~= nil and own ~= name and rawget(t, own) ~= nil then
            rawset(t, own, value)
            return
        end
        names[plain] = name
        rawset(t, name, value)
    end

    return setmetatable({}, mt)
end

return _M
