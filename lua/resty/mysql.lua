-- mysql.lua -- a client of MySQL and MariaDB, over a cosocket.
--
-- The protocol is packets, see lunette.mysql_packet; how a user is told from
-- another is lunette.mysql_auth. An answer that is none closes the connection.
-- What asks the server yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local auth = require "lunette.mysql_auth"
local base = require "lunette.base"
local bit = require "bit"
local packet = require "lunette.mysql_packet"
local random = require "resty.random"
local sock_methods = require "lunette.sock_methods"
local to_hex = require "resty.string".to_hex

local new_tab = base.new_tab
local byte, sub = string.byte, string.sub
local band = bit.band
local concat = table.concat
local setmetatable, tonumber, tostring, type =
    setmetatable, tonumber, tostring, type
local null, sha1_bin, tcp = ngx.null, ngx.sha1_bin, ngx.socket.tcp
local secret = random.bytes(16)
local get_int, get_lenenc, get_text, get_to_nul, put_int, put_text =
    packet.get_int, packet.get_lenenc, packet.get_text, packet.get_to_nul,
    packet.put_int, packet.put_text

local _M = { _VERSION = "0.29" }
local mt = { __index = _M }

-- Not C's: what a connection is in the middle of; errors have the number.
local CONNECTED, COMMAND_SENT = 1, 2

-- Not C's: the protocol's commands,
local COM_QUIT, COM_QUERY = "\1", "\3"
-- first bytes of answers,
local OK, MORE_DATA, LOCAL_FILE, EOF, ERR = 0x00, 0x01, 0xfb, 0xfe, 0xff
-- the size below which EOF is not the length of a text,
local EOF_MAX = 9
-- bits of a server's status,
local MORE_RESULTS = 0x0008
-- and what client and server can: long passwords and flags, affected rows are
-- those found, a database, ODBC, spaces behind functions, 4.1, interactive,
-- signals, transactions, 4.1's passwords, several statements and results,
-- plugins for passwords. No local files: a server could ask for any.
local FLAGS, TLS = 0x0bf74f, 0x000800

local MAX_PACKET = 1024 * 1024
local MAX_ANSWER = 250                      -- of a text with a short length
local MAX_ROUNDS = 10                       -- of a server that asks for more
local MAX_ROOM = 1024                       -- rows made at once

-- The number of each character set's default collation.
local charsets = {
    _default = 0, big5 = 1, dec8 = 3, cp850 = 4, hp8 = 6, koi8r = 7,
    latin1 = 8, latin2 = 9, swe7 = 10, ascii = 11, ujis = 12, sjis = 13,
    hebrew = 16, tis620 = 18, euckr = 19, koi8u = 22, gb2312 = 24,
    greek = 25, cp1250 = 26, gbk = 28, latin5 = 30, armscii8 = 32,
    utf8 = 33, ucs2 = 35, cp866 = 36, keybcs2 = 37, macce = 38,
    macroman = 39, cp852 = 40, latin7 = 41, utf8mb4 = 45, cp1251 = 51,
    utf16 = 54, utf16le = 56, cp1256 = 57, cp1257 = 59, utf32 = 60,
    binary = 63, geostd8 = 92, cp932 = 95, eucjpms = 97, gb18030 = 248,
}

-- Columns that become numbers, by their type. One of 64 bits does not: a
-- number of Lua's has 53.
local TINY, SHORT, LONG, FLOAT, DOUBLE, INT24, YEAR, NEWDECIMAL =
    1, 2, 3, 4, 5, 9, 13, 246
local is_number = {
    [TINY] = true, [SHORT] = true, [LONG] = true, [FLOAT] = true,
    [DOUBLE] = true, [INT24] = true, [YEAR] = true, [NEWDECIMAL] = true,
}

function _M.new(_)
    local sock, err = tcp()
    if not sock then
        return nil, err
    end
    return setmetatable({ sock = sock }, mt)
end

sock_methods(_M, {
    set_timeout = "settimeout",
    get_reused_times = "getreusedtimes",
})

-- --- answers ---

-- nil and why; the connection is of no more use.
local function broken(self, why)
    self.state = nil
    self.sock:close()
    return nil, why
