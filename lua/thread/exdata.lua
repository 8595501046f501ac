-- exdata.lua -- thread.exdata: the pointer of a coroutine, its request's if
-- it was not given another.
--
-- SPDX-License-Identifier: BSD-2-Clause

local now = require("resty.core.base").now

return require("lunette.exdata")(function()
    return now.request
end)
