-- What a script of `lunette run` finds; this one is such a script.
--
-- SPDX-License-Identifier: BSD-2-Clause

describe("a script", function ()
    it("may wait", function ()
        local before = ngx.now()

        ngx.sleep(0.01)
        ngx.update_time()
        assert.is_true(ngx.now() >= before)
    end)

    it("has light threads", function ()
        local function f(n)
            ngx.sleep(n)
            return n
        end
        local slow, fast = ngx.thread.spawn(f, 0.05), ngx.thread.spawn(f, 0.01)
        local ok, first = ngx.thread.wait(slow, fast)

        assert.is_true(ok)
        assert.equal(0.01, first)
        ngx.thread.kill(slow)
    end)

    it("has timers", function ()
        local fired

        ngx.timer.at(0.005, function (premature, value)
            fired = { premature, value }
        end, "x")
        ngx.sleep(0.05)
        assert.same({ false, "x" }, fired)
    end)

    it("has coroutines that wait", function ()
        local co = coroutine.wrap(function ()
            for i = 1, 2 do
                ngx.sleep(0.001)
                coroutine.yield(i)
            end
        end)

        assert.equal(1, co())
        assert.equal(2, co())
    end)

    it("is like a timer, and has no request", function ()
        assert.equal("timer", ngx.get_phase())
        assert.has_error(function () return ngx.status end)
    end)

    it("has its own ngx.ctx", function ()
        ngx.ctx.x = 1
        assert.equal(1, ngx.ctx.x)
    end)

    it("has LuaJIT's string.buffer and cjson", function ()
        local buf = require("string.buffer").new()

        assert.equal("a1", tostring(buf:put("a", 1)))
        assert.equal("[1]", require("cjson").encode({ 1 }))
    end)
end)
