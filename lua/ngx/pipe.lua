-- pipe.lua -- ngx.pipe: programs, and pipes to them.
--
-- C side: modules/lua/api/pipe.c, which hands over pieces as they come; lines
-- and the like are made of them in lunette/pipe_read.lua. Reading, writing and
-- waiting yield, where handlers may wait; the rest may be called in any phase
-- but init.
--
-- A text in place of arguments is the shell's: /bin/sh -c, on Windows cmd /c.
--
-- What a program wrote is read as long as nobody has waited for its end. From
-- then on a stream that was never read is closed; one that was gives what is
-- left, and "closed" after that.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local native = require "lunette.native"
local pipe_read = require "lunette.pipe_read"

local error, ipairs, pairs = error, ipairs, pairs
local getmetatable, setmetatable = getmetatable, setmetatable
local tonumber, tostring, type = tonumber, tostring, type
local concat, find = table.concat, string.find
local now, phases = base.now, base.phases

local SHELL = ffi.os == "Windows" and { "cmd.exe", "/d", "/c" }
              or { "/bin/sh", "-c" }
local DEFAULT_TIMEOUT = 10000      -- ms, as the other
local MAX_TIMEOUT = 0xffffffff
local BUFFER_SIZE = 4096

-- As in modules/lua/api/pipe.h: LUN_PIPE_... for STD...
local STDIN, STDOUT, STDERR = 0, 1, 2

local directions = { stdin = STDIN, stdout = STDOUT, stderr = STDERR }

local _M = { version = base.version }

local proc = {}
proc.__index = proc

-- An object: box (the C side's), timeouts; by direction: rest (what came and
-- nobody has asked for yet).

local function check_self(self)
    if getmetatable(self) ~= proc then
        error("not a process instance", 3)
    end
end

local function check_timeout(value, name, level)
    if not (value >= 0 and value <= MAX_TIMEOUT) then
        error("bad " .. name .. " option", level + 1)
    end
    return value
end

local function set_timeouts(self, write, stdout, stderr, wait, level)
    local t = self.timeouts
    level = level + 1
    t[STDIN] = write and check_timeout(write, "write_timeout", level)
               or t[STDIN]
    t[STDOUT] = stdout and check_timeout(stdout, "stdout_read_timeout", level)
                or t[STDOUT]
    t[STDERR] = stderr and check_timeout(stderr, "stderr_read_timeout", level)
                or t[STDERR]
    t.wait = wait and check_timeout(wait, "wait_timeout", level) or t.wait
end

-- nil: as it was; 0: no limit.
function proc:set_timeouts(write, stdout, stderr, wait)
    check_self(self)
    set_timeouts(self, write, stdout, stderr, wait, 2)
end

-- Three values in any case.
for name, which in pairs { stdout = STDOUT, stderr = STDERR } do
    proc[name .. "_read_all"] = function (self)
        check_self(self)
        local data, err, partial = pipe_read.all(self, which)
        return data, err, partial
    end
    proc[name .. "_read_line"] = function (self)
        check_self(self)
        local data, err, partial = pipe_read.line(self, which)
        return data, err, partial
    end
    proc[name .. "_read_bytes"] = function (self, len)
        check_self(self)
        local data, err, partial = pipe_read.bytes(self, which, len)
        return data, err, partial
    end
    proc[name .. "_read_any"] = function (self, max)
        check_self(self)
        local data, err, partial = pipe_read.any(self, which, max)
        return data, err, partial
    end
end

-- What waits is not called as a tail: the object must stay in sight of the
-- collector meanwhile, who would kill the program.
function proc:write(data)
    check_self(self)
    local kind = type(data)
    if kind == "table" then
        data = concat(data)
    elseif kind == "number" then
        data = tostring(data)
    elseif kind ~= "string" then
        error("bad data arg: string, number, or table expected, got "
              .. kind, 2)
    end
    local n, err = native.pipe_write(self.box, data, self.timeouts[STDIN])
    if not n then
        return nil, err
    end
    return n
end

function proc:shutdown(direction)
    check_self(self)
    local which = directions[direction]
    if not which then
        error("bad shutdown arg: " .. tostring(direction), 2)
    end
    local ok, err = native.pipe_shutdown(self.box, which)
    if not ok then
        return nil, err
    end
    self.rest[which] = ""
    return true
end

-- true, "exit", 0; false, "exit", code; false, "signal", number.
function proc:wait()
    check_self(self)
    local ok, reason, status = native.pipe_wait(self.box, self.timeouts.wait)
    if not status then
        return nil, reason
    end
    return ok, reason, status
end

function proc:kill(signal)
    check_self(self)
    if type(signal) ~= "number" then
        error("bad signal arg: number expected, got " .. tostring(signal), 2)
    end
    return native.pipe_kill(self.box, signal)
end

function proc:pid()
    check_self(self)
    return native.pipe_pid(self.box)
end

local function strings(list)
    local copy = {}
    for i, value in ipairs(list) do
        copy[i] = tostring(value)
    end
    return copy
end

local function arguments(args)
    local kind = type(args)
    if kind == "string" then
        local argv = strings(SHELL)
        argv[#argv + 1] = args
        return argv
    end
    if kind ~= "table" then
        error("bad args arg: table expected, got " .. kind, 3)
    end
    if args[1] == nil then
        error("bad args arg: non-empty table expected", 3)
    end
    return strings(args)
end

local function environment(environ)
    if environ == nil then
        return nil
    end
    if type(environ) ~= "table" then
        error("bad environ option: table expected, got " .. type(environ), 3)
    end
    local copy = {}
    for i, value in ipairs(environ) do
        if type(value) ~= "string" then
            error("bad value at index " .. i .. " of environ option: string "
                  .. "expected, got " .. type(value), 3)
        end
        if not find(value, "^[^=]+=") then
            error("bad value at index " .. i .. " of environ option: "
                  .. "'name=[value]' format expected, got '" .. value .. "'", 3)
        end
        copy[i] = value
    end
    return copy
end

function _M.spawn(args, opts)
    if now.phase == phases.init then
        error("API disabled in the current context", 2)
    end

    opts = opts or {}
    local argv, env = arguments(args), environment(opts.environ)
    local size = BUFFER_SIZE
    if opts.buffer_size then
        size = tonumber(opts.buffer_size)
        if not size or not (size >= 1) then
            error("bad buffer_size option", 2)
        end
    end

    local self = setmetatable({
        rest = { [STDOUT] = "", [STDERR] = "" },
        timeouts = {
            [STDIN] = DEFAULT_TIMEOUT, [STDOUT] = DEFAULT_TIMEOUT,
            [STDERR] = DEFAULT_TIMEOUT, wait = DEFAULT_TIMEOUT,
        },
    }, proc)

    set_timeouts(self, opts.write_timeout, opts.stdout_read_timeout,
                 opts.stderr_read_timeout, opts.wait_timeout, 2)

    local box, err = native.pipe_spawn(argv, env, opts.merge_stderr, size)
    if not box then
        return nil, err
    end
    self.box = box
    return self
end

return _M
