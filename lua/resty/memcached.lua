-- memcached.lua -- a client of memcached, over a cosocket.
--
-- Each command is a text and a function that reads its answer, so a pipeline
-- is a list of both. An answer that is none ends the connection: what follows
-- it could be taken for the answer to another question. What asks the server
-- yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local sock_methods = require "lunette.sock_methods"

local new_tab = base.new_tab
local find, match = string.find, string.match
local concat = table.concat
local ipairs, pairs, rawget, setmetatable, tonumber, tostring, type =
    ipairs, pairs, rawget, setmetatable, tonumber, tostring, type
local escape_uri, unescape_uri, tcp =
    ngx.escape_uri, ngx.unescape_uri, ngx.socket.tcp

local _M = { _VERSION = "0.17" }
local mt = { __index = _M }

local MAX_VALUE = 0x7fffffff
local NOT_READY = "not initialized"

-- opts.key_transform = { escape, unescape }: what is done with keys.
function _M.new(_, opts)
    local sock, err = tcp()
    if not sock then
        return nil, err
    end
    local transform = opts and opts.key_transform
                      or { escape_uri, unescape_uri }
    if not transform[1] or not transform[2] then
        return nil, "expecting key_transform = { escape, unescape } table"
    end
    return setmetatable({ sock = sock, escape_key = transform[1],
                          unescape_key = transform[2] }, mt)
end

-- --- the connection ---

sock_methods(_M, {
    set_timeout = "settimeout",
    set_timeouts = "settimeouts",
    connect = "connect",
    sslhandshake = "sslhandshake",
    set_keepalive = "setkeepalive",
    get_reused_times = "getreusedtimes",
    close = "close",
})

-- --- answers ---

-- nil and why; the connection is of no more use.
local function broken(sock, why)
    sock:close()
    return nil, why
end

local function read_line(sock, what)
    local line, err = sock:receive()
    if not line then
        return broken(sock, "failed to receive " .. what .. ": "
                            .. (err or ""))
    end
    return line
end

local refusals = { ERROR = true, CLIENT_ERROR = true, SERVER_ERROR = true,
                   NOT_STORED = true, EXISTS = true, NOT_FOUND = true }

-- A server's line that is no success is the error. If it is no refusal either,
-- what it belongs to is not known, nor what will follow.
local function refused(sock, line, err)
    if refusals[match(line, "^%S*")] then
        return nil, err or line
    end
    return broken(sock, err or line)
end

-- A reader for commands whose success is one word.
local function expect(word)
    return function(_, sock)
        local line, err = sock:receive()
        if not line then
            return broken(sock, err)
        end
        if line == word then
            return 1
        end
        return refused(sock, line)
    end
end

-- The bytes of a value and the end of its line.
local function read_value(sock, len)
    len = tonumber(len)
    if len > MAX_VALUE then
        return broken(sock, "bad length: " .. len)
    end
    local data, err = sock:receive(len)
    if not data then
        return broken(sock, "failed to receive data chunk: " .. (err or ""))
    end
    local rest
    rest, err = sock:receive(2)
    if not rest then
        return broken(sock, "failed to receive CRLF: " .. (err or ""))
    end
    if rest ~= "\r\n" then
        return broken(sock, "bad data chunk")
    end
    return data
end

local LINE = "^VALUE (%S+) (%d+) (%d+) ?(%d*)$"

-- One value of those asked for: data, flags and cas; false: there are no
-- more.
local function read_item(sock, what)
    local line, err = read_line(sock, what)
    if not line then
        return nil, err
    end
    if line == "END" then
        return false
    end
    local key, flags, len, cas = match(line, LINE)
    if not key then
        return refused(sock, line, "bad line: " .. line)
    end
    local data
    data, err = read_value(sock, len)
    if not data then
        return nil, err
    end
    return data, flags, cas ~= "" and cas or nil, key
end

-- The item of one key and what follows it; nil alone: there is none.
local function read_one(sock)
    local data, flags, cas = read_item(sock, "1st line")
    if not data then
        return nil, data == nil and flags or nil
    end
    local line, err = read_line(sock, "END CRLF")
    if not line then
        return nil, err
    end
    if line ~= "END" then
        return broken(sock, "bad line: " .. line)
    end
    return data, nil, flags, cas
end

local function read_get(_, sock)
    local data, err, flags = read_one(sock)
    if not data then
        return nil, nil, err
    end
    return data, flags
end

local function read_gets(_, sock)
    local data, err, flags, cas = read_one(sock)
    if not data then
        return nil, nil, nil, err
    end
    return data, flags, cas
end

local function read_many(self, sock)
    local unescape, items = self.unescape_key, {}
    while true do
        local data, flags, cas, key = read_item(sock, "1st line")
        if data == nil then
            return nil, flags
        end
        if not data then
            return items
        end
        items[unescape(key)] = { data, flags, cas }
    end
end

local function read_number(_, sock)
    local line, err = sock:receive()
    if not line then
        return broken(sock, err)
    end
    line = match(line, "^(.-) *$")
    if not find(line, "^%d+$") then
        return refused(sock, line)
    end
    return line
end

