-- lunette/sync.lua -- `lunette sync`: a folder of configuration that follows a
-- store
--
-- Reads all that the store has below a prefix (lunette/sync_store.lua), holds
-- it beside what the folder has (lunette/sync_set.lua), and waits until the
-- version there is another one. What it cannot take it leaves: the folder has
-- the last good one, whatever becomes of the store.
--
-- SPDX-License-Identifier: BSD-2-Clause

local set_room = require "lunette.sync_set"
local store_room = require "lunette.sync_store"

local files = require "lunette.files"
local json = require "cjson.safe"

local stdout, stderr = io.stdout, io.stderr

local _M = {}

local USAGE = [[
usage: lunette sync [options] URL DIR

Keeps DIR, a folder of configuration, as the store at URL has it:

  redis://HOST[:6379]/PREFIX      Redis or Valkey; ?db=N
  etcd://HOST[:2379]/PREFIX       etcd, version 3
  consul://HOST[:8500]/PREFIX     the KV of Consul

with rediss, etcds or consuls over TLS, and USER:PASSWORD@ in front of the host
(a token of Consul: TOKEN@). Each key below PREFIX is a file. PREFIX/.version
is written last: any text, with the number of files as its last word. A set
that is whole and passes -t is written to DIR, the server is told to reload,
and PREFIX/.nodes/NODE says which version is served here, or what is wrong.

  -p PREFIX         the server's folder (the one above DIR)
  -c FILE           its configuration, in DIR (nginx.conf)
  --node NAME       who this is (the name of this machine)
  --password FILE   a file with the password, instead of one in the URL
  --interval SEC    how often Redis is asked for the version (1)
  --most BYTES      of a file, at most (1048576)
  --once            ends when DIR is as the store has it, or cannot be
  --help            this text
]]

local VALUES = { ["-p"] = "prefix", ["-c"] = "conf", ["--node"] = "node",
                 ["--password"] = "password_file",
                 ["--interval"] = "interval", ["--most"] = "most" }
local NUMBERS = { interval = { 0.05, 3600 }, most = { 1, 64 * 1024 * 1024 } }

local MOST_FILES = 1000
local MOST_BYTES = 64 * 1024 * 1024    -- of all files together
local PAUSE_MOST = 30                  -- seconds until a store that is away is
                                       -- asked again
local LOOK = 55                        -- ... until it is looked at, unasked