end

local function send(self, payload)
    local bytes, err
    self.packet_no, bytes, err =
        packet.send(self.sock, self.packet_no, payload)
    return bytes, err
end

-- The next packet and its first byte.
local function receive(self)
    local data, number =
        packet.receive(self.sock, self._max_packet_size, self.packet_no)
    if not data then
        return broken(self, number)
    end
    self.packet_no = number
    return data, byte(data)
end

-- The server's own words: the error's text, its number and state.
local function parse_error(data)
    local errno, at = get_int(data, 2, 2)
    local sqlstate
    if byte(data, at) == 0x23 then          -- "#"
        sqlstate = sub(data, at + 1, at + 5)
        at = at + 6
    end
    return sub(data, at), errno, sqlstate
end

local function parse_ok(data)
    local rows, id, status, warnings
    local at = 2
    rows, at = get_lenenc(data, at)
    id, at = get_lenenc(data, at)
    if type(rows) ~= "number" or type(id) ~= "number" then
        return nil
    end
    status, at = get_int(data, at, 2)
    warnings, at = get_int(data, at, 2)
    local message = sub(data, at)      -- with its length, as ever
    return {
        affected_rows = rows, insert_id = id, server_status = status,
        warning_count = warnings, message = message ~= "" and message or nil,
    }, status
end

-- --- the beginning of a connection ---

-- What the server says first.
local function parse_greeting(data)
    local version, at = get_to_nul(data, 2)
    if not version or #data < at + 30 then
        return nil
    end
    local low = get_int(data, at + 13, 2)
    local high = get_int(data, at + 18, 2)
    local name = at + 31 + 13
    return {
        version = version,
        scramble = sub(data, at + 4, at + 11) .. sub(data, at + 31, at + 42),
        flags = low + high * 0x10000,
        plugin = get_to_nul(data, name) or sub(data, name),
    }
end

local function start_tls(self, opts, charset)
    local ok, err = send(self, put_int(FLAGS + TLS, 4)
                         .. put_int(self._max_packet_size, 4)
                         .. put_int(charset, 1) .. ("\0"):rep(23))
    if not ok then
        return nil, "failed to send ssl request: " .. err
    end
    ok, err = self.sock:sslhandshake(false, opts.server_name or opts.host,
                                     opts.ssl_verify)
    if not ok then
        return nil, "failed to do ssl handshake: " .. (err or "")
    end
    self.is_secure = true
    return true
end

-- Until the server says yes or no: it may want another method, or more.
local function log_in(self, password, plugin, scramble)
    for _ = 1, MAX_ROUNDS do
        local data, kind = receive(self)
        if not data then
            return nil, "failed to receive the result packet: " .. kind
        end
        local answer, err
        if kind == OK then
            return true
        elseif kind == ERR then
            return nil, parse_error(data)
        elseif kind == EOF then
            if #data == 1 then
                return broken(self, "old pre-4.1 authentication protocol "
                                    .. "not supported")
            end
            local at
            plugin, at = get_to_nul(data, 2)
            scramble = plugin and sub(data, at, at - 1
                                                + auth.scramble_size(plugin))
            answer, err = auth.answer(plugin, password, scramble,
                                      self.is_secure)
        elseif kind == MORE_DATA then
            answer, err = auth.go_on(plugin, password, scramble,
                                     self.is_secure, sub(data, 2))
        else
            err = "bad packet type: " .. kind
        end
        if err then
            return broken(self, err)
        end
        if answer then
            local ok
            ok, err = send(self, answer)
            if not ok then
                return broken(self, "failed to send client authentication "
                                    .. "packet: " .. err)
            end
        end
    end
    return broken(self, "too many authentication packets")
end

