-- lunette/spec/curl.lua -- a block's requests over HTTP/2 and HTTP/3
--
-- `--- http2` sends what a block asks for through curl, with prior knowledge,
-- as Test::Nginx does; `--- http2: tls` over TLS, where ALPN chooses.
-- `--- http3` sends it through t/lib/http3_client, which has curl's words.
-- What they print of an answer looks like HTTP/1's.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local _M = {}

-- The runner's own part of a request, which is curl's business there.
local OWN = { connection = true, ["content-length"] = true,
              ["transfer-encoding"] = true }

local function put(argv, ...)
    for _, word in ipairs({ ... }) do
        argv[#argv + 1] = word
    end
end

-- "GET /t HTTP/1.1", headers, body: one request as arguments.
local function add_request(argv, text, options)
    local head, body = text:match("^(.-)\r\n\r\n(.*)$")
    local method, uri = head:match("^(%S+) (%S+)")

    put(argv, "-q", "-i", "-sS", "--max-time",
        tostring(options.timeout / 1000), "--path-as-is", "--globoff")
    if options.http3 then
        put(argv, "--insecure")
    elseif options.tls then
        put(argv, "--http2", "--insecure")
    else
        put(argv, "--http2-prior-knowledge")
    end
    put(argv, "-X", method)
    if method == "HEAD" then
        put(argv, "-I")
    end
    local typed = head:lower():find("\r\ncontent-type:", 1, true)
    for name, value in head:gmatch("\r\n([^:\r\n]+): ([^\r\n]*)") do
        if not OWN[name:lower()] then
            put(argv, "-H", value ~= "" and name .. ": " .. value
                            or name .. ";")
        end
    end
    if body ~= "" then
        if not typed then
            put(argv, "-H", "Content-Type:")
        end
        put(argv, "--data-binary", "@" .. options.dir .. "/curl.body")
        io.write(options.dir .. "/curl.body", body)
    end
    for word in (options.words or ""):gmatch("%S+") do
        if word:sub(1, 1) ~= "+" then
            put(argv, word)
        end
    end
    put(argv, (options.tls and "https://" or "http://") .. options.address
              .. uri)
    -- More of them, which go over the same connection.
    for path in (options.words or ""):gmatch("%+(%S+)") do
        put(argv, "https://" .. options.address .. path)
    end
end

-- What client.exchange() does; `options` has dir, tls, http3 (the program) and
-- words (more arguments) beside.
function _M.exchange(request, options)
    local argv, text = { options.http3 or "curl" }, ""
    local out, err = options.dir .. "/curl.out", options.dir .. "/curl.err"

    for _, packet in ipairs(request.packets) do
        text = text .. packet.text
    end
    add_request(argv, text, options)
    io.write(out, "")
    io.write(err, "")

    local process, why = io.run(argv, out, err)
    if not process then
        return "", argv[1] .. ": " .. why
    end
    local status = process:wait(options.timeout + 5000)
    if not status then
        process:kill()
        return io.read(out), "timed out"
    end
    if status == 28 then
        return io.read(out), "timed out"
    end
    return io.read(out), status ~= 0 and io.read(err):gsub("%s+$", "") or nil
end

return _M
