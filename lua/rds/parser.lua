-- parser.lua -- rds.parser: reads what ngx_drizzle and ngx_postgres answer, a
-- result of a database as bytes (Resty-DBD-Stream, 0.0.3).
--
-- Nothing here yields. A header: byte order, version, kind, error codes and
-- text, rows affected, last id, how many columns; then columns, then rows, each
-- behind a byte that says that there is one.
--
-- SPDX-License-Identifier: BSD-2-Clause

local byte, sub = string.byte, string.sub
local error, tonumber, type = error, tonumber, type
local floor = math.floor
local null = ngx.null

local _M = { _VERSION = "0.06", null = null }

local VERSION = 3                  -- 0.0.3
local LITTLE = 0
local NULL_LENGTH = 2 ^ 32 - 1
-- The highest two bits of a column's type.
local KIND = 2 ^ 14
local INT, FLOAT, BOOL = 0, 1, 3

-- A cursor: text, at, is_big. A number of `size` bytes, or nil behind the end,
-- where it stays.
local function take_int(c, size)
    local text, at = c.text, c.at
    if at + size - 1 > #text then
        c.at = #text + 1
        return nil
    end
    local n = 0
    for i = 0, size - 1 do
        n = n * 256 + byte(text, c.is_big and at + i or at + size - 1 - i)
    end
    c.at = at + size
    return n
end

local function take_text(c, len)
    if not len or len > #c.text - c.at + 1 then
        c.at = #c.text + 1
        return nil
    end
    local text = sub(c.text, c.at, c.at + len - 1)
    c.at = c.at + len
    return text
end

-- The columns, how many, and what else the header says; nil and why not.
local function take_header(c)
    local order = byte(c.text, 1)
    if not order then
        return nil, "header part is incomplete"
    end
    c.at, c.is_big = 2, order ~= LITTLE

    local version = take_int(c, 4)
    local kind = take_int(c, 1)
    if not kind then
        return nil, "header part is incomplete"
    end
    if version ~= VERSION then
        return nil, "found RDS format version " .. version
                    .. ", but we can only handle version " .. VERSION
    end
    if kind ~= 0 then
        return nil, "result type must be 0 for now"
    end

    local result = {}
    local std_code = take_int(c, 2)
    local code = take_int(c, 2)
    local text = take_text(c, take_int(c, 2))
    local rows, id, columns = take_int(c, 8), take_int(c, 8), take_int(c, 2)
    if not std_code or not text or not columns then
        return nil, "header part is incomplete"
    end
    result.errcode = code
    if text ~= "" then
        result.errstr = text
    end
    if rows ~= 0 then
        result.affected_rows = rows
    end
    if id ~= 0 then
        result.insert_id = id
    end
    return result, columns
end

local function take_columns(c, count)
    local columns = {}
    for i = 1, count do
        local std_type, own_type = take_int(c, 2), take_int(c, 2)
        local name = take_text(c, take_int(c, 2))
        if not own_type or not name then
            return nil, "column part is incomplete"
        end
        columns[i] = { name = name, kind = floor(std_type / KIND) }
    end
    return columns
end

local function value_of(text, kind)
    if kind == INT or kind == FLOAT then
        return tonumber(text) or text
    end
    if kind == BOOL then
        return text == "t" or text == "1" or text == "true"
    end
    return text
end

-- nil alone: there is none any more; nil and why not: it is cut.
local function take_row(c, columns)
    local flag = take_int(c, 1)
    if not flag then
        return nil, "row part is incomplete"
    end
    if flag == 0 then
        return nil
    end
    local row = {}
    for i = 1, #columns do
        local column, len = columns[i], take_int(c, 4)
        if len == NULL_LENGTH then
            row[column.name] = null
        else
            local text = take_text(c, len)
            if not text then
                return nil, "field value part is incomplete"
            end
            row[column.name] = value_of(text, column.kind)
        end
    end
    return row
end

-- { errcode, errstr, affected_rows, insert_id, resultset }, or nil and why.
function _M.parse(text)
    if type(text) ~= "string" then
        error("bad argument #1 to 'parse' (string expected, got "
              .. type(text) .. ")", 2)
    end
    local c = { text = text, at = 1 }
    local result, count = take_header(c)
    if not result then
        return nil, count
    end
    if count == 0 then
        return result
    end

    local columns, err = take_columns(c, count)
    if not columns then
        return nil, err
    end
    local rows, n = {}, 0
    while true do
        local row
        row, err = take_row(c, columns)
        if err then
            return nil, err
        end
        if not row then
            break
        end
        n = n + 1
        rows[n] = row
    end
    result.resultset = rows
    return result
end

return _M
