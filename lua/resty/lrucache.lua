-- lrucache.lua -- a cache in the Lua machine of one worker: what was used
-- least recently makes room.
--
-- Entries have numbers from 1 to `size`. One ring of numbers goes through 0
-- and holds those in use, the latest first; free ones are chained by `next`.
-- Nothing here yields; every phase may use it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local ffi_fill, ffi_sizeof = ffi.fill, ffi.sizeof
local new_array, to_int, INT_MAX = base.new_array, base.to_int, base.INT_MAX
local new_tab, clear_tab = base.new_tab, base.clear_tab
local ngx_now = ngx.now
local setmetatable, tonumber, type = setmetatable, tonumber, type

ffi.cdef [[
typedef struct {
    double    expires;             /* 0: never */
    uint32_t  flags;
    int32_t   prev;
    int32_t   next;
} lun_lrucache_entry;
]]

local _M = { _VERSION = "0.15" }
local mt = { __index = _M }

local entries_type = ffi.typeof("lun_lrucache_entry[?]")
local MAX_FLAGS = 4294967295

local function reset(self)
    local entries, size = self.entries, self.size
    ffi_fill(entries, ffi_sizeof(entries))
    for i = 1, size - 1 do
        entries[i].next = i + 1
    end
    self.free = 1
    self.num_items = 0
end

function _M.new(size)
    size = to_int(size, 0, INT_MAX)
    if size < 1 then
        return nil, "size too small"
    end
    local self = {
        entries = new_array(entries_type, size + 1),
        numbers = new_tab(0, size),
        keys = new_tab(size, 0),
        values = new_tab(size, 0),
        size = size,
    }
    reset(self)
    -- Found at once: a name that is looked for here in vain, at each call,
    -- takes longer than the rest of the call.
    self.get, self.set = _M.get, _M.set
    return setmetatable(self, mt)
end

local function unlink(entries, n)
    local e = entries[n]
    entries[e.prev].next = e.next
    entries[e.next].prev = e.prev
end

local function link_first(entries, n)
    local e, first = entries[n], entries[0].next
    e.prev, e.next = 0, first
    entries[first].prev = n
    entries[0].next = n
end

-- A free number, or that of the entry that has to go.
local function take(self)
    local n, entries = self.free, self.entries
    if n ~= 0 then
        self.free = entries[n].next
        self.num_items = self.num_items + 1
        return n
    end
    n = entries[0].prev
    unlink(entries, n)
    self.numbers[self.keys[n]] = nil
    return n
end

function _M.count(self)
    return self.num_items
end

function _M.capacity(self)
    return self.size
end

-- The value and its flags; of one that has expired: nil, the value, flags.
function _M.get(self, key)
    local n = self.numbers[key]
    if not n then
        return nil
    end
    local entries = self.entries
    local e = entries[n]
    unlink(entries, n)
    link_first(entries, n)
    local value, flags = self.values[n], tonumber(e.flags)
    if e.expires ~= 0 and e.expires < ngx_now() then
        return nil, value, flags
    end
    return value, nil, flags
end

function _M.delete(self, key)
    local n = self.numbers[key]
    if not n then
        return false
    end
    local entries = self.entries
    unlink(entries, n)
    self.numbers[key] = nil
    self.keys[n] = false
    self.values[n] = false
    entries[n].next = self.free
    self.free = n
    self.num_items = self.num_items - 1
    return true
end

function _M.set(self, key, value, ttl, flags)
    local entries = self.entries
    local n = self.numbers[key]
    if n then
        unlink(entries, n)
    else
        n = take(self)
        self.numbers[key] = n
        self.keys[n] = key
    end
    link_first(entries, n)
    self.values[n] = value

    local e = entries[n]
    e.expires = ttl and ngx_now() + ttl or 0
    if type(flags) ~= "number" or flags < 0 or not (flags <= MAX_FLAGS) then
        flags = 0
    end
    e.flags = flags
end

-- The latest first; `keys` is filled if it is given, with a nil at its end.
function _M.get_keys(self, max, keys)
    local entries, count = self.entries, self.num_items
    if max and max > 0 and max < count then
        count = max
    end
    local given = keys ~= nil
    keys = keys or new_tab(count + 1, 0)
    local i, n = 0, entries[0].next
    while n ~= 0 and i < count do
        i = i + 1
        keys[i] = self.keys[n]
        n = entries[n].next
    end
    if given then
        keys[i + 1] = nil
    end
    return keys
end

function _M.flush_all(self)
    clear_tab(self.numbers)
    clear_tab(self.keys)
    clear_tab(self.values)
    reset(self)
end

return _M
