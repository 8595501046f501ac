-- worker.lua -- ngx.worker.* and ngx.config.*.
--
-- C side: ffi_worker.c. Any phase; nothing yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local new_array, tonumber = base.new_array, tonumber
local now, phases = base.now, base.phases
local ngx = ngx
local str_ptr, str = base.get_str_ptr(), base.str

base.cdef [[
int lun_ffi_worker_id(void);
int lun_ffi_worker_count(void);
int lun_ffi_worker_exiting(void);
int64_t lun_ffi_worker_pid(void);
int lun_ffi_worker_pids(int64_t *pids, int room);
void lun_ffi_prefix(lun_str *text);
void lun_ffi_configure_arguments(lun_str *text);
]]

ngx.worker = {
    pid = function ()
        return tonumber(C.lun_ffi_worker_pid())
    end,

    -- Those of this configuration that are up.
    pids = function ()
        local phase = now.phase

        if phase == phases.init or phase == phases.init_worker then
            return nil, "API disabled in the current context"
        end

        local room = C.lun_ffi_worker_count() + 1
        local found = new_array("int64_t[?]", room)
        local pids = {}

        for i = 1, C.lun_ffi_worker_pids(found, room) do
            pids[i] = tonumber(found[i - 1])
        end
        return pids
    end,

    count = function ()
        return C.lun_ffi_worker_count()
    end,

    exiting = function ()
        return C.lun_ffi_worker_exiting() == 1
    end,

    -- nil in the master and in the privileged agent.
    id = function ()
        local id = C.lun_ffi_worker_id()

        return id >= 0 and id or nil
    end,
}

-- The versions are those of the interface, not our own.
ngx.config = {
    subsystem = base.subsystem,
    debug = false,
    nginx_version = 1031005,
    ngx_lua_version = 10030,

    prefix = function ()
        C.lun_ffi_prefix(str_ptr)
        return str(str_ptr[0])
    end,

    -- Which modules there are, as -V has it.
    nginx_configure = function ()
        C.lun_ffi_configure_arguments(str_ptr)
        return str(str_ptr[0])
    end,
}

return { version = base.version }
