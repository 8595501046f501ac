-- lunette/files.lua -- whole files, for the commands that are Lua
--
-- SPDX-License-Identifier: BSD-2-Clause

local open = io.open

local _M = {}

-- Its text; or nil, and why not.
function _M.read(path)
    local file, err = open(path, "rb")

    if not file then
        return nil, err
    end

    local text = file:read "*a"
    file:close()
    return text
end


-- True; or nil, and why not.
function _M.write(path, text)
    local file, err = open(path, "wb")
    local ok = file

    if file then
        ok, err = file:write(text)
        file:close()
    end

    return ok, err
end


return _M
