-- lunette/tool.lua -- `lunette run`: the script, in the coroutine that
-- modules/lua/run/tool.c has started for it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "resty.core.base"

local error, loadfile, loadstring = error, loadfile, loadstring
local rawset, setmetatable, _G = rawset, setmetatable, _G
local stderr, traceback, tostring = io.stderr, debug.traceback, tostring
local type, unpack, xpcall = type, unpack, xpcall

local _M = {}

local function describe(err)
    if type(err) == "string" then
        return traceback(err, 2)
    end

    return tostring(err)
end

-- `code` (-e) runs before `script`; either may be nil. `args` becomes `arg`.
-- Returns the exit status.
function _M.run(code, script, args)
    -- A script has its process to itself: globals are its own affair, and
    -- what it prints is its output.
    setmetatable(_G, nil)
    rawset(_G, "arg", args)
    rawset(_G, "print", base.std_print)

    local function main()
        if code then
            local chunk, err = loadstring(code, "=(command line)")

            if not chunk then
                error(err, 0)
            end
            chunk(unpack(args))
        end

        if script then
            local chunk, err = loadfile(script)

            if not chunk then
                error(err, 0)
            end
            chunk(unpack(args))
        end
    end

    local ok, err = xpcall(main, describe)

    if not ok then
        stderr:write("lunette: ", err, "\n")
        return 1
    end
    return 0
end

return _M
