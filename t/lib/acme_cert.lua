-- acme_cert.lua -- a certificate for what a request (PKCS#10) asks for: its
-- key, its names.  It has the form of one that was signed; its signature is
-- none, so nobody who verifies takes it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

local char, byte, sub = string.char, string.byte, string.sub

-- A value of DER.
local function put(tag, text)
    local n = #text
    local len = n < 128 and char(n) or n < 256 and char(0x81, n)
                or char(0x82, math.floor(n / 256), n % 256)

    return char(tag) .. len .. text
end

-- The value at `at`: its tag, its contents, all of it, where the next begins.
local function get(text, at)
    local tag, len = byte(text, at, at + 1)
    local from = at + 2

    if len > 128 then
        local bytes = len - 128

        len = 0
        for i = 0, bytes - 1 do len = len * 256 + byte(text, from + i) end
        from = from + bytes
    end
    return tag, sub(text, from, from + len - 1), sub(text, at, from + len - 1),
           from + len
end

local ECDSA_SHA256 = "\6\8\42\134\72\206\61\4\3\2"
local EXTENSION_REQUEST = "\6\9\42\134\72\134\247\13\1\9\14"
local COMMON_NAME = "\6\3\85\4\3"

local function time(sec)
    return put(0x18, os.date("!%Y%m%d%H%M%SZ", sec))
end

-- request: DER.  from, until: seconds.  The certificate in PEM.
function _M.issue(request, serial, from, until_)
    local _, info = get(request, 1)
    local _, body = get(info, 1)
    local at, _, key, attributes = 1, nil, nil, nil

    _, _, _, at = get(body, at)                        -- version
    _, _, _, at = get(body, at)                        -- subject
    _, _, key, at = get(body, at)
    _, attributes = get(body, at)

    local found = attributes:find(EXTENSION_REQUEST, 1, true)
    local _, set = get(attributes, found + #EXTENSION_REQUEST)
    local algorithm = put(0x30, ECDSA_SHA256)
    local name = put(0x30, put(0x31, put(0x30, COMMON_NAME
                                               .. put(0x0c, "stand-in"))))
    local tbs = put(0x30, put(0xa0, "\2\1\2")
        .. put(2, char(1, math.floor(serial / 65536) % 256,
                       math.floor(serial / 256) % 256, serial % 256))
        .. algorithm .. name .. put(0x30, time(from) .. time(until_))
        .. put(0x30, "") .. key .. put(0xa3, set))
    local all = put(0x30, tbs .. algorithm
                          .. put(3, "\0" .. put(0x30, "\2\1\1\2\1\1")))

    return "-----BEGIN CERTIFICATE-----\n"
           .. ngx.encode_base64(all):gsub(("."):rep(64), "%0\n")
           .. "\n-----END CERTIFICATE-----\n"
end

return _M
