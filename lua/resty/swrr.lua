-- swrr.lua -- nodes take turns by weight, a heavy one's turns spread out: the
-- smooth weighted round robin of nginx.
--
-- SPDX-License-Identifier: BSD-2-Clause

local add_weight_methods = require "lunette.node_weights"

local random = math.random
local pairs, setmetatable, tonumber = pairs, setmetatable, tonumber

local _M = { _VERSION = "0.05" }
local mt = { __index = _M }

function _M.find(self)
    local best, best_node
    local total = 0
    for id, node in pairs(self.nodes_of) do
        node.current = node.current + node.weight
        total = total + node.weight
        if not best_node or node.current > best_node.current then
            best, best_node = id, node
        end
    end
    if best_node then
        best_node.current = best_node.current - total
    end
    return best
end

function _M.reinit(self, nodes)
    self.nodes, self.nodes_of = {}, {}
    local count = 0
    for id, weight in pairs(nodes) do
        weight = tonumber(weight)
        if weight and weight > 0 then
            self.nodes[id] = weight
            self.nodes_of[id] = { weight = weight, current = 0 }
            count = count + 1
        end
    end
    -- Not every worker begins with the same node.
    if count > 1 then
        for _ = 1, random(count) do
            self:find()
        end
    end
end

function _M.new(_, nodes)
    local self = setmetatable({}, mt)
    self:reinit(nodes)
    return self
end

function _M.set(self, id, weight)
    weight = tonumber(weight) or 0
    if weight <= 0 then
        self.nodes[id], self.nodes_of[id] = nil, nil
        return
    end
    self.nodes[id] = weight
    local node = self.nodes_of[id]
    if node then
        node.weight = weight
    else
        self.nodes_of[id] = { weight = weight, current = 0 }
    end
end

add_weight_methods(_M)

return _M
