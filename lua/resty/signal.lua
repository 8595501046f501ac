-- signal.lua -- signals to processes, by name or number.
--
-- C side: ffi_lib.c. On Windows INT, KILL and TERM end a process at once,
-- NONE looks whether it is there, others are refused. Nothing here yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ipairs, tonumber, type = ipairs, tonumber, type
local to_int, INT_MIN, INT_MAX = base.to_int, base.INT_MIN, base.INT_MAX

base.cdef [[
int lun_ffi_signal(double pid, int number);
]]

local _M = { _VERSION = "0.03" }

-- Linux's numbers, on Windows as well.
local numbers = {
    NONE = 0, HUP = 1, INT = 2, QUIT = 3, ILL = 4, TRAP = 5, ABRT = 6,
    BUS = 7, FPE = 8, KILL = 9, USR1 = 10, SEGV = 11, USR2 = 12, PIPE = 13,
    ALRM = 14, TERM = 15, CHLD = 17, CONT = 18, STOP = 19, TSTP = 20,
    TTIN = 21, TTOU = 22, URG = 23, XCPU = 24, XFSZ = 25, VTALRM = 26,
    PROF = 27, WINCH = 28, IO = 29, PWR = 30, SYS = 31,
}

-- As in core/os/proc.h: LUN_PROC_...
local MISSING, DENIED, REFUSED = 1, 2, 3

local errors = {
    [MISSING] = "No such process",
    [DENIED] = "Operation not permitted",
    [REFUSED] = "Invalid argument",
}

function _M.signum(name)
    return numbers[name]
end

-- `pids`: one, or a table of them, of which the first that fails ends it.
function _M.kill(pids, signal)
    local number = numbers[signal] or tonumber(signal)
    if not number then
        return nil, "unknown signal name"
    end
    if not (number >= 0 and number <= 1000) then
        return nil, errors[3]
    end
    for _, pid in ipairs(type(pids) == "table" and pids or { pids }) do
        local rc = C.lun_ffi_signal(tonumber(pid) or -1e300,
                                    to_int(number, INT_MIN, INT_MAX))
        if rc ~= 0 then
            return nil, errors[rc]
        end
    end
    return true
end

return _M
