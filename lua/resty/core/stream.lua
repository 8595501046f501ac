-- stream.lua -- what of ngx.req a stream session has; its socket is
-- socket.lua's.
--
-- C side: ffi_misc.c.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local now = base.now

base.cdef [[
double lun_ffi_session_start_time(void);
]]

ngx.req = {
    start_time = function ()
        if now.session == nil then
            base.no_request(2)
        end
        return C.lun_ffi_session_start_time()
    end,
}

return { version = base.version }
