-- base.lua -- what lua-resty-core shares with other libraries, and nothing
-- else: some count its members. Ours is lunette.base.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local now, INIT = base.now, base.phases.init
local error, select = error, select

local _M = {
    version = base.version,

    FFI_OK = base.OK,
    FFI_ERROR = base.ERROR,
    FFI_AGAIN = base.AGAIN,
    FFI_DONE = base.DONE,
    FFI_DECLINED = base.DECLINED,
    FFI_BUSY = base.BUSY,

    -- Not C's: the rest of lua-resty-core's.
    FFI_ABORT = -6,
    FFI_NO_REQ_CTX = -100,
    FFI_BAD_CONTEXT = -101,

    new_tab = base.new_tab,
    clear_tab = base.clear_tab,
    ref_in_table = base.ref_in_table,
    get_size_ptr = base.get_size_ptr,
    get_string_buf = base.get_string_buf,
    get_string_buf_size = base.get_string_buf_size,
    set_string_buf_size = base.set_string_buf_size,
}

function _M.allows_subsystem(...)
    local subsystem = ngx.config.subsystem
    for i = 1, select("#", ...) do
        if select(i, ...) == subsystem then
            return
        end
    end
    error("unsupported subsystem: " .. subsystem, 2)
end

-- What stands for the request in calls of C: a pointer that is not looked
-- into. Timers and workers have one too; init_by_lua has none.
function _M.get_request()
    local r = now.request
    if r ~= nil then
        return r
    end
    if now.ctx ~= nil and now.phase ~= INIT then
        return now.ctx
    end
end

local errmsg = ffi.new("char *[1]")

-- Where functions of C put why they failed.
function _M.get_errmsg_ptr()
    return errmsg
end

return _M
