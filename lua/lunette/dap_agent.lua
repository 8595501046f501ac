-- lunette/dap_agent.lua -- the debugger in a machine: where to stop, and what
-- is to be seen there
--
-- modules/lua/look/debugger.c calls `on_line` for lines that may have a
-- breakpoint, and `handle` for what the client asks (lunette.dap), both in a
-- thread of ours. Levels of a stack are counted from the function that stands.
--
-- SPDX-License-Identifier: BSD-2-Clause

local cjson = require "lunette.json"
local line_hits = require "lunette.line_hits"
local values = require "lunette.dap_values"

local decode, encode, null = cjson.decode, cjson.encode, cjson.null
local array_mt = cjson.array_mt
local clean, key_text, line_of = values.clean, values.key, values.line
local getinfo, getlocal, setlocal = debug.getinfo, debug.getlocal,
                                    debug.setlocal
local getmetatable = debug.getmetatable
local getupvalue, setupvalue = debug.getupvalue, debug.setupvalue
local traceback = debug.traceback
local error, getfenv, ipairs, loadstring, next, pairs, pcall, rawget, rawset =
    error, getfenv, ipairs, loadstring, next, pairs, pcall, rawget, rawset
local select, setfenv, setmetatable, tonumber, tostring, type, xpcall =
    select, setfenv, setmetatable, tonumber, tostring, type, xpcall
local sort = table.sort

local _M = {}

-- Frames of a stack, local variables of a frame.
local DEPTH, LOCALS = 100, 250

local native, base             -- functions of C; our first number
local numbers = 0              -- of threads, frames and values

local breaks = {}              -- by path and line
local filters = {}
local steps = setmetatable({}, { __mode = "k" })       -- by thread
local pausing = false

local ids = setmetatable({}, { __mode = "k" })         -- numbers by thread
local threads = setmetatable({}, { __mode = "v" })     -- and the reverse
local stops = {}               -- by number of the thread: who stands
local frames, handles = {}, {} -- by number; go with their stop
local sources = {}             -- by chunk name
local spelled = {}             -- by key of a file: as the client writes it

local public = {}

local function list(t)
    return setmetatable(t, array_mt)
end


local function present(value)
    if value ~= null then
        return value
    end
end


local function new_number()
    numbers = numbers + 1
    return base + numbers
end


local function id_of(thread)
    local id = ids[thread]

    if not id then
        id = new_number()
        ids[thread], threads[id] = id, thread
    end

    return id
end


local function event(name, body)
    native.event(encode { event = name, body = body })
end


-- --- sources ----------------------------------------------------------------

-- A file's name in one of the ways in which it can be written; nil: it is not
-- there. Windows knows no links, but two slashes, and no capitals.
local function key_of(path)
    local real = native.real(path)

    if real and jit.os == "Windows" then
        real = real:gsub("\\", "/"):gsub("/%./", "/"):gsub("//+", "/"):lower()
    end

    return real
end


local function source_at(path, shift)
    local key = key_of(path)

    return { key = key or path, path = key and spelled[key] or path,
             shift = shift }
end


-- The file of the configuration that inline code stands in: several may have
-- one name, and only one has such a directive in that line.
local function conf_file(directive, name, line)
    for _, path in ipairs(native.files()) do
        if path:match("[^/\\]+$") == name then
            local number = 0

            for text in io.lines(path) do
                number = number + 1

                if number == line then
                    if text:find(directive, 1, true) then
                        return path
                    end
                    break
                end
            end
        end
    end
end


local function find_source(chunk)
    local kind, name = chunk:sub(1, 1), chunk:sub(2)

    if kind == "@" then
        return native.real(name) and source_at(name, 0) or { name = name }
    end

    local directive, file, line = name:match "^([%w_]+)%((.*):(%d+)%)$"

    if kind == "=" and directive then
        local path = conf_file(directive, file, tonumber(line))

        if path then
            return source_at(path, tonumber(line) - 1)
        end
    end

    return { name = name }