local function greet(self, opts, charset)
    local data, kind = receive(self)
    if not data then
        return nil, kind
    end
    if kind == ERR then
        return nil, parse_error(data)
    end
    local greeting = parse_greeting(data)
    if not greeting then
        return broken(self, "bad handshake initialization packet: "
                            .. "bad server version")
    end
    self._server_ver = greeting.version

    local flags = FLAGS
    if opts.ssl or opts.ssl_verify then
        if band(greeting.flags, TLS) == 0 then
            return broken(self, "ssl disabled on server")
        end
        local ok, err = start_tls(self, opts, charset)
        if not ok then
            return broken(self, err)
        end
        flags = flags + TLS
    end

    local plugin, password = greeting.plugin, opts.password or ""
    local answer = auth.answer(plugin, password, greeting.scramble,
                               self.is_secure)
    if not answer then
        -- The server has to ask for something that we know.
        plugin = "mysql_native_password"
        answer = auth.answer(plugin, password, greeting.scramble)
    end
    if #answer > MAX_ANSWER then
        return broken(self, "password too long")
    end
    local ok, err = send(self, put_int(flags, 4)
                         .. put_int(self._max_packet_size, 4)
                         .. put_int(charset, 1) .. ("\0"):rep(23)
                         .. (opts.user or "") .. "\0" .. put_text(answer)
                         .. (opts.database or "") .. "\0" .. plugin .. "\0")
    if not ok then
        return broken(self, "failed to send client authentication packet: "
                            .. err)
    end
    return log_in(self, password, plugin, greeting.scramble)
end

