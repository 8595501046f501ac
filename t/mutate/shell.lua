-- t/mutate/shell.lua -- commands of the system, and files
--
-- SPDX-License-Identifier: BSD-2-Clause

local io_room = require "lunette.spec.io"

local concat, execute, popen = table.concat, os.execute, io.popen

local _M = {}

function _M.quote(word)
    return "'" .. word:gsub("'", "'\\''") .. "'"
end

-- Whether the command, a text for the shell, ended with 0.
function _M.run(command)
    local status = execute(command)

    return status == true or status == 0
end

-- The lines that a command prints.
function _M.lines(command)
    local out, pipe = {}, assert(popen(command))

    for line in pipe:lines() do
        out[#out + 1] = line
    end
    pipe:close()
    return out
end

-- One command with many words, as often as needed.
function _M.each(command, words)
    local quoted = {}

    for i, word in ipairs(words) do
        quoted[#quoted + 1] = _M.quote(word)
        if #quoted == 200 or i == #words then
            if not _M.run(command .. " " .. concat(quoted, " ")) then
                return false
            end
            quoted = {}
        end
    end
    return true
end

function _M.must(ok, ...)
    if not ok then
        error(concat({ ... }), 0)
    end
    return ok
end

function _M.same(one, other)
    local a, b = io_room.read(one), io_room.read(other)

    return a ~= nil and a == b
end

return _M
