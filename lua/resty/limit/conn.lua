-- conn.lua -- so many requests of a key at a time, and a burst that waits.
--
-- SPDX-License-Identifier: BSD-2-Clause

local floor = math.floor
local assert, setmetatable = assert, setmetatable

local _M = { _VERSION = "0.09" }
local mt = { __index = _M }

function _M.new(dict_name, max, burst, default_conn_delay)
    local dict = ngx.shared[dict_name]
    if not dict then
        return nil, "shared dict not found"
    end
    assert(max > 0 and burst >= 0 and default_conn_delay > 0)
    return setmetatable({ dict = dict, max = max + 0, burst = burst,
                          unit_delay = default_conn_delay }, mt)
end

-- The delay in seconds and how many there are, or nil, "rejected".
function _M.incoming(self, key, commit)
    local dict, max = self.dict, self.max
    local conn, err

    self.committed = false
    if commit then
        conn, err = dict:incr(key, 1, 0)
        if not conn then
            return nil, err
        end
        if conn > max + self.burst then
            conn, err = dict:incr(key, -1)
            if not conn then
                return nil, err
            end
            return nil, "rejected"
        end
        self.committed = true
    else
        conn = (dict:get(key) or 0) + 1
        if conn > max + self.burst then
            return nil, "rejected"
        end
    end

    if conn > max then
        return self.unit_delay * floor((conn - 1) / max), conn
    end
    return 0, conn
end

function _M.is_committed(self)
    return self.committed
end

-- One has ended; `latency`: the seconds it took.
function _M.leaving(self, key, latency)
    assert(key)
    local conn, err = self.dict:incr(key, -1)
    if not conn then
        return nil, err
    end
    if latency then
        self.unit_delay = (latency + self.unit_delay) / 2
    end
    return conn
end

function _M.uncommit(self, key)
    assert(key)
    return self.dict:incr(key, -1)
end

function _M.set_conn(self, conn)
    self.max = conn
end

function _M.set_burst(self, burst)
    self.burst = burst
end

return _M
