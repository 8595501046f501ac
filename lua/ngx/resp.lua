-- resp.lua -- ngx.resp's newer functions: add_header, set_status,
-- bypass_if_checks.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local response = require "resty.core.response"

local C = ffi.C
local check_request = base.check_request
local to_int, INT_MIN, STATUS_MAX = base.to_int, base.INT_MIN, base.STATUS_MAX
local set_resp_header = response.set_resp_header
local error, tonumber, type = error, tonumber, type

base.cdef [[
int lun_ffi_set_status_line(int status, const char *reason, size_t len);
]]

local _M = {
    version = base.version,
    bypass_if_checks = response.bypass_if_checks,
}

-- A header beside those of its name that are there.
function _M.add_header(name, value)
    set_resp_header(nil, name, value, true)
end

-- `reason` stands in the status line behind the number.
function _M.set_status(status, reason)
    check_request()
    if type(status) ~= "number" then
        status = tonumber(status)
        if not status then
            error("bad argument #1 to 'set_status' (number expected)", 2)
        end
    end
    reason = reason or ""
    if type(reason) ~= "string" then
        error("bad argument #2 to 'set_status' (string expected, got "
              .. type(reason) .. ")", 2)
    end
    C.lun_ffi_set_status_line(to_int(status, INT_MIN, STATUS_MAX), reason,
                              #reason)
end

return _M
