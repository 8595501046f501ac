-- lunette/spec/descriptors.lua -- what this process holds open
--
-- For blocks that count before and after. Linux lists descriptors in /proc,
-- which a program under Wine sees as well; Windows itself counts handles.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"

local _M = {}

local function of_linux()
    local C, n = ffi.C, -3      -- ".", "..", and the folder itself
    local dir

    ffi.cdef [[
        void *opendir(const char *name);
        void *readdir(void *dir);
        int closedir(void *dir);
    ]]
    dir = C.opendir("/proc/self/fd")
    while C.readdir(dir) ~= nil do
        n = n + 1
    end
    C.closedir(dir)
    return n
end

local function of_windows()
    local C, n = ffi.C, -2
    local data, count = ffi.new("char[600]"), ffi.new("uint32_t[1]")
    local find

    ffi.cdef [[
        intptr_t FindFirstFileA(const char *name, void *data);
        int FindNextFileA(intptr_t find, void *data);
        int FindClose(intptr_t find);
        int GetProcessHandleCount(intptr_t process, uint32_t *count);
    ]]
    find = C.FindFirstFileA("Z:\\proc\\self\\fd\\*", data)
    if find == -1 then
        C.GetProcessHandleCount(-1, count)
        return tonumber(count[0])
    end
    repeat
        n = n + 1
    until C.FindNextFileA(find, data) == 0
    C.FindClose(find)
    return n
end

_M.count = ffi.os == "Windows" and of_windows or of_linux

local PAUSE, ROUNDS, AFTER = 0.1, 4, 100
local BEFORE = ffi.os == "Windows" and 60 or 0

-- The lowest number of the next `pauses`; none is waited for once it is `low`.
local function lowest(pauses, low)
    local n = _M.count()
    for _ = 1, pauses do
        if n <= low then
            break
        end
        ngx.sleep(PAUSE)
        n = math.min(n, _M.count())
    end
    return n
end

--- Whether what `attack()` opens is closed after it. What grows in each of
--  four rounds is a leak. Under Wine a thread has four descriptors of its own
--  and ends five seconds after its work, so those before are waited for.
function _M.gives_back(attack)
    for _ = 1, ROUNDS do
        local before = lowest(BEFORE, 0)
        attack()
        if lowest(AFTER, before) <= before then
            return true
        end
    end
    return false
end

return _M
