-- The programs behind both (ask.lua): FastCGI, SCGI, uwsgi or memcached, as
-- the first byte says.  The parameter Q (memcached: the key) names the answer;
-- "echo" is what was sent, its parameters in order.
--
-- SPDX-License-Identifier: BSD-2-Clause

local answers = dofile(ngx.config.prefix() .. "answers.lua")
local s = ngx.req.socket(true)
s:settimeout(3000)

local function number(text, from, n)
    local v = 0
    for i = from, from + n - 1 do v = v * 256 + text:byte(i) end
    return v
end

local function sorted(params)
    local list = {}
    for name, value in pairs(params) do
        list[#list + 1] = name .. "=" .. value
    end
    table.sort(list)
    return table.concat(list, "\n")
end

local function answer_of(params, body)
    local text = answers[params.Q or ""]
    if text then return text end
    return "Status: 200 OK\r\nContent-Type: text/plain\r\n\r\n"
        .. sorted(params) .. "\n\n" .. body .. "\n"
end

local function length(text, at)
    local n = text:byte(at)
    if n < 128 then return n, at + 1 end
    return number(text, at, 4) - 2^31, at + 4
end

local function fastcgi(first)
    local head = first .. (s:receive(7) or "")
    local params, body = "", ""
    while #head == 8 do
        local kind, size = head:byte(2), number(head, 5, 2)
        local data = size > 0 and s:receive(size) or ""
        if head:byte(7) > 0 then s:receive(head:byte(7)) end
        if kind == 4 then params = params .. data end
        if kind == 5 then body = body .. data end
        if kind == 5 and size == 0 then break end
        head = s:receive(8) or ""
    end
    local all, at = {}, 1
    while at <= #params do
        local n, m
        n, at = length(params, at)
        m, at = length(params, at)
        all[params:sub(at, at + n - 1)] = params:sub(at + n, at + n + m - 1)
        at = at + n + m
    end
    local text = answer_of(all, body)
    local err = all.ERR and "\1\7\0\1\0" .. string.char(#all.ERR) .. "\0\0"
                            .. all.ERR or ""
    s:send(err .. "\1\6\0\1"
        .. string.char(math.floor(#text / 256), #text % 256) .. "\0\0" .. text
        .. "\1\6\0\1\0\0\0\0\1\3\0\1\0\8\0\0\0\0\0\0\0\0\0\0")
end

local function scgi(first)
    local size = tonumber(first .. s:receiveuntil(":")())
    local params = {}
    for name, value in (s:receive(size)):gmatch("(%Z+)%z(%Z*)%z") do
        params[name] = value
    end
    s:receive(1)
    local left = tonumber(params.CONTENT_LENGTH) or 0
    s:send(answer_of(params, left > 0 and s:receive(left) or ""))
end

local function uwsgi()
    local head = s:receive(3)
    local text = s:receive(head:byte(1) + head:byte(2) * 256)
    local params, at = {}, 1
    while at < #text do
        local n = text:byte(at) + text:byte(at + 1) * 256
        local name = text:sub(at + 2, at + 1 + n)
        at = at + 2 + n
        n = text:byte(at) + text:byte(at + 1) * 256
        params[name] = text:sub(at + 2, at + 1 + n)
        at = at + 2 + n
    end
    local left = tonumber(params.CONTENT_LENGTH) or 0
    s:send(answer_of(params, left > 0 and s:receive(left) or ""))
end

local function memcached(first)
    local line = first .. (s:receive() or "")
    local text = answers[line:match("^get /?(.*)$") or ""]
    s:send(text and text:gsub("\r\n\r\n", "\r\n", 1) or "END\r\n")
end

local first = s:receive(1)
if first == "\1" then
    fastcgi(first)
elseif first == "\0" then
    uwsgi()
elseif first == "g" then
    memcached(first)
elseif first then
    scgi(first)
end
