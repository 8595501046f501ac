-- lunette/heap.lua -- which tables of a machine grow, for `lunette profile
-- --heap`: what can be reached is looked through twice
--
-- A table is named by the way to it: a module, a global, an upvalue of a
-- function. What only a running coroutine holds is not seen, and neither are
-- strings.
--
-- SPDX-License-Identifier: BSD-2-Clause

local concat, sort = table.concat, table.sort
local getmetatable, getregistry = debug.getmetatable, debug.getregistry
local getupvalue = debug.getupvalue
local next, pairs, rawget, setmetatable, type =
    next, pairs, rawget, setmetatable, type
local format = string.format

local _M = {}

-- A look takes some tens of milliseconds at most: objects, entries of tables.
local OBJECTS, ENTRIES = 100000, 1000000

-- Tables with fewer entries than this are no leak; rows that are said.
local LEAST, ROWS = 100, 20

local before                   -- entries by table, at the beginning

local function is_weak(t)
    local mt = getmetatable(t)
    local mode = type(mt) == "table" and rawget(mt, "__mode")

    return type(mode) == "string" and mode ~= ""
end


local function key_name(key)
    if type(key) == "string" and #key <= 40 and not key:find "[%c;]" then
        return "." .. key
    end

    return type(key) == "number" and format("[%s]", key)
           or "[" .. type(key) .. "]"
end


-- Objects in the order of their distance, so that a name is a short one.
local function new_walk()
    local walk = { seen = {}, names = {}, n = 0, at = 0, entries = 0 }

    function walk.add(object, name)
        local kind = type(object)

        if (kind == "table" or kind == "function") and not walk.seen[object]
           and walk.n < OBJECTS
        then
            walk.n = walk.n + 1
            walk[walk.n], walk.names[walk.n] = object, name
            walk.seen[object] = true
        end
    end

    return walk
end


local function look_into_function(walk, fn, name)
    for i = 1, 250 do
        local upvalue, value = getupvalue(fn, i)

        if not upvalue then
            return
        end

        walk.add(value, name .. ": " .. upvalue)
    end
end


local function look_into_table(walk, t, name, counts)
    local n = 0

    for key, value in next, t do
        n = n + 1
        walk.add(value, name .. key_name(key))
        walk.add(key, name .. "[key]")
    end

    walk.add(getmetatable(t), name .. " (metatable)")
    walk.entries = walk.entries + n

    if n >= LEAST then
        counts[t] = { n = n, name = name }
    end
end


-- Entries and name of each table that has many.
local function look()
    local counts = setmetatable({}, { __mode = "k" })
    local walk = new_walk()

    walk.seen[_M] = true

    for name, module in pairs(package.loaded) do
        if name ~= "_G" then
            walk.add(module, name)
        end
    end

    walk.add(_G, "_G")
    walk.add(getregistry(), "(registry)")

    while walk.at < walk.n and walk.entries < ENTRIES do
        walk.at = walk.at + 1

        local object, name = walk[walk.at], walk.names[walk.at]

        if type(object) == "function" then
            look_into_function(walk, object, name)

        elseif not is_weak(object) then
            look_into_table(walk, object, name, counts)
        end
    end

    return counts
end


function _M.begin()
    before = look()
end


-- Lines: by how many entries a table has grown, and its name.
function _M.finish()
    local rows, out = {}, {}

    for t, now in pairs(before and look() or {}) do
        local grown = now.n - (before[t] and before[t].n or 0)

        if grown > 0 then
            rows[#rows + 1] = { grown, now.name }
        end
    end

    sort(rows, function (a, b)
        return a[1] > b[1] or a[1] == b[1] and a[2] < b[2]
    end)

    for i = 1, #rows < ROWS and #rows or ROWS do
        out[i] = format("%d %s", rows[i][1], rows[i][2])
    end

    before = nil
    return concat(out, "\n")
end


return _M
