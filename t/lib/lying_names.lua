-- lying_names.lua -- a name server that lies, over UDP and TCP, each name in a
-- way of its own; good.test it knows.
--
-- SPDX-License-Identifier: BSD-2-Clause

local char, rep, sub = string.char, string.rep, string.sub

local _M = {}

local RIGHT = "\xc0\x0c\0\1\0\1\0\0\0\1\0\4\127\0\0\1"

-- Of a query: its id, the first label, the question as it came.
local function parts_of(query)
    local at, labels = 13, {}
    while (query:byte(at) or 0) ~= 0 do
        local n = query:byte(at)
        labels[#labels + 1] = sub(query, at + 1, at + n)
        at = at + n + 1
    end
    return sub(query, 1, 2), labels, sub(query, 13, at + 4)
end

local function message(id, flags, question, count, records)
    return id .. flags .. "\0\1" .. char(math.floor(count / 256), count % 256)
           .. "\0\0\0\0" .. question .. records
end

local FINE, CUT = "\x81\x80", "\x83\x80"

-- CNAME records, and what they say.
local function alias(to)
    return "\xc0\x0c\0\5\0\1\0\0\0\1\0" .. char(#to) .. to
end

local datagrams = {
    good = function (id, q) return { message(id, FINE, q, 1, RIGHT) } end,
    ring = function (id, q)        -- a name that begins where it ends
        return { message(id, FINE, q, 1,
                         char(0xc0, 12 + #q) .. sub(RIGHT, 3)) }
    end,
    forward = function (id, q)     -- a name behind the end
        return { message(id, FINE, q, 1, "\xff\xff" .. sub(RIGHT, 3)) }
    end,
    count = function (id, q) return { message(id, FINE, q, 65535, "") } end,
    size = function (id, q)        -- data longer than the message
        return { message(id, FINE, q, 1, sub(RIGHT, 1, 10) .. "\xff\xff12") }
    end,
    short = function (id, q) return { "", "x", id, id .. FINE } end,
    mirror = function (id, q) return { message(id, "\1\0", q, 0, "") } end,
    itself = function (id, q) return { message(id, FINE, q, 1,
                                               alias "\xc0\x0c") } end,
    another = function (id, q)     -- the answer to another question
        return { message(id, FINE, "\5other\4test\0\0\1\0\1", 1, RIGHT) }
    end,
    flood = function (id, q)       -- of ids that nobody has asked with
        local list = {}
        for i = 1, 39 do
            list[i] = message(char((id:byte(1) + 1) % 256, i % 256), FINE, q, 1,
                              sub(RIGHT, 1, 12) .. "\9\9\9\9")
        end
        list[40] = message(id, FINE, q, 1, RIGHT)
        return list
    end,
    chain = function (id, q, labels)   -- each alias is one more name
        local next_one = "n" .. (tonumber(labels[1]:match("%d+")) or 0) + 1
        return { message(id, FINE, q, 1, alias(char(#next_one) .. next_one
                                               .. "\5chain\4test\0")) }
    end,
}

local function cut(id, q) return { message(id, CUT, q, 0, "") } end

-- What is said over TCP to who was told to come there.
local streams = {
    nothing = function (sock) sock:send("\0\0") end,
    drip = function (sock)
        for _ = 1, 20 do
            if not sock:send("\1") then return end
            ngx.sleep(0.2)
        end
    end,
    goes = function (sock) sock:send("\1\1abc") end,
    again = function (sock, id, q)
        local text = message(id, CUT, q, 1, RIGHT)
        sock:send(char(0, #text) .. text)
    end,
    most = function (sock, id, q)
        local text = message(id, FINE, q, 4000, rep(RIGHT, 4000))
        text = text .. rep("x", 65535 - #text)
        sock:send("\xff\xff" .. text)
    end,
}

local function label_of(labels)
    return labels[#labels - 1] or ""
end

-- Queries that come close together, from one port, are of one session.
function _M.datagram()
    local sock = assert(ngx.req.socket())
    sock:settimeout(50)
    local query = sock:receive()
    while query do
        local id, labels, question = parts_of(query)
        local what = label_of(labels)
        local say = datagrams[what] or streams[what] and cut
        for _, text in ipairs(say and say(id, question, labels) or {}) do
            sock:send(text)
        end
        query = sock:receive()
    end
end

function _M.stream()
    local sock = assert(ngx.req.socket(true))
    local size = assert(sock:receive(2))
    local query = assert(sock:receive(size:byte(1) * 256 + size:byte(2)))
    local id, labels, question = parts_of(query)
    streams[label_of(labels)](sock, id, question)
end

return _M
