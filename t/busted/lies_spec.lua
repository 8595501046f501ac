-- Libraries against answers that were changed at random: whatever a server
-- says, nothing throws, and every reader comes to an end.
--
-- The changes are the same each time; LIES_SEED=N makes others.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ROUNDS, MOST_CALLS = 400, 20000
local SEED = tonumber(os.getenv "LIES_SEED") or 1

local random = math.random

-- --- texts that are changed ---

local changes = {
    function (s, at)
        return s:sub(1, at - 1) .. string.char(random(0, 255)) .. s:sub(at + 1)
    end,
    function (s, at) return s:sub(1, at - 1) .. s:sub(at + random(1, 4)) end,
    function (s, at)
        return s:sub(1, at - 1) .. ("\255"):rep(random(1, 9)) .. s:sub(at)
    end,
    function (s, at) return s:sub(1, at - 1) end,
    function (s, at)
        local from = random(1, #s)
        return s:sub(1, at - 1) .. s:sub(from, from + random(0, 20))
               .. s:sub(at)
    end,
    function (s)
        local numbers = { "9", "0", "-1", ("9"):rep(20), "", "1e9", " " }
        return (s:gsub("%d", function (digit)
            return random() < 0.3 and numbers[random(#numbers)] or digit
        end))
    end,
}

local function changed(s)
    for _ = 1, random(0, 4) do
        s = changes[random(#changes)](s, random(1, #s + 1))
        s = s ~= "" and s or "\0"
    end
    return s
end

-- --- a socket whose other side has said all that it will ---

local socket = {}
socket.__index = socket

local function socket_with(text)
    return setmetatable({ text = text, at = 1, calls = 0 }, socket)
end

function socket:take(last)
    local piece = self.text:sub(self.at, last)

    self.at = last + 1
    if last > #self.text then
        self.closed = true
        return nil, "closed", piece
    end
    return piece
end

function socket:receive(what)
    self.calls = self.calls + 1
    assert(self.calls < MOST_CALLS, "it does not end")
    if self.closed then
        return nil, "closed"
    end
    if what == "*a" then
        return self:take(#self.text)
    end
    if not what or what == "*l" then
        local stop = self.text:find("\n", self.at, true)
        local line, err, rest = self:take(stop or #self.text + 1)
        return line and line:gsub("[\r\n]", "") or nil, err, rest
    end
    assert(what >= 0 and what % 1 == 0, "bad argument to receive")
    return self:take(self.at + what - 1)
end

function socket:send(text)
    return not self.closed and #text or nil, self.closed and "closed"
end

function socket:close()
    self.closed = true
    return 1
end

socket.connect, socket.setkeepalive, socket.sslhandshake =
    socket.send, socket.close, socket.close

function socket.getreusedtimes()
    return 0
end

-- --- what is asked, and what would be a good answer ---

local function packet(number, payload)
    return string.char(#payload % 256, math.floor(#payload / 256), 0, number)
           .. payload
end

local GREETING = "\0108.0\0\1\0\0\0abcdefgh\0\255\255\33\2\0\255\255\21"
                 .. ("\0"):rep(10) .. "ijklmnopqrst\0mysql_native_password\0"
local COLUMN = "\3def\0\1t\1t\1a\1a\12\33\0\255\0\0\0\3\0\0\0\0\0"

local talks = {
    mysql = {
        packet(0, GREETING) .. packet(2, "\0\0\0\2\0\0\0") .. packet(1, "\1")
        .. packet(2, COLUMN) .. packet(3, "\254\0\0\2\0") .. packet(4, "\0011")
        .. packet(5, "\251") .. packet(6, "\254\0\0\10\0")
        .. packet(7, "\0\1\0\2\0\0\0") .. packet(1, "\255\21\4#28000Denied"),
        function (sock)
            local db = require("resty.mysql"):new()
            db.sock = sock
            db:connect { host = "h", user = "u", password = "p" }
            for _ = 1, 3 do
                local _, err = db:query "x"
                while err == "again" do
                    _, err = db:read_result()
                end
            end
            db:set_keepalive()
        end,
    },
    redis = {
        "$5\r\nhello\r\n*2\r\n$1\r\na\r\n$-1\r\n+OK\r\n:12\r\n"
        .. "*2\r\n*1\r\n:1\r\n-ERR no\r\n"
        .. "*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n",
        function (sock)
            local red = require("resty.redis"):new()
            red._sock, red.sock = sock, sock
            red:get("a")
            red:hgetall("a")
            red:init_pipeline()
            red:get("a")
            red:get("b")
            red:commit_pipeline()
            red:lrange("a", 0, 1)
            red:subscribe("x")
            red:read_reply()
            red:set_keepalive()
        end,
    },
    memcached = {
        "VALUE a 0 3\r\nabc\r\nEND\r\nVALUE a 0 1 7\r\n1\r\nEND\r\nSTORED\r\n"
        .. "12\r\nSTAT a b\r\nEND\r\nVERSION 1.2\r\n",
        function (sock)
            local memc = require("resty.memcached"):new()
            memc.sock = sock
            memc:get("a")
            memc:gets { "a", "b" }
            memc:set("a", "b")
            memc:incr("a", 1)
            memc:stats()
            memc:version()
            memc:set_keepalive()
        end,
    },
    http = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        .. "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTrailer: A\r\n"
        .. "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: b\r\n"
        .. "\r\nHTTP/1.1 204 No\r\n\r\nHTTP/1.0 200 OK\r\n\r\nrest",
        function (sock)
            local http = require("resty.http").new()
            http.sock, http.host, http.port = sock, "a", 80
            for _ = 1, 4 do
                local res = http:request { path = "/" }
                local size = random() < 0.5 and 7 or nil
                while res and res.body_reader(size) do end
                if res then
                    res:read_trailers()
                end
            end
            http:set_keepalive()
        end,
    },
    websocket = {
        "\129\5hello\137\0\130\126\0\200" .. ("x"):rep(200)
        .. "\129\133abcd\9\7\15\8\14\136\2\3\232",
        function (sock)
            local protocol = require "resty.websocket.protocol"
            while protocol.recv_frame(sock, 65535, random() < 0.3) do end
        end,
    },
}

describe("answers that were changed", function ()
    for name, talk in pairs(talks) do
        it("throw nothing: " .. name, function ()
            math.randomseed(SEED)
            for _ = 1, ROUNDS do
                local text = changed(talk[1])
                local ok, err = pcall(talk[2], socket_with(text))

                assert(ok, ("%s, after %q"):format(err, text))
            end
        end)
    end
end)
