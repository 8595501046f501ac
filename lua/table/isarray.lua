-- table.isarray, which OpenResty's LuaJIT brings: only positive whole keys.
--
-- SPDX-License-Identifier: BSD-2-Clause

local floor, pairs, type = math.floor, pairs, type

return function (tb)
    for key in pairs(tb) do
        if type(key) ~= "number" or key < 1 or floor(key) ~= key then
            return false
        end
    end
    return true
end
