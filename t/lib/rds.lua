-- rds.lua -- results of databases as bytes (Resty-DBD-Stream 0.0.3), for specs.
--
-- SPDX-License-Identifier: BSD-2-Clause

local char, floor = string.char, math.floor

local function num(n, size, big)
    local bytes = {}
    for i = 1, size do
        bytes[big and size - i + 1 or i] = char(n % 256)
        n = floor(n / 256)
    end
    return table.concat(bytes)
end

local kinds = { int = 0, float = 1, text = 2, bool = 3 }

-- t: errcode, errstr, rows_affected, insert_id, columns ({ "int", "id" }, ...),
-- rows (lists; false is NULL), big.
return function (t)
    local columns, errstr = t.columns or {}, t.errstr or ""
    local function n(value, size)
        return num(value, size, t.big)
    end
    local out = {
        t.big and "\1" or "\0", n(3, 4), "\0", n(0, 2), n(t.errcode or 0, 2),
        n(#errstr, 2), errstr, n(t.affected or 0, 8), n(t.insert_id or 0, 8),
        n(#columns, 2),
    }
    for _, c in ipairs(columns) do
        out[#out + 1] = n(kinds[c[1]] * 16384 + 1, 2) .. n(1, 2)
                        .. n(#c[2], 2) .. c[2]
    end
    for _, row in ipairs(t.rows or {}) do
        out[#out + 1] = "\1"
        for i = 1, #columns do
            local v = row[i]
            out[#out + 1] = v and n(#v, 4) .. v or n(2 ^ 32 - 1, 4)
        end
    end
    return table.concat(out) .. (#columns > 0 and "\0" or "")
end