end


-- Of a chunk's name: { key, path, shift }, a line of it is that much further
-- down in the file; or { name }: not the user's, or of no file that is known.
local function source_of(chunk)
    local source = sources[chunk]

    if not source then
        source = find_source(chunk)
        sources[chunk] = source
    end

    return source
end


-- Which lines C has to ask about: in the numbers of chunks.
local function set_filter()
    local lines, shifts = {}, {}

    for name in pairs(native.inlines()) do
        local source = source_of("=" .. name)

        if source.key then
            shifts[source.key] = shifts[source.key] or {}
            shifts[source.key][source.shift] = true
        end
    end

    for path, of_path in pairs(breaks) do
        for line in pairs(of_path) do
            lines[#lines + 1] = line

            for shift in pairs(shifts[path] or {}) do
                lines[#lines + 1] = line - shift
            end
        end
    end

    native.filter(lines, pausing or next(steps) ~= nil)
end


-- --- stacks -----------------------------------------------------------------

local function names_of(thread, level)
    local names = {}

    for i = 1, LOCALS do
        local name = getlocal(thread, level, i)

        if not name then
            break
        end

        names[i] = name
    end

    return names
end


local function frame_of(info)
    local source = source_of(info.source)
    local name = info.name

    if not name or name == "" then
        name = info.what == "main" and "main chunk"
               or info.what == "C" and "(C)"
               or ("function at %d"):format(info.linedefined
                                            + (source.shift or 0))
    end

    return {
        name = name, fn = info.func, what = info.what, source = source,
        line = info.currentline > 0 and info.currentline + (source.shift or 0)
               or 0
    }
end


-- Frames of a thread that stands or waits. In the hook the topmost function's
-- line is `line`, and its variables' names are to be had only there.
local function snapshot(thread, line)
    local out = {}

    for level = 0, DEPTH - 1 do
        local info = getinfo(thread, level, "nSlf")

        if not info then
            break
        end

        local frame = frame_of(info)
        frame.thread, frame.level = thread, level

        if level == 0 and line then
            frame.line = line + (frame.source.shift or 0)
        end

        if info.what ~= "C" then
            frame.names = names_of(thread, level)
        end

        out[#out + 1] = frame
    end

    return out
end


-- What is left of a stack when an error has passed it by: values, not places.
local function freeze(limit)
    local out = {}

    for level = 3, DEPTH do
        local info = getinfo(level, "nSlf")

        if not info or info.func == limit then
            break
        end

        local frame = frame_of(info)
        frame.names, frame.values = {}, {}

        for i = 1, info.what ~= "C" and LOCALS or 0 do
            local name, value = getlocal(level, i)

            if not name then
                break
            end

            frame.names[i], frame.values[i] = name, value
        end

        out[#out + 1] = frame
    end

    return out
end


local function local_value(frame, i)
    if frame.values then
        return frame.values[i]
    end

    return (select(2, getlocal(frame.thread, frame.level, i)))
end


local function set_local_value(frame, i, value)
    if frame.values then
        frame.values[i] = value
    else
        setlocal(frame.thread, frame.level, i, value)
    end
end


-- A variable of the user's, and not the interpreter's own.
local function is_named(name)
    return name:sub(1, 1) ~= "("
end


-- The innermost local of that name, or nil.
local function find_local(frame, name)
    local names = frame.names or {}

    for i = #names, 1, -1 do
        if names[i] == name then
            return i
        end
    end
end


local function find_upvalue(frame, name)
    for i = 1, frame.what ~= "C" and LOCALS or 0 do
        local found = getupvalue(frame.fn, i)

        if not found then
            return nil
        end

        if found == name then
            return i
        end
    end
end


-- --- evaluation -------------------------------------------------------------

-- What code in a frame sees: its locals, its upvalues, its globals.
local function environment(frame)
    local globals = frame.what ~= "C" and getfenv(frame.fn) or _G

    return setmetatable({}, {
        __index = function (_, name)
            local i = find_local(frame, name)

            if i then
                return local_value(frame, i)
            end

            i = find_upvalue(frame, name)

            if i then
                return (select(2, getupvalue(frame.fn, i)))
            end

            return globals[name]
        end,
        __newindex = function (_, name, value)
            local i = find_local(frame, name)

            if i then
                return set_local_value(frame, i, value)
            end

            i = find_upvalue(frame, name)

            if i then
                setupvalue(frame.fn, i, value)
            else
                globals[name] = value
            end
        end
    })
end


local function pack(...)
    return { n = select("#", ...), ... }
end


-- true and all values, or false and why not. `bounded`: it has not for ever.
local function evaluate(text, frame, bounded)
    local fn, err = loadstring("return " .. text, "=evaluate")

    if not fn then
        fn, err = loadstring(text, "=evaluate")
    end

    if not fn then
        return { false, err, n = 2 }
    end

    if frame then
        setfenv(fn, environment(frame))
    end

    if bounded then
        native.limit(true)
    end

    local results = pack(pcall(fn))

    if bounded then
        native.limit(false)
    end

    return results
end


-- --- stopping ---------------------------------------------------------------

local function stop(thread, stack, reason, body)
    local id = id_of(thread)

    steps[thread], pausing = nil, false
    set_filter()
    stops[id] = { thread = thread, frames = stack, reason = reason,
                  error = body and body.error }
    event("stopped", {
        reason = reason, threadId = id, preserveFocusHint = false,
        allThreadsStopped = body and body.all or false,
        hitBreakpointIds = body and body.hit and list { body.hit } or nil,
        text = body and body.text,
        description = body and body.description
    })
end


local function depth_of(thread)
    local depth = 0

    while depth < 10000 and getinfo(thread, depth, "f") do
        depth = depth + 1
    end

    return depth
end


-- Whether a step of this thread, or into one that it has resumed, ends here.
local function step_ends(thread)
    local step = steps[thread]

    if step then
        return step.kind == "in"
               or depth_of(thread) <= step.depth - (step.kind == "out" and 1
                                                    or 0)
    end

    for other, of_other in pairs(steps) do
        if of_other.kind == "in" then
            local _, parent = native.who(thread)

            if parent == other then
                steps[other] = nil
                return true
            end
        end
    end
end


-- "3", ">= 3", "% 3": of how often it was come by.
local function counts(text, n)
    local sign, number = text:match "^%s*([<>=%%]*)%s*(%d+)%s*$"

    number = tonumber(number)

    if not number then
        return true
    end

    if sign == "%" then
        return number > 0 and n % number == 0
    end

    return sign == ">" and n > number or sign == "<" and n < number
           or sign == "<=" and n <= number
           or (sign == ">=" or sign == "") and n >= number
           or (sign == "=" or sign == "==") and n == number
end


local function output(text, frame)
    event("output", {
        category = "console", output = clean(text) .. "\n",
        source = frame.source.path and { path = frame.source.path } or nil,
        line = frame.line
    })
end


-- "x is {x}" with what stands in braces evaluated.
local function log_text(text, frame)
    return (text:gsub("{(.-)}", function (code)
        local results = evaluate(code, frame)
        local value = results[2]

        return type(value) == "string" and results[1] and value
               or results[1] and line_of(value) or "{" .. tostring(value) .. "}"
    end))
end


-- Whether to stand at it, with the frames.
local function is_met(b, thread, line)
    local stack = snapshot(thread, line)
    local frame = stack[1]

    if b.condition then
        local results = evaluate(b.condition, frame)

        if not results[1] then
            output(("the condition of a breakpoint: %s"):format(
                   tostring(results[2])), frame)

        elseif not results[2] then
            return false
        end
    end

    b.count = (b.count or 0) + 1

    if b.hits and not counts(b.hits, b.count) then
        return false
    end

    if b.log then
        output(log_text(b.log, frame), frame)
        return false
    end

    return true, stack
end


-- Called by C; `line` is the chunk's. `alone`: the worker goes on meanwhile.
-- `again`: what this line has called is back, which only a step out waits for.
function public.on_line(thread, line, alone, again)
    local source = source_of(getinfo(thread, 0, "S").source)
    if not source.path then
        return false
    end

    local of_path = breaks[source.key]
    local b = of_path and of_path[line + source.shift]

    if again and not (steps[thread] and steps[thread].kind == "out") then
        return false
    end

    if b and not again then
        local met, stack = is_met(b, thread, line)

        if met then
            stop(thread, stack, "breakpoint", { hit = b.id, all = not alone })
            return true
        end
    end

    local stepped = step_ends(thread)

    if not stepped and not pausing then
        return false
    end

    stop(thread, snapshot(thread, line), stepped and "step" or "pause",
         { all = not alone })
    return true
end


-- --- errors -----------------------------------------------------------------

local frozen                   -- what the error that is under way has passed

local function on_raise(err)
    if not frozen or frozen.err ~= err then
        frozen = { err = err, frames = freeze(xpcall),
                   trace = traceback(tostring(err), 2) }
    end

    return err
end


-- A coroutine that nobody's pcall() has kept from dying; or pcall() itself.
local function pass_error(mode, thread, err)
    local seen = frozen

    frozen = nil

    if not seen or seen.err ~= err or not thread then
        return
    end

    stop(thread, seen.frames, "exception", {
        text = clean(tostring(err)), error = {
            text = clean(tostring(err)), trace = clean(seen.trace), mode = mode
        }, description = mode == "always" and "Error"
                         or "Error that nobody catches"
    })
    native.stand()
end


local function finish(thread, ok, ...)
    if ok then
        return ...
    end

    pass_error("unhandled", thread, (...))
    error((...), 0)
end


local running = coroutine.running

function public.wrap(fn)
    return function (...)
        if not filters.uncaught or filters.all then
            return fn(...)
        end

        return finish(running(), xpcall(fn, on_raise, ...))
    end
end


local plain_pcall = pcall

local function finish_pcall(thread, ok, ...)
    if not ok then
        pass_error("always", thread, (...))
    end

    return ok, ...
end


-- In place of pcall() in this machine: what it takes can be seen.
local function seeing_pcall(fn, ...)
    if not filters.all then
        return plain_pcall(fn, ...)
    end

    return finish_pcall(running(), xpcall(fn, on_raise, ...))
end


-- --- what the client asks ---------------------------------------------------

local commands = {}

function commands.set(args)
    breaks, filters, sources = {}, args.filters, {}

    for path, of_path in pairs(args.breaks) do
        local by_line = {}

        for _, b in ipairs(of_path) do
            by_line[b.line] = {
                id = b.id, condition = present(b.condition),
                hits = present(b.hits), log = present(b.log)
            }
        end

        local key = key_of(path) or path

        breaks[key], spelled[key] = by_line, path
    end

    set_filter()
end


function commands.lines(args)
    local key, lines = key_of(args.path) or args.path, list {}

    for name, code in pairs(native.inlines()) do
        local source = source_of("=" .. name)

        if source.key == key then
            for line in pairs(line_hits.lines("=" .. name, code) or {}) do
                lines[#lines + 1] = line + source.shift
            end
        end
    end

    return { lines = lines }
end


function commands.threads()
    local out, seen = list {}, {}

    for _, co in ipairs(native.coroutines()) do
        local id = id_of(co.thread)

        seen[id] = true
        out[#out + 1] = { id = id, name = clean(co.name) }
    end

    -- The worker stands with one that waits for nothing.
    for id, at in pairs(stops) do
        if not seen[id] then
            out[#out + 1] = { id = id, name = clean((native.who(at.thread))) }
        end
    end

    sort(out, function (a, b) return a.id < b.id end)
    return { threads = out }
end


local function stack_of(id)
    if stops[id] then
        return stops[id].frames
    end

    local thread = threads[id]

    if not thread then
        return nil, "this coroutine has ended"
    end

    return snapshot(thread)
end


-- A coroutine's, and of who has resumed it, and so on.
local function whole_stack(id)
    local stack, err = stack_of(id)

    if not stack then
        return nil, err
    end

    local out, thread = {}, threads[id]

    for _, frame in ipairs(stack) do
        out[#out + 1] = frame
    end

    for _ = 1, DEPTH do
        local _, parent = native.who(thread)

        if not parent then
            break
        end

        for _, frame in ipairs(snapshot(parent)) do
            out[#out + 1] = frame
        end

        thread = parent
    end

    return out
end


local function shown_frame(frame, first_line)
    frame.id = frame.id or new_number()
    frames[frame.id] = frame

    local path = frame.source.path

    return {
        id = frame.id, name = clean(frame.name), column = 0,
        line = frame.line - (first_line == 0 and 1 or 0),
        presentationHint = not path and "subtle" or nil,
        source = path and { name = path:match "[^/\\]+$", path = path }
                 or { name = clean(frame.source.name or "?"),
                      presentationHint = "deemphasize" }
    }
end


function commands.stackTrace(args)
    local stack, err = whole_stack(args.threadId)

    if not stack then
        return nil, err
    end

    local from = (present(args.startFrame) or 0) + 1
    local levels = present(args.levels) or 0
    local out = list {}

    for i = from, levels > 0 and from + levels - 1 or #stack do
        if not stack[i] then
            break
        end

        out[#out + 1] = shown_frame(stack[i], args.firstLine)
    end

    return { stackFrames = out, totalFrames = #stack }
end


-- A number by which the client asks for what is inside.
local function handle_of(what)
    local id = new_number()

    handles[id] = what
    return id
end


local function ctx_of(frame)
    if frame.thread then
        native.as(frame.thread)
    end

    local ok, ctx = pcall(function () return ngx.ctx end)
    return ok and type(ctx) == "table" and ctx or nil
end


function commands.scopes(args)
    local frame = frames[args.frameId]

    if not frame then
        return nil, "this frame is gone"
    end

    local scopes = list {}

    if frame.what ~= "C" then
        scopes[1] = {
            name = "Locals", presentationHint = "locals", expensive = false,
            variablesReference = handle_of { kind = "locals", frame = frame }
        }
        scopes[2] = {
            name = "Upvalues", expensive = false,
            variablesReference = handle_of { kind = "upvalues", frame = frame }
        }
    end

    local ctx = ctx_of(frame)

    if ctx then
        scopes[#scopes + 1] = {
            name = "ngx.ctx", expensive = false,
            variablesReference = handle_of { kind = "table", value = ctx,
                                             from = 1 }
        }
    end

    return { scopes = scopes }
end


local function shown(value)
    return {
        value = line_of(value), type = type(value),
        variablesReference = values.opens(value)
            and handle_of { kind = "table", value = value, from = 1 } or 0
    }
end


-- Puts a variable into a list, and remembers for setVariable what it was.
local function put(out, at, name, key, value)
    local v = shown(value)

    v.name = name
    at.keys[name] = { key }
    out[#out + 1] = v
end


local readers = {}

function readers.locals(at, out)
    local frame = at.frame

    for i, name in ipairs(frame.names or {}) do
        if is_named(name) then
            put(out, at, name, i, local_value(frame, i))
        end
    end

    for i = 1, frame.values and 0 or LOCALS do
        local name, value = getlocal(frame.thread, frame.level, -i)

        if not name then
            break
        end

        put(out, at, ("(... %d)"):format(i), -i, value)
    end
end


function readers.upvalues(at, out)
    for i = 1, LOCALS do
        local name, value = getupvalue(at.frame.fn, i)

        if not name then
            break
        end

        put(out, at, name, i, value)
    end
end


function readers.table(at, out)
    local keys, rest, all = values.keys(at.value, at.from)

    for _, key in ipairs(keys) do
        put(out, at, clean(key_text(key)), key, rawget(at.value, key))
    end

    if rest then
        out[#out + 1] = {
            name = "...", value = ("%d more"):format(all - rest + 1),
            variablesReference = handle_of { kind = "table", value = at.value,
                                             from = rest }
        }
    end

    local mt = at.from == 1 and getmetatable(at.value)

    if mt then
        put(out, at, "(metatable)", nil, mt)
    end
end


function commands.variables(args)
    local at, out = handles[args.variablesReference], list {}

    if not at then
        return nil, "this value is gone"
    end

    at.keys = {}
    readers[at.kind](at, out)
    return { variables = out }
end


local writers = {}

function writers.locals(at, i, value)
    set_local_value(at.frame, i, value)
end


function writers.upvalues(at, i, value)
    setupvalue(at.frame.fn, i, value)
end


function writers.table(at, key, value)
    rawset(at.value, key, value)
end


function commands.setVariable(args)
    local at = handles[args.variablesReference]
    local found = at and at.keys and at.keys[args.name]

    if not found or found[1] == nil then
        return nil, "this value is not to be set"
    end

    local results = evaluate(args.value, at.frame, true)

    if not results[1] then
        return nil, clean(tostring(results[2]))
    end

    writers[at.kind](at, found[1], results[2])
    return shown(results[2])
end


function commands.evaluate(args)
    local frame = present(args.frameId) and frames[args.frameId]

    if frame and frame.thread then
        native.as(frame.thread)
    end

    if present(args.frameId) and not frame then
        return nil, "this frame is gone"
    end

    local results = evaluate(args.expression, frame, true)

    if not results[1] then
        return nil, clean(tostring(results[2]))
    end

    local first = shown(results[2])
    first.result, first.value = first.value, nil

    for i = 3, results.n do
        first.result = first.result .. ", " .. line_of(results[i])
    end

    return first
end


function commands.exceptionInfo(args)
    local at = stops[args.threadId]

    if not at or not at.error then
        return nil, "it stands for no error"
    end

    return {
        exceptionId = "Lua error", description = at.error.text,
        breakMode = at.error.mode, details = { stackTrace = at.error.trace }
    }
end


-- --- going on ---------------------------------------------------------------

-- Numbers of frames and values are good until somebody goes on.
local function let_go(id)
    local at = stops[id]

    stops[id] = nil

    if next(stops) == nil then
        frames, handles = {}, {}
    end

    native.go(at.thread)
end


commands["continue"] = function (args)
    if not stops[args.threadId] then
        return nil, "this coroutine does not stand"
    end

    let_go(args.threadId)
    return { allThreadsContinued = false }
end


local function step_by(kind)
    return function (args)
        local at = stops[args.threadId]

        if not at then
            return nil, "this coroutine does not stand"
        end

        if at.reason ~= "exception" then
            steps[at.thread] = { kind = kind, depth = depth_of(at.thread) }
            set_filter()
        end

        let_go(args.threadId)
        return {}
    end
end


commands.next, commands.stepIn, commands.stepOut = step_by "over",
                                                   step_by "in", step_by "out"

function commands.pause()
    pausing = true
    set_filter()
end


function commands.release()
    local all = {}

    steps, pausing = setmetatable({}, { __mode = "k" }), false
    set_filter()

    for id in pairs(stops) do
        all[#all + 1] = id
    end

    for _, id in ipairs(all) do
        let_go(id)
    end
end


-- Called by C: its request has ended while it stood.
function public.gone(thread)
    local id = ids[thread]

    if id and stops[id] then
        stops[id] = nil
        event("thread", { reason = "exited", threadId = id })
    end
end


-- Called by C: JSON, or nil and why not.
function public.handle(command, text)
    local body, err = commands[command](decode(text))

    if body then
        return encode(body)
    end

    return not err and "" or nil, err
end


function _M.new(functions, first_number)
    native, base = functions, first_number
    _G.pcall = seeing_pcall
    return public
end


return _M
