-- lunette/xml.lua -- a small reader of XML, for files that somebody else wrote
--
-- Elements, attributes, texts; no namespaces. There are no entities but the
-- five of XML itself and those by number: a document that declares some, or
-- names another file, is refused. Size, depth and number of elements have
-- bounds.
--
-- SPDX-License-Identifier: BSD-2-Clause

local char, concat, floor = string.char, table.concat, math.floor
local byte, find, gsub, match, sub =
    string.byte, string.find, string.gsub, string.match, string.sub

local _M = {}

local MOST_BYTES, MOST_DEPTH, MOST_ELEMENTS = 8 * 1024 * 1024, 64, 200000

local ENTITIES = { lt = "<", gt = ">", amp = "&", quot = '"', apos = "'" }

-- A character's number as UTF-8; nil: it is none.
local function utf8_of(n)
    if not n or n < 9 or n > 0x10ffff or n >= 0xd800 and n < 0xe000 then
        return nil
    elseif n < 0x80 then
        return char(n)
    elseif n < 0x800 then
        return char(0xc0 + floor(n / 64), 0x80 + n % 64)
    elseif n < 0x10000 then
        return char(0xe0 + floor(n / 4096), 0x80 + floor(n / 64) % 64,
                    0x80 + n % 64)
    end
    return char(0xf0 + floor(n / 262144), 0x80 + floor(n / 4096) % 64,
                0x80 + floor(n / 64) % 64, 0x80 + n % 64)
end


-- UTF-16 as UTF-8, whose first two bytes say which end comes first; lone
-- surrogates become U+FFFD.
local function from_utf16(text)
    local little = byte(text, 1) == 0xff
    local out, high = {}, nil

    for i = 3, #text - 1, 2 do
        local a, b = byte(text, i, i + 1)
        local n = little and b * 256 + a or a * 256 + b

        if high and n >= 0xdc00 and n < 0xe000 then
            out[#out + 1] = utf8_of(0x10000 + (high - 0xd800) * 1024
                                    + n - 0xdc00)
            high = nil
        else
            if high then
                out[#out + 1] = "\239\191\189"
            end
            high = n >= 0xd800 and n < 0xdc00 and n or nil
            if not high then
                out[#out + 1] = utf8_of(n) or "\239\191\189"
            end
        end
    end
    return concat(out)
end


-- Numbers of lines, asked for from the front to the back.
local function line_counter(text)
    local line, last = 1, find(text, "\n", 1, true)

    return function (at)
        while last and last < at do
            line, last = line + 1, find(text, "\n", last + 1, true)
        end
        return line
    end
end


-- A text without its references; nil, and which one is not known.
local function resolve(text)
    local bad
    local out = gsub(text, "&([^;&<]*);?", function (name)
        local hex = match(name, "^#x(%x+)$")
        local n = hex and #hex <= 6 and tonumber(hex, 16)
                  or not hex and #name <= 8 and tonumber((match(name,
                                                         "^#(%d+)$")))
        local s = n and utf8_of(n) or ENTITIES[name]

        if not s then
            bad = bad or name
        end
        return s
    end)

    if bad then
        return nil, 'there is no "&' .. sub(bad, 1, 40) .. ';"'
    end
    return out
end


-- Attributes of a tag; nil and what is wrong.
local function read_attributes(text, at, node)
    while true do
        local name, from = match(text, "^%s+([%a_:][%w_:%.%-]*)%s*=%s*()", at)
        local quote, last

        if not name then
            return find(text, "%S", at) or #text + 1
        end
        quote = sub(text, from, from)
        if quote ~= '"' and quote ~= "'" then
            return nil, "a value without quotes", from
        end
        last = find(text, quote, from + 1, true)
        if not last then
            return nil, "a value that does not end", from
        end

        local raw = sub(text, from + 1, last - 1)
        local value, err = resolve(raw)

        if not value or find(raw, "<", 1, true) then
            return nil, err or "a value with <", from
        elseif node.attr[name] then
            return nil, "an attribute twice", from
        end
        node.attr[name] = value
        node.order[#node.order + 1] = name
        at = last + 1
    end
end


-- Where the markup that begins with <! or <? ends; nil and what is wrong.
local function skip_markup(text, at, node)
    local last

    if sub(text, at, at + 3) == "<!--" then
        last = find(text, "-->", at + 4, true)
        return last and last + 3, "a comment that does not end"

    elseif sub(text, at, at + 8) == "<![CDATA[" then
        last = find(text, "]]>", at + 9, true)
        if last and node then
            node.text[#node.text + 1] = sub(text, at + 9, last - 1)
        end
        return last and last + 3, "a CDATA that does not end"

    elseif sub(text, at, at + 1) == "<?" then
        last = find(text, "?>", at + 2, true)
        return last and last + 2, "an instruction that does not end"
    end
    return nil, "a DOCTYPE or something like it: what it may declare is not "
                .. "read"
end


local function new_node(name, line)
    return { name = name, line = line, attr = {}, order = {}, text = {} }
end


-- { name, line, attr = { name = value }, order = { names }, text = { pieces },
-- its elements ... }; nil, and what is wrong in which line.
function _M.parse(text)
    local root, node
    local stack, count, at = {}, 0, 1
    local line_at

    local function fail(what, where)
        return nil, what .. " in line " .. line_at(where or at)
    end

    if #text > MOST_BYTES then
        return nil, "it is too large"
    end
    if find(text, "^\255\254") or find(text, "^\254\255") then
        text = from_utf16(text)
    end
    line_at = line_counter(text)
    at = find(text, "^\239\187\191") and 4 or 1

    while true do
        local from = find(text, "<", at, true)
        local between = sub(text, at, (from or #text + 1) - 1)

        if node then
            local plain, err = resolve(between)

            if not plain then
                return fail(err)
            end
            node.text[#node.text + 1] = plain
        elseif find(between, "%S") then
            return fail("a text outside of all elements")
        end
        if not from then
            break
        end
        at = from

        local closing = match(text, "^</([%a_:][%w_:%.%-]*)%s*>", at)
        local name, after = match(text, "^<([%a_:][%w_:%.%-]*)()", at)

        if closing then
            if not node or node.name ~= closing then
                return fail("</" .. closing .. "> ends nothing")
            end
            stack[#stack] = nil
            node = stack[#stack]
            at = find(text, ">", at, true) + 1

        elseif name then
            local child, err, where = new_node(name, line_at(at)), nil, nil

            count = count + 1
            if count > MOST_ELEMENTS or #stack == MOST_DEPTH then
                return fail(count > MOST_ELEMENTS and "too many elements"
                            or "elements too deep in each other")
            elseif not node and root then
                return fail("a second root")
            end

            after, err, where = read_attributes(text, after, child)
            if not after then
                return fail(err, where)
            end

            local slash, last = match(text, "^(/?)>()", after)

            if not last then
                return fail("a tag that does not end")
            end
            if node then
                node[#node + 1] = child
            else
                root = child
            end
            if slash == "" then
                node = child
                stack[#stack + 1] = child
            end
            at = last

        else
            local last, err = skip_markup(text, at, node)

            if not last then
                return fail(err)
            end
            at = last
        end
    end

    if #stack ~= 0 then
        return fail("<" .. node.name .. "> does not end", #text)
    elseif not root then
        return nil, "there is no element"
    end
    return root
end


return _M
