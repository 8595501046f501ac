-- param.lua -- ngx.arg under the name that lua-resty-core has for it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"

return { version = base.version, __index = getmetatable(ngx.arg).__index }
