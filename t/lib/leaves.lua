-- leaves.lua -- for specs: each field of the status tree, and the block of a
-- spec in which it changes.
--
-- A name that is a zone's, a server's, a process's is "*", a status "CODE".
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

local named = {
    server_zones = true, location_zones = true, caches = true,
    limit_conns = true, limit_reqs = true, upstreams = true, peers = true,
    resolvers = true, dictionaries = true, slabs = true, workers = true,
    duties = true, programs = true, metrics = true, static = true,
    metric_zones = true, acme_clients = true
}

-- Where fields change: the spec, the beginning of a block's name, the fields.
-- "the same" are those that have one value as long as a configuration.
_M.cases = {
    { "60-modules/api.t", "answers by status", [[
        http/server_zones/*/data/received http/server_zones/*/data/sent
        http/server_zones/*/requests/total
        http/server_zones/*/requests/discarded
        http/server_zones/*/requests/processing
        http/server_zones/*/responses/CODE ]] },
    { "60-modules/api.t", "handshakes by server", [[
        http/server_zones/*/ssl/failed http/server_zones/*/ssl/timedout
        http/server_zones/*/ssl/handshaked http/server_zones/*/ssl/reuses ]] },
    { "60-modules/status_zone.t", "a server's zone", [[
        http/location_zones/*/data/received http/location_zones/*/data/sent
        http/location_zones/*/requests/total
        http/location_zones/*/responses/CODE ]] },
    { "60-modules/api-leaves.t", "requests of a location", [[
        http/location_zones/*/requests/discarded ]] },
    { "60-modules/api.t", "a cache: how answers", [[
        http/caches/*/hit/bytes http/caches/*/hit/responses
        http/caches/*/miss/bytes http/caches/*/miss/bytes_written
        http/caches/*/miss/responses http/caches/*/miss/responses_written
        http/caches/*/expired/bytes http/caches/*/expired/bytes_written
        http/caches/*/expired/responses http/caches/*/expired/responses_written
        http/caches/*/bypass/bytes http/caches/*/bypass/bytes_written
        http/caches/*/bypass/responses http/caches/*/bypass/responses_written
        http/caches/*/size http/caches/*/max_size http/caches/*/cold
        duties/*/worker ]] },
    { "60-modules/api-states.t", "answers of a cache", [[
        http/caches/*/stale/bytes http/caches/*/stale/responses
        http/caches/*/updating/bytes http/caches/*/updating/responses
        http/caches/*/revalidated/bytes http/caches/*/revalidated/responses ]]
        },
    { "60-modules/api-leaves.t", "memory, and what is in it", [[
        http/caches/*/entries slabs/*/pages/used slabs/*/pages/free
        slabs/*/size slabs/*/kind ]] },
    { "60-modules/api.t", "limits: passed", [[
        http/limit_reqs/*/passed http/limit_reqs/*/rejected
        http/limit_reqs/*/skipped http/limit_reqs/*/delayed
        http/limit_reqs/*/rejected_dry_run
        http/limit_conns/*/passed http/limit_conns/*/rejected
        http/limit_conns/*/skipped ]] },
    { "60-modules/api-leaves.t", "limits without room", [[
        http/limit_reqs/*/exhausted http/limit_conns/*/exhausted
        http/limit_reqs/*/delayed_dry_run
        http/limit_conns/*/rejected_dry_run ]] },
    { "60-modules/api.t", "a server of an upstream", [[
        http/upstreams/*/keepalive http/upstreams/*/zone http/upstreams/*/method
        http/upstreams/*/peers/*/state http/upstreams/*/peers/*/weight
        http/upstreams/*/peers/*/max_conns http/upstreams/*/peers/*/backup
        http/upstreams/*/peers/*/sid http/upstreams/*/peers/*/selected/total
        http/upstreams/*/peers/*/selected/last
        http/upstreams/*/peers/*/responses/CODE
        http/upstreams/*/peers/*/data/sent
        http/upstreams/*/peers/*/data/received
        http/upstreams/*/peers/*/health/fails
        http/upstreams/*/peers/*/health/unavailable
        http/upstreams/*/peers/*/health/downstart ]] },
    { "60-modules/api-states.t", "a server that has all", [[
        http/upstreams/*/peers/*/selected/current ]] },
    { "60-modules/health_check.t", "a server that does not pass", [[
        http/upstreams/*/peers/*/health/probes/fails
        http/upstreams/*/peers/*/health/probes/last
        http/upstreams/*/peers/*/health_checks/checks
        http/upstreams/*/peers/*/health_checks/fails
        http/upstreams/*/peers/*/health_checks/unhealthy
        http/upstreams/*/peers/*/health_checks/last_passed ]] },
    { "60-modules/api-leaves.t", "times of a server", [[
        http/upstreams/*/peers/*/server
        http/upstreams/*/peers/*/health/connect_time
        http/upstreams/*/peers/*/health/header_time
        http/upstreams/*/peers/*/health/response_time
        http/upstreams/*/peers/*/health/downtime
        http/upstreams/*/peers/*/health/probes/count ]] },
    { "60-modules/api.t", "sessions of stream", [[
        stream/server_zones/*/connections/total
        stream/server_zones/*/connections/discarded
        stream/server_zones/*/sessions/success
        stream/server_zones/*/sessions/forbidden
        stream/server_zones/*/sessions/bad_gateway
        stream/server_zones/*/data/sent stream/limit_conns/*/passed
        stream/upstreams/*/peers/*/selected/total
        stream/upstreams/*/peers/*/data/received ]] },
    { "60-modules/api-leaves.t", "other ends of sessions", [[
        stream/server_zones/*/sessions/invalid
        stream/server_zones/*/sessions/internal_error
        stream/server_zones/*/sessions/service_unavailable
        stream/server_zones/*/connections/passed
        stream/server_zones/*/connections/processing
        stream/server_zones/*/data/received
        stream/limit_conns/*/rejected stream/limit_conns/*/rejected_dry_run
        stream/limit_conns/*/skipped stream/limit_conns/*/exhausted ]] },
    { "60-modules/api-leaves.t", "handshakes of stream", [[
        stream/server_zones/*/ssl/handshaked stream/server_zones/*/ssl/reuses
        stream/server_zones/*/ssl/failed stream/server_zones/*/ssl/timedout ]]
        },
    { "60-modules/api-leaves.t", "a server of stream", [[
        stream/upstreams/*/zone stream/upstreams/*/method
        stream/upstreams/*/peers/*/server stream/upstreams/*/peers/*/state
        stream/upstreams/*/peers/*/weight stream/upstreams/*/peers/*/backup
        stream/upstreams/*/peers/*/selected/current
        stream/upstreams/*/peers/*/selected/last
        stream/upstreams/*/peers/*/data/sent
        stream/upstreams/*/peers/*/health/fails
        stream/upstreams/*/peers/*/health/unavailable
        stream/upstreams/*/peers/*/health/downstart
        stream/upstreams/*/peers/*/health/downtime
        stream/upstreams/*/peers/*/health/connect_time
        stream/upstreams/*/peers/*/health/first_byte_time
        stream/upstreams/*/peers/*/health/last_byte_time
        stream/upstreams/*/peers/*/health/probes/count
        stream/upstreams/*/peers/*/health/probes/fails
        stream/upstreams/*/peers/*/health/probes/last
        stream/upstreams/*/peers/*/health_checks/checks
        stream/upstreams/*/peers/*/health_checks/fails
        stream/upstreams/*/peers/*/health_checks/unhealthy
        stream/upstreams/*/peers/*/health_checks/last_passed ]] },
    { "60-modules/api-states.t", "a resolver's answers", [[
        resolvers/*/queries/name resolvers/*/responses/not_found
        resolvers/*/responses/server_failure resolvers/*/responses/success
        resolvers/*/sent/a ]] },
    { "60-modules/api.t", "a resolver: what it was asked", [[
        resolvers/*/responses/timedout ]] },
    { "60-modules/api-leaves.t", "other questions of a resolver", [[
        resolvers/*/queries/srv resolvers/*/sent/aaaa resolvers/*/sent/srv
        resolvers/*/responses/format_error resolvers/*/responses/unimplemented
        resolvers/*/responses/refused resolvers/*/responses/other ]] },
    { "60-modules/api.t", "dictionaries, certificates", [[
        dictionaries/*/used dictionaries/*/free dictionaries/*/capacity
        workers/*/waits/sleep workers/*/lua/timers workers/*/lua/memory ]] },
    { "60-modules/api-leaves.t", "connections, and what workers have", [[
        connections/accepted connections/active connections/idle
        workers/*/connections workers/*/requests workers/*/processing
        workers/*/lua/waiting workers/*/lua/machines
        workers/*/lua/timers_running ]] },
    { "60-modules/api.t", "arguments: a line", "connections/dropped" },
    { "60-modules/api-leaves.t", "what scripts wait for", [[
        workers/*/waits/body workers/*/waits/flush
        workers/*/waits/handshake
        workers/*/waits/receive workers/*/waits/semaphore workers/*/waits/send
        workers/*/waits/subrequest workers/*/waits/thread
        workers/*/waits/worker_thread ]] },
    { "60-modules/api-leaves.t", "what scripts wait for: another",
      "workers/*/waits/pipe" },
    { "60-modules/api-leaves.t", "after a reload", [[
        lunette/generation lunette/load_time workers/*/generation ]] },
    { "60-modules/api.t", "Angie's name for it", "lunette/version" },
    { "60-modules/api.t", "the tree, as Angie has it", "lunette/address" },
    { "60-modules/metric_zone.t", "modes, by one worker", [[
        http/metric_zones/*/discarded http/metric_zones/*/metrics/* ]] },
}

-- Fields that no spec can make change, and why.
_M.exceptions = {
    -- Angie's; nothing of ours asks whose an address is.
    "resolvers/*/queries/addr", "resolvers/*/sent/ptr",
    -- A connection that takes its time needs a network that loses packets.
    "workers/*/waits/connect",
    -- What has no word of its own yet.
    "workers/*/waits/other",
}


-- A field's path with "*" for names.
local function walk(value, path, last, to)
    if type(value) ~= "table" then
        to[path] = true
        return
    end

    for name, member in pairs(value) do
        local own = tostring(name)

        if named[last] then
            own = "*"
        elseif last == "responses"
               and (own:match "^%d%d%d$" or own == "xxx") then
            own = "CODE"
        end

        walk(member, path == "" and own or path .. "/" .. own,
             named[last] and "" or own, to)
    end
end


-- Fields of that tree without a case, in order.
function _M.unknown(tree)
    local found, known, list = {}, {}, {}

    for _, case in ipairs(_M.cases) do
        for leaf in case[3]:gmatch "%S+" do known[leaf] = true end
    end

    for _, leaf in ipairs(_M.exceptions) do known[leaf] = true end

    walk(tree, "", "", found)

    for leaf in pairs(found) do
        if not known[leaf] then list[#list + 1] = leaf end
    end

    table.sort(list)
    return list
end


-- Cases whose block is not there, or does not name the field.
function _M.unnamed(read)
    local list, texts = {}, {}

    for _, case in ipairs(_M.cases) do
        local spec = case[1]

        texts[spec] = texts[spec] or "\n" .. assert(read(spec), spec)

        local at = texts[spec]:find("\n=== " .. case[2], 1, true)
        local block = at and texts[spec]:sub(at + 1):match "^(.-)\n=== "
                      or at and texts[spec]:sub(at + 1) or ""

        for leaf in case[3]:gmatch "%S+" do
            local word = leaf:match "([^/]+)$"

            word = word == "CODE" and "responses" or word == "*" and "metrics"
                   or word

            if not block:find(word, 1, true) then
                list[#list + 1] = spec .. ": " .. case[2] .. ": " .. leaf
            end
        end
    end
    return list
end


return _M
