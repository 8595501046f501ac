-- h2_server.lua -- a server of HTTP/2 for specs of those who ask one: a block
-- says what it answers, frame by frame.
--
-- SPDX-License-Identifier: BSD-2-Clause

local char = string.char

local M = { connections = 0 }

M.DATA, M.HEADERS, M.RST, M.SETTINGS, M.GOAWAY = 0, 1, 3, 4, 7

function M.u32(n)
    return char(math.floor(n / 16777216) % 256, math.floor(n / 65536) % 256,
                math.floor(n / 256) % 256, n % 256)
end

function M.frame(kind, flags, stream, data)
    return M.u32(#data):sub(2) .. char(kind, flags) .. M.u32(stream) .. data
end

-- 200, and a body.
function M.answer(stream, body)
    return M.frame(M.HEADERS, 4, stream, "\136")
           .. M.frame(M.DATA, 1, stream, body)
end

local function to_number(text)
    local a, b, c, d = text:byte(1, 4)
    return ((a * 256 + b) * 256 + c) * 256 + d
end

-- One connection of a stream server: take(kind, stream, data, connection) is
-- told each frame, and says what is sent; false: the end.
function M.serve(take)
    local sock = ngx.req.socket(true)
    M.connections = M.connections + 1
    local connection = M.connections
    sock:settimeout(20000)
    sock:receive(24)
    ngx.print(M.frame(M.SETTINGS, 0, 0, ""))
    ngx.flush(true)

    while true do
        local head = sock:receive(9)
        if not head then
            return
        end

        local size = to_number("\0" .. head:sub(1, 3))
        local data = size ~= 0 and sock:receive(size) or ""
        local said = take(head:byte(4), to_number(head:sub(6)), data,
                          connection)
        if said == false then
            return
        end

        if said and said ~= "" then
            ngx.print(said)
            ngx.flush(true)
        end
    end
end

return M
