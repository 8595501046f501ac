-- pureffi.lua -- resty.lrucache under its other name.
--
-- Elsewhere this one keeps its keys in a hash table of its own, for caches
-- whose keys change often, and the load factor is that table's. Here both
-- are the same; what the factor would mean can be read, and has no effect.
--
-- SPDX-License-Identifier: BSD-2-Clause

local lrucache = require "resty.lrucache"

local max, min = math.max, math.min

local MIN_LOAD, LOAD, MAX_LOAD = 0.1, 0.5, 1

local _M = {}
for name, value in pairs(lrucache) do
    _M[name] = value
end

function _M.new(size, load_factor)
    local self, err = lrucache.new(size)
    if not self then
        return nil, err
    end
    local want = size / max(MIN_LOAD, min(load_factor or LOAD, MAX_LOAD))
    self.bucket_sz = 1
    while self.bucket_sz < want do
        self.bucket_sz = self.bucket_sz * 2
    end
    return self
end

return _M
