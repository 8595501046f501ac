-- lock.lua -- a lock in a shared dictionary: whoever adds the key has it.
--
-- Waiting is sleeping in steps that grow. A lock that nobody gives back goes
-- with its object, or when its time is over. lock() yields where it waits.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"

local ffi_new = ffi.new
local max, min = math.max, math.min
local setmetatable, tostring, type = setmetatable, tostring, type
local sleep = ngx.sleep

local _M = { _VERSION = "0.09" }
local mt = { __index = _M }

-- Held locks by number: dictionary and key. A table has no __gc here, a
-- struct has one, but can't hold the two.
local held = {}
local last = 0

local function release(box)
    local lock = held[box.number]
    if lock then
        held[box.number] = nil
        lock.dict:delete(lock.key)
    end
end

local box_type = ffi.metatype("struct { double number; }", { __gc = release })

function _M.new(_, dict_name, opts)
    local dict = type(dict_name) == "string" and ngx.shared[dict_name]
                 or dict_name
    if not dict or type(dict) == "string" then
        return nil, "dictionary not found"
    end
    opts = opts or {}
    local exptime = opts.exptime or 30
    local self = {
        dict = dict,
        exptime = exptime,
        timeout = min(opts.timeout or 5, exptime),
        step = opts.step or 0.001,
        ratio = opts.ratio or 2,
        max_step = opts.max_step or 0.5,
        box = ffi_new(box_type),
    }
    return setmetatable(self, mt)
end

local function hold(self, key)
    last = last + 1
    self.box.number = last
    held[last] = { dict = self.dict, key = key }
end

-- The seconds it took, or nil: "locked", "timeout", "nil key", or what the
-- dictionary has to say.
function _M.lock(self, key)
    if not key then
        return nil, "nil key"
    end
    key = tostring(key)
    if self.box.number ~= 0 then
        return nil, "locked"
    end

    local dict, exptime = self.dict, self.exptime
    local left, step = self.timeout, self.step
    local elapsed = 0

    local ok, err = dict:add(key, true, exptime)
    while not ok do
        if err ~= "exists" then
            return nil, err
        end
        if left <= 0 then
            return nil, "timeout"
        end
        step = max(min(step, left, self.max_step), 0.001)
        sleep(step)
        elapsed = elapsed + step
        left = left - step
        step = step * self.ratio
        ok, err = dict:add(key, true, exptime)
    end

    hold(self, key)
    return elapsed
end

function _M.unlock(self)
    local number = self.box.number
    if number == 0 then
        return nil, "unlocked"
    end
    local lock = held[number]
    held[number] = nil
    self.box.number = 0
    local ok, err = lock.dict:delete(lock.key)
    if not ok then
        return nil, err
    end
    return 1
end

-- Its time begins anew, with `exptime` seconds or as many as at first.
function _M.expire(self, exptime)
    local lock = held[self.box.number]
    if not lock then
        return nil, "unlocked"
    end
    local ok, err = lock.dict:replace(lock.key, true,
                                      exptime or self.exptime)
    if not ok then
        return nil, err
    end
    return true
end

return _M
