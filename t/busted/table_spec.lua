-- The table modules that OpenResty's LuaJIT has, as this program brings them.
--
-- SPDX-License-Identifier: BSD-2-Clause

local clear = require "table.clear"
local clone = require "table.clone"
local isarray = require "table.isarray"
local isempty = require "table.isempty"
local new = require "table.new"
local nkeys = require "table.nkeys"

describe("table.isempty", function ()
    it("is true of a table without keys", function ()
        assert.is_true(isempty({}))
        assert.is_true(isempty(new(8, 8)))
    end)

    it("sees keys of either part", function ()
        assert.is_false(isempty({ 1 }))
        assert.is_false(isempty({ x = false }))
    end)
end)

describe("table.nkeys", function ()
    it("counts both parts", function ()
        assert.equal(0, nkeys({}))
        assert.equal(3, nkeys({ 1, 2, x = 1 }))
    end)

    it("does not count holes", function ()
        assert.equal(2, nkeys({ 1, nil, 3 }))
    end)
end)

describe("table.isarray", function ()
    it("is true of lists, with holes and empty ones", function ()
        assert.is_true(isarray({ "a", "b" }))
        assert.is_true(isarray({ "a", nil, "c" }))
        assert.is_true(isarray({}))
    end)

    it("is false for other keys", function ()
        assert.is_false(isarray({ x = 1 }))
        assert.is_false(isarray({ [0] = 1 }))
        assert.is_false(isarray({ [1.5] = 1 }))
    end)
end)

describe("table.clone", function ()
    it("copies one level", function ()
        local inner = {}
        local original = { 1, 2, x = inner }
        local copy = clone(original)

        assert.same(original, copy)
        assert.are_not.equal(original, copy)
        assert.equal(inner, copy.x)
    end)

    it("leaves the metatable behind", function ()
        assert.is_nil(getmetatable(clone(setmetatable({}, {}))))
    end)
end)

describe("table.clear", function ()
    it("empties both parts", function ()
        local tb = { 1, 2, x = 3 }

        clear(tb)
        assert.is_true(isempty(tb))
    end)
end)
