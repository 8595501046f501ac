-- mysql_auth.lua -- how a user proves to MySQL that the password is known.
--
-- C side: ffi_cipher.c. Nothing here yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local bit = require "bit"
local ffi = require "ffi"
local base = require "lunette.base"
local sha256 = require "resty.sha256"

local C = ffi.C
local ffi_string = ffi.string
local bxor = bit.bxor
local byte, char = string.byte, string.char
local sha1_bin = ngx.sha1_bin
local get_string_buf = base.get_string_buf

base.cdef [[
int lun_ffi_rsa_encrypt(const char *pem, size_t pem_len, const char *data,
    size_t len, unsigned char *out, size_t room);
int lun_ffi_ed25519_sign(const char *secret, size_t secret_len,
    const char *text, size_t len, unsigned char *out);
]]

local _M = {}

local RSA_ROOM = 2048                      -- bytes of what RSA makes
local SIGNATURE = 64                       -- of Ed25519
-- Not C's: what caching_sha2_password's server says and is asked.
local FAST, FULL = "\3", "\4"
local ASK_SHA256_KEY, ASK_CACHING_KEY = "\1", "\2"

local function xor(a, b)
    local bytes = {}
    for i = 1, #a do
        bytes[i] = char(bxor(byte(a, i), byte(b, (i - 1) % #b + 1)))
    end
    return table.concat(bytes)
end

local function sha256_bin(s)
    local hash = sha256:new()
    hash:update(s)
    return hash:final()
end

local function native(password, scramble)
    local once = sha1_bin(password)
    return xor(once, sha1_bin(scramble .. sha1_bin(once)))
end

local function caching_sha2(password, scramble)
    local once = sha256_bin(password)
    return xor(once, sha256_bin(sha256_bin(once) .. scramble))
end

-- MariaDB's: the password is the secret that signs what the server has said.
local function ed25519(password, scramble)
    local room = get_string_buf(SIGNATURE)
    if C.lun_ffi_ed25519_sign(password, #password, scramble, #scramble, room)
       ~= 0
    then
        return nil, "failed to sign the server's scramble"
    end
    return ffi_string(room, SIGNATURE)
end

-- By the name of the server's plugin: what the client says first. A password
-- itself goes over TLS only.
local answers = {
    mysql_native_password = native,
    caching_sha2_password = caching_sha2,
    client_ed25519 = ed25519,
    sha256_password = function(password, _, is_secure)
        return is_secure and password .. "\0" or ASK_SHA256_KEY
    end,
    mysql_clear_password = function(password, _, is_secure)
        if not is_secure then
            return nil, "mysql_clear_password needs TLS"
        end
        return password .. "\0"
    end,
}

-- Bytes of what a server has said that are used.
function _M.scramble_size(plugin)
    return plugin == "client_ed25519" and 32 or 20
end

function _M.answer(plugin, password, scramble, is_secure)
    local answer = answers[plugin]
    if not answer then
        return nil, "authentication plugin '" .. (plugin or "")
                    .. "' is not supported"
    end
    if password == "" and plugin ~= "client_ed25519" then
        return plugin == "sha256_password" and "\0" or ""
    end
    return answer(password, scramble, is_secure)
end

local function encrypt(pem, password, scramble)
    if scramble == "" then
        return nil, "the server has said nothing to hide the password by"
    end
    local room = get_string_buf(RSA_ROOM)
    local text = xor(password .. "\0", scramble)
    local len = C.lun_ffi_rsa_encrypt(pem, #pem, text, #text, room, RSA_ROOM)
    if len <= 0 then
        return nil, "failed to encrypt the password with the server's key"
    end
    return ffi_string(room, len)
end

-- What the server wants besides: text, nothing to be sent (false), or nil and
-- why.
function _M.go_on(plugin, password, scramble, is_secure, data)
    if plugin == "caching_sha2_password" then
        if data == FAST then
            return false
        end
        if data == FULL then
            return is_secure and password .. "\0" or ASK_CACHING_KEY
        end
    elseif plugin ~= "sha256_password" then
        return nil, "unexpected authentication data"
    end
    return encrypt(data, password, scramble)
end

return _M
