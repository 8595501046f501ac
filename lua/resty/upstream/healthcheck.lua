-- healthcheck.lua -- asks the servers of an upstream how they are, again and
-- again, and takes those that don't answer out of it.
--
-- Every worker has a timer; a lock in the dictionary lets one of them ask.
-- What it finds is written there, and a version with it: the others read that,
-- because "down" is each worker's own.
--
-- Keys, all of which begin with a letter for their kind: "v:" the version of
-- an upstream, "l:" the lock, "d:" a server is down, "ok:" and "nok:" how often
-- in a row it did or did not answer.
--
-- SPDX-License-Identifier: BSD-2-Clause

local upstream = require "ngx.upstream"

local concat = table.concat
local ipairs, pcall, tonumber, type = ipairs, pcall, tonumber, type
local ceil, min = math.ceil, math.min
local match = string.match
local spawn, wait = ngx.thread.spawn, ngx.thread.wait
local log, re_find, tcp = ngx.log, ngx.re.find, ngx.socket.tcp
local get_primary_peers, get_backup_peers = upstream.get_primary_peers,
                                            upstream.get_backup_peers
local set_peer_down = upstream.set_peer_down
local DEBUG, ERR, WARN = ngx.DEBUG, ngx.ERR, ngx.WARN

local _M = { _VERSION = "0.08" }

local MIN_INTERVAL = 0.002         -- s
local LOCK_SPARE = 0.001           -- s: it is gone before the next round

-- Upstreams that have a checker in this worker.
local checked = {}

local function say(level, ...)
    log(level, "healthcheck: ", ...)
end

-- --- what is known of a server ---

local function key_of(kind, checker, is_backup, id)
    return kind .. ":" .. checker.upstream .. (is_backup and ":b" or ":p") .. id
end

local function set_down(checker, is_backup, peer, down)
    local ok, err = set_peer_down(checker.upstream, is_backup, peer.id, down)
    if not ok then
        say(ERR, "failed to set peer down: ", err)
    end
    peer.down = down
end

-- A change that the other workers have to hear of.
local function publish(checker, is_backup, peer, down)
    set_down(checker, is_backup, peer, down)
    local key = key_of("d", checker, is_backup, peer.id)
    if not down then
        checker.dict:delete(key)
    else
        local ok, err = checker.dict:set(key, true)
        if not ok then
            say(ERR, "failed to set peer state: ", err)
        end
    end
    checker.has_news = true
end

-- How often the server was `kind` in a row, this one as well.
local function count(checker, kind, other, is_backup, id)
    local dict = checker.dict
    dict:delete(key_of(other, checker, is_backup, id))
    local n, err = dict:incr(key_of(kind, checker, is_backup, id), 1, 0)
    if not n then
        say(ERR, "failed to count: ", err)
    end
    return n or 0
end

local function answered(checker, is_backup, peer)
    local n = count(checker, "ok", "nok", is_backup, peer.id)
    if peer.down and n >= checker.rise then
        say(WARN, "peer ", peer.name, " is turned up after ", n,
            " success(es)")
        publish(checker, is_backup, peer, false)
    end
end

local function failed(checker, is_backup, peer)
    local n = count(checker, "nok", "ok", is_backup, peer.id)
    if not peer.down and n >= checker.fall then
        say(WARN, "peer ", peer.name, " is turned down after ", n,
            " failure(s)")
        publish(checker, is_backup, peer, true)
    end
end

-- --- asking ---

-- true, or nil and why not.
local function ask(checker, peer, sock)
    local ok, err
    local host, port = match(peer.name, "^(.*):(%d+)$")
    if host and not match(peer.name, "^unix:") then
        ok, err = sock:connect(host, checker.port or tonumber(port))
    else
        ok, err = sock:connect(peer.name)
    end
    if not ok then
        return nil, "failed to connect to " .. peer.name .. ": " .. err
    end

    if checker.type == "https" then
        ok, err = sock:sslhandshake(checker.session, checker.host,
                                    checker.ssl_verify)
        if not ok then
            return nil, "failed to ssl handshake to " .. peer.name .. ": "
                        .. err
        end
        if checker.ssl_reuse_session and type(ok) == "cdata" then
            checker.session = ok
        end
    end

    ok, err = sock:send(checker.http_req)
    if not ok then
        return nil, "failed to send request to " .. peer.name .. ": " .. err
    end

    local line
    line, err = sock:receive()
    if not line then
        return nil, "failed to receive status line from " .. peer.name .. ": "
                    .. err
    end
    if not checker.statuses then
        return true
    end

    local from, to = re_find(line, [[^HTTP/\d+\.\d+\s+(\d+)]], "joi", nil, 1)
    if not from then
        return nil, "bad status line from " .. peer.name .. ": " .. line
    end
    local status = tonumber(line:sub(from, to))
    if not checker.statuses[status] then
        return nil, "bad status code from " .. peer.name .. ": " .. status
    end
    return true
