-- lunette/dap.lua -- the debugger's session: the Debug Adapter Protocol, as a
-- client speaks it
--
-- It runs in a Lua state of its own (modules/lua/look/debugger.c). What is to
-- be seen of a machine says the machine's agent (lunette.dap_agent); numbers of
-- threads, frames and values say which agent's they are.
--
-- SPDX-License-Identifier: BSD-2-Clause

local cjson = require "lunette.json"
local line_hits = require "lunette.line_hits"

local decode, encode, null = cjson.decode, cjson.encode, cjson.null
local array_mt = cjson.array_mt
local floor = math.floor
local ipairs, next, pairs, pcall, setmetatable, tonumber, tostring, type =
    ipairs, next, pairs, pcall, setmetatable, tonumber, tostring, type

local _M = {}

-- The thread that stands for the worker when no coroutine is there.
local WORKER = 1

-- Wrong tokens that a connection may offer.
local TRIES = 3

local host                     -- functions of C, ids, token
local seq = 0
local client                   -- what is known of who has connected; or nil
local held                     -- a launch or attach that is to be answered
local breaks = {}              -- by path, a list of breakpoints
local filters = {}             -- exception breakpoints, by name
local numbers = 0              -- of breakpoints
local serving, failed          -- the server is up; is not
local conf_ready = false       -- breakpoints have been set

local public = {}              -- what C sees

local function list(t)
    return setmetatable(t, array_mt)
end


local function present(value)
    if value ~= null then
        return value
    end
end


local function send(message)
    seq = seq + 1
    message.seq = seq
    host.send(encode(message))
end


local function event(name, body)
    if client and client.trusted then
        send { type = "event", event = name, body = body }
    end
end


local function answer(request, body)
    send {
        type = "response", request_seq = request.seq, success = true,
        command = request.command, body = body
    }
end


local function refuse(request, ...)
    local text = string.format(...)

    send {
        type = "response", request_seq = request.seq, success = false,
        command = request.command, message = text,
        body = { error = { id = 1, format = text, showUser = true } }
    }
end


-- --- agents -----------------------------------------------------------------

local function tell_all(command, args)
    local text = encode(args)

    for _, number in ipairs(host.agents()) do
        host.ask(number, command, text)
    end
end


local function breaks_for_agents()
    return { breaks = breaks, filters = filters }
end


-- The agent that a number of the protocol belongs to; 0: none.
local function agent_of(id)
    return floor((tonumber(id) or 0) / host.ids)
end


local function pass_on(request, id)
    local text, err = host.ask(agent_of(id), request.command,
                               encode(request.arguments or {}))

    if not text then
        return refuse(request, "%s", err or "no answer")
    end

    answer(request, text ~= "" and decode(text) or nil)
end


-- --- breakpoints ------------------------------------------------------------

-- Lines of a file, or of code in a configuration, that can stop: a set; nil:
-- nobody knows (yet).
local function lines_of(path)
    local lines = line_hits.lines("@" .. path)

    if lines then
        return lines
    end

    for _, number in ipairs(host.agents()) do
        local text = host.ask(number, "lines", encode { path = path })
        local found = text and decode(text).lines

        if found and next(found) then
            lines = {}

            for _, line in ipairs(found) do
                lines[line] = true
            end

            return lines
        end
    end
end


-- The first of them from `line` on.
local function next_line(lines, line)
    local best

    for at in pairs(lines) do
        if at >= line and (not best or at < best) then
            best = at
        end
    end

    return best
end


-- What the client is told of one.
local function shown(b)
    return {
        id = b.id, verified = b.verified,
        line = b.line - (client.first_line == 0 and 1 or 0),
        message = b.message
    }
end


local function place(b, lines)
    local line = lines and next_line(lines, b.asked)

    b.line = line or b.asked
    b.verified = line ~= nil
    b.message = not lines and "its code is not loaded yet"
                or not line and "there is no code from here on" or nil
