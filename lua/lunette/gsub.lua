-- gsub.lua -- string.gsub, faster where it has nothing to do.
--
-- Templates escape each value by a set, such as "[<>&\"]", and hardly ever find
-- something. LuaJIT compiles no gsub: with it a trace ends at every value. So
-- whether a set has anything in a text is asked of C first, in the trace; all
-- else is the original's, which is called from where it was and says so.
--
-- C side: ffi_lib.c.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local char, find, match = string.char, string.find, string.match
local pcall, type = pcall, type
local original = string.gsub

base.cdef [[
int lun_ffi_find_set(const unsigned char *set, const char *s, size_t len);
]]

local MOST = 500                   -- patterns that are remembered
local LONGEST = 100                -- of them; longer ones come from elsewhere
local SIMPLE = "^%[%^?%]?[^%]]*%]$"

-- By pattern: the bytes of its set, or false where it is more than that.
local sets, count = {}, 0

local function compile(pattern)
    if not match(pattern, SIMPLE) or not pcall(find, "", pattern) then
        return false
    end
    local set = ffi.new("unsigned char[256]")
    for i = 0, 255 do
        set[i] = find(char(i), pattern) and 1 or 0
    end
    return set
end

local function set_of(pattern)
    if type(pattern) ~= "string" or #pattern > LONGEST or count == MOST then
        return false
    end
    local set = compile(pattern)
    sets[pattern] = set
    count = count + 1
    return set
end

local replacements = { string = true, number = true, table = true,
                       ["function"] = true }

function string.gsub(s, pattern, by, ...)
    if type(s) == "string" and replacements[type(by)] then
        local set = sets[pattern]
        if set == nil then
            set = set_of(pattern)
        end
        if set and C.lun_ffi_find_set(set, s, #s) == 0 then
            return s, 0
        end
    end
    return original(s, pattern, by, ...)
end
