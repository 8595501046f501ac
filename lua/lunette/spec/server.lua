-- lunette/spec/server.lua -- starting, reloading and ending the server
--
-- The server runs in the foreground as a child, so its exit status and what
-- it prints are known. It is ready when its pid file has a number: that is
-- written after the sockets listen. A server of this system is asked to
-- quit; one that runs under Wine does not hear our signals, and is killed
-- unless `job.quit` says that it is worth another program of Wine's.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local error, min = error, math.min

-- Milliseconds, generous: a loaded machine must not fail a spec.
local START_LIMIT = 20000
local RETIRE_LIMIT = 500    -- of the old workers, after a reload
local QUIT_LIMIT = 20000
local STOP_LIMIT = 20000
-- Bytes that are shown of the log of a server that ended badly.
local LAST_ROOM = 6000
-- A port of a server that was just killed may be taken for a moment.
local BIND_TRIES = 20
-- Once in thousands of starts Wine can't load a program: the addresses that
-- Windows programs expect are taken by what Linux put there. It ends without
-- a word then; our own start never does.
local LOAD_TRIES = 3

local Server = {}
Server.__index = Server

local _M = {}

-- `job`: server (argv), root, dir (for stdout and stderr), foreign.
function _M.new(job)
    return setmetatable({ job = job, out = job.dir .. "/stdout",
                          err = job.dir .. "/stderr" }, Server)
end

