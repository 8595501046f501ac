-- lunette/spec/response.lua -- the bytes of a connection, as responses
--
-- Deliberately strict about framing and about nothing else: the specs check
-- the rest. Everything the server sent is there at once, since the client
-- reads to the end of the connection.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

local function headers_of(head)
    local headers = {}

    for line in head:gmatch("[^\r\n]+") do
        local name, value = line:match("^([^:]+):%s*(.-)%s*$")
        if name then
            headers[#headers + 1] = { name = name, value = value }
        end
    end
    return headers
end

-- Every value of a header, joined as HTTP allows; nil if it is not there.
local function get(response, name)
    local values

    for _, header in ipairs(response.headers) do
        if header.name:lower() == name:lower() then
            values = values and values .. ", " .. header.value or header.value
        end
    end
    return values
end

-- The decoded body, and what follows it; or nil and what is wrong.
local function chunked(raw)
    local parts, pos = {}, 1

    while true do
        local from, to, size = raw:find("^[ \t]*(%x+)[^\r\n]*\r\n", pos)

        if not from then
            return nil, "bad chunk at \"" .. raw:sub(pos, pos + 20) .. "\""
        end
        size, pos = tonumber(size, 16), to + 1
        if size == 0 then
            -- Trailers, then an empty line.
            while raw:find("^[^\r\n]+\r\n", pos) do
                pos = select(2, raw:find("^[^\r\n]+\r\n", pos)) + 1
            end
            if raw:sub(pos, pos + 1) ~= "\r\n" then
                return nil, "no end of the last chunk"
            end
            return table.concat(parts), raw:sub(pos + 2)
        end
        if #raw < pos + size + 1 then
            return nil, "the last chunk is missing"
        end
        parts[#parts + 1] = raw:sub(pos, pos + size - 1)
        if raw:sub(pos + size, pos + size + 1) ~= "\r\n" then
            return nil, "no CRLF after a chunk"
        end
        pos = pos + size + 2
    end
end

local BODYLESS = { [204] = true, [304] = true, [101] = true }

-- Cuts the body off `rest`; sets body, left, and error when it is broken.
local function read_body(response, rest, method)
    local length = tonumber(response:get("Content-Length"))
    local coding = response:get("Transfer-Encoding")

    response.body, response.left = rest, ""
    if method == "HEAD" or BODYLESS[response.status] then
        -- A body that should not be there counts as one: specs look for it.
        if rest:find("^HTTP/%d") then
            response.body, response.left = "", rest
        end
        return
    end
    if coding and coding:lower() == "chunked" then
        local body, left = chunked(rest)
        if not body then
            response.error = left
        else
            response.body, response.left = body, left
        end
    elseif length then
        if #rest < length then
            response.truncated = length - #rest
        end
        response.body = rest:sub(1, length)
        response.left = rest:sub(length + 1)
    end
end

-- The first response of `raw`: status, version, headers, raw_headers, body,
-- left, get(name). `keep_interim`: do not pass over 1xx. Nil when there is
-- no status line.
function _M.parse(raw, method, keep_interim)
    local head, rest = raw:match("^(.-\r\n)\r\n(.*)$")
    local response = { get = get, raw_headers = head or "" }
    local status

    if not head then
        head, rest = raw, ""
    end
    response.version, status = head:match("^(HTTP/[%d.]+) (%d%d%d)")
    if not status then
        return nil
    end
    response.status = tonumber(status)
    response.headers = headers_of(head:gsub("^[^\n]*\n", "", 1))
    if response.status < 200 and response.status ~= 101
       and not keep_interim and rest ~= ""
    then
        return _M.parse(rest, method)
    end
    read_body(response, rest, method)
    return response
end

-- HTTP/0.9: the body is all there is.
function _M.bare(raw)
    return { get = get, status = 200, version = "HTTP/0.9", headers = {},
             raw_headers = "", body = raw, left = "" }
end

return _M
