-- lunette/spec.lua -- `lunette spec`: the spec runner
--
-- Runs Test::Nginx-style .t files without Perl and prints TAP. With several
-- files the runner starts itself once per file, some at a time, each with a
-- folder and ports of its own, and prints their TAP in the files' order.
-- t/README.md says how specs are written. The rooms, in reading order:
-- options, parse, block, file, run, request, client, response, check,
-- checklog; below them conf, server, logs, mock, perl and io.
--
-- SPDX-License-Identifier: BSD-2-Clause

local file = require "lunette.spec.file"
local io_room = require "lunette.spec.io"
local options_room = require "lunette.spec.options"
local pool = require "lunette.spec.pool"
local tap_room = require "lunette.spec.tap"

local stdout, stderr = io.stdout, io.stderr
local getenv = os.getenv

local _M = {}

-- Ports of a file's server, its mocks and $TEST_NGINX_RAND_PORT_N.
local PORTS = 40

-- On another system's server everything takes longer.
local PACE = {
    near = { settle = 60, timeout = 3000 },
    far = { settle = 150, timeout = 10000 },
}

local on_windows = jit.os == "Windows"

local function environment()
    local own = {}

    return setmetatable({}, {
        __index = function (_, name) return own[name] or getenv(name) end,
        __newindex = function (_, name, value) own[name] = value end,
    })
end

local function is_windows_server(argv)
    for _, word in ipairs(argv) do
        if word:find("%.exe$") or word:find("wine", 1, true) then
            return true
        end
    end
    return on_windows
end

local function absolute(word, current)
    if word:find("/", 1, true) and not word:find("^/")
       and not word:find("^%a:") and io_room.size(current .. "/" .. word)
    then
        return current .. "/" .. word
    end
    return word
end

-- The server's own scripts may ask the system what the runner asks it: they
-- find these rooms in the folder beside their program, or else in ours.
local function show_rooms(server)
    local dir = server:gsub("[^/\\]*$", "") .. "spec"
    local path = getenv "LUA_PATH" or ";"

    if not io_room.size(dir .. "/lunette/spec.lua") then
        dir = io_room.folder
    end
    io_room.setenv("LUA_PATH", dir .. "/?.lua;" .. path)
end

-- What `http` and `stream` of every configuration say.
local function coverage_line(path, current)
    if not path then
        return ""
    elseif not path:find "^[/\\]" and not path:find "^%a:" then
        path = current .. "/" .. path
    end
    return ' lua_coverage "' .. path .. '";'
end

-- Everything that the run of a file needs to know.
local function job_of(options, self, slot)
    local env, current = environment(), io_room.current()
    local argv = options.server and options_room.words(options.server)
                 or { self[1] }
    local windows = is_windows_server(argv)
    local foreign = windows and not on_windows
    local pace = foreign and PACE.far or PACE.near
    local given = tonumber(env.TEST_NGINX_TIMEOUT) or 0
    local timeout = given > 0 and given * 1000 or pace.timeout
    local dir = slot.folder

    for i, word in ipairs(argv) do
        argv[i] = absolute(word, current)
    end
    show_rooms(argv[#argv])
    return {
        server = argv, windows = windows, foreign = foreign,
        dir = dir, root = dir .. "/t/servroot", port = slot.port, ports = PORTS,
        current = current, env = env, set_env = io_room.setenv,
        workers = options.workers or 1,
        master = options.master and "on" or "off",
        globals = options.globals or env.TEST_NGINX_GLOBALS,
        as_root = not windows and io_room.is_root(),
        settle = pace.settle, timeout = timeout, patience = timeout / 2,
        reload = options.reload, verbose = options.verbose,
        -- A machine says at its end what it has run.
        quit = options.quit or options.coverage and windows,
        coverage = coverage_line(options.coverage, current),
    }
end

local function print_tap()
    return tap_room.writer(function (text)
        stdout:write(text)
        stdout:flush()
    end)
end

-- One file in this process.
local function run_here(path, options, self, slot)
    local tap = print_tap()
    local ok, err = io_room.make_dir(slot.folder)

    if not ok then
        tap:fail(path, { err })
    else
        file.run(path, job_of(options, self, slot), tap)
    end
    tap:finish()
    return tap
end

-- What the children must be told, besides their file and slot.
local function arguments(options)
    local out = {}

    for _, name in ipairs { "server", "globals", "workers", "coverage" } do
        if options[name] then
            out[#out + 1] = "--" .. name
            out[#out + 1] = tostring(options[name])
        end
    end
    for _, name in ipairs { "reload", "master", "verbose", "quit" } do
        if options[name] then
            out[#out + 1] = "--" .. name
        end
    end
    return out
end

local function run_all(files, options, self)
    local jobs = options.jobs or math.max(2, 2 * io_room.cpus())
    local space, err = pool.space(jobs, PORTS)
    local tap

    if not space then
        stderr:write("lunette spec: ", err, "\n")
        return nil
    end
    if #files == 1 then
        tap = run_here(files[1], options, self, space.slots[1])
    else
        tap = print_tap()
        pool.run(files, space, self, arguments(options), tap)
        tap:finish()
    end
    space:close(options.keep)
    return tap
end

-- The whole command. `self`: the argv by which this program runs specs.
-- Returns its exit status.
function _M.main(args, self)
    local options, wrong = options_room.parse(args)
    local files, tap

    if not options then
        stderr:write("lunette spec: ", wrong, "\n", options_room.usage)
        return 1
    end
    if options.help then
        stdout:write(options_room.usage)
        return 0
    end
    self = self or { io_room.program() .. "/lunette"
                     .. (on_windows and ".exe" or ""), "spec" }
    files, wrong = options_room.files(options.paths)
    if not files then
        stderr:write("lunette spec: no such file or folder: ", wrong, "\n")
        return 1
    end
    if options.job then
        tap = run_here(files[1], options, self,
                       { folder = options.folder, port = options.port })
    else
        tap = run_all(files, options, self)
        if tap then
            stdout:write(tap:summary(), "\n")
        end
    end
    return tap and tap.failed == 0 and tap.count > 0 and 0 or 1
end

return _M
