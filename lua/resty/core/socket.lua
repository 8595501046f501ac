-- socket.lua -- ngx.socket.tcp, connect, stream, udp; ngx.req.socket.
--
-- C side: modules/lua/sock. A socket is a table: the C side
-- keeps its box at index 1, and looks at 2, 4 and 5 for time limits in
-- milliseconds. Calls that wait are C functions, because FFI cannot yield.
--
-- SPDX-License-Identifier: BSD-2-Clause

local bit = require "bit"
local ffi = require "ffi"
local base = require "lunette.base"
local native = require "lunette.native"

local cast = ffi.cast
local assert, getinfo, loadstring = assert, debug.getinfo, loadstring
local error, pairs, select, type = error, pairs, select, type
local setmetatable = setmetatable
local tonumber, tostring = tonumber, tostring
local check_phase = base.check_phase
local new_tab = base.new_tab
local phases = base.phases
local to_int = base.to_int

local YIELDABLE = bit.bor(phases.rewrite, phases.server_rewrite, phases.access,
                          phases.content, phases.precontent, phases.timer,
                          phases.tool, phases.ssl_cert,
                          phases.ssl_session_fetch, phases.ssl_client_hello,
                          phases.preread, phases.proxy_ssl_cert,
                          phases.proxy_ssl_verify)

local REQUEST = bit.bor(phases.rewrite, phases.server_rewrite, phases.access,
                        phases.content, phases.precontent, phases.preread)

-- As in modules/lua/sock/sock.h: LUN_COSOCK_...
local BOX, CONNECT_TIMEOUT, SEND_TIMEOUT, READ_TIMEOUT = 1, 2, 4, 5
local TRANSPARENT = 9

-- Not C's: what only this file looks for in a socket.
local CLIENT_CERT, CLIENT_KEY, TRUSTED = 6, 7, 8

-- As in modules/lua/sock/sock_inside.c: INSIDE_...
local FD, SSL, SSL_CTX, SESSION = 0, 1, 2, 3

local MAX_TIMEOUT = 2 ^ 31

-- As in modules/lua/sock/sock_stream.c:
local DATAGRAMS = 2

base.cdef [[
void lun_ffi_ssl_free_session(void *session);
]]

local _M = { version = base.version }

local tcp = {
    connect = native.sock_connect,
    send = native.sock_send,
    receive = native.sock_receive,
    receiveany = native.sock_receive_any,
    setkeepalive = native.sock_keep,
    getreusedtimes = native.sock_reused,
    shutdown = native.sock_shutdown,
    bind = native.sock_bind,
    close = native.sock_close,
}

tcp.__index = tcp

local function check_timeout(ms)
    ms = to_int(tonumber(ms) or 0, -1, MAX_TIMEOUT)
    if ms < 0 or ms == MAX_TIMEOUT then
        error("bad timeout value", 3)
    end
    return ms
end

-- 0: what the configuration says. Who waits gets the new limit when something
-- comes in, but not all.
local function set_timeouts(self, connect, send, read)
    self[CONNECT_TIMEOUT] = connect
    self[SEND_TIMEOUT] = send
    self[READ_TIMEOUT] = read
    if self[BOX] then
        native.sock_take_limits(self)
    end
end

function tcp.settimeout(self, ...)
    if select("#", ...) ~= 1 then
        error("ngx.socket settimeout: expecting 2 arguments (including the "
              .. "object) but seen " .. select("#", ...) + 1, 2)
    end
    local ms = check_timeout((...))
    set_timeouts(self, ms, ms, ms)
end

function tcp.settimeouts(self, ...)
    if select("#", ...) ~= 3 then
        error("ngx.socket settimeouts: expecting 4 arguments (including the "
              .. "object) but seen " .. select("#", ...) + 1, 2)
    end
    local connect, send, read = ...
    set_timeouts(self, check_timeout(connect), check_timeout(send),
                 check_timeout(read))
end

local function inclusive_of(options)
    if type(options) ~= "table" then
        base.bad_argument(3, "receiveuntil", "table expected, got "
                                             .. type(options), 3)
    end
    local inclusive = options.inclusive
    if inclusive ~= nil and type(inclusive) ~= "boolean" then
        error("bad \"inclusive\" option value type: " .. type(inclusive), 3)
    end
    return inclusive
end

-- Only these throw for an object that has never been used; the others say
-- "closed".
-- A cdata that stands for a socket would be read, and written, as memory.
local function check_table(self, method)
    if type(self) ~= "table" then
        error("bad argument #1 to '" .. method .. "' (table expected, got "
              .. type(self) .. ")", 3)
    end
