-- t/tap: what becomes of tests on the way to the last line of `make test`.
--
-- SPDX-License-Identifier: BSD-2-Clause

describe("the count of a run of tests", function ()
    local dir = os.tmpname()

    local function tap(words)
        local pipe = io.popen("t/tap " .. words .. " 2>&1; echo status $?")
        local text = pipe:read("*a")

        pipe:close()
        return text
    end

    local function run(name, text)
        return tap("run " .. dir .. " " .. name .. " printf '" .. text .. "'")
    end

    before_each(function ()
        os.remove(dir)
        tap("start " .. dir)
    end)

    teardown(function ()
        os.execute("rm -rf " .. dir)
    end)

    it("adds what passed and what failed", function ()
        run("one", [[1..2\nok 1\nok 2\n]])
        run("two", [[1..2\nok 1\nnot ok 2\n]])
        assert.equal("3 passed, 1 failed\nstatus 1\n", tap("sum " .. dir))
    end)

    it("has a plan that was not kept", function ()
        run("one", [[1..3\nok 1\n]])
        assert.equal("1 passed, 1 failed\nstatus 1\n", tap("sum " .. dir))
    end)

    it("has a first step that could not even be made", function ()
        tap("broken " .. dir .. " one")
        run("two", [[1..1\nok 1\n]])
        assert.equal("1 passed, 1 failed\nstatus 1\n", tap("sum " .. dir))
    end)

    it("has a step whose tests failed once", function ()
        run("one", [[1..1\nnot ok 1\n]])
        tap("broken " .. dir .. " one")
        assert.equal("0 passed, 1 failed\nstatus 1\n", tap("sum " .. dir))
    end)

    it("is no success without a test", function ()
        assert.equal("0 passed, 0 failed\nstatus 1\n", tap("sum " .. dir))
    end)
end)
