-- lunette/profile.lua -- `lunette profile`: what a server's workers say of
-- where Lua spends its time, as a page or as text
--
-- Workers write stacks into the error log (modules/lua/look/profile.h); those
-- that come between our two words to the master are ours.
--
-- SPDX-License-Identifier: BSD-2-Clause

local files = require "lunette.files"
local flame = require "lunette.flame"

local open, stdout, stderr = io.open, io.stdout, io.stderr

local _M = {}

-- Milliseconds: how often the log is looked at, and how long a worker may take
-- to say what it has seen.
local LOOK, PATIENCE = 50, 5000

local SECONDS, MOST = 10, 55

local function fail(...)
    stderr:write("lunette profile: ", string.format(...), "\n")
    return 1
end


local function read_options(words)
    local o = { seconds = SECONDS, kind = "cpu" }
    local i = 1

    while words[i] do
        local word = words[i]

        if word == "--wait" then
            o.kind = "wait"

        elseif word == "--heap" then
            o.kind = "heap"

        elseif word == "--folded" then
            o.folded = true

        elseif word == "--seconds" then
            i = i + 1
            o.seconds = tonumber(words[i])

            if not o.seconds or o.seconds <= 0 or o.seconds > MOST then
                return nil, "--seconds takes a number up to " .. MOST
            end

        elseif word == "-o" then
            i = i + 1
            o.out = words[i]

            if not o.out then
                return nil, "-o takes the name of a file"
            end

        else
            return nil, 'unknown option "' .. word .. '"'
        end

        i = i + 1
    end

    o.out = o.out or not o.folded and o.kind ~= "heap" and "flame.html"
    return o
end


-- A line of the log, taken into `seen`: how many workers have begun and ended,
-- and what of each kind (cpu: samples, wait: microseconds, heap: entries) a
-- stack or a place has.
function _M.take_line(seen, line)
    local text = line:match(": profile: (.*)$")

    if not text then
        return
    end

    if text:find("^begins, of") then
        seen.begun = seen.begun + 1
        return
    end

    if text:find("^ends, ") then
        seen.ended = seen.ended + 1
        seen.why = text:match("^ends, (no .*)") or seen.why
        return
    end

    local kind, count, stack = text:match("^(%a+) (%d+) (.+)$")
    local of_kind = seen[kind]

    if type(of_kind) == "table" then
        of_kind[stack] = (of_kind[stack] or 0) + tonumber(count)
    end
end


function _M.new_seen()
    return { begun = 0, ended = 0, cpu = {}, wait = {}, heap = {} }
end


-- Whole lines only: what is not complete yet is read again.
local function read_on(file, seen)
    while true do
        local at = file:seek()
        local line = file:read("*L")

        if not line then
            return
        end

        if line:sub(-1) ~= "\n" then
            file:seek("set", at)
            return
        end

        _M.take_line(seen, line:gsub("\r?\n$", ""))
    end
end


-- Until fn says that it is over; false: it took too long.
local function await(server, file, seen, fn)
    for _ = 1, PATIENCE / LOOK do
        read_on(file, seen)

        if fn() then
            return true
        end

        server.wait(LOOK)
    end

    return false
end


local function sample(server, seconds, file)
    local seen = _M.new_seen()

    if not server.tell() then
        return nil, "the server was not reached"
    end

    if not await(server, file, seen, function () return seen.begun > 0 end) then
        return nil, "no worker has begun: its error log says why, if it is "
                    .. "the one that is written to"
    end

    server.wait(seconds * 1000)

    if not server.tell() then
        return nil, "the server has gone"
    end

    if not await(server, file, seen, function ()
            return seen.ended >= seen.begun
        end)
    then
        stderr:write("lunette profile: ", seen.begun - seen.ended, " of ",
                     seen.begun, " workers have not answered: they compute, "
                     .. "or are at their end\n")
    end

    return seen
end


-- "a;b 12" for each stack, the most frequent first.
function _M.folded(stacks)
    local lines = {}

    for stack, count in pairs(stacks) do
        lines[#lines + 1] = { stack, count }
    end

    table.sort(lines, function (a, b)
        return a[2] > b[2] or a[2] == b[2] and a[1] < b[1]
    end)

    for i, line in ipairs(lines) do
        lines[i] = string.format("%s %d\n", line[1], line[2])
    end

    return table.concat(lines)
end


-- By how many entries which table has grown, as a table.
function _M.growth(places)
    local lines = { "  entries  in the table\n" }

    for line in _M.folded(places):gmatch "[^\n]+" do
        local place, count = line:match "^(.*) (%d+)$"

        lines[#lines + 1] = string.format("%9s  %s\n", "+" .. count, place)
    end

    return table.concat(lines)
end


local NOTHING = {
    cpu = "no Lua was seen: was there a request?",
    wait = "no coroutine has waited",
    heap = "no table has grown"
}

local function write_out(path, text)
    if not path then
        stdout:write(text)
        return true
    end

    return files.write(path, text)
end


-- server: error_log, tell(), wait(ms).  The exit status.
function _M.main(words, server)
    local o, err = read_options(words)

    if not o then
        return fail("%s; lunette profile -h has all of them", err)
    end

    local file = open(server.error_log, "rb")

    if not file then
        return fail("%s", server.error_log == "" and "the error log is no file"
                    or server.error_log .. " cannot be read")
    end

    file:seek("end")

    local seen
    seen, err = sample(server, o.seconds, file)
    file:close()

    if not seen then
        return fail("%s", err)
    end

    local stacks = seen[o.kind]

    if not next(stacks) then
        return fail("%s", seen.why or NOTHING[o.kind])
    end

    local text = o.kind == "heap" and _M.growth(stacks)
                 or o.folded and _M.folded(stacks)
                 or flame.page(stacks, o.kind, {
                     seconds = o.seconds, workers = seen.begun })

    local ok
    ok, err = write_out(o.out, text)

    if not ok then
        return fail("%s", err)
    end

    if o.out then
        stdout:write(o.out, "\n")
    end

    return 0
end


return _M
