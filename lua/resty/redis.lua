-- redis.lua -- a client of Redis, over a cosocket.
--
-- An answer that is none ends the connection: what follows it could be taken
-- for the answer to another question. Commands are methods, made when they
-- are first called. What asks the server yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local native = require "lunette.native"

local new_tab = base.new_tab
local byte, find, sub = string.byte, string.find, string.sub
local concat = table.concat
local error, ipairs, pairs, rawget, select, setmetatable, tonumber, tostring,
    type = error, ipairs, pairs, rawget, select, setmetatable, tonumber,
    tostring, type
local null, tcp = ngx.null, ngx.socket.tcp
local ask, sock_receive, sock_send = native.sock_ask, native.sock_receive,
                                     native.sock_send

local _M = { _VERSION = "0.33" }
local mt = { __index = _M }

local MAX_BULK = 512 * 1024 * 1024 -- a string of Redis is never longer
local MAX_ROOM = 1024              -- made at once, whatever is announced
local MAX_DEPTH = 100
local MAX_SHORT = 4096             -- worth copying to ask the socket once

local MINUS, PLUS, DOLLAR, STAR, COLON = byte("-+$*:", 1, 5)

function _M.new(_)
    local sock, err = tcp()
    if not sock then
        return nil, err
    end
    return setmetatable({ _sock = sock, _subscribed = false }, mt)
end

-- Methods by name: what is no function of the object is a command, or the
-- prefix of a module's commands.
local prefixes = {}

function _M.register_module_prefix(_, name)
    prefixes[name] = true
end

function _M.set_timeout(self, timeout)
    local sock = rawget(self, "_sock")
    if not sock then
        error("not initialized", 2)
    end
    sock:settimeout(timeout)
end

function _M.set_timeouts(self, connect_timeout, send_timeout, read_timeout)
    local sock = rawget(self, "_sock")
    if not sock then
        error("not initialized", 2)
    end
    sock:settimeouts(connect_timeout, send_timeout, read_timeout)
end

local function reject(sock, what, err)
    sock:close()
    return nil, "failed to " .. what .. ": " .. (err or "unknown")
end

-- What a new connection is told first; one that was kept has been told.
local function introduce(self, sock, opts, reused)
    if opts.tcp_keepalive then
        local ok, err = sock:setoption("keepalive", true)
        if not ok then
            return reject(sock, "enable tcp keepalive", err)
        end
    end
    if reused ~= 0 then
        return true
    end

    local password, user, db = opts.password, opts.username, opts.db
    if password and password ~= "" then
        local ok, err
        if user and user ~= "" then
            ok, err = self:auth(user, password)
        else
            ok, err = self:auth(password)
        end
        if not ok then
            return reject(sock, "authenticate", err)
        end
    end
    if db then
        local ok, err = self:select(db)
        if not ok then
            return reject(sock, "select database " .. tostring(db), err)
        end
    end
    return true
end

-- Connections of another user, or to another database, have a pool of their
-- own.
local function pool_of(host, port, opts)
    local name = port and host .. ":" .. port or host
    local user = opts.password and opts.password ~= "" and opts.username
    if user and user ~= "" then
        name = name .. "/" .. user
    end
    return opts.db and name .. "/" .. tostring(opts.db) or name
end

local function with_pool(host, port, opts)
    if opts.pool or not (opts.db or opts.username) then
        return opts
    end
    local own = {}
    for name, value in pairs(opts) do
        own[name] = value
    end
    own.pool = pool_of(host, port, opts)
    return own
end

-- What was said in the connection that there is no more. One that connect()
-- could not even begin to replace is still there, with its subscriptions.
local function forget_connection(self)
    self._subscribed = false
    if rawget(self, "_reqs") or rawget(self, "_kept")
       or rawget(self, "_queues")
    then
        self._reqs, self._kept = nil, nil
        self._queues, self._queued_last = nil, nil
    end
end

