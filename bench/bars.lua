-- bars.lua -- a table as a picture: groups of labelled bars, as SVG.
--
--     bars(title, unit, series, groups) -> text
--
-- series: names, one for each bar of a group; groups: { label, v1, v2 ... },
-- a missing value is false.
--
-- SPDX-License-Identifier: BSD-2-Clause

local format, concat = string.format, table.concat

local colours = { "#2f6f9f", "#6fa8c9", "#c9803a", "#7a9a4d", "#8b6fa8" }

local WIDTH, LEFT, TOP, BAR, GAP = 760, 190, 62, 17, 14

local function escape(text)
    return (text:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;",
                                 [">"] = "&gt;" }))
end

local function number(v)
    return format(v < 10 and v % 1 ~= 0 and "%.2f" or "%.0f", v)
end

return function(title, unit, series, groups)
    local most = 0
    for _, g in ipairs(groups) do
        for i = 1, #series do most = math.max(most, g[i + 1] or 0) end
    end

    local out, y = {}, TOP
    local function add(fmt, ...) out[#out + 1] = format(fmt, ...) end
    local scale = (WIDTH - LEFT - 80) / math.max(most, 1e-9)

    for _, g in ipairs(groups) do
        local first = y
        for i = 1, #series do
            if g[i + 1] then
                local w = math.max(1, g[i + 1] * scale)
                add('<rect x="%d" y="%d" width="%.1f" height="%d" '
                    .. 'fill="%s"/>', LEFT, y, w, BAR - 2, colours[i])
                add('<text x="%.1f" y="%d" font-size="11">%s</text>',
                    LEFT + w + 5, y + BAR - 5, number(g[i + 1]))
                y = y + BAR
            end
        end
        add('<text x="%d" y="%d" text-anchor="end">%s</text>', LEFT - 10,
            (first + y) / 2 + 3, escape(g[1]))
        y = y + GAP
    end

    local head = { format('<svg xmlns="http://www.w3.org/2000/svg" '
        .. 'width="%d" height="%d" font-family="sans-serif" font-size="13">',
        WIDTH, y), '<rect width="100%" height="100%" fill="white"/>',
        format('<text x="10" y="22" font-size="15" font-weight="bold">%s'
               .. ', %s</text>', escape(title), escape(unit)) }
    local x = 10
    for i, name in ipairs(series) do
        head[#head + 1] = format('<rect x="%d" y="36" width="12" height="12" '
            .. 'fill="%s"/><text x="%d" y="47" font-size="12">%s</text>', x,
            colours[i], x + 17, escape(name))
        x = x + 34 + 7 * #name
    end
    return concat(head, "\n") .. "\n" .. concat(out, "\n") .. "\n</svg>\n"
end
