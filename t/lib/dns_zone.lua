-- dns_zone.lua -- the server of a zone, for tests: takes updates that are
-- signed (RFC 2136, TSIG by hmac-sha256), and answers what was set.
--
--     lua_shared_dict dns 1m;
--     server { listen 127.0.0.1:5353; content_by_lua_block {
--         require("dns_zone").updates { key = "NAME", secret = "..." } } }
--     server { listen 127.0.0.1:5353 udp; content_by_lua_block {
--         require("dns_zone").questions {
--             alias = { ["_acme-challenge.a.test"] = "a.other" } } } }
--
-- Each name has the address 127.0.0.1; one that begins with "_", or is an
-- alias's, is there if it has a text.
--
-- SPDX-License-Identifier: BSD-2-Clause

local hmac = require "resty.hmac"

local _M = {}

local byte, char, sub = string.byte, string.char, string.sub

local A, CNAME, TXT, TSIG = 1, 5, 16, 250
local IN, NONE = 1, 254
local NXDOMAIN, NOTAUTH = 3, 9
local BADSIG, BADKEY = 16, 17
local HEAD = 12

local function get16(text, at)
    local a, b = byte(text, at, at + 1)
    return a * 256 + b
end

local function put16(n)
    return char(math.floor(n / 256) % 256, n % 256)
end

-- The name at `at`, in lower case, and where the next thing begins.
local function get_name(text, at)
    local labels, behind = {}, nil

    for _ = 1, 128 do
        local n = byte(text, at)
        if n == 0 then
            return table.concat(labels, "."):lower(), behind or at + 1
        elseif n >= 192 then
            behind = behind or at + 2
            at = get16(text, at) % 16384 + 1
        else
            labels[#labels + 1] = sub(text, at + 1, at + n)
            at = at + n + 1
        end
    end
    error "a name without an end"
end

local function put_name(name)
    return (name:gsub("([^.]+)%.?", function (label)
        return char(#label) .. label
    end)) .. "\0"
end

-- A record, and where the next begins.
local function get_record(text, at)
    local r = { at = at }

    r.name, at = get_name(text, at)
    r.type, r.class = get16(text, at), get16(text, at + 2)
    r.data_at = at + 10
    r.data = sub(text, r.data_at, r.data_at + get16(text, at + 8) - 1)
    return r, r.data_at + #r.data
end

local function head(id, flags, counts)
    return put16(id) .. put16(flags) .. put16(counts[1] or 0)
           .. put16(counts[2] or 0) .. put16(counts[3] or 0)
           .. put16(counts[4] or 0)
end

-- --- updates ---

local function read_tsig(message, r)
    local t, at = { key = r.name }, nil

    t.algorithm, at = get_name(message, r.data_at)
    t.time = sub(message, at, at + 5)
    t.fudge = sub(message, at + 6, at + 7)
    local size = get16(message, at + 8)
    t.mac = sub(message, at + 10, at + 9 + size)
    t.id = get16(message, at + 10 + size)
    return t
end

local function mac_of(zone, text, t, err)
    local h = hmac:new(zone.secret, hmac.ALGOS.SHA256)

    return h:final(text .. put_name(t.key) .. put16(255) .. "\0\0\0\0"
                   .. put_name(t.algorithm) .. t.time .. t.fudge
                   .. put16(err) .. "\0\0")
end

local function tsig(t, mac, err)
    local data = put_name(t.algorithm) .. t.time .. t.fudge .. put16(#mac)
                 .. mac .. put16(t.id) .. put16(err) .. "\0\0"

    return put_name(t.key) .. put16(TSIG) .. put16(255) .. "\0\0\0\0"
           .. put16(#data) .. data
end

local function values_of(name)
    local list = {}

    for value in (ngx.shared.dns:get(name) or ""):gmatch "[^\n]+" do
        list[#list + 1] = value
    end
    return list
end

local function change(r)
    local value, kept = sub(r.data, 2), {}

    for _, one in ipairs(values_of(r.name)) do
        if one ~= value then kept[#kept + 1] = one end
    end
    if r.class == IN then
        kept[#kept + 1] = value
    end
    ngx.shared.dns:set(r.name, table.concat(kept, "\n"))
    ngx.log(ngx.NOTICE, "zone: ", r.class == IN and "add " or "remove ",
            r.name)
end

-- Its answer.
local function update(zone, message)
    local id = get16(message, 1)
    local _, at = get_name(message, HEAD + 1)
    local records, r, signed = {}, nil, nil

    at = at + 4                                    -- the zone's type and class
    for _ = 1, get16(message, 7) + get16(message, 9) + get16(message, 11) do
        r, at = get_record(message, at)
        if r.type == TSIG then
            signed = r
        else
            records[#records + 1] = r
        end
    end

    local t = signed and read_tsig(message, signed)
    local rcode, err = 0, 0
    if not t or t.key ~= zone.key then
        rcode, err = NOTAUTH, BADKEY
    else
        local text = put16(t.id) .. sub(message, 3, 10)
                     .. put16(get16(message, 11) - 1)
                     .. sub(message, HEAD + 1, signed.at - 1)
        if mac_of(zone, text, t, 0) ~= t.mac then
            rcode, err = NOTAUTH, BADSIG
        end
    end

    local answer = head(id, 0xa800 + rcode, {})
    if not t then
        return answer
    end
    local mac = ""
    if rcode == 0 then
        for _, one in ipairs(records) do
            if one.type == TXT and (one.class == IN or one.class == NONE) then
                change(one)
            end
        end
        mac = mac_of(zone, put16(#t.mac) .. t.mac .. answer, t, 0)
    end
    return sub(answer, 1, 10) .. put16(1) .. sub(answer, 13)
           .. tsig(t, mac, err)
end

function _M.updates(zone)
    local sock = assert(ngx.req.socket())

    while true do
        local size = sock:receive(2)
        if not size then return end
        local answer = update(zone, assert(sock:receive(get16(size, 1))))
        assert(sock:send(put16(#answer) .. answer))
    end
end

-- --- questions ---

local function record(name, kind, data)
    return put_name(name) .. put16(kind) .. put16(IN) .. "\0\0\0\1"
           .. put16(#data) .. data
end

function _M.questions(zone)
    local sock = assert(ngx.req.socket())
    local message = assert(sock:receive())
    local name, at = get_name(message, HEAD + 1)
    local kind, answers, rcode = get16(message, at), {}, 0
    local alias = (zone.alias or {})[name]
    local is_text = name:sub(1, 1) == "_"

    if alias then
        answers[1] = record(name, CNAME, put_name(alias))
        name, is_text = alias, true
    end

    local values = values_of(name)
    if kind == TXT then
        for _, value in ipairs(values) do
            answers[#answers + 1] = record(name, TXT, char(#value) .. value)
        end
    elseif kind == A and not is_text then
        answers[#answers + 1] = record(name, A, "\127\0\0\1")
    end
    if is_text and #values == 0 then
        rcode = NXDOMAIN
    end

    sock:send(head(get16(message, 1), 0x8580 + rcode, { 1, #answers })
              .. sub(message, HEAD + 1, at + 3) .. table.concat(answers))
end

return _M