end

local function check_created(self)
    if type(self) ~= "table" or self[BOX] == nil then
        error("socket is never created nor connected", 3)
    end
end

-- What is looked at first is told first.
function tcp.setoption(self, option, value)
    if option == nil then
        return nil, "missing the \"option\" argument"
    end
    if value == nil then
        return nil, "missing the \"value\" argument"
    end
    if option == "ip-transparent" then     -- of the next connection
        self[TRANSPARENT] = value
        return true
    end
    check_created(self)
    if type(option) ~= "string" then
        return nil, "unsupported option " .. tostring(option)
    end
    return native.sock_set_option(self, option, value)
end

function tcp.getoption(self, option)
    check_created(self)
    if option == nil then
        return nil, "missing the \"option\" argument"
    end
    if type(option) ~= "string" then
        return nil, "unsupported option " .. tostring(option)
    end
    return native.sock_get_option(self, option)
end

-- What the next handshake shows the server; ngx.ssl has parsed it. Nothing at
-- all: it shows none.
function tcp.setclientcert(self, cert, key)
    check_table(self, "setclientcert")
    if not cert and not key then
        self[CLIENT_CERT], self[CLIENT_KEY] = nil, nil
        return true
    end
    if not cert or not key then
        return nil, "client certificate must be supplied with corresponding "
                    .. "private key"
    end
    if type(cert) ~= "cdata" then
        return nil, "bad cert arg: cdata expected, got " .. type(cert)
    end
    if type(key) ~= "cdata" then
        return nil, "bad pkey arg: cdata expected, got " .. type(key)
    end
    self[CLIENT_CERT], self[CLIENT_KEY] = cert, key
    return true
end

-- Whom the next handshake, and no other, trusts instead of those of the
-- configuration: an X509_STORE of OpenSSL's. Nothing: those again.
function tcp.settrustedstore(self, store)
    check_table(self, "settrustedstore")
    if store ~= nil and type(store) ~= "cdata" then
        return nil, "bad store arg: cdata expected, got " .. type(store)
    end
    if native.sock_inside(self, SSL) then
        return nil, "ssl handshake already done; trusted store cannot be "
                    .. "changed on an established TLS connection"
    end
    self[TRUSTED] = store
    return true
end

-- What is inside, for FFI: the descriptor, and OpenSSL's SSL, SSL_CTX and
-- SSL_SESSION. nil and why, where there is none.
function tcp.getfd(self)
    check_created(self)
    return native.sock_inside(self, FD)
end

local function pointer(self, what)
    local inside, err = native.sock_inside(self, what)
    if not inside then
        return nil, err
    end
    return cast("void *", inside)
end

function tcp.getsslpointer(self)
    check_created(self)
    return pointer(self, SSL)
end

function tcp.getsslctx(self)
    check_created(self)
    return pointer(self, SSL_CTX)
end

function tcp.getsslsession(self)
    check_created(self)
    local session, err = pointer(self, SESSION)
    if not session then
        return nil, err
    end
    return ffi.gc(session, ffi.C.lun_ffi_ssl_free_session)
end

-- In stream a session of TLS is a userdata, which stands for the cdata.
local in_stream = base.subsystem == "stream"
local session_type = in_stream and "userdata" or "cdata"
local tls_sessions = setmetatable({}, { __mode = "k" })

local function shown_session(made)
    local session = ffi.gc(ffi.cast("void *", made),
                           ffi.C.lun_ffi_ssl_free_session)

    if not in_stream then
        return session
    end

    local shown = newproxy()
    tls_sessions[shown] = session
    return shown
end

-- Yields. Returns a session, to be given to a later handshake; true for who
-- says false instead of a session.
function tcp.sslhandshake(self, session, name, verify, status, ...)
    if select("#", ...) > 0 then
        error("ngx.socket sslhandshake: expecting 1 ~ 5 arguments (including "
              .. "the object), but seen " .. 5 + select("#", ...), 2)
    end
    if session ~= nil and type(session) ~= "boolean" then
        if type(session) ~= session_type
           or in_stream and not tls_sessions[session] then
            error("bad session argument type", 2)
        end
        session = tls_sessions[session] or session
    end
    if name ~= nil and type(name) ~= "string" then
        error("bad server_name argument type", 2)
    end
    check_phase(YIELDABLE)
    check_created(self)

    local store = self[TRUSTED]
    self[TRUSTED] = nil

    local made, err = native.sock_ssl(self, session, name, verify, status,
                                      self[CLIENT_CERT], self[CLIENT_KEY],
                                      store)
    if made == true then
        return true
    end
    if not made then
        return made, err
    end
    return shown_session(made)
