-- dns_guard.lua -- reads answers for resty.dns.resolver (windows/deps/dns.sh).
--
-- Anybody may send a datagram: one that ends where a number should be makes an
-- error of Lua's there, and is no answer. Nothing here yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local pcall, type = pcall, type

return function(read, buf, id, opts)
    local ok, answers, err = pcall(read, buf, id, opts)
    if not ok then
        return nil, "the response ends too early"
    end
    -- A name that is none has its place for an error.
    if not answers and type(err) ~= "string" then
        err = "bad name"
    end
    return answers, err
end
