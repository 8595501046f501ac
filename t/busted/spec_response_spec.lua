-- The bytes of a connection become responses.
--
-- SPDX-License-Identifier: BSD-2-Clause

local response = require "lunette.spec.response"

describe("a response", function ()

    it("has status, headers and a sized body", function ()
        local r = response.parse("HTTP/1.1 200 OK\r\nA: 1\r\nB:  x y \r\n"
            .. "a: 2\r\nContent-Length: 3\r\n\r\nabcdef", "GET")

        assert.equal(200, r.status)
        assert.equal("1, 2", r:get("A"))
        assert.equal("x y", r:get("b"))
        assert.is_nil(r:get("C"))
        assert.equal("abc", r.body)
        assert.equal("def", r.left)
    end)

    it("may be chunked, with trailers", function ()
        local r = response.parse("HTTP/1.1 200 OK\r\n"
            .. "Transfer-Encoding: chunked\r\n\r\n"
            .. "3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\nHTTP/",
            "GET")

        assert.equal("abc0123456789", r.body)
        assert.equal("HTTP/", r.left)
    end)

    it("that is cut off or broken says so", function ()
        local head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

        assert.equal(5, response.parse("HTTP/1.1 200 OK\r\n"
            .. "Content-Length: 9\r\n\r\nabcd", "GET").truncated)
        assert.truthy(response.parse(head .. "3\r\nab", "GET").error)
        assert.truthy(response.parse(head .. "2\r\nabX\r\n", "GET").error)
        assert.truthy(response.parse(head .. "zz\r\n", "GET").error)
        assert.truthy(response.parse(head .. "0\r\n", "GET").error)
    end)

    it("to HEAD has no body, whatever its length says", function ()
        local r = response.parse("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
            .. "HTTP/1.1 404 Not Found\r\n\r\n", "HEAD")

        assert.equal("", r.body)
        assert.equal(404, response.parse(r.left, "GET").status)
    end)

    it("comes after interim ones", function ()
        local raw = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n\r\n"

        assert.equal(201, response.parse(raw, "POST").status)
        assert.equal(100, response.parse(raw, "POST", true).status)
    end)

    it("without a status line is none", function ()
        assert.is_nil(response.parse("", "GET"))
        assert.is_nil(response.parse("hello\r\n\r\n", "GET"))
    end)

    it("without length or coding lasts to the end", function ()
        local r = response.parse("HTTP/1.0 200 OK\r\n\r\nall\r\n\r\nof it")

        assert.equal("all\r\n\r\nof it", r.body)
    end)
end)
