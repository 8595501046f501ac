-- roundrobin.lua -- nodes take turns, as often as they have weight.
--
-- SPDX-License-Identifier: BSD-2-Clause

local add_weight_methods = require "lunette.node_weights"

local max, min, random = math.max, math.min, math.random
local next, pairs, setmetatable, tonumber =
    next, pairs, setmetatable, tonumber

local _M = { _VERSION = "0.05" }
local mt = { __index = _M }

-- A round of more is nobody's wish: find() goes through it in steps.
local MOST_WEIGHT = 2 ^ 20

local function gcd_of(a, b)
    while b ~= 0 do
        a, b = b, a % b
    end
    return a
end

-- What follows from the weights; a round begins anew.
local function settle(self)
    local gcd, heaviest, count, only = 0, 0, 0, nil
    for id, weight in pairs(self.nodes) do
        count = count + 1
        only = id
        gcd = gcd_of(weight, gcd)
        heaviest = max(heaviest, weight)
    end
    self.only_key = count == 1 and only or nil
    self.gcd = max(gcd, 1)
    self.max_weight = heaviest
    self.count = count
end

local function read_nodes(nodes)
    local own = {}
    for id, weight in pairs(nodes) do
        weight = tonumber(weight)
        if weight and weight > 0 then
            own[id] = min(weight, MOST_WEIGHT)
        end
    end
    return own
end

-- Somewhere: not every worker begins with the same node.
local function begin(self)
    self.last_id = nil
    self.cw = self.max_weight
    if self.count > 1 then
        for _ = 1, random(self.count) do
            self.last_id = next(self.nodes, self.last_id)
        end
    end
end

function _M.new(_, nodes)
    local self = setmetatable({ nodes = read_nodes(nodes) }, mt)
    settle(self)
    begin(self)
    return self
end

function _M.reinit(self, nodes)
    self.nodes = read_nodes(nodes)
    settle(self)
    begin(self)
end

function _M.set(self, id, weight)
    weight = tonumber(weight) or 0
    weight = weight > 0 and min(weight, MOST_WEIGHT) or nil
    if self.nodes[id] == weight then
        return
    end
    self.nodes[id] = weight
    settle(self)
    -- `next` can't go on from an id that is new or gone.
    begin(self)
end

function _M.find(self)
    if self.only_key ~= nil or self.count == 0 then
        return self.only_key
    end
    local nodes, id, cw = self.nodes, self.last_id, self.cw
    while true do
        local weight
        id, weight = next(nodes, id)
        if id == nil then
            cw = cw - self.gcd
            if cw <= 0 then
                cw = self.max_weight
            end
        elseif weight >= cw then
            self.last_id, self.cw = id, cw
            return id
        end
    end
end

add_weight_methods(_M)

return _M
