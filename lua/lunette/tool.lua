-- lunette/tool.lua -- `lunette run`: the script, in the coroutine that
-- modules/lua/run/tool.c has started for it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local output = require "resty.core.output"

local error, ipairs, loadfile, loadstring, require =
    error, ipairs, loadfile, loadstring, require
local rawset, setmetatable, _G = rawset, setmetatable, _G
local stderr, stdout, traceback, tostring =
    io.stderr, io.stdout, debug.traceback, tostring
local select, type, unpack, xpcall = select, type, unpack, xpcall
local text_of = output.text_of

local _M = {}

local function describe(err)
    if type(err) == "string" then
        return traceback(err, 2)
    end

    return tostring(err)
end

-- There is nobody to answer: what a script says is its output.
local function speak()
    local function write(text)
        local ok, err = stdout:write(text)
        return ok and 1, err
    end

    function ngx.say(...)
        return write(text_of("say", select("#", ...), ...) .. "\n")
    end

    function ngx.print(...)
        return write(text_of("print", select("#", ...), ...))
    end

    function ngx.flush()
        stdout:flush()
        return 1
    end

    function ngx.eof()
        return 1
    end
end

-- -j: off, or a module of LuaJIT's with what it is started with ("dump=+rs").
local function set_jit(how)
    if how == "off" or how == "on" then
        return require("jit")[how]()
    end
    local name, options = how:match "^([^=]+)=?(.*)$"
    require("jit." .. name).start(unpack { options ~= "" and options or nil })
end

-- A script is a timer's handler, and counts as one.
local function count_script()
    local count = ngx.timer.running_count
    local running = 1

    function ngx.timer.running_count()
        return count() + running
    end

    return function ()
        running = 0
    end
end

local function run_chunk(chunk, err, args)
    if not chunk then
        error(err, 0)
    end
    chunk(unpack(args))
end

-- `options`: what the command line says (tool_options.h); `args` becomes
-- `arg`.  Returns the exit status.
function _M.run(options, args)
    -- A script has its process to itself: globals are its own affair, and
    -- what it prints is its output.
    setmetatable(_G, nil)
    rawset(_G, "arg", args)
    rawset(_G, "print", base.std_print)
    speak()
    local on_end = count_script()

    local function main()
        package.path = (options.path or "") .. package.path
        if options.jit then
            set_jit(options.jit)
        end
        for _, name in ipairs(options.modules) do
            require(name)
        end

        if options.code then
            local chunk, err = loadstring(options.code, "=(command line)")
            run_chunk(chunk, err, args)
        end
        local script = options.script
        if script then
            -- Without a name it is standard input.
            local chunk, err = loadfile(script ~= "-" and script or nil)
            run_chunk(chunk, err, args)
        end
    end

    local ok, err = xpcall(main, describe)
    on_end()

    if not ok then
        stderr:write("lunette: ", err, "\n")
        return 1
    end
    return 0
end

return _M
