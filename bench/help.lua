-- help.lua -- what the benches share: commands, files, medians, what is said
-- and kept.
--
--     local help = dofile("bench/help.lua")
--
-- SPDX-License-Identifier: BSD-2-Clause

local format, concat = string.format, table.concat

local help = {}

-- Of the command line: -x VALUE. A value is a number where the default is.
function help.options(values)
    for i = 1, #arg, 2 do
        local name = arg[i]:match("^%-(%a)$")
        local value = arg[i + 1]
        if name and type(values[name]) == "number" then
            value = tonumber(value)
        end
        if values[name] == nil or value == nil then
            error("unknown option " .. arg[i])
        end
        values[name] = value
    end
    return values
end

-- What a command prints, without white space at its end.
function help.command(fmt, ...)
    local p = assert(io.popen(format(fmt, ...)))
    local out = p:read("*a")
    p:close()
    return (out:gsub("%s+$", ""))
end

-- Ends a server, if it runs: its pid.
function help.stop(server)
    if server.pid then
        help.command("kill -TERM %s 2>/dev/null; while kill -0 %s 2>/dev/null; "
                     .. "do sleep 0.02; done", server.pid, server.pid)
        server.pid = nil
    end
end

help.here = help.command("pwd")

function help.write_file(path, text)
    local f = assert(io.open(path, "wb"))
    f:write(text)
    f:close()
end

-- nil if it can't be read.
function help.read_file(path)
    local f = io.open(path, "rb")
    if not f then return nil end
    local text = f:read("*a")
    f:close()
    return text
end

-- The value that a part of all lie below; nil of an empty list.
local function quantile(list, part)
    local sorted = { unpack(list) }
    table.sort(sorted)
    local at = 1 + (#sorted - 1) * part
    local low = math.floor(at)
    local v = sorted[low]
    return v and v + (at - low) * ((sorted[low + 1] or v) - v)
end

function help.median(list)
    return quantile(list, 0.5)
end

-- Between which two values the middle half lies.
function help.spread(list)
    return quantile(list, 0.25), quantile(list, 0.75)
end

---------------------------------------------------------------------------
-- What is said goes to the terminal, and is kept for the result

local lines = {}

function help.say(fmt, ...)
    local line = format(fmt, ...)
    lines[#lines + 1] = line
    print(line)
    io.stdout:flush()
end

function help.machine()
    local info = help.read_file("/proc/cpuinfo") or ""
    return format("%s; %s; %s cores",
                  info:match("model name%s*: ([^\n]*)") or "unknown processor",
                  help.command("uname -sr"), help.command("nproc"))
end

-- Writes bench/results/NAME; `after` stands behind what was said.
function help.keep(name, title, after)
    help.write_file("bench/results/" .. name,
                    "# " .. title .. "\n\n" .. concat(lines, "\n") .. "\n"
                    .. (after or ""))
    print("\nwritten to bench/results/" .. name)
end

return help
