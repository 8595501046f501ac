-- resp.lua -- ngx.resp's newer functions: add_header.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local set_resp_header = require("resty.core.response").set_resp_header

local _M = { version = base.version }

-- A header beside those of its name that are there.
function _M.add_header(name, value)
    set_resp_header(nil, name, value, true)
end

return _M
