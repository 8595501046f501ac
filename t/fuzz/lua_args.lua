-- lua_args.lua -- the handlers of lua_args.c: bytes become calls of the API,
-- with values of every kind.
--
-- What a test must not do is kept from it: nothing leaves 127.0.0.1 or the
-- ports of this server, the only program that runs is true(1), no file is
-- deleted that Lua did not make. Pointers of C that FFI cannot tell from the
-- right ones (keys, chains, sessions) come from the API itself, or are nil: a
-- script that makes one up does so with FFI, which needs no API to crash.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"

local byte, sub, rep = string.byte, string.sub, string.rep
local pcall, select, type, unpack = pcall, select, type, unpack

local _M = { input = "", wanted = "" }

local MOST_CALLS, MOST_ARGS, MOST_DEPTH, REGISTERS = 40, 7, 3, 16

-- --- values

local odd = {
    0/0, 1/0, -1/0, -1, -0.5, 0, 0.5, 1, 2^31 - 1, 2^31, 2^31 + 1, -2^31,
    -2^31 - 1, 2^32 - 1, 2^32, 2^32 + 1, 2^53, 2^53 + 2, 2^63, -2^63, 2^64,
    1e308, -1e308, 5e-324, 255, 256, 65535, 65536, 100, 101, 200, 404, 1e15,
}

local huge = {
    rep("x", 2^18), rep("a=1&", 30000), rep("%41+", 30000), rep("k", 65536),
    rep("\0", 70000), rep("X-A: b\r\n", 5000), rep("(", 3000), rep("$1", 3000),
}

local words = {
    "", "a", "k", "text", "X-A", "Content-Length", "content_type", "Location",
    "Host", "Connection", "Transfer-Encoding", "Cookie", "/echo", "/content",
    "/nowhere", "127.0.0.1", "localhost", "unix:/nowhere", "*l", "*a", "l",
    "jo", "ijox", "D", "d", "u", "([a-z])(b)?", "(?<n>a)|b", "a*", "$0${1}",
    "\n", "\r\n", "keepalive", "sndbuf", "tcp-nodelay", "reuseaddr", "send",
    "stdin", "stdout", "stderr", "uri", "args", "status", "set", "md5",
    "jit_stack_size", "default", "string", "TLSv1.2", "n", "count",
}

local keys = {
    "pos", "pool", "pool_size", "backlog", "args", "method", "body", "vars",
    "ctx", "share_all_vars", "copy_all_vars", "always_forward_body",
    "inclusive", "buffer_size", "merge_stderr", "environ", "write_timeout",
    "wait_timeout", "stdout_read_timeout", "sem", "a", 1, 2, 3, 4, 5, 0,
}

local pos, calls, registers, objects
local one_call, value

local function next_byte()
    pos = pos + 1
    return byte(_M.input, pos) or 0
end

