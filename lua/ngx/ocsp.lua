-- ocsp.lua -- ngx.ocsp: what an authority says of a certificate, for clients
-- that want to know. Asking it is the handler's, over a cosocket.
--
-- C side: modules/lua/ssl/ffi_ocsp.c. Any phase, but for set_ocsp_status_resp,
-- which is ssl_certificate_by_lua's; nothing yields. Chains are DER: the
-- certificate, and its issuer's next.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local error, tonumber = error, tonumber
local ffi_string = ffi.string
local get_string_buf, get_size_ptr = base.get_string_buf, base.get_size_ptr
local get_string_buf_size = base.get_string_buf_size
local to_int, INT_MAX = base.to_int, base.INT_MAX
local min = math.min
local now, phases = base.now, base.phases
local OK, BUSY, DECLINED = base.OK, base.BUSY, base.DECLINED

base.cdef [[
int lun_ffi_ocsp_responder(const char *der, size_t len, char *room,
    size_t *size, const char **why);
int lun_ffi_ocsp_request(const char *der, size_t len, char *room,
    size_t *size, const char **why);
int lun_ffi_ocsp_check(const char *answer, size_t answer_len,
    const char *der, size_t len, char *room, size_t *size, int64_t *next);
int lun_ffi_ocsp_staple(const char *answer, size_t len, const char **why);
]]

local why = ffi.new("const char *[1]")
local next_at = ffi.new("int64_t[1]")

local _M = { version = base.version }

-- No URL and no request is longer than its chain and this; no text of
-- validate_ocsp_response() is longer than this.
local MARGIN = 4096

-- Room for `max` bytes, but for no more than there can be.
local function room_of(max, chain)
    local size = get_size_ptr()
    local len = to_int(max or get_string_buf_size(), 0, INT_MAX)
    local room = min(len, #chain + MARGIN)

    size[0] = room
    return get_string_buf(room), size, len
end

-- Its URL, cut to max bytes ("truncated"); nil alone: it names none.
function _M.get_ocsp_responder_from_der_chain(chain, max)
    local room, size = room_of(max, chain)
    local rc = C.lun_ffi_ocsp_responder(chain, #chain, room, size, why)

    if rc == OK then
        return ffi_string(room, size[0])
    end
    if rc == BUSY then
        return ffi_string(room, size[0]), "truncated"
    end
    if rc == DECLINED then
        return nil
    end
    return nil, ffi_string(why[0])
end

-- The body of a POST to that URL.
function _M.create_ocsp_request(chain, max)
    local room, size, len = room_of(max, chain)
    local rc = C.lun_ffi_ocsp_request(chain, #chain, room, size, why)

    if rc == OK then
        return ffi_string(room, size[0])
    end
    if rc == BUSY then
        return nil, ffi_string(why[0]) .. ": " .. tonumber(size[0]) .. " > "
                    .. len
    end
    return nil, ffi_string(why[0])
end

-- Whether an answer is signed, about this certificate, good and of today; and
-- when there will be a newer one, if it says so.
function _M.validate_ocsp_response(answer, chain, max)
    local room, size = room_of(max, chain)

    if C.lun_ffi_ocsp_check(answer, #answer, chain, #chain, room, size, next_at)
       ~= OK
    then
        return nil, ffi_string(room, size[0])
    end
    local at = tonumber(next_at[0])
    return true, at > 0 and at or nil
end

-- The client of this handshake gets it, if he has asked for one.
function _M.set_ocsp_status_resp(answer)
    if now.phase == phases.init then
        error("no request found", 2)
    end

    local rc = C.lun_ffi_ocsp_staple(answer, #answer, why)

    if rc == OK then
        return true
    end
    if rc == DECLINED then
        return true, "no status req"
    end
    return nil, ffi_string(why[0])
end

return _M
