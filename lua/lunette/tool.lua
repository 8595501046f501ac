-- lunette/tool.lua -- `lunette run`: the script, in the coroutine that
-- modules/lua/tool.c has started for it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local error, loadfile, loadstring = error, loadfile, loadstring
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
    arg = args

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
