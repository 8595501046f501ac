-- ssl.lua -- ngx.ssl: certificates of a handshake, and what TLS knows of a
-- client.
--
-- C side: modules/lua/ssl/ffi_ssl.c, ffi_ssl_cert.c. Nothing yields. What is
-- about the client's connection answers nil, "bad request" where there is
-- none, or none with TLS; parsing is for any phase.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local error, type = error, type
local ffi_gc, ffi_string = ffi.gc, ffi.string
local now, phases = base.now, base.phases
local get_string_buf = base.get_string_buf
local to_int, INT_MAX = base.to_int, base.INT_MAX
local OK, ERROR, DECLINED = base.OK, base.ERROR, base.DECLINED

base.cdef [[
void *lun_ffi_ssl_pointer(void);
int lun_ffi_ssl_version(const char **why);
int lun_ffi_ssl_server_name(lun_str *name, const char **why);
int lun_ffi_ssl_server_port(const char **why);
int lun_ffi_ssl_addr(int server, lun_str *addr, const char **why);
int lun_ffi_ssl_client_random(uint8_t *room, size_t size, const char **why);
int lun_ffi_ssl_server_random(uint8_t *room, size_t size, const char **why);
int lun_ffi_ssl_master_key(uint8_t *room, size_t size, const char **why);
int lun_ffi_ssl_is_reused(void *ssl);
int lun_ffi_ssl_shared_ciphers(uint16_t *ids, int most, const char **why);
void *lun_ffi_proxy_ssl_pointer(const char **why);
int lun_ffi_ssl_export(uint8_t *room, size_t size, const char *label,
    size_t label_len, const char *context, size_t context_len,
    const char **why);
int lun_ffi_ssl_export_early(uint8_t *room, size_t size,
    const char *label, size_t label_len, const char *context,
    size_t context_len, const char **why);
int lun_ffi_ssl_clear_certs(const char **why);
int lun_ffi_ssl_cert_to_der(const char *pem, size_t len, lun_str *der,
    const char **why);
int lun_ffi_ssl_key_to_der(const char *pem, size_t len, const char *password,
    lun_str *der, const char **why);
void lun_ffi_ssl_free_der(lun_str *der);
void *lun_ffi_ssl_parse_cert(const char *text, size_t len, int pem,
    const char **why);
void *lun_ffi_ssl_parse_key(const char *text, size_t len, int pem,
    const char *password, const char **why);
void lun_ffi_ssl_free_cert(void *chain);
void lun_ffi_ssl_free_key(void *key);
int lun_ffi_ssl_set_cert(void *chain, const char **why);
int lun_ffi_ssl_set_key(void *key, const char **why);
int lun_ffi_ssl_verify_client(void *named, void *trusted, int depth,
    const char **why);
]]

-- Not C's: the arguments `pem` and `server`.
local DER, PEM = 0, 1
local CLIENT, SERVER = 0, 1

local RANDOM_SIZE = 32
local MASTER_SIZE = 48
local MOST_CIPHERS = 256

local why = ffi.new("const char *[1]")
local text = ffi.new("lun_str[1]")

local _M = {
    version = base.version,
    SSL3_VERSION = 0x0300,
    TLS1_VERSION = 0x0301,
    TLS1_1_VERSION = 0x0302,
    TLS1_2_VERSION = 0x0303,
    TLS1_3_VERSION = 0x0304,
}

local version_names = {
    [_M.SSL3_VERSION] = "SSLv3",
    [_M.TLS1_VERSION] = "TLSv1",
    [_M.TLS1_1_VERSION] = "TLSv1.1",
    [_M.TLS1_2_VERSION] = "TLSv1.2",
    [_M.TLS1_3_VERSION] = "TLSv1.3",
}

-- Not C's: what lun_ffi_ssl_addr() returns.
local address_types = { [0] = "unix", "inet", "inet6" }

local function check()
    if now.phase == phases.init then
        error("no request found", 3)
    end
end

local function failed()
    return nil, ffi_string(why[0])
end

local function result(rc)
    if rc == ERROR then
        return failed()
    end
    return true
end

-- --- certificates and keys

-- The handshake begins without any: those of the configuration are forgotten.
function _M.clear_certs()
    check()
    return result(C.lun_ffi_ssl_clear_certs(why))
end

local function take_der(rc)
    if rc == ERROR then
        return failed()
    end

    local der = ffi_string(text[0].data, text[0].len)

    C.lun_ffi_ssl_free_der(text)
    return der
end