end

-- Of an iterator: how many bytes it is asked for, under the name that it has
-- there.
local function check_size(n, size)
    if n > 1 then
        error("expecting 0 or 1 arguments, but seen " .. n, 3)
    end
    if n == 1 and not tonumber(size) then
        error("bad argument #1 to '" .. (getinfo(2, "n").name or "?")
              .. "' (number expected, got " .. type(size) .. ")", 3)
    end
end

-- Returns a function that reads up to the pattern, or up to its argument's
-- bytes of what is before it.
function tcp.receiveuntil(...)
    local n = select("#", ...)
    if n ~= 2 and n ~= 3 then
        error("expecting 2 or 3 arguments (including the object), but got "
              .. n, 2)
    end
    local self, pattern, options = ...
    check_table(self, "receiveuntil")
    if type(pattern) ~= "string" and type(pattern) ~= "number" then
        base.bad_argument(2, "receiveuntil", "string expected, got "
                                             .. type(pattern), 2)
    end
    local inclusive = n == 3 and inclusive_of(options)
    pattern = tostring(pattern)
    if pattern == "" then
        return nil, "pattern is empty"
    end

    local receive = native.sock_receive_until
    local matcher = native.sock_match(pattern, inclusive)
    return function(...)
        check_size(select("#", ...), (...))
        return receive(self, matcher, (...))
    end
end

local function new(...)
    if select("#", ...) > 0 then
        error("expecting zero arguments, but got " .. select("#", ...), 2)
    end
    check_phase(YIELDABLE)
    return setmetatable(new_tab(READ_TIMEOUT, 0), tcp)
end

local udp = {
    setpeername = native.udp_set_peer_name,
    send = native.udp_send,
    receive = native.udp_receive,
    bind = native.udp_bind,
    close = native.udp_close,
}

udp.__index = udp

-- Less than nothing is what the configuration says, as 0 is.
function udp.settimeout(...)
    if select("#", ...) ~= 2 then
        error("ngx.socket settimeout: expecting at least 2 arguments "
              .. "(including the object) but seen " .. select("#", ...), 2)
    end
    local self, ms = ...
    self[READ_TIMEOUT] = to_int(tonumber(ms) or 0, 0, MAX_TIMEOUT - 1)
end

local function new_udp(...)
    if select("#", ...) > 0 then
        error("expecting zero arguments, but got " .. select("#", ...), 2)
    end
    check_phase(YIELDABLE)
    return setmetatable({}, udp)
end

-- The request's own connection.
local body = {
    receive = tcp.receive,
    receiveany = tcp.receiveany,
    receiveuntil = tcp.receiveuntil,
    settimeout = tcp.settimeout,
    settimeouts = tcp.settimeouts,
    getfd = tcp.getfd,
}
body.__index = body

-- A stream session's has more; of datagrams each call is one.
if in_stream then
    body.send = tcp.send
    body.peek = native.sock_peek
    body.serversslhandshake = native.sock_server_handshake
    body.shutdown = tcp.shutdown
end

local datagrams = {
    receive = native.sock_receive_datagram,
    send = native.sock_send_datagram,
    settimeout = tcp.settimeout,
    settimeouts = tcp.settimeouts,
}
datagrams.__index = datagrams

local raw_body = { send = tcp.send }

for name, method in pairs(body) do
    raw_body[name] = method
end
raw_body.__index = raw_body

function ngx.req.socket(...)
    if select("#", ...) > 1 then
        error("expecting zero arguments, but got " .. select("#", ...), 2)
    end
    check_phase(REQUEST)

    local raw = ...
    local sock = setmetatable({}, raw and not in_stream and raw_body or body)
    local ok, err = native.sock_client(sock, raw)

    if not ok then
        return nil, err
    end
    if in_stream and ok == DATAGRAMS then
        return setmetatable(sock, datagrams)
    end
    return sock
end

-- Where lua-resty-core looks for them.
local registry = debug.getregistry()

registry.__tcp_cosocket_mt = tcp
registry.__tcp_req_cosocket_mt = body
registry.__tcp_raw_req_cosocket_mt = raw_body

ngx.socket = {
    tcp = new,
    stream = new,
    udp = new_udp,
}

-- What it throws begins with the name of this chunk.
ngx.socket.connect = assert(loadstring("local new = ... "
    .. "return function(...) local sock = new() "
    .. "local ok, err = sock:connect(...) "
    .. "if ok then return sock end return nil, err end",
    "=ngx.socket.connect"))(new)

return _M
