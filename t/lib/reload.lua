-- For blocks that reload their own server with another configuration.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local process = require "ngx.process"

local _M = {}

-- Reloads with what `change` makes of the configuration's text.
function _M.with(change)
    local path = ngx.config.prefix() .. "conf/nginx.conf"
    local text = assert(io.read(path))

    assert(io.write(path, change(text)))
    assert(io.tell(process.get_master_pid(), "reload", 20000))
end

-- Reloads with `one` where `two` was and the other way round.
function _M.swapping(one, two)
    _M.with(function (text)
        return (text:gsub("[%w.:]+", { [one] = two, [two] = one }))
    end)
end

-- Until the old workers have heard of it, both answer.
function _M.await(holds)
    for _ = 1, 500 do
        if holds() then
            return
        end
        ngx.sleep(0.02)
    end
    error("nothing has changed", 2)
end

return _M
