-- table.isempty, which OpenResty's LuaJIT brings.
--
-- SPDX-License-Identifier: BSD-2-Clause

local next = next

return function (tb)
    return next(tb) == nil
end
