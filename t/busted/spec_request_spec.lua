-- `--- request` becomes bytes for the wire.
--
-- SPDX-License-Identifier: BSD-2-Clause

local request = require "lunette.spec.request"
local perl = require "lunette.spec.perl"

-- A block of given values.
local function block(values)
    return {
        has = function (_, name) return values[name] ~= nil end,
        value = function (_, name) return values[name] end,
    }
end

local function requests(values)
    return request.of(block(values))
end

local function bytes(values)
    local out = {}

    for _, packet in ipairs(requests(values)[1].packets) do
        out[#out + 1] = packet.text
    end
    return table.concat(out)
end

local function eval(text)
    return perl.eval(text, perl.world({}, function () end))
end

describe("a request", function ()

    it("is GET /t when the block has none", function ()
        assert.equal("GET /t HTTP/1.1\r\nHost: localhost\r\n"
                     .. "Connection: close\r\n\r\n", bytes {})
    end)

    it("may have a version, comments and white space", function ()
        assert.equal("GET /a HTTP/1.0\r\nHost: localhost\r\n"
                     .. "Connection: close\r\n\r\n",
                     bytes { request = "# why\n  GET /a HTTP/1.0\n" })
    end)

    it("has / when it has no path", function ()
        assert.truthy(bytes { request = "GET" }:find("^GET / HTTP/1.1\r\n"))
    end)

    it("gets the length of its trimmed body", function ()
        assert.equal("POST /t HTTP/1.1\r\nHost: localhost\r\n"
                     .. "Connection: close\r\nContent-Length: 5\r\n\r\na\nb c",
                     bytes { request = "POST /t\na\nb c\n" })
    end)

    it("keeps the body when its headers say how long it is", function ()
        assert.truthy(bytes {
            request = "POST /t\nabc\n",
            more_headers = "Content-Length: 4",
        }:find("Content-Length: 4\r\n\r\nabc\n", 1, true))
        assert.truthy(bytes {
            request = "POST /t\n0\r\n\r\n",
            more_headers = "Transfer-Encoding: chunked",
        }:find("chunked\r\n\r\n0\r\n\r\n", 1, true))
    end)

    it("takes Host and Connection from more_headers", function ()
        assert.equal("GET / HTTP/1.1\r\nHost: a\r\nConnection: x\r\n\r\n",
                     bytes { request = "GET /",
                             more_headers = "Host: a\nConnection: x\n" })
    end)

    it("may be one of several", function ()
        local list, many = requests {
            request = eval([=[["GET /a", "GET /b"]]=]),
            more_headers = eval([=[["X: 1", "X: 2"]]=]),
        }

        assert.is_true(many)
        assert.truthy(list[2].packets[1].text:find("GET /b .*X: 2"))
    end)

    it("may come in packets", function ()
        local list = requests {
            request = eval([=[
                [["POST /t\nna", { value => "me=", delay_before => 0.5 },
                  "foo"]]
            ]=]),
        }
        local packets = list[1].packets

        assert.equal(3, #packets)
        assert.truthy(packets[1].text:find("Length: 8\r\n\r\nna$"))
        assert.equal("me=", packets[2].text)
        assert.equal(500, packets[2].delay)
        assert.equal("foo", packets[3].text)
    end)

    it("that is raw is left alone", function ()
        assert.equal("GET /\0 x\r\n", bytes { raw_request = "GET /\0 x\r\n" })
        local list = requests { raw_request = eval([=[["GE", "T /"]]=]) }
        assert.equal("T /", list[1].packets[2].text)
    end)
end)

describe("pipelined requests", function ()

    it("share one connection, which the last one closes", function ()
        local list, many = requests {
            pipelined_requests = eval([=[["GET /a", "HEAD /b"]]=]),
        }
        local text = list[1].packets[1].text

        assert.is_true(many)
        assert.equal(1, #list)
        assert.same({ "GET", "HEAD" }, list[1].methods)
        assert.truthy(text:find("GET /a.-keep%-alive.-HEAD /b.-close"))
    end)
end)
