-- req.lua -- ngx.req's newer functions: add_header.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local set_req_header = require("resty.core.request_headers").set_req_header

local _M = { version = base.version }

-- A header beside those of its name that are there.
function _M.add_header(name, value)
    set_req_header(name, value, false)
end

return _M
