-- The text of a .t file becomes blocks of sections.
--
-- SPDX-License-Identifier: BSD-2-Clause

local parse = require "lunette.spec.parse"

local function blocks(text)
    return assert(parse.file("__DATA__\n\n" .. text)).blocks
end

local function section(text)
    return blocks("=== x\n" .. text)[1].sections[1]
end

describe("a spec file", function ()

    it("keeps its preamble apart", function ()
        local file = parse.file("repeat_each(2);\n__DATA__\n=== a\n--- b\n")

        assert.equal("repeat_each(2);\n", file.preamble)
        assert.equal("a", file.blocks[1].name)
    end)

    it("may have no preamble and no __DATA__", function ()
        assert.equal("a", parse.file("=== a\n--- b: 1\n").blocks[1].name)
    end)

    it("without a block is refused", function ()
        local file, err = parse.file("__DATA__\nnothing\n")

        assert.is_nil(file)
        assert.equal("no block: none begins with ===", err)
    end)

    it("without __DATA__ is refused", function ()
        local file, err = parse.file("use strict;\n")

        assert.is_nil(file)
        assert.equal("no __DATA__ line", err)
    end)

    it("names blocks and their lines", function ()
        local list = blocks("=== one: first\nabout it\n--- a\n=== two\n")

        assert.equal(2, #list)
        assert.equal("one: first", list[1].name)
        assert.equal("about it\n", list[1].description)
        assert.equal(3, list[1].line)
        assert.equal(6, list[2].line)
    end)

    it("reads CRLF files", function ()
        local list = blocks("=== one\r\n--- a\r\nx\r\n")

        assert.equal("x\n", list[1].sections[1].text)
    end)

    it("with ONLY has that block alone", function ()
        local file = parse.file("=== a\n--- x\n=== b\n--- ONLY\n=== c\n--- x\n")

        assert.equal(1, #file.blocks)
        assert.equal("b", file.blocks[1].name)
        assert.is_true(file.partial)
    end)

    it("with LAST ends there", function ()
        local file = parse.file("=== a\n--- x\n=== b\n--- LAST\n=== c\n--- x\n")

        assert.equal(2, #file.blocks)
    end)

    it("tells of a section that is given twice", function ()
        local list = blocks("=== a\n--- x: 1\n--- x: 2\n")

        assert.same({ "x" }, list[1].twice)
        assert.equal("2", list[1].by_name.x.text)
    end)
end)

describe("a section", function ()

    it("has the lines below it", function ()
        local s = section("--- config\n    a;\n\n    b;\n--- more\n")

        assert.equal("config", s.name)
        assert.equal("    a;\n\n    b;\n", s.text)
        assert.same({}, s.filters)
    end)

    it("has its value after a colon", function ()
        local s = section("--- body: at once: now \nnot this\n")

        assert.equal("at once: now", s.text)
        assert.is_true(s.inline)
    end)

    it("has filters before its colon", function ()
        local s = section("--- log eval chomp: qr/ 499 /\n")

        assert.same({ "eval", "chomp" }, s.filters)
        assert.equal("qr/ 499 /", s.text)
    end)

    it("may have an empty value", function ()
        assert.equal("", section("--- body:\n").text)
        assert.is_true(section("--- body:\n").inline)
        assert.equal("", section("--- must_die\n").text)
    end)

    it("may have colons in its value alone", function ()
        local s = section("--- like: Location: http://a(?::\\d+)?/\n")

        assert.equal("Location: http://a(?::\\d+)?/", s.text)
    end)
end)