-- The options, or nil and what is wrong.
local function read_options(words)
    local o, i, rest = {}, 1, {}

    while words[i] do
        local word = words[i]
        local field = VALUES[word]

        if field then
            i = i + 1
            o[field] = words[i]
            if not o[field] then
                return nil, word .. " needs a value"
            end

        elseif word == "--once" or word == "--help" or word == "-h" then
            o[word == "--once" and "once" or "help"] = true

        elseif word:sub(1, 1) == "-" then
            return nil, 'unknown option "' .. word .. '"'

        else
            rest[#rest + 1] = word
        end
        i = i + 1
    end

    for field, range in pairs(NUMBERS) do
        local text = o[field]
        o[field] = tonumber(text)
        if text and not (o[field] and o[field] >= range[1]
                         and o[field] <= range[2])
        then
            return nil, ("--%s takes a number from %s to %s")
                        :format(field, range[1], range[2])
        end
    end

    if #rest ~= 2 and not o.help then
        return nil, "a URL and a folder are wanted"
    end
    o.url, o.dir = rest[1], rest[2]
    return o
end

-- The name of this machine, as a key may have it.
local function node_name()
    local name = os.getenv "COMPUTERNAME" or os.getenv "HOSTNAME"
                 or files.read "/proc/sys/kernel/hostname" or "node"

    return (name:gsub("%s", ""))
end

local function with_defaults(o)
    o.dir = o.dir:gsub("\\", "/"):gsub("(.)/+$", "%1")
    o.prefix = o.prefix or o.dir:match "^(.*)/[^/]*$" or "."
    if o.prefix == "" then
        o.prefix = "/"
    end
    if not (o.dir:find "^/" or o.dir:find "^%a:/" or o.prefix == "."
            or o.dir:sub(1, #o.prefix + 1) == o.prefix .. "/")
    then
        return nil, "DIR is to be absolute, or below the server's folder (-p)"
    end
    o.conf = o.conf or "nginx.conf"
    o.node = o.node or node_name()
    o.interval = o.interval or 1
    o.most = o.most or 1024 * 1024
    o.most_files, o.most_bytes = MOST_FILES, MOST_BYTES

    local fault = set_room.name_fault(o.node)
    if fault or o.node:find "/" then
        return nil, '"' .. o.node .. '" is no name of a node'
    end
    fault = set_room.name_fault(o.conf)
    if fault then
        return nil, '"' .. o.conf .. '" is no file in DIR: ' .. fault
    end

    if o.password_file then
        local text, err = files.read(o.password_file)
        if not text then
            return nil, err
        end
        o.password = text:match "^[^\r\n]*"
    end
    return o
end

local function say(...)
    stdout:write(os.date "!%Y-%m-%d %H:%M:%S ", string.format(...), "\n")
    stdout:flush()
end

-- Back to the store: what is served here, and why it is not what is there.
local function report(store, o, state)
    local text = json.encode {
        version = state.version, wanted = state.wanted, error = state.fault,
        time = os.date "!%Y-%m-%dT%H:%M:%SZ"
    }

    if text ~= state.reported_text then
        local ok, err = store:report(o.node, text)

        if not ok then
            say("nothing can be reported: %s", err)
        end
    end
end

-- One look; false and why not, if the store is away.
local function look(store, o, state)
    local set, err, bad = store:read()

    if not set and not bad then
        return false, err
    end

    if state.away then
        say("the store is back")
        state.away = nil
    end

    local verdict, fault
    if set then
        set.version = set.version and set.version:gsub("%s+$", "")
        verdict, fault = set_room.apply(set, o)
        state.wanted = set.version
    else
        fault = err
    end

    if fault and (fault ~= state.fault or state.refused ~= state.wanted) then
        say('version "%s" is refused, "%s" stays: %s', state.wanted or "?",
            set_room.version(o) or "none", fault)
        state.refused = state.wanted
    elseif verdict == "written" then
        say('version "%s" is served', set.version)
    elseif verdict == "unheard" then
        say('version "%s" is here; there is no server that could reload',
            set.version)
    elseif verdict == "same" and not state.told then
        say('version "%s" is here already', set.version)
    end

    state.told = true
    state.fault = fault
    state.version = set_room.version(o)
    report(store, o, state)
    return true
end

local function lost(o, state, err)
    if not state.away then
        say('the store is away: %s; version "%s" stays', err,
            set_room.version(o) or "none")
        state.away = true
    end
end

-- For ever, unless it is to be done once.
local function follow(store, o)
    local state, pause = {}, 0.5

    while true do
        local ok, err = look(store, o, state)

        if ok and not o.once then
            pause = 0.5
            ok, err = store:wait(LOOK)
        end

        if o.once then
            if not ok then
                lost(o, state, err)
            end
            return ok and not state.fault and 0 or 1
        end

        if not ok then
            lost(o, state, err)
            store:close()
            ngx.sleep(pause * (0.75 + math.random() / 2))
            pause = math.min(pause * 2, PAUSE_MOST)
        end
    end
end

function _M.main(args)
    local o, err = read_options(args)

    if o and o.help then
        stdout:write(USAGE)
        return 0
    end

    if o then
        o, err = with_defaults(o)
    end

    local store
    if o then
        store, err = store_room.open(o)
    end

    if not store then
        stderr:write("lunette sync: ", err,
                     "; lunette sync --help has all of it\n")
        return 1
    end
    return follow(store, o)
end

return _M
