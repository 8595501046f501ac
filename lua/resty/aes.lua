-- aes.lua -- AES of whole messages, with a key that is derived or given.
--
-- C side: ffi_cipher.c. Nothing here yields; every phase may use it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_gc, ffi_new, ffi_string = ffi.gc, ffi.new, ffi.string
local error, setmetatable, tonumber, type =
    error, setmetatable, tonumber, type
local get_string_buf = base.get_string_buf
local to_int, INT_MAX = base.to_int, base.INT_MAX

base.cdef [[
const void *lun_ffi_cipher_named(const char *name);
const void *lun_ffi_cipher_hash(const char *name);
int lun_ffi_cipher_derive(const void *cipher, const void *hash,
    const char *salt, const char *pass, size_t len, int rounds,
    unsigned char *key, unsigned char *iv);
void *lun_ffi_cipher_new(const void *cipher, int encrypt, int iv_len,
    int padding);
int64_t lun_ffi_cipher_run(void *ctx, const char *key, const char *iv,
    const char *aad, size_t aad_len, const char *data, size_t len, char *out,
    char *tag);
void lun_ffi_cipher_free(void *ctx);
]]

local _M = { _VERSION = "0.16" }
local mt = { __index = _M }

-- Not C's: sizes in bytes.
local BLOCK, TAG, IV_MAX, KEY_MAX = 16, 16, 16, 64
local GCM_IV, ROUNDS_MAX = 12, 2147483647

-- Where it failed.
-- As in modules/lua/lib/ffi_cipher.c: FAILED_...
local INIT, UPDATE, FINAL, TAGGING = -1, -2, -3, -4

local encrypt_errors = {
    [INIT] = "EVP_EncryptInit_ex failed",
    [UPDATE] = "EVP_EncryptUpdate failed",
    [FINAL] = "EVP_EncryptFinal_ex failed",
    [TAGGING] = "EVP_CIPHER_CTX_ctrl failed",
}
local decrypt_errors = {
    [INIT] = "EVP_DecryptInit_ex failed",
    [UPDATE] = "EVP_DecryptUpdate failed",
    [FINAL] = "EVP_DecryptFinal_ex failed",
    [TAGGING] = "EVP_CIPHER_CTX_ctrl failed",
}

_M.hash = {}
for _, name in ipairs { "md5", "sha1", "sha224", "sha256", "sha384",
                        "sha512" } do
    _M.hash[name] = C.lun_ffi_cipher_hash(name)
end

local function cipher(size, mode)
    size, mode = size or 128, mode or "cbc"
    local name = mode == "cfb128" and "cfb" or mode    -- OpenSSL's
    local method = C.lun_ffi_cipher_named("aes-" .. size .. "-" .. name)
    if method == nil then
        return nil
    end
    return { size = size, cipher = mode, method = method }
end
_M.cipher = cipher

-- A table of the caller's: {iv = ..., method = nil or function}.
local function given(key, how, size, is_gcm)
    local iv = how.iv
    if not iv then
        return nil, "iv is needed"
    end
    if #iv > IV_MAX or (not is_gcm and #iv ~= IV_MAX) or #iv == 0 then
        return nil, "bad iv length"
    end
    if how.method then
        key = how.method(key)
    end
    if not key or #key ~= size then
        return nil, "bad key length"
    end
    return key, iv
end

local function derived(key, salt, what, hash, rounds, size, iv_len)
    if salt and #salt ~= 8 then
        return nil, "salt must be 8 characters or nil"
    end
    if not (rounds >= 1 and rounds <= ROUNDS_MAX) then
        return nil, "bad number of rounds"
    end
    local key_buf = ffi_new("unsigned char[?]", KEY_MAX)
    local iv_buf = ffi_new("unsigned char[?]", IV_MAX)
    if C.lun_ffi_cipher_derive(what.method, hash, salt, key, #key,
                               rounds, key_buf, iv_buf) ~= size
    then
        return nil, "failed to generate key and iv"
    end
    return ffi_string(key_buf, size), ffi_string(iv_buf, iv_len)
end

local function context(what, encrypt, iv_len, padding)
    local ctx = C.lun_ffi_cipher_new(what.method, encrypt, iv_len,
                                     padding == false and 0 or 1)
    if ctx == nil then
        return nil
    end
    return ffi_gc(ctx, C.lun_ffi_cipher_free)
end

function _M.new(_, key, salt, what, hash, rounds, iv_len, padding)
    what, hash = what or cipher(), hash or _M.hash.md5
    local size, is_gcm = what.size / 8, what.cipher == "gcm"
    local iv

    if is_gcm and iv_len and not (iv_len >= 1 and iv_len <= IV_MAX) then
        return nil, "bad iv length"
    end
    if type(hash) == "table" then
        key, iv = given(key, hash, size, is_gcm)
    else
        key, iv = derived(key, salt, what, hash,
                          to_int(rounds or 1, 1, INT_MAX), size,
                          is_gcm and to_int(iv_len or GCM_IV, 1, IV_MAX)
                          or IV_MAX)
    end
    if not key then
        return nil, iv
    end

    local to = context(what, 1, #iv, padding)
    local from = context(what, 0, #iv, padding)
    if not to or not from then
        return nil
    end
    return setmetatable({
        _encrypt_ctx = to, _decrypt_ctx = from, _cipher = what.cipher,
        _key = key, _iv = iv,
    }, mt)
end

local function check_self(self)
    local t = type(self)
    if t ~= "table" then
        error("bad argument #1 self: table expected, got " .. t, 3)
    end
end

local tag_buf = ffi_new("char[?]", TAG)

-- GCM: a table of the text and its tag.
function _M.encrypt(self, s, aad)
    check_self(self)
    local out = get_string_buf(#s + 2 * BLOCK)
    local size = tonumber(C.lun_ffi_cipher_run(
        self._encrypt_ctx, self._key, self._iv, aad, aad and #aad or 0, s, #s,
        out, tag_buf))
    if size < 0 then
        return nil, encrypt_errors[size]
    end
    local text = ffi_string(out, size)
    if self._cipher == "gcm" then
        return { text, ffi_string(tag_buf, TAG) }
    end
    return text
end

function _M.decrypt(self, s, tag, aad)
    check_self(self)
    local has_tag = nil
    if self._cipher == "gcm" and tag ~= nil then
        if #tag ~= TAG then
            return nil, decrypt_errors[-4]
        end
        ffi.copy(tag_buf, tag, TAG)
        has_tag = tag_buf
    end
    local out = get_string_buf(#s + 2 * BLOCK)
    local size = tonumber(C.lun_ffi_cipher_run(
        self._decrypt_ctx, self._key, self._iv, aad, aad and #aad or 0, s, #s,
        out, has_tag))
    if size < 0 then
        return nil, decrypt_errors[size]
    end
    return ffi_string(out, size)
end

return _M
