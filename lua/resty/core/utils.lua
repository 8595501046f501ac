-- utils.lua -- texts, byte by byte.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"

local char, find, gsub = string.char, string.find, string.gsub
local byte, error = string.byte, error

local _M = { version = base.version }

-- Every `old` of the text is `new`, a byte each: what follows those in the
-- arguments is not looked at.
function _M.str_replace_char(text, old, new)
    local from, to = byte(old), byte(new)
    if not from or not to then
        error("a character expected", 2)
    end
    old = char(from)
    if not find(text, old, 1, true) then
        return text
    end
    -- Before a letter or a digit a percent sign would mean something else.
    local pattern = find(old, "%w") and old or old == "\0" and "%z"
                    or "%" .. old
    return (gsub(text, pattern, { [old] = char(to) }))
end

return _M
