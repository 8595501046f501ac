# The program's own header, as the system has mapped it.

__DATA__

=== lunette.exe asks for random addresses, of all 64 bits, and no code in data
--- skip_linux: a header of Windows
--- config
    location /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef "void *GetModuleHandleW(const void *name);"
            local p = ffi.cast("uint8_t *", ffi.C.GetModuleHandleW(nil))
            local pe = p + ffi.cast("uint32_t *", p + 0x3c)[0]
            local flags = ffi.cast("uint16_t *", pe + 0x5e)[0]
            ngx.say(ffi.string(pe, 2), " ", bit.tohex(bit.band(flags, 0x160), 4))
        }
    }
--- response_body
PE 0160
