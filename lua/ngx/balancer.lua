-- balancer.lua -- ngx.balancer: which server a session goes to, and how.
--
-- C side: modules/lua/api/balancer.c. balancer_by_lua only; nothing yields.
-- Where it is called elsewhere it says so: nil, err.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local error, type = error, type
local ffi_string = ffi.string
local now, phases = base.now, base.phases
local to_int, INT_MIN, INT_MAX = base.to_int, base.INT_MIN, base.INT_MAX

base.cdef [[
int lun_ffi_balancer_set_peer(const char *addr, size_t len, int port,
    const char *host, size_t host_len, const char **why);
int lun_ffi_balancer_keepalive(int64_t idle, uint32_t requests,
    const char **why);
int lun_ffi_balancer_more_tries(int count, const char **why);
int lun_ffi_balancer_last_failure(int *status, const char **why);
int lun_ffi_balancer_timeouts(int64_t connect, int64_t send, int64_t read,
    const char **why);
int lun_ffi_balancer_recreate(const char **why);
int lun_ffi_balancer_tls(int on, const char **why);
int lun_ffi_balancer_bind(const char *addr, size_t len, const char **why);
]]

local ERROR = base.ERROR
-- Not C's: enable_keepalive's defaults, in seconds and requests.
local IDLE, REQUESTS = 60, 100
local MOST_MSEC = 2 ^ 53           -- whole ones that a double holds

local why = ffi.new("const char *[1]")
local status = ffi.new("int[1]")

-- As in modules/lua/api/balancer.c: STATE_...
local NEXT, FAILED = 2, 4

local states = { [NEXT] = "next", [FAILED] = "failed" }

local stream = base.subsystem == "stream"
local _M = { version = base.version }

local function check_request()
    if now.phase == phases.init then
        error("no request found", 3)
    end
end

local function result(rc)
    if rc == ERROR then
        return nil, ffi_string(why[0])
    end
    return true
end

-- At the caller of the function that is `depth` calls above.
local function bad_argument(n, name, expected, depth)
    error("bad argument #" .. n .. " to '" .. name .. "' (" .. expected .. ")",
          depth + 2)
end

local function check_number(n, name, value, default)
    if not value then
        return default
    end
    if type(value) ~= "number" then
        bad_argument(n, name, "number expected, got " .. type(value), 2)
    end
    if not (value >= 0) then
        bad_argument(n, name, "expected >= 0", 2)
    end
    return value
end

-- The server to try now: an address, which may have a port of its own. The
-- host is what TLS asks it for.
function _M.set_current_peer(addr, port, host)
    check_request()

    if stream and host ~= nil then
        bad_argument(3, "set_current_peer",
                     "'host' not yet implemented in stream subsystem", 1)
    end

    if host ~= nil and type(host) ~= "string" then
        bad_argument(3, "set_current_peer", "string expected, got "
                                            .. type(host), 1)
    end

    port = to_int(port or 0, 0, INT_MAX)

    return result(C.lun_ffi_balancer_set_peer(addr, #addr, port, host or "",
                                              host and #host or 0, why))
end

-- The connection to that server is kept, and an idle one is used. Seconds;
-- with 0 requests it may serve any number.
function _M.enable_keepalive(idle_timeout, max_requests)
    check_request()

    local idle = check_number(1, "enable_keepalive", idle_timeout, IDLE)
    local most = check_number(2, "enable_keepalive", max_requests, REQUESTS)

    return result(C.lun_ffi_balancer_keepalive(to_int(idle * 1000, 0,
                                                      MOST_MSEC),
                                               to_int(most, 0, INT_MAX), why))
end

-- Servers that may be tried after this one. A second value is a warning.
function _M.set_more_tries(count)
    check_request()

    count = to_int(count, INT_MIN, INT_MAX)

    if C.lun_ffi_balancer_more_tries(count, why) == ERROR then
        return nil, ffi_string(why[0])
    end
    if why[0] ~= nil then
        return true, ffi_string(why[0])
    end
    return true
end

-- "next" or "failed", and the status; nil for the first server.
function _M.get_last_failure()
    check_request()

    local state = C.lun_ffi_balancer_last_failure(status, why)

    if state == 0 then
        return nil
    end
    if state == ERROR then
        return nil, nil, ffi_string(why[0])
    end
    return states[state], status[0]
end

local function check_timeout(name, value)
    if not value then
        return 0
    end
    if type(value) ~= "number" or not (value > 0) then
        error("bad " .. name .. " timeout", 3)
    end
    return to_int(value * 1000, 1, MOST_MSEC)
end

-- Seconds; nil leaves what the configuration says.
function _M.set_timeouts(connect_timeout, send_timeout, read_timeout)
    check_request()

    local connect = check_timeout("connect", connect_timeout)
    local send = check_timeout("send", send_timeout)
    local read = check_timeout("read", read_timeout)

    if C.lun_ffi_balancer_timeouts(connect, send, read, why) == ERROR then
        return false, ffi_string(why[0])
    end
    return true
end

-- The request is made anew, of the headers and body as they are now.
function _M.recreate_request()
    check_request()
    return result(C.lun_ffi_balancer_recreate(why))
end

-- Whether the server is spoken to by TLS, whatever the directive says.
function _M.set_upstream_tls(on)
    check_request()
    return result(C.lun_ffi_balancer_tls((on == 0 or on == false) and 0 or 1,
                                         why))
end

-- The address to connect from.
function _M.bind_to_local_addr(addr)
    check_request()

    if type(addr) ~= "string" then
        bad_argument(1, "bind_to_local_addr", "string expected, got "
                                              .. type(addr), 1)
    end

    return result(C.lun_ffi_balancer_bind(addr, #addr, why))
end

-- A session has no request that could be made anew, and keeps no connection.
local function refuse(name)
    _M[name] = function ()
        error("'" .. name .. "' not yet implemented in stream subsystem", 2)
    end
end

if stream then
    refuse("enable_keepalive")
    refuse("recreate_request")
    refuse("set_upstream_tls")
end

return _M
