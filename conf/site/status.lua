-- status.lua -- what all workers have done, for the page at /.
--
-- SPDX-License-Identifier: BSD-2-Clause

local cjson = require "cjson.safe"

local counters = ngx.shared.counters

local _M = {}

-- For init_by_lua: once for each configuration that was read.
function _M.loaded()
    counters:safe_add("started", ngx.time())
    counters:incr("loads", 1, 0)
end

-- For log_by_lua: after each request.
function _M.count()
    counters:incr("requests", 1, 0)
    counters:incr("worker " .. ngx.worker.id(), 1, 0)
end

-- What the default page shows, as JSON.
function _M.answer()
    local workers = {}

    for i = 1, ngx.worker.count() do
        workers[i] = counters:get("worker " .. i - 1) or 0
    end
    ngx.header.content_type = "application/json"
    ngx.header.cache_control = "no-store"
    ngx.print(cjson.encode {
        workers = workers,
        requests = counters:get("requests") or 0,
        reloads = counters:get("loads") - 1,
        seconds = ngx.time() - counters:get("started"),
        connections = tonumber(ngx.var.connections_active),
        answered_by = ngx.worker.id(),
    })
end

return _M
