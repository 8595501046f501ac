-- mysql_server.lua -- packets of a server of MySQL, and a client that gets
-- them without one.
--
-- SPDX-License-Identifier: BSD-2-Clause

local packet = require "lunette.mysql_packet"

local _M = {
    OK = "\0\0\0\2\0\0\0",
    EOF = "\254\0\0\2\0",
    AGAIN = "\254\0\0\10\0",
}

local SCRAMBLE = "abcdefghijklmnopqrst"

function _M.greeting(plugin, flags)
    return table.concat {
        "\10", "8.0.1\0", "\1\0\0\0", SCRAMBLE:sub(1, 8), "\0",
        packet.put_int(flags or 0xf7ff, 2), "\33", "\2\0", packet.put_int(8, 2),
        "\21", ("\0"):rep(10), SCRAMBLE:sub(9), "\0", plugin, "\0",
    }
end

function _M.switch(plugin)
    return "\254" .. plugin .. "\0" .. SCRAMBLE .. "\0"
end

function _M.column(name, kind)
    return table.concat {
        "\3def", "\0\0\0", packet.put_text(name), "\0", "\12", "\33\0",
        packet.put_int(255, 4), string.char(kind), "\0\0\0", "\0\0",
    }
end

-- A connection whose server says these payloads; a number is the next one's.
function _M.connection(...)
    local parts, number = {}, 0
    for _, payload in ipairs { ... } do
        if type(payload) == "number" then
            number = payload
        else
            parts[#parts + 1] = packet.put_int(#payload, 3)
                                .. string.char(number) .. payload
            number = (number + 1) % 256
        end
    end
    return _M.raw(table.concat(parts))
end

-- The same with those bytes.
function _M.raw(text)
    local at = 1
    local db = require("resty.mysql"):new()
    db.said = {}
    db.sock = {
        connect = function(_, ...) db.place = { ... } return 1 end,
        getreusedtimes = function() return 0 end,
        setkeepalive = function() return 1 end,
        close = function() db.was_closed = true return 1 end,
        sslhandshake = function() db.over_tls = true return true end,
        send = function(_, data)
            db.said[#db.said + 1] = data
            return #data
        end,
        receive = function(_, n)
            if at + n - 1 > #text then
                return nil, "closed"
            end
            at = at + n
            return text:sub(at - n, at - 1)
        end,
    }
    return db
end

-- One that has been opened, and waits for a question.
function _M.open(...)
    local db = _M.connection(_M.greeting "mysql_native_password", 2, _M.OK, 1,
                             ...)
    assert(db:connect { path = "/s", user = "u", password = "p" })
    db.said = {}
    return db
end

return _M
