-- random_pipes.lua -- a program that gives back what it gets, on both of its
-- pipes, written and read in sizes and an order that the seed says.
--
-- SPDX-License-Identifier: BSD-2-Clause

local pipe = require "ngx.pipe"
local generator = require("random_frames").generator

local char, rep, sub = string.char, string.rep, string.sub
local spawn, wait = ngx.thread.spawn, ngx.thread.wait

local _M = {}

local function random_text(random)
    local parts = {}
    for i = 1, random(40) do
        -- No CR, which reading a line leaves out.
        local unit = char((14 + random(255)) % 256)
        parts[i] = rep(unit, random(random(4) == 0 and 9000 or 90))
                   .. (random(2) == 0 and "\n" or "")
    end
    return table.concat(parts)
end

local function write(proc, text, random)
    local at = 1
    while at <= #text do
        local size = 1 + random(random(2) == 0 and 10 or 20000)
        local ok, err = proc:write(sub(text, at, at + size - 1))
        if not ok then return err end
        at = at + size
        if random(4) == 0 then ngx.sleep(random(2) / 1000) end
    end
    proc:shutdown("stdin")
end

local reads = {
    function (proc, name)
        local line, err, rest = proc[name .. "_read_line"](proc)
        return line and line .. "\n", err, rest
    end,
    function (proc, name, n)
        local data, err, rest = proc[name .. "_read_bytes"](proc, n)
        if data and #data ~= n then
            return nil, #data .. " bytes for " .. n, ""
        end
        return data, err, rest
    end,
    function (proc, name, n)
        local data, err, rest = proc[name .. "_read_any"](proc, n + 1)
        if data and (#data == 0 or #data > n + 1) then
            return nil, #data .. " bytes of " .. n, ""
        end
        return data, err, rest
    end,
}

-- All that came, or nil and why not.
local function read(proc, name, random)
    local all = {}
    while true do
        local data, err, rest
        if random(60) == 0 then
            data, err, rest = proc[name .. "_read_all"](proc)
            all[#all + 1] = data or rest
            if data then
                return table.concat(all)
            end
        end
        data, err, rest = reads[random(#reads) + 1](proc, name,
                                                    random(random(3) * 3000
                                                           + 20))
        all[#all + 1] = data or rest
        if not data and err == "closed" then
            return table.concat(all)
        elseif not data and err ~= "timeout" then
            return nil, err
        end
        if random(6) == 0 then ngx.sleep(0) end
    end
end

-- What is wrong, or nil.
function _M.differs(seed, command)
    local random = generator(seed)
    local text = random_text(random)
    local proc = assert(pipe.spawn(command,
                                   { buffer_size = 16 + random(9000) }))
    local short = random(2) == 0 and 1 or 5000
    proc:set_timeouts(5000, short, short, 5000)
    local out = spawn(read, proc, "stdout", generator(seed + 1))
    local err = spawn(read, proc, "stderr", generator(seed + 2))
    local why = write(proc, text, random)
    if why then return "writing: " .. why end
    for name, thread in pairs { stdout = out, stderr = err } do
        local ok, got, reason = wait(thread)
        if not ok or got ~= text then
            return name .. ": " .. tostring(got and #got) .. " of " .. #text
                   .. " bytes, " .. tostring(reason)
        end
    end
    local ok, how, code = proc:wait()
    if not ok or how ~= "exit" or code ~= 0 then
        return "its end: " .. tostring(how) .. " " .. tostring(code)
    end
end

return _M