end


local function set_breakpoints(request)
    local args = request.arguments
    local path = args.source and present(args.source.path)

    if not path then
        return refuse(request, "a breakpoint needs the path of a file")
    end

    local lines, told, of_path = lines_of(path), list {}, {}

    for i, asked in ipairs(present(args.breakpoints) or {}) do
        numbers = numbers + 1
        local b = {
            id = numbers,
            asked = asked.line + (client.first_line == 0 and 1 or 0),
            condition = present(asked.condition),
            hits = present(asked.hitCondition),
            log = present(asked.logMessage)
        }

        place(b, lines)
        of_path[i] = b
        told[i] = shown(b)
    end

    breaks[path] = #of_path > 0 and of_path or nil
    tell_all("set", breaks_for_agents())
    answer(request, { breakpoints = told })
end


-- Code of a configuration is there with the first machine.
local function place_again()
    for path, of_path in pairs(breaks) do
        local lines = lines_of(path)

        for _, b in ipairs(of_path) do
            if not b.verified and lines then
                place(b, lines)

                if client then
                    event("breakpoint", {
                        reason = "changed", breakpoint = shown(b)
                    })
                end
            end
        end
    end
end


local function forget_breakpoints()
    breaks, filters = {}, {}
    tell_all("set", breaks_for_agents())
    tell_all("release", {})
end


-- --- requests ---------------------------------------------------------------

local requests = {}

local CAPABILITIES = {
    supportsConfigurationDoneRequest = true,
    supportsConditionalBreakpoints = true,
    supportsHitConditionalBreakpoints = true,
    supportsLogPoints = true,
    supportsEvaluateForHovers = true,
    supportsSetVariable = true,
    supportsExceptionInfoRequest = true,
    supportsTerminateRequest = true,
    supportsDelayedStackTraceLoading = true,
    exceptionBreakpointFilters = list {
        { filter = "uncaught", label = "Errors that nobody catches",
          default = true },
        { filter = "all", label = "All errors, also those that pcall() takes" }
    }
}

function requests.initialize(request)
    local args = request.arguments or {}

    client.first_line = args.linesStartAt1 == false and 0 or 1
    answer(request, CAPABILITIES)
end


-- The same time for each wrong one of a length.
local function is_token(text)
    local token, differs = host.token, 0

    if type(text) ~= "string" or #text ~= #token then
        return false
    end

    for i = 1, #token do
        differs = differs
                  + (text:byte(i) == token:byte(i) and 0 or 1)
    end

    return differs == 0
end


local function begin(request)
    client.trusted = true
    host.trust()
    held = request
    event("initialized")
end


function requests.launch(request)
    local args = request.arguments or {}

    if host.token then
        return refuse(request, "this server runs: attach to it")
    end

    if public.launched then
        return refuse(request, "it is launched already")
    end

    public.launched = {
        prefix = present(args.prefix), conf = present(args.conf)
    }
    begin(request)
end


function requests.attach(request)
    local args = request.arguments or {}

    if not host.token then
        return refuse(request, "there is nothing to attach to: launch it")
    end

    if not is_token(args.token) then
        client.tries = client.tries + 1
        refuse(request, "the token is another: lunette debug has said it")

        if client.tries >= TRIES then
            host.hang_up()
        end

        return
    end

    begin(request)
end


local function answer_held()
    if not held or not conf_ready then
        return
    end

    if failed then
        refuse(held, "the server did not start; lunette -t says why")
        held = nil
        event("terminated")

    elseif serving then
        answer(held)
        held = nil
    end
end


function requests.configurationDone(request)
    conf_ready = true
    answer(request)

    if public.launched then
        public.launched.ready = "ready"
    end

    answer_held()
end


requests.setBreakpoints = set_breakpoints

function requests.setExceptionBreakpoints(request)
    filters = {}

    for _, name in ipairs(request.arguments.filters or {}) do
        filters[name] = true
    end

    tell_all("set", breaks_for_agents())
    answer(request)
