-- Words after a section's name change its value.
--
-- SPDX-License-Identifier: BSD-2-Clause

local filters = require "lunette.spec.filters"

local function apply(text, ...)
    return filters.apply(text, { ... }, {
        eval = function (code) return "<" .. code .. ">" end,
    })
end

describe("filters", function ()

    it("trim blank lines at both ends", function ()
        assert.equal("a\n\nb\n", apply(" \n\na\n\nb\n\n  \n"))
    end)

    it("leave an inline value alone", function ()
        assert.equal("a", apply("a"))
    end)

    it("keep blank lines with -trim", function ()
        assert.equal("\na\n\n", apply("\na\n\n", "-trim"))
    end)

    it("chomp a newline, chop a byte", function ()
        assert.equal("a", apply("a\n", "chomp"))
        assert.equal("a", apply("a", "chomp"))
        assert.equal("a", apply("ab", "chop"))
    end)

    it("work one after the other", function ()
        assert.equal("<a\n>x", apply("a\n", "eval", "append=x"))
    end)

    it("split lines", function ()
        local lines = apply("a\nb\n", "lines", "chomp")

        assert.equal(2, lines.n)
        assert.equal("b", lines[2])
    end)

    it("that do not exist are an error", function ()
        assert.has_error(function () apply("a", "shout") end,
                         "no such filter: shout")
    end)
end)