-- Pools have names, and a connection that was opened with a password, or over
-- TLS, is for nobody who has another, or wants TLS and whom it is with proved.
-- The password itself is in no name: names are logged.
local function pool_of(opts, place)
    local name = { opts.user or "", ":", opts.database or "", ":", place }
    if opts.password and opts.password ~= "" then
        name[6] = ":" .. to_hex(sha1_bin(secret .. opts.password))
    end
    if opts.ssl or opts.ssl_verify then
        name[#name + 1] = ":tls:"
        name[#name + 1] = opts.ssl_verify and "verified:" or ""
        name[#name + 1] = opts.server_name or ""
    end
    return concat(name)
end

local function place_of(opts)
    local pool = opts.pool
    if opts.host then
        local port = opts.port or 3306
        return opts.host, port,
               pool or pool_of(opts, opts.host .. ":" .. port)
    end
    if opts.path then
        return "unix:" .. opts.path, nil, pool or pool_of(opts, opts.path)
    end
    return nil
end

-- true, or nil, why, and what the server calls it by number and state.
function _M.connect(self, opts)
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    local charset = charsets[opts.charset or "_default"]
    if not charset then
        return nil, "charset '" .. opts.charset .. "' is not supported"
    end
    local host, port, pool = place_of(opts)
    if not host then
        return nil, 'neither "host" nor "path" options are specified'
    end

    self._max_packet_size = opts.max_packet_size or MAX_PACKET
    self.compact = opts.compact_arrays
    self.state, self.packet_no, self.is_secure = nil, -1, nil

    local options = { pool = pool, pool_size = opts.pool_size,
                      backlog = opts.backlog }
    local ok, err
    if port then
        ok, err = sock:connect(host, port, options)
    else
        ok, err = sock:connect(host, options)
    end
    if not ok then
        return nil, "failed to connect: " .. err
    end
    local reused = sock:getreusedtimes()
    if reused and reused > 0 then
        self.state = CONNECTED
        return 1
    end

    local errno, sqlstate
    ok, err, errno, sqlstate = greet(self, opts, charset)
    if not ok then
        return nil, err, errno, sqlstate
    end
    self.state = CONNECTED
    return 1
end

function _M.set_keepalive(self, ...)
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    if self.state ~= CONNECTED then
        return nil, "cannot be reused in the current connection state: "
                    .. (self.state or "nil")
    end
    self.state = nil
    return sock:setkeepalive(...)
end

-- Says goodbye, and closes.
function _M.close(self)
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    self.state = nil
    self.packet_no = -1
    local bytes, err = send(self, COM_QUIT)
    if not bytes then
        return nil, err
    end
    return sock:close()
end

function _M.server_ver(self)
    return self._server_ver
end

function _M.set_compact_arrays(self, value)
    self.compact = value
end

-- --- questions ---

-- The number of bytes sent, or nil and why.
local function send_query(self, query)
    if self.state ~= CONNECTED then
        return nil, "cannot send query in the current context: "
                    .. (self.state or "nil")
    end
    if not self.sock then
        return nil, "not initialized"
    end
    if type(query) == "table" then
        query = concat(query)
    end
    self.packet_no = -1
    local bytes, err = send(self, COM_QUERY .. tostring(query))
    if not bytes then
        return broken(self, err)
    end
    self.state = COMMAND_SENT
    return bytes
end
_M.send_query = send_query

-- A column's name, and whether its values are numbers.
local function parse_column(data)
    local at, name = 1, nil
    for i = 1, 6 do                -- catalog, two of three, the name, its own
        local text
        text, at = get_text(data, at)
        if not at or text == null then
            return nil
        end
        if i == 5 then
            name = text
        end
    end
    -- Behind a length: character set and width.
    local kind = byte(data, at + 7)
    return kind and { name = name, number = is_number[kind] }
end

local function read_columns(self, count)
    local columns = new_tab(count < MAX_ROOM and count or MAX_ROOM, 0)
    for i = 1, count do
        local data, kind = receive(self)
        if not data then
            return nil, kind
        end
        local column = kind ~= ERR and parse_column(data)
        if not column then
            return broken(self, "bad field packet")
        end
        columns[i] = column
    end
    local data, kind = receive(self)
    if not data then
        return nil, kind
    end
    if kind ~= EOF then
        return broken(self, "unexpected packet type " .. tostring(kind)
                            .. " while eof packet is expected")
    end
    return columns
end

local function parse_row(data, columns, is_compact)
    local count, at = #columns, 1
    local row = is_compact and new_tab(count, 0) or new_tab(0, count)
    for i = 1, count do
        local column, value = columns[i], nil
        value, at = get_text(data, at)
        if not at then
            return nil
        end
        if column.number and value ~= null then
            value = tonumber(value)
        end
        row[is_compact and i or column.name] = value
    end
    return row
end

-- Rows, and "again" if another result follows.
local function read_rows(self, columns, room)
    local rows, n = new_tab(room < MAX_ROOM and room or MAX_ROOM, 0), 0
    while true do
        local data, kind = receive(self)
        if not data then
            return nil, kind
        end
        if kind == ERR then
            self.state = CONNECTED
            return nil, parse_error(data)
        end
        if kind == EOF and #data < EOF_MAX then
            local status = get_int(data, 4, 2)
            return rows, status
        end
        local row = parse_row(data, columns, self.compact)
        if not row then
            return broken(self, "bad row packet")
        end
        n = n + 1
        rows[n] = row
    end
end

-- The state that is left behind a result, and what is said of it.
local function settle(self, result, status)
    if band(status, MORE_RESULTS) ~= 0 then
        return result, "again"
    end
    self.state = CONNECTED
    return result
end

-- A table of rows, or of what was done; nil, why, and what the server calls it
-- by number and state.
local function read_result(self, est_nrows)
    if self.state ~= COMMAND_SENT then
        return nil, "cannot read result in the current context: "
                    .. (self.state or "nil")
    end
    if not self.sock then
        return nil, "not initialized"
    end
    local data, kind = receive(self)
    if not data then
        return nil, kind
    end
    if kind == ERR then
        self.state = CONNECTED
        return nil, parse_error(data)
    end
    if kind == OK then
        local result, status = parse_ok(data)
        if not result then
            return broken(self, "bad ok packet")
        end
        return settle(self, result, status)
    end

    local count = kind ~= LOCAL_FILE and kind ~= EOF and get_lenenc(data, 1)
    if not count then
        return broken(self, "packet type "
                            .. (kind == LOCAL_FILE and "LOCAL INFILE" or kind)
                            .. " not supported")
    end
    local columns, rows, status, errno, sqlstate, err
    columns, err = read_columns(self, count)
    if not columns then
        return nil, err
    end
    rows, status, errno, sqlstate = read_rows(self, columns, est_nrows or 4)
    if not rows then
        return nil, status, errno, sqlstate
    end
    return settle(self, rows, status)
end
_M.read_result = read_result

function _M.query(self, query, est_nrows)
    local bytes, err = send_query(self, query)
    if not bytes then
        return nil, "failed to send query: " .. err
    end
    return read_result(self, est_nrows)
end

return _M