-- A host and a port, or "unix:/path", and then options.
function _M.connect(self, host, port_or_opts, opts)
    local sock = rawget(self, "_sock")
    if not sock then
        return nil, "not initialized"
    end
    if type(host) ~= "string" then
        error("bad argument #1 host: string expected, got " .. type(host), 2)
    end

    local is_unix = sub(host, 1, 5) == "unix:"
    if is_unix then
        opts = port_or_opts
    else
        local port = tonumber(port_or_opts)
        if not port then
            error("bad argument #2 port: number expected, got "
                  .. type(port_or_opts), 2)
        end
        port_or_opts = port
    end
    if opts ~= nil and type(opts) ~= "table" then
        error("bad argument #" .. (is_unix and 2 or 3)
              .. " opts: table expected, got " .. type(opts), 2)
    end

    if opts then
        opts = with_pool(host, not is_unix and port_or_opts or nil, opts)
    end
    local ok, err
    if is_unix then
        ok, err = sock:connect(host, opts)
    else
        ok, err = sock:connect(host, port_or_opts, opts)
    end
    if ok or not sock:getreusedtimes() then
        forget_connection(self)
    end
    if not ok then
        return nil, err
    end

    if opts and (opts.ssl or opts.password or opts.db or opts.tcp_keepalive)
    then
        local reused, why = sock:getreusedtimes()
        if not reused then
            return nil, why
        end
        if reused == 0 and opts.ssl then
            ok, err = sock:sslhandshake(false, opts.server_name or host,
                                        opts.ssl_verify)
            if not ok then
                return nil, "failed to do ssl handshake: " .. err
            end
        end
        local told
        told, err = introduce(self, sock, opts, reused)
        if not told then
            return nil, err
        end
    end
    return ok
end

function _M.set_keepalive(self, ...)
    local sock = rawget(self, "_sock")
    if not sock then
        return nil, "not initialized"
    end
    if rawget(self, "_subscribed") then
        return nil, "subscribed state"
    end
    if rawget(self, "_queues") then
        return nil, "in transaction"
    end
    return sock:setkeepalive(...)
end

function _M.get_reused_times(self)
    local sock = rawget(self, "_sock")
    if not sock then
        return nil, "not initialized"
    end
    return sock:getreusedtimes()
end

local function close(self)
    local sock = rawget(self, "_sock")
    if not sock then
        return nil, "not initialized"
    end
    return sock:close()
end
_M.close = close

-- --- answers ---

local function bad_answer(sock, why)
    sock:close()
    return nil, why
end

local read_answer

-- The items of an array; one that is an error is {false, text}.
local function read_items(self, sock, count, depth)
    local items, n = new_tab(count < MAX_ROOM and count or MAX_ROOM, 0), 0
    for _ = 1, count do
        local item, err = read_answer(self, sock, depth + 1)
        if item then
            n = n + 1
            items[n] = item
        elseif item == nil then
            return nil, err
        else
            n = n + 1
            items[n] = { false, err }
        end
    end
    return items
end

-- In the middle of an answer nobody may ask again: what is still to come of
-- it would be the next one. A short text is received with its end.
local function read_bulk(sock, size)
    local short = size <= MAX_SHORT
    local data, err = sock:receive(short and size + 2 or size)
    if not data then
        sock:close()
        return nil, err
    end
    if short then
        if sub(data, -2) ~= "\r\n" then
            return bad_answer(sock, "bad bulk reply")
        end
        return sub(data, 1, -3)
    end
    local rest
    rest, err = sock:receive(2)
    if not rest then
        sock:close()
        return nil, err
    end
    if rest ~= "\r\n" then
        return bad_answer(sock, "bad bulk reply")
    end
    return data
end

