-- lunette/tool.lua -- `lunette run`: the script, in the coroutine that
-- modules/lua/tool/tool.c has started for it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local output = require "resty.core.output"

local concat = table.concat
local assert, error, getmetatable, loadfile, loadstring, require =
    assert, error, getmetatable, loadfile, loadstring, require
local rawset, setmetatable, _G = rawset, setmetatable, _G
local stderr, stdout, traceback, tostring =
    io.stderr, io.stdout, debug.traceback, tostring
local select, type, unpack, xpcall = select, type, unpack, xpcall
local text_of = output.text_of

local windows = require("ffi").os == "Windows"
local EINVAL, EPIPE = 22, 32

local _M = {}

-- Where the script failed, without what is around it.
local function describe(err)
    if type(err) ~= "string" then
        return tostring(err)
    end
    return (traceback(err, 2):gsub("(.*)\n\t%[C%]: in function 'xpcall'.*$",
                                   "%1"))
end

-- When nobody reads its output any more, a script ends, as programs do that
-- SIGPIPE ends. Windows calls that an invalid argument.
local function end_with_reader()
    local methods = getmetatable(stdout).__index
    local file_write, output_of = methods.write, io.output

    local function passed(file, ok, err, code)
        if not ok and file == stdout
           and (code == EPIPE or code == EINVAL and windows)
        then
            os.exit(141)
        end
        return ok, err, code
    end

    local function write(file, ...)
        return passed(file, file_write(file, ...))
    end

    -- A compiled fwrite() that fails is done again, and then it does not fail:
    -- the C library has thrown away what it could not write.
    require("jit").off(write)
    methods.write = write
    function io.write(...)
        return write(output_of(), ...)
    end

    -- As base.std_print, which tells nobody that it has failed.
    function _G.print(...)
        local texts = { ... }
        for i = 1, select("#", ...) do
            local text = _G.tostring(texts[i])
            if type(text) ~= "string" then
                error("'tostring' must return a string to 'print'", 2)
            end
            texts[i] = text
        end
        write(stdout, concat(texts, "\t"), "\n")
    end
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

-- Where Linux' packages keep modules (busted is one of them): looked at when
-- nobody else has a module of that name, so that it hides nothing of ours.
local function add_system_modules()
    local machine = jit.arch == "arm64" and "aarch64" or "x86_64"
    local share = "/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua"
    local lib = "/usr/lib/" .. machine .. "-linux-gnu/lua/5.1/?.so;"
                .. "/usr/lib/lua/5.1/?.so"
    local loaders = package.loaders

    loaders[#loaders + 1] = function (name)
        local path, err = package.searchpath(name, share)
        if path then
            return assert(loadfile(path))
        end

        local c_path, c_err = package.searchpath(name, lib)
        if not c_path then
            return err .. c_err
        end
        return assert(package.loadlib(c_path, "luaopen_"
            .. name:gsub("^.*%-", ""):gsub("%.", "_")))
    end
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

-- Whether it ran to its end.
local function run_chunk(chunk, err, args)
    local ok = chunk ~= nil
    if ok then
        ok, err = xpcall(chunk, describe, unpack(args))
    end
    if not ok then
        stderr:write("ERROR: ", err, "\n")
    end
    return ok
end

-- `options`: what the command line says (tool_options.h); `args` becomes
-- `arg`.  Returns the exit status.
function _M.run(options, args)
    -- A script has its process to itself: globals are its own affair, and
    -- what it prints is its output.
    setmetatable(_G, nil)
    rawset(_G, "arg", args)
    end_with_reader()
    ngx.config.is_console = true
    speak()
    local on_end = count_script()

    package.path = (options.path or "")
        .. "./lua_modules/share/lua/5.1/?.lua;"
        .. "./lua_modules/share/lua/5.1/?/init.lua;" .. package.path
    package.cpath = "./lua_modules/lib/lua/5.1/?."
        .. (windows and "dll;" or "so;") .. package.cpath
    if not windows then
        add_system_modules()
    end
    if options.jit then
        set_jit(options.jit)
    end

    local ok, script = true, options.script
    if options.code then
        local chunk, err = loadstring(options.code, "=(command line -e)")
        ok = run_chunk(chunk, err, args)
    end
    if ok and script then
        -- Without a name it is standard input.
        local chunk, err = loadfile(script ~= "-" and script or nil)
        ok = run_chunk(chunk, err, args)
    end

    on_end()
    return ok and 0 or 1
end

return _M
