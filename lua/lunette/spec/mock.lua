-- lunette/spec/mock.lua -- the server behind the server: --- tcp_listen
--
-- Takes one connection, reads the query (once, or up to tcp_query_len
-- bytes), sends --- tcp_reply and closes. It has no thread: whoever waits
-- calls step() now and then, which never blocks.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local perl = require "lunette.spec.perl"

local error, type = error, type

local Mock = {}
Mock.__index = Mock

local _M = {}

local function address_of(target, job)
    if target:find("^%d+$") then
        return "127.0.0.1:" .. target
    end
    if target:find("%.sock$") then
        return "unix:" .. (target:find("^/") and target
                           or job.root .. "/" .. target)
    end
    error("--- tcp_listen: not a port and not a .sock: " .. target, 0)
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

-- nil when the block has no mock.
function _M.of(block, job)
    local target = block:text("tcp_listen")
    local query = block:value("tcp_query")
    local mock, err

    if not target then
        return nil
    end
    mock = setmetatable({
        query = "", reply = block:value("tcp_reply"), phase = "accept",
        need = tonumber(block:text("tcp_query_len"))
               or type(query) == "string" and #query or 1,
        delay = block:msec("tcp_reply_delay") or 0,
        keep = block:has("tcp_no_close"),
        half = block:has("tcp_shutdown")
               and tonumber(block:text("tcp_shutdown")) or nil,
    }, Mock)
    target = address_of(target:gsub("%s", ""), job)
    if target:find("^unix:") then
        io.remove(target:sub(6))
    end
    mock.listener, err = io.listen(target)
    if not mock.listener then
        error("--- tcp_listen " .. target .. ": " .. err, 0)
    end
    return mock
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

-- As far as it goes without waiting.
function Mock:step()
    while PHASES[self.phase](self) do
        -- on to the next phase
    end
end

function Mock:close()
    if self.client then
        self.client:close()
    end
    self.listener:close()
end

return _M
