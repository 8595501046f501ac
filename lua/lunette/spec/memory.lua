-- lunette/spec/memory.lua -- how much memory this process has, in bytes
--
-- For blocks that count before and after. Linux tells in /proc, which a
-- program under Wine sees as well; Windows itself has a call.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"

local _M = {}

-- nil: there is no such file.
local function of_linux(path)
    local f = io.open(path)
    local text = f and f:read("*a")

    if f then f:close() end
    return text and tonumber(text:match("VmRSS:%s*(%d+)")) * 1024
end

local function of_windows()
    local size = ffi.new("size_t[10]")

    ffi.cdef [[
        int K32GetProcessMemoryInfo(intptr_t process, void *info,
            uint32_t size);
    ]]
    ffi.C.K32GetProcessMemoryInfo(-1, size, ffi.sizeof(size))
    return tonumber(size[2])    -- behind two uint32_t and the peak
end

function _M.resident()
    collectgarbage()
    return of_linux("/proc/self/status")
           or of_linux("Z:\\proc\\self\\status") or of_windows()
end

return _M
