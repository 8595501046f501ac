-- alpn.lua -- as libraries for ACME do it (tls-alpn-01): a handshake's context
-- gets a callback of Lua's, which chooses "acme-tls/1".
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"

local _M = {}

ffi.cdef [[
    void *SSL_get_SSL_CTX(const void *ssl);
    int SSL_select_next_proto(unsigned char **out, unsigned char *out_len,
        const unsigned char *server, unsigned server_len,
        const unsigned char *client, unsigned client_len);
    void SSL_CTX_set_alpn_select_cb(void *ctx, int (*cb)(void *ssl,
        const unsigned char **out, unsigned char *out_len,
        const unsigned char *in, unsigned in_len, void *arg), void *arg);
]]

local NAME, LEN = "\010acme-tls/1", 11
local OK, NOACK, NEGOTIATED = 0, 3, 1

local choose = ffi.cast([[int (*)(void *, const unsigned char **,
    unsigned char *, const unsigned char *, unsigned, void *)]],
    function (_, out, out_len, list, len)
        return ffi.C.SSL_select_next_proto(
                   ffi.cast("unsigned char **", out), out_len, NAME, LEN,
                   list, len) == NEGOTIATED and OK or NOACK
    end)

function _M.set()
    local ssl = assert(require("ngx.ssl").get_req_ssl_pointer())
    ffi.C.SSL_CTX_set_alpn_select_cb(ffi.C.SSL_get_SSL_CTX(ssl), choose, nil)
end

return _M
