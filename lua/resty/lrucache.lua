-- lrucache.lua -- a cache in the Lua machine of one worker: what was used
-- least recently makes room.
--
-- Entries have numbers from 1 to `size`. Which one a key has, and their order,
-- is C's business; keys that are no strings have a table here.
-- Nothing here yields; every phase may use it.
--
-- C side: ffi_lrucache.c.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_fill, ffi_sizeof = ffi.fill, ffi.sizeof
local new_array, to_int, INT_MAX = base.new_array, base.to_int, base.INT_MAX
local new_tab, clear_tab = base.new_tab, base.clear_tab
local ngx_now = ngx.now
local setmetatable, tonumber, type = setmetatable, tonumber, type

base.cdef [[
typedef struct {
    double       expires;
    const char  *key;
    uint32_t     flags;
    int32_t      prev, next;
    int32_t      chain;
} lun_lrucache_entry;

typedef struct {
    lun_lrucache_entry  *entries;
    int32_t             *buckets;
    uint32_t             mask;
    int32_t              count;
    int32_t              free;
} lun_lrucache;

int lun_ffi_lru_get(lun_lrucache *lru, const char *key);
int lun_ffi_lru_use(lun_lrucache *lru, int n);
int lun_ffi_lru_find(const lun_lrucache *lru, const char *key);
int lun_ffi_lru_take(lun_lrucache *lru, const char *key);
void lun_ffi_lru_give(lun_lrucache *lru, int n);
]]

local _M = { _VERSION = "0.15" }
local mt = { __index = _M }

local lru_type = ffi.typeof("lun_lrucache")
local entries_type = ffi.typeof("lun_lrucache_entry[?]")
local buckets_type = ffi.typeof("int32_t[?]")
local MAX_FLAGS = 4294967295

local function reset(self)
    local lru, entries, size = self.lru, self.entries, self.size
    ffi_fill(entries, ffi_sizeof(entries))
    ffi_fill(self.buckets, ffi_sizeof(self.buckets))
    for i = 1, size - 1 do
        entries[i].next = i + 1
    end
    lru.free = 1
    lru.count = 0
end

function _M.new(size)
    size = to_int(size, 0, INT_MAX)
    if size < 1 then
        return nil, "size too small"
    end
    local room = 1
    while room < size do
        room = room * 2
    end
    local self = {
        entries = new_array(entries_type, size + 1),
        buckets = new_array(buckets_type, room),
        others = {},
        keys = new_tab(size, 0),
        values = new_tab(size, 0),
        size = size,
    }
    self.lru = lru_type(self.entries, self.buckets, room - 1)
    reset(self)
    -- Found at once: a name that is looked for here in vain, at each call,
    -- takes longer than the rest of the call.
    self.get, self.set = _M.get, _M.set
    return setmetatable(self, mt)
end

function _M.count(self)
    return self.lru.count
end

function _M.capacity(self)
    return self.size
end

-- The number of a key that is no string, which is the latest now; less than
-- that of one that has expired, 0 of none.
local function get_other(self, key)
    local n = self.others[key]
    return n and C.lun_ffi_lru_use(self.lru, n) or 0
end

-- The value and its flags; of one that has expired: nil, the value, flags.
function _M.get(self, key)
    local n
    if type(key) == "string" then
        n = C.lun_ffi_lru_get(self.lru, key)
    else
        n = get_other(self, key)
    end
    if n > 0 then
        return self.values[n], nil, tonumber(self.entries[n].flags)
    end
    if n == 0 then
        return nil
    end
    return nil, self.values[-n], tonumber(self.entries[-n].flags)
end

function _M.delete(self, key)
    local n
    if type(key) == "string" then
        n = C.lun_ffi_lru_find(self.lru, key)
    else
        n = self.others[key] or 0
        if n ~= 0 then
            self.others[key] = nil
        end
    end
    if n == 0 then
        return false
    end
    C.lun_ffi_lru_give(self.lru, n)
    self.keys[n] = nil
    self.values[n] = nil
    return true
end

-- A number for a key that has none. Who has to go for it may be no string.
local function take(self, key, text)
    local n = C.lun_ffi_lru_take(self.lru, text)
    local old = self.keys[n]
    self.keys[n] = key
    if type(old) ~= "string" and old ~= nil then
        self.others[old] = nil
    end
    return n
end

local function number_of(self, key)
    local n
    if type(key) == "string" then
        n = C.lun_ffi_lru_get(self.lru, key)
        return n ~= 0 and n or take(self, key, key)
    end
    n = get_other(self, key)
    if n == 0 then
        self.others[key] = self.size               -- throws what is no key
        n = take(self, key, nil)
        self.others[key] = n
    end
    return n
end

function _M.set(self, key, value, ttl, flags)
    local n = number_of(self, key)
    if n < 0 then
        n = -n
    end
    self.values[n] = value

    local e = self.entries[n]
    e.expires = ttl and ngx_now() + ttl or 0
    if type(flags) ~= "number" or flags < 0 or not (flags <= MAX_FLAGS) then
        flags = 0
    end
    e.flags = flags
end

-- The latest first; `keys` is filled if it is given, with a nil at its end.
function _M.get_keys(self, max, keys)
    local entries, count = self.entries, self.lru.count
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
    clear_tab(self.others)
    clear_tab(self.keys)
    clear_tab(self.values)
    reset(self)
end

return _M
