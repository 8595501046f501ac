-- lunette/spec/regex.lua -- Perl patterns, as objects
--
-- Expected values in specs are either text or qr/.../ objects. Here a
-- pattern is kept with its flags, matched through ngx.re (PCRE2 speaks
-- Perl's dialect), and spelt back as qr/.../ for messages. A pattern that
-- does not compile throws: it must never look like "no match".
--
-- SPDX-License-Identifier: BSD-2-Clause

local match = ngx.re.match
local error, setmetatable, getmetatable = error, setmetatable, getmetatable

local Regex = {}
Regex.__index = Regex

local _M = {}

-- Flags PCRE knows; g, o, c and the like say how a match is used, not what
-- it is, and are dropped.
local KNOWN = { i = true, m = true, s = true, x = true }

function _M.new(source, flags)
    local keep = ""

    for flag in (flags or ""):gmatch("%a") do
        if KNOWN[flag] and not keep:find(flag, 1, true) then
            keep = keep .. flag
        end
    end
    return setmetatable({ kind = "regex", source = source, flags = keep },
                        Regex)
end

function _M.is(value)
    return getmetatable(value) == Regex
end

-- The same pattern with more flags, as qr/$re/s wraps a qr object.
function Regex:with(flags)
    return _M.new(self.source, self.flags .. flags)
end

-- How the pattern reads inside another one.
function Regex:inner()
    return "(?" .. self.flags .. ":" .. self.source .. ")"
end

function Regex:show()
    return "qr/" .. self.source .. "/" .. self.flags
end

-- Captures of the first match at or after `from` (1-based): [0] is the
-- whole, unmatched groups are false. Then its first and last byte. Or nil.
function Regex:exec(subject, from)
    local ctx = { pos = from or 1 }
    local m, err = match(subject, self.source, self.flags, ctx)

    if not m then
        if err then
            error("bad pattern " .. self:show() .. ": " .. err, 0)
        end
        return nil
    end
    return m, ctx.pos - #m[0], ctx.pos - 1
end

function Regex:test(subject)
    return self:exec(subject) ~= nil
end

return _M
