-- table.clone, which OpenResty's LuaJIT brings: a shallow copy, without the
-- metatable.
--
-- SPDX-License-Identifier: BSD-2-Clause

local pairs = pairs

return function (tb)
    local copy = {}

    for key, value in pairs(tb) do
        copy[key] = value
    end
    return copy
end
