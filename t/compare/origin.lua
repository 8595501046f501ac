-- The server behind both (ask.lua): it reads a request and says the text that
-- the first segment of its path names.  "echo" is the request itself.
--
-- SPDX-License-Identifier: BSD-2-Clause

local answers = dofile(ngx.config.prefix() .. "answers.lua")

local function read_request(s)
    local head = {}
    while true do
        local line = s:receive("*l")
        if not line then return nil end
        if line == "" then break end
        head[#head + 1] = line
    end
    local text = table.concat(head, "\n")
    local length = tonumber(text:lower():match("\ncontent%-length: *(%d+)"))
    local body = ""
    if length and length > 0 then
        body = s:receive(length) or "(cut off)"
    elseif text:lower():find("\ntransfer%-encoding: *chunked") then
        while true do
            local size = tonumber(s:receive("*l") or "0", 16)
            local data = size > 0 and s:receive(size) or ""
            s:receive("*l")
            if size == 0 then break end
            body = body .. data
        end
    end
    return text, body, head
end

local s = ngx.req.socket(true)
s:settimeout(5000)
while true do
    local text, body, head = read_request(s)
    if not text then return end
    local name = text:match("^%S+ /([%w_-]*)") or ""
    local answer = answers[name]
    if answer == nil or name == "echo" then
        local line = table.remove(head, 1)
        table.sort(head)
        text = line .. "\n" .. table.concat(head, "\n") .. "\n\n" .. body
            .. "\n"
        answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
            .. "Content-Length: " .. #text .. "\r\n\r\n" .. text
    end
    if text:find("^HEAD ") then
        answer = answer:match("^.-\r\n\r\n")
    end
    s:send(answer)
    if not answer:find("\r\n[Cc]ontent%-[Ll]ength:")
        or answer:find("\r\nConnection: close", 1, true)
    then
        return
    end
end
