-- count.lua -- so many requests of a key in a window of time.
--
-- SPDX-License-Identifier: BSD-2-Clause

local assert, setmetatable = assert, setmetatable

local _M = { _VERSION = "0.09" }
local mt = { __index = _M }

function _M.new(dict_name, limit, window)
    local dict = ngx.shared[dict_name]
    if not dict then
        return nil, "shared dict not found"
    end
    assert(limit > 0 and window > 0)
    return setmetatable({ dict = dict, limit = limit, window = window }, mt)
end

-- 0 and how many are left, or nil, "rejected".
function _M.incoming(self, key, commit)
    local remaining, err
    if commit then
        remaining, err = self.dict:incr(key, -1, self.limit, self.window)
        if not remaining then
            return nil, err
        end
    else
        remaining = (self.dict:get(key) or self.limit) - 1
    end
    if remaining < 0 then
        return nil, "rejected"
    end
    return 0, remaining
end

-- Takes one back; returns how many are left.
function _M.uncommit(self, key)
    assert(key)
    local remaining, err = self.dict:incr(key, 1)
    if not remaining then
        if err == "not found" then
            return self.limit
        end
        return nil, err
    end
    return remaining
end

return _M
