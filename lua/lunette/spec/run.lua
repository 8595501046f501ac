-- lunette/spec/run.lua -- one block against a server
--
-- Sends the block's requests, repeat_each times, and checks responses and
-- logs. The server's life is file.lua's business; so is telling the world.
--
-- SPDX-License-Identifier: BSD-2-Clause

local check = require "lunette.spec.check"
local checklog = require "lunette.spec.checklog"
local client = require "lunette.spec.client"
local conf = require "lunette.spec.conf"
local conflicts = require "lunette.spec.conflicts"
local curl = require "lunette.spec.curl"
local diff = require "lunette.spec.diff"
local expect = require "lunette.spec.expect"
local frames = require "lunette.spec.frames"
local io = require "lunette.spec.io"
local mock = require "lunette.spec.mock"
local requests = require "lunette.spec.request"
local response = require "lunette.spec.response"
local stream = require "lunette.spec.stream"

local Run = {}
Run.__index = Run

-- Lines of a request that a failure shows.
local REQUEST_LINES = 20

-- t/lib/http3_client, of the runner's own system.
local HTTP3_CLIENT = io.folder .. "/../t/http3_client"
                     .. (jit.os == "Windows" and ".exe" or "")

local _M = {}

-- `fields`: block, job, logs, accumulate, lenient.
function _M.new(fields)
    fields.report = expect.report()
    fields.shown = {}
    return setmetatable(fields, Run)
end

-- Log lines of this turn, or of all turns.
function Run:lines(which)
    if self.accumulate and which == "error_log" then
        self.logs:rewind()
    end
    return self.logs:lines(which)
end

local function address_of(block, job)
    local host = block:text("server_addr_for_client") or "127.0.0.1"
    local port = stream.speaks(block) and stream.port(block) or job.port

    if host:find(":", 1, true) and host:sub(1, 1) ~= "[" then
        host = "[" .. host .. "]"
    end
    return host .. ":" .. port
end

function Run:options()
    local block, delay = self.block, self.block:msec("raw_request_middle_delay")

    return {
        address = address_of(block, self.job), middle_delay = delay,
        timeout = block:msec("timeout") or self.job.timeout,
        shutdown = block:has("shutdown"), mock = self.mock,
        dir = self.job.dir, words = block:text("curl_options"),
        tls = conf.speaks_tls(block),
        http3 = block:has("http3") and HTTP3_CLIENT or nil,
    }
end

-- Keeps what was sent and what came, for a failure's diagnostics.
local function remember(self, request, raw, err)
    self.shown = { "request:" }
    for _, packet in ipairs(request.packets) do
        for line in packet.text:gmatch("[^\n]*\n?") do
            if line ~= "" and #self.shown <= REQUEST_LINES then
                self.shown[#self.shown + 1] = "  " .. diff.visible(line)
            end
        end
    end
    self.shown[#self.shown + 1] = "response: " .. diff.visible(raw)
    if err then
        self.shown[#self.shown + 1] = "connection: " .. err
    end
end

-- The responses of one connection, one for each request that went over it.
function Run:judge(request, raw, first, many)
    local block, left = self.block, raw

    for i, method in ipairs(request.methods) do
        local at = { index = first + i - 1, many = many, method = method,
                     broken_ok = block:has("abort") or self.lenient }
        local code = block:has("error_code")
                     and expect.indexed(block, "error_code", at.index, many)
        local got
        if block:has("http2_frames") then
            got = response.bare(frames.show(left))
        elseif block:has("http09") then
            got = response.bare(left)
        else
            got = response.parse(left, method,
                                 code and code:find("^1%d%d") ~= nil)
        end
        check.response(self.report, block, got, at)
        left = got and got.left or ""
    end
    if left ~= "" and not left:find("^HTTP/") and not self.lenient then
        self.report:fail("bytes after the response: " .. diff.visible(left))
    end
end

function Run:exchange(request, first, many)
    local block = self.block
    local by = (block:has("http2") or block:has("http3"))
               and not request.raw and curl or client
    local raw, err = by.exchange(request, self:options())

    remember(self, request, raw, err)
    self.sent = #request.methods
    if request.stream then
        stream.check(self.report, block, raw, err)
        return
    end
    if err == "timed out" then
        if not block:has("abort") then
            self.report:fail("the client timed out")
        end
    elseif err and raw == "" and not block:has("ignore_response") then
        self.report:fail("no response: " .. err)
    end
    if not block:has("ignore_response") then
        self:judge(request, raw, first, many)
    end
end

-- Waits as told, then checks what the logs say, up to now.
function Run:judge_logs()
    local wait = self.block:msec("wait")

    if wait then
        client.pause(wait, self.mock)
    end
    checklog.all(self, self.report)
    if self.report:ok() then
        self.logs:advance("error_log")
        self.logs:advance("access_log")
    end
end

function Run:check_lists(list)
    local count = 0

    if not self.lenient then
        for _, request in ipairs(list) do
            count = count + #request.methods
        end
        conflicts.check_lists(self.block, count)
    end
end

function Run:once()
    local list, many, first = nil, false, 1

    if stream.speaks(self.block) then
        list = stream.requests(self.block)
    else
        list, many = requests.of(self.block)
        self:check_lists(list)
    end

    self.mock = mock.of(self.block, self.job)
    for _, request in ipairs(list) do
        self:exchange(request, first, many)
        first = first + #request.methods
        self:judge_logs()
    end
    if self.mock then
        client.pause(0, self.mock)
        check.query(self.report, self.block, self.mock)
    end
end

-- All turns; stops at the first bad one. Errors of the block's own making
-- (a bad pattern, an unknown function) become failures.
function Run:turns(count, before)
    for turn = 1, count do
        self.turn = turn
        local ok, err = pcall(function ()
            if turn > 1 then
                before()
            end
            self:once()
        end)
        if self.mock then
            self.mock:close()
            self.mock = nil
        end
        if not ok then
            self.report:fail(tostring(err))
        end
        if not self.report:ok() then
            return
        end
    end
end

-- A server that must refuse to start has a log, or standard error.
function Run:died(status, stderr)
    local wanted = self.block:text("must_die"):match("^%s*(%d+)%s*$")

    self.turn, self.sent, self.must_die = 1, 0, true
    if status == nil then
        self.report:fail("the server must die, but it runs")
    elseif status == 0 then
        self.report:fail("the server must die, but it exited with 0")
    elseif wanted and tonumber(wanted) ~= status then
        self.report:fail("it exited with " .. status .. ", not " .. wanted)
    end
    -- What is wrong before the log is open goes to standard error alone.
    function self.lines(run, which)
        local lines = run.logs:lines(which)
        if which == "error_log" then
            for line in stderr:gmatch("[^\n]+\n?") do
                lines[#lines + 1] = line
            end
        end
        return lines
    end
    local ok, err = pcall(checklog.all, self, self.report)
    if not ok then
        self.report:fail(tostring(err))
    end
end

function Run:shutdown()
    local ok, err = pcall(checklog.shutdown, self, self.report)

    if not ok then
        self.report:fail(tostring(err))
    end
end

-- Everything there is to say about a failure, as lines.
function Run:explain()
    local out = {}

    for _, failure in ipairs(self.report.failures) do
        for line in (failure.what .. "\n"):gmatch("([^\n]*)\n") do
            out[#out + 1] = line
        end
        for _, line in ipairs(failure.lines) do
            out[#out + 1] = "  " .. line
        end
    end
    for _, line in ipairs(self.shown) do
        out[#out + 1] = line
    end
    return out
end

return _M
