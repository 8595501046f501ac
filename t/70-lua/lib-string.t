Text, digests, HMAC, AES and random bytes: what lua-resty-string has.

__DATA__


=== bytes as hex digits, digits as a number
--- config
    location = /t {
        content_by_lua_block {
            local str = require "resty.string"
            ngx.say(str.to_hex("\0\1az\255"), "[", str.to_hex(""), "]")
            ngx.say(#str.to_hex(string.rep("x", 10000)))
            ngx.say(str.atoi("00129"), " ", str.atoi("0"), " ", str.atoi(""),
                    " ", str.atoi("-1"), " ", str.atoi("1a"), " ",
                    str.atoi("9223372036854775808"))
        }
    }
--- response_body
0001617aff[]
20000
129 0 -1 -1 -1 -1



=== every digest, in parts, and again
--- config
    location = /t {
        content_by_lua_block {
            local hex = require("resty.string").to_hex
            for _, name in ipairs { "md5", "sha1", "sha224", "sha256",
                                    "sha384", "sha512" } do
                local d = require("resty." .. name):new()
                local fed = d:update("a") and d:update("bc")
                ngx.say(name, " ", fed, " ", hex(d:final()):sub(1, 32))
                ngx.say(d:reset(), " ", hex(d:final()):sub(1, 16))
            end
        }
    }
--- response_body
md5 true 900150983cd24fb0d6963f7d28e17f72
true d41d8cd98f00b204
sha1 true a9993e364706816aba3e25717850c26c
true da39a3ee5e6b4b0d
sha224 true 23097d223405d8228642a477bda255b3
true d14a028c2a3a2bc9
sha256 true ba7816bf8f01cfea414140de5dae2223
true e3b0c44298fc1c14
sha384 true cb00753f45a35e8bb5a03d699ac65007
true 38b060a751ac9638
sha512 true ddaf35a193617abacc417349ae204131
true cf83e1357eefb8bd



=== update takes a length, and never more than there is
--- config
    location = /t {
        content_by_lua_block {
            local hex = require("resty.string").to_hex
            local md5 = require "resty.md5"
            for _, len in ipairs { 3, 100, -1, 1e300 } do
                local d = md5:new()
                d:update(len == 3 and "abcdef" or "abc", len)
                ngx.say(hex(d:final()))
            end
        }
    }
--- response_body
900150983cd24fb0d6963f7d28e17f72
900150983cd24fb0d6963f7d28e17f72
900150983cd24fb0d6963f7d28e17f72
900150983cd24fb0d6963f7d28e17f72



=== objects of one kind do not share what they were fed
--- config
    location = /t {
        content_by_lua_block {
            local hex = require("resty.string").to_hex
            local sha1 = require "resty.sha1"
            local a, b = sha1:new(), sha1:new()
            a:update("a") b:update("zzz") a:update("bc")
            ngx.say(hex(a:final()))
            ngx.say(b:reset() and b:update("abc"), " ", hex(b:final()))
        }
    }
--- response_body
a9993e364706816aba3e25717850c26c9cd0d89d
true a9993e364706816aba3e25717850c26c9cd0d89d



=== HMAC, whole and in parts
--- config
    location = /t {
        content_by_lua_block {
            local hmac = require "resty.hmac"
            local data = "what do ya want for nothing?"
            for _, name in ipairs { "MD5", "SHA1", "SHA256", "SHA512" } do
                local h = hmac:new("Jefe", hmac.ALGOS[name])
                ngx.say(h:final(data, true):sub(1, 40))
                ngx.say(h:reset(), " ", h:update("what do ya want "), " ",
                        #h:final("for nothing?"))
            end
            ngx.say(hmac:new("", hmac.ALGOS.SHA256):final("", true):sub(1, 8))
        }
    }
--- response_body
750c783e6ab0b503eaa86e310a5db738
true true 16
effcdf6ae5eb2fa2d27416d5f184df9c259a7c79
true true 20
5bdcc146bf60754e6a042426089575c75a003f08
true true 32
164b7a7bfcf819e2e395fbe73b56e0a387bd6422
true true 64
b613679a



=== AES: a derived key, with and without salt
--- config
    location = /t {
        content_by_lua_block {
            local aes = require "resty.aes"
            local hex = require("resty.string").to_hex
            local a = aes:new("pass")
            ngx.say(a:decrypt(a:encrypt("text")))
            local b = aes:new("pass", "saltsalt", aes.cipher(256, "cbc"),
                              aes.hash.sha256, 3)
            ngx.say(#b:encrypt("text"), " ", b:decrypt(b:encrypt("text")))
            ngx.say(a:encrypt("text") == b:encrypt("text"))
            ngx.say(aes:new("pass", "short"))
            ngx.say(aes.cipher(77, "cbc"), " ", aes.cipher().size)
        }
    }
--- response_body
text
16 text
false
nilsalt must be 8 characters or nil
nil 128



=== AES: a vector of FIPS 197, every mode takes long texts
--- config
    location = /t {
        content_by_lua_block {
            local aes = require "resty.aes"
            local hex = require("resty.string").to_hex
            local key = ""
            for i = 0, 15 do key = key .. string.char(i) end
            local block = ""
            for i = 0, 15 do block = block .. string.char(i * 17) end
            local e = aes:new(key, nil, aes.cipher(128, "ecb"),
                              { iv = key }, nil, nil, false)
            ngx.say(hex(e:encrypt(block)))
            local long = string.rep("0123456789abcdef", 2000) .. "x"
            for _, mode in ipairs { "ecb", "cbc", "cfb1", "cfb8", "cfb128",
                                    "ofb", "ctr" } do
                local c = aes:new(key, nil, aes.cipher(128, mode),
                                  { iv = key })
                local one, two = c:encrypt(long), c:encrypt(long)
                ngx.say(aes.cipher(128, mode).cipher, " ", one == two, " ",
                        c:decrypt(one) == long)
            end
        }
    }
--- response_body
69c4e0d86a7b0430d8cdb78070b4c55a
ecb true true
cbc true true
cfb1 true true
cfb8 true true
cfb128 true true
ofb true true
ctr true true



=== AES-GCM: a text and a tag, with what goes before it
--- config
    location = /t {
        content_by_lua_block {
            local aes = require "resty.aes"
            local a = aes:new("pass", nil, aes.cipher(256, "gcm"),
                              aes.hash.sha256, 1, 12)
            local e = a:encrypt("text", "head")
            ngx.say(#e[1], " ", #e[2])
            ngx.say(a:decrypt(e[1], e[2], "head"))
            ngx.say(a:decrypt(e[1], e[2], "other"))
            ngx.say(a:decrypt(e[1], e[2]:reverse(), "head"))
            ngx.say(a:decrypt(e[1], "short", "head"))
            ngx.say(a:decrypt(e[1], nil, "head"))
        }
    }
--- response_body
4 16
text
nilEVP_DecryptFinal_ex failed
nilEVP_DecryptFinal_ex failed
nilEVP_CIPHER_CTX_ctrl failed
nilEVP_DecryptFinal_ex failed



=== AES: what can't be a key, a vector, or a text
--- config
    location = /t {
        content_by_lua_block {
            local aes = require "resty.aes"
            local key = string.rep("k", 16)
            ngx.say(aes:new("short", nil, nil, { iv = key }))
            ngx.say(aes:new(key, nil, nil, { iv = "short" }))
            ngx.say(aes:new(key, nil, nil, { iv = key .. key }))
            ngx.say(aes:new(key, nil, nil, {}))
            ngx.say(aes:new(key, nil, aes.cipher(128, "gcm"), nil, 1, 1e9))
            local a = aes:new(key, nil, nil, { iv = key })
            ngx.say(a:decrypt("not a block"))
            ngx.say(a:decrypt(""))
            ngx.say(pcall(a.encrypt, "text"))
            local b = aes:new(key, nil, nil, { iv = key }, nil, nil, false)
            ngx.say(b:encrypt("part of a block"))
        }
    }
--- response_body
nilbad key length
nilbad iv length
nilbad iv length
niliv is needed
nilbad iv length
nilEVP_DecryptFinal_ex failed
nilEVP_DecryptFinal_ex failed
falsebad argument #1 self: table expected, got string
nilEVP_EncryptFinal_ex failed



=== random bytes are as many as were asked for, and differ
--- config
    location = /t {
        content_by_lua_block {
            local random = require "resty.random"
            local a, b = random.bytes(16), random.bytes(16, true)
            ngx.say(#a, " ", #b, " ", a ~= b, " ", #random.bytes(10000), " ",
                    #random.bytes(0))
        }
    }
--- response_body
16 16 true 10000 0



=== base64 by the names of nginx
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef [[
                void ngx_encode_base64(ngx_str_t *dst, ngx_str_t *src);
                void ngx_encode_base64url(ngx_str_t *dst, ngx_str_t *src);
                intptr_t ngx_decode_base64(ngx_str_t *dst, ngx_str_t *src);
                intptr_t ngx_decode_base64url(ngx_str_t *dst, ngx_str_t *src);
            ]]
            local room = ffi.new("unsigned char[100]")
            local function call(name, text)
                local dst = ffi.new("ngx_str_t[1]", { { 100, room } })
                local src = ffi.new("ngx_str_t[1]", { { #text, text } })
                local rc = ffi.C["ngx_" .. name](dst, src)
                if rc ~= nil and tonumber(rc) ~= 0 then
                    return tonumber(rc)
                end
                return ffi.string(dst[0].data, dst[0].len)
            end
            ngx.say(call("encode_base64", "a?>b"), " ",
                    call("encode_base64url", "a?>b"))
            ngx.say(call("decode_base64", "YT8+Yg=="), " ",
                    call("decode_base64url", "YT8-Yg"), " [",
                    call("decode_base64", ""), "] ",
                    call("decode_base64", "YT8-Yg"), " ",
                    call("decode_base64url", "Y"))
        }
    }
--- response_body
YT8+Yg== YT8-Yg
a?>b a?>b [] -1 -1



=== more of them: numbers in hex, texts without case, a hash
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef [[
                intptr_t ngx_hextoi(unsigned char *line, size_t n);
                intptr_t ngx_strcasecmp(const char *a, const char *b);
                intptr_t ngx_strncasecmp(const char *a, const char *b, size_t n);
                uint32_t ngx_murmur_hash2(u_char *data, size_t len);
            ]]
            local C = ffi.C
            local function bytes(s)
                return ffi.cast("unsigned char *", s), #s
            end
            for _, s in ipairs { "ff", "0aF", "", "g", "7fffffffffffffff",
                                 "8000000000000000", "00000000000000000000a" } do
                ngx.print(tostring(C.ngx_hextoi(bytes(s))), " ")
            end
            ngx.say(C.ngx_strcasecmp("aBc", "AbC") == 0, " ",
                    C.ngx_strcasecmp("abc", "abd") < 0, " ",
                    C.ngx_strcasecmp("abcd", "abc") > 0, " ",
                    C.ngx_strncasecmp("abX", "aBy", 2) == 0, " ",
                    C.ngx_strncasecmp("ab", "abc", 9) < 0)
            ngx.say(C.ngx_murmur_hash2(bytes("hello")))
        }
    }
--- response_body
255LL 175LL -1LL -1LL 9223372036854775807LL -1LL 10LL true true true true true
3848350155



=== functions of nginx by their own names
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef [[
                intptr_t ngx_parse_time(ngx_str_t *line, uintptr_t is_sec);
                int64_t ngx_parse_http_time(const char *text, size_t len);
                char *ngx_http_time(char *buf, int64_t t);
                uintptr_t ngx_escape_uri(char *dst, const char *src,
                    size_t size, uintptr_t type);
            ]]
            local C = ffi.C
            local line = ffi.new("ngx_str_t[1]")
            local function time(s, is_sec)
                line[0].data, line[0].len = s, #s
                return tonumber(C.ngx_parse_time(line, is_sec))
            end
            ngx.say(time("1h30m", 1), " ", time("15ms", 0), " ",
                    time("15ms", 1), " ", time("7", 0), " ", time("x", 0))
            local buf = ffi.new("char[100]")
            local text = "Sun, 06 Nov 1994 08:49:37 GMT"
            local t = C.ngx_parse_http_time(text, #text)
            ngx.say(tonumber(t), " ",
                    ffi.string(buf, C.ngx_http_time(buf, t) - buf), " ",
                    tonumber(C.ngx_parse_http_time("never", 5)))
            for kind = 0, 6 do
                local s = "a ?&\"'%/é"
                local more = C.ngx_escape_uri(nil, s, #s, kind)
                local last = C.ngx_escape_uri(buf, s, #s, kind)
                local n = ffi.cast("char *", last) - buf
                ngx.say(kind, " ", n == #s + 2 * more, " ",
                        ffi.string(buf, n))
            end
        }
    }
--- response_body
5400 15 -1 7000 -1
784111777 Sun, 06 Nov 1994 08:49:37 GMT -1
0 true a%20%3F&%22'%25/%C3%A9
1 true a%20%3F%26%22'%25/%C3%A9
2 true a%20%3F%26%22%27%25%2F%C3%A9
3 true a%20?&%22%27%25/%C3%A9
4 true a%20?&%22%27%25/%C3%A9
5 true a%20?&"'%25/é
6 true a%20?&"'%25/é
