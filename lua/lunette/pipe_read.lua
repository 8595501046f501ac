-- pipe_read.lua -- reading what a program writes: lines and the like, made of
-- the pieces in which modules/lua/api/pipe.c hands it over.
--
-- `self` has box (the C side's), timeouts and rest, by direction: what came and
-- nobody has asked for yet. All functions yield, and give nil, why, what there
-- was before the error if there was anything.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local native = require "lunette.native"

local error, tonumber = error, tonumber
local concat, find, gsub, sub = table.concat, string.find, string.gsub,
                                string.sub
local min = math.min
local to_int = base.to_int

local MOST = 2 ^ 53                -- bytes that a double counts one by one

local _M = { version = base.version }

-- What is there already, or else the next piece; or nil, why, and whether
-- that is the end of the stream.
local function piece(self, which)
    local rest = self.rest[which]
    if rest ~= "" then
        self.rest[which] = ""
        return rest
    end
    return native.pipe_read(self.box, which, self.timeouts[which])
end

-- Errors of a read that has not begun: they have no partial data.
local refusals = {
    closed = true, ["merged to stdout"] = true, ["pipe busy reading"] = true,
}

-- Collects pieces until `take(piece)` says where the wanted part ends in it,
-- and where what is left begins. nil, why, partial data or nil, whether it is
-- the end of the stream.
local function collect(self, which, take)
    local parts, n = {}, 0

    while true do
        local data, err, over = piece(self, which)

        if not data then
            if n == 0 and refusals[err] and not over then
                return nil, err
            end
            return nil, err, concat(parts), over
        end

        local stop, next_at = take(data)
        n = n + 1
        if stop then
            parts[n] = sub(data, 1, stop)
            self.rest[which] = sub(data, next_at)
            return concat(parts)
        end
        parts[n] = data
    end
end

local function never() end

-- The end of the stream is what it reads to: then there is no error.
function _M.all(self, which)
    local _, err, partial, over = collect(self, which, never)
    if over then
        return partial
    end
    return nil, err, partial
end

local function line_end(data)
    local at = find(data, "\n", 1, true)
    if at then
        return at - 1, at + 1
    end
end

-- As tcpsock:receive() has it: carriage returns are left out.
function _M.line(self, which)
    local line, err, partial = collect(self, which, line_end)
    return line and (gsub(line, "\r", "")), err,
           partial and (gsub(partial, "\r", ""))
end

function _M.bytes(self, which, len)
    if not (len >= 0) then
        error("bad len argument", 3)
    end
    len = to_int(len, 0, MOST)
    if len == 0 then
        return ""
    end
    return collect(self, which, function (data)
        if #data >= len then
            return len, len + 1
        end
        len = len - #data
    end)
end

function _M.any(self, which, max)
    max = tonumber(max)
    if not max or not (max >= 1) then
        error("bad max argument", 3)
    end
    max = to_int(max, 1, MOST)
    return collect(self, which, function (data)
        local n = min(#data, max)
        return n, n + 1
    end)
end

return _M
