-- lunette/worker_thread.lua -- the API in a thread: what needs no request, no
-- loop and no turn. Runs once in each machine for threads, before it leaves
-- the loop's thread, and asks there for all that only that one may be asked.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ipairs, pairs = ipairs, pairs

ngx = {}

local base = require "lunette.base"
base.apart = true

local areas = { "constants", "hash", "base64", "uri", "regex", "shdict",
                "worker" }

for _, area in ipairs(areas) do
    require("resty.core." .. area)
end

-- Dictionaries are found by the current generation: here and now.
local shared = {}
for name, dict in pairs(ngx.shared) do
    shared[name] = dict
end
ngx.shared = shared

local function constant(value)
    return function ()
        return value
    end
end

ngx.config.prefix = constant(ngx.config.prefix())
ngx.config.nginx_configure = constant(ngx.config.nginx_configure())
ngx.worker = nil

package.loaded.ngx = ngx

return {}
