-- lunette/spec/mock.lua -- servers behind the server: tcp_listen, udp_listen
--
-- The one takes a connection, reads the query (once, or up to tcp_query_len
-- bytes), sends --- tcp_reply and closes. The other answers each datagram
-- with --- udp_reply. They have no thread: whoever waits calls step() now and
-- then, which never blocks.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local perl = require "lunette.spec.perl"

local error, type = error, type

local Mock = {}
Mock.__index = Mock

local Mocks = {}
Mocks.__index = Mocks

local _M = {}

local function address_of(target, job)
    target = target:gsub("%s", "")
    if target:find("^%d+$") then
        return "127.0.0.1:" .. target
    end
    if target:find("%.sock$") then
        return "unix:" .. (target:find("^/") and target
                           or job.root .. "/" .. target)
    end
    error("not a port and not a .sock: " .. target, 0)
end

local function replies_of(reply, query)
    if type(reply) == "table" and reply.kind == "code" then
        reply = perl.call(reply, query)
    end
    if type(reply) == "table" and reply.kind == "array" then
        return reply
    end
    return { reply }
end

local function open(call, section, target)
    local sock, err

    if target:find("^unix:") then
        io.remove(target:sub(6))
    end
    sock, err = call(target)
    if not sock then
        error("--- " .. section .. " " .. target .. ": " .. err, 0)
    end
    return sock
end

local function listening(block, job)
    local query = block:value("tcp_query")

    return setmetatable({
        query = "", reply = block:value("tcp_reply"), phase = "accept",
        need = tonumber(block:text("tcp_query_len"))
               or type(query) == "string" and #query or 1,
        delay = block:msec("tcp_reply_delay") or 0,
        keep = block:has("tcp_no_close"),
        half = block:has("tcp_shutdown")
               and tonumber(block:text("tcp_shutdown")) or nil,
        listener = open(io.listen, "tcp_listen",
                        address_of(block:text("tcp_listen"), job)),
    }, Mock)
end

local function datagrams(block, job)
    return setmetatable({
        asked = "", udp_reply = block:value("udp_reply"), phase = "take",
        delay = block:msec("udp_reply_delay") or 0,
        socket = open(io.bind, "udp_listen",
                      address_of(block:text("udp_listen"), job)),
    }, Mock)
end

-- The mocks of a block as one; nil when it has none.
function _M.of(block, job)
    local list = {}

    if block:has("tcp_listen") then
        list[1] = listening(block, job)
    end
    if block:has("udp_listen") then
        list[#list + 1] = datagrams(block, job)
    end
    return #list > 0 and setmetatable({ list = list }, Mocks) or nil
end

local PHASES = {}

function PHASES.accept(self)
    self.client = self.listener:accept(0)
    if not self.client then
        return false
    end
    self.phase = "read"
    if self.half == 1 or self.half == 2 then
        self.client:shutdown()
        self.mute = true
    end
    if self.half == 0 or self.half == 2 then
        self.phase = "pause"
    end
    return true
end

function PHASES.read(self)
    local data, err = self.client:receive(0)

    if not data and err == "timed out" then
        return false
    end
    self.query = self.query .. (data or "")
    if not data or data == "" or #self.query >= self.need then
        self.phase, self.due = "pause", io.now() + self.delay
    end
    return true
end

function PHASES.pause(self)
    if self.due and io.now() < self.due then
        return false
    end
    self.phase = "reply"
    return true
end

function PHASES.reply(self)
    if self.reply ~= nil and not self.mute then
        for _, text in ipairs(replies_of(self.reply, self.query)) do
            self.client:send(text, 3000)
        end
    end
    if not self.keep then
        self.client:close()
    end
    self.phase = "done"
    return true
end

function PHASES.done()
    return false
end

-- Datagrams: one, a pause, its answers, and again.
function PHASES.take(self)
    local data = self.socket:take()

    if not data then
        return false
    end
    self.asked, self.due = data, io.now() + self.delay
    self.phase = "answer"
    return true
end

function PHASES.answer(self)
    if io.now() < self.due then
        return false
    end
    if self.udp_reply ~= nil then
        for _, text in ipairs(replies_of(self.udp_reply, self.asked)) do
            self.socket:reply(text)
        end
    end
    self.phase = "take"
    return true
end

-- As far as it goes without waiting.
function Mock:step()
    while PHASES[self.phase](self) do
        -- on to the next phase
    end
end

function Mock:close()
    for _, sock in pairs { self.client, self.listener, self.socket } do
        sock:close()
    end
end

function Mocks:step()
    for _, mock in ipairs(self.list) do
        mock:step()
    end
end

function Mocks:close()
    for _, mock in ipairs(self.list) do
        mock:close()
    end
end

-- What was asked: by connection and by datagram, nil without such a mock.
function Mocks:queries()
    local tcp, udp

    for _, mock in ipairs(self.list) do
        tcp, udp = mock.query or tcp, mock.asked or udp
    end
    return tcp, udp
end

return _M
