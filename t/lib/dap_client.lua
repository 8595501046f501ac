-- A client of the Debug Adapter Protocol, as far as our debugger's tests need
-- one: over a stream that has send(text) and receive(msec).
--
-- SPDX-License-Identifier: BSD-2-Clause

local cjson = require "cjson"
local io = require "lunette.spec.io"

local _M = {}

local Client = {}
Client.__index = Client

local PATIENCE = 10000

function _M.new(stream)
    return setmetatable({ stream = stream, seq = 0, text = "", events = {},
                          answers = {} }, Client)
end

-- One message that came; false: none within `msec`, or it is over.
function Client:read(msec)
    local limit = io.now() + msec

    while true do
        local length, at = self.text:match "^Content%-Length: (%d+)\r\n\r\n()"

        if length and #self.text >= at + length - 1 then
            local body = cjson.decode(self.text:sub(at, at + length - 1))

            self.text = self.text:sub(at + length)

            if body.type == "event" then
                self.events[#self.events + 1] = body
            else
                self.answers[body.request_seq] = body
            end
            return body
        end

        local part = io.now() < limit and self.stream:receive(limit - io.now())

        if not part or part == "" then
            return false
        end
        self.text = self.text .. part
    end
end

function Client:send(command, arguments)
    self.seq = self.seq + 1

    local text = cjson.encode { seq = self.seq, type = "request",
                                command = command, arguments = arguments }

    assert(self.stream:send(("Content-Length: %d\r\n\r\n%s"):format(#text,
                                                                   text), 5000))
    return self.seq
end

function Client:wait(seq, command)
    while not self.answers[seq] do
        if not self:read(PATIENCE) then
            return nil, "no answer to " .. (command or seq)
        end
    end
    return self.answers[seq]
end

-- The answer as it is.
function Client:try(command, arguments)
    return assert(self:wait(self:send(command, arguments), command))
end

-- Its body; an answer that is none throws.
function Client:ask(command, arguments)
    local answer = self:try(command, arguments)

    assert(answer.success, answer.message)
    return answer.body
end

-- The first event of that name that nobody has taken yet; its body.
function Client:event(name, msec)
    local limit = io.now() + (msec or PATIENCE)

    while true do
        for i, event in ipairs(self.events) do
            if event.event == name then
                table.remove(self.events, i)
                return event.body or true
            end
        end

        if io.now() > limit or not self:read(limit - io.now()) then
            return nil, "no event"
        end
    end
end

return _M
