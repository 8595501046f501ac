-- req.lua -- so many requests per second of a key, and a burst: a leaky
-- bucket in a shared dictionary. Excess is in thousandths of a request.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"

local ffi_cast, ffi_new, ffi_sizeof, ffi_string =
    ffi.cast, ffi.new, ffi.sizeof, ffi.string
local abs, max = math.abs, math.max
local assert, setmetatable, tonumber, type =
    assert, setmetatable, tonumber, type

ffi.cdef [[
struct lua_resty_limit_req_rec {
    uint64_t            excess;
    uint64_t            last;      /* ms */
};
]]

local const_rec_type = ffi.typeof("const struct lua_resty_limit_req_rec *")
local rec = ffi_new("struct lua_resty_limit_req_rec")
local REC_SIZE = ffi_sizeof("struct lua_resty_limit_req_rec")

local _M = { _VERSION = "0.09" }
local mt = { __index = _M }

function _M.new(dict_name, rate, burst)
    local dict = ngx.shared[dict_name]
    if not dict then
        return nil, "shared dict not found"
    end
    assert(rate > 0 and burst >= 0)
    return setmetatable({ dict = dict, rate = rate * 1000,
                          burst = burst * 1000 }, mt)
end

local function look_up(self, key)
    local v, err = self.dict:get(key)
    if v == nil then
        return nil, err
    end
    if type(v) ~= "string" or #v ~= REC_SIZE then
        return nil, "shdict abused by other users"
    end
    return ffi_cast(const_rec_type, v), nil, v
end

local function store(self, key, excess, last)
    rec.excess, rec.last = excess, last
    return self.dict:set(key, ffi_string(rec, REC_SIZE))
end

-- The delay in seconds and the excess, or nil, "rejected".
function _M.incoming(self, key, commit)
    local rate, now = self.rate, ngx.now() * 1000
    local excess = 0
    local old, err, text = look_up(self, key)   -- `old` points into `text`
    if err then
        return nil, err
    end
    if text then
        local passed = now - tonumber(old.last)
        excess = max(tonumber(old.excess) - rate * abs(passed) / 1000 + 1000,
                     0)
        if excess > self.burst then
            return nil, "rejected"
        end
    end
    if commit then
        store(self, key, excess, now)
    end
    return excess / rate, excess / 1000
end

-- Takes one request back.
function _M.uncommit(self, key)
    local old, err, text = look_up(self, key)
    if err then
        return nil, err
    end
    if not text then
        return nil, "not found"
    end
    store(self, key, max(tonumber(old.excess) - 1000, 0), old.last)
    return true
end

function _M.set_rate(self, rate)
    self.rate = rate * 1000
end

function _M.set_burst(self, burst)
    self.burst = burst * 1000
end

return _M
