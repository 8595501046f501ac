-- What a script finds of the program: C modules, and functions by ffi.C.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"

ffi.cdef [[
const void *EVP_sha256(void);
const void *EVP_get_digestbyname(const char *name);
int RAND_bytes(unsigned char *buf, int n);
const char *zlibVersion(void);
void *strbuf_new(int size);
void lun_pool_free(void *pool);
]]

local function has(name)
    return pcall(function () return ffi.C[name] end)
end

print("module", pcall(require, "own"))
print("cjson", require("cjson").encode({ 1.5, "x" }))
print("digest", ffi.C.EVP_sha256() == ffi.C.EVP_get_digestbyname("sha256"))
print("random", ffi.C.RAND_bytes(ffi.new("unsigned char[4]"), 4))
print("zlib", has "zlibVersion")
print("inside", (has "strbuf_new"), (has "lun_pool_free"))
