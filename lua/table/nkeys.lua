-- table.nkeys, which OpenResty's LuaJIT brings.
--
-- SPDX-License-Identifier: BSD-2-Clause

local pairs = pairs

return function (tb)
    local n = 0

    for _ in pairs(tb) do
        n = n + 1
    end
    return n
end
