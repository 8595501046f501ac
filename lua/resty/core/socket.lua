-- socket.lua -- ngx.socket.tcp, connect, stream, udp.
--
-- C side: modules/lua/sock. A socket is a table: the C side
-- keeps its box at index 1, and looks at 2, 4 and 5 for time limits in
-- milliseconds. Calls that wait are C functions, because FFI cannot yield.
--
-- SPDX-License-Identifier: BSD-2-Clause

local bit = require "bit"
local base = require "resty.core.base"
local native = require "lunette.native"

local error, select, setmetatable, type = error, select, setmetatable, type
local tonumber, tostring = tonumber, tostring
local check_phase = base.check_phase
local phases = base.phases

local YIELDABLE = bit.bor(phases.rewrite, phases.server_rewrite, phases.access,
                          phases.content, phases.precontent, phases.timer,
                          phases.tool, phases.ssl_cert,
                          phases.ssl_session_fetch, phases.ssl_client_hello)

local CONNECT_TIMEOUT, SEND_TIMEOUT, READ_TIMEOUT = 2, 4, 5
local MAX_TIMEOUT = 2 ^ 31

local _M = { version = base.version }

local tcp = {
    connect = native.sock_connect,
    send = native.sock_send,
    receive = native.sock_receive,
    receiveany = native.sock_receive_any,
    setkeepalive = native.sock_keep,
    getreusedtimes = native.sock_reused,
    setoption = native.sock_set_option,
    shutdown = native.sock_shutdown,
    bind = native.sock_bind,
    close = native.sock_close,
}

local mt = { __index = tcp }

local function check_timeout(ms)
    ms = tonumber(ms) or 0
    if ms < 0 or ms >= MAX_TIMEOUT then
        error("bad timeout value", 3)
    end
    return ms
end

-- Takes effect with the next call; 0: what the configuration says.
function tcp.settimeout(self, ...)
    if select("#", ...) ~= 1 then
        error("ngx.socket settimeout: expecting 2 arguments (including the "
              .. "object) but seen " .. select("#", ...) + 1, 2)
    end
    local ms = check_timeout((...))
    self[CONNECT_TIMEOUT] = ms
    self[SEND_TIMEOUT] = ms
    self[READ_TIMEOUT] = ms
end

function tcp.settimeouts(self, ...)
    if select("#", ...) ~= 3 then
        error("ngx.socket settimeouts: expecting 4 arguments (including the "
              .. "object) but seen " .. select("#", ...) + 1, 2)
    end
    local connect, send, read = ...
    self[CONNECT_TIMEOUT] = check_timeout(connect)
    self[SEND_TIMEOUT] = check_timeout(send)
    self[READ_TIMEOUT] = check_timeout(read)
end

local function inclusive_of(options)
    if type(options) ~= "table" then
        error("bad argument #3 to 'receiveuntil' (table expected, got "
              .. type(options) .. ")", 3)
    end
    local inclusive = options.inclusive
    if inclusive ~= nil and type(inclusive) ~= "boolean" then
        error("bad \"inclusive\" option value type: " .. type(inclusive), 3)
    end
    return inclusive
end

-- Returns a function that reads up to the pattern, or up to its argument's
-- bytes of what is before it.
function tcp.receiveuntil(self, pattern, options, ...)
    if pattern == nil or select("#", ...) > 0 then
        error("expecting 2 or 3 arguments (including the object), but got "
              .. (pattern == nil and 1 or 3 + select("#", ...)), 2)
    end
    if type(pattern) ~= "string" and type(pattern) ~= "number" then
        error("bad argument #2 to 'receiveuntil' (string expected, got "
              .. type(pattern) .. ")", 2)
    end
    local inclusive = options ~= nil and inclusive_of(options)
    pattern = tostring(pattern)
    if pattern == "" then
        return nil, "pattern is empty"
    end

    local receive = native.sock_receive_until
    local matcher = native.sock_match(pattern, inclusive)
    return function(size)
        return receive(self, matcher, size)
    end
end

local function new(...)
    if select("#", ...) > 0 then
        error("expecting zero arguments, but got " .. select("#", ...), 2)
    end
    check_phase(YIELDABLE)
    return setmetatable({}, mt)
end

local udp = {
    setpeername = native.udp_set_peer_name,
    send = native.udp_send,
    receive = native.udp_receive,
    bind = native.udp_bind,
    close = native.udp_close,
}

local udp_mt = { __index = udp }

function udp.settimeout(self, ...)
    if select("#", ...) ~= 1 then
        error("ngx.socket settimeout: expecting at least 2 arguments "
              .. "(including the object) but seen " .. select("#", ...) + 1, 2)
    end
    self[READ_TIMEOUT] = check_timeout((...))
end

local function new_udp(...)
    if select("#", ...) > 0 then
        error("expecting zero arguments, but got " .. select("#", ...), 2)
    end
    check_phase(YIELDABLE)
    return setmetatable({}, udp_mt)
end

ngx.socket = {
    tcp = new,
    stream = new,
    udp = new_udp,
}

function ngx.socket.connect(...)
    check_phase(YIELDABLE)
    local sock = setmetatable({}, mt)
    local ok, err = sock:connect(...)
    if not ok then
        return nil, err
    end
    return sock
end

return _M
