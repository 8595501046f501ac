-- chash.lua -- consistent hashing: a key keeps its node while others come and
-- go. Points lie where those of nginx's `hash ... consistent` do.
--
-- C side: ffi_lib.c. Nothing here yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local add_weight_methods = require "lunette.node_weights"
local base = require "lunette.base"

local C = ffi.C
local new_array, to_int, INT_MAX = base.new_array, base.to_int, base.INT_MAX
local pairs, setmetatable, tonumber, tostring =
    pairs, setmetatable, tonumber, tostring

base.cdef [[
typedef struct {
    uint32_t  hash;
    uint32_t  node;
} lun_chash_point;

void lun_ffi_chash_add(lun_chash_point *points, const char *id, size_t len,
    uint32_t node, uint32_t count);
void lun_ffi_chash_sort(lun_chash_point *points, uint32_t count);
uint32_t lun_ffi_chash_find(const lun_chash_point *points, uint32_t count,
    const char *key, size_t len);
]]

local POINTS = 160                 -- of one unit of weight
local MOST = 2 ^ 53

local _M = { _VERSION = "0.05" }
local mt = { __index = _M }

local points_type = ffi.typeof("lun_chash_point[?]")

-- Each node's points depend on nothing but its name: all are made anew.
local function rebuild(self)
    local total, count = 0, 0
    for _, weight in pairs(self.nodes) do
        total = total + weight
    end
    local points = new_array(points_type, total * POINTS)
    local at = 0
    self.npoints = total * POINTS
    self.size = self.npoints
    self.ids = {}
    for id, weight in pairs(self.nodes) do
        local name = tostring(id)
        count = count + 1
        self.ids[count] = id
        C.lun_ffi_chash_add(points + at, name, #name, count, weight * POINTS)
        at = at + weight * POINTS
    end
    C.lun_ffi_chash_sort(points, self.npoints)
    self.points = points
end

local function read_weight(weight)
    weight = to_int(tonumber(weight) or 0, 0, INT_MAX)
    return weight > 0 and weight or nil
end

function _M.reinit(self, nodes)
    self.nodes = {}
    for id, weight in pairs(nodes) do
        self.nodes[id] = read_weight(weight)
    end
    rebuild(self)
end

function _M.new(_, nodes)
    local self = setmetatable({}, mt)
    self:reinit(nodes)
    return self
end

function _M.set(self, id, weight)
    weight = read_weight(weight)
    if self.nodes[id] ~= weight then
        self.nodes[id] = weight
        rebuild(self)
    end
end

-- The node and its index, for next().
function _M.find(self, key)
    if self.npoints == 0 then
        return nil
    end
    key = tostring(key)
    local i = C.lun_ffi_chash_find(self.points, self.npoints, key, #key)
    return self.ids[self.points[i].node], i
end

function _M.next(self, index)
    if self.npoints == 0 then
        return nil
    end
    local i = (to_int(index, -MOST, MOST) + 1) % self.npoints
    return self.ids[self.points[i].node], i
end

add_weight_methods(_M)

return _M
