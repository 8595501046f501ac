# What a machine has room for: as much as OpenResty's.

__DATA__


=== a function may have 120 variables of others
--- config
    location = /t {
        content_by_lua_block {
            local function run(count)
                local text = {}
                for i = 1, count do
                    text[i] = "local v" .. i .. " = " .. i
                end
                text[#text + 1] = "return function () return 0"
                for i = 1, count do
                    text[#text + 1] = "+ v" .. i
                end
                local chunk, err = loadstring(table.concat(text, "\n")
                                              .. " end")
                return chunk and chunk()() or err
            end

            ngx.say(run(120))
            ngx.say(run(121))
        }
    }
--- response_body_like: ^7260\n.*has more than 120 upvalues$



=== a large program keeps its machine code
--- config
    location = /t {
        content_by_lua_block {
            local compiled, flushed, kept = 0, 0, {}
            local function count(what)
                compiled = compiled + (what == "stop" and 1 or 0)
                flushed = flushed + (what == "flush" and 1 or 0)
            end

            jit.attach(count, "trace")
            for i = 1, 1200 do
                local loop = loadstring("local n = 0 for i = 1, 100 do "
                                        .. "n = n + " .. i .. " end return n")
                assert(loop() == 100 * i)
                kept[i] = loop
            end
            jit.attach(count)
            ngx.say(compiled > 1000 and "all" or compiled, " ", flushed)
        }
    }
--- response_body
all 0
--- timeout: 10
