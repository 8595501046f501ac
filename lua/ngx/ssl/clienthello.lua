-- clienthello.lua -- ngx.ssl.clienthello: what a client has said first.
--
-- C side: modules/lua/ssl/ffi_ssl_hello.c. ssl_client_hello_by_lua only;
-- nothing yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local byte, error, ipairs = string.byte, error, ipairs
local bor, ffi_string = require("bit").bor, ffi.string
local now, phases = base.now, base.phases
local to_int = base.to_int
local OK, DECLINED = base.OK, base.DECLINED

base.cdef [[
int lun_ffi_hello_name(lun_str *name, const char **why);
int lun_ffi_hello_ext(unsigned type, lun_str *text, const char **why);
int lun_ffi_hello_exts(int *types, int most, const char **why);
int lun_ffi_hello_ciphers(lun_str *pairs, const char **why);
int lun_ffi_hello_set_protocols(unsigned protocols, const char **why);
]]

local SUPPORTED_VERSIONS = 43      -- an extension
local MOST_EXTENSIONS = 256
local NO_EXTENSION = 0x10000       -- types have 16 bits

local why = ffi.new("const char *[1]")
local text = ffi.new("lun_str[1]")
local types = ffi.new("int[?]", MOST_EXTENSIONS)

-- Not C's: what a hello has them by.
local version_names = {
    [0x002] = "SSLv2",
    [0x300] = "SSLv3",
    [0x301] = "TLSv1",
    [0x302] = "TLSv1.1",
    [0x303] = "TLSv1.2",
    [0x304] = "TLSv1.3",
}

-- As in core/net/tls/tls_ctx.h: LUN_TLS_... for TLS_...
local TLS_SSL2, TLS_SSL3, TLS_1_0, TLS_1_1 = 0x01, 0x02, 0x04, 0x08
local TLS_1_2, TLS_1_3 = 0x10, 0x20

local protocol_bits = {
    SSLv2 = TLS_SSL2,
    SSLv3 = TLS_SSL3,
    TLSv1 = TLS_1_0,
    ["TLSv1.1"] = TLS_1_1,
    ["TLSv1.2"] = TLS_1_2,
    ["TLSv1.3"] = TLS_1_3,
}

local _M = { version = base.version }

local function check()
    if now.phase == phases.init then
        error("no request found", 3)
    end
    if now.phase ~= phases.ssl_client_hello then
        error("API disabled in the current context", 3)
    end
end

-- The text; nil alone: there is none.
local function result(rc)
    if rc == OK then
        return ffi_string(text[0].data, text[0].len)
    end
    if rc == DECLINED then
        return nil
    end
    return nil, ffi_string(why[0])
end

function _M.get_client_hello_server_name()
    check()
    return result(C.lun_ffi_hello_name(text, why))
end

-- The raw bytes of an extension.
function _M.get_client_hello_ext(kind)
    check()
    kind = to_int(kind, -1, NO_EXTENSION)
    return result(C.lun_ffi_hello_ext(kind >= 0 and kind or NO_EXTENSION, text,
                                      why))
end

-- The types of all extensions that OpenSSL knows.
function _M.get_client_hello_ext_present()
    check()

    local n = C.lun_ffi_hello_exts(types, MOST_EXTENSIONS, why)

    if n < 0 then
        return nil, ffi_string(why[0])
    end
    if n == 0 then
        return nil
    end

    local list = {}

    for i = 1, n < MOST_EXTENSIONS and n or MOST_EXTENSIONS do
        list[i] = types[i - 1]
    end
    return list
end

-- The numbers of 16 bits in s, from `at` on; those that are 0x?A?A with equal
-- bytes mean nothing (RFC 8701).
local function numbers(s, at)
    local list = {}

    for i = at, #s - 1, 2 do
        local high, low = byte(s, i, i + 1)

        if high ~= low or high % 16 ~= 10 then
            list[#list + 1] = high * 256 + low
        end
    end
    return list
end

-- The ids of cipher suites, the client's best first.
function _M.get_client_hello_ciphers()
    check()

    local pairs_of_bytes, err = result(C.lun_ffi_hello_ciphers(text, why))

    if not pairs_of_bytes then
        return nil, err
    end
    return numbers(pairs_of_bytes, 1)
end

-- { "TLSv1.2", "TLSv1.3" }; nil alone: the client is too old to say so.
function _M.get_supported_versions()
    check()

    local list, err = result(C.lun_ffi_hello_ext(SUPPORTED_VERSIONS, text,
                                                 why))

    if not list or #list == 0 or byte(list) ~= #list - 1 then
        return nil, err
    end

    -- The client's best comes first; here it is the last.
    local names, ids = {}, numbers(list, 2)

    for i = #ids, 1, -1 do
        names[#names + 1] = version_names[ids[i]]
    end
    return names
end

-- Which of these the server speaks to this client.
function _M.set_protocols(protocols)
    check()

    local bits = 0

    for _, name in ipairs(protocols) do
        if not protocol_bits[name] then
            return nil, "invalid protocols failed"
        end
        bits = bor(bits, protocol_bits[name])
    end

    if C.lun_ffi_hello_set_protocols(bits, why) ~= OK then
        return nil, ffi_string(why[0])
    end
    return true
end

return _M
