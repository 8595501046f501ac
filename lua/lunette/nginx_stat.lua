-- nginx_stat.lua -- ffi.cdef, which tells the server when a script declares
-- ngx_stat_active or one of its kin: they are kept up to date from then on.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"

local C, cdef, find, type = ffi.C, ffi.cdef, string.find, type

ffi.cdef [[
void lun_ffi_nginx_stat(void);
]]

function ffi.cdef(def, ...)
    if type(def) == "string" and find(def, "ngx_stat_", 1, true) then
        C.lun_ffi_nginx_stat()
    end
    return cdef(def, ...)
end
