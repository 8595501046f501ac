-- http_body.lua -- bodies of answers and requests as iterators, for
-- resty.http.
--
-- Each call gives a part, nil at the end, or nil and an error; an argument is
-- the largest part that is wanted. They yield. With each iterator comes a
-- function that tells whether all of the body has been read.
--
-- SPDX-License-Identifier: BSD-2-Clause

local native = require "lunette.native"

local concat = table.concat
local find, lower, match = string.find, string.lower, string.match
local min = math.min
local tonumber, type = tonumber, type

local _M = { MAX_LINE = 1048576 }

local MAX_PART = 65536
local MAX_SIZE_LINE = 8192         -- the size of a chunk with its extensions
local MAX_TRAILERS = 100

-- A line; one that has no end in sight is the server's fault. A socket that is
-- not ngx.socket's own is asked as it likes it.
local function receive_line(sock)
    if sock.receive == native.sock_receive then
        return native.sock_receive_line(sock, _M.MAX_LINE)
    end
    return sock:receive("*l")
end
_M.receive_line = receive_line

-- Hex digits, and what may follow them.
local function read_chunk_size(sock)
    local line, err = receive_line(sock)
    if not line then
        return nil, err
    end
    local digits = match(line, "^%s*(%x+)%s*$")
                   or match(line, "^%s*(%x+)%s*;")
    if not digits or #digits > 12 or #line > MAX_SIZE_LINE then
        return nil, "unable to read chunksize"
    end
    return tonumber(digits, 16)
end

-- What comes with the last chunk, up to an empty line.
local function read_trailers(sock, trailers)
    local size = 0
    for _ = 1, MAX_TRAILERS do
        local line, err = receive_line(sock)
        if not line then
            return nil, err
        end
        size = size + #line
        if size > _M.MAX_LINE then
            return nil, "trailers too large"
        end
        if line == "" then
            return true
        end
        local name, value = match(line, "^([^:%s]+):%s*(.-)%s*$")
        if name then
            trailers[name] = value
        end
    end
    return nil, "too many trailers"
end

-- `trailers`: a table for those that there are.
function _M.chunked(sock, default, trailers)
    local left, done = 0, false    -- bytes of the chunk that is being read
    return function(max)
        max = max or default
        if max ~= nil and not (tonumber(max) and tonumber(max) > 0) then
            return nil, "chunk size must be positive"
        end
        if done then
            return nil
        end
        if left == 0 then
            local size, err = read_chunk_size(sock)
            if not size then
                done = true
                return nil, err
            end
            if size == 0 then
                done = true
                local _, why = read_trailers(sock, trailers)
                return nil, why
            end
            left = size
        end

        local want = max and min(left, tonumber(max)) or left
        local part, err = sock:receive(want)
        if not part then
            done = true
            return nil, err
        end
        left = left - #part
        if left == 0 then
            local rest, why = sock:receive(2)
            if rest ~= "\r\n" then
                done = true
                return nil, why or "bad chunk"
            end
        end
        return part
    end, function()
        return done
    end
end

-- `length` nil: until the other side closes. Who has named a size once has to
-- go on.
function _M.plain(sock, length, default)
    local left, done = length, length == 0
    local sized
    return function(max)
        max = tonumber(max or default)
        if done then
            return nil
        end
        if sized and not max then
            ngx.log(ngx.ERR, "Buffer size not specified, bailing")
            done = true
            return nil
        end
        sized = max ~= nil
        if not left then
            local part, err, rest = sock:receive(max or "*a")
            if not part then
                done = true
                if err == "closed" and rest and rest ~= "" then
                    return rest
                end
                return nil, err ~= "closed" and err or nil
            end
            done = not max
            return part
        end
        local part, err, rest = sock:receive(max and min(left, max) or left)
        if not part then
            done = true
            return nil, err, rest
        end
        left = left - #part
        done = left == 0
        return part
    end, function()
        return left == 0 or left == nil and done
    end
end

-- For those that have none.
function _M.none()
    return function()
        return nil
    end, function()
        return true
    end
end

-- All that is left of it.
function _M.read_all(reader)
    local parts, n = {}, 0
    while true do
        local part, err, rest = reader(MAX_PART)
        if err then
            return nil, err, concat(parts) .. (rest or "")
        end
        if not part then
            return concat(parts)
        end
        n = n + 1
        parts[n] = part
    end
end

-- "chunked" among the codings.
function _M.is_chunked(headers)
    local value = headers["Transfer-Encoding"]
    if not value then
        return false
    end
    if type(value) == "table" then
        value = concat(value, ",")
    end
    return find(lower(value), "chunked", 1, true) ~= nil
end

return _M