function _M.cert_pem_to_der(pem)
    return take_der(C.lun_ffi_ssl_cert_to_der(pem, #pem, text, why))
end

function _M.priv_key_pem_to_der(pem, password)
    return take_der(C.lun_ffi_ssl_key_to_der(pem, #pem, password, text, why))
end

local function parse_cert(data, kind)
    local chain = C.lun_ffi_ssl_parse_cert(data, #data, kind, why)

    if chain == nil then
        return failed()
    end
    return ffi_gc(chain, C.lun_ffi_ssl_free_cert)
end

local function parse_key(data, kind)
    local key = C.lun_ffi_ssl_parse_key(data, #data, kind, nil, why)

    if key == nil then
        return failed()
    end
    return ffi_gc(key, C.lun_ffi_ssl_free_key)
end

function _M.parse_pem_cert(pem)
    return parse_cert(pem, PEM)
end

function _M.parse_der_cert(der)
    return parse_cert(der, DER)
end

function _M.parse_pem_priv_key(pem)
    return parse_key(pem, PEM)
end

function _M.parse_der_priv_key(der)
    return parse_key(der, DER)
end

-- FFI would take any userdata for a pointer as well.
local function pointer_of(value)
    return type(value) == "cdata" and value or nil
end

function _M.set_cert(chain)
    check()
    return result(C.lun_ffi_ssl_set_cert(pointer_of(chain), why))
end

function _M.set_priv_key(key)
    check()
    return result(C.lun_ffi_ssl_set_key(pointer_of(key), why))
end

function _M.set_der_cert(der)
    check()

    local chain, err = parse_cert(der, DER)

    if not chain then
        return nil, err
    end
    return result(C.lun_ffi_ssl_set_cert(chain, why))
end

function _M.set_der_priv_key(der)
    check()

    local key, err = parse_key(der, DER)

    if not key then
        return nil, err
    end
    return result(C.lun_ffi_ssl_set_key(key, why))
end

-- ssl_certificate_by_lua only: the client is asked for a certificate that the
-- first chain, whose names it is told, or the second vouches for.
function _M.verify_client(named, depth, trusted)
    check()
    depth = to_int(depth or -1, -1, INT_MAX)
    return result(C.lun_ffi_ssl_verify_client(pointer_of(named),
                                              pointer_of(trusted), depth,
                                              why))
end

-- --- what is known

local function version()
    local n = C.lun_ffi_ssl_version(why)

    if n == ERROR then
        return failed()
    end
    return n
end

function _M.get_tls1_version()
    check()
    return version()
end

function _M.get_tls1_version_str()
    check()

    local n, err = version()

    if not n then
        return nil, err
    end

    local name = version_names[n]

    if not name then
        return nil, "unknown version"
    end
    return name
end

-- nil alone: the client named none.
function _M.server_name()
    check()

    local rc = C.lun_ffi_ssl_server_name(text, why)

    if rc == OK then
        return base.str(text[0])
    end
    if rc == DECLINED then
        return nil
    end
    return failed()
end

-- What C has given, unless it is what stands for a failure.
local function unless(failure, value)
    if value == failure then
        return failed()
    end
    return value
end

function _M.server_port()
    check()
    return unless(ERROR, C.lun_ffi_ssl_server_port(why))
end

-- Bytes in network order, or a path; and "inet", "inet6" or "unix".
local function address(whose)
    local kind = C.lun_ffi_ssl_addr(whose, text, why)

    if kind == ERROR then
        return nil, nil, ffi_string(why[0])
    end
    return ffi_string(text[0].data, text[0].len), address_types[kind]
end

function _M.raw_server_addr()
    check()
    return address(SERVER)
end

function _M.raw_client_addr()
    check()
    return address(CLIENT)
end

-- A length of 0 asks how many bytes there are.
local function secret(get, len, usual)
    len = to_int(len or usual, 0, usual)

    local room = get_string_buf(len)
    local n = get(room, len, why)

    if n == ERROR then
        return failed()
    end
    return len == 0 and n or ffi_string(room, n)
end

function _M.get_client_random(len)
    check()
    return secret(C.lun_ffi_ssl_client_random, len, RANDOM_SIZE)
end

function _M.get_server_random(len)
    check()
    return secret(C.lun_ffi_ssl_server_random, len, RANDOM_SIZE)
end

function _M.get_session_master_key(len)
    check()
    return secret(C.lun_ffi_ssl_master_key, len, MASTER_SIZE)
end

-- The ids of the suites that both sides have. None of RFC 8701's is ever
-- among them: the server has none.
function _M.get_req_shared_ssl_ciphers()
    check()

    local ids = ffi.new("uint16_t[?]", MOST_CIPHERS)
    local n = C.lun_ffi_ssl_shared_ciphers(ids, MOST_CIPHERS, why)

    if n == ERROR then
        return failed()
    end

    local list = {}
    for i = 1, n do
        list[i] = ids[i - 1]
    end
    return list
end

-- For FFI's own use of OpenSSL.
function _M.get_req_ssl_pointer()
    check()

    local ssl = C.lun_ffi_ssl_pointer()

    if ssl == nil then
        return nil, "no ssl object"
    end
    return ssl
end

-- The same of the server of an upstream, in its handshake.
function _M.get_upstream_ssl_pointer()
    check()
    return unless(nil, C.lun_ffi_proxy_ssl_pointer(why))
end

-- Of what one of these two has given.
function _M.ssl_session_reused(ssl)
    if pointer_of(ssl) == nil then
        return nil, "bad ssl"
    end
    return C.lun_ffi_ssl_is_reused(ssl) == 1
end

-- At most 16 MB: more than any use of a key, and no trouble for the worker.
local MOST_KEY = 2 ^ 24

local function export(how, len, label, context)
    if not (len >= 0 and len <= MOST_KEY) then
        error("bad length argument", 3)
    end
    len = to_int(len, 0, MOST_KEY)

    local room = get_string_buf(len)

    if how(room, len, label, #label, context, context and #context or 0, why)
       == ERROR
    then
        return failed()
    end
    return ffi_string(room, len)
end

function _M.export_keying_material(len, label, context)
    check()
    return export(C.lun_ffi_ssl_export, len, label, context)
end

function _M.export_keying_material_early(len, label, context)
    check()
    return export(C.lun_ffi_ssl_export_early, len, label, context)
end

return _M
