-- process.lua -- ngx.process: what kind of process this is, and one more that
-- serves nothing.
--
-- C side: modules/lua/ffi/ffi_worker.c. Any phase; nothing yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local tonumber, type = tonumber, type
local now, phases = base.now, base.phases
local to_int, INT_MAX = base.to_int, base.INT_MAX

base.cdef [[
int lun_ffi_process_type(void);
void lun_ffi_process_want_agent(int connections);
int64_t lun_ffi_process_master(void);
void lun_ffi_process_quit(void);
]]

-- As in modules/lua/ffi/ffi_worker.c:
local SINGLE, MASTER, WORKER, AGENT = 0, 1, 3, 99

local types = {
    [SINGLE] = "single",
    [MASTER] = "master",
    [WORKER] = "worker",
    [AGENT] = "privileged agent",
}

local _M = { version = base.version }

-- On Windows init_by_lua runs in the worker too, and then it says "worker".
function _M.type()
    return types[C.lun_ffi_process_type()]
end

-- In init_by_lua only. The agent runs init_worker_by_lua and its timers, as
-- the master's user. Of its connections (512) some are the process's own; with
-- none at all there is no agent.
function _M.enable_privileged_agent(connections)
    if now.phase ~= phases.init then
        return nil, "API disabled in the current context"
    end
    if connections ~= nil
       and (type(connections) ~= "number" or not (connections >= 0))
    then
        return nil, "bad 'connections' argument: "
                    .. "number expected and greater than 0"
    end
    C.lun_ffi_process_want_agent(to_int(connections or 512, 0, INT_MAX))
    return true
end

-- As if this process were told to quit: what has begun is finished.
function _M.signal_graceful_exit()
    C.lun_ffi_process_quit()
end

function _M.get_master_pid()
    return tonumber(C.lun_ffi_process_master())
end

return _M