local function read_stats(_, sock)
    local lines = {}
    while true do
        local line, err = sock:receive()
        if not line then
            return broken(sock, err)
        end
        if line == "END" then
            return lines
        end
        if refusals[match(line, "^%S*")] then
            return nil, line
        end
        lines[#lines + 1] = line
    end
end

local function read_version(_, sock)
    local line, err = sock:receive()
    if not line then
        return broken(sock, err)
    end
    local version = match(line, "^VERSION (.+)$")
    if not version then
        return refused(sock, line)
    end
    return version
end

-- --- commands ---

-- Sends and reads, or keeps both for commit_pipeline().
local function ask(self, request, read)
    local sock = self.sock
    if not sock then
        return nil, NOT_READY
    end
    local reqs = rawget(self, "_reqs")
    if reqs then
        reqs[#reqs + 1] = request
        self._reads[#reqs] = read
        return 1
    end
    local ok, err = sock:send(request)
    if not ok then
        return nil, err
    end
    return read(self, sock)
end

local was_stored = expect "STORED"

-- A server that understood no word of it takes the value for commands, and
-- answers those as well.
local function stored(self, sock)
    local ok, err = was_stored(self, sock)
    if ok then
        return ok
    end
    if err and (find(err, "^ERROR") or find(err, "^CLIENT_ERROR")) then
        sock:close()
    end
    return nil, err
end

-- Texts in a row; a table may have others in it.
local function joined(value)
    for i = 1, #value do
        if type(value[i]) == "table" then
            local parts = {}
            for j = 1, #value do
                local part = value[j]
                parts[j] = type(part) == "table" and joined(part) or part
            end
            return concat(parts)
        end
    end
    return concat(value)
end

local function store(cmd, self, key, value, exptime, flags, cas)
    if type(value) == "table" then
        value = joined(value)
    elseif type(value) ~= "string" then
        value = tostring(value)
    end
    return ask(self, concat { cmd, " ", self.escape_key(key), " ",
                              flags or 0, " ", exptime or 0, " ", #value,
                              cas and " " .. cas or "", "\r\n", value,
                              "\r\n" }, stored)
end

for _, cmd in ipairs { "set", "add", "replace", "append", "prepend" } do
    _M[cmd] = function(self, ...)
        return store(cmd, self, ...)
    end
end

function _M.cas(self, key, value, cas_uniq, exptime, flags)
    return store("cas", self, key, value, exptime, flags, cas_uniq)
end

local function fetch(cmd, self, key, read)
    if type(key) == "table" then
        local count = #key
        if count == 0 then
            return {}
        end
        local keys = new_tab(count, 0)
        for i = 1, count do
            keys[i] = self.escape_key(key[i])
        end
        return ask(self, cmd .. concat(keys, " ") .. "\r\n", read_many)
    end
    return ask(self, cmd .. self.escape_key(key) .. "\r\n", read)
end

-- The value and its flags; nil, nil and why, which is nil if there is none.
-- Of a table of keys a table of {value, flags} by key.
function _M.get(self, key)
    if not self.sock then
        return nil, nil, NOT_READY
    end
    return fetch("get ", self, key, read_get)
end

-- The same with the number that cas() needs.
function _M.gets(self, key)
    if not self.sock then
        return nil, nil, nil, NOT_READY
    end
    return fetch("gets ", self, key, read_gets)
end

local deleted, ok_line, touched =
    expect "DELETED", expect "OK", expect "TOUCHED"

function _M.delete(self, key)
    return ask(self, "delete " .. self.escape_key(key) .. "\r\n", deleted)
end

function _M.touch(self, key, exptime)
    return ask(self, "touch " .. self.escape_key(key) .. " " .. exptime
                     .. "\r\n", touched)
end

for _, cmd in ipairs { "incr", "decr" } do
    _M[cmd] = function(self, key, value)
        return ask(self, cmd .. " " .. self.escape_key(key) .. " " .. value
                         .. "\r\n", read_number)
    end
end

function _M.flush_all(self, time)
    return ask(self, time and "flush_all " .. time .. "\r\n"
                     or "flush_all\r\n", ok_line)
end

function _M.verbosity(self, level)
    return ask(self, "verbosity " .. level .. "\r\n", ok_line)
end

function _M.stats(self, args)
    return ask(self, args and "stats " .. args .. "\r\n" or "stats\r\n",
               read_stats)
end

function _M.version(self)
    return ask(self, "version\r\n", read_version)
end

-- The server closes; nobody answers.
function _M.quit(self)
    local sock = self.sock
    if not sock then
        return nil, NOT_READY
    end
    local bytes, err = sock:send("quit\r\n")
    if not bytes then
        return nil, err
    end
    return 1
end

-- --- pipelines ---

function _M.init_pipeline(self, n)
    self._reqs, self._reads = new_tab(n or 4, 0), new_tab(n or 4, 0)
end

function _M.cancel_pipeline(self)
    self._reqs, self._reads = nil, nil
end

-- What each command returned: its first result, or in a table all that there
-- are.
function _M.commit_pipeline(self)
    local reqs, reads = rawget(self, "_reqs"), rawget(self, "_reads")
    if not reqs then
        return nil, "no pipeline"
    end
    self._reqs, self._reads = nil, nil
    local sock = self.sock
    if not sock then
        return nil, NOT_READY
    end
    if #reqs == 0 then
        return nil, "no more cmds"
    end
    local ok, err = sock:send(reqs)
    if not ok then
        return nil, err
    end
    local answers = new_tab(#reqs, 0)
    for i = 1, #reqs do
        local one, two, three, four = reads[i](self, sock)
        answers[i] = { one, two, three, four }
    end
    return answers
end

return _M
