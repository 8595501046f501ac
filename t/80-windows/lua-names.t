# What Lua opens, renames and loads, by names in UTF-8.

__DATA__


=== io.open, io.lines, os.rename, os.remove
--- config
    location = /t {
        content_by_lua_block {
            local dir = ngx.config.prefix() .. "html/"
            local f = assert(io.open(dir .. "dé中.txt", "w"))
            f:write("one\ntwo\n")
            f:close()
            ngx.say(os.rename(dir .. "dé中.txt", dir .. "eü.txt"))
            for line in io.lines(dir .. "eü.txt") do
                ngx.say(line)
            end
            ngx.say(os.remove(dir .. "eü.txt"))
            ngx.say((select(3, io.open(dir .. "eü.txt"))))
            ngx.say((select(3, os.remove(dir .. "eü.txt"))))
        }
    }
--- response_body
true
one
two
true
2
2



=== modes of io.open
--- config
    location = /t {
        content_by_lua_block {
            local name = ngx.config.prefix() .. "html/modés"
            local function with(mode, text)
                local f = assert(io.open(name, mode))
                local was = mode:find("[r+]") and f:read("*a")
                if text then
                    f:seek("end")
                    f:write(text)
                end
                f:close()
                return was or ""
            end
            with("w", "abc")
            with("a", "def")
            ngx.say(with("r"), " ", with("r+b", "ghi"), " ", with("a+", "j"))
            ngx.say(with("rb"), " ", with("w+", "x"), " ", with("r"))
        }
    }
--- response_body
abcdef abcdef abcdefghi
abcdefghij  x



=== a file that Lua has open can be renamed, replaced and deleted
--- config
    location = /t {
        content_by_lua_block {
            local name = ngx.config.prefix() .. "html/open é"
            local f = assert(io.open(name, "w"))
            f:write("old")
            f:flush()
            ngx.say(os.rename(name, name .. "2"))
            local g = assert(io.open(name .. "3", "w"))
            g:write("new")
            g:close()
            ngx.say(os.rename(name .. "3", name))
            f:write("er")
            f:close()
            ngx.say(assert(io.open(name .. "2")):read("*a"))
            ngx.say(assert(io.open(name)):read("*a"))
        }
    }
--- response_body
true
true
older
new



=== loadfile, dofile, require
--- config
    location = /t {
        content_by_lua_block {
            local dir = ngx.config.prefix() .. "html/mö/"
            package.path = dir .. "?.lua;" .. package.path
            ngx.say(loadfile(dir .. "dül.lua")("a"))
            ngx.say(dofile(dir .. "dül.lua"))
            ngx.say(require("dül"))
            ngx.say((select(2, pcall(require, "nül"))):find("nül.lua'", 1, true)
                    ~= nil)
        }
    }
--- user_files
>>> mö/dül.lua
return "loaded with " .. tostring((...))
--- response_body
loaded with a
loaded with nil
loaded with dül
true



=== a handler file
--- config
    location = /t {
        content_by_lua_file html/händler/中.lua;
    }
--- user_files
>>> händler/中.lua
ngx.say("here")
--- response_body
here



=== a library in such a folder
--- config
    location = /t {
        content_by_lua_block {
            local dir = ngx.config.prefix() .. "html/bibliothèque/"
            local from = assert(io.open("C:/windows/system32/version.dll",
                                        "rb"))
            local to = assert(io.open(dir .. "vérsion.dll", "wb"))
            to:write(from:read("*a"))
            to:close()
            ngx.say(package.loadlib(dir .. "vérsion.dll", "*"))
            ngx.say((package.loadlib(dir .. "none.dll", "*")))
        }
    }
--- user_files
>>> bibliothèque/x
x
--- skip_linux: a dll
--- response_body
true
nil



=== temporary files
--- config
    location = /t {
        content_by_lua_block {
            local name = os.tmpname()
            local f = assert(io.open(name, "w"))
            f:write("x")
            f:close()
            ngx.say(os.remove(name))

            f = assert(io.tmpfile())
            f:write("abc")
            f:seek("set")
            ngx.say(f:read("*a"))
            f:close()
        }
    }
--- response_body
true
abc



=== paths beyond 260 characters
--- config
    location = /t {
        content_by_lua_block {
            local name = ngx.config.prefix() .. "html/"
                         .. ("0123456789abcdef"):rep(6) .. "/"
                         .. ("0123456789abcdef"):rep(6) .. "/"
                         .. ("0123456789abcdef"):rep(6) .. "/a.lua"
            ngx.say(dofile(name))
            ngx.say(os.rename(name, name .. ".old"))
            ngx.say(#assert(io.open(name .. ".old")):read("*a"))
        }
    }
--- user_files eval
[[("0123456789abcdef" x 6) . "/" . ("0123456789abcdef" x 6) . "/" .
  ("0123456789abcdef" x 6) . "/a.lua", "return 'far'"]]
--- response_body
far
true
12



=== ffi.C finds Lua's functions and ours
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require("ffi")
            pcall(ffi.cdef, "int lua_gettop(void *L);")
            ngx.say(ffi.C.lua_gettop ~= nil)
            pcall(ffi.cdef, "double lun_ffi_clock(void);")
            ngx.say(ffi.C.lun_ffi_clock ~= nil)
            ngx.say((pcall(function () return ffi.C.no_such_function end)))
        }
    }
--- response_body
true
true
false



=== ffi.C finds what libraries want of OpenSSL
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require("ffi")
            pcall(ffi.cdef, [[
                const void *EVP_sha256(void);
                unsigned char *HMAC(const void *md, const void *key, int len,
                    const unsigned char *d, size_t n, unsigned char *out,
                    unsigned int *out_len);
            ]])
            local out = ffi.new("unsigned char[64]")
            local n = ffi.new("unsigned[1]")
            ffi.C.HMAC(ffi.C.EVP_sha256(), "key", 3, "text", 4, out, n)
            ngx.say(n[0], " ", ("%02x%02x"):format(out[0], out[1]))
        }
    }
--- response_body
32 6afa



=== a Lua file that is not UTF-8 by name is not there
--- config
    location = /t {
        content_by_lua_block {
            ngx.say((select(3, io.open("\xc3\xe9"))))
            ngx.say((select(3, io.open("nul\xff"))))
        }
    }
--- skip_linux: any bytes are a name
--- response_body
2
2