end

local function check_peer(checker, is_backup, peer)
    local sock, err = tcp()
    if not sock then
        say(ERR, "failed to create stream socket: ", err)
        return
    end
    sock:settimeout(checker.timeout)
    local ok
    ok, err = ask(checker, peer, sock)
    sock:close()
    if ok then
        answered(checker, is_backup, peer)
        return
    end
    if not peer.down then
        say(ERR, err)
    end
    failed(checker, is_backup, peer)
end

local function check_all(checker, work, from, to)
    for i = from, to do
        check_peer(checker, work[i].is_backup, work[i].peer)
    end
end

-- In as many threads as may ask at once, each of which has a part of them.
local function check_peers(checker)
    local work = {}
    for i, peers in ipairs { checker.primary, checker.backup } do
        for _, peer in ipairs(peers) do
            work[#work + 1] = { peer = peer, is_backup = i == 2 }
        end
    end

    local part = ceil(#work / checker.concurrency)
    local threads = {}
    for from = 1, #work, part do
        threads[#threads + 1] = spawn(check_all, checker, work, from,
                                      min(from + part - 1, #work))
    end
    for _, thread in ipairs(threads) do
        wait(thread)
    end
end

-- --- one of the workers asks, all listen ---

local function take_news(checker)
    local version, err = checker.dict:get("v:" .. checker.upstream)
    if err then
        say(ERR, "failed to get peers version: ", err)
        return
    end
    if not version or version <= checker.version then
        return
    end
    say(DEBUG, "upgrading peers version to ", version)
    for i, peers in ipairs { checker.primary, checker.backup } do
        for _, peer in ipairs(peers) do
            local key = key_of("d", checker, i == 2, peer.id)
            local down = checker.dict:get(key) or false
            if down ~= (peer.down or false) then
                set_down(checker, i == 2, peer, down)
            end
        end
    end
    checker.version = version
end

local function tell_news(checker)
    if not checker.has_news then
        return
    end
    checker.has_news = false
    local key = "v:" .. checker.upstream
    local version, err = checker.dict:incr(key, 1, 0)
    if not version then
        say(ERR, "failed to publish new peers version: ", err)
        return
    end
    say(DEBUG, "publishing peers version ", version)
    checker.version = version
end

local function has_lock(checker)
    local ok, err = checker.dict:add("l:" .. checker.upstream, true,
                                     checker.interval - LOCK_SPARE)
    if not ok and err ~= "exists" then
        say(ERR, "failed to add key: ", err)
    end
    return ok
end

local function round(checker)
    say(DEBUG, "run a check cycle")
    take_news(checker)
    if has_lock(checker) then
        check_peers(checker)
    end
    tell_news(checker)
end

local function on_timer(is_premature, checker)
    if is_premature then
        return
    end
    local ok, err = pcall(round, checker)
    if not ok then
        say(ERR, "failed to run healthcheck cycle: ", err)
    end
    ok, err = ngx.timer.at(checker.interval, on_timer, checker)
    if not ok and err ~= "process exiting" then
        say(ERR, "failed to create timer: ", err)
    end
end

-- --- the beginning ---

local function set_of(list)
    if list == nil then
        return nil
    end
    local set = {}
    for _, status in ipairs(list) do
        set[status] = true
    end
    return set
end

-- What the dictionary knows of them from before counts: a reload, or another
-- worker that came first.
local function read_peers(checker)
    local err
    checker.primary, err = get_primary_peers(checker.upstream)
    if not checker.primary then
        return nil, "failed to get primary peers: " .. err
    end
    checker.backup, err = get_backup_peers(checker.upstream)
    if not checker.backup then
        return nil, "failed to get backup peers: " .. err
    end
    return true
end

function _M.spawn_checker(opts)
    local kind = opts.type
    if not kind then
        return nil, "\"type\" option required"
    end
    if kind ~= "http" and kind ~= "https" then
        return nil, "only \"http\" and \"https\" type are supported right now"
    end
    if not opts.http_req then
        return nil, "\"http_req\" option required"
    end

    local timeout = opts.timeout or 1000
    local interval = (opts.interval or 1000) / 1000
    if not (interval >= MIN_INTERVAL) then
        interval = MIN_INTERVAL
    end

    if opts.port ~= nil and (type(opts.port) ~= "number"
                             or not (opts.port > 0 and opts.port < 65536))
    then
        return nil, "\"port\" option must be a number of a port"
    end

    local concurrency = tonumber(opts.concurrency) or 1
    local shm = opts.shm
    if not shm then
        return nil, "\"shm\" option required"
    end
    local dict = ngx.shared[shm]
    if not dict then
        return nil, "shm \"" .. shm .. "\" not found"
    end
    if not opts.upstream then
        return nil, "no upstream specified"
    end

    local checker = {
        type = kind,
        upstream = opts.upstream,
        http_req = opts.http_req,
        timeout = timeout,
        interval = interval,
        dict = dict,
        fall = opts.fall or 5,
        rise = opts.rise or 2,
        statuses = set_of(opts.valid_statuses),
        concurrency = concurrency >= 1 and concurrency or 1,
        port = opts.port,
        host = opts.host,
        ssl_verify = opts.ssl_verify == nil or opts.ssl_verify,
        ssl_reuse_session = opts.ssl_reuse_session,
        version = 0,
    }
    local ok, err = read_peers(checker)
    if not ok then
        return nil, err
    end
    ok, err = ngx.timer.at(0, on_timer, checker)
    if not ok then
        return nil, "failed to create timer: " .. err
    end
    checked[opts.upstream] = true
    return true
end

-- --- what is told of them ---

local function peers_of(name)
    local primary, err = get_primary_peers(name)
    if not primary then
        return nil, "failed to get primary peers in upstream " .. name .. ": "
                    .. err
    end
    local backup
    backup, err = get_backup_peers(name)
    if not backup then
        return nil, "failed to get backup peers in upstream " .. name .. ": "
                    .. err
    end
    return primary, backup
end

local function put_peers(bits, title, peers)
    bits[#bits + 1] = "    " .. title .. " Peers\n"
    for _, peer in ipairs(peers) do
        bits[#bits + 1] = "        " .. peer.name
                          .. (peer.down and " DOWN\n" or " UP\n")
    end
end

function _M.status_page()
    local bits = {}
    for i, name in ipairs(upstream.get_upstreams()) do
        bits[#bits + 1] = (i > 1 and "\n" or "") .. "Upstream " .. name
                          .. (checked[name] and "" or " (NO checkers)")
                          .. "\n"
        local primary, backup = peers_of(name)
        if not primary then
            return backup
        end
        put_peers(bits, "Primary", primary)
        put_peers(bits, "Backup", backup)
    end
    return concat(bits)
end

local METRIC = "nginx_upstream_status_info{name=\""

-- Two lines, one of which is 1; `labels` between the name and the state.
local function put_metric(bits, name, labels, state, states, tail)
    for _, one in ipairs(states) do
        bits[#bits + 1] = METRIC .. name .. "\"," .. labels .. "status=\""
                          .. one .. "\"" .. tail .. "} "
                          .. (state == one and 1 or 0) .. "\n"
    end
end

-- Whether any of them is up.
local function put_peer_metrics(bits, name, peers, role)
    local is_up = false
    for _, peer in ipairs(peers) do
        local state = peer.down and "DOWN" or "UP"
        is_up = is_up or not peer.down
        put_metric(bits, name, "endpoint=\"" .. peer.name .. "\",", state,
                   { "UP", "DOWN" }, ",role=\"" .. role .. "\"")
    end
    return is_up
end

function _M.prometheus_status_page()
    local bits = {
        "# HELP nginx_upstream_status_info The running status of nginx "
        .. "upstream\n# TYPE nginx_upstream_status_info gauge\n",
    }
    for _, name in ipairs(upstream.get_upstreams()) do
        local state = "UNKNOWN"
        if checked[name] then
            local primary, backup = peers_of(name)
            if not primary then
                return nil, backup
            end
            local one = put_peer_metrics(bits, name, primary, "PRIMARY")
            local other = put_peer_metrics(bits, name, backup, "BACKUP")
            state = (one or other) and "UP" or "DOWN"
        end
        put_metric(bits, name, "", state, { "UP", "DOWN", "UNKNOWN" }, "")
    end
    return concat(bits)
end

return _M
