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
int lun_ffi_original_addr(char *room, size_t *size);
]]

local ADDR_ROOM = 128

ngx.req = {
    -- Where a client was going whom the system's packet filter sent here.
    get_original_addr = function ()
        if now.session == nil then
            base.no_request(2)
        end
        local room, size = base.get_string_buf(ADDR_ROOM), base.get_size_ptr()
        size[0] = ADDR_ROOM
        if C.lun_ffi_original_addr(room, size) ~= base.OK then
            return nil, "failed to get origin addr"
        end
        return ffi.string(room, size[0])
    end,

    start_time = function ()
        if now.session == nil then
            base.no_request(2)
        end
        return C.lun_ffi_session_start_time()
    end,
}

return { version = base.version }
