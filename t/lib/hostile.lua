-- hostile.lua -- servers that say nearly what they should: conversations with
-- a few bytes changed, the same ones each time, for clients in Lua.
--
-- HOSTILE=n gives each client n of them in place of the few of a test.
--
-- SPDX-License-Identifier: BSD-2-Clause

local byte, char, rep, sub = string.byte, string.char, string.rep, string.sub

local _M = {}

local state = 1

-- 0 to n - 1.
local function random(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % n
end

local numbers = {
    "0", "-1", "1", "99999999", "2147483648", "-2147483649", "4294967296",
    "9007199254740993", "18446744073709551616", "1e9", "0x10", "nan", " 5",
    "00000000000000000000000000000001", "",
}

local edits = {
    function (text, at)                 -- another byte
        return sub(text, 1, at - 1) .. char(random(256)) .. sub(text, at + 1)
    end,
    function (text, at)                 -- a bit
        local b = byte(text, at) or 0
        local bit = 2 ^ random(8)
        b = math.floor(b / bit) % 2 == 1 and b - bit or b + bit
        return sub(text, 1, at - 1) .. char(b) .. sub(text, at + 1)
    end,
    function (text, at)                 -- less
        return sub(text, 1, at - 1) .. sub(text, at + 1 + random(8))
    end,
    function (text, at)                 -- the same once more
        local n = random(20)
        return sub(text, 1, at + n) .. sub(text, at)
    end,
    function (text, at)                 -- nothing behind it
        return sub(text, 1, at - 1)
    end,
    function (text, at)                 -- something between
        local marks = { "\0", "\r", "\n", "\r\n", "\255\255\255\255", ":",
                        "*", "$", rep("a", 300), "\254", "\251" }
        return sub(text, 1, at - 1) .. marks[random(#marks) + 1]
               .. sub(text, at)
    end,
    function (text, at)                 -- another number
        local from, to = text:find("%d+", at)
        if not from then
            return text
        end
        return sub(text, 1, from - 1) .. numbers[random(#numbers) + 1]
               .. sub(text, to + 1)
    end,
}

local function spoil(text)
    for _ = 1, random(4) do
        text = edits[random(#edits) + 1](text, random(#text + 1) + 1)
    end
    return text
end

-- What the server says next, in pieces: it asks for it (say below).
local texts = ngx.shared.hostile

function _M.say(sock)
    local text = texts:lpop("said") or ""
    local cut = text:byte(1) or 0
    text = sub(text, 2)
    if cut < 200 then
        cut = cut % (#text + 1)
        sock:send(sub(text, 1, cut))
        ngx.sleep(0)
        text = sub(text, cut + 1)
    end
    sock:send(text)
end

-- client(text) talks to a server that says a text of `seeds`, more or less,
-- and then leaves; whatever that is, it does not throw, and it ends.
function _M.try(name, count, seeds, client)
    count = tonumber(os.getenv("HOSTILE")) or count
    state = 1
    local threw = 0
    for i = 1, count do
        local seed = seeds[random(#seeds) + 1]
        local text = i <= #seeds and seeds[i] or spoil(seed)
        texts:delete("said")
        texts:lpush("said", char(random(256)) .. text)
        ngx.update_time()
        local began = ngx.now()
        local ok, err = pcall(client, text)
        ngx.update_time()
        if not ok or ngx.now() - began > 4 then
            threw = threw + 1
            ngx.log(ngx.WARN, name, ": ", err, ", ", ngx.now() - began,
                    " s, of ", (("%q"):format(text):gsub("[^ -~]",
                    function (c) return ("\\%03d"):format(byte(c)) end)))
        end
    end
    ngx.say(name, ": ", threw, " of ", threw == 0 and "all" or count, " threw")
end

return _M
