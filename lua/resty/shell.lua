-- shell.lua -- a program's whole life: what it is told, what it says, how it
-- ends.
--
-- Its input is written and its outputs are read at the same time, so that
-- none of the three has to be small. run() yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ngx_pipe = require "ngx.pipe"

local concat = table.concat
local spawn_thread, wait_thread = ngx.thread.spawn, ngx.thread.wait
local spawn = ngx_pipe.spawn

local _M = { _VERSION = "0.03" }

local TIMEOUT, MAX_SIZE = 10000, 128 * 1024
local KILL = 9
local options = { buffer_size = 32 * 1024 }

-- All that it says; more than `max` is an error beside what there was.
local function read_all(proc, read, name, max)
    local parts, n, left = {}, 0, max
    while true do
        local data, err = read(proc, left + 1)
        if not data then
            local text = concat(parts)
            if err == "closed" then
                return text
            end
            return text, "failed to read " .. name .. ": " .. err
        end
        if #data > left then
            parts[n + 1] = data:sub(1, left)
            return concat(parts), "failed to read " .. name
                   .. ": too much data; limit " .. max .. " reached"
        end
        n = n + 1
        parts[n] = data
        left = left - #data
    end
end

-- "closed": it has ended, or does not want to know.
local function write_all(proc, text)
    if text and text ~= "" then
        local ok, err = proc:write(text)
        if not ok and err ~= "closed" then
            return "failed to write stdin: " .. err
        end
    end
    local ok, err = proc:shutdown("stdin")
    if not ok and err ~= "closed" then
        return "failed to shutdown stdin: " .. err
    end
end

-- ok, stdout, stderr, reason, status; ok is true if it exited with 0, nil if
-- it had to be given up: then `reason` is why.
function _M.run(cmd, stdin, timeout, max_size)
    timeout, max_size = timeout or TIMEOUT, max_size or MAX_SIZE

    local proc, err = spawn(cmd, options)
    if not proc then
        return nil, nil, nil, "failed to spawn: " .. err
    end
    proc:set_timeouts(timeout, timeout, timeout, timeout)

    local writer = spawn_thread(write_all, proc, stdin)
    local reader = spawn_thread(read_all, proc, proc.stdout_read_any,
                                "stdout", max_size)
    local errors, errors_failed = read_all(proc, proc.stderr_read_any,
                                           "stderr", max_size)
    local _, text, text_failed = wait_thread(reader)
    local _, write_failed = wait_thread(writer)

    local failed = text_failed or errors_failed or write_failed
    if failed then
        proc:kill(KILL)
        return nil, text, errors, failed
    end

    local ok, reason, status = proc:wait()
    if ok == nil and status == nil then
        proc:kill(KILL)
        return nil, text, errors, "failed to wait for process: " .. reason
    end
    return ok, text, errors, reason, status
end

return _M
