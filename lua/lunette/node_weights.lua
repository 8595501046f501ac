-- node_weights.lua -- what every balancer's nodes can do besides set(): to go,
-- and to become heavier or lighter.
--
-- SPDX-License-Identifier: BSD-2-Clause

local tonumber = tonumber

-- Adds the methods to a class that has set() and keeps weights in `nodes`.
return function(class)
    function class.delete(self, id)
        self:set(id, 0)
    end

    function class.incr(self, id, weight)
        self:set(id, (self.nodes[id] or 0) + (tonumber(weight) or 1))
    end

    -- A node that is not there is not made.
    function class.decr(self, id, weight)
        local old = self.nodes[id]
        if old then
            self:set(id, old - (tonumber(weight) or 1))
        end
    end
end