local function argv_of(job, more)
    local argv = {}

    for _, word in ipairs(job.server) do
        argv[#argv + 1] = word
    end
    for _, word in ipairs { "-p", job.root .. "/", "-c", "conf/nginx.conf",
                            "-e", "logs/error.log" } do
        argv[#argv + 1] = word
    end
    for _, word in ipairs(more or {}) do
        argv[#argv + 1] = word
    end
    return argv
end

function Server:launch()
    local process, err

    io.write(self.out, "")
    io.write(self.err, "")
    process, err = io.run(argv_of(self.job), self.out, self.err)
    if not process then
        error("cannot run " .. self.job.server[1] .. ": " .. err, 0)
    end
    self.process = process
end

function Server:complaints()
    return io.read(self.err) or ""
end

-- The pid of the pid file, or nil as long as there is none.
function Server:pid()
    local text = io.read(self.job.root .. "/logs/nginx.pid")

    return text and tonumber(text:match("^%s*(%d+)"))
end

-- True when it serves; else nil and its exit status (nil: it hangs).
function Server:await()
    local deadline, pause = io.now() + START_LIMIT, 1

    while io.now() < deadline do
        if self:pid() then
            return true
        end
        local status = self.process:wait(pause)
        if status then
            return nil, status
        end
        pause = min(pause * 1.5, 20)
    end
    return nil
end

-- It ended before its first instruction, for the `tries`th time.
local function unloaded(self, text, tries)
    return self.job.foreign and text == "" and tries < LOAD_TRIES
end

-- Starts it; true, or nil and why not. Tries again while the address is
-- still in use.
function Server:start()
    local status, ok, text

    for tries = 1, BIND_TRIES do
        self:launch()
        ok, status = self:await()
        if ok then
            self.running = true
            return true
        end
        text = self:complaints()
        if not status then
            self.process:kill()
            return nil, "it does not serve after " .. START_LIMIT .. " ms"
        end
        if not text:find("in use", 1, true)
           and not unloaded(self, text, tries)
        then
            break
        end
        io.sleep(100)
    end
    return nil, "exit status " .. tostring(status) .. "\n" .. text
end

-- For must_die: its exit status; nil when it lives (it is ended then).
function Server:die()
    local _, status
    local tries = 0

    repeat
        self:launch()
        tries = tries + 1
        _, status = self:await()
    until not status or not unloaded(self, self:complaints(), tries)
    if not status then
        self.running = true
        self:stop()
    end
    return status
end

-- The exit status if it has ended by itself.
function Server:fell()
    local status = self.running and self.process:wait(0)

    if status then
        self.running = false
    end
    return status or nil
end

-- Tells it a word. One of Wine's is told by another of its programs.
function Server:tell(word)
    if not self.job.foreign then
        return io.tell(self.process.pid, word, START_LIMIT)
    end
    local process, err = io.run(argv_of(self.job, { "-s", word }),
                                self.out, self.err)
    if not process then
        return nil, err
    end
    local status = process:wait(START_LIMIT)
    return status == 0, word .. ": exit status " .. tostring(status)
end

-- Ends it; nil, or how it ended badly.
function Server:stop()
    local status = self:fell()

    if not self.running then
        return status and "it had ended, status " .. status
    end
    self.running = false
    if self.job.foreign and not self.job.quit then
        self.process:kill()
        return nil
    end
    self:tell("quit")
    status = self.process:wait(QUIT_LIMIT)
    if status then
        return status ~= 0 and "it quit with status " .. status or nil
    end
    self:tell("stop")
    status = self.process:wait(STOP_LIMIT)
    if not status then
        self.process:kill()
        return "it did not stop"
    end
    return status ~= 0 and "it stopped with status " .. status
           or "it did not quit, and had to be stopped"
end

-- Says what a sanitizer or a panic printed; nil if all is well.
function Server:panic()
    local text = self:complaints()

    if text:find("Sanitizer", 1, true) or text:find("runtime error:", 1, true)
       or text:find("panic", 1, true)
    then
        return text
    end
    return nil
end

-- Of the log of a server that has ended: a sanitizer's report, since standard
-- error has led there, or what a worker says that has left something, unless
-- that is `expected`; nil if all is well.
function Server:last_words(expected)
    local log = io.read(self.job.root .. "/logs/error.log") or ""
    local at = log:find("==ERROR: ", 1, true)
               or not expected and log:find(" not ended at exit: ", 1, true)

    return at and log:sub(at, at + LAST_ROOM) or nil
end

-- --- reload ---

local function version_served(job)
    local sock = io.connect("127.0.0.1:" .. job.port, 1000)
    local text = ""

    if not sock then
        return nil
    end
    sock:send("GET /ver HTTP/1.0\r\nHost: Test-Nginx\r\n\r\n", 1000)
    while true do
        local data = sock:receive(1000)
        if not data or data == "" then
            break
        end
        text = text .. data
    end
    sock:close()
    return text:match("\r\n\r\n(.*)$")
end

-- What the log has from `from` on. What blocks before have written can be
-- megabytes: nobody should go through that again and again.
local function news(self, from)
    return io.read(self.job.root .. "/logs/error.log", from) or ""
end

-- The old workers may take a connection until they have been told: waits for
-- that, unless the configuration keeps notices out of the log.
local function await_retired(self, from)
    local deadline = io.now() + RETIRE_LIMIT

    while io.now() < deadline do
        local _, count = news(self, from):gsub("gracefully shutting down", "")
        if count >= self.job.workers then
            return
        end
        io.sleep(2)
    end
end

-- How many times the log says that a configuration can't be used, and why the
-- last one could not.
local function refusals(self, from)
    local count, why = 0, nil

    for line in news(self, from):gmatch("[^\n]+") do
        if line:find("[emerg]", 1, true) then
            count, why = count + 1, line
        end
    end
    return count, why
end

-- Asks for the new configuration and waits until only it answers. True, and
-- whether it took several tries: an address may be in use for a moment.
function Server:reload(version)
    local deadline, pause, seen = io.now() + START_LIMIT, 1, 0
    local from = io.size(self.job.root .. "/logs/error.log") or 0
    local tries, before = 1, 0
    local ok, err = self:tell("reload")

    if not ok then
        return nil, err
    end
    while io.now() < deadline do
        local count, why = refusals(self, from)
        if count > before then
            if not why:find("in use", 1, true) or tries == BIND_TRIES then
                return nil, "the reload is refused: " .. why
            end
            tries, before = tries + 1, count
            io.sleep(100)
            self:tell("reload")
        end
        seen = version_served(self.job) == version and seen + 1 or 0
        if seen >= 5 * self.job.workers then
            await_retired(self, from)
            return true, tries > 1
        end
        if seen == 0 then
            io.sleep(pause)
            pause = min(pause * 1.5, 50)
        end
    end
    return nil, "the new configuration does not answer after a reload"
end

return _M
