-- t/mutate/equivalent.lua -- mutants that no test can notice, with the reason
--
-- The list is the file `equivalent` beside this one; each entry is
--
--     core/http/redirect.c name_of_the_function
--     - the line, without the white space around it
--     + the line as the mutant has it
--     why nothing that anybody can see is different; as many lines as it takes
--
-- with an empty line behind it. `-` is the function of what stands in none.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local LIST = "t/mutate/equivalent"

local _M = {}

local function key(path, func, before, after)
    return path .. " " .. func .. "\n" .. before .. "\n" .. after
end

-- Entries of the text: path, func, before, after, why.
function _M.read(text)
    local out = {}

    for entry in (text .. "\n\n"):gmatch("(.-)\n\n+") do
        local path, func, before, after, why =
            entry:match("^\n*(%S+%.c) (%S+)\n%- ([^\n]*)\n%+ ([^\n]*)\n(.+)$")
        if path then
            out[#out + 1] = { path = path, func = func, before = before,
                              after = after, why = why }
        elseif entry:find("%S") and not entry:find("^\n*#") then
            error(LIST .. ": not an entry: " .. entry, 0)
        end
    end
    return out
end

local entries = _M.read(io.read(LIST) or "")
local by_key = {}

for _, entry in ipairs(entries) do
    by_key[key(entry.path, entry.func, entry.before, entry.after)] = entry
end

function _M.has(mutant)
    local func = mutant.spot.func

    return by_key[key(mutant.spot.path, func and func.name or "-",
                      mutant.line_before, mutant.line_after)] ~= nil
end

-- Entries whose line has gone from its file.
function _M.stale()
    local out = {}

    for _, entry in ipairs(entries) do
        local text = io.read(entry.path) or ""
        if not text:find(entry.before, 1, true) then
            out[#out + 1] = entry.path .. ": " .. entry.before
        end
    end
    return out
end

return _M
