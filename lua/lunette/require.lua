-- require.lua -- require, of a module that is loaded.
--
-- Handlers ask for their modules at each request. LuaJIT does not compile the
-- original: with it a trace ends there, and the next one begins. So what is
-- loaded is found here; all else is the original's, which is called from where
-- it was and says so.
--
-- SPDX-License-Identifier: BSD-2-Clause

local loaded, original, type = package.loaded, require, type

-- What is being loaded has a number there (KEY_SENTINEL of LuaJIT).
function require(...)
    local name = ...
    local module = type(name) == "string" and loaded[name]
    if module and type(module) ~= "number" then
        return module
    end
    return original(...)
end
