-- What `make mutate` may change in a C file, and what it leaves alone.
--
-- SPDX-License-Identifier: BSD-2-Clause

package.path = "t/mutate/?.lua;" .. package.path

local equivalent = require "equivalent"
local source = require "source"

-- The mutants of a text, as "line before>after".
local function mutants(text)
    local out = {}

    for _, spot in ipairs(source.places(text)) do
        for _, after in ipairs(spot.after) do
            out[#out + 1] = spot.line .. " " .. spot.before .. ">" .. after
        end
    end
    return out
end

local function inside(text)
    return mutants("int\nf(int a)\n{\n" .. text .. "\n}\n")
end

describe("a mutant", function ()

    it("turns a comparison, moves a bound", function ()
        assert.same({ "4 ==>!=" }, inside("x = a == b;"))
        assert.same({ "4 <><=", "4 >=>>" }, inside("x = a < b; y = c >= d;"))
    end)

    it("makes an and an or, drops a not", function ()
        assert.same({ "4 !>", "4 &&>||" }, inside("if (!a && b) { g(); }"))
    end)

    it("moves a number by one, whatever its notation", function ()
        assert.same({ "4 0>1" }, inside("x = 0;"))
        assert.same({ "4 64u>65u", "4 64u>63u" }, inside("x = 64u;"))
        assert.same({ "4 0x1f>0x20", "4 0x1f>0x1e" }, inside("x = 0x1f;"))
        assert.same({ "4 0644>0645", "4 0644>0643" }, inside("x = 0644;"))
    end)

    it("adds where the program subtracts, but knows a sign", function ()
        assert.same({ "4 ->+" }, inside("x = a - b;"))
        assert.same({ "4 1>0" }, inside("return -1;"))
    end)

    it("knows a bit-and from an address", function ()
        assert.same({ "4 &>|" }, inside("x = a & b;"))
        assert.same({}, inside("g(&a); return &b;"))
    end)

    it("turns truth values, and results that are returned", function ()
        assert.same({ "4 true>false" }, inside("x = true;"))
        assert.same({ "4 LUN_OK>LUN_ERROR" }, inside("return LUN_OK;"))
        assert.same({}, inside("g(LUN_OK);"))
    end)

    it("changes the values of a table, and of an enum", function ()
        assert.same({ "1 3>4", "1 3>2" }, mutants("static int  a[] = { 3 };"))
        assert.same({ "1 3>4", "1 3>2" }, mutants("enum { A = 3 };"))
    end)

    it("is never in a comment, a string or a directive", function ()
        assert.same({}, inside("/* a == b */ g(\"a == b\", '=');"))
        assert.same({ "7 ==>!=" }, inside("#define X  a == \\\n    b == c\n"
                                          .. "/* \"\n*/ x = a == b;"))
    end)

    it("is never in a prototype, a member or a size", function ()
        assert.same({}, mutants("int  f(int a, char b[3 + 1]);\n"))
        assert.same({}, mutants("struct s { int a:3; char b[4]; };\n"))
        assert.same({ "4 4>5", "4 4>3" },
                    inside("char  b[64], *c; b[4] = c;"))
    end)

    it("is never in what is asserted", function ()
        assert.same({ "4 ==>!=" }, inside("LUN_CHECK(a == (b)); x = c == d;"))
    end)

    it("is a change of one token", function ()
        local text = "int\nf(int a)\n{\n    return a == 1;\n}\n"
        local spot = source.places(text)[1]
        local changed = source.change(text, spot, "!=")

        assert.equal("return a != 1;", source.line(changed, 4))
        assert.equal(#text, #changed)
    end)

    it("knows its function", function ()
        local text = "int\nf(int a)\n{\n    return a == b;\n}\n\n"
                     .. "static void\ng(void (*h)(int))\n{\n    h(5);\n}\n"
        local at = source.places(text)

        assert.equal("f", at[1].func.name)
        assert.equal("g", at[2].func.name)
        assert.same({ 7, 11 }, { at[2].func.first, at[2].func.last })
    end)
end)

describe("the list of equivalents", function ()

    it("has reasons", function ()
        assert.same({ { path = "core/a.c", func = "f", before = "x < y",
                        after = "x <= y", why = "x is never y,\nor z" } },
                    equivalent.read("# a comment\n\ncore/a.c f\n- x < y\n"
                                    .. "+ x <= y\nx is never y,\nor z\n"))
        assert.has_error(function ()
            equivalent.read("core/a.c f\n- x < y\n+ x <= y\n")
        end)
    end)
end)