end


function requests.threads(request)
    local threads = list { { id = WORKER, name = "worker" } }

    for _, number in ipairs(host.agents()) do
        local text = host.ask(number, "threads", "{}")

        for _, thread in ipairs(text and decode(text).threads or {}) do
            threads[#threads + 1] = thread
        end
    end

    answer(request, { threads = threads })
end


-- Whichever coroutine comes to a line next.
function requests.pause(request)
    tell_all("pause", {})
    answer(request)
end


function requests.stackTrace(request)
    local args = request.arguments

    if args.threadId == WORKER then
        return answer(request, { stackFrames = list {}, totalFrames = 0 })
    end

    args.firstLine = client.first_line
    pass_on(request, args.threadId)
end


local function by_thread(request)
    if request.arguments.threadId == WORKER then
        tell_all("release", {})
        return answer(request, { allThreadsContinued = true })
    end

    pass_on(request, request.arguments.threadId)
end


requests.next, requests.stepIn, requests.stepOut = by_thread, by_thread,
                                                   by_thread
requests["continue"], requests.exceptionInfo = by_thread, by_thread

function requests.scopes(request)
    pass_on(request, request.arguments.frameId)
end


local function by_value(request)
    pass_on(request, request.arguments.variablesReference)
end


requests.variables, requests.setVariable = by_value, by_value

function requests.evaluate(request)
    local frame = present(request.arguments.frameId)

    if frame then
        return pass_on(request, frame)
    end

    local first = host.agents()[1]

    if not first then
        return refuse(request, "no Lua runs yet")
    end

    request.arguments.frameId = nil
    pass_on(request, first * host.ids)
end


function requests.disconnect(request)
    local args = request.arguments or {}
    local stays = host.token and args.terminateDebuggee ~= true

    forget_breakpoints()
    answer(request)
    host.hang_up()

    if not stays then
        host.quit()
    end
end


function requests.terminate(request)
    forget_breakpoints()
    answer(request)
    event("terminated")
    host.quit()
end


-- What a client may say before it has shown that it may say more.
local FIRST = {
    initialize = true, launch = true, attach = true, disconnect = true
}

local function handle(request)
    local fn = requests[request.command]

    if not client.trusted and not FIRST[request.command] then
        return refuse(request, "attach first")
    end

    if not client.trusted and request.command == "disconnect" then
        return host.hang_up()
    end

    if not fn then
        return refuse(request, "this debugger has no \"%s\"",
                      tostring(request.command))
    end

    local ok, err = pcall(fn, request)

    if not ok then
        refuse(request, "%s", tostring(err))
    end
end


-- --- what C tells -----------------------------------------------------------

function public.on_open()
    client = { tries = 0, first_line = 1 }
    conf_ready, held = false, nil
end


function public.on_text(_, text)
    local ok, request = pcall(decode, text)

    if not client then
        return
    end

    if not ok or type(request) ~= "table" or request.type ~= "request"
       or type(request.command) ~= "string" or type(request.seq) ~= "number"
    then
        return host.hang_up()
    end

    if type(request.arguments) ~= "table" then
        request.arguments = {}
    end

    handle(request)
end


function public.on_close()
    local launched = not host.token

    client = nil
    forget_breakpoints()

    if launched then
        host.quit()
    end
end


function public.on_event(_, text)
    local said = decode(text)

    event(said.event, said.body)
end


function public.on_agent(number)
    host.ask(number, "set", encode(breaks_for_agents()))
    place_again()
end


function public.on_agent_gone()
end


function public.on_started()
    serving = true
    answer_held()
end


function public.on_failed()
    failed = true
    answer_held()
end


function public.on_end()
    event("terminated")
    event("exited", { exitCode = 0 })
end


function _M.new(functions)
    host = functions
    return public
end


return _M