local function pick(list)
    return list[next_byte() % #list + 1]
end

local function text(len)
    local s = sub(_M.input, pos + 1, pos + len)
    pos = pos + len
    return s
end

-- Not the bytes themselves: LuaJIT takes many a NaN of C for a value of Lua.
local function double()
    local n = (next_byte() * 256 + next_byte()) * 2^24 + next_byte()
    return math.ldexp(next_byte() % 2 == 0 and n or -n, next_byte() * 8 - 1080)
end

local function table_of(depth)
    local t = {}
    for i = 1, next_byte() % 6 do
        if next_byte() % 2 == 0 then
            t[i] = value(depth + 1)
        else
            t[pick(keys)] = value(depth + 1)
        end
    end
    return t
end

local function fail()
    error("no")
end

local function say_so()
    return "so"
end

local function no_text()
    return 1
end

-- Each makes a value of its kind.
local kinds = {
    function () return nil end,
    function () return next_byte() % 2 == 0 end,
    function () return pick(odd) end,
    function () return pick(odd) end,
    function () return next_byte() - 16 end,
    double,
    function () return next_byte() * 2^24 + next_byte() end,
    function () return pick(words) end,
    function () return pick(words) end,
    function () return text(next_byte() % 32) end,
    function () return tostring(pick(odd)) end,
    function () return pick(huge) end,
    function () return registers[next_byte() % REGISTERS] end,
    function () return registers[next_byte() % REGISTERS] end,
    function (depth) return depth < MOST_DEPTH and table_of(depth) or {} end,
    function () return { [pick(odd) or 1] = "far away" } end,
    function () local t = {} t[1], t.t = t, t return t end,
    function ()
        return setmetatable({}, { __tostring = pick { say_so, no_text, fail },
                                  __index = fail })
    end,
    function () return function (...) return ... end end,
    function () return fail end,
    function () return function () return one_call() end end,
    function () return coroutine.create(function () one_call() end) end,
    function () return ffi.cast("int64_t", pick { -1, 0, 5, 2^40 }) end,
    function () return ffi.cast("uint64_t", pick { 0, 5, 2^40, 2^53 }) end,
    function () return pick { ffi.new("int[4]"), ffi.cast("char *", nil) } end,
    function () return newproxy() end,
    function () return ngx.null end,
}

value = function (depth)
    return kinds[next_byte() % #kinds + 1](depth or 0)
end

-- --- what must not be called with everything

local function is_number_within(v, low, high)
    v = tonumber(v)
    return v and v >= low and v <= high
end

-- Of a port that somebody may listen to: this server's.
local function own_port(v)
    return is_number_within(v, 0.5, 65535.5) and tonumber(_M.port) or v
end

local function own_host(v)
    return type(v) == "string" and "127.0.0.1" or v
end

local function own_pool(options)
    if type(options) == "table" and options.pool then
        options.pool = "pool"
    end
    return options
end

local function own_pointer(v)
    return type(v) ~= "cdata" and v or nil
end

-- Long enough to make the test wait is too long, where nobody ends it.
local function short(v)
    return is_number_within(v, 0.002, 2^40) and 0.002 or v
end

-- Nothing that takes a good deal of the machine.
local function small(v)
    return is_number_within(v, 2^20, 2^31) and 1000 or v
end

local function connect_args(self, host, port, options, ...)
    return self, own_host(host), type(port) == "table" and own_pool(port)
           or own_port(port), own_pool(options), ...
end

local guards = {
    ["tcp:connect"] = connect_args,
    ["ngx.socket.connect"] = function (...)
        return select(2, connect_args(nil, ...))
    end,
    ["udp:setpeername"] = function (self, host, port, ...)
        return self, own_host(host), own_port(port), ...
    end,
    ["tcp:setclientcert"] = function (self, cert, key)
        return self, own_pointer(cert), own_pointer(key)
    end,
    ["tcp:sslhandshake"] = function (self, session, ...)
        return self, own_pointer(session), ...
    end,
    ["ngx.balancer.set_current_peer"] = function (host, port, ...)
        return own_host(host), own_port(port), ...
    end,
    ["ngx.ssl.set_cert"] = own_pointer,
    ["ngx.ssl.set_priv_key"] = own_pointer,
    ["ngx.ssl.verify_client"] = function (named, depth, trusted)
        return own_pointer(named), depth, own_pointer(trusted)
    end,
    ["ngx.ssl.export_keying_material"] = function (len, ...)
        return small(len), ...
    end,
    ["ngx.ssl.export_keying_material_early"] = function (len, ...)
        return small(len), ...
    end,
    ["base.get_string_buf"] = small,
    ["base.set_string_buf_size"] = small,
    ["ngx.req.set_body_file"] = function (path)
        return type(path) == "string" and "t/fuzz/lua_args.lua" or path, false
    end,
    ["ngx.pipe.spawn"] = function (_, options)
        if type(options) == "table" then
            options.environ = nil
        end
        return { "true" }, options
    end,
    ["ngx.sleep"] = short,
    ["semaphore:wait"] = function (self, seconds)
        return self, short(seconds)
    end,
    ["ngx.timer.at"] = function (delay, ...) return short(delay), ... end,
    ["ngx.timer.every"] = function (delay, f, ...)
        return is_number_within(delay, 0, 2^40) and 2^40 or delay, f, ...
    end,
}

-- Not at all: the server would go, or LuaJIT itself is what is called.
local never = {
    ["ngx.process.signal_graceful_exit"] = true,
    ["ngx.register_ngx_magic_key_getter"] = true,
}

-- --- the list

local names, functions, selves = {}, {}, {}

local function add(name, f, self)
    if not never[name] and not functions[name] then
        names[#names + 1] = name
        functions[name], selves[name] = f, self
    end
end

local function add_all(prefix, from, self)
    for name, f in pairs(from) do
        if type(name) == "string" and type(f) == "function" then
            add(prefix .. name, f, self)
        end
    end
end

local function add_fields(prefix, from, fields)
    for _, name in ipairs(fields) do
        add(prefix .. name .. " get", function () return from[name] end)
        add(prefix .. name .. " set", function (v) from[name] = v end)
    end
end

local function add_items(name, from)
    add(name .. "[] get", function (key) return from[key] end)
    add(name .. "[] set", function (key, v) from[key] = v end)
end

local modules = { "semaphore", "balancer", "ocsp", "ssl", "ssl.clienthello",
                  "pipe", "process", "re", "req", "resp", "errlog", "base64" }

local function add_modules()
    for _, name in ipairs(modules) do
        add_all("ngx." .. name .. ".", require("ngx." .. name))
    end
    add_all("table.", { clone = require "table.clone",
                        isarray = require "table.isarray",
                        isempty = require "table.isempty",
                        nkeys = require "table.nkeys" })
    add_all("time.", require "resty.core.time")

    local base = require "resty.core.base"
    for _, name in ipairs { "get_string_buf", "set_string_buf_size",
                            "get_string_buf_size", "get_size_ptr",
                            "allows_subsystem", "get_request", "to_int",
                            "to_limit" } do
        add("base." .. name, base[name])
    end
end

-- Things to call methods of: the last of its kind, in the registers as well.
local function keep(name, object)
    objects[name] = object
    registers[next_byte() % REGISTERS] = object
    return object
end

local function new_tcp()
    local sock = keep("tcp", ngx.socket.tcp())
    sock:settimeout(50)
    if sock:connect("127.0.0.1", tonumber(_M.port)) then
        sock:send("GET /echo HTTP/1.0\r\n\r\n")
    end
    return sock
end

local function new_udp()
    local sock = keep("udp", ngx.socket.udp())
    sock:settimeout(10)
    sock:setpeername("127.0.0.1", tonumber(_M.port))
    return sock
end

local function new_reader()
    local sock = keep("tcp", assert(ngx.socket.connect("127.0.0.1",
                                                       tonumber(_M.port))))
    sock:settimeout(50)
    sock:send("GET /echo HTTP/1.0\r\n\r\n")
    return keep("reader", sock:receiveuntil("\r\n"))
end

local function new_semaphore()
    return keep("semaphore", require("ngx.semaphore").new(1))
end

local function new_process()
    return keep("process", require("ngx.pipe").spawn({ "true" }))
end

local function new_request_socket()
    return keep("tcp", (ngx.req.socket(next_byte() % 2 == 0)))
end

local function add_objects()
    add("new tcp", new_tcp)
    add("new udp", new_udp)
    add("new reader", new_reader)
    add("new semaphore", new_semaphore)
    add("new process", new_process)
    add("new request socket", new_request_socket)
    add("reader()", function (...)
        return (objects.reader or new_reader())(...)
    end)

    add_all("tcp:", getmetatable(ngx.socket.tcp()).__index, "tcp")
    add_all("udp:", getmetatable(ngx.socket.udp()).__index, "udp")
    add_all("semaphore:", require("ngx.semaphore"), "semaphore")
    add_all("process:", getmetatable(new_process()).__index, "process")
    add_all("dict:", getmetatable(ngx.shared.dogs).__index, "dict")
end

-- In a request where all of them can be made.
local function make_list()
    registers, objects, pos = {}, {}, 0

    add_all("ngx.", ngx)
    for _, area in ipairs { "req", "resp", "re", "socket", "thread", "timer",
                            "worker", "config", "location" } do
        add_all("ngx." .. area .. ".", ngx[area])
    end
    add_all("coroutine.", coroutine)
    add("print", print)
    add_fields("ngx.", ngx, { "status", "ctx", "headers_sent",
                              "is_subrequest" })
    add_items("ngx.var", ngx.var)
    add_items("ngx.header", ngx.header)
    add_items("ngx.arg", ngx.arg)
    add_items("ngx.shared", ngx.shared)
    add_items("ndk.set_var", ndk.set_var)
    add_modules()
    add_objects()
    table.sort(names)
end

-- --- calls

-- FUZZ_TRACE=1 says what an input stands for.
local trace = os.getenv("FUZZ_TRACE")

local function shown(args, n)
    local all = {}
    for i = 1, n do
        local v = args[i]
        all[i] = type(v) == "string" and ("%q"):format(sub(v, 1, 40))
                 or type(v) == "table" and "{...}" or tostring(v)
    end
    return table.concat(all, ", ")
end

local function keep_results(ok, ...)
    local n = select("#", ...)
    if ok and n > 0 and (...) ~= nil then
        registers[next_byte() % REGISTERS] = (...)
    end
    return ...
end

local function self_of(name)
    local kind = selves[name]
    if kind == "dict" then
        return ngx.shared.dogs
    end
    return objects[kind]
end

one_call = function ()
    if calls >= MOST_CALLS or pos >= #_M.input then
        return
    end
    calls = calls + 1

    local name = names[(next_byte() * 256 + next_byte()) % #names + 1]
    local n = next_byte()
    local args, first = {}, 1

    if selves[name] and n < 224 then
        args[1], first = self_of(name), 2
    end
    n = n % (MOST_ARGS + 1) + first - 1
    for i = first, n do
        args[i] = value()
    end

    if trace then
        io.stderr:write(name, "(", shown(args, n), ")\n")
    end

    local guard = guards[name]
    if guard then
        args = { guard(unpack(args, 1, n)) }
    end
    return keep_results(pcall(functions[name], unpack(args, 1, n)))
end

-- What of an input is left is for nobody else: phases come again.
function _M.run(phase)
    if phase ~= _M.wanted then
        return ""
    end
    _M.wanted = ""

    pos, calls, registers, objects = 0, 0, {}, {}
    while pos < #_M.input and calls < MOST_CALLS do
        one_call()
    end
    return ""
end

local function run_in_timer()
    _M.run("timer")
end

function _M.set_timer()
    ngx.timer.at(0, run_in_timer)
    ngx.sleep(0.005)
end

-- The first request: what there is to be called.
function _M.list()
    make_list()
    _M.count = #names
    return table.concat(names, "\n")
end

return _M
