-- traffic.lua -- several limits at once: a request counts for all or none.
--
-- SPDX-License-Identifier: BSD-2-Clause

local max = math.max

local _M = { _VERSION = "0.09" }

-- The longest delay, or nil and why; states[i]: what limiter i said.
function _M.combine(limiters, keys, states)
    local n = #limiters
    local longest = 0

    -- The last may count at once: if it refuses, nobody else has counted.
    for i = 1, n do
        local delay, err = limiters[i]:incoming(keys[i], i == n)
        if not delay then
            return nil, err
        end
        if states then
            states[i] = err
        end
        longest = max(longest, delay)
    end

    for i = 1, n - 1 do
        local delay, err = limiters[i]:incoming(keys[i], true)
        if not delay then
            for j = 1, i - 1 do
                limiters[j]:uncommit(keys[j])
            end
            limiters[n]:uncommit(keys[n])
            return nil, err
        end
        longest = max(longest, delay)
    end

    return longest
end

return _M
