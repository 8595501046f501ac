-- lunette/spec/pool.lua -- many files at a time
--
-- A run of the specs has a folder and a window of ports that no other run
-- on this machine uses: its first port is held open as the sign of that.
-- The window is cut into slots, one for each file that runs just now.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local getenv = os.getenv

-- Below the ports that systems give to outgoing connections.
local FIRST_PORT, WINDOW, WINDOWS = 20000, 400, 29
-- No spec file may keep the others from being checked.
local FILE_LIMIT = 20 * 60 * 1000

local Space = {}
Space.__index = Space

local _M = {}

local function temp_folder()
    local base = getenv("TMPDIR") or getenv("TEMP") or "/tmp"

    return (base:gsub("\\", "/"):gsub("/+$", "")) .. "/lunette-spec-"
           .. io.pid()
end

-- Whether nobody has one of these ports: who has may keep it for long.
local function are_free(first, ports)
    for port = first, first + ports - 1 do
        local sock = io.listen("127.0.0.1:" .. port)
        if not sock then
            return false
        end
        sock:close()
    end
    return true
end

-- The slots of a window that can be used: as many as `jobs`, or fewer.
local function slots_of(first, jobs, ports, folder)
    local slots = {}

    for k = 0, math.floor((WINDOW - 1) / ports) - 1 do
        if #slots < jobs and are_free(first + 1 + k * ports, ports) then
            slots[#slots + 1] = { port = first + 1 + k * ports,
                                  folder = folder .. "/" .. #slots + 1 }
        end
    end
    return slots
end

-- Room for `jobs` files with `ports` each, or fewer; or nil and why not.
function _M.space(jobs, ports)
    local folder = temp_folder()

    for i = 1, WINDOWS do
        local first = FIRST_PORT + (io.pid() * 7 + i) % WINDOWS * WINDOW
        local guard = io.listen("127.0.0.1:" .. first)
        if guard then
            local slots = slots_of(first, jobs, ports, folder)
            if #slots > 0 then
                return setmetatable({ folder = folder, guard = guard,
                                      slots = slots }, Space)
            end
            guard:close()
        end
    end
    return nil, "no free ports"
end

function Space:close(keep)
    self.guard:close()
    if keep then
        return
    end
    io.remove(self.folder)
end

local function start(path, index, slot, space, self, more)
    local argv, base = {}, space.folder .. "/" .. "file" .. index

    for _, list in ipairs {
        self, more,
        { "--job", tostring(index), "--port", tostring(slot.port),
          "--folder", slot.folder, path },
    } do
        for _, word in ipairs(list) do
            argv[#argv + 1] = word
        end
    end
    io.make_dir(space.folder)
    io.write(base .. ".out", "")
    io.write(base .. ".err", "")
    local process, err = io.run(argv, base .. ".out", base .. ".err")
    return { path = path, slot = slot, base = base, process = process,
             error = err, deadline = io.now() + FILE_LIMIT }
end

local function lines_of(text)
    local out = {}

    for line in text:gmatch("[^\n]+") do
        out[#out + 1] = line
    end
    return out
end

-- A file's TAP into the whole; a run that broke off is a failure.
local function collect(run, tap)
    local before = tap.failed
    local seen, planned = tap:include(io.read(run.base .. ".out") or "")
    local status = run.process and run.process.status

    if seen ~= planned or status ~= 0 and tap.failed == before then
        local lines = lines_of(io.read(run.base .. ".err") or "")
        table.insert(lines, 1, run.error or "status " .. tostring(status))
        tap:fail(run.path .. ": the run of this file broke off", lines)
    end
end

-- Whether the file's run is over.
local function over(run)
    if not run.process then
        return true
    end
    if not run.process:wait(0) and io.now() > run.deadline then
        run.process:kill()
        run.error = "took longer than " .. FILE_LIMIT / 60000 .. " minutes"
    end
    return run.process.status ~= nil
end

-- Runs every file through `self` (an argv) and prints to `tap` in order.
function _M.run(files, space, self, more, tap)
    local free, running, finished = {}, {}, {}
    local next_file, next_shown = 1, 1

    for i = #space.slots, 1, -1 do
        free[#free + 1] = space.slots[i]
    end
    while next_shown <= #files do
        while next_file <= #files and #free > 0 do
            running[next_file] = start(files[next_file], next_file,
                                       table.remove(free), space, self, more)
            next_file = next_file + 1
        end
        for index, run in pairs(running) do
            if over(run) then
                finished[index], running[index] = run, nil
                free[#free + 1] = run.slot
            end
        end
        while finished[next_shown] do
            collect(finished[next_shown], tap)
            next_shown = next_shown + 1
        end
        if next_shown <= #files then
            io.sleep(5)
        end
    end
end

return _M
