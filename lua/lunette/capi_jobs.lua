-- capi_jobs.lua -- what lua-resty-core waits for: jobs that a function of C has
-- noted, and coroutine._yield() does.
--
-- C side: modules/lua/capi/capi_wait.c and its kin. Each function here gets
-- what its kind of job pushes there.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local native = require "lunette.native"
local pipe_read = require "lunette.pipe_read"

local cast, select = ffi.cast, select
local take_job = native.capi_take_job

-- Not C's: the ways of reading that lua-resty-core's ngx.pipe knows.
local readers = { [0] = "all", "bytes", "line", "any" }

-- As in modules/lua/sock/sock.h: LUN_COSOCK_...
local BOX, CONNECT_TIMEOUT = 1, 2

local jobs = {}

function jobs.sema(box, seconds)
    return native.sema_wait(box, seconds)
end

function jobs.pipe_read(handle, box, limit, which, reader, len, rest)
    local self = { box = box, timeouts = { [which] = limit },
                   rest = { [which] = rest } }
    local text, err, partial = pipe_read[readers[reader] or "any"](self, which,
                                                                   len)
    native.capi_keep_read(handle, which, text, err, partial, self.rest[which])
end

function jobs.pipe_write(handle, box, limit, text)
    native.capi_keep_written(handle, native.pipe_write(box, text, limit))
end

function jobs.pipe_wait(_, box, limit)
    local ok, reason, status = native.pipe_wait(box, limit)

    if not status then
        return nil, reason
    end
    return ok, reason, status
end

local function pointer(p)
    return p and cast("void *", p)
end

function jobs.handshake(box, limit, gives, name, verify, status, session,
                        chain, key, store)
    local sock = { [BOX] = box, [CONNECT_TIMEOUT] = limit }

    if gives then
        session = pointer(session)
    else
        session = false
    end
    native.capi_keep_session(box, native.sock_ssl(sock, session, name, verify,
                                                  status, pointer(chain),
                                                  pointer(key),
                                                  pointer(store)))
end

local _M = {}

-- coroutine._yield(): does the job that its caller has noted; else `yield`.
function _M.make_yield(yield)
    local function run(kind, ...)
        if kind then
            return jobs[kind](...)
        end
        return yield()
    end

    return function (...)
        if select("#", ...) > 0 then
            return yield(...)
        end
        return run(take_job())
    end
end

return _M
