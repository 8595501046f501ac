-- counter.lua -- counts requests across all workers.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

function _M.answer()
    local n = ngx.shared.counters:incr("hits", 1, 0)
    ngx.say("request ", n, ", answered by worker ", ngx.worker.id(),
            " of ", ngx.worker.count())
end

return _M
