-- core.lua -- the API: loads every area of it.
--
-- A machine runs this file once, before anything else, and only from inside
-- the executable. Each area fills its part of `ngx`; its C side is the
-- ffi_*.c of the same name in modules/lua/ffi; that of ngx.ssl is in
-- modules/lua/ssl, that of libraries in modules/lua/lib.
--
-- SPDX-License-Identifier: BSD-2-Clause

local rawset, setmetatable = rawset, setmetatable

ngx = {}

local base = require "lunette.base"

-- Keys of `ngx` that are computed: ngx.status, ngx.ctx, ...
local getters, setters = base.magic_getters, base.magic_setters

setmetatable(ngx, {
    __index = function (_, key)
        local get = getters[key]

        if get then
            return get()
        end
    end,

    __newindex = function (tb, key, value)
        local set = setters[key]

        if set then
            return set(value)
        end
        rawset(tb, key, value)
    end,
})

-- What only a request has.
local http = base.subsystem == "http"

local function load(areas)
    for _, area in ipairs(areas) do
        require("resty.core." .. area)
    end
end

load { "constants", "phase", "worker", "log", "ctx", "output", "control",
       "coroutine", "thread", "timer", "time", "uri", "hash", "base64", "var",
       "regex", "shdict" }
load(http and { "misc", "arg", "ndk", "request", "response" } or { "stream" })
load { "socket" }

if http then
    require "resty.core.location"
end

require "lunette.gsub"
require "lunette.require"
require "lunette.nginx_stat"
require "resty.core.globals"
package.loaded.ngx = ngx

-- A global one in OpenResty's LuaJIT.
rawset(_G, "exdata", require "thread.exdata")

return { version = base.version }