-- What begins with that line.
local function read_on(self, sock, line, depth)
    local kind = byte(line)
    if kind == PLUS then
        return sub(line, 2)
    end
    if kind == MINUS then
        return false, sub(line, 2)
    end

    local n = tonumber(sub(line, 2))
    if kind == COLON and n then
        return n
    end
    if kind == DOLLAR and n then
        if n < 0 then
            return null
        end
        if n > MAX_BULK or n % 1 ~= 0 then
            return bad_answer(sock, "bad bulk reply")
        end
        return read_bulk(sock, n)
    end
    if kind == STAR and n then
        if n < 0 then
            return null
        end
        if depth > MAX_DEPTH or n % 1 ~= 0 or n > MAX_BULK then
            return bad_answer(sock, "bad multi bulk reply")
        end
        return read_items(self, sock, n, depth)
    end
    return bad_answer(sock, 'unknown prefix: "' .. tostring(kind) .. '"')
end

-- nil and why: there is none; false and a text: an error of the server's.
function read_answer(self, sock, depth)
    local line, err, part = sock:receive()
    if line then
        return read_on(self, sock, line, depth)
    end

    -- Who is subscribed may ask again where nothing has come; others would get
    -- what was meant for this question.
    if err == "timeout"
        and (depth > 0 or part ~= "" or not rawget(self, "_subscribed"))
    then
        sock:close()
    end
    return nil, err
end

-- --- commands ---

-- What stands before a text of that length, and before an argument.
local function head_of(len)
    return "$" .. len .. "\r\n"
end

-- What a command with so many arguments begins with.
local function start_of(count)
    return "*" .. count + 1 .. "\r\n"
end

local heads, starts = {}, {}
for n = 0, 255 do
    heads[n], starts[n] = "\r\n" .. head_of(n), start_of(n)
end

