-- upstream.lua -- ngx.upstream: the `upstream` blocks, their servers, and how
-- these fare.
--
-- C side: modules/lua/api/upstream.c. Any phase; nothing yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local native = require "lunette.native"

local upstream_peers = native.upstream_peers

local _M = {
    get_upstreams = native.upstream_names,
    get_servers = native.upstream_servers,
    current_upstream_name = native.upstream_current,
}

function _M.get_primary_peers(name)
    return upstream_peers(name, false)
end

function _M.get_backup_peers(name)
    return upstream_peers(name, true)
end

-- In this worker only; peers count from 0.
function _M.set_peer_down(name, is_backup, id, is_down)
    return native.upstream_set_down(name, is_backup, id, is_down)
end

return _M
