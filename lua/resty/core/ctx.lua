-- ctx.lua -- ngx.ctx: a table per request or timer, made when first asked for.
--
-- C side: ffi_ctx.c. The tables are in one array, whose free slots are a list.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local native = require "lunette.native"

local C = ffi.C
local band = bit.band
local error, rawget, setmetatable = error, rawget, setmetatable
local type = type
local now, ref_in_table = base.now, base.ref_in_table
local ctxs = native.ctxs

base.cdef [[
int lun_ffi_ctx_ref(void);
void lun_ffi_set_ctx_ref(int ref);
int lun_ffi_ctx_handshake(void);
]]

local p = base.phases
local NONE = p.init

local function check()
    if now.phase == NONE then
        error("no request found", 3)
    end
    if now.ctx == nil or band(now.phase, NONE) ~= 0 then
        error("no request ctx found", 3)
    end
end

local function new_ref(ctx)
    C.lun_ffi_set_ctx_ref(ref_in_table(ctxs, ctx))
end

-- Requests see what handlers of the handshake have left, and write beside it.
local function new_table()
    local above = ctxs[C.lun_ffi_ctx_handshake()]

    if type(above) ~= "table" then
        return {}
    end
    if rawget(above, "__index") == nil then
        above.__index = above
    end
    return setmetatable({}, above)
end

-- `ctx`: the table to make it of, if there is none yet.
local function get_ctx_table(ctx)
    check()

    local ref = C.lun_ffi_ctx_ref()

    if ref > 0 then
        return ctxs[ref]
    end

    ctx = ctx or new_table()
    new_ref(ctx)
    return ctx
end

base.register_ngx_magic_key_getter("ctx", function ()
    return (get_ctx_table())
end)

base.register_ngx_magic_key_setter("ctx", function (ctx)
    check()

    if type(ctx) ~= "table" then
        error("ctx should be a table while getting a " .. type(ctx), 2)
    end

    local ref = C.lun_ffi_ctx_ref()

    if ref > 0 then
        ctxs[ref] = ctx
    else
        new_ref(ctx)
    end
end)

return { _VERSION = base.version, get_ctx_table = get_ctx_table }