-- A command's name as it is sent: made once for each method.
local function shown(cmd)
    return head_of(#cmd) .. cmd
end

local function make_request(cmd, args, count)
    local parts = new_tab(count * 2 + 3, 0)
    parts[1] = starts[count] or start_of(count)
    parts[2] = cmd
    local n = 2
    for i = 1, count do
        local arg = args[i]
        if type(arg) ~= "string" then
            arg = tostring(arg)
        end
        parts[n + 1] = heads[#arg] or "\r\n" .. head_of(#arg)
        parts[n + 2] = arg
        n = n + 2
    end
    parts[n + 1] = "\r\n"
    return concat(parts)
end

-- Sent, or kept while there is a pipeline.
local function send(self, cmd, args, count)
    local sock = rawget(self, "_sock")
    if not sock then
        return nil, "not initialized"
    end
    local text = make_request(cmd, args, count)
    local reqs = rawget(self, "_reqs")
    if reqs then
        reqs[#reqs + 1] = text
        return nil, nil, true
    end
    local ok, err = sock:send(text)
    if not ok then
        return nil, err
    end
    return sock
end

-- Messages, by what it was that was subscribed to.
local kind_of = { message = "channels", pmessage = "patterns",
                  smessage = "shards" }

-- An answer to what was asked: messages that come between are kept for
-- read_reply().
local function read_own(self, sock)
    if not rawget(self, "_subscribed") then
        return read_answer(self, sock, 0)
    end
    local answer, err = read_answer(self, sock, 0)
    while rawget(self, "_subscribed") and type(answer) == "table"
          and kind_of[answer[1]]
    do
        local kept = rawget(self, "_kept")
        if not kept then
            kept = { first = 1, last = 0 }
            self._kept = kept
        end
        kept.last = kept.last + 1
        kept[kept.last] = answer
        answer, err = read_answer(self, sock, 0)
    end
    return answer, err
end

local function do_listed(self, cmd, args, count)
    local sock, err, kept = send(self, cmd, args, count)
    if kept then
        return
    end
    if not sock then
        return nil, err
    end
    return read_own(self, sock)
end

-- What native.sock_ask has got: a text, or the first line of another answer.
local function answered(self, sock, got, err, part)
    if type(got) == "string" then
        return got
    end
    if got == true then
        return read_on(self, sock, err, 0)
    end
    if got then
        return read_answer(self, sock, 0)
    end
    if err == "timeout" and part then
        sock:close()
    end
    return nil, err
end

local function is_plain(self, sock)
    return sock and not rawget(self, "_reqs")
           and not rawget(self, "_subscribed")
           and sock.receive == sock_receive and sock.send == sock_send
end

local function do_command(self, cmd, ...)
    local sock = rawget(self, "_sock")
    if is_plain(self, sock) then
        local got, err, part = ask(sock, cmd, ...)
        if got ~= false then
            return answered(self, sock, got, err, part)
        end
    end
    return do_listed(self, cmd, { ... }, select("#", ...))
end

local function command(name)
    local cmd = shown(name)
    return function(self, ...)
        return do_command(self, cmd, ...)
    end
end

local function add_command(name)
    local method = command(name)
    _M[name] = method
    return method
end

-- red:bf():add(...): the command "bf.add".
local function add_prefix(prefix)
    local module_mt = {
        __index = function(module, name)
            local cmd = shown(prefix .. "." .. name)
            local method = function(_, ...)
                return do_command(rawget(module, "_red"), cmd, ...)
            end
            module[name] = method
            return method
        end,
    }
    local method = function(self)
        return setmetatable({ _red = self }, module_mt)
    end
    _M[prefix] = method
    return method
end

-- Between multi and exec or discard a server only queues: such a connection
-- is nobody else's. What a pipeline has of them counts when it is sent.
local queues_after = { multi = true, exec = false, discard = false }

local function add_transaction(name)
    local method, queues = command(name), queues_after[name] or nil
    _M[name] = function(self, ...)
        local answer, err = method(self, ...)
        if rawget(self, "_reqs") then
            self._queued_last = name
        elseif answer or not queues then
            self._queues = queues
        end
        return answer, err
    end
    return _M[name]
end

setmetatable(_M, { __index = function(_, name)
    if type(name) ~= "string" or byte(name) == 95 then     -- "_"
        return nil
    end
    if queues_after[name] ~= nil then
        return add_transaction(name)
    end
    return prefixes[name] and add_prefix(name) or add_command(name)
end })

for name in ([[
    get set mget mset del incr decr llen lindex lpop lpush lrange linsert
    hexists hget hset hdel smembers sismember sadd srem sdiff sinter
    sunion zrange zrangebyscore zrank zadd zrem zincrby auth eval expire
    script sort
]]):gmatch("%S+") do
    add_command(name)
end

function _M.add_commands(...)
    for _, name in ipairs { ... } do
        add_command(name)
    end
end

local hmget, hmset = shown "hmget", shown "hmset"

-- A table, or names in a row.
function _M.hmget(self, key, ...)
    local names = ...
    if select("#", ...) == 1 and type(names) == "table" then
        local args = { key }
        for i, name in ipairs(names) do
            args[i + 1] = name
        end
        return do_listed(self, hmget, args, #args)
    end
    return do_command(self, hmget, key, ...)
end

-- A table, or names and values in a row.
function _M.hmset(self, key, ...)
    if select("#", ...) == 1 then
        local args, n = { key }, 1
        for name, value in pairs((...)) do
            args[n + 1], args[n + 2] = name, value
            n = n + 2
        end
        return do_listed(self, hmset, args, n)
    end
    return do_command(self, hmset, key, ...)
end

function _M.array_to_hash(_, items)
    local hash = new_tab(0, #items / 2)
    for i = 1, #items, 2 do
        hash[items[i]] = items[i + 1]
    end
    return hash
end

-- --- subscriptions ---

-- By the name of the command: what it subscribes to, and what ends it.
local kinds = {
    subscribe = "channels", unsubscribe = "channels",
    psubscribe = "patterns", punsubscribe = "patterns",
    ssubscribe = "shards", sunsubscribe = "shards",
}

-- What was kept for a channel goes with it.
local function drop_kept(self, kind, name)
    local kept = rawget(self, "_kept")
    if not kept then
        return
    end
    local left = { first = 1, last = 0 }
    for i = kept.first, kept.last do
        local message = kept[i]
        if kind_of[message[1]] ~= kind or message[2] ~= name then
            left.last = left.last + 1
            left[left.last] = message
        end
    end
    self._kept = left.last > 0 and left or nil
end

-- Keeps the books; without any channel the connection is as any other.
local function note_answer(self, answer)
    local kind = type(answer) == "table" and kinds[answer[1]]
    if not kind then
        return
    end
    local names = self._names[kind]
    local is_end = find(answer[1], "unsubscribe", 1, true)
    if type(answer[2]) == "string" then    -- of none: null, or what is no name
        names[answer[2]] = not is_end or nil
        if is_end then
            drop_kept(self, kind, answer[2])
        end
    end
    if is_end and answer[3] == 0 then
        self._subscribed = false
    end
end

-- One answer per channel: one as it is, more in a table.
local function read_each(self, sock, count)
    local answers = {}
    for i = 1, count do
        local answer, err = read_own(self, sock)
        if not answer then
            return nil, err
        end
        note_answer(self, answer)
        answers[i] = answer
    end
    return count == 1 and answers[1] or answers
end

local function ask_each(self, cmd, args, count, expected)
    local sock, err, kept = send(self, cmd, args, count)
    if kept then
        return
    end
    if not sock then
        return nil, err
    end
    return read_each(self, sock, expected)
end

for _, name in ipairs { "subscribe", "psubscribe", "ssubscribe" } do
    local cmd = shown(name)
    _M[name] = function(self, ...)
        local count = select("#", ...)
        if not rawget(self, "_subscribed") then
            self._names = { channels = {}, patterns = {}, shards = {} }
            self._subscribed = true
        end
        return ask_each(self, cmd, { ... }, count, count > 0 and count or 1)
    end
end

-- Without arguments: of all there are.
for _, name in ipairs { "unsubscribe", "punsubscribe", "sunsubscribe" } do
    local cmd = shown(name)
    _M[name] = function(self, ...)
        if not rawget(self, "_subscribed") then
            return nil, "not subscribed"
        end
        local count = select("#", ...)
        local expected = count
        if count == 0 then
            for _ in pairs(self._names[kinds[name]]) do
                expected = expected + 1
            end
        end
        return ask_each(self, cmd, { ... }, count,
                        expected > 0 and expected or 1)
    end
end

function _M.read_reply(self)
    local sock = rawget(self, "_sock")
    if not sock then
        return nil, "not initialized"
    end
    if not rawget(self, "_subscribed") then
        return nil, "not subscribed"
    end
    local kept = rawget(self, "_kept")
    if kept then
        local answer = kept[kept.first]
        kept[kept.first] = nil
        kept.first = kept.first + 1
        if kept.first > kept.last then
            self._kept = nil
        end
        return answer
    end
    local answer, err = read_answer(self, sock, 0)
    note_answer(self, answer)
    return answer, err
end

-- --- pipelines ---

function _M.init_pipeline(self, n)
    self._reqs, self._queued_last = new_tab(n or 4, 0), nil
end

function _M.cancel_pipeline(self)
    self._reqs, self._queued_last = nil, nil
end

-- Every answer, {false, text} for the server's errors.
function _M.commit_pipeline(self)
    local reqs = rawget(self, "_reqs")
    if not reqs then
        return nil, "no pipeline"
    end
    self._reqs = nil

    local sock = rawget(self, "_sock")
    if not sock then
        return nil, "not initialized"
    end
    local last = rawget(self, "_queued_last")
    if last then
        self._queued_last, self._queues = nil, queues_after[last] or nil
    end
    local ok, err = sock:send(reqs)
    if not ok then
        return nil, err
    end
    local answers = new_tab(#reqs, 0)
    for i = 1, #reqs do
        local answer
        answer, err = read_answer(self, sock, 0)
        if answer == nil then
            if err == "timeout" then
                close(self)
            end
            return nil, err
        end
        answers[i] = answer or { false, err }
    end
    return answers
end

return _M
